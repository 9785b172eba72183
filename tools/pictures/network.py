# SPDX-License-Identifier: LGPL-2.1-or-later
"""A network and what its links carry, once for each mapping.

scene["network"]: describe; kind torus, dragonfly or other; nhosts, nswitches;
vertices (their names: hosts, then switches); host_vertex (the switch of each host)
and attached (hosts that are at it without a link); links ([a, b] or null each),
link_names, capacity; directions of a link that its load adds up; has_capacities;
dims and stride of a torus, groups, routers and per (nodes a router) of a dragonfly.
"""
import math

from svg import LEGEND_HEIGHT, RATE_LEAST, amount, even_step

WIDTH = 600  # about so wide a network is drawn
LEFT, ABOVE, GAP, LEGEND_WIDTH, LINE_HEIGHT = 30, 100, 50, 120, 16
MOST_STROKES = 2600  # of one network; the busiest ones are shown
MOST_RANKS = 8  # named by number
MOST_DOTS_TOLD = 1100
BUSIEST = 10


class Layout:
    """Dots (x, y, radius) of vertices, strokes (x1, y1, x2, y2) of links, and
    labels (x, y, text); stroke_of each link and dot_of each vertex, None where it
    is not drawn."""

    def __init__(self, net):
        self.net, self.dots, self.strokes, self.labels = net, [], [], []
        self.stroke_of = [None] * len(net["links"])
        self.dot_of = [None] * (net["nhosts"] + net["nswitches"])
        self.width = self.height = 0
        self.legend = ""

    def join(self):
        """A stroke for each pair of dots that links join."""
        keys = {}
        for link, ends in enumerate(self.net["links"]):
            if ends:
                a, b = sorted((self.dot_of[ends[0]], self.dot_of[ends[1]]))
                if a != b:
                    keys.setdefault((a, b), []).append(link)
        for i, (a, b) in enumerate(sorted(keys)):
            self.strokes.append(self.dots[a][:2] + self.dots[b][:2])
            for link in keys[a, b]:
                self.stroke_of[link] = i


# --- planes of a torus or mesh

MOST_LINES = 2400  # of a picture: more are drawn by blocks of routers
PLANE_GAP, PLANE_TITLE, PITCH_MOST, PITCH_LEAST = 26, 18, 56, 7
# Ways out of the plane, dimension by dimension.
TURNS = (-0.25, 0.25, -0.75, 0.75, -0.125, 0.125)
LETTERS = "xyzwabcdefghijklmnopqrstuv"


