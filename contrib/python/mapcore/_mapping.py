# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mappings, and how good they are."""

import ctypes
from dataclasses import dataclass
from typing import Optional, Tuple, Union

import numpy as np

from ._graph import Graph
from ._library import NONE, c_mapping, c_metrics, c_metrics_how, call, library
from ._topology import Allocation, Topology, allocation_of

_ROUTES = {"static": 0, "least-loaded": 1}


@dataclass(frozen=True)
class Metrics:
    """Equations 1 to 5 of Galvez, Jain, Kale, ICS 2017. Distances are in links of the
    network, 0 inside a host."""

    avg_hop_bytes: float  #: mean over tasks of the bytes times links of its edges
    max_hop_bytes: float  #: of the task with most
    hops_per_byte: float  #: links that a byte crosses on average
    off_node_bytes: int  #: bytes between different hosts
    max_link_bytes: float  #: of the busiest link, as Topology.nlinks counts links
    max_link: Optional[int]  #: that link; None: nothing crosses a link
    max_link_time: float  #: bytes of a direction / capacity, of the slowest link
    max_time_link: Optional[int]  #: that link

    @classmethod
    def _of(cls, raw: c_metrics) -> "Metrics":
        link = [None if x == NONE else int(x) for x in (raw.max_link, raw.max_time_link)]
        return cls(raw.avg_hop_bytes, raw.max_hop_bytes, raw.hops_per_byte, raw.off_node_bytes,
                   raw.max_link_bytes, link[0], raw.max_link_time, link[1])


@dataclass(frozen=True)
class Mapping:
    """host: uint32[ntasks], positions in the allocation's hosts; slot: uint32[ntasks],
    the place in that host, from 0."""

    host: np.ndarray
    slot: np.ndarray

    @classmethod
    def _of(cls, raw: c_mapping) -> "Mapping":
        return cls(np.ctypeslib.as_array(raw.host, (raw.ntasks,)).copy(),
                   np.ctypeslib.as_array(raw.slot, (raw.ntasks,)).copy())


def _layout(name: str, where, ntasks: Optional[int], slots) -> Mapping:
    alloc = allocation_of(where, slots)
    out = ctypes.POINTER(c_mapping)()
    call(name, ctypes.byref(out), alloc._handle, alloc.nslots if ntasks is None else ntasks)
    try:
        return Mapping._of(out.contents)
    finally:
        library.mapcore_mapping_destroy(out)


def block(where: Union[Topology, Allocation], ntasks: Optional[int] = None, slots=None) -> Mapping:
    """Hosts filled one after the other, as Slurm's --distribution=block; ntasks None:
    as many as there are slots.

    >>> block(Topology("ring:2"), slots=2).host
    array([0, 0, 1, 1], dtype=uint32)
    """
    return _layout("mapping_block", where, ntasks, slots)


def cyclic(where: Union[Topology, Allocation], ntasks: Optional[int] = None, slots=None) -> Mapping:
    """One task a host in turn.

    >>> cyclic(Topology("ring:2"), slots=2).host
    array([0, 1, 0, 1], dtype=uint32)
    """
    return _layout("mapping_cyclic", where, ntasks, slots)


def host_array(host, ntasks: int, nhosts: int) -> np.ndarray:
    """host as the library wants it, checked."""
    host = np.asarray(host.host if isinstance(host, Mapping) else host)
    if host.dtype.kind not in "iu" or host.shape != (ntasks,):
        raise TypeError(f"hosts of type {host.dtype}, shape {host.shape}: whole numbers, "
                        f"one for each of {ntasks} tasks, are wanted")
    if host.size and (host.min() < 0 or host.max() >= nhosts):
        raise ValueError(f"a host that is none of 0 to {nhosts - 1}")
    return np.ascontiguousarray(host, dtype=np.uint32)


def evaluate(graph: Graph, where: Union[Topology, Allocation], host, slots=None,
             routes: str = "static") -> Tuple[Metrics, np.ndarray]:
    """How good a mapping is, and float64[nlinks], the bytes that each link carries
    (half of an edge's bytes goes each way). host: a Mapping, or uint32[ntasks],
    positions in the allocation's hosts. routes: "static", dimension by dimension on a
    torus and half each way round a ring where both are equally long, or "least-loaded".

    >>> graph = Graph.from_edges([0], [2], [100])
    >>> metrics, loads = evaluate(graph, Topology("ring:4"), [0, 1, 2])
    >>> metrics.hops_per_byte, loads.tolist()
    (2.0, [25.0, 25.0, 25.0, 25.0, 25.0, 25.0, 25.0, 25.0])
    """
    alloc = allocation_of(where, slots)
    if routes not in _ROUTES:
        raise ValueError(f"routes: '{routes}' is not static or least-loaded")
    hosts = host_array(host, graph.ntasks, alloc.nhosts)
    loads = np.zeros(alloc.topology.nlinks)
    raw = c_metrics()
    call("metrics_compute_routes", ctypes.byref(raw), graph._handle, alloc._handle,
         hosts.ctypes.data, ctypes.byref(c_metrics_how(_ROUTES[routes], loads.ctypes.data)))
    return Metrics._of(raw), loads
