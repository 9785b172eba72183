# SPDX-License-Identifier: LGPL-2.1-or-later
"""rows.py - what is simulated: programs on nodes of networks. The fixed rows are
always the same; drawn ones follow from a seed, and nothing has been tuned on
those of a new one."""
import dataclasses
import math
import random


@dataclasses.dataclass
class Row:
    """A program on the nodes of a job, and what of the machine topomap is given."""

    name: str
    program: str
    grid: list  # its product is the number of ranks
    share: int  # per cent of the time that are communication under Slurm's layout
    told: str  # the network, as the site file has it: a word of mapcore-topology(5)
    built: str  # the same as it is built: a word, or lines of a list of links
    hosts: int
    nic: float  # bytes per second; 0: no limit but links
    memory: float
    order: list  # the hosts of the job's nodes, in Slurm's order
    tasks: list  # ranks on each of them

    @property
    def ranks(self):
        return math.prod(self.grid)

    @property
    def tasks_per_node(self):
        return ",".join(map(str, self.tasks))

    @property
    def block(self):
        """The place in the job of every rank as Slurm lays them out."""
        return [place for place, n in enumerate(self.tasks) for _ in range(n)]

    @property
    def cyclic(self):
        return [place for lap in range(max(self.tasks)) for place, n in enumerate(self.tasks) if lap < n]


@dataclasses.dataclass
class Pair:
    """Two jobs that run on one network at the same time."""

    name: str
    jobs: list


def links(hosts, switches, cables):
    """Lines of a list of links; a cable is (end, end, bytes per second)."""
    lines = ["links", *(f"switch {name}" for name in switches), f"host n[0-{hosts - 1}]"]
    return "\n".join(lines + [f"link {a} {b} {rate:g}" for a, b, rate in cables])


