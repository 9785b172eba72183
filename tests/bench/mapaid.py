#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""mapaid.py VERB WORD... - what stands between our files and those of the mappers that
we are compared with: Scotch's graphs, graphs of parts, and mappings made to fit."""
import math
import sys

sys.dont_write_bytecode = True  # beside sources that others build from
from mapgen import Rng, Wrong, number


def read_graph(path):
    """Peers of each task, with bytes, of a METIS file with weights of edges."""
    with open(path, encoding="ascii") as file:
        lines = [line.split() for line in file if not line.startswith("%")]
    return [[(int(line[i]) - 1, int(line[i + 1])) for i in range(0, len(line), 2)]
            for line in lines[1:1 + int(lines[0][0])]]


def lessened(graph):
    """Others count in 32 bits, so that weights lose their common divisor."""
    divisor = math.gcd(*(size for peers in graph for _, size in peers)) or 1
    return [[(peer, size // divisor) for peer, size in peers] for peers in graph]


def scotch(path, seed="0"):
    """As a Scotch graph file (user's guide, "Graph files"). Scotch draws the same
    random numbers each time; with a seed the tasks stand in a random order, each
    labelled with its number, which serves as well."""
    print_scotch(read_graph(path), number(seed))


def print_scotch(graph, seed=0):
    order, rng = [], Rng(seed, 0)
    for i in range(len(graph)):
        order.append(i)
        j = rng.below(i + 1) if seed else i
        order[i], order[j] = order[j], i
    graph = lessened(graph)
    print(f"0\n{len(graph)}\t{sum(map(len, graph))}\n0\t{'110' if seed else '010'}")
    for task in order:
        label = [task] if seed else []
        pairs = [part for peer, size in graph[task] for part in (size, peer)]
        print(*label, len(graph[task]), *pairs, sep="\t")


def metis(path):
    """The same file with such weights, for METIS counts so, too."""
    graph = lessened(read_graph(path))
    print(len(graph), sum(map(len, graph)) // 2, "001")
    for peers in graph:
        print(*(part for peer, size in peers for part in (peer + 1, size)))


def read_parts(path, n):
    """What a mapper or a partitioner says of n tasks or parts: "a b" of a Scotch
    mapping puts a in part b, "b" of a METIS partition the next; Scotch's list begins
    with the count."""
    part = {}
    with open(path, encoding="ascii") as file:
        lines = [[number(word) for word in line.split()[:2]] for line in file]
    for line in lines[1 if lines and lines[0] == [n] else 0:]:
        a, b = line if len(line) == 2 else (len(part), *line)
        if a >= n or a in part:
            raise Wrong(f"{path}: {a}: not of the {n} there are")
        part[a] = b
    if len(part) != n:
        raise Wrong(f"{path}: {len(part)} entries, not {n}")
    return [part[i] for i in range(n)]


def quotient(path, parts, nparts):
    """The graph of the parts, as a Scotch graph."""
    graph = read_graph(path)
    part, made = read_parts(parts, len(graph)), [{} for _ in range(number(nparts))]
    for task, peers in enumerate(graph):
        for peer, size in peers:
            a, b = part[task], part[peer]
            if a != b:
                made[a][b] = made[a].get(b, 0) + size
    print_scotch([sorted(peers.items()) for peers in made])


class Network:
    """A torus, mesh or tree, of which all hosts are taken or those of a file."""

    def __init__(self, spec, hosts):
        self.kind, _, sizes = spec.partition(":")
        if self.kind not in ("torus", "mesh", "tree"):
            raise Wrong(f"{spec}: Scotch has no such")
        self.sizes = [number(size, 1) for size in sizes.split("," if self.kind == "tree" else "x")]
        self.host, self.is_whole = range(math.prod(self.sizes)), hosts == "-"
        if not self.is_whole:
            with open(hosts, encoding="ascii") as file:
                self.host = [self.number_of(line.split()) for line in file]
        self.rows = {}

    def number_of(self, name):
        """The number of a host, or the coordinates of one of a torus."""
        if len(name) != len(self.sizes):
            return number(name[0] if len(name) == 1 else " ".join(name), 0, math.prod(self.sizes) - 1)
        host = 0
        for size, at in zip(reversed(self.sizes), reversed(name)):
            host = host * size + number(at, 0, size - 1)
        return host

    def distance(self, a, b):
        if self.kind == "tree":
            for level, size in enumerate(reversed(self.sizes)):
                if a == b:
                    return 2 * level
                a, b = a // size, b // size
            return 2 * len(self.sizes) if a == b else math.inf
        hops = 0
        for size in self.sizes:
            along = abs(a % size - b % size)
            hops += min(along, size - along) if self.kind == "torus" else along
            a, b = a // size, b // size
        return hops

    def row(self, i):
        """From a host that is taken to each."""
        if i not in self.rows:
            self.rows[i] = [self.distance(self.host[i], to) for to in self.host]
        return self.rows[i]


def target(spec, hosts):
    """A Scotch architecture. Terminals of its tori are numbered as hosts are. A tree
    costs 2 a level, since Scotch adds the links of one side and a route has those of
    both. Some hosts of a torus are a `sub` of it."""
    network = Network(spec, hosts)
    n = len(network.sizes)
    if not network.is_whole:
        print("sub")
        print(len(network.host), *network.host, sep="\t")
    if network.kind == "tree":
        print("tleaf", n, *(f"{size} 2" for size in network.sizes))
    else:
        print(network.kind + (f"{n}D" if n in (2, 3) else f"XD {n}"), *network.sizes)


def repair(graph, network, host, slots):
    """Tasks of overfull hosts, by host, go where there is room: each time the task and
    the host that add the fewest hop-bytes."""
    on = [[] for _ in network.host]
    for task, h in enumerate(host):
        on[h].append(task)
    for h, tasks in enumerate(on):
        while len(tasks) > slots[h]:
            best = None
            for task in sorted(tasks):
                added = [0] * len(on)
                for peer, size in graph[task]:
                    row = network.row(host[peer])
                    added = [cost + size * (hops - row[h]) for cost, hops in zip(added, row)]
                cost, to = min((added[g], g) for g in range(len(on)) if len(on[g]) < slots[g])
                if best is None or cost < best[0]:
                    best = cost, task, to
            _, task, to = best
            host[task] = to
            tasks.remove(task)
            on[to].append(task)


def fit(path, spec, hosts, slots, parts, places=None):
    """A mapping of ours from theirs: PARTS is the host of every task, or its part,
    whose host PLACES has. SLOTS is one number, or one of each host, with commas."""
    graph, network = read_graph(path), Network(spec, hosts)
    host, n = read_parts(parts, len(graph)), len(network.host)
    if places:
        place = read_parts(places, n)
        host = [place[h] if h < n else h for h in host]
    if max(host) >= n:
        raise Wrong(f"{parts}: a host beyond {n}")
    slots = [number(each, 1) for each in slots.split(",")]
    slots *= n if len(slots) == 1 else 1
    if len(slots) != n or len(graph) > sum(slots):
        raise Wrong("more tasks than slots")
    repair(graph, network, host, slots)
    used = [0] * n
    for h in host:
        print(h, used[h])
        used[h] += 1


VERBS = {
    "scotch": (scotch, "GRAPH [SEED]"),
    "metis": (metis, "GRAPH"),
    "target": (target, "SPEC HOSTS|-"),
    "quotient": (quotient, "GRAPH PARTS NPARTS"),
    "fit": (fit, "GRAPH SPEC HOSTS|- SLOTS PARTS [PLACES]"),
}


def main(words):
    verb, arguments = VERBS.get(words[0] if words else "", (None, ""))
    most = len(arguments.split())
    if not verb or not most - arguments.count("[") <= len(words) - 1 <= most:
        for name, (_, arguments) in VERBS.items():
            print(f"usage: mapaid.py {name} {arguments}", file=sys.stderr)
        return 2
    try:
        verb(*words[1:])
    except (Wrong, OSError) as error:
        print(f"mapaid: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
