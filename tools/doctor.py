# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap doctor: is this installation what it should be.

doctor.py doctor TOPOMAP [--OPTION[=VALUE]]... -- [SRUN-OPTION]...

`topomap doctor` has read the options, and becomes this program, which asks it for
what the code of a launch knows: --facts, what arguments and site file say; --judge,
whether a folder is believed; --here, what files a node has.
"""
import collections
import contextlib
import glob
import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
import threading
import time

HOME = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HOME)
from launchers import expand
from output import conclude, fail, note, plural, print_rows, printable, read_options, sentence

OK, UNTRIED, WARNING, WRONG = "ok", "untried", "warning", "wrong"
MARKS = {OK: "ok", UNTRIED: "--", WARNING: "! ", WRONG: "!!"}
SUBJECT_WIDTH, NAMES_MOST, TAIL_LINES, TASKS = 18, 8, 4, 4
HERE, ROW = "topomap-doctor-here ", "topomap-mpi-probe "
# Block puts ranks 0 and 1 on one node, 2 and 3 on the other; by this grid 0 talks
# to 2 and 1 to 3. strict: a plan that fails is a step that fails.
MOVED = "grid:2x2:weights=1000/1,strict,time=20"
STEP = ["srun", "-N2", "-n4", "--ntasks-per-node=2", "--distribution=block"]
PLUGIN, STUB, HWLOC = "topomap.so", "topomap-options.so", "topomap-hwloc.so"
# What each of them is for; configure knows which were built.
RECORDERS = {"libcommprof.so": "every MPI", "libcommprof-mpich.so": "MPICH",
             "libcommprof-openmpi.so": "Open MPI", "libcommprof-nccl.so": "NCCL"}
KEEPER = "commprof-keep"  # comes with them
ABSENT = {"helper": "install it again, or name it by program= in plugstack.conf"}
BUILD_AGAIN = ("build topomap with this Slurm's headers and install it beside, see "
               "UPGRADING SLURM in spank-topomap(8)")
BYTES_MOST = 16 << 20  # of a plugin
DEPTH_MOST = 16  # files that include files that include files
ASK_SECONDS, LOOK_SECONDS = 30, 60  # for Slurm's commands, and for our own
ANSWER_SECONDS = 10  # a folder that does not answer for so long is none for a launch
MISSING_SHOWN = 6
# A rank a CPU, up to a bound, so that a plan of the cluster is soon made.
PLAN_TASKS_MOST = 65536


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

    def has(self, text):
        """Whether a finding says so already, of another command that met the same."""
        return any(text in finding["text"] for finding in self.findings)

    def is_wrong(self, subject):
        return any(finding["subject"] == subject and finding["verdict"] == WRONG
                   for finding in self.findings)

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
    waits for nodes is shown at once. seconds: then it is killed; a killed one may hang
    in storage all the same, and is not waited for."""

    def __init__(self, words, seconds=None):
        self.text, self.said = "", []
        end = None if seconds is None else time.monotonic() + seconds
        try:
            child = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                     stderr=subprocess.PIPE)
        except OSError as error:
            raise Error(f"cannot run {words[0]}: {error.strerror}") from None
        listeners = [threading.Thread(target=listen, args=(child,), daemon=True)
                     for listen in (self.hear, self.listen)]
        for listener in listeners:
            listener.start()
        for listener in listeners:
            listener.join(None if end is None else max(0, end - time.monotonic()))
        try:
            if any(listener.is_alive() for listener in listeners):
                raise subprocess.TimeoutExpired(words, seconds)
            self.status = child.wait(None if end is None else max(0.1, end - time.monotonic()))
        except subprocess.TimeoutExpired:
            child.kill()
            raise Error(f"{words[0]} does not end") from None
        self.out = self.text.splitlines()

    def hear(self, child):
        self.text = child.stdout.read().decode("utf-8", "surrogateescape")

    def listen(self, child):
        for line in child.stderr:
            line = line.decode("utf-8", "surrogateescape").rstrip("\r\n")
            self.said.append(line)
            if "queued and waiting" in line:
                note(line)

    def last_line(self):
        lines = [line for line in self.said or self.out if line]
        return sentence(lines[-1]) if lines else ""

    def tail(self):
        """The last lines of what was said: srun's own, with its reason, or, where it
        had nothing to say, the program's."""
        lines = [line for line in self.said if line]
        own = [line for line in lines if line.startswith("srun: ")]
        return "".join("\n" + line for line in (own or lines)[-TAIL_LINES:])


# --- how Slurm loads topomap

Entry = collections.namedtuple("Entry", "file line required plugin arguments")


