#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""mapgen.py KIND WORD... - makes the task graphs and allocations that the mapping
benches run on: the same bytes on every machine, for only integers and seeded streams
of random numbers go into them."""
import itertools
import sys

MAX_DIMS, MAX_SIZE = 8, 1 << 24
MASK = (1 << 64) - 1
# What a stream of random numbers is for.
POINTS, SCRAMBLE, WEIGHTS, WIRES, HUBS, HOSTS = range(1, 7)
SQUARE, CORNERS, BANDS, SPOKES, NOISE, SHORTCUTS = range(0x100, 0x106)


class Wrong(Exception):
    """A word that makes no sense."""


class Rng:
    """libmapcore/base/rng.c: xoshiro256** seeded by splitmix64 (Blackman and Vigna,
    2018)."""

    def __init__(self, seed, purpose, index=0):
        self.mixed = seed
        self.mixed = self.split_mix() ^ purpose
        self.mixed = self.split_mix() ^ index
        self.state = [self.split_mix() for _ in range(4)]

    def split_mix(self):
        self.mixed = z = self.mixed + 0x9e3779b97f4a7c15 & MASK
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 & MASK
        z = (z ^ z >> 27) * 0x94d049bb133111eb & MASK
        return z ^ z >> 31

    def next(self):
        a, b, c, d = self.state
        result = b * 5 & MASK
        result = (result << 7 | result >> 57) * 9 & MASK
        t = b << 17 & MASK
        c ^= a
        d ^= b
        self.state = [a ^ d, b ^ c, c ^ t, (d << 45 | d >> 19) & MASK]
        return result

    def below(self, bound):
        """Uniform in 0 .. bound - 1 (Lemire, 2019)."""
        product = (self.next() >> 32) * bound
        while product & 0xffffffff < bound and product & 0xffffffff < (1 << 32) % bound:
            product = (self.next() >> 32) * bound
        return product >> 32

    def lognormal(self):
        """About 1000 e^g for a normal g: the sum of twelve uniform numbers, and 2^f by
        a cubic, in 16 bits behind the point."""
        g = sum(self.below(65536) for _ in range(12)) - 6 * 65536
        # C divides towards 0; log2(e) = 94548 / 65536.
        x = abs(g) * 94548 // 65536 * (1 if g > 0 else -1) + 16 * 65536
        f = x % 65536
        scale = 65536 + f * (45594 + f * (14811 + f * 5131 // 65536) // 65536) // 65536
        return 1 + ((1000 * scale << x // 65536) >> 32)


def number(text, least=0, most=(1 << 32) - 1):
    if not text.isdecimal() or not least <= int(text) <= most:
        raise Wrong(f"{text}: not a number from {least} to {most}")
    return int(text)


def numbers(text, separator):
    return [number(word) for word in text.split(separator)]


def dimensions(text):
    """8x8x16, and how many that are."""
    dims, product = numbers(text, "x"), 1
    for dim in dims:
        product *= dim
    if len(dims) > MAX_DIMS or not 1 <= product <= MAX_SIZE:
        raise Wrong(f"{text}: not 1 to {MAX_SIZE} in all")
    return dims, product


class Graph:
    """Bytes of pairs of tasks, in METIS' form."""

    def __init__(self, ntasks):
        self.peers = [{} for _ in range(ntasks)]

    def add(self, a, b, size):
        if a != b and size > 0:
            self.peers[a][b] = self.peers[a].get(b, 0) + size
            self.peers[b][a] = self.peers[b].get(a, 0) + size

    def write(self):
        lines = [f"{len(self.peers)} {sum(map(len, self.peers)) // 2} 001"]
        for peers in self.peers:
            lines.append(" ".join(f"{b + 1} {peers[b]}" for b in sorted(peers)))
        print("\n".join(lines))


