#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# badinput.sh - what is wrong or odd in graphs, networks, hosts and mappings, as
# map, eval, convert and plan tell it: the sentence with file and line, the same
# from all of them, or the right answer. Needs no Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP TOPOMAP_CATALOGUE XDG_DATA_HOME
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-badinput.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work
export HOME
cd "$work" || exit 99

# run COMMAND...: its stdout, stderr and status go to $out, $err and $status.
run() {
    out=$("$topomap" "$@" 2>"$work/stderr")
    status=$?
    err=$(cat "$work/stderr")
}

# refused NAME MESSAGE: status 1, nothing on stdout, that one line on stderr.
refused() {
    equal "$1" "1||topomap: $2" "$status|$out|$err"
}

# bad_graph WHAT FILE TEXT MESSAGE: each command that reads graphs says MESSAGE.
bad_graph() {
    # shellcheck disable=SC2059
    printf "$3" >"$2"
    echo 0 >any.mapping
    run map "$2" --topology flat:4 --tasks-per-node 1
    refused "map: $1" "$2$4"
    run eval "$2" --topology flat:4 --tasks-per-node 1 any.mapping
    refused "eval: $1" "$2$4"
    run convert "$2" --to edges
    refused "convert: $1" "$2$4"
    run plan --graph "./$2" --ntasks 2 --nodelist n[0-1] --tasks-per-node 1 --topology flat:2
    refused "plan: $1" "./$2$4"
}

# good_graph WHAT FILE TEXT NTASKS EDGES HOPBYTES: its edges as `a b bytes`
# separated by commas, and the average hop-bytes of one task a host on a ring.
good_graph() {
    # shellcheck disable=SC2059
    printf "$3" >"$2"
    run convert "$2" --to edges
    equal "convert: $1" "0|tasks $4$5|" \
        "$status|$(printf '%s\n' "$out" | sed 1d | tr '\n' ',' | sed 's/,$//')|$err"
    seq 0 $(($4 - 1)) >good.mapping
    run eval "$2" --topology ring:5 --tasks-per-node 1 good.mapping --json
    equal "eval: $1" "0|$6|" \
        "$status|$(printf '%s\n' "$out" | sed -n 's/.*"avg_hop_bytes": \([^,]*\),.*/\1/p')|$err"
    run map "$2" --topology ring:5 --tasks-per-node 1 --work 5
    equal "map: $1" "0|$4|" \
        "$status|$(printf '%s\n' "$out" | grep -v '^#' | sort -u | wc -l)|$err"
    run plan --graph "./$2" --ntasks "$4" --nodelist n[0-4] \
        --tasks-per-node "1(x$4)$(test "$4" = 5 || echo ",0(x$((5 - $4)))")" --topology ring:5 --work 5
    contains "plan: $1" "$status|$(printf '%s\n' "$out" | grep '^outcome')|$err" '^0|outcome .*|$'
}

# --- graphs: self loops, which METIS forbids
bad_graph "a self loop, METIS" self.metis '2 1 001\n1 5\n1 6\n' \
    ":2: task 1 is its own neighbour"
mtx='%%%%MatrixMarket matrix coordinate integer general\n'
good_graph "a self loop, a matrix" self.mtx "${mtx}2 2 2\n1 1 5\n1 2 3\n" 2 ",0 1 3" 3
good_graph "a self loop, edges" self.edges '0 0 5\n0 1 3\n' 2 ",0 1 3" 3
good_graph "nothing but a self loop" alone.edges '0 0 5\n' 1 "" 0

# --- duplicate edges
bad_graph "an edge twice, METIS" dup.metis '3 2 001\n2 5 2 5\n1 5\n\n' \
    ":2: task 1 names its neighbour 2 twice"
good_graph "an entry twice" dup.mtx "${mtx}2 2 2\n1 2 5\n1 2 7\n" 2 ",0 1 12" 12
good_graph "an edge twice and the other way" dup.edges '0 1 5\n0 1 7\n1 0 1\n' 2 ",0 1 13" 13

