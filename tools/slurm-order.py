# SPDX-License-Identifier: LGPL-2.1-or-later
"""How Slurm itself lays out the ranks of a job: from 26.05 on node after node in the
order of its topology, not of the list.

slurm-order.py order PARTITION: stdin has a line "NODE TASKS" for each node of the job, in
the order of the list. topomap plan runs it where srun is not there to say. It writes the
layout (the RUNS of topomap's facts, in one line), or nothing where nodes follow the list.
The order is that of topology_p_get_rank() in the plugins of Slurm 26.05, and of
_task_layout_topo(), which -m block takes as well.
"""
import importlib
import os
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
network = importlib.import_module("network-readers")

PATIENCE = 10  # seconds, for each question to slurmctld
UNIT = 1 << 16  # ranks of one switch, block or ring


def scontrol(*words):
    try:
        done = subprocess.run(["scontrol", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=PATIENCE, check=True)
    except (OSError, subprocess.SubprocessError) as why:
        raise network.Error(f"{why}", "io") from None
    return done.stdout.decode("utf-8", "surrogateescape")


def is_by_topology():
    words = dict(line.split("=", 1) for line in scontrol("show", "config").splitlines() if "=" in line)
    words = {key.strip(): value for key, value in words.items()}
    return "CR_NO_DIST_TOPO_BLOCK" not in words.get("SelectTypeParameters", "")


def topology_of(partitions):
    """What all of a list have; None: the default one."""
    found = set()
    for line in scontrol("-a", "-o", "show", "partition").splitlines() if partitions else ():
        words = dict(word.split("=", 1) for word in line.split() if "=" in word)
        if words.get("PartitionName") in partitions.split(","):
            found.add(words.get("Topology"))
    return found.pop() if len(found) == 1 else None


def read_units(file):
    """Leaf switches, blocks or rings; tori."""
    for number, line in network.whole_lines(file):
        words = line.split()
        key, _, name = words[0].partition("=") if words else ("", "", "")
        kind = network.KINDS.get(key.lower(), "switch" if key == "SwitchName" else None)
        if kind in (None, "aggregated") or "PlacementDims=" in line or \
                (kind == "switch" and "Level=0" not in words):
            continue
        unit = network.Unit(kind, number, name)
        network.set_words(file, unit, words[1:])
        yield unit


def rank_ring(ring, used):
    """From where the part of the ring begins that the job has."""
    n, held, start = len(ring.nodes), [node in used for node in ring.nodes], 0
    if held and held[0] and held[-1] and not all(held):
        gap = held.index(False)
        start = next((p for p in range(gap + 1, n) if held[p]), 0)
    return {node: (p + n - start) % n for p, node in enumerate(ring.nodes)}


def rank_nodes(file, used):
    """Slurm's rank of each node; those that stand nowhere have 0. On a torus it is that
    of the list (26.05.5)."""
    ranks, units = {}, [unit for unit in read_units(file) if unit.kind not in ("torus", "region")]
    for i, unit in enumerate(units):
        inside = rank_ring(unit, used) if unit.kind == "ring" else dict.fromkeys(unit.nodes, 0)
        first = i + 1 if unit.kind == "switch" else i
        for node, rank in inside.items():
            ranks.setdefault(node, first * UNIT + rank)
    return ranks


def order(partitions, data):
    """The layout, where it is not that of the list."""
    rows = [line.split() for line in data.decode("utf-8", "surrogateescape").splitlines()]
    if not is_by_topology():
        return
    name = topology_of(partitions)
    text = scontrol("show", "topology", *([name] if name else []))
    ranks = rank_nodes(network.File("Slurm's topology", text.encode("utf-8", "surrogateescape")),
                       {node for node, _ in rows})
    by_rank = sorted(range(len(rows)), key=lambda i: ranks.get(rows[i][0], 0))
    if by_rank != list(range(len(rows))):
        yield ",".join(f"{i}*{rows[i][1]}" for i in by_rank if rows[i][1] != "0")


if __name__ == "__main__":
    network.answer("Slurm", lambda: order(sys.argv[2], sys.stdin.buffer.read()))
