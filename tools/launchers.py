# SPDX-License-Identifier: LGPL-2.1-or-later
"""Launchers other than srun: their ranks placed, or recorded.

launchers.py place|record TOPOMAP [--OPTION[=VALUE]]... -- COMMAND [ARGUMENT]...

`topomap place` and `topomap record` have read the options, and become this
program. It finds out which launcher COMMAND is and where the job's nodes stand,
asks `topomap plan`, and starts COMMAND with the words, the file and the
variables that place or record its ranks. If anything goes wrong in place,
COMMAND starts as it is, and one line says why.

The options are those of mpirun(1) of Open MPI 4.1 and 5.0, mpiexec -help of
MPICH 4.0 and Intel MPI 2021, mpiexec(1) of PALS 1.2, flux-run(1) and IBM's
jsrun(1); Flux's task map is that of its RFC 34, jsrun's file IBM's ERF format.
"""
import contextlib
import json
import os
import re
import signal
import struct
import subprocess
import sys
import tempfile
import time

HOME = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HOME)
from output import conclude, fail, note, plural, print_row, printable, read_options

VERSION_SECONDS = 10  # for a launcher to say which one it is
FLUX_SECONDS = 30
SLOTS_MOST = 1 << 20  # of a node
CANNOT_RUN, NOT_FOUND = 126, 127  # as of a shell
# launch/kept.h: how files of tasks begin; state and rank are between.
KEPT_MAGIC, KEPT_HEAD = 0x31545045504D4F54, struct.Struct("=QIII")
QUIET_S = 2  # a node's view of a shared folder may be as old
SI_KERNEL = 0x80  # of a signal: it came from the terminal
PASSED_ON = ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2", "SIGALRM")


class Error(Exception):
    """A sentence for the user."""


def quote(word):
    """The word as a shell reads it, plain where it may be."""
    if re.fullmatch(r"[A-Za-z0-9_@%+=:,./-]+", word):
        return word
    return "'" + word.replace("'", "'\\''") + "'"


# --- launchers

class Family:
    """What launchers of one kind understand.

    roles: a line a role, "ROLE[/ARGUMENTS] NAME...": the options that say where
    ranks go. plain: other options with an argument; any other has none. drops:
    roles whose options a placement replaces. file: the placement's, or None;
    bound: its name with --bind. sticks: -n4 is -n 4. variable: the words that
    give the ranks a variable.
    """

    def __init__(self, roles, plain, drops, file, variable, sticks=False, bound=None):
        self.option = {name: (1, "plain") for name in plain.split()}
        for line in roles.strip().splitlines():
            role, *names = line.split()
            role, _, arguments = role.partition("/")
            self.option.update((name, (int(arguments or 1), role)) for name in names)
        self.drops, self.file, self.bound = drops.split(), file, bound or file
        self.variable, self.sticks = variable, sticks

    def find(self, word):
        """(name, arguments, role, value in the same word or None) of an option."""
        dashes = 2 if word.startswith("--") else 1
        name, equals, value = word[dashes:].partition("=")
        letter = self.option.get(word[1]) if self.sticks and dashes == 1 else None
        if letter and letter[0] == 1 and len(word) > 2 and name != word[1]:
            if letter[1] != "plain" or name not in self.option:
                return (word[1], *letter, word[2:])
        if name in self.option:
            return (name, *self.option[name], value if equals else None)
        return (name, 0, "plain", None)


OPENMPI = Family(
    """
    ntasks n np c
    hostfile hostfile machinefile
    places host H map-by rank-by rankfile rf ppr N npernode npersocket cpus-per-proc
    places cpus-per-rank app
    places/0 pernode bynode byslot
    sets/2 mca omca gmca prtemca
    plain/2 pmixmca
    """,
    "default-hostfile bind-to x wdir wd path prefix output output-filename timeout tune am"
    " stdin personality display runtime-options report-uri report-pid max-restarts dvm-uri dvm",
    "hostfile", "hostfile", lambda name, value: ["-x", f"{name}={value}"], bound="rankfile")
HYDRA = Family(
    """
    ntasks n np
    hostfile f hostfile machinefile machine
    places hosts hostlist host order-nodes rankmap configfile
    places/0 rr
    per_node ppn perhost grr
    plain/2 genv env
    """,
    "genvlist envlist launcher launcher-exec bootstrap bootstrap-exec rmk iface wdir gwdir path"
    " gpath umask gumask bind-to binding map-by membind topolib demux usize localhost"
    " gpus-per-proc prepend-pattern outfile-pattern errfile-pattern outfile errfile tmpdir s",
    "hostfile per_node", "machinefile", lambda name, value: ["-genv", name, value])
