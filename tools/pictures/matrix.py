# SPDX-License-Identifier: LGPL-2.1-or-later
"""The communication matrix, as numbered and as placed, on one scale of colours."""
import math

from svg import STEPS, amount, escape, log_step, plural

SIDE = 512  # pixels of a matrix
MOST_CELLS = 512  # a side of one, of which larger ones are added up
LEFT, ABOVE, BELOW, GAP, LEGEND_WIDTH = 72, 84, 76, 96, 110
NODES_RULED = 64  # more nodes are not parted by lines
TICKS = 4
# Cells that have a title each; on a page, names may be long.
TITLED, TITLED_PAGE = 4096, 1200
# Of a matrix; beyond, cells become larger: a page stays below 2 MB.
STROKES, STROKES_PAGE = 1 << 18, 24000
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


class Cells:
    """What is exchanged, added up: row[i] = {column: value} of n rows, symmetric;
    a cell is of `per` places, and on the diagonal what is exchanged inside it.
    traffic: two tasks and a value, pair by pair, of which task t is at place[t]."""

    def __init__(self, traffic, place, per):
        self.ntasks, self.per = len(place), per
        self.n = -(-self.ntasks // per)
        self.row = [{} for _ in range(self.n)]
        cell = [t // per for t in place]
        for k in range(0, len(traffic), 3):
            i, j, value = cell[traffic[k]], cell[traffic[k + 1]], traffic[k + 2]
            row = self.row[i] if i < j else self.row[j]
            row[max(i, j)] = row.get(max(i, j), 0) + value
        for i, row in enumerate(self.row):
            for j, value in list(row.items()):
                if j > i:
                    self.row[j][i] = value
        self.measure()

    def measure(self):
        self.row = [dict(sorted(row.items())) for row in self.row]
        values = [value for row in self.row for value in row.values()]
        self.nfilled = len(values)
        self.least, self.most = min(values, default=math.inf), max(values, default=0)

    def halve(self):
        """The same in half as many cells a side."""
        half = [{} for _ in range((self.n + 1) // 2)]
        for i, row in enumerate(self.row):
            into = half[i // 2]
            for j, value in row.items():
                # One that comes onto the diagonal stands there on both sides.
                if i // 2 != j // 2 or i <= j:
                    into[j // 2] = into.get(j // 2, 0) + value
        self.row, self.n, self.per = half, len(half), 2 * self.per
        self.measure()

    def strokes(self, least, most):
        """(row, column, end, step) of neighbours of one colour."""
        for i, row in enumerate(self.row):
            first = end = step = None
            for j, value in row.items():
                here = log_step(value, least, most)
                if j == end and here == step:
                    end += 1
                    continue
                if end is not None:
                    yield i, first, end, step
                first, end, step = j, j + 1, here
            if end is not None:
                yield i, first, end, step


class Panel:
    """One of the matrices; side None: as numbered."""

    def __init__(self, scene, side):
        self.side, self.hosts = side, scene["hosts"]
        place = list(range(scene["ntasks"]))
        for i, t in enumerate(side["task"] if side else []):
            place[t] = i
        self.cells = Cells(scene["traffic"], place, max(1, -(-len(place) // MOST_CELLS)))
        self.is_numbered = False  # a mapping that has all ranks in order

    def is_in_order(self):
        return all(t == i for i, t in enumerate(self.side["task"]))

    def host(self, place):
        return self.hosts[self.side["at"][place]]

    def label(self, i):
        """rank 5 on n3; ranks 8-15; places 8-15, n0 to n3."""
        per = self.cells.per
        first, last = i * per, min((i + 1) * per, self.cells.ntasks) - 1
        if not self.side:
            return f"rank {first}" if first == last else f"ranks {first}-{last}"
        if first == last:
            return f"rank {self.side['task'][first]} on {self.host(first)}"
        if self.side["at"][first] == self.side["at"][last]:
            return f"places {first}-{last} on {self.host(first)}"
        return f"places {first}-{last}, {self.host(first)} to {self.host(last)}"

    def draw(self, svg, least, most, unit):
        cells, side = self.cells, self.side
        if not side:
            title, text = "As numbered", f"{cells.per} ranks a cell" if cells.per > 1 else ""
        else:
            title = ("As numbered, and placed by " if self.is_numbered else "As placed by ")
            title += side["title"]
            text = f"{side['metrics']['hops_per_byte']:.3g} hops per byte"
        svg.text(0, -26, "head", title)
        svg.text(0, -9, "sub", text)
        scale = SIDE / (cells.n * cells.per)
        if side and len(self.hosts) <= NODES_RULED:
            self.rule_nodes(svg, scale)
        if cells.nfilled <= (TITLED_PAGE if svg.on_page else TITLED):
            self.draw_titled(svg, least, most, unit)
        else:
            self.draw_many(svg, least, most, unit)
        self.draw_axes(svg, scale)

    def rule_nodes(self, svg, scale):
        """Lines where one node ends and the next begins."""
        host, length = self.side["at"], self.cells.ntasks * scale
        for i in range(1, len(host)):
            if host[i] != host[i - 1]:
                svg.line(i * scale, 0, i * scale, length, 1, "grid")
                svg.line(0, i * scale, length, i * scale, 1, "grid")

    def draw_titled(self, svg, least, most, unit):
        size = SIDE / self.cells.n
        labels = [self.label(i) for i in range(self.cells.n)]
        for i, row in enumerate(self.cells.row):
            for j, value in row.items():
                what = f"{labels[i]}, inside" if i == j else f"{labels[i]} with {labels[j]}"
                tip = f"{what}: {amount(value, unit)}"
                if unit == "bytes" and value >= 1000:
                    tip += f" ({value:.0f} bytes)"
                svg.rect(j * size, i * size, size, size, f"c{log_step(value, least, most)}", tip)

    def draw_many(self, svg, least, most, unit):
        """In units of a cell, scaled; cells.js reads the data."""
        n = self.cells.n
        svg.put(f'<g class="cells" data-n="{n}" data-unit="'
                f'{ {"bytes": "B", "seconds": "s"}.get(unit, "") }" data-cells="')
        svg.put(self.data(1e9 if unit == "seconds" else 1))
        labels = "|".join(escape(self.label(i).replace("|", "?")) for i in range(n))
        svg.put(f'" data-labels="{labels}">\n<g transform="scale({SIDE / n:.6g})">\n')
        paths = [[] for _ in range(STEPS)]
        at = [(0, 0)] * STEPS  # where the last stroke of a colour ended
        for row, column, end, step in self.cells.strokes(least, most):
            x, y = at[step]
            paths[step].append(f"m{column - x} {row - y}h{end - column}")
            at[step] = end, row
        for step, path in enumerate(paths):
            if path:
                svg.put(f'<path class="l{step}" d="M0 .5{"".join(path)}"/>\n')
        svg.put('<rect class="mark" x="-9" y="-9" width="1" height="1" '
                'vector-effect="non-scaling-stroke" visibility="hidden"/>\n'
                f'<rect class="hit" width="{n}" height="{n}" tabindex="0" '
                'vector-effect="non-scaling-stroke"/>\n</g>\n'
                f'<text class="value sub" x="0" y="{SIDE + 58:.6g}" '
                'aria-live="polite"></text>\n</g>\n')
        svg.has_script = True

    def data(self, factor):
        """`gap value` in base 36 of the upper triangle, row by row."""
        out = []
        for i, row in enumerate(self.cells.row):
            before, cells = -1, []
            for j, value in row.items():
                if j >= i:
                    value = value * factor
                    cells.append(base36(j - before) + " " +
                                 base36(1 if value < 1 else int(value + 0.5)))
                    before = j
            out.append(",".join(cells) + ";")
        return "".join(out)

    def draw_axes(self, svg, scale):
        n, before = self.cells.ntasks, None
        svg.rect(0, 0, SIDE, SIDE, "frame")
        for i in range(TICKS + 1):
            tick = n * i // TICKS if i < TICKS else n - 1
            at = (tick + 0.5) * scale
            if tick == before:
                continue
            before = tick
            svg.line(at, SIDE, at, SIDE + 5, 1, "axis")
            svg.text(at, SIDE + 18, "tick mid", str(tick))
            svg.line(-5, at, 0, at, 1, "axis")
            svg.text(-8, at + 4, "tick end", str(tick))
        svg.text(SIDE / 2, SIDE + 36, "sub mid", "place, node by node" if self.side else "rank")


def base36(value):
    digits = ""
    while True:
        value, digit = divmod(value, 36)
        digits = DIGITS[digit] + digits
        if value == 0:
            return digits


def fit(panels, most_strokes):
    """One scale for all, (least, most), and no more strokes than asked for."""
    while True:
        least = min(panel.cells.least for panel in panels)
        most = max(panel.cells.most for panel in panels)
        fits = all(sum(1 for _ in panel.cells.strokes(least, most)) <= most_strokes
                   for panel in panels)
        if not fits:
            for panel in panels:
                panel.cells.halve()
        if fits or panels[0].cells.n <= 1:
            return least, most


def draw(svg, scene):
    """One matrix by rank, then one for each mapping, whose rows are in the order
    of its nodes and their slots."""
    unit, sides = scene["unit"], scene["sides"]
    panels = [Panel(scene, side) for side in [None] + sides]
    # A page is narrow: one matrix need not stand there twice.
    if svg.on_page and len(panels) > 1 and panels[1].is_in_order():
        del panels[0]
        panels[0].is_numbered = True
    least, most = fit(panels, STROKES_PAGE if svg.on_page else STROKES)
    n, cells = len(panels), panels[0].cells
    title = (f"Who talks with whom: {scene['name']}, {scene['ntasks']} "
             f"rank{plural(scene['ntasks'])}, {unit}")
    if scene["type"]:
        title += f" of {scene['type']}"
    text = (f"A matrix of {cells.n} by {cells.n} cells, of {cells.per} rank{plural(cells.per)} "
            f"each; {cells.nfilled} of them are filled, with "
            f"{amount(cells.least if cells.nfilled else 0, unit)} to {amount(cells.most, unit)}"
            f"{' messages' if unit == 'messages' else ''}.")
    width = LEFT + n * SIDE + (n - 1) * GAP + LEGEND_WIDTH
    svg.begin(width, ABOVE + SIDE + BELOW, title, text)
    svg.text(LEFT, 24, "head", title)
    for i, panel in enumerate(panels):
        svg.group(LEFT + i * (SIDE + GAP), ABOVE)
        panel.draw(svg, least, most, unit)
        svg.end_group()
    svg.group(width - LEGEND_WIDTH + 24, ABOVE)
    svg.legend(unit, least if most > 0 else 0, most, unit, is_log=True)
    svg.end_group()
    svg.end()
