#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scale.sh - what `topomap plan` costs from the catalogue's file to the plan's
# text: 65,536 ranks on 4,096 nodes, a 4-D lattice like MILC's and an irregular
# mesh, on a torus, a tree and a dragonfly; 16 ranks on 8 nodes; and, when asked
# for, a million tasks on 16,384 nodes. Prints, judges nothing; plain numbers go to
# bench-scale.csv.
#
#   BENCH_TASKS    sizes: some of 16 65536 1048576, default "16 65536"
#   BENCH_TIME     the mapper's budget in seconds, default 2; 60 for a million
#   BENCH_THREADS  default 2
#   BENCH_REPEAT   runs of the small one, default 20
#   BENCH_CSV      default bench-scale.csv
#
# read: milliseconds in which planner and catalogue find and read the graph; network:
# in which the network is made; map: the mapper; rest: all else on the wall, from
# starting the command to its last byte. cpu: of the whole process; without: of one
# that tries one mapping only (--work 1), which a busy machine does not
# change. The graph is that of a profile on disk, and no plan is taken from the cache.
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-scale}
: "${MAPGEN:?}" "${MEASURE:?}"
unset TOPOMAP
csv=${BENCH_CSV:-bench-scale.csv}
threads=${BENCH_THREADS:-2}
repeat=${BENCH_REPEAT:-20}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-scale-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
export TOPOMAP_CATALOGUE=$work/catalogue
mkdir "$TOPOMAP_CATALOGUE" || exit 1

die() { printf 'bench-scale: %s\n' "$*" >&2; exit 1; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }
took() { awk -v i="$1" '{print $i}' "$work/took"; }

# file NAME TASKS: what stands in $work/graph, filed.
file() {
    "$topomap" profile import "$work/graph" --name "$1" --ntasks "$2" >/dev/null 2>"$work/said" ||
        die "$(cat "$work/said")"
}

# run OPTION...: a plan of what plan() was given.
run() {
    "$MEASURE" "$work/took" "$topomap" plan --name "$name" --ntasks "$tasks" --nodelist "n[0-$((nodes - 1))]" \
        --tasks-per-node "$((tasks / nodes))" --topology "$topology" --threads "$threads" \
        --no-cache --to wire "$@" >"$work/plan" 2>"$work/said" || die "$(cat "$work/said")"
}

# plan NAME TASKS NODES TOPOLOGY SECONDS: one line.
plan() {
    local name=$1 tasks=$2 nodes=$3 topology=$4 without
    progress "$name, $tasks tasks on $topology"
    run --time 600 --work 1
    without=$(took 2)
    run --time "$5"
    progress ""
    {
        printf '%s,%s,%s,%s,' "$name" "$tasks" "$nodes" "${topology//,/x}"
        awk -v took="$(cat "$work/took")" -v bytes="$(wc -c <"$work/plan")" -v without="$without" '
            /^outcome/ { outcome = $2 }
            /^milliseconds/ {
                split(took, t, " ")
                printf "%.1f,%.1f,%.1f,%.1f,%.3f,%.3f,%.1f,%d", $2, $3, $4, 1000 * t[1] - $2 - $3 - $4, t[2], without, t[3], bytes
            }
            /^hops-per-byte/ { hops = $2 "," $3 }
            END { print "," hops "," outcome }' "$work/plan"
    } >>"$csv"
    tail -1 "$csv" | awk -F, '{
        printf "%-7s %8d %6d %-17s | %8.1f %7.1f %8.1f %7.1f | %7.3f %7.3f %6.1f %8d | %s\n", $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $15 }'
}

echo program,tasks,nodes,network,read_ms,network_ms,map_ms,rest_ms,cpu_seconds,cpu_seconds_without,megabytes,plan_bytes,hops_per_byte,hops_per_byte_before,outcome >"$csv" || exit 1
printf '%-7s %8s %6s %-17s | %8s %7s %8s %7s | %7s %7s %6s %8s |\n' "" tasks nodes network "read ms" net "map ms" rest "cpu s" without MB "plan, B"
for size in ${BENCH_TASKS:-16 65536}; do
    case $size in
    16)
        {
            echo "16 24 001"
            for ((i = 0; i < 16; i++)); do
                echo "$(((i + 8) % 16 + 1)) 65536 $(((i + 1) % 16 + 1)) 1024 $(((i + 15) % 16 + 1)) 1024"
            done
        } >"$work/graph"
        file pairs 16
        for ((i = 0; i < repeat; i++)); do
            plan pairs 16 8 tree:2,4 "${BENCH_TIME:-2}"
        done >/dev/null
        awk -F, '$2 == 16 {n++; cpu += $9; ms += $5 + $6 + $7 + $8}
            END {printf "16 tasks on 8 nodes: %.1f ms of CPU time, %.1f ms on the wall, mean of %d\n", 1000 * cpu / n, ms / n, n}' "$csv"
        ;;
    65536 | 1048576)
        lattice=16x16x16x16 nodes=4096 seconds=${BENCH_TIME:-2}
        networks="torus:16x16x16 tree:16,16,16 dragonfly:32,16,8"
        if [ "$size" = 1048576 ]; then
            lattice=32x32x32x32 nodes=16384 seconds=${BENCH_TIME:-60}
            networks="torus:16x32x32 tree:16,32,32 dragonfly:64,32,8"
        fi
        progress "making the graphs of $size tasks"
        "$MAPGEN" grid $lattice torus star 10000 >"$work/graph" || die "no graph"
        file lattice "$size"
        "$MAPGEN" fem "$size" 14 25 1 >"$work/graph" || die "no graph"
        file mesh "$size"
        for program in lattice mesh; do
            for network in $networks; do
                plan $program "$size" $nodes $network "$seconds"
            done
        done
        ;;
    *) die "BENCH_TASKS is of 16, 65536 and 1048576, not $size" ;;
    esac
done
echo "plain numbers: $csv"
