# SPDX-License-Identifier: LGPL-2.1-or-later
"""mapping_readers.py READERS: mapping-readers.py, its cases and its sentences, and
that changed files are refused by a sentence; convert.sh has it through the
command."""
import os
import random
import sys

from tap import finish, judge, module_of

path = sys.argv[1]
readers = module_of(path)
# What is known of the hosts in a case.
HOSTS, COUNTS = ["n0", "n1", "n2", "n3"], [2, 0, 3, 2]
NAMES_AND_SLOTS, NAMES, NOTHING = (4, HOSTS, COUNTS), (4, HOSTS, None), (0, None, None, True)
SLOTS, NAMELESS = (4, None, COUNTS, True), (4, None, COUNTS)


def read(form, known, text):
    mapping = readers.Mapping("f", text.encode("utf-8", "surrogateescape"), *known)
    mapping.read(form)
    return mapping


def places(mapping):
    return " ".join(f"{host}.{'-' if slot is None else slot}" for host, slot, _ in mapping.tasks)


# "host.slot host.slot ...", slot - where the file says none.
for form, known, text, expected in (
    ("any", NAMES, "n1\nn0 # x\n\n# y\nn1\r\nn3\n", "1.- 0.- 1.- 3.-"),
    ("any", NAMES_AND_SLOTS, "n[0,2-3]\nn2*2, n0 n3\n", "0.- 2.- 3.- 2.- 2.- 0.- 3.-"),
    ("any", NOTHING, "b\na\nb\n", "0.- 1.- 0.-"),
    ("any", SLOTS, "b\na\nb\n", "0.- 1.- 0.-"),
    ("any", NAMES_AND_SLOTS, "# Open MPI\nrank 1=n0 slot=1\nrank 0=n2 slot=2\n rank  2 = n3  slot = 0 # x\n", "2.2 0.1 3.0"),
    ("any", NAMES_AND_SLOTS, "rank 0=n2 slot=8\nrank 1=n0 slot=1\nrank 2=n2 slot=4\n", "2.1 0.0 2.0"),
    ("any", NAMES, "rank 0=n2 slot=1\nrank 1=n0 slot=1\nrank 2=n2 slot=0\n", "2.1 0.0 2.0"),
    ("any", NAMES_AND_SLOTS, "rank 0=n2 slot=1:0-1\nrank 1=n2 slot=0:2,3\nrank 2=n2 slot=0:0-1\n", "2.2 2.1 2.0"),
    ("any", NAMES, "rank 0=+n2 slot=1:*\nrank 1=+n0 slot=*\nrank 2=n2 slot=p0\n", "2.1 0.0 2.0"),
    ("any", NOTHING, "rank 0=slot slot=0\nrank 1=slot-1 slot=0\nrank 2=slot slot=3\n", "0.0 1.0 0.1"),
    ("any", NAMES_AND_SLOTS, "3, 1 # x\n# y\n0,2\n", "2.0 0.1 2.1 0.0"),
    ("any", SLOTS, "4-6,0-3\n", "2.1 2.2 3.0 3.1 0.0 0.1 2.0"),
    ("mpich", SLOTS, "1\n0\n", "0.1 0.0"),
):
    judge(f"{form}: {text!r}"[:60], expected, places(read(form, known, text)))
found = read("any", NOTHING, "b a\n\nb\n")
judge("names by appearance, and lines", (["b", "a"], [(0, None, 1), (1, None, 1), (0, None, 3)]), (found.appeared, found.tasks))
many = [f"h{h}\n" for h in range(5000)] + [f"h{h * 7 % 5000}\n" for h in range(5000)]
many = read("hostfile", NOTHING, "".join(many))
judge("many names", [h * 7 % 5000 for h in range(5000)], [host for host, *_ in many.tasks[5000:]])
judge("what topomap reads", ["0 1", "2 0"], list(readers.read("any", "f", b"3 1\n2 a\n0 b\n2 c\nrank 0=a slot=1\nrank 1=c slot=0\n")))

