# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mappings in the files of launchers: Slurm's hostfile, Open MPI's rankfile, the
rank order of Cray's MPICH; and our own, to be made one of them or of one of them.

mapping-readers.py FORM NAME: stdin is "N NAMED", numbers; a line "SLOTS NAME" for
each of N hosts that are known; then the file, whose NAME is for messages. topomap
runs it. It writes "HOST SLOT" for each task.
mapping-readers.py FORM NAME TO NODELIST SLOTS, for topomap convert: stdin is the
file, NODELIST and SLOTS are as typed or empty. It writes "TASKS HOSTS LOST", whether
slots were lost, and the file in the form TO.
Both write a line "! CODE MESSAGE" for what is wrong, CODE of readers.Error.
"""
import collections
import os
import re
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from output import plural
from readers import HOSTS_MOST, Error, answer, expand

NONE = 2**32 - 1
TASKS_MOST = 1 << 24  # without slots: more than any real job
BLANKS = " \t\r\v\f"


class Mapping:
    """A file's tasks: (host, slot or None, line), and what is known of hosts: their
    number (0: nothing), names and slots (None: not known). Where there are no names
    they are those of the file, if it may say them."""

    def __init__(self, name, data, n=0, names=None, slots=None, appearing=False):
        self.name, self.n, self.slots, self.appearing = name, n, slots, appearing
        self.named, self.appeared, self.tasks = bool(names), [], []
        self.names = {host: i for i, host in enumerate(names or ())}
        text = data.decode("utf-8", "surrogateescape").split("\n")
        self.lines = [(i, line.partition("#")[0]) for i, line in enumerate(text, 1)]
        self.most = sum(slots) if n and slots else TASKS_MOST

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
        """Hosts of ranks 0, 1, ...: "n3", "n[0-3]", "n3*4", that number of tasks on each."""
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

    def mapping(self):
        """Ours: a host and a slot a line, or hosts alone."""
        for number, line in self.lines:
            words = re.findall(f"[^{BLANKS}]+", line)
            numbers = [int(word) if re.fullmatch("[0-9]{1,10}", word) else NONE for word in words]
            if words and numbers[0] >= NONE:
                raise self.error(number, "no node number")
            if words[1:] and numbers[1] >= NONE:
                raise self.error(number, "what follows the node is no slot number")
            if words[2:]:
                raise self.error(number, "more than a node and a slot")
            if words:
                self.tasks.append((numbers[0], numbers[1] if words[1:] else None, number))
                if (self.tasks[0][1] is None) != (not words[1:]):
                    raise self.error(number, "slots stand either in all lines or in none")

    def read(self, form):
        """Which it is where that is not said: the first line that is no comment
        tells."""
        if form == "any":
            first = next((line for _, line in self.lines if line.strip()), "").strip(BLANKS)
            form = "mpich" if re.fullmatch(f"[0-9,\\-{BLANKS}]*", first) else "hostfile"
            if re.match("rank[ \t]", first):
                form = "rankfile"
            if re.fullmatch(f"[0-9{BLANKS}]*", first):
                form = "mapping"
        getattr(self, form)()
        if not self.tasks:
            raise self.error(0, ": no mapping in it")

    def count_hosts(self, each):
        """Without such a word: the hosts that the file speaks of, each with as
        many slots (each: said for all, 0: not) as it uses."""
        if not self.n:
            self.n = len(self.appeared) or max(host for host, *_ in self.tasks) + 1
            if self.n > HOSTS_MOST:
                raise Error(f"nodes up to number {self.n - 1}: --nodelist must name them", "range")
        if not self.slots:
            self.slots = [each] * self.n
            for host, slot, _ in () if each else self.tasks:
                if host < self.n:
                    self.slots[host] = max(self.slots[host], slot + 1) if slot is not None else self.slots[host] + 1

    def place(self):
        """The host and slot of each task: slots that are not said ascend."""
        places, taken, following = [], set(), [0] * self.n
        for task, (host, slot, line) in enumerate(self.tasks):
            if host >= self.n:
                raise self.error(line, f"task {task} is on node {host} of an allocation of {self.n}", "invalid")
            if slot is None:
                slot = following[host]
                following[host] += 1
            if slot >= self.slots[host]:
                raise self.error(line, f"task {task} is in slot {slot} of node {host}, which has "
                                 f"{self.slots[host]} slot{'s' * (self.slots[host] != 1)}", "invalid")
            if (host, slot) in taken:
                raise self.error(line, f"task {task} is in slot {slot} of node {host}, which another task has already",
                                 "invalid")
            taken.add((host, slot))
            places.append((host, slot))
        return places


def read(form, name, data):
    """The lines that topomap reads, of the file of that name."""
    head, _, data = data.partition(b"\n")
    n, named = map(int, head.split())
    hosts = []
    for _ in range(n):
        line, _, data = data.partition(b"\n")
        hosts.append(line.decode("utf-8", "surrogateescape").partition(" "))
    mapping = Mapping(name, data, n, [host[2] for host in hosts] if named else None, [int(host[0]) for host in hosts])
    mapping.read(form)
    yield from (f"{host} {slot}" for host, slot in mapping.place())


def slots_of(text):
    """Slurm's 16(x3),8."""
    items = [re.fullmatch(r"([0-9]{1,10})(?:\(x([0-9]{1,10})\))?", item) for item in text.split(",")]
    pairs = [(int(item[1]), int(item[2] or 1)) if item else (NONE, 0) for item in items]
    if any(count >= NONE or not 0 < hosts < NONE for count, hosts in pairs):
        raise Error(f"slots '{text[:100]}' are not of the form N or 16(x3),8")
    if sum(hosts for _, hosts in pairs) > HOSTS_MOST:
        raise Error(f"slots '{text[:100]}' speak of too many nodes")
    return [count for count, hosts in pairs for _ in range(hosts)]


