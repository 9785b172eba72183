# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap topology show."""
from output import plural, printable
from units import as_rate

CAPACITIES_SHOWN = 6


def capacities_text(network):
    groups = [(as_rate(one["capacity"]), one["nlinks"]) for one in network["capacities"]]
    if not network["has_capacities"]:
        return "not stated"
    if len(groups) > CAPACITIES_SHOWN:
        return f"{groups[0][0]} to {groups[-1][0]}, {len(groups)} different ones"
    return ", ".join(f"{rate} on {plural(n, 'link')}" for rate, n in groups) or "-"


def topology(network):
    left = network["nhosts"] - len(network["hosts"])
    text = (f"{printable(network['topology'])}\nhosts     {network['nhosts']}\n"
            f"links     {network['nlinks']}" +
            (", one a direction\n" if network["one_a_direction"] else "\n") +
            f"capacity  {capacities_text(network)}\ndiameter  {network['diameter']}\n\n")
    for host in network["hosts"]:
        name = "-" if host["name"] is None else printable(host["name"])
        text += f"{host['number']:8}  {name:<16}  {printable(host['place'])}\n"
    if network["is_whole"] and left > 0:
        text += f"     ...  ({left} more: --all)\n"
    return text
