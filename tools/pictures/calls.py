# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a program did in MPI: bars of a profile's seconds, messages and ranks.

scene["profile"]: profile.json, and mpi_share (negative: not known); scene["sizes"]: messages by size, of 2^(i-1) bytes or more; none where they are not
known; scene["traffic"]: two tasks and their bytes, pair by pair.
"""
import math

from svg import amount, log_ticks, plural

WIDTH, LEFT, SHARE_HEIGHT = 960, 30, 26
BAR_LEFT, BAR_WIDTH, BAR_HEIGHT, BAR_STEP = 170, 420, 16, 24
MOST_TYPES = 24
CHART_WIDTH, CHART_HEIGHT, CHART_STEP = 380, 180, 490
MOST_RANKS = 128  # bars; more ranks share one


def draw_share(svg, profile):
    """How much of the run was in MPI: what a placement can matter at most."""
    share, width = profile["mpi_share"], WIDTH - 2 * LEFT
    if share < 0:
        svg.text(0, 16, "sub", "Share of the run in MPI: not known, this is no recording")
        return
    svg.rect(0, 0, width, SHARE_HEIGHT, "free")
    svg.rect(0, 0, width * min(share, 1), SHARE_HEIGHT, "bar")
    svg.text(0, SHARE_HEIGHT + 16, "sub",
             f"In MPI: {100 * share:.1f}% of the run, "
             f"{amount(share * profile['seconds'], 'seconds')} of "
             f"{amount(profile['seconds'], 'seconds')} a rank on average")


def by_time(types):
    return sorted(types, key=lambda t: -t["seconds"])


def draw_types(svg, types):
    most, total = types[0]["seconds"] if types else 0, sum(t["seconds"] for t in types)
    svg.text(0, -10, "head", "Time by type of call")
    for i, one in enumerate(types[:MOST_TYPES]):
        y, seconds = i * BAR_STEP, amount(one["seconds"], "seconds")
        length = BAR_WIDTH * one["seconds"] / most if most > 0 else 0
        svg.text(BAR_LEFT - 8, y + 13, "end", one["type"])
        svg.rect(BAR_LEFT, y, length, BAR_HEIGHT, "bar",
                 f"{one['type'][:80]}: {seconds} in all ranks, {one['calls']} calls, "
                 f"{one['bytes']} bytes")
        share = 100 * one["seconds"] / total if total > 0 else 0
        svg.text(BAR_LEFT + length + 8, y + 13, "tick",
                 f"{seconds} ({share:.0f}%), {amount(one['calls'], 'messages')} calls, "
                 f"{amount(one['bytes'], 'bytes')}")
    if len(types) > MOST_TYPES:
        svg.text(BAR_LEFT, MOST_TYPES * BAR_STEP + 13, "tick",
                 f"and {len(types) - MOST_TYPES} types of less time")


def draw_spans(svg, profile, spanned):
    """How unevenly a type's seconds lie on the ranks: from the shortest to the
    longest one, beside what all had if they were even."""
    most = max(one["task_seconds"]["max"] for one in spanned)
    svg.text(0, -10, "head", "Imbalance: seconds of the shortest and the longest rank")
    for i, one in enumerate(spanned[:MOST_TYPES] if most > 0 else []):
        span, y, mean = one["task_seconds"], i * BAR_STEP, one["seconds"] / profile["ntasks"]
        longest = amount(span["max"], "seconds")
        tip = (f"{one['type'][:60]}: rank {span['max_task']} had {longest}, rank "
               f"{span['min_task']} {amount(span['min'], 'seconds')}, the mean "
               f"{amount(mean, 'seconds')}")
        scale = BAR_WIDTH / most
        svg.text(BAR_LEFT - 8, y + 13, "end", one["type"])
        svg.rect(BAR_LEFT + scale * span["min"], y + 4,
                 max(2, scale * (span["max"] - span["min"])), BAR_HEIGHT - 8, "bar", tip)
        svg.line(BAR_LEFT + scale * mean, y, BAR_LEFT + scale * mean, y + BAR_HEIGHT, 2, "mark",
                 tip)
        svg.text(BAR_LEFT + scale * span["max"] + 8, y + 13, "tick",
                 f"{longest} in rank {span['max_task']}, "
                 f"{span['max'] / mean if mean > 0 else 1:.3g} times the mean")


def draw_axes(svg, title, below, most, mean=None):
    svg.text(0, -26, "head", title)
    svg.text(0, -8, "tick", most)
    if mean:
        svg.text(CHART_WIDTH, -8, "tick end", mean)
    svg.line(0, CHART_HEIGHT, CHART_WIDTH, CHART_HEIGHT, 1, "axis")
    svg.line(0, 0, CHART_WIDTH, 0, 1, "grid")
    svg.text(CHART_WIDTH / 2, CHART_HEIGHT + 38, "sub mid", below)


def size_name(i):
    """The least size of a class, which is a power of two."""
    return amount(0 if i == 0 else 1 << (i - 1), "bytes")


def size_ticks(first, last):
    """Round sizes from class first to the end of class last, without that of no bytes."""
    return log_ticks(2.0 ** (first - 1 if first else 1), 2.0 ** last)


def draw_sizes(svg, sizes):
    filled = [i for i, count in enumerate(sizes) if count > 0]
    first, last, most = filled[0], filled[-1], max(sizes)
    if first == last:  # a single one, between its neighbours
        first, last = max(0, first - 1), min(last + 1, len(sizes) - 1)
    draw_axes(svg, "Sizes of messages", "bytes a message, logarithmic scale",
              f"{amount(most, 'messages')} messages")
    step = CHART_WIDTH / (last - first + 1)
    for i in range(first, last + 1):
        x, height = (i - first) * step, CHART_HEIGHT * sizes[i] / most
        svg.rect(x + 1, CHART_HEIGHT - height, step - 2 if step > 3 else step, height, "bar",
                 f"{size_name(i)} and more: {sizes[i]:.0f} messages")
    if first == 0:
        svg.text(step / 2, CHART_HEIGHT + 16, "tick mid", amount(0, "bytes"))
    for size in size_ticks(first, last):
        x = (math.log2(size) + 1 - first) * step
        svg.line(x, CHART_HEIGHT, x, CHART_HEIGHT + 4, 1, "axis")
        svg.text(x, CHART_HEIGHT + 16, "tick mid", amount(size, "bytes"))

def draw_ranks(svg, ranks):
    """What each rank exchanged; of several that share a bar the busiest."""
    n = len(ranks)
    per = -(-n // MOST_RANKS)
    step, most, mean = CHART_WIDTH / -(-n // per), max(ranks), sum(ranks) / n
    draw_axes(svg, "What each rank exchanges", "rank", f"{amount(most, 'bytes')} at most"
              f"{', of several ranks the busiest' if per > 1 else ''}",
              f"line: the mean, {amount(mean, 'bytes')}")
    for i, first in enumerate(range(0, n, per)):
        rank = max(range(first, min(first + per, n)), key=lambda t: ranks[t])
        height = CHART_HEIGHT * ranks[rank] / most if most > 0 else 0
        svg.rect(i * step, CHART_HEIGHT - height, step - 1 if step > 4 else step, height, "bar",
                 f"rank {rank}: {amount(ranks[rank], 'bytes')} ({ranks[rank]:.0f} bytes)")
    svg.text(0, CHART_HEIGHT + 16, "tick", "0")
    svg.text(CHART_WIDTH, CHART_HEIGHT + 16, "tick end", str(n - 1))
    if most > 0:
        y = CHART_HEIGHT * (1 - mean / most)
        svg.line(0, y, CHART_WIDTH, y, 1.5, "mark")


def draw(svg, scene):
    profile, traffic = scene["profile"], scene["traffic"]
    ranks = [0] * scene["ntasks"]
    for k in range(0, len(traffic), 3):
        ranks[traffic[k]] += traffic[k + 2]
        ranks[traffic[k + 1]] += traffic[k + 2]
    types = by_time(profile["types"])
    spanned = [one for one in types if "task_seconds" in one]
    below_types = (min(len(types), MOST_TYPES) + 1) * BAR_STEP
    height = below_types + ((min(len(spanned), MOST_TYPES) + 2) * BAR_STEP if spanned else 0)
    title = (f"What {profile['program']} did in MPI: {profile['ntasks']} "
             f"rank{plural(profile['ntasks'])}")
    svg.begin(WIDTH, 150 + height + 80 + CHART_HEIGHT + 50, title,
              "The share of the run in MPI, seconds by type of call and of the longest and "
              "shortest rank, sizes of messages, and the bytes that each rank exchanges.")
    svg.text(LEFT, 24, "head", title)
    parts = [(LEFT, 44, draw_share, (profile,)), (LEFT, 134, draw_types, (types,))]
    if spanned:
        parts.append((LEFT, 134 + below_types + BAR_STEP, draw_spans, (profile, spanned)))
    parts.append((LEFT, 150 + height + 50, draw_ranks, (ranks,)))
    if any(scene["sizes"]):
        parts.append((LEFT + CHART_STEP, 150 + height + 50, draw_sizes, (scene["sizes"],)))
    for x, y, part, arguments in parts:
        svg.group(x, y)
        part(svg, *arguments)
        svg.end_group()
    svg.end()