def read_plugstack(path, files, absent=None, depth=0):
    """The lines of path that load a plugin, and of what it includes, in Slurm's order
    and by its rules (src/common/plugstack.c of 22.05, spank.c of 24.11): words between
    blanks, nothing behind #, patterns relative to the file that they stand in. A file
    that is not there is empty; files gets the others, and absent a sentence on each
    include that is of none."""
    entries = []
    try:
        with open(path, encoding="utf-8", errors="surrogateescape") as file:
            lines = file.read().split("\n")
    except FileNotFoundError:
        return entries
    except OSError as error:
        raise Error(f"cannot read {path}: {error.strerror}") from None
    files.append(path)
    for number, line in enumerate(lines, 1):
        words, where = re.findall("[^ \t\r]+", line.partition("#")[0]), f"{path}:{number}"
        if words and len(words) < 2:
            raise Error(f"{where}: nothing behind '{words[0]}'")
        if words and words[0] in ("required", "optional"):
            entries.append(Entry(path, number, words[0] == "required", words[1], words[2:]))
        elif words and words[0] != "include":
            raise Error(f"{where}: '{words[0]}' is none of required, optional, include")
        elif words:
            if depth == DEPTH_MOST:
                raise Error(f"{where}: files that include one another")
            pattern = os.path.join(os.path.dirname(path), words[1])
            names = sorted(glob.glob(pattern))
            if not names and absent is not None:
                what = "matches no file" if glob.has_magic(pattern) else "does not exist"
                absent.append(f"{where} includes {pattern}, which {what}")
            for name in names:
                entries += read_plugstack(name, files, absent, depth + 1)
    return entries


def ask_facts(topomap, *words):
    trial = Trial([topomap, "doctor", "--facts", *words], LOOK_SECONDS)
    if trial.status != 0:
        raise Error(trial.last_line())
    return json.loads(trial.text)


class Installation:
    """What Slurm says, and the facts of the code that launches run; why_deaf,
    why_wrong: what Slurm does not say, and why plugstack.conf cannot be read."""

    def __init__(self, topomap, option):
        self.topomap, self.option = topomap, option
        self.config, self.entries, self.conf_files, self.absent = {}, [], [], []
        self.why_deaf = self.why_wrong = None
        self.is_read = False  # plugstack.conf
        try:
            self.ask_slurm()
            self.entries = read_plugstack(self.plugstack, self.conf_files, self.absent)
            self.is_read = True
        except Error as why:
            self.why_deaf, self.why_wrong = (None, why) if self.config else (why, None)
        self.plugin, self.stub = self.find_entry(PLUGIN), self.find_entry(STUB)
        # plugin/stub.c has it to the end of the line.
        found = re.search("(?:^| )why=(.*)", " ".join(self.stub.arguments if self.stub else []))
        self.why_out = found and found.group(1)
        self.facts = self.ask_facts(self.plugin.arguments if self.plugin else [])
        if self.facts["wrong_argument"]:
            self.why_wrong = re.sub("^plugstack.conf", f"{self.plugin.file}:{self.plugin.line}",
                                    self.facts["wrong_argument"])
        self.site = self.facts["site"]
        self.config_words = ["--config", self.facts["config"]] if self.facts["config"] else []
        self.helper = self.find_helper() if self.is_read else None

    def ask_slurm(self):
        trial = Trial(["scontrol", "show", "config"], ASK_SECONDS)
        if trial.status != 0:
            raise Error(f"scontrol show config: {trial.last_line()}")
        for line in trial.out:
            key, equals, value = line.partition("=")
            if equals:
                self.config.setdefault(key.strip(), value.strip())
        # So Slurm 26.05 prints that nothing is said; srun takes none then.
        if self.config.get("MpiDefault") == "(null)":
            self.config["MpiDefault"] = "none"
        # Where it is not said it lies beside slurm.conf.
        self.plugstack = self.config.get("PlugStackConfig", "")
        if not self.plugstack.startswith("/"):
            self.plugstack = os.path.join(os.path.dirname(self.config.get("SLURM_CONF", "")),
                                          "plugstack.conf")

    def ask_facts(self, arguments):
        config = ["--config", self.option["config"]] if "config" in self.option else []
        partitions = []
        with contextlib.suppress(Error):
            partitions = ask_sinfo("-a", "-o", "%R") if self.config else []
        return ask_facts(self.topomap, *config, "--", self.config.get("MpiDefault", ""),
                         ",".join(line.strip() for line in partitions), *arguments)

    def find_entry(self, name):
        return next((entry for entry in self.entries
                     if os.path.basename(entry.plugin) == name), None)

    def find_plugin(self, entry):
        """Where Slurm finds the plugin of a line; None: nowhere."""
        folders = [""] if entry.plugin.startswith("/") else \
            self.config.get("PluginDir", "").split(":")
        paths = [os.path.join(folder, entry.plugin) for folder in folders]
        return next((path for path in paths if os.path.exists(path)), None)

    def beside_plugin(self, name):
        """Where a plugin lies that comes with topomap.so."""
        path = self.find_plugin(self.plugin) or self.plugin.plugin
        return os.path.join(os.path.dirname(os.path.abspath(path)) if "/" in path else "...", name)

    def advise_include(self):
        """The file that was installed for plugstack.conf, if it is there."""
        sysconf = os.path.dirname(os.path.dirname(self.facts["site_file"]))
        path = f"{sysconf}/slurm/plugstack.conf.d/topomap.conf"
        return f"add `include {path}'" if os.path.exists(path) else \
            f"add `optional .../{PLUGIN}', or include the file topomap.conf that was installed"

    def find_helper(self):
        """The command that the plugin runs: as plugstack.conf says, else as it was built to."""
        path = self.plugin and self.find_plugin(self.plugin)
        if self.facts["program"] or not path:
            return self.facts["program"] or self.facts["helper"]
        try:
            with open(path, "rb") as file:
                found = re.search(rb"\0(/[ -~]{1,4000}/topomap)\0", file.read(BYTES_MOST))
        except OSError:
            found = None
        return os.fsdecode(found.group(1)) if found else self.facts["helper"]

    def recorder(self, name):
        return os.path.join(self.facts["recorders"], name)

    def recorders(self):
        return [self.recorder(name) for name in RECORDERS]

    def files(self):
        """Words for --here: what nodes must have as this machine has it."""
        plugin = self.plugin and (self.find_plugin(self.plugin) or self.plugin.plugin)
        words = [("plugin", plugin), ("helper", self.helper)]
        words += [("recorder", path) for path in self.recorders()]
        words += [("site-file", self.facts["config"] or self.facts["site_file"])]
        words += [("plugstack", path) for path in self.conf_files]
        words += [("catalogue", path) for path in self.site.get("catalogues", [])]
        words += [("catalogue", self.site.get("record_folder"))]
        return [word for key, path in words if path for word in (key, path)]


