# SPDX-License-Identifier: LGPL-2.1-or-later
"""pictures.py FOLDER: what pictures are made of: escaped text, amounts as people
write them, steps of colours, cells of matrices, layouts of networks."""
import math
import sys
import xml.etree.ElementTree

from tap import finish, judge

sys.path.insert(0, sys.argv[1])
import calls
import matrix
import network
import nodes
import search
import svg

for raw, shown in (
        ("", ""), ("n0 - s1, \u00e9\u20ac", "n0 - s1, \u00e9\u20ac"),
        ("<script>\"'&", "&lt;script&gt;&quot;&#39;&amp;"), ("a\x01\n\t\x7f\x9bb", "a?????b"),
        ("\ud800", "?"), ("\u202e\u2066", "??"), ("\ufffe\uffff", "??"),
        ("\u2028\U0001f600", "?\U0001f600")):
    judge(f"text {raw!a}", shown, svg.escape(raw))

for value, unit, text in (
        (0, "bytes", "0 B"), (1, "bytes", "1 B"), (999, "bytes", "999 B"), (999.6, "bytes", "1 kB"),
        (123456, "bytes", "123 kB"), (999999, "bytes", "1 MB"), (1.234e9, "bytes", "1.23 GB"),
        (9.2e18, "bytes", "9.2 EB"), (42, "messages", "42"), (4200, "messages", "4.2 k"),
        (0, "seconds", "0 s"), (2.5e-8, "seconds", "25 ns"), (2.5e-6, "seconds", "2.5 us"),
        (0.9999, "seconds", "1 s"), (0.0451, "seconds", "45.1 ms"), (1234, "seconds", "1234 s"),
        (72000, "seconds", "20 h"), (0.5, "plain", "0.5"), (math.inf, "bytes", "-")):
    judge(f"{value} {unit}", text, svg.amount(value, unit))

for least, most, value, step in ((1, 65536, 1, 0), (1, 65536, 256, 8), (1, 65536, 65536, 15), (7, 7, 7, 15)):
    judge(f"{value} of {least} to {most}, logarithmically", step, svg.log_step(value, least, most))
for most, value, step in ((10, 0, 0), (10, 5, 8), (10, 10, 15), (0, 0, 0)):
    judge(f"{value} of {most}", step, svg.even_step(value, most))
for most, n, marks in ((10, 4, [5, 10]), (4.95, 4, [1, 2, 3, 4]), (120e6, 4, [50e6, 100e6]), (0.154, 4, [0.05, 0.1, 0.15]),
                       (0, 4, []), (3, 4, [1, 2, 3])):
    judge(f"round ticks to {most}", marks, [float(f"{tick:.6g}") for tick in svg.ticks(most, n)])
judge("bytes are whole", ([1], [1, 2], [0.2, 0.4]), (svg.ticks(1, 4, "bytes"), svg.ticks(2.5, 4, "bytes"), svg.ticks(0.5, 4)))
judge("sizes of messages are round", ([5, 10, 20, 50, 100], [1e3, 2e3], [200, 500, 1000], [100, 1e4, 1e6, 1e8]),
      tuple(calls.size_ticks(*ends) for ends in ((0, 7), (10, 12), (8, 10), (0, 31))))
judge("logarithmic ticks", ([2, 5, 10, 20], [10, 100, 1000], [1000.0]),
      (svg.log_ticks(1, 50), svg.log_ticks(1, 5e3), svg.log_ticks(999, 1001)))
judge("coordinates", "0 0.1 -0.1 12.5 1234567", " ".join(map(svg.number, (0, 0.05, -0.05, 12.5, 1234567))))

# A search: a lane a mapper, whose best is there whenever it came, and whose the best of all is.
events = [[1, 0, 5, "rb"], [1, 1, 5, ""], [2, 0, 4, "rb, refined"]]
events += [[3 + i, 0, 6 - i / 200, "greedymap"] for i in range(400)]
events += [[900, 9, 4.5, ""], [901, 10, 6 - 399 / 200, ""]] + [[1000, 0, 9, chr(65 + i)] for i in range(32)]
judge("moments of a search", [(1, 1, 5, "rb"), (900, 9, 4.5, ""), (901, 10, 4.005, "greedymap")],
      [tuple(moment) for moment in search.moments_of(events)])
lanes = search.lanes_of(events)
judge("lanes", (16, ["rb", "rb, refined", "greedymap", "A"]), (len(lanes), [lane["mapper"] for lane in lanes[:4]]))
judge("the best of a lane", (200, (402, 4.005), 4.005),
      (len(lanes[2]["ticks"]), lanes[2]["ticks"][-1], lanes[2]["best"]))

# Six tasks, and what pairs of them exchange.
traffic = [0, 1, 7, 0, 5, 4, 2, 3, 100, 4, 5, 1000, 0, 5, 6]


