#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# eval.sh - mappings beside one another, and what each link and each rank carries:
# the parts add up to the whole. cli.sh has the table of one.
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

run()
{
    "$topomap" eval "$@" >out 2>err </dev/null
    status=$?
    out=$(cat out) err=$(cat err)
}
# row TEXT: the columns of the row that begins so.
row() { sed -n "s/^$1  *//p" out | tr -s ' '; }
world=(grid:4x4:weights=1/100 --topology torus:4x4:capacity=2x1 --tasks-per-node 1)

"$topomap" map "${world[0]}" "${world[@]:1}" --mapper rb --work 1 -o rb.mapping
run "${world[@]}" --mapping block --mapping cyclic --mapping rb --mapping ./rb.mapping
equal "four mappings side by side" "0  block cyclic rb rb.mapping" \
    "$status $err $(head -1 out | xargs)"
hops=$(row 'hops per byte')
equal "a mapper's word gives what topomap map gives" "$(cut -d' ' -f3 <<<"$hops")" "$(cut -d' ' -f4 <<<"$hops")"
"$topomap" map "${world[0]}" "${world[@]:1}" --mapper cyclic --work 1 -o cyclic.mapping
run "${world[@]}" --mapping cyclic.mapping
equal "cyclic, too" "$(cut -d' ' -f2 <<<"$hops")" "$(row 'hops per byte')"
equal "one mapping has no title" 'average hop-bytes' "$(sed -n '1s/  .*//p' out)"

# field FILE COLUMN: of the rows of a CSV file that are of the second mapping.
field() { grep '^"greedymap:order=BFS"' "$1" | cut -d, -f"$2"; }
# What the whole says must be what its parts say; people get units.
world+=(--mapping block --mapping greedymap:order=BFS)
run "${world[@]}" --links --ranks
equal "--links and --ranks" 0 "$status"
contains "links have their capacities, and what they carry a unit" "$out" '^(0,0) +x  *2  *[0-9.]* B  *[0-9.]* B$'
equal "there is a line for each link" 64 "$(sed -n '/^LINK/,/^$/p' out | grep -c '^(')"
equal "the second table of ranks is the second mapping's" 16 \
    "$(sed -n '/^greedymap:order=BFS$/,$p' out | sed 1,2d | grep -c '^ *[0-9]* .*[0-9] B *[0-9.]*$')"
run "${world[@]}" --json
# metric KEY: of the second mapping.
metric() { sed -n "s/.*\"$1\": \([^,]*\).*/\1/p" out | tail -1; }
average=$(metric avg_hop_bytes) busiest=$(metric max_link_bytes)
worst=$(metric max_hops_per_byte) off_node=$(metric off_node_bytes)
"$topomap" eval "${world[@]}" --links=csv >links.csv
"$topomap" eval "${world[@]}" --ranks=csv >ranks.csv
equal "the loads of links are all hop-bytes, and the largest is the busiest" \
    "$(echo "$average" | awk '{ printf "%.6g", $1 * 16 / 2 }') $busiest" \
    "$(field links.csv 5 | awk '{ s += $1; if ($1 > m) m = $1 } END { printf "%.6g %.10g", s, m }')"
equal "the maximum per byte is the worst rank's hop-bytes over the mean bytes" \
    "$(echo "$worst" | awk '{ printf "%.6g", $1 }')" \
    "$(field ranks.csv 5,7 | awk -F, '{ n++; b += $1; if ($2 > m) m = $2 } END { printf "%.6g", m * n / b }')"
equal "what ranks exchange is what the whole says" \
    "16 $(echo "$average" | awk '{ printf "%.6g", $1 * 16 }') $((2 * off_node))" \
    "$(field ranks.csv 6,7 | awk -F, '{ n++; h += $2; o += $1 } END { printf "%d %.6g %d", n, h, o }')"
world=("${world[@]:0:5}")
run grid:4x4:weights=100000/2000000 --topology torus:4x4:capacity=1e10 --tasks-per-node 1 --mapping block
equal "amounts as people write them" "3.15 MB, 25.2 MB, 1 MB, 100 us" \
    "$(row 'average hop-bytes'), $(row 'off-node bytes'), $(row 'busiest link, bytes'), $(row 'slowest link, time')"

# The same as JSON; of one mapping it is as ever, with more.
run "${world[@]}" --mapping block --links --ranks --json
equal "JSON: as many links and ranks" "64 16" "$(grep -c '"link":' out) $(grep -c '"rank":' out)"
contains "JSON: time is bytes by capacity" "$(tr -d '\n' <out | tr -s ' ')" \
    '"link": "(0,0) +x", "capacity": 2, "bytes": 50, "time": 25 }'
run "${world[@]}" --mapping block --mapping rb --json
equal "JSON of two" "block rb" "$(sed -n 's/.*"mapping": "\(.*\)".*/\1/p' out | xargs)"
run grid:2x2 --topology tree:2,2 --tasks-per-node 1 --mapping block --links --json
contains "JSON: no capacity where none is known, and both ways on a tree's cable" "$(tr -d '\n' <out | tr -s ' ')" \
    '"capacity": null, "bytes": 2, "time": 1 }'

# For spreadsheets: one table, and nothing else.
run "${world[@]}" --mapping block --mapping rb --links=csv
equal "CSV of links" 'mapping,link,capacity,bytes,time "block","(0,0) +x",2,50,25 129' \
    "$(sed -n 1,2p out | tr '\n' ' ')$(wc -l <out)"
equal "CSV of links: the largest is the busiest" "$("$topomap" eval "${world[@]}" --mapping rb --json | sed -n 's/.*"max_link_bytes": \([^,]*\).*/\1/p')" \
    "$(grep '^"rb"' out | cut -d, -f5 | sort -g | tail -1)"
run "${world[@]}" --mapping block --ranks=csv
equal "CSV of ranks: a task's bytes, hop-bytes, and links a byte" 16 \
    "$(sed 1d out | awk -F, '$7 / $5 - $8 < 1e-5 && $8 - $7 / $5 < 1e-5' | wc -l)"
run "${world[@]}" --mapping block --links=json
equal "--links=json is --links --json" "$("$topomap" eval "${world[@]}" --mapping block --links --json)" "$out"
run "${world[@]}" --mapping block --links=csv --ranks
equal "two tables in one are refused" 2 "$status"
run "${world[@]}" --mapping block --links=xml
equal "a form that is none" "2 topomap eval: --links: 'xml' is not table, csv or json; try 'topomap eval --help'" "$status $err"

# Whose name is a mapper's, and whose is not.
cp rb.mapping block
run "${world[@]}" --mapping block --mapping ./block
equal "a file is named by a slash" "$(cut -d' ' -f1 <<<"$hops") $(cut -d' ' -f3 <<<"$hops")" "$(row 'hops per byte')"
run "${world[@]}" --mapping nothing
equal "neither file nor mapper" "1 topomap: nothing: No such file or directory" "$status $err"
run "${world[@]}" --mapping rb:effort=none
equal "a parameter that is none" 1 "$status"
"$topomap" eval grid:40x40 --topology torus:40x40 --tasks-per-node 1 --mapping block --links --ranks 2>err | head -1 >/dev/null
equal "a reader that goes is no fault" "" "$(cat err)"
finish
