# SPDX-License-Identifier: LGPL-2.1-or-later
"""readers.py READERS GOLDEN: graph-readers.py, its cases and its sentences, and
that changed files are refused by a sentence."""
import gzip
import io
import json
import os
import pickle
import random
import sys
import tempfile

from tap import finish, judge, module_of

path, golden = sys.argv[1:]
readers = module_of(path)


def read(word, name, data=None):
    """"ntasks; a b bytes; ..." of the graph, or its sentence."""
    try:
        reader = readers.read(word, name, None if data is None else io.BufferedReader(io.BytesIO(data)))
    except readers.Error as error:
        return str(error)
    text = f"{reader.ntasks};" + "".join(f" {a} {b} {nbytes};" for a, b, nbytes in sorted(edges_of(reader)))
    return text + (f" load {' '.join(map(str, reader.loads))};" if reader.loads else "")


def edges_of(reader):
    """Each once; and the other end has it, too."""
    ends = [(a, b, nbytes) for a, row in enumerate(reader.rows()) for b, nbytes in row]
    edges = [edge for edge in ends if edge[0] < edge[1]]
    assert sorted(edges) == sorted((b, a, n) for a, b, n in ends if a > b) and len(edges) == reader.nedges()
    return edges


def total(reader):
    return reader.ntasks, sum(edge[2] for edge in edges_of(reader))


with open(os.path.join(golden, "cases.json")) as file:
    cases = json.load(file)
for case in cases:
    what = case["expected"][:60]
    judge(f"{case['format']}: {what}", case["expected"], read(case["format"], case["name"], case["file"].encode("latin-1")))

# Files that the tools have written, all of a run.
for word, folder, ntasks, nbytes in (
    ("ompi-monitoring", "ompi-monitoring", 4, 52216),
    ("tau", "tau", 3, 122880),
    ("nccl-inspector", "nccl", 4, 6061),
):
    judge(f"{word}: the files of a run", (ntasks, nbytes), total(readers.read(word, f"{golden}/{folder}/")))
    judge(
        f"{word}: a folder without its files",
        f"{golden}: no {readers.FORMATS[word].about} in it",
        read(word, f"{golden}/"),
    )
for name, ntasks, nbytes in (
    ("ipm-2.0.6.xml", 4, 103296),
    ("otf2.txt", 4, 2 * 5000000000 + 1000 + 1001 + 1002 + 1003 + 4 * 64),
):
    with open(os.path.join(golden, name), "rb") as file:
        judge(f"{name}: of a run", (ntasks, nbytes), total(readers.read("any", name, file)))

# Of XML expat has a whole token in memory; text is no such token.
filling = b"x" * (5 << 18)
nodes = b"<graph><node id='0'/><node id='1'/></graph></graphml>"
long = "f:1: a comment, element or other token of more than 1048576 bytes"
judge("a long comment", long, read("graphml", "f", b"<graphml><!--" + filling + b"-->" + nodes))
judge("a long attribute", long, read("graphml", "f", b"<graphml x='" + filling + b"'>" + nodes))
judge("a long text", "2;", read("graphml", "f", b"<graphml>" + filling + nodes))
many = "9" * 5000
judge(
    "more digits than int() takes", f"f:1: number of bytes {many[:40]} is too large",
    read("ompi-monitoring", "f", f"E\t0\t1\t{many} bytes\t1 msgs sent\n".encode()),
)
judge("NaN in JSON", "f:1: not JSON: NaN is no number", read("nccl-inspector", "f", b'{"header": NaN}\n'))
judge("a long line of JSON", "f:1: longer than 16 MiB", read("nccl-inspector", "f", b'{"header":' + b"[" * (16 << 20)))
judge("a NUL", "f:1: a NUL byte: this is not a text file", read("intel", "f", b"0:\0"))

# Traces of training jobs: four ranks, pairs of which share a tensor; and 0 to 3
# is a pipeline. By hand, in the form that PyTorch's sources and Chakra's
# et_def.proto give.


