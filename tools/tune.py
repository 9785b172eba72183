# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap tune: runs a program with each of its task graphs, and stores which is
best (Galvez, Jain and Kale, ICS '17, section 4.1.2).

tune.py tune TOPOMAP [--OPTION[=VALUE]]... -- srun [WORD]...

`topomap tune` has read the options, and becomes this program. It records and maps
by srun's --topomap, makes graphs by `topomap profile`, and stores what it measures
as evaluation.json beside the profile, which the planner reads (profiles/evaluation.h).
"""
import glob
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from output import (conclude, csv, fail, note, print_row, printable, read_options, replacing,
                    sentence, usage)
from tables.measured import FEW_RUNS, UNMAPPED, evaluation_text, is_complete, median, \
    median_of_phase, phase_word

FILE, FORMAT = "evaluation.json", 1
RUNS_MOST = 1000
# Differences below this share of the time mean nothing; the larger share where
# there are too few runs to tell the spread by.
LEAST_NOISE, LEAST_NOISE_OF_FEW = 0.01, 0.05
PHASES_TRIED, PHASES_MOST = 4, 64
ROUNDING = 1e-9  # of a share
PATIENCE = 20  # seconds that srun has to end its job, before it is killed
TAIL_BYTES, TAIL_LINES = 4096, 8
SIGNALS = {signal.SIGINT, signal.SIGTERM, signal.SIGHUP}
# Of a run: seconds from MPI_Init to MPI_Finalize; in MPI and in point-to-point
# calls, a task on average, and of the longest task. The first two are always known.
SERIES = ("run_seconds", "run_mpi_seconds", "run_p2p_seconds", "run_max_task_p2p_seconds",
          "run_max_task_mpi_seconds")


class Error(Exception):
    """A sentence for the user."""


class Interrupted(Exception):
    """A signal came, by number."""


# --- what was measured

def spread(graph):
    return max(graph["run_seconds"]) - min(graph["run_seconds"])


def judge(evaluation):
    """Sets best: the graph of the least median seconds, the first of equal ones;
    noise_seconds: the larger spread of its runs and of the unmapped ones, and at
    least a share of the unmapped median; unmapped_is_best: all runs were made, and
    Slurm's own layout is faster by more than that."""
    unmapped, *graphs = evaluation["graphs"]
    plain = median(unmapped, "run_seconds")
    measured = [graph for graph in graphs if median(graph, "run_seconds") is not None]
    best = min(measured, key=lambda graph: median(graph, "run_seconds"), default=None)
    evaluation.update(complete=is_complete(evaluation), best=best and best["graph"],
                      unmapped_is_best=False, noise_seconds=0)
    if not best or plain is None:
        return
    few = min(len(unmapped["run_seconds"]), len(best["run_seconds"])) < FEW_RUNS
    noise = max(plain * (LEAST_NOISE_OF_FEW if few else LEAST_NOISE), spread(unmapped),
                spread(best))
    evaluation["noise_seconds"] = noise
    evaluation["unmapped_is_best"] = (evaluation["complete"] and
                                      len(unmapped["run_seconds"]) >= FEW_RUNS and
                                      median(best, "run_seconds") - plain > noise)


def cut(graph, runs):
    """Keeps the first runs of a graph."""
    for key in SERIES:
        if key in graph:
            del graph[key][runs:]
    for phase in graph.get("phases", []):
        del phase["run_phase_seconds"][runs:]


def add(graph, run):
    """Adds a run; a series that was not known of an earlier one is passed over."""
    runs = len(graph["run_seconds"])
    if runs == RUNS_MOST:
        raise Error(f"more than {RUNS_MOST} runs of {graph['graph']}")
    phases = graph.setdefault("phases", [])
    known = {phase["phase"] for phase in phases}
    for name in run["phases"]:
        if name not in known and len(phases) < PHASES_MOST:
            phases.append({"phase": name, "run_phase_seconds": []})
    for phase in phases:
        values = phase["run_phase_seconds"]
        if len(values) == runs and phase["phase"] in run["phases"]:
            values.append(run["phases"][phase["phase"]])
    for key in SERIES:
        values = graph.setdefault(key, [])
        if len(values) == runs and run.get(key) is not None:
            values.append(run[key])
    graph.update(run["hops"])


def written(evaluation):
    """As the file has it: with medians, and without what is not known of all runs."""
    out = {key: evaluation.get(key) for key in ("format", "evaluated", "nodes", "repeat",
                                                "complete", "best", "unmapped_is_best",
                                                "noise_seconds")}
    out["graphs"] = []
    for graph in evaluation["graphs"]:
        one = {key: value for key, value in graph.items()
               if key == "graph" or key.endswith("hops_per_byte")}
        for i, key in enumerate(SERIES):
            if i < 2 or median(graph, key) is not None:
                one[key[len("run_"):]] = median(graph, key)
                one[key] = graph.get(key, [])
        phases = [{"phase": phase["phase"], "seconds": median_of_phase(graph, phase),
                   "run_phase_seconds": phase["run_phase_seconds"]}
                  for phase in graph.get("phases", [])
                  if median_of_phase(graph, phase) is not None]
        if phases:
            one["phases"] = phases
        out["graphs"].append(one)
    return out


def write(evaluation, folder):
    """Readers see the old one or the new."""
    path = os.path.join(folder, FILE)
    try:
        with replacing(path) as file:
            json.dump(written(evaluation), file, indent=2)
            file.write("\n")
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror}") from None


