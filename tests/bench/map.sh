#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# map.sh - topomap map beside what Debian has for the same purpose, on the
# instances of the file next to this: hops per byte, maximum hop-bytes, busiest
# link and seconds of each, ratios, and geometric means. Prints, judges nothing;
# all of it also goes to bench-map.csv.
#
#   BENCH_TIME      seconds of search, several in quotes; `scotch` is twice what
#                   scotch_gmap takes by default for that instance, but 0.3 at
#                   least; `once` and `twice` are what the best of its three
#                   strategies took, and twice that. Default: "scotch 10"
#   BENCH_CHOOSE    what is best: hop-bytes, link, ..., several in quotes. By
#                   default hop-bytes at every time and link at the last one
#   BENCH_THREADS   of topomap, default 2
#   BENCH_MAPPER    one mapper of `topomap map --list` instead of all
#   BENCH_ONLY      names of instances, patterns of the shell: 'fem* circ16k-tree'
#   BENCH_GRAPHS    a folder whose NAME.graph and NAME.nodes are taken instead of
#                   those made here
#   BENCH_RIVALS    keep: those of the last run; none; scotch: without METIS;
#                   else they are all run
#   BENCH_SAMPLES   runs of each of scotch_gmap's strategies, the median of their
#                   seconds counts; default 1
#   BENCH_SEEDS     further runs of scotch_gmap, tasks in other orders, default 0;
#                   they count among all tools, not as the three strategies
#   BENCH_CSV       default bench-map.csv
#   PEERS           a folder with mappers for hierarchies, by their usual names:
#                   fastmap, strongmap, ... (IntegratedMapping), kaffpa and
#                   global_multisection (KaHIP), SharedMap. Those that are there
#                   run on trees with all their hosts, one thread, default balance
#
# The rivals, fairly used:
#   - scotch_gmap (package scotch; measured with 7.0.3) gets the target as its
#     own torus or tleaf, or a `sub` of the torus for a fragmented allocation, with
#     one terminal a host: tasks weigh 1, so hosts get equal numbers of tasks but
#     for Scotch's tolerance. gmap is its default strategy, gmap-q is -cq
#     (quality), gmap-qb is -cqb (balance enforced, too).
#   - metis-rb and metis-k are METIS's partitions (package metis; gpmetis), parts
#     put on the hosts in order; +gmap: the parts put on the hosts by scotch_gmap.
#   - Where a host ends up with too many tasks, they move, the cheapest first, to
#     where they cost least (mapaid fit). So every figure is of a mapping with one
#     task a slot, and computed by topomap eval.
#   - Weights are divided by their common divisor, since both count in 32 bits.
#   - Scotch runs on one thread: with two it is slower on the wall (7.0.3, two
#     cores), no better, and different each time.
# Seconds are of the search or mapping alone, without reading and writing (those of
# PEERS: with it), on the wall; cpu_seconds in the CSV are of the whole process, all threads.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
topomap=${STAGE_TOPOMAP:?run me by make bench-map}
: "${MAPGEN:?}" "${MAPAID:?}" "${MEASURE:?}"
unset TOPOMAP TOPOMAP_CATALOGUE
export SCOTCH_PTHREAD_NUMBER=${SCOTCH_PTHREAD_NUMBER:-1}
csv=${BENCH_CSV:-bench-map.csv}
work=${BENCH_WORK:-bench-map.work}
threads=${BENCH_THREADS:-2}
given=${BENCH_GRAPHS:-}
mkdir -p "$work" || exit 1
work=$(cd "$work" && pwd)
instances=${BENCH_INSTANCES:-$here/instances}

say() { printf '%s\n' "$*" >&2; }
die() { say "bench-map: $*"; exit 1; }
progress() { [ ! -t 2 ] || printf '\r\033[K%s' "$*" >&2; }

# recipe KIND NAME: mapgen's words for it.
recipe() { awk -v k="$1" -v n="$2" '$1 == k && $2 == n {$1 = $2 = ""; print}' "$instances"; }

# make_file KIND NAME SUFFIX: sets $file to what was given, or made here.
make_file() {
    file=$given/$2.$3
    [ -z "$given" ] || [ ! -e "$file" ] || return 0
    file=$work/$2.$3
    [ -s "$file" ] && [ "$file" -nt "$MAPGEN" ] && [ "$file" -nt "$instances" ] && return 0
    progress "making $2"
    # shellcheck disable=SC2046
    "$MAPGEN" $(recipe "$1" "$2") >"$file.new" && mv "$file.new" "$file" || die "cannot make $2"
}

# number KEY FILE: of a flat JSON object.
number() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$2" | head -1; }

# score TOOL CHOOSE LIMIT SECONDS MAPPING: one line of the CSV.
score() {
    "$topomap" eval "$graph" --topology "$topology" --tasks-per-node "$slots" "${hosts_option[@]}" \
        "$5" --json >"$work/score" || die "$name: the mapping of $1 is no good"
    echo "$name,$1,$2,$3,$(number hops_per_byte "$work/score"),$(number max_hop_bytes "$work/score"),$(number max_link_bytes "$work/score"),$(number off_node_bytes "$work/score"),$4,$(awk '{print $2}' "$work/took")" >>"$csv"
}

