# SPDX-License-Identifier: LGPL-2.1-or-later
# shellcheck shell=bash
# runs.sh - what contrib/published calls for a number of ours: each function prints
# one, or a word, from the binaries alone. Work is bounded by units and seeds are
# given, so that the number is the same on every machine; seconds are of CPU time.
# absent: what it needs is not here.
: "${topomap:?}" "${work:?}" "${state:?}" "${identity:?}"

# graph NAME WORD...: the file of a graph of mapgen's, made once.
graph()
{
    local file=$work/$1.graph
    [ -s "$file" ] || "$MAPGEN" "${@:2}" >"$file" || return 1
    echo "$file"
}

# mapped GRAPH TOPOLOGY SLOTS OPTION...: a line HOPS MAXIMUM LINK SECONDS: hops per
# byte, largest task's over the mean, busiest link by least loaded shortest paths,
# CPU seconds. Kept, so that lines share runs.
runs=$state/runs
mapped()
{
    local key found file=$1 took TIMEFORMAT=%U
    key="$identity $(cksum <"$1" | tr ' ' -) ${*:2}"
    found=$(grep -sF "$key = " "$runs" | tail -1)
    if [ -z "$found" ]; then
        { time "$topomap" map "$file" --topology "$2" --tasks-per-node "$3" --threads 1 "${@:4}" --json -o "$work/mapping" \
            >"$work/report"; } 2>"$work/time" || { cat "$work/time" >&2 && return 1; }
        took=$(tail -n 1 "$work/time")
        "$topomap" eval "$file" --topology "$2" --tasks-per-node "$3" --routes least-loaded "$work/mapping" --json \
            >"$work/score" && [ -n "$(field hops_per_byte)" ] || return 1
        found="$key = $(field hops_per_byte) $(field max_hops_per_byte) $(field max_link_bytes) $took"
        echo "$found" >>"$runs"
    fi
    echo "${found##* = }"
}
field() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$work/score" | head -1; }

# --- Galvez, Jain and Kale
# The eleven schemes that ParMapper is compared with; some for three seeds.
rivals='default list:order=OO,curve=hilbert list:order=BFS,curve=planar list:order=BFS,curve=hilbert
    list:order=BFS-DFS,curve=planar list:order=BFS-DFS,curve=hilbert hs-rcm hs-greedy hs-rb topolb faq'
