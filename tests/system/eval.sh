#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# eval.sh - mappings and mappers in one table, with the loads of links and ranks,
# whose sum is the whole; sorted; and a signal leaves the rows that are there.
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
# titles: the first column.
titles() { awk 'NR > 1 && !/^(cut|times|use) ?/ { print $1 }' out | xargs; }
# numbers FILE: of rows of CSV, without names, times and search.
numbers() { sed '1d; s/"([^"]*"//g; s/^"[^"]*","[^"]*",//' "$1" | cut -d, -f1-8; }
world=(grid:4x4:weights=1/100 --topology torus:4x4:capacity=2x1 --tasks-per-node 1)

"$topomap" map "${world[@]}" --mapper rb --work 1 -o rb.mapping
"$topomap" map "${world[@]}" --mapper cyclic --work 1 -o cyclic.mapping
run "${world[@]}" block cyclic rb ./rb.mapping
equal "four mappings, a row each" "0 block cyclic rb rb.mapping" "$status$err $(titles)"
run "${world[@]}" rb cyclic --csv
equal "CSV: its columns" "mapping,from,avg_hop_bytes,max_hop_bytes,hops_per_byte,off_node_bytes,max_link_bytes,max_link,max_link_time,max_time_link,max_hops_per_byte,time,gain,busiest,without_busiest,search_s,work,cut" "$(head -1 out)"
numbers out >words
run "${world[@]}" ./rb.mapping cyclic.mapping --csv
equal "a mapper's word gives what topomap map gives" "$(cat words)" "$(numbers out)"
equal "a file has no search" 2 "$(grep -c ',,,$' out)"

# field FILE COLUMN: of the rows of a CSV file that are of the second mapping.
field() { grep '^"greedymap:order=BFS"' "$1" | cut -d, -f"$2"; }
# What the whole says must be what its parts say; people get units.
world+=(block greedymap:order=BFS)
run "${world[@]}" --links --ranks
equal "--links and --ranks" 0 "$status"
contains "links have their capacities, and what they carry a unit" "$out" '^block  *(0,0) +x  *2  *[0-9.]* B$'
equal "there is a line for each link" 128 "$(grep -c '([0-9],[0-9]) [-+][xy]  *[12]  *[0-9.]* [kB]*$' out)"
equal "there is a line for each rank" 16 "$(grep -c '^greedymap:order=BFS  *[0-9]*  *[0-9]*  *0 .*[0-9] B *[0-9.]*$' out)"
run "${world[@]}" --json
# metric KEY: of the second mapping.
metric() { sed -n "s/.*\"$1\": \([^,]*\).*/\1/p" out | tail -1; }
average=$(metric avg_hop_bytes) busiest=$(metric max_link_bytes)
worst=$(metric max_hops_per_byte) off_node=$(metric off_node_bytes)
"$topomap" eval "${world[@]}" --links --csv >links.csv
"$topomap" eval "${world[@]}" --ranks --csv >ranks.csv
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
run grid:4x4:weights=100000/2000000 --topology torus:4x4:capacity=1e10 --tasks-per-node 1 block
contains "amounts as people write them" "$out" '^block  *3.15 MB .* 25.2 MB  *1 MB .* 100 us '

# The same as JSON.
run "${world[@]}" block --links --ranks --json
equal "JSON: as many links and ranks" "64 16" "$(grep -c '"link":' out) $(grep -c '"rank":' out)"
contains "JSON: time is bytes by capacity" "$(tr -d '\n' <out | tr -s ' ')" \
    '"link": "(0,0) +x", "capacity": 2, "bytes": 50, "time": 25 }'
run grid:2x2 --topology tree:2,2 --tasks-per-node 1 block --links --json
contains "JSON: no capacity where none is known, and both ways on a tree's cable" "$(tr -d '\n' <out | tr -s ' ')" \
    '"capacity": null, "bytes": 2, "time": 1 }'

