# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the Python programs of topomap print: notes, failures, one row of values."""
import contextlib
import errno
import json
import os
import re
import signal
import stat
import sys


class Number(str):
    """A number as it is written."""


def printable(text):
    """The text without control characters, which a terminal would obey."""
    return text if text.isprintable() else re.sub("[\x00-\x1f\x7f-\x9f]", "?", text)


def plural(n, noun):
    return f"{n} {noun}{'' if n == 1 else 's'}"


def note(text):
    with contextlib.suppress(OSError):  # conclude says so
        sys.stdout.flush()
    sys.stderr.buffer.write(f"topomap: {printable(text)}\n".encode("utf-8", "surrogateescape"))
    sys.stderr.buffer.flush()


def fail(text, as_json):
    """What a failure says, as JSON where that was asked for."""
    if as_json:
        print(json.dumps({"error": text, "status": 1}), file=sys.stderr)
    else:
        note(text)


def conclude(main):
    """Ends this program with the status of main, or with one for what it printed and nothing
    took: that shows when the last of it is written."""
    try:
        status = main(sys.argv[1:])
    except SystemExit as end:
        status = end.code
    try:
        sys.stdout.flush()
    except OSError as error:
        # Else Python tries again, and says so.
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        status = 128 + signal.SIGPIPE if error.errno == errno.EPIPE else 1
        if error.errno != errno.EPIPE:
            note(f"cannot write to stdout: {error.strerror}")
    sys.exit(status)


def sentence(line):
    """What a command of topomap's says has failed, by text or as JSON."""
    with contextlib.suppress(ValueError, KeyError, TypeError):
        line = str(json.loads(line)["error"])
    return re.sub("^topomap: ", "", line)


def exact(number):
    """As few digits as give it back."""
    text = f"{number:.15g}"
    return text if float(text) == number else repr(number)


def usage(command, text, as_json):
    """Ends, for a command line that makes no sense."""
    if as_json:
        print(json.dumps({"error": text, "status": 2}), file=sys.stderr)
    else:
        print(f"topomap {command}: {printable(text)}; try 'topomap {command} --help'",
              file=sys.stderr)
    sys.exit(2)


def cell(value):
    """A value of a table that programs read. A spreadsheet takes what begins as a
    formula for one, so that gets an apostrophe."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: ""}[value]
    if isinstance(value, Number):
        return value
    if isinstance(value, (int, float)):
        return str(value) if isinstance(value, int) else exact(value)
    text = " ".join(str(one) for one in value) if isinstance(value, list) else value
    quoted = printable(text).replace('"', '""')
    return f""""{"'" if text[:1] in "=+-@" and len(text) > 1 else ""}{quoted}\""""


def csv_text(names, rows):
    """A line of names, and a line a row."""
    return "".join(",".join(line) + "\n"
                   for line in (names, *([cell(value) for value in row] for row in rows)))


def table_text(headings, rows, part=None):
    """Columns as wide as their widest value; those that begin with < are aligned left.
    None is a dash. part: a list, empty at first, for a table that comes in parts: the
    widths so far; without rows it has no heading, and the first part alone has one."""
    left = [heading.startswith("<") for heading in headings]
    columns = [["-" if value is None else value if type(value) is str and value.isprintable()
                else printable(str(value)) for value in column]
               for column in zip(*rows)] or [[] for _ in headings]
    if not part:
        columns = [[heading.lstrip("<"), *column] for heading, column in zip(headings, columns)]
    widths = [max(map(len, column)) for column in columns]
    if part is not None:
        part[:] = widths = list(map(max, widths, part)) if part else widths
    widths = widths[:-1] + ([0] if left[-1] else widths[-1:])
    form = "  ".join(f"%{'-' if to_left else ''}{width or ''}s"
                     for width, to_left in zip(widths, left)) + "\n"
    return "".join([form % line for line in zip(*columns)])


def members(value, prefix=""):
    """Name and value of all members of an object, and of those in it; an array of
    plain values is one value, arrays of more are tables of their own."""
    for key, one in value.items():
        if isinstance(one, dict):
            yield from members(one, f"{prefix}{key}.")
        elif not isinstance(one, list) or not one or not isinstance(one[0], (dict, list)):
            yield prefix + key, one


def behind_links(path):
    """Where links lead. One that somebody else put into a folder where all may write leads
    where he wants: the kernel refuses to follow it (protected_symlinks), and so does this."""
    for _ in range(40):
        if not os.path.islink(path):
            return path
        folder, owner = os.path.dirname(path), os.lstat(path).st_uid
        above = os.stat(folder or ".")
        if above.st_mode & 0o1002 == 0o1002 and owner not in (os.geteuid(), above.st_uid):
            raise OSError(errno.EACCES, f"the link {path} is of user {owner}, in a folder "
                                        "that all may write to")
        path = os.path.join(folder, os.readlink(path))
    raise OSError(errno.ELOOP, os.strerror(errno.ELOOP))


@contextlib.contextmanager
def replacing(path, mode=0o666):
    """A file that takes the place of that one, whole, or (OSError) not at all; it has the mode
    of a regular file that was there. A link or a FIFO is replaced."""
    beside = f"{path}.{os.getpid()}"
    fd = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, mode)
    try:
        with os.fdopen(fd, "w", encoding="utf-8", errors="surrogateescape") as file:
            if os.path.lexists(path) and stat.S_ISREG(os.lstat(path).st_mode):
                os.fchmod(file.fileno(), stat.S_IMODE(os.lstat(path).st_mode))
            yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
    except BaseException:
        os.unlink(beside)
        raise


@contextlib.contextmanager
def output_file(path, mode=0o666):
    """The same for a file that the user has named: links are followed; a device, a FIFO and a
    file without a name are written as they are, since no rename replaces them."""
    final = behind_links(path)
    old = os.stat(path) if os.path.exists(path) else None
    is_special = old and (not stat.S_ISREG(old.st_mode) or old.st_nlink == 0)
    with open(path, "w", encoding="utf-8", errors="surrogateescape") if is_special else \
            replacing(final, mode) as file:
        yield file


def csv(document, rows=""):
    """rows: the array whose elements are the lines; "": the document is the only one."""
    lines = [dict(members(one)) if isinstance(one, dict) else {rows: one}
             for one in (document[rows] if rows else
                         document if isinstance(document, list) else [document])]
    names = list(dict.fromkeys(name for line in lines for name in line))
    return csv_text(names, [[line.get(name) for name in names] for line in lines]) if names else ""


def print_rows(values, rows, as_csv):
    """An object as JSON, or the objects in values[rows] as a table."""
    if as_csv:
        text = csv_text(list(values[rows][0]), [row.values() for row in values[rows]]) \
            if values[rows] else ""
    else:
        text = json.dumps(values, indent=2) + "\n"
    sys.stdout.buffer.write(text.encode("utf-8", "replace"))


def print_row(values, as_csv):
    """An object as JSON, or as a table of one row."""
    row = {}
    for key, value in values.items() if as_csv else ():
        row.update({f"{key}.{k}": v for k, v in value.items()} if isinstance(value, dict)
                   else {key: value})
    print_rows({"rows": [row]} if as_csv else values, "rows", as_csv)


def read_options(argv):
    """(verb, topomap, options, command) of "VERB TOPOMAP [--NAME[=VALUE]]... --
    COMMAND...", as tools/common/script.c hands them on; options are pairs."""
    verb, topomap, *rest = argv
    end = rest.index("--")
    options = []
    for word in rest[:end]:
        name, equals, value = word[2:].partition("=")
        options.append((name, value if equals else None))
    return verb, topomap, options, rest[end + 1:]
