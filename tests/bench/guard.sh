#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# guard.sh [NAME]... - maps the instances of guard-instances, or those that match
# a pattern, with their fixed work on one thread, and compares what comes out with
# guard-values: one row an instance. Fails when one is more than 1% worse.
# UPDATE=yes, without names, writes guard-values anew.
set -u
export LC_ALL=C
here=$(cd "$(dirname "$0")" && pwd)
topomap=${STAGE_TOPOMAP:?run me by make bench-guard}
: "${MAPGEN:?}"
unset TOPOMAP TOPOMAP_CATALOGUE
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-guard-XXXXXX")
trap 'rm -rf "$work"' EXIT
set -f
patterns=("${@:-*}")

die() { echo "bench-guard: $*" >&2; exit 1; }

# make_file KIND NAME: sets $file to what mapgen makes of its words.
make_file() {
    file=$work/$1.$2
    [ -s "$file" ] && return
    # shellcheck disable=SC2046
    set -- "$2" $(awk -v k="$1" -v n="$2" '$1 == k && $2 == n {$1 = $2 = ""; print}' "$here/guard-instances")
    if [ "$2" = holes ]; then
        awk -v dims="$3" -v percent="$4" 'BEGIN {
            split(dims, n, "x")
            for (line = 0; line < n[2] * n[3]; line++) {
                seed = (seed * 1103 + 12345) % 65521
                hole = seed % 100 < percent ? seed % n[1] : n[1] - 1
                for (x = 0; x < n[1]; x++)
                    if (x != hole) print x, line % n[2], int(line / n[2])
            }
        }' >"$file"
    else
        "$MAPGEN" "${@:2}" >"$file"
    fi || die "cannot make $1"
}

# make_profile NAME: sets $file to a profile of that graph and MPI_Alltoall.
make_profile() {
    local n
    make_file graph "$1"
    n=$(awk '{print $1; exit}' "$file")
    mkdir -p "$work/profile" && mv "$file" "$work/profile/p2p.graph" &&
        "$topomap" convert "alltoall:$n" --to metis >"$work/profile/alltoall.graph" || die "no profile of $1"
    file=$work/profile
    cat >"$file/profile.json" <<JSON
{ "format": 1, "program": "app", "identity": "00", "ntasks": $n, "recorded": "2026-11-21T02:30:00Z", "seconds": 1.5,
  "types": [ { "type": "p2p", "calls": 1, "bytes": 1, "seconds": 1.0, "paired_bytes": 1, "graph": "p2p.graph" },
             { "type": "alltoall", "calls": 1, "bytes": 1, "seconds": 0.2, "paired_bytes": 1, "graph": "alltoall.graph" } ] }
JSON
}

# make_levels A:B:C/1:10:100: sets $file to a tree of A, B and C children, from the
# bottom, whose hosts are so far from their switches: chains of links.
make_levels() {
    file=$work/levels
    awk -v shape="$1" '
    function join(a, b, n,   i) {
        for (i = 1; i < n; i++) {
            print "switch " a "c"
            links = links "link " a " " a "c\n"
            a = a "c"
        }
        links = links "link " a " " b "\n"
    }
    BEGIN {
        split(shape, half, "/")
        levels = split(half[1], children, ":")
        split(half[2], far, ":")
        for (i = n = 1; i <= levels; i++) n *= children[i]
        print "links\nhost h0x[0-" n - 1 "]\nswitch h" levels "x0"
        for (l = 1; l <= levels; l++)
            for (i = 0; i < n; i++) {
                join("h" l - 1 "x" i, "h" l "x" int(i / children[l]), far[l] - far[l - 1])
                if (i == n - 1) { n /= children[l]; break }
            }
        for (l = levels - 1; l > 0; l--) {
            n *= children[l + 1]
            print "switch h" l "x[0-" n - 1 "]"
        }
        printf "%s", links
    }' >"$file"
}

number() { sed -n "s/^ *\"$1\": *\([^,]*\),*\$/\1/p" "$2" | head -1; }

is_wanted() {
    local pattern
    for pattern in "${patterns[@]}"; do
        # shellcheck disable=SC2254
        case $1 in $pattern) return 0 ;; esac
    done
    return 1
}

while read -r _ name graph topology hosts slots value options; do
    is_wanted "$name" || continue
    case $topology in
    levels:*) make_levels "${topology#*:}"; topology=$file ;;
    esac
    network=(--topology "$topology" --tasks-per-node "$slots")
    if [ "$hosts" != - ]; then
        make_file hosts "$hosts"
        network+=(--nodefile "$file")
    fi
    case $graph in
    phases:*) make_profile "${graph#*:}" ;;
    *:*) file=$graph ;;
    *) make_file graph "$graph" ;;
    esac
    # shellcheck disable=SC2086
    "$topomap" map "$file" "${network[@]}" $options --threads 1 --json -o "$work/mapping" >"$work/report" || die "$name: no mapping"
    if [ "$value" = seconds ]; then
        "$topomap" eval "$file" "${network[@]}" --graph all block "$work/mapping" --json >"$work/estimate" ||
            die "$name: no estimate"
        came=$(sed -n 's/^.*"time_s": *\([^,]*\),*$/\1/p;s/^.*"time_bytes": *\([^,]*\),*$/\1/p;s/^.*"time": *\([^,]*\),*$/\1/p' "$work/estimate" | tail -1)
    else
        came=$(number "$value" "$work/report")
    fi
    echo "$name $came $(number seconds "$work/report")"
done < <(grep '^instance' "$here/guard-instances") >"$work/values"
[ -s "$work/values" ] || die "no instance named ${patterns[*]}"
if [ "${UPDATE-}" = yes ] && [ $# = 0 ]; then
    cut -d ' ' -f 1,2 "$work/values" >"$here/guard-values"
fi
awk '
BEGIN { printf "%-18s %14s %14s %8s %8s\n", "instance", "value", "stored", "ratio", "seconds" }
FNR == NR { stored[$1] = $2; next }
{
    ratio = $1 in stored && stored[$1] > 0 ? $2 / stored[$1] : 0
    is_bad = ratio > 1.01 || ratio == 0
    printf "%-18s %14.8g %14s %8.4f %8.2f%s\n", $1, $2, stored[$1], ratio, $3, is_bad ? "  worse" : ""
    bad += is_bad
}
END { exit bad > 0 }' "$here/guard-values" "$work/values"
