# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap history: steps, where their ranks were, and what they come to."""
import functools
import itertools
import json
import re
import time

from observed import KEYS, table, would_gain
from output import csv_text, members, note, output_file, plural, printable, table_text
from steps import AMOUNTS, AT, OUTCOMES, Steps, add_new, gains

# Lines that are one table for the width of its columns: a million are not in memory at once.
ROWS = 5000


@functools.lru_cache(16)
def when(minute):
    """"22 Nov 03:12" where it is; minutes since 1970."""
    try:
        return time.strftime("%e %b %H:%M", time.localtime(60 * int(minute)))
    except (OverflowError, ValueError, OSError):
        return None


def arrow(before, after):
    return None if before is None or after is None else f"{before:.3g} -> {after:.3g}"


UNDO = "; --topomap=off undoes it"
# For people one word for one thing; JSON and CSV have the kind.
SHOWN = {"control": "unchanged",
         **dict.fromkeys(("no-profile", "no-mpi", "unsupported", "failed"), "not placed")}


def reason(why, ntasks):
    """Without what the other columns have, program, ranks and hops per byte, and without how
    to switch it off. Of a million lines a regular expression takes seconds."""
    if why.endswith(UNDO):
        why = why[:-len(UNDO)]
    _, ranks, rest = why.partition(f"{ntasks} ranks")
    if ranks and rest[:2] in (", ", ": "):
        why = rest[2:]
    before, hops, after = why.partition(" hops per byte")
    for said in (", as before", " instead of "):
        if hops and after.startswith(said):
            rest = after[len(said):].lstrip("lesthan 0123456789.e+-")
            why = before.rpartition(": ")[0] + (":" + rest[1:] if rest[:1] == "," else rest)
    return why


def known(cell):
    """0 tasks, or an amount below 0, is none."""
    return None if cell[0] == "-" or cell == "0" else cell


def history(lines):
    """Of cells between tabs, as tools/history/history_show.c writes them."""
    heads = ("<JOB", "<WHEN", "<PROGRAM", "TASKS", "NODES", "<OUTCOME", "<HOPS/BYTE", "SECONDS",
             "<WHY")
    widths = []
    while part := [line[:-1].split("\t") for line in itertools.islice(lines, ROWS)]:
        yield table_text(heads, [
            (name, when(minute), program, known(ntasks), known(nnodes), SHOWN.get(outcome, outcome),
             None if "-" in (before[0], after[0]) else f"{before} -> {after}", known(seconds),
             reason(why, ntasks))
            for name, minute, program, ntasks, nnodes, outcome, before, after, seconds, why in part],
            widths)


def history_csv(lines):
    names = ("job", "step", "time", "program", "ntasks", "nnodes", "outcome",
             "hops_per_byte_before", "hops_per_byte_after", "seconds", "why")
    yield csv_text(names, [])
    while part := [json.loads(line) for line in itertools.islice(lines, ROWS)]:
        yield csv_text((), [[step["time"] if name == "time" else
                             None if step.get(name) == "" else step.get(name)
                             for name in names] for step in part])[1:]


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


def shown(name):
    return name if name and name != "-" else "-"


def summary_row(by, name, sums, users, found):
    def of(amount):
        return sums[AT[amount]]

    def mean(amount, number):
        return of(amount) / of(number) if of(number) else None
    pairs, gain, low, high = found
    return {
        by: name, "users": None if users is None else len(users - {None}),
        "steps": int(sum(map(of, OUTCOMES))), "node_hours": of("node_seconds") / 3600,
        "placed_node_hours": of("placed_node_seconds") / 3600,
        "outcomes": {word: int(of(word)) for word in OUTCOMES},
        "mpi_share": mean("mpi_seconds", "timed_seconds"),
        "hops_per_byte_before": mean("links_before", "linked"),
        "hops_per_byte_after": mean("links_after", "linked"),
        "pairs": pairs, "gain": gain, "gain_low": low, "gain_high": high, "record_first": False,
        "would_gain": would_gain(of, pairs, gain)}


