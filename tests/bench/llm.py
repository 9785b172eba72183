#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""llm.py - training jobs, one task a node of eight GPUs, on fragments of racks: how many
groups one rack holds, in Slurm's own order (by topology, as Slurm 26.05 sorts) and as
topomap plans with whole nodes, beside the most that can be; the busiest link and the
time of communication (topomap eval --play) as a share of those in Slurm's order; the
seconds to plan. Six rows that are always the same, and drawn ones. Run by make
bench-llm; judges nothing.

  BENCH_DRAWN  drawn rows, default 12: 32 to 1,024 nodes
  BENCH_SEED   of these; one that was not used before says most
  BENCH_PLAN   options of topomap plan, default '--time 1'"""
import json
import math
import os
import random
import re
import shlex
import subprocess
import sys
import tempfile
import time

TOPOMAP = os.environ["STAGE_TOPOMAP"]
PLAN = shlex.split(os.environ.get("BENCH_PLAN", "--time 1"))
FIXED = [(18, (14, 12, 10, 16, 12), pattern) for pattern in (
    "tp=1,pp=2,dp=128,ep=32", "tp=1,pp=4,dp=64,ep=32", "tp=1,pp=8,dp=32,ep=32",
    "tp=4,pp=2,dp=32,ep=8", "tp=4,pp=4,dp=16,ep=8", "tp=4,pp=1,dp=64,ep=32")]


def drawn(rng):
    """Racks, each with a part of its nodes, and a model that fills them."""
    nodes, size = rng.choice((32, 48, 64, 96, 128, 192, 256, 512, 1024)), rng.choice((8, 16, 18, 32))
    racks = []
    while sum(racks) < nodes:
        racks.append(min(rng.randint(size // 3, size), nodes - sum(racks)))
    tensor = rng.choice((2, 4, 8))
    rest = nodes * 8 // tensor
    stages = rng.choice([n for n in (1, 2, 4, 8, 16) if rest % n == 0])
    rest //= stages
    kind = rng.choice(("ep", "cp", ""))
    group = rng.choice([n for n in (4, 8, 16, 32, 64) if rest % n == 0 and n <= rest] or [1])
    if kind == "cp":
        return size, racks, f"tp={tensor},pp={stages},dp={rest // group},cp={group}"
    return size, racks, f"tp={tensor},pp={stages},dp={rest}" + (f",ep={group}" if kind == "ep" else "")


def run(*words):
    return subprocess.run([TOPOMAP, *words], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL, check=True,
                          universal_newlines=True).stdout


def shown(size, racks, pattern):
    nodes = sum(racks)
    network = "".join(f"SwitchName=r{i} Nodes=n[{i * size}-{(i + 1) * size - 1}]\n" for i in range(len(racks)))
    with open("network", "w", encoding="ascii") as out:
        out.write(network + f"SwitchName=top Switches=r[0-{len(racks) - 1}]\n")
    where = ["--topology", "network", "--tasks-per-node", "1", "--nodelist",
             ",".join(f"n[{i * size}-{i * size + n - 1}]" for i, n in enumerate(racks))]
    plan = ["plan", "--graph", f"llm:{pattern}", "--ntasks", str(nodes), *where, "--unit", "node", "--pin", "0", "--no-cache", *PLAN]
    began = time.monotonic()
    found = json.loads(run(*plan, "--json"))
    seconds = time.monotonic() - began
    groups = re.search(r"(\d+) of (\d+) [a-z ]*groups inside one switch(?: \((\d+) before, (\d+) at most\))?", found["reason"])
    link = found["max_link_bytes"] / found["baseline"]["max_link_bytes"]
    played = 1.0
    if found["outcome"] == "placed":
        with open("plan.mapping", "w", encoding="ascii") as out:
            out.write(run(*plan, "--to=hostfile"))
        rows = json.loads(run("eval", f"llm:{pattern}", "--ntasks", str(nodes), *where, "--play", "--json",
                              "block", "./plan.mapping"))["mappings"]
        before, after = (next(row[key] for key in row if key.startswith("time_")) for row in rows)
        played = after / before
    print("%5d %5d  %-28s %-12s %6.2f %6.2f %7.2f" % (
        nodes, len(racks), pattern, "-" if not groups else "%s/%s of %s" % (
            groups[3] or groups[1], groups[1], groups[4] or groups[2]), link, played, seconds), flush=True)
    return link, played


def main():
    rng = random.Random(int(os.environ.get("BENCH_SEED", "1")))
    rows = FIXED + [drawn(rng) for _ in range(int(os.environ.get("BENCH_DRAWN", "12")))]
    print("nodes racks  pattern (llm:)               before/found   link   time seconds\n"
          "                                         of most")
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        results = [shown(*row) for row in rows]
    print("geometric means: busiest link %.3f, time of communication %.3f" % tuple(
        math.exp(sum(map(math.log, column)) / len(column)) for column in zip(*results)))


sys.exit(main())
