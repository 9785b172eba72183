#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# times.sh - topomap eval --by-type and --play: times by hand, through a profile, as
# JSON, and bad input. Needs no Slurm.
set -u
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=$TOPOMAP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 99

run() {
    out=$("$topomap" "$@" 2>stderr)
    status=$?
    err=$(cat stderr)
}
refused() { # NAME STATUS MESSAGE
    equal "$1" "$2|$3|" "$status|$err|$out"
}
# field KEY: its values, from JSON, in order.
field() {
    printf '%s\n' "$out" | sed -n "s/^ *\"$1\": \(.*[^,]\),\{0,1\}\$/\1/p" | tr '\n' ' ' | sed 's/ $//'
}

# The same, four digits of each.
rounded() { field "$1" | tr ' ' '\n' | awk '{ printf "%s%.4g", (NR > 1 ? " " : ""), $1 }'; }

# A line of four switches, a node each. Flows 0-2 and 1-3 of 20 bytes share the
# middle link, and each a side with three of 10: 60, and no link carries more
# than 50 each way.
cat >line.edges <<'EDGES'
0 4 40
1 5 40
2 6 20
3 7 20
8 9 20
10 11 20
12 13 20
14 15 20
EDGES
for host in 0 1 0 0 2 3 1 1 0 1 2 3 2 3 2 3; do echo $host; done >line.mapping
line=(line.edges --topology mesh:4 --tasks-per-node 4 block line.mapping)
run eval --by-type "${line[@]}" --json
equal "estimate: the slowest link" '0 "bytes" 60 50' "$status $(field time_unit) $(field slowest_port_bytes)"
run eval --by-type --play "${line[@]}" --merge 0 --json
equal "play: later than that" '0 "bytes" 60 60 "block"' "$status $(field time_unit) $(field played) $(field use)"
equal "play: and not before what estimate says" "60 50" "$(field slowest_port_bytes)"
run eval --play "${line[@]}" --merge 0
contains "play: the table" "$status $out" '^line.mapping  .*  60 B  *+0.0%  *(0) +x '
contains "play: and the verdict" "$out" '^use block: none is better by 1%$'

# --- ways: two flows from corner to corner
printf '0 2 20\n1 3 20\n' >square.edges
square=(square.edges --topology mesh:2x2 --tasks-per-node '2,0,0,2' block --json)
for row in static:20 adaptive:10; do
    run eval --by-type "--play=${row%:*}" "${square[@]}"
    equal "play --routing ${row%:*}" "0 ${row#*:}" "$status $(field played)"
done
found=$(for seed in 1 2 3 4 5 6 7 8; do
    run eval --by-type --play=ecmp "${square[@]}" --seed $seed
    field played
    echo
done | sort -u | tr '\n' ' ')
equal "play --routing ecmp: by chance" "10 20 " "$found"
# What the site says of them: 4 and 6 share one of two cables.
printf '0 4 40\n1 6 40\n' >trunk.edges
for row in static:40 ecmp:20; do
    routing=${row%:*}
    echo "{ \"format\": 1, \"routing\": \"$routing\", \"topology\": { \"type\": \"tree\", \"arity\": [2, 4],
        \"capacity\": [2, 1], \"hosts\": \"n[0-7]\" } }" >trunk.json
    run eval trunk.edges --topology trunk.json --tasks-per-node 1 block --json
    equal "a site's routing, $routing: cables of a trunk" "0 ${row#*:}" "$status $(field time)"
    echo "{ \"format\": 1, \"routing\": \"$routing\", \"topology\": { \"type\": \"mesh\", \"dims\": [2, 2], \"hosts\": \"n[0-3]\" } }" >square.json
    found=$(for seed in 1 2 3 4 5 6 7 8; do
        run eval --play square.edges --topology square.json "${square[@]:3}" --seed $seed
        field time_bytes
        echo
    done | sort -u | tr '\n' ' ')
    contains "a site's routing, $routing: played by it" "$routing $found" '^\(static 20\|ecmp 10 20\) $'
