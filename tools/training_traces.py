# SPDX-License-Identifier: LGPL-2.1-or-later
"""Task graphs from traces of training jobs, for graph-readers.py: PyTorch's
profiler (Kineto), its flight recorder, and execution traces of Chakra. Ranks of
the trainer are tasks; collectives are expanded as NCCL's rings do them."""
import ast
import gzip
import io
import json
import os
import pickle
import re
import struct
import zlib

from graph_reading import BYTES_MOST, TASK_MOST, Error, Run, decimal, json_number, no_number

FILE_MOST = 2 << 30
PAIRS_MOST = 1 << 24
SIZES = {
    1: "byte char bool uint8 int8 float8_e4m3fn float8_e5m2 float8_e4m3fnuz float8_e5m2fnuz",
    2: "short half bfloat16 uint16 int16 float16",
    4: "int float uint32 int32 float32",
    8: "long double uint64 int64 float64 complexfloat",
    16: "complexdouble",
}
DTYPES = {word: size for size, all_words in SIZES.items() for word in all_words.split()}
# PyTorch's names, in small letters and without _, and Chakra's.
KINDS = {
    "allreduce": "allreduce allreducecoalesced",
    "allgather": "allgather allgatherbase allgathercoalesced allgatherintotensorcoalesced",
    "reducescatter": "reducescatter reducescatterbase reducescattercoalesced reducescattertensorcoalesced "
    "reducescatterblock",
    "chain": "broadcast broadcastoop reduce reduceoop",
    "alltoall": "alltoall alltoallbase alltoallv",
    "gather": "gather",
    "scatter": "scatter",
    "send": "send",
    "": "recv barrier allreducebarrier monitoredbarrier wait init coalesced startcoalescing endcoalescing",
}
KIND_OF = {word: kind for kind, all_words in KINDS.items() for word in all_words.split()}


class Place:
    """Where something is in a file: a line, a byte, an entry."""

    def __init__(self, name, unit, number):
        self.name, self.unit, self.number = name, unit, number

    def error(self, text, code="parse"):
        return Error(f"{self.name}:{self.unit}{self.number}: {text}", code)


def take(file, name):
    """All bytes of a file, also of one that is packed."""
    data = file.read(FILE_MOST + 1)
    if data[:2] == b"\x1f\x8b":
        try:
            with gzip.GzipFile(fileobj=io.BytesIO(data)) as packed:
                data = packed.read(FILE_MOST + 1)
        except (OSError, EOFError, zlib.error) as error:
            raise Error(f"{name}: gzip: {str(error)[:100]}") from None
    if len(data) > FILE_MOST:
        raise Error(f"{name}: longer than {FILE_MOST >> 30} GiB", "range")
    return data


class Text:
    """JSON, read value after value, whose place is known."""

    decoder = json.JSONDecoder(parse_int=json_number, parse_constant=no_number)

    def __init__(self, name, data):
        self.name, self.at = name, 0
        try:
            self.text = data.decode("utf-8")
        except UnicodeDecodeError as error:
            raise Place(name, "byte ", error.start).error("not UTF-8") from None

    def place(self, at=None):
        return Place(self.name, "", self.text.count("\n", 0, self.at if at is None else at) + 1)

    def skip(self, also=""):
        while self.at < len(self.text) and self.text[self.at] in " \t\r\n" + also:
            self.at += 1
        return self.text[self.at : self.at + 1]

    def value(self):
        self.skip()
        try:
            value, self.at = self.decoder.raw_decode(self.text, self.at)
        except (ValueError, RecursionError) as error:
            at, why = getattr(error, "pos", self.at), getattr(error, "msg", str(error))
            if at >= len(self.text.rstrip()) - 1 or why.startswith("Unterminated"):
                raise self.place(at).error("the file ends inside of a value: is it cut short?") from None
            raise self.place(at).error(f"not JSON: {why[:100]}") from None
        return value

    def members(self):
        """The keys of an object; the caller that takes one reads its value, or value() does."""
        if self.skip() != "{":
            raise self.place().error("not a JSON object")
        self.at += 1
        while self.skip(",") != "}":
            key = self.value()
            if not isinstance(key, str) or self.skip() != ":":
                raise self.place().error("a key is missing: is the file cut short?")
            self.at += 1
            yield key
        self.at += 1

    def items(self):
        """The values of an array, one at a time."""
        if self.skip() != "[":
            raise self.place().error("not a JSON array")
        self.at += 1
        while self.skip(",") != "]":
            at = self.at
            if at >= len(self.text):
                raise self.place().error("the file ends before all of its events: is it cut short?")
            yield self.value(), at
        self.at += 1


