#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# ics17.sh - section 5 of Galvez, Jain and Kale (ICS 2017): every scheme that they
# compare, one by one, on their shapes of machine: hop-bytes (eq. 2), maximum
# hop-bytes (eq. 3), busiest link (eq. 4, by least loaded shortest paths where
# topomap eval has that) and seconds; means over the seeds, the first three as
# multiples of the least in the column. Below each table what the paper says of it
# in numbers, and whether that is reached. Plain numbers go to bench-ics17.csv.
#
#   NTASKS         tasks, several in quotes, default 16384; the paper's largest are
#                  "32768 65536"
#   BENCH_APPS     default "MILC MILC-t Qbox mesh circuit": MILC's pattern with
#                  ranks along the first and, MILC-t, along the last dimension, for
#                  the paper does not say which; Qbox's; a mesh in parts, and a
#                  circuit with hubs
#   MTX            Matrix Market files instead, several in quotes (the paper: F1,
#                  scircuit): rows in blocks to NTASKS tasks; from where make was
#                  called. Where a site has network:
#                  curl -L https://sparse.tamu.edu/MM/Koutsovasilis/F1.tar.gz | tar xz
#                  curl -L https://sparse.tamu.edu/MM/Hamm/scircuit.tar.gz | tar xz
#                  make bench-ics17 MTX="F1/F1.mtx scircuit/scircuit.mtx"
#   BENCH_TIME     seconds of ParMapper (the paper: 10, 20, 60) and of topomap's own
#                  portfolio, several in quotes, default 10
#   BENCH_LIMIT    seconds after which any other scheme is given up, default 300
#   BENCH_SEEDS    default "1 2 3"; ParMapper and topomap, which use many, begin with
#                  the first
#   BENCH_THREADS  default 2
#   BENCH_SCHEMES  mappers instead of those below, several in quotes
#   BENCH_SHAPES   instead of 512 nodes as torus:16x2x16, 1,024 as torus:4x4x4x8x2
#                  and tree:8,16,8; more for more tasks, 2,048 for 65,536
#   BENCH_CSV      default bench-ics17.csv
#
# The paper's names: OO_planar is default; OO_Hilbert and so on are list:...;
# Greedy, Recursive Bisection and RCM are hs-greedy, hs-rb, hs-rcm; FAQ and TopoLB
# place the partitioned graph, as the paper ran them. --work 1 each.
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-ics17}
: "${MAPGEN:?}"
unset TOPOMAP TOPOMAP_CATALOGUE
csv=${BENCH_CSV:-bench-ics17.csv}
threads=${BENCH_THREADS:-2}
seeds=${BENCH_SEEDS:-1 2 3}
schemes=${BENCH_SCHEMES:-default cyclic plane
    list:order=OO,curve=hilbert list:order=BFS,curve=planar list:order=BFS,curve=hilbert
    list:order=BFS-DFS,curve=planar list:order=BFS-DFS,curve=hilbert
    list:order=GPART,curve=planar list:order=GPART,curve=hilbert list:order=OO,curve=snake
    hs-greedy hs-rb hs-rcm topolb faq}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-ics17-XXXXXX")
trap 'rm -rf "$work"' EXIT

