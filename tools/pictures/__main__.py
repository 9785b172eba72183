# SPDX-License-Identifier: LGPL-2.1-or-later
"""Pictures of topomap draw and topomap report: reads a scene, as JSON, from stdin
and writes SVG or HTML to stdout. tools/draw/scene.c makes the scene."""
import json
import sys

import calls
import matrix
import network
import nodes
import report
import search
from svg import Svg

PICTURES = {"matrix": matrix, "network": network, "nodes": nodes, "profile": calls,
            "search": search, "report": report}


def order(side):
    """task: the tasks in the order of nodes and their slots; at: the node of each
    of them. What describes a mapping, host and slot, is by task."""
    host, slot = side["host"], side["slot"]
    side["task"] = sorted(range(len(host)), key=lambda t: (host[t], slot[t]))
    side["at"] = [host[t] for t in side["task"]]


def main():
    scene = {"network": None, "profile": None, "search": None, **json.load(sys.stdin.buffer)}
    for side in scene["sides"]:
        order(side)
    svg = Svg()
    PICTURES[scene["picture"]].draw(svg, scene)
    sys.stdout.buffer.write("".join(svg.out).encode("utf-8", "replace"))


main()
