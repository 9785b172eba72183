# SPDX-License-Identifier: LGPL-2.1-or-later
"""tap.py - for tests in Python: programs as modules, and answers as tap.sh gives."""
import importlib.util
import sys

count = failures = 0


def module_of(path):
    spec = importlib.util.spec_from_file_location("module", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def judge(name, expected, found):
    global count, failures
    count += 1
    if expected == found:
        print(f"ok {count} - {name}")
    else:
        failures += 1
        print(f"not ok {count} - {name}\n# expected: {expected}\n# found:    {found}")


def finish():
    print(f"1..{count}")
    sys.exit(failures > 0)
