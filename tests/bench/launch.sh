#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# launch.sh - what a launch costs: `srun -N8 -n16 true` with and without
# --topomap=auto, alternating, and where the milliseconds go; what slurmctld is
# asked; what the tasks of a large node do to be bound. Prints, judges nothing.
# PAIRS=20 says how many. The first launch keeps the plan for all others; then each
# has another seed, and so searches: CACHE=on or CACHE=off is one of the two alone.
# LARGE=yes: also 2,048 tasks on 128 nodes (of 16 CPUs, which only slurmd believes
# in), LARGE_PAIRS=5 of them. ALL=yes: that, and all that bench-scale and
# bench-anytime print of planning, a million tasks among it.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/../system/cluster.sh" >/dev/null

# Each task talks to the one half the way round and to the next.
graph() # N
{
    local n=$1
    echo "$n $((n + n / 2)) 001"
    awk -v n="$n" 'BEGIN { for (i = 0; i < n; i++)
        print (i + n / 2) % n + 1, 65536, (i + 1) % n + 1, 1024, (i + n - 1) % n + 1, 1024 }'
}

once() # sets ms
{
    local begin=$EPOCHREALTIME end
    "$@" >/dev/null 2>>"$work/said" || exit 1
    end=$EPOCHREALTIME
    ms=$(awk -v a="$begin" -v b="$end" 'BEGIN {printf "%.1f", (b - a) * 1000}')
}
median() { sort -n "$1" | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

# asked TYPE: how often slurmctld was asked that, and its microseconds.
asked() { sdiag | sed -n "s/^[[:space:]]*$1[[:space:]].* count:\([0-9]*\) .*ave_time:\([0-9]*\) .*/\1 \2/p"; }
all_asked() { sdiag | sed -n '/by message type/,/by user/s/.* count:\([0-9]*\) .*/\1/p' | awk '{n += $1} END {print n}'; }

# measure NODES TASKS PAIRS CACHE
measure()
{
    local nodes=$1 tasks=$2 pairs=$3 cache=$4 a b pair own its all
    local plain=(srun -N"$nodes" -n"$tasks" true)
    local mapped=(srun -N"$nodes" -n"$tasks" "--topomap=auto,name=bench" true)
    graph "$tasks" >"$work/bench.graph"
    "$topomap" profile import "$work/bench.graph" --name bench --ntasks "$tasks" >/dev/null || exit 1
    once "${plain[@]}"
    once "${mapped[@]}"
    rm -f "$work"/{said,plain,mapped,ratio}
    sdiag -r >/dev/null
    for ((pair = 0; pair < pairs; pair++)); do
        [ "$cache" = on ] || mapped[3]="--topomap=auto,name=bench,seed=$((pair + 2))"
        if ((pair % 2)); then
            once "${mapped[@]}" && b=$ms
            once "${plain[@]}" && a=$ms
        else
            once "${plain[@]}" && a=$ms
            once "${mapped[@]}" && b=$ms
        fi
        echo "$a" >>"$work/plain"
        echo "$b" >>"$work/mapped"
        awk -v a="$a" -v b="$b" 'BEGIN {print b / a}' >>"$work/ratio"
    done
    read -r own its <<<"$(asked REQUEST_TOPO_INFO)"
    all=$(all_asked)
    printf 'srun -N%d -n%d true, medians of %d alternating pairs, %s\n' "$nodes" "$tasks" "$pairs" \
        "$([ "$cache" = on ] && echo 'the plan kept from the first' || echo 'each searching')"
    printf '  %-22s %8.1f ms\n' "without topomap" "$(median "$work/plain")"
    printf '  %-22s %8.1f ms\n' "with --topomap=auto" "$(median "$work/mapped")"
    printf '  %-22s %8.3f\n' "ratio, pair by pair" "$(median "$work/ratio")"
    echo "of which, inside srun and the planner (three further launches)"
    for pair in 1 2 3; do
        [ "$cache" = on ] || mapped[3]="--topomap=auto,name=bench,seed=$((pairs + pair + 2))"
        once "${mapped[@]:0:3}" "${mapped[3]},verbose" true
    done
    for phase in catalogue topology mapping layout; do
        sed -n "s/.*[ ]$phase \([0-9.]*\) ms.*/\1/p" "$work/said" >"$work/phase"
        [ -s "$work/phase" ] && printf '  %-22s %8.2f ms\n' "$phase" "$(median "$work/phase")"
    done
    echo "what slurmctld was asked in these $((2 * pairs)) launches"
    printf '  %-22s %8d\n' "in all" "$all"
    printf '  %-22s %8d, %d us each\n' "for the network" "${own:-0}" "${its:-0}"
}

# measure_both NODES TASKS PAIRS
measure_both()
{
    local cache
    for cache in ${CACHE:-on off}; do
        measure "$@" "$cache"
    done
}

cluster_start --nodes 8
measure_both 8 16 "${PAIRS:-20}"
"${BENCH_BINDING:?}"
if [ "${LARGE-}" = yes ] || [ "${ALL-}" = yes ]; then
    "$private_slurm" stop "$work" >/dev/null
    ${CC:-cc} -shared -fPIC -O1 -o "$work/affinity.so" "$srcdir/fake/affinity.c" || exit 1
    cluster_start --nodes 128 --leaf 16 --timeout 300 \
        --hardware 'CPUs=16 Sockets=2 CoresPerSocket=8 ThreadsPerCore=1' \
        --slurmd-env 'HWLOC_SYNTHETIC=pack:2 l3:2 core:4 pu:1' --slurmd-env FAKE_CPUS=16 \
        --slurmd-env "LD_PRELOAD=$work/affinity.so"
    measure_both 128 2048 "${LARGE_PAIRS:-5}"
fi
exit 0