PALS = Family(
    """
    ntasks n np
    per_node ppn
    places hosts host hostfile exclude-hosts configfile
    plain/2 genv
    """,
    "d depth cpu-bind mem-bind gpu-bind env envlist wdir umask rlimits pmi network vnis"
    " list-file procinfo-file",
    "", "MPICH_RANK_ORDER", lambda name, value: [f"--env={name}={value}"])
FLUX = Family(
    """
    ntasks n ntasks
    nodes N nodes
    per_node tasks-per-node
    places taskmap tasks-per-core requires
    cpus c cores-per-task
    """,
    "cores g gpus-per-task gpus-per-node o setopt S setattr env env-remove env-file rlimit t"
    " time-limit q queue B bank job-name cwd urgency input output error dependency signal flags",
    "", None, lambda name, value: [f"--env={name}={value}"], sticks=True)
JSRUN = Family(  # resource sets, each with one rank
    """
    ntasks n nrs p np
    places a tasks_per_rs d launch_distribution b bind U erf_input
    per_node r rs_per_host
    cpus c cpu_per_rs
    gpus g gpu_per_rs
    """,
    "E env h chdir m memory_per_rs l latency_priority M smpiargs o stdio_stdout k stdio_stderr"
    " t stdio_input e stdio_mode",
    "ntasks per_node cpus gpus", "erf", lambda name, value: ["-E", f"{name}={value}"],
    sticks=True)
SRUN = Family("", "", "", None, None)

FAMILIES = {"openmpi": OPENMPI, "prrte": OPENMPI, "hydra": HYDRA, "intel": HYDRA,
            "pals": PALS, "flux": FLUX, "jsrun": JSRUN, "srun": SRUN}

# What --version prints: a mark, what stands before the version, a name, a kind.
MARKS = (("HYDRA", "Version:", "MPICH", "hydra"),
         ("Intel(R) MPI", "Version", "Intel MPI", "intel"),
         ("(Open MPI)", "(Open MPI)", "Open MPI", "openmpi"),
         ("Spectrum MPI)", "Spectrum MPI)", "Spectrum MPI", "openmpi"),
         ("(OpenRTE)", "(OpenRTE)", "Open MPI", "openmpi"),
         ("PRRTE", "PRRTE", "PRRTE", "prrte"),
         ("prterun", "prterun", "PRRTE", "prrte"),
         ("PALS", "PALS", "PALS", "pals"))


def by_version(printed):
    """(kind, name with version) by what --version prints; (None, "")."""
    for mark, before, name, kind in MARKS:
        if mark not in printed:
            continue
        found = re.search(re.escape(before) + r"[^0-9\n]*([0-9.]{0,31})", printed)
        version = found.group(1) if found else ""
        # IBM counts otherwise: its 10 is an Open MPI 3 or 4.
        if name == "Open MPI" and re.match(r"[0-9]{2}|[5-9]", version):
            kind = "prrte"
        return kind, f"{name} {version}".strip()
    return None, ""


def ask(words, seconds):
    """What another program prints. Fails where it does."""
    try:
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.DEVNULL, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        raise Error(f"{words[0]} does not end") from None
    except OSError as error:
        raise Error(f"cannot run {words[0]}: {error.strerror}") from None
    if done.returncode != 0:
        raise Error(f"{words[0]} fails")
    return done.stdout.decode("utf-8", "surrogateescape")


class Line:
    """A launcher's command line, read up to the program."""

    def __init__(self, words, kind):
        self.word, self.kind, self.name = words, kind, words[0]
        self.number = {}  # ntasks, per_node, cpus, nodes, where they are said
        self.hostfile = self.own = None  # own: an option that places ranks
        self.needs_nodes = False  # only a placement can name the nodes
        self.dropped = set()  # indexes of words that a placement replaces
        self.first, self.program = 1, len(words)
        self.has_several = False

    def recognise(self):
        name = os.path.basename(self.word[0])
        if self.kind == "auto":
            if name in ("flux", "jsrun", "srun"):
                self.kind = self.name = name
            else:
                self.name = ""
                self.kind, self.name = by_version(ask([self.word[0], "--version"],
                                                      VERSION_SECONDS))
            if not self.kind:
                raise Error(f"{self.word[0]} is no launcher that is known here")

    def read(self):
        self.recognise()
        if self.kind == "flux":
            if len(self.word) < 2 or self.word[1] not in ("run", "submit"):
                raise Error("only flux run and flux submit start ranks")
            self.first = 2
        i = self.first
        while i < len(self.word) and re.match("-.", self.word[i], re.DOTALL):
            if self.word[i] == "--":
                i += 1
                break
            i = self.read_option(i)
        self.program = min(i, len(self.word))
        self.has_several = ":" in self.word[i:]

    def read_option(self, i):
        """The option at word i; returns the index behind its arguments."""
        family = FAMILIES[self.kind]
        name, arguments, role, value = family.find(self.word[i])
        end = min(i + 1 + max(0, arguments - (value is not None)), len(self.word))
        if value is None and end > i + 1:
            value = self.word[i + 1]
        if role in family.drops:
            self.dropped.update(range(i, end))
        if role in ("ntasks", "per_node", "cpus", "nodes"):
            if not re.fullmatch("[0-9]{1,10}", value or "") or not 0 < int(value) < 1 << 31:
                raise Error(f"'{value or ''}' behind -{name} is no number")
            self.number[role] = int(value)
        elif role == "hostfile":
            self.hostfile = value
        elif role == "places" or (role == "gpus" and value != "0"):
            self.own = name
        elif role == "sets" and value and value.startswith("rmaps"):
            self.own = "mca rmaps"
        return end


