# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap doctor --launch, --nodes and --mpi: an installation, tried in steps.

doctor.py doctor TOPOMAP [--OPTION[=VALUE]]... -- [SRUN-OPTION]...

`topomap doctor` looks at all that takes no step itself, and becomes this program
for the rest.
"""
import os
import re
import subprocess
import sys
import threading
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from launchers import expand
from output import fail, note, print_rows, printable, read_options

OK, UNTRIED, WARNING, WRONG = "ok", "untried", "warning", "wrong"
MARKS = {OK: "ok", UNTRIED: "--", WARNING: "! ", WRONG: "!!"}
SUBJECT_WIDTH, NAMES_MOST, TAIL_LINES, TASKS = 18, 8, 4, 4
HERE, ROW = "topomap-doctor-here ", "topomap-mpi-probe "
# Block puts ranks 0 and 1 on one node, 2 and 3 on the other; by this grid 0 talks
# to 2 and 1 to 3. strict: a plan that fails is a step that fails.
MOVED = "grid:2x2:weights=1000/1,strict,time=20"
STEP = ["srun", "-N2", "-n4", "--ntasks-per-node=2", "--distribution=block"]


class Error(Exception):
    """A sentence for the user."""


class Report:
    """Findings: printed as they come, or all together as JSON or CSV."""

    def __init__(self, option):
        self.form = next((form for form in ("json", "csv") if form in option), None)
        self.findings, self.is_in_vain = [], False

    def say(self, verdict, subject, text, remedy=None):
        self.findings.append({"subject": subject, "verdict": verdict, "text": text,
                              "remedy": remedy})
        if self.form:
            return
        first, *more = text.split("\n")
        lines = [f"{subject:<{SUBJECT_WIDTH}} {MARKS[verdict]}  {first}"]
        lines += [" " * (SUBJECT_WIDTH + 5) + line for line in more if line]
        lines += [" " * (SUBJECT_WIDTH + 5) + f"-> {remedy}"] if remedy else []
        text = "".join(printable(line) + "\n" for line in lines)
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.buffer.flush()

    def count(self, verdict):
        return sum(1 for finding in self.findings if finding["verdict"] == verdict)

    def end(self):
        if self.form:
            print_rows({"findings": self.findings, "ok": self.count(OK),
                        "untried": self.count(UNTRIED), "warnings": self.count(WARNING),
                        "wrong": self.count(WRONG)}, "findings", self.form == "csv")
        return 1 if self.count(WRONG) or self.is_in_vain else 0


class Trial:
    """A command that has run, and all that it and its tasks have printed. That it
    waits for nodes is shown at once."""

    def __init__(self, words):
        self.said = []
        try:
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
        except OSError as error:
            raise Error(f"cannot run {words[0]}: {error.strerror}") from None
        listener = threading.Thread(target=self.listen, args=(child.stderr,))
        listener.start()
        self.out = child.stdout.read().decode("utf-8", "surrogateescape").splitlines()
        listener.join()
        self.status = child.wait()

    def listen(self, stream):
        for line in stream:
            line = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            self.said.append(line)
            if "queued and waiting" in line:
                note(line)

    def last_line(self):
        lines = [line for line in self.said or self.out if line]
        return lines[-1].replace("topomap: ", "", 1) if lines else ""

    def tail(self):
        """The last lines of what was said: srun's own, with its reason, or, where it
        had nothing to say, the program's."""
        lines = [line for line in self.said if line]
        own = [line for line in lines if line.startswith("srun: ")]
        return "".join("\n" + line for line in (own or lines)[-TAIL_LINES:])


# --- launch: a launch that must move its ranks, looked at from the nodes

def check_launch(report, more):
    os.environ["TOPOMAP"] = "off"  # not by the option, which a Slurm without the plugin refuses
    took, nodes = [], {}
    for mode in (None, f"--topomap={MOVED}"):
        began = time.monotonic()
        trial = Trial([*STEP, "--mpi=none", "--quit-on-interrupt", "--time=2",
                       *([mode] if mode else []), *more, "sh", "-c",
                       "echo topomap-doctor $SLURM_PROCID $SLURMD_NODENAME"])
        took.append(time.monotonic() - began)
        nodes = {}
        for line in trial.out:
            found = re.match(r"topomap-doctor +([0-9]+) +(\S+)", line)
            if found and int(found.group(1)) < TASKS:
                nodes.setdefault(int(found.group(1)), found.group(2))
        if trial.status != 0 or len(nodes) != TASKS:
            report.is_in_vain = not mode
            report.say(WRONG if mode else UNTRIED, "launch",
                       f"srun{' ' + mode if mode else ''}: {trial.last_line()}",
                       "launches with topomap fail here" if mode else
                       "this is so without topomap, too: name a partition by -- --partition=P")
            return
    moved = nodes[0] == nodes[2] != nodes[1] == nodes[3]
    report.say(OK if moved else WRONG, "launch",
               f"ranks 0 1 2 3 on {nodes[0]} {nodes[1]} {nodes[2]} {nodes[3]}"
               f"{', as planned' if moved else ': they had to be 0 2 and 1 3'}; "
               f"{took[1]:.2g} s, and {took[0]:.2g} s without topomap",
               None if moved else "see what srun says of it: srun -N2 -n4 --ntasks-per-node=2 "
               f"--topomap={MOVED},verbose hostname")


