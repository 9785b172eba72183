# SPDX-License-Identifier: LGPL-2.1-or-later
"""Searches for mappings."""

import ctypes
import math
import threading
import time as clock
from ctypes import POINTER, c_uint32, c_void_p
from dataclasses import dataclass, field
from typing import Callable, List, Optional, Tuple, Union

import numpy as np

from ._graph import Graph
from ._library import (NONE, c_error, c_mapper, c_progress, c_result, c_search, c_stop, library)
from ._errors import Error
from ._mapping import Mapping, Metrics, evaluate, host_array
from ._topology import Allocation, Topology, allocation_of

_CHOICES = {"hop-bytes": 0, "pareto": 1, "time": 2, "auto": 3}


@dataclass(frozen=True)
class Result(Mapping):
    """What a search found: a Mapping (host, slot), and what is known of it."""

    metrics: Metrics
    baseline: Metrics  #: of the mapping that it is compared with
    candidate: str  #: the mapper, with its parameters, as search(mapper=) takes it
    is_refined: bool
    is_baseline: bool  #: nothing better was found
    interrupted: bool  #: time, work or Ctrl-C ended it before it was through
    work: int  #: units of work; search(work=) with the same seed repeats a search
    graph: Graph = field(repr=False)
    allocation: Allocation = field(repr=False)

    def link_loads(self, routes: str = "static") -> np.ndarray:
        """float64[nlinks]: bytes that each link carries, see evaluate()."""
        return evaluate(self.graph, self.allocation, self.host, routes=routes)[1]


def mappers() -> List[Tuple[str, str]]:
    """(name, what it is) of each mapper, mapcore-mappers(7).

    >>> [name for name, _ in mappers()][:2]
    ['default', 'block']
    """
    rows, row = [], c_mapper()
    while library.mapcore_mapper_get(ctypes.byref(row), len(rows)):
        rows.append((row.name.decode(), row.summary.decode()))
    return rows


def _u32_pointer(array: np.ndarray):
    return array.ctypes.data_as(POINTER(c_uint32))


class _Run:
    """A search on a thread of its own, while this one waits, tells and listens."""

    def __init__(self, function, arguments, options: c_search) -> None:
        self.stop = c_stop()
        self.error, self.result, self.status = c_error(), c_result(), 0
        self.told: Optional[Tuple[int, Metrics]] = None
        options.expired = ctypes.cast(library.mapcore_stop_expired, c_void_p)
        options.spent = ctypes.cast(library.mapcore_stop_spent, c_void_p)
        options.expired_arg = ctypes.addressof(self.stop)
        self._callback = c_progress(self._progress)
        self._call = lambda: function(ctypes.byref(self.result), *arguments,
                                      ctypes.byref(options), ctypes.byref(self.error))
        self.thread = threading.Thread(target=self._body, daemon=True)

    def _body(self) -> None:
        self.status = self._call()

    def _progress(self, _, work, best) -> None:
        if best:
            self.told = (int(work), Metrics._of(best.contents))

    def listen(self, options: c_search) -> None:
        options.progress = self._callback

    def wait(self, seconds: float, progress) -> None:
        begun, last = clock.monotonic(), None
        # Often enough that a short time is kept to, and seldom enough to cost nothing.
        step = min(0.02, seconds / 20)
        while self.thread.is_alive():
            self.thread.join(step)
            share = (clock.monotonic() - begun) / seconds if seconds < math.inf else 0.0
            self.stop.spent = min(share, 1.0)
            if share >= 1:
                self.stop.is_set = 1
            if progress and self.told is not None and self.told is not last:
                last = self.told
                progress(*last)

    def run(self, seconds: float, progress) -> None:
        """Ctrl-C ends the search, which gives its best by then; the second raises."""
        self.thread.start()
        try:
            try:
                self.wait(seconds, progress)
            except KeyboardInterrupt:
                self.stop.is_set = 1
                self.thread.join()
        except BaseException:
            # The thread writes to what is ours: it ends before anything else.
            self.stop.is_set = 1
            self.thread.join()
            if self.status >= 0:
                library.mapcore_result_clear(ctypes.byref(self.result))
            raise


