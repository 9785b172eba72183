# SPDX-License-Identifier: LGPL-2.1-or-later
"""language.py TOP: the texts of topomap that users read, by the rules of language in
contrib/HACKING: a line for each place with a word that they exclude, or with a sentence
that is too long."""
import ast
import html
import os
import re
import subprocess
import sys

EXCLUDED = re.compile(r"\b(nobody|whoever|whatever|so many|so much|told)\b", re.IGNORECASE)
WORDS = 35
ROOMS = ("libmapcore", "profiles", "plugin", "tools", "contrib/libtopomap-cart")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def files(top, *ends):
    for room in ROOMS:
        for folder, _, names in os.walk(os.path.join(top, room)):
            yield from sorted(os.path.join(folder, name) for name in names
                              if name.endswith(ends))


def literals_of_c(text):
    """(line, words) of the string literals, those in a row as one."""
    text = re.sub(r'("(?:[^"\\\n]|\\.)*")|/\*.*?\*/',
                  lambda found: found[1] or re.sub("[^\n]", " ", found[0]), text, flags=re.DOTALL)
    text = re.sub(r"^\s*#\s*include.*", "", text, flags=re.MULTILINE)
    start, words, end = 0, "", 0
    for found in LITERAL.finditer(text):
        if text[end:found.start()].strip(" \t\r\n\\"):
            yield start, words
            start, words = text.count("\n", 0, found.start()) + 1, ""
        words, end = words + found[1], found.end()
    yield start, words


def literals_of_python(text):
    tree = ast.parse(text)
    documents = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and \
                id(node) not in documents:
            yield node.lineno, node.value


def paragraphs(path):
    """(line, text) of a manual as it is read, and of a plain text; examples and tables are
    left out. A manual as read has no lines."""
    if not re.search(r"\.[1-8]$", path):
        with open(path, encoding="utf-8") as file:
            line = 1
            for text in file.read().split("\n\n"):
                if not re.match(r"\s{3}", text.lstrip("\n")):
                    yield line, text
                line += text.count("\n") + 2
        return
    text = subprocess.run(["mandoc", "-T", "html", "-O", "fragment", path], check=True,
                          stdout=subprocess.PIPE, universal_newlines=True).stdout
    text = re.sub(r'<(pre|table|style)\b.*?</\1>|<section class="Sh">\s*'
                  r'<h1 class="Sh" id="(SYNOPSIS|SEE_ALSO)".*?</section>', "", text, flags=re.DOTALL)
    for text in re.split(r"</?(?:p|dt|dd|li|h[1-6]|div|section)\b[^>]*>", text):
        yield 0, html.unescape(re.sub(r"<[^>]*>", "", text))


def main(top):
    def blame(path, line, found):
        print(f"{os.path.relpath(path, top)}{f':{line}' if line else ''}: {found}")

    for path in files(top, ".c", ".h", ".py"):
        with open(path, encoding="utf-8") as file:
            of = literals_of_python if path.endswith(".py") else literals_of_c
            for line, text in of(file.read()):
                for found in EXCLUDED.findall(text):
                    blame(path, line, f"'{found}' in: {text[:60]}")
    texts = [os.path.join(top, name) for name in ("README", "NEWS", "SECURITY")]
    for path in [*texts, *files(top, *(f".{n}" for n in range(1, 9)))]:
        for line, text in paragraphs(path):
            for found in EXCLUDED.findall(text):
                blame(path, line, f"'{found}'")
            for sentence in re.split(r"(?<=[.;:!?])\s+|\n\s*[-o] ", text):
                if len(sentence.split()) > WORDS:
                    blame(path, line, f"{len(sentence.split())} words: {sentence[:60]}...")


main(sys.argv[1])