# --- edges that one end does not know, or knows otherwise
bad_graph "a one-sided edge, METIS" side.metis '3 2 001\n2 5 3 5\n1 5\n\n' \
    ":2: task 1 names 3 as its neighbour, but 3 does not name 1"
bad_graph "two weights of one edge, METIS" two.metis '2 1 001\n2 5\n1 6\n' \
    ":2: the edge between 1 and 2 weighs 5 here, but 6 in line 3"
good_graph "a one-sided entry" side.mtx "${mtx}2 2 1\n2 1 5\n" 2 ",0 1 5" 5

# --- weights
good_graph "weight 0, METIS" zero.metis '2 1 001\n2 0\n1 0\n' 2 "" 0
good_graph "weight 0, a matrix" zero.mtx "${mtx}2 2 1\n1 2 0\n" 2 "" 0
good_graph "weight 0, edges" zero.edges '0 1 0\n' 2 "" 0
most=9223372036854775807
good_graph "weight 2^63 - 1" most.metis "2 1 001\n2 $most\n1 $most\n" 2 ",0 1 $most" \
    9.223372036854776e+18
large=9223372036854775808
bad_graph "weight 2^63, METIS" large.metis "2 1 001\n2 $large\n1 $large\n" \
    ":2: with this row the weights of all edges exceed 2^63"
bad_graph "weight 2^63, a matrix" large.mtx "${mtx}2 2 1\n1 2 $large\n" \
    ":3: with this line the bytes of all edges exceed 2^63"
bad_graph "weight 2^63, edges" large.edges "0 1 $large\n" \
    ":1: with this line the bytes of all edges exceed 2^63"
bad_graph "a weight above 2^64, METIS" huge.metis "2 1 001\n2 9$large\n1 9$large\n" \
    ":2: weight of the edge 9$large is too large"
bad_graph "a weight above 2^64, edges" huge.edges "0 1 9$large\n" \
    ":1: number of bytes 9$large is too large"
bad_graph "a negative weight" minus.edges '0 1 -5\n' ":1: number of bytes -5 is negative"
bad_graph "a sum above 2^63, METIS" sum.metis "4 2 001\n2 $most\n1 $most\n4 5\n3 5\n" \
    ":4: with this row the weights of all edges exceed 2^63"
bad_graph "a sum above 2^63, a matrix" sum.mtx "${mtx}2 2 2\n1 2 $most\n2 1 7\n" \
    ":4: with this line the bytes of all edges exceed 2^63"
bad_graph "a sum above 2^63, edges" sum.edges "0 1 $most\n1 0 1\n" \
    ":2: with this line the bytes of all edges exceed 2^63"

# --- few tasks, or none
bad_graph "no task, a matrix" none.mtx "${mtx}0 0 0\n" ":2: a matrix without rows"
bad_graph "no task, edges" none.edges 'tasks 0\n' ":1: a graph without tasks"
bad_graph "an empty file" empty '' ": empty, not a task graph"
echo '# nothing' >comment.edges
run map comment.edges --topology flat:2 --tasks-per-node 1
refused "map: neither an edge nor a number of tasks" "comment.edges: no edges in it"
printf '0 0\n' >none.metis
run map none.metis --from metis --topology flat:2 --tasks-per-node 1
refused "map: no task, METIS" "none.metis:1: a graph without tasks"
good_graph "isolated tasks" isolated.metis '5 1\n\n3\n2\n\n\n' 5 ",1 2 1" 0.4
good_graph "nothing but isolated tasks" silent.metis '5 0\n\n\n\n\n\n' 5 "" 0
good_graph "one task" one.metis '1 0\n\n' 1 "" 0

# --- more tasks than slots; one host; hosts that are listed twice
printf '0 1 5\n1 2 7\n' >three.edges
printf '0\n0\n0\n' >three.mapping
for command in map eval; do
    # shellcheck disable=SC2086
    run $command three.edges --topology flat:2 --tasks-per-node 1
    refused "${command%% *}: more tasks than slots" \
        "three.edges has 3 tasks, and the 2 nodes have 2 slots"
    # shellcheck disable=SC2086
    run $command three.edges --topology ring:1 --tasks-per-node 3
    equal "${command%% *}: one host" "0|" "$status|$err"
