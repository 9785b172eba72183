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
# On a slow disk some are given up half-way.
kept() { find cat/.cache -type f -name 'plan-*' ! -name 'plan-graph-*' ! -name '*.new-*' 2>/dev/null | wc -l; }

plan
equal "the first time it is searched for" "0 1" "$(cached) $(kept)"
first=$(ranks)
plan
equal "the second time it is not" 1 "$(cached)"
equal "a plan of today: the line has no date of it" 0 "$(grep -c '^outcome.*as planned on' out)"
python3 - cat/.cache/plan-[0-9a-f]* <<'PYTHON'
import re, sys
for path in sys.argv[1:]:
    text = open(path, encoding="ascii").read()
    text = re.sub("^found 20[^T]*T", "found 2020-02-29T", text[:text.rindex("end ")], flags=re.M)
    digest = 0xcbf29ce484222325
    for byte in text.encode():
        digest = (digest ^ byte) * 0x100000001b3 % 2 ** 64
    open(path, "w", encoding="ascii").write(f"{text}end {digest:016x}\n")
PYTHON
plan
contains "one of another day: it has" "$(cached) $(grep '^outcome' out)" "^1 .*; as planned on 29 Feb 2020; --topomap=off"
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

file=$(find cat/.cache -type f -name 'plan-*' ! -name 'plan-graph-*' -printf '%T@ %p\n' | sort -n | sed -n '$s/^[^ ]* //p')
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
touch -d '1 hour ago' cat/.cache/plan-ad.new-1-0
touch cat/.cache/plan-be.new-1-0
plan --seed 77
equal "what a killed one has left goes, but not at once" "plan-be.new-1-0" \
    "$(cd cat/.cache && for file in plan-ad.new* plan-be.new*; do [ ! -e "$file" ] || echo "$file"; done)"
rm cat/.cache/plan-be.new-1-0
chmod o+w cat/.cache
plan
equal "nor is a folder that all may write to" 0 "$(cached)"
chmod o-w cat/.cache

# The plan of the same graph for other nodes is one more candidate: a large grid
# whose ranks do not show it, and next to no time.
awk 'BEGIN {
    srand(7)
    n = 64; N = n * n
    for (i = 0; i < N; i++) p[i] = i
    for (i = N - 1; i > 0; i--) { j = int(rand() * (i + 1)); t = p[i]; p[i] = p[j]; p[j] = t }
    for (i = 0; i < N; i++) q[p[i]] = i
    print N, 2 * N, "001"
    for (r = 0; r < N; r++) {
        x = q[r] % n; y = int(q[r] / n)
        print p[y * n + (x + 1) % n] + 1, 100, p[y * n + (x + n - 1) % n] + 1, 100,
              p[(y + 1) % n * n + x] + 1, 100, p[(y + n - 1) % n * n + x] + 1, 100
    }
}' >shuffled.graph
awk 'BEGIN {
    for (i = 0; i < 32; i++) print "SwitchName=s" i " Nodes=n[" i * 16 "-" i * 16 + 15 "]"
    print "SwitchName=top Switches=s[0-31]"
}' >wide.conf
# shuffled NODES TIME [OPTION]...: into the file out.
shuffled() {
    nodelist=$1 seconds=$2
    shift 2
    "$topomap" plan --graph ./shuffled.graph --ntasks 4096 --nodelist "$nodelist" --tasks-per-node 16 \
        --topology wide.conf --config site.json --time "$seconds" "$@" >out 2>err
}
hops() { sed -n 's/^hops per byte *[^ ]* *//p' out; }
shuffled 'n[256-511]' 0.01 --no-cache
nothing=$(hops)
shuffled 'n[0-255]' 2
good=$(hops)
equal "the first plan is carried over from the plan for nowhere" 0 "$(grep -c '^carried' out)"
shuffled 'n[256-511]' 0.01
equal "next to no time: the plan for other nodes is carried over" "$good" "$(hops)"
if awk "BEGIN { exit !($(hops) < $nothing) }"; then ok "which is better than nothing"; else not_ok "which is better than nothing" "$nothing $(hops)"; fi
contains "and the line says so" "$(grep '^outcome' out)" '; carried over from the plan for n\[0-255\]; --topomap=off'
shuffled 'n[128-383]' 0.01 --work 4
equal "a bound of work asks for the same anywhere" 0 "$(grep -c '^carried' out)"
shuffled 'n[100-355]' 0.01 --pin 0
equal "and pins do for their own nodes" 0 "$(grep -c '^carried' out)"
shuffled 'n[64-319]' 0.01
equal "neither of them replaced it" 1 "$(grep -c '^carried' out)"
"$topomap" plan --graph ./shuffled.graph --ntasks 4096 --nodelist 'n[0-199]' --tasks-per-node '20(x199),116' \
    --topology wide.conf --config site.json --time 0.01 >out 2>err