def clos(hosts, leaf, spines, rate):
    """A fat tree of two levels as it is built: cables all alike, D-mod-k routes."""
    leaves = range(hosts // leaf)
    cables = [(f"n{host}", f"leaf{host // leaf}", rate) for host in range(hosts)]
    cables += [(f"leaf{i}", f"spine{j}", rate) for i in leaves for j in range(spines)]
    return links(hosts, [f"leaf[0-{leaves[-1]}]", f"spine[0-{spines - 1}]"], cables)


def clos3(pods, leaves, leaf, spines, cores, rate):
    """Three levels: `spines` in each pod, of which each has `cores` of its own above."""
    hosts = pods * leaves * leaf
    cables = [(f"n{host}", f"leaf{host // leaf}", rate) for host in range(hosts)]
    cables += [(f"leaf{i}", f"spine{i // leaves * spines + j}", rate)
               for i in range(pods * leaves) for j in range(spines)]
    cables += [(f"spine{p * spines + j}", f"core{j * cores + c}", rate)
               for p in range(pods) for j in range(spines) for c in range(cores)]
    return links(hosts, [f"leaf[0-{pods * leaves - 1}]", f"spine[0-{pods * spines - 1}]",
                         f"core[0-{spines * cores - 1}]"], cables)


def hyperx(x, y, each, rate, host_rate):
    """Switches in a grid, each joined to all others of its row and of its column."""
    cables = [(f"n{host}", f"s{host // each}", host_rate) for host in range(x * y * each)]
    for a in range(x * y):
        for b in range(a):
            if a % x == b % x or a // x == b // x:
                cables.append((f"s{a}", f"s{b}", rate))
    return links(x * y * each, [f"s[0-{x * y - 1}]"], cables)


def jellyfish(rng, switches, degree, each, rate):
    """A random regular graph of switches (Singla, Hong, Popa, Godfrey, NSDI 2012)."""
    while True:
        ends = [s for s in range(switches) for _ in range(degree)]
        rng.shuffle(ends)
        pairs = {tuple(sorted(ends[i:i + 2])) for i in range(0, len(ends), 2)}
        reached, more = {0}, [0]
        while more:
            here = more.pop()
            for pair in pairs:
                if here in pair and not reached >= set(pair):
                    more += set(pair) - reached
                    reached |= set(pair)
        # Few draws have neither a loop nor two cables alike: some cables are fewer.
        if len(reached) == switches:
            break
    cables = [(f"n{host}", f"s{host // each}", rate) for host in range(switches * each)]
    cables += [(f"s{a}", f"s{b}", rate) for a, b in sorted(pairs) if a != b]
    return links(switches * each, [f"s[0-{switches - 1}]"], cables)


# The fixed rows: grids, and communication's share of the time on gemini, bluegene,
# fattree, dragonfly. MILC, pF3D and WRF: their papers' (on BlueGene/Q 20 to 27% of
# MILC); the others: what the papers' gains imply, or assumed (qbox, fem).
PROGRAMS = [("milc", [4, 4, 4, 4], (65, 24, 41, 41)), ("milc", [4, 4, 5, 3], (65, 24, 41, 41)),
            ("wrf", [16, 16], (40, 40, 40, 40)), ("wrf", [16, 15], (40, 40, 40, 40)),
            ("s3d", [8, 8, 4], (45, 45, 45, 45)), ("pf3d", [8, 8, 4], (27, 27, 27, 27)),
            ("qbox", [16, 16], (50, 50, 40, 40)), ("ccd", [16, 16], (40, 40, 40, 40)),
            ("fem", [8, 8, 4], (40, 40, 40, 40))]
# What topomap is given, what is built, hosts, rates of interfaces and memories; those
# of a fragmented job, which is one of a larger network, and of the others.
GEMINI = ("torus:8x8x4:capacity=4.7e9x2.35e9x4.7e9",) * 2 + (256, 6e9, 12e9)
DRAGONFLY = ("dragonfly:9,8,4:global=1:capacity=10e9,5e9,5e9",) * 2 + (288, 0, 12e9)
NETWORKS = {
    "gemini": (GEMINI, GEMINI),
    "bluegene": (("torus:6x6x6:capacity=1.8e9",) * 2 + (216, 18e9, 12e9),
                 ("torus:4x4x4:capacity=1.8e9",) * 2 + (64, 18e9, 12e9)),
    "fattree": (("tree:16,8:capacity=12.8e9,3.2e9", clos(128, 8, 4, 3.2e9), 128, 0, 12e9),
                ("tree:8,8:capacity=12.8e9,3.2e9", clos(64, 8, 4, 3.2e9), 64, 0, 12e9)),
    "dragonfly": (DRAGONFLY, DRAGONFLY),
}


def lehmer(n, of, seed):
    """That number of different numbers below `of`, in random order."""
    at = list(range(of))
    for i in range(n):
        seed = seed * 16807 % 2147483647
        j = i + seed % (of - i)
        at[i], at[j] = at[j], at[i]
    return at[:n]


def fixed_order(how, nodes, hosts):
    if how == "fragmented":
        return sorted(lehmer(nodes, hosts, 20261))
    return lehmer(nodes, nodes, 20262) if how == "shuffled" else list(range(nodes))


def fixed():
    """Fragmented orders first: their layout's time says how much a program computes."""
    for how in ("fragmented", "aligned", "shuffled"):
        for kind, (name, networks) in enumerate(NETWORKS.items()):
            network = networks[how != "fragmented"]
            for program, grid, shares in PROGRAMS:
                ranks = math.prod(grid)
                # Grids that are no powers of two: fragments.
                if ranks == 256 or how == "fragmented":
                    yield Row(f"{program}{ranks}-{name}-{how}", program, grid, shares[kind], *network,
                              fixed_order(how, ranks // 4, network[2]), [4] * (ranks // 4))


# Of drawn rows: grids by the number of ranks, how patterns.c has their dimensions.
DIMS = {"milc": 4, "wrf": 2, "s3d": 3, "pf3d": 3, "qbox": 2, "ccd": 2, "fem": 3, "amg": 3, "fft": 2, "sweep": 2,
        "hubs": 2, "hab": 3, "llm": 3}


def draw_grid(rng, dims, least, most):
    """That number of ranks, in any shape that is not flat."""
    while True:
        grid = [rng.choice((2, 3, 4, 5, 6, 8, 10, 12, 16, 24, 32)) for _ in range(dims)]
        if least <= math.prod(grid) <= most and (dims > 2 or min(grid) > 3):
            return grid


def draw_network(rng, nodes):
    """A kind of network that has some more hosts than the job needs."""
    kind = rng.choice(("torus", "gemini", "torus5", "fattree", "tapered", "cables", "dragonfly", "hyperx", "random"))
    most = nodes * rng.choice((1.3, 2, 3))
    if kind in ("torus", "gemini", "torus5"):
        dims = [4, 4, 2, 2, 2] if kind == "torus5" else [3, 3, 3]
        while math.prod(dims) < most:
            dims[rng.randrange(len(dims) if kind != "torus5" else 4)] += 2 if kind == "torus5" else 1
        rate = "4.7e9x2.35e9x4.7e9" if kind == "gemini" else "1.8e9"
        word = f"torus:{'x'.join(map(str, dims))}:capacity={rate}"
        return kind, (word, word, math.prod(dims), 6e9 if kind == "gemini" else 18e9, 12e9)
    if kind == "fattree":
        leaves, spines = max(4, math.ceil(most / 8)), rng.choice((2, 4, 8))
        word = f"tree:{leaves},8:capacity={3.2e9 * spines:g},3.2e9"
        return kind, (word, clos(8 * leaves, 8, spines, 3.2e9), 8 * leaves, 0, 12e9)
    if kind in ("tapered", "cables"):
        pods, leaves, cores = max(2, math.ceil(most / 32)), 4, rng.choice((1, 2))
        lines = clos3(pods, leaves, 8, 4, cores, 3.2e9)
        word = f"tree:{pods},{leaves},8:capacity={4 * cores * 3.2e9:g},{4 * 3.2e9:g},3.2e9"
        return kind, (lines if kind == "cables" else word, lines, 32 * pods, 0, 12e9)
    if kind == "dragonfly":
        groups, ways = max(5, math.ceil(most / 16)), rng.choice((1, 2))
        while 4 * ways * 2 < groups - 1:
            ways += 1
        word = f"dragonfly:{groups},8,2:global={ways}:capacity=10e9,5e9,5e9"
        return kind, (word, word, 16 * groups, 0, 12e9)
    if kind == "hyperx":
        x = max(3, math.ceil(math.sqrt(most / 4)))
        lines = hyperx(x, x, 4, 5e9, 10e9)
        return kind, (lines, lines, 4 * x * x, 0, 12e9)
    switches = max(8, math.ceil(most / 4))
    lines = jellyfish(rng, switches, 6, 4, 5e9)
    return kind, (lines, lines, 4 * switches, 0, 12e9)


def draw_order(rng, nodes, hosts):
    """As schedulers leave them: in one piece, strewn, in runs with gaps; not sorted."""
    how = rng.choice(("whole", "strewn", "runs", "runs", "unsorted"))
    if how == "whole":
        first = rng.randrange(hosts - nodes + 1)
        return how, list(range(first, first + nodes))
    if how == "strewn":
        return how, sorted(rng.sample(range(hosts), nodes))
    order, at = [], 0
    while len(order) < nodes:
        left = hosts - at - (nodes - len(order))
        at += rng.randint(0, min(left, 6))
        run = min(rng.randint(1, 12), nodes - len(order))
        order += range(at, at + run)
        at += run
    if how == "unsorted":
        rng.shuffle(order)
    return how, order


def draw_tasks(rng, ranks):
    """Ranks on each node, as even as can be; in one job of five with nodes to spare."""
    most = rng.choice((2, 4, 4, 6, 8))
    nodes = math.ceil(ranks / most)
    if rng.random() < 0.2:
        nodes = math.ceil(nodes * 1.15)
    return [ranks // nodes + (i < ranks % nodes) for i in range(nodes)]


def draw_program(rng, least=64, most=256):
    program = rng.choice(sorted(DIMS))
    grid = draw_grid(rng, DIMS[program], least, most)
    return program, grid, draw_tasks(rng, math.prod(grid))


def drawn(n, seed, *ranks):
    for i in range(n):
        rng = random.Random(f"{seed} {i}")
        program, grid, tasks = draw_program(rng, *ranks)
        kind, network = draw_network(rng, len(tasks))
        how, order = draw_order(rng, len(tasks), network[2])
        yield Row(f"{program}{math.prod(grid)}-{kind}-{how}-{seed}.{i}", program, grid, 40, *network, order, tasks)


def deal(rng, order, nodes):
    """The order's nodes by turns of one to four to two jobs of that number of nodes."""
    jobs = [[], []]
    while order:
        for job, most in zip(jobs, nodes):
            run = min(rng.randint(1, 4), most - len(job))
            job += order[:run]
            order = order[run:]
    return jobs


def pairs(n, seed):
    """Of up to 128 ranks each."""
    for i in range(n):
        rng = random.Random(f"pair {seed} {i}")
        programs = [draw_program(rng, 64, 128) for _ in range(2)]
        nodes = [len(tasks) for _, _, tasks in programs]
        kind, network = draw_network(rng, sum(nodes))
        how, order = draw_order(rng, sum(nodes), network[2])
        name = "+".join(f"{program}{math.prod(grid)}" for program, grid, _ in programs)
        yield Pair(f"{name}-{kind}-{how}-{seed}.{i}",
                   [Row(program, program, grid, 40, *network, hosts, tasks)
                    for (program, grid, tasks), hosts in zip(programs, deal(rng, order, nodes))])


def as_graph(lines, hosts):
    """A list of links as a Scotch graph, whose first vertices are these hosts, and
    they as a list of Scotch's."""
    joined = {f"n{host}": [] for host in hosts}
    for line in lines.splitlines():
        word, *ends = line.split()
        if word == "link":
            for a, b in (ends[:2], ends[1::-1]):
                joined.setdefault(a, []).append(b)
    number = {name: i for i, name in enumerate(joined)}
    text = [f"0\n{len(joined)}\t{sum(map(len, joined.values()))}\n0\t000"]
    text += [" ".join(map(str, [len(peers), *(number[peer] for peer in peers)])) for peers in joined.values()]
    return "\n".join(text) + "\n", "\n".join(map(str, [len(hosts), *range(len(hosts))])) + "\n"
