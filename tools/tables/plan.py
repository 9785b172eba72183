# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap plan."""
from output import plural, printable
from show import spans_table
from units import TIME, as_bytes, as_ratio


def plan_source(plan, about):
    """What it is of: program, step, profile, graph, network."""
    text = ""
    if plan["program"] is not None:
        text += f"program     {plan['program']} (build {plan['identity'] or ''})\n"
    elif about["name"] is not None:
        text += f"name        {about['name']}\n"
    text += (f"step        {plural(plan['ntasks'], 'task')} on {plural(about['nhosts'], 'node')}, "
             f"{about['nodelist']}\n")
    for i, root in enumerate(plan["catalogues"]):
        text += f"{'' if i else 'catalogues':<12}{root}" + \
            (" (the user's own)\n" if i == 0 and about["has_own_root"] else "\n")
    if plan["profile"] is not None:
        text += f"profile     {plan['profile']}" + \
            (" (of another build)\n" if plan["other_build"] else "\n")
    if plan["prediction"] is not None:
        text += f"predicted   {plan['prediction']}\n            grid {about['rule']}\n"
    elif about["no_prediction"]:
        text += f"predicted   nothing: {about['no_prediction']}\n"
    if "pairs" in about:
        text += (f"graph       {plan['graph']}: {about['pairs']} pairs of tasks, "
                 f"{as_bytes(about['bytes'])}\n")
    if plan["topology"] is not None:
        text += f"topology    {plan['topology']} ({plan['topology_source']}" + \
            (", nodes in order)\n" if about["in_order"] else ")\n")
    if about["inside"] is not None:
        text += f"inside      {about['inside']} ({about['inside_from']})\n"
    return "".join(printable(line) + "\n" for line in text.split("\n")[:-1])


METRICS = (
    ("average hop-bytes", "avg_hop_bytes", as_bytes),
    ("maximum hop-bytes", "max_hop_bytes", as_bytes),
    ("hops per byte", "hops_per_byte", as_ratio), ("off-node bytes", "off_node_bytes", as_bytes),
    ("busiest link, bytes", "max_link_bytes", as_bytes), ("busiest link", "max_link", printable),
    ("slowest link, time", "max_link_time", TIME), ("slowest link", "max_time_link", printable),
    ("inside hop-bytes", "avg_inside_hop_bytes", as_bytes),
    ("inside hops per byte", "inside_hops_per_byte", as_ratio),
    ("bytes inside nodes", "inside_bytes", as_bytes))


def plan_search(plan, about):
    """How it was found, and what its metrics are beside those of Slurm's own layout."""
    ms, recorded = plan["milliseconds"], plan.get("recorded", {})
    text = (f"search      {plan['candidate']}, seed {plan['seed']}, work {plan['work']}, "
            f"schedule {plan['schedule']}" +
            (" (interrupted)\n" if plan["interrupted"] else " (list complete)\n"))
    if "cached" in plan:
        text += f"cached      found {printable(plan['cached'])}\n"
    if "carried_over_from" in plan:
        text += f"carried     over from the plan for {printable(plan['carried_over_from'])}\n"
    text += (f"time        catalogue {ms['catalogue']:.1f} ms, topology {ms['topology']:.1f} ms, "
             f"mapping {ms['mapping']:.1f} ms\n\n")
    text += "%-20s %16s %16s\n" % ("", "Slurm's own", "best found")
    for label, key, form in METRICS:
        if key in plan:
            forms = [TIME[unit][1] for unit in about["time_units"]] if form is TIME else [form] * 2
            text += "%-20s %16s %16s\n" % (label, *(
                "-" if side[key] is None else how(side[key])
                for side, how in zip((plan["baseline"], plan), forms)))
    if "task_seconds" in recorded and recorded["types"]:
        text += spans_table(
            [(one["type"], one["mean_seconds"], one.get("task_seconds"))
             for one in recorded["types"]] +
            [("all of MPI", sum(one["mean_seconds"] for one in recorded["types"]),
              recorded["task_seconds"])])
    return text + "\n"


def ranges(numbers):
    """[0, 1, 2, 8] as "0-2 8"."""
    runs = []
    for number in numbers:
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return " ".join(f"{first}-{last}" if last > first else f"{first}" for first, last in runs)


def plan_text(plan):
    about = plan["about"]
    text = plan_source(plan, about)
    if "candidate" in plan:
        text += plan_search(plan, about)
    text += printable(f"outcome     {plan['outcome']}: {plan['reason']}") + "\n"
    if plan["what_else"]:
        text += printable(f"what else   {plan['what_else']}") + "\n"
    if "nodes" in plan:
        text += "\nranks, in the order of the slots\n"
        text += "".join(f"  {printable(one['node'])}: {ranges(one['ranks'])}\n"
                        for one in plan["nodes"])
    return text
