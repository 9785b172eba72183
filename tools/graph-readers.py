# SPDX-License-Identifier: LGPL-2.1-or-later
"""Task graphs from what other tools leave: Scotch, NumPy, GraphML, Open MPI's
monitoring, IPM, TAU, NCCL Inspector, Score-P's traces, Intel's Trace Collector,
and traces of training jobs (training_traces.py).

graph-readers.py FORMAT NAME: the file is stdin, NAME is for messages; a NAME
that ends in / is a folder with the files of one run. topomap runs it. It writes
a METIS graph, or a line "! CODE MESSAGE", CODE of Error.
"""
import array
import itertools
import json
import operator
import os
import re
import sys
import xml.parsers.expat

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from graph_reading import (
    BLANKS,
    BYTES_MOST,
    DEPTH_MOST,
    JSON_MOST,
    TASKS_FREE,
    TASKS_MOST,
    TASKS_PER_EDGE,
    TASK_MOST,
    TOKEN_MOST,
    Edges,
    Error,
    Lines,
    Reader,
    Run,
    decimal,
    json_number,
    no_number,
    plain_bytes,
    real,
    round_bytes,
    whole,
    words,
)
from training_traces import Chakra, FlightRecorder, Kineto


class Monitoring(Run):
    """pml_monitoring's files (Bosilca, Foyer, Jeannot, Mercier, Papaure, Online
    Dynamic Monitoring of MPI Communications, Euro-Par 2017)."""

    suffix, about = ".prof", "files *.prof of Open MPI's monitoring"

    def __init__(self, name):
        super().__init__(name)
        self.world = self.begun = self.ended = 0

    def task(self, lines, word):
        task = lines.whole(word, "task", 2**32 - 1)
        if task >= TASK_MOST:
            raise lines.error(f"task {task} is too large", "range")
        if 0 < self.world <= task:
            raise lines.error(f"task {task}, but MPI_COMM_WORLD has {self.world} tasks")
        self.saw(task)
        return task

    def sent(self, lines, line):
        """0 1 4096 bytes 4 msgs sent 0,0,4: from, to, how much."""
        a, b, nbytes, unit, _ = words(line, 4)
        a = self.task(lines, a)
        b = self.task(lines, b)
        nbytes = lines.whole(nbytes, "number of bytes", 2**64 - 1)
        if unit != "bytes":
            raise lines.error("'bytes' is missing: is the line cut short?")
        self.edges.add(a, b, nbytes, lines)

    def read_world(self, lines, line):
        """MPI_COMM_WORLD procs: 0,1,2,3"""
        name, procs, rest = words(line, 2)
        if name != "MPI_COMM_WORLD" or procs != "procs:":
            return
        n = rest.count(",") + 1
        if self.world not in (0, n):
            raise lines.error(f"MPI_COMM_WORLD of {n} tasks, and before of {self.world}: files of two runs?")
        self.world = n
        if self.ntasks > n:
            raise lines.error(f"MPI_COMM_WORLD of {n} tasks, but task {self.ntasks - 1} sent or received")

    def add(self, lines):
        for line in lines:
            word, rest = words(line, 1)
            if line.startswith("#"):
                self.begun += line.startswith("# POINT TO POINT")
                self.ended += line.startswith("# COLLECTIVES")
            elif word in ("E", "I", "S", "R"):
                # By the program; by the library, for collectives; one-sided.
                self.sent(lines, rest)
            elif word == "D":
                self.read_world(lines, rest)
            elif word not in (None, "C", "O2A", "A2O", "A2A"):
                raise lines.error(f"'{word[:40]}' begins no line of Open MPI's monitoring")
        if self.ended < self.begun:
            raise lines.error("the file ends before its part of collectives: is it cut short?")

    def finish(self):
        if self.begun > 0 and self.world > 0 and self.begun != self.world:
            raise Error(
                f"{self.name}: what {self.begun} of {self.world} tasks sent: name the folder with the files "
                "of all, or put them behind one another"
            )
        self.ntasks = self.world or self.ntasks