def read(folder):
    """What an earlier tune measured, or None."""
    try:
        with open(os.path.join(folder, FILE), encoding="utf-8") as file:
            evaluation = json.load(file)
        if evaluation["format"] != FORMAT or evaluation["graphs"][0]["graph"] != UNMAPPED:
            return None
        for graph in evaluation["graphs"]:
            cut(graph, min(RUNS_MOST, len(graph["run_seconds"])))
        evaluation.setdefault("nodes", None)
        return evaluation
    except (OSError, ValueError, KeyError, IndexError, TypeError, AttributeError):
        return None


# --- topomap and srun

def ask(topomap, *words):
    """What a subcommand prints. Fails with its sentence."""
    done = subprocess.run([topomap, *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, check=False)
    said = done.stderr.decode("utf-8", "surrogateescape")
    if done.returncode == 0:
        sys.stderr.buffer.write(done.stderr)
        return done.stdout.decode("utf-8", "surrogateescape")
    raise Error(sentence(said.strip().rpartition("\n")[2]) or
                f"topomap {words[0]} does not run")


def tail(path):
    """The end of what a run wrote."""
    try:
        with open(path, "rb") as file:
            file.seek(max(0, file.seek(0, os.SEEK_END) - TAIL_BYTES))
            return file.read().decode("utf-8", "surrogateescape")
    except OSError:
        return ""


def show_tail(path):
    """The last lines of the program; srun's own, one a node, where it has none."""
    lines = [line for line in tail(path).splitlines() if line]
    own = [line for line in lines if not line.startswith("srun: ")]
    for line in (own or lines)[-TAIL_LINES:]:
        sys.stderr.buffer.write(f"    {printable(line)}\n".encode("utf-8", "surrogateescape"))


def last_words(path):
    """What topomap itself said last in there, or a guess."""
    said = tail(path).rpartition("topomap: ")
    return re.sub("^not (placed|recorded): ", "", said[2].partition("\n")[0]) if said[1] else \
        "topomap's plugin said nothing: is it in Slurm's plugstack.conf?"


def seconds_of(profile):
    """A run's seconds by its recording. A program without point-to-point calls
    spends no time there."""
    types, n = profile["types"], profile["ntasks"]
    p2p = next((one for one in types if one["type"] == "p2p"), None)
    run = {"run_seconds": profile["seconds"],
           "run_mpi_seconds": sum(one["seconds"] for one in types) / n}
    if "task_seconds" in profile and (not p2p or "task_seconds" in p2p):
        run["run_p2p_seconds"] = p2p["seconds"] / n if p2p else 0
        run["run_max_task_p2p_seconds"] = p2p["task_seconds"]["max"] if p2p else 0
        run["run_max_task_mpi_seconds"] = profile["task_seconds"]["max"]
    run["phases"] = {phase_word(phase): sum(one["seconds"] for one in phase["types"]) / n
                     for phase in profile.get("phases", [])}
    return run


def leave_group():
    """In the child. Ctrl-C that was typed while it was in tune's group is tune's
    alone: what waits for it goes, as if it had been ignored."""
    os.setpgid(0, 0)
    for number in signal.sigpending() & SIGNALS:
        signal.sigtimedwait({number}, 0)
    signal.pthread_sigmask(signal.SIG_SETMASK, set())


class Tune:
    """One evaluation."""

    def __init__(self, topomap, options, words):
        self.topomap, self.option, self.words = topomap, dict(options), words
        self.repeat, self.share = int(self.option.get("repeat", 3)), self.option.get("share")
        self.looked = [f"--{name}={value}" for name, value in options
                       if name in ("catalogue", "config")]
        self.scratch = self.folder = self.evaluation = self.nodes = None
        self.attempts = self.done = self.planned = 0
        # Wall time of runs in Slurm's own layout, and of those with a graph.
        self.wall = ([], [])
        self.signal = None

    # The report and how far it has come.

    def time_left(self):
        """Seconds, T = P(n + 1) + nM (ICS '17, section 4.3) for the rounds that are
        left: P from the runs so far, M, the time of planning, is in the runs with
        a graph once there was one. None: no telling."""
        if not self.evaluation or not self.wall[0]:
            return None
        unmapped = sum(self.wall[0]) / len(self.wall[0])
        mapped = sum(self.wall[1]) / len(self.wall[1]) if self.wall[1] else \
            unmapped + float(self.option.get("time") or self.option["budget"])
        left = [max(0, self.evaluation["repeat"] - len(graph["run_seconds"]))
                for graph in self.evaluation["graphs"]]
        return left[0] * unmapped + sum(left[1:]) * mapped

    def progress(self, graph=None):
        """On a terminal only; graph None: it is taken away."""
        if not sys.stderr.isatty():
            return
        text = "\r\033[K"
        if graph:
            text += "topomap: " + (f"run {self.done + 1} of {self.planned}, {graph}"
                                   if self.planned else f"the first run, {graph}")
            left = self.time_left()
            text += f"; about {left:.0f} s left" if left is not None else ""
        sys.stderr.write(text)
        sys.stderr.flush()

    def report(self):
        measured = written(self.evaluation)
        if "json" in self.option:
            text = json.dumps(measured, indent=2) + "\n"
        elif "csv" in self.option:
            text = csv(measured, "graphs")
        else:
            text = f"{printable(self.program)}, {self.ntasks} tasks: {printable(self.folder)}\n\n"
            text += evaluation_text(measured)
        sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        sys.stdout.flush()

    # One run.

    def start(self, graph, output):
        """srun in a group of its own: Ctrl-C comes here alone, and srun gets a signal
        then that ends it, where it would only report on the first."""
        name = graph["graph"]
        option = "--topomap=profile"
        if name != UNMAPPED:
            option = f"--topomap={self.scratch}/{name}.graph,record"
            option += f",time={self.option['time']}" if "time" in self.option else ""
        for key, said in ("name", "name"), ("exe", "program"):
            option += f",{key}={self.option[said]}" if said in self.option else ""
        # Recordings of these runs are measurements, no profiles to keep; in a folder
        # that no run had before, which no file system remembers otherwise.
        self.attempts += 1
        runs = f"{self.scratch}/runs-{self.attempts}"
        env = dict(os.environ, TOPOMAP_CATALOGUE=runs,
                   TOPOMAP_PLAN_SUMMARY=f"{self.scratch}/summary.json")
        with open(output, "ab") as file:
            file.truncate(0)
            child = subprocess.Popen(
                [self.words[0], option, *self.words[1:]], env=env, stdin=subprocess.DEVNULL,
                stdout=file, stderr=file, start_new_session=False, preexec_fn=leave_group)
        return child, runs

    def hear(self, seconds):
        """Waits for a signal, of a child's end, too. Whether one came that ends tune."""
        info = signal.sigtimedwait(SIGNALS | {signal.SIGCHLD}, seconds)
        if not info or info.si_signo == signal.SIGCHLD:
            return False
        self.signal = info.si_signo
        return True

    def wait(self, child, name):
        killed = None
        while child.poll() is None:
            heard = self.hear(1)
            self.progress(name)
            if heard:
                killed = killed or time.monotonic()
                child.terminate()
            if killed and time.monotonic() > killed + PATIENCE:
                child.kill()
        # What came as the child ended.
        while signal.sigpending() & SIGNALS:
            self.hear(0)

    def run(self, graph):
        """Runs srun with a graph, or in Slurm's own layout, and reads what the
        recorder and the planner have left. Returns the run and its recording."""
        name, output, began = graph["graph"], f"{self.scratch}/output", time.monotonic()
        try:
            os.unlink(f"{self.scratch}/summary.json")
        except FileNotFoundError:
            pass
        self.progress(name)
        try:
            child, runs = self.start(graph, output)
        except OSError as error:
            raise Error(f"cannot run {self.words[0]}: {error.strerror}") from None
        self.wait(child, name)
        self.wall[name != UNMAPPED].append(time.monotonic() - began)
        self.progress()
        self.append_log(name, output)
        if self.signal:
            raise Interrupted(self.signal)
        if child.returncode != 0:
            show_tail(output)
            raise Error(f"the run with graph {name} " +
                        (f"was ended by signal {-child.returncode}" if child.returncode < 0 else
                         f"ended with status {child.returncode}"))
        recording, profile = self.recording(runs, output)
        run = seconds_of(profile)
        run["hops"] = self.summary(output) if name != UNMAPPED else {}
        return run, recording

    def append_log(self, name, output):
        if "log" not in self.option:
            return
        try:
            with open(output, "rb") as of, \
                    open(int(self.option["log-fd"]), "ab", closefd=False) as to:
                to.write(f"== {name}\n".encode())
                shutil.copyfileobj(of, to)
        except OSError as error:
            note(f"cannot write {self.option['log']}: {error.strerror}")

    def recording(self, runs, output):
        """(folder, profile) that the recorder has left in runs: one."""
        found = glob.glob(f"{glob.escape(runs)}/*/*/*/current/profile.json")
        if len(found) != 1:
            raise Error("the run was not recorded: " +
                        ("it consists of several programs" if found else last_words(output)))
        with open(found[0], encoding="utf-8") as file:
            return os.path.realpath(os.path.dirname(found[0])), json.load(file)

    def summary(self, output):
        """What topomap plan answered srun."""
        try:
            with open(f"{self.scratch}/summary.json", encoding="utf-8") as file:
                plan = json.load(file)
        except OSError:
            raise Error(f"srun did not map: {last_words(output)}") from None
        if "hops_per_byte" not in plan:
            raise Error(f"srun did not map: {plan['reason']}")
        self.nodes = plan["about"]["nodelist"] or self.nodes
        both = ("", plan), ("unmapped_", plan["baseline"])
        return {prefix + key: of[key] for prefix, of in both
                for key in ("hops_per_byte", "max_hops_per_byte") if of[key] is not None}

    # The profile and its graphs.

    def copy(self, folder):
        """Files a version as the current one in the user's own catalogue."""
        packed = f"{self.scratch}/packed.tar"
        ask(self.topomap, "profile", "pack", folder, f"--output={packed}")
        made = ask(self.topomap, "profile", "unpack", packed, "--replace",
                   f"--catalogue={self.option['own']}")
        return made.strip().rpartition("\n")[2]

    def find_profile(self, recording):
        """The profile of what has run, or its recording filed as one. One that the
        user cannot write to, the site's, is copied first."""
        with open(f"{recording}/profile.json", encoding="utf-8") as file:
            of = json.load(file)
        found = None
        if "record" not in self.option:
            listed = json.loads(ask(self.topomap, "profile", "list", "--json", *self.looked))
            found = next((one["folder"] for one in listed if one["current"] and
                          not one["partial"] and one["ntasks"] == of["ntasks"] and
                          one["identity"] == of["identity"] and
                          one["program"] == of["program"]), None)
        if not found:
            self.folder = self.copy(recording)
        elif os.access(found, os.W_OK):
            self.folder = found
        else:
            self.folder = self.copy(found)
            note(f"{found} is not yours to write: a copy in {self.option['own']} is evaluated")
        with open(f"{self.folder}/profile.json", encoding="utf-8") as file:
            self.profile = json.load(file)
        self.program, self.ntasks = self.profile["program"], self.profile["ntasks"]

    def list_graphs(self):
        """One graph for each critical type, their sums where there are several, and
        of phases that make up the share of their time the heaviest; each as a file.
        No critical type fails with the reason, which making their sum knows."""
        shown = json.loads(ask(self.topomap, "profile", "graphs", self.folder, "--json",
                               f"--share={self.share}"))
        names = [one["type"] for one in shown["types"] if one["critical"]]
        critical = len(names)
        names += ["sum"] if critical != 1 else []
        names += ["weighted-sum"] if critical > 1 else []
        names += self.list_phases()
        for name in names:
            ask(self.topomap, "profile", "export", self.folder, f"--graph={name}",
                f"--share={self.share}", f"--output={self.scratch}/{name}.graph")
        return names

    def list_phases(self):
        """None where the program has not named two: one phase is all there is."""
        seconds = {phase_word(phase): sum(one["seconds"] for one in phase["types"]
                                          if one.get("graph"))
                   for phase in self.profile.get("phases", [])
                   if any(one.get("graph") for one in phase["types"])}
        if len(seconds) < 2:
            return []
        total, taken, names = sum(seconds.values()), 0, []
        for name in sorted(seconds, key=lambda word: -seconds[word]):
            if total > 0 and taken >= float(self.share) * total * (1 - ROUNDING):
                break
            taken += seconds[name]
            names.append(f"all@{name}")
        return names[:PHASES_TRIED]

    # The evaluation.

    def take_up(self):
        """Goes on with what an earlier tune could not finish. Runs on other nodes
        compare among themselves only: whole rounds stay."""
        before = None if "record" in self.option else read(self.folder)
        if not before:
            return
        before["repeat"] = self.repeat
        names = [graph["graph"] for graph in self.evaluation["graphs"]]
        if is_complete(before) or [graph["graph"] for graph in before["graphs"]] != names:
            return
        nodes = os.environ.get("SLURM_JOB_NODELIST")
        if not nodes or nodes != before["nodes"]:
            least = min(len(graph["run_seconds"]) for graph in before["graphs"])
            for graph in before["graphs"]:
                cut(graph, least)
        note(f"goes on with an evaluation that was begun {before.get('evaluated') or 'before'}")
        self.evaluation = before

    def add_run(self, graph, run):
        """Stores what was measured at once: nothing that happens later loses it."""
        add(graph, run)
        self.evaluation["nodes"] = os.environ.get("SLURM_JOB_NODELIST") or self.nodes or \
            self.evaluation["nodes"]
        self.evaluation["evaluated"] = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
        self.done += 1
        judge(self.evaluation)
        write(self.evaluation, self.folder)

    def begin(self):
        """The first run tells what runs: its program, build and number of tasks."""
        run, recording = self.run({"graph": UNMAPPED})
        self.find_profile(recording)
        self.evaluation = {
            "format": FORMAT, "nodes": None, "repeat": self.repeat,
            "graphs": [{"graph": name, "run_seconds": [], "run_mpi_seconds": []}
                       for name in [UNMAPPED] + self.list_graphs()]}
        self.take_up()
        self.add_run(self.evaluation["graphs"][0], run)
        self.planned = self.done + sum(max(0, self.repeat - len(graph["run_seconds"]))
                                       for graph in self.evaluation["graphs"])

    def run_rounds(self):
        """One round is one run of each, so that what changes with time hits all."""
        for n in range(1, self.repeat + 1):
            for graph in self.evaluation["graphs"]:
                if len(graph["run_seconds"]) < n:
                    self.add_run(graph, self.run(graph)[0])

    def run_all(self):
        status = 0
        if "SLURM_JOB_ID" not in os.environ:
            note("not inside an allocation: each run may get other nodes")
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS | {signal.SIGCHLD})
        try:
            own = os.path.join(os.getcwd(), self.option["own"])
            if "," in own:
                raise Error(f"the catalogue {own} has a comma in its name, which srun's options "
                            "divides")
            try:
                self.scratch = tempfile.mkdtemp(prefix=".tune-", dir=own)
            except OSError as error:
                raise Error(f"cannot write to {own}: {error.strerror}") from None
            self.begin()
            self.run_rounds()
        except Interrupted:
            note(f"{signal.strsignal(self.signal)}: " +
                 ("what was measured is kept" if self.evaluation else
                  "nothing was measured yet"))
            status = 128 + self.signal
        except (Error, OSError, ValueError, KeyError) as error:
            fail(f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else
                 str(error), "json" in self.option)
            status = 1
        if self.evaluation and self.evaluation["graphs"][0]["run_seconds"]:
            self.report()
        if self.scratch:
            shutil.rmtree(self.scratch, ignore_errors=True)
        return status


