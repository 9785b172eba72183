#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# qap.sh - topomap map on quadratic assignment problems that are hop-bytes
# problems on a mesh: those of Nugent, Vollmann and Ruml, whose optima are proven.
# QAPLIB=DIR has nug12.dat and so on (https://coral.ise.lehigh.edu/data-sets/qaplib,
# Burkard, Karisch, Rendl, 1997). BENCH_TIME=5 seconds each, BENCH_THREADS=2.
# Prints, judges nothing.
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-qap}
: "${MAPGEN:?}"
dir=${QAPLIB:?QAPLIB=DIR, a folder with nug12.dat and so on}
case $dir in
/*) ;;
*) dir=${BENCH_FROM:-.}/$dir ;; # as seen from where make was called
esac
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-qap-XXXXXX")
trap 'rm -rf "$work"' EXIT

number() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$2" | head -1; }

printf '%-8s %-6s %8s %8s %7s %8s %9s\n' instance mesh cost optimum ratio seconds work
while read -r name mesh optimum; do
    [ -e "$dir/$name.dat" ] || { echo "$name: no $name.dat in $dir" && continue; }
    "$MAPGEN" qap "$dir/$name.dat" "mesh:$mesh" >"$work/graph" &&
        "$topomap" map "$work/graph" --topology "mesh:$mesh" --tasks-per-node 1 --choose hop-bytes \
            --time "${BENCH_TIME:-5}" --threads "${BENCH_THREADS:-2}" --json -o "$work/mapping" >"$work/report" || continue
    "$topomap" eval "$work/graph" --topology "mesh:$mesh" --tasks-per-node 1 "$work/mapping" --json >"$work/score"
    awk -v name="$name" -v mesh="$mesh" -v average="$(number avg_hop_bytes "$work/score")" \
        -v n="$(head -1 "$work/graph")" -v optimum="$optimum" -v seconds="$(number seconds "$work/report")" \
        -v units="$(number work "$work/report")" 'BEGIN {
            cost = average * (n + 0) / 2
            printf "%-8s %-6s %8d %8d %7.4f %8.2f %9d\n", name, mesh, cost + 0.5, optimum, cost / optimum, seconds, units
        }'
done <<'TEXT'
nug12 4x3 578
nug15 5x3 1150
nug16b 4x4 1240
nug20 5x4 2570
nug21 7x3 2438
nug22 11x2 3596
nug24 6x4 3488
nug25 5x5 3744
nug27 9x3 5234
nug28 7x4 5166
nug30 6x5 6124
TEXT