def grid(dims, wraps, touch, sizes):
    """Tasks numbered with the first dimension fastest; box: all that touch, not only
    those beside; BYTES by the number of coordinates that change. A ring of two counts
    its pair twice, once each way round, as a program does that sends both ways."""
    (dims, n), sizes = dimensions(dims), numbers(sizes, ",")
    graph, strides = Graph(n), list(itertools.accumulate([1] + dims[:-1], lambda a, b: a * b))
    # Half of the steps: the others are the same pairs.
    steps = []
    for step in itertools.product((-1, 0, 1), repeat=len(dims)):
        changed = sum(by != 0 for by in step)
        if step > (0,) * len(dims) and (changed == 1 or touch == "box"):
            steps.append((list(reversed(step)), sizes[changed - 1]))
    for a in range(n):
        at = [a // stride % dim for stride, dim in zip(strides, dims)]
        for step, size in steps:
            to = [x + by for x, by in zip(at, step)]
            if wraps == "torus":
                to = [x % dim for x, dim in zip(to, dims)]
            elif not all(0 <= x < dim for x, dim in zip(to, dims)):
                continue
            graph.add(a, sum(x * stride for x, stride in zip(to, strides)), size)
    graph.write()


def qbox(dims, alltoall, ring, broadcast):
    """After the pattern of Qbox (ICS'17 section 5.2.2): tasks numbered column by
    column, all pairs of a column, and along each row a ring and a binomial tree from
    the first column."""
    dims, n = dimensions(dims)
    if len(dims) != 2:
        raise Wrong("not ROWSxCOLUMNS")
    rows, columns = dims
    alltoall, ring, broadcast = map(number, (alltoall, ring, broadcast))
    graph = Graph(n)
    for c in range(columns):
        for i in range(rows):
            a = c * rows + i
            for j in range(i + 1, rows):
                graph.add(a, c * rows + j, alltoall)
            graph.add(a, (c + 1) % columns * rows + i, ring)
            if c > 0:
                graph.add(a, (c & c - 1) * rows + i, broadcast)
    graph.write()


def distance(spec, n):
    """Of two hosts in mesh:AxB or torus:AxB."""
    kind, _, dims = spec.partition(":")
    dims, hosts = dimensions(dims)
    if kind not in ("mesh", "torus") or hosts != n:
        return lambda a, b: -1

    def between(a, b):
        steps = 0
        for dim in dims:
            by = abs(a % dim - b % dim)
            steps += min(by, dim - by) if kind == "torus" else by
            a, b = a // dim, b // dim
        return steps
    return between


def qap(path, spec):
    """Of a QAPLIB file one of whose matrices has the distances of that network, the
    other as a task graph. Its bytes are those of both directions, so that the file's
    cost is half of all tasks' hop-bytes."""
    try:
        with open(path, encoding="ascii") as file:
            n, *entry = map(int, file.read().split())
    except (OSError, ValueError) as error:
        raise Wrong(f"{path}: {error}") from None
    if not 1 <= n <= 1000 or len(entry) != 2 * n * n:
        raise Wrong(f"{path}: not two matrices")
    between, graph = distance(spec, n), Graph(n)
    wanted = [between(i, j) for i in range(n) for j in range(n)]
    if entry[n * n:] == wanted:
        flow = entry[:n * n]
    elif entry[:n * n] == wanted:
        flow = entry[n * n:]
    else:
        raise Wrong(f"{path}: no distances of {spec}")
    for i, j in itertools.product(range(n), repeat=2):
        graph.add(i, j, flow[i * n + j])
    graph.write()


def leanmd(dims, size):
    """LeanMD (Kale and others): the cells of a periodic box, an object for each pair of
    cells that touch, which gets the atoms of both and returns forces, and one for each
    cell by itself."""
    (dims, ncells), size = dimensions(dims), number(size)
    if len(dims) != 3 or min(dims) < 3:
        raise Wrong("not three dimensions of 3 cells and more")
    graph = Graph(ncells * 15)
    for cell in range(ncells):
        # Half of the neighbours: 13 is the cell itself.
        for step in range(13, 27):
            beside, stride, at, by = 0, 1, cell, step
            for dim in dims:
                beside += (at + by % 3 - 1) % dim * stride
                stride, at, by = stride * dim, at // dim, by // 3
            graph.add(cell, ncells + 14 * cell + step - 13, size)
            if beside != cell:
                graph.add(beside, ncells + 14 * cell + step - 13, size)
    graph.write()


def names(n, percent, seed):
    """Of n tasks in their order, of which percent are exchanged among each other."""
    rng, name, moved = Rng(seed, SCRAMBLE), list(range(n)), []
    for i in range(n):
        if rng.below(100) < percent:
            moved.append(i)
    for i in range(len(moved), 1, -1):
        a, b = moved[i - 1], moved[rng.below(i)]
        name[a], name[b] = name[b], name[a]
    return name


def fem(ntasks, degree, scrambled, seed):
    """Like an irregular mesh in parts: random points of a cube numbered along a Z-order
    curve, joined when near, with log-normal weights; of a hundred tasks SCRAMBLED have
    lost their place in that numbering."""
    n, seed, bits = number(ntasks, 2, MAX_SIZE), number(seed), 16
    degree, name = number(degree, 1, n - 1), names(n, number(scrambled), seed)
    rng, points, side = Rng(seed, POINTS), [], 1 << bits
    for _ in range(n):
        at = [rng.below(side) for _ in range(3)]
        key = 0
        for bit in range(bits - 1, -1, -1):
            for x in at:
                key = key << 1 | x >> bit & 1
        points.append((key, at))
    points = [at for _, at in sorted(points, key=lambda point: point[0])]
    # The ball of this radius holds `degree` points on average.
    r = 1
    while r ** 3 * n * 418879 < side ** 3 * degree * 100000:
        r += 1
    cells = {}
    for i, at in enumerate(points):
        cells.setdefault(tuple(x // r for x in at), []).append(i)
    graph, rng = Graph(n), Rng(seed, WEIGHTS)
    for i, (x, y, z) in enumerate(points):
        found = False
        for w, v, u in itertools.product((-1, 0, 1), repeat=3):
            for j in cells.get((x // r + u, y // r + v, z // r + w), ()):
                a, b, c = points[j]
                if j == i or (a - x) ** 2 + (b - y) ** 2 + (c - z) ** 2 >= r * r:
                    continue
                found = True
                if i < j:
                    graph.add(name[i], name[j], rng.lognormal())
        if not found:
            graph.add(name[i], name[i - 1 if i > 0 else 1], 1000)
    graph.write()


def circuit(ntasks, seed):
    """Like a circuit's matrix in rows: wires whose lengths in the numbering follow a
    power law (as Rent's rule has it), on a ring, with few bytes, in eights; and a number
    of nets that reach 4000/k tasks, half of them near the hub, half anywhere."""
    n, seed = number(ntasks, 2, MAX_SIZE), number(seed)
    graph, rng = Graph(n), Rng(seed, WIRES)
    for i in range(n):
        wires = 1 + (rng.below(10) < 6) + (rng.below(10) < 3)
        for _ in range(wires):
            length, size = 1, 8
            while length < n // 4 and rng.below(1000) < 536:  # 1000 / 2^0.9
                length *= 2
            length += 1 + rng.below(length)
            while size < 160 and rng.below(2) == 0:
                size += 8
            graph.add(i, (i + length) % n, size)
    rng = Rng(seed, HUBS)
    for k in range(1, 151):
        hub, reach = rng.below(n), 4000 // k
        window = 4 * reach if reach < n // 4 else n
        for _ in range(reach):
            near = (hub + n - window // 2 + rng.below(window)) % n
            end = near if rng.below(2) == 0 else rng.below(n)
            graph.add(hub, end, 8 + 8 * rng.below(3))
    graph.write()


def hosts(dims, nhosts, seed):
    """A fragmented allocation of a torus: eight runs of unequal lengths in the order of
    the numbering, begun in different eighths; one host of 40 in all serves, and of those
    in between one of 16 is taken by others. A line a host, the first dimension fastest,
    as topomap numbers them."""
    dims, total = dimensions(dims)
    wanted, rng, runs = number(nhosts, 0, total // 2), Rng(number(seed), HOSTS), 8
    serves = [rng.below(40) == 0 for _ in range(total)]
    share = [300 + rng.below(1000) for _ in range(runs)]
    ours, left = [False] * total, wanted
    for r in range(runs):
        want = left if r == runs - 1 else wanted * share[r] // sum(share)
        at = total * (10 * r + rng.below(7)) // (10 * runs)
        left -= want
        while want > 0:
            if not ours[at] and not serves[at] and rng.below(16) > 0:
                ours[at] = True
                want -= 1
            at = (at + 1) % total
    for host in range(total):
        if ours[host]:
            place = []
            for dim in dims:
                place.append(host % dim)
                host //= dim
            print(*place)


def turn(a, b, c):
    """Twice the area of the triangle: > 0 when c is left of a to b."""
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def in_circle(a, b, c, d):
    """Whether d lies in the circle through a, b and c, which turn left."""
    ax, ay, bx, by, cx, cy = (a[0] - d[0], a[1] - d[1], b[0] - d[0], b[1] - d[1], c[0] - d[0],
                              c[1] - d[1])
    return ((ax * ax + ay * ay) * (bx * cy - cx * by) + (bx * bx + by * by) * (cx * ay - ax * cy) +
            (cx * cx + cy * cy) * (ax * by - bx * ay)) > 0


def next_in_star(at, p, q, direction, near):
    """The neighbour behind q in p's star; None at the rim."""
    a, b, best = at[p], at[q], None
    for i in near:
        if turn(a, b, at[i]) * direction <= 0:
            continue
        if best is None or (in_circle(a, b, at[best], at[i]) if direction > 0 else
                            in_circle(b, a, at[best], at[i])):
            best = i
    return best


def delaunay(ntasks, scrambled, seed):
    """Random points of a square, numbered at random but for those that are not
    SCRAMBLED (of a hundred), which run along rows of cells; joined as Delaunay triangles
    are, all with the same bytes."""
    n, seed, bits, ring = number(ntasks, 4, MAX_SIZE), number(seed), 20, 3
    rng, side = Rng(seed, SQUARE), 1
    while side * side * 2 < n:
        side += 1
    at = [(rng.below(1 << bits), rng.below(1 << bits)) for _ in range(n)]
    cell = [(y * side >> bits, x * side >> bits) for x, y in at]
    cells = {}
    for i, c in enumerate(cell):
        cells.setdefault(c, []).append(i)
    name = [0] * n
    order = (i for c in sorted(cells) for i in cells[c])
    for i, new in zip(order, names(n, number(scrambled, 0, MAX_SIZE), seed)):
        name[i] = new
    graph = Graph(n)
    for p, (y, x) in enumerate(cell):
        near = [i for v in range(y - ring, y + ring + 1) for u in range(x - ring, x + ring + 1)
                for i in cells.get((v, u), ()) if i != p][:512]
        # Round its star from the nearest point, and the other way from there where
        # the first way ended.
        first = q = min(near, key=lambda i: (at[i][0] - at[p][0]) ** 2 +
                        (at[i][1] - at[p][1]) ** 2, default=None)
        direction = 1
        for _ in range(64):
            if q is None:
                break
            after = next_in_star(at, p, q, direction, near)
            if p < q and (direction > 0 or q != first):
                graph.add(name[p], name[q], 1000)
            if after == first:
                break
            if after is None and direction > 0:
                direction = -1
                after = next_in_star(at, p, first, direction, near)
            q = after
    graph.write()


def rmat(scale, degree, seed):
    """2^SCALE tasks, each edge falls into one quarter of the matrix with the shares 57,
    19, 19 and 5 of a hundred, and so on in that quarter (Chakrabarti, Zhan and Faloutsos,
    2004): few have most."""
    bits = number(scale, 1, 24)
    n, rng = 1 << bits, Rng(number(seed), CORNERS)
    graph = Graph(n)
    for _ in range(n * number(degree, 0, MAX_SIZE) // 2):
        a = b = 0
        for _ in range(bits):
            share = rng.below(100)
            a = a << 1 | (share >= 76)
            b = b << 1 | (57 <= share < 76 or share >= 95)
        if a != b:
            graph.add(a, b, 8 + 8 * rng.below(16))
    graph.write()


def band(ntasks, width, degree, seed):
    """A banded matrix in rows: each task talks with about DEGREE others at most WIDTH
    away in the numbering, with the next one always."""
    n = number(ntasks, 2, MAX_SIZE)
    width, degree, rng = number(width, 1, n - 1), number(degree, 0, MAX_SIZE), Rng(number(seed), BANDS)
    graph = Graph(n)
    for i in range(n - 1):
        graph.add(i, i + 1, 4000)
        for _ in range(1, degree // 2):
            j = i + 1 + rng.below(width)
            if j < n:
                graph.add(i, j, 1000 + rng.below(3000))
    graph.write()


def join_mesh(graph, dims, name, rng):
    """A mesh, the first dimension fastest, neighbours joined."""
    stride = 1
    for dim in dims:
        for i in range(len(name)):
            if i // stride % dim + 1 < dim:
                graph.add(name[i], name[i + stride], rng.lognormal())
        stride *= dim


def stars(dims, hubs, seed):
    """A mesh in which a few tasks, evenly spaced, also talk with all tasks of their
    share (masters, writers, load balancers)."""
    dims, n = dimensions(dims)
    hubs, rng, graph = number(hubs, 1, n), Rng(number(seed), SPOKES), Graph(n)
    share = n // hubs
    join_mesh(graph, dims, range(n), rng)
    for i in range(n):
        if i % share != 0 and i // share < hubs:
            graph.add(i // share * share, i, 100 + rng.below(400))
    graph.write()


def noise(dims, scrambled, extra, seed):
    """A mesh with log-normal weights, where of a hundred tasks SCRAMBLED have lost their
    place in the numbering and EXTRA talk with one somewhere else."""
    (dims, n), seed, extra = dimensions(dims), number(seed), number(extra)
    graph, name = Graph(n), names(n, number(scrambled), seed)
    join_mesh(graph, dims, name, Rng(seed, NOISE))
    rng = Rng(seed, SHORTCUTS)
    for i in range(n):
        j = rng.below(n)
        if rng.below(100) < extra and j != i:
            graph.add(name[i], name[j], rng.lognormal())
    graph.write()


KINDS = {
    "grid": (grid, "DIMS torus|mesh star|box BYTES[,BYTES]..."),
    "qbox": (qbox, "ROWSxCOLUMNS ALLTOALL RING BROADCAST"),
    "leanmd": (leanmd, "DIMS BYTES"),
    "fem": (fem, "NTASKS DEGREE SCRAMBLED SEED"),
    "circuit": (circuit, "NTASKS SEED"),
    "qap": (qap, "FILE SPEC"),
    "delaunay": (delaunay, "NTASKS SCRAMBLED SEED"),
    "rmat": (rmat, "SCALE DEGREE SEED"),
    "band": (band, "NTASKS WIDTH DEGREE SEED"),
    "stars": (stars, "DIMS HUBS SEED"),
    "noise": (noise, "DIMS SCRAMBLED EXTRA SEED"),
    "hosts": (hosts, "DIMS NHOSTS SEED"),
}


def main(words):
    make, arguments = KINDS.get(words[0] if words else "", (None, ""))
    if not make or len(words) != 1 + len(arguments.split()):
        for kind, (_, arguments) in KINDS.items():
            print(f"usage: mapgen.py {kind} {arguments}", file=sys.stderr)
        return 2
    try:
        make(*words[1:])
    except Wrong as error:
        print(f"mapgen: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
