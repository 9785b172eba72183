#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# advice.sh - what topomap plan advises where ranks stay: each number is what eval finds
# for those nodes
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99
cat >tree <<'TXT'
SwitchName=s0 Nodes=n[0-3]
SwitchName=s1 Nodes=n[4-7]
SwitchName=s2 Nodes=n[8-11]
SwitchName=s3 Nodes=n[12-15]
SwitchName=top Switches=s[0-3]
TXT
plan() { "$TOPOMAP" plan --topology tree --work 20 "$@" 2>&1; }
advice() { plan "$@" | sed -n 's/^what else  *//p'; }
spread="--ntasks 8 --tasks-per-node 2 --nodelist n[0,4,8,12]"

# shellcheck disable=SC2086
equal "nodes of one switch, or one node, bring ranks nearer" \
    "14% of the bytes stay inside nodes; nodes nearest each other, such as n[0-3]: 1.71 hops per byte; --nodes=1 --ntasks-per-node=8: 0 hops per byte; pictures: --report FILE" \
    "$(advice --graph alltoall:8 --node core:8 $spread)"
equal "that is what those nodes have" 1.71 \
    "$("$TOPOMAP" eval alltoall:8 block --topology tree --nodelist 'n[0-3]' --tasks-per-node 2 --json |
        sed -n 's/.*"hops_per_byte": \([0-9]\.[0-9][0-9]\).*/\1/p' | head -n 1)"
# shellcheck disable=SC2086
contains "two of the job's nodes where each has four cores" \
    "$(advice --graph alltoall:8 --node core:4 --ntasks 8 --tasks-per-node 2 --nodelist 'n[0,1,4,8]')" \
    '; --nodes=2 --ntasks-per-node=4: 1\.14 hops per byte; '
equal "nodes that are as near as can be" \
    "14% of the bytes stay inside nodes; no other nodes that were tried bring ranks nearer; pictures: --report FILE" \
    "$(advice --graph alltoall:8 --ntasks 8 --tasks-per-node 2 --nodelist 'n[4-7]')"
contains "whole nodes cannot move, and ranks could" \
    "$(advice --graph 'grid:2x4' --unit node --baseline 0,1,0,1,0,1,0,1 --ntasks 8 --tasks-per-node 4 --nodelist 'n[0,1]')" \
    '; unit=rank: 0\.[0-9]* hops per byte; '
equal "ranks that move get no advice" "" \
    "$(advice --graph ring:8 --baseline 0,1,2,3,3,2,0,1 --ntasks 8 --tasks-per-node 2 --nodelist 'n[0,4,8,12]' --alpha 1)"
equal "JSON has it, and null where ranks move" "\"14% of the null" "$(
    # shellcheck disable=SC2086
    plan --json --graph alltoall:8 $spread | sed -n 's/^ *"what_else": \("14% of the\) .*/\1/p'
) $(plan --json --graph ring:8 --baseline 0,1,2,3,3,2,0,1 --ntasks 8 --tasks-per-node 2 --nodelist 'n[0,4,8,12]' |
    sed -n 's/^ *"what_else": \(null\),/\1/p')"
# shellcheck disable=SC2086
equal "on the wire a line, where srun asks for it" "0 1" \
    "$(plan --to=wire --graph alltoall:8 $spread | grep -c '^advice ') $(plan --to=wire --advise --graph alltoall:8 $spread | grep -c '^advice 14%')"
# shellcheck disable=SC2086
equal "no time is left: none is searched" \
    "14% of the bytes stay inside nodes; no other nodes that were tried bring ranks nearer; pictures: --report FILE" \
    "$("$TOPOMAP" plan --topology tree --time 0.04 --graph alltoall:8 --node core:4 $spread | sed -n 's/^what else  *//p')"
finish
