# SPDX-License-Identifier: LGPL-2.1-or-later
"""language.py TOP: the texts of topomap that users read, and comments, by the rules of
language in contrib/HACKING: a line for each place with a word that they exclude, or with a
sentence that is too long."""
import ast
import html
import io
import os
import re
import subprocess
import sys
import tokenize

EXCLUDED = re.compile(r"\b(nobody|whoever|whatever|so many|so much|told)\b", re.IGNORECASE)
WORDS = 35
ROOMS = ("libmapcore", "profiles", "plugin", "tools", "contrib/libtopomap-cart")
COMMENTED = ("libmapcore", "profiles", "plugin", "tools", "contrib", "tests")
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def files(rooms, top, *ends):
    for room in rooms:
        for folder, _, names in os.walk(os.path.join(top, room)):
            yield from sorted(os.path.join(folder, name) for name in names
                              if name.endswith(ends))


def read(path):
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


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


def comments_of_c(text):
    """(line, words) of the comments."""
    for found in re.finditer(r'"(?:[^"\\\n]|\\.)*"|/\*.*?\*/|//[^\n]*', text, re.DOTALL):
        if found[0].startswith("/"):
            yield text.count("\n", 0, found.start()) + 1, re.sub(r"\s*\n\s*\*?\s*", " ", found[0])


def comments_of_python(text):
    """The same, and what documents a module, a class or a function."""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
            yield getattr(node, "lineno", 1), re.sub(r"\s+", " ", ast.get_docstring(node) or "")


def comments_of_shell(text):
    """The same of scripts and makefiles, a line each."""
    for line, words in enumerate(text.split("\n"), 1):
        found = re.search(r"(?:^|\s)#(?!!)(.*)", words)
        if found:
            yield line, found[1]


def comments_of(path, text):
    if path.endswith((".c", ".h")):
        return comments_of_c(text)
    if path.endswith(".py"):
        return comments_of_python(text)
    is_script = path.endswith((".sh", ".awk", ".am")) or text.startswith("#!")
    return comments_of_shell(text) if is_script else []


def paragraphs(path):
    """(line, text) of a manual as it is read, and of a plain text; examples and tables are
    left out. A manual as read has no lines."""
    if not re.search(r"\.[1-8]$", path):
        line = 1
        for text in read(path).split("\n\n"):
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

    def judge(path, texts):
        for line, text in texts:
            for found in EXCLUDED.findall(text):
                blame(path, line, f"'{found}' in: {text[:60].strip()}")

    for path in files(ROOMS, top, ".c", ".h", ".py"):
        of = literals_of_python if path.endswith(".py") else literals_of_c
        judge(path, of(read(path)))
    for path in files(ROOMS, top, ".txt"):
        judge(path, enumerate(read(path).split("\n"), 1))
    for path in files(COMMENTED, top, ""):
        judge(path, comments_of(path, read(path)))
    texts = [os.path.join(top, name) for name in ("README", "NEWS", "SECURITY")]
    for path in [*texts, *files(ROOMS, top, *(f".{n}" for n in range(1, 9)))]:
        for line, text in paragraphs(path):
            for found in EXCLUDED.findall(text):
                blame(path, line, f"'{found}'")
            for sentence in re.split(r"(?<=[.;:!?])\s+|\n\s*[-o] ", text):
                if len(sentence.split()) > WORDS:
                    blame(path, line, f"{len(sentence.split())} words: {sentence[:60]}...")


main(sys.argv[1])
