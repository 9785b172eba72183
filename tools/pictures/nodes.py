# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who sits where: bars of what leaves each node, and the nodes that send most, as rows
of slots with arcs between them.

scene["node_slots"]: the slots of each node; scene["nodes"]: once for each number of
slots, nslots; cores (the core of each slot; none where it is not known); near (how many
steps of the hardware tree part each slot from the next); frames (of each level that parts
slots, the outermost first: steps, and [first, end, name] of each object); scene["flows"]:
two tasks and their bytes, pair by pair; scene["show"]: the most nodes with arcs, 0: LINES lines of them.
"""
from svg import LEGEND_HEIGHT, amount, even_step, plural, ticks

MOST_ARCS = 250  # of a node; the heaviest are drawn
MOST_FRAMES = 4  # inside one another
LEFT, ABOVE, WIDTH, GAP, COLUMN_GAP, LEGEND_WIDTH = 30, 86, 560, 50, 24, 120
ARCS_HEIGHT, SLOT_HEIGHT, SLOT_MOST = 84, 28, 44
FRAME, NAME_STEP = 5, 13  # from a frame to the next; from a line of names to the next
ROW_HEIGHT = ARCS_HEIGHT + SLOT_HEIGHT + 2 * FRAME * MOST_FRAMES + 40
# A letter of a name, of a rank, and where that does not fit.
LETTER, LETTER_SMALL, LETTER_TINY = 6, 7, 5
LINES = 6  # of nodes with arcs, where no number is asked for
# The bars of all nodes; more nodes share one. Ranks of a bar that are named.
MOST_BARS, BARS_HEIGHT, BARS_BELOW, BARS_LEFT, MOST_RANKS = 280, 72, 66, 60, 16


def inset(steps):
    """How far the frame of slots that are nearer than that number of steps stands out."""
    depth = (steps - 1) // 2 if steps > 0 else 0
    return FRAME * min(depth, MOST_FRAMES - 1)


class Row:
    """A node under one mapping: slots (the rank of each, None: free), arcs ([bytes, a,
    b], slots, the heaviest last), bytes inside and those that leave; left: of each
    slot, and of the end."""

    def __init__(self, row, name):
        self.row, self.name, self.frames = row, name, row["frames"]
        self.slots, self.arcs = [None] * row["nslots"], []
        self.inside = self.leaves = 0
        n, gaps, self.left = len(self.slots), 0.0, [0.0]
        for steps in row["near"]:
            gaps += 2 * inset(steps)
            self.left.append(gaps)
        room = WIDTH - 2 * FRAME * MOST_FRAMES - gaps
        self.width = max(3, min(SLOT_MOST, room / max(n, 1)))
        self.left = [FRAME * MOST_FRAMES + x + s * self.width for s, x in enumerate(self.left[:n])]
        self.left.append(FRAME * MOST_FRAMES + gaps + n * self.width)

    def draw(self, svg, most):
        self.draw_tree(svg)
        self.draw_arcs(svg, most)
        self.draw_slots(svg)
        svg.text(0, ARCS_HEIGHT + SLOT_HEIGHT + FRAME * MOST_FRAMES + 16 +
                 NAME_STEP * len(self.frames), "tick", self.caption())

    def caption(self):
        return (f"{self.name}: {amount(self.inside, 'bytes')} inside, "
                f"{amount(self.leaves, 'bytes')} leave it")

    def draw_tree(self, svg):
        """A frame around the node, and one for each object of the levels that part
        its slots, with its name below where there is room."""
        svg.rect(0, ARCS_HEIGHT - FRAME * MOST_FRAMES, self.left[-1] + FRAME * MOST_FRAMES,
                 SLOT_HEIGHT + 2 * FRAME * MOST_FRAMES, "frame")
        for i, level in enumerate(self.frames):
            out = inset(level["steps"]) - 1.5
            y = ARCS_HEIGHT + SLOT_HEIGHT + FRAME * MOST_FRAMES + 14 + NAME_STEP * i
            for first, end, name in level["objects"]:
                left = self.left[first] - out
                width = self.left[end - 1] + self.width - self.left[first] + 2 * out
                svg.rect(left, ARCS_HEIGHT - out, width, SLOT_HEIGHT + 2 * out, "frame", name)
                if LETTER * len(name.encode()) <= width:
                    svg.text(left + width / 2, y, "tick mid", name)

    def draw_arcs(self, svg, most):
        half = self.width / 2
        for size, a, b in self.arcs[-MOST_ARCS:]:
            start, end = self.left[a] + half, self.left[b] + half
            tip = (f"rank {self.slots[a]} with rank {self.slots[b]}: {amount(size, 'bytes')}")
            if size >= 1000:
                tip += f" ({size} bytes)"
            svg.bow(start, end, ARCS_HEIGHT, self.rise(a, b),
                    1.2 + 2.5 * size / most, f"l{even_step(size, most)}", tip)

    def rise(self, a, b):
        return min(2 * ARCS_HEIGHT - 20, 16 + 0.7 * (self.left[b] - self.left[a]))

    def draw_slots(self, svg):
        width, cores = self.width, self.row["cores"]
        for s, rank in enumerate(self.slots):
            tip = f"slot {s}: free" if rank is None else f"slot {s}: rank {rank}"
            if cores and len(self.slots) > 1:
                tip += f", {cores[s]}"
            left = self.left[s]
            svg.rect(left + (1 if width > 4 else 0), ARCS_HEIGHT + 1,
                     width - 2 if width > 4 else width, SLOT_HEIGHT - 2,
                     "empty" if rank is None else "box", tip)
            name = str(rank)
            if rank is not None and LETTER_TINY * len(name) + 3 <= width:
                svg.text(left + width / 2, ARCS_HEIGHT + SLOT_HEIGHT / 2 + 4,
                         "small mid" if LETTER_SMALL * len(name) + 5 <= width else "tiny mid", name)


def exchanged(scene, side):
    """Of each node the bytes inside it, and those that leave it."""
    inside, leaves = ([0] * len(scene["hosts"]) for _ in range(2))
    host, flows = side["host"], scene["flows"]
    for k in range(0, len(flows), 3):
        a, b = host[flows[k]], host[flows[k + 1]]
        if a == b:
            inside[a] += flows[k + 2]
        else:
            leaves[a] += flows[k + 2]
            leaves[b] += flows[k + 2]
    return inside, leaves


def choose(sides, show):
    """The nodes that send most to others under any mapping; of equals the first."""
    n = len(sides[0][1])
    most = [max(leaves[h] for _, leaves in sides) for h in range(n)]
    return sorted(range(n), key=lambda h: (-most[h], h))[:show]


def place(scene, side, chosen):
    """The rows of a mapping."""
    kinds = {kind["nslots"]: kind for kind in scene["nodes"]}
    rows = {h: Row(kinds[scene["node_slots"][h]], scene["hosts"][h]) for h in chosen}
    host, slot, flows = side["host"], side["slot"], scene["flows"]
    for task, h in enumerate(host):
        if h in rows:
            rows[h].slots[slot[task]] = task
    for k in range(0, len(flows), 3):
        a, b, size = flows[k:k + 3]
        if host[a] == host[b] and host[a] in rows:
            rows[host[a]].arcs.append((size, *sorted((slot[a], slot[b]))))
    for h, row in rows.items():
        row.arcs.sort()
        row.inside, row.leaves = (values[h] for values in side["exchanged"])
    return list(rows.values())


def ranks_of(side, nhosts):
    """The ranks of each node, in words."""
    ranks = [[] for _ in range(nhosts)]
    for task, h in enumerate(side["host"]):
        ranks[h].append(task)
    return [f"{len(of)} ranks" if len(of) > MOST_RANKS else
            f"rank{plural(len(of))} {', '.join(map(str, of))}" if of else "no rank"
            for of in ranks]


def draw_bars(svg, scene, side, most):
    """A bar a node, or of several the one that most leaves."""
    inside, leaves = side["exchanged"]
    n = len(leaves)
    per = -(-n // MOST_BARS)
    width, ranks = WIDTH - BARS_LEFT, ranks_of(side, n)
    step = width / -(-n // per)
    for value in [0] + ticks(most, 3, "bytes"):
        y = BARS_HEIGHT * (1 - value / most) if most > 0 else BARS_HEIGHT
        svg.line(0, y, width, y, 1, "grid" if value else "axis")
        svg.text(-8, y + 4, "tick end", amount(value, "bytes"))
    for i, first in enumerate(range(0, n, per)):
        h = max(range(first, min(first + per, n)), key=lambda h: leaves[h])
        height = BARS_HEIGHT * leaves[h] / most if most > 0 else 0
        svg.rect(i * step, BARS_HEIGHT - height, step - 1 if step > 4 else step, height, "bar",
                 f"{scene['hosts'][h]}: {ranks[h]}; {amount(leaves[h], 'bytes')} leave it, "
                 f"{amount(inside[h], 'bytes')} inside")
    svg.text(0, BARS_HEIGHT + 16, "tick", "1")
    svg.text(width, BARS_HEIGHT + 16, "tick end", str(n))
    svg.text(width / 2, BARS_HEIGHT + 16, "tick mid",
             f"bytes that leave each node{f' (of {per} the most)' if per > 1 else ''}")


def lay(scene, chosen):
    """The rows of each mapping, how many of them stand side by side, and how far apart."""
    rows = [place(scene, side, chosen) for side in scene["sides"]]
    step = COLUMN_GAP + max(max(row.left[-1] + FRAME * MOST_FRAMES, LETTER * len(row.caption()))
                            for side in rows for row in side)
    return rows, max(1, int((WIDTH + COLUMN_GAP) // step)), step


def draw(svg, scene):
    sides, nhosts = scene["sides"], len(scene["hosts"])
    for side in sides:
        side["exchanged"] = exchanged(scene, side)
    chosen = choose([side["exchanged"] for side in sides], scene["show"] or LINES * LINES)
    rows, columns, step = lay(scene, sorted(chosen))
    if scene["show"] == 0 and len(chosen) > LINES * columns:
        rows, columns, step = lay(scene, sorted(chosen[:LINES * columns]))
    every = [row for side in rows for row in side]
    n = len(rows[0])
    most = max((row.arcs[-1][0] for row in every if row.arcs), default=0)
    # Rows are as high as the highest arc, and not lower than the frames.
    rises = [row.rise(*arc[1:]) / 2 + 8 for row in every for arc in row.arcs[-MOST_ARCS:]]
    cut = ARCS_HEIGHT - min(ARCS_HEIGHT, max(rises + [FRAME * MOST_FRAMES + 8]))
    height = ROW_HEIGHT - cut + NAME_STEP * max((len(row.frames) for row in every), default=0)
    above = BARS_HEIGHT + BARS_BELOW if n < nhosts else 0
    title = f"Who sits where in the nodes: {scene['name']}"
    text = (f"{f'The {n} of {nhosts} nodes that send most to others' if above else f'{n} nodes'}: "
            "boxes are slots with their ranks, arcs bytes between them"
            f"{', frames what the hardware tree parts' if scene['has_node'] else ''}.")
    width = LEFT + len(sides) * (WIDTH + GAP) + LEGEND_WIDTH
    svg.begin(width, ABOVE + max(above + -(-n // columns) * height, LEGEND_HEIGHT + 24), title, text)
    svg.text(LEFT, 22, "head", title)
    svg.text(LEFT, 38, "small", text)
    most_leaves = max((max(side["exchanged"][1], default=0) for side in sides), default=0)
    for i, side in enumerate(sides):
        svg.group(LEFT + i * (WIDTH + GAP), ABOVE)
        svg.text(0, -24, "head", f"Placed by {side['title']}")
        svg.text(0, -7, "sub", f"{amount(side['metrics']['off_node_bytes'], 'bytes')} go between "
                 "nodes in all")
        if above:
            svg.group(BARS_LEFT, 14)
            draw_bars(svg, scene, side, most_leaves)
            svg.end_group()
        for k, row in enumerate(rows[i]):
            svg.group(k % columns * step, above + k // columns * height - cut)
            row.draw(svg, most)
            svg.end_group()
        svg.end_group()
    svg.group(width - LEGEND_WIDTH, ABOVE)
    svg.legend("bytes", 0, most, "bytes")
    svg.end_group()
    svg.end()