def cells(per, place=range(6)):
    return matrix.Cells(traffic, place, per)


def total(of):
    return sum(value for i, row in enumerate(of.row) for j, value in row.items() if j <= i)


one = cells(1)
judge("filled cells, and their scale", (8, 7, 1000), (one.nfilled, one.least, one.most))
judge("both triangles", (7, 7), (one.row[0][1], one.row[1][0]))
judge("strokes", 8, sum(1 for _ in one.strokes(7, 1000)))
one.halve()
judge("halved, nothing is lost, nothing counts twice", (3, 2, 1117, 7, 10), (one.n, one.per, total(one), one.row[0][0], one.row[0][2]))
judge("it is what it were if made so", cells(2).row, one.row)
one.halve()
judge("and once more", [{0: 107, 1: 10}, {0: 10, 1: 1000}], one.row)
judge("cells of several ranks are added up", [{0: 107, 1: 10}, {0: 10, 1: 1000}], cells(4).row)
judge("also where the last one has fewer", (2, 4, 6), (cells(4).n, cells(4).per, cells(4).ntasks))
moved = cells(1, [5, 4, 3, 2, 1, 0])  # task t at place 5 - t
judge("a mapping moves them", [{1: 1000, 5: 10}, {0: 1000}, {3: 100}, {2: 100}, {5: 7}, {0: 10, 4: 7}], moved.row)

# Two nodes of three slots: ranks 0, 2 and 4 on the first, the others on the other one.
hardware = {"nslots": 3, "near": [2, 4], "frames": [], "cores": []}
scene = {"nodes": [hardware], "node_slots": [3, 3], "hosts": ["a", "b"], "flows": [
    0, 1, 7, 0, 2, 30, 0, 4, 20, 2, 3, 100, 4, 5, 1000]}
side = {"host": [0, 1, 0, 1, 0, 1], "slot": [1, 0, 0, 1, 2, 2]}
side["exchanged"] = nodes.exchanged(scene, side)
one = nodes.place(scene, side, [0])[0]
judge("who sits where", [2, 0, 4], one.slots)
judge("what stays in a node counts once, what leaves it too", (50, 1107), (one.inside, one.leaves))
judge("of equal nodes the first is shown", [0], nodes.choose([side["exchanged"]], 1))
judge("shown are the nodes that send most under any mapping", [2, 0, 4],
      nodes.choose([([], [5, 1, 0, 2, 3]), ([], [0, 1, 9, 2, 3])], 3))
judge("ranks of nodes, in words", ["rank 1", "ranks 0, 2", "no rank", "17 ranks"],
      nodes.ranks_of({"host": [1, 0, 1] + 17 * [3]}, 4))
judge("the heaviest last", [(20, 1, 2), (30, 0, 1)], one.arcs)

row = matrix.Cells([0, 0, 5, 0, 1, 5, 0, 3, 9], range(4), 1)
judge("neighbours of one colour are one stroke", [(0, 0, 2, 0), (0, 3, 4, 15), (1, 0, 1, 0), (3, 0, 1, 15)],
      list(row.strokes(5, 9)))
judge("base 36", "0 z 10 2s", " ".join(map(matrix.base36, (0, 35, 36, 100))))

judge("a torus of few routers is drawn one by one", ([4, 4], [1, 1]), network.blocks([4, 4]))
sizes, factors = network.blocks([64, 16, 8])
judge("one of many by blocks", True, math.prod(sizes) * 3 <= network.MOST_LINES)
judge("that cover it", True, all(size * factor >= dim for size, factor, dim in zip(sizes, factors, (64, 16, 8))))
judge("planes are named", "z = 0-1, w = 3", network.plane_name(3, [4, 4, 1, 4], [1, 1, 2, 1], [4, 4, 2, 4]))
tree = {"kind": "other", "nhosts": 4, "nswitches": 3, "host_vertex": [5, 5, 6, 6], "attached": [],
        "links": [[0, 5], [1, 5], [2, 6], [3, 6], [5, 4], [6, 4]]}
level, peers = network.find_levels(tree)
judge("levels of switches", [0, 0, 0, 0, 2, 1, 1], level)
layout = network.layered_layout(tree)
judge("a dot for each vertex, a stroke for each cable", (7, 6), (len(layout.dots), len(layout.strokes)))
judge("nodes at the bottom", True, layout.dots[layout.dot_of[0]][1] > layout.dots[layout.dot_of[5]][1] > layout.dots[layout.dot_of[4]][1])

picture = svg.Svg()
picture.begin(10, 10, "<a>", "&")
picture.rect(0, 0, 1, 1, "box", "\x07<tip>")
picture.legend("bytes", 1, 1000, "bytes", is_log=True)
picture.end()
judge("an SVG is well-formed, whatever its texts are", "<a>",
      next(iter(xml.etree.ElementTree.fromstring("".join(picture.out)))).text)

finish()
