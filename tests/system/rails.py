# SPDX-License-Identifier: LGPL-2.1-or-later
"""rails.py TOPOMAP: nodes with several network interfaces: what links carry and ranks
hop, by routes that are found here; searches, against all placements of few ranks; the
forms of a description, and what is refused."""
import itertools
import json
import random
import subprocess
import sys
from collections import Counter

from tap import finish, judge

topomap = sys.argv[1]


def run(*words):
    return subprocess.run([topomap, *map(str, words)], capture_output=True, text=True)


def write(name, text):
    with open(name, "w", encoding="ascii") as out:
        out.write(text)
    return name


def write_graph(edges):
    return write("graph.edges", "".join(f"{a} {b} {w}\n" for (a, b), w in edges.items()))


def drawn(rng, ntasks, nedges):
    """The last task is in one, so that a file of edges has all."""
    edges = {(0, ntasks - 1): 3}
    for _ in range(nedges):
        edges[tuple(sorted(rng.sample(range(ntasks), 2)))] = rng.randint(1, 99)
    return edges


def parts_of(rails, slots):
    return max(n for n in range(1, rails + 1) if rails % n == 0 and n <= slots)


def rail(slot, slots, parts):
    return slot * parts // slots


def name(of, r, rails, parts):
    each = rails // parts
    return of if parts == 1 else f"{of} rail {r}" if each == 1 else f"{of} rails {r * each}-{(r + 1) * each - 1}"


def route(a, b, rails, parts, leaf):
    """Links between two interfaces (node, rail) of a tree of leaf switches of `leaf`."""
    if a[0] == b[0]:
        return []
    ends = [(f"{name(f'host {n}', r, rails, parts)} - {name(f's{n // leaf + 1}', r, rails, parts)}",
             f"{name(f's{n // leaf + 1}', r, rails, parts)} - root") for n, r in (a, b)]
    same = a[0] // leaf == b[0] // leaf and a[1] == b[1]
    return [ends[0][0], ends[1][0]] + ([] if same else [ends[0][1], ends[1][1]])


def loads(edges, at, slots, rails, leaf):
    parts, carried, hops = parts_of(rails, slots), Counter(), 0
    for (a, b), w in edges.items():
        way = route(*[(at[t][0], rail(at[t][1], slots, parts)) for t in (a, b)], rails, parts, leaf)
        hops += w * len(way)
        for link in way:
            carried[link] += w
    return carried, hops / sum(edges.values())


rng = random.Random(29)
for slots, rails in ((4, 4), (6, 4), (3, 4), (2, 8), (1, 8), (5, 1)):
    edges = drawn(rng, 8 * slots, 30 * slots)
    places = [(n, s) for n in range(8) for s in range(slots)]
    rng.shuffle(places)
    write("mapping", "".join(f"{n} {s}\n" for n, s in places))
    where = ["--topology", f"tree:2,4:rails={rails}", "--tasks-per-node", slots]
    found = json.loads(run("eval", write_graph(edges), *where, "--links", "--ranks", "--json", "./mapping").stdout)
    row = found["mappings"][0]
    carried, hops = loads(edges, places, slots, rails, 4)
    judge(f"{rails} rails, {slots} slots: what each link carries", {link: float(w) for link, w in carried.items()},
          {link["link"]: float(link["bytes"]) for link in row["links"] if link["bytes"]})
    judge("hops per byte", round(hops, 9), round(row["hops_per_byte"], 9))
    judge("of each rank", round(2 * hops * sum(edges.values())), round(sum(r["hop_bytes"] for r in row["ranks"])))
    judge("the busiest", max(carried.values()), row["max_link_bytes"])
    judge("bytes that leave nodes", sum(w for (a, b), w in edges.items() if places[a][0] != places[b][0]),
          row["off_node_bytes"])
    # A node carries 1 in the unit of its links: an interface its part.
    parts, ends = parts_of(rails, slots), Counter()
    for (a, b), w in edges.items():
        for t in (a, b) if places[a][0] != places[b][0] else ():
            ends[places[t][0], rail(places[t][1], slots, parts)] += w / 2
    links = max((w / 2 * parts for link, w in carried.items()), default=0)
    timed = json.loads(run("eval", "graph.edges", *where, "--nic", 0.5, "--json", "./mapping").stdout)["mappings"][0]
    judge("interfaces of half of that", round(max(links, max(ends.values()) * parts / 0.5), 6),
          round(timed["time_bytes"] if "time_bytes" in timed else timed["time"], 6))
    played = json.loads(run("eval", "graph.edges", *where, "--play", "--json", "./mapping").stdout)["mappings"][0]
    judge("played, not before the busiest link is done", True,
          played.get("time_bytes", 0) >= max(w / 2 * parts for w in carried.values()) * (1 - 1e-9))
