# SPDX-License-Identifier: LGPL-2.1-or-later
"""What network-readers.py and mapping-readers.py share: lists of hosts, and what
they answer."""
import itertools
import re
import sys

HOSTS_MOST, NAME_MOST = 1 << 20, 255


class Error(Exception):
    """A sentence, and what kind of failure it is."""

    def __init__(self, text, code="parse"):
        super().__init__(text)
        self.code = code  # parse, range, invalid, unsupported, none (of no format), io


def expand(text):
    """The names of a list of Slurm, n[0-3,7],m1: brackets multiply, the last one
    fastest."""

    def bad(why, code="parse"):
        return Error(f"host list '{text[:200]}': {why}", code)

    names = []
    for item in re.findall(r"(?:[^,\[]|\[[^\]]*(?:\]|$))+|(?<=,)(?=,|$)|^(?=,|$)", text):
        parts, count = [], 1
        for piece in re.findall(r"\[[^\]]*\]|[^\[]+|\[.*", item):
            if piece[0] != "[":
                if "]" in piece:
                    raise bad("a bracket is closed that was not opened")
                if re.search(r"[\s\x00-\x1f\x7f-\x9f]", piece):
                    raise bad("a blank or control character in a name")
                parts.append([piece])
                continue
            if piece[-1] != "]":
                raise bad("a bracket is not closed")
            spans = [re.fullmatch("([0-9]{1,18})(?:-([0-9]{1,18}))?", one) for one in piece[1:-1].split(",")]
            if None in spans:
                raise bad("only numbers, commas and ranges go between brackets")
            ends = [(int(m[1]), int(m[2] or m[1]), len(m[1])) for m in spans]
            if any(high < low for low, high, _ in ends):
                raise bad("a range that runs backwards")
            count *= sum(high - low + 1 for low, high, _ in ends)
            if count > HOSTS_MOST:
                raise bad(f"more than {HOSTS_MOST} names", "range")
            parts.append([f"{i:0{width}d}" for low, high, width in ends for i in range(low, high + 1)])
        if not parts:
            raise bad("an empty name")
        if len(names) + count > HOSTS_MOST:
            raise bad(f"more than {HOSTS_MOST} names", "range")
        names += map("".join, itertools.product(*parts))
    if any(len(name) > NAME_MOST for name in names):
        raise bad(f"a name longer than {NAME_MOST} characters")
    return names


def answer(name, make):
    """Writes the lines that make() gives, or a line "! CODE MESSAGE"."""
    try:
        text = bytearray()
        for line in make():
            text += line.encode("utf-8", "surrogateescape") + b"\n"
    except Error as error:
        text = f"! {error.code} {error}".replace("\n", " ").encode("utf-8", "surrogateescape")
    except (MemoryError, RecursionError):
        text = f"! io {name}: out of memory".encode("utf-8", "surrogateescape")
    sys.stdout.buffer.write(text)