class Tau(Run):
    """profile.NODE.CONTEXT.THREAD, with the matrix that TAU_COMM_MATRIX=1 adds."""

    prefix, about = "profile.", "files profile.NODE.CONTEXT.THREAD of TAU"
    has_matrix = False

    def node(self, lines):
        match = re.match(r"profile\.([0-9]+)\.", os.path.basename(lines.name))
        if not match or decimal(match[1]) >= TASK_MOST:
            raise Error(
                f"{lines.name}: TAU's files are called profile.NODE.CONTEXT.THREAD, which says whose they are"
            )
        return decimal(match[1])

    def event(self, lines, line, node):
        """"Message size sent to node 3" NUMEVENTS MAX MIN MEAN SUMSQR. After a
        colon in the name: the same messages once more, by call path."""
        end = line.rfind('"')
        if not line.startswith('"') or end < 1:
            raise lines.error("a user event without a name: is it cut short?")
        match = re.match(r'"Message size sent to node ([0-9]+)"', line)
        if not match:
            return
        values = words(line[end + 1 :], 4)
        for i in range(4):
            if values[i] is None or (i in (0, 3) and real(values[i]) is None):
                raise lines.error(f"'{(values[i] or '')[:40]}' is no number of messages or bytes")
        nbytes = round_bytes(real(values[0]) * real(values[3]))
        to = decimal(match[1])
        if to >= TASK_MOST or nbytes is None:
            raise lines.error("more bytes or tasks than there can be", "range")
        self.has_matrix = True
        self.saw(to)
        self.edges.add(node, to, nbytes, lines)

    def add(self, lines):
        node = self.node(lines)
        if " templated_functions" not in next(lines, ""):
            raise Error(
                f"{lines.name}: not a profile of TAU, whose first line says how many templated_functions there are"
            )
        self.saw(node)
        left = 0
        for line in lines:
            match = re.match(r"[ \t]*([0-9]+)[ \t]+userevents([ \t]|$)", line)
            if match:
                left = decimal(match[1])
                break
        while left > 0:
            line = next(lines, None)
            if line is None:
                raise lines.error("the file ends before all of its user events: is it cut short?")
            if not line.startswith("#"):
                self.event(lines, line, node)
                left -= 1

    def finish(self):
        if not self.has_matrix:
            raise Error(f"{self.name}: no communication matrix in it: TAU records one with TAU_COMM_MATRIX=1")


class Otf2(Run):
    """A trace of Score-P, as otf2-print -A shows it: its sends, and the rank of
    each of its locations."""

    suffix, about = ".otf2.txt", "the output of otf2-print -A"

    def __init__(self, name):
        super().__init__(name)
        self.group, self.ranks, self.rank = {}, [], None

    def find_ranks(self):
        """A rank's location, and all others of the same process."""
        of = {self.group[l]: r for r, l in enumerate(self.ranks) if l in self.group}
        self.rank = {l: of[g] for l, g in self.group.items() if g in of}

    def take_rank(self, lines, location):
        rank = self.rank.get(location) if self.ranks else location
        if rank is None or rank >= TASK_MOST:
            raise lines.error(
                f"location {location} is no rank of MPI: the trace is to be printed by otf2-print -A"
            )
        self.saw(rank)
        return rank

    def send(self, lines, line):
        """MPI_SEND 0 11 Receiver: 1 ("Master thread" <1>), Communicator: ...,
        Tag: 5, Length: 1000"""
        start = whole(words(line, 2)[1])
        to, length = line.find("Receiver: "), line.rfind(", Length: ")
        if start is None or to < 0 or length < 0:
            raise lines.error("a send without a receiver or a length: is the line cut short?")
        word = re.split("[,\r]", line[length + len(", Length: ") :])[0]
        if whole(word) is None:
            raise lines.error(f"'{word[:40]}' is no number of bytes")
        end = line.find("), Communicator: ", to, length)
        if end < 0:
            raise lines.error("a receiver that is not known to otf2-print")
        receiver = re.search(r"<([0-9]+)>[^<]*$", line[to:end])
        if not receiver:
            raise lines.error("a receiver without a location")
        a = self.take_rank(lines, start)
        self.edges.add(a, self.take_rank(lines, decimal(receiver[1])), whole(word), lines)

    def add(self, lines):
        for line in lines:
            word = line.split(" ", 1)[0] if " " in line else ""
            if word == "Event" and self.rank is not None:
                raise lines.error("a second trace in one file")
            if word == "LOCATION":
                number = whole(words(line, 2)[1])
                group = re.search("<([0-9]+)>[^<]*$", line)
                if number is None or not group:
                    raise lines.error("a location without a number or a group")
                self.group[number] = decimal(group[1])
            elif word == "GROUP" and ", Type: COMM_LOCATIONS," in line:
                at = line.rfind(" Members: ")
                if at >= 0 and ", Paradigm: MPI," in line:
                    self.ranks = [decimal(i) for i in re.findall("<([0-9]+)>", line[at:])]
            elif word == "Event":
                self.find_ranks()
            elif word in ("MPI_SEND", "MPI_ISEND") and self.rank is not None:
                self.send(lines, line)

    def finish(self):
        if self.rank is None:
            raise Error(f"{self.name}: no events in it: not what otf2-print -A prints")
        self.ntasks = max(self.ntasks, len(self.ranks))
        if self.ntasks == 0:
            raise Error(f"{self.name}: no ranks of MPI in it")


