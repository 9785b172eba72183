# SPDX-License-Identifier: LGPL-2.1-or-later
"""All pictures of a program in one page of HTML, with its figures as tables, which
can be read aloud and copied. It needs nothing beside it, and is well-formed XML."""
import shlex

import calls
import matrix
import network
import nodes
import search
from svg import Svg, amount, beside, escape, look, plural, script

HEAD = """<!DOCTYPE html>
<html xmlns="http://www.w3.org/1999/xhtml" lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width, initial-scale=1"/>
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:"/>
<title>{name} - topomap</title>
<style>{style}</style>
</head>
<body>
<a class="skip" href="#main">To the figures</a>
"""
# What each mapping comes to: a name, what it is, the metric, its unit.
FIGURES = (("Links a byte crosses", "on average", "hops_per_byte", "plain"),
           ("Between nodes", "bytes that leave their node", "off_node_bytes", "bytes"),
           ("Largest task", "its bytes times the links they cross", "max_hop_bytes", "bytes"),
           ("Busiest link", "bytes over it", "max_link_bytes", "bytes"),
           ("Slowest link", "bytes of one direction by capacity", "max_link_time", None))


def put_table(svg, caption, head, rows):
    """head: (text, is_number) of each column; rows of cells of HTML."""
    svg.put(f'<div class="wide"><table><caption>{caption}</caption>\n<thead><tr>')
    for text, is_number in head:
        svg.put(f'<th scope="col"{NUMBER if is_number else ""}>{escape(text)}</th>')
    svg.put("</tr></thead><tbody>\n")
    for row in rows:
        svg.put(f"<tr>{''.join(row)}</tr>\n")
    svg.put("</tbody></table></div>\n")


NUMBER = ' class="n"'


def cell(text, is_number=False):
    return f"<td{NUMBER if is_number else ''}>{escape(text)}</td>"


def lead(scene):
    """The one sentence that everybody wants."""
    sides, profile_share = scene["sides"], -1
    if scene["profile"]:
        profile_share = scene["profile"]["mpi_share"]
    if not sides:
        text = "No network was named: see who talks with whom."
    elif len(sides) == 1:
        text = (f"Placed by {escape(sides[0]['title'])}, a byte crosses "
                f"{sides[0]['metrics']['hops_per_byte']:.3g} links on average.")
    else:
        first, last = sides[0]["metrics"], sides[-1]["metrics"]
        text = (f"Placed by {escape(sides[-1]['title'])}, a byte crosses "
                f"{last['hops_per_byte']:.3g} links instead of {first['hops_per_byte']:.3g} "
                f"({escape(sides[0]['title'])})")
        if first["max_link_time"] > 0:
            share = last["max_link_time"] / first["max_link_time"]
            text += ("; the slowest link carries as much" if share == 1 else
                     f"; the slowest link carries {100 * abs(1 - share):.0f}% "
                     f"{'less' if share < 1 else 'more'}")
        text += "."
    if profile_share >= 0:
        text += f" MPI is {100 * profile_share:.0f}% of this program's time."
    return text


def recording(of):
    text = f"Recorded {escape(of['recorded'])}"
    if of.get("job"):
        text += f", job {escape(of['job'])}"
    if of.get("hosts"):
        text += f", on {of['hosts']} node{plural(of['hosts'])}"
    if of.get("tasks_recorded"):
        text += f", of {of['tasks_recorded']} of {of['ntasks']} ranks"
    if of.get("mpi"):
        text += f"; {escape(of['mpi'])}"
    return text + "."


def put_header(svg, scene, sections):
    svg.put(f"<header>\n<h1>{escape(scene['name'])}, {scene['ntasks']} "
            f"rank{plural(scene['ntasks'])}</h1>\n<p class=\"lead\">{lead(scene)}</p>\n")
    if scene["profile"]:
        svg.put(f'<p class="soft">{recording(scene["profile"])}</p>\n')
    if scene["network"]:
        svg.put(f'<p class="soft">Network: {escape(scene["network"]["describe"])}; '
                f'{len(scene["hosts"])} of its nodes, {scene["nslots"]} slots.</p>\n')
    links = " ".join(f'<a href="#{name}">{name.capitalize()}</a>' for name, _, _ in sections)
    svg.put(f'</header>\n<nav aria-label="Sections">{links}</nav>\n<main id="main">\n')


