# SPDX-License-Identifier: LGPL-2.1-or-later
"""What a command says of itself: --help, and the lines that a shell's completion reads.

tools/common/command_line_help.c writes the document, the members of struct command_line;
help.txt has the words for people.
"""
import os
import re

WIDTH, COLUMN = 79, 25  # of a line; where the texts of options begin


def sections():
    """Of help.txt: the lines of each, a word and what it is."""
    found, lines = {}, []
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "help.txt"), encoding="utf-8") as file:
        for text in file:
            if text[0] == "[":
                lines = found[text.strip()[1:-1]] = []
            elif text[0] not in "#\n":
                word, _, words = text.rstrip("\n").partition(" ")
                lines.append((word, words))
    return found


def described(line):
    """The line with its words for people; a row without has None."""
    found, said = sections(), {"form": [], "verb": [], "uses": []}
    for word, text in found[line["name"]]:
        if word in said and isinstance(said[word], list):
            said[word].append(text)
        else:
            said[word] = text
    rows = {}
    for name in " ".join(said["uses"]).split()[::-1]:
        rows.update(found["+" + name])
    rows.update(said)
    line.update(forms=said["form"], about=said["about"], more=said.get("more"))
    summaries = dict(text.split(" ", 1) for text in said["verb"])
    for verb in line["verbs"]:
        verb["summary"] = summaries[verb["name"]]
    for row in line["options"] + line["operands"] + sum((verb["operands"] for verb in line["verbs"]), []):
        text = rows.get(row["name"])
        row["help"] = text and text.replace("{site_file}", line["site_file"])
    return line


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
    line = described(line)
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
    line = described(line)
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