done
run plan --graph ./three.edges --ntasks 2 --nodelist n[0-1] --tasks-per-node 1 --topology flat:2
refused "plan: more tasks than slots" "./three.edges:2: task 2, but the tasks are 0 to 1"
run plan --graph ./three.edges --ntasks 3 --nodelist n0 --tasks-per-node 3 --topology flat:1
contains "plan: one host" "$status|$out|$err" '^outcome  *not placed: all tasks are on one node|$'
run eval three.edges --topology flat:2 --tasks-per-node 2 three.mapping
refused "eval: more tasks than a host has slots" \
    "three.mapping:3: task 2 is in slot 2 of node 0, which has 2 slots"
run convert three.mapping --to hostfile --nodelist n0 --tasks-per-node 2
refused "convert: more tasks than a host has slots" \
    "three.mapping:3: task 2 is in slot 2 of node 0, which has 2 slots"
# A host by number, by coordinates, and by coordinates and place.
printf '0\n1\n00\n' >number.hosts
printf '1 0\n0 0\n1,0\n' >where.hosts
printf '0 0\n0 0/0\n' >place.hosts
for command in map eval; do
    # shellcheck disable=SC2086
    {
        run $command three.edges --topology tree:3 --tasks-per-node 3 --nodefile number.hosts
        refused "${command%% *}: a host twice, by number" \
            "number.hosts:3: node 00 stands on line 1 already"
        run $command three.edges --topology torus:2x2 --tasks-per-node 3 --nodefile where.hosts
        refused "${command%% *}: a host twice, by coordinates" \
            "where.hosts:3: node 1,0 stands on line 1 already"
        run $command three.edges --topology torus:2x2/2 --tasks-per-node 3 --nodefile place.hosts
        refused "${command%% *}: a host twice, by place" \
            "place.hosts:2: node 0 0/0 stands on line 1 already"
    }
done
run plan --graph ./three.edges --ntasks 3 --nodelist n0,n0 --tasks-per-node 2,1 --topology flat:2
refused "plan: a host twice" "host list 'n0,n0': host n0 stands there twice"
run convert three.mapping --to hostfile --nodelist n0,n[0-1]
refused "convert: a host twice" "host list 'n0,n[0-1]': host n0 stands there twice"
run convert three.mapping --to hostfile --nodelist "n$(printf '\r')0,n1"
refused "convert: a control character in a name" "host list 'n?0,n1': a blank or control character in a name"
printf 'topomap-facts 1\nprogram a\nntasks 2\nnodelist n0,n0\n' >twice.facts
run plan --facts twice.facts
refused "plan: a host twice among the facts" \
    "twice.facts:4: nodelist: host list 'n0,n0': host n0 stands there twice"

# --- networks that are none
# bad_network WHAT TEXT MESSAGE: each command that takes a network says it.
bad_network() {
    # shellcheck disable=SC2059
    printf "$2" >net
    run map three.edges --topology net --tasks-per-node 3
    refused "map: $1" "net$3"
    run eval three.edges --topology net --tasks-per-node 3 three.mapping
    refused "eval: $1" "net$3"
    run plan --graph ./three.edges --ntasks 3 --nodelist a,b --tasks-per-node 2,1 --topology net
    refused "plan: $1" "net$3"
    run topology show net
    refused "topology: $1" "net$3"
}
# What is neither a word nor a file, and words that cannot be meant.
for spec in 'fattree:4,4|fattree:4,4: No such file or directory, and no word such as torus:8x8x4: there are torus:, mesh:, ring:, hypercube:, tree:, flat:, dragonfly:' \
    './none|./none: No such file or directory' \
    'tree:4,4:uplinks=0,1|0 uplinks at level 1 of the tree' \
    'torus:4x0|dimension 2 of the torus is 0'; do
    run map three.edges --topology "${spec%%|*}" --tasks-per-node 3
    refused "map: topology ${spec%%|*}" "${spec#*|}"
    run topology show "${spec%%|*}"
    refused "topology: ${spec%%|*}" "${spec#*|}"
