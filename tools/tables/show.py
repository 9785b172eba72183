# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap profile show."""
import contextlib
import json
import math
import pwd

from measured import measured_text, phase_word
from output import csv_text, plural, printable

STAGES_MOST = 255
EVALUATION_MOST = 1 << 20


def user_name(user):
    """A recorder without USER in its environment knows a number; it asks no service for
    the name, which can hang in a program."""
    try:
        return pwd.getpwuid(int(user)).pw_name if user.isdecimal() else user
    except (KeyError, OverflowError):
        return user


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
        return f"too few runs to say ({plural(learnt['pairs'], 'pair')})"
    low, high = (100 * (none if learnt[key] is None else learnt[key])
                 for key, none in (("gain_low", -math.inf), ("gain_high", math.inf)))
    return f"{100 * learnt['gain']:+.1f}% ({learnt['pairs']} pairs, {low:+.1f} to {high:+.1f}%)"


def learnt_text(profile):
    """From the files of profiles/history/history_evaluation.h that are of this program;
    what cannot be read or believed is passed over."""
    from catalogue import EVALUATION, Folder, Refused
    text = ""
    with contextlib.suppress(OSError, Refused), Folder(profile["own"], own=True) as root, \
            Folder(".history", root) as folder:
        folder.check()
        for name in sorted(folder.names(EVALUATION)):
            with contextlib.suppress(OSError, Refused, ValueError, LookupError, TypeError,
                                     RecursionError):
                one = json.loads(folder.read(name, EVALUATION_MOST))
                if all(one[key] == profile[key] for key in ("program", "identity", "ntasks")):
                    text += printable(
                        f"{one['nnodes']} nodes of {one.get('node_type') or 'any kind'}, "
                        f"arguments {one.get('arguments') or 'none'}: "
                        f"{'' if one['gain'] is None else one['verdict'] + ', '}{gain_text(one)}" +
                        (f", by graph {one['graph']}" if one.get("graph") else "") +
                        f"; as of {one.get('written') or '-'}") + "\n"
    return "\nlearnt from production runs, placed ones beside others:\n" + text if text else ""


def show(profile):
    text = head_text(profile) + types_text(profile) + spans_text(profile) + phases_text(profile)
    try:
        text += measured_text(profile["folder"])
    except FileNotFoundError:
        pass
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError) as error:
        text += f"\nwhat topomap tune has measured cannot be read: {printable(str(error))}\n"
    return text + (learnt_text(profile) if profile.get("own") else "")


def show_csv(profile):
    return csv_text(
        ("type", "calls", "bytes", "seconds", "paired_bytes", "max_task_seconds", "max_task",
         "min_task_seconds", "min_task", "graph", "stages", "partial"),
        [(one["type"], one["calls"], one["bytes"], one["seconds"], one["paired_bytes"] or 0,
          *(one.get("task_seconds", {}).get(key) for key in ("max", "max_task", "min", "min_task")),
          one.get("graph") or "", one.get("stages", 0), profile.get("partial", ""))
         for one in profile["types"]])
