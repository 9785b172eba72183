#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# simulated.sh - contrib/simgrid, where SimGrid is installed: a platform's times are
# those of links by hand, the recorder sees what programs send under SMPI, and a
# mapping by its profile is as fast there as it says; two jobs share links
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
for tool in smpirun smpicc c++; do
    command -v $tool >/dev/null || skip_all "no $tool: contrib/simgrid needs libsimgrid-dev and g++"
done
: "${TREE:?}" "${MAPGEN:?}" "${MAPAID:?}" "${STAGE_TOPOMAP:?}"
# Its programs would want the sanitizer's runtime before all other libraries.
if nm "$TREE/libmapcore/libbase.a" 2>/dev/null | grep -qE ' U __(asan|tsan|ubsan)_'; then
    skip_all "the build has sanitizers"
fi
simgrid=$(cd "$srcdir/../contrib/simgrid" && pwd)
unset COMMPROF_CATALOGUE COMMPROF_NAME TOPOMAP TOPOMAP_CATALOGUE SIMGRID_NIC SIMGRID_MEMORY
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-simulated.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 99

"$simgrid/build" "$TREE" bin >said 2>&1
equal "platform, programs and recorder are built" 0 $?
[ -x bin/platform.so ] || { sed 's/^/# /' said; finish; exit 1; }

# hosts NTASKS EACH: the hosts of ranks, EACH on each.
hosts() { awk -v n="$1" 'BEGIN {for (i = 0; i < n; i++) print int(i / '"$2"')}' >hosts; }
# run NETWORK PATTERN GRID ...: microseconds.
run() { "$simgrid/run" bin "$1" hosts "$2" "$3" 1 "${4:-0}" 2>said | awk '{printf "%.1f\n", 1e6 * $4}'; }
# within NAME LEAST MOST FOUND
within() {
    if awk -v a="$2" -v b="$3" -v x="$4" 'BEGIN {exit !(x >= a && x <= b)}'; then
        ok "$1"
    else
        not_ok "$1" "$4 is not from $2 to $3: $(cat said)"
    fi
}

# Rows of four on a ring of four: four borders of 64 KiB each way on each link.
hosts 16 4
within "a torus: bytes of the slowest link over its capacity" 262.1 280 "$(run torus:4:capacity=1e9 wrf 4x4)"
within "unequal links: each its own" 524.2 545 "$(run torus:1x4:capacity=9e9x0.5e9 wrf 4x4)"
within "a mesh has no way round" 262.1 280 "$(run mesh:4:capacity=1e9 wrf 4x4)"
within "a tree's link carries both ways at once" 524.2 545 "$(run tree:2,2:capacity=1e9,1e9 wrf 4x4)"
within "two hosts a router, and a dragonfly" 262.1 545 "$(run dragonfly:2,1,2:global=1:capacity=1e9,1e9,1e9 wrf 4x4)"
within "an interface bounds what a host sends" 1048.5 1075 "$(SIMGRID_NIC=0.5e9 run torus:4:capacity=1e9 wrf 4x4)"
within "memory bounds what stays in a host" 786.4 810 "$(SIMGRID_MEMORY=0.5e9 run torus:4:capacity=1e12 wrf 4x4)"
within "computing takes as long as is said" 1262.1 1280 "$(run torus:4:capacity=1e9 wrf 4x4 0.001)"
SIMGRID_NIC=fast run torus:4 wrf 4x4 >/dev/null
contains "a rate that is none is refused" "$(cat said)" "SIMGRID_NIC=fast is no rate"
run torus:4:capacity=-1 wrf 4x4 >/dev/null
contains "a network that is none is refused" "$(cat said)" "simgrid-platform: topology .torus:4:capacity=-1. is not"
run torus:4 wrf 4x5 >/dev/null
contains "a grid of other ranks is refused" "$(cat said)" "4x5 is not the grid of 16 ranks"

# Recorded there: the graph that the program is known to have.
COMMPROF_CATALOGUE=$work/catalogue COMMPROF_NAME=wrf run torus:4:capacity=1e9 wrf 4x4 >took
within "recording takes no simulated time" 262.1 280 "$(cat took)"
profile=catalogue/wrf/named/16/current
"$MAPGEN" grid 4x4 mesh star 131072 >expected
equal "the recorder's graph is the program's" "$(cat expected)" "$(cat $profile/p2p.graph 2>&1)"

# Nodes in another order: what plan says of it is what comes out.
printf 'torus:8:capacity=1e9\nhosts n[0-7]\n' >network
hosts 16 2
awk 'BEGIN {split("0 4 1 5 2 6 3 7", at, " "); for (i = 0; i < 16; i++) print at[int(i / 2) + 1]}' >hosts
COMMPROF_CATALOGUE=$work/catalogue COMMPROF_NAME=line run network wrf 16x1 >took
within "a line on nodes far apart" 196.6 500 "$(cat took)"
"$STAGE_TOPOMAP" plan --name line --catalogue catalogue --ntasks 16 --nodelist n0,n4,n1,n5,n2,n6,n3,n7 \
    --tasks-per-node 2 --topology network --no-cache --work 500 --to hostfile 2>said | sed 's/^n//' >hosts