done
pairs=$(i=0; while [ $i -lt 8 ]; do echo "$i $((i + 8)) 1000"; i=$((i + 1)); done)
echo "$pairs" >groups.edges
groups=(groups.edges --topology 'dragonfly:9,4,2' --tasks-per-node 1 block --json)
run eval --by-type --play "${groups[@]}"
direct=$(field time_bytes | cut -d' ' -f1)
run eval --by-type --play=ugal "${groups[@]}"
around=$(field time_bytes | cut -d' ' -f1)
contains "play --routing ugal goes round a busy cable" \
    "$(awk "BEGIN { print ($around < 0.7 * $direct) }") $direct $around" '^1 '

# --- a profile: types add up, each as it was recorded
mkdir profile
cat >profile/profile.json <<'JSON'
{ "format": 1, "program": "app", "identity": "00", "ntasks": 4,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 9, "mpi": "none",
  "types": [ { "type": "p2p", "calls": 1, "bytes": 1, "seconds": 8,
      "paired_bytes": 1, "graph": "p2p.graph" },
    { "type": "alltoall", "calls": 1, "bytes": 1, "seconds": 12,
      "paired_bytes": 1, "graph": "alltoall.graph" } ] }
JSON
for type in "p2p 0 2 80" "alltoall 0 1 80"; do
    # shellcheck disable=SC2086
    set -- $type
    printf '%s %s %s\n2 3 40\n' "$2" "$3" "$4" >edges
    "$topomap" convert edges --from edges --ntasks 4 --to metis -o "profile/$1.graph"
done
printf '0\n1\n0\n1\n' >pairs.mapping
# On a tree of two nodes, memory 1 and cables 1. Block has 0 and 1 on a node:
# p2p 40 each way over the cables and 40 in memory, alltoall 80 in memory. With 0
# and 2 on one: p2p 80 in memory; alltoall 60 each way over a cable. So p2p takes
# 80 / 40 of its 2 s, alltoall 60 / 80 of its 3 s; but all together took 5 s for 120,
# and what p2p took beyond that for its 40, 2 - 40 x 5 / 120, it waited.
profile=(profile --topology tree:2 --tasks-per-node 2 --memory 1 block pairs.mapping)
run eval --by-type "${profile[@]}"
contains "estimate: a profile" "$status $out" '^pairs.mapping  .*  5.92 s  *-18.3%  *memory of node 0 '
contains "estimate: its types" "$out" '^pairs.mapping  alltoall  2.25 s  *2.25 s  '
run eval --by-type "${profile[@]}" --json
equal "estimate: a profile, as JSON" "0|5 2 3 5.917 3.667 2.25|40 80 80 60|3.5 3.417" \
    "$status|$(rounded time_s)|$(field estimated)|$(rounded without_busiest_s)"
run eval --by-type --play "${profile[@]}" --json
equal "play: a profile, as JSON" '0|"seconds"|5 2 3 5.917 3.667 2.25|40 80 80 60' \
    "$status|$(field time_unit)|$(rounded time_s)|$(field played)"
run eval --by-type --play "${profile[@]}" --graph p2p --json
equal "play: one of its graphs" '0|"none"|40 80|' "$status|$(field time_unit)|$(field played)|$err"
# 0 and 2 first, then 2 and 3, of which only one way is named. Block: 40 over the
# cables, and then 20 both ways in memory, 40. The other: 80 in memory, and then 20.
printf '# messages 1: ...\n#order p2p 0 0 2\n#order p2p 2 0 0\n#order p2p 2 1 3\np2p 0 2 40 1 40\n' >profile/messages
run eval --by-type --play "${profile[@]}" --merge 0 --json
equal "play: in the recorded order" '0|"recorded"|80 80 100 60|2 0 2 0|5 2 3 4.875 2.5 2.375|' \
    "$status|$(field order)|$(field played)|$(field stages)|$(field time_s)|$err"