def parents(path):
    while path != "/":
        path = os.path.dirname(path)
        yield path


def look_at(path):
    try:
        return os.stat(path)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None


def check_use(path, runs):
    """A regular file that all may read (and run), through folders that let all pass."""
    mode, real = look_at(path).st_mode, os.path.realpath(path)
    needed = stat.S_IROTH | (stat.S_IXOTH if runs else 0)
    if not stat.S_ISREG(mode):
        raise Error(f"{real}: not a regular file")
    if mode & needed != needed:
        raise Error(f"{real}: not everybody may {'run it' if runs else 'read it'}")
    for folder in parents(real):
        if not look_at(folder).st_mode & stat.S_IXOTH:
            raise Error(f"{folder}: not everybody may pass")


def check_trust(path):
    """Neither the file nor a folder above it can be changed by others than root: a
    folder where all may write must be sticky."""
    real = os.path.realpath(path)
    for at in (real, *parents(real)):
        st = look_at(at)
        is_sticky = stat.S_ISDIR(st.st_mode) and st.st_mode & stat.S_ISVTX
        if st.st_uid != 0:
            raise Error(f"{at} belongs to user {st.st_uid}, not to root")
        if st.st_mode & stat.S_IWOTH and not is_sticky:
            raise Error(f"{at}: everybody may write to it")
        if st.st_mode & stat.S_IWGRP and st.st_gid != 0 and not is_sticky:
            raise Error(f"{at}: group {st.st_gid} may write to it")


def check_file(report, subject, path, use, trust, runs=False, severe=WRONG, named=""):
    """Whether all may use a file, and only root change it: use and trust are what to do
    otherwise. True: it can be used, and nothing was said if that is all well."""
    try:
        check_use(path, runs)
    except Error as why:
        report.say(WRONG, subject, str(why), use if os.path.exists(path) else
                   ABSENT.get(subject, "install it again"))
        return False
    try:
        check_trust(path)
    except Error as why:
        report.say(severe, subject, f"{named}{why}", trust)
        return severe == WARNING
    return True


def check_line(report, installation):
    plugin, why = installation.plugin, installation.why_out
    if not plugin and why:
        report.say(WARNING, "plugstack", f"{installation.stub.file}:{installation.stub.line}: "
                   f"{PLUGIN} is taken out: {why}", f"to switch it on again load {PLUGIN} before "
                   f"{STUB}, without why=")
        return
    if not plugin and installation.absent:
        report.say(WRONG, "plugstack", f"no line loads {PLUGIN}:\n"
                   + "\n".join(installation.absent), "install topomap there, or mend the path")
        return
    if not plugin:
        report.say(WRONG, "plugstack", f"no line of {installation.plugstack}, nor of what it "
                   f"includes, loads {PLUGIN}", installation.advise_include())
        return
    where = f"{plugin.file}:{plugin.line}"
    if plugin.required:
        report.say(WARNING, "plugstack", f"{where}: required", "write `optional': a plugin that "
                   "is required and missing keeps slurmd from starting")
    else:
        report.say(OK, "plugstack", where)
    # The first line counts, with its arguments.
    for other in installation.entries[installation.entries.index(plugin) + 1:]:
        if os.path.basename(other.plugin) == PLUGIN and installation.find_plugin(other):
            report.say(WARNING, "plugstack", f"two lines load {PLUGIN}: {where} and "
                       f"{other.file}:{other.line}",
                       "take one of them out: the second does nothing, nor do its arguments")
    if not installation.stub:
        report.say(WARNING, "plugstack", "after an upgrade of Slurm scripts that say --topomap "
                   f"will be refused: no line loads {STUB}",
                   f"add `optional {installation.beside_plugin(STUB)}' below")


