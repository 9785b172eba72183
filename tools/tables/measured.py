# SPDX-License-Identifier: LGPL-2.1-or-later
"""What topomap tune has measured (profiles/evaluation.h, tools/tune.py), as a table."""
import json
import os
import stat

from output import printable, table_text

MOST_BYTES = 1 << 26
FEW_RUNS = 3
UNMAPPED = "unmapped"  # in place of a graph's name: in Slurm's own layout


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


def phase_word(phase):
    return phase.get("name") or str(phase["phase"])


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
    before = graph.get("unmapped_hops_per_byte", -1)
    return (graph["graph"], None if hops is None else f"{before:.4g} -> {hops:.4g}",
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
    """Of the profile in folder. Errors: FileNotFoundError; what a file can be that is none."""
    fd = os.open(os.path.join(folder, "evaluation.json"), os.O_RDONLY | os.O_NONBLOCK)
    with open(fd, "rb") as file:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            return ""
        evaluation = json.loads(file.read(MOST_BYTES))
    if evaluation["format"] != 1:
        raise ValueError(f"format {evaluation['format']} is later than this topomap knows (1)")
    when = printable(evaluation.get("evaluated") or "some time ago")
    where = f" on {printable(evaluation['nodes'])}" if evaluation.get("nodes") else ""
    return f"\nmeasured by topomap tune, {when}{where}:\n{evaluation_text(evaluation)}"
