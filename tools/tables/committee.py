# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a time under observe has shown, on a page of HTML for a committee of users: a text,
a table and two pictures. The page needs no other file."""
import os
import sys

from observed import HEAD, cells, chosen, error_text

sys.path.append(os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))),
                             "pictures"))
from page import HEAD as PAGE_HEAD
from page import cell, put_table
from svg import Svg, beside, escape, look, plural

WIDTH, LEFT, BAR_WIDTH, BAR_HEIGHT, STEP, MOST = 960, 200, 560, 16, 44, 12


def bars(svg, title, about, named, values):
    """Two bars a name, the first one pale; values: (length, text) of each."""
    shown = [name for name in named if values(name[1])][:MOST]
    if not shown:
        return
    most = max(length for name in shown for length, _ in values(name[1]))
    svg.put("<figure>")
    svg.begin(WIDTH, 70 + STEP * len(shown), title, about)
    svg.text(20, 22, "head", title)
    svg.text(20, 40, "sub", about)
    for i, (name, row) in enumerate(shown):
        y = 56 + STEP * i
        svg.text(LEFT - 8, y + BAR_HEIGHT + 4, "end", name[:28])
        for k, (length, text) in enumerate(values(row)):
            width = BAR_WIDTH * length / most if most > 0 else 0
            svg.rect(LEFT, y + k * (BAR_HEIGHT + 1), width, BAR_HEIGHT, "bar" if k else "free",
                     f"{name[:80]}: {text}")
            svg.text(LEFT + width + 8, y + k * (BAR_HEIGHT + 1) + 13, "tick", text)
    svg.end()
    svg.put("</figure>\n")


def pair(key, scale, form, words):
    """The values of two bars, before and after; none where they are not known."""
    def values(row):
        both = [row[f"{key}_{when}"] for when in ("before", "after")]
        return [] if None in both else [(one / scale, f"{one / scale:{form}} {word}")
                                        for one, word in zip(both, words)]
    return values


def lead(site):
    if site["steps"] == 0:
        return ("No step was observed: under --topomap=observe, or the site's default=observe, "
                "topomap plans steps and leaves their ranks in Slurm's layout.")
    text = (f"{site['steps']} step{plural(site['steps'])} ran in Slurm's layout, and topomap "
            f"planned each while it ran.")
    if site["profile_share"] is not None:
        text += (f" {100 * site['profile_share']:.0f}% of {site['node_hours']:.3g} node-hours "
                 f"had a profile.")
    if site["hops_per_byte_before"] is not None:
        text += (f" The planned layouts have {site['hops_per_byte_after']:.3g} hops per byte "
                 f"instead of {site['hops_per_byte_before']:.3g}, on average.")
    if site["mpi_seconds_before"]:
        less = 1 - site["mpi_seconds_after"] / site["mpi_seconds_before"]
        text += (f" The estimated time in MPI falls by {100 * less:.0f}%, which saves "
                 f"{site['saved_node_hours']:.3g} node-hours.")
    return text


def page(rows, by, site):
    named, error = chosen(rows, by), error_text(rows)
    svg = Svg(on_page=True)
    svg.put(PAGE_HEAD.format(name="What placing would gain", style=look() + beside("page.css")))
    svg.put(f'<header>\n<h1>What placing ranks would gain</h1>\n<p class="lead">'
            f'{escape(lead(site))}</p>\n</header>\n<main id="main">\n')
    bars(svg, "Hops per byte", "links that a byte crosses, on average", named,
         pair("hops_per_byte", 1, ".3g", ("in Slurm's layout", "placed")))
    bars(svg, "Time in MPI", "hours of the observed steps, a task on average", named,
         pair("mpi_seconds", 3600, ".3g", ("h in Slurm's layout", "h placed, by estimate")))
    head = [(by, False)] + [(text.lstrip("<").lower().replace("mpi", "MPI"), text[0] != "<") for text in HEAD]
    put_table(svg, f"By {by}, most node-hours saved first", head,
              [[cell("-" if value is None else str(value), is_number)
                for value, (_, is_number) in zip(cells(*row), head)]
               for row in named + [("all of the site", site)]])
    svg.put("<h2>How sure this is</h2>\n<p>No rank was moved. The seconds in MPI are those of the "
            "recorded run of each program, scaled to the time of the step. topomap plan estimates "
            "from the recorded messages and the network how many of them a placement saves, and "
            "never more than the task with the least time in MPI spends there. "
            f"{escape(error[0].upper() + error[1:])}.</p>\n</main>\n"
            "<footer><p>Made by topomap history --report</p></footer>\n</body>\n</html>\n")
    return "".join(svg.out)