# --- the job

def expand(nodelist):
    """The names of a list of Slurm or Flux: n[0-3,7],m1."""
    names = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*\])+", nodelist):
        parts = [""]
        for piece in re.findall(r"\[[^\]]*\]|[^\[]+", item):
            ranges = piece[1:-1].split(",") if piece[0] == "[" else None
            ends = [piece]
            if ranges is not None:
                ends = []
                for one in ranges:
                    low, dash, high = one.partition("-")
                    if not low.isdigit() or (dash and not high.isdigit()):
                        raise Error(f"'{nodelist}' is no list of nodes")
                    ends += [f"{k:0{len(low)}d}" for k in range(int(low), int(high or low) + 1)]
            parts = [part + end for part in parts for end in ends]
        names += parts
    return names


def compress(names):
    """The names as a list, runs of numbers in brackets."""
    out, runs, before = [], [], None
    for name in names + [""]:
        stem, digits = re.fullmatch(r"(.*?)([0-9]{0,9})", name, re.DOTALL).groups()
        here = (stem, len(digits)) if digits else None
        if here and here == before and int(digits) == int(runs[-1][1]) + 1:
            runs[-1][1] = digits
        elif here and here == before:
            runs.append([digits, digits])
        else:
            if runs:
                spans = ",".join(a if a == b else f"{a}-{b}" for a, b in runs)
                out.append(f"{before[0]}[{spans}]" if len(spans) > before[1]
                           else before[0] + spans)
            runs = [[digits, digits]] if here else []
            if name and not here:
                out.append(name)
        before = here
    return ",".join(out)


def counts_of(text, n):
    """[n] numbers of Slurm's 2(x3),1; a single one is that of every node."""
    counts = []
    for item in text.split(","):
        found = re.fullmatch(r"([0-9]+)(?:\(x([0-9]+)\))?", item)
        if not found:
            raise Error(f"'{text}' is no list of counts")
        counts += [int(found.group(1))] * int(found.group(2) or 1)
    if len(counts) == 1:
        counts *= n
    if len(counts) != n:
        raise Error(f"'{text}' is not for {plural(n, 'node')}")
    return counts


