#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# bombs.sh - small files and words that want much: each is read, or refused, in
# seconds of CPU and a bounded memory.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

export HOME=$PWD ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:detect_leaks=0
topomap=${ATTACK_PLAIN:-$ATTACK_TOPOMAP}
[ -n "${ATTACK_PLAIN-}" ] || echo "SKIP bombs: no build without sanitizers (--plain): memory"
# Seconds of CPU, and KiB of addresses: many times what the largest of these needs.
busy=20 room=1000000

many() { head -c "$2" /dev/zero | tr '\0' "$1"; }

# times N TEXT
times() { yes "$2" | head -n "$1" | tr -d '\n'; }

make_files()
{
    local mb=$((1 << 20))
    { printf '<graphml><!--' && many x $((60 * mb)) && printf -- '--></graphml>'; } >comment.graphml
    { printf '<graphml a="' && many x $((60 * mb)) && printf '"></graphml>'; } >attribute.graphml
    { printf '<graphml><?x ' && many x $((60 * mb)) && printf '?></graphml>'; } >instruction.graphml
    { printf '<graphml>' && many x $((60 * mb)) && printf '</graphml>'; } >text.graphml
    { printf '<graphml>' && times 1000000 '<a>'; } >deep.graphml
    { printf '<?xml version="1.0"?><topology version="2.0">' && times 2500000 '<object type="Group">'; } >long.xml
    { printf '<?xml version="1.0"?><topology version="2.0">' && times 500000 '<info name="a" value="b"/>'; } >infos.xml
    many 1 $((100 * mb)) >line.txt
    times 10000000 '1 ' >row.txt
    printf '%%%%MatrixMarket matrix coordinate integer symmetric\n16777216 16777216 4000000000\n1 2 3\n' >head.mtx
    printf '16777216 4000000000 1\n2 3\n' >head.graph
    printf '0 16777215 5\n' >sparse.edges
    awk 'BEGIN { for (i = 0; i < 1000; i++) printf "SwitchName=s%d Nodes=n%d[0-1000000]\n", i, i }' >ranges.conf
    awk 'BEGIN { print "SwitchName=s0 Nodes=n0"; for (i = 1; i < 100000; i++) printf "SwitchName=s%d Switches=s%d\n", i, i - 1 }' >chain.conf
    { many '[' 1000000; } >deep.json
    { printf '{ "format": 1, "topology": [' && times 4000000 '{},' && printf '{}] }'; } >wide.json
    awk 'BEGIN { for (i = 0; i < 200000; i++) printf "{\"format\": 1, \"event\": \"end\", \"time\": \"\", \"at_s\": %d.5, \"job\": 1, \"step\": 0}\n", i }' >one.history
    printf '%s\n' n0 n1 n2 n3 >hosts
}

map="map $ATTACK_TESTS/golden/ring16.graph --topology flat:4 --tasks-per-node 4 --work 2"
commands=()
for file in comment.graphml attribute.graphml instruction.graphml text.graphml deep.graphml line.txt row.txt head.mtx \
    head.graph sparse.edges; do
    commands+=("convert $file --to edges")
done
for pattern in alltoall:100000 alltoall:4194304 llm:dp=1048576,ep=1048576,pp=4 grid:10000x10000 \
    grid:1000000000 ring:99999999999; do
    commands+=("map $pattern --topology flat:4 --tasks-per-node 4 --work 2"
        "plan --graph $pattern --ntasks 1 --nodelist n0 --tasks-per-node 1 --topology flat:1")
done
for list in 'n[0-99999999]' 'n[0-999][0-999][0-999]' 'n[0-4294967295]'; do
    commands+=("plan --graph ring --ntasks 4 --nodelist $list --tasks-per-node 1 --topology flat:4")
done
for network in torus:100000x100000 tree:1000,1000,1000 flat:4294967295 hypercube:31 dragonfly:1000,1000,1000 \
    ranges.conf chain.conf deep.json wide.json; do
    commands+=("topology show $network")
done
commands+=("$map --node long.xml" "$map --node infos.xml" "$map --node core:4294967295" "history --log one.history"
    "history --summary --log one.history" "topology show --config deep.json" "topology show --config wide.json"
    "plan --graph ring --ntasks 4 --nodelist n[0-3] --tasks-per-node 1(x4000000000) --topology flat:4")

try()
{
    local status reason
    # shellcheck disable=SC2086
    { (
        ulimit -t $busy
        [ -z "${ATTACK_PLAIN-}" ] || ulimit -v $room
        exec timeout -k 1 200 "$topomap" $1
    ) >out 2>err </dev/null; } 2>/dev/null
    status=$?
    tried=$((tried + 1))
    reason=$(sound $status err)
    [ -n "$reason" ] || ! grep -qi 'memory' err || reason='it wants more memory'
    [ -z "$reason" ] || finding "bomb: $reason" "topomap $1
$(head -c 500 err)" "$case"
}

make_files
if [ -n "$ATTACK_ONLY" ]; then
    case=$ATTACK_ONLY
    try "${commands[ATTACK_ONLY]}"
else
    # All of them once, however little time there is.
    for case in "${!commands[@]}"; do try "${commands[case]}"; done
fi
done_with
