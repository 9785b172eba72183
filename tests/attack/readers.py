# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changed inputs to all that the command line reads (readers.txt), until the time
is up; readers.sh says how it is called. What a run must be with any input is in
judge()."""
import argparse
import ctypes
import glob
import os
import re
import resource
import select
import shutil
import signal
import string
import subprocess
import sys
import time
import traceback

MOST = 1 << 20  # bytes of an input, and of what is kept of an output
ARGUMENT_MOST = 100000
WORDS_MOST = 510
# A sanitizer's shadow and its slowness are in both; hwloc, which has a bound of
# 1 GiB without one, takes half of that for some XML.
SECONDS, PEAK_KIB = 10, 3 << 19
TICK = os.sysconf("SC_CLK_TCK")
CONTROLS = re.compile(rb"[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]")
REPORTS = re.compile(rb"Sanitizer|runtime error: ")
# The report's innermost frame: "#0 0x... in NAME (/lib/.../libhwloc.so".
FRAME = re.compile(rb"#0 0x([^\n]*)\n")
JSON_ERROR = re.compile(rb'\{"error": "[^\n]+\}\n')
OUR_LINES = re.compile(rb"(topomap:? [^\n]*\n)*")
LIBC = ctypes.CDLL(None)
PR_SET_PDEATHSIG = 1


def limit():
    """In the child: ends with its parent, and by its CPU time."""
    LIBC.prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    os.setpgid(0, 0)
    # A second more: the clock is to be quicker, and tells it better.
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS + 1, SECONDS + 2))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def cpu_seconds(pid):
    with open(f"/proc/{pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICK


class Attempt:
    """One run of a command under limits."""

    def __init__(self, argv):
        self.timed_out, self.used = False, 0
        child = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, preexec_fn=limit)
        self.follow(child)
        os.killpg(child.pid, signal.SIGKILL)
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = self.status = os.waitstatus_to_exitcode(status)
        child.stdout.close()
        child.stderr.close()
        self.seconds = usage.ru_utime + usage.ru_stime
        self.peak_kib = usage.ru_maxrss
        self.timed_out |= self.status == -signal.SIGXCPU or self.seconds > SECONDS

    def has_worked(self, pid):
        """Whether it has taken CPU time since it was looked at last: then it is
        slow, on a machine that is busy, and RLIMIT_CPU is its end."""
        before, self.used = self.used, cpu_seconds(pid)
        return self.used > before + 0.05

    def follow(self, child):
        """Until it has ended and its streams, too, or it hangs: a grandchild may
        hold them."""
        out, err, ended = child.stdout.fileno(), child.stderr.fileno(), os.pidfd_open(child.pid)
        kept, poll = {out: bytearray(), err: bytearray()}, select.poll()
        waited = {out, err, ended}
        for fd in waited:
            poll.register(fd, select.POLLIN)
        end = time.monotonic() + 2 * SECONDS
        while waited and not self.timed_out:
            left = end - time.monotonic()
            if left <= 0 and self.has_worked(child.pid):
                end += 2 * SECONDS
                continue
            self.timed_out = left <= 0
            for fd, _ in poll.poll(max(left, 0) * 1000 + 1):
                data = os.read(fd, 1 << 16) if fd != ended else b""
                if data:
                    kept[fd] += data[:MOST - len(kept[fd])]
                else:
                    poll.unregister(fd)
                    waited.remove(fd)
        os.close(ended)
        self.out, self.err = bytes(kept[out]), bytes(kept[err])


def judge(attempt):
    """What is wrong with an attempt, by the word of its finding, or None."""
    failed = attempt.status != 0
    if attempt.timed_out:
        return "time"
    if b"hard rss limit" in attempt.err or attempt.peak_kib > PEAK_KIB:
        return "memory"
    if not 0 <= attempt.status <= 2 or REPORTS.search(attempt.err):
        frame = FRAME.search(attempt.err)
        return "foreign" if frame and b"/libhwloc.so" in frame[1] else "crash"
    if CONTROLS.search(attempt.err) or CONTROLS.search(attempt.out):
        return "controls"
    # Notes beside a success, one line when there is none, or one object under
    # --json; topology check says what is amiss on stdout.
    if not (failed and JSON_ERROR.fullmatch(attempt.err)):
        lines = attempt.err.count(b"\n")
        if not OUR_LINES.fullmatch(attempt.err) or failed and lines != 1 and (lines > 0 or not attempt.out):
            return "lines"
    # An empty catalogue, which its marker makes, is no half one.
    if failed and any(os.path.isfile(os.path.join(folder, name)) and
                      not os.path.islink(os.path.join(folder, name)) and name != "CATALOGUE"
                      for folder, _, names in os.walk("out") for name in names):
        return "left"
    return None


class Reader:
    """A kind of input, and what became of its inputs."""

    def __init__(self, name):
        self.name, self.patterns, self.place, self.commands = name, [], None, []
        self.seeds, self.inputs = [], None
        self.tried = self.accepted = self.slowest = self.largest = 0
        self.purpose = 0
        for c in name.encode():
            self.purpose = (self.purpose * 31 + c) % (1 << 64)

    def load(self, tests):
        """Patterns are of folders that are sorted: the same seeds in the same order."""
        for pattern in self.patterns:
            self.seeds += [path for path in sorted(glob.glob(os.path.join(tests, pattern)))
                           if os.path.isfile(path) and os.path.getsize(path) <= MOST]
        if self.patterns:
            return
        with open(f"{tests}/attack/seeds/words") as file:
            for line in file:
                if line.startswith(self.name + " "):
                    self.seeds.append(f"seeds/{self.name}.{len(self.seeds)}")
                    with open(self.seeds[-1], "w") as seed:
                        seed.write(line[len(self.name) + 1:-1])

    def unchanged(self):
        """The first inputs are as they are: each command with one seed."""
        return self.tried < (len(self.commands) or len(self.seeds))

    def input(self, programs, seed):
        """The next input: the number of its command, and its bytes."""
        if self.unchanged():
            with open(self.seeds[0 if self.commands else self.tried], "rb") as file:
                return self.tried if self.commands else 0, file.read()
        if not self.inputs:
            self.inputs = subprocess.Popen(
                [f"{programs}/inputs", str(seed), str(self.purpose), str(len(self.commands)), *self.seeds],
                stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.inputs.stdin.write(b"%d\n" % self.tried)
        self.inputs.stdin.flush()
        command, size = map(int, self.inputs.stdout.readline().split())
        return command, self.inputs.stdout.read(size)

    def argv(self, command, data):
        """Its words are not the input's: those are divided only where the input
        is the whole command."""
        if self.place:
            with open(self.place, "wb") as file:
                file.write(data)
        # Of an argument there is no more, and nothing behind a NUL.
        word = self.place.encode() if self.place else data[:ARGUMENT_MOST].split(b"\0")[0]
        words = word.split(b" ")
        if self.commands:
            words = [w.encode().replace(b"@", word, 1) for w in self.commands[command].split()]
        return [w for w in words if w or self.commands][:WORDS_MOST]


def readers_of(path):
    readers, names = [], {}
    with open(path) as file:
        for line in file:
            if line.startswith("#"):
                continue
            line = string.Template(line.strip()).substitute(names)
            word, _, rest = line.partition(" ")
            if word == "let":
                names.update([rest.split(" ", 1)])
            elif word == "seeds":
                readers[-1].patterns += rest.split()
            elif word == "place":
                readers[-1].place = rest
            elif word.startswith("["):
                readers.append(Reader(word[1:-1]))
            elif word:
                readers[-1].commands.append(line)
    return readers


def clean(data, most):
    """Shown, not obeyed by the terminal."""
    text = re.sub(rb"[^ -~]", lambda byte: b"\\n" if byte[0] == b"\n" else b"\\x%02x" % byte[0][0], data[:most])
    return text.decode() + ("..." if len(data) > most else "")


class Campaign:
    """All that is the same for every input."""

    def __init__(self, options):
        self.options, self.findings, self.known = options, 0, {}

    def report(self, reader, fault, attempt, argv):
        print(f"FINDING readers {reader.name}, {fault}: status {attempt.status}, {attempt.seconds:.1f} s, "
              f"{attempt.peak_kib} KiB")
        print("  command: topomap", *(f"'{clean(word, 200)}'" for word in argv))
        print("  said:", clean(attempt.err, 4000 if fault == "crash" else 400))
        print(f"  again: contrib/attack --seed {self.options.seed} --only readers:{reader.name}:{reader.tried}",
              flush=True)

    def try_one(self, reader):
        """The next input of a reader. What is unchanged must be understood, and the
        very first do what it is asked, or readers.txt is out of date."""
        unchanged = reader.unchanged()
        argv = reader.argv(*reader.input(self.options.programs, self.options.seed))
        shutil.rmtree("out", ignore_errors=True)
        os.makedirs("out", exist_ok=True)
        attempt = Attempt([self.options.topomap, *argv])
        fault = judge(attempt)
        if unchanged and (attempt.status == 2 or reader.tried == 0 and attempt.status != 0):
            fault = "usage"
        if fault in self.options.open.split(","):
            self.known[fault] = self.known.get(fault, 0) + 1
        elif fault:
            self.findings += 1
            self.report(reader, fault, attempt, argv)
        reader.tried += 1
        reader.accepted += attempt.status == 0
        reader.slowest = max(reader.slowest, attempt.seconds)
        reader.largest = max(reader.largest, attempt.peak_kib)

    def run(self, readers):
        """All readers in turn, or one, or one input of one: READER:NUMBER."""
        end = time.monotonic() + self.options.seconds
        only, _, number = self.options.only.partition(":")
        chosen = [reader for reader in readers if reader.seeds and only in ("", reader.name)]
        if not chosen:
            raise ValueError(f"no reader {only or 'with seeds'}")
        if number:
            chosen[0].tried = int(number)
        while True:
            for reader in chosen:
                self.try_one(reader)
            if number or time.monotonic() >= end:
                return

    def summary(self, readers):
        for reader in readers:
            if reader.tried > 0:
                print(f"  {reader.name:14} {reader.tried:6} inputs, {reader.accepted:5} accepted, "
                      f"at most {reader.slowest:4.1f} s, {reader.largest // 1024:4} MiB")
        for fault, count in self.known.items():
            print(f"OPEN readers {fault}: {count} inputs")
        print(f"TRIED readers: {sum(reader.tried for reader in readers)}")


def main():
    parser = argparse.ArgumentParser()
    for option in ("topomap", "programs", "tests", "only", "open"):
        parser.add_argument("--" + option, default="")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=60)
    campaign = Campaign(parser.parse_args())
    readers = readers_of(f"{campaign.options.tests}/attack/readers.txt")
    os.makedirs("seeds", exist_ok=True)
    for reader in readers:
        reader.load(campaign.options.tests)
        if not reader.seeds:
            print(f"FINDING readers {reader.name}: there are no seeds")
    campaign.run(readers)
    campaign.summary(readers)
    return campaign.findings > 0


try:
    sys.exit(main())
except (Exception, KeyboardInterrupt):
    traceback.print_exc()
    sys.exit(99)
