#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# worst.sh - a table of the worst inputs that we know, of which most are a few
# bytes: each is refused by one line, or has its result, in bounded memory. The
# seconds are shown and not judged: `timeout` ends what takes minutes. Needs no
# Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
measure=${MEASURE:-$PWD/bench/measure}
[ -x "$measure" ] || skip_all "no $measure"
unset TOPOMAP TOPOMAP_CATALOGUE XDG_DATA_HOME
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-worst.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work
export HOME
cd "$work" || exit 99
# The address sanitizer keeps what is freed, and shadows all.
factor=1
if nm "$topomap" 2>/dev/null | grep -q __asan_init; then
    factor=6
fi

# run NAME MEGABYTES STATUS PATTERN COMMAND...: what it says, on stdout and
# stderr together, has PATTERN; a refusal is one line.
run() {
    name=$1 megabytes=$(($2 * factor)) expected=$3 pattern=$4
    shift 4
    : >took
    timeout 120 "$measure" took "$topomap" "$@" >stdout 2>stderr </dev/null
    status=$?
    read -r seconds cpu peak <took || seconds='over 120' cpu='?' peak=999999
    echo "# $name: $seconds s, $cpu s of CPU, peak $peak MB (bound $megabytes)"
    lines=
    [ "$expected" = 0 ] || lines=1
    equal "$name: status${lines:+, one line}" "$expected $lines" \
        "$status ${lines:+$(wc -l <stderr | tr -d ' ')}"
    contains "$name: what it says" "$(head -c 2000 stdout stderr)" "$pattern"
    if [ "${peak%.*}" -le "$megabytes" ]; then
        ok "$name: memory"
    else
        not_ok "$name: memory" "$peak MB, more than $megabytes"
    fi
}

# repeat N TEXT: TEXT so often.
repeat() {
    awk -v n="$1" -v text="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", text }'
}

printf 'tasks 2\n0 1 5\n' >two.edges

# Lines.
printf '' >sparse.graph
truncate -s 1T sparse.graph
run "a sparse file of 1 TB" 30 1 'sparse.graph:1: a NUL byte' \
    convert sparse.graph --to edges
run "/dev/zero as a graph" 30 1 'a NUL byte' \
    convert /dev/zero --from edges --to edges

# Numbers that a few bytes say.
echo 'tasks 100000000' >told.edges
awk 'BEGIN { for (i = 0; i < 100000; i++) print i, i + 1, 8 }' >>told.edges
run "edges: tasks 100000000" 100 1 'more than 2^24' \
    convert told.edges --to metis
run "a node of 4,096 x 4 cores" 60 1 'more than 4096 hardware threads' \
    map two.edges --topology flat:2 --tasks-per-node 1 --node 'package:4096 core:4'
run "a node of 2^31 cores" 60 1 'more than 4096 hardware threads' \
    map two.edges --topology flat:2 --tasks-per-node 1 --node core:2147483648
run "a node of 4,096 threads" 200 0 'hops per byte' \
    map two.edges --topology flat:2 --tasks-per-node 1 --node 'package:8 core:256 pu:2' --work 2
echo '{"format": 1, "node": "core:2147483648"}' >site.json
run "the same in the site file" 60 1 'more than 4096 hardware threads' \
    plan --config site.json --graph ./two.edges --ntasks 2 --nodelist 'n[0-1]' \
    --tasks-per-node 1 --topology flat:2

# Networks.
for i in $(seq 20); do
    echo "SwitchName=s$i Nodes=n[0-1048575]"
done >topology.conf
run "20 lists of 2^20 nodes" 500 1 'topology.conf:5: more than 2^22 names' \
    topology show topology.conf
printf 'TorusName=a Dims=256x256x256 Nodes=x\nTorusName=b Dims=256x256x256 Nodes=y\n' >tori
run "two tori of 2^24 routers" 60 1 'tori:1: several tori of more than 2^20 routers' \
    topology show tori
for i in 1 2; do
    for j in 1 2 3 4 5 6; do
        echo "TorusName=t$i$j Dims=64x64x32 Nodes=n$i$j"
    done
