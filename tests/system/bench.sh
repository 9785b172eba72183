#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# bench.sh - the mapping benches still run: instances come out as they are known,
# and tables are whole, on instances as small as can be. Judges no mapping.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${MAPGEN:?}" "${MAPAID:?}" "${STAGE_TOPOMAP:?}"
bench=$(cd "$srcdir/bench" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 99

# Fingerprints of what every machine has to make of the same words.
sum() { cksum | awk '{print $1, $2}'; }
equal "the irregular mesh is the same everywhere" "3095746024 10544" "$("$MAPGEN" fem 200 8 25 1 | sum)"
equal "the circuit is the same everywhere" "4004592285 133282" "$("$MAPGEN" circuit 300 1 | sum)"
equal "the allocation is the same everywhere" "397845072 180" "$("$MAPGEN" hosts 6x6x6 30 1 | sum)"
equal "a grid joins what touches, rings of two both ways" "4 6 001
2 10 3 10 4 12
1 10 3 12 4 10
1 10 2 12 4 10
1 12 2 10 3 10" "$("$MAPGEN" grid 2x2 torus box 5,3)"
equal "a mesh ends" "4 3 001
2 5
1 5 3 5
2 5 4 5
3 5" "$("$MAPGEN" grid 4 mesh star 5)"
equal "Qbox: columns, rings and trees of rows" "4 4 001
2 7 3 1200
1 7 4 1200
1 1200 4 7
2 1200 3 7" "$("$MAPGEN" qbox 2x2 7 100 1000)"

equal "LeanMD: 27 cells, 13 pairs and itself each" "405 729 001" "$("$MAPGEN" leanmd 3x3x3 8 | head -1)"
equal "an object talks with its two cells, or with its own" "27 1 351 2" \
    "$("$MAPGEN" leanmd 3x3x3 8 | awk 'NR > 28 {n[NF / 2]++} END {print n[1], 1, n[2], 2}')"

# A problem of QAPLIB's form, distances second.
printf '3\n0 7 0\n7 0 2\n0 2 0\n\n0 1 2\n1 0 1\n2 1 0\n' >three.dat
equal "a quadratic assignment problem on a mesh is a graph" "3 2 001
2 14
1 14 3 4
2 4" "$("$MAPGEN" qap three.dat mesh:3)"
"$MAPGEN" qap three.dat torus:3 >said 2>&1
equal "other distances are refused" "1 mapgen: three.dat: no distances of torus:3" "$? $(cat said)"

# Scotch's form: as it is, and in another order with labels.
equal "a graph of Scotch's" "0
3	4
0	010
1	7	1
2	7	0	2	2
1	2	1" "$("$MAPGEN" qap three.dat mesh:3 >three.graph; "$MAPAID" scotch three.graph)"
equal "a graph of Scotch's, in a random order" "$("$MAPAID" scotch three.graph | sed 1,3d | awk '{print NR - 1 "\t" $0}' | sort)" \
    "$("$MAPAID" scotch three.graph 5 | sed 1,3d | sort)"

# What others say is made to fit: four tasks in a row, all on host 0 of four.
"$MAPGEN" grid 4 mesh star 5 >row.graph
printf '4\n0\t0\n1\t0\n2\t0\n3\t0\n' >parts
equal "overfull hosts are emptied where it costs least" "1 0
1 1
0 0
0 1" "$("$MAPAID" fit row.graph mesh:4 - 2 parts)"
printf '0\n0\n1\n1\n' >parts
printf '4\n0 3\n1 2\n2 1\n3 0\n' >places
equal "parts are put on hosts" "3 0
3 1
2 0
2 1" "$("$MAPAID" fit row.graph mesh:4 - 2 parts places)"
equal "a part's graph has the bytes between parts" "0
4	2
0	010
1	1	1
1	1	0
0
0" "$("$MAPAID" quotient row.graph parts 4)"
printf '1 0 0\n3 1 1\n' >places
equal "a fragmented allocation is a sub of its torus" "sub
2	1	15
torus3D 4 2 2" "$("$MAPAID" target torus:4x2x2 places)"
printf '1\n15\n' >places
equal "its hosts may be numbers, too" "sub
2	1	15
torus3D 4 2 2" "$("$MAPAID" target torus:4x2x2 places)"
printf '0\n0\n1\n4\n' >parts
"$MAPAID" fit row.graph mesh:4 - 2 parts >said 2>&1
equal "a host that is not there is an error" "1 mapaid: parts: a host beyond 4" "$? $(cat said)"

# The whole table, of two small instances: the second is not the known one.
cat >instances <<'TEXT'
graph ring grid 8 torus star 10
hosts corner hosts 4x4x4 4 1
instance ring8 grid ring torus:4 - 2 0.5000 0.500 1.000
instance ring8-frag grid,frag,irregular ring torus:4x4x4 corner 2 0.1000 0.100 0.100
TEXT
BENCH_INSTANCES=$work/instances BENCH_TIME=0.1 "$bench/map.sh" >table 2>said
status=$?
equal "bench-map ends well" 0 "$status"
contains "a known instance has its ratio to the best known" "$(cat table)" '^ring8 .*|  0.500  1.000$'
contains "another instance has none" "$(cat table)" '^ring8-frag .*|      -      -$'
contains "means come by group" "$(cat table)" '^frag '
equal "each asked for once, in the CSV" "ring8 hop-bytes 0.1
ring8 link 0.1
ring8-frag hop-bytes 0.1
ring8-frag link 0.1" "$(awk -F, '$2 == "topomap" {print $1, $3, $4}' bench-map.csv)"
for tool in scotch_gmap gpmetis; do
    if command -v $tool >/dev/null; then
        equal "$tool has its rows" 2 "$(grep -c -e ",$(echo $tool | sed 's/scotch_gmap/gmap/; s/gpmetis/metis-rb/')," bench-map.csv)"
    else
        contains "that $tool is missing is said" "$(cat said)" "no $tool"
    fi
done

# Section 5 of the paper, two schemes on two machines.
NTASKS="16 32" BENCH_SHAPES="torus:2x4 tree:2,2" BENCH_SCHEMES="default greedymap:order=OO,delta=all hs-rcm nosuch" \
    BENCH_TIME=0.1 BENCH_SEEDS="1 2" BENCH_APPS="MILC MILC-t Qbox circuit" \
    "$bench/ics17.sh" >table 2>said
equal "bench-ics17 ends well" 0 "$?"
equal "bench-ics17 has every scheme for every size, graph, shape and seed" $((2 * 4 * 2 * (3 * 2 + 1 + 2))) "$(sed 1d bench-ics17.csv | wc -l)"
equal "the least of a column is 1, in each of the tables" 16 "$(awk '/ tasks on / {n++} NF > 4 && $(NF - 3) == "1.000" && !seen[n]++ {least++} END {print least}' table)"
equal "the paper's words stand below each of them" 16 "$(awk '/ tasks on / {n++} /^  the paper: .*reached$/ && !seen[n]++ {said++} END {print said}' table)"
contains "MILC's other numbering is another graph" "$(grep '^MILC-t-32,' bench-ics17.csv)" ',default,1,'
equal "and is not the same graph" 2 "$(awk -F, '$2 == "torus:2x4" && $3 == "default" && $4 == 1 && $1 ~ /^MILC.*-32$/ && !seen[$5]++ {n++} END {print n}' bench-ics17.csv)"
contains "mappers keep their names" "$(cat table)" '^greedymap:order=OO,delta=all  *[0-9.]* '
contains "a scheme that is not there is said to be missing" "$(cat table)" '^nosuch  *unknown mapper'

# The slides: two tori, and what the grids' optimum is.
BENCH_CELLS=3x3x3 BENCH_SHAPES="4x4 2x2x3" BENCH_JACOBI=3x3x3 BENCH_TIME=0.1 BENCH_SEEDS="1 2" \
    "$bench/slides.sh" >table 2>said
equal "bench-slides ends well" 0 "$?"
equal "bench-slides has its rows" 28 "$(sed 1d bench-slides.csv | wc -l)"
contains "what is published stands beside" "$(cat table)" '^2x2x3  *40%  *[0-9.]* .*%$'
contains "Jacobi is at its optimum" "$(cat table)" '^Jacobi 3x3x3  *1 .* 1$'

BENCH_TASKS=1024 BENCH_TIME=0.1 BENCH_REPEAT=1 BENCH_THREADS_TIME=0.1 BENCH_THREADS_WORK=2 "$bench/cost.sh" >table 2>said
equal "bench-cost ends well" 0 "$?"
equal "bench-cost has its sizes" "milc,1024,4096,64 fem,1024,5961,64" \
    "$(sed 1d bench-cost.csv | cut -d, -f1-4 | tr '\n' ' ' | sed 's/ $//')"
contains "one thread's mapping is that of two" "$(cat table)" '^fem .* mappings identical$'
BENCH_TASKS=16 BENCH_REPEAT=2 "$bench/scale.sh" >table 2>said
equal "bench-scale ends well" 0 "$?"
contains "bench-scale has 16 tasks" "$(cat table)" '^16 tasks on 8 nodes: .* ms of CPU time'
equal "bench-scale has a row a run" "pairs,16,8,placed pairs,16,8,placed" \
    "$(sed 1d bench-scale.csv | cut -d, -f1-3,15 | tr '\n' ' ' | sed 's/ $//')"

# By every MPI that starts here; a missing one has no row.
BENCH_TASKS=128 BENCH_WORK=1 BENCH_SEARCHES=2 BENCH_PROCESSES="1 2" "$bench/parallel.sh" >table 2>said
equal "bench-parallel ends well" 0 "$?"
started=$(sed 1d bench-parallel.csv | cut -d, -f2 | sort -u | wc -l)
equal "bench-parallel has a row a network, an MPI and a number" $((4 * started)) "$(sed 1d bench-parallel.csv | wc -l)"
equal "bench-parallel: all plans are that of one process" 0 "$(sed 1d bench-parallel.csv | grep -vc ',yes$')"

# Proven optima, of the one problem here.
mkdir qaplib
cp three.dat qaplib/nug12.dat
QAPLIB=qaplib BENCH_TIME=0.1 "$bench/qap.sh" >table 2>said
contains "bench-qap insists on the mesh" "$(cat said)" 'nug12.dat: no distances of mesh:4x3'
contains "bench-qap names what it lacks" "$(cat table)" '^nug30: no nug30.dat'
finish