within "mapped by its profile: one border a link" 65.5 80 "$(run network wrf 16x1)"

# Two jobs at once, on nodes of the same links and of others.
both() { "$simgrid/run" bin "$1" hosts "$2" "$3" 3 2>said | awk '{printf "%.1f ", 1e6 * $4}'; }
within_both() {
    # shellcheck disable=SC2086
    set -- "$1" "$2" "$3" $4
    within "$1: the first" "$2" "$3" "${4:-none}"
    within "$1: the second" "$2" "$3" "${5:-none}"
}
hosts 16 4
cp hosts first
awk '{print $1 + 4}' first >others
cat first first >hosts
within_both "two jobs share links" 524.2 545 "$(both torus:4:capacity=1e9 wrf+wrf 4x4+4x4)"
long=$(both mesh:4:capacity=1e9 hab+wrf 4x2x2+4x4)
within "the shorter one goes on until the longer one is through" 1900 2400 "${long%% *}"
cat first others >hosts
within_both "they do not where they have none in common" 262.1 280 "$(both mesh:8:capacity=1e9 wrf+wrf 4x4+4x4)"
both torus:8 wrf+wrf 4x4+4x5 >/dev/null
contains "grids of other ranks are refused" "$(cat said)" "4x4+4x5 is not the grid of 32 ranks"
both torus:8 wrf+wrf 4x4 >/dev/null
contains "a job without a grid is refused" "$(cat said)" "usage: patterns"

# The bench's pair of them: mapped by profiles and site files of their own.
env BENCH_PAIRS=1 python3 - "$simgrid" "$work" >lines 2>said <<'PY'
import importlib.machinery
import importlib.util
import pathlib
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, sys.argv[1])
loader = importlib.machinery.SourceFileLoader("bench", sys.argv[1] + "/bench")
bench = importlib.util.module_from_spec(importlib.util.spec_from_loader("bench", loader))
loader.exec_module(bench)
bench.WAYS = {"alone": "traffic:0"}
word, work = "torus:8:capacity=1e9", pathlib.Path(sys.argv[2])
jobs = [bench.rows.Row("wrf", "wrf", [16, 1], 40, word, word, 8, 0, 12e9, order, [2] * 8)
        for order in ([0, 4, 1, 5, 2, 6, 3, 7], list(range(8)))]
print(*bench.Pair(bench.rows.Pair("pair", jobs), work / "pair", work / "bin").lines(), sep="\n")
# Three ranks a node, for which SMPI's own bcast is none.
bench.WAYS = {}
odd = [bench.rows.Row(name, name, grid, 40, word, word, 8, 0, 12e9, order, tasks) for name, grid, order, tasks in
       (("ccd", [4, 3], [0, 1, 2, 3], [3] * 4), ("wrf", [2, 2], [4, 5, 6, 7], [1] * 4))]
bench.Pair(bench.rows.Pair("odd", odd), work / "odd", work / "bin").lines()
for pair in bench.rows.pairs(20, "1"):
    first, second = pair.jobs
    assert len({*first.order, *second.order}) == len(first.tasks) + len(second.tasks), pair.name
PY
equal "a pair is recorded, mapped and run" 0 $?
took() { awk -F, -v job="$1" -v way="$2" -v n="$3" '$2 == job && $3 == way {printf "%.1f", 1e6 * $n}' lines; }
within "Slurm's layout, far apart" 196.6 500 "$(took 1 block 4)"
within "mapped, alone" 65.5 80 "$(took 1 topomap 4)"
within "mapped, with the other job on the same links" 131 160 "$(took 1 topomap 5)"
within "by a key of the site file" 65.5 80 "$(took 1 alone 4)"
within "the other job" 131 160 "$(took 2 topomap 5)"
{ echo "pair,job,mapping,alone_s,beside_s" && cat lines; } >pairs.csv
contains "the table: of pairs" "$("$simgrid/table" pairs.csv)" "topomap, 2 jobs: gain alone .* (first [3-6][.].*; second 1[.].*slower than default beside 0"

# The table says what did not go well.
cat >table.csv <<'CSV'
row,share,mapping,simulated_s,estimated_s
a256-bluegene-fragmented,50,block,0.0002,0.2
a256-bluegene-fragmented,50,topomap,0.0001,0.1
a256-bluegene-fragmented,50,scotch,0.00008,0.12
a256-bluegene-aligned,50,block,0.0001,0.1
a256-bluegene-aligned,50,topomap,0.00011,0.09
CSV
"$simgrid/table" table.csv >table
contains "the table: gain and total" "$(cat table)" "fragmented |  *200  *-  *100  *80  *- |  *2.00  *1.33 |  *2.00  peer-1.25"
contains "the table: computation is that of the fragmented row" "$(cat table)" "aligned .*0.97 |  *1.11  slower-than-default"
contains "the table: what is slower" "$(cat table)" "topomap, 2 rows: .* slower than default 1 (up to 1.10)"
contains "the table: pairs in the wrong order" "$(cat table)" "2 of 4, 50.0%"
finish
