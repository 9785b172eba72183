# SPDX-License-Identifier: LGPL-2.1-or-later
"""tuned.py TUNE FOLDER: how tune.py judges runs, and what it stores: an evaluation
is left in FOLDER."""
import json
import os
import signal
import sys

from tap import judge, module_of

path, folder = sys.argv[1:]
tune = module_of(path)


def evaluation(runs, repeat=3):
    return {"format": 1, "nodes": None, "repeat": repeat, "graphs": [
        {"graph": name, "run_seconds": list(seconds), "run_mpi_seconds": [s / 2 for s in seconds]}
        for name, seconds in zip((tune.UNMAPPED, "p2p", "weighted-sum"), runs)]}


for values, median in (((), None), ((5,), 5), ((5, 1), 3), ((5, 1, 9), 5), ((5, 1, 9, 3), 4)):
    assert tune.median({"run_seconds": values}, "run_seconds") == median, values
for runs, best, unmapped_is_best in (
        (((10, 10, 11), (8, 8, 8), (7, 7, 9)), "weighted-sum", False),
        # Slower, but not by more than the runs differ among themselves.
        (((10, 10, 11), (12, 10.5, 11), (12, 12, 12)), "p2p", False),
        (((10, 10, 10.2), (11, 11, 11.5), (12, 12, 12)), "p2p", True),
        # As much slower, but not all runs were made.
        (((10, 10), (11, 11), (12, 12)), "p2p", False),
        (((10, 10, 10), (10.05,) * 3, (12, 12, 12)), "p2p", False),
        (((10, 10, 10), (10.2,) * 3, (12, 12, 12)), "p2p", True),
        # Equal ones: the first.
        (((10,), (9,), (9,)), "p2p", False), (((), (), ()), None, False)):
    judged = evaluation(runs)
    tune.judge(judged)
    assert (judged["best"], judged["unmapped_is_best"], judged["complete"]) == \
        (best, unmapped_is_best, len(runs[0]) == 3), (runs, judged)
# One or two runs of each never switch placement off.
for runs in (((10,), (10.6,), (11,)), ((10, 10), (20, 20), (30, 30))):
    judged = evaluation(runs, len(runs[0]))
    tune.judge(judged)
    assert judged["complete"] and judged["best"] == "p2p" and not judged["unmapped_is_best"], runs

# What is not known of every run is not stored.
made = evaluation(((), (), ()), 2)
runs = [dict(zip(tune.SERIES, (10, 5, 1, 2, 3)), phases={"one": 1, "two": 2}, hops={}),
        dict(zip(tune.SERIES, (10, 5, 1.5, 2.5, 3.5)), phases={"one": 2},
             hops={"hops_per_byte": 0.75, "unmapped_hops_per_byte": 1.5})]
for run in runs:
    tune.add(made["graphs"][0], run)
    tune.add(made["graphs"][1], run)
    tune.add(made["graphs"][2], run)
lacking = {key: value for key, value in runs[1].items() if key != "run_p2p_seconds"}
tune.add(made["graphs"][2], lacking)
tune.judge(made)
made["nodes"] = "n[0-7]"
tune.write(made, folder)
tune.write(made, folder)
with open(os.path.join(folder, tune.FILE), encoding="ascii") as file:
    stored = json.load(file)
p2p, other = stored["graphs"][1:]
assert p2p["p2p_seconds"] == 1.25 and p2p["max_task_mpi_seconds"] == 3.25, p2p
assert p2p["hops_per_byte"] == 0.75 and "max_hops_per_byte" not in p2p, p2p
assert p2p["phases"] == [{"phase": "one", "seconds": 1.5, "run_phase_seconds": [1, 2]}], p2p
assert "run_p2p_seconds" not in other and other["run_seconds"] == [10, 10, 10], other
again = tune.read(folder)
assert [graph["run_seconds"] for graph in again["graphs"]] == [[10, 10], [10, 10], [10, 10, 10]]
tune.cut(again["graphs"][1], 1)
assert tune.median(again["graphs"][1], "run_p2p_seconds") == 1
assert again["graphs"][1]["phases"][0]["run_phase_seconds"] == [1]
try:
    tune.write(made, os.path.join(folder, "none"))
    raise AssertionError("written where no folder is")
except tune.Error as error:
    assert "cannot write" in str(error), error
assert [name for name in os.listdir(folder) if name.startswith(".")] == []

# Ctrl-C is tune's alone: typed while srun is still in its group, or has just ended.
signal.pthread_sigmask(signal.SIG_BLOCK, tune.SIGNALS | {signal.SIGCHLD})
one = tune.Tune("topomap", [], ["true"])
one.scratch = folder
set_group = os.setpgid
tune.os.setpgid = lambda *group: (os.kill(os.getpid(), signal.SIGINT), set_group(*group))
child, _ = one.start({"graph": tune.UNMAPPED}, os.path.join(folder, "output"))
one.wait(child, tune.UNMAPPED)
assert (child.returncode, one.signal) == (0, None), (child.returncode, one.signal)
os.kill(os.getpid(), signal.SIGINT)
one.wait(child, tune.UNMAPPED)
assert one.signal == signal.SIGINT
