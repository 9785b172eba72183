#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# launch.sh - what a launch costs: `srun -N8 -n16 true` with and without
# --topomap=auto, alternating, and where the milliseconds go. Prints, judges
# nothing. PAIRS=20 says how many. The first launch keeps the plan for all others;
# with CACHE=off each has another seed, and so searches.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/../system/cluster.sh" >/dev/null
cluster_start --nodes 8
pairs=${PAIRS:-20}

# Sixteen tasks, each talking to the one eight away and to the next.
{
    echo "16 24 001"
    for ((i = 0; i < 16; i++)); do
        echo "$(((i + 8) % 16 + 1)) 65536 $(((i + 1) % 16 + 1)) 1024 $(((i + 15) % 16 + 1)) 1024"
    done
} >"$work/bench.graph"
"$topomap" profile import "$work/bench.graph" --name bench --ntasks 16 >/dev/null || exit 1

once() # sets ms
{
    local begin=$EPOCHREALTIME end
    "$@" >/dev/null 2>>"$work/said" || exit 1
    end=$EPOCHREALTIME
    ms=$(awk -v a="$begin" -v b="$end" 'BEGIN {printf "%.1f", (b - a) * 1000}')
}
median() { sort -n "$1" | awk '{v[NR] = $1} END {print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2}'; }

plain=(srun -N8 -n16 true)
mapped=(srun -N8 -n16 "--topomap=auto,name=bench,verbose" true)
once "${plain[@]}"
once "${mapped[@]}"
: >"$work/said"
for ((pair = 0; pair < pairs; pair++)); do
    [ "${CACHE-on}" != off ] || mapped[3]="--topomap=auto,name=bench,verbose,seed=$((pair + 2))"
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
echo "srun -N8 -n16 true, medians of $pairs alternating pairs"
printf '  %-22s %8.1f ms\n' "without topomap" "$(median "$work/plain")"
printf '  %-22s %8.1f ms\n' "with --topomap=auto" "$(median "$work/mapped")"
printf '  %-22s %8.3f\n' "ratio, pair by pair" "$(median "$work/ratio")"
echo "of which, inside srun and the planner"
for phase in catalogue topology mapping layout; do
    sed -n "s/.*[ ]$phase \([0-9.]*\) ms.*/\1/p" "$work/said" >"$work/phase"
    [ -s "$work/phase" ] && printf '  %-22s %8.2f ms\n' "$phase" "$(median "$work/phase")"
done
exit 0
