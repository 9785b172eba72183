# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap history: steps, where their ranks were, and what they come to."""
import json
import re
import time

from output import csv_text, members, plural, printable, table_text


def when(step):
    """"22 Nov 03:12" where it is."""
    try:
        return time.strftime("%e %b %H:%M", time.localtime(step["at_s"]))
    except (OverflowError, ValueError, OSError):
        return None


def arrow(before, after):
    return None if before is None or after is None else f"{before:.3g} -> {after:.3g}"


def history(steps):
    return table_text(
        ("<JOB", "<WHEN", "<PROGRAM", "TASKS", "NODES", "<OUTCOME", "<LINKS/BYTE", "SECONDS",
         "<WHY"),
        [(f"{step['job']}.{step['step']}", when(step), step.get("program") or None,
          step.get("ntasks") or None, step.get("nnodes") or None, step.get("outcome") or None,
          arrow(step.get("links_per_byte_before"), step.get("links_per_byte_after")),
          f"{step['seconds']:.1f}" if "seconds" in step else None, step.get("why") or None)
         for step in steps]) if steps else ""


def history_csv(steps):
    names = ("job", "step", "time", "program", "ntasks", "nnodes", "outcome",
             "links_per_byte_before", "links_per_byte_after", "seconds", "why")
    return csv_text(names, [[step["time"] if name == "time" else
                             None if step.get(name) == "" else step.get(name)
                             for name in names] for step in steps])


def cpus_of(text):
    """Of lines "RANK CPUS"; others, which topomap has not written, are passed over."""
    found = (re.fullmatch(r"(\d+) ([0-9,-]+)", line) for line in (text or "").split("\n"))
    return {int(one[1]): one[2] for one in found if one}


def ranks(steps):
    """Where the ranks of each step were; in Slurm's own layout the ranks of a node have
    its slots in their order."""
    text = ""
    for step in steps:
        is_placed, cpus = "place" in step, cpus_of(step["cpus"])
        text += (f"job {step['job']}.{step['step']}: rank, node" +
                 (", place in the node" if is_placed else
                  " as Slurm put them, its order of places") +
                 (" and CPUs\n" if step["cpus"] is not None else
                  f"; its CPUs are not known: {step['why']}\n"))
        taken = [0] * len(step["nodes"])
        for rank, node in enumerate(step["node"]):
            place = step["place"][rank] if is_placed else taken[node]
            taken[node] += 1
            text += f"{rank} {printable(step['nodes'][node])} {place} {cpus.get(rank, '-')}\n"
    return text


OUTCOMES = ("placed", "kept", "nothing", "control", "recorded", "left", "failed")


def hours(step):
    return step["seconds"] * step["nnodes"] / 3600 if step["seconds"] > 0 else 0


def unknown(steps):
    """(number, node-hours) of steps without a profile, and none later for that user,
    program and number of tasks."""
    n, node_hours, subject, is_known = 0, 0, None, False
    for step in sorted(steps, key=lambda one: (one["user"] or "-", one["program"], one["ntasks"],
                                               one["at_s"]), reverse=True):
        of = (step["user"] or "-", step["program"], step["ntasks"])
        is_known, subject = is_known and of == subject, of
        if step["forgotten"]:
            continue
        if step["outcome"] in ("placed", "kept", "control"):
            is_known = True
        elif step["outcome"] == "nothing" and not is_known:
            n, node_hours = n + 1, node_hours + hours(step)
    return n, node_hours


def mean(values):
    return sum(values) / len(values) if values else None


def summary_row(group, by):
    steps = [step for step in group["all"] if not step["forgotten"]]
    placed = [step for step in steps if step["outcome"] == "placed"]
    timed = [step for step in steps if step["mpi_seconds"] >= 0 and step["seconds"] > 0]
    linked = [step for step in placed if step["links_before"] >= 0]
    return {
        by: group["name"],
        "users": len({step["user"] for step in group["all"] if step["user"] is not None}),
        "steps": len(steps), "node_hours": sum(map(hours, steps)),
        "placed_node_hours": sum(map(hours, placed)),
        "outcomes": {word: sum(step["outcome"] == word for step in steps) for word in OUTCOMES},
        "mpi_share": sum(step["mpi_seconds"] for step in timed) /
        sum(step["seconds"] for step in timed) if timed else None,
        "links_per_byte_before": mean([step["links_before"] for step in linked]),
        "links_per_byte_after": mean([step["links_after"] for step in linked]),
        **{key: group[key] for key in ("pairs", "gain", "gain_low", "gain_high")},
        "record_first": False}


