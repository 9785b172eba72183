# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap calibrate: how fast ranks reach each other, measured or merged.

calibrate.py measure|merge TOPOMAP [--OPTION[=VALUE]]... -- [SRUN-OPTION]...

`topomap calibrate` has read the options, and becomes this program. It starts the
MPI program mpi_calibrate.c by srun, and makes of its rows the table, and the site
file's rates, ports and costs of messages (topomap.json(5)); or it puts these keys
of one site file into another, both of which the command has found to be valid.
"""
import json
import os
import re
import shutil
import stat
import sys
import tempfile

HOME = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HOME)
from launchers import end_as, run
from output import conclude, fail, output_file, print_row, read_options, replacing

ROW = re.compile("topomap-calibrate-row (.*)")
# How far apart two ranks are, the nearest first.
LEVELS = ("one cache", "one NUMA node", "one package", "one node", "one leaf", "across")
NODE, LEAF, ACROSS = 3, 4, 5
LEFT = {1: "L3", 2: "NUMA", 3: "package"}  # what pairs of a level have to leave
INSIDE, BETWEEN = "in a node", "of a node"
LONG = 2  # lengths
KEYS = ("ports", "nic_rate", "memory_rate", "nic_message_s", "task_message_s",
        "memory_latency_s", "nic_latency_s", "hop_latency_s")


class Error(Exception):
    """A sentence for the user."""


# --- what was measured

def hops_between(a, b):
    """Links between two nodes, up to the switch that both are below, and down; a and b
    are their leaf switches: top.leaf0 and top.leaf1 are both below top."""
    a, b = ([name for name in leaf.split(".") if name] for leaf in (a, b))
    same = len(os.path.commonprefix([a, b]))
    return 2 + len(a) + len(b) - 2 * same


class Timing:
    """What one set of pairs came to: median seconds of an exchange there and back, over
    the slowest pair, by length."""

    def __init__(self, words):
        """As mpi_calibrate.c prints it. parts: caches, packages, nodes or leaf switches
        that pairs so far apart as the first one come from; message: seconds for each of
        many of a byte that are under way from the lower rank of a pair; 0: not measured."""
        self.what, pairs, parts, a, b, message, *times = words
        self.pairs, self.parts, self.message = int(pairs), int(parts), float(message)
        self.hops = hops_between(a.replace("-", "", a == "-"), b.replace("-", "", b == "-"))
        times = [float(seconds) for seconds in times]
        self.times = [(int(length), seconds) for length, seconds in zip(times[::2], times[1::2])
                      if seconds > 0]
        # Alone there and back took two messages' time, and both ways at once one.
        self.ways = 2 if self.pairs == 1 else 1
        self.one_way = self.times[0][1] / 2 if self.times else 0

    def rates(self):
        """Bytes a second in one direction of all pairs, by length."""
        messages = 2 if self.pairs == 1 else self.pairs
        return [messages * length / seconds for length, seconds in self.times]

    def best(self):
        """What a way carries: of the longest messages, since buffers on the way swallow a
        few short ones faster than it goes on."""
        return max(self.rates()[-LONG:], default=0)

    def best_of_part(self):
        """Each pair goes through the ports of two parts."""
        return self.best() * 2 / self.parts if self.parts else 0


class Calibration:
    """All rows: alone and all, by level; inside a node, and between two, by pairs."""

    def __init__(self, rows):
        self.alone, self.all = {}, {}
        self.inside, self.between = {}, {}
        for words in rows:
            kind, place, *rest = words
            row = Timing([LEVELS[int(place)] if kind in ("alone", "all") else
                          INSIDE if kind == "inside" else BETWEEN, *rest])
            getattr(self, kind)[int(place)] = row
        self.rows = [rows[i] for i in range(len(LEVELS)) for rows in (self.alone, self.all)
                     if i in rows]
        self.rows += [rows[n] for n in sorted({*self.inside, *self.between})
                      for rows in (self.inside, self.between) if n in rows]
        self.memory_rate, self.nic_rate = most_of(self.inside), most_of(self.between)
        self.costs = {key: seconds for key, seconds in self.find_costs() if seconds > 0}

    def find_costs(self):
        """What a message takes beside its bytes, in seconds, as topomap.json(5) has it; 0:
        not measured."""
        nothing = Timing("- 0 0 - - 0".split())
        leaf, across = self.alone.get(LEAF), self.alone.get(ACROSS)
        # All pairs send through one interface: with these pairs it is the fastest.
        yield "nic_message_s", min((row.message / n for n, row in self.between.items()
                                    if row.message > 0), default=0)
        # A pair alone is as fast as its ranks.
        task = self.inside.get(1, self.between.get(1, nothing)).message
        yield "task_message_s", task
        # Of ranks that are as far apart as ranks of a node can be; what a rank takes of it
        # is counted by itself.
        within = next((self.alone[i] for i in range(NODE, -1, -1) if i in self.alone), nothing)
        yield "memory_latency_s", within.one_way - task
        hop = 0
        if leaf and across and across.hops > leaf.hops:
            hop = max(0, (across.one_way - leaf.one_way) / (across.hops - leaf.hops))
        nearer = leaf or across or nothing
        yield "nic_latency_s", nearer.one_way - nearer.hops * hop - task
        yield "hop_latency_s", hop


def most_of(rows):
    """Of several pairs both ways at once, where there were several."""
    most = max((row.best() for n, row in rows.items() if n > 1), default=0)
    return most or (rows[1].best() if 1 in rows else 0)


# --- the table, and the site file

def print_measured(found, option):
    rates = [("memory_rate", found.memory_rate), ("nic_rate", found.nic_rate)]
    rows = [(row.what, row.pairs, length, seconds / row.ways, rate) for row in found.rows
            for (length, seconds), rate in zip(row.times, row.rates())]
    if "json" in option:
        rows = ",".join(f'\n    {{ "apart": "{what}", "pairs": {pairs}, "bytes": {length}, '
                        f'"seconds": {seconds:.9g}, "bytes_per_second": {rate:.9g} }}'
                        for what, pairs, length, seconds, rate in rows)
        values = "".join(f',\n  "{key}": {value:.9g}' for key, value in rates)
        values += "".join(f',\n  "{key}": {value:.6g}' for key, value in found.costs.items())
        print(f'{{\n  "measured": [{rows}\n  ]{values}\n}}')
    elif "csv" in option:
        print("apart,pairs,bytes,seconds,bytes_per_second")
        for what, pairs, length, seconds, rate in rows:
            print(f'"{what}",{pairs},{length},{seconds:.9g},{rate:.9g}')
    else:
        print("%-14s %5s %9s %12s %12s" % ("apart", "pairs", "bytes", "us", "bytes/s"))
        for what, pairs, length, seconds, rate in rows:
            print("%-14s %5d %9d %12.2f %12.4g" % (what, pairs, length, 1e6 * seconds, rate))
        for key, value in [*rates, *found.costs.items()]:
            print(f"{key} {value:.6g}")
    sys.stdout.flush()


def port(inside, alone, most=0, through=0):
    """A port as topomap.json(5) has it: no length carries more than all together, which
    went both ways at once; 0: that was not measured."""
    out = [f'"inside": "{inside}"'] if inside else []
    if alone:
        most = most or alone.best()
        rates = ", ".join(f"[{length}, {min(rate, most):.6g}]"
                          for (length, _), rate in zip(alone.times, alone.rates()))
        # Printed with as many digits as what it bounds.
        out += [f'"bandwidth": [{rates}]', f'"most": {most:.6g}']
    if through > 0:
        out.append(f'"switch": {through:.6g}')
    return f"    {{ {', '.join(out)} }}" if out else "    { }"


def site_file(found):
    """Its text. Ports of tasks have what the nearest pairs got; pairs of a level leave what
    holds those of the level below."""
    alone, nearest = found.alone, next((i for i in range(NODE + 1) if i in found.alone), None)
    ports = [port(None, alone.get(nearest))]
    ports += [port(LEFT[i], alone[i], found.all[i].best_of_part() if i in found.all else 0)
              for i in range(1, NODE + 1) if i in alone and i != nearest]
    ports += [port(None, alone.get(LEAF, alone.get(ACROSS)), found.nic_rate,
                   2 * found.memory_rate)]
    if ACROSS in alone:
        ports += [port(None, alone[ACROSS],
                       found.all[ACROSS].best_of_part() if ACROSS in found.all else 0)]
    values = {"nic_rate": found.nic_rate, "memory_rate": found.memory_rate, **found.costs}
    lines = "".join(f'  "{key}": {value:.6g},\n' for key, value in values.items() if value > 0)
    return ('{\n  "format": 1,\n  "topology": { "type": "slurm" },\n' + lines +
            '  "ports": [\n' + ",\n".join([*ports, "    { }"]) + "\n  ]\n}\n")


def write(opened, path, text, mode=None):
    try:
        with opened as file:
            if mode is not None:
                os.fchmod(file.fileno(), mode)
            file.write(text)
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror}") from None


def find_program(option):
    """What was installed for that type: which MPI it starts is a matter of custom, and srun
    says so where it is none of the site's."""
    if "program" in option:
        return option["program"] if "/" in option["program"] else f"./{option['program']}"
    path = f"{HOME}/mpi-calibrate-{'openmpi' if option['mpi'].startswith('pmix') else 'mpich'}"
    if not os.access(path, os.X_OK):
        raise Error(f"{path}: {os.strerror(13 if os.path.exists(path) else 2)}; --program names "
                    "one (topomap-calibrate(1) says how it is built)")
    return path