def check_object(report, installation, entry):
    path = installation.find_plugin(entry)
    if not path:
        report.say(WRONG, "plugin", f"{entry.file}:{entry.line}: no {entry.plugin}"
                   f"{'' if entry.plugin.startswith('/') else ' in PluginDir'}",
                   "install it there, or take the line out")
        return
    # What of the plugin is linked with hwloc lies beside it.
    hwloc = os.path.join(os.path.dirname(path), HWLOC)
    for one in [path, hwloc] if entry == installation.plugin else [path]:
        if one == hwloc and not os.path.exists(one):
            report.say(WARNING, "plugin", f"there is no {one}", f"install it beside {PLUGIN}: "
                       "without it tasks are bound as Slurm chose")
        elif check_file(report, "plugin", one, "every srun of every user loads it: chmod a+rX",
                        "slurmstepd loads it as root: only root may change it",
                        named=f"{os.path.basename(one)}: "):
            report.say(OK, "plugin", one)


def try_srun(report, installation):
    """--help lists the options of what was loaded."""
    srun, why_out = installation.option.get("srun", "srun"), installation.why_out
    try:
        shown, version = (Trial([srun, word], ASK_SECONDS) for word in ("--help", "--version"))
    except Error as why:
        report.say(WRONG, "srun", str(why), "have Slurm's commands in PATH, or name one by --srun")
        return
    name = (shown if version.status else version).last_line()
    _, known, behind = shown.text.partition("--topomap=")
    if shown.status < 0:
        report.say(WRONG, "srun", f"{srun} --help ends by signal {-shown.status}: so does every "
                   "job", f"it dies of a plugin: install {PLUGIN} anew, or take its line out")
    elif version.status:
        report.say(UNTRIED, "srun", name)
    elif known and "(not with" in behind:
        report.say(WRONG, "srun", f"{name}: {PLUGIN} is not built for it: --topomap is known, "
                   "and does nothing", BUILD_AGAIN)
    elif known and "(not loaded)" in behind:
        report.say(WARNING if why_out else WRONG, "srun", f"{name}: {PLUGIN} is not loaded: "
                   "--topomap is known, and does nothing",
                   None if why_out else "see the lines above")
    elif known:
        report.say(OK, "srun", f"{name} loads the plugin")
    else:
        says = f"; it says:\n{shown.last_line()}" if shown.said else ""
        report.say(WRONG, "srun", f"{name} does not know --topomap{says}",
                   f"see the lines above; {BUILD_AGAIN}" if installation.plugin or
                   not installation.is_read else "see the lines above")


def check_plugin(report, installation):
    if installation.why_deaf:
        report.say(WRONG, "slurm", str(installation.why_deaf),
                   "run this where Slurm's commands reach slurmctld")
    if installation.why_wrong:
        report.say(WRONG, "plugstack", str(installation.why_wrong),
                   "mend it there: topomap passes over an argument that it does not know"
                   if installation.facts["wrong_argument"] else
                   "a line that makes no sense is ignored, or keeps every step from starting")
    if installation.config:
        check_line(report, installation)
    for entry in (installation.plugin, installation.stub):
        if entry:
            check_object(report, installation, entry)
    try_srun(report, installation)
    # What srun takes without --mpi.
    default, unsafe = installation.config.get("MpiDefault"), installation.facts["unsafe_mpi"]
    if default and unsafe:
        report.say(WARNING, "MpiDefault", unsafe, "try it by topomap doctor --mpi, and name it in "
                   "the site file, mpi in topomap.json(5), if all is well")
    elif default:
        report.say(OK, "MpiDefault", f"{default}: ranks may move under it")


# --- the command and the recorders, as the plugin and the tasks will find them

def check_helper(report, installation):
    path, version = installation.helper, f"topomap {installation.facts['version']}"
    try:
        trial = Trial([path, "--version"], ASK_SECONDS)
    except Error as why:
        report.say(WRONG, "helper", f"{path}: {why}")
        return
    if trial.status != 0 or trial.out[:1] != [version]:
        report.say(WRONG, "helper", f"{path}, which the plugin runs, is not "
                   f"{installation.facts['version']}: {trial.last_line()[:200]}",
                   "install plugin and command from one version")
    else:
        report.say(OK, "helper", path)


def check_recorder(report, path):
    """What ld.so says of it is what every task of a recording would."""
    try:
        trial = Trial(["env", f"LD_PRELOAD={path}", "true"], ASK_SECONDS)
        wrong = "\n".join(trial.said) or ("programs do not run with it" if trial.status else None)
    except Error as why:
        wrong = str(why)
    report.say(WRONG if wrong else OK, "recorder", wrong or path,
               "install it anew, with the libraries that it needs" if wrong else None)


