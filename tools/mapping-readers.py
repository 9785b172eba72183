# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mappings in the files of launchers: Slurm's hostfile, Open MPI's rankfile, the
rank order of Cray's MPICH.

mapping-readers.py FORM NAME: stdin is "N NAMED SLOTS APPEARING", numbers; a line
"SLOTS NAME" for each of N hosts that are known; then the file, whose NAME is for
messages. topomap runs it. It writes "@ NAME" for each host that the file names
where nobody has, and "HOST SLOT LINE" for each task, SLOT - where none is said; or
a line "! CODE MESSAGE", CODE of readers.Error.
"""
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from readers import Error, answer, expand

NONE = 2**32 - 1
TASKS_MOST = 1 << 24  # where nobody says slots: more than any real job
BLANKS = " \t\r\v\f"


class Mapping:
    """A file's tasks: (host, slot or None, line), and what is known of hosts."""

    def __init__(self, name, data):
        head, _, data = data.partition(b"\n")
        n, named, slots, self.appearing = map(int, head.split())
        hosts = []
        for _ in range(n):
            line, _, data = data.partition(b"\n")
            hosts.append(line.partition(b" "))
        text = data.decode("utf-8", "surrogateescape")
        self.name, self.n = name, n
        self.slots = [int(host[0]) for host in hosts] if slots else None
        self.names = {host[2].decode("utf-8", "surrogateescape"): i for i, host in enumerate(hosts)} if named else {}
        self.named, self.appeared, self.tasks = named, [], []
        self.lines = [(i, line.partition("#")[0]) for i, line in enumerate(text.split("\n"), 1)]
        self.most = sum(self.slots) if n and self.slots else TASKS_MOST

    def error(self, number, text, code="parse"):
        return Error(f"{self.name}:{number}: {text}" if number else f"{self.name}{text}", code)

    def need_names(self):
        if not self.named and not self.appearing:
            raise self.error(0, " names nodes, but those of the allocation have no names", "invalid")

    def need_slots(self, number, more, there):
        if more > self.most - there:
            raise self.error(number, f"with this line there are more than {self.most} tasks", "range")

    def host(self, number, name):
        """The host of that name; where none were given, a new one if need be."""
        if name in self.names:
            return self.names[name]
        if self.named:
            raise self.error(number, f"node {name[:80]} is not of the allocation", "invalid")
        if self.n and len(self.appeared) == self.n:
            raise self.error(number, f"node {name[:80]} is one more than the {self.n} that there are", "invalid")
        self.appeared.append(name)
        self.names[name] = len(self.names)
        return self.names[name]

    def expand(self, number, text):
        try:
            return expand(text)
        except Error as error:
            raise self.error(number, str(error), error.code) from None

    def hostfile(self):
        """Hosts of ranks 0, 1, ...: "n3", "n[0-3]", "n3*4", so many tasks on each."""
        self.need_names()
        for number, line in self.lines:
            for word in re.findall(r"(?:\[[^\]\s]*\]?|[^\s,\[])+", line):
                hosts, star, count = word.partition("*")
                if star and not (re.fullmatch("[0-9]{1,19}", count) and int(count) > 0):
                    raise self.error(number, f"'{count[:40]}' is no number of tasks")
                count = int(count) if star else 1
                for name in self.expand(number, hosts):
                    self.need_slots(number, count, len(self.tasks))
                    self.tasks += [(self.host(number, name), None, number)] * count

    def rankfile(self):
        """rank N=HOST slot=PLACES. Places are slots where all are single numbers that
        can be; else their order is: depth first, what names no socket first."""
        self.need_names()
        rank_line = re.compile(r"\s*rank\s*([0-9]+)\s*=\s*(\S+)\s+slot\s*=\s*(.*)", re.DOTALL)
        places = re.compile(r"[pP]?(?:(\*)|([0-9]+)(?::(\*|[0-9]+))?([0-9,\-:*pP\s]*))\s*")
        ranks, plain = [], self.n > 0 and self.slots is not None
        for number, line in self.lines:
            if not line.strip():
                continue
            found = rank_line.fullmatch(line)
            where = places.fullmatch(found[3]) if found else None
            if not where or not all(int(x[:11]) < NONE for x in (found[1], where[2], where[3]) if x and x != "*"):
                raise self.error(number, "expected 'rank N=HOST slot=PLACES'")
            host = found[2]
            if host.startswith("+n"):  # counted in the allocation
                if not re.fullmatch("[0-9]{1,10}", host[2:]) or int(host[2:]) >= self.n:
                    raise self.error(number, f"node {host[:40]}: {self.n} node{' is' if self.n == 1 else 's are'} known",
                                     "invalid")
                host = int(host[2:])
            else:
                host = self.host(number, host)
            first = int(where[2] or 0)
            socket, core = (-1, first) if where[3] is None else (first, 0 if where[3] == "*" else int(where[3]))
            plain = plain and not where[1] and where[3] is None and not where[4].strip() and core < self.slots[host]
            ranks.append((int(found[1]), number, host, socket, core))
        ranks.sort()
        for i, (rank, number, *_) in enumerate(ranks):
            if i > 0 and rank == ranks[i - 1][0]:
                raise self.error(number, f"rank {rank} stands in line {ranks[i - 1][1]} already")
            if rank != i:
                raise self.error(0, f": there is no rank {i}")
        next_slot = {}
        self.tasks = [None] * len(ranks)
        for rank, number, host, socket, core in sorted(ranks, key=lambda r: (r[2], r[3], r[4], r[0])):
            slot = next_slot[host] = next_slot.get(host, -1) + 1
            self.tasks[rank] = (host, core if plain else slot, number)

    def mpich(self):
        """Ranks in the order of their places, host after host: "0,4-7, 1"."""
        if not self.n or self.slots is None:
            raise self.error(0, " is an order of ranks, which means nothing without the nodes and their slots",
                             "invalid")
        order = []
        for number, line in self.lines:
            at = 0
            while True:
                at += len(line[at:]) - len(line[at:].lstrip(", " + BLANKS))
                if at == len(line):
                    break
                found = re.compile("([0-9]+)(-)?([0-9]*)").match(line, at)
                if not found or int(found[1][:11]) >= NONE:
                    raise self.error(number, f"expected ranks like 0,4-7 at '{line[at : at + 40]}'")
                first = last = int(found[1])
                if found[2]:
                    last = int(found[3][:11] or NONE)
                    if last >= NONE or last < first:
                        raise self.error(number, f"ranks from {first} to what?")
                self.need_slots(number, last - first + 1, len(order))
                order += [(rank, number) for rank in range(first, last + 1)]
                at = found.end() if found[2] else found.end(1)
        places = ((host, slot) for host, n in enumerate(self.slots) for slot in range(n))
        self.tasks = [None] * len(order)
        for (rank, number), (host, slot) in zip(order, places):
            if rank >= len(order):
                raise self.error(number, f"rank {rank} in an order of {len(order)}")
            if self.tasks[rank]:
                raise self.error(number, f"rank {rank} stands in line {self.tasks[rank][2]} already")
            self.tasks[rank] = (host, slot, number)

    def read(self, form):
        """Which it is where that is not said: the first line that is no comment
        tells."""
        if form == "any":
            first = next((line for _, line in self.lines if line.strip()), "").strip(BLANKS)
            form = "mpich" if re.fullmatch(f"[0-9,\\-{BLANKS}]*", first) else "hostfile"
            if re.match("rank[ \t]", first):
                form = "rankfile"
        getattr(self, form)()
        if not self.tasks:
            raise self.error(0, ": no mapping in it")


def read(form, name, data):
    """The lines that topomap reads, of the file of that name."""
    mapping = Mapping(name, data)
    mapping.read(form)
    yield from (f"@ {host}" for host in mapping.appeared)
    for host, slot, line in mapping.tasks:
        yield f"{host} {'-' if slot is None else slot} {line}"


if __name__ == "__main__":
    answer(sys.argv[2], lambda: read(*sys.argv[1:], sys.stdin.buffer.read()))
