# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python module beside what the command line says."""

import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import mapcore

RING = np.roll(np.eye(16, dtype=int), 1, axis=1) * 1000


def graph16():
    return mapcore.Graph.from_numpy(RING)


def test_arrays_of_many_types():
    for kind in ("int8", "uint16", ">i4", "int64", "uint64", ">f4", "float64", "bool"):
        matrix = np.array([[9, 1, 0], [1, 0, 0], [0, 0, 0]]).astype(kind)
        for order in (matrix, np.asfortranarray(matrix), matrix[::1, ::1].T):
            g = mapcore.Graph.from_numpy(order)
            assert (g.ntasks, g.nedges, g.bytes) == (3, 1, 2), kind
    assert mapcore.Graph.from_numpy(np.array([[0, 0.2], [0, 0]])).bytes == 1


@pytest.mark.parametrize("matrix", [
    np.arange(4), np.zeros((2, 3)), np.array([[0, -1], [0, 0]]),
    np.array([[0, np.nan], [0, 0]]), np.array([[0, np.inf], [0, 0]]),
    np.array([[0, 1e30], [0, 0]]), np.array([[0, 1j], [0, 0]]), np.array([["a"]]),
    np.zeros((0, 0)),
])
def test_what_is_no_matrix(matrix):
    with pytest.raises((ValueError, TypeError, OverflowError)):
        mapcore.Graph.from_numpy(matrix)


def test_edges():
    g = mapcore.Graph.from_edges([2, 0, 2], [0, 2, 2], [5.0, 6.0, 7.0], ntasks=4)
    a, b, weight = g.edges()
    assert (a.tolist(), b.tolist(), weight.tolist()) == ([0], [2], [11])
    assert weight.dtype == np.uint64
    assert g.neighbours(3)[0].size == 0
    for bad in ([-1], [2 ** 33], [0.5]):
        with pytest.raises((ValueError, TypeError)):
            mapcore.Graph.from_edges(bad, [0], [1])
    with pytest.raises(ValueError):
        mapcore.Graph.from_edges([0], [1, 2], [1])
    with pytest.raises(mapcore.Error, match="3"):
        mapcore.Graph.from_edges([0], [3], [1], ntasks=2)
    with pytest.raises(IndexError):
        g.neighbours(4)


def test_scipy():
    sparse = pytest.importorskip("scipy.sparse")
    g = mapcore.Graph.from_scipy(sparse.csr_matrix(RING))
    assert np.array_equal(g.to_numpy(), graph16().to_numpy())


def test_files(tmp_path):
    g = graph16()
    for form in ("metis", "scotch", "mtx", "edges", "dense", "npy"):
        path = tmp_path / form
        g.write(path, form)
        if form == "scotch":
            with pytest.raises(mapcore.Error, match="topomap convert"):
                mapcore.Graph.read(path)
            continue
        again = mapcore.Graph.read(path, form if form == "npy" else "any")
        assert np.array_equal(again.to_numpy(), g.to_numpy()), form
    matrix = np.load(tmp_path / "npy")
    assert np.array_equal(matrix + matrix.T, g.to_numpy())
    with pytest.raises(mapcore.Error, match="no graph format"):
        g.write(tmp_path / "x", "ipm")
    assert sorted(os.listdir(tmp_path)) == sorted(
        ["metis", "scotch", "mtx", "edges", "dense", "npy"])
    (tmp_path / "bad").write_text("0 x 5\n")
    with pytest.raises(mapcore.Error, match=r"bad:1: task 'x'") as raised:
        mapcore.Graph.read(tmp_path / "bad")
    assert raised.value.status == -2
    with pytest.raises(mapcore.Error, match="No such file"):
        mapcore.Graph.read(tmp_path / "none")


def test_topology():
    t = mapcore.Topology("torus:4x4")
    assert (t.nhosts, t.nlinks, t.diameter, t.link_directions) == (16, 64, 4, 1)
    assert t.distances().max() == 4 and (t.distances() == t.distances().T).all()
    assert len(t.route(0, 10)) == t.distance(0, 10)
    assert t.link_capacities().shape == (64,)
    unequal = mapcore.Topology("torus:4x4:capacity.y=8,1")
    assert repr(unequal) == "<mapcore.Topology: torus 4x4, capacity 1x(8,1)>"
    assert dict(zip(map(unequal.link_name, range(64)), unequal.link_capacities()))["(2,3) +y"] == 1
    assert sorted(unequal.link_capacities()) == [1.0] * 48 + [8.0] * 16
    assert t.find_host("1,0") == 1 and t.host_name(0) is None and t.host_place(1) == "(1,0)"
    for bad in (-1, 16):
        with pytest.raises(IndexError):
            t.distance(0, bad)
    with pytest.raises(mapcore.Error):
        mapcore.Topology("torus:4xx")


