# SPDX-License-Identifier: LGPL-2.1-or-later
"""The structures of _library.py are those of the C headers: a C compiler says so."""

import ctypes
import os
import shlex
import subprocess

import pytest

from mapcore import _library


def test_structures(tmp_path):
    include, compiler = os.environ.get("MAPCORE_INCLUDE"), os.environ.get("CC")
    if not include or not compiler:
        pytest.skip("no MAPCORE_INCLUDE or CC")
    lines, expected = [], []
    for name, structure in _library.STRUCTURES.items():
        lines.append(f'printf("{name} %zu\\n", sizeof(struct {name}));')
        expected.append(f"{name} {ctypes.sizeof(structure)}")
        for member, *_ in structure._fields_:
            lines.append(f'printf("{name}.{member} %zu %zu\\n", offsetof(struct {name}, {member}), '
                         f'sizeof(((struct {name} *)0)->{member}));')
            at = getattr(structure, member)
            expected.append(f"{name}.{member} {at.offset} {at.size}")
    source = tmp_path / "layout.c"
    source.write_text("#include <mapcore.h>\n#include <stddef.h>\n#include <stdio.h>\n"
                      "int main(void) {\n" + "\n".join(lines) + "\nreturn 0; }\n")
    subprocess.run([*shlex.split(compiler), "-I" + include, "-o", tmp_path / "layout", source],
                   check=True)
    said = subprocess.run([tmp_path / "layout"], capture_output=True, text=True, check=True).stdout
    assert said.split("\n")[:-1] == expected