for form, known, text, code, why in (
    ("hostfile", NAMES, "n0\nn9\n", "invalid", "f:2: node n9 is not of the allocation"),
    ("hostfile", NAMES, "n0*x\n", "parse", "f:1: 'x' is no number of tasks"),
    ("hostfile", NAMES, "n0*0\n", "parse", "f:1: '0' is no number of tasks"),
    ("hostfile", NAMES_AND_SLOTS, "n0*7\nn0\n", "range", "f:2: with this line there are more than 7 tasks"),
    ("hostfile", NOTHING, "n0*4000000000\n", "range", "f:1: with this line there are more than 16777216 tasks"),
    ("hostfile", SLOTS, "a b c d e\n", "invalid", "f:1: node e is one more than the 4 that there are"),
    ("hostfile", NAMELESS, "n0\n", "invalid", "f names nodes, but those of the allocation have no names"),
    ("rankfile", NAMES, "rank x=n0 slot=0\n", "parse", "f:1: expected 'rank N=HOST slot=PLACES'"),
    ("rankfile", NAMES, "rank 0 n0 slot=0\n", "parse", "f:1: expected 'rank N=HOST slot=PLACES'"),
    ("rankfile", NAMES, "rank 0=n0\n", "parse", "f:1: expected 'rank N=HOST slot=PLACES'"),
    ("rankfile", NAMES, "rank 0=n0 slot=a\n", "parse", "f:1: expected 'rank N=HOST slot=PLACES'"),
    ("rankfile", NAMES, "rank 4294967295=n0 slot=0\n", "parse", "f:1: expected 'rank N=HOST slot=PLACES'"),
    ("rankfile", NAMES, "rank 0=n0 slot=0\nrank 0=n1 slot=0\n", "parse", "f:2: rank 0 stands in line 1 already"),
    ("rankfile", NAMES, "rank 0=n0 slot=0\nrank 4000000000=n1 slot=0\n", "parse", "f: there is no rank 1"),
    ("rankfile", NAMES, "rank 0=+n4 slot=0\n", "invalid", "f:1: node +n4: 4 nodes are known"),
    ("rankfile", NOTHING, "rank 0=+n0 slot=0\n", "invalid", "f:1: node +n0: 0 nodes are known"),
    ("mpich", SLOTS, "0,x\n", "parse", "f:1: expected ranks like 0,4-7 at 'x'"),
    ("mpich", SLOTS, "0-x\n", "parse", "f:1: ranks from 0 to what?"),
    ("mpich", SLOTS, "3-1\n", "parse", "f:1: ranks from 3 to what?"),
    ("mpich", SLOTS, "0-4294967294\n", "range", "f:1: with this line there are more than 7 tasks"),
    ("mpich", SLOTS, "0,1\n1\n", "parse", "f:2: rank 1 stands in line 1 already"),
    ("mpich", SLOTS, "0,2\n", "parse", "f:1: rank 2 in an order of 2"),
    ("mpich", NAMES, "0,1\n", "invalid", "f is an order of ranks, which means nothing without the nodes and their slots"),
):
    try:
        found = read(form, known, text)
    except readers.Error as error:
        found = (error.code, str(error))
    judge(why[:70], (code, why), found)

# The reader says a sentence of every change in them.
seeds = ["n0\nn[1-3]*2, n0 # x\n", "rank 0=n2 slot=1:0-1\nrank 1=+n0 slot=p0\nrank 2=n2 slot=*\n", "3, 1 # x\n0,2\n4-6\n"]
pieces = ["*", "[", "]", ",", "-", "0", "9" * 30, "=", " ", "\n", "#", ":", "rank", "slot", "+n", "\udc80"]
random.seed(int(os.environ.get("SEED", "1")))
bad = []
for i in range(4000):
    text = list(random.choice(seeds))
    for _ in range(random.randrange(1, 6)):
        at = random.randrange(len(text))
        text[at : at + random.randrange(3)] = random.choice(pieces)
    text = "".join(text)
    form = random.choice(("hostfile", "rankfile", "mpich"))
    known = random.choice((NAMES_AND_SLOTS, NAMES, NOTHING, SLOTS))
    try:
        if any(host > 3 for host, *_ in read(form, known, text).tasks) and known != NOTHING:
            bad.append(("a host of none", text))
    except readers.Error:
        pass
    except Exception as error:  # a fault of ours
        bad.append((repr(error), form, text))
judge("changed files", [], bad[:1])
finish()
