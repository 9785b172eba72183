# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap eval."""
from output import csv, printable, table_text
from units import TIME, as_bytes, as_change, as_number, as_rate, as_seconds, as_truth

# Of a table for people: member, heading, how it is written. TIME's member has the unit
# behind its name.
EVAL_COLUMNS = {
    "mappings": (
        ("mapping", "<MAPPING", str), ("avg_hop_bytes", "HOP-BYTES", as_bytes),
        ("max_hop_bytes", "LARGEST TASK", as_bytes), ("hops_per_byte", "HOPS/BYTE", as_number),
        ("off_node_bytes", "OFF-NODE", as_bytes), ("max_link_bytes", "BUSIEST LINK", as_bytes),
        ("max_link", "LINK", str), ("avg_inside_hop_bytes", "INSIDE", as_bytes),
        ("inside_hops_per_byte", "INSIDE HOPS/BYTE", as_number), ("time", "TIME", TIME),
        ("gain", "GAIN", as_change), ("latency", "LATENCY", TIME),
        ("messages", "MESSAGES", TIME), ("busiest", "SLOWEST PORT", str),
        ("search_s", "SEARCH", as_seconds), ("cut", "CUT", as_truth)),
    "types": (
        ("mapping", "<MAPPING", str), ("type", "<TYPE", str), ("time", "TIME", TIME),
        ("latency", "LATENCY", TIME), ("messages", "MESSAGES", TIME),
        ("slowest_port", "SLOWEST PORT", TIME), ("busiest", "<PORT", str),
        ("flows", "FLOWS", str), ("steps", "STEPS", str), ("stages", "STAGES", str)),
    "phases": (("mapping", "<MAPPING", str), ("phase", "<PHASE", str), ("time", "TIME", TIME)),
    "links": (
        ("mapping", "<MAPPING", str), ("link", "<LINK", str), ("capacity", "CAPACITY", as_rate),
        ("bytes", "BYTES", as_bytes)),
    "ranks": (
        ("mapping", "<MAPPING", str), ("rank", "RANK", str), ("node", "NODE", str),
        ("slot", "SLOT", str), ("bytes", "BYTES", as_bytes),
        ("off_node_bytes", "OFF-NODE BYTES", as_bytes), ("hop_bytes", "HOP-BYTES", as_bytes),
        ("hops_per_byte", "HOPS PER BYTE", as_number))}


def eval_rows(document, name):
    """Of all mappings; those inside of one get its name."""
    mappings = document["mappings"]
    return mappings if name == "mappings" else \
        [{"mapping": one["mapping"], **row} for one in mappings for row in one.get(name, [])]


def eval_table(document, name):
    rows = eval_rows(document, name)
    columns = []
    for key, heading, form in EVAL_COLUMNS[name]:
        if form is TIME:
            behind, form = TIME[document["time_unit"]]
            key += behind
        if rows and key in rows[0]:
            columns.append((key, heading, form))
    return table_text([heading for _, heading, _ in columns],
                      [[None if row[key] is None else form(row[key]) for key, _, form in columns]
                       for row in rows]) if rows else ""


def eval_notes(document):
    use, mappings = document["use"], document["mappings"]
    text = ""
    if any(one["cut"] for one in mappings):
        text += "cut: time or work ended the search\n"
    if document["time_unit"] == "bytes":
        text += "times are bytes of the slowest link: the network states no capacities\n"
    if document.get("order") == "none" and document["is_profile"]:
        text += "all messages of a type at once" + \
            (": their order is not recorded\n" if document["asks_order"] else "\n")
    if document["by_type"] or "order" in document:
        gain = next((one["gain"] for one in mappings if one["mapping"] == use), None) or 0
        text += f"use {printable(use)}: " + (
            "none is better by 1%\n" if use == document["block"] else
            f"{100 * gain:.1f}% of " + ("the recorded time in these calls"
                                        if document["is_profile"] else "the time") +
            " can be gained\n")
    return text


def eval_text(document):
    text = eval_table(document, "mappings") + eval_notes(document)
    for name in ("types", "phases", "links", "ranks"):
        table = eval_table(document, name)
        text += "\n" + table if table else ""
    return text


def eval_csv(document):
    """The table that is asked for, or that of the mappings."""
    asked = [name for name in ("types", "links", "ranks") if eval_rows(document, name)]
    return "".join(csv({"rows": [{key: int(value) if isinstance(value, bool) else value
                                  for key, value in row.items()}
                                 for row in eval_rows(document, name)]}, "rows")
                   for name in asked or ["mappings"])