# ours CHOOSE LIMIT SECONDS: topomap itself.
ours() {
    local limit
    limit=$(awk -v t="$3" 'BEGIN {printf "%.3f", t}')
    progress "$name: topomap, $1, $limit s"
    "$MEASURE" "$work/took" "$topomap" map "$graph" --topology "$topology" --tasks-per-node "$slots" "${hosts_option[@]}" \
        --choose "$1" --time "$limit" --threads "$threads" ${BENCH_MAPPER:+--mapper "$BENCH_MAPPER"} \
        --json -o "$work/mapping" >"$work/report" 2>"$work/said" || die "$name: $(cat "$work/said")"
    score topomap "$1" "$2" "$(number seconds "$work/report")" "$work/mapping"
}

# layout NAME: one of the two that need no search.
layout() {
    "$MEASURE" "$work/took" "$topomap" map "$graph" --topology "$topology" --tasks-per-node "$slots" "${hosts_option[@]}" \
        --mapper "$1" -o "$work/mapping" 2>"$work/said" || die "$name: $(cat "$work/said")"
    score "$1" - - 0 "$work/mapping"
}

fit() { "$MAPAID" fit "$graph" "$topology" "$hosts" "$slots" "$@" >"$work/mapping" || die "$name: $1 does not fit"; }

# scotch TOOL GRAPH OPTION...: a mapping of that Scotch graph into $work/parts;
# sets seconds.
scotch() {
    local from=$2 sample
    progress "$name: $1"
    shift 2
    : >"$work/samples"
    for ((sample = 0; sample < ${BENCH_SAMPLES:-1}; sample++)); do
        "$MEASURE" "$work/took" scotch_gmap -vt "$@" "$from" "$work/target" "$work/parts" "$work/log" >/dev/null 2>"$work/said" &&
            awk '/Mapping/ {print $3}' "$work/log" >>"$work/samples" || {
            say "bench-map: $name: scotch_gmap failed: $(cat "$work/said")"
            return 1
        }
    done
    seconds=$(sort -g "$work/samples" | awk '{t[NR] = $1} END {print (t[int((NR + 1) / 2)] + t[int(NR / 2) + 1]) / 2}')
}

run_gmap() {
    local tool
    "$MAPAID" scotch "$graph" >"$work/grf" || die "$name: no graph for Scotch"
    for tool in gmap gmap-q:-cq gmap-qb:-cqb; do
        # shellcheck disable=SC2046
        scotch "${tool%:*}" "$work/grf" $(case $tool in *:*) echo "${tool#*:}" ;; esac) || continue
        fit "$work/parts"
        score "${tool%:*}" - - "$seconds" "$work/mapping"
    done
    for ((i = 1; i <= ${BENCH_SEEDS:-0}; i++)); do
        "$MAPAID" scotch "$graph" "$i" >"$work/grf" || die "$name: no graph for Scotch"
        for tool in gmap gmap-q:-cq gmap-qb:-cqb; do
            # shellcheck disable=SC2046
            scotch "${tool%:*}-seed$i" "$work/grf" $(case $tool in *:*) echo "${tool#*:}" ;; esac) || continue
            fit "$work/parts"
            score "${tool%:*}-seed$i" - - "$seconds" "$work/mapping"
        done
    done
}

run_metis() {
    local type tool parting
    "$MAPAID" metis "$graph" >"$work/metis" || die "$name: no graph for METIS"
    for type in rb kway; do
        tool=metis-${type%way}
        progress "$name: $tool"
        "$MEASURE" "$work/took" gpmetis -ptype=$type -seed=1 "$work/metis" "$nhosts" >"$work/log" 2>&1 || {
            say "bench-map: $name: gpmetis failed: $(tail -1 "$work/log")"
            continue
        }
        mv "$work/metis.part.$nhosts" "$work/split"
        parting=$(awk '/Partitioning:/ {print $2}' "$work/log")
        cp "$work/took" "$work/took.parting"
        fit "$work/split"
        score "$tool" - - "$parting" "$work/mapping"
        [ -n "$have_scotch" ] || continue
        "$MAPAID" quotient "$graph" "$work/split" "$nhosts" >"$work/grf.parts" &&
            scotch "$tool+gmap" "$work/grf.parts" -cqb || continue
        awk 'NR == FNR {cpu = $2; next} {print $1, $2 + cpu, $3}' "$work/took.parting" "$work/took" >"$work/both"
        mv "$work/both" "$work/took"
        fit "$work/split" "$work/parts"
        score "$tool+gmap" - - "$(awk -v a="$seconds" -v b="$parting" 'BEGIN {print a + b}')" "$work/mapping"
    done
}

# peer TOOL COMMAND...: writes each task's host to $work/split.
peer() {
    local tool=$1
    shift
    [ -x "$PEERS/$1" ] || return 0
    progress "$name: $tool"
    rm -f "$work/split"
    "$MEASURE" "$work/took" "$PEERS/$1" "${@:2}" >"$work/log" 2>&1 && [ -s "$work/split" ] || {
        say "bench-map: $name: $tool failed: $(tail -1 "$work/log")"
        return 0
    }
    fit "$work/split"
    score "$tool" - - "$(awk '{print $1}' "$work/took")" "$work/mapping"
}

