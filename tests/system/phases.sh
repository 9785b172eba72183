#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# phases.sh - a program that has named its phases: their graphs, their messages, how
# long each takes, and mappings by the sum of their times.
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

# graph FILE "A B BYTES"...: a METIS graph of 8 tasks, counted from 0.
graph() {
    local file=$1
    shift
    printf '%s\n' "$@" | awk '
        { row[$1] = row[$1] " " $2 + 1 " " $3; row[$2] = row[$2] " " $1 + 1 " " $3 }
        END { print 8, NR, "001"; for (i = 0; i < 8; i++) print substr(row[i], 2) }' >"$file"
}
# type BYTES SECONDS GRAPH
type() {
    echo "{ \"type\": \"p2p\", \"calls\": 5, \"bytes\": $1, \"seconds\": $2, \"paired_bytes\": $1, \"graph\": \"$3\" }"
}
# profile FOLDER: with the phases 1 and solve, of which each has half of the time.
profile() {
    mkdir -p "$1"
    cat >"$1/profile.json" <<JSON
{ "format": 1, "program": "app", "identity": "x", "ntasks": 8, "recorded": "2026-11-22T10:00:00Z", "seconds": 10,
  "types": [ $(type 800 8 p2p.graph) ],
  "phases": [ { "phase": 1, "types": [ $(type 400 4 p2p.phase1.graph) ] },
              { "phase": 32, "name": "solve", "types": [ $(type 400 4 p2p.phase32.graph) ] } ] }
JSON
}
one=("2 3 100" "1 6 100" "3 5 100" "0 7 100")
two=("1 2 100" "3 7 100" "0 3 100" "3 6 100")
profile app
graph app/p2p.phase1.graph "${one[@]}"
graph app/p2p.phase32.graph "${two[@]}"
graph app/p2p.graph "${one[@]}" "${two[@]}"
torus=(--topology torus:8 --tasks-per-node 1)
run() { out=$("$TOPOMAP" "$@" 2>&1); status=$?; }
# estimated KEY WORD...: its values in estimate's JSON, in order.
estimated() {
    local key=$1
    shift
    "$TOPOMAP" eval --by-type "$@" "${torus[@]}" block --json | sed -n "s/^ *\"$key\": \"*\([^\",]*\)\"*,*/\1/p" | xargs
}

# Rank t on node t, by hand: half of 1-6 and of 0-7 share (7) +x in the first phase;
# of 0-3, 1-2 and 3-7, which may go either way, (1) +x in the other. All at once 150
# bytes are the most, too.
equal "estimate: each phase's slowest link" "100 150" "$(estimated estimated app)"
equal "estimate: time is the sum over the phases" "1 0.5 0.5 0.5 0.5" "$(estimated time_s app)"
equal "estimate: by type and phase, and by phase" "p2p@1 p2p@solve, 1 solve" "$(estimated type app), $(estimated phase app)"
run eval --by-type app "${torus[@]}" block
contains "estimate: time by phase, for people" "$out" '^block  *solve  *500 ms$'
equal "estimate: one phase alone, by its name and its number" "125 125 100" \
    "$(for graph in p2p@solve all@32 p2p@1; do estimated estimated app --graph $graph; done | xargs)"
"$TOPOMAP" map app "${torus[@]}" --choose time --work 200000 -o phased
"$TOPOMAP" map app "${torus[@]}" --choose time --work 200000 --graph all -o merged
equal "map: by phases it finds what the sum of all phases does not show" yes \
    "$("$TOPOMAP" eval app "${torus[@]}" phased merged --csv | sed 's/"([^"]*"/""/g' |
        awk -F, '{ time[$1] = $12 }
            END { print (time["\"phased\""] <= 0.75 && time["\"merged\""] > time["\"phased\""] ? "yes" : "no") }')"

# The same where there are no phases, but two types.
mkdir typed
cp app/p2p.phase1.graph typed/p2p.graph
cp app/p2p.phase32.graph typed/alltoallv.graph
cat >typed/profile.json <<JSON
{ "format": 1, "program": "app", "identity": "x", "ntasks": 8, "recorded": "2026-11-22T10:00:00Z", "seconds": 10,
  "types": [ $(type 400 4 p2p.graph), $(type 400 4 alltoallv.graph | sed 's/p2p/alltoallv/') ] }
JSON
"$TOPOMAP" map typed "${torus[@]}" --choose time --work 200000 -o phased
"$TOPOMAP" map typed "${torus[@]}" --choose time --work 200000 --graph all -o merged
equal "map: by types it finds what their sum does not show" yes \
    "$("$TOPOMAP" eval typed "${torus[@]}" phased merged --csv | sed 's/"([^"]*"/""/g' |
        awk -F, '{ time[$1] = $12 }
            END { print (time["\"phased\""] <= 0.75 && time["\"merged\""] > time["\"phased\""] ? "yes" : "no") }')"

# Messages of a phase: two of 100 bytes cost 2 s, and 100 of one byte 100 s.
printf 'p2p 0 7 64 2 200\np2p 0 7 1 100 100\n' >app/messages
echo 'p2p 0 7 64 2 200' >app/messages.phase1
echo 'p2p 0 7 1 100 100' >app/messages.phase32
cat >site.json <<'SITE'
{ "format": 1, "topology": { "type": "flat", "hosts": "n[0-7]" },
  "ports": [ {}, { "bandwidth": [[1, 1], [100, 100]] }, {} ] }
SITE
equal "estimate --model ports: the messages of each phase" "2 100" \
    "$("$TOPOMAP" eval --by-type app --topology site.json --tasks-per-node 1 --model ports block --json |
        sed -n 's/^ *"estimated": \(.*\),/\1/p' | xargs)"
run profile pack ./app -o app.topomap
equal "packed with them" "0 7" "$status $(tar tf app.topomap | wc -l)"
echo 'p2p 0 8 1 100 100' >app/messages.phase32
run profile pack ./app -o app.topomap
contains "a wrong list of a phase is refused" "$status $out" '^1 .*messages.phase32:1: there are 8 tasks, counted from 0'
rm app/messages*

# An older profile, without phases.
mkdir plain && cp app/p2p.graph plain/
sed '/"phases"/,$d' app/profile.json | sed '$s/,$/ }/' >plain/profile.json
equal "without phases: one graph" "150, p2p, " \
    "$(estimated estimated plain), $(estimated type plain), $(estimated phase plain)"

# What is not there.
run profile export ./app --phase slove
equal "a phase that there is not" "1 topomap: the profile of app has no phase 'slove'; it has 1, solve" "$status $out"
run map plain "${torus[@]}" --graph p2p@2
contains "a program that has named none" "$status $out" "^1 .* has no phase '2'; the program has named none"
for bad in 's/"solve"/"so ve"/,not a plain name' 's/"solve"/"12"/,a number is no name' 's/"phase": 32/"phase": 1/,not in the order' \
    's/"phase": 1,/"phase": 1, "name": "solve",/,two phases have the name'; do
    rm -rf bad && cp -r app bad && sed -i "${bad%,*}" bad/profile.json
    run profile show ./bad
    contains "refused: ${bad##*,}" "$status $out" "^1 .*profile.json:4: .*${bad##*,}"
done
finish