def measure(option, more):
    program = find_program(option)
    path = option.get("output")
    # Before an hour is spent on what cannot be kept.
    if path and not os.access(os.path.dirname(path) or ".", os.W_OK):
        raise Error("the folder of --output cannot be written to")
    if not shutil.which("srun"):
        raise Error("srun: No such file or directory")
    os.environ.pop("TOPOMAP", None)  # what is measured is Slurm's own layout
    # What it prints comes here, even if the site or the user send other output elsewhere.
    words = ["srun", f"--mpi={option['mpi']}", *more, "--output=all", program,
             "--longest", option.get("longest", "4194304"),
             "--sample", option.get("sample", "0.005")]
    with tempfile.TemporaryFile() as printed:
        stdout = os.dup(1)
        os.dup2(printed.fileno(), 1)
        status = run(words)
        os.dup2(stdout, 1)
        printed.seek(0)
        text = printed.read().decode("utf-8", "replace")
    found = [ROW.search(line) for line in text.split("\n")]
    rows = [row.group(1).split() for row in found if row]
    for line, row in zip(text.rstrip("\n").split("\n") if text else [], found):
        if not row:
            print(line, flush=True)
    if status != 0:
        end_as(status)
    if not rows:
        raise Error(f"{program} prints no rows of mpi_calibrate.c's: build it anew")
    calibration = Calibration(rows)
    print_measured(calibration, option)
    if path:
        write(output_file(path), path, site_file(calibration))


