# SPDX-License-Identifier: LGPL-2.1-or-later
"""Networks, and the hosts of a job in them."""

import ctypes
import os
from ctypes import c_uint32, c_void_p
from typing import Optional, Sequence, Union

import numpy as np

from ._library import call, library, path_bytes, string_of


class Topology:
    """A network of hosts 0 .. nhosts - 1: what mapcore-topology(5) describes, as a
    word or a file's path.

    >>> t = Topology("torus:4x4")
    >>> t
    <mapcore.Topology: torus 4x4>
    >>> t.nhosts, t.nlinks, t.distance(0, 5)
    (16, 64, 2)
    >>> t.link_name(0)
    '(0,0) +x'
    """

    def __init__(self, spec: Union[str, os.PathLike]) -> None:
        out = c_void_p()
        self._handle: Optional[int] = None
        call("topo_open", ctypes.byref(out), path_bytes(spec))
        self._handle = out.value

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and library is not None:
            library.mapcore_topo_destroy(self._handle)
            self._handle = None

    @property
    def nhosts(self) -> int:
        return library.mapcore_topo_nhosts(self._handle)

    @property
    def nlinks(self) -> int:
        """Links; on a torus one a direction, on a tree one a cable."""
        return library.mapcore_topo_nlinks(self._handle)

    @property
    def link_directions(self) -> int:
        """Directions that share one number of a link: link_loads() divided by it is
        what each direction carries."""
        return library.mapcore_topo_link_directions(self._handle)

    @property
    def diameter(self) -> int:
        """The longest route, in links, or a bound of it."""
        return library.mapcore_topo_diameter(self._handle)

    def _host(self, host: int) -> int:
        if not 0 <= host < self.nhosts:
            raise IndexError(f"host {host} of {self.nhosts}")
        return host

    def _link(self, link: int) -> int:
        if not 0 <= link < self.nlinks:
            raise IndexError(f"link {link} of {self.nlinks}")
        return link

    def host_name(self, host: int) -> Optional[str]:
        """None where hosts have no names."""
        name = library.mapcore_topo_host_name(self._handle, self._host(host))
        return None if name is None else name.decode(errors="replace")

    def host_place(self, host: int) -> str:
        """Coordinates, "(3,4,5)", or the switch that it is at."""
        return string_of(library.mapcore_topo_host_place, self._handle, self._host(host))

    def find_host(self, name: str) -> int:
        """By name, by coordinates ("3,4,5"), or by number where there are no names."""
        out = c_uint32()
        call("topo_find_host", ctypes.byref(out), self._handle, name.encode())
        return out.value

    def distance(self, a: int, b: int) -> int:
        """Links on a shortest way between two hosts."""
        return library.mapcore_topo_distance(self._handle, self._host(a), self._host(b))

    def distances(self) -> np.ndarray:
        """uint32[nhosts, nhosts], links.

        >>> Topology("ring:4").distances()[0]
        array([0, 1, 2, 1], dtype=uint32)
        """
        n, distance = self.nhosts, library.mapcore_topo_distance
        return np.array([[distance(self._handle, a, b) for b in range(n)] for a in range(n)],
                        dtype=np.uint32)

    def route(self, a: int, b: int) -> np.ndarray:
        """uint32[distance]: the links from a to b, in order. Of two equally long ways
        round a ring the positive one; loads count half each way."""
        links = np.empty(max(self.diameter, 1), dtype=np.uint32)
        n = library.mapcore_topo_route(self._handle, self._host(a), self._host(b),
                                       links.ctypes.data_as(ctypes.POINTER(c_uint32)))
        return links[:n].copy()

    def link_name(self, link: int) -> str:
        return string_of(library.mapcore_topo_link_name, self._handle, self._link(link))

    def link_capacities(self) -> np.ndarray:
        """float64[nlinks]: what a direction carries in a unit of time; bytes a second,
        or relative to others, as the description has it."""
        capacity = library.mapcore_topo_link_capacity
        return np.array([capacity(self._handle, link) for link in range(self.nlinks)])

    def __repr__(self) -> str:
        said = library.mapcore_topo_describe(self._handle).decode(errors="replace")
        return f"<mapcore.Topology: {said}>"


class Allocation:
    """The hosts of a job, in its order, and how many tasks (slots) each takes.

    slots: a number for all, one for each (uint32[nhosts]), or Slurm's "16(x3),8".
    hosts: numbers or names in the topology; None: all of it.

    >>> Allocation(Topology("ring:8"), slots=2, hosts=[0, 1, 4])
    <mapcore.Allocation: 3 hosts, 6 slots>
    """

    def __init__(self, topology: Topology, slots: Union[int, str, Sequence[int]] = 1,
                 hosts: Optional[Sequence[Union[int, str]]] = None) -> None:
        self._handle: Optional[int] = None
        self.topology = topology
        number = None
        if hosts is not None:
            number = np.array([topology.find_host(host) if isinstance(host, str)
                               else topology._host(int(host)) for host in hosts], dtype=np.uint32)
        self.nhosts = topology.nhosts if number is None else len(number)
        if isinstance(slots, str):
            self.slots = np.zeros(self.nhosts, dtype=np.uint32)
            call("slots_parse", self.slots.ctypes.data, self.nhosts, slots.encode())
        else:
            given = np.asarray(slots)
            if given.dtype.kind not in "iu" or given.ndim > 1:
                raise TypeError("slots: whole numbers are wanted")
            if given.size and (given.min() < 0 or given.max() > 2 ** 31):
                raise ValueError("slots: a number below 0 or above 2^31")
            if given.ndim == 1 and given.size != self.nhosts:
                raise ValueError(f"slots of {given.size} hosts, not {self.nhosts}")
            self.slots = np.broadcast_to(given, (self.nhosts,)).astype(np.uint32)
        self.hosts = np.arange(self.nhosts, dtype=np.uint32) if number is None else number
        out = c_void_p()
        call("alloc_create", ctypes.byref(out), topology._handle, self.nhosts,
             self.hosts.ctypes.data, self.slots.ctypes.data)
        self._handle = out.value

    def __del__(self) -> None:
        if getattr(self, "_handle", None) and library is not None:
            library.mapcore_alloc_destroy(self._handle)
            self._handle = None

    @property
    def nslots(self) -> int:
        return int(self.slots.sum(dtype=np.uint64))

    def __repr__(self) -> str:
        return f"<mapcore.Allocation: {self.nhosts} hosts, {self.nslots} slots>"


def allocation_of(where: Union[Topology, Allocation], slots) -> Allocation:
    """What search() and others take: an allocation, or a topology with slots."""
    if isinstance(where, Allocation):
        if slots is not None:
            raise TypeError("an Allocation has its slots: slots is for a Topology")
        return where
    return Allocation(where, 1 if slots is None else slots)
