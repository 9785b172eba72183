# SPDX-License-Identifier: LGPL-2.1-or-later
"""topomap grid dims, order, select and layout."""
import math

from output import csv, csv_text, printable
from units import as_bytes


def box(numbers):
    return "x".join(map(str, numbers))


def dims(document):
    if "shape" in document:
        return (f"shape {' : '.join(f'{one:.4g}' for one in document['shape'])}\n"
                f"gain {document['gain']:.4g}\n")
    return box(document["dims"]) + "\n" + "".join(
        f"{math.prod(level)}: {box(level)}, cost {cost:.6g}\n"
        for level, cost in zip(document["levels"], document["cost"]))


def dims_csv(document):
    return csv(document) if "shape" in document else csv_text(
        ("level", "pieces", "dims", "cost"),
        [(i, math.prod(map(int, level)), level, cost)
         for i, (level, cost) in enumerate(zip(document["levels"], document["cost"]), 1)])


def order_difference(document):
    fewer, mpi = document["fewer_off_node_share"], document.get("mpi_share")
    chosen = next(one for one in document["orders"] if one["is_chosen"])
    if "block" not in chosen:
        return "No block keeps more bytes on nodes than ranks in a row: leave the order as it is."
    text = (f"Blocks of {box(chosen['block'])}: {100 * abs(fewer):.1f}% "
            f"{'more' if fewer < 0 else 'fewer'} bytes between nodes than ranks in a row")
    if mpi is not None and fewer > 0:
        text += (f";\nMPI takes {100 * mpi:.1f}% of the time, so at most "
                 f"{100 * mpi * fewer:.1f}% of it is to gain")
    return text + "."


def order(document):
    text = (f"{printable(document.get('program') or document['graph'])}: {document['ntasks']} "
            f"tasks, grid {box(document['grid'])}, {document['nodes']} nodes of "
            f"{document['tasks_per_node']}\n")
    if "explained_share" in document:
        text += ("the grid was found; it explains "
                 f"{100 * document['explained_share']:.1f}% of the bytes\n")
    text += "\n%-12s  %-14s  %8s  %12s\n" % ("ORDER", "BLOCK", "ON NODE", "BETWEEN")
    for one in document["orders"]:
        text += "%-12s  %-14s  %7.1f%%  %12s\n" % (
            one["order"], box(one.get("block", "-")), 100 * one["on_node_share"],
            as_bytes(document["bytes"] - one["on_node_bytes"]))
    return f"{text}\n{order_difference(document)}\n"


def choice(number, one):
    """Of nodes for a grid."""
    start = f"# choice {number}: "
    text = start + (f"all nodes in order, curve {one['curve']}" if "curve" in one else
                    f"{box(one['size'])} routers from ({','.join(map(str, one['start']))}), "
                    f"skipped {one['skipped_rows']} rows and {one['skipped_planes']} planes")
    if "axes" in one:
        text += f", axes {one['axes']}"
    if "tiles" in one:
        text += f", tiles {box(one['tiles'])}" + (" staggered" if one["staggered"] else "")
    text += f"\n{start}longest path {one['longest_path']}, mean path {one['mean_path']:.4g}"
    if "axes" in one:
        text += (f", slowest link {one['slowest_link']:.4g}, "
                 f"hops per byte {one['hops_per_byte']:.4g}")
    if "spare" in one:
        text += f"\n{start}to spare {one['spare']}"
    return f"{text}\n{one['nodelist']}\n"


def select(document):
    text = (f"# {document['topology']}\n# {document['usable_nodes']} nodes may be used, and "
            f"{document['usable_routers']} routers have {document['nodes_per_router']} of them\n")
    nodes = f"{document['nodes']} nodes"
    text += (f"# grid {box(document['grid'])}: {document['tasks']} tasks, {nodes} with "
             f"{box(document['node_block'])} each\n" if "grid" in document else f"# {nodes}\n")
    return text + "".join(choice(i, one) for i, one in enumerate(document["choices"], 1))


def layout(document):
    return (f"# {document['topology']}\n# lattice {box(document['lattice'])}, "
            f"{box(document['blocks'])} blocks, {document['tasks']} tasks on "
            f"{document['nodes']} nodes\n# unclaimed blocks {document['unclaimed']}, parts moved "
            f"{document['moved']}, imbalance {document['imbalance']:.4g}, longest path "
            f"{document['longest_path']}, mean {document['mean_path']:.4g}\n" +
            "".join("%d-%d %d-%d %d-%d %d-%d %d\n" % tuple(part) for part in document["parts"]))


def layout_csv(document):
    return csv_text([f"{axis}_{end}" for axis in "xyzt" for end in ("first", "last")] + ["rank"],
                    document["parts"])