def summary_rows(steps, by, top):
    """Most node-hours first; record_first: a profile of this one would be worth most. The
    rows behind the first `top` are one, without users and gains, which do not add up."""
    groups, compared = {}, {}
    for (user, program, _), sums in steps.sums.items():
        total, users = groups.setdefault(shown(user if by == "user" else program),
                                         ([0] * len(AMOUNTS), set()))
        total[:] = map(sum, zip(total, sums))
        users.add(user)
    for (user, program, *rest), runs in steps.runs.items():
        if not runs:
            continue
        name = shown(user if by == "user" else program)
        key = (program or "", *(str(one or "").rjust(10) if i in (0, 4) else one or ""
                                for i, one in enumerate(rest)))
        groups.setdefault(name, ([0] * len(AMOUNTS), {user}))
        compared.setdefault(name, {}).setdefault(key, []).extend(runs)
    names = sorted(groups, key=lambda one: (-groups[one][0][AT["node_seconds"]], one))
    few = names[:top] if top and len(names) > top else names
    found = gains([[sorted(runs) for _, runs in sorted(compared.get(name, {}).items())]
                   for name in few])
    rows = [(summary_row(by, name, *groups[name], one), groups[name][0])
            for name, one in zip(few, found)]
    rows = [(row, sums) for row, sums in rows if row["steps"] or row["pairs"]]
    first = max((one for one in rows if one[1][AT["unknown"]] > 0),
                key=lambda one: one[1][AT["unknown_node_seconds"]], default=None)
    if first and by == "program":
        first[0]["record_first"] = True
    if len(few) < len(names):
        sums = list(map(sum, zip(*(groups[name][0] for name in names[len(few):]))))
        rows.append((summary_row(by, "other", sums, None, (0, None, None, None)), sums))
    site = list(map(sum, zip([0] * len(AMOUNTS), *(total for total, _ in groups.values()))))
    return [row for row, _ in rows], would_gain(lambda amount: site[AT[amount]])


def summed(form):
    """A view of lines whose first one says what is asked."""
    def view(lines):
        asked = json.loads(next(lines))
        steps, path = Steps(), asked["fold"]
        try:
            steps.read(path)
        except (OSError, ValueError, KeyError, TypeError) as error:
            note(f"{path}: no sums of topomap history can be read from it: {error}")
            raise SystemExit(1) from None
        late, changed = add_new(steps, lines, asked)
        if path and changed:
            try:
                steps.write(path)
            except OSError as error:
                note(f"cannot write {path}, which stays as it was: {error.strerror}")
                raise SystemExit(1) from None
        for step in late:
            steps.add(*step)
        rows, site = summary_rows(steps, asked["by"], asked["top"])
        yield form(rows, asked["by"], site)
    return view


def filed(form):
    """The same, into a file."""
    def view(lines, path):
        try:
            for text in summed(form)(lines):
                with output_file(path) as file:
                    file.write(text)
        except OSError as error:
            note(f"cannot write {path}: {error.strerror}")
            raise SystemExit(1) from None
        return ()
    return view


def whole(value):
    """Of a document: whole numbers without a point."""
    if isinstance(value, dict):
        return {key: whole(one) for key, one in value.items()}
    return int(value) if isinstance(value, float) and value.is_integer() else value


def summary_json(rows, *_):
    return "".join(json.dumps(whole(row)) + "\n" for row in rows)


def summary_csv(rows, by, _):
    rows = [dict(members(row)) for row in rows]
    names = (by, "users", "steps", "node_hours", "placed_node_hours",
             *(f"outcomes.{word}" for word in OUTCOMES), "mpi_share", "hops_per_byte_before",
             "hops_per_byte_after", "pairs", "gain", "gain_low", "gain_high", "record_first",
             *(f"would_gain.{key}" for key in KEYS))
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


def summary(rows, by, site):
    return table_text(
        (f"<{by.upper()}", "USERS", "STEPS", "NODE-HOURS", "PLACED", "NO PROFILE", "IN MPI",
         "<HOPS/BYTE", "<MEASURED"),
        [(row[by], row["users"], row["steps"], f"{row['node_hours']:.1f}",
          percent(row["outcomes"]["placed"], row["steps"]),
          percent(row["outcomes"]["no-profile"], row["steps"]),
          None if row["mpi_share"] is None else percent(row["mpi_share"], 1),
          arrow(row["hops_per_byte_before"], row["hops_per_byte_after"]), measured_gain(row))
         for row in rows]) + table(rows, by, site) if rows else ""


def prometheus(rows, by, _):
    """For node_exporter's textfile collector."""

    def node_seconds(row):
        placed = row["placed_node_hours"]
        return {"true": 3600 * placed, "false": 3600 * (row["node_hours"] - placed)}
    metrics = (
        ("topomap_steps", "Steps that the history still has, by outcome.", "outcome",
         lambda row: row["outcomes"]),
        ("topomap_node_seconds", "Node-seconds of these steps.", "placed", node_seconds),
        ("topomap_hops_per_byte", "Links that a byte of placed steps crosses.", "layout",
         lambda row: {"slurm": row["hops_per_byte_before"],
                      "topomap": row["hops_per_byte_after"]}),
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
