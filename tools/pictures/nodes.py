# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who sits where in the first nodes: rows of slots, with arcs between them.

scene["nodes"]: of the first nodes nslots; cores (the core of each slot; none where it
is not known); near (how many steps of the hardware tree part each slot from the
next); frames (of each level that parts slots, the outermost first: steps, and [first,
end, name] of each object). flows of a mapping: two tasks and their bytes, from each
that is on one of these nodes.
"""
from svg import LEGEND_HEIGHT, amount, even_step

MOST_ARCS = 250  # of a node; the heaviest are drawn
MOST_FRAMES = 4  # inside one another
LEFT, ABOVE, WIDTH, GAP, LEGEND_WIDTH = 30, 86, 560, 50, 120
ARCS_HEIGHT, SLOT_HEIGHT, SLOT_MOST = 84, 28, 44
FRAME, NAME_STEP = 5, 13  # from a frame to the next; from a line of names to the next
ROW_HEIGHT = ARCS_HEIGHT + SLOT_HEIGHT + 2 * FRAME * MOST_FRAMES + 40
# A letter of a name, of a rank, and where that does not fit.
LETTER, LETTER_SMALL, LETTER_TINY = 6, 7, 5


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
                 NAME_STEP * len(self.frames), "tick",
                 f"{self.name}: {amount(self.inside, 'bytes')} inside, "
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


def place(scene, side):
    """The rows of a mapping."""
    rows = [Row(row, name) for row, name in zip(scene["nodes"], scene["hosts"])]
    host, slot, flows = side["host"], side["slot"], side["flows"]
    for task, (h, s) in enumerate(zip(host, slot)):
        if h < len(rows):
            rows[h].slots[s] = task
    for k in range(0, len(flows), 3):
        a, b, size = flows[k:k + 3]
        row = rows[host[a]]
        if host[a] != host[b]:
            row.leaves += size
        elif slot[a] < slot[b]:
            row.inside += size
            row.arcs.append((size, slot[a], slot[b]))
    for row in rows:
        row.arcs.sort()
    return rows


def draw(svg, scene):
    sides, nhosts = scene["sides"], len(scene["hosts"])
    rows = [place(scene, side) for side in sides]
    every = [row for side in rows for row in side]
    n = len(rows[0]) if rows else 0
    most = max((row.arcs[-1][0] for row in every if row.arcs), default=0)
    # Rows are as high as the highest arc, and not lower than the frames.
    rises = [row.rise(*arc[1:]) / 2 + 8 for row in every for arc in row.arcs[-MOST_ARCS:]]
    cut = ARCS_HEIGHT - min(ARCS_HEIGHT, max(rises + [FRAME * MOST_FRAMES + 8]))
    height = ROW_HEIGHT - cut + NAME_STEP * max((len(row.frames) for row in every), default=0)
    title = f"Who sits where in the nodes: {scene['name']}"
    text = (f"{'The first ' if n < nhosts else ''}{n} of {nhosts} nodes: boxes are slots with "
            f"their ranks, arcs bytes between them"
            f"{', frames what the hardware tree parts' if scene['has_node'] else ''}.")
    width = LEFT + len(sides) * (WIDTH + GAP) + LEGEND_WIDTH
    svg.begin(width, ABOVE + max(n * height, LEGEND_HEIGHT + 24), title, text)
    svg.text(LEFT, 22, "head", title)
    svg.text(LEFT, 38, "small", text)
    for i, side in enumerate(sides):
        svg.group(LEFT + i * (WIDTH + GAP), ABOVE)
        svg.text(0, -24, "head", f"Placed by {side['title']}")
        svg.text(0, -7, "sub", f"{amount(side['metrics']['off_node_bytes'], 'bytes')} go between "
                 "nodes in all")
        for k, row in enumerate(rows[i]):
            svg.group(0, k * height - cut)
            row.draw(svg, most)
            svg.end_group()
        svg.end_group()
    svg.group(width - LEGEND_WIDTH, ABOVE)
    svg.legend("bytes", 0, most, "bytes")
    svg.end_group()
    svg.end()