def search(graph: Graph, where: Union[Topology, Allocation], slots=None, *,
           mapper: Optional[str] = None, refine: bool = False, time: Optional[float] = None,
           work: int = 0, seed: int = 1, threads: int = 1, choose: str = "hop-bytes",
           alpha: float = 1.05, baseline=None, unit: Union[int, str] = 1, pin=None,
           progress: Optional[Callable[[int, Metrics], None]] = None) -> Result:
    """Looks for a mapping of graph's tasks onto the hosts of where.

    where, slots: an Allocation, or a Topology with slots a host (1).
    mapper: None for the portfolio that a launch runs, or one of mappers(), "NAME" or
        "NAME:key=value,..."; refine then refines what it gives.
    time: seconds; None: 10, or as long as it takes where work is given.
    work: units of work at most; 0: no bound. Bounded by work alone a search gives the
        same mapping everywhere, on any number of threads.
    choose: "hop-bytes", "pareto" (with alpha), "time" (of the slowest link) or "auto".
    baseline: a Mapping or uint32[ntasks] to be better than; None: block().
    unit: tasks that stay together, in blocks of that number, or "node": all of a host.
    pin: int64[ntasks], the host that a task must be on, or -1.
    progress: called on this thread, with the units of work so far and the Metrics of the
        best mapping, whenever there is something new; what it raises ends the search.

    Ctrl-C ends the search and gives the best mapping by then (result.interrupted); a
    second one, while that is awaited, raises KeyboardInterrupt.

    >>> graph = Graph.pattern("grid:4x4:periodic")
    >>> found = search(graph, Topology("torus:2x2"), slots=4, work=30)
    >>> found.metrics.hops_per_byte
    0.5
    >>> search(graph, Topology("torus:2x2"), slots=4, mapper="block").candidate
    'block'
    """
    alloc = allocation_of(where, slots)
    if choose not in _CHOICES:
        raise ValueError(f"choose: '{choose}' is not one of {', '.join(_CHOICES)}")
    if time is not None and not time > 0:
        raise ValueError(f"time: {time} is no number of seconds")
    if threads < 1 or work < 0 or seed < 0:
        raise ValueError("threads, work and seed are at least 1, 0 and 0")
    seconds = time if time is not None else (math.inf if work else 10.0)
    options = c_search(choose=_CHOICES[choose], alpha=alpha, seed=seed, work=work, threads=threads)
    options.unit = NONE if unit == "node" else int(unit)
    keep = []  # what options points to
    if baseline is not None:
        keep.append(host_array(baseline, graph.ntasks, alloc.nhosts))
        options.baseline = _u32_pointer(keep[-1])
    if pin is not None:
        pins = np.asarray(pin)
        if pins.shape != (graph.ntasks,) or pins.dtype.kind not in "iu":
            raise TypeError(f"pin: one whole number for each of {graph.ntasks} tasks is wanted")
        if (pins >= alloc.nhosts).any():
            raise ValueError(f"pin: a host that is none of 0 to {alloc.nhosts - 1}")
        keep.append(np.where(pins < 0, NONE, pins).astype(np.uint32))
        options.pin = _u32_pointer(keep[-1])
    text = None if mapper is None else (mapper + "+refine" * refine).encode()
    run = _Run(library.mapcore_search_run, [graph._handle, alloc._handle, text], options)
    if progress:
        run.listen(options)
    run.run(seconds, progress)
    if run.status < 0:
        raise Error(run.status, run.error.text.decode(errors="replace"))
    try:
        raw = run.result
        mapping = Mapping._of(raw.mapping.contents)
        return Result(mapping.host, mapping.slot, Metrics._of(raw.metrics),
                      Metrics._of(raw.baseline), raw.candidate.decode(), raw.is_refined,
                      raw.is_baseline, raw.interrupted, raw.work, graph, alloc)
    finally:
        library.mapcore_result_clear(ctypes.byref(run.result))
