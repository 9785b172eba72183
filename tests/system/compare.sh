#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# compare.sh - mappings and mappers in one table: what stands in it is what eval and
# map say of each, it is sorted, and a signal leaves what is there
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
    "$topomap" compare "$@" >out 2>err </dev/null
    status=$?
    out=$(cat out) err=$(cat err)
}
world=(grid:16x16 --topology torus:4x4 --tasks-per-node 16)

run "${world[@]}" block plane:size=4 rb grid
equal "four mappings, the fastest first" "0 grid rb block plane:size=4" \
    "$status $(sed -n '2,5s/ .*//p' out | xargs)"
equal "a row of numbers with their units" "grid 2 B 0.2 2 B" "$(sed -n 2p out | awk '{ print $1, $2, $3, $4, $5, $6 }')"
contains "what times are without capacities" "$out" 'bytes of the slowest link'
run "${world[@]}" block rb grid --sort given
equal "as given" "block rb grid" "$(sed -n '2,4s/ .*//p' out | xargs)"
run "${world[@]}" rb cyclic block --sort link
equal "by the busiest link; equals as given" "rb cyclic block" "$(sed -n '2,4s/ .*//p' out | xargs)"

# The same numbers as eval and estimate have; a file has no search.
"$topomap" map "${world[@]}" --mapper rb --work 1 -o rb.mapping
run "${world[@]}" rb ./rb.mapping block --csv --sort given
equal "CSV: its columns" "mapping,from,avg_hop_bytes,max_hop_bytes,hops_per_byte,off_node_bytes,max_link_bytes,max_link,max_link_time,max_time_link,time_bytes,search_s,work,cut" "$(head -1 out)"
equal "CSV: the file says what its mapper says, with no search" \
    "\"rb.mapping\",\"./rb.mapping\",$(sed -n 2p out | cut -d, -f3-13),,," "$(sed -n 3p out)"
for key in max_hop_bytes hops_per_byte max_link_bytes; do
    "$topomap" eval "${world[@]}" --mapping rb --json | sed -n "s/.*\"$key\": \(.*\),/\1/p"
done | xargs >evaluated
equal "CSV: as eval has them" "$(cat evaluated)" "$(sed -n 2p out | cut -d, -f4,5,7 | tr , ' ')"
run "${world[@]}" rb block --json --work 3
equal "JSON" "rb block time false" "$(sed -n 's/.*"mapping": "\(.*\)",/\1/p' out | xargs) $(
    sed -n 's/.*"sorted_by": "\(.*\)",/\1/p; s/.*"interrupted": \(.*\),/\1/p' out | xargs)"
capacity=(grid:16x16:weights=1/100 --topology torus:4x4:capacity=2e9x1e9 --tasks-per-node 16)
run "${capacity[@]}" cyclic block --csv
equal "times are estimate's, in seconds where there are capacities" \
    "$("$topomap" estimate "${capacity[@]}" --mapping cyclic --json | sed -n 's/^      "time_s": \(.*\),/\1/p' | sort -g | xargs)" \
    "$(sed 1d out | cut -d, -f13 | xargs)"
run "${capacity[@]}" block
contains "and as people write them" "$out" '^block .* [0-9.]* ns '

# The winner can be kept, and what was found stands in it.
run "${world[@]}" block rb grid -o best.mapping
equal "-o keeps the first row's mapping" "$("$topomap" eval "${world[@]}" --mapping grid)" \
    "$("$topomap" eval "${world[@]}" --mapping best.mapping)"
contains "and where it is from" "$(head -1 best.mapping)" '^# topomap compare: grid.*, seed 1, work 1$'

# Before a search anything that is wrong; in it, the others go on.
run "${world[@]}" parmapper nothing --time 1000
equal "neither file nor mapper: nothing is searched" "1 topomap: nothing: No such file or directory" "$status $err"
run "${world[@]}" rb:effort=none block
equal "what one mapper cannot do is no matter of the others" "1 block" "$status $(sed -n '2,$s/ .*//p' out | grep -v times | xargs)"
run "${world[@]}" --csv --json
equal "two forms at once" 2 "$status"

# Under --json errors are JSON.
run "${world[@]}" nothing --json
equal "JSON: what fails" '1 {"error": "nothing: No such file or directory", "status": 1}' "$status $err$out"
run "${world[@]}" --json --sort 'a"b'
equal "JSON: a usage error" '2 {"error": "--sort: '"'a\\\"b'"' is not time, links, task, link, search or given", "status": 2}' "$status $err$out"
run "${world[@]}" nothing -- --json
equal "behind -- it is a word" "1 topomap: nothing: No such file or directory" "$status $err"

# A signal: the search that runs keeps its best, those behind it are left out.
"$topomap" compare "${world[@]}" block parmapper rb --time 1000 --json >out 2>err </dev/null &
holds_signals $!
kill -TERM $!
wait $!
equal "a signal leaves what is there" "0 true" "$? $(sed -n 's/.*"interrupted": \(.*\),/\1/p' out)"
contains "and says how much" "$(cat err)" 'Terminated: [12] of 3 mappings'
finish
