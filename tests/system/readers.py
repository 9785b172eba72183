# SPDX-License-Identifier: LGPL-2.1-or-later
"""readers.py READERS GOLDEN: graph-readers.py, its cases and its sentences, and
that changed files are refused by a sentence."""
import importlib.util
import io
import json
import os
import random
import sys

path, golden = sys.argv[1:]
spec = importlib.util.spec_from_file_location("readers", path)
readers = importlib.util.module_from_spec(spec)
spec.loader.exec_module(readers)
count = failures = 0


def judge(name, expected, found):
    global count, failures
    count += 1
    if expected == found:
        print(f"ok {count} - {name}")
    else:
        failures += 1
        print(f"not ok {count} - {name}\n# expected: {expected}\n# found:    {found}")


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
print(f"1..{count}")
sys.exit(failures > 0)