# instances SET: a line each: what mapgen makes, topology, tasks a node. MILC's
# pattern in both numberings, for the paper does not say which.
instances()
{
    case $1 in
    milc-3d) printf '%s\n' '8x8x16x16 torus:16x2x16 32' '16x16x8x8 torus:16x2x16 32' \
        '8x16x16x16 torus:16x4x16 32' '16x16x16x8 torus:16x4x16 32' ;;
    milc-first) echo '8x8x16x16 torus:16x2x16 32' ;;
    milc-5d) printf '%s\n' '8x8x16x16 torus:4x4x4x8x2 16' '16x16x8x8 torus:4x4x4x8x2 16' \
        '8x16x16x16 torus:4x4x4x8x2 32' '16x16x16x8 torus:4x4x4x8x2 32' ;;
    milc-tree) printf '%s\n' '8x8x16x16 tree:8,16,8 16' '16x16x8x8 tree:8,16,8 16' ;;
    milc-64k) printf '%s\n' '16x16x16x16 torus:16x8x16 32' '16x16x16x16 torus:4x4x8x8x2 32' '16x16x16x16 tree:16,16,8 32' ;;
    qbox) printf '%s\n' '128x128 torus:16x2x16 32' '128x128 torus:4x4x4x8x2 16' '128x128 tree:8,16,8 16' ;;
    qbox-5d) echo '128x128 torus:4x4x4x8x2 16' ;;
    circuit) echo '16384 torus:16x2x16 32' ;;
    circuit-tree) echo '16384 tree:8,16,8 16' ;;
    esac
}
application()
{
    case $1 in
    milc*) graph "milc-$2" grid "$2" torus star 10000 ;;
    qbox*) graph "qbox-$2" qbox "$2" 8192 262144 65536 ;;
    circuit*) graph "circuit-$2" circuit "$2" 1 ;;
    esac
}
# by SCHEME FILE TOPOLOGY SLOTS: ParMapper is given 300 runs of GreedyMap.
by()
{
    case $1 in
    parmapper) mapped "${@:2}" --mapper parmapper --work 300 ;;
    topomap) mapped "${@:2}" --choose pareto --work 300 ;;
    topomap-short) mapped "${@:2}" --choose pareto --work 60 ;;
    hs-greedy | hs-rb | topolb | faq)
        mapped "${@:2}" --mapper "$1" --work 1
        mapped "${@:2}" --mapper "$1" --work 1 --seed 2
        mapped "${@:2}" --mapper "$1" --work 1 --seed 3
        ;;
    *) mapped "${@:2}" --mapper "$1" --work 1 ;;
    esac
}
# Which number of mapped is meant.
column() { case $1 in hops) echo 1 ;; link) echo 3 ;; seconds) echo 4 ;; esac }
# least FIELD: of lines of mapped, the least that is above nothing.
least() { awk -v i="$(column "$1")" '$i > 0 && (!n++ || $i < m) {m = $i} END {if (n) print m}'; }
# others FILE TOPOLOGY SLOTS: the rivals' lines; Hilbert's curve is for tori.
others()
{
    local scheme
    for scheme in $rivals; do by "$scheme" "$@" 2>/dev/null; done
}
# over SET WHO FIELD [ALSO]: theirs over the least of the rivals, and of ALSO; at worst
# in the set.
over()
{
    local what topology slots file best found all=''
    while read -r what topology slots; do
        file=$(application "$1" "$what") || return 1
        found=$(by "$2" "$file" "$topology" "$slots" | least "$3")
        best=$({ others "$file" "$topology" "$slots" && [ $# -lt 4 ] || by "$4" "$file" "$topology" "$slots"; } | least "$3")
        [ -n "$found" ] && [ -n "$best" ] || return 1
        all+="$found $best "
    done < <(instances "$1")
    echo "$all" | awk 'NF {for (i = 1; i < NF; i += 2) if ($i / $(i + 1) > m) m = $i / $(i + 1); printf "%.2f\n", m}'
}
# spread SET FIELD: the largest of all schemes over the least.
spread()
{
    local what topology slots file
    read -r what topology slots < <(instances "$1")
    file=$(application "$1" "$what") || return 1
    { others "$file" "$topology" "$slots" && by topomap-short "$file" "$topology" "$slots"; } |
        awk -v i="$(column "$2")" '{if (!n++ || $i < a) a = $i; if ($i > b) b = $i} END {if (a > 0) printf "%.0f\n", b / a}'
}
# seconds APP WHAT TOPOLOGY SLOTS MAPPER: of CPU time.
seconds()
{
    local file found
    file=$(application "$1" "$2") || return 1
    found=$(mapped "$file" "$3" "$4" --mapper "$5" --work 1) || return 1
    awk -v s="${found##* }" 'BEGIN {printf "%.2g\n", s}'
}
# matrix NAME SCHEME|spread FIELD: of a matrix that the site has, a scheme over the
# best, or the worst of all; seconds are the scheme's.
matrix()
{
    local file=$work/$1.graph on=(torus:16x2x16 32) all
    [ -n "$sources" ] && [ -r "$sources/$1.mtx" ] || { echo absent && return; }
    [ -s "$file" ] || "$topomap" convert "$sources/$1.mtx" --ntasks 16384 --to metis -o "$file" || return 1
    [ "$3" != seconds ] || { by "$2" "$file" "${on[@]}" | least seconds && return; }
    all=$(others "$file" "${on[@]}" && by topomap-short "$file" "${on[@]}")
    if [ "$2" = spread ]; then echo "$all"; else by "$2" "$file" "${on[@]}" | sed 's/$/ own/'; fi |
        { cat && echo "$all"; } | awk -v i="$(column "$3")" -v spread="$2" '
            {if (!n++ || $i < a) a = $i; if (spread == "spread" ? $i > b : $NF == "own" && (!b || $i < b)) b = $i}
            END {if (a > 0) printf "%.2f\n", b / a}'
}
# best_list SET order|pack: the configuration of GreedyMap of least hop-bytes.
best_list()
{
    local what topology slots file order pack delta
    read -r what topology slots < <(instances "$1")
    file=$(application "$1" "$what") || return 1
    for order in OO BFS BFS-DFS GPART; do
        for pack in 1 0; do
            for delta in all sqrt; do
                echo "$(mapped "$file" "$topology" "$slots" --mapper "greedymap:order=$order,pack=$pack,delta=$delta" --work 1)" "$order" "$pack"
            done
        done
    done | awk -v what="$2" '!n++ || $1 < least {least = $1; best = what == "order" ? $5 : $6} END {print best}'
}

# --- Niethammer and Rabenseifner
dims_shape() { "$topomap" grid dims --levels "$1" --ndims "$2" | sed -n 1p; }
# dims_cost LEVELS NDIMS I: what the i-th level costs.
dims_cost() { "$topomap" grid dims --levels "$1" --ndims "$2" | sed -n "$((1 + $3))s/.*cost //p"; }
# dims_more LEVEL A B: how much more than the least the sum of another shape is.
dims_more() { awk -v a="$1" -v b="$(dims_cost "$2" 3 1)" 'BEGIN {printf "%.0f%%\n", 100 * (a / b - 1)}'; }
dims_counts() { "$DIMS_COUNTS" "$1" | tr ' ' /; }
# dims_time N NDIMS...: microseconds of a call, over many; the start of the command
# is taken off.
dims_time()
{
    local TIMEFORMAT='%U %S' base all
    base=$({ time "$DIMS_COUNTS" 2 >/dev/null; } 2>&1)
    all=$({ time "$DIMS_COUNTS" "$1" >/dev/null; } 2>&1)
    # Two searches, by each criterion, for each of nine numbers of dimensions.
    awk -v a="$base" -v b="$all" -v n="$1" 'BEGIN {split(a, x, " "); split(b, y, " ")
        printf "%.2g\n", 1e6 * (y[1] + y[2] - x[1] - x[2]) / (2 * 9 * (n - 1))}'
}

# --- Fiedler and Whalen
# bw PERCENT SEED [BLADE]: Blue Waters' torus: 23 x 24 x 24 routers of two nodes; so
# many per cent, in fours along y if BLADE, are service nodes; a section of y < ROWS.
# A generator of our own: awks differ.
bw()
{
    local file=$work/bw-$1-$2-${3-1}-${4-24}
    [ -s "$file" ] || awk -v percent="$1" -v seed="$2" -v blade="${3-1}" -v rows="${4-24}" 'BEGIN {
        print "torus:23x24x24"
        for (z = 0; z < 24; z++)
            for (y = 0; y < 24; y++)
                for (x = 0; x < 23; x++) {
                    b = int(y / blade)
                    if (y % blade == 0) {
                        for (i = 0; i < 3; i++)
                            seed = (seed * 16807) % 2147483647
                        gone[x, b, z] = seed % 10000 < percent * 100
                    }
                    if (gone[x, b, z])
                        continue
                    for (k = 0; k < 2; k++)
                        if (y < rows)
                            printf "host nid%05d %d %d %d\n", n++, x, y, z
                }
    }' >"$file"
    echo "$file"
}
# chosen NAME OPTION...: the number behind NAME of select's first choice.
chosen()
{
    "$topomap" grid select "${@:2}" >"$work/chosen" || return 1
    sed -n "s/^# choice 1: .*$1 \([0-9.]*\).*/\1/p" "$work/chosen" | head -1
}
# The routers of that choice: 12x12x16.
routers()
{
    "$topomap" grid select "$@" >"$work/chosen" || return 1
    sed -n 's/^# choice 1: \([0-9x]*\) routers.*/\1/p' "$work/chosen"
}
# worst_path: over five draws of the service nodes, MILC's prism in the paper's axes.
worst_path()
{
    local seed most=0 found
    for seed in 1 2 3 4 5; do
        found=$(chosen 'longest path' --topology "$(bw 3 $seed)" --grid 14x14x21x16 --block 1x2x1x16 "$@") || return 1
        [ "$found" -le "$most" ] || most=$found
    done
    echo "$most"
}
nodes_of() { "$topomap" grid select "$@" | sed -n 's/^# grid .* \([0-9]*\) nodes with.*/\1/p'; }
# axis_of I OPTION...: that of the i-th dimension.
axis_of() { "$topomap" grid select "${@:2}" | sed -n 's/^# choice 1: .* axes \([xyz-]*\).*/\1/p' | cut -c"$1"; }
tile_gain() { "$topomap" grid dims --bandwidth 2,1,2 --exchange "$1" | sed -n 's/^gain //p'; }
# off_node GRID PER-NODE: bytes that leave nodes when ranks go by blocks, and as they
# come: how many times as many.
off_node()
{
    local p nodes
    p=$(echo "$2" | awk -Fx '{v = 1; for (i = 1; i <= NF; i++) v *= $i; print v}')
    nodes=$(echo "$1" | awk -Fx -v p="$p" '{v = 1; for (i = 1; i <= NF; i++) v *= $i; print v / p}')
    "$topomap" grid order "$1" --block "$2" --to mapping >"$work/blocks" || return 1
    "$topomap" eval "grid:$1:periodic" --topology "flat:$nodes" --tasks-per-node "$p" "$work/blocks" --json >"$work/score" || return 1
    p=$(field off_node_bytes)
    "$topomap" eval "grid:$1:periodic" --topology "flat:$nodes" --tasks-per-node "$(echo "$2" | awk -Fx '{v = 1; for (i = 1; i <= NF; i++) v *= $i; print v}')" \
        block --json >"$work/score" || return 1
    awk -v a="$(field off_node_bytes)" -v b="$p" 'BEGIN {printf "%.2f\n", a / b}'
}
adaptive() { "$topomap" grid layout --topology "$(bw 3 3 1 4)" --grid 84x84x84x144 --tasks-per-node 16 --periodic 1111; }
adaptive_time()
{
    local TIMEFORMAT=%U
    { time adaptive >/dev/null; } 2>&1
}

# --- the slides on TopoLB
# A mean over seeds 1, 2 and 3 of mapper random.
random_hops()
{
    local seed
    for seed in 1 2 3; do
        mapped "$1" "$2" "$3" --mapper "random:of=$4" --seed $seed || return 1
    done | awk '{sum += $1} END {printf "%.6g\n", sum / NR}'
}
# leanmd SHAPE OPTION...: how much less hops per byte than at random, 6x6x6 cells.
leanmd()
{
    local file slots base found
    file=$(graph leanmd leanmd 6x6x6 1000) || return 1
    slots=$(awk -v s="$1" 'NR == 1 {n = split(s, d, "x"); p = 1; while (n) p *= d[n--]; print int(($1 + p - 1) / p); exit}' "$file")
    base=$(random_hops "$file" "torus:$1" "$slots" groups) || return 1
    found=$(mapped "$file" "torus:$1" "$slots" "${@:2}") || return 1
    awk -v a="${found%% *}" -v b="$base" 'BEGIN {printf "%.0f%%\n", 100 * (1 - a / b)}'
}
# known GRID torus|mesh TOPOLOGY OPTION...: hops per byte, a task a node.
known()
{
    local file found
    file=$(graph "grid-$1-$2" grid "$1" "$2" star 1000) || return 1
    found=$(mapped "$file" "$3" 1 "${@:4}") || return 1
    awk -v h="${found%% *}" 'BEGIN {printf "%.4g\n", h}'
}

# jacobi_links: the busiest link's bytes at random over those of the optimum.
jacobi_links()
{
    local file best found
    file=$(graph grid-16x16x16-torus grid 16x16x16 torus star 1000) || return 1
    best=$(mapped "$file" torus:16x16x16 1 --work 20) && found=$(mapped "$file" torus:16x16x16 1 --mapper random:of=tasks) || return 1
    printf '%s\n' "$best" "$found" | awk '{v[NR] = $3} END {printf "%.1f\n", v[2] / v[1]}'
}

# --- Sweeney, Wisniewski, Cascaval and Smith
# ports FILE.edges OPTION...: the estimate on figure 6: five and three machines of two
# cores below a third switch; ports of 100 Mb/s, memory ten times that.
ports()
{
    printf 'SwitchName=a Nodes=n[0-4]\nSwitchName=b Nodes=n[5-7]\nSwitchName=top Switches=a,b\n' >"$work/figure6.conf"
    printf '{"format": 1, "topology": {"type": "file", "path": "%s"}, "ports": [{"most": 125e6}, {"most": 12.5e6}, {"most": 12.5e6}, {}]}\n' \
        "$work/figure6.conf" >"$work/figure6.json"
    "$topomap" eval "$1" --from edges --topology "$work/figure6.json" --model ports "${@:2}" --json
}
# figure6 PATTERN: tasks in a row, and clustered.
figure6()
{
    case $1 in
    ladder) printf '%s\n' '0 1 4000' '1 2 4000' '2 3 4000' '4 5 4000' '5 6 4000' '6 7 4000' '0 4 7000' '1 5 7000' '2 6 7000' '3 7 7000' ;;
    line-*) awk -v n="${1#line-}" 'BEGIN {for (t = 0; t < n - 1; t++) print t, t + 1, 100000 + 10 * t}' ;;
    groups) awk 'BEGIN {for (t = 0; t < 16; t++) for (u = t + 1; u < 16; u++) if ((t < 10) == (u < 10)) print t, u, 10000
        for (t = 0; t < 6; t++) print t, t + 10, 11000}' ;;
    esac >"$work/$1.edges"
    ports "$work/$1.edges" --tasks-per-node 2 block bottom-up
}
# clustered PATTERN: what the estimate says of clustering: how many times as fast as
# tasks in a row; which: the mapping that it takes.
clustered() { figure6 "$1" | awk -F'[:,]' '/^      "time_s"/ {t[n++] = $2} END {if (n == 2) printf "%.3f\n", t[0] / t[1]}'; }
direction() { clustered "$1" | awk 'NF {print ($1 > 1.005 ? "faster" : ($1 < 0.995 ? "slower" : "equal"))}'; }
# gain_of PATTERN: the same in per cent of the time of tasks in a row.
gain_of() { clustered "$1" | awk 'NF {printf "%.1f%%\n", 100 * (1 - 1 / $1)}'; }
# odd_gain: the most of lines of an odd number.
odd_gain()
{
    local n
    for n in 5 7 9 11 13; do gain_of "line-$n"; done | awk '{sub(/-/, ""); if ($1 + 0 > m) m = $1 + 0} END {if (NR == 5) printf "%.0f%%\n", m}'
}
# curve BYTES EDGE...: Mb/s of all edges, a task a machine; EDGE: 0-1.
curve()
{
    local edge
    for edge in "${@:2}"; do echo "${edge/-/ } $1"; done >"$work/curve.edges"
    ports "$work/curve.edges" --tasks-per-node 1 block |
        awk -F'[:,]' -v bytes=$(($1 * ($# - 1))) '/^      "time_s"/ && !n++ {printf "%.0f\n", 8e-6 * bytes / $2}'
}
figure1_pairs() { { curve 1000000 0-1 && curve 1000000 0-1 2-3; } | awk '{v[NR] = $1} END {if (NR == 2) printf "%.2g\n", v[2] / v[1]}'; }
figure1_curves() { { curve 1000000 0-5 && curve 1000000 0-1 && curve 2000000 0-1 && curve 2000000 0-1 2-3; } | paste -sd/ -; }
