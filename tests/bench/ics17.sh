#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# ics17.sh - section 5 of Galvez, Jain and Kale (ICS 2017): every scheme that they
# compare, one by one, on their shapes of machine: hop-bytes (eq. 2), maximum
# hop-bytes (eq. 3), busiest link (eq. 4, by least loaded shortest paths where
# topomap eval has that) and seconds; the first three as multiples of the least
# in the column. Prints, judges nothing; plain numbers go to bench-ics17.csv.
#
#   MTX            a Matrix Market file, several in quotes (the paper: F1, scircuit):
#                  rows in blocks to NTASKS tasks; from where make was called.
#                  Without it: patterns like MILC's and Qbox's, a mesh in parts and
#                  a circuit with hubs
#   NTASKS         tasks for MTX, default 16384; shapes have NTASKS slots
#   BENCH_TIME     seconds of ParMapper (the paper: 10, 20, 60) and of topomap's own
#                  portfolio, several in quotes, default 10
#   BENCH_LIMIT    seconds after which any other scheme is given up, default 300
#   BENCH_THREADS  default 2
#   BENCH_SCHEMES  mappers instead of those below, several in quotes
#   BENCH_SHAPES   default "torus:16x2x16 torus:4x4x4x8x2 tree:8,16,8"
#   BENCH_CSV      default bench-ics17.csv
#
# The paper's names: OO_planar is default; OO_Hilbert and so on are list:...;
# Greedy, Recursive Bisection and RCM are hs-greedy, hs-rb, hs-rcm; FAQ and TopoLB
# place the partitioned graph, as the paper ran them. Each is run once, with one
# seed: --work 1.
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-ics17}
: "${MAPGEN:?}"
unset TOPOMAP TOPOMAP_CATALOGUE
csv=${BENCH_CSV:-bench-ics17.csv}
threads=${BENCH_THREADS:-2}
ntasks=${NTASKS:-16384}
shapes=${BENCH_SHAPES:-torus:16x2x16 torus:4x4x4x8x2 tree:8,16,8}
schemes=${BENCH_SCHEMES:-default cyclic plane
    list:order=OO,curve=hilbert list:order=BFS,curve=planar list:order=BFS,curve=hilbert
    list:order=BFS-DFS,curve=planar list:order=BFS-DFS,curve=hilbert
    list:order=GPART,curve=planar list:order=GPART,curve=hilbert list:order=OO,curve=snake
    hs-greedy hs-rb hs-rcm topolb faq}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-ics17-XXXXXX")
trap 'rm -rf "$work"' EXIT

die() { printf 'bench-ics17: %s\n' "$*" >&2; exit 1; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }
# A path as whoever called make means it.
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
    graph=$work/$1.graph
    [ ! -s "$graph" ] || return 0
    progress "making $1"
    case $1 in
    MILC) "$MAPGEN" grid "$(milc_grid)" torus star 10000 >"$graph" ;;
    Qbox) "$MAPGEN" qbox "$(qbox_grid)" 8192 262144 65536 >"$graph" ;;
    mesh) "$MAPGEN" fem "$ntasks" 14 25 1 >"$graph" ;;
    circuit) "$MAPGEN" circuit "$ntasks" 1 >"$graph" ;;
    *) "$topomap" convert "$(from_caller "$2")" --tasks "$ntasks" --to metis -o "$graph" ;;
    esac || die "cannot make the graph of $1"
}
# Four, and two, dimensions as equal as powers of two can be.
milc_grid() { awk -v n="$ntasks" 'BEGIN {for (i = 0; n > 1; n /= 2) d[3 - i++ % 4]++; printf "%dx%dx%dx%d", 2 ^ d[0], 2 ^ d[1], 2 ^ d[2], 2 ^ d[3]}'; }
qbox_grid() { awk -v n="$ntasks" 'BEGIN {for (i = 0; n > 1; n /= 2) d[i++ % 2]++; printf "%dx%d", 2 ^ d[0], 2 ^ d[1]}'; }

# measure SCHEME OPTION...: one line of the CSV, or none with the reason shown.
measure() {
    local scheme=$1
    shift
    progress "$name on $shape: $scheme"
    if ! "$topomap" map "$graph" --topology "$shape" --slots "$slots" --threads "$threads" "$@" \
        --json -o "$work/mapping" >"$work/report" 2>"$work/said"; then
        printf '%s,%s,%s,-,-,-,-,%s\n' "$name" "$label" "$scheme" "$(sed -n '1s/: there are.*//; 1s/^{"error": "//; 1s/\\"/"/g; 1p' "$work/said" | tr , +)" >>"$csv"
        return
    fi
    "$topomap" eval "$graph" --topology "$shape" --slots "$slots" "${routes[@]}" \
        --mapping "$work/mapping" --json >"$work/score" || die "$scheme: no good mapping"
    echo "$name,$label,$scheme,$(number avg_hop_bytes "$work/score"),$(number max_hop_bytes "$work/score"),$(number max_link_bytes "$work/score"),$(number seconds "$work/report")" >>"$csv"
}

# The lines of one application and shape, normalised.
table() {
    awk -F, -v name="$name" -v shape="$label" '
        $1 != name || $2 != shape { next }
        { line[++n] = $0 }
        { for (i = 4; i <= 6; i++) if ($i != "-" && $i > 0 && (!(i in least) || $i < least[i])) least[i] = $i + 0 }
        function ratio(x, i) { return i in least ? sprintf("%.3f", x / least[i]) : "-" }
        END {
            printf "%-34s %9s %9s %9s %9s\n", "scheme", "hop-bytes", "maximum", "link", "seconds"
            for (k = 1; k <= n; k++) {
                split_line(line[k])
                if (f[4] == "-") printf "%-34s   %s\n", f[3], f[8]
                else printf "%-34s %9s %9s %9s %9.2f\n", f[3], ratio(f[4], 4), ratio(f[5], 5), ratio(f[6], 6), f[7]
            }
        }
        # Commas of mappers are + in the CSV.
        function split_line(text) { split(text, f, ","); gsub(/\+/, ",", f[3]) }' "$csv"
}

echo application,shape,scheme,avg_hop_bytes,max_hop_bytes,max_link_bytes,seconds >"$csv" || exit 1
for source in ${MTX:-MILC Qbox mesh circuit}; do
    name=$(basename "$source" .mtx)
    application "$name" "$source"
    for shape in $shapes; do
        label=$(echo "$shape" | tr , +) # a CSV has commas of its own
        slots=$(awk -v s="${shape#*:}" -v n="$ntasks" 'BEGIN {k = split(s, d, /[x,]/); p = 1; while (k) p *= d[k--]; print int((n + p - 1) / p)}')
        for scheme in $schemes; do
            measure "$(echo "$scheme" | tr , +)" --mapper "$scheme" --work 1 --time "${BENCH_LIMIT:-300}"
        done
        for time in ${BENCH_TIME:-10}; do
            measure "parmapper $time s" --mapper parmapper --time "$time"
            measure "topomap $time s" --choose pareto --time "$time"
        done
        progress ""
        printf '\n%s, %u tasks on %s, %u slots a host\n' "$name" "$ntasks" "$shape" "$slots"
        table
    done
done
echo
echo "plain numbers: $csv"