def blocks(dims):
    """(blocks in each dimension, routers a block): those that are most are doubled
    until few enough are left."""
    sizes, factors = list(dims), [1] * len(dims)
    while math.prod(sizes) * len(dims) > MOST_LINES and max(sizes) > 1:
        widest = sizes.index(max(sizes))
        factors[widest] *= 2
        sizes[widest] = -(-dims[widest] // factors[widest])
    return sizes, factors


def torus_layout(net):
    layout = Layout(net)
    sizes, factors = blocks(net["dims"])
    ndims, ncells = len(sizes), math.prod(sizes)
    strides = [math.prod(sizes[:i]) for i in range(ndims)]
    x, y = (sizes + [1, 1])[:2] if ndims > 1 else (sizes[0], 1)
    nplanes = ncells // (x * y)
    columns = min(math.ceil(math.sqrt(nplanes * (y + 1) / (x + 1))), nplanes)
    # As many planes in a row as make a picture of about that width squarish.
    pitch = max(PITCH_LEAST, min(PITCH_MOST, (WIDTH / columns - PLANE_GAP) / (x + 0.5)))
    wide, high = (x + 0.5) * pitch + PLANE_GAP, (y + 0.5) * pitch + PLANE_GAP
    title = PLANE_TITLE if nplanes > 1 else 0
    high += title

    def cell_of(router):
        return sum(router // net["stride"][i] % net["dims"][i] // factors[i] * strides[i]
                   for i in range(ndims))

    for cell in range(ncells):
        plane = cell // (x * y)
        at_x = plane % columns * wide + (cell % x + 0.5) * pitch
        at_y = plane // columns * high + title + (cell // x % y + 0.5) * pitch
        layout.dots.append((at_x, at_y, min(0.17 * pitch, 5)))
        for i in range(ndims):  # the cable in the positive direction
            ends = cell // strides[i] % sizes[i] + 1 >= sizes[i]
            along = pitch * (0.5 if ends else 1)
            angle = TURNS[max(i - 2, 0) % 6] * math.pi
            dx, dy = ((along, 0), (0, along))[i] if i < 2 else (
                0.55 * pitch * math.cos(angle), 0.55 * pitch * math.sin(angle))
            layout.strokes.append((at_x, at_y, at_x + dx, at_y + dy))
    for plane in range(nplanes if ndims > 2 else 0):
        layout.labels.append((plane % columns * wide + 0.3 * pitch, plane // columns * high + 11,
                              plane_name(plane, sizes, factors, net["dims"])))
    nhosts = net["nhosts"]
    for router in range(net["nswitches"]):
        layout.dot_of[nhosts + router] = cell_of(router)
    for host in range(nhosts):
        layout.dot_of[host] = layout.dot_of[net["host_vertex"][host]]
    for link, ends in enumerate(net["links"]):
        if ends:  # both directions are the cable of the lower end
            layout.stroke_of[link] = cell_of(ends[link % 2] - nhosts) * ndims + link // 2 % ndims
    layout.width, layout.height = columns * wide, -(-nplanes // columns) * high
    if max(factors) > 1:
        layout.legend = ("Planes of x (to the right) and y (downwards). A dot is a block of "
                         "routers, a line the busiest of its links one way.")
    elif ndims > 2:
        layout.legend = ("Planes of x (to the right) and y (downwards); slanting lines lead to "
                         "the next plane, those at the edge round.")
    else:
        layout.legend = "x to the right, y downwards; lines at the edge lead round."
    return layout


def plane_name(plane, sizes, factors, dims):
    """z = 3; z = 0-3, w = 1."""
    parts = []
    for i in range(2, len(sizes)):
        plane, at = divmod(plane, sizes[i])
        first = at * factors[i]
        last = min(first + factors[i], dims[i]) - 1
        parts.append(f"{LETTERS[i]} = {first}" + (f"-{last}" if last > first else ""))
    return ", ".join(parts)[:47]


# --- groups of a dragonfly on a ring

MOST_ROUTERS, MOST_LABELS = 160, 64  # drawn one by one
RADIUS, OUTWARDS = 220, 26  # and the length of a line for what is at a router


def dragonfly_layout(net):
    layout = Layout(net)
    nrouters = net["groups"] * net["routers"]
    by_router = nrouters <= MOST_ROUTERS
    units, per = (net["routers"], 1) if by_router else (1, net["routers"])

    def place(unit, distance, units=units):
        """Where it is; a gap of half a group's width is between groups."""
        group, i = divmod(unit, units)
        share = 0.8 * (i + 0.5) / units + 0.1 if units > 1 else 0.5
        angle = 2 * math.pi * (group + share) / net["groups"] - math.pi / 2
        return WIDTH / 2 + distance * math.cos(angle), WIDTH / 2 + distance * math.sin(angle)

    layout.dots = [place(i, RADIUS) + (5 if by_router else 7,) for i in range(nrouters // per)]
    for router in range(nrouters):
        layout.dot_of[net["nhosts"] + router] = router // per
    for host in range(net["nhosts"]):
        layout.dot_of[host] = host // net["per"] // per
    for group in range(net["groups"] if net["groups"] <= MOST_LABELS else 0):
        x, y = place(group, RADIUS + OUTWARDS + 22, 1)
        layout.labels.append((x - 8, y + 4, f"g{group}"))
    layout.join()
    # Links that lead to no other dot are the line outwards of theirs.
    first = len(layout.strokes)
    layout.strokes += [place(i, RADIUS) + place(i, RADIUS + OUTWARDS)
                       for i in range(len(layout.dots))]
    for link, ends in enumerate(net["links"]):
        if layout.stroke_of[link] is None and ends:
            layout.stroke_of[link] = first + layout.dot_of[ends[0]]
    layout.width = layout.height = WIDTH
    layout.legend = ("Routers on a ring, group by group; lines outwards are the links of their "
                     "nodes." if by_router else
                     "Groups on a ring; lines outwards are the links inside a group and to its "
                     "nodes.")
    return layout


# --- levels of switches above the nodes

MOST_DOTS = 128  # of a level
LEVEL_HEIGHT, TOP, LABELS = 130, 16, 84
BOW = 120  # how far the middle of a level is raised whose switches are joined


def find_levels(net):
    """The level of each vertex: hosts are 0, a switch is one above the lowest that
    it is joined with. Networks of switches are flat."""
    nhosts = net["nhosts"]
    n = nhosts + net["nswitches"]
    level = [0] * nhosts + [None] * net["nswitches"]
    for host in net["attached"]:
        level[net["host_vertex"][host]] = 1
    peers = [[] for _ in range(n)]
    for ends in net["links"]:
        if ends:
            peers[ends[0]].append(ends[1])
            peers[ends[1]].append(ends[0])
    edge, at = [v for v in range(n) if level[v] == 0], 0
    while edge or at < 2:
        behind = [v for v in range(n) if level[v] == at + 1]
        for v in edge:
            for other in peers[v]:
                if level[other] is None or level[other] > at + 1:
                    level[other] = at + 1
                    behind.append(other)
        edge, at = behind, at + 1
    most = max((l for l in level if l is not None), default=0)
    return [most if l is None else l for l in level], peers


def order_levels(level, peers):
    """Vertices level by level, those that are joined near each other."""
    n, nlevels = len(level), max(level) + 1
    rank = [float(v) for v in range(n)]
    order = list(range(n))
    count = [level.count(i) for i in range(nlevels)]

    def settle():
        order.sort(key=lambda v: (level[v], rank[v], v))
        i = 0
        for size in count:
            for j in range(size):
                rank[order[i + j]] = (j + 0.5) / size
            i += size

    def average(here, other):
        means = {}
        for v in range(n):
            if level[v] == here:
                near = [rank[p] for p in peers[v] if level[p] == other]
                if near:
                    means[v] = sum(near) / len(near)
        for v, mean in means.items():
            rank[v] = mean
        settle()

    settle()
    for i in range(1, nlevels):
        average(i, i - 1)
    # Nodes of one switch stand together.
    for i in range(nlevels - 2, -1, -1):
        average(i, i + 1)
    return order, count


def layered_layout(net):
    layout = Layout(net)
    level, peers = find_levels(net)
    order, count = order_levels(level, peers)
    nlevels = len(count)
    joined = [False] * nlevels
    for ends in net["links"]:
        if ends and level[ends[0]] == level[ends[1]]:
            joined[level[ends[0]]] = True

    def height(at):
        return TOP + sum((LEVEL_HEIGHT if i + 1 < nlevels else 0) + (BOW if joined[i] else 0)
                         for i in range(at, nlevels))

    width, i = WIDTH - LABELS, 0
    for at, size in enumerate(count):
        n, y, first = min(size, MOST_DOTS), height(at), len(layout.dots)
        bow = 4 * BOW if joined[at] and n > 2 else 0
        for j in range(n):
            x = (j + 0.5) / n
            layout.dots.append((LABELS + x * width, y - bow * x * (1 - x),
                                min(6 if at else 3.5, 0.4 * width / n)))
        noun = ("node" if size == 1 else "nodes") if at == 0 else (
            "switch" if size == 1 else "switches")
        layout.labels.append((0, y + 4, f"{size} {noun}"))
        for j in range(size):
            layout.dot_of[order[i + j]] = first + j * n // size
        i += size
    layout.join()
    layout.width, layout.height = WIDTH, height(0) + 20
    layout.legend = "Nodes at the bottom, switches above them level by level."
    return layout


# --- loads

class Loads:
    """The bytes of each link under one mapping, and what they take."""

    def __init__(self, net, side):
        self.net, self.load = net, side["load"]

    def time(self, link):
        """Bytes of one direction by what that carries."""
        return self.load[link] / self.net["directions"] / self.net["capacity"][link]

    def busiest(self):
        """At most ten links of largest time, none that carries nothing; of equals
        the lower number."""
        carrying = [l for l in range(len(self.load)) if self.load[l] > 0]
        return sorted(carrying, key=lambda l: (-self.time(l), l))[:BUSIEST]

    def describe(self, link, exact=True):
        """(0,0) +x: 1.2 GB (1200000000 bytes), time 3.2"""
        load, unit = self.load[link], unit_of(self.net, link)
        text = f"{self.net['link_names'][link]}: {amount(load, 'bytes')}"
        if exact and load >= 1000:
            text += f" ({load:.10g} bytes)"
        if unit == "plain":
            text += f", time {self.time(link):.4g}"
        elif unit == "seconds":
            text += f", time {amount(self.time(link), unit)}"
        return text


def unit_of(net, link):
    if net["has_capacities"]:
        return "seconds" if net["capacity"][link] >= RATE_LEAST else "plain"
    # A dragonfly assumes some where none are stated.
    return "plain" if net["capacity"][0] != 1 else "bytes"


def time_unit(net):
    """What people may read as seconds or bytes, only where the network says so."""
    units = [unit_of(net, link) for link in range(len(net["links"]))]
    if not units or units[0] != "seconds":
        return units[0] if units else "bytes"
    return next((unit for unit in units if unit != "seconds"), "seconds")


# What the colours of a picture say: the legend's title, and what follows an amount.
SCALES = {"bytes": ("bytes, one way", " one way"),
          "assumed": ("bytes, one way / relative capacity", ", by capacities that topomap assumes"),
          "plain": ("bytes, one way / relative capacity", " by relative capacities"),
          "seconds": ("time of the bytes", "")}


def scale_of(net):
    unit = time_unit(net)
    return "assumed" if unit == "plain" and not net["has_capacities"] else unit


# --- the picture

class Side:
    """A network under one mapping: (time, stroke, busiest link, links) of each
    stroke, the busiest last, so that they are painted over the others."""

    def __init__(self, scene, layout, side):
        self.side, self.layout, net = side, layout, scene["network"]
        self.loads = Loads(net, side)
        strokes = [[0, i, None, 0] for i in range(len(layout.strokes))]
        for link, i in enumerate(layout.stroke_of):
            if i is not None:
                stroke, time = strokes[i], self.loads.time(link)
                if stroke[3] == 0 or time > stroke[0]:
                    stroke[0], stroke[2] = time, link
                stroke[3] += 1
        self.strokes = sorted(strokes, key=lambda stroke: stroke[:2])
        self.vertices = [[] for _ in layout.dots]
        self.ranks = [[] for _ in layout.dots]
        for vertex, dot in enumerate(layout.dot_of):
            if dot is not None:
                self.vertices[dot].append(vertex)
        for rank, vertex in enumerate(side["vertex"]):
            self.ranks[layout.dot_of[vertex]].append(rank)

    def draw(self, svg, most):
        metrics, layout = self.side["metrics"], self.layout
        svg.text(0, -34, "head", f"Placed by {self.side['title']}")
        svg.text(0, -17, "sub", f"{metrics['hops_per_byte']:.3g} hops per byte; slowest link: "
                 f"{amount(metrics['max_link_time'], time_unit(layout.net))}"
                 f"{SCALES[scale_of(layout.net)][1]}")
        for time, i, link, nlinks in self.strokes[-MOST_STROKES:]:
            if nlinks == 0:
                continue
            tip = self.loads.describe(link)
            if nlinks > 2:
                tip = f"busiest of {nlinks} links: {tip}"
            if time <= 0:
                svg.line(*layout.strokes[i], 1, "idle")
            else:
                svg.line(*layout.strokes[i], 2 + 4 * time / most, f"l{even_step(time, most)}", tip)
        nhosts = layout.net["nhosts"]
        for i, dot in enumerate(layout.dots):
            kind = "host" if self.ranks[i] else "box"
            if not self.ranks[i] and any(v < nhosts for v in self.vertices[i]):
                kind = "empty"
            svg.circle(*dot, kind, self.tell_dot(i) if len(layout.dots) <= MOST_DOTS_TOLD else None)
        for x, y, text in layout.labels:
            svg.text(x, y, "tick", text)
        if not svg.on_page:
            self.draw_list(svg, layout.height + 26)

    def tell_dot(self, i):
        vertices, ranks = self.vertices[i], self.ranks[i]
        nhosts = sum(1 for v in vertices if v < self.layout.net["nhosts"])
        if len(vertices) - nhosts > 1 or nhosts > 1:
            text = f"{nhosts} nodes" if nhosts else f"{len(vertices)} switches"
        else:
            text = self.layout.net["vertices"][vertices[0]] if vertices else ""
        if len(ranks) > MOST_RANKS:
            return f"{text}: {len(ranks)} ranks"
        if ranks:
            text += f": rank{'s' if len(ranks) > 1 else ''} {', '.join(map(str, ranks))}"
        return text

    def draw_list(self, svg, y):
        links = self.loads.busiest()
        svg.text(0, y, "sub", "Busiest links" if links else "No link carries anything")
        for i, link in enumerate(links, 1):
            svg.text(0, y + i * LINE_HEIGHT, "tick", f"{i}.  {self.loads.describe(link, False)}")


def draw(svg, scene):
    """The network once for each mapping, on one scale, with the busiest links below
    where it is no page, which has a table of them."""
    net = scene["network"]
    layout = {"torus": torus_layout, "dragonfly": dragonfly_layout}.get(
        net["kind"], layered_layout)(net)
    sides = [Side(scene, layout, side) for side in scene["sides"]]
    most = max((side.strokes[-1][0] for side in sides if side.strokes), default=0)
    text = layout.legend
    if len(layout.strokes) > MOST_STROKES:
        carrying = sum(1 for stroke in sides[0].strokes if stroke[0] > 0)
        text += (f" The {MOST_STROKES} busiest of {len(layout.strokes)} lines are shown; "
                 f"{carrying} carry something.")
    title = f"What the network carries of {scene['name']}: {net['describe']}"
    below = 20 if svg.on_page else 40 + (BUSIEST + 1) * LINE_HEIGHT
    step = max(layout.width, WIDTH / 2) + GAP
    svg.begin(LEFT + len(sides) * step + LEGEND_WIDTH,
              ABOVE + max(layout.height + below, LEGEND_HEIGHT + 24), title, text)
    svg.text(LEFT, 22, "head", title)
    svg.text(LEFT, 38, "small", text)
    for i, side in enumerate(sides):
        svg.group(LEFT + i * step, ABOVE)
        side.draw(svg, most)
        svg.end_group()
    unit = time_unit(net)
    svg.group(LEFT + len(sides) * step, ABOVE)
    svg.legend(SCALES[scale_of(net)][0], 0, most, unit)
    svg.end_group()
    svg.end()
