# SPDX-License-Identifier: LGPL-2.1-or-later
"""plugstack_lines.py DOCTOR: plugstack.conf(5) is read as Slurm reads it."""
import os
import sys
import tempfile

sys.path.insert(0, os.path.dirname(sys.argv[1]))
import doctor


def put(name, text):
    with open(name, "w", encoding="utf-8") as file:
        file.write(text)


def read(name):
    try:
        return doctor.read_plugstack(name, [])
    except doctor.Error as error:
        return str(error)


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    os.mkdir("d")
    put("a.conf", "# topomap.so\n\n\toptional\t/lib/other.so x # y\n"
        "required /usr/lib/topomap.so  time=3\tdefault=auto\noptional topomap-options.so")
    other, plugin, stub = read("a.conf")
    assert other.arguments == ["x"] and not other.required, other
    assert plugin == ("a.conf", 4, True, "/usr/lib/topomap.so", ["time=3", "default=auto"]), plugin
    assert stub == ("a.conf", 5, False, "topomap-options.so", []), stub

    # In the order of the files' names, relative to the file that says include.
    put("a.conf", "optional first.so\ninclude d/*.conf\noptional last.so\ninclude none/*.conf\n")
    put("d/2.conf", "optional two.so\n")
    put("d/1.conf", "include ../b.conf\noptional one.so\n")
    put("d/3.other", "nothing that makes sense\n")
    put("b.conf", "required b.so\n")
    lines = read(f"{folder}/a.conf")
    assert [line.plugin for line in lines] == \
        ["first.so", "b.so", "one.so", "two.so", "last.so"], lines
    assert lines[1].file.endswith("b.conf"), lines

    for text, sentence in (
            ("optional a.so\noptinal b.so\n",
             "a.conf:2: 'optinal' is none of required, optional, include"),
            ("optional\n", "a.conf:1: nothing behind 'optional'"),
            ("include a.conf\n", "a.conf:1: files that include one another")):
        put("a.conf", text)
        assert read("a.conf") == sentence, read("a.conf")
    assert read("none.conf") == []
    os.chdir("/")
