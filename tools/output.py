# SPDX-License-Identifier: LGPL-2.1-or-later
"""What the Python programs of topomap print: notes, failures, one row of values."""
import json
import re
import sys


def printable(text):
    """The text without control characters, which a terminal would obey."""
    return re.sub("[\x00-\x1f\x7f-\x9f]", "?", text)


def plural(n, noun):
    return f"{n} {noun}{'' if n == 1 else 's'}"


def note(text):
    sys.stdout.flush()
    sys.stderr.buffer.write(f"topomap: {printable(text)}\n".encode("utf-8", "surrogateescape"))
    sys.stderr.buffer.flush()


def fail(text, as_json):
    """What a failure says, as JSON where that was asked for."""
    if as_json:
        print(json.dumps({"error": text, "status": 1}), file=sys.stderr)
    else:
        note(text)


def cell(value):
    """A value of a table that programs read."""
    if isinstance(value, bool) or value is None:
        return {True: "true", False: "false", None: ""}[value]
    if isinstance(value, (int, float)):
        return str(value)
    text = " ".join(value) if isinstance(value, list) else value
    return '"' + printable(text).replace('"', '""') + '"'


def print_rows(values, rows, as_csv):
    """An object as JSON, or the objects in values[rows] as a table."""
    if as_csv:
        lines = [",".join(values[rows][0])] if values[rows] else []
        lines += [",".join(cell(value) for value in row.values()) for row in values[rows]]
        text = "".join(line + "\n" for line in lines)
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
