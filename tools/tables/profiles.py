# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap profile list, graphs, grid, recorder and collect."""
import json

from output import csv_text, printable


def types_word(row):
    return "refused" if row.get("refused") else "unreadable" if "error" in row else \
        ",".join(row["types"]) or "none"


def width(least, values):
    """Of a column; longer values do not make it wider."""
    return max([least] + [len(value) for value in values if len(value) < 40])


def short(identity):
    return identity[:15 if identity.startswith("sha256-") else 8]


def listing(rows, place="catalogue"):
    """place: what the last column is."""
    first, last = (width(7, (row["program"] for row in rows)),
                   width(5, (types_word(row) for row in rows)))
    text = "%-*s  %-15s  %7s  %-20s  %-*s  %s\n" % (
        first, "PROGRAM", "IDENTITY", "TASKS", "RECORDED", last, "TYPES", place.upper())
    for row in rows:
        text += "%-*s  %-15s  %7d  %-20s  %-*s  %s%s%s\n" % (
            first, printable(row["program"]), short(row["identity"]), row["ntasks"],
            printable(row.get("recorded", "-")), last, types_word(row), printable(row[place]),
            "  (current)" if place == "folder" and row["current"] else "",
            "  (partial)" if row["partial"] else "")
    return text


def listing_csv(rows):
    names = ("program", "identity", "ntasks", "version", "current", "recorded", "seconds",
             "catalogue", "folder", "error", "partial")
    return csv_text(names, [[int(row["current"]) if name == "current" else
                             int(row["partial"]) if name == "partial" else
                             row.get(name, None if name == "seconds" else "")
                             for name in names] for row in rows])


def sizes(one):
    """"4,16", as much as fits a column."""
    text = ",".join(map(str, one["communicator_sizes"])) or "-"
    return text if len(text) < 15 else text[:11] + "..."


def graphs(document):
    types, total = document["types"], document["seconds"]
    if not types:
        return "no MPI call that is counted\n"
    row = "%-22s%14s%18s%14s%8s  %-14s  %s\n"
    text = row % ("TYPE", "CALLS", "BYTES", "SECONDS", "SHARE", "COMMUNICATORS", "CRITICAL")
    for one in types:
        text += row % (one["type"], one["calls"], one["bytes"], f"{one['seconds']:.6g}",
                       f"{100 * one['share']:.1f}%" if total > 0 else "-", sizes(one),
                       "yes" if one["critical"] else printable(f"no: {one['why']}"))
    if not document["graphs"]:
        return text + "\nno type is critical: there is nothing to map by\n"
    counted = document["seconds_without_large"]
    taken = sum(one["seconds_without_large"] for one in types if one["critical"])
    text += "\n"
    if counted > 0:
        text += (f"the critical types take {100 * taken / counted:.1f}% of the {counted:.6g} s "
                 f"outside large collectives ({100 * document['share']:.3g}% asked for)\n\n")
    row = "%-22s%14s%18s%18s\n"
    text += row % ("GRAPH", "PAIRS", "BYTES", "MOST NEIGHBOURS")
    return text + "".join(row % (one["graph"], one["pairs"], one["bytes"], one["most_neighbours"])
                          for one in document["graphs"])


def grid(document):
    """In the order of MPI_Cart_create, of patterns (grid:3x4) and of topomap plan."""
    found, total = document["grid"], document["bytes"]
    dimensions = found["dimensions"][::-1]

    def share(part):
        return f"{100 * part / total if total > 0 else 0:.1f}%"
    text = "grid " + "x".join(str(one["size"]) for one in dimensions)
    text += (f" of {document['ntasks']} tasks, " +
             ("ranks count through it, the last dimension fastest" if found["by_rank"] else
              "ranks are in another order") +
             f"\nexplains {share(found['explained_bytes'])} of {total} bytes, "
             f"stencil: {found['stencil']}\n\n")
    text += "%-10s%10s  %s\n" % ("DIMENSION", "SIZE", "KIND")
    for i, one in enumerate(dimensions, 1):
        text += "%-10d%10d  %s\n" % (i, one["size"],
                                     "group: all with all" if one["kind"] == "group" else
                                     "line, periodic" if one["periodic"] else "line")
    row = "%14s%18d%8s  %s\n"
    text += "\n%14s%18s%8s  %s\n" % ("EDGES", "BYTES", "SHARE", "OFFSET")
    for one in found["offsets"]:
        text += row % (one["edges"], one["bytes"], share(one["bytes"]),
                       ",".join(str(step) for step in reversed(one["step"])))
    rest = found["explained_bytes"] - sum(one["bytes"] for one in found["offsets"])
    if rest > 0:
        text += row % ("", rest, share(rest), "inside groups, or alike in parallel lines")
    return text


def members_of(text, *lists):
    """Lines "WORD VALUE" are members of an object; of some words there may be several."""
    made = {name: [] for name in lists}
    values = {}
    for line in filter(None, text.split("\n")):
        word, _, value = line.partition(" ")
        if word in ("note", "filed"):
            made["notes" if word == "note" else word].append(value)
        else:
            values[word] = value
    return {**values, **made}


def as_json(document):
    return json.dumps(document, indent=2) + "\n"
