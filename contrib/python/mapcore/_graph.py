# SPDX-License-Identifier: LGPL-2.1-or-later
"""Task graphs."""

import ctypes
import os
from ctypes import c_uint32, c_uint64, c_void_p
from typing import Optional, Tuple, Union

import numpy as np

from ._errors import Error
from ._library import c_edge, c_graph_reading, call, libc, library, path_bytes

_EDGE = np.dtype([("a", np.uint32), ("b", np.uint32), ("bytes", np.uint64)])
assert _EDGE.itemsize == ctypes.sizeof(c_edge)


def _whole_bytes(values: np.ndarray, what: str) -> np.ndarray:
    """Bytes as the library counts them: halves up, and what is more than 0 to no
    less than 1, as its readers do."""
    values = np.asarray(values)
    if values.dtype.kind not in "biuf":
        raise TypeError(f"{what} of type {values.dtype}: whole numbers or floats are wanted")
    if values.dtype.kind == "f":
        if not np.isfinite(values).all():
            raise ValueError(f"{what}: a number that is none, or infinite")
        if (values < 0).any():
            raise ValueError(f"{what}: a negative number")
        if (values >= 2.0 ** 63).any():
            raise OverflowError(f"{what}: 2^63 or more")
        return np.where((values > 0) & (values < 1), 1, np.floor(values + 0.5)).astype(np.uint64)
    if values.dtype.kind == "i" and (values < 0).any():
        raise ValueError(f"{what}: a negative number")
    return values.astype(np.uint64)


def _task_numbers(values, what: str) -> np.ndarray:
    values = np.asarray(values)
    if values.ndim != 1 or values.dtype.kind not in "iu" and values.size:
        raise TypeError(f"{what}: a one-dimensional array of whole numbers is wanted")
    if values.size and (values.min() < 0 or values.max() >= 2 ** 32 - 2):
        raise ValueError(f"{what}: a task below 0 or above 2^32 - 3")
    return values.astype(np.uint32)


# In the order of enum mapcore_graph_format.
FORMATS = ("any", "metis", "scotch", "mtx", "edges", "dense", "npy")


def _format(name: str) -> int:
    if name not in FORMATS:
        raise Error(-1, f"there is no graph format '{name}': {', '.join(FORMATS)}")
    return FORMATS.index(name)


