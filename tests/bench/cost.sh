#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cost.sh - what mapping costs as tasks grow from 1,024 to 1,048,576: seconds and
# peak memory of reading, one configuration of GreedyMap, one epoch of refinement
# and the whole portfolio; and what a second thread brings. Prints, judges
# nothing; plain numbers go to bench-cost.csv.
#
#   BENCH_TASKS    sizes: some of 1024 4096 16384 65536 262144 1048576
#   BENCH_TIME     seconds after which the portfolio is cut, default 60
#   BENCH_THREADS  of the portfolio, default 2
#   BENCH_REPEAT   runs of GreedyMap and of each number of threads, of which the
#                  fastest counts, default 3
#   BENCH_CSV      default bench-cost.csv
#
# GreedyMap: one thread, OO, hop, pack=1, with delta=all and delta=sqrt: the paper
# (ICS'17, footnote 6) has 65,536 tasks on 4,096 hosts in about 0.5 s. Refinement:
# one thread, one epoch from block, which is for 16 regions of 4,096 tasks at most;
# below 1,024 tasks a unit is a whole refinement.
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-cost}
: "${MAPGEN:?}" "${MEASURE:?}"
unset TOPOMAP TOPOMAP_CATALOGUE
csv=${BENCH_CSV:-bench-cost.csv}
limit=${BENCH_TIME:-60}
threads=${BENCH_THREADS:-2}
repeat=${BENCH_REPEAT:-3}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-cost-XXXXXX")
trap 'rm -rf "$work"' EXIT

die() { printf 'bench-cost: %s\n' "$*" >&2; exit 1; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }
number() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$work/report" | head -1; }
took() { awk -v i="$1" '{print $i}' "$work/took"; }

# run OPTION...: topomap map; sets report, took and mapping.
run() {
    "$MEASURE" "$work/took" "$topomap" map "$graph" --topology "$topology" --tasks-per-node "$slots" "$@" \
        --json -o "$work/mapping" >"$work/report" 2>"$work/said" || die "$(cat "$work/said")"
}

# fastest OPTION...: the least seconds of search of some runs.
fastest() {
    local i least=
    for ((i = 0; i < repeat; i++)); do
        run "$@"
        least=$(awk -v a="$least" -v b="$(number seconds)" 'BEGIN {print (a == "" || b < a ? b : a)}')
    done
    echo "$least"
}

# Tasks, a grid like MILC's, a torus of hosts, slots.
sizes='1024 4x4x8x8 4x4x4 16
4096 8x8x8x8 4x8x8 16
16384 8x8x16x16 8x8x16 16
65536 16x16x16x16 16x16x16 16
262144 16x16x32x32 16x32x32 16
1048576 32x32x32x32 16x32x32 64'

echo kind,tasks,edges,hosts,read_seconds,read_megabytes,greedymap_all_seconds,greedymap_sqrt_seconds,refine_seconds,portfolio_seconds,portfolio_whole_seconds,portfolio_megabytes,work,cut,hops_per_byte >"$csv" || exit 1
printf '%-5s %8s %9s %6s | %7s %8s | %9s %9s %9s | %9s %7s %9s %6s %5s | %s\n' "" tasks edges hosts "read s" MB \
    "all s" "sqrt s" "refine s" "portf. s" "in all" MB work cut "us a task: read, all, sqrt, refine"
for kind in milc fem; do
    while read -r tasks grid torus slots; do
        case " ${BENCH_TASKS:-1024 4096 16384 65536 262144 1048576} " in
        *" $tasks "*) ;;
        *) continue ;;
        esac
        graph=$work/graph
        topology=torus:$torus
        progress "$kind, $tasks tasks: making it"
        if [ $kind = milc ]; then
            "$MAPGEN" grid "$grid" torus star 10000 >"$graph"
        else
            "$MAPGEN" fem "$tasks" 14 25 1 >"$graph"
        fi || die "cannot make the graph"
        progress "$kind, $tasks tasks: reading"
        run --mapper block --threads 1
        read=$(awk -v a="$(took 1)" -v b="$(number seconds)" 'BEGIN {printf "%.4f", a - b}')
        megabytes=$(took 3)
        progress "$kind, $tasks tasks: GreedyMap"
        all=$(fastest --mapper greedymap:order=OO,delta=all,pack=1,cost=hop --work 1 --threads 1)
        root=$(fastest --mapper greedymap:order=OO,delta=sqrt,pack=1,cost=hop --work 1 --threads 1)
        progress "$kind, $tasks tasks: refinement"
        refine=$(awk -v a="$(fastest --mapper block+refine --work 1 --threads 1)" \
            -v b="$(fastest --mapper block+refine --work 2 --threads 1)" 'BEGIN {printf "%.4f", b - a}')
        progress "$kind, $tasks tasks: portfolio"
        run --time "$limit" --threads "$threads"
        line=$kind,$tasks,$(awk '{print $2; exit}' "$graph"),$(awk -v s="$torus" 'BEGIN {n = split(s, d, "x"); p = 1; while (n) p *= d[n--]; print p}')
        line=$line,$read,$megabytes,$all,$root,$refine,$(number seconds),$(took 1),$(took 3),$(number work),$(number cut),$(number hops_per_byte)
        echo "$line" >>"$csv"
        progress ""
        echo "$line" | awk -F, '{
            printf "%-5s %8d %9d %6d | %7.3f %8.1f | %9.4f %9.4f %9.4f | %9.2f %7.2f %9.1f %6d %5s | %.2f %.2f %.2f %.2f\n",
                $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, 1e6 * $5 / $2, 1e6 * $7 / $2, 1e6 * $8 / $2, 1e6 * $9 / $2 }'
    done <<<"$sizes"
done

# Threads: candidates in the same time, the time of the same work, and whether
# the mappings are the same.
echo
echo "2 threads beside 1: GreedyMap's candidates a second, and seconds of the same search"
for kind in milc fem; do
    graph=$work/graph slots=16 topology=torus:8x8x16
    if [ $kind = milc ]; then
        "$MAPGEN" grid 8x8x16x16 torus star 10000 >"$graph"
    else
        "$MAPGEN" fem 16384 14 25 1 >"$graph"
    fi || die "cannot make the graph"
    for n in 1 2; do
        rate[n]=0
        for ((i = 0; i < repeat; i++)); do
            progress "$kind: $n threads"
            run --mapper parmapper --time "${BENCH_THREADS_TIME:-5}" --threads $n
            rate[n]=$(awk -v a="${rate[n]}" -v w="$(number work)" -v s="$(number seconds)" 'BEGIN {r = w / s; print (r > a ? r : a)}')
        done
        seconds[n]=$(fastest --work "${BENCH_THREADS_WORK:-200}" --threads $n)
        sed '/^#/d' "$work/mapping" >"$work/mapping.$n"
    done
    progress ""
    same=different
    cmp -s "$work/mapping.1" "$work/mapping.2" && same=identical
    awk -v kind=$kind -v a="${rate[1]}" -v b="${rate[2]}" -v c="${seconds[1]}" -v d="${seconds[2]}" -v same=$same 'BEGIN {
        printf "%-5s %.1f and %.1f a second: %.2f times; %.2f and %.2f s: %.2f times, mappings %s\n", kind, a, b, b / a, c, d, c / d, same }'
done
echo "plain numbers: $csv"