def in_blocks(places, slots):
    """A rank order, which is of a block layout: host after host is full, but for the
    last that has any."""
    left, counts = len(places), collections.Counter(host for host, _ in places)
    for host, room in enumerate(slots):
        if counts[host] != min(room, left):
            raise Error(f"a rank order can only permute a block layout, which puts {min(room, left)} ranks on node "
                        f"{host}, and the mapping {counts[host]}", "invalid")
        left -= counts[host]
    return ",".join(str(rank) for _, rank in sorted((place, rank) for rank, place in enumerate(places)))


def convert(form, name, to, nodelist, slots, data):
    """The lines of the file in another form."""
    names = expand(nodelist) if nodelist else None
    twice = [host for host, n in collections.Counter(names or ()).items() if n > 1]
    if twice:
        raise Error(f"host list '{nodelist[:200]}': host {twice[0]} stands there twice", "invalid")
    given = slots_of(slots) if slots else []
    each = given[0] if slots.isdigit() else 0
    n = len(names) if names else 0 if slots.isdigit() else len(given)
    if given and n != len(given) and not slots.isdigit():
        raise Error(f"slots '{slots[:100]}' speak of {plural(len(given), 'node')}, and there "
                    f"{'is' if n == 1 else 'are'} {n}", "invalid")
    mapping = Mapping(name, data, n, names, ([each] * n if slots.isdigit() else given) or None, True)
    mapping.read(form)
    mapping.count_hosts(each)
    places = mapping.place()
    names = names or mapping.appeared
    if to in ("hostfile", "rankfile") and not names:
        raise Error("the nodes have no names: --nodelist says them", "invalid")
    following = collections.Counter()
    lost = 0
    for host, slot in places if to == "hostfile" else ():
        lost |= slot != following[host]
        following[host] += 1
    yield f"{len(places)} {mapping.n} {lost:d}"
    if to == "mpich":
        yield in_blocks(places, mapping.slots)
    elif to == "mapping":
        yield "# topomap convert: nodes and slots"  # by which it is known where a task graph is meant
        yield from (f"{host} {slot}" for host, slot in places)
    else:
        lines = {"hostfile": "{1}", "rankfile": "rank {0}={1} slot={2}"}[to]
        yield from (lines.format(rank, names[host], slot) for rank, (host, slot) in enumerate(places))


if __name__ == "__main__":
    answer(sys.argv[2], lambda: (convert if sys.argv[3:] else read)(*sys.argv[1:], sys.stdin.buffer.read()))
