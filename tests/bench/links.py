#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""links.py - the slowest link that `topomap map --choose time` comes to on small random
instances, over what plain annealing (anneal.c) comes to in the same CPU seconds; both
judged by `topomap eval`. Prints, judges nothing.

  BENCH_ROWS     instances, default 200
  BENCH_SEED     where they are drawn from, default 1
  BENCH_TASKS    the fewest and the most tasks, default "6 64"
  BENCH_TIME     seconds that topomap is given, default 0.5
  BENCH_LEAST    CPU seconds that annealing is given at least, default 0.005
  BENCH_VERBOSE  yes: each row, not those alone that are more than 1% behind
"""
import json
import math
import os
import resource
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True  # beside sources that others build from
from mapgen import Rng

TOPOMAP, ANNEAL = os.environ["STAGE_TOPOMAP"], os.environ["ANNEAL"]
FEWEST, MOST = map(int, os.environ.get("BENCH_TASKS", "6 64").split())


def hyperx(sides, hosts):
    """Switches of a grid, each with all others of its rows; as a list of links."""
    n = math.prod(sides)
    lines = ["links", f"switch s[0-{n - 1}]", f"host n[0-{n * hosts - 1}]"]
    for s in range(n):
        stride = 1
        for side in sides:
            x = s // stride % side
            lines += [f"link s{s} s{s + (y - x) * stride} 1" for y in range(x + 1, side)]
            stride *= side
        lines += [f"link n{s * hosts + h} s{s} 2" for h in range(hosts)]
    return "\n".join(lines) + "\n", n * hosts


# Name, words or a file, hosts.
NETWORKS = [(word, word, math.prod(map(int, word.split(":")[1].replace("x", ",").split(",")))) for word in (
    "torus:3x3x3", "torus:4x4", "torus:4x4x4", "torus:8x4", "torus:2x2x2x2x2", "torus:5x4x3", "mesh:6x4",
    "tree:4,4", "tree:4,4,4", "tree:3,5", "tree:2,4,8")] + [
    ("tree:4,4,4:capacity=16,4,1", "tree:4,4,4:capacity=16,4,1", 64),
    ("tree:8,4:capacity=2,1", "tree:8,4:capacity=2,1", 32),
    ("dragonfly:5,2,2", "dragonfly:5,2,2", 20), ("dragonfly:9,4,2", "dragonfly:9,4,2", 72),
    ("hyperx 4x4", *hyperx((4, 4), 2)), ("hyperx 3x3x3", *hyperx((3, 3, 3), 1))]


def draw_graph(rng, n):
    """Edges of n tasks, and what they are called."""
    kind = ("random", "grid", "power", "ring")[rng.below(4)]
    edges = set()
    if kind == "random":
        for a in range(n):
            edges |= {(a, rng.below(n)) for _ in range(2)}
    elif kind == "grid":
        side = max(2, round(math.sqrt(n)))
        edges = {(a, a + 1) for a in range(n - 1) if (a + 1) % side} | {(a, a + side) for a in range(n - side)}
    elif kind == "power":
        for a in range(1, n):
            edges |= {(a, min(rng.below(a), rng.below(a))) for _ in range(2)}
    else:
        edges = {(a, (a + d) % n) for a in range(n) for d in (1, 1 + n // 3)}
    name = list(range(n))
    for i in range(n - 1, 0, -1):
        j = rng.below(i + 1)
        name[i], name[j] = name[j], name[i]
    weighted = rng.below(2) == 1
    pairs = {tuple(sorted((name[a], name[b]))) for a, b in edges if a != b}
    return kind + (" weighted" if weighted else ""), \
        [(a, b, 2 * (1 + rng.below(500) if weighted else 100)) for a, b in sorted(pairs)]


def draw(seed, row):
    """Network, hosts, slots and graph of a row."""
    rng = Rng(seed, 0x200, row)
    while True:
        label, spec, total = NETWORKS[rng.below(len(NETWORKS))]
        slots = (1, 1, 2, 4)[rng.below(4)]
        nhosts = 2 + rng.below(min(total, MOST // slots) - 1)
        if rng.below(3) == 0:
            nhosts = min(total, MOST // slots)
        n = nhosts * slots - (rng.below(slots) if slots > 1 else 0)
        if n >= FEWEST:
            break
    hosts = list(range(total))
    fragmented = rng.below(2) == 1
    if fragmented:
        for i in range(total - 1, 0, -1):
            j = rng.below(i + 1)
            hosts[i], hosts[j] = hosts[j], hosts[i]
    kind, edges = draw_graph(rng, n)
    what = f"{label}, {nhosts} nodes of {slots}{' apart' if fragmented else ''}, {n} tasks, {kind}"
    return what, spec, sorted(hosts[:nhosts]), slots, n, edges


def cpu():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def run(work, row, seed, seconds, least):
    what, spec, hosts, slots, n, edges = draw(seed, row)
    path = {name: os.path.join(work, name) for name in ("graph", "net", "nodes", "ours", "theirs")}
    name = ""
    degree = [[] for _ in range(n)]
    for a, b, size in edges:
        degree[a].append(f"{b + 1} {size}")
        degree[b].append(f"{a + 1} {size}")
    with open(path["graph"], "w", encoding="ascii") as file:
        file.write(f"{n} {len(edges)} 001\n" + "".join(" ".join(peers) + "\n" for peers in degree))
    if spec.startswith("links"):
        with open(path["net"], "w", encoding="ascii") as file:
            file.write(spec)
        spec, name = path["net"], "n"
    with open(path["nodes"], "w", encoding="ascii") as file:
        file.write("".join(f"{name}{h}\n" for h in hosts))
    common = ["--topology", spec, "--tasks-per-node", str(slots), "--nodefile", path["nodes"]]
    before = cpu()
    subprocess.run([TOPOMAP, "map", path["graph"], *common, "--choose", "time", "--threads", "1", "--time", str(seconds),
                    "-o", path["ours"]], check=True, stdout=subprocess.DEVNULL)
    took = cpu() - before
    with open(path["theirs"], "w", encoding="ascii") as file:
        subprocess.run([ANNEAL, path["graph"], spec, str(slots), ",".join(map(str, hosts)),
                        str(max(took, least)), str(row + 1)], check=True, stdout=file)
    table = subprocess.run([TOPOMAP, "eval", path["graph"], *common, "--json", path["ours"], path["theirs"], "block"],
                           check=True, capture_output=True, text=True).stdout
    found = [mapping["max_link_time"] for mapping in json.loads(table)["mappings"]]
    return what, found, took


def main():
    rows, seed = int(os.environ.get("BENCH_ROWS", "200")), int(os.environ.get("BENCH_SEED", "1"))
    seconds, least = float(os.environ.get("BENCH_TIME", "0.5")), float(os.environ.get("BENCH_LEAST", "0.005"))
    verbose = os.environ.get("BENCH_VERBOSE") == "yes"
    ratios, blocks, behind, used = [], [], 0, 0.0
    with tempfile.TemporaryDirectory(prefix="bench-links-") as work:
        for row in range(rows):
            what, (ours, theirs, block), took = run(work, row, seed, seconds, least)
            used += took
            ratio = ours / theirs if theirs > 0 else 1.0 if ours == 0 else math.inf
            if block > 0 and ours > 0:
                blocks.append(ours / block)
            if math.isfinite(ratio) and ratio > 0:
                ratios.append(ratio)
            behind += ratio > 1 + 1e-9
            if verbose or ratio > 1.01:
                print(f"{row:4} {ratio:7.3f} {took:6.3f} s  {what}", flush=True)
    mean = lambda list: math.exp(sum(map(math.log, list)) / max(1, len(list)))
    print(f"{rows} rows, seed {seed}, {used / rows:.3f} CPU seconds each: over plain annealing {mean(ratios):.3f} "
          f"(worst {max(ratios):.3f}, best {min(ratios):.3f}), {behind} behind it, "
          f"{sum(r > 1.01 for r in ratios)} by more than 1%; over the block layout {mean(blocks):.3f}")


if __name__ == "__main__":
    main()
