# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the readers of graph-readers.py stand on: lines and their numbers, edges,
and the files of a run."""
import re

BYTES_MOST = 2**63 - 1
TASK_MOST = 2**32 - 2
TASKS_MOST = 2**24
# A file without edges may claim any number of tasks, and each costs memory.
TASKS_FREE, TASKS_PER_EDGE = 1 << 16, 1 << 10
TOKEN_MOST = 1 << 20  # of XML: expat has all of one in memory
DEPTH_MOST = 1 << 8
LINE_MOST = 256 << 20
JSON_MOST = 16 << 20
BLANKS = " \t\n\v\f\r"


class Error(Exception):
    """A sentence, and what kind of failure it is."""

    def __init__(self, text, code="parse"):
        super().__init__(text)
        self.code = code  # parse, range, none (nothing of the format), io


class Lines:
    """The lines of a file, and where it is, for messages."""

    def __init__(self, name, file):
        self.name, self.file, self.number = name, file, 0

    def __iter__(self):
        return self

    def __next__(self):
        line = self.file.readline(LINE_MOST + 2)
        if not line:
            raise StopIteration
        self.number += 1
        if b"\0" in line:
            raise self.error("a NUL byte: this is not a text file")
        if len(line) > LINE_MOST + 1:
            raise self.error(f"a line longer than {LINE_MOST >> 20} MiB", "range")
        if line.endswith(b"\n"):
            line = line[:-1]
            line = line[:-1] if line.endswith(b"\r") else line
        return line.decode("utf-8", "surrogateescape")

    def error(self, text, code="parse"):
        return Error(f"{self.name}:{self.number}: {text}", code)

    def whole(self, word, what, most):
        """The number that a word must be."""
        if word is None:
            raise self.error(f"{what} is missing")
        value = whole(word, most)
        if value is None and re.fullmatch("[0-9]+", word):
            raise self.error(f"{what} {word[:40]} is too large", "range")
        if value is None and word[0] == "-":
            raise self.error(f"{what} {word[:40]} is negative")
        if value is None:
            raise self.error(f"{what} '{word[:40]}' is not a whole number")
        return value


class Edges:
    """Bytes of pairs of tasks, both directions added up."""

    def __init__(self):
        self.bytes, self.total = {}, 0

    def add(self, a, b, nbytes, place=None):
        if a == b or nbytes == 0:
            return
        self.total += nbytes
        if self.total > BYTES_MOST:
            if place:
                raise place.error("with this line the bytes of all edges exceed 2^63", "range")
            raise Error("the bytes of all edges exceed 2^63", "range")
        pair = (a, b) if a < b else (b, a)
        self.bytes[pair] = self.bytes.get(pair, 0) + nbytes


def decimal(digits):
    """Their number, or one above all bounds: int() takes long for many digits."""
    digits = digits.lstrip("0")
    return int(digits or "0") if len(digits) <= 20 else 10**20


def json_number(word):
    return -decimal(word[1:]) if word[0] == "-" else decimal(word)


def no_number(word):
    raise ValueError(f"{word} is no number")


def whole(word, most=2**64 - 1):
    """The number of a word of digits, or None."""
    return decimal(word) if word and re.fullmatch("[0-9]+", word) and decimal(word) <= most else None


def real(word):
    """The number of a word, or None: no sign of plus, hexadecimal, inf or nan."""
    return float(word) if re.fullmatch(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][-+]?[0-9]+)?", word) else None


def round_bytes(value):
    """To the nearest whole number, and what is more than 0 to 1 at least; or None."""
    if value is None or not 0 <= value < 2.0**63:
        return None
    return 1 if 0 < value < 1 else int(value + 0.5)


def plain_bytes(word):
    number = whole(word)
    return number if number is not None else round_bytes(real(word))


def words(line, n):
    """The first n words of a line, None where there are fewer, and the rest."""
    parts = line.strip(BLANKS).split(None, n) if line.strip(BLANKS) else []
    return parts[:n] + [None] * (n - len(parts[:n])) + [parts[n] if len(parts) > n else ""]


class Reader:
    """Of a format: read() takes all of a file, finish() says what is missing."""

    loads = None  # of each task, what it computes
    claims = True  # ntasks may be no more than a number in the file

    def __init__(self, name):
        self.name, self.edges, self.ntasks = name, Edges(), 0

    def finish(self):
        pass

    def nedges(self):
        return len(self.edges.bytes)

    def rows(self):
        """Each task's neighbours, and the bytes."""
        rows = [[] for _ in range(self.ntasks)]
        for (a, b), nbytes in self.edges.bytes.items():
            rows[a].append((b, nbytes))
            rows[b].append((a, nbytes))
        return rows


class Run(Reader):
    """What the processes of a run have left, file after file."""

    prefix = suffix = about = ""
    nfiles = 0

    @staticmethod
    def has(_file):
        """Whether one of a folder with that prefix and suffix is of the format."""
        return True

    def read(self, file):
        self.add(Lines(self.name, file))

    def saw(self, task):
        self.ntasks = max(self.ntasks, task + 1)

    def add(self, lines):
        raise NotImplementedError