done
bad_network "a network in two pieces" 'links\nnode a b c d\nlink a b\nlink c d\n' \
    ": the network is not connected: no way leads from host a to host c (or it is longer than 65,534 links)"
bad_network "a host without a link" 'links\nswitch s\nhost a b\nlink a s\n' \
    ": the network is not connected: host b has no link"
bad_network "a switch below itself" 'SwitchName=s Switches=t\nSwitchName=t Switches=s\n' \
    ":1: switch s is below itself"
bad_network "a host at two switches" 'SwitchName=s Nodes=a,b\nSwitchName=t Nodes=b\n' \
    ":2: node b is on two switches, s and t"
bad_network "a host declared twice" 'links\nnode a b\nlink a b\nhost a at b\n' \
    ":4: host a is there twice"
bad_network "a link to itself" 'links\nnode a b\nlink a a\n' ":3: a link from a to itself"
bad_network "a capacity of 0" 'links\nnode a b\nlink a b 0\n' \
    ":3: capacity '0' is not a number from 1e-30 to 1e30"
bad_network "a coordinate too many" 'torus:2x2\nhost a 0 0 0\n' ":2: more than 2 coordinates"
bad_network "no hosts" 'links\nswitch s\n' ": a network without hosts"

# Where files may not grow: an error, and nothing half-written.
seq 0 2000 | awk '{ print $1, $1 + 1, 1000 }' >long.edges
err=$(ulimit -f 1 && "$topomap" convert long.edges --to metis -o grown.graph 2>&1)
equal "a limit on the size of files" "1|topomap: the graph cannot be written: File too large|" \
    "$?|$err|$(ls grown.graph* 2>/dev/null)"

# What srun and plan say to each other is lines.
mkdir "$(printf 'a\nb')" && cp /bin/true "$(printf 'a\nb/app')"
run plan --program "$(printf 'a\nb/app')" --ntasks 2 --nodelist n[0-1] --tasks-per-node 1 --topology flat:2
refused "plan: a newline in the program's path" "the program '$work/a?b/app' has a control character"

printf '<topology><object type="Machine">' >node.xml
run map three.edges --topology flat:3 --tasks-per-node 1 --node node.xml
contains "a node's broken XML" "$status|$out|$err" '^1||topomap: "<topology>.*" does not describe a node'

cat >node.xml <<'XML'
<?xml version="1.0" encoding="UTF-8"?>
<topology version="2.0">
  <object type="Machine" os_index="0" cpuset="0x1" complete_cpuset="0x1" allowed_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" allowed_nodeset="0x1" gp_index="1">
    <object type="NUMANode" os_index="0" cpuset="0x1" complete_cpuset="0x1" nodeset="0x1" complete_nodeset="0x1" gp_index="2" local_memory="1073741824"/>
  </object>
</topology>
XML
run map three.edges --topology flat:3 --tasks-per-node 1 --node node.xml
refused "a node without cores" "a node without hardware threads, or cores"

# Nothing that others wrote is obeyed by the terminal: no control character (C0,
# DEL, C1 in UTF-8) is printed as it is, and letters stay whole.
# shown NAME TEXT: what was printed has TEXT, and nothing else than text.
shown() {
    contains "$1" "$out
$err" "$2"
    equal "$1: no control characters" "" \
        "$(printf '%s%s' "$out" "$err" | tr -d '\n' | LC_ALL=C grep -aP '[\x00-\x1f\x7f]|\xc2[\x80-\x9f]')"
}