# For spreadsheets: one table, and nothing else.
run "${world[@]}" block rb --links --csv
equal "CSV of links" 'mapping,link,capacity,bytes,time "block","(0,0) +x",2,50,25 129' \
    "$(sed -n 1,2p out | tr '\n' ' ')$(wc -l <out)"
equal "CSV of links: the largest is the busiest" "$("$topomap" eval "${world[@]}" rb --json | sed -n 's/.*"max_link_bytes": \([^,]*\).*/\1/p')" \
    "$(grep '^"rb"' out | cut -d, -f5 | sort -g | tail -1)"
run "${world[@]}" block --ranks --csv
equal "CSV of ranks: a task's bytes, hop-bytes, and links a byte" 16 \
    "$(sed 1d out | awk -F, '$7 / $5 - $8 < 1e-5 && $8 - $7 / $5 < 1e-5' | wc -l)"
run "${world[@]}" block --links --ranks --csv
equal "two tables in one are refused" 2 "$status"
run "${world[@]}" --csv --json
equal "two forms at once" 2 "$status"

# Whose name is a mapper's, and whose is not.
cp rb.mapping block
run "${world[@]}" block ./block --csv
equal "a file is named by a slash" '"block","block" "block","./block"' "$(sed 1d out | cut -d, -f1,2 | xargs -d '\n')"
run "${world[@]}" rb:effort=none block
equal "what one mapper cannot do is no matter of the others" "1 block" "$status $(titles)"
"$topomap" eval grid:40x40 --topology torus:40x40 --tasks-per-node 1 block --links --ranks 2>err | head -1 >/dev/null
equal "a reader that goes is no fault" "" "$(cat err)"

# --- sorted, searched, kept and interrupted
world=(grid:16x16 --topology torus:4x4 --tasks-per-node 16)
run "${world[@]}" block plane:size=4 rb grid --sort time
equal "the fastest first" "0 grid rb block plane:size=4" "$status $(titles)"
contains "what times are without capacities" "$out" 'bytes of the slowest link'
run "${world[@]}" rb cyclic block --sort link
equal "by the busiest link; equals as given" "rb cyclic block" "$(titles)"
run "${world[@]}" rb block --json --work 3
equal "JSON" "rb block given false" "$(sed -n 's/.*"mapping": "\(.*\)",/\1/p' out | xargs) $(
    sed -n 's/.*"sorted_by": "\(.*\)",/\1/p; s/.*"interrupted": \(.*\),/\1/p' out | xargs)"

# The winner can be kept, and what was found stands in it.
run "${world[@]}" block rb grid --sort time -o best.mapping
"$topomap" eval "${world[@]}" grid --csv >grid.csv
run "${world[@]}" best.mapping --csv
equal "-o keeps the first row's mapping" "$(numbers grid.csv)" "$(numbers out)"
contains "and where it is from" "$(head -1 best.mapping)" '^# topomap eval: grid.*, seed 1, work 1$'

# Before a search anything that is wrong.
run "${world[@]}" parmapper nothing --time 1000
equal "neither file nor mapper: nothing is searched" "1 topomap: nothing: No such file or directory" "$status $err"
# Under --json errors are JSON.
run "${world[@]}" nothing --json
equal "JSON: what fails" '1 {"error": "nothing: No such file or directory", "status": 1}' "$status $err$out"
run "${world[@]}" --json --sort 'a"b'
equal "JSON: a usage error" '2 {"error": "--sort: '"'a\\\"b'"' is not given, time, hops, task, link or search", "status": 2}' "$status $err$out"
run "${world[@]}" nothing -- --json
equal "behind -- it is a word" "1 topomap: nothing: No such file or directory" "$status $err"

# A signal: the search that runs keeps its best, those behind it are left out.
"$topomap" eval "${world[@]}" block parmapper rb --time 1000 --json >out 2>err </dev/null &
holds_signals $!
kill -TERM $!
wait $!
equal "a signal leaves what is there" "0 true" "$? $(sed -n 's/.*"interrupted": \(.*\),/\1/p' out)"
contains "and says how much" "$(cat err)" 'Terminated: [12] of 3 mappings'
finish
