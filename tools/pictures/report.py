# SPDX-License-Identifier: LGPL-2.1-or-later
"""All pictures of a program in one page of HTML, with its figures as tables, which
can be read aloud and copied. It needs nothing beside it, and is well-formed XML."""
import shlex

import calls
import matrix
import network
import nodes
import search
from page import HEAD, cell, put_table
from svg import Svg, amount, beside, escape, look, plural, script

# What each mapping comes to: a name, what it is, the metric, its unit.
FIGURES = (("Hops per byte", "links that a byte crosses, on average", "hops_per_byte", "plain"),
           ("Off-node bytes", "that leave their node", "off_node_bytes", "bytes"),
           ("Largest task", "its bytes times the links they cross", "max_hop_bytes", "bytes"),
           ("Busiest link", "most bytes over a link", "max_link_bytes", "bytes"),
           ("Slowest link's time", "bytes one way / capacity", "max_link_time", None))
TELLS = 3  # pairs of a sentence


def lead(scene):
    """What the mapping gains, and how much that can matter."""
    sides, profile_share = scene["sides"], -1
    if scene["profile"]:
        profile_share = scene["profile"]["mpi_share"]
    if not sides:
        text = "No network was named: see who talks with whom."
    elif len(sides) == 1:
        hops = f"{sides[0]['metrics']['hops_per_byte']:.3g} hops per byte"
        text = f"Placed by {escape(sides[0]['title'])}: {hops}."
        if scene["alike"]:
            text = f"No mapping better than {escape(sides[0]['title'])} was found: {hops}."
    else:
        first, last = sides[0]["metrics"], sides[-1]["metrics"]
        text = (f"Placed by {escape(sides[-1]['title'])}: {last['hops_per_byte']:.3g} hops per "
                f"byte instead of {first['hops_per_byte']:.3g} ({escape(sides[0]['title'])})")
        if first["max_link_time"] > 0:
            text += f"; the slowest link's time {change(first['max_link_time'], last['max_link_time'])}"
        text += "."
    if profile_share >= 0:
        text += f" MPI is {100 * profile_share:.0f}% of this program's time."
    return text


def change(before, after):
    if before <= 0 or abs(after - before) < 0.005 * before:
        return "as before"
    return f"{100 * abs(1 - after / before):.0f}% {'less' if after < before else 'more'}"


def same_figures(scene):
    """Whether all mappings come to the same, so that one picture shows them all."""
    sides = scene["sides"]
    return len(sides) > 1 and all(side["metrics"][key] == sides[0]["metrics"][key]
                                  for side in sides[1:] for _, _, key, _ in FIGURES)


def link_of(scene, i):
    """The slowest link of mapping i, its time, and how many others take as long."""
    net, loads = scene["network"], network.Loads(scene["network"], scene["sides"][i])
    link = scene["slowest"][i]["link"]
    alike = sum(1 for l in range(len(loads.load)) if loads.time(l) == loads.time(link)) - 1
    name = f"{escape(net['link_names'][link])} is the slowest link"
    if alike:
        name += f" ({alike} other{plural(alike)} take{'' if alike > 1 else 's'} as long)"
    return link, loads, name


def pairs_on(scene, i):
    """Between which ranks the bytes of that link go."""
    slowest = scene["slowest"][i]
    most = [f"{a} and {b} ({amount(value, 'bytes')})"
            for a, b, value, _ in slowest["pairs"][:TELLS]]
    text = f"{slowest['npairs']} pair{plural(slowest['npairs'])} of ranks use it"
    return f"{text}, most of all {', '.join(most)}" if most else text


def why(scene):
    """What is slow under the first mapping, what the last one moved, and what that came to."""
    sides = scene["sides"]
    link, loads, name = link_of(scene, 0)
    if loads.load[link] <= 0:
        return ["All bytes stay inside nodes."]
    told = [f"Placed by {escape(sides[0]['title'])}, {name}: it carries "
            f"{amount(loads.load[link], 'bytes')}. {pairs_on(scene, 0)}."]
    if len(sides) < 2:
        return told
    moved = sum(1 for a, b in zip(sides[0]["host"], sides[-1]["host"]) if a != b)
    after = network.Loads(scene["network"], sides[-1]).load[link]
    text = (f"Placed by {escape(sides[-1]['title'])}, {moved} of {scene['ntasks']} "
            f"rank{plural(scene['ntasks'])} {'is' if moved == 1 else 'are'} on other nodes. "
            f"That link then carries "
            f"{amount(after, 'bytes')}, {change(loads.load[link], after)}.")
    for a, b, _, places in scene["slowest"][0]["pairs"][:TELLS]:
        if places[0] != places[-1]:
            text += (f" Ranks {a} and {b} were {distance(places[0])} and are then "
                     f"{distance(places[-1])}.")
    told.append(text)
    link, loads, name = link_of(scene, -1)
    if loads.load[link] > 0:
        told.append(f"After that, {name}, with {amount(loads.load[link], 'bytes')}. "
                    f"{pairs_on(scene, -1)}.")
    return told


def distance(place):
    return "on one node" if place[0] == place[1] else f"{place[2]} link{plural(place[2])} apart"


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
            percent = 100 * (values[-1] / values[0] - 1) if values[0] > 0 else 0
            row.append(cell(f"{percent:+.1f}%" if abs(percent) >= 0.05 else "as before", True))
        rows.append(row)
    head = [("", False)] + [(side["title"], True) for side in sides]
    put_table(svg, "What each mapping comes to",
              head + ([("change", True)] if len(sides) > 1 else []), rows)


def put_matrix(svg, scene):
    put_figure(svg, scene, matrix.draw)
    rows = []
    for a, b, value, places in scene["pairs"]:
        rows.append([cell(str(a), True), cell(str(b), True), cell(amount(value, "bytes"), True)] +
                    [cell(place_of(scene["hosts"], *place)) for place in places[:len(scene["sides"])]])
    put_table(svg, "The pairs of ranks that exchange most",
              [("Rank", True), ("Rank", True), ("Bytes", True)] +
              [(side["title"], False) for side in scene["sides"]], rows)


def place_of(hosts, a, b, links):
    if a == b:
        return f"both on {hosts[a]}"
    return f"{hosts[a]} and {hosts[b]}, {links} link{plural(links)}"


def put_network(svg, scene):
    for text in why(scene):
        svg.put(f"<p>{text}</p>\n")
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
               for one in calls.by_time(scene["profile"]["types"])])


def put_search(svg, scene):
    put_figure(svg, scene, search.draw)


def draw(svg, scene):
    """The page, section by section."""
    page = Svg(on_page=True)
    page.out = svg.out
    scene["alike"] = same_figures(scene)
    if scene["alike"]:
        scene["sides"] = scene["sides"][:1]
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