def check_prefix(report, installation):
    """A prefix that was copied or mounted elsewhere runs the command of the first place."""
    facts, helper = installation.facts, installation.helper
    if not helper or facts["program"] or helper == facts["helper"]:
        return
    if helper == facts["configured"]:
        report.say(WARNING, "prefix", f"built for {helper}, and run as {facts['helper']}: launches "
                   f"run the former, and the site file is {facts['site_file']}",
                   "configure with the prefix where it is to be, or name the command by program= "
                   "in plugstack.conf")
    else:
        report.say(WARNING, "prefix", f"plugstack.conf loads a plugin that runs {helper}, and "
                   f"this is {facts['helper']}: two installations",
                   "name one prefix in plugstack.conf, and have its command in PATH")


def check_files(report, installation):
    check_prefix(report, installation)
    use = "it is used as the user who runs srun: chmod a+rX"
    trust = "every user runs it: only root should be able to change it"
    if installation.helper and check_file(report, "helper", installation.helper, use, trust,
                                          runs=True, severe=WARNING):
        check_helper(report, installation)
    path = shutil.which("topomap")
    if path:
        report.say(OK, "PATH", path)
    else:
        report.say(WARNING, "PATH", "topomap is not in it: srun works, and users cannot look at "
                   "profiles", "add the folder to PATH, or a module that does")
    recorders = [path for path in installation.recorders() if os.path.exists(path)]
    built = installation.facts["recorders_built"].split() if recorders else []
    for name in built:
        if not os.path.exists(installation.recorder(name)):
            report.say(WRONG, "recorder", f"{name}: installed for {RECORDERS[name]}, and not "
                       "there", "install it again: until then no run of such a program is "
                       "recorded")
    for name in installation.facts["programs"].split() + ([KEEPER] if built else []):
        if not os.path.exists(os.path.join(HOME, name)):
            report.say(WRONG, "program", f"{HOME}/{name}: installed with topomap, and not there",
                       "install it again")
    for path in recorders:
        if check_file(report, "recorder", path, use, trust, severe=WARNING):
            check_recorder(report, path)
    if not recorders:
        report.say(WARNING, "recorder", "none was installed in "
                   f"{installation.facts['recorders'].rstrip('/')}: no program can be recorded "
                   "here", "build topomap where mpicc of MPICH or Open MPI is")


# --- the site file, and the network that a launch would see

def say_places(report, lines):
    """What `topomap topology check` prints: nodes without a place a line each, and for
    each topology a line on all of its nodes."""
    missing = []
    for line in lines:
        found = re.fullmatch("(.*) is not in the topology", line)
        if found:
            missing.append(found.group(1))
        elif missing:
            more = " ..." if len(missing) > MISSING_SHOWN else ""
            report.say(WRONG, "network", f"{line}\nwithout a place: "
                       f"{' '.join(missing[:MISSING_SHOWN])}{more}",
                       "a job with one of them is not placed: add them to the description")
            missing = []
        else:
            report.say(OK, "network", line)


def check_places(report, installation):
    try:
        trial = Trial([installation.topomap, "topology", "check", *installation.config_words],
                      LOOK_SECONDS)
    except Error as why:
        report.say(WRONG, "network", str(why))
        return
    if trial.said and "sinfo" in trial.last_line():
        # As where PrivateData hides nodes from users; their steps are placed nevertheless.
        report.say(WARNING, "network", trial.last_line(), "ask as root whether every node is in "
                   "the network, or name nodes: topomap topology check --nodelist NODES")
    elif trial.said:
        report.say(WRONG if installation.site["topology"] else WARNING, "network",
                   trial.last_line(), "describe the network in the site file, topomap.json(5), "
                   "or in topology.conf; without it all nodes count as equally far apart")
    else:
        say_places(report, trial.out)


def check_speeds(report, installation):
    try:
        trial = Trial([installation.topomap, "topology", "show", "--json",
                       *installation.config_words], LOOK_SECONDS)
        if trial.status == 0:
            shown = json.loads(trial.text)
            report.say(OK, "links", f"{shown['nlinks']} links, " + (
                "of different capacities" if shown["capacities"] else "which count as equally "
                "fast; where they are not, topomap.json(5) takes capacities"))
    except Error:
        pass  # check_places has said so
    except (ValueError, KeyError) as why:
        report.say(WRONG, "links", str(why))


def ask_sinfo(*words):
    return [line for line in Trial(["sinfo", "-h", *words], ASK_SECONDS).out if line.strip()]


