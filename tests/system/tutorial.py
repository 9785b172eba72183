# SPDX-License-Identifier: LGPL-2.1-or-later
"""tutorial.py PAGE: runs the commands of a manual page, "$ COMMAND" in its literal blocks,
in the current folder, and compares what they print with the page: words are the page's;
numbers, months and blanks may differ; "..." stands for anything, "/home/anna" for $HOME,
"/usr/bin/lmp" and "/opt/topomap" for any folder. "$ cat FILE" before the lines of a file
that is not there writes it. A line a command: its words, a tab, "ok" or what is wrong."""
import html
import os
import re
import subprocess
import sys


def commands(page):
    """(command, what the page prints after it)"""
    text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", page], check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout
    for block in re.findall(r"<pre[^>]*>(.*?)</pre>", text, re.DOTALL):
        block = html.unescape(re.sub(r"<[^>]*>", "", block)).strip("\n") + "\n"
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            command = re.match(r"(?:.*(?:\\|\|)\n)*.*\n", part).group()
            yield command.strip("\n"), part[len(command):]


def pattern(text):
    def of(word):
        for shown, found in (("/home/anna/", os.environ["HOME"] + "/"), ("/usr/bin/lmp", "/[^ ]*/lmp"),
                             ("/opt/topomap/", "/[^ ]*/")):
            if word.startswith(shown):
                return (re.escape(found) if found == os.environ["HOME"] + "/" else found) + of(word[len(shown):])
        if re.fullmatch("[A-Z][a-z]{2}", word):
            return "[A-Z][a-z]{2}"
        return "".join(".*" if part == "..." else "[-+0-9.e]+" if re.fullmatch(r"[0-9.e]*[0-9][0-9.e]*", part)
                       else re.escape(part) for part in re.split(r"(\.\.\.|[0-9]+(?:\.[0-9]+)?(?:e[0-9]+)?)", word))
    return r"\s+".join(of(word) for word in text.split())


def main(page):
    for command, printed in commands(page):
        shown = " ".join(command.replace("\\\n", " ").split())
        file = re.fullmatch("cat ([^ /]+)", command)
        if file and not os.path.exists(file[1]):
            with open(file[1], "w", encoding="utf-8") as out:
                out.write(printed)
            continue
        ran = subprocess.run(["bash", "-c", command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, universal_newlines=True, timeout=150)
        found = " ".join(re.sub(r"^(topomap: )?srun: job .* (queued|has been allocated).*$", "",
                                ran.stdout, flags=re.MULTILINE).split())
        if ran.returncode:
            print(f"{shown}\tends with {ran.returncode}: {found}")
        elif not re.fullmatch(pattern(printed), found, re.DOTALL):
            print(f"{shown}\tprinted: {found}; the page: {' '.join(printed.split())}")
        else:
            print(f"{shown}\tok")
        sys.stdout.flush()


main(sys.argv[1])