run eval --by-type --play "${profile[@]}" --merge 0 --order none --json
equal "play --order none: all at once" '0|"none"|40 80 80 60|0 0 0 0' "$status|$(field order)|$(field played)|$(field stages)"
run eval --by-type --play "${profile[@]}" --merge 0 --csv
equal "play --csv: the stages" "stages 2 0 2 0" "$(awk -F, '{print $NF}' <<<"$out" | paste -sd ' ')"
sed -i '/ 2 1 3$/d' profile/messages
run eval --by-type --play "${profile[@]}"
contains "play: the order of some pairs alone is none" "$status $out" \
    '^all messages of a type at once: their order is not recorded$'
for wrong in '#order p2p 2 255 3:there are 255 stages, counted from 0' '#order p2p 2 1:expected: #order type from stage to ...' \
    '#order p2p 2 1 4:there are 4 tasks, counted from 0'; do
    echo "${wrong%%:*}" >profile/messages
    run eval --by-type --play "${profile[@]}"
    contains "play: '${wrong%%:*}' is refused" "$status $out$err" "^1 .*profile/messages:1: ${wrong#*:}"
done
rm profile/messages

# --- stages of point-to-point messages, and a bcast over all
mkdir staged
cat >staged/profile.json <<'JSON'
{ "format": 1, "program": "staged", "identity": "named", "ntasks": 4,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 9, "mpi": "MPICH Version: 4.0.2",
  "types": [ { "type": "p2p", "calls": 1, "bytes": 200, "seconds": 8, "paired_bytes": 200, "graph": "p2p.graph" },
    { "type": "bcast", "calls": 4, "bytes": 288, "seconds": 4, "paired_bytes": 0, "graph": null,
      "why": "over more than half of the tasks", "large_bytes": 288 } ] }
JSON
printf '0 1 100\n2 3 100\n' >edges
"$topomap" convert edges --from edges --ntasks 4 --to metis -o staged/p2p.graph
printf '# collectives 1: ...\ncommunicator 0 4 all\nbcast 0 0 1 96\n' >staged/collectives
printf '# messages 1: ...\n#order p2p 0 0 1\n#order p2p 2 1 3\np2p 0 1 64 1 100\np2p 2 3 64 1 100\n' >staged/messages
staged=(eval --by-type staged --topology tree:4 --tasks-per-node 1 block --json)
# 100 bytes in either stage: half of them one after the other, half at once. The
# bcast goes from 0 to 1 and 2 at once, then from 2 to 3: 288 and 192.
run "${staged[@]}"
equal "stages: half in step, half at once; a large collective is a type" '150 240|"p2p" "bcast:large"|3 2 1' \
    "$(field estimated)|$(field type)|$(field time_s)"
run "${staged[@]}" --play
equal "stages: played, none waits for another's" "100 240" "$(field played)"
sed -i '/^#order/d' staged/messages
run "${staged[@]}"
equal "stages: without an order all at once" "100 240" "$(field estimated)"

# A type that has both: what the file says of its messages is of that with pairs.
printf '1 2 100\n' >edges
"$topomap" convert edges --from edges --ntasks 4 --to metis -o staged/bcast.graph
sed -i 's|"paired_bytes": 0, "graph": null,|"paired_bytes": 100, "graph": "bcast.graph", "communicators": [{ "size": 4, "communicators": 1, "calls": 4, "bytes": 288, "seconds": 2 }, { "size": 2, "communicators": 1, "calls": 2, "bytes": 100, "seconds": 2 }],|' staged/profile.json
echo 'bcast 1 2 64 1 100' >>staged/messages
run "${staged[@]}"
equal "stages: large and small calls of a type" '100 240 100|"p2p" "bcast:large" "bcast"' "$(field estimated)|$(field type)"

