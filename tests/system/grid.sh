#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# grid.sh - topomap grid order: rank orders by hand, forms that agree, refusals; and
# what the mapper `grid` makes of grids with collectives
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT

grid() { "$TOPOMAP" grid order "$@" 2>&1; }

equal "grid: 4x4 in blocks of 2x2" "0,1,4,5,2,3,6,7,8,9,12,13,10,11,14,15" \
    "$(grid 4x4 --block 2x2)"
equal "grid: ranks along the first dimension" "0,1,4,5,2,3,6,7" \
    "$(grid 4x2 --block 2x2 --order first)"
equal "grid: the last dimension whole is the plain order" "0,1,2,3,4,5,6,7" \
    "$(grid 4x2 --block 2x2)"

# A star stencil on 8 x 8: blocks of 4 x 4 on 4 hosts of a ring cut as computed:
# 4 boundaries of 4 tasks.
awk 'BEGIN {for (y = 0; y < 8; y++) for (x = 0; x < 8; x++) {t = y * 8 + x
    if (x < 7) print t, t + 1, 100; if (y < 7) print t, t + 8, 100}}' >"$work/star.edges"
grid 8x8 --block 4x4 --to mapping >"$work/mapping"
equal "grid: off-node bytes as computed" 1600 \
    "$("$TOPOMAP" eval "$work/star.edges" --topology flat:4 --tasks-per-node 16 \
        "$work/mapping" --json | sed -n 's/.*"off_node_bytes": *\([0-9]*\).*/\1/p')"
grid 8x8 --block 4x4 -o "$work/order"
equal "grid: forms agree" "$(cat "$work/mapping")" \
    "$("$TOPOMAP" convert "$work/order" --from mpich --to mapping --tasks-per-node '16(x4)' | grep -v "^#")"
equal "grid: a hostfile names the nodes" "a1 a1 a2 a2 a1 a1 a2 a2" \
    "$(grid 2x4 --block 2x2 --to hostfile --nodelist 'a[1-2]' | tr '\n' ' ' | sed 's/ $//')"

# Blocks that do not divide: smaller at the ends, and every node is full.
equal "grid: blocks that do not divide" "topomap: blocks of 2x4 do not divide 3x6: some nodes hold parts of several
0,1,2,3,6,7,8,9,4,5,10,11,12,13,14,15,16,17" "$(grid 3x6 --block 2x4)"
equal "grid: the last node has what is left" "a a a a a a a a b b b b b b b b c c" \
    "$(grid 3x6 --block 2x4 --to hostfile --nodelist a,b,c | grep -v '^topomap' | sort | tr '\n' ' ' | sed 's/ $//')"

# A recorded star stencil on 4 x 4 by 4 nodes, 24 pairs: rows keep 12 of them,
# columns dealt out 12, folded ones none, blocks of 2 x 2 keep 16. MPI took 64 of
# 16 x 10 s.
mkdir "$work/profile"
cat >"$work/profile/profile.json" <<'JSON'
{ "format": 1, "program": "app", "identity": "01", "ntasks": 16, "hosts": 4,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 10, "types": [
  { "type": "p2p", "calls": 9, "bytes": 240, "seconds": 64,
    "paired_bytes": 240, "graph": "p2p.graph" } ] }
JSON
"$TOPOMAP" convert grid:4x4:weights=10/10 --to metis -o "$work/profile/p2p.graph"
equal "grid: a profile's orders" "app: 16 tasks, grid 4x4, 4 nodes of 4
the grid was found; it explains 100.0% of the bytes
ORDER BLOCK ON NODE BETWEEN
smp - 50.0% 120 B
round-robin - 50.0% 120 B
folded - 0.0% 240 B
best-block 2x2 66.7% 80 B
Blocks of 2x2: 33.3% fewer bytes between nodes than ranks in a row;
MPI takes 40.0% of the time, so at most 13.3% of it is to gain." \
    "$(grid --profile "$work/profile" | sed '/^$/d;s/  */ /g')"
grid --profile "$work/profile" -o "$work/best" >/dev/null
equal "grid: the best block's order is written" "$(grid 4x4 --block 2x2)" "$(cat "$work/best")"
equal "grid: or printed alone" "$(grid 4x4 --block 2x2)" "$(grid --profile "$work/profile" -o -)"
equal "grid: a block of one's own beside the best" "block 1x4 50.0%
best-block 2x2 66.7%" \
    "$(grid --profile "$work/profile" --block 1x4 | awk '$1 ~ /block$/ {print $1, $2, $3}')"