# --- merging

def read_site(path, may_be_link):
    """Its text, which the command has read as a site file, and its mode."""
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | (0 if may_be_link else os.O_NOFOLLOW))
        with os.fdopen(fd, "rb") as file:
            mode = os.fstat(fd).st_mode
            if not may_be_link and not stat.S_ISREG(mode):
                raise Error(f"{path} is no regular file")
            return file.read().decode("utf-8", "surrogateescape"), stat.S_IMODE(mode)
    except OSError as error:
        raise Error(f"{path}: {error.strerror}") from None


def find_values(text, path):
    """Where the values of the outermost object's keys stand, {key: (begin, end)}, and where
    the last of them ends, or behind its brace where it has none."""
    blanks, decoder = re.compile("[ \t\r\n]*"), json.JSONDecoder()
    spans, last = {}, text.find("{") + 1
    try:
        at = blanks.match(text, last).end()
        while text[at] != "}":
            key, at = decoder.raw_decode(text, at)
            begin = blanks.match(text, text.index(":", at) + 1).end()
            last = decoder.raw_decode(text, begin)[1]
            spans[key] = (begin, last)
            at = blanks.match(text, last).end()
            at = blanks.match(text, at + (text[at] == ",")).end()
    except (ValueError, IndexError) as why:
        raise Error(f"{path}: {why}") from None
    return spans, last


def merge(option):
    """All of the site file but these keys stays, to the byte; what it was is behind ~."""
    path, measured = option["merge"], option["from"]
    source, _ = read_site(measured, True)
    text, mode = read_site(path, False)
    before, values = text, find_values(source, measured)[0]
    for key in KEYS:
        if key not in values:
            continue
        value = source[slice(*values[key])]
        spans, last = find_values(text, path)
        begin, end = spans.get(key, (last, last))
        name = "" if key in spans else f'{"," if spans else ""}\n  "{key}": '
        text = text[:begin] + name + value + text[end:]
    if not set(KEYS) & set(values):
        raise Error(f"{measured} has no ports, nic_rate or memory_rate")
    write(replacing(f"{path}~", mode), f"{path}~", before, mode)
    write(replacing(path), path, text)
    if "json" in option or "csv" in option:
        print_row({"site_file": path, "from": measured, "kept": f"{path}~"}, "csv" in option)


def main(argv):
    verb, _, options, more = read_options(argv)
    option = dict(options)
    try:
        if verb == "merge":
            merge(option)
        else:
            measure(option, more)
    except Error as why:
        fail(str(why), "json" in option)
        sys.exit(1)


if __name__ == "__main__":
    conclude(main)
