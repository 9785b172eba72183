#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# anytime.sh - hops per byte that topomap map reaches within each of a row of
# budgets, on 1 and 2 threads, with the machine as it is and with busy loops
# beside it, over Scotch's best of three strategies (and their seconds). Prints,
# judges nothing; the figures also go to bench-anytime.csv.
#
#   BENCH_TIME      default "0.05 0.1 0.2 0.5 1 2 5 10"
#   BENCH_THREADS   default "1 2"
#   BENCH_LOADS     busy loops beside it, default "0 4"
#   BENCH_ONLY, BENCH_GRAPHS, BENCH_INSTANCES    as of map.sh; the instances of
#                   instances-anytime come after those of instances by default
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
times=${BENCH_TIME:-0.05 0.1 0.2 0.5 1 2 5 10}
csv=${BENCH_CSV:-bench-anytime.csv}
work=${BENCH_WORK:-bench-map.work}
loops=()

# Ends the loops that this script started, and no others.
quiet() {
    local pid
    for pid in "${loops[@]+"${loops[@]}"}"; do
        kill "$pid" && wait "$pid"
    done 2>/dev/null
    loops=()
}
trap quiet EXIT
trap 'exit 130' INT TERM HUP

busy() {
    local i
    for ((i = 0; i < $1; i++)); do
        while :; do :; done &
        loops+=($!)
    done
}

mkdir -p "$work" || exit 1
if [ -z "${BENCH_INSTANCES:-}" ]; then
    cat "$here/instances" "$here/instances-anytime" >"$work/anytime" || exit 1
    export BENCH_INSTANCES=$work/anytime
fi
rivals=${BENCH_RIVALS:-}
rm -f "$csv"
for load in ${BENCH_LOADS:-0 4}; do
    for threads in ${BENCH_THREADS:-1 2}; do
        busy "$load"
        BENCH_RIVALS=$rivals BENCH_TIME=$times BENCH_THREADS=$threads BENCH_CHOOSE=hop-bytes \
            BENCH_CSV=$work/anytime.csv "$here/map.sh" >"$work/anytime.said" || exit 1
        quiet
        sed "1d; s/^/$load,$threads,/" "$work/anytime.csv" >>"$csv"
        rivals=none
    done
done

awk -F, -v times="$times" '
BEGIN {
    n = split(times, time, " ")
    printf "%-18s %5s %7s |", "hops per byte", "loops", "threads"
    for (i = 1; i <= n; i++) printf " %7s", time[i] " s"
    print " | Scotch, its best   in s  and gmap in s"
}
$4 ~ /^gmap/ {
    if (!($3 in best) || $7 < best[$3]) { best[$3] = $7; in_s[$3] = $11 }
    if ($4 == "gmap") gmap[$3] = $11
}
$4 == "topomap" {
    key = $3 "," $1 "," $2
    if (!(key in seen)) { seen[key] = 1; row[++rows] = key }
    got[key, $6] = $7
}
END {
    for (r = 1; r <= rows; r++) {
        split(row[r], part, ",")
        name = part[1]
        printf "%-18s %5s %7s |", name, part[2], part[3]
        for (i = 1; i <= n; i++) {
            hops = got[row[r], time[i]]
            printf " %7.4f", hops
            if (best[name] > 0 && hops > 0) {
                sum[part[2], part[3], i] += log(hops / best[name])
                count[part[2], part[3], i]++
            }
        }
        if (name in best) printf " | %15.4f %8.2f %9.2f", best[name], in_s[name], gmap[name]
        print ""
    }
    print "geometric means over the best of Scotch"
    for (r = 1; r <= rows; r++) {
        split(row[r], part, ",")
        if (done[part[2], part[3]]++) continue
        printf "%-18s %5s %7s |", "", part[2], part[3]
        for (i = 1; i <= n; i++)
            if (count[part[2], part[3], i])
                printf " %7.3f", exp(sum[part[2], part[3], i] / count[part[2], part[3], i])
        print ""
    }
}' "$csv"
echo "all of it: $csv"