# --- which seconds a mapping changes: 2 and 1 a task, of which the allreduce is all
# waiting for the task that is 3 in p2p. Of 3 seconds 1 is for
# bytes, and where 4 are said and none took more than 3 half of it is 1.94.
mkdir waits
cat >waits/profile.json <<'JSON'
{ "format": 1, "program": "waits", "identity": "named", "ntasks": 4,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 9, "mpi": "MPICH Version: 4.0.2",
  "types": [ { "type": "p2p", "calls": 1, "bytes": 300, "seconds": 8, "paired_bytes": 300, "graph": "p2p.graph",
      "task_seconds": { "max": 3, "max_task": 0, "min": 1, "min_task": 1 } },
    { "type": "allreduce", "calls": 4, "bytes": 0, "seconds": 4, "paired_bytes": 0, "graph": null,
      "why": "over more than half of the tasks", "large_bytes": 32 } ] }
JSON
printf '0 2 100000000\n1 3 100000000\n0 1 100000000\n' >edges
"$topomap" convert edges --from edges --ntasks 4 --to metis -o waits/p2p.graph
printf '# collectives 1: ...\ncommunicator 0 4 all\nallreduce 0 0 1 8\n' >waits/collectives
printf '0\n1\n0\n1\n' >inside.map
for row in '1e8 3 0 2.5 0' '25e6 3 0 1.9375 0'; do
    run eval --by-type waits --topology "tree:2:capacity=${row%% *}" --tasks-per-node 2 block ./inside.map --json
    equal "waiting, at ${row%% *} bytes a second" "${row#* }" \
        "$(python3 -c 'import json,sys; print(*(round(t["time_s"],4) for m in json.load(sys.stdin)["mappings"] for t in m["types"]))' <<<"$out")"
done

# --- what a site says of its nodes, for estimate, play and the guard of plan
site() { # KEYS
    echo "{ \"format\": 1, $1 \"topology\": { \"type\": \"flat\", \"hosts\": \"n[0-1]\" } }" >site.json
}
site '"memory_rate": 1,'
for model in '' --play; do
    run eval --by-type $model profile --topology site.json --tasks-per-node 2 block pairs.mapping --json
    equal "eval $model: memory_rate of the site file" "0|5 2 3 5.917 3.667 2.25" "$status|$(rounded time_s)"
    run eval --by-type $model profile --topology site.json --tasks-per-node 2 --memory 2 block --json
    equal "eval $model: --memory goes before it" "40 40" \
        "$(field "$([ "$model" ] && echo played || echo estimated)")"
done
for row in '"nic_rate": 0' '"memory_rate": -1' '"nic_rate": "fast"'; do
    site "$row,"
    run eval --play profile --topology site.json --tasks-per-node 2 block
    contains "a site file with $row" "$status $err$out" '^1 topomap: site\.json.*\(nic\|memory\)_rate: expected'
