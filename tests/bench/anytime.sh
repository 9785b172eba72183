#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# anytime.sh - hops per byte that topomap map reaches within each of a row of
# budgets, on 1 and 2 threads, with the machine as it is and with busy loops
# beside it, over Scotch's best of three strategies (and their seconds, with the
# same loops beside them). Prints, judges nothing; the figures also go to
# bench-anytime.csv.
#
#   BENCH_TIME      default "0.05 0.1 0.2 0.5 1 2 5 10 once twice", the last two
#                   are the seconds of Scotch's best, and twice that
#   BENCH_THREADS   default "1 2"
#   BENCH_LOADS     busy loops beside it, default "0 4"
#   BENCH_SAMPLES   runs of Scotch, the median of whose seconds counts, default 3
#   BENCH_RIVALS    none: without Scotch (no `once' and no `twice', then)
#   BENCH_ONLY, BENCH_GRAPHS, BENCH_INSTANCES    as of map.sh; the instances of
#                   instances-anytime come after those of instances by default
set -u
export LC_ALL=C
shopt -s extglob
here=$(cd "$(dirname "$0")" && pwd)
rivals=${BENCH_RIVALS:-scotch}
times=${BENCH_TIME:-0.05 0.1 0.2 0.5 1 2 5 10 once twice}
[ "$rivals" != none ] || times=${times//@(once|twice)/}
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
rm -f "$csv"
for load in ${BENCH_LOADS:-0 4}; do
    run=$rivals
    for threads in ${BENCH_THREADS:-1 2}; do
        busy "$load"
        BENCH_RIVALS=$run BENCH_SAMPLES=${BENCH_SAMPLES:-3} BENCH_TIME=$times BENCH_THREADS=$threads \
            BENCH_CHOOSE=hop-bytes BENCH_CSV=$work/anytime.csv "$here/map.sh" >"$work/anytime.said" || exit 1
        quiet
        sed "1d; s/^/$load,$threads,/" "$work/anytime.csv" >>"$csv"
        # Scotch's seconds are those beside the same loops, on one thread always.
        [ "$rivals" = none ] || run=keep
    done
done

awk -F, -v times="$times" '
function label(t) { return t + 0 > 0 ? t " s" : t }
# total NAME WHAT FORMAT: a line of WHAT for each machine that was measured.
function total(name, what, format,    done, r, i, part, machine, figure) {
    print name
    for (r = 1; r <= rows; r++) {
        split(row[r], part, ",")
        if (done[part[2], part[3]]++) continue
        printf "%-18s %5s %7s |", "", part[2], part[3]
        machine = part[2] SUBSEP part[3]
        for (i = 1; i <= n; i++) {
            if (what == "mean") figure = count[machine, i] ? exp(sum[machine, i] / count[machine, i]) : 0
            else figure = what == "behind" ? behind[machine, i] : back[machine, i]
            printf format, figure
        }
        print ""
    }
}
BEGIN {
    n = split(times, time, " ")
    printf "%-18s %5s %7s |", "hops per byte", "loops", "threads"
    for (i = 1; i <= n; i++) printf " %7s", label(time[i])
    print " | Scotch, its best   in s  and gmap in s"
}
$4 ~ /^gmap/ {
    if (!(($3, $1) in best) || $7 < best[$3, $1]) { best[$3, $1] = $7; in_s[$3, $1] = $11 }
    if ($4 == "gmap") gmap[$3, $1] = $11
}
$4 == "topomap" {
    key = $3 "," $1 "," $2
    if (!(key in seen)) { seen[key] = 1; row[++rows] = key }
    got[key, $6] = $7
}
END {
    for (r = 1; r <= rows; r++) {
        split(row[r], part, ",")
        rival = part[1] SUBSEP part[2]
        machine = part[2] SUBSEP part[3]
        printf "%-18s %5s %7s |", part[1], part[2], part[3]
        least = 0
        for (i = 1; i <= n; i++) {
            hops = got[row[r], time[i]]
            printf " %7.4f", hops
            if (hops <= 0) continue
            if (best[rival] > 0) {
                sum[machine, i] += log(hops / best[rival])
                count[machine, i]++
                behind[machine, i] += hops > 1.03 * best[rival]
            }
            if (time[i] + 0 <= 0) continue
            back[machine, i] += least > 0 && hops > 1.01 * least
            if (!least || hops < least) least = hops
        }
        if (rival in best) printf " | %15.4f %8.2f %9.2f", best[rival], in_s[rival], gmap[rival]
        print ""
    }
    total("geometric means over the best of Scotch", "mean", " %7.3f")
    total("rows more than 3% behind the best of Scotch", "behind", " %7d")
    total("rows more than 1% behind what less time gave", "back", " %7d")
}' "$csv"
echo "all of it: $csv"
