# SPDX-License-Identifier: LGPL-2.1-or-later
"""What topomap's commands answer, as tables: tables WHICH [WORD] reads a document of
JSON on stdin, and prints it as CSV or for people.

tools/table/answer.c runs it: the command in C finds, judges and counts, and writes the
document that --json prints.
"""
import io
import json
import os
import signal
import sys

sys.path.insert(1, os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
import evaluated
import grids
import helptext
import history
import network
import plan
import profiles
import show
from output import Number, csv


def document_of(view):
    return lambda text, *words: view(json.loads(text), *words)


def numbers_of(view):
    """Numbers stay as they are written."""
    return lambda text, *words: view(json.loads(text, parse_float=Number, parse_int=Number),
                                     *words)


VIEWS = {
    "csv": numbers_of(csv), "show": document_of(show.show),
    "show-csv": document_of(show.show_csv), "list": document_of(profiles.listing),
    "list-csv": document_of(profiles.listing_csv),
    "list-all": document_of(lambda rows: profiles.listing(rows, "folder")),
    "recorder": lambda text: profiles.as_json(profiles.members_of(text, "notes")),
    "recorder-csv": lambda text: csv(profiles.members_of(text, "notes")),
    "collected": lambda text: profiles.as_json(profiles.members_of(text, "filed", "notes")),
    "collected-csv": lambda text: csv(profiles.members_of(text, "filed", "notes"), "filed"),
    "graphs": document_of(profiles.graphs), "grid": document_of(profiles.grid),
    "ranks": document_of(history.ranks), "eval": document_of(evaluated.eval_text),
    "eval-csv": numbers_of(evaluated.eval_csv), "plan": document_of(plan.plan_text),
    "topology": document_of(network.topology), "dims": document_of(grids.dims),
    "dims-csv": numbers_of(grids.dims_csv), "order": document_of(grids.order),
    "select": document_of(grids.select), "layout": document_of(grids.layout),
    "layout-csv": numbers_of(grids.layout_csv),
    "help": document_of(helptext.help_text), "complete": document_of(helptext.completion),
    "mappers": document_of(helptext.mappers)}

def page(*words):
    import committee  # with tools/pictures, which no other view needs
    return committee.page(*words)


# Of lines, which may be millions: texts come as they go.
STREAMS = {
    "history": history.history, "history-csv": history.history_csv,
    "report": history.filed(page),
    **{name: history.summed(form) for name, form in (
        ("summary", history.summary), ("summary-csv", history.summary_csv),
        ("summary-json", history.summary_json), ("prometheus", history.prometheus))}}


def main(view, *words):
    if view in STREAMS:
        signal.signal(signal.SIGPIPE, signal.SIG_DFL)
        lines = io.TextIOWrapper(sys.stdin.buffer, "utf-8", "surrogateescape", newline="\n")
        for text in STREAMS[view](iter(lines), *words):
            sys.stdout.buffer.write(text.encode("utf-8", "surrogateescape"))
        return
    text = sys.stdin.buffer.read().decode("utf-8", "surrogateescape")
    sys.stdout.buffer.write(VIEWS[view](text, *words).encode("utf-8", "surrogateescape"))


if __name__ == "__main__":
    main(*sys.argv[1:])