die() { printf 'bench-ics17: %s\n' "$*" >&2; exit 1; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }
# A path as seen from where make was called.
from_caller() { case $1 in /*) echo "$1" ;; *) echo "${BENCH_FROM:-.}/$1" ;; esac }
number() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$2" | head -1; }

routes=()
if "$topomap" eval --help | grep -q -e --routes; then
    routes=(--routes least-loaded)
    echo "busiest link: least loaded shortest paths"
else
    echo "busiest link: routes dimension by dimension"
fi

# application NAME: sets $graph.
application() {
    graph=$work/$1-$ntasks.graph
    [ ! -s "$graph" ] || return 0
    progress "making $1"
    case $1 in
    MILC) "$MAPGEN" grid "$(milc_grid)" torus star 10000 >"$graph" ;;
    MILC-t) "$MAPGEN" grid "$(milc_grid | tr x '\n' | sed '1!G;h;$!d' | paste -sdx -)" torus star 10000 >"$graph" ;;
    Qbox) "$MAPGEN" qbox "$(qbox_grid)" 8192 262144 65536 >"$graph" ;;
    mesh) "$MAPGEN" fem "$ntasks" 14 25 1 >"$graph" ;;
    circuit) "$MAPGEN" "$1" "$ntasks" 1 >"$graph" ;;
    *) "$topomap" convert "$(from_caller "$2")" --ntasks "$ntasks" --to metis -o "$graph" ;;
    esac || die "cannot make the graph of $1"
}
# Four, and two, dimensions as equal as powers of two can be.
milc_grid() { awk -v n="$ntasks" 'BEGIN {for (i = 0; n > 1; n /= 2) d[3 - i++ % 4]++; printf "%dx%dx%dx%d", 2 ^ d[0], 2 ^ d[1], 2 ^ d[2], 2 ^ d[3]}'; }
qbox_grid() { awk -v n="$ntasks" 'BEGIN {for (i = 0; n > 1; n /= 2) d[i++ % 2]++; printf "%dx%d", 2 ^ d[0], 2 ^ d[1]}'; }

# shapes_of NTASKS: nodes of 32 tasks, or of 16, as the paper has them.
shapes_of() {
    if [ "$1" -ge 65536 ]; then
        echo torus:16x8x16 torus:4x4x8x8x2 tree:16,16,8
    elif [ "$1" -ge 32768 ]; then
        echo torus:16x4x16 torus:4x4x4x8x2 tree:8,16,8
    else
        echo torus:16x2x16 torus:4x4x4x8x2 tree:8,16,8
    fi
}

# measure SCHEME SEED OPTION...: one line of the CSV, or none with the reason shown.
measure() {
    local scheme=$1 seed=$2
    shift 2
    progress "$name on $shape: $scheme"
    if ! "$topomap" map "$graph" --topology "$shape" --tasks-per-node "$slots" --threads "$threads" --seed "$seed" "$@" \
        --json -o "$work/mapping" >"$work/report" 2>"$work/said"; then
        printf '%s,%s,%s,%s,-,-,-,-,%s\n' "$name-$ntasks" "$label" "$scheme" "$seed" "$(sed -n '1s/: there are.*//; 1s/^{"error": "//; 1s/\\"/"/g; 1p' "$work/said" | tr , +)" >>"$csv"
        return 1
    fi
    "$topomap" eval "$graph" --topology "$shape" --tasks-per-node "$slots" "${routes[@]}" \
        "$work/mapping" --json >"$work/score" || die "$scheme: no good mapping"
    echo "$name-$ntasks,$label,$scheme,$seed,$(number avg_hop_bytes "$work/score"),$(number max_hop_bytes "$work/score"),$(number max_link_bytes "$work/score"),$(number seconds "$work/report")" >>"$csv"
}

# The lines of one application and shape, means of the seeds, normalised; and what
# the paper says in numbers.
table() {
    awk -F, -v name="$name-$ntasks" -v app="$name" -v shape="$label" '
        $1 != name || $2 != shape { next }
        !($3 in nseeds) { scheme[++n] = $3 }
        { nseeds[$3]++; for (i = 5; i <= 8; i++) { bad[$3] = $5 == "-"; sum[$3, i] += $i }; said[$3] = $9 }
        function mean(s, i) { return sum[s, i] / nseeds[s] }
        function ratio(s, i) { return least[i] > 0 ? sprintf("%.3f", mean(s, i) / least[i]) : "-" }
        # The least of all schemes but ParMapper and what is ours.
        function rivals(i,    k, s, found) {
            for (k = 1; k <= n; k++) {
                s = scheme[k]
                if (!bad[s] && s !~ /^(parmapper|topomap) / && (found == "" || mean(s, i) < found)) found = mean(s, i)
            }
            return found
        }
        function claim(what, published, ours) {
            printf "  the paper: %-58s %6s  here %8.3f  %s\n", what, published, ours, (ours <= published * 1.005 ? "reached" : "not reached")
        }
        # Least of the runs of ParMapper, or of topomap, over the rivals least.
        function over(who, i,    k, s, found) {
            for (k = 1; k <= n; k++) {
                s = scheme[k]
                if (!bad[s] && index(s, who " ") == 1 && (found == "" || mean(s, i) < found)) found = mean(s, i)
            }
            return found == "" || !(rivals(i) > 0) ? "" : found / rivals(i)
        }
        function claims(who,    h, l) {
            h = over(who, 5); l = over(who, 7)
            if (h == "" || l == "") return
            if (app ~ /^MILC/) {
                claim("hop-bytes, " who " over the best of the others", "1.00", h)
                claim("busiest link, the same, at worst", "1.24", l)
            } else if (app == "Qbox") {
                claim("hop-bytes, " who " over the best of the others", "1.00", h)
                claim("busiest link, the same", "1.00", l)
            } else if (app ~ /circuit|F1/ && shape ~ /^tree/)
                claim("hop-bytes, " who " over the best of the others", "1.00", h)
        }
        END {
            for (k = 1; k <= n; k++)
                for (i = 5; i <= 7; i++)
                    if (!bad[scheme[k]] && mean(scheme[k], i) > 0 && (!(i in least) || mean(scheme[k], i) < least[i])) least[i] = mean(scheme[k], i)
            printf "%-34s %9s %9s %9s %9s\n", "scheme", "hop-bytes", "maximum", "link", "seconds"
            for (k = 1; k <= n; k++) {
                shown = s = scheme[k]
                gsub(/\+/, ",", shown) # commas of mappers are + in the CSV
                if (bad[s]) printf "%-34s   %s\n", shown, said[s]
                else printf "%-34s %9s %9s %9s %9.2f\n", shown, ratio(s, 5), ratio(s, 6), ratio(s, 7), mean(s, 8)
                if (!bad[s] && least[7] > 0 && mean(s, 7) / least[7] > worst) worst = mean(s, 7) / least[7]
                if (!bad[s] && least[5] > 0 && mean(s, 5) / least[5] > worst) worst = mean(s, 5) / least[5]
            }
            claims("parmapper")
            claims("topomap")
            if (app ~ /circuit/)
                printf "  the paper: %-58s %6s  here %8.0f  %s\n", "a scheme that misses the hubs over the best, up to", 200, worst, (worst >= 100 ? "reached" : "not reached")
        }' "$csv"
}

echo application,shape,scheme,seed,avg_hop_bytes,max_hop_bytes,max_link_bytes,seconds >"$csv" || exit 1
for ntasks in ${NTASKS:-16384}; do
    for source in ${MTX:-${BENCH_APPS:-MILC MILC-t Qbox mesh circuit}}; do
        name=$(basename "$source" .mtx)
        application "$name" "$source"
        for shape in ${BENCH_SHAPES:-$(shapes_of "$ntasks")}; do
            label=$(echo "$shape" | tr , +) # a CSV has commas of its own
            slots=$(awk -v s="${shape#*:}" -v n="$ntasks" 'BEGIN {k = split(s, d, /[x,]/); p = 1; while (k) p *= d[k--]; print int((n + p - 1) / p)}')
            for scheme in $schemes; do
                for seed in $seeds; do
                    measure "$(echo "$scheme" | tr , +)" "$seed" --mapper "$scheme" --work 1 --time "${BENCH_LIMIT:-300}" || break
                done
            done
            for time in ${BENCH_TIME:-10}; do
                measure "parmapper $time s" "${seeds%% *}" --mapper parmapper --time "$time"
                measure "topomap $time s" "${seeds%% *}" --choose pareto --time "$time"
            done
            progress ""
            printf '\n%s, %u tasks on %s, %u slots a host\n' "$name" "$ntasks" "$shape" "$slots"
            table
        done
    done
done
echo
echo "plain numbers: $csv"
