# SPDX-License-Identifier: LGPL-2.1-or-later
"""Who sits where in the first nodes: rows of slots, with arcs between them.

scene["nodes"]: of each mapping the rows of its first nodes: name; slots (the rank
of each, null: free), cores (the core of each; none where it is not known); near (how many steps of the hardware tree part each slot from the next);
frames (of each level that parts slots, the outermost first: steps, and [first, end,
name] of each object); arcs ([a, b, bytes], slots, the heaviest last), inside and
leaves (bytes).
"""
from svg import amount, even_step

MOST_ARCS = 250  # of a node; the heaviest are drawn
MOST_FRAMES = 4  # inside one another
LEFT, ABOVE, WIDTH, GAP, LEGEND_WIDTH = 30, 86, 560, 50, 120
ARCS_HEIGHT, SLOT_HEIGHT, SLOT_MOST = 84, 28, 44
FRAME, NAME_STEP = 5, 13  # from a frame to the next; from a line of names to the next
ROW_HEIGHT = ARCS_HEIGHT + SLOT_HEIGHT + 2 * FRAME * MOST_FRAMES + 40
# A letter of a name, of a rank, and where that does not fit.
LETTER, LETTER_SMALL, LETTER_TINY = 6, 7, 5


def inset(steps):
    """How far the frame of slots that are nearer than so many steps stands out."""
    depth = (steps - 1) // 2 if steps > 0 else 0
    return FRAME * min(depth, MOST_FRAMES - 1)


class Row:
    """A node under one mapping; left: of each slot, and of the end."""

    def __init__(self, row):
        self.row, self.slots, self.frames = row, row["slots"], row["frames"]
        n, gaps, self.left = len(self.slots), 0.0, [0.0]
        for steps in row["near"]:
            gaps += 2 * inset(steps)
            self.left.append(gaps)
        room = WIDTH - 2 * FRAME * MOST_FRAMES - gaps
        self.width = max(3, min(SLOT_MOST, room / max(n, 1)))
        self.left = [FRAME * MOST_FRAMES + x + s * self.width for s, x in enumerate(self.left[:n])]
        self.left.append(FRAME * MOST_FRAMES + gaps + n * self.width)

    def draw(self, svg, most):
        row = self.row
        self.draw_tree(svg)
        self.draw_arcs(svg, most)
        self.draw_slots(svg)
        svg.text(0, ARCS_HEIGHT + SLOT_HEIGHT + FRAME * MOST_FRAMES + 16 +
                 NAME_STEP * len(self.frames), "tick",
                 f"{row['name']}: {amount(row['inside'], 'bytes')} inside, "
                 f"{amount(row['leaves'], 'bytes')} leave it")

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
        for a, b, size in self.row["arcs"][-MOST_ARCS:]:
            start, end = self.left[a] + half, self.left[b] + half
            tip = (f"rank {self.slots[a]} with rank {self.slots[b]}: {amount(size, 'bytes')}")
            if size >= 1000:
                tip += f" ({size} bytes)"
            svg.bow(start, end, ARCS_HEIGHT, min(2 * ARCS_HEIGHT - 20, 16 + 0.7 * (end - start)),
                    1.2 + 2.5 * size / most, f"l{even_step(size, most)}", tip)

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


def draw(svg, scene):
    sides, nhosts = scene["sides"], len(scene["hosts"])
    rows = [[Row(row) for row in side] for side in scene["nodes"]]
    every = [row for side in rows for row in side]
    n = len(rows[0]) if rows else 0
    most = max((row.row["arcs"][-1][2] for row in every if row.row["arcs"]), default=0)
    height = ROW_HEIGHT + NAME_STEP * max((len(row.frames) for row in every), default=0)
    title = f"Who sits where in the nodes: {scene['name']}"
    text = (f"{'The first ' if n < nhosts else ''}{n} of {nhosts} nodes: boxes are slots with "
            f"their ranks, arcs bytes between them"
            f"{', frames what the hardware tree parts' if scene['has_node'] else ''}.")
    width = LEFT + len(sides) * (WIDTH + GAP) + LEGEND_WIDTH
    svg.begin(width, ABOVE + n * height, title, text)
    svg.text(LEFT, 22, "head", title)
    svg.text(LEFT, 38, "small", text)
    for i, side in enumerate(sides):
        svg.group(LEFT + i * (WIDTH + GAP), ABOVE)
        svg.text(0, -24, "head", f"Placed by {side['title']}")
        svg.text(0, -7, "sub", f"{amount(side['metrics']['off_node_bytes'], 'bytes')} go between "
                 "nodes in all")
        for k, row in enumerate(rows[i]):
            svg.group(0, k * height)
            row.draw(svg, most)
            svg.end_group()
        svg.end_group()
    svg.group(width - LEGEND_WIDTH, ABOVE)
    svg.legend("bytes", 0, most, "bytes")
    svg.end_group()
    svg.end()
