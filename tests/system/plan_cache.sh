#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# plan_cache.sh - what topomap plan keeps and uses again: the same plan for the
# same step, another search for any other, and nothing worse than a search where
# the cache is damaged, full, somebody else's or used by two. Needs no Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP XDG_DATA_HOME TOPOMAP_PLAN_SUMMARY SLURM_JOB_NODELIST
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-cache.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 1
HOME=$work/home
TOPOMAP_CATALOGUE=$work/cat
export HOME TOPOMAP_CATALOGUE
mkdir "$HOME"
umask 022

# graph FILE BYTES: 16 tasks, each with the one eight away and the next.
graph() {
    awk -v heavy="$2" 'BEGIN {
        print 16, 24, "001"
        for (i = 0; i < 16; i++)
            print (i + 8) % 16 + 1, heavy, (i + 1) % 16 + 1, 1024, (i + 15) % 16 + 1, 1024
    }' >"$1"
}
graph a.graph 65536
graph b.graph 65537
"$topomap" profile import a.graph --name a --ntasks 16 >/dev/null 2>&1
"$topomap" profile import b.graph --name b --ntasks 16 >/dev/null 2>&1
echo '{ "format": 1 }' >site.json
echo '{ "format": 1, "plan_cache": false }' >off.json

# tree FILE SPEED: 16 nodes by name on four switches.
tree() {
    for i in 0 1 2 3; do
        echo "SwitchName=s$i LinkSpeed=$2 Nodes=n[$((4 * i))-$((4 * i + 3))]"
    done >"$1"
    echo "SwitchName=top Switches=s[0-3]" >>"$1"
}
tree tree.conf 1
sed 's/n\[4-7\]/n[4-6,12]/; s/n\[12-15\]/n[7,13-15]/' tree.conf >moved.conf

name=a nodes='n[0-7]' counts=2 topo=tree.conf site=site.json time=2
# plan OPTION...: into the file out.
plan() {
    "$topomap" plan --name $name --ntasks 16 --nodelist "$nodes" --tasks-per-node "$counts" \
        --topology $topo --config $site --time $time "$@" >out 2>err
}
cached() { grep -c '^cached ' out; }
ranks() { sed -n '/^ranks/,$p' out; }
kept() { find cat/.plans -type f 2>/dev/null | wc -l; }

plan
equal "the first time it is searched for" "0 1" "$(cached) $(kept)"
first=$(ranks)
plan
equal "the second time it is not" 1 "$(cached)"
contains "and the line says so" "$(grep '^outcome' out)" "; as planned on [0-9]* [A-Z][a-z][a-z] 20[0-9][0-9]; --topomap=off"
equal "the ranks are where they were" "$first" "$(ranks)"
time=1.993
plan
equal "nor where a moment less is left" 1 "$(cached)"
time=2
plan --no-cache
equal "--no-cache searches" 0 "$(cached)"
equal "and finds the same" "$first" "$(ranks)"
site=off.json
plan
equal "so does a site without a cache" 0 "$(cached)"
site=site.json

# misses NAME [OPTION...]: another step than any before, and then that again.
misses() {
    what=$1
    shift
    plan "$@"
    before=$(cached)
    plan "$@"
    equal "another step: $what" "0 1" "$before $(cached)"
}
nodes='n[0-6,8]' misses "another node"
nodes='n[1-7],n0' misses "another order"
counts='3,1,2(x6)' misses "other counts"
topo=moved.conf misses "a node on another switch"
topo=torus:4x4 misses "another network"
topo=tree:4,4 misses "no names"
topo=tree:4,4:capacity=3,1 misses "other capacities"
name=b misses "another graph"
time=5 misses "more time"
misses "another choice" --choose hop-bytes
misses "another seed" --seed 2
misses "a unit" --unit node
misses "a pin" --pin 0
misses "a node inside" --node 'package:2 core:4'
misses "Slurm's own layout" --baseline 0..7,0..7
plan
equal "and the first is there yet" "1 16" "$(cached) $(kept)"

file=$(find cat/.plans -type f -printf '%T@ %p\n' | sort -n | sed -n '$s/^[^ ]* //p')
whole=$(cat "$file")
for damage in 's/^slots.*//' 's/^hosts ./hosts 9/' 's/^ntasks 16/ntasks 17/' 's/found 2/found x/'; do
    printf '%s\n' "$whole" | sed "$damage" >"$file"
    plan
    was=$(cached)
    plan
    equal "damaged ($damage): ignored, and replaced" "0 1" "$was $(cached)"
done
: >"$file"
plan
equal "an empty one is ignored" "0 0" "$? $(cached)"
equal "with the same ranks" "$first" "$(ranks)"
chmod o+w "$file"
plan
equal "one that all may write to is not believed" 0 "$(cached)"
rm -f "$file"
ln -s /dev/zero "$file"
plan
equal "nor is a link followed" "0 0" "$? $(cached)"
plan
equal "it was replaced" 1 "$(cached)"
chmod o+w cat/.plans
plan
equal "nor is a folder that all may write to" 0 "$(cached)"
chmod o-w cat/.plans

# Several searches within one budget: what the last one reports repeats it.
graph c.graph 99
"$topomap" map c.graph --topology torus:4x4 --slots 1 --time auto:4 --threads 1 -o auto.mapping 2>err
work=$(sed -n 's/^[#%].* work \([0-9]*\).*/\1/p' auto.mapping | head -n 1)
"$topomap" map c.graph --topology torus:4x4 --slots 1 --work "${work:-1}" --threads 1 -o again.mapping 2>err
equal "--time auto: its work repeats it" "$(grep -v '^[#%]' again.mapping)" "$(grep -v '^[#%]' auto.mapping)"
SLURM_JOB_END_TIME=$(($(date +%s) + 3600)) plan --time auto
equal "--time auto of an hour: it is planned" "0 1" "$? $(grep -c '^outcome  *map' out)"

rm -rf cat/.plans
# shellcheck disable=SC3045
(
    ulimit -f 0
    "$topomap" plan --name a --ntasks 16 --nodelist "$nodes" --tasks-per-node 2 \
        --topology $topo --config $site --time 2 2>&1
    echo "status $?"
) | cat >out
contains "where files may not grow there is a plan" "$(tr '\n' ' ' <out)" ' outcome  *map.*status 0'
equal "and nothing is left behind" 0 "$(kept)"

for i in 1 2 3 4; do
    "$topomap" plan --name a --ntasks 16 --nodelist "$nodes" --tasks-per-node 2 \
        --topology $topo --config $site --time 2 >out.$i 2>&1 &
done
wait
same=0
for i in 1 2 3 4; do
    cp out.$i out
    [ "$(ranks)" = "$first" ] && same=$((same + 1))
done
equal "four at once: one file, and all have the plan" "4 1" "$same $(kept)"

i=0
while [ $i -lt 80 ]; do
    echo x >"cat/.plans/old$i"
    i=$((i + 1))
done
touch -d '2020-01-01' cat/.plans/old*
plan --seed 77
equal "no more than 64 are kept" 64 "$(kept)"
plan
equal "the old ones went first" 1 "$(cached)"
"$topomap" profile list >out 2>&1
contains "the catalogue is none the worse" "$(cat out)" '^a '

finish
