#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# dims.sh - topomap grid dims: the papers' numbers, and what it refuses
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"

dims() { "$TOPOMAP" grid dims "$@" 2>&1; }

equal "dims: 625 nodes of 24 cores" "25x30x20
625: 25x5x5, cost 35
24: 1x6x4, cost 75" "$(dims --levels 625,24 --ndims 3)"
equal "dims: the same in JSON" '{"dims":[25,30,20],"levels":[[25,5,5],[1,6,4]],"cost":[35,75]}' \
    "$(dims --levels 625,24 --ndims 3 --json | tr -d ' \n')"
equal "dims: the long side is cut" "16x2
32: 16x2, cost 0.0625" "$(dims --levels 32 --grid 512,64)"
equal "dims: slow links in y, all at once" "2x1x2
4: 2x1x2, cost 1" "$(dims --levels 4 --bandwidth 2,1,2 --exchange together)"
equal "dims: a tile for slow links in y" "shape 0.7937 : 1.587 : 0.7937
gain 1.587" "$(dims --bandwidth 2,1,2 --exchange together)"
equal "dims: the same one by one" "gain 1.058" \
    "$(dims --bandwidth 2,1,2 --exchange one-by-one | tail -1)"

# refused STATUS WHAT PATTERN ARGUMENT...
refused() {
    expected=$1
    what=$2
    pattern=$3
    shift 3
    out=$(dims "$@")
    equal "dims: $what: exit status" "$expected" "$?"
    case $out in
    *$pattern*) ok "dims: $what: says so" ;;
    *) not_ok "dims: $what: says so" "$out" ;;
    esac
}
refused 2 "no level" "--levels is missing" --ndims 3
refused 2 "no number of dimensions" "--ndims is missing" --levels 4
refused 2 "a count of 0" "'0' is not" --levels 4,0 --ndims 2
refused 2 "a negative count" "'-3' is not" --levels -3 --ndims 2
refused 2 "an empty item" "'' is not" --levels 4, --ndims 2
refused 2 "an extent of 0" "'0' is not" --levels 4 --grid 8,0
refused 2 "lists of different lengths" "3 numbers for 2 dimensions" \
    --levels 4 --ndims 2 --weights 1,2,3
refused 2 "an unknown exchange" "'later' is not" --levels 4 --ndims 2 \
    --exchange later
refused 2 "something that is no option" "'4x4'" 4x4
refused 1 "extents smaller than the pieces" "8 pieces" --levels 8 --grid 3,2
refused 1 "counts that overflow" "multiply to more" \
    --levels 65536,65536 --ndims 2
# Slide 21: counts of n for which the sum chooses otherwise than the difference:
# with the same sum, and with a smaller one. Below 10,000 it names all eight; up
# to 10,000,000 it has 4,630 and 6,066. unit/dims_counts.c says how the older
# algorithm then chooses among equal differences.
equal "dims: all differences below 10,000" "8 0" "$(unit/dims_counts 9999)"
if [ "${TOPOMAP_CHECK_EXTENDED-}" = yes ]; then
    equal "dims: the counts up to 10,000,000" "4630 6066" \
        "$(unit/dims_counts 10000000)"
fi
finish
