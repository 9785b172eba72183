# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a command says of itself: --help, and the lines that a shell's completion reads.

tools/common/command_line_help.c writes the document: the members of struct command_line.
"""
import re

WIDTH, COLUMN = 79, 25  # of a line; where the texts of options begin


def wrapped(text, at, indent):
    """Words from column `at` of a line on, on lines of at most WIDTH; one that is longer
    is cut behind a comma."""
    out, new_line = "", "\n" + " " * indent
    for i, line in enumerate(text.split("\n")):
        if i:
            out, at = out + new_line, indent
        for k, word in enumerate(line.split(" ")):
            if k and at + 1 + len(word) > WIDTH:
                out, at = out + new_line, indent
            elif k:
                out, at = out + " ", at + 1
            while len(word) > WIDTH - at and "," in word[:WIDTH - at]:
                cut = word.rindex(",", 0, WIDTH - at) + 1
                out, word, at = out + word[:cut] + new_line, word[cut:], indent
            out, at = out + word, at + len(word)
    return out + "\n"


def entry(head, text):
    head = f"  {head}"
    return head + ("\n" + " " * COLUMN if len(head) >= COLUMN else " " * (COLUMN - len(head))) + \
        wrapped(text, COLUMN, COLUMN)


def option(row):
    """-o, --output FILE, what it is for, and its words."""
    head = f"-{row['letter']}, --{row['name']}" if row["letter"] else f"--{row['name']}"
    if row["argument"]:
        head += f"[={row['argument']}]" if row["may_stand_alone"] else f" {row['argument']}"
    words = []
    for name, gloss in row["words"]:
        notes = ["default"] * (name == row.get("default")) + [gloss] * bool(gloss)
        words.append(name + (f" ({', '.join(notes)})" if notes else ""))
    text = row["help"]
    if words:
        text += ": " + ", ".join(words)
    elif row.get("default"):
        text += f" (default {row['default']})"
    return entry(head, text)


def form(line, words, operands, verb=None):
    """A usage line: which words, operands, and options of a verb, or what is required
    without verbs."""
    for row in operands:
        words += (" {}{}" if row["required"] else " [{}]{}").format(
            row["name"], "..." if row["is_list"] else "")
    for row in [] if line["forms"] else line["options"]:
        if row["help"] and (row["required"] if verb is None else row["verbs"] >> verb & 1):
            words += (" --{}" if row["required"] else " [--{}]").format(
                " ".join(filter(None, (row["name"], row["argument"]))))
    return words + (" [OPTION]..." if verb is None and not line["forms"] else "")


def usage(line):
    forms = [f" {words}" for words in line["forms"]]
    if not forms and not line["verbs"]:
        forms = [form(line, "", line["operands"])]
    forms += [form(line, f" {verb['name']}", verb["operands"], i)
              for i, verb in enumerate(line["verbs"])]
    text, name = "", line["name"]
    for i, words in enumerate(forms):
        head = f"{'      ' if i else 'usage:'} topomap{'' if name[0] == '-' else ' '}{name}"
        at = len(head)
        text += head
        for word in filter(None, re.split(r"(?= [-\[])", words)):
            if at + len(word) > WIDTH:
                text, at = text + "\n" + " " * len(head), len(head)
            text, at = text + word, at + len(word)
        text += "\n"
    return text


def help_text(line):
    text = usage(line) + "\n" + wrapped(line["about"], 0, 0) + "\n"
    if line["verbs"]:
        text += "".join(entry(verb["name"], verb["summary"]) for verb in line["verbs"]) + "\n"
    operands = {}
    for row in line["operands"] + sum((verb["operands"] for verb in line["verbs"]), []):
        operands.setdefault(row["name"], entry(row["name"], row["help"]))
    text += "".join(operands.values())
    text += "".join(option(row) for row in line["options"] if row["help"])
    text += entry("-h, --help", "this text")
    return text + ("\n" + wrapped(line["more"], 0, 0) if line["more"] else "")


def completion(line):
    """A line each: --time SECONDS, --choose WHAT hop-bytes link, OPERAND GRAPH, VERB show
    PROFILE --json."""
    shown = [row for row in line["options"] if row["help"]]
    lines = [[f"--{row['name']}", row["argument"], *(name for name, _ in row["words"])]
             for row in shown] + [["--help"]]
    lines += [["OPERAND", row["name"]] for row in line["operands"]]
    for i, verb in enumerate(line["verbs"]):
        lines.append(["VERB", verb["name"], *(row["name"] for row in verb["operands"]),
                      *(f"--{row['name']}" for row in shown
                        if not row["verbs"] or row["verbs"] >> i & 1)])
    return "".join(" ".join(filter(None, words)) + "\n" for words in lines)


def mappers(rows):
    """A mapper begins in the first column; its source follows what it does."""
    return "".join(f"{row['name']:12} " + wrapped(f"{row['summary']} [{row['source']}]",
                                                  max(13, len(row["name"]) + 1), 13)
                   for row in rows)