# Levels and distances are theirs from the leaves up, and a block a host.
run_peers() {
    local tool levels distances machine
    levels=$(awk -v s="${topology#*:}" 'BEGIN {for (n = split(s, d, ","); n > 0; n--) printf "%s%s", d[n], (n > 1 ? ":" : "")}')
    distances=$(awk -v s="${topology#*:}" 'BEGIN {n = split(s, d, ","); for (i = 1; i <= n; i++) printf "%s%d", (i > 1 ? ":" : ""), 2 * i}')
    machine=(--hierarchy_parameter_string="$levels" --distance_parameter_string="$distances")
    "$MAPAID" metis "$graph" >"$work/metis" || die "$name: no graph for them"
    for tool in fastestmap fastmap ecomap strongmap; do
        peer $tool $tool "$work/metis" --k="$nhosts" --seed=1 "${machine[@]}" --output_filename="$work/split"
    done
    peer kaffpa kaffpa "$work/metis" --k="$nhosts" --seed=1 --preconfiguration=eco --enable_mapping "${machine[@]}" --output_filename="$work/split"
    peer gmsec global_multisection "$work/metis" --seed=1 --preconfiguration=eco "${machine[@]}" --output_filename="$work/split"
    for tool in fast eco strong; do
        peer SharedMap-$tool SharedMap -g "$work/metis" -m "$work/split" -h "$levels" -d "$distances" -e 0.03 -c $tool -t 1 -s nb_layer --seed 1
    done
}

rivals() {
    if [ "${BENCH_RIVALS:-}" = keep ] &&
        grep -s "^$name," "$csv.before" | grep -vE '^[^,]*,(topomap|block|cyclic),' >>"$csv"; then
        return
    fi
    [ "${BENCH_RIVALS:-}" != none ] || return
    [ -z "$have_scotch" ] || "$MAPAID" target "$topology" "$hosts" >"$work/target" || die "$name: no target"
    [ -z "$have_scotch" ] || run_gmap
    [ -z "$have_metis" ] || [ "${BENCH_RIVALS:-}" = scotch ] || run_metis
    case ${PEERS:+$hosts}$topology in -tree:*) run_peers ;; esac
}

# limit_of TIME: its seconds for this instance.
limit_of() {
    case $1 in
    scotch) awk -F, -v n="$name" '$1 == n && $2 == "gmap" {t = 2 * $9} END {print (t > 0.3 ? t : 0.3)}' "$csv" ;;
    once | twice) awk -F, -v n="$name" -v times="$([ "$1" = once ] && echo 1 || echo 2)" '
        $1 == n && $2 ~ /^gmap(-qb?)?$/ && (!found++ || $5 < hops) {hops = $5; t = $9}
        END {if (!found) exit 1; print times * (t > 0.005 ? t : 0.005)}' "$csv" ;;
    *) echo "$1" ;;
    esac
}

have_scotch=$(command -v scotch_gmap) || say "bench-map: no scotch_gmap (Debian's package scotch): nothing of Scotch below"
have_metis=$(command -v gpmetis) || say "bench-map: no gpmetis (Debian's package metis): nothing of METIS below"
header=instance,tool,choose,limit,hops_per_byte,max_hop_bytes,max_link_bytes,off_node_bytes,seconds,cpu_seconds
[ ! -e "$csv" ] || mv "$csv" "$csv.before"
echo "$header" >"$csv" || exit 1

times=${BENCH_TIME:-scotch 10}
is_wanted() {
    local pattern
    set -f
    for pattern in ${BENCH_ONLY:-*}; do
        # shellcheck disable=SC2254
        case $1 in $pattern) set +f && return 0 ;; esac
    done
    set +f
    return 1
}

"$here/map-table.sh" head
while read -r _ name _ key topology hosts slots _; do
    is_wanted "$name" || continue
    hosts_option=()
    if [ "$hosts" != - ]; then
        make_file hosts "$hosts" nodes
        hosts=$file
        hosts_option=(--nodefile "$hosts")
    fi
    make_file graph "$key" graph
    graph=$file
    if [ "$hosts" = - ]; then
        nhosts=$(awk -v s="${topology#*:}" 'BEGIN {n = split(s, d, /[x,]/); p = 1; while (n) p *= d[n--]; print p}')
    else
        nhosts=$(wc -l <"$hosts")
    fi
    layout block
    layout cyclic
    rivals
    limit=
    for time in $times; do
        limit=$(limit_of "$time") || die "$name: nothing of Scotch to take the time \`$time' from"
        for choose in ${BENCH_CHOOSE:-hop-bytes}; do
            ours "$choose" "$time" "$limit"
        done
    done
    [ -n "${BENCH_CHOOSE:-}" ] || ours link "$time" "$limit"
    progress ""
    "$here/map-table.sh" rows "$instances" "$csv" "$name"
done < <(grep '^instance' "$instances")
"$here/map-table.sh" means "$instances" "$csv"
echo "all of it: $csv"
