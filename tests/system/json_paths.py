# SPDX-License-Identifier: LGPL-2.1-or-later
"""json_paths.py NAME: a line for each key of the JSON values on stdin, behind NAME: the keys
that lead to it, joined by points; members of arrays count as one."""
import json
import sys


def paths(value, path):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield f"{path}.{key}"
            yield from paths(inner, f"{path}.{key}")
    elif isinstance(value, list):
        for inner in value:
            yield from paths(inner, path)


text, at, found = sys.stdin.read().strip(), 0, set()
while at < len(text):
    value, end = json.JSONDecoder().raw_decode(text[at:])
    found.update(paths(value, sys.argv[1]))
    at += end + len(text[at + end:]) - len(text[at + end:].lstrip())
print("\n".join(sorted(found)))
