#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# convert.sh - topomap convert, and the graphs and mappings of other tools where
# map, eval and plan take them. Needs no Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP TOPOMAP_CATALOGUE XDG_DATA_HOME
golden=$(cd "$srcdir/golden" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-convert.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work
export HOME
cd "$work" || exit 99
cp "$golden/ring16.graph" .

# run COMMAND...: its stdout, stderr and status go to $out, $err and $status.
run() {
    out=$("$@" 2>"$work/stderr")
    status=$?
    err=$(cat "$work/stderr")
}

# refused NAME STATUS MESSAGE: nothing on stdout, that one line on stderr.
refused() {
    equal "$1" "$2|$3|" "$status|$err|$out"
}

# gives NAME TEXT: the last command ended well, silently, with that on stdout.
gives() {
    equal "$1" "0||$2" "$status|$err|$out"
}

# --- graphs
expected=$(cat ring16.graph)
evaluation=$("$topomap" map ring16.graph --topology tree:2,4 --tasks-per-node 2 --work 1)
for form in metis scotch mtx edges dense npy; do
    run "$topomap" convert ring16.graph --to $form -o ring.$form
    equal "a graph to $form" "0||" "$status|$out|$err"
    run "$topomap" convert ring.$form --to metis
    gives "and back from $form, untold" "$expected"
    run "$topomap" convert --from $form --to metis ring.$form
    gives "and back from $form, told" "$expected"
    run "$topomap" map ring.$form --topology tree:2,4 --tasks-per-node 2 --work 1
    gives "map takes $form" "$evaluation"
done
# What numpy.savetxt leaves of an array, and a small one.
printf '%s\n' '0.000000000000000000e+00 3.0e+00' '4.0e+00 1.0e+00' >small.txt
run "$topomap" convert small.txt --from dense --to edges
gives "an array of two by two, told" "# a b bytes: tasks from 0, both directions together
tasks 2
0 1 7"
cat >matrix.mtx <<'MTX'
%%MatrixMarket matrix coordinate real symmetric
4 4 4
1 1 2.0
2 1 -1.0
3 2 -1.0
4 3 -1.0
MTX
run "$topomap" convert matrix.mtx --to edges --ntasks 2
gives "rows in blocks to tasks" "# a b bytes: tasks from 0, both directions together
tasks 2
0 1 16"
run "$topomap" convert matrix.mtx --to metis --ntasks 5
refused "more tasks than rows" 1 "topomap: matrix.mtx:2: 5 tasks cannot share 4 rows"
printf '0 1 100\n1 0 50\n' >two.edges
run "$topomap" map two.edges --topology flat:3 --tasks-per-node 1 --work 1 --ntasks 3
equal "map --tasks: isolated tasks behind a list of edges" "0|3" \
    "$status|$(printf '%s\n' "$out" | grep -vc '^#')"
run "$topomap" map two.edges --topology flat:3 --tasks-per-node 1 --from mtx
refused "map --from is believed" 1 \
    "topomap: two.edges: the first line does not begin with %%MatrixMarket"
run "$topomap" map two.edges --topology flat:3 --tasks-per-node 1 --from grf
refused "map --from with a word that is none" 2 \
    "topomap map: --from: 'grf' is not metis, scotch, mtx, edges, dense, npy, graphml, ompi-monitoring, ipm, tau, nccl-inspector, otf2, intel, kineto, flight-recorder or chakra; try 'topomap map --help'"
run "$topomap" map two.edges --topology flat:3 --tasks-per-node 1 --graph p2p
refused "map --graph is for profiles" 1 \
    "topomap: two.edges is one graph: --graph is for profiles"
run "$topomap" map two.edges --topology flat:1 --tasks-per-node 1
refused "more tasks than slots" 1 \
    "topomap: two.edges has 2 tasks, and the 1 node has 1 slot"
printf '0 1 4611686018427387903\n2 3 4611686018427387904\n' >large.edges
for mapper in $("$topomap" map --list | awk '/^[a-z]/ { print $1 }'); do
    run "$topomap" map large.edges --topology torus:2x2 --tasks-per-node 1 --work 3 --mapper "$mapper"
    equal "map: bytes near 2^63, --mapper $mapper" "0|4" "$status|$(printf '%s\n' "$out" | grep -vc '^#')"
done
printf 'tasks 3\n' >silent.edges
run "$topomap" map silent.edges --topology flat:3 --tasks-per-node 1 --work 3
equal "map: tasks that never talk" "0|3" "$status|$(printf '%s\n' "$out" | grep -vc '^#')"
printf '0 0 100\n' >one.edges
run "$topomap" map one.edges --topology flat:1 --tasks-per-node 1 --work 1
equal "one task on one host" "0|0 0" "$status|$(printf '%s\n' "$out" | grep -v '^#')"
: >empty
run "$topomap" map empty --topology flat:1 --tasks-per-node 1
refused "an empty file" 1 "topomap: empty: empty, not a task graph"
run "$topomap" plan --graph ./two.edges --ntasks 3 --nodelist n[0-2] --tasks-per-node 1 \
    --topology tree:3 --work 3
contains "plan --graph takes a list of edges, and the step's tasks" "$status $out" '2 hops per byte'
run "$topomap" plan --graph ./two.edges --ntasks 1 --nodelist n[0-2] --tasks-per-node 1,0,0 \
    --topology tree:3 --json
contains "and not more tasks than the step has" "$out$err" 'two.edges:1: task 1, but the tasks are 0 to 0'
run "$topomap" plan --graph ./two.edges --from mtx --ntasks 2 --nodelist n[0-2] \
    --tasks-per-node 1,1,0 --topology tree:3 --json
contains "plan --from is believed" "$out$err" 'does not begin with %%MatrixMarket'

# --- what tools inside programs have left, files of one run in a folder
monitored=$golden/tools/ompi-monitoring
run "$topomap" convert "$monitored" --from ompi-monitoring --to edges
gives "Open MPI's monitoring, the files of its ranks" "# a b bytes: tasks from 0, both directions together
tasks 4
0 1 13304
0 2 1016
0 3 12288
1 2 12288
1 3 1016
2 3 12304"
expected_ring=$out
cat "$monitored"/*.prof >monitored.txt
run "$topomap" convert monitored.txt --to edges
gives "the same put behind one another, untold" "$expected_ring"
run "$topomap" map "$monitored" --from ompi-monitoring --topology ring:4 --tasks-per-node 1 --work 2
equal "map takes the folder" "0|4" "$status|$(printf '%s\n' "$out" | grep -vc '^#')"
run "$topomap" convert "$monitored/ring.0.prof" --to edges
refused "the file of one rank is not the run" 1 \
    "topomap: $monitored/ring.0.prof: what 1 of 4 tasks sent: name the folder with the files of all, or put them behind one another"
run "$topomap" convert "$monitored" --from tau --to edges
refused "a folder of another tool" 1 "topomap: $monitored: no files profile.NODE.CONTEXT.THREAD of TAU in it"
run "$topomap" convert "$monitored" --from metis --to edges
refused "a format of one file" 1 "topomap: $monitored: is a folder"
mkdir cut
cp "$monitored"/*.prof cut
head -c 200 "$monitored/ring.2.prof" >cut/ring.2.prof
: >kept
run "$topomap" convert cut --from ompi-monitoring --to edges -o kept
equal "a file cut short is told, and nothing is written" "1|0|" "$status|$(wc -c <kept)|$out"
contains "with its name and line" "$err" 'cut/ring.2.prof:[0-9]*: .*cut short'
run "$topomap" convert ring16.graph --to ipm
refused "what is only read" 2 "topomap convert: --to: 'ipm' is not metis, scotch, mtx, edges, dense, npy, mapping, hostfile, rankfile or mpich; try 'topomap convert --help'"
mkdir bin
run env PATH="$work/bin" "$topomap" convert monitored.txt --to edges
refused "without python3 a line says so" 1 "topomap: monitored.txt: python3, which runs graph-readers.py, does not run here"
run "$topomap" plan --graph ./monitored.txt --ntasks 4 --nodelist 'n[0-3]' --tasks-per-node 1 --topology flat:4
refused "a launch reads no file of another tool" 1 "topomap: ./monitored.txt: of another tool: topomap convert --to metis makes a task graph of it"
# 10 GB that are not there: refused at once, in little memory.
truncate -s 10G huge
for form in edges dense npy ompi-monitoring nccl-inspector; do
    # A build with sanitizers reserves more than that for itself.
    sh -c 'ulimit -v 1000000; exec "$@"' sh "$topomap" --version >/dev/null 2>&1 || break
    run sh -c 'ulimit -v 1000000; exec "$@"' sh "$topomap" convert huge --from $form --to edges
    equal "10 GB of nothing as $form" 1 "$status"
    contains "told as $form" "$err" '^topomap: huge'
done
rm -f huge

# --- a profile
mkdir profile
cat >profile/profile.json <<'JSON'
{ "format": 1, "program": "app", "identity": "00", "ntasks": 16,
  "recorded": "2026-11-21T02:30:00Z", "seconds": 1.5,
  "types": [ { "type": "p2p", "calls": 1, "bytes": 1, "seconds": 1.0,
    "paired_bytes": 1, "graph": "p2p.graph" } ] }
JSON
cp ring16.graph profile/p2p.graph
for path in profile profile/ profile/profile.json; do
    run "$topomap" convert $path --to metis
    gives "the graph of $path" "$expected"
done
run "$topomap" convert profile --to metis --graph p2p
gives "a type of a profile" "$expected"
run "$topomap" convert profile --to metis --graph bcast
equal "a type that the profile lacks" 1 "$status"
run "$topomap" convert profile --to metis --from edges
refused "a profile is no edge list" 1 \
    "topomap: profile is a profile: --from means nothing for it"

printf 'CrayPat/X:  Version 7.0.6 Revision 9d5a3a4d6\n\nNumber of PEs (MPI ranks):   4\n' >pat
run "$topomap" convert pat --to metis
refused "CrayPat's report has no pairs" 1 "topomap: pat: CrayPat's report does not say who sends to whom: no task graph can be made of it; a grid that it has found is a pattern, grid:NxM"
mkdir nothing
run "$topomap" convert nothing --to metis
refused "a folder that is none says what may be in it" 1 "topomap: nothing: no profile, for no profile.json is in it; of what other tools have left there --from says which (ompi-monitoring, tau, nccl-inspector, otf2, intel, kineto, flight-recorder, chakra)"

# --- mappings
printf '0 1\n1 0\n0 0\n' >bare.mapping
: >kept
run "$topomap" convert bare.mapping --to metis -o kept
refused "nodes and slots are no graph" 1 "topomap: bare.mapping:1: nodes and slots, each once: a mapping, not a task graph (an option says that it is edges)"
equal "and nothing is written" 0 "$(wc -c <kept)"
run "$topomap" eval bare.mapping --topology flat:2 --tasks-per-node 2 block
equal "nor where eval wants one" 1 "$status"
run "$topomap" convert bare.mapping --from edges --to metis
gives "unless told" "2 1 001
2 2
1 2"
printf 'rank 0=n0 slot=0\nrank 1=n0 slot=8\n' >gap.ranks
run "$topomap" convert gap.ranks --to mapping -o gap.mapping
run "$topomap" convert gap.mapping --to edges
refused "what convert has written" 1 "topomap: gap.mapping:1: a mapping, as topomap convert writes it, and not a task graph"
printf 'rank 0=n1 slot=0\n' >one.ranks
run "$topomap" convert one.ranks --to metis
refused "a rankfile is no graph" 1 "topomap: one.ranks:1: a rankfile, which is a mapping and not a task graph"
printf '1,0\n1,2\n' >pairs.csv
run "$topomap" convert pairs.csv --to metis
gives "two edges are edges" "3 2 001
2 1
1 1 3 1
2 1"
printf '0 0\n0 1\n' >two.mapping
cat >h <<'HOSTFILE'
n1
n0  # the second
n1
n[0,2]
HOSTFILE
run "$topomap" convert h --to mapping --nodelist 'n[0-2]'
gives "a hostfile to ours" "# topomap convert: nodes and slots
1 0
0 0
1 1
0 1
2 0"
printf '%s\n' "$out" >m
run "$topomap" convert m --to hostfile --nodelist 'n[0-2]'
gives "ours to a hostfile" "n1
n0
n1
n0
n2"
run "$topomap" convert m --to rankfile --nodelist 'n[0-2]' -o r
equal "ours to a rankfile" "0|rank 4=n2 slot=0" "$status|$(tail -1 r)"
run "$topomap" convert r --to mapping --nodelist 'n[0-2]' --tasks-per-node 2
gives "and back" "$(cat m)"
run "$topomap" convert m --to mpich --tasks-per-node '2(x2),1'
gives "ours to a rank order" "1,3,0,2,4"
printf '%s\n' "$out" >o
run "$topomap" convert o --to mapping --tasks-per-node '2(x2),1'
gives "and back" "$(cat m)"
run "$topomap" convert o --to hostfile --nodelist 'n[0-2]' --tasks-per-node 2
gives "a rank order to a hostfile" "$(printf 'n1\nn0\nn1\nn0\nn2')"
printf '0 1\n0 0\n' >swapped
run "$topomap" convert swapped --to hostfile --nodelist n0
equal "lost slots are told" "0|topomap: a hostfile says nothing of slots: those of the mapping are lost" \
    "$status|$err"
run "$topomap" convert m --to mpich --tasks-per-node 3 --nodelist 'n[0-2]'
refused "what no block layout is" 1 \
    "topomap: a rank order can only permute a block layout, which puts 3 ranks on node 0, and the mapping 2"
run "$topomap" convert o --to mapping
refused "an order without hosts" 1 \
    "topomap: o is an order of ranks, which means nothing without the nodes and their slots"
run "$topomap" convert m --to hostfile
refused "hosts without names" 1 \
    "topomap: the nodes have no names: --nodelist says them"
run "$topomap" convert h --to mapping --nodelist 'n[0-1]'
refused "a host that is not there" 1 "topomap: h:4: node n2 is not of the allocation"
run "$topomap" convert h --to mapping --nodelist 'n[0-2],n1'
refused "a host listed twice" 1 \
    "topomap: host list 'n[0-2],n1': host n1 stands there twice"
run "$topomap" convert h --to mapping --tasks-per-node 1
refused "more tasks than slots on a host" 1 \
    "topomap: h:3: task 2 is in slot 1 of node 0, which has 1 slot"
printf '4000000000 0\n' >far
run "$topomap" convert far --to mapping
refused "a host number beyond belief" 1 \
    "topomap: nodes up to number 4000000000: --nodelist must name them"
cat >tree.conf <<'TREE'
SwitchName=s0 Nodes=n[0-1]
SwitchName=s1 Nodes=n[2-3]
SwitchName=s2 Switches=s[0-1]
TREE
printf '0 1 5\n2 3 7\n' >pairs.edges
printf 'n0\nn2\nn1\nn3\n' >hosts4
run "$topomap" eval pairs.edges --topology tree.conf --tasks-per-node 1 hosts4 --json
contains "eval takes a hostfile" "$(printf '%s' "$out" | tr -d '\n')" '"hops_per_byte": 4,'

# --- files
cp m before
run "$topomap" convert m --to mapping -o m
refused "the input is not overwritten" 1 "topomap: m is what is to be read: it is not overwritten"
ln -s m link
run "$topomap" convert m --to mapping -o link
equal "nor through a link" "1|$(cat before)" "$status|$(cat m)"
cp ring16.graph kept
run "$topomap" convert two.edges --to metis --from mtx -o kept
equal "a failure leaves what was there" "1|$expected" "$status|$(cat kept)"
equal "and nothing half-written" "" "$(find . -name '*.new-*')"
for words in "" "m" "m --to none" "m --to any" "m --to metis --from rankfile" "m n --to metis" \
    "m --to hostfile --ntasks 3" "m --to metis --tasks-per-node 3"; do
    # shellcheck disable=SC2086
    run "$topomap" convert $words
    equal "usage: convert $words" "2|" "$status|$out"
done
finish