done | head -7 >tori
run "seven tori of 2^17 routers" 1500 0 'hosts' topology show tori
{ echo '---'; repeat 50000 '['; } >topology.yaml
run "YAML: 50,000 brackets" 30 1 'topology.yaml:2: more than 64 levels' \
    topology show topology.yaml
{ echo '---'; repeat 100000 '{a: '; } >topology.yaml
run "YAML: 100,000 mappings" 30 1 'more than 64 levels' topology show topology.yaml
{ echo '---'; repeat 100000 '- '; } >topology.yaml
run "YAML: 100,000 lists" 30 1 'more than 64 levels' topology show topology.yaml
{ echo '- &a [x]'; repeat 1000 '- *a
'; } >topology.yaml
run "YAML: aliases" 30 1 'more of YAML than is read here' topology show topology.yaml
repeat 100000 '[' >deep.json
run "JSON: 100,000 brackets" 30 1 'nested deeper than 32 levels' \
    plan --config deep.json --graph ./two.edges --ntasks 2 --nodelist 'n[0-1]' \
    --tasks-per-node 1 --topology flat:2

# Profiles. profile N GRAPH: with N types that name that graph.
version=C/app/named/16384/r20261121T023000Z-1.0
mkdir -p "$version"
ln -s "${version##*/}" C/app/named/16384/current
profile() {
    awk -v n="$1" -v graph="$2" 'BEGIN {
        print "{\"format\": 1, \"program\": \"app\", \"identity\": \"named\", \"ntasks\": 16384,"
        print " \"recorded\": \"now\", \"seconds\": 1, \"types\": ["
        for (i = 0; i < n; i++)
            printf "%s{\"type\": \"t%d\", \"calls\": 1, \"bytes\": 1, \"seconds\": 1, " \
                "\"paired_bytes\": 1, \"graph\": \"%s\"}", (i > 0 ? ",\n" : ""), i, graph
        print "]}" }' >"$version/profile.json"
}
# A busy machine may take longer than the 2 s that reading has by default.
plan="--name app --ntasks 16384 --nodelist n[0-1] --tasks-per-node 8192 --topology flat:2 --catalogue C
    --time 60"
profile 2000 g.graph
# shellcheck disable=SC2086
run "a profile of 2,000 types" 60 0 'more than 256 types' plan $plan
profile 230000 ''
# shellcheck disable=SC2086
run "a profile of 230,000 types" 400 0 'longer than 16 MiB\|more than 256 types' plan $plan
profile 2 g.graph
# shellcheck disable=SC2086
run "two types of one graph" 60 0 'g.graph is the graph of t0 already' plan $plan
profile 0 ''
printf '# collectives 1: x\ncommunicator 0 16384 all\nalltoall 0 0 1 1\n' >"$version/collectives"
# shellcheck disable=SC2086
run "all pairs of 16,384 tasks" 60 0 'comes to more than 33554432 pairs' \
    plan $plan --graph alltoall:direct

# What is still large: a launch's plan runs out of memory and says so, and what
# is read too slowly ends with the time.
if [ $factor = 1 ]; then
    echo '{"format": 1, "plan_memory_mb": 150}' >site.json
    run "memory of a plan for srun" 150 0 '^reason .*out of memory\|^reason .*no memory' \
        plan --config site.json --graph grid:4096x4096 --ntasks 16777216 \
        --nodelist 'n[0-1]' --tasks-per-node 8388608 --topology flat:2 --time 60 --to wire
else
    skip "memory of a plan for srun" "the address sanitizer"
fi
mkfifo slow.edges
sleep 100 >slow.edges &
writer=$!
run "a graph that never comes (map)" 30 1 'reading took longer than 2 s' \
    map slow.edges --topology flat:2 --tasks-per-node 1 --time 0.1
run "a graph that never comes (plan)" 30 1 'reading took longer than 2 s' \
    plan --graph ./slow.edges --ntasks 2 --nodelist 'n[0-1]' --tasks-per-node 1 \
    --topology flat:2 --time 0.1
kill "$writer"
finish