equal "other counts, too" 0 $?

# A launch leaves no process behind, also with a key of earlier site files.
remaining() { pgrep -f "plan --graph $work/shuffled.graph .*--to wire" | wc -l; }
rm -rf cat/.cache
echo '{ "format": 1, "improve_s": 40 }' >improve.json
"$topomap" plan --graph "$work/shuffled.graph" --ntasks 4096 --nodelist 'n[0-255]' --tasks-per-node 16 \
    --topology wide.conf --config improve.json --time 0.02 --to wire >out 2>err
equal "an earlier site file is read, and nobody stays behind" "0 0" "$? $(remaining)"

# A worse one makes nothing worse: that of another graph in its place, and rubbish.
rm -rf cat/.cache
plan --time 60 --no-cache
best=$(grep -v -e '^time' -e '^outcome' out)
nodes='n[8-15]' plan
graph=$(find cat/.cache -name 'plan-graph-*')
"$topomap" plan --graph grid:4x4 --ntasks 16 --nodelist 'n[8-15]' --tasks-per-node 2 \
    --topology $topo --config $site --no-cache --baseline 0,2,4,6,1,3,5,7,0,2,4,6,1,3,5,7 --to file >bad.plan
for content in bad.plan tree.conf /dev/null; do
    find cat/.cache -type f -name 'plan-*' ! -name 'plan-graph-*' -delete
    cat $content >"$graph"
    plan --time 60
    equal "$content in its place: the plan is as good" "$best" "$(grep -v -e '^time' -e '^outcome' out)"
done
rm -rf cat/.cache
plan

# Several searches within one budget: what the last one reports repeats it.
graph c.graph 99
"$topomap" map c.graph --topology torus:4x4 --tasks-per-node 1 --time auto:4 --threads 1 -o auto.mapping 2>err
units=$(sed -n 's/^[#%].* work \([0-9]*\).*/\1/p' auto.mapping | head -n 1)
"$topomap" map c.graph --topology torus:4x4 --tasks-per-node 1 --work "${units:-1}" --threads 1 -o again.mapping 2>err
equal "--time auto: its work repeats it" "$(grep -v '^[#%]' again.mapping)" "$(grep -v '^[#%]' auto.mapping)"
SLURM_JOB_END_TIME=$(($(date +%s) + 3600)) plan --time auto
equal "--time auto of an hour: it is planned" "0 1" "$? $(grep -c '^outcome  *placed' out)"

rm -rf cat/.cache
# shellcheck disable=SC3045
(
    ulimit -f 0
    "$topomap" plan --name a --ntasks 16 --nodelist "$nodes" --tasks-per-node 2 \
        --topology $topo --config $site --time 2 --to wire 2>&1
    echo "status $?"
) | cat >out
contains "where files may not grow there is a plan" "$(tr '\n' ' ' <out)" '^topomap-plan .* end .*status 0'
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
    echo x >"cat/.cache/plan-ad$i"
    i=$((i + 1))
done
touch -d '2020-01-01' cat/.cache/plan-ad*
# Storage that takes long: who writes is ended before it has.
cat >slow.c <<'CODE'
#include <unistd.h>
int fsync(int fd) { (void)fd; return (int)sleep(1); }
CODE
# The compiler may be two words, as ccache gcc.
# shellcheck disable=SC2086
if ${CC:-cc} -shared -fPIC -o slow.so slow.c 2>err; then
    LD_PRELOAD=$PWD/slow.so ASAN_OPTIONS=${ASAN_OPTIONS-}:verify_asan_link_order=0 plan --seed 76
    equal "slow storage: room is made all the same" yes "$([ "$(find cat/.cache -type f | wc -l)" -le 64 ] && echo yes)"
else
    skip "slow storage" "no compiler"
fi
i=0
while [ $i -lt 80 ]; do
    echo x >"cat/.cache/plan-ad$i"
    i=$((i + 1))
done
touch -d '2020-01-01' cat/.cache/plan-ad*
plan --seed 77
equal "no more than 64 are kept" yes "$([ "$(find cat/.cache -type f | wc -l)" -le 64 ] && echo yes)"
plan
equal "the old ones went first" 1 "$(cached)"
"$topomap" profile list >out 2>&1
contains "the catalogue is none the worse" "$(cat out)" '^a '

finish