class Job:
    """The nodes that ranks may start on, in the job's order, and their slots."""

    def __init__(self):
        self.what, self.number, self.slots = None, 0, {}

    def call(self, system, number):
        self.what = f"{system} job {number}" if number else f"{system} job"
        self.number = leading_number(number)

    def add(self, name, slots):
        self.slots[name] = self.slots.get(name, 0) + slots
        if self.slots[name] > SLOTS_MOST:
            raise Error(f"node {name}: more than {SLOTS_MOST} ranks on it")

    def read_hosts(self, path):
        """A line a node: NAME, NAME:SLOTS, NAME slots=SLOTS or NAME SLOTS."""
        try:
            with open(path, encoding="utf-8", errors="surrogateescape") as file:
                lines = file.read().split("\n")
        except OSError as error:
            raise Error(f"{path}: {error.strerror}") from None
        for number, line in enumerate(lines, 1):
            words = re.split("[ \t\r]+", line.partition("#")[0].strip(" \t\r"))
            name, colon, count = words[0].partition(":")
            if not words[0]:
                continue
            for word in [] if colon else words[1:]:
                if word.startswith("slots=") or word[0].isdigit():
                    count = word.replace("slots=", "", 1)
            if not name or (colon and not count) or \
                    (count and not (re.fullmatch("[0-9]{1,9}", count) and int(count))):
                raise Error(f"{path}:{number}: expected a node and a number of ranks")
            try:
                self.add(name, int(count or 1))
            except Error as error:
                raise Error(f"{path}:{number}: {error}") from None
        if not self.slots:
            raise Error(f"{path}: no node in it")

    def ask_flux(self):
        """A line a group of equal nodes: nodes, cores, names."""
        self.call("Flux", os.environ.get("FLUX_JOB_ID"))
        printed = ask(["flux", "resource", "list", "--states=all", "--no-header",
                       "--format={nnodes} {ncores} {nodelist}"], FLUX_SECONDS)
        for line in printed.splitlines():
            words = line.split()
            if len(words) < 3:
                continue  # a state that no node is in
            names = expand(words[2])
            for name in names:
                self.add(name, int(words[1]) // len(names))

    def ask_slurm(self):
        """The tasks asked for, else the CPUs of a node by those of a task."""
        env = os.environ
        self.call("Slurm", env.get("SLURM_JOB_ID"))
        names, tasks = expand(env["SLURM_JOB_NODELIST"]), env.get("SLURM_TASKS_PER_NODE")
        each = env.get("SLURM_CPUS_PER_TASK", "")
        divisor = int(each) if not tasks and re.fullmatch("[0-9]*[1-9][0-9]*", each) else 1
        counts = counts_of(tasks or env.get("SLURM_JOB_CPUS_PER_NODE") or "1", len(names))
        for name, count in zip(names, counts):
            self.add(name, max(1, count // divisor))

    def find(self, hosts):
        """By the file hosts, or by what a batch system says, if there is one."""
        env = os.environ
        if hosts:
            self.what = hosts
            for name in ("SLURM_JOB_ID", "PBS_JOBID", "LSB_JOBID", "OAR_JOB_ID"):
                self.number = self.number or leading_number(env.get(name))
            return self.read_hosts(hosts)
        if env.get("FLUX_URI"):
            return self.ask_flux()
        if env.get("SLURM_JOB_NODELIST"):
            return self.ask_slurm()
        for file, system, number in (("PBS_NODEFILE", "PBS", "PBS_JOBID"),
                                     ("LSB_DJOB_HOSTFILE", "LSF", "LSB_JOBID"),
                                     ("OAR_NODEFILE", "OAR", "OAR_JOB_ID"),
                                     ("OAR_NODE_FILE", "OAR", "OAR_JOB_ID")):
            if env.get(file):
                self.call(system, env.get(number))
                return self.read_hosts(env[file])
        pairs, names = env.get("LSB_MCPU_HOSTS", "").split(), env.get("LSB_HOSTS", "").split()
        if pairs or names:
            self.call("LSF", env.get("LSB_JOBID"))
        for i in range(0, len(pairs), 2):  # n0 16 n1 16
            if not pairs[i + 1:] or not pairs[i + 1].isdigit():
                raise Error(f"LSB_MCPU_HOSTS: no number behind {pairs[i]}")
            self.add(pairs[i], int(pairs[i + 1]))
        for name in [] if pairs else names:  # n0 n0 n1 n1
            self.add(name, 1)
        return None

    def drop_launch_node(self):
        """Where jsrun starts ranks, LSF's first node is that of the script."""
        slots = list(self.slots.values())
        if len(slots) > 1 and slots[0] == 1 and 1 not in slots[1:]:
            del self.slots[next(iter(self.slots))]


def leading_number(text):
    """881 of 881.server or 881[3].server; 0: none."""
    number = int(re.match("[0-9]{0,15}", text or "").group() or 0)
    return number if number < 1 << 32 else 0


# --- a plan as each launcher reads it

class Placement:
    """Words, a file's text and variables, which put each rank on its node."""

    def __init__(self, line, nodes, binds, path):
        """nodes: (name, its ranks in the order of the slots) of each."""
        self.word, self.variable, self.text = [], [], None
        ntasks = sum(len(ranks) for _, ranks in nodes)
        host, slot, names = [0] * ntasks, [0] * ntasks, [name for name, _ in nodes]
        for h, (_, ranks) in enumerate(nodes):
            for s, rank in enumerate(ranks):
                host[rank], slot[rank] = h, s
        if line.kind in ("openmpi", "prrte"):
            self.text = "".join(f"rank {r}={names[h]} slot={slot[r]}\n" if binds
                                else f"{names[h]}\n" for r, h in enumerate(host))
            self.put_openmpi(line, nodes, binds, path)
        elif line.kind in ("hydra", "intel"):
            runs = [(host[a], b - a) for a, b in runs_of(host)]
            self.text = "".join(f"{names[h]}:{n}\n" for h, n in runs)
            self.word = ["-machinefile", path]
        elif line.kind == "pals":
            self.text = ",".join(str(r) for _, ranks in nodes for r in ranks) + "\n"
            self.variable = ["MPICH_RANK_REORDER_METHOD=3", f"MPICH_RANK_REORDER_FILE={path}"]
        elif line.kind == "flux":
            self.word = ["--taskmap=manual:" + taskmap(host)]
        elif line.kind == "jsrun":
            cpus = line.number.get("cpus", 1)
            self.text = "cpu_index_using: logical\noverlapping_rs: allow\n" + "".join(
                f"rank: {r}: {{ hostname: {names[h]}; cpu: {{{slot[r] * cpus}-"
                f"{(slot[r] + 1) * cpus - 1}}} }}\n" for r, h in enumerate(host))
            self.word = [f"--erf_input={path}"]
        else:
            raise Error(f"{line.name} places no ranks")

    def put_openmpi(self, line, nodes, binds, path):
        is_prrte = line.kind == "prrte"
        if is_prrte:
            self.word = ["--map-by", f"{'rankfile' if binds else 'seq'}:file={path}"]
        elif binds:
            self.word = ["--rankfile", path]
        else:
            self.word = ["--mca", "rmaps", "seq", "--hostfile", path]
        # The others do not replace the nodes that there are: neither a rankfile
        # nor PRRTE's map may name a node that is not among them.
        if (binds or is_prrte) and line.hostfile:
            self.word += ["--hostfile", line.hostfile]
        elif (binds or is_prrte) and line.needs_nodes:
            self.word += ["--host", ",".join(f"{name}:{len(ranks)}"
                                             for name, ranks in nodes if ranks)]


def runs_of(host):
    """(first, end) of each run of ranks on one node."""
    starts = [r for r in range(len(host)) if r == 0 or host[r] != host[r - 1]]
    return list(zip(starts, starts[1:] + [len(host)]))


def taskmap(host):
    """[[node, nodes, ranks of each, times],...]: runs of ranks on nodes that
    follow one another."""
    blocks = []
    for first, end in runs_of(host):
        last = blocks[-1] if blocks else None
        if last and host[first] == last[0] + last[1] and end - first == last[2]:
            last[1] += 1
        else:
            blocks.append([host[first], 1, end - first, 1])
    return "[" + ",".join("[" + ",".join(map(str, block)) + "]" for block in blocks) + "]"


# --- a launcher's life

def prepare_child():
    """It is made to end when this process is killed."""
    try:
        import ctypes
        ctypes.CDLL(None).prctl(1, signal.SIGTERM)  # PR_SET_PDEATHSIG
    except (ImportError, OSError, AttributeError):
        pass


def become(words):
    """exec; returns the status of a shell for what cannot be run."""
    for name in ("SIGPIPE", "SIGXFSZ"):
        signal.signal(getattr(signal, name), signal.SIG_DFL)
    try:
        os.execvp(words[0], words)
    except OSError as error:
        note(f"{words[0]}: {error.strerror}")
        return NOT_FOUND if isinstance(error, FileNotFoundError) else CANNOT_RUN


def run(words):
    """Starts words and waits; what waitpid() says. A signal that is sent to this
    process alone goes on to it; one of a terminal comes to it by itself."""
    awaited = {signal.SIGCHLD} | {
        getattr(signal, name) for name in PASSED_ON
        if signal.getsignal(getattr(signal, name)) != signal.SIG_IGN}
    before = signal.pthread_sigmask(signal.SIG_BLOCK, awaited)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    sys.stdout.flush()
    parent = os.getpid()
    try:
        child = os.fork()
    except OSError:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        return become(words) << 8
    if child == 0:
        prepare_child()
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
        os._exit(become(words) if os.getppid() == parent else CANNOT_RUN)
    ended = 0
    while not ended:
        ended, status = os.waitpid(child, os.WNOHANG)
        if not ended:
            info = signal.sigwaitinfo(awaited)
            if info.si_signo != signal.SIGCHLD and info.si_code != SI_KERNEL:
                os.kill(child, info.si_signo)
    signal.pthread_sigmask(signal.SIG_SETMASK, before)
    return status


def end_as(status):
    """Ends as the launcher has; one file of its memory is enough."""
    if not os.WIFSIGNALED(status):
        os._exit(os.WEXITSTATUS(status))
    import resource
    number = os.WTERMSIG(status)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if number not in (signal.SIGKILL, signal.SIGSTOP):
        signal.signal(number, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {number})
    os.kill(os.getpid(), number)
    os._exit(128 + number)


# --- what both print

def print_words(words):
    text = " ".join(quote(word) for word in words) + "\n"
    sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))


def print_file(name, text):
    """A here-document. It ends at a word that is no line of the text, whose names
    a shell would run behind that."""
    end = "END"
    while end in text.split("\n"):
        end += "_"
    data = f"cat >{name} <<'{end}'\n{text}{end}\n"
    sys.stdout.buffer.write(data.encode("utf-8", "surrogateescape"))


# --- topomap place

OWN_OPTIONS = ("nodefile", "launcher", "program", "bind", "dry-run", "json", "csv", "verbose")


class Forbidden(Exception):
    """The site's sentence."""


def ask_site(topomap, option, program):
    """What the site says of such a launch, as srun asks it: {word: value}."""
    config = [f"--config={option['config']}"] if "config" in option else []
    program = [option["program"]] if "program" in option else program
    done = subprocess.run([topomap, "plan", "--site", *config, "--", *program],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.DEVNULL, check=False)
    lines = done.stdout.decode("utf-8", "surrogateescape").splitlines()
    return dict(line.split(" ", 1) for line in lines if " " in line)


class Placing:
    """One launch of topomap place."""

    def __init__(self, topomap, options, words):
        self.topomap, self.option, self.words = topomap, dict(options), words
        self.for_plan = [word for name, value in options if name not in OWN_OPTIONS
                         for word in [f"--{name}" if value is None else f"--{name}={value}"]]
        self.line = Line(words, self.option.get("launcher", "auto"))
        self.job, self.placement, self.reason = Job(), None, ""
        self.folder = self.path = None
        self.is_forbidden = False
        # For people, and for the history, which has the rest from topomap plan.
        self.word, self.outcome = "not placed", "failed"
        self.ntasks = self.nnodes = 0

    def find(self):
        """The launcher, the job, and whether anything speaks against placing."""
        line, job, hosts = self.line, self.job, self.option.get("nodefile")
        line.read()
        site = ask_site(self.topomap, self.option, self.words[line.program:])
        if "not-placed" in site:
            raise Forbidden(site["not-placed"])
        if "time" in site and not {"time", "work"} & set(self.option):
            self.for_plan.append(f"--time={site['time']}")
        job.find(hosts)
        if not job.slots and line.hostfile:
            self.job = job = Job()
            job.find(line.hostfile)
        line.needs_nodes = bool(hosts) and not line.hostfile
        if line.kind == "jsrun" and not hosts:
            job.drop_launch_node()
        if line.kind == "srun":
            raise Error("srun's ranks are placed by its own --topomap=auto")
        if line.own:
            dashes = "--" if len(line.own) > 1 else "-"
            raise Error(f"{line.name} places ranks itself, by {dashes}{line.own}")
        if line.has_several:
            raise Error(f"{line.name} starts several programs at once")
        if line.program == len(self.words) and not self.names_program():
            raise Error(f"no program behind the options of {line.name}: --program says it")
        if not job.slots:
            raise Error("no job of Flux, Slurm, PBS, LSF or OAR, and no --nodefile")
        if "verbose" in self.option:
            note(f"{job.what}: {plural(len(job.slots), 'node')}; {self.words[0]} is {line.name}")

    def names_program(self):
        return any(word.startswith(("--name=", "--graph=")) for word in self.for_plan) or \
            "program" in self.option

    def fill(self):
        """(nodes, counts) as the launcher would fill them, node after node."""
        number = self.line.number
        counts = [number.get("per_node", slots) for slots in self.job.slots.values()]
        total = sum(counts)
        left = self.ntasks = number.get("ntasks", total if total < 1 << 31 else 0)
        if not 0 < self.ntasks <= total:
            raise Error(f"{self.job.what} has {plural(total, 'place')} for {self.ntasks} ranks")
        for i, count in enumerate(counts):
            counts[i] = min(count, left)
            left -= counts[i]
        self.nnodes = max(i + 1 for i, count in enumerate(counts) if count > 0)
        if self.line.kind == "flux" and \
                {self.nnodes, number.get("nodes", len(counts))} != {len(counts)}:
            raise Error(f"Flux itself chooses which of {len(counts)} nodes are used")
        return list(self.job.slots)[:self.nnodes], counts[:self.nnodes]

    def ask_plan(self, step):
        """What topomap plan answers in JSON."""
        nodes, counts = self.fill()
        runs = [f"{counts[a]}(x{b - a})" for a, b in runs_of(counts)]
        words = [self.topomap, "plan", "--by-place", f"--ntasks={self.ntasks}",
                 f"--nodelist={compress(nodes)}", f"--tasks-per-node={','.join(runs)}",
                 "--json", *self.for_plan]
        # Hydra takes ranks of one node that are not consecutive for those of
        # several: they would not share memory.
        if self.line.kind in ("hydra", "intel") and \
                not any(word.startswith("--unit=") for word in words):
            words.append("--unit=node")
        if step:
            words.append(f"--step={step}")
        program = self.words[self.line.program:]
        if "program" in self.option:
            words.append(f"--program={self.option['program']}")
        elif program:
            words += ["--", *program]
        done = subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, check=False)
        if done.returncode == 0:
            sys.stderr.buffer.write(done.stderr)
            return json.loads(done.stdout)
        *before, last = done.stderr.splitlines() or [b""]
        sys.stderr.buffer.write(b"".join(line + b"\n" for line in before))
        try:
            raise Error(json.loads(last)["error"])
        except (ValueError, KeyError, TypeError):
            raise Error(last.decode("utf-8", "replace") or "topomap plan was killed") from None

    def make_file(self, name):
        """A folder of the user's alone, and the path of a file in it."""
        tmp = os.environ.get("TMPDIR", "")
        # Open MPI 5.0 takes no path with a dash in a qualifier.
        if not tmp.startswith("/") or (self.line.kind == "prrte" and "-" in tmp):
            tmp = "/tmp"
        prefix = "topomap."
        if self.line.kind == "pals":  # the ranks read it
            tmp, prefix = os.getcwd(), ".topomap."
        while True:
            try:
                self.folder = tempfile.mkdtemp(prefix=prefix, dir=tmp)
            except OSError as error:
                raise Error(f"cannot make the folder {tmp}/{prefix}XXXXXX: "
                            f"{error.strerror}") from None
            self.path = f"{self.folder}/{name}"
            if "-" not in self.folder[len(tmp):]:
                return self.path
            self.remove_file()

    def write_file(self):
        try:
            fd = os.open(self.path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
            with os.fdopen(fd, "w", encoding="utf-8", errors="surrogateescape") as file:
                file.write(self.placement.text)
        except OSError as error:
            raise Error(f"cannot write {self.path}: {error.strerror}") from None

    def remove_file(self):
        for remove, path in ((os.unlink, self.path), (os.rmdir, self.folder)):
            try:
                if path:
                    remove(path)
            except OSError:
                pass
        self.path = self.folder = None

    def plan(self, step):
        """Sets reason, and placement where the ranks are to move."""
        family, binds = FAMILIES[self.line.kind], "bind" in self.option
        answer = self.ask_plan(step)
        self.reason = answer["reason"].replace("--topomap=profile", "topomap record", 1)
        self.word = answer["outcome"]
        self.outcome = "placed" if self.word == "placed" else None
        if self.word != "placed":
            return
        name = path = family.bound if binds else family.file
        if name and "dry-run" not in self.option:
            path = self.make_file(name)
        nodes = [(node["node"], node["ranks"]) for node in answer["nodes"]]
        self.placement = Placement(self.line, nodes, binds, path)
        if self.path:
            self.write_file()

    def command(self):
        """The words with the placement in them, or as they are."""
        placement, line = self.placement, self.line
        if not placement:
            return self.words
        rest = [word for i, word in enumerate(self.words)
                if i >= line.first and i not in line.dropped]
        return self.words[:line.first] + placement.word + rest

    def show(self):
        """What would be done: a script, or the same for a program."""
        placement, command = self.placement, self.command()
        variable = placement.variable if placement else []
        family = FAMILIES.get(self.line.kind)
        file = family and (family.bound if "bind" in self.option else family.file)
        if "json" in self.option or "csv" in self.option:
            values = {"placed": placement is not None, "reason": self.reason,
                      "job": self.job.what, "launcher": self.line.name or None}
            if placement and placement.text:
                values["file"] = {"name": file, "text": placement.text}
            values.update(environment=variable, command=command)
            print_row(values, "csv" in self.option)
            return
        if placement and placement.text:
            print_file(file, placement.text)
        print_words((["env"] if variable else []) + variable + command)

    def start(self, step):
        command, began = self.command(), time.monotonic()
        for variable in self.placement.variable if self.placement else []:
            name, _, value = variable.partition("=")
            os.environ[name] = value
        status = run(command)
        self.remove_file()
        if not self.is_forbidden:
            self.note_end(step, time.monotonic() - began)
        return status

    def note_end(self, step, seconds):
        """For the history; a job has no number for what mpiexec starts."""
        program = self.option.get("program") or "".join(
            self.words[self.line.program:self.line.program + 1])
        lines = {"step": step, "outcome": self.outcome, "why": self.reason, "asked": "user",
                 "program": program, "ntasks": self.ntasks or None,
                 "nnodes": self.nnodes or None, "seconds": f"{seconds:.3f}"}
        text = "".join(f"{key} {printable(str(value))}\n" for key, value in lines.items()
                       if value)
        config = [word for word in self.for_plan if word.startswith("--config=")]
        try:
            subprocess.run([self.topomap, "history", *config, "--ended=/dev/stdin"],
                           input=text.encode("utf-8", "surrogateescape"),
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        except OSError:
            pass


def place(topomap, options, words):
    placing = Placing(topomap, options, words)
    shows = "dry-run" in placing.option
    step = None
    try:
        placing.find()
        step = f"{placing.job.number}.{os.getpid()}"
        placing.plan(None if shows else step)
    except Forbidden as why:
        placing.reason = f"{why}; the job runs as usual"
        placing.is_forbidden = True
    except (Error, OSError, ValueError, KeyError, IndexError) as error:
        placing.reason = f"{error}; the launcher's layout stays"
        placing.word, placing.outcome, placing.placement = "not placed", "failed", None
        placing.remove_file()
    note(f"{placing.word}: {placing.reason}")
    if shows:
        placing.show()
        sys.stdout.flush()
        return
    end_as(placing.start(step or f"{placing.job.number}.{os.getpid()}"))


# --- topomap record

def absolute(path):
    """Ranks may start in another folder."""
    return path if path.startswith("/") else f"{os.getcwd()}/{path}"


def variables(option):
    """What the recorder is given, (name, value) each."""
    recorder = option["recorder"]
    if not os.access(recorder, os.R_OK):
        raise Error(f"{recorder}: {os.strerror(2 if not os.path.exists(recorder) else 13)}")
    before = os.environ.get("LD_PRELOAD")
    out = [("LD_PRELOAD", f"{recorder}:{before}" if before else recorder),
           ("COMMPROF_CATALOGUE", option["catalogue"])]
    if "name" in option:
        out.append(("COMMPROF_NAME", option["name"]))
    if "program" in option:
        out.append(("COMMPROF_PROGRAM", absolute(option["program"])))
    if "time" in option:
        out.append(("COMMPROF_SECONDS", option["time"]))
    if "quiet" not in option:
        out.append(("COMMPROF_VERBOSE", "1"))
    # Tasks that do not come to MPI_Finalize need a program beside them.
    if "spool" in option:
        out += [("COMMPROF_SPOOL", option["spool"]), ("COMMPROF_KEEPER", f"{HOME}/commprof-keep")]
    return out


def left_in(spool):
    """(whether the recorder has filed it, tasks that have left a file, tasks of all) of an
    open folder. A change of our own makes NFS look again."""
    with contextlib.suppress(OSError):
        os.close(os.open("look", os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600, dir_fd=spool))
        os.unlink("look", dir_fd=spool)
    names = os.listdir(spool)
    kept = [name for name in names if name.endswith(".kept")]
    ntasks = 0
    with contextlib.suppress(IndexError, OSError, struct.error):
        fd = os.open(kept[0], os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK, dir_fd=spool)
        with open(fd, "rb") as file:
            magic, _, _, found = KEPT_HEAD.unpack(file.read(KEPT_HEAD.size))
        ntasks = found if magic == KEPT_MAGIC else 0
    return "said" in names, len(kept), ntasks


def wait_for(path):
    """The launcher has ended, and its tasks with it. Those who write are on other nodes, and
    no message says when they are done: until a profile is filed, or all tasks have left what
    they had, or nothing has come for some seconds."""
    with contextlib.suppress(OSError):
        spool = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        before, last = 0, time.monotonic()
        while time.monotonic() < last + QUIET_S:
            is_filed, tasks, ntasks = left_in(spool)
            if is_filed or 0 < ntasks <= tasks:
                break
            if tasks > before:
                before, last = tasks, time.monotonic()
            time.sleep(0.02)
        os.close(spool)


def collect(topomap, option, status, seconds):
    """Files what the tasks have left without MPI_Finalize."""
    # As a shell says that there was nothing to run.
    if not os.WIFEXITED(status) or os.WEXITSTATUS(status) not in (CANNOT_RUN, NOT_FOUND):
        wait_for(option["spool"])
    done = subprocess.run([topomap, "profile", "collect", option["spool"],
                           f"--run={status}:{seconds:.6f}"], stdin=subprocess.DEVNULL,
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, check=False)
    if "quiet" not in option or done.returncode != 0:
        sys.stderr.buffer.write(done.stderr)
        sys.stderr.buffer.flush()


def record(topomap, options, words):
    option = dict(options)
    line = Line(words, option.get("launcher", "auto"))
    try:
        line.read()
        if line.kind == "srun":
            raise Error("srun records by its own --topomap=profile")
        why = ask_site(topomap, option, words[line.program:]).get("not-recorded")
        if why:
            note(f"not recorded: {why}; the job runs as usual")
        variable = FAMILIES[line.kind].variable
        added = [] if why else [
            word for name, value in variables(option) for word in variable(name, value)]
    except (Error, OSError) as error:
        if "spool" in option:
            collect(topomap, dict(option, quiet=None), NOT_FOUND << 8, 0)
        fail(str(error), "json" in option)
        sys.exit(1)
    command = words[:line.first] + added + words[line.first:]
    if "json" in option or "csv" in option:
        print_row({"launcher": line.name, "command": command}, "csv" in option)
    elif "dry-run" in option:
        print_words(command)
    elif why:
        collect(topomap, dict(option, quiet=None), NOT_FOUND << 8, 0)  # an empty spool
        end_as(run(command))
    else:
        began = time.monotonic()
        status = run(command)
        collect(topomap, option, status, time.monotonic() - began)
        end_as(status)


def main(argv):
    verb, topomap, options, command = read_options(argv)
    # Ctrl-C ends this program as it ends others.
    if signal.getsignal(signal.SIGINT) == signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    {"place": place, "record": record}[verb](topomap, options, command)


if __name__ == "__main__":
    conclude(main)