done
# What interfaces carry in a second makes no seconds of links that carry nothing
# stated: they are taken to carry as much, and no key says seconds.
for row in 'site|"nic_rate": 1e9, "memory_rate": 1e10,|' 'site|"nic_rate": 1e9, "memory_rate": 1e10, "nic_message_s": 1e-6,|' \
    'typed|||--nic 1e9 --memory 1e10'; do
    IFS='|' read -r name keys more <<<"$row"
    site "$keys"
    for model in '' --play; do
        # shellcheck disable=SC2086 # words
        run eval --by-type $model line.edges --topology site.json --tasks-per-node 8 block cyclic ${more#|} --json
        equal "eval $model: a $name rate without capacities" '0|"bytes" "bytes"|1|' \
            "$status|$(field time_unit) $(field port_unit)|$(grep -c 'states no capacities: its links' <<<"$err")|$(grep -o '"[a-z_]*_s"' <<<"$out" | grep -v search)"
        contains "eval $model: bytes over what an interface carries" "$(field time_bytes)" '^[1-9][0-9]* [1-9][0-9]* '
    done
done
site '"memory_rate": 1e9,'
run eval --by-type line.edges --topology site.json --tasks-per-node 8 block
contains "estimate: nor does memory alone" "$status $err" '^0 topomap: site.json: the rate of memory is left out'
run eval line.edges --topology torus:4:capacity=2 --tasks-per-node 4 --json block
equal "eval: capacities that only compare make no seconds" "0 30 " "$status $(field time) $(grep -o '"time_[sb][a-z]*"' <<<"$out")"
site ""
# 0 and 1 talk, and sit apart: over cables of 1 in half the time that a slow
# memory needs.
printf '0 1 80\n' >two.edges
plan=(plan --ntasks 4 --nodelist 'n[0-1]' --tasks-per-node 2 --baseline '0,1,0,1'
    --graph ./two.edges --work 20 --config site.json --json)
site ""
run "${plan[@]}"
contains "plan: together, where memory is fast" "$status $out" '"outcome": "placed"'
site '"memory_rate": 1,'
run "${plan[@]}"
equal "plan: apart, where it is slow" "0|40 40" "$status|$(field slurm) $(field found)"
contains "plan: no seconds" "$out" '^  "estimate": {'
run "${plan[@]}" --choose hop-bytes
contains "plan: apart, whatever the search goes by" "$status $out" \
    '"reason": "4 ranks, by ./two.edges: the layout found would take longer'
equal "plan: the two times" "0|40 80" "$status|$(field slurm) $(field found)"

# --- ports: two tasks send 1,000 bytes each through one of 100
printf 'p2p 0 2 64 10 1000\n# comment\np2p 1 3 64 10 1000\nalltoall 3 2 0 5 0\n' >profile/messages
site '"ports": [ {}, { "bandwidth": [[64, 40], [128, 100]], "most": 100 }, { "switch": 50 } ],'
ports=(eval --by-type profile --topology site.json --tasks-per-node 2 --model ports block)
run "${ports[@]}" --json
# At 100 bytes a line between leads to 73.75, 1.36 s each; but none takes less than
# 64 bytes do, 1.6 s: 16 s for ten, less than the port needs for both tasks' bytes;
# the switch needs 40. Messages of nothing take no time.
equal "estimate --model ports: by the switch's maximum" "0|40 0|" "$status|$(field estimated)|$err"
contains "estimate --model ports: named" "$out" '"busiest": "switch '
sed -i 's/, { "switch": 50 }/, {}/' site.json
run "${ports[@]}" --json
equal "estimate --model ports: by what the port carries" "0|20 0" "$status|$(field estimated)"
contains "estimate --model ports: a node's port" "$out" '"busiest": "network interface of n0"'
sed -i 's/\[128, 100\]], "most": 100/[128, 100]], "most": 200/' site.json
run "${ports[@]}" --json
equal "estimate --model ports: by the lengths of messages" "0|16 0" "$status|$(field estimated)"
# Node n1 takes 10 a second. What nodes have inside counts where they are known.
site '"ports": [ {}, { "inside": "package", "most": 4 }, [ { "most": 100 }, { "names": "n1", "in": { "most": 10 } } ], {} ],'
run "${ports[@]}" --json
equal "estimate --model ports: of one node, in" "0|200 0" "$status|$(field estimated)"
contains "estimate --model ports: no node is known" "$err" 'ports inside nodes are left out: --node '
run "${ports[@]}" --node 'package:2 core:2' --json
equal "estimate --model ports: inside of nodes" "0|250 0|" "$status|$(field estimated)|$err"
contains "estimate --model ports: an object's port" "$out" '"busiest": "Package of task 0"'
site '"ports": [ {}, {}, {} ],'
echo 'p2p 0 4 64 1 64' >>profile/messages
run "${ports[@]}"
refused "messages of a task that is not there" 1 \
    "topomap: profile/messages:5: there are 4 tasks, counted from 0"
rm profile/messages
run eval --by-type profile --topology tree:2 --tasks-per-node 2 --model ports block
refused "ports that nobody stated" 1 "topomap: --model=ports needs a site file with ports as --topology"
for row in '[ {}, {} ]|has 2 levels' '[ {}, { "most": 0 }, {} ]|ports\[1\].most: expected a number above 0' \
    '[ {}, { "bandwidth": [[64, 1], [64, 2]] }, {} ]|ports\[1\].bandwidth\[1\]: the lengths must ascend' \
    '[ {}, { "bandwidth": [[64, -1]] }, {} ]|expected a number above 0' \
    '[ {}, { "bandwidth": [[64, 5]], "most": 4 }, {} ]|more than the most' \
    '[ {}, { "width": 4 }, {} ]|width' '[ {}, [], {} ]|1 to [0-9]* descriptions' \
    '[ {}, [ {}, {} ], {} ]|expected names' '[ {}, { "inside": "L9" }, {}, {} ]|expected package' \
    '[ {}, {}, { "inside": "L3" } ]|behind tasks and before nodes' '[ {}, { "inside": "L3" } ]|expected tasks and nodes' \
    '[ {}, { "in": { "switch": 1 } }, {} ]|switch'; do
    site "\"ports\": ${row%|*},"
    run "${ports[@]}"
    contains "ports: ${row%|*}" "$status $err$out" "^1 topomap: site\.json.*${row#*|}"
done

# --- messages: 0-1 and 2-3 in few and long ones, 0-2 and 1-3 in many and short ones
mkdir short
printf '0 1 100000\n2 3 100000\n0 2 40000\n1 3 40000\n' >edges
cat >short/profile.json <<'JSON'
{ "format": 1, "program": "short", "identity": "named", "ntasks": 4,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 9, "mpi": "none",
  "types": [ { "type": "p2p", "calls": 1, "bytes": 1, "seconds": 8,
      "paired_bytes": 280000, "graph": "p2p.graph" } ] }
JSON
"$topomap" convert edges --from edges --ntasks 4 --to metis -o short/p2p.graph
for pair in "0 1" "1 0" "2 3" "3 2"; do echo "p2p $pair 32768 1 50000"; done >short/few
for pair in "0 2" "2 0" "1 3" "3 1"; do
    printf 'p2p %s 16 999 19984\np2p %s 8 1 16\n' "$pair" "$pair"
done | cat short/few - >short/messages
capacity() { # KEYS: of a tree of two nodes and cables of 1 MB/s
    echo "{ \"format\": 1, $1 \"topology\": { \"type\": \"tree\", \"arity\": [2], \"capacity\": [1e6], \"hosts\": \"n[0-1]\" } }" >site.json
}
short=(short --topology site.json --tasks-per-node 2)
printf '0\n1\n0\n1\n' >near.mapping
capacity ""
run eval --by-type "${short[@]}" block near.mapping
contains "messages: without what they take the bytes decide" "$out" "^use block"
run eval --by-type "${short[@]}" block --json
equal "messages: and nothing is said of them" "0.04|" "$(field estimated)|$(field latency_s)$(field messages_s)$err"
# By block 2,000 messages of 0.1 ms leave a node, beside 40,000 bytes at 1 MB/s;
# 1,000 of a pair have 30 + 2 * 10 us each to wait. The other way 2 and 1.
capacity '"nic_rate": 1e6, "nic_message_s": 1e-4, "nic_latency_s": 3e-5, "hop_latency_s": 1e-5, "memory_latency_s": 1e-6,'
run eval --by-type "${short[@]}" block near.mapping
contains "messages: estimated" "$status $out" '^block  .*  2 s  *+0.0%  *50 ms  *200 ms  network interface of n0 '
contains "messages: estimated, the other way" "$out" '^near.mapping  .*  1.81 s  *+9.4%  *1 ms  *200 us  network interface of n0 '
contains "messages: and the verdict" "$out" '^use near.mapping: 9.4% of the recorded time in these calls can be gained$'
run eval --by-type "${short[@]}" block near.mapping --json
equal "messages: as JSON" "0.29 0.1012|2 1.811" "$(rounded estimated)|$(rounded slowest_port_s)"
equal "messages: their part of a type, and of all" "0.2 0.2" \
    "$(rounded messages_s | cut -d' ' -f1,2)"
csv=$("$topomap" eval --by-type "${short[@]}" block --csv)
contains "messages: as CSV" "$csv" '^mapping,type,time_s,latency_s,messages_s,slowest_port_s,estimated,busiest'
contains "messages: a line of it" "$csv" '^"block","p2p",2,0.05[0-9]*,0.2[0-9]*,2,0.29[0-9]*,"network interface of n0"$'
run eval --by-type --play "${short[@]}" block near.mapping --merge 0 --json
equal "messages: played, never below the estimate" "0.29 0.1012|2 1.811" "$(rounded played)|$(rounded slowest_port_s)"
# What is chosen with them, and without.
chosen() { "$topomap" map "${short[@]}" --choose time --work 50 | sed -n 's/^\([01]\) .*/\1/p' | xargs; }
with=$(chosen)
plan=(plan --name short --ntasks 4 --nodelist 'n[0-1]' --tasks-per-node 2 --work 50 --config site.json --json --no-cache)
mkdir -p catalogue/short/named/4
cp -r short catalogue/short/named/4/r20261121T023000Z-local
ln -s r20261121T023000Z-local catalogue/short/named/4/current
chmod -R go-w catalogue
export TOPOMAP_CATALOGUE=$work/catalogue
run "${plan[@]}"
moved="$status $(field outcome) $(field decided_by)"
capacity '"nic_rate": 1e6,'
equal "messages: another mapping is chosen" "0 1 0 1, 0 0 1 1" "$with, $(chosen)"
run "${plan[@]}"
equal "messages: and planned, by the time" '0 "placed" "time", 0 "unchanged" null' \
    "$moved, $status $(field outcome) $(field decided_by)"
unset TOPOMAP_CATALOGUE
# Capacities that no file states are what interfaces have; others must be seconds'.
site '"nic_rate": 1e6, "nic_message_s": 1e-4, "nic_latency_s": 5e-5,'
run eval --by-type "${short[@]}" block near.mapping --json
equal "messages: without capacities a byte of an interface is the unit" "0|2.9e+05 1.002e+05|0.6914" \
    "$status$err|$(rounded estimated)|$(rounded time_s | cut -d' ' -f3)"
equal "messages: and said so" '"seconds" "bytes"' "$(field time_unit) $(field port_unit)"
site '"nic_message_s": 1e-4,'
run eval --by-type "${short[@]}" block
contains "messages: no bytes per second, no seconds" "$status $err" \
    "^0 topomap: site.json: latencies and seconds of messages are left out"
capacity '"nic_message_s": 1e-4,'
run eval --by-type short --graph p2p --topology site.json --tasks-per-node 2 block
contains "messages: of a graph their number is not known" "$status $err" \
    "^0 topomap: latency and the time of messages are left out where their number is not known: graph"
rm short/messages
run eval --by-type "${short[@]}" block
contains "messages: nor of a type without" "$status $err" "number is not known: p2p$"
echo 'p2p 0 4 64 1 64' >short/messages
for model in '' --play; do
    run eval $model "${short[@]}" block
    contains "messages: eval $model refuses a wrong list" "$status $err" \
        '^1 topomap: short/messages:1: there are 4 tasks, counted from 0$'
done

# --- directions: what messages says which way, where it has all bytes of the graph
# directed NAME < "FROM TO COUNT BYTES": a profile of four tasks
directed() {
    mkdir -p "$1"
    sed 's/"short"/"'"$1"'"/; s/280000/1/' short/profile.json >"$1/profile.json"
    tee edges | awk '{ print "p2p", $1, $2, 2 ^ int(log($4 / $3) / log(2)), $3, $4 }' >"$1/messages"
    cut -d' ' -f1,2,4 edges >bytes
    "$topomap" convert bytes --from edges --ntasks 4 --to metis -o "$1/p2p.graph"
}
on_links=(--topology 'tree:2:capacity=1e8' --tasks-per-node 2)
# 100 messages of 1,000 bytes go one way over cables of 100 MB/s.
echo 0 2 100 100000 | directed there
run eval --by-type there "${on_links[@]}" block --json
equal "directions: one way takes what its bytes take" "0|0.001" "$status|$(field estimated)"
run eval --by-type --play there "${on_links[@]}" block --json
equal "directions: and is played so" "0|0.001" "$status|$(field played)"
printf '0 2 60 60000\n2 0 40 40000\n' | directed back
run eval --by-type back "${on_links[@]}" block --json
equal "directions: both ways go beside each other" "0|0.0006" "$status|$(field estimated)"
sed -i '$d' back/messages
run eval --by-type back "${on_links[@]}" block --json
equal "directions: of a part of the bytes, half of all each way" "0|0.0005" "$status|$(field estimated)"
rm there/messages
run eval --by-type there "${on_links[@]}" block --json
equal "directions: and of what nothing is known" "0|0.0005" "$status|$(field estimated)"
# All the other way round takes as long, on the same links in the other direction.
cat >ways <<'WAYS'
0 3 4 4000
3 1 2 7000
1 2 1 5000
2 1 1 100
2 0 3 900
WAYS
directed there <ways
awk '{ print $2, $1, $3, $4 }' ways | directed back
on_line=(--topology mesh:4:capacity=1e3 --tasks-per-node 1)
for profile in there back; do
    run eval --by-type $profile "${on_line[@]}" block --json
    echo "$status $(field estimated) $(field busiest | cut -d'"' -f2)"
    run eval --by-type --play $profile "${on_line[@]}" block --merge 0 --json
    echo "$status $(field played)"
done >both
equal "directions: reversed" '0 9 (1) +x,0 9,0 9 (2) -x,0 9' "$(paste -sd, both)"
# After 80 bytes there 40 go back.
printf '0 2 1 80\n2 1 1 40\n' | directed there
printf '#order p2p 0 0 2\n#order p2p 2 1 1\n' >>there/messages
for order in recorded none; do
    run eval --by-type --play there --topology tree:2 --tasks-per-node 2 block --merge 0 --order $order --json
    echo "$status $(field played) $(field stages)"
done >both
equal "directions: played in order" "0 120 2,0 80 0" "$(paste -sd, both)"
# Under block both messages between the nodes go one way; of 0 with 2 one each.
printf '0 2 1 1000\n1 3 1 1000\n0 1 1 1000\n3 2 1 1000\n' | directed there
by_time() { local short=(there --topology tree:2 --tasks-per-node 2); chosen; }
with=$(by_time)
rm there/messages
equal "directions: a choice by time goes by them" "0 1 0 1, 0 0 1 1" "$with, $(by_time)"
for row in '"routing": "random"' '"traffic": 1.5' '"nic_message_s": -1e-6' '"task_message_s": 2' '"memory_latency_s": -1' '"nic_latency_s": 1.5' '"hop_latency_s": "fast"' '"hop_latency_s": NaN'; do
    capacity "$row,"
    run eval --by-type "${short[@]}" block
    contains "a site file with $row" "$status $err$out" "^1 topomap: site\.json:1.*$(echo "$row" | cut -d'"' -f2): expected"
done

# --- bad input
for model in '' --play; do
    run eval --by-type $model "${line[@]}" --nic 0
    contains "eval $model: a rate of nothing" "$status $err" "^2 topomap eval: --nic"
    run eval --by-type $model line.edges --topology mesh:4 --tasks-per-node 8 nowhere
    contains "eval $model: no such mapping" "$status $err$out" '^1 topomap: nowhere: No such file or directory$'
    run eval --by-type $model line.edges --topology mesh:4 --tasks-per-node 4 cyclic
    contains "eval $model: a mapper by its name" "$out" '^cyclic '
    head -15 line.mapping >short.mapping
    run eval --by-type $model line.edges --topology mesh:4 --tasks-per-node 8 short.mapping
    refused "eval $model: a mapping that is too short" 1 "topomap: short.mapping places 15 tasks, and line.edges has 16"
done
run eval --by-type --play=random "${line[@]}"
contains "play: no such routing" "$status $err" "^2 topomap eval: --play"
run eval --by-type --play "${line[@]}" --merge 2
contains "play: no such share" "$status $err" "^2 topomap eval: --merge"
finish
