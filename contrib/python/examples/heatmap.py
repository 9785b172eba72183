#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""From a matrix of bytes to a picture: who talks with whom, host by host, before and
after a search. Writes heatmap.svg; needs NumPy alone.

    python3 heatmap.py [GRAPH] [TOPOLOGY] [SLOTS]
"""

import sys

import numpy as np

import mapcore

# --- The graph: a file of any format that topomap reads, or a grid whose ranks were
# dealt out like cards, as a program's might be.
if len(sys.argv) > 1:
    graph = mapcore.Graph.read(sys.argv[1])
else:
    grid = mapcore.Graph.pattern("grid:8x16:periodic:weights=1000/250")
    a, b, weight = grid.edges()
    dealt = np.arange(128).reshape(16, 8).T.ravel()
    graph = mapcore.Graph.from_edges(dealt[a], dealt[b], weight)

# --- The network, and how many tasks a host takes.
network = mapcore.Topology(sys.argv[2] if len(sys.argv) > 2 else "torus:4x4")
slots = int(sys.argv[3]) if len(sys.argv) > 3 else -(-graph.ntasks // network.nhosts)
print(graph, network, f"{slots} slots a host", sep="\n")

# --- The search; Ctrl-C keeps the best by then.
found = mapcore.search(
    graph, network, slots=slots, time=5,
    progress=lambda work, best: print(f"\r{work} units: a byte crosses {best.hops_per_byte:.3f} "
                                      "links ", end="", file=sys.stderr))
print(file=sys.stderr)
before = mapcore.block(network, graph.ntasks, slots=slots)
for name, mapping in (("as numbered", before), ("as found", found)):
    metrics, loads = mapcore.evaluate(graph, network, mapping, slots=slots)
    busiest = "none" if metrics.max_link is None else network.link_name(metrics.max_link)
    print(f"{name:12} {metrics.hops_per_byte:7.3f} hops per byte, busiest link {busiest} "
          f"{metrics.max_link_bytes:.4g} bytes, {np.count_nonzero(loads)} of {loads.size} links used")


# --- The picture: bytes between hosts on a logarithmic scale, the two side by side.
def between_hosts(host):
    matrix = np.zeros((network.nhosts, network.nhosts))
    a, b, weight = graph.edges()
    np.add.at(matrix, (host[a], host[b]), weight)
    return matrix + matrix.T


def cells(matrix, left, most, size):
    step = size / len(matrix)
    for i, j in zip(*np.nonzero(matrix)):
        share = np.log1p(matrix[i, j]) / np.log1p(most)
        yield (f'<rect x="{left + j * step:.2f}" y="{40 + i * step:.2f}" width="{step:.2f}" '
               f'height="{step:.2f}" fill="rgb({255 - 200 * share:.0f},{255 - 150 * share:.0f},255)">'
               f"<title>host {i} with host {j}: {matrix[i, j]:.0f} bytes</title></rect>")


matrices = [between_hosts(mapping.host) for mapping in (before, found)]
most = max(matrix.max() for matrix in matrices)
with open("heatmap.svg", "w", encoding="utf-8") as svg:
    svg.write('<svg xmlns="http://www.w3.org/2000/svg" width="720" height="400" '
              'font-family="sans-serif" font-size="16">\n'
              '<title>Bytes between hosts, as numbered and as found</title>\n')
    for left, name, matrix in zip((20, 380), ("as numbered", "as found"), matrices):
        svg.write(f'<text x="{left}" y="28">{name}</text>\n'
                  f'<rect x="{left}" y="40" width="320" height="320" fill="white" stroke="gray"/>\n')
        svg.writelines(line + "\n" for line in cells(matrix, left, most, 320))
    svg.write("</svg>\n")
print("heatmap.svg: point at a cell to see its hosts and bytes")
