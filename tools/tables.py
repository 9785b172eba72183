# SPDX-License-Identifier: LGPL-2.1-or-later
"""What topomap's commands answer, as tables: tables.py WHICH [WORD] reads a document
of JSON on stdin, and prints it as CSV or for people.

tools/table/told.c runs it: the command in C finds, judges and counts, and writes the
document that --json prints.
"""
import json
import math
import os
import pwd
import re
import stat
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from output import Number, csv_text, plural, printable, table_text

MOST_BYTES = 1 << 26
FEW_RUNS = 3
UNMAPPED = "unmapped"  # in place of a graph's name: in Slurm's own layout
STAGES_MOST = 255


# --- what was measured: evaluation.json (profiles/evaluation.h, tune.py)

def median(graph, key):
    """Of a series that is known of every run of the graph; None: it is not."""
    runs, values = len(graph["run_seconds"]), sorted(graph.get(key, []))
    if runs == 0 or len(values) != runs:
        return None
    return (values[(runs - 1) // 2] + values[runs // 2]) / 2


def median_of_phase(graph, phase):
    return median({"run_seconds": graph["run_seconds"], "phase": phase["run_phase_seconds"]},
                  "phase")


def is_complete(evaluation):
    return all(len(graph["run_seconds"]) >= evaluation["repeat"]
               for graph in evaluation["graphs"])


def decides(evaluation):
    """Whether the best graph and Slurm's own layout were run often enough."""
    runs = {graph["graph"]: len(graph["run_seconds"]) for graph in evaluation["graphs"]}
    return min(runs.get(evaluation.get("best"), 0), runs[UNMAPPED]) >= FEW_RUNS


def seconds_text(seconds):
    return None if seconds is None else f"{seconds:.4f}"


def number_text(number):
    return None if number is None else f"{number:.4g}"


def evaluation_row(evaluation, graph):
    unmapped = evaluation["graphs"][0]
    seconds, plain = median(graph, "run_seconds"), median(unmapped, "run_seconds")
    hops, change, mark = graph.get("hops_per_byte"), "-", ""
    if decides(evaluation) and seconds is not None:
        best = UNMAPPED if evaluation["unmapped_is_best"] else evaluation["best"]
        if graph is not unmapped and plain and \
                abs(seconds - plain) <= (evaluation["noise_seconds"] or 0):
            mark = "  within noise"
        elif graph["graph"] == best:
            mark = "  best"
    if graph is not unmapped and plain and seconds is not None:
        change = f"{100 * (seconds / plain - 1):+.1f}%"
    return (graph["graph"],
            None if hops is None else f"{graph.get('unmapped_hops_per_byte', -1):.4g} -> {hops:.4g}",
            len(graph["run_seconds"]), seconds_text(seconds),
            seconds_text(median(graph, "run_mpi_seconds")), change + mark)


def phase_rows(evaluation):
    """Each phase in Slurm's own layout, and with the graph that is fastest for it: a
    phase may want another layout than the rest."""
    unmapped, *graphs = evaluation["graphs"]
    for phase in unmapped.get("phases", []):
        plain = median_of_phase(unmapped, phase)
        if plain is None:
            continue
        least = min(((median_of_phase(graph, one), i, graph["graph"])
                     for i, graph in enumerate(graphs) for one in graph.get("phases", [])
                     if one["phase"] == phase["phase"] and
                     median_of_phase(graph, one) is not None), default=(None, 0, None))
        yield (phase["phase"], seconds_text(plain), seconds_text(least[0]),
               f"{100 * (least[0] / plain - 1):+.1f}%" if plain > 0 and least[0] is not None
               else None, least[2])


def verdict_text(evaluation):
    best, noise = evaluation.get("best"), evaluation["noise_seconds"] or 0
    if not best:
        text = "no graph was run yet: --topomap=auto uses weighted-sum\n"
    elif not decides(evaluation):
        text = f"fewer than {FEW_RUNS} runs decide nothing: --topomap=auto uses weighted-sum\n"
    elif evaluation["unmapped_is_best"]:
        text = ("--topomap=auto will leave this program alone: Slurm's own layout is faster\n"
                f"than with any graph, by more than the noise of {noise:.3g} s\n")
    else:
        medians = {graph["graph"]: median(graph, "run_seconds") for graph in evaluation["graphs"]}
        sure = abs(medians[best] - medians[UNMAPPED]) > noise
        text = (f"--topomap=auto will use the graph {printable(best)} (" +
                ("" if sure else "no faster than Slurm's own layout beyond the ") +
                f"noise {noise:.3g} s)\n")
    return text + ("" if is_complete(evaluation) else
                   "not all runs were made: the same command goes on\n")


def evaluation_text(evaluation):
    """A row a graph; whether the mean and the largest hop-bytes of a task say how long
    tasks are in MPI on average and at most (Galvez, Jain and Kale 2017, table 1);
    phases; and what --topomap=auto makes of it."""
    graphs = evaluation["graphs"]
    text = table_text(("<GRAPH", "HOPS PER BYTE", "RUNS", "SECONDS", "MPI SECONDS", "<vs SLURM"),
                      [evaluation_row(evaluation, graph) for graph in graphs])
    if any(median(graph, "run_p2p_seconds") is not None for graph in graphs):
        text += "\n" + table_text(
            ("<BY TASK", "HOPS PER BYTE", "MOST", "P2P SECONDS", "MOST", "MPI SECONDS", "MOST"),
            [(graph["graph"], number_text(graph.get("hops_per_byte")),
              number_text(graph.get("max_hops_per_byte")),
              *(number_text(median(graph, key))
                for key in ("run_p2p_seconds", "run_max_task_p2p_seconds", "run_mpi_seconds",
                            "run_max_task_mpi_seconds"))) for graph in graphs])
    phases = list(phase_rows(evaluation))
    if phases:
        text += "\n" + table_text(
            ("<MPI SECONDS BY PHASE", "SLURM", "LEAST", "vs SLURM", "<WITH GRAPH"), phases)
    return text + "\n" + verdict_text(evaluation)


def measured_text(folder):
    """Of the profile in folder, whose evaluation.json the command has judged."""
    fd = os.open(os.path.join(folder, "evaluation.json"), os.O_RDONLY | os.O_NONBLOCK)
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return ""
        evaluation = json.loads(file.read(MOST_BYTES))
    when = printable(evaluation.get("evaluated") or "some time ago")
    where = f" on {printable(evaluation['nodes'])}" if evaluation.get("nodes") else ""
    return f"\nmeasured by topomap tune, {when}{where}:\n{evaluation_text(evaluation)}"


# --- profile recorder and collect

def members_of(text, *lists):
    """Lines "WORD VALUE" are members of an object; of some words there may be several."""
    made = {name: [] for name in lists}
    values = {}
    for line in filter(None, text.split("\n")):
        word, _, value = line.partition(" ")
        if word in ("note", "filed"):
            made["notes" if word == "note" else word].append(value)
        else:
            values[word] = value
    return {**values, **made}


def as_json(document):
    return json.dumps(document, indent=2) + "\n"


# --- profile show

def user_name(user):
    """A recorder without USER in its environment knows a number; it asks nobody for
    the name, which can hang in a program."""
    try:
        return pwd.getpwuid(int(user)).pw_name if user.isdecimal() else user
    except (KeyError, OverflowError):
        return user


def phase_word(phase):
    return phase.get("name") or str(phase["phase"])


def fact(name, value):
    return "" if value is None else f"{name:<10}{printable(str(value))}\n"


def mpi_text(profile):
    """What the best placement could matter at most."""
    seconds = sum(one["seconds"] for one in profile["types"])
    every = profile["seconds"] * profile["ntasks"]
    if not (every > 0 and seconds > 0):
        return fact("in MPI", "not known: this is no recording")
    share = min(seconds / every, 1)
    return fact("in MPI", f"{100 * share:.1f}% of this run's time: "
                          f"{share * profile['seconds']:.6g} of {profile['seconds']:.6g} s, "
                          "a task on average")


def orders(types, of):
    """"p2p in 4 stages, rma in 1 stage": what was sent first, and what then."""
    known = [(one["type"], one["stages"]) for one in types if one.get("stages")]
    return fact("order", ", ".join(f"{name}{of} in {n}{' or more' if n == STAGES_MOST else ''} "
                                   f"stage{'' if n == 1 else 's'}" for name, n in known)
                ) if known else ""


def head_text(profile):
    phases = profile.get("phases", [])
    hosts, seen = profile.get("hosts"), profile.get("tasks_recorded")
    order = orders(profile["types"], "") + "".join(
        orders(phase["types"], f"@{phase_word(phase)}") for phase in phases)
    return "".join((
        mpi_text(profile),
        *(fact(key, profile.get(key)) for key in ("program", "path", "identity")),
        fact("tasks", f"{profile['ntasks']}" + (f" on {plural(hosts, 'node')}" if hosts else "")),
        *(fact(key, profile.get(key)) for key in ("node", "recorded")),
        fact("counts", f"of {seen} of {profile['ntasks']} tasks") if seen else "",
        *(fact(key, profile.get(key)) for key in ("until", "partial", "job")),
        fact("user", profile.get("user") and user_name(profile["user"])),
        fact("MPI", profile.get("mpi")),
        fact("seconds", f"{profile['seconds']:.6g} from MPI_Init to " +
             ("the last call" if profile.get("until") else "MPI_Finalize")),
        order or fact("order", "of messages is not known"),
        fact("folder", profile["folder"])))


def types_text(profile):
    types, total = profile["types"], sum(one["seconds"] for one in profile["types"])
    if not types:
        return "\nno MPI call that is counted\n"
    text = "\n%-22s%14s%18s%14s%8s%18s  %s\n" % (
        "TYPE", "CALLS", "BYTES", "SECONDS", "SHARE", "PAIRED BYTES", "GRAPH")
    for one in types:
        graph, why = one.get("graph"), one.get("why")
        text += "%-22s%14d%18d%14.6g%8s%18d  %s\n" % (
            one["type"], one["calls"], one["bytes"], one["seconds"],
            f"{100 * one['seconds'] / total:.1f}%" if total > 0 else "-",
            one["paired_bytes"] or 0,
            printable(graph or (f"none: {why}" if why else "none")))
    return text


def spans_table(rows):
    """How evenly the tasks waited (Galvez, Jain and Kale 2017, table 1): of (name, mean,
    span) those whose span is known."""
    text = "\n%-22s%14s%14s%9s%14s%9s\n" % (
        "SECONDS OF A TASK", "MEAN", "MOST", "TASK", "LEAST", "TASK")
    return text + "".join("%-22s%14.6g%14.6g%9d%14.6g%9d\n" % (
        name, mean, span["max"], span["max_task"], span["min"], span["min_task"])
        for name, mean, span in rows if span)


def spans_text(profile):
    if "task_seconds" not in profile or not profile["types"]:
        return ""
    n = profile.get("tasks_recorded") or profile["ntasks"]
    return spans_table(
        [(one["type"], one["seconds"] / n, one.get("task_seconds")) for one in profile["types"]] +
        [("all of MPI", sum(one["seconds"] for one in profile["types"]) / n,
          profile["task_seconds"])])


def phases_text(profile):
    phases = profile.get("phases", [])
    text = "\n%-16s%-22s%14s%18s%14s%18s  %s\n" % (
        "PHASE", "TYPE", "CALLS", "BYTES", "SECONDS", "PAIRED BYTES", "GRAPH") if phases else ""
    for phase in phases:
        word = phase_word(phase)
        for one in phase["types"]:
            text += "%-15s %-22s%14d%18d%14.6g%18d  %s\n" % (
                word, one["type"], one["calls"], one["bytes"], one["seconds"],
                one["paired_bytes"] or 0,
                f"{one['type']}@{word}" if one.get("graph") else "none")
    return text


def gain_text(learnt):
    """"-6.1% (12 pairs, -7.9 to -4.4%)"""
    if learnt["gain"] is None:
        return f"too few runs to say ({learnt['pairs']} pairs)"
    low, high = (100 * (none if learnt[key] is None else learnt[key])
                 for key, none in (("gain_low", -math.inf), ("gain_high", math.inf)))
    return f"{100 * learnt['gain']:+.1f}% ({learnt['pairs']} pairs, {low:+.1f} to {high:+.1f}%)"


def learnt_text(rows):
    text = "\nlearnt from production runs, placed ones beside others:\n" if rows else ""
    for one in rows:
        text += printable(f"{one['nnodes']} nodes of {one.get('node_type') or 'any kind'}, "
                          f"arguments {one.get('arguments') or 'none'}: {one['verdict']}, "
                          f"{gain_text(one)}" +
                          (f", by graph {one['graph']}" if one.get("graph") else "") +
                          f"; {one.get('written') or ''}") + "\n"
    return text


def show(profile):
    text = head_text(profile) + types_text(profile) + spans_text(profile) + phases_text(profile)
    if profile["is_measured"]:
        try:
            text += measured_text(profile["folder"])
        except (OSError, ValueError, LookupError, TypeError, AttributeError):
            text += "\nwhat topomap tune has measured cannot be read\n"
    return text + learnt_text(profile["learnt"])


def show_csv(profile):
    return csv_text(
        ("type", "calls", "bytes", "seconds", "paired_bytes", "max_task_seconds", "max_task",
         "min_task_seconds", "min_task", "graph", "stages", "partial"),
        [(one["type"], one["calls"], one["bytes"], one["seconds"], one["paired_bytes"] or 0,
          *(one.get("task_seconds", {}).get(key) for key in ("max", "max_task", "min", "min_task")),
          one.get("graph") or "", one.get("stages", 0), profile.get("partial", ""))
         for one in profile["types"]])


# --- profile list, graphs and grid

def types_word(row):
    return "refused" if row.get("refused") else "unreadable" if "error" in row else \
        ",".join(row["types"]) or "none"


def width(least, values):
    """Of a column; longer values do not make it wider."""
    return max([least] + [len(value) for value in values if len(value) < 40])


def short(identity):
    return identity[:15 if identity.startswith("sha256-") else 8]


def listing(rows, place="catalogue"):
    """place: what the last column is."""
    first, last = (width(7, (row["program"] for row in rows)),
                   width(5, (types_word(row) for row in rows)))
    text = "%-*s  %-15s  %7s  %-20s  %-*s  %s\n" % (
        first, "PROGRAM", "IDENTITY", "TASKS", "RECORDED", last, "TYPES", place.upper())
    for row in rows:
        text += "%-*s  %-15s  %7d  %-20s  %-*s  %s%s%s\n" % (
            first, printable(row["program"]), short(row["identity"]), row["ntasks"],
            printable(row.get("recorded", "-")), last, types_word(row), printable(row[place]),
            "  (current)" if place == "folder" and row["current"] else "",
            "  (partial)" if row["partial"] else "")
    return text


def listing_csv(rows):
    names = ("program", "identity", "ntasks", "version", "current", "recorded", "seconds",
             "catalogue", "folder", "error", "partial")
    return csv_text(names, [[int(row["current"]) if name == "current" else
                             int(row["partial"]) if name == "partial" else
                             row.get(name, None if name == "seconds" else "")
                             for name in names] for row in rows])


def sizes(one):
    """"4,16", as much as fits a column."""
    text = ",".join(map(str, one["communicator_sizes"])) or "-"
    return text if len(text) < 15 else text[:11] + "..."


def graphs(document):
    types, total = document["types"], document["seconds"]
    if not types:
        return "no MPI call that is counted\n"
    row = "%-22s%14s%18s%14s%8s  %-14s  %s\n"
    text = row % ("TYPE", "CALLS", "BYTES", "SECONDS", "SHARE", "COMMUNICATORS", "CRITICAL")
    for one in types:
        text += row % (one["type"], one["calls"], one["bytes"], f"{one['seconds']:.6g}",
                       f"{100 * one['share']:.1f}%" if total > 0 else "-", sizes(one),
                       "yes" if one["critical"] else printable(f"no: {one['why']}"))
    if not document["graphs"]:
        return text + "\nno type is critical: there is nothing to map by\n"
    counted = document["seconds_without_large"]
    taken = sum(one["seconds_without_large"] for one in types if one["critical"])
    text += "\n"
    if counted > 0:
        text += (f"the critical types take {100 * taken / counted:.1f}% of the {counted:.6g} s "
                 f"outside large collectives ({100 * document['share']:.3g}% asked for)\n\n")
    row = "%-22s%14s%18s%18s\n"
    text += row % ("GRAPH", "PAIRS", "BYTES", "MOST NEIGHBOURS")
    return text + "".join(row % (one["graph"], one["pairs"], one["bytes"], one["most_neighbours"])
                          for one in document["graphs"])


def grid(document):
    """In the order of MPI_Cart_create, of patterns (grid:3x4) and of topomap plan."""
    found, total = document["grid"], document["bytes"]
    dimensions = found["dimensions"][::-1]

    def share(part):
        return f"{100 * part / total if total > 0 else 0:.1f}%"
    text = "grid " + "x".join(str(one["size"]) for one in dimensions)
    text += (f" of {document['ntasks']} tasks, " +
             ("ranks count through it, the last dimension fastest" if found["by_rank"] else
              "ranks are in another order") +
             f"\nexplains {share(found['explained_bytes'])} of {total} bytes, "
             f"stencil: {found['stencil']}\n\n")
    text += "%-10s%10s  %s\n" % ("DIMENSION", "SIZE", "KIND")
    for i, one in enumerate(dimensions, 1):
        text += "%-10d%10d  %s\n" % (i, one["size"],
                                     "group: all with all" if one["kind"] == "group" else
                                     "line, periodic" if one["periodic"] else "line")
    row = "%14s%18d%8s  %s\n"
    text += "\n%14s%18s%8s  %s\n" % ("EDGES", "BYTES", "SHARE", "OFFSET")
    for one in found["offsets"]:
        text += row % (one["edges"], one["bytes"], share(one["bytes"]),
                       ",".join(str(step) for step in reversed(one["step"])))
    rest = found["explained_bytes"] - sum(one["bytes"] for one in found["offsets"])
    if rest > 0:
        text += row % ("", rest, share(rest), "inside groups, or alike in parallel lines")
    return text


# --- history

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


# --- any document

def members(value, prefix=""):
    """Name and value of all members of an object, and of those in it; an array of
    plain values is one value, arrays of more are tables of their own."""
    for key, one in value.items():
        if isinstance(one, dict):
            yield from members(one, f"{prefix}{key}.")
        elif not isinstance(one, list) or not one or not isinstance(one[0], (dict, list)):
            yield prefix + key, one


def csv(document, rows=""):
    """rows: the array whose elements are the lines; "": the document is one, or the
    only line."""
    lines = [dict(members(one)) if isinstance(one, dict) else {rows: one}
             for one in (document[rows] if rows else
                         document if isinstance(document, list) else [document])]
    names = list(dict.fromkeys(name for line in lines for name in line))
    return csv_text(names, [[line.get(name) for name in names] for line in lines]) if names else ""


# --- eval

BYTES = ((1, " B"), (1e3, " kB"), (1e6, " MB"), (1e9, " GB"), (1e12, " TB"), (1e15, " PB"),
         (1e18, " EB"))
SECONDS = ((1e-9, " ns"), (1e-6, " us"), (1e-3, " ms"), (1, " s"))
RATES = ((1e6, " MB/s"), (1e9, " GB/s"), (1e12, " TB/s"), (1e15, " PB/s"))
RATE_LEAST = 1e6  # no network has less: below it numbers only say how links compare
NEARLY = 0.9995  # what rounds to 1000 of a unit is 1 of the next


def in_unit(value, units, one=0):
    """Three digits and a unit; units[one] is that of 0."""
    if value == 0:
        return f"0{units[one][1]}"
    size, name = next((unit for unit in reversed(units) if abs(value) >= NEARLY * unit[0]),
                      units[0])
    return f"{value / size:.3g}{name}"


def as_seconds(value):
    if value >= 36000:
        return f"{value / 3600:.0f} h"
    return f"{value:.0f} s" if value >= 1000 * NEARLY else in_unit(value, SECONDS, 3)


def as_rate(value):
    return f"{value:.10g}" if value < RATE_LEAST else in_unit(value, RATES)


def as_bytes(value):
    return in_unit(value, BYTES)


def as_number(value):
    return f"{value:.4g}"


def as_ratio(value):
    return f"{value:.6g}"


def as_change(value):
    return f"{100 * value:+.1f}%"


def as_truth(value):
    return "yes" if value else None


# Of a table for people: member, heading, how it is written. TIME's member has the unit
# behind its name.
TIME = {"seconds": ("_s", as_seconds), "bytes": ("_bytes", as_bytes),
        "none": ("", lambda value: f"{value:.6g}")}
EVAL_COLUMNS = {
    "mappings": (
        ("mapping", "<MAPPING", str), ("avg_hop_bytes", "HOP-BYTES", as_bytes),
        ("max_hop_bytes", "LARGEST TASK", as_bytes), ("hops_per_byte", "HOPS/BYTE", as_number),
        ("off_node_bytes", "OFF-NODE", as_bytes), ("max_link_bytes", "BUSIEST LINK", as_bytes),
        ("max_link", "LINK", str), ("avg_inside_hop_bytes", "INSIDE", as_bytes),
        ("inside_hops_per_byte", "INSIDE HOPS/BYTE", as_number), ("time", "TIME", TIME),
        ("gain", "GAIN", as_change), ("latency", "LATENCY", TIME),
        ("messages", "MESSAGES", TIME), ("busiest", "SLOWEST PORT", str),
        ("search_s", "SEARCH", as_seconds), ("cut", "CUT", as_truth)),
    "types": (
        ("mapping", "<MAPPING", str), ("type", "<TYPE", str), ("time", "TIME", TIME),
        ("latency", "LATENCY", TIME), ("messages", "MESSAGES", TIME),
        ("slowest_port", "SLOWEST PORT", TIME), ("busiest", "<PORT", str),
        ("flows", "FLOWS", str), ("steps", "STEPS", str), ("stages", "STAGES", str)),
    "phases": (("mapping", "<MAPPING", str), ("phase", "<PHASE", str), ("time", "TIME", TIME)),
    "links": (
        ("mapping", "<MAPPING", str), ("link", "<LINK", str), ("capacity", "CAPACITY", as_rate),
        ("bytes", "BYTES", as_bytes)),
    "ranks": (
        ("mapping", "<MAPPING", str), ("rank", "RANK", str), ("node", "NODE", str),
        ("slot", "SLOT", str), ("bytes", "BYTES", as_bytes),
        ("off_node_bytes", "OFF-NODE BYTES", as_bytes), ("hop_bytes", "HOP-BYTES", as_bytes),
        ("hops_per_byte", "HOPS PER BYTE", as_number))}


def eval_rows(document, name):
    """Of all mappings; those inside of one get its name."""
    mappings = document["mappings"]
    return mappings if name == "mappings" else \
        [{"mapping": one["mapping"], **row} for one in mappings for row in one.get(name, [])]


def eval_table(document, name):
    rows = eval_rows(document, name)
    columns = []
    for key, heading, form in EVAL_COLUMNS[name]:
        if form is TIME:
            behind, form = TIME[document["time_unit"]]
            key += behind
        if rows and key in rows[0]:
            columns.append((key, heading, form))
    return table_text([heading for _, heading, _ in columns],
                      [[None if row[key] is None else form(row[key]) for key, _, form in columns]
                       for row in rows]) if rows else ""


def eval_notes(document):
    use, mappings = document["use"], document["mappings"]
    text = ""
    if any(one["cut"] for one in mappings):
        text += "cut: time or work ended the search\n"
    if document["time_unit"] == "bytes":
        text += "times are bytes of the slowest link: the network states no capacities\n"
    if document.get("order") == "none" and document["is_profile"]:
        text += "all messages of a type at once" + \
            (": their order is not recorded\n" if document["asks_order"] else "\n")
    if document["by_type"] or "order" in document:
        gain = next((one["gain"] for one in mappings if one["mapping"] == use), None) or 0
        text += f"use {printable(use)}: " + (
            "none is better by 1%\n" if use == document["block"] else
            f"{100 * gain:.1f}% of " + ("the recorded time in these calls"
                                        if document["is_profile"] else "the time") +
            " can be gained\n")
    return text


def eval_text(document):
    text = eval_table(document, "mappings") + eval_notes(document)
    for name in ("types", "phases", "links", "ranks"):
        table = eval_table(document, name)
        text += "\n" + table if table else ""
    return text


def eval_csv(document):
    """The table that is asked for, or that of the mappings."""
    asked = [name for name in ("types", "links", "ranks") if eval_rows(document, name)]
    return "".join(csv({"rows": [{key: int(value) if isinstance(value, bool) else value
                                  for key, value in row.items()}
                                 for row in eval_rows(document, name)]}, "rows")
                   for name in asked or ["mappings"])


# --- plan

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
    if "nodes" in plan:
        text += "\nranks, in the order of the slots\n"
        text += "".join(f"  {printable(one['node'])}: {ranges(one['ranks'])}\n"
                        for one in plan["nodes"])
    return text


# --- topology show

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


def lines_of(view):
    """Of a document of JSON Lines."""
    return lambda text, *words: view([json.loads(line) for line in text.split("\n") if line], *words)


def document_of(view):
    return lambda text, *words: view(json.loads(text), *words)


def numbers_of(view):
    """Numbers stay as they are written."""
    return lambda text, *words: view(json.loads(text, parse_float=Number, parse_int=Number),
                                     *words)


VIEWS = {
    "csv": numbers_of(csv), "show": document_of(show), "show-csv": document_of(show_csv),
    "list": document_of(listing), "list-csv": document_of(listing_csv),
    "list-all": document_of(lambda rows: listing(rows, "folder")),
    "eval": document_of(eval_text), "eval-csv": numbers_of(eval_csv),
    "recorder": lambda text: as_json(members_of(text, "notes")),
    "recorder-csv": lambda text: csv(members_of(text, "notes")),
    "collected": lambda text: as_json(members_of(text, "filed", "notes")),
    "collected-csv": lambda text: csv(members_of(text, "filed", "notes"), "filed"),
    "graphs": document_of(graphs), "grid": document_of(grid),
    "history": lines_of(history), "history-csv": lines_of(history_csv),
    "topology": document_of(topology), "plan": document_of(plan_text), "ranks": document_of(ranks), "summary": document_of(summary), "summary-csv": document_of(summary_csv),
    "summary-json": document_of(summary_json), "prometheus": document_of(prometheus)}


def main(view, *words):
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    sys.stdout.buffer.write(VIEWS[view](text, *words).encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main(*sys.argv[1:])