def summary_rows(groups, by):
    """Most node-hours first; record_first: a profile of this one would be worth most."""
    rows = [(summary_row(group, by), *unknown(group["all"])) for group in groups]
    rows = sorted((row for row in rows if row[0]["steps"] or row[0]["pairs"]),
                  key=lambda row: (-row[0]["node_hours"], row[0][by]))
    first = max((row for row in rows if row[1] > 0), key=lambda row: row[2], default=None)
    if first and by == "program":
        first[0]["record_first"] = True
    return [row[0] for row in rows]


def whole(value):
    """Of a document: whole numbers without a point."""
    if isinstance(value, dict):
        return {key: whole(one) for key, one in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def summary_json(groups, by):
    return "".join(json.dumps(whole(row)) + "\n" for row in summary_rows(groups, by))


def summary_csv(groups, by):
    rows = [dict(members(row)) for row in summary_rows(groups, by)]
    names = (by, "users", "steps", "node_hours", "placed_node_hours",
             *(f"outcomes.{word}" for word in OUTCOMES), "mpi_share", "links_per_byte_before",
             "links_per_byte_after", "pairs", "gain", "gain_low", "gain_high", "record_first")
    return csv_text(names, [[int(row[name]) if name == "record_first" else row[name]
                             for name in names] for row in rows])


def percent(part, whole):
    return f"{100 * part / whole:.0f}%" if whole else None


def measured_gain(row):
    """"-6.1% (31 pairs, -7.9 to -4.4%)"""
    pairs = row["pairs"]
    if pairs == 0:
        return "-  <- record this one first" if row["record_first"] else None
    gain = f"{100 * row['gain']:+.1f}% ("
    if row["gain_low"] is None:
        return f"{gain}{plural(pairs, 'pair')}: too few)"
    return f"{gain}{pairs} pairs, {100 * row['gain_low']:+.1f} to {100 * row['gain_high']:+.1f}%)"


def summary(groups, by):
    rows = summary_rows(groups, by)
    return table_text(
        (f"<{by.upper()}", "USERS", "STEPS", "NODE-HOURS", "PLACED", "NO PROFILE", "IN MPI",
         "<LINKS/BYTE", "<MEASURED"),
        [(row[by], row["users"], row["steps"], f"{row['node_hours']:.1f}",
          percent(row["outcomes"]["placed"], row["steps"]),
          percent(row["outcomes"]["nothing"], row["steps"]),
          None if row["mpi_share"] is None else percent(row["mpi_share"], 1),
          arrow(row["links_per_byte_before"], row["links_per_byte_after"]), measured_gain(row))
         for row in rows]) if rows else ""


def prometheus(groups, by):
    """For node_exporter's textfile collector."""
    rows = summary_rows(groups, by)

    def node_seconds(row):
        placed = row["placed_node_hours"]
        return {"true": 3600 * placed, "false": 3600 * (row["node_hours"] - placed)}
    metrics = (
        ("topomap_steps", "Steps that the history still has, by outcome.", "outcome",
         lambda row: row["outcomes"]),
        ("topomap_node_seconds", "Node-seconds of these steps.", "placed", node_seconds),
        ("topomap_links_per_byte", "Links that a byte of placed steps crosses.", "layout",
         lambda row: {"slurm": row["links_per_byte_before"],
                      "topomap": row["links_per_byte_after"]}),
        ("topomap_mpi_ratio", "Share of their time that steps are in MPI.", None,
         lambda row: {None: row["mpi_share"]}),
        ("topomap_gain_ratio", "Time of placed runs less that of unplaced ones, a share of it.",
         "bound", lambda row: {"estimate": row["gain"], "low": row["gain_low"],
                               "high": row["gain_high"]}),
        ("topomap_gain_pairs", "Pairs of runs behind topomap_gain_ratio.", None,
         lambda row: {None: row["pairs"]}))
    text = ""
    for name, about, label, values in metrics:
        text += f"# HELP {name} {about}\n# TYPE {name} gauge\n"
        for row in rows:
            of = printable(row[by]).replace("\\", "\\\\").replace('"', '\\"')
            for word, value in values(row).items():
                if value is not None:
                    more = f',{label}="{word}"' if label else ""
                    text += f'{name}{{{by}="{of}"{more}}} {value:.10g}\n'
    name = "topomap_stats_timestamp_seconds"
    return text + (f"# HELP {name} When this was written.\n# TYPE {name} gauge\n"
                   f"{name} {int(time.time())}\n")