def forget(topomap, options):
    """Removes what was measured of a profile: --topomap=auto does what it did."""
    option = dict(options)
    looked = [f"--{name}={value}" for name, value in options if name in ("catalogue", "config")]
    as_json = "json" in option
    try:
        folder = json.loads(ask(topomap, "profile", "show", option["forget"], "--json",
                                *looked))["folder"]
        os.unlink(os.path.join(folder, FILE))
    except FileNotFoundError:
        fail(f"{folder} was never evaluated", as_json)
        return 1
    except OSError as error:
        fail(f"cannot remove {os.path.join(folder, FILE)}: {error.strerror}", as_json)
        return 1
    except Error as error:
        try:
            fail(json.loads(str(error))["error"], as_json)
        except (ValueError, KeyError, TypeError):
            fail(str(error), as_json)
        return 1
    if as_json or "csv" in option:
        print_row({"forgotten": folder}, "csv" in option)
    else:
        print(f"what was measured of {printable(folder)} is forgotten: --topomap=auto uses "
              "weighted-sum again")
    return 0


def wrong_usage(option, words):
    """What makes no sense, or None. srun's words are the user's; only what would undo ours
    is refused."""
    forget, program = option.get("forget", ""), option.get("program", "")
    if forget.startswith("-"):
        return ("--forget wants a profile, PROGRAM[:NTASKS], name:NAME[:NTASKS] or a folder, "
                f"not '{forget}'")
    if "forget" in option:
        return words and ("--forget takes one profile and runs nothing: leave "
                          f"'{words[0]}' out")
    if "," in program:
        return f"--program: srun takes no comma in '{program}'"
    if not words:
        return "which command? tune -- srun ... PROGRAM"
    if os.path.basename(words[0]) != "srun":
        return (f"the command must begin with srun, not '{words[0]}': only a step that srun "
                "launches itself can be mapped")
    for word in words[1:]:
        if word.startswith("--topomap"):
            return f"leave {word} out of srun's words: tune says it for each run"
    return None if words[1:] else "srun wants a program"


def main(argv):
    _, topomap, options, words = read_options(argv)
    wrong = wrong_usage(dict(options), words)
    if wrong:
        usage("tune", wrong, "json" in dict(options))
    if "forget" in dict(options):
        sys.exit(forget(topomap, options))
    sys.exit(Tune(topomap, options, words).run_all())


if __name__ == "__main__":
    conclude(main)