def kineto(rank, name="allreduce"):
    def event(what, **more):
        args = {"Collective name": what, "dtype": "Float", "Out msg nelems": 1, "In split size": "[]", **more}
        return {"ph": "X", "cat": "cpu_op", "name": "record_param_comms", "pid": 7, "tid": 7, "ts": 1.5, "dur": 2, "args": args}

    everybody = {"Process Group Ranks": "[0, 1, 2, 3]", "Process Group Name": "0", "Group size": 4}
    pair = {"Process Group Ranks": f"[{rank // 2 * 2}, {rank // 2 * 2 + 1}]", "Group size": 2}
    events = [event(name, **everybody, **{"In msg nelems": 1000}), event("wait", **everybody)]
    events += [{"ph": "X", "cat": "kernel", "name": "ncclDevKernel_AllReduce", "args": {"Collective name": name}}]
    events += [event("_allgather_base", **pair, **{"In msg nelems": 10}), event("init")]
    if rank < 3:
        events += [event("send", **everybody, **{"In msg nelems": 5, "Dst Rank": rank + 1})]
    if rank > 0:
        events += [event("recv", **everybody, **{"In msg nelems": 5, "Src Rank": rank - 1})]
    info = {"backend": "nccl", "rank": rank, "world_size": 4}
    return json.dumps({"schemaVersion": 1, "distributedInfo": info, "traceEvents": events, "traceName": "t"}, indent=1).encode()


