#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# grid.sh - topomap grid: rank orders by hand, forms that agree, refusals; and
# what the mapper `grid` makes of grids with collectives
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

grid() { "$TOPOMAP" grid "$@" 2>&1; }

equal "grid: 4x4 in blocks of 2x2" "0,1,4,5,2,3,6,7,8,9,12,13,10,11,14,15" \
    "$(grid 4x4 --per-node 2x2)"
equal "grid: ranks along the first dimension" "0,1,4,5,2,3,6,7" \
    "$(grid 4x2 --per-node 2x2 --order first)"
equal "grid: the last dimension whole is the plain order" "0,1,2,3,4,5,6,7" \
    "$(grid 4x2 --per-node 2x2)"

# A star stencil on 8 x 8: blocks of 4 x 4 on 4 hosts of a ring cut as computed:
# 4 boundaries of 4 tasks.
awk 'BEGIN {for (y = 0; y < 8; y++) for (x = 0; x < 8; x++) {t = y * 8 + x
    if (x < 7) print t, t + 1, 100; if (y < 7) print t, t + 8, 100}}' >"$work/star.edges"
grid 8x8 --per-node 4x4 --format mapping >"$work/mapping"
equal "grid: off-node bytes as computed" 1600 \
    "$("$TOPOMAP" eval "$work/star.edges" --topology flat:4 --slots 16 \
        --mapping "$work/mapping" --json | sed -n 's/.*"off_node_bytes": *\([0-9]*\).*/\1/p')"
grid 8x8 --per-node 4x4 -o "$work/order"
equal "grid: forms agree" "$(cat "$work/mapping")" \
    "$("$TOPOMAP" convert "$work/order" --from mpich --to mapping --slots '16(x4)')"
equal "grid: a hostfile names the nodes" "a1 a1 a2 a2 a1 a1 a2 a2" \
    "$(grid 2x4 --per-node 2x2 --format hostfile --nodelist 'a[1-2]' | tr '\n' ' ' | sed 's/ $//')"

# refused STATUS WHAT PATTERN ARGUMENT...
refused() {
    expected=$1
    what=$2
    pattern=$3
    shift 3
    out=$(grid "$@")
    equal "grid: $what: exit status" "$expected" "$?"
    case $out in
    *$pattern*) ok "grid: $what: says so" ;;
    *) not_ok "grid: $what: says so" "$out" ;;
    esac
}
refused 2 "no grid" "GRID is missing" --per-node 2x2
refused 2 "no block" "--per-node is missing" 4x4
refused 2 "a dimension of 0" "'4x0'" 4x0 --per-node 2x2
refused 2 "a negative dimension" "'4x-4'" 4x-4 --per-node 2x2
refused 2 "a number too large" "'99999999999x4'" 99999999999x4 --per-node 2x2
refused 2 "seven dimensions" "1 to 6" 2x2x2x2x2x2x2 --per-node 2
refused 2 "a block of other dimensions" "block of 1" 4x4 --per-node 2
refused 2 "an unknown order" "'middle'" 4x4 --per-node 2x2 --order middle
refused 2 "an unknown form" "'any'" 4x4 --per-node 2x2 --format any
refused 1 "blocks that do not divide" "6 tasks along dimension 2" 4x6 --per-node 2x4
refused 1 "a grid too large" "more than" 65536x65536 --per-node 1x1
refused 1 "a grid larger than the job" "4 blocks, but the list 3 nodes" \
    4x4 --per-node 2x2 --nodelist 'n[0-2]'
refused 1 "a hostfile without names" "--nodelist" 4x4 --per-node 2x2 --format hostfile
# Columns with alltoall, rings of rows and trees: hops per byte that nothing else
# comes near, by one run of the mapper, whatever the machine's speed.
qbox() {
    found=$("$TOPOMAP" map "$work/qbox.graph" --topology "$1" --slots 16 --mapper grid --work 1 \
        --json -o "$work/qbox.mapping" | awk '/"hops_per_byte"/ {print $2 + 0; exit}')
    if awk -v x="${found:-9}" -v y="$2" 'BEGIN {exit !(x <= y)}'; then
        ok "mapper grid: collectives on $1: at most $2"
    else
        not_ok "mapper grid: collectives on $1: at most $2" "found: $found"
    fi
}
"$MAPGEN" qbox 32x32 8192 262144 65536 >"$work/qbox.graph"
qbox torus:4x4x4 0.660
"$MAPGEN" qbox 128x128 8192 262144 65536 >"$work/qbox.graph"
qbox torus:8x8x16 1.606
qbox torus:4x4x4x8x2 1.360
qbox tree:8,16,8 2.535

printf 'kept\n' >"$work/kept"
grid 4x6 --per-node 2x4 -o "$work/kept" >/dev/null
equal "grid: a refusal leaves the output as it was" kept "$(cat "$work/kept")"
finish