# --- nodes: whether every node has the same of topomap as this machine

def here_lines(lines):
    """(node, what it says) of each."""
    for line in lines:
        if line.startswith(HERE):
            node, _, text = line[len(HERE):].partition(" ")
            yield node, text


def some(names):
    return " ".join(names[:NAMES_MOST]) + (" ..." if len(names) > NAMES_MOST else "")


def check_nodes(report, topomap, option, more):
    asked = expand(option["nodes"])
    twice = next((name for i, name in enumerate(asked) if name in asked[:i]), None)
    if twice or not asked:
        raise Error(f"{option['nodes']}: node {twice} stands there twice" if twice else
                    f"{option['nodes']}: no node in it")
    config = ["--config", option["config"]] if "config" in option else []
    look = [topomap, "doctor", "--here", *config]
    here = {text for _, text in here_lines(Trial(look).out)}
    trial = Trial(["srun", f"-N{len(asked)}", f"-n{len(asked)}", "--nodelist", option["nodes"],
                   "--ntasks-per-node=1", "--mpi=none", "--quit-on-interrupt", "--time=5",
                   "--topomap=off", *more, *look])
    seen, differences = set(), {}
    for node, text in here_lines(trial.out):
        seen.add(node)
        if text not in here:
            differences.setdefault(text, []).append(node)
    silent = [name for name in asked if name not in seen]
    if silent:
        report.say(WRONG, "nodes", f"{len(silent)} of {len(asked)} do not run it: {some(silent)}"
                   f"\n{trial.last_line() if trial.said else ''}",
                   "topomap must be installed on every node, at the same path")
    for text, nodes in differences.items():
        report.say(WRONG, "nodes", f"{len(nodes)} of {len(asked)} have another than this "
                   f"machine: {some(nodes)}\n{text}", "install one version everywhere")
    if not differences and seen:
        report.say(OK, "nodes", f"{len(seen)} of {len(asked)} have the same plugin, command, "
                   "recorders and site file as this machine")


# --- mpi: whether ranks that are moved sit where MPI, Slurm and the kernel say

class Row:
    """One rank, as mpi_probe.c prints it."""

    def __init__(self, line):
        words = line.split()
        if len(words) != 6 or not all(re.fullmatch("[0-9]{1,9}|-", words[i]) for i in (0, 1, 2, 5)):
            raise Error(f"the program says '{line}', which is no row of mpi_probe.c's")
        number = [None if word == "-" else int(word) for word in words[:3] + words[5:]] \
            if words else []
        self.rank, self.size, self.procid, self.first = number
        self.node, self.host = words[3:5]


def read_rows(lines):
    """The rows, by rank, of one MPI_COMM_WORLD of four. Fails where they are none."""
    rows = [Row(line[len(ROW):].strip()) for line in lines if line.startswith(ROW)]
    if len(rows) > TASKS:
        raise Error(f"more than {TASKS} ranks answer")
    rows.sort(key=lambda row: -1 if row.rank is None else row.rank)
    if not rows:
        raise Error("no rank answers")
    if len(rows) == TASKS and rows[-1].rank == 0:
        raise Error(f"it starts as {TASKS} programs of one rank each")
    for i, row in enumerate(rows):
        if row.rank != i or row.size != TASKS:
            raise Error(f"a rank {row.rank} of {row.size} answers where {TASKS} were started")
    if len(rows) < TASKS:
        raise Error(f"{len(rows)} of {TASKS} ranks answer")
    return rows


def disagreements(rows):
    """On what MPI, Slurm and the kernel disagree, a line each."""
    out = []
    for row in rows:
        if row.procid is None:
            out.append(f"rank {row.rank} has no SLURM_PROCID")
        elif row.procid != row.rank:
            out.append(f"rank {row.rank} of MPI is rank {row.procid} of Slurm")
    for i, a in enumerate(rows):
        for b in rows[i + 1:]:
            who, together = f"ranks {a.rank} and {b.rank}", a.node == b.node
            if a.first == b.first and not together:
                out.append(f"MPI takes {who} to share memory; Slurm runs them on {a.node} and "
                           f"{b.node}")
            elif a.first != b.first and together:
                out.append(f"MPI takes {who} to share no memory; Slurm runs both on {a.node}")
            elif together and a.host != b.host:
                out.append(f"{who} are both on {a.node} for Slurm, and on {a.host} and {b.host} "
                           "for the kernel")
    return out