class Intel(Run):
    """stftool --print-statistics: fields between colons, as "Collecting
    Lightweight Statistics" of the Trace Collector's guide has them: sender,
    function, receiver, size, processes, count, and two times three times."""

    suffix, about = ".stats", "statistics of Intel's Trace Collector"
    NO_RECEIVER = 0xFFFFFFFE  # files are written, or a collective is called
    has_messages = False

    @staticmethod
    def number(word):
        if re.fullmatch("0x[0-9a-fA-F]{1,16}", word):
            return int(word, 16)
        return whole(word)

    def add(self, lines):
        for line in lines:
            if not line.strip(BLANKS) or line.startswith("#"):
                continue
            field = [word.strip(" \t\r") for word in line.split(":")]
            if len(field) != 12:
                raise lines.error(
                    "expected 12 fields between colons, as stftool --print-statistics prints them"
                )
            start = self.number(field[0])
            if start is None or start >= TASK_MOST:
                raise lines.error(f"'{field[0][:40]}' is no process")
            self.saw(start)
            if field[2] == "":  # a function that sends nothing
                continue
            to, size, count = (self.number(field[i]) for i in (2, 3, 5))
            if to is None or size is None or count is None:
                raise lines.error("a receiver, a size or a count that is no number")
            if to >= self.NO_RECEIVER or size >= self.NO_RECEIVER:
                continue
            if size * count >= 2**64:
                raise lines.error("more bytes than there can be", "range")
            self.saw(to)
            self.has_messages = True
            self.edges.add(start, to, size * count, lines)

    def finish(self):
        if not self.has_messages:
            raise Error(f"{self.name}: no message between two processes in it")


class Nccl(Run):
    """NCCL Inspector (the plugin of NVIDIA's ext-profiler/inspector): a file a
    process, a JSON object a line for each collective."""

    suffix, about = ".log", "files *.log of NCCL Inspector"

    def __init__(self, name):
        super().__init__(name)
        self.nranks = {}  # of each communicator, in the files' order
        self.members = {}  # (communicator, rank): [process, ring, chain]
        self.sends = {}  # (communicator, rank, peer): bytes
        self.twice = set()  # members that two processes are
        self.left_out = False

    @staticmethod
    def get(lines, holder, path, kind):
        """The value of a key; path: of messages."""
        key = path.rsplit(".", 1)[-1]
        value = holder.get(key)
        if value is None:
            raise lines.error(f"key {path}: missing")
        good = {
            "object": isinstance(value, dict),
            "string": isinstance(value, str),
            "number": isinstance(value, (int, float)) and not isinstance(value, bool),
            "count": isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**64,
        }[kind]
        if not good:
            names = {"object": "an object", "string": "a string", "number": "a number",
                     "count": "a number that is not negative"}
            raise lines.error(f"key {path}: expected {names[kind]}")
        return value

    def member(self, lines, header):
        name = self.get(lines, header, "header.id", "string")
        rank = self.get(lines, header, "header.rank", "count")
        nranks = self.get(lines, header, "header.n_ranks", "count")
        if nranks >= TASK_MOST or rank >= nranks:
            raise lines.error(f"rank {rank} of {nranks}")
        if self.nranks.setdefault(name, nranks) != nranks:
            raise lines.error(f"communicator {name[:40]} of {nranks} ranks, and before of {self.nranks[name]}")
        key = name, rank
        if self.members.setdefault(key, [self.nfiles, 0, 0])[0] != self.nfiles:
            self.twice.add(key)
        return key

    def check(self, lines, nbytes):
        if nbytes > BYTES_MOST:
            raise lines.error("with this line the bytes of all edges exceed 2^63", "range")
        return nbytes

    def pair(self, lines, key, perf):
        """The sender's word is enough. Before format 4.2 the peer is missing."""
        if "p2p_peer" not in perf:
            self.left_out = True
            return
        what = self.get(lines, perf, "p2p_perf.p2p", "string")
        peer = self.get(lines, perf, "p2p_perf.p2p_peer", "number")
        size = self.get(lines, perf, "p2p_perf.p2p_msg_size_bytes", "count")
        if peer < 0:
            self.left_out = True
            return
        if peer >= self.nranks[key[0]]:
            raise lines.error(f"peer {int(peer)} of {self.nranks[key[0]]} ranks")
        if what == "Send":
            key += (int(peer),)
            self.sends[key] = self.check(lines, self.sends.get(key, 0) + size)

    def collective(self, lines, key, perf):
        """As rings do it (NCCL's documentation; the sizes are those of NCCL's
        own bandwidths)."""
        name = self.get(lines, perf, "coll_perf.coll", "string")
        size = self.get(lines, perf, "coll_perf.coll_msg_size_bytes", "count")
        n = self.nranks[key[0]]
        self.left_out = self.left_out or "Send" in name or "Recv" in name
        if name == "AllReduce":
            self.members[key][1] += size * 2 * (n - 1) // n
        elif name in ("AllGather", "ReduceScatter"):
            self.members[key][1] += size * (n - 1)
        elif name in ("Broadcast", "Reduce"):
            self.members[key][2] += size
        self.check(lines, max(self.members[key][1:]))

    def add(self, lines):
        dump = None  # since format 4.3 one object begins a dump: those after it are its
        for line in lines:
            if not line.strip(BLANKS):
                continue
            if len(line) > JSON_MOST:
                raise lines.error(f"longer than {JSON_MOST >> 20} MiB", "range")
            try:
                root = json.loads(line, parse_int=json_number, parse_constant=no_number)
            except (ValueError, RecursionError) as error:
                raise lines.error(f"not JSON: {str(error)[:100]}") from None
            if not isinstance(root, dict):
                raise lines.error("not a JSON object")
            if "header" in root or not dump:
                key = self.member(lines, self.get(lines, root, "header", "object"))
                dump = key if "dump_stats" in root else dump
            else:
                key = dump
            if "p2p_perf" in root:
                self.pair(lines, key, self.get(lines, root, "p2p_perf", "object"))
            elif "coll_perf" in root:
                self.collective(lines, key, self.get(lines, root, "coll_perf", "object"))

    def check_members(self):
        for name, n in self.nranks.items():
            for rank in range(n):
                if (name, rank) not in self.members or (name, rank) in self.twice:
                    raise Error(
                        f"{self.name}: rank {rank} of the {n} of communicator {name[:40]} is missing or there "
                        "twice: name the folder with the files of all processes of one run"
                    )

    def find_tasks(self, world):
        """The task of each process: its rank in the largest communicator."""
        task, shares = {}, False
        for (name, rank), (process, _, _) in self.members.items():
            if name == world:
                shares = shares or process in task
                task[process] = rank
        for (name, _), (process, _, _) in self.members.items():
            if shares and name != world:
                raise Error(
                    f"{self.name}: a process is several ranks, and which of them it is in communicator "
                    f"{name[:40]} is not said"
                )
            if process not in task:
                raise Error(
                    f"{self.name}: a process of communicator {name[:40]} is not in the largest, which says its rank"
                )
        return task

    def finish(self):
        if not self.members:
            raise Error(f"{self.name}: no collective in it")
        world = max(self.nranks, key=self.nranks.get)
        self.check_members()
        task = self.find_tasks(world)

        def task_of(name, rank):
            return rank if name == world else task[self.members[name, rank][0]]

        for (name, rank), (_, ring, chain) in self.members.items():
            following = (rank + 1) % self.nranks[name]
            nbytes = ring + (chain if following else 0)
            self.edges.add(task_of(name, rank), task_of(name, following), nbytes)
        for (name, rank, peer), nbytes in self.sends.items():
            self.edges.add(task_of(name, rank), task_of(name, peer), nbytes)
        if not self.edges.bytes and self.left_out:
            raise Error(f"{self.name}: only sends and receives, of which this NCCL Inspector does not say to whom")
        self.ntasks = self.nranks[world]