def plan_cluster(installation):
    """A plan of as large a job as the default partition can run, made and thrown away:
    ranks, nodes, partition, seconds of the search, and of all else."""
    # sinfo marks the default one; without any, the first.
    partitions = [line.strip() for line in ask_sinfo("-o", "%P")]
    if not partitions:
        raise Error("sinfo shows this user no partition")
    partition = next((name for name in partitions if name.endswith("*")),
                     partitions[0]).rstrip("*")
    groups = [re.match(r"([0-9]+)\+? +(\S+)", line)
              for line in ask_sinfo("-e", "-p", partition, "-o", "%c %N")]
    groups = [group.groups() for group in groups if group]
    if not groups:
        raise Error(f"sinfo lists no nodes of {partition}")
    nodelist = ",".join(nodes for _, nodes in groups)
    nnodes = len(expand(nodelist))
    each = max(1, min(PLAN_TASKS_MOST // nnodes, *(int(cpus) for cpus, _ in groups)))
    began = time.monotonic()
    trial = Trial([installation.topomap, "plan", "--ntasks", str(nnodes * each), "--nodelist",
                   nodelist, "--tasks-per-node", str(each), "--graph", f"grid:{nnodes}x{each}",
                   "--json", "--no-cache", *installation.config_words],
                  ASK_SECONDS + installation.site["time_s"])
    took = time.monotonic() - began
    if trial.status != 0:
        raise Error(trial.last_line()[:300])
    plan = json.loads(trial.text)
    if "milliseconds" not in plan:  # nothing was searched
        raise Error(plan["reason"])
    search = plan["milliseconds"]["mapping"] / 1e3
    return nnodes * each, nnodes, partition, search, max(0, took - search)


def check_time(report, installation):
    try:
        ranks, nnodes, partition, search, other = plan_cluster(installation)
    except Exception as why:  # of expand and of what the plan prints, too
        # Without its network there is no plan: a second line would not help.
        if not report.is_wrong("network"):
            report.say(UNTRIED, "time", f"no plan of the whole cluster: {why}")
        return
    # A second and more before the search begins is lost to it.
    budget = installation.site["time_s"]
    is_late = other > budget / 2
    report.say(WARNING if is_late else OK, "time", f"{ranks} ranks on all {nnodes} nodes of "
               f"partition {partition}: {search:.3f} s of search and {other:.3f} s for all else, "
               f"of the {budget:.3g} s that a plan may take",
               "give launches more, by time_s in the site file: it is gone before the search "
               "begins" if is_late else None)


def check_site(report, installation):
    site = installation.site
    if installation.facts["disabled"]:
        report.say(WARNING, "site file", f"{installation.facts['disabled']}: jobs run as without "
                   "it", "to switch it on again take `disabled' out of the site file and of "
                   "plugstack.conf, and the file of that name away from beside it")
    if "error" in site:
        report.say(WRONG, "site file", site["error"],
                   "until then launches are as without topomap")
        return
    if not site["path"]:
        report.say(OK, "site file", f"there is none ({installation.facts['site_file']}): all is "
                   "as by default")
    elif check_file(report, "site file", site["path"],
                    "it is read as the user who runs srun: chmod a+rX",
                    "it says what every launch does: only root may change it"):
        report.say(OK, "site file", site["path"])
    if site["network_file"]:
        check_file(report, "network", site["network_file"],
                   "it is read as the user who runs srun: chmod a+rX",
                   "it says where ranks go: only root may change it")
    if site["rule"]:
        report.say(OK, "rules", f"{site['rule']}: so for your launches of any program, "
                   "partition and account; topomap plan --site --partition P -- PROGRAM says it "
                   "for others")
    for doubt in (site["doubts"] or "").splitlines():
        subject = "rules" if ": key rules[" in doubt else "recording"
        report.say(WARNING, subject, doubt, "mend or remove it: no launch goes by it")
    # What the lines below find is not what launches go by all the time.
    if not site["topology"] and site["kept_s"] > 0:
        report.say(OK, "network", "a user's launches use slurmctld's answer to one of them in "
                   f"the last {site['kept_s']:.0f} s (topology_kept_s)"
                   + (f", and since {site['networks_since']} (networks_since)"
                      if site["networks_since"] else ""))
    elif not site["topology"]:
        report.say(OK, "network", "each launch asks slurmctld (topology_kept_s)")
    if installation.config:
        check_places(report, installation)
        check_speeds(report, installation)
        check_time(report, installation)
    else:
        report.say(UNTRIED, "network", "which nodes there are, and how they are connected, Slurm "
                   "does not tell")


# --- where profiles lie, and the folder of the log

def answers(path):
    """Whether it is there; None: it hangs. Only a child process asks for such a folder."""
    try:
        return Trial(["test", "-e", path], ANSWER_SECONDS).status == 0
    except Error:
        return None


def judge(installation, what, path):
    """Why a launch does not believe a folder; None: it does."""
    try:
        trial = Trial([installation.topomap, "doctor", "--judge", what, "--", path],
                      ANSWER_SECONDS)
        return None if trial.status == 0 else trial.last_line()
    except Error as why:
        return str(why)


def measure(root):
    """", 3 MiB"; empty: du cannot tell soon."""
    try:
        found = re.match("[0-9]+", Trial(["du", "-sk", root], ANSWER_SECONDS).text)
    except Error:
        found = None
    return f", {int(found.group()) / 1024:.3g} MiB" if found else ""


def check_contents(report, installation, root):
    """What it holds, as `topomap profile list` tells."""
    try:
        trial = Trial([installation.topomap, "profile", "list", "--all", "--json", "--catalogue",
                       root], LOOK_SECONDS)
        if trial.status != 0:
            raise Error(trial.last_line())
        entries = json.loads(trial.text)
    except (Error, ValueError) as why:
        if not report.has(str(why)):
            report.say(WRONG, "catalogue", f"{root}: {why}")
        return
    broken = [entry["error"] for entry in entries if "error" in entry]
    if broken:
        report.say(WRONG, "catalogue", f"{root}: {len(broken)} of {len(entries)} versions cannot "
                   f"be read\n{broken[0]}", "topomap profile rm takes it away; what is refused "
                   "needs its owner or mode mended")
    else:
        report.say(OK, "catalogue", f"{root}: {plural(len(entries), 'version')}{measure(root)}")


def check_root(report, installation, root, what):
    is_own, is_there = what == "own", answers(root)
    wrong = judge(installation, what, root) if is_there else None
    if is_there is None:
        report.say(WRONG, "catalogue", f"{root}: it does not answer", "jobs start without it, "
                   "after their budget: mend the storage, or name another")
    elif not is_there:
        report.say(OK if is_own else WARNING, "catalogue", f"{root}: there is none yet",
                   None if is_own else "make it, for those who record for all, or take it out of "
                   "the site's words")
    elif wrong:
        report.say(WRONG, "catalogue", wrong,
                   "nothing in it is believed: chmod go-w, and its right owner")
    elif is_own and not os.access(root, os.W_OK):
        report.say(WRONG, "catalogue", f"{root}: not writable", "nothing can be recorded there")
    else:
        check_contents(report, installation, root)


def doubt_folder(installation, what, path):
    """Why a folder in which all users write is none; None: it is one."""
    is_there = answers(path)
    if not is_there:
        return f"{path}: {'it does not answer' if is_there is None else 'there is no such folder'}"
    return judge(installation, what, path)


def check_log(report, installation, log):
    """Launches say nothing of a line that cannot be written."""
    wrong = doubt_folder(installation, "log", log)
    if not wrong and not os.access(log, os.W_OK | os.X_OK):
        wrong = f"{log}: not writable"
    if wrong:
        report.say(WRONG, "log", wrong, "no line is written there: mkdir -m 1733, or chmod 1733, "
                   "topomap-history(1)")
    elif os.stat(log).st_mode & 0o3 != 0o3:
        report.say(WARNING, "log", f"{log}: not every user may write to it",
                   "others leave no line there: chmod 1733, topomap-history(1)")
    else:
        report.say(OK, "log", log)


def check_recording(report, installation, folder):
    """Where the steps that are being recorded count."""
    wrong = doubt_folder(installation, "log", folder)
    status = None if wrong else os.stat(folder)
    if not wrong and status.st_mode & 0o7 != 0o7:
        wrong = f"{folder}: not every user may list it and write to it"
    if wrong:
        report.say(WRONG, "record_folder", wrong, "it must be root's: mkdir -m 1777; until then "
                   "no step of those who cannot write there is recorded")
    elif status.st_uid != 0:
        report.say(WARNING, "record_folder", f"{folder}: it belongs to user {status.st_uid}",
                   "who can remove others' files, and so the limit: chown root")
    elif status.st_dev == os.stat("/").st_dev:
        report.say(WARNING, "record_folder", f"{folder}: on this machine's own disk",
                   "each machine where users call srun counts alone: name one on storage that "
                   "all of them see")
    else:
        report.say(OK, "record_folder", folder)


def check_base(report, installation, root, quota):
    """The folder that the site has made for all users, and what they have there."""
    base = root[:root.rindex("/", 0, root.index("%u"))]
    wrong = doubt_folder(installation, "base", base)
    if wrong:
        report.say(WRONG, "catalogue_root", wrong, "it must be root's: mkdir -m 1777, on storage "
                   "that nodes see; until then no run is recorded, nor placed by it")
        return
    if os.stat(base).st_mode & 0o3 == 0o3:
        report.say(OK, "catalogue_root", root)
    else:
        report.say(WARNING, "catalogue_root", f"{base}: not every user may make a folder there",
                   "chmod 1777, or make each user's, of mode 0700")
    if not quota:
        return
    try:
        counted = Trial(["find", f"{base}/.topomap-usage", "-maxdepth", "0", "-user", "0",
                         "-type", "f", "-printf", "%T@ ", "-exec", "cat", "{}", ";"],
                        ANSWER_SECONDS).text.split()
        held, days = int(counted[2]) >> 20, (time.time() - float(counted[0])) / 86400
    except (Error, ValueError, IndexError):
        report.say(WARNING, "quota", f"{base}: root has not counted what users have there",
                   "let cron do it each night: topomap profile prune --users --keep 3")
        return
    text = f"{held} of {quota} MiB, counted {days:.1f} days ago"
    if held > quota:
        report.say(WARNING, "quota", f"{text}: learn records nothing more",
                   "raise catalogue_quota_mb, or prune by a smaller --keep")
    else:
        report.say(OK if days < 7 else WARNING, "quota", text,
                   None if days < 7 else "does cron still run topomap profile prune --users?")


def check_catalogues(report, installation):
    facts, site = installation.facts, installation.site
    if site.get("record_folder"):
        check_recording(report, installation, site["record_folder"])
    if site.get("catalogue_root"):
        check_base(report, installation, site["catalogue_root"], site["catalogue_quota_mb"])
    if facts["own"]:
        check_root(report, installation, facts["own"], "own")
    else:
        report.say(WARNING, "catalogue", facts["no_own"], "set TOPOMAP_CATALOGUE or HOME")
    for root in facts["catalogues"]:
        check_root(report, installation, root, "site")
    log = facts["log"] or site.get("log")
    if log and log.startswith("/"):  # else syslog
        check_log(report, installation, log)
    for root in site.get("catalogues", []):
        check_root(report, installation, root, "site")


def look(report, topomap, option):
    """All that takes no step."""
    installation = Installation(topomap, option)
    for check in (check_plugin, check_files, check_site, check_catalogues):
        check(report, installation)
    report.say(UNTRIED, "steps", "none were started", "topomap doctor --launch starts two, --mpi "
               "TYPE (pmi2, pmix) some of MPI, and --nodes NODES one on these")


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
    look = [topomap, "doctor", "--here", "--", *Installation(topomap, option).files()]
    here = {text for _, text in here_lines(Trial(look, LOOK_SECONDS).out)}
    trial = Trial(["srun", f"-N{len(asked)}", f"-n{len(asked)}", "--nodelist", option["nodes"],
                   "--ntasks-per-node=1", "--mpi=none", "--quit-on-interrupt", "--time=5",
                   "--topomap=off", *more, *look])
    seen, differences = set(), {}
    for node, text in here_lines(trial.out):
        seen.add(node)
        # Where slurmctld hands the configuration out, nodes have it elsewhere.
        if text not in here and not (text.startswith("plugstack ") and text.endswith(")")):
            differences.setdefault(text, []).append(node)
    silent = [name for name in asked if name not in seen]
    if silent:
        report.say(WRONG, "nodes", f"{len(silent)} of {len(asked)} do not run it: {some(silent)}"
                   f"\n{trial.last_line() if trial.said else ''}",
                   "topomap must be installed on every node, at the same path")
    for text, nodes in differences.items():
        if text.startswith("plugstack "):
            report.say(WARNING, "nodes", f"{len(nodes)} of {len(asked)} have another "
                       f"plugstack.conf than this machine: {some(nodes)}\n{text}",
                       "tasks there are started by what it says")
        else:
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


def advise_type(trial, why, mpi, types):
    """What to do about an MPI that this type does not start; None: something else is wrong."""
    is_open = mpi[:4] != "pmix" and any("OMPI was not built with" in line or "PMIX" in line.upper()
                                        for line in trial.said)
    if not is_open and "programs of one rank" not in str(why):
        return None
    others = [word for word in ("pmix", "pmi2") if word in types and word != mpi[:4] and
              (word == "pmix" or not is_open)]
    return f"{'Open MPI here' if is_open else 'its MPI'} does not start under {mpi}: " + (
        f"try --mpi {' or '.join(others)}" if others else
        "it needs another type, and srun --mpi=list names none that it may be")


def check_program(report, program, mpi, types, more):
    """One step as Slurm lays it out, by which the other is judged. types: of MPI, that
    this Slurm has."""
    subject = os.path.basename(program)
    trial, rows = run_program(program, mpi, "off", more)
    text = remedy = None
    if isinstance(rows, Error):
        text, remedy = f"{rows}{trial.tail()}", advise_type(trial, rows, mpi, types)
    elif disagreements(rows):
        text = "without topomap, too, MPI and Slurm disagree:\n" + \
            "".join(line + "\n" for line in disagreements(rows))
    elif not are_pair(rows, 0, 1):
        text = "without topomap ranks 0 and 1 are not on one node"
    if text:
        return report.say(UNTRIED, subject, text, remedy)
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


def check_mpi(report, topomap, option, more):
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
        path for path in (f"{HOME}/mpi-probe-{name}" for name in ("mpich", "openmpi"))
        if os.access(path, os.X_OK)]
    for one in programs:
        check_program(report, one, mpi, words, more)
    verdicts = [finding["verdict"] for finding in report.findings[before:]]
    if not {OK, WRONG} & set(verdicts):
        what = "this is no MPI program that starts under" if program else \
            "there is no MPI program here that starts under" if verdicts else \
            "there is no MPI program to try with"
        raise Error(f"{what} --mpi={mpi}: build one with the MPI of your programs, mpicc -o "
                    f"mpi-probe {ask_facts(topomap, '--', '')['probe_source']}, and name it by "
                    "--program")


def try_steps(report, topomap, option, more):
    os.environ["TOPOMAP_HISTORY"] = "off"  # these are no runs of a program
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
        check_mpi(report, topomap, option, more)


def main(argv):
    _, topomap, options, more = read_options(argv)
    for number in (signal.SIGINT, signal.SIGPIPE):
        signal.signal(number, signal.SIG_DFL)
    option = dict(options)
    report = Report(option)
    try:
        if {"launch", "nodes", "mpi"} & set(option):
            try_steps(report, topomap, option, more)
        else:
            look(report, topomap, option)
        sys.exit(report.end())
    except Error as why:
        fail(str(why), report.form == "json")
    except OSError:
        pass  # conclude says so
    sys.exit(1)


if __name__ == "__main__":
    conclude(main)