def count(place, value, what, most=2**63 - 1):
    """A number of JSON or in quotes."""
    if isinstance(value, str) and re.fullmatch("[0-9]+", value):
        value = decimal(value)
    if not isinstance(value, int) or isinstance(value, bool):
        raise place.error(f"{what} '{str(value)[:40]}' is no number")
    if not 0 <= value <= most:
        raise place.error(f"{what} {value} is out of range", "range")
    return value


def bytes_of(place, nelems, dtype):
    size = DTYPES.get(str(dtype).lower())
    if size is None:
        raise place.error(f"the size of dtype '{str(dtype)[:40]}' is not known")
    return count(place, nelems, "number of elements") * size


class Training(Run):
    """What each rank says of the groups that it is in."""

    def __init__(self, name):
        super().__init__(name)
        self.groups = {}  # (kind, ranks): bytes of one rank, of the rank with most
        self.mine = {}  # the same of one file
        self.sends = {}
        self.files = {}  # of each rank

    def begin(self, name, rank, place=None):
        if rank is None:
            raise Error(f"{name}: it does not say of which rank it is")
        if rank >= TASK_MOST:
            raise Error(f"{name}: rank {rank} is too large", "range")
        if rank in self.files:
            raise Error(f"{name}: rank {rank}, as {self.files[rank]}: files of two runs?")
        self.files[rank] = name
        self.mine = {}

    def ranks(self, place, value):
        """[0, 1, 2] or the same in quotes; None where some are left out."""
        if isinstance(value, str):
            if "..." in value:
                return None
            try:
                value = json.loads(value)
            except ValueError:
                raise place.error(f"ranks '{value[:40]}' are no list") from None
        if not isinstance(value, list):
            raise place.error("the ranks are no list")
        ranks = tuple(count(place, rank, "rank", TASK_MOST - 1) for rank in value)
        if len(set(ranks)) != len(ranks):
            raise place.error("a rank is twice in its group")
        return ranks

    def kind(self, place, name):
        word = re.sub("_", "", str(name).lower())
        kind = KIND_OF.get(word.rsplit(":", 1)[-1])
        if kind is None:
            raise place.error(f"collective '{str(name)[:40]}' is not known")
        return kind

    def collective(self, place, kind, ranks, nbytes):
        if not ranks:
            raise place.error("no ranks of the group")
        key = kind, ranks
        self.mine[key] = self.mine.get(key, 0) + nbytes
        if self.mine[key] > BYTES_MOST:
            raise place.error("with this one the bytes of all edges exceed 2^63", "range")

    def send(self, place, rank, to, nbytes):
        key = rank, count(place, to, "receiver", TASK_MOST - 1)
        self.sends[key] = self.sends.get(key, 0) + nbytes
        self.saw(key[1])

    def end(self):
        for key, nbytes in self.mine.items():
            self.groups[key] = max(self.groups.get(key, 0), nbytes)
            self.saw(max(key[1]))

    def expand(self, kind, ranks, nbytes):
        n = len(ranks)
        if kind == "alltoall":
            for i, a in enumerate(ranks):
                for b in ranks[i + 1 :]:
                    self.edges.add(a, b, 2 * nbytes // n)
        elif kind in ("gather", "scatter"):
            for b in ranks[1:]:
                self.edges.add(ranks[0], b, nbytes if kind == "gather" else nbytes // n)
        else:
            each = {
                "allreduce": 2 * (n - 1) * nbytes // n,
                "allgather": (n - 1) * nbytes,
                "reducescatter": (n - 1) * nbytes // n,
                "chain": nbytes,
            }[kind]
            for i in range(n - (kind == "chain")):
                self.edges.add(ranks[i], ranks[(i + 1) % n], each)

    def finish(self):
        if not self.groups and not self.sends:
            raise Error(f"{self.name}: {self.nothing}")
        for rank in range(self.ntasks):
            if rank not in self.files:
                raise Error(
                    f"{self.name}: rank {rank} of {self.ntasks} is missing: name the folder with the files of "
                    "all ranks of one run"
                )
        if sum(len(ranks) ** 2 // 2 for kind, ranks in self.groups if kind == "alltoall") > PAIRS_MOST:
            raise Error(f"{self.name}: more than 2^24 pairs", "range")
        for (kind, ranks), nbytes in self.groups.items():
            self.expand(kind, ranks, nbytes)
        for (a, b), nbytes in self.sends.items():
            self.edges.add(a, b, nbytes)

    def read(self, file):
        self.part(self.name, file)

    def add(self, lines):
        self.part(lines.name, lines.file)

    def part(self, name, file):
        raise NotImplementedError


def rank_in(name):
    """Of a file's name: the last number in it that stands behind _, ., - or rank."""
    found = re.findall(r"(?:rank|[._-])_?([0-9]+)", os.path.basename(name))
    return decimal(found[-1]) if found else None


class Kineto(Training):
    """torch.profiler's export_chrome_trace: the events record_param_comms, whose
    arguments are written with record_shapes from PyTorch 2.1 on."""

    suffix, about = "", "traces of PyTorch's profiler, *.json or *.json.gz"
    nothing = (
        "no collective with arguments in it: the profiler writes record_param_comms from PyTorch 2.1 on, "
        "with record_shapes=True"
    )

    @staticmethod
    def has(file):
        return file.endswith((".json", ".json.gz"))

    def event(self, place, rank, args):
        kind = self.kind(place, args["Collective name"])
        if not kind:
            return
        nbytes = bytes_of(place, args.get("In msg nelems"), args.get("dtype"))
        if kind == "send":
            self.send(place, rank, args.get("Dst Rank"), nbytes)
            return
        ranks = self.ranks(place, args.get("Process Group Ranks", "[]"))
        start, stride = args.get("Global rank start"), args.get("Global rank stride")
        if not ranks and start is not None and stride is not None:
            n = count(place, args.get("Group size"), "group size", TASK_MOST - 1)
            start, stride = count(place, start, "rank"), count(place, stride, "stride")
            ranks = tuple(range(start, start + n * stride, stride)) if stride else None
        if ranks is None:
            raise place.error("some ranks of the group are left out (...), and no stride says which")
        self.collective(place, kind, ranks, nbytes)

    def part(self, name, file):
        text = Text(name, take(file, name))
        rank, waiting, has_events = None, [], False
        # Without Kineto, PyTorch writes the events alone, and without arguments.
        for key in ["traceEvents"] if text.skip() == "[" else text.members():
            if key == "distributedInfo":
                info = text.value()
                rank = info.get("rank") if isinstance(info, dict) else None
            elif key == "traceEvents":
                has_events = True
                for event, at in text.items():
                    args = event.get("args") if isinstance(event, dict) else None
                    if (
                        isinstance(args, dict)
                        and event.get("name") == "record_param_comms"
                        and "Collective name" in args
                    ):
                        waiting.append((text.place(at) if len(waiting) < 1 << 16 else text.place(), args))
            else:
                text.value()
        if not has_events:
            raise Error(f"{name}: no traceEvents in it: not a trace of PyTorch's profiler")
        self.begin(name, rank_in(name) if rank is None else count(Place(name, "", 1), rank, "rank"))
        rank = list(self.files)[-1]
        self.saw(rank)
        for place, args in waiting:
            self.event(place, rank, args)
        self.end()


class NoGlobals(pickle._Unpickler):  # the one in Python, which knows where it is
    """Numbers, strings, lists and dictionaries alone."""

    def find_class(self, module, name):
        raise pickle.UnpicklingError(f"it wants {module[:40]}.{name[:40]}, and only plain values are read")

    def persistent_load(self, pid):
        raise pickle.UnpicklingError("it refers to what is not in it")


class FlightRecorder(Training):
    """TORCH_FR_DUMP_TEMP_FILE's dumps, as pickle or JSON: the last collectives of
    each rank."""

    suffix, about = "", "dumps of PyTorch's flight recorder"
    nothing = "no collective in it"

    @staticmethod
    def has(file):
        return rank_in(file) is not None

    @staticmethod
    def load(name, data):
        if data.lstrip()[:1] == b"{":
            return Text(name, data).value()
        file = io.BytesIO(data)
        try:
            return NoGlobals(file, encoding="utf-8", errors="replace").load()
        except (pickle.UnpicklingError, EOFError, ValueError, KeyError, IndexError, TypeError, AttributeError,
                struct.error, UnicodeError, OverflowError) as error:
            what = "the file ends inside of it: is it cut short?" if isinstance(error, EOFError) else str(error)[:120]
            raise Place(name, "byte ", file.tell()).error(what or "not a pickle") from None

    def entry(self, place, rank, groups, entry):
        what = entry.get("profiling_name")
        words = str(what).split(":", 1)[-1].split()
        kind = self.kind(place, words[0] if words else what)
        if not kind:
            return
        group = entry.get("process_group")
        group = group[0] if isinstance(group, (list, tuple)) and group else entry.get("pg_id")
        ranks = groups.get(str(group))
        if ranks is None:
            raise place.error(f"process group '{str(group)[:40]}' is not in pg_config")
        sizes, dtypes = entry.get("input_sizes"), entry.get("input_dtypes")
        if not isinstance(sizes, (list, tuple)) or not isinstance(dtypes, (list, tuple)) or len(sizes) != len(dtypes):
            raise place.error("input_sizes and input_dtypes are no lists of one length")
        nbytes = 0
        for size, dtype in zip(sizes, dtypes):
            n = 1
            for extent in size if isinstance(size, (list, tuple)) else [size]:
                n = count(place, n * count(place, extent, "extent"), "number of elements")
            nbytes += bytes_of(place, n, dtype)
        if kind == "send":
            ends = re.fullmatch("([0-9]+)->([0-9]+)", words[1] if len(words) > 1 else "")
            if not ends or decimal(ends[2]) >= len(ranks):
                raise place.error(f"'{str(what)[:40]}' does not say to whom")
            self.send(place, rank, ranks[decimal(ends[2])], nbytes)
        else:
            self.collective(place, kind, ranks, nbytes)

    def part(self, name, file):
        root = self.load(name, take(file, name))
        if not isinstance(root, dict) or not isinstance(root.get("entries"), (list, tuple)):
            raise Error(f"{name}: no entries in it: not a dump of PyTorch's flight recorder")
        version = str(root.get("version"))
        if not re.match(r"[12]\.", version):
            raise Error(f"{name}: version {version[:20]} of the flight recorder is not known (1, 2)")
        config = root.get("pg_config")
        if not isinstance(config, dict):
            raise Error(f"{name}: no pg_config in it, which says the ranks: version 1.2 on has it")
        rank = root.get("rank", rank_in(name))
        self.begin(name, None if rank is None else count(Place(name, "", 1), rank, "rank"))
        rank = list(self.files)[-1]
        self.saw(rank)
        groups = {}
        for key, group in config.items():
            place = Place(name, "pg_config ", str(key)[:40])
            group = group.get("ranks") if isinstance(group, dict) else group
            groups[str(key)] = self.ranks(place, list(group) if isinstance(group, (tuple, dict)) else group)
        for i, entry in enumerate(root["entries"]):
            place = Place(name, "entry ", i)
            if not isinstance(entry, dict):
                raise place.error("not a dictionary")
            self.entry(place, rank, groups, entry)
        self.end()


class Message:
    """A protobuf message: its fields, as numbers and bytes, in their order."""

    def __init__(self, name, data, at, end):
        self.name, self.data, self.at, self.end = name, data, at, end

    def error(self, text):
        return Place(self.name, "byte ", self.at).error(text)

    def varint(self):
        value = shift = 0
        begin = self.at
        while True:
            if self.at >= self.end:
                raise self.error("the file ends inside of a number: is it cut short?")
            byte = self.data[self.at]
            self.at += 1
            value |= (byte & 0x7F) << shift
            shift += 7
            if byte < 0x80:
                return value & (2**64 - 1)
            if shift > 63:
                self.at = begin
                raise self.error("a number longer than 64 bits: not a trace of Chakra")

    def part(self):
        """A message with its length in front."""
        n = self.varint()
        if n > self.end - self.at:
            raise self.error(f"{n} bytes should follow, and {self.end - self.at} do: is it cut short?")
        self.at += n
        return Message(self.name, self.data, self.at - n, self.at)

    def fields(self):
        while self.at < self.end:
            key = self.varint()
            if key & 7 == 0:
                yield key >> 3, self.varint()
            elif key & 7 == 2:
                yield key >> 3, self.part()
            elif key & 7 in (1, 5):
                self.at += 8 if key & 7 == 1 else 4
                if self.at > self.end:
                    raise self.error("the file ends inside of a number: is it cut short?")
                yield key >> 3, None
            else:
                raise self.error(f"field {key >> 3} of a wire type {key & 7}: not a trace of Chakra")

    def text(self):
        return self.data[self.at : self.end].decode("utf-8", "replace")


class Chakra(Training):
    """Execution traces, NAME.RANK.et (schema/protobuf/et_def.proto of
    github.com/mlcommons/chakra, 0.0.4), or the same as JSON."""

    suffix, about = "", "execution traces of Chakra, NAME.RANK.et or NAME.RANK.json"
    nothing = "no collective or send in it"
    METADATA, SEND, COLLECTIVE = 1, 5, 7
    TYPES = {"METADATA_NODE": METADATA, "COMM_SEND_NODE": SEND, "COMM_COLL_NODE": COLLECTIVE}
    COLLECTIVES = (
        "ALL_REDUCE REDUCE ALL_GATHER GATHER SCATTER BROADCAST ALL_TO_ALL REDUCE_SCATTER REDUCE_SCATTER_BLOCK BARRIER"
    ).split()
    VALUES = (7, 9, 11, 13, 27)  # int32_val, int64_val, uint32_val, uint64_val, bool_val
    SIGNED, TEXT = (15, 17), 29

    def __init__(self, name):
        super().__init__(name)
        self.named = []  # what waits until all ranks are known
        self.pgs = {}  # ranks, by the rank that says so and the group's name

    @staticmethod
    def has(file):
        return re.search(r"\.[0-9]+\.(et|json)$", file) is not None

    def attribute(self, message):
        """Of an AttributeProto: name = 1, and one value."""
        key = value = None
        for field, of in message.fields():
            if field == 1 and isinstance(of, Message):
                key = of.text()
            elif field in self.VALUES and isinstance(of, int):
                value = of - 2**64 if of >= 2**63 else of
            elif field in self.SIGNED and isinstance(of, int):
                value = (of >> 1) ^ -(of & 1)
            elif field == self.TEXT and isinstance(of, Message):
                value = of.text()
        return key, value

    def nodes(self, name, data):
        """Of each node: its place, type, attributes, name and values of inputs."""
        whole = Message(name, data, 0, len(data))
        whole.part()  # GlobalMetadata
        while whole.at < whole.end:
            place = Place(name, "byte ", whole.at)
            kind, title, attributes, values = 0, "", {}, ""
            for field, of in whole.part().fields():
                if field == 3 and isinstance(of, int):
                    kind = of
                elif field == 2 and isinstance(of, Message):
                    title = of.text()
                elif field == 10 and isinstance(of, Message):
                    key, value = self.attribute(of)
                    attributes[key] = value
                elif field == 8 and isinstance(of, Message):
                    values = "".join(part.text() for i, part in of.fields() if i == 1 and isinstance(part, Message))
            yield place, kind, attributes, title, values

    def json_nodes(self, name, data):
        text = Text(name, data)
        while text.skip():
            at, node = text.at, text.value()
            place = text.place(at)
            if not isinstance(node, dict) or ("type" not in node and "version" not in node and "id" not in node):
                raise place.error("neither metadata nor a node of Chakra")
            attributes = {}
            for attribute in node.get("attr", []):
                key = attribute.get("name") if isinstance(attribute, dict) else None
                for word, value in attribute.items() if key else ():
                    if re.fullmatch("(u|s)?int(32|64)_?val", word.lower()):
                        attributes[key] = value  # in quotes, of 64 bits
                    elif word.lower() in ("stringval", "string_val"):
                        attributes[key] = value
            kind = node.get("type", 0)
            inputs = node.get("inputs")
            values = inputs.get("values", "") if isinstance(inputs, dict) else ""
            yield place, self.TYPES.get(kind, kind), attributes, str(node.get("name", "")), str(values)

    def take_groups(self, place, rank, values):
        """What PyTorch's observer says of its groups: a list of dictionaries, in
        quotes, with pg_name and ranks."""
        found = re.search(r"\[\{.*\}\]", values, re.S)
        try:
            groups = ast.literal_eval(found[0].replace('\\"', '"')) if found else []
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            raise place.error("process groups that cannot be read") from None
        for group in groups:
            if isinstance(group, dict) and "pg_name" in group and "ranks" in group:
                ranks = group["ranks"]
                ranks = self.ranks(place, list(ranks) if isinstance(ranks, dict) else ranks)
                self.pgs[rank, str(group["pg_name"])] = ranks

    def node(self, place, rank, kind, attributes):
        nbytes = count(place, attributes.get("comm_size"), "comm_size")
        if kind == self.SEND:
            self.send(place, rank, attributes.get("comm_dst"), nbytes)
            return
        number = count(place, attributes.get("comm_type", 0), "comm_type")
        if number >= len(self.COLLECTIVES):
            raise place.error(f"collective {number} is not known")
        name = self.kind(place, self.COLLECTIVES[number])
        if name:
            self.named.append((place, rank, name, str(attributes.get("pg_name") or ""), nbytes))

    def part(self, name, file):
        data = take(file, name)
        found = re.search(r"\.([0-9]+)\.(et|json)$", name)
        self.begin(name, decimal(found[1]) if found else 0)
        rank = list(self.files)[-1]
        self.saw(rank)
        is_json = data.lstrip()[:1] == b"{"
        for place, kind, attributes, title, values in (self.json_nodes if is_json else self.nodes)(name, data):
            if kind == self.METADATA and "process_group:init" in title:
                self.take_groups(place, rank, values)
            elif kind in (self.SEND, self.COLLECTIVE):
                self.node(place, rank, kind, attributes)

    def finish(self):
        sums = {}
        for place, rank, kind, pg, nbytes in self.named:
            ranks = self.pgs.get((rank, pg)) if pg else tuple(range(self.ntasks))
            if ranks is None:
                raise place.error(f"no node ## process_group:init ## says the ranks of group '{pg[:40]}'")
            if rank not in ranks:
                raise place.error(f"rank {rank} is not in its group '{pg[:40]}'")
            key = rank, kind, ranks
            sums[key] = sums.get(key, 0) + nbytes
        for (_, kind, ranks), nbytes in sums.items():
            self.groups[kind, ranks] = max(self.groups.get((kind, ranks), 0), nbytes)
            self.saw(max(ranks))
        super().finish()
