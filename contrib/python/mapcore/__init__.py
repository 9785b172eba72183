# SPDX-License-Identifier: LGPL-2.1-or-later
"""Task graphs, networks, and mappings of the one onto the other.

The C library libmapcore (mapcore(3)) for Python, by ctypes: nothing is compiled.
Needs NumPy; arrays go in and come out, bytes are uint64, numbers of tasks, hosts
and links uint32.

>>> import numpy as np
>>> import mapcore
>>> ring = np.roll(np.eye(8, dtype=int), 1, axis=1) * 1000     # i sends to i + 1
>>> graph = mapcore.Graph.from_numpy(ring)
>>> network = mapcore.Topology("torus:2x2")
>>> found = mapcore.search(graph, network, slots=2, work=20)
>>> found.host.shape, found.metrics.hops_per_byte <= found.baseline.hops_per_byte
((8,), True)
>>> bool(found.link_loads().sum() > 0)
True

What goes wrong is a mapcore.Error, whose text is the library's, with file and line.
"""

from ._errors import Error, LibraryError
from ._graph import Graph
from ._topology import Allocation, Topology
from ._mapping import Mapping, Metrics, block, cyclic, evaluate
from ._search import Result, mappers, search

try:
    from ._installed import VERSION as __version__
except ImportError:  # in the sources
    __version__ = "0"

__all__ = [
    "Allocation", "Error", "Graph", "LibraryError", "Mapping", "Metrics", "Result",
    "Topology", "block", "cyclic", "evaluate", "mappers", "search",
]