def flight(rank, kind=json.dumps):
    groups = {"0": {"name": "0", "desc": "default_pg", "ranks": "[0, 1, 2, 3]"}}
    for first in (0, 2):
        groups[str(first + 1)] = {"name": str(first + 1), "desc": "tp", "ranks": f"[{first}, {first + 1}]"}

    def entry(what, group, n):
        return {"frames": [], "profiling_name": what, "process_group": [group, "x"], "input_sizes": [[n // 5, 5]],
                "input_dtypes": ["Float"], "output_sizes": [[n]], "output_dtypes": ["Float"], "state": "completed"}

    entries = [entry("nccl:all_reduce", "0", 1000), entry("nccl:_all_gather_base", str(rank // 2 * 2 + 1), 10)]
    entries += [entry(f"nccl:send {rank}->{rank + 1}", "0", 5)] if rank < 3 else []
    entries += [entry(f"nccl:recv {rank}<-{rank - 1}", "0", 5)] if rank > 0 else []
    root = {"version": "2.4", "pg_config": groups, "pg_status": {}, "entries": entries}
    return root if kind is None else kind(root).encode()


def number(value):
    out = bytearray()
    while True:
        out.append(value & 0x7F | (0x80 if value > 0x7F else 0))
        value >>= 7
        if not value:
            return bytes(out)


def field(key, value):
    if isinstance(value, int):
        return number(key << 3) + number(value)
    value = value.encode() if isinstance(value, str) else value
    return number(key << 3 | 2) + number(len(value)) + value


def chakra(rank):
    def node(i, kind, title, attributes, values=None):
        body = field(1, i) + field(2, title) + field(3, kind) + field(7, 3)
        body += field(8, field(1, values)) if values else b""
        body += number(9 << 3 | 2) + number(5) + number(1 << 3 | 5) + b"1234"  # what is not read
        for key, value in attributes.items():
            body += field(10, field(1, key) + field(29 if isinstance(value, str) else 9, value))
        return number(len(body)) + body

    first = rank // 2 * 2
    groups = f"[\"[{{'pg_name': 'tp', 'pg_desc': 'x', 'ranks': [{first}, {first + 1}]}}]\"]"
    meta = field(1, "0.0.4")
    out = number(len(meta)) + meta + node(1, 1, "## process_group:init ##", {}, groups)
    out += node(2, 4, "aten::mm", {"is_cpu_op": 0, "num_ops": 5})
    out += node(3, 7, "all", {"comm_type": 0, "comm_size": 4000}) + node(4, 7, "pair", {"comm_type": 2, "comm_size": 40, "pg_name": "tp"})
    out += node(5, 5, "send", {"comm_dst": rank + 1, "comm_size": 20}) if rank < 3 else b""
    return out + (node(6, 6, "recv", {"comm_src": rank - 1, "comm_size": 20}) if rank > 0 else b"")


def chakra_json(rank):
    nodes = [{"version": "0.0.4"}, {"id": "3", "name": "all", "type": "COMM_COLL_NODE", "attr": [
        {"name": "comm_type", "int64Val": "0"}, {"name": "comm_size", "int64Val": "4000"}, {"name": "is_cpu_op", "boolVal": False}]}]
    return "\n".join(json.dumps(one, indent=1) for one in nodes).encode()


pairs = "4; 0 1 6100; 0 3 6000; 1 2 6020; 2 3 6100;"
for word, make, pattern, expected in (
    ("kineto", kineto, "host_{}.1.pt.trace.json", pairs),
    ("kineto", lambda rank: gzip.compress(kineto(rank)), "r{}.json.gz", pairs),
    ("flight-recorder", flight, "nccl_trace_rank_{}", pairs),
    ("flight-recorder", lambda rank: pickle.dumps(flight(rank, None), 2), "dump_{}", pairs),
    ("chakra", chakra, "llm.{}.et", pairs),
    ("chakra", chakra_json, "llm.{}.json", "4; 0 1 6000; 0 3 6000; 1 2 6000; 2 3 6000;"),
):
    with tempfile.TemporaryDirectory() as folder:
        for rank in range(4):
            with open(f"{folder}/{pattern.format(rank)}", "wb") as file:
                file.write(make(rank))
        judge(f"{word}: {pattern}", expected, read(word, f"{folder}/"))
        os.remove(f"{folder}/{pattern.format(2)}")
        judge(
            f"{word}: {pattern}: a rank is missing",
            f"{folder}: rank 2 of 4 is missing: name the folder with the files of all ranks of one run",
            read(word, f"{folder}/"),
        )
    data = make(0)
    whole = [n for n in range(len(data)) if " is missing: name " in read(word, pattern.format(0), data[:n])]
    # A trace of Chakra has no end: what is cut between two nodes is whole.
    judge(f"{word}: {pattern}: cut anywhere is refused", pattern.endswith(".et"), len(whole) > 0)

judge("kineto: a collective that is not known", "t.json:9: collective 'allsorts' is not known",
      read("any", "t.json", kineto(0, "allsorts")))
judge("kineto: cut", "t.json:106: the file ends before all of its events: is it cut short?",
      read("kineto", "t.json", kineto(0).split(b' "traceName"')[0].rstrip()[:-4]))
judge("kineto: PyTorch 1.13 without Kineto says nothing",
      "trace_0.json: no collective with arguments in it: the profiler writes record_param_comms from PyTorch 2.1 on, with record_shapes=True",
      read("any", "trace_0.json", b'[{"name": "c10d::allreduce_", "ph": "X", "ts": 573, "dur": 10325, "tid": 1, "pid": "CPU functions", "args": {}}]'))
judge("flight-recorder: a pickle that is no data", "d_0:byte 26: it wants posix.system, and only plain values are read",
      read("flight-recorder", "d_0", b"\x80\x02}U\x07entriescposix\nsystem\nU\x04trueR."))
judge("flight-recorder: a group that is not there", "d_0:entry 1: process group '9' is not in pg_config",
      read("flight-recorder", "d_0", flight(0).replace(b'"process_group": ["1"', b'"process_group": ["9"')))
judge("chakra: cut", "a.0.et:byte 9: 60 bytes should follow, and 3 do: is it cut short?",
      read("chakra", "a.0.et", field(1, "0.0.4").join([b"\x07", b"\x3c123"])))
for word, name, data in (
    ("kineto", "t_0.json", kineto(0)), ("flight-recorder", "d_0", flight(0)),
    ("flight-recorder", "d_0", pickle.dumps(flight(0, None), 2)), ("chakra", "a.0.et", chakra(0)), ("chakra", "a.0.json", chakra_json(0)),
):
    cases += [{"format": word, "name": name, "file": data.decode("latin-1")}] * 10

# Changed anywhere they are read, or refused by a sentence.
draw = random.Random(7)
strange = []
for case in cases:
    for _ in range(60):
        data = bytearray(case["file"].encode("latin-1"))
        for _ in range(draw.randrange(1, 4)):
            at = draw.randrange(len(data) + 1)
            data[at : at + draw.randrange(3)] = draw.choice(
                [b"", b"0", b"-", b"\n", b"9" * 20, b'"', b"<", b"\xff", b"\0", b"null", b"[]", b": "]
            )
        try:
            read(case["format"], case["name"], bytes(data))
        except Exception as error:
            strange.append((case["format"], bytes(data), repr(error)))
judge("changed files end in a graph or a sentence", [], strange[:3])
finish()