# The ranks of a 4 x 4 grid in the order of a shuffle, found all the same: the
# share is that of the grid.
awk 'function rank(t) {return t * (t + 1) / 2 % 16}
    BEGIN {for (t = 0; t < 16; t++) {
        if (t % 4 < 3) print rank(t), rank(t + 1), 10; if (t < 12) print rank(t), rank(t + 4), 10}}' \
    >"$work/shuffled.edges"
equal "grid: ranks in another order" "best-block 2x2 66.7%" \
    "$(grid --profile "$work/shuffled.edges" --tasks-per-node 4 | awk '$1 == "best-block" {print $1, $2, $3}')"
# Nothing to gain: the order stays as it is.
contains "grid: no block is better" "$(grid --profile alltoall:16 --tasks-per-node 4)" '^No block keeps more'
equal "grid: then the order stays" "$(seq -s, 0 15)" "$(grid --profile alltoall:16 --tasks-per-node 4 -o -)"
# Of seven tasks a node on 7 x 7 no block divides but strips; smaller ones are
# better, and every pair that they claim to keep is kept.
grid --profile grid:7x7 --tasks-per-node 7 --to mapping -o "$work/seven" >"$work/said"
"$TOPOMAP" convert grid:7x7 --to metis -o "$work/seven.graph"
equal "grid: bytes on nodes, as eval counts them" \
    "$(awk '$1 == "best-block" {print $4 " B"}' "$work/said")" \
    "$("$TOPOMAP" eval "$work/seven.graph" --topology flat:7 --tasks-per-node 7 \
        "$work/seven" --json | sed -n 's/.*"off_node_bytes": *\([0-9]*\).*/\1 B/p')"

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
refused 2 "no grid" "GRID is missing" --block 2x2
refused 2 "no block" "--block is missing" 4x4
refused 2 "a dimension of 0" "'4x0'" 4x0 --block 2x2
refused 2 "a negative dimension" "'4x-4'" 4x-4 --block 2x2
refused 2 "a number too large" "'99999999999x4'" 99999999999x4 --block 2x2
refused 2 "seven dimensions" "1 to 6" 2x2x2x2x2x2x2 --block 2
refused 2 "a block of other dimensions" "block of 1" 4x4 --block 2
refused 2 "an unknown order" "'middle'" 4x4 --block 2x2 --order middle
refused 2 "an unknown form" "'any'" 4x4 --block 2x2 --to any
refused 1 "a block larger than the grid" "2 tasks along dimension 1" 2x6 --block 4x3
refused 2 "both a block and a number" "either" 4x4 --profile grid:4x4 --block 2x2 --tasks-per-node 4
refused 2 "a number without a profile" "--profile" 4x4 --block 2x2 --tasks-per-node 4
refused 1 "another grid than the profile's" "a grid of 20 tasks, but" 4x5 --profile grid:4x4 --tasks-per-node 4
refused 1 "a block of other dimensions than the profile's" "block of 3" --profile grid:4x4 --block 2x2x1
refused 1 "a profile without nodes" "--tasks-per-node" --profile grid:4x4
refused 1 "a profile that is not there" "none" --profile name:none --tasks-per-node 4 --catalogue "$work"
refused 2 "JSON and the order on stdout" "stdout" 4x4 --block 2x2 --json -o -
refused 1 "a grid too large" "more than" 65536x65536 --block 1x1
refused 1 "a grid larger than the job" "for 4 nodes, but the list has 3" \
    4x4 --block 2x2 --nodelist 'n[0-2]'
refused 1 "a hostfile without names" "--nodelist" 4x4 --block 2x2 --to hostfile
# Columns with alltoall, rings of rows and trees: hops per byte that nothing else
# comes near, by one run of the mapper, at any speed of the machine.
qbox() {
    found=$("$TOPOMAP" map "$work/qbox.graph" --topology "$1" --tasks-per-node 16 --mapper grid --work 1 \
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
grid 2x6 --block 4x3 -o "$work/kept" >/dev/null
equal "grid: a refusal leaves the output as it was" kept "$(cat "$work/kept")"
finish
