# SPDX-License-Identifier: LGPL-2.1-or-later
"""The steps of a history added up, and kept as sums in a file, which topomap history
--summary --fold FILE reads first and replaces at the end.

The file is lines of JSON: {"fold": 1, ...} with what was read so far; {"fold": "sum",
...} of a user, program and number of tasks; {"fold": "runs", ...} that can be compared;
and, as they stand in the history, the launches whose ends have not come.
"""
import json
import os
import subprocess

from observed import KNOWN, SUMS, sums_of_step
from output import output_file

OUTCOMES = ("placed", "unchanged", "no-profile", "control", "recorded", "unsupported", "failed",
            "observed")
AMOUNTS = (*OUTCOMES, "node_seconds", "placed_node_seconds", "timed_seconds", "mpi_seconds",
           "linked", "links_before", "links_after", "unknown", "unknown_node_seconds", *SUMS)
AT = {name: i for i, name in enumerate(AMOUNTS)}
OF_RUNS = ("user", "program", "ntasks", "identity", "arguments", "node_type", "nnodes")
NODE_SECONDS = AT["node_seconds"]
# As many runs are kept of what can be compared as learn keeps
# (profiles/history/history_evaluation.h), and the most comparisons, the newest.
RUNS, COMPARISONS = 400, 20000
# A launch without an end is a killed srun's then; what came in by a pipe a minute ago
# may not be all of it.
OPEN_S, LATE_S = 31 * 86400, 60


class Steps:
    """Sums and runs; each run is (at_s, seconds, placed, "job.step")."""

    def __init__(self):
        self.sums, self.runs, self.marks, self.open, self.found = {}, {}, {}, [], {}
        self.until = 0

    def read(self, path):
        """What was kept. Not to be understood: OSError or ValueError."""
        if not path or not os.path.exists(path):
            return
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            for line in file:
                if not line.startswith('{"fold":'):
                    continue
                one = json.loads(line)
                if one["fold"] == 1:
                    self.marks, self.until = one["files"], one["until_s"]
                elif one["fold"] == "sum":
                    self.sums[one["user"], one["program"], one["ntasks"]] = \
                        [one.get(name, 0) for name in AMOUNTS] + [one["known_at_s"]]
                elif one["fold"] == "runs":
                    self.runs[tuple(one[name] for name in OF_RUNS)] = \
                        [tuple(run) for run in one["runs"]]
                else:
                    raise ValueError("a later topomap's")

    def write(self, path):
        """Whole, or not at all."""
        newest = sorted((item for item in self.runs.items() if item[1]),
                        key=lambda item: -max(run[0] for run in item[1]))
        with output_file(path, 0o600) as file:
            print(json.dumps({"fold": 1, "until_s": self.until, "files": self.marks}), file=file)
            for (user, program, ntasks), sums in self.sums.items():
                print(json.dumps({"fold": "sum", "user": user, "program": program,
                                  "ntasks": ntasks, **dict(zip(AMOUNTS, sums)),
                                  "known_at_s": sums[-1]}), file=file)
            for key, runs in newest[:COMPARISONS]:
                print(json.dumps({"fold": "runs", **dict(zip(OF_RUNS, key)),
                                  "runs": sorted(runs)[-RUNS:]}), file=file)
            file.writelines(self.open)

    def find(self, key):
        """The sums and the runs of a key, as JSON has it."""
        user, program, ntasks, *rest = json.loads(key)
        sums = self.sums.setdefault((user, program, ntasks), [])
        if not sums:
            sums.extend([0] * (len(AMOUNTS) + 1))
        return sums, self.runs.setdefault((user, program, ntasks, *rest), []), rest[-1]

    def add(self, key, numbers):
        """One of tools/history/summary.c, later than those before it."""
        (_, _, job, step, at_s, outcome, forgotten, seconds, mpi, before, after, *estimate,
         placed) = numbers
        if outcome in ("-", "no-mpi"):
            return
        if key not in self.found:
            self.found[key] = self.find(key)
        sums, runs, nnodes = self.found[key]
        at_s, seconds = float(at_s), float(seconds)
        if placed != "-":
            name = f"{job}.{step}"
            if forgotten == "0" or not any(run[3] == name and abs(run[0] - at_s) < 1
                                           for run in runs):
                runs.append((at_s, seconds, int(placed), name))
        if forgotten != "0":
            return
        if outcome in AT:
            sums[AT[outcome]] += 1
        used = seconds * nnodes if seconds > 0 else 0
        sums[NODE_SECONDS] += used
        if outcome == "placed":
            sums[AT["placed_node_seconds"]] += used
            if before[0] != "-":
                sums[AT["linked"]] += 1
                sums[AT["links_before"]] += float(before)
                sums[AT["links_after"]] += float(after)
        if mpi[0] != "-" and seconds > 0:
            sums[AT["timed_seconds"]] += seconds
            sums[AT["mpi_seconds"]] += float(mpi)
        for name, more in sums_of_step(outcome, seconds, used, (float(before), float(after)),
                                       map(float, estimate)):
            sums[AT[name]] += more
        # Steps without a profile, and none later for that user, program and number of tasks.
        if outcome in KNOWN:
            sums[-1] = max(sums[-1], at_s)
            sums[AT["unknown"]] = sums[AT["unknown_node_seconds"]] = 0
        elif outcome == "no-profile" and at_s >= sums[-1]:
            sums[AT["unknown"]] += 1
            sums[AT["unknown_node_seconds"]] += used


def add_new(steps, lines, asked):
    """The steps of lines that the fold has not. Gives those that are counted only for
    now, since their ends may come, and whether there were others."""
    files, path = asked["files"], asked["fold"]
    late, changed, kept = [], False, int(path is not None and os.path.exists(path))
    newest = max((one[2] for one in files), default=0)
    for text in lines:
        key, numbers, *line = text.split("\t")
        numbers = numbers.split()
        if path and numbers[6] == "0":
            source, at_s = int(numbers[0]), float(numbers[4])
            if source >= kept and asked["is_stream"]:
                if at_s <= steps.until:
                    continue
                if at_s > newest - LATE_S:
                    late.append((key, numbers, None))
                    continue
            elif source >= kept and int(numbers[1]) < steps.marks.get(files[source][0], 0):
                continue
            changed = changed or source >= kept or not line
            if line and at_s > newest - OPEN_S:
                late.append((key, numbers, line[0]))
                continue
        steps.add(key, numbers)
    steps.open = [line for *_, line in late if line is not None]
    if asked["is_stream"]:
        steps.until = max(steps.until, newest - LATE_S)
    else:
        steps.marks.update((name, max(size, steps.marks.get(name, 0)))
                           for name, size, _ in files[kept:])
    return [step[:2] for step in late], changed


def gains(groups):
    """Of groups, lists of lists of runs that can be compared: (pairs, gain, low, high)."""
    text = "".join(f"{row} {i} {run[0]!r} {run[1]!r} {run[2]:d}\n"
                   for row, group in enumerate(groups) for i, runs in enumerate(group) for run in runs)
    topomap = os.path.realpath(f"/proc/{os.getppid()}/exe")
    said = subprocess.run([topomap, "history", "--gains"], input=text.encode(), check=True,
                          stdout=subprocess.PIPE).stdout
    found = {row: rest for row, *rest in map(json.loads, said.splitlines())}
    return [found.get(row, [0, None, None, None]) for row in range(len(groups))]