class Xml(Reader):
    """A document read by expat, a chunk at a time."""

    def __init__(self, name):
        super().__init__(name)
        self.depth, self.text, self.known = 0, "", False
        self.parser = parser = xml.parsers.expat.ParserCreate()
        parser.buffer_text = True
        parser.StartElementHandler = self.start
        parser.EndElementHandler = self.stop
        parser.CharacterDataHandler = self.more
        parser.EntityDeclHandler = self.refuse_entity

    def error(self, text, code="parse"):
        return Error(f"{self.name}:{self.parser.CurrentLineNumber}: {text}", code)

    def refuse_entity(self, name, *_):
        """Entities may stand for others, and so a few lines for gigabytes."""
        raise self.error(f"it declares the entity '{name[:40]}': such files are not read")

    def start(self, name, attributes):
        self.depth, self.text = self.depth + 1, ""
        if self.depth > DEPTH_MOST:
            raise self.error(f"more than {DEPTH_MOST} elements in one another")
        self.begin(name.rsplit(":", 1)[-1], attributes)

    def stop(self, name):
        self.depth -= 1
        self.end(name.rsplit(":", 1)[-1], self.text.strip(" \t\r\n"))
        self.text = ""

    def more(self, text):
        self.text = (self.text + text)[:4095]

    def read(self, file):
        given = token = 0
        while True:
            chunk = file.read(1 << 16)
            try:
                self.parser.Parse(chunk, not chunk)
            except xml.parsers.expat.ExpatError as error:
                what = xml.parsers.expat.ErrorString(error.code)
                raise Error(f"{self.name}:{error.lineno}: not XML: {what}") from None
            given, token = given + len(chunk), max(token, self.parser.CurrentByteIndex)
            if not chunk:
                return
            if given - token > TOKEN_MOST:
                raise self.error(f"a comment, element or other token of more than {TOKEN_MOST} bytes")