def are_pair(rows, a, b):
    """Whether ranks a and b, and only they, are on one node with each other."""
    return all((row.node == rows[a].node) == (i in (a, b)) for i, row in enumerate(rows))


def describe(rows):
    """0 2 on n0, 1 3 on n1"""
    nodes = {}
    for row in rows:
        nodes.setdefault(row.node, []).append(str(row.rank))
    return ", ".join(f"{' '.join(ranks)} on {node}" for node, ranks in nodes.items())


def run_program(program, mpi, mode, more):
    """(trial, rows) of a step of four ranks; rows may be why there are none."""
    trial = Trial([*STEP, "--quit-on-interrupt", "--time=2", f"--mpi={mpi}", f"--topomap={mode}",
                   *more, program])
    try:
        return trial, read_rows(trial.out)
    except Error as why:
        if str(why).endswith(("no rank answers", "ranks answer")) and trial.status > 0 and \
                not str(why).startswith("more"):
            why = Error(f"srun ends with status {trial.status}")
        return trial, why


def check_program(report, program, mpi, more):
    """One step as Slurm lays it out, by which the other is judged."""
    subject = os.path.basename(program)
    trial, rows = run_program(program, mpi, "off", more)
    text = None
    if isinstance(rows, Error):
        text = f"{rows}{trial.tail()}"
    elif disagreements(rows):
        text = "without topomap, too, MPI and Slurm disagree:\n" + \
            "".join(line + "\n" for line in disagreements(rows))
    elif not are_pair(rows, 0, 1):
        text = "without topomap ranks 0 and 1 are not on one node"
    if text:
        return report.say(UNTRIED, subject, text)
    trial, rows = run_program(program, mpi, f"{MOVED},mpi={mpi}", more)
    if isinstance(rows, Error):
        return report.say(WRONG, subject, "it runs as Slurm lays it out, and not with its ranks "
                          f"moved: {rows}{trial.tail()}")
    text, wrong = describe(rows), disagreements(rows)
    if wrong:
        return report.say(WRONG, subject, text + "\n" + "".join(line + "\n" for line in wrong))
    if not are_pair(rows, 0, 2) or not are_pair(rows, 1, 3):
        return report.say(WRONG, subject, f"{text}: they did not move, and had to be 0 2 and 1 3"
                          f"{trial.tail()}")
    return report.say(OK, subject, f"{text}, as planned; MPI, Slurm and the kernel agree")


def check_mpi(report, option, more):
    mpi, program = option["mpi"], option.get("program")
    # A bare name is found by PATH, by srun.
    if program and "/" in program and not os.access(program, os.X_OK):
        raise Error(f"{program}: {os.strerror(13 if os.path.exists(program) else 2)}")
    listed = Trial(["srun", "--mpi=list"])
    words = re.split(r"[ \t\r\n,]+", "\n".join(listed.out + listed.said))
    if "none" in words and mpi not in words:  # none is in every list
        raise Error(f"this Slurm has no MPI type '{mpi}': srun --mpi=list names those that it has")
    before = len(report.findings)
    programs = [program] if program else [
        path for path in (f"{option['probes']}/mpi-probe-{name}" for name in ("mpich", "openmpi"))
        if os.access(path, os.X_OK)]
    for one in programs:
        check_program(report, one, mpi, more)
    verdicts = [finding["verdict"] for finding in report.findings[before:]]
    if not {OK, WRONG} & set(verdicts):
        what = "this is no MPI program that starts under" if program else \
            "there is no MPI program here that starts under" if verdicts else \
            "there is no MPI program to try with"
        raise Error(f"{what} --mpi={mpi}: build one with the MPI of your programs, mpicc -o "
                    f"mpi-probe {option['source']}, and name it by --program")


def main(argv):
    _, topomap, options, more = read_options(argv)
    option = dict(options)
    report = Report(option)
    try:
        if "launch" in option:
            try:
                check_launch(report, more)
            except Error as why:
                report.say(WRONG, "launch", str(why))
        if "nodes" in option:
            try:
                check_nodes(report, topomap, option, more)
            except Exception as why:  # of expand, too
                report.say(WRONG, "nodes", str(why))
        if "mpi" in option:
            check_mpi(report, option, more)
    except Error as why:
        fail(str(why), report.form == "json")
        sys.exit(1)
    sys.exit(report.end())


if __name__ == "__main__":
    main(sys.argv[1:])
