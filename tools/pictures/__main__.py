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


def main():
    scene = json.load(sys.stdin.buffer)
    svg = Svg()
    PICTURES[scene["picture"]].draw(svg, scene)
    sys.stdout.buffer.write("".join(svg.out).encode("utf-8", "replace"))


main()
