#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of kept regions (launch/kept.h) as lines, and with other content.

kept.py print FILE             lines of use, row and region, not sorted
kept.py make FILE RANK         a task of four, with two uses and two rows
kept.py spend FILE NS          as if its calls of no time had taken so long
kept.py other FILE OUT         the rows of task 1 as those of task 2, which met
                               its regions in another order, and one more
"""
import pathlib
import re
import struct
import sys

HEAD = struct.Struct("=QIIIIIIQQQQQq")
BLOCK = struct.Struct("=II")
STATS = struct.Struct("=BBHI6Q")
ROW = struct.Struct("=QQQ")
MAGIC = 0x31545045504D4F54
TEXT, STATS_KIND, SIZED, ROWS, REGIONS = 1, 2, 3, 4, 7
NAME, NAMES, LEVELS = 41, 32, 32
HEADER = pathlib.Path(__file__).resolve().parents[2] / "profiles/commprof/count/messages.h"
TYPES = re.findall(r'X\([A-Z_0-9]+, *"([a-z0-9_]+)"\)', HEADER.read_text())


def blocks(data):
    """Kind, begin and end of each block, of one region."""
    at, used = HEAD.size, HEAD.unpack_from(data)[7]
    while at + BLOCK.size <= used:
        kind, size = BLOCK.unpack_from(data, at)
        yield kind, at + BLOCK.size, at + BLOCK.size + size
        at += BLOCK.size + size


def stats_of(data):
    """Where counters that say anything stand, and they."""
    for kind, begin, end in blocks(data):
        if kind in (STATS_KIND, SIZED):
            end = begin + STATS.size if kind == SIZED else end
            for at in range(begin, end - STATS.size + 1, STATS.size):
                stats = STATS.unpack_from(data, at)
                if stats[0] < len(TYPES) and (stats[5] or stats[9]):
                    yield at, stats


def rows_of(data):
    for kind, begin, end in blocks(data):
        if kind == ROWS:
            for at in range(begin, end - ROW.size + 1, ROW.size):
                row = ROW.unpack_from(data, at)
                if row[0] == 0:
                    break
                yield at, row


def typed(kind, phase):
    return TYPES[kind] + (f"@{phase}" if phase else "")


def show(data):
    rank = HEAD.unpack_from(data)[2]
    for kind, begin, _ in blocks(data):
        for i in range(NAMES if kind == REGIONS else 0):
            name = data[begin + NAME * i:begin + NAME * (i + 1)].split(b"\0")[0].decode()
            if name:
                print("region", LEVELS + i, name)
    for _, (kind, phase, _, size, *numbers) in stats_of(data):
        print("use", typed(kind, phase), size, *numbers)
    for _, (key, count, size) in rows_of(data):
        ends = [rank, key >> 32] if not key >> 8 & 1 else [key >> 32, rank]
        print("row", typed(key >> 16 & 255, key >> 24 & 255), *ends, (key & 255) - 1,
              count & (1 << 56) - 1, size, count >> 56)


def block(kind, content):
    content += b"\0" * (-len(content) % 8)
    return BLOCK.pack(kind, len(content)) + content


def make(rank):
    text = (f"rank {rank}\nntasks 4\nprogram /bin/true\nname app\nhost n0\nmpi MPICH 4.0.2\n"
            "job 12.0\nuser u\nlarge 500000\n")
    peer = 2 if rank != 2 else 1
    p2p, allreduce = TYPES.index("p2p"), TYPES.index("allreduce")
    rest = block(TEXT, text.encode() + b"\0")
    rest += block(STATS_KIND, STATS.pack(p2p, 0, 0, 0, 0, 10, 1000, 1000, 0, 5000) +
                  STATS.pack(allreduce, 0, 0, 4, 1, 2, 16, 0, 16, 700))
    rest += block(ROWS, ROW.pack(peer << 32 | p2p << 16 | 5, 10, 80) +
                  ROW.pack(peer << 32 | p2p << 16 | 12, 1, 1024))
    return HEAD.pack(MAGIC, 2, rank, 4, 0, 1, 0, HEAD.size + len(rest), 1, 123456790, 1, 0,
                     1795368874) + rest


def spend(data, ns):
    for at, stats in list(stats_of(data)):
        if stats[9] == 0:
            STATS.pack_into(data, at, *stats[:9], ns)


def other(data):
    head = list(HEAD.unpack_from(data))
    head[2] = 2
    HEAD.pack_into(data, 0, *head)
    for at, (key, count, size) in list(rows_of(data)):
        if key >> 32 == 2:
            ROW.pack_into(data, at, key & 0xFFFFFFFF | 1 << 32, count, size)
    for kind, begin, end in list(blocks(data)):
        if kind == TEXT:
            data[begin:end] = bytes(data[begin:end]).replace(b"rank 1\n", b"rank 2\n")
        elif kind == REGIONS:
            for i, name in enumerate(["other", "solve", "halo__2_"]):
                data[begin + NAME * i:begin + NAME * (i + 1)] = name.encode().ljust(NAME, b"\0")


def main(what, path, *more):
    if what == "make":
        pathlib.Path(path).write_bytes(make(int(more[0])))
        return
    data = bytearray(pathlib.Path(path).read_bytes())
    if what == "print":
        show(data)
    elif what == "spend":
        spend(data, int(more[0]))
        pathlib.Path(path).write_bytes(data)
    else:
        other(data)
        pathlib.Path(more[0]).write_bytes(data)


main(*sys.argv[1:])