def test_allocations():
    t = mapcore.Topology("ring:4")
    assert mapcore.Allocation(t, "2(x3),1").slots.tolist() == [2, 2, 2, 1]
    assert mapcore.Allocation(t, [1, 0, 2], hosts=[3, 0, 1]).nslots == 3
    for bad in (dict(slots=-1), dict(slots=1.5), dict(slots=[1, 2]), dict(hosts=[0, 0]),
                dict(hosts=[4]), dict(slots="x"), dict(hosts=["nobody"])):
        with pytest.raises((ValueError, TypeError, IndexError)):
            mapcore.Allocation(t, **bad)


def test_search_and_loads():
    g, t = graph16(), mapcore.Topology("torus:2x4")
    found = mapcore.search(g, t, slots=2, work=40)
    assert found.host.dtype == np.uint32 and found.slot.max() == 1
    assert (np.bincount(found.host, minlength=8) == 2).all()
    assert found.metrics.hops_per_byte <= found.baseline.hops_per_byte
    loads = found.link_loads()
    assert loads.shape == (t.nlinks,) and loads.max() == found.metrics.max_link_bytes
    assert loads[found.metrics.max_link] == found.metrics.max_link_bytes
    metrics, again = mapcore.evaluate(g, t, found, slots=2)
    assert metrics == found.metrics and (again == loads).all()
    repeated = mapcore.search(g, t, slots=2, work=40, threads=2)
    assert (repeated.host == found.host).all()


def test_search_is_the_commands(tmp_path):
    topomap = os.environ.get("TOPOMAP")
    if not topomap:
        pytest.skip("no topomap")
    g = mapcore.Graph.pattern("grid:4x6:weights=1/5")
    g.write(tmp_path / "g")
    said = subprocess.run(
        [topomap, "map", tmp_path / "g", "--topology", "torus:3x4", "--tasks-per-node", "2",
         "--work", "30"], capture_output=True, text=True, check=True).stdout
    host = [int(line.split()[0]) for line in said.splitlines() if not line.startswith("#")]
    found = mapcore.search(g, mapcore.Topology("torus:3x4"), slots=2, work=30)
    assert found.host.tolist() == host


def test_pins_and_units():
    t = mapcore.Topology("ring:4")
    pin = np.full(16, -1)
    pin[5] = 3
    assert mapcore.search(graph16(), t, slots=4, work=20, pin=pin).host[5] == 3
    blocks = mapcore.search(graph16(), t, slots=4, work=20, unit=2).host
    assert (blocks[0::2] == blocks[1::2]).all()


@pytest.mark.parametrize("bad", [
    dict(choose="x"), dict(time=0), dict(time=-1), dict(mapper="nobody"), dict(seed=-1),
    dict(pin=[9] * 16), dict(pin=[0]), dict(baseline=[0] * 3), dict(baseline=[9] * 16),
    dict(slots=1), dict(unit=3), dict(threads=0), dict(time=float("nan")),
])
def test_bad_options(bad):
    with pytest.raises((ValueError, TypeError)):
        mapcore.search(graph16(), mapcore.Topology("ring:4"), **{"slots": 4, "work": 9, **bad})


def big():
    return mapcore.Graph.pattern("grid:32x64:periodic"), mapcore.Topology("tree:8,16")


def test_progress_and_its_exceptions():
    seen = []
    mapcore.search(*big(), slots=16, work=12, progress=lambda work, best: seen.append((work, best)))
    assert seen and isinstance(seen[-1][1], mapcore.Metrics)

    def fails(work, best):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        mapcore.search(*big(), slots=16, time=600, progress=fails)


def test_ctrl_c_keeps_the_best():
    """Once the search reports progress, and never after a time limit."""
    sent = []

    def interrupt(work, best):
        if not sent:
            sent.append(work)
            os.kill(os.getpid(), signal.SIGINT)

    # Nothing regular, so that no mapper is through before.
    random = np.random.default_rng(1)
    graph = mapcore.Graph.from_edges(*random.integers(0, 2048, (2, 16384)), random.integers(1, 1000, 16384), ntasks=2048)
    # What is started in the background by a shell ignores Ctrl-C, and so does its Python.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        found = mapcore.search(graph, mapcore.Topology("tree:8,16"), slots=16, time=600, progress=interrupt)
    finally:
        signal.signal(signal.SIGINT, before)
    assert sent and found.interrupted and found.host.shape == (2048,)
    assert threading.active_count() == 1


def test_a_library_that_is_not_there():
    said = subprocess.run([sys.executable, "-c", "import mapcore"], capture_output=True, text=True,
                          env={**os.environ, "MAPCORE_LIBRARY": "/nowhere/lib.so"})
    assert said.returncode != 0 and "no libmapcore.so that fits" in said.stderr