class Graph:
    """An undirected task graph: how many bytes each pair of tasks exchanges, both
    directions together. Never changes once it is made.

    >>> g = Graph.from_edges([0, 1, 0], [1, 0, 2], [600, 400, 50])
    >>> g
    <mapcore.Graph: 3 tasks, 2 edges, 1050 bytes>
    >>> g.to_numpy()
    array([[   0, 1000,   50],
           [1000,    0,    0],
           [  50,    0,    0]], dtype=uint64)
    """

    def __init__(self, handle: int) -> None:
        """Of a mapcore_graph that becomes this object's; see the from_ methods."""
        self._handle: Optional[int] = handle

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and library is not None:
            library.mapcore_graph_destroy(self._handle)
            self._handle = None

    @classmethod
    def from_edges(cls, src, dst, bytes, ntasks: Optional[int] = None) -> "Graph":
        """src[n], dst[n]: tasks from 0; bytes[n] from the one to the other. Repeated
        edges and both directions add up, tasks that send to themselves are left out.
        ntasks: how many tasks there are (default: up to the largest that is named).

        >>> Graph.from_edges([0, 1], [1, 1], [3.6, 7], ntasks=4).ntasks
        4
        """
        a, b = _task_numbers(src, "src"), _task_numbers(dst, "dst")
        weight = _whole_bytes(bytes, "bytes")
        if not a.shape == b.shape == weight.shape:
            raise ValueError(f"src, dst and bytes of {a.size}, {b.size} and {weight.size} elements")
        if ntasks is None:
            ntasks = int(max(a.max(), b.max())) + 1 if a.size else 0
        edges = np.empty(a.size, dtype=_EDGE)
        edges["a"], edges["b"], edges["bytes"] = a, b, weight
        out = c_void_p()
        call("graph_create", ctypes.byref(out), ntasks, edges.ctypes.data, edges.size)
        return cls(out.value)

    @classmethod
    def from_numpy(cls, matrix) -> "Graph":
        """matrix[n, n]: bytes from task i to task j, whole numbers or floats; the
        diagonal is left out.

        >>> import numpy as np
        >>> Graph.from_numpy(np.array([[0, 2.0], [1.0, 0]])).bytes
        3
        """
        matrix = np.asarray(matrix)
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1]:
            raise ValueError(f"an array of shape {matrix.shape}: a square matrix of tasks is wanted")
        src, dst = np.nonzero(matrix)
        return cls.from_edges(src, dst, matrix[src, dst], matrix.shape[0])

    @classmethod
    def from_scipy(cls, matrix) -> "Graph":
        """A sparse matrix of SciPy, or anything with tocoo(): bytes from task i to
        task j."""
        coo = matrix.tocoo()
        if coo.shape[0] != coo.shape[1]:
            raise ValueError(f"a matrix of shape {coo.shape}: a square one of tasks is wanted")
        return cls.from_edges(np.asarray(coo.row), np.asarray(coo.col), coo.data, coo.shape[0])

    @classmethod
    def read(cls, path: Union[str, os.PathLike], format: str = "any", ntasks: int = 0) -> "Graph":
        """A file; the formats are those of mapcore-graph(5), but of Scotch's, which topomap
        convert reads; npy may be given alone. ntasks: how many tasks there must be, or blocks
        of rows of a matrix; 0: as the file says."""
        if format == "npy":
            return cls.from_numpy(np.load(path))
        out = c_void_p()
        how = c_graph_reading(_format(format), ntasks)
        call("graph_read", ctypes.byref(out), path_bytes(path), ctypes.byref(how))
        return cls(out.value)

    @classmethod
    def pattern(cls, words: str, ntasks: int = 0) -> "Graph":
        """A pattern of mapcore-graph(5): "grid:4x8:periodic", "ring:8", ...

        >>> Graph.pattern("grid:4x4").nedges
        24
        """
        out = c_void_p()
        call("pattern_graph", ctypes.byref(out), words.encode(), ntasks)
        return cls(out.value)

    def write(self, path: Union[str, os.PathLike], format: str = "metis") -> None:
        """Writes a file of that format; it is there whole or not at all."""
        number, name = _format(format), path_bytes(path)
        fresh = name + b".%d.new" % os.getpid()
        file = libc.fopen(fresh, b"wex")
        if not file:
            number = ctypes.get_errno()
            raise OSError(number, os.strerror(number), os.fsdecode(fresh))
        try:
            try:
                call("graph_write", self._handle, number, file)
            finally:
                closed = libc.fclose(file)
            if closed != 0:
                raise Error(-5, f"{os.fsdecode(name)}: writing failed")
            os.replace(fresh, name)
        except BaseException:
            os.unlink(fresh)
            raise

    @property
    def ntasks(self) -> int:
        return library.mapcore_graph_ntasks(self._handle)

    @property
    def nedges(self) -> int:
        """Undirected edges."""
        return library.mapcore_graph_nedges(self._handle)

    @property
    def bytes(self) -> int:
        """Of all edges, each once."""
        return library.mapcore_graph_bytes(self._handle)

    def neighbours(self, task: int) -> Tuple[np.ndarray, np.ndarray]:
        """Tasks (ascending, uint32[k]) that this one talks to, and the bytes with each
        (uint64[k]), both directions together; copies."""
        if not 0 <= task < self.ntasks:
            raise IndexError(f"task {task} of {self.ntasks}")
        tasks, weights = ctypes.POINTER(c_uint32)(), ctypes.POINTER(c_uint64)()
        n = library.mapcore_graph_neighbours(self._handle, task, ctypes.byref(tasks),
                                             ctypes.byref(weights))
        if n == 0:
            return np.empty(0, np.uint32), np.empty(0, np.uint64)
        return (np.ctypeslib.as_array(tasks, (n,)).copy(),
                np.ctypeslib.as_array(weights, (n,)).copy())

    def edges(self) -> Tuple[np.ndarray, np.ndarray, np.ndarray]:
        """(a, b, bytes) of every edge once, a < b, ascending: uint32[nedges] twice,
        uint64[nedges].

        >>> Graph.pattern("grid:3").edges()[1]
        array([1, 2], dtype=uint32)
        """
        rows = [self.neighbours(task) for task in range(self.ntasks)]
        a = np.repeat(np.arange(self.ntasks, dtype=np.uint32), [len(row[0]) for row in rows])
        b = np.concatenate([row[0] for row in rows])
        weight = np.concatenate([row[1] for row in rows])
        once = a < b
        return a[once], b[once], weight[once]

    def to_numpy(self) -> np.ndarray:
        """uint64[ntasks, ntasks], symmetric: bytes of a pair, both directions
        together, at [i, j] and [j, i]. (from_numpy of it gives twice the bytes.)"""
        matrix = np.zeros((self.ntasks, self.ntasks), dtype=np.uint64)
        a, b, weight = self.edges()
        matrix[a, b] = matrix[b, a] = weight
        return matrix

    def __repr__(self) -> str:
        return f"<mapcore.Graph: {self.ntasks} tasks, {self.nedges} edges, {self.bytes} bytes>"