# profile PROGRAM RECORDED TYPE WHY: a catalogue C with such words in it.
version=C/app/named/2/r20261121T023000Z-1.0
mkdir -p "$version"
ln -s "${version##*/}" C/app/named/2/current
profile() {
    cat >"$version/profile.json" <<JSON
{"format": 1, "program": "$1", "identity": "named", "ntasks": 2,
 "recorded": "$2", "seconds": 1, "types": [
 {"type": "p2p", "calls": 1, "bytes": 1, "seconds": 1, "paired_bytes": 1,
  "graph": "p2p.graph"},
 {"type": "$3", "calls": 1, "bytes": 1, "seconds": 1, "paired_bytes": 0,
  "why": "$4"}]}
JSON
}
plan="--name app --ntasks 2 --nodelist n[0-1] --tasks-per-node 1 --topology flat:2 --catalogue C"
ln -sfn r20261121T023000Z-9.9 C/app/named/2/current
# shellcheck disable=SC2086
run plan $plan
equal "a current that dangles is no profile" \
    "outcome     not placed: no profile named app for 2 tasks: record one with --topomap=profile,name=app" \
    "$(printf "%s\n" "$out" | grep ^outcome)"
ln -sfn "${version##*/}" C/app/named/2/current
esc=$(printf '\033') bell=$(printf '\007') csi=$(printf '\302\233')

printf '2 1 001\n2 5\n1 5\n' >"$version/p2p.graph"
profile app now '\u001b[2J\u001b]52;c;cm0gLXJmIH4=\u0007' why
run profile list --catalogue C
shown "a type's name" "not a plain name: '?\[2J?\]52;c;cm0gLXJmIH4=?'"
profile 'app\u001b]0;owned\u0007' '..\u009b31m jos\u00e9' alltoall '\u001b[31m..'
for command in list 'show name:app:2' 'graphs name:app:2'; do
    # shellcheck disable=SC2086
    run profile $command --catalogue C
    case $command in
    show*) shown "profile $command" '^program *app?\]0;owned?$' ;;
    graphs*) shown "profile $command" 'p2p' ;;
    *) shown "profile $command" '\.\.?31m jos' ;;
    esac
done
run profile show name:app:2 --catalogue C
contains "letters stay whole" "$out" 'josé'
run profile show name:app:2 --catalogue C --json
shown "JSON escapes C1" '"\.\.\\u009b31m jos\\u00e9"'
printf '2 1 001\n2 %s[2J%s]0;owned%s\n1 1\n' "$esc" "$esc" "$bell" >"$version/p2p.graph"
# shellcheck disable=SC2086
run plan $plan --graph p2p
shown "a plan's outcome" "^outcome.*?\[2J?\]0;owned?"
# shellcheck disable=SC2086
run plan $plan --graph p2p --to wire
shown "a plan for srun" "^reason .*?\[2J?\]0;owned?"
printf 'links\nnode a%s31m b\nlink a%s31m b\n' "$csi" "$csi" >net
run topology show net
shown "a network's names" "host list 'a?31m': a blank or control character"
run map "a${esc}[2J$csi" --topology flat:2 --tasks-per-node 1
shown "a word of the user's own" '^topomap: a?\[2J?: neither a file nor a profile'
# A name that ends lines ends none, and names that are shown alike are one.
job=0
for name in ab 'a\u0001b' 'a\u009bb' 'a\nforged 0 1' '-' ''; do
    job=$((job + 1))
    printf '{"format": 1, "event": "end", "time": "now", "at_s": 1795000000, "job": %d, "step": 0, "program": "%s", "nnodes": 1, "seconds": 3600, "outcome": "placed"}\n' \
        $job "$name"
done >names
for command in history 'history --csv' 'history --summary' 'history --summary --csv'; do
    # shellcheck disable=SC2086
    run $command --log names
    case $command in
    *summary*) shown "$command" '^"*a?forged 0 1'; lines=5 ;;
    *) shown "$command" 'a?forged 0 1'; lines=7 ;;
    esac
    equal "$command: a line a row" $lines "$(printf '%s\n' "$out" | grep -c .)"
done
run history --summary --log names --prometheus
shown "history --prometheus" '^topomap_steps{program="a?b",outcome="placed"} 2$'
equal "each series is there once" "" "$(printf '%s\n' "$out" | sed 's/ [^ ]*$//' | sort | uniq -d)"
finish