class GraphMl(Xml):
    """Brandes, Eiglsperger, Lerner, Pich, GraphML Primer; as networkx, igraph,
    Gephi and yEd write it."""

    claims = False
    BYTES = "bytes byte nbytes volume size weight data value total_bytes bytes_sent".split()

    def __init__(self, name):
        super().__init__(name)
        self.nodes, self.declared = {}, set()
        self.key, self.key_rank, self.edge, self.is_bytes = None, len(self.BYTES), None, False

    def node(self, element, attributes, attribute):
        if attribute not in attributes:
            raise self.error(f"a <{element}> without {attribute}")
        return self.nodes.setdefault(attributes[attribute], len(self.nodes))

    def begin(self, name, attributes):
        if not self.known:
            if name != "graphml":
                raise self.error(f"XML of <{name[:40]}>, not GraphML")
            self.known = True
        elif name == "key":
            # <key id="d0" for="edge" attr.name="weight" attr.type="double"/>
            word = attributes.get("attr.name", "").lower()
            if "id" in attributes and attributes.get("for", "all") in ("edge", "all") and word in self.BYTES:
                if self.BYTES.index(word) < self.key_rank:
                    self.key, self.key_rank = attributes["id"], self.BYTES.index(word)
        elif name == "node":
            node = self.node(name, attributes, "id")
            if node in self.declared:
                raise self.error(f"node '{attributes['id'][:40]}' is there twice")
            self.declared.add(node)
        elif name == "edge":
            self.edge = [self.node(name, attributes, "source"), self.node(name, attributes, "target"), 1]
        elif name == "hyperedge":
            raise self.error("hyperedges are no pairs of tasks")
        elif name == "data":
            self.is_bytes = self.edge is not None and self.key is not None and attributes.get("key") == self.key

    def end(self, name, text):
        if self.is_bytes and name == "data":
            word = (text.split() or [""])[0]
            self.is_bytes, self.edge[2] = False, plain_bytes(word)
            if self.edge[2] is None:
                raise self.error(f"'{word[:40]}' is no number of bytes")
        elif name == "edge" and self.edge:
            self.edges.add(*self.edge, self)
            self.edge = None

    def ranks(self):
        """Ids that are all the numbers from 0 on, or these after one word, are
        the ranks; others count in the file's order."""
        parts = [re.fullmatch("([^0-9]*)([0-9]+)", name) for name in self.nodes]
        if all(parts) and len({part[1] for part in parts}) == 1:
            numbers = [decimal(part[2]) for part in parts]
            if sorted(numbers) == list(range(len(numbers))):
                return numbers
        return list(range(len(self.nodes)))

    def finish(self):
        if not self.nodes:
            raise Error(f"{self.name}: a graph without nodes")
        for name, node in self.nodes.items():
            if node not in self.declared:
                raise Error(f"{self.name}: an edge names the node '{name[:40]}', which is not there")
        ranks = self.ranks()
        edges = Edges()
        for (a, b), nbytes in self.edges.bytes.items():
            edges.add(ranks[a], ranks[b], nbytes)
        self.edges, self.ntasks = edges, len(self.nodes)


class Ipm(Xml):
    """IPM's report (IPM 2, doc/ipm_xml.dtd): of each task the messages that it
    sent, by call, size and other rank."""

    SENDS = {"MPI_" + call for call in "Send Ssend Rsend Bsend Isend Issend Irsend Ibsend Sendrecv "
             "Sendrecv_replace".split()}

    def __init__(self, name):
        super().__init__(name)
        self.seen, self.rank, self.has_messages = 0, None, False

    def number(self, element, attributes, attribute):
        word = attributes.get(attribute)
        value = whole(word)
        if word is None:
            raise self.error(f"{attribute} of <{element}> is missing")
        if value is None:
            raise self.error(f"{attribute} of <{element}> is '{word[:40]}', no whole number")
        return value

    def other(self, attributes):
        """3, or, where the report was shrunk, +1 and -1: next to the own."""
        word = attributes.get("orank", "")
        value = whole(word[1:] if word[:1] in ("+", "-") else word)
        if value is not None and word[0] in "+-":
            value = self.rank + value if word[0] == "+" else self.rank - value
        if value is None or not 0 <= value < self.ntasks:
            raise self.error(f"orank '{word[:40]}' of {self.ntasks} tasks")
        return value

    def begin(self, name, attributes):
        if not self.known:
            if not name.startswith("ipm"):
                raise self.error(f"XML of <{name[:40]}>, not IPM's")
            self.known = True
        elif name == "task":
            rank, n = (self.number(name, attributes, key) for key in ("mpi_rank", "mpi_size"))
            if not rank < n < TASK_MOST or self.ntasks not in (0, n):
                raise self.error(f"a task of mpi_rank {rank} and mpi_size {n}")
            self.rank, self.ntasks, self.seen = rank, n, self.seen + 1
        elif name == "hent" and self.rank is not None and attributes.get("call") in self.SENDS:
            other = self.other(attributes)
            nbytes = self.number(name, attributes, "bytes") * self.number(name, attributes, "count")
            self.has_messages = True
            self.edges.add(self.rank, other, nbytes, self)

    def end(self, name, text):
        if name == "task":
            self.rank = None

    def finish(self):
        if self.ntasks == 0:
            raise Error(f"{self.name}: no task in it")
        if self.seen != self.ntasks:
            raise Error(f"{self.name}: {self.seen} of {self.ntasks} tasks in it")
        if not self.has_messages:
            raise Error(
                f"{self.name}: no message from task to task in it (is it a report with IPM_LOG=full? collectives "
                "alone say no pairs)"
            )