def put_figure(svg, scene, draw):
    svg.put("<figure>")
    draw(svg, scene)
    svg.put("</figure>\n")


def put_metrics(svg, scene):
    sides, rows = scene["sides"], []
    for name, what, key, unit in FIGURES:
        values = [side["metrics"][key] for side in sides]
        row = [f'<th scope="row">{name} <small>{what}</small></th>']
        row += [cell(amount(value, unit or network.time_unit(scene["network"])), True)
                for value in values]
        if len(values) > 1:
            row.append(cell(f"{100 * (values[-1] - values[0]) / values[0]:+.1f}%"
                            if values[0] > 0 else "-", True))
        rows.append(row)
    head = [("", False)] + [(side["title"], True) for side in sides]
    put_table(svg, "What each mapping comes to",
              head + ([("last to first", True)] if len(sides) > 1 else []), rows)


def put_matrix(svg, scene):
    put_figure(svg, scene, matrix.draw)
    rows = []
    for a, b, value, places in scene["pairs"]:
        rows.append([cell(str(a), True), cell(str(b), True), cell(amount(value, "bytes"), True)] +
                    [cell(place_of(scene["hosts"], *place)) for place in places])
    put_table(svg, "The pairs of ranks that exchange most",
              [("Rank", True), ("Rank", True), ("Bytes", True)] +
              [(side["title"], False) for side in scene["sides"]], rows)


def place_of(hosts, a, b, links):
    if a == b:
        return f"both on {hosts[a]}"
    return f"{hosts[a]} and {hosts[b]}, {links} link{plural(links)}"


def put_network(svg, scene):
    put_figure(svg, scene, network.draw)
    net = scene["network"]
    loads = [network.Loads(net, side) for side in scene["sides"]]
    busiest = [one.busiest() for one in loads]
    rows = []
    for i in range(max(map(len, busiest))):
        row = [cell(str(i + 1), True)]
        for links, one in zip(busiest, loads):
            row += ([cell(net["link_names"][links[i]]),
                     cell(amount(one.load[links[i]], "bytes"), True)]
                    if i < len(links) else ["<td></td><td></td>"])
        rows.append(row)
    head = [column for side in scene["sides"]
            for column in ((side["title"], False), ("carries", True))]
    put_table(svg, "The ten busiest links, by what they carry and can carry",
              [("", False)] + head, rows)
    put_figure(svg, scene, nodes.draw)


def put_calls(svg, scene):
    put_figure(svg, scene, calls.draw)
    put_table(svg, "Calls by type", [("Type", False), ("Calls", True), ("Sent", True),
                                     ("Time, all ranks", True)],
              [[cell(one["type"]), cell(str(one["calls"]), True),
                cell(amount(one["bytes"], "bytes"), True),
                cell(amount(one["seconds"], "seconds"), True)]
               for one in scene["profile"]["types"]])


def put_search(svg, scene):
    put_figure(svg, scene, search.draw)


def draw(svg, scene):
    """The page, section by section."""
    page = Svg(on_page=True)
    page.out = svg.out
    sections = [("figures", "Figures", put_metrics)] if scene["sides"] else []
    sections.append(("matrix", "Who talks with whom", put_matrix))
    if scene["sides"]:
        sections.append(("network", "What the network carries", put_network))
    if scene["profile"]:
        sections.append(("calls", "What the program does in MPI", put_calls))
    if scene["search"]:
        sections.append(("search", "The search", put_search))
    page.put(HEAD.format(name=escape(scene["name"]), style=look() + beside("page.css")))
    put_header(page, scene, sections)
    for name, title, put in sections:
        page.put(f'<section id="{name}" aria-labelledby="{name}-title">\n'
                 f'<h2 id="{name}-title">{title}</h2>\n')
        put(page, scene)
        page.put("</section>\n")
    made = f"Made by topomap {scene['version']}"
    if scene["command"]:
        made += f": <code>{escape(shlex.join(['topomap'] + scene['command']))}</code>"
    page.put(f"</main>\n<footer><p>{made}</p></footer>\n{script()}</body>\n</html>\n")
