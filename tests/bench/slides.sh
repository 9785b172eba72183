#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# slides.sh - the results of the slides on TopoLB (Agarwal, Sharma and Kale, IPDPS
# 2006) beside ours: how much less LeanMD's hops per byte are than with the same
# groups of tasks placed at random, on tori of two and three dimensions, and small
# grids whose optimum is known. Prints, judges nothing; plain numbers go to
# bench-slides.csv. How many processors the slides' 34% and 40% are for they do not
# say, and LeanMD is a pattern here: cells in a periodic box, an object for each pair
# of neighbouring cells and one for each cell, all of the same bytes.
#
#   BENCH_CELLS    cells of LeanMD, default 6x6x6: 216, and 3,024 objects
#   BENCH_SHAPES   tori for it, default 8x8 16x16 32x32 4x4x4 8x8x4 8x8x8 8x8x16
#   BENCH_JACOBI   processes, and torus, of the stencil, default 16x16x16
#   BENCH_TIME     seconds of topomap's own portfolio, default 3
#   BENCH_SEEDS    random placements whose mean counts, default "1 2 3"
#   BENCH_THREADS  default 2
#   BENCH_CSV      default bench-slides.csv
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-slides}
: "${MAPGEN:?}"
unset TOPOMAP TOPOMAP_CATALOGUE
csv=${BENCH_CSV:-bench-slides.csv}
threads=${BENCH_THREADS:-2}
cells=${BENCH_CELLS:-6x6x6}
shapes=${BENCH_SHAPES:-8x8 16x16 32x32 4x4x4 8x8x4 8x8x8 8x8x16}
jacobi=${BENCH_JACOBI:-16x16x16}
time=${BENCH_TIME:-3}
seeds=${BENCH_SEEDS:-1 2 3}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-slides-XXXXXX")
trap 'rm -rf "$work"' EXIT

die() { printf 'bench-slides: %s\n' "$*" >&2; exit 1; }
volume() { echo "$1" | awk -Fx '{v = 1; for (i = 1; i <= NF; i++) v *= $i; print v}'; }

# hops NAME GRAPH SHAPE SLOTS WHAT OPTION...: hops per byte, also into the CSV.
hops() {
    local name=$1 graph=$2 shape=$3 slots=$4 what=$5 found
    shift 5
    "$topomap" map "$graph" --topology "$shape" --tasks-per-node "$slots" --threads "$threads" "$@" \
        --json -o "$work/mapping" >"$work/report" || die "no mapping of $name on $shape by $what"
    found=$(awk -F '[:,]' '/"hops_per_byte"/ {print $2 + 0; exit}' "$work/report")
    echo "$name,$shape,$what,$found" >>"$csv"
    echo "$found"
}
# random NAME GRAPH SHAPE SLOTS OF: the mean over the seeds.
random() {
    for seed in $seeds; do
        hops "$1" "$2" "$3" "$4" "random $seed" --mapper "random:of=$5" --seed "$seed" || exit 1
    done | awk '{sum += $1} END {printf "%.4g\n", sum / NR}'
}
less() { awk -v a="$1" -v b="$2" 'BEGIN {printf "%.0f%%", 100 * (1 - a / b)}'; }

echo "instance,topology,what,hops per byte" >"$csv" || exit 1
"$MAPGEN" leanmd "$cells" 1000 >"$work/leanmd" || die "cannot make LeanMD"
ntasks=$(awk 'NR == 1 {print $1}' "$work/leanmd")
echo "LeanMD, $cells cells, $ntasks objects: hops per byte, and how much less than random"
printf '%-10s %9s %9s %13s %13s %13s\n' torus published random topolb third topomap
for shape in $shapes; do
    p=$(volume "$shape")
    slots=$(((ntasks + p - 1) / p))
    case $shape in *x*x*) published=40% ;; *) published=34% ;; esac
    base=$(random LeanMD "$work/leanmd" "torus:$shape" "$slots" groups) || exit 1
    second=$(hops LeanMD "$work/leanmd" "torus:$shape" "$slots" topolb --mapper topolb --work 1) || exit 1
    third=$(hops LeanMD "$work/leanmd" "torus:$shape" "$slots" third --mapper topolb:order=third --work 1) || exit 1
    own=$(hops LeanMD "$work/leanmd" "torus:$shape" "$slots" topomap --time "$time") || exit 1
    printf '%-10s %9s %9s' "$shape" "$published" "$base"
    for h in "$second" "$third" "$own"; do printf ' %8.4g %4s' "$h" "$(less "$h" "$base")"; done
    echo
done

# known NAME GRID TORUS OPTIMUM: a grid whose optimum is known, a task a node.
known() {
    "$MAPGEN" grid "$2" "$5" star 1000 >"$work/grid" || die "cannot make $2"
    printf '%-24s %9s' "$1" "$4"
    for what in default random topolb first topomap; do
        case $what in
        random) h=$(random "$1" "$work/grid" "$3" 1 tasks) ;;
        default) h=$(hops "$1" "$work/grid" "$3" 1 default --mapper default) ;;
        first) h=$(hops "$1" "$work/grid" "$3" 1 first --mapper topolb:order=first --work 1) ;;
        topolb) h=$(hops "$1" "$work/grid" "$3" 1 topolb --mapper topolb --work 1) ;;
        topomap) h=$(hops "$1" "$work/grid" "$3" 1 topomap --time "$time") ;;
        esac || exit 1
        printf ' %9.4g' "$h"
    done
    echo
}
echo
printf '%-24s %9s %9s %9s %9s %9s %9s\n' grid optimum default random topolb first topomap
known "8x4 on torus 4x4x2" 8x4 torus:4x4x2 1 mesh
known "8x2 on mesh 4x4" 8x2 mesh:4x4 - mesh
known "Jacobi $jacobi" "$jacobi" "torus:$jacobi" 1 torus