same = [run("eval", "graph.edges", "--topology", f"tree:2,4{rails}", "--tasks-per-node", 5, "--json", "block",
            "./mapping").stdout.split('"search_s"')[0] for rails in ("", ":rails=1")]
judge("one rail is none", same[0], same[1])

for seed in range(6):
    rng = random.Random(seed)
    edges = drawn(rng, 6, 8)
    best = min(loads(edges, at, 2, 2, 3)[1] for at in
               itertools.permutations([(n, s) for n in range(3) for s in range(2)]))
    found = run("map", write_graph(edges), "--topology", "tree:1,3:rails=2", "--tasks-per-node", 2, "--work", 60)
    at = [tuple(map(int, line.split())) for line in found.stdout.splitlines() if line[:1] != "#"]
    judge(f"the best of all placements, seed {seed}", round(best, 9), round(loads(edges, at, 2, 2, 3)[1], 9))
write_graph(drawn(rng, 12, 30))
where = ["--topology", "tree:1,3:rails=2", "--tasks-per-node", 4, "--work", 30]
lines = run("map", "graph.edges", *where, "--pin", "0-3@0").stdout.splitlines()
judge("pinned ranks are on their node", ["0"] * 4, [line.split()[0] for line in lines if line[0] != "#"][:4])
lines = [line.split() for line in run("map", "graph.edges", *where, "--unit", "node").stdout.splitlines() if line[0] != "#"]
judge("nodes that move keep their ranks in order", ["0", "1", "2", "3"] * 3, [slot for _, slot in lines])

words = ["--tasks-per-node", 4, "block", "--links", "--json"]
link = run("eval", "grid:4x6", "--topology", "tree:2,3:rails=4:capacity=2,4", *words).stdout.split('"links"')[1]
write("plain", "tree:2,3:capacity=2,4:rails=4\n")
write("links", run("topology", "links", "tree:2,3:rails=4:capacity=2,4").stdout)
write("topology.conf", "SwitchName=s1 Nodes=n[0-2]\nSwitchName=s2 Nodes=n[3-5]\nSwitchName=root Switches=s[1-2]\n")
write("tree.json", '{"format": 1, "topology": {"type": "tree", "arity": [2, 3], "capacity": [2, 4], "hosts": "n[0-5]", "rails": 4}}')
write("slurm.json", '{"format": 1, "topology": {"type": "slurm", "path": "topology.conf", "rails": 4}}')
for form in ("plain", "links", "tree.json", "slurm.json"):
    found = run("eval", "grid:4x6", "--topology", f"./{form}", *words).stdout.split('"links"')[1]
    for pair in (("host ", "x"), ("h", "x"), ("n", "x")) if form != "slurm.json" else ():
        found, link = found.replace(pair[0], pair[1]), link.replace(pair[0], pair[1])
    judge(f"the same from {form}", link.count("rail") if form == "slurm.json" else link,
          found.count("rail") if form == "slurm.json" else found)
judge("a picture has them", True, "host 1 rail 3 - s1 rail 3" in run(
    "draw", "network", "grid:4x8", "--topology", "tree:2,4:rails=4", "--tasks-per-node", 4, "--mapping", "block").stdout)
plan = json.loads(run("plan", "--graph", "grid:4x8", "--program", "/bin/true", "--topology", "tree:2,4:rails=4", "--nodelist",
                      "n[0-7]", "--ntasks", 32, "--tasks-per-node", 4, "--no-cache", "--time", 0.2, "--json").stdout)
judge("a plan names them", True, "rail" in json.dumps(plan))

for spec, said in (("tree:2,4:rails=0", "0 rails are not a number from 1 to 64"),
                   ("tree:2,4:rails=65", "65 rails are not a number from 1 to 64"),
                   ("tree:4:rails=2", "rails need switches above the leaf switches, without nodes: tree:1,16:rails=8"),
                   ("torus:4x4:rails=2", "is not of the form"), ("tree:2,4:rails=x", "is not of the form")):
    found = run("topology", "show", spec)
    judge(f"{spec} is refused", (1, True), (found.returncode, said in found.stderr))
write("slurm.json", '{"format": 1, "topology": {"type": "slurm", "path": "topology.conf", "rails": 99}}')
judge("a site file's by its line", True, "slurm.json:1: key topology: 99 rails are" in run("topology", "show", "./slurm.json").stderr)
judge("ports know none", True, "--model ports knows no rails" in run(
    "eval", "grid:4x8", "--topology", "tree:2,4:rails=4", "--tasks-per-node", 4, "--model", "ports").stderr)
finish()
