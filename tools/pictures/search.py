# SPDX-License-Identifier: LGPL-2.1-or-later
"""How the best mapping got better while it was searched for, mapper by mapper.

scene["search"]: seconds, work (mappings tried), mapper (of the best), events
([seconds, work, hops per byte, mapper]: a mapping of a mapper, or, without one, that
the best got better).
"""
from svg import amount, ticks

WIDTH, HEIGHT, LEFT, ABOVE, BELOW, MARKS = 760, 200, 30, 70, 56, 4
# The space above the first lane, from lane to lane, and for names and the best.
LANES_ABOVE, LANE_STEP, LANE_LEFT, LANE_RIGHT = 30, 20, 150, 90
TITLE = "How the best mapping got better"
BEFORE = "as Slurm places them (block)"


MOST_LANES, MOST_TICKS = 16, 200


def moments_of(events):
    """[seconds, work, hops per byte, mapper or ""] when the best got better."""
    moments, last = [], (None, "")
    for seconds, work, hops, mapper in events:
        if mapper:
            last = (hops, mapper)
        else:
            moments.append((seconds, work, hops, last[1] if last[0] == hops else ""))
    return moments


def lanes_of(events):
    """mapper, best, and ticks: [seconds, hops per byte] of its mappings, the first ones and
    in any case the best."""
    ticks = {}
    for seconds, _, hops, mapper in events:
        if mapper and (mapper in ticks or len(ticks) < MOST_LANES):
            ticks.setdefault(mapper, []).append((seconds, hops))
    lanes = []
    for mapper, came in ticks.items():
        best = min(came, key=lambda tick: tick[1])
        shown = came[:MOST_TICKS]
        lanes.append({"mapper": mapper, "best": best[1],
                      "ticks": shown if best in shown else shown[:-1] + [best]})
    return lanes


def height_at(hops, most):
    return HEIGHT * (1 - hops / most) if most > 0 else HEIGHT


def draw_axes(svg, most, seconds):
    for value in [0] + ticks(most, MARKS):
        y = height_at(value, most)
        svg.line(0, y, WIDTH, y, 1, "grid" if value else "axis")
        svg.text(-8, y + 4, "tick end", f"{value:.3g}")
    for value in [0] + ticks(seconds, MARKS):
        x = WIDTH * value / seconds if seconds > 0 else 0
        svg.line(x, HEIGHT, x, HEIGHT + 4, 1, "axis")
        svg.text(x, HEIGHT + 16, "tick mid", amount(value, "seconds"))
    svg.text(-8, -12, "sub", "hops per byte")
    svg.text(WIDTH / 2, HEIGHT + 36, "sub mid", "time of the search")


def draw_steps(svg, search, moments, most):
    scale = WIDTH / search["seconds"]
    ends = [moment[0] for moment in moments[1:]] + [search["seconds"]]
    before = None
    for (seconds, work, hops, mapper), end in zip(moments, ends):
        x, y = scale * seconds, height_at(hops, most)
        if before is not None:
            svg.line(x, before, x, y, 2, "curve")
        svg.line(x, y, scale * end, y, 3, "curve",
                 f"from {amount(seconds, 'seconds')} on, {work} mappings tried: {hops:.3g} hops "
                 f"per byte{', by ' if mapper else ''}{mapper}")
        before = y


def draw_lanes(svg, search, lanes):
    """When a mapper's mappings came, on the curve's time, and its best."""
    best = min(lane["best"] for lane in lanes)
    svg.text(-8, -18, "sub end", "mapper")
    svg.text(WIDTH + 10, -18, "sub", "its best")
    for i, lane in enumerate(lanes):
        svg.group(0, i * LANE_STEP)
        svg.text(-8, 4, "tick end", lane["mapper"])
        svg.line(0, 0, WIDTH, 0, 1, "grid")
        for seconds, hops in lane["ticks"]:
            svg.circle(WIDTH * min(seconds / search["seconds"], 1), 0,
                       2.5 if hops > lane["best"] else 4, "bar",
                       f"{lane['mapper']} after {amount(seconds, 'seconds')}: {hops:.3g} hops "
                       "per byte")
        svg.text(WIDTH + 10, 4, "tick" if lane["best"] > best else "head", f"{lane['best']:.4g}")
        svg.end_group()


def draw(svg, scene):
    search, before = scene["search"], scene["sides"][0]["metrics"]["hops_per_byte"]
    moments, lanes = moments_of(search["events"]), lanes_of(search["events"])
    most = max([before] + [moment[2] for moment in moments[:1]])
    text = (f"{search['work']} mappings tried in {amount(search['seconds'], 'seconds')}; the best "
            f"is of {search['mapper']}.")
    svg.begin(LANE_LEFT + WIDTH + LANE_RIGHT,
              ABOVE + HEIGHT + BELOW + LANES_ABOVE + len(lanes) * LANE_STEP, TITLE, text)
    svg.text(LEFT, 22, "head", TITLE)
    svg.text(LEFT, 38, "small", text)
    svg.group(LANE_LEFT, ABOVE)
    draw_axes(svg, most, search["seconds"])
    y = height_at(before, most)
    svg.line(0, y, WIDTH, y, 1.5, "mark", BEFORE)
    svg.text(WIDTH, y - 5, "tick end", BEFORE)
    draw_steps(svg, search, moments, most)
    svg.end_group()
    if lanes:
        svg.group(LANE_LEFT, ABOVE + HEIGHT + BELOW + LANES_ABOVE)
        draw_lanes(svg, search, lanes)
        svg.end_group()
    svg.end()