class Scotch(Reader):
    """Source graphs, .grf (Scotch 7 user's guide, section 5.1): numbers in that
    order, however they are divided into lines."""

    claims = False

    def number(self, what, most=2**32 - 1):
        while not self.words:
            line = next(self.lines, None)
            if line is None:
                raise Error(f"{self.name}: the file ends where the {what} should be")
            self.words = line.split()[::-1]
        return self.lines.whole(self.words.pop(), what, most)

    def read_header(self):
        """How many vertices and arcs, the number of the first vertex, and whether
        there are labels, loads of edges, loads of vertices: any digit but 0."""
        version = self.number("version")
        n, narcs = self.number("number of vertices"), self.number("number of arcs", 2**64 - 1)
        first, flags = self.number("number of the first vertex"), self.number("three digits of what there is")
        if version != 0:
            raise self.lines.error(f"a Scotch graph of version {version}, and this program knows version 0")
        if first > 1:
            raise self.lines.error(f"vertices are numbered from 0 or 1, not from {first}")
        if flags > 999:
            raise self.lines.error(f"{flags} is not made of three digits 0 or 1")
        if n == 0:
            raise self.lines.error("a graph without tasks")
        if n > TASK_MOST:
            raise self.lines.error("too many tasks", "range")
        return n, narcs, first, (flags // 100, flags // 10 % 10, flags % 10)

    def read_row(self, label, n, first, has):
        """Label, line, neighbours, load."""
        label = self.number("label of the vertex") if has[0] else label
        load = self.number("load of the vertex", 2**64 - 1) if has[2] else 0
        degree, row = self.number("degree of the vertex", 2**64 - 1), {}
        line = self.lines.number
        while degree > 0:
            degree -= 1
            nbytes = self.number("load of the edge", 2**64 - 1) if has[1] else 1
            end = self.number("neighbour")
            if not has[0] and not first <= end < first + n:
                raise self.lines.error(f"neighbour {end} is not one of the vertices {first} to {first + n - 1}")
            if end == label:
                raise self.lines.error(f"vertex {end} is its own neighbour")
            if end in row:
                raise Error(f"{self.name}:{line}: task {label} names its neighbour {end} twice")
            row[end] = nbytes
        return label, line, row, load

    def read(self, file):
        self.lines, self.words = Lines(self.name, file), []
        n, narcs, first, has = self.read_header()
        rows = [self.read_row(first + t, n, first, has) for t in range(n)]
        if self.words:
            raise self.lines.error(f"more numbers than the degree of the last of {n} vertices")
        for line in self.lines:
            if line.strip():
                raise self.lines.error(f"a line behind the last of {n} {'vertex' if n == 1 else 'vertices'}")
        found = sum(len(row[2]) for row in rows)
        if found != narcs:
            raise self.lines.error(f"the header speaks of {narcs} arcs, the rows hold {found}")
        # Tasks are numbered in the ascending order of their labels.
        rows.sort(key=operator.itemgetter(0, 1))
        for (label, above, *_), (other, line, *_) in zip(rows, rows[1:]):
            if label == other:
                raise Error(f"{self.name}:{line}: label {label} stands in line {above} already")
        self.ntasks = n
        self.loads = [min(row[3], 2**32 - 1) for row in rows] if has[2] else None
        self.join(rows, {row[0]: t for t, row in enumerate(rows)})

    def join(self, rows, task_of):
        for t, (label, line, row, _) in enumerate(rows):
            for end, nbytes in sorted(row.items()):
                if end not in task_of:
                    raise Error(f"{self.name}:{line}: neighbour {end} is no vertex's label")
                _, other_line, back, _ = rows[task_of[end]]
                if label not in back:
                    raise Error(
                        f"{self.name}:{line}: task {label} names {end} as its neighbour, but {end} does not "
                        f"name {label}"
                    )
                if back[label] != nbytes:
                    raise Error(
                        f"{self.name}:{line}: the edge between {label} and {end} weighs {nbytes} here, but "
                        f"{back[label]} in line {other_line}"
                    )
                if end > label and self.edges.total + nbytes > BYTES_MOST:
                    raise Error(f"{self.name}:{line}: with this row the weights of all edges exceed 2^63", "range")
                if end > label:
                    self.edges.add(t, task_of[end], nbytes)


class Npy(Reader):
    """A matrix as numpy.save writes it: the NPY format, versions 1.0 to 3.0, of
    NumPy's reference (numpy.lib.format)."""

    MAGIC, HEADER_MOST = b"\x93NUMPY", 1 << 16
    claims = False
    CODES = {"b1": "B", "u1": "B", "u2": "H", "u4": "I", "u8": "Q", "i1": "b", "i2": "h", "i4": "i", "i8": "q",
             "f4": "f", "f8": "d"}

    def error(self, what):
        return Error(f"{self.name}: an array of NumPy {what}")

    def value(self, header, key):
        """What stands behind 'key': in the dictionary."""
        match = re.search(f"'{key}' *: *(.*)", header, re.S)
        return match[1] if match else ""

    def read_header(self, file):
        lead = file.read(8)
        if len(lead) < 8 or not lead.startswith(self.MAGIC):
            raise Error(f"{self.name}: not an array as numpy.save writes it")
        if not 1 <= lead[6] <= 3:
            raise Error(
                f"{self.name}: an array in version {lead[6]} of NumPy's format, and this program knows 1 to 3"
            )
        length = file.read(2 if lead[6] == 1 else 4)
        n = int.from_bytes(length, "little")
        if n > self.HEADER_MOST:
            raise self.error("with a header longer than 64 KiB")
        header = file.read(n)
        if len(length) < 2 or len(header) < n:
            raise self.error("that ends in its header")
        return header.decode("latin-1")

    def read_type(self, header):
        """'<f8': byte order, kind, bytes of an element."""
        descr = self.value(header, "descr")
        if descr[:1] not in ("'", '"'):
            raise self.error("of records, which is no matrix of bytes")
        word = re.match("[!-~]*", descr[1:])[0].split(descr[0])[0][:15]
        if word[:1] not in ("<", ">", "|", "=") or word[1:] not in self.CODES:
            raise Error(
                f"{self.name}: an array of '{word}': only whole numbers of 1 to 8 bytes and floats of 4 or 8 are read"
            )
        return word[0] == ">", self.CODES[word[1:]]

    def read_shape(self, header):
        match = re.match("[(]([0-9 ,]*)[)]", self.value(header, "shape"))
        if not match:
            raise self.error("whose header tells no shape")
        dims = [decimal(word) for word in re.findall("[0-9]+", match[1])]
        if len(dims) != 2:
            s = "" if len(dims) == 1 else "s"
            raise self.error(f"of {len(dims)} dimension{s}, not two: a matrix of tasks by tasks is wanted")
        if dims[0] != dims[1] or not 0 < dims[0] < TASK_MOST:
            raise self.error(f"of {dims[0]} by {dims[1]}: no square matrix of tasks")
        return dims[0]

    def read(self, file):
        header = self.read_header(file)
        order = self.value(header, "fortran_order")[:1]
        if order not in ("T", "F"):
            raise self.error("whose header tells no order")
        is_big, code = self.read_type(header)
        n = self.ntasks = self.read_shape(header)
        flat, data, self.pairs = array.array(code), bytearray(), []
        while len(data) <= n * n * flat.itemsize:
            chunk = file.read(1 << 20)
            if not chunk:
                break
            data += chunk
        if len(data) > n * n * flat.itemsize:
            raise Error(f"{self.name}: longer than an array of {n} by {n}")
        if len(data) < n * n * flat.itemsize:
            raise Error(
                f"{self.name}: it ends after {len(data) // flat.itemsize} of its {n * n} elements: cut short?"
            )
        flat.frombytes(data)
        if is_big != (sys.byteorder == "big"):
            flat.byteswap()
        self.add_up(flat, order == "T")

    def whole(self, value, row, column):
        number = round_bytes(value) if isinstance(value, float) else value
        if number is None or number < 0:
            raise Error(
                f"{self.name}: element [{row}, {column}] is {value:g}, and no number of bytes",
                "range" if value > 0 else "parse",
            )
        return number

    def add_up(self, flat, by_columns):
        """Both triangles of what is not 0."""
        n, total = self.ntasks, 0
        for t in range(n):
            there, back = flat[t * n : (t + 1) * n], flat[t::n]
            if by_columns:
                there, back = back, there
            self.whole(there[t], t, t)
            tasks = sorted({*itertools.compress(range(n), there), *itertools.compress(range(n), back)} - {t})
            sums = [self.whole(there[u], t, u) + self.whole(back[u], u, t) for u in tasks]
            total += sum(sums)
            if total > 2 * BYTES_MOST:
                raise Error(f"{self.name}: the bytes of all edges exceed 2^63", "range")
            self.pairs.append((array.array("I", tasks), array.array("Q", sums)))

    def nedges(self):
        return sum(len(tasks) for tasks, _ in self.pairs) // 2

    def rows(self):
        return itertools.starmap(zip, self.pairs)


FORMATS = {
    "scotch": Scotch,
    "npy": Npy,
    "graphml": GraphMl,
    "ipm": Ipm,
    "ompi-monitoring": Monitoring,
    "tau": Tau,
    "nccl-inspector": Nccl,
    "otf2": Otf2,
    "intel": Intel,
    "kineto": Kineto,
    "flight-recorder": FlightRecorder,
    "chakra": Chakra,
}


def guess(name, head):
    """The format of a file that begins so."""
    if head.startswith(Npy.MAGIC):
        return Npy
    text = head.decode("utf-8", "replace").lstrip("\ufeff \t\r\n")
    first = text.split("\n", 1)[0]
    if first.strip(BLANKS).isdecimal():
        return Scotch
    if text.startswith("<"):
        for word, kind in (("<graphml", GraphMl), ("<ipm", Ipm)):
            if word in text:
                return kind
        raise Error(f"{name}: XML, but neither GraphML nor a report of IPM")
    if first.startswith("@ mpiP"):
        raise Error(
            f"{name}: mpiP's report says how much each task sends, but not to whom: no task graph can be made of it"
        )
    if first.startswith("CrayPat"):
        raise Error(
            f"{name}: CrayPat's report does not say who sends to whom: no task graph can be made of it;"
            " a grid that it has found is a pattern, grid:NxM"
        )
    if first.startswith("=== OTF2-PRINT ==="):
        return Otf2
    if text.startswith(("{", "[")):
        for word, other in (('"traceEvents"', Kineto), ('"schemaVersion"', Kineto), ('"pg_config"', FlightRecorder)):
            if word in text:
                return other
        return Kineto if text.startswith("[") else Nccl
    if " templated_functions" in first:
        return Tau
    return Monitoring


def read(word, name, file=None):
    """The reader of a file, or of a folder (name/), that has read it."""
    kind = FORMATS[word] if word != "any" else guess(name, file.peek(4096)[:4096])
    reader = kind(name.rstrip("/") or "/")
    if file is not None:
        reader.read(file)
    elif not issubclass(kind, Run):
        raise Error(f"{reader.name}: is a folder", "io")
    else:
        files = sorted(
            f for f in os.listdir(name)
            if f.startswith(kind.prefix) and f.endswith(kind.suffix) and f[0] != "." and f != kind.suffix
            and kind.has(f)
        )
        if not files:
            raise Error(f"{reader.name}: no {kind.about} in it", "none")
        for f in files:
            with open(os.path.join(name, f), "rb", opener=regular) as part:
                reader.add(Lines(os.path.join(reader.name, f), part))
            reader.nfiles += 1
    reader.finish()
    n, nedges = reader.ntasks, len(reader.edges.bytes)
    if n == 0:
        raise Error(f"{reader.name}: no tasks in it")
    if kind.claims and n > TASKS_FREE and (n - TASKS_FREE) // TASKS_PER_EDGE > nedges:
        s = "" if nedges == 1 else "s"
        raise Error(f"{reader.name}: {n} tasks, but only {nedges} edge{s}: that cannot be meant", "range")
    if n > TASKS_MOST:
        raise Error(f"{reader.name}: {n} tasks: more than 2^24", "range")
    return reader


def regular(path, flags):
    """open()'s opener that waits for no pipe."""
    return os.open(path, flags | os.O_NONBLOCK)


def write_metis(file, reader):
    file.write(f"{reader.ntasks} {reader.nedges()} 0{int(reader.loads is not None)}1\n")
    for t, row in enumerate(reader.rows()):
        load = [f"{reader.loads[t]}"] if reader.loads else []
        file.write(" ".join(load + [f"{u + 1} {nbytes}" for u, nbytes in row]) + "\n")


def main(word, name):
    sys.stdout.reconfigure(encoding="utf-8", errors="surrogateescape")
    try:
        reader = read(word, name, None if name.endswith("/") else sys.stdin.buffer)
    except Error as error:
        print("!", error.code, str(error).replace("\n", " "))
    except OSError as error:
        print("!", "io", f"{error.filename or name}: {error.strerror}")
    except MemoryError:
        print("!", "io", f"{name}: out of memory")
    else:
        write_metis(sys.stdout, reader)


if __name__ == "__main__":
    main(*sys.argv[1:])
