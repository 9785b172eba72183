#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# cli.sh - the command topomap as users and scripts see it: outputs, messages,
# exit statuses, the same bytes from the same inputs. Needs no Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP TOPOMAP_CATALOGUE XDG_DATA_HOME
golden=$(cd "$srcdir/golden" && pwd)
etc=$(cd "$srcdir/../etc" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-cli.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
HOME=$work/home
export HOME
mkdir "$HOME"
cd "$work" || exit 99
cp "$golden/ring16.graph" .

# run COMMAND...: its stdout, stderr and status go to $out, $err and $status.
run() {
    out=$("$@" 2>"$work/stderr")
    status=$?
    err=$(cat "$work/stderr")
}

# golden NAME FILE: the last command ended well and printed just that.
golden() {
    if [ "$status" = 0 ] && printf '%s\n' "$out" | cmp -s - "$golden/$2"; then
        ok "$1"
    else
        not_ok "$1" "status $status, $(printf '%s\n' "$out" | diff "$golden/$2" - | head -20) $err"
    fi
}

# refused NAME STATUS MESSAGE: nothing on stdout, that one line on stderr.
refused() {
    equal "$1" "$2|$3|" "$status|$err|$out"
}

# --- the command itself
run "$topomap" --version
contains "--version" "$out" '^topomap [0-9]'
run "$topomap" --help
equal "--help ends with 0" 0 "$status"
for command in map eval plan profile topology tune convert; do
    run "$topomap" $command --help
    equal "$command --help ends with 0, nothing on stderr" "0|" "$status|$err"
    contains "$command --help has the usage" "$out" "usage: topomap $command"
    help=$out
    run "$topomap" help $command
    equal "help $command is the same" "$help" "$out"
done
run "$topomap"
refused "no subcommand" 2 "topomap: which subcommand? Try 'topomap --help'"
run "$topomap" turn
refused "unknown subcommand" 2 \
    "topomap: there is no subcommand 'turn', did you mean 'tune'? Try 'topomap --help'"
run "$topomap" profile lsit
refused "unknown verb" 2 \
    "topomap profile: there is no 'lsit', did you mean 'list'? Try 'topomap profile --help'"
run "$topomap" doctor extra
refused "doctor takes words behind -- only" 2 \
    "topomap doctor: 'extra' is one argument too many; try 'topomap doctor --help'"
printf '0 1 3\n2 3 4\n' >"$work/listed.edges"
mkdir "$work/lists"
run "$topomap" profile import "$work/listed.edges" --name listed --catalogue "$work/lists"
for words in "profile list --catalogue $work/lists" doctor; do
    # shellcheck disable=SC2086
    "$topomap" $words 1</dev/null 2>"$work/stderr"
    equal "${words%% *}, where stdout takes nothing: one line, and 1" "1 1" "$? $(wc -l <"$work/stderr")"
done
if [ -w /dev/full ]; then
    "$topomap" --help >/dev/full 2>"$work/stderr"
    equal "a full disk is seen" "1|topomap: cannot write to stdout: No space left on device" \
        "$?|$(cat "$work/stderr")"
fi
"$topomap" --help >&- 2>/dev/null
equal "so is a closed stdout" 1 $?

# --- map
run "$topomap" map --list
contains "map --list has GreedyMap and its source" "$(printf '%s' "$out" | tr -s ' \n' ' ')" ' greedymap [^[]* \[Galvez[^]]*ICS 2017'
equal "map --list fits a terminal, but for parameters" "" "$(printf '%s\n' "$out" | grep -v '^  *:' | grep -E '.{80}')"
run "$topomap" map --list --json
contains "map --list --json" "$status $(printf '%s' "$out" | tr -d '\n')" \
    '^0 \[.*"name": "greedymap".*"source": .*\]$'
# GPART, which the portfolio may choose, depends on the version of METIS.
bfs=greedymap:order=BFS,delta=all,pack=1,cost=hop,wrap=1
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --mapper $bfs --work 4
golden "map: a ring on a torus" cli-map-torus.txt
run "$topomap" map ring16.graph --topology tree:2,4 --tasks-per-node 2 --work 1
golden "map: the first of the list is block" cli-map-block.txt
for threads in 1 2 4; do
    run "$topomap" map ring16.graph --topology torus:2x2x2 --tasks-per-node 2 \
        --seed 7 --work 60 --threads $threads
    [ $threads = 1 ] && first=$out
    equal "map: $threads threads, the same bytes" "$first" "$out"
done
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --mapper $bfs --work 4 --json \
    -o report.mapping
found=$(printf '%s\n' "$out" | grep -v '"seconds"\|"threads"')
equal "map --json: the report" "$(cat "$golden/cli-map-report.json")" "$found"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 -o whole.mapping
equal "map -o: nothing else on stdout" "0||" "$status|$out|$err"
# Two hosts, on each two pairs that ascending slots would part.
printf '0 2 10\n1 3 10\n4 6 10\n5 7 10\n0 1 1\n' >pairs.edges
pairs="pairs.edges --topology flat:2 --tasks-per-node 4"
# shellcheck disable=SC2086
run "$topomap" map $pairs --work 1 --node "package:2 core:2"
equal "map --node: pairs share packages" "# inside hops per byte 3.95122 -> 2.04878
0 0
0 2
0 1
0 3
1 0
1 2
1 1
1 3" "$(printf '%s\n' "$out" | sed 1,2d)"
# shellcheck disable=SC2086
run "$topomap" map $pairs --work 1 --node "package:2 core:2" --json -o pairs.mapping
equal "map --node --json: after, and before" '"avg_inside_hop_bytes": 21,"avg_inside_hop_bytes": 40.5,' \
    "$(printf '%s\n' "$out" | grep avg_inside | tr -d '\n' | sed 's/^ *//; s/,  */,/')"
# shellcheck disable=SC2086
run "$topomap" eval $pairs pairs.mapping --node "package:2 core:2"
contains "eval --node says the same" "$status $out" '^pairs.mapping .* 21 B '
echo 'package:2 core:2' >pairs.node
# shellcheck disable=SC2086
run "$topomap" map $pairs --work 1 --node pairs.node
contains "map --node: a file" "$status $out" 'inside hops per byte 3.95122 -> 2.04878$'
for node in ./none none.xml; do
    # shellcheck disable=SC2086
    run "$topomap" map $pairs --work 1 --node "$node"
    refused "map --node: no file $node" 1 "topomap: $node: No such file or directory"
done
# shellcheck disable=SC2086
run "$topomap" map $pairs --work 1 --node what:3
refused "map --node: what is no node" 1 "topomap: \"what:3\" does not describe a node: levels such as package:2 l3:4 core:8 do, or hwloc's XML"
work_done=$(sed -n '1s/.*, work \([0-9]*\).*/\1/p' whole.mapping)
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --work "$work_done" --threads 1 \
    -o again.mapping
equal "map: the same amount of work gives it again" "$(grep -v '^#' whole.mapping)" \
    "$(grep -v '^#' again.mapping)"
contains "map: the portfolio finds the ring in the torus" "$(cat whole.mapping)" \
    '^# hops per byte 0.625 -> 0.5$'
for mapper in default cyclic \
    greedymap:order=BFS,delta=all,pack=1,cost=hop,wrap=1 \
    greedymap:order=GPART,delta=sqrt,pack=0,cost=max,wrap=0 \
    greedymap:order=BFS-DFS,delta=3,pack=1,cost=link; do
    run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --mapper $mapper
    equal "map: --mapper $mapper places all" "0 16" \
        "$status $(printf '%s\n' "$out" | grep -v '^#' | sort -u | wc -l)"
done
for choice in hop-bytes pareto link auto; do
    run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --choose $choice --alpha 1.2
    equal "map: --choose $choice" 0 "$status"
done

printf '# a fragment\n0 0\n\n3,1   # coordinates\n2 1\n0,1\n' >hosts
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node '4(x3),6' --nodefile hosts --work 2
equal "map: hosts are positions in the hosts file" "0 1 2 3" \
    "$(printf '%s\n' "$out" | sed '/^#/d; s/ .*//' | sort -u | tr '\n' ' ' | sed 's/ $//')"
printf 'n0\nn9\n' >hosts
printf 'SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[4-7]\nSwitchName=r Switches=s[0-1]\n' >tree.conf
run "$topomap" map ring16.graph --topology tree.conf --tasks-per-node 8 --nodefile hosts
refused "map: an unknown host, with file and line" 1 "$(printf '%s' "$err" |
    grep '^topomap: hosts:2: .*n9')"
printf 'n0\nn1\nn0\n' >hosts
run "$topomap" map ring16.graph --topology tree.conf --tasks-per-node 8 --nodefile hosts
refused "map: a host twice" 1 "topomap: hosts:3: node n0 stands on line 1 already"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 1
refused "map: more tasks than slots" 1 \
    "topomap: ring16.graph has 16 tasks, and the 8 nodes have 8 slots"
try="try 'topomap map --help'"
# Five cells and three that have nothing to do with each other; 0.1% of 4 is one more.
printf '0 1 1\n1 2 1\n2 3 1\n3 4 1\n5 6 1\n6 7 1\n' >cells.edges
cells="--topology flat:2 --tasks-per-node 4"
# shellcheck disable=SC2086
run "$topomap" map cells.edges $cells --imbalance 0.1 --work 1 -o cells.mapping
equal "map --imbalance: nothing is cut" "0|5 3" \
    "$status$err|$(grep -v '^#' cells.mapping | cut -d' ' -f1 | sort | uniq -c | awk '{print $1}' | sort -r | paste -sd' ')"
# shellcheck disable=SC2086
run "$topomap" eval cells.edges cells.mapping $cells --imbalance 25
contains "eval --imbalance takes it" "$status $out" '^cells.mapping .* 0 B  '
# shellcheck disable=SC2086
run "$topomap" eval cells.edges cells.mapping $cells
contains "eval without it does not" "$status $err" '^1 topomap: cells.mapping'
for percent in -1 1001 nan 3%; do
    # shellcheck disable=SC2086
    run "$topomap" map cells.edges $cells --imbalance $percent
    refused "map --imbalance $percent" 2 \
        "topomap map: --imbalance: '$percent' is not a number from 0 to 1000; $try"
done
run "$topomap" map cells.edges --topology flat:2 --tasks-per-node 4000000000 --imbalance 10
refused "map --imbalance: too many slots" 1 \
    "topomap: --imbalance 10: too many slots on a node of 4000000000"
run "$topomap" map missing.graph --topology torus:4x2 --tasks-per-node 2 -o none.mapping
refused "map: a missing graph" 1 "topomap: missing.graph: neither a file nor a profile: no profile of missing.graph"
printf '2 1 001\n2 5\n1 6\n' >bad.graph
run "$topomap" map bad.graph --topology torus:4x2 --tasks-per-node 2 -o none.mapping
equal "map: a bad graph, with file and line" 1 "$status"
contains "map: a bad graph, with file and line (text)" "$err" '^topomap: bad\.graph:[0-9]*: '
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --mapper best -o none.mapping
equal "map: an unknown mapper" 1 "$status"
equal "map: no output is left behind" "none*" "$(echo none*)"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 -o no/folder/m
equal "map: an output that cannot be written" 1 "$status"
contains "map: an output that cannot be written (text)" "$err" 'no/folder/m'
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 -o again.mapping
equal "map: an output that was there is replaced" "0 again.mapping" "$status $(echo again*)"

run "$topomap" map
refused "map: no graph" 2 "topomap map: GRAPH is missing; $try"
run "$topomap" map ring16.graph --tasks-per-node 2
refused "map: no topology" 2 "topomap map: --topology is missing; $try"
run "$topomap" map ring16.graph --topology torus:4x2
refused "map: no slots" 2 "topomap map: --tasks-per-node is missing; $try"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --json
refused "map: --json without -o" 2 \
    '{"error": "--json needs -o FILE: the report goes to stdout", "status": 2}'
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --work 3 -o -
here=$out
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --work 3
equal "map: -o - is stdout" "$out" "$here"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --choose best
refused "map: a bad choice" 2 \
    "topomap map: --choose: 'best' is not hop-bytes, pareto, time or auto; $try"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --seed 1x
refused "map: a bad number" 2 \
    "topomap map: --seed: '1x' is not a whole number from 1; $try"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --time nan
refused "map: a bad time" 2 \
    "topomap map: --time: 'nan' is not a number from 0.001 to 1e+06, nor auto; $try"
run "$topomap" map --nonsense
refused "map: an unknown option" 2 "topomap map: unknown option --nonsense; $try"
run "$topomap" map --tpology torus:4
refused "map: a misspelt option" 2 \
    "topomap map: unknown option --tpology, did you mean --topology? T${try#t}"
run "$topomap" map --s 1
refused "map: a prefix of several options" 2 "$(printf '%s' "$err" |
    grep -- '--s is ambiguous')"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --work 3 --see 1
equal "map: a prefix of one option" "0" "$status"
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --work 3
here=$out
run "$topomap" map ring16.graph --topology torus:4x2 --tasks-per-node 2 --work 3
equal "map: an older word means the same" "$here" "$out"
run "$topomap" map ring16.graph --topology flat:9 --tasks-per-node 2 --work 3 --nodelist '[1-8]'
here=$out
seq 1 8 >one.a.line
run "$topomap" map ring16.graph --topology flat:9 --tasks-per-node 2 --work 3 --nodefile one.a.line
equal "map: nodes as a list or from a file" "0|$here" "$status|$out"
run "$topomap" map --json=yes
refused "map: an argument too many" 2 "topomap map: --json takes no argument; $try"
run "$topomap" map a b
refused "map: two graphs" 2 "topomap map: 'b' is one argument too many; $try"
run "$topomap" map ring16.graph --topology
refused "map: an option without its argument" 2 \
    "topomap map: --topology needs an argument; $try"

# A search long enough to be ended: 4,096 tasks whose neighbours are far and
# many, on a machine that is not full.
awk 'BEGIN {
    n = 4096; m = 0
    for (i = 0; i < n; i++)
        for (d = 1; d < 2048; d = d * 3 + 1) {
            a[i] = a[i] " " (i + d) % n + 1 " " d % 7 + 1
            j = (i + d) % n
            a[j] = a[j] " " i + 1 " " d % 7 + 1
            m++
        }
    print n, m, "001"
    for (i = 0; i < n; i++)
        print a[i]
}' >big.graph
"$topomap" map big.graph --topology torus:16x16x16 --tasks-per-node 4 --time 300 --json \
    -o stopped.mapping >stopped.json 2>stopped.err &
pid=$!
holds_signals $pid
sleep 0.2
kill -TERM $pid
wait $pid
equal "map: SIGTERM ends the search well" 0 $?
equal "map: the best so far is written" 4096 "$(grep -vc '^#' stopped.mapping)"
contains "map: a line says so" "$(cat stopped.err)" '^topomap: Terminated: the best mapping so far is kept$'
contains "map: and the report" "$(cat stopped.json)" '"interrupted": true'
# Far from what it would take without, also under a sanitizer on a busy machine.
start=$(date +%s)
"$topomap" map big.graph --topology torus:16x16x16 --tasks-per-node 4 --time 0.5 >timed.mapping
took=$(($(date +%s) - start))
if [ $took -le 60 ]; then
    ok "map: --time ends the search"
else
    not_ok "map: --time ends the search" "$took s"
fi
contains "map: the mapping says that it was interrupted" "$(head -1 timed.mapping)" '(interrupted)$'
# What time ended in the middle of a stage is repeated by less work than its
# schedule has: the schedule, which temperatures go by, stays.
run "$topomap" map big.graph --topology torus:16x16x16 --tasks-per-node 4 --mapper block+refine \
    --work 5 --schedule 1+2+6
contains "map: less work leaves the schedule as it is" "$out" 'work 5, schedule 1+2+6 (interrupted)$'

# --- eval
cp "$golden/cli-map-torus.txt" torus.mapping
run "$topomap" eval ring16.graph --topology torus:4x2 --tasks-per-node 2 torus.mapping --csv
golden "eval: the table" cli-eval.csv
i=0
while [ $i -lt 16 ]; do
    echo "$((i / 2)) $((i % 2))"
    i=$((i + 1))
done >block.mapping
run "$topomap" eval ring16.graph --topology tree:2,4 --tasks-per-node 2 block.mapping --json
golden "eval: block on a tree" cli-eval-tree.json
sed 's/ .*//' block.mapping >hostsonly.mapping
block=$out
run "$topomap" eval ring16.graph --topology tree:2,4 --tasks-per-node 2 hostsonly.mapping --json
equal "eval: slots may be left out" "$block" "$(echo "$out" | sed s/hostsonly/block/)"
sed '3s/.*/0 0/' block.mapping >twice.mapping
run "$topomap" eval ring16.graph --topology tree:2,4 --tasks-per-node 2 twice.mapping
equal "eval: a slot taken twice" 1 "$status"
head -15 block.mapping >short.mapping
run "$topomap" eval ring16.graph --topology tree:2,4 --tasks-per-node 2 short.mapping
refused "eval: a mapping that is too short" 1 \
    "topomap: short.mapping places 15 tasks, and ring16.graph has 16"
sed '3s/.*/0 x/' block.mapping >bad.mapping
run "$topomap" eval ring16.graph --topology tree:2,4 --tasks-per-node 2 bad.mapping
contains "eval: a bad mapping, with file and line" "$status $err" '^1 topomap: bad\.mapping:3: '

# Who knows --ntasks and --tasks-per-node of one subcommand need not learn others.
run "$topomap" plan --graph ring:4 --ntasks 4 --nodelist 'n[0-1]' --tasks-per-node 2 --topology flat:2 --to json --work 5
equal "plan takes --ntasks and --tasks-per-node, too" "0 " "$status $err"
run "$topomap" grid layout --topology torus:2x2x2 --grid 2x2x2x2 --tasks-per-node 2
equal "layout takes --tasks-per-node, too" 0 "$status"

# --- topology
run "$topomap" topology show torus:4x2/2
golden "topology show: a torus" cli-topology-torus.txt
run "$topomap" topology show tree.conf --json
golden "topology show --json: Slurm's tree" cli-topology-tree.json
# shows NAME SPEC LINKS CAPACITY DIAMETER: what it says between hosts and places.
shows() {
    run "$topomap" topology show "$2"
    equal "topology show: $1" "0|links     $3
capacity  $4
diameter  $5" "$status|$(printf '%s\n' "$out" | sed -n 3,5p)"
}
shows "the edges of a mesh have no links" mesh:3x3:capacity=1x2 "24, one a direction" \
    "1 on 12 links, 2 on 12 links" 4
shows "a hypercube" hypercube:3 "24, one a direction" "not stated" 3
shows "one router" ring:1:capacity=5 "0, one a direction" "-" 0
shows "a fat tree" tree:2,2,4:capacity=8,4,1:uplinks=2,1,1 22 \
    "1 on 16 links, 4 on 4 links, 16 on 2 links" 6
shows "a dragonfly" dragonfly:3,2,1:capacity=25e9,50e9,12.5e9 "24, one a direction" \
    "12.5 GB/s on 6 links, 25 GB/s on 12 links, 50 GB/s on 6 links" 5
shows "one capacity for all" dragonfly:3,2,1:capacity=3 "24, one a direction" "3 on 24 links" 5
printf 'links\nswitch s\nhost n[0-8]\n' >many.links
for i in 0 1 2 3 4 5 6 7 8; do echo "link n$i s $i.5"; done >>many.links
shows "many capacities" many.links 9 "0.5 to 8.5, 9 different ones" 2
run "$topomap" topology show tree:2,4:capacity=8,1 --json
contains "topology show --json: capacities" "$(printf '%s' "$out" | tr -d ' \n')" \
    '"nlinks":10,"capacities":\[{"capacity":1,"nlinks":8},{"capacity":8,"nlinks":2}\],"diameter":4'
printf 'links\nnode a b\nlink a b 3\n' >two.links
run "$topomap" topology show two.links
equal "topology show: one link" "network of 1 link, 2 switches, 2 hosts" \
    "$(printf '%s\n' "$out" | sed -n 1p)"
run "$topomap" topology check tree.conf --nodelist 'n[0-7]'
equal "topology check: all there" "0|8 of 8 nodes are in the topology (tree of 3 switches, 8 hosts)" \
    "$status|$out"
run "$topomap" topology check tree.conf --nodelist 'n[6-9]'
equal "topology check: some missing" "1|n8 is not in the topology
n9 is not in the topology
2 of 4 nodes are in the topology (tree of 3 switches, 8 hosts)" "$status|$out"
# Slurm's commands, played: sinfo has a line for each partition of a node.
mkdir bin
printf '#!/bin/sh\necho "$*" >>"%s/asked"\nprintf "n7\\nn0\\nn0\\nx1\\n"\n' "$work" >bin/sinfo
printf '#!/bin/sh\necho "$*" >>"%s/asked"\ncat "%s/tree.conf"\n' "$work" "$work" >bin/scontrol
chmod 755 bin/*
run env PATH="$work/bin:$PATH" "$topomap" topology check
equal "topology check: Slurm's own nodes and topology" "1|x1 is not in the topology
2 of 3 nodes are in the topology (tree of 3 switches, 8 hosts)" "$status|$out"
equal "topology check: what Slurm was asked" "-a -o show partition
show topology
-h -N -o %N" "$(cat asked)"
run env PATH="$work/bin:$PATH" "$topomap" topology check --json
equal "topology check --json" '1|{"missing":["x1"],"nodes":3}' \
    "$status|$(printf '%s' "$out" | tr -d ' \n')"
# From 25.05 on a partition may have a topology of its own.
echo 'SwitchName=w Nodes=x[0-1]' >wide.conf
cat >bin/scontrol <<'SH'
#!/bin/sh
case $* in
*'show partition') printf 'PartitionName=%s AllowGroups=ALL Nodes=a%s\n' cpu '' gpu ' Topology=wide ' old ' Topology=none' ;;
'show topology wide') cat wide.conf ;;
'show topology none') ;;
'show topology') cat tree.conf ;;
*) exit 1 ;;
esac
SH
printf '#!/bin/sh\ncase $* in *gpu) echo x0; echo x1; echo n1 ;; *old) echo y0 ;; *) echo n7; echo n0 ;; esac\n' >bin/sinfo
slurm() { run env PATH="$work/bin:$PATH" "$topomap" "$@"; }
slurm topology check
equal "topology check: each partition by its own" "1|2 of 2 nodes of partition cpu are in the topology (tree of 3 switches, 8 hosts)
n1 is not in the topology
2 of 3 nodes of partition gpu are in the topology (flat network of 2 hosts)
the nodes of partition old are equally far apart|" "$status|$out|$err"
slurm topology check --json
equal "topology check --json: all of them" '1|{"missing":["n1"],"nodes":5}' \
    "$status|$(printf '%s' "$out" | tr -d ' \n')"
slurm topology check --partition gpu
contains "topology check --partition" "$status $out" '2 of 3 nodes of partition gpu'
slurm topology check --partition cpu
contains "topology check --partition: the default one" "$status $out" '^0 2 of 2 nodes of partition cpu .*(tree of 3 '
echo '{ "format": 1, "time_s": 1 }' >other.json
slurm topology check --partition cpu --config other.json
contains "topology check: a site file without a network leaves it to Slurm" "$status $out" \
    '^0 2 of 2 nodes of partition cpu .*(tree of 3 '
slurm topology show --partition none
equal "topology show: no such partition" "1||topomap: Slurm has no partition 'none'" "$status|$out|$err"
slurm topology distance x0 x1 --partition gpu
contains "topology distance --partition" "$status $out" '^0 2'
SLURM_JOB_PARTITION=gpu slurm topology show
contains "topology show: this job's partition" "$out" '^flat network of 2 hosts'
SLURM_JOB_PARTITION=cpu,gpu slurm topology show
contains "topology show: several that differ" "$out" '^tree of 3 switch'
printf '2 1 001\n2 9\n1 9\n' >pair.graph
for partition in gpu cpu; do
    slurm plan --graph ./pair.graph --ntasks 2 --nodelist 'x[0-1]' --tasks-per-node 1 --partition $partition
    case $partition in
    gpu) contains "plan --partition" "$status $out" '^0 .*' ;;
    cpu) contains "plan: in another partition" "$out" 'node x0 is not in the topology' ;;
    esac
done
slurm plan --graph ./pair.graph --ntasks 2 --nodelist 'x[0-1]' --tasks-per-node 1 --partition none
equal "plan: no such partition" "1||topomap: Slurm has no partition 'none'" "$status|$out|$err"
run env PATH=/nonexistent "$topomap" topology show
contains "topology: neither site file nor Slurm" "$status $err" '^1 topomap: no topology in .*scontrol'
# srun runs anywhere: a relative path of the site file starts where that file lies.
mkdir site-etc elsewhere
cp tree.conf site-etc/near.conf
printf 'flat:2\nhosts n[0-1]\n' >elsewhere/near.conf
for type in file slurm; do
    printf '{ "format": 1, "topology": { "type": "%s", "path": "near.conf" } }\n' $type >site-etc/near.json
    for where in "$work" "$work/elsewhere" "$work/site-etc"; do
        run env -C "$where" "$topomap" topology check --config "$work/site-etc/near.json" --nodelist 'n[0-7]'
        equal "site file: $type from ${where##*/}" \
            "0|8 of 8 nodes are in the topology (tree of 3 switches, 8 hosts, from $work/site-etc/near.conf)|" "$status|$out|$err"
    done
done
run env -C site-etc "$topomap" topology check --config near.json --nodelist 'n[0-7]'
contains "site file: beside one that is relative, too" "$status $out" '^0 8 of 8 .*, from ./near.conf)$'
rm site-etc/near.conf
run env -C elsewhere "$topomap" topology show --config ../site-etc/near.json
equal "site file: what is not beside it is missing" "1||topomap: ../site-etc/near.conf: No such file or directory" "$status|$out|$err"
run env PATH=/nonexistent "$topomap" topology show --config other.json
contains "topology: nor in the one that is named" "$status $err" '^1 topomap: no topology in other.json, .*scontrol'
run "$topomap" topology show torus:2x2 --config site.json
refused "topology: two networks" 2 "topomap topology: either SPEC or --config; try 'topomap topology --help'"
run "$topomap" topology distance n0 n7 tree.conf
equal "topology distance" "4
  n0 - s0
  s0 - r
  s1 - r
  n7 - s1" "$out"
run "$topomap" topology show --config missing.json
equal "topology: a site file that is named must be there" 1 "$status"

# --- the site file
cat >site.json <<'JSON'
{ "format": 1, "catalogues": ["/nonexistent/shared"], "time_s": 1.5,
  "topology": { "type": "torus", "dims": [2, 2, 2], "wrap": [true, true, false],
                "hosts_per_router": 2, "absent": [[1, 1, 1]], "hosts": "nid[00000-00013]" } }
JSON
run "$topomap" topology show --config site.json
golden "site file: a torus with a hole" cli-topology-site.txt
run "$topomap" topology distance nid00000 nid00013 site.json
contains "site file: also as a SPEC" "$status $out" '^0 2$'
run "$topomap" topology show --config "$etc/topomap.json.example"
contains "site file: the example that is installed" "$status $out" \
    '^0 torus 8x8x4, wraps 1x1x0, 2 hosts a router, 1 router without hosts'
# site NAME TEXT PATTERN: a site file that is refused, naming the file and why.
site() {
    printf '%s\n' "$2" >bad.json
    run "$topomap" topology show --config bad.json
    contains "site file: $1" "$status $err" "^1 topomap: bad\.json.*$3"
}
site "an unknown key" '{ "format": 1, "catalogs": [] }' catalogs
site "an unknown key in topology" \
    '{ "format": 1, "topology": { "type": "flat", "hosts": "n0", "dims": [1] } }' dims
site "a later format" '{ "format": 2 }' 'format 2'
site "an unknown type" '{ "format": 1, "topology": { "type": "ring" } }' ring
site "too few hosts" \
    '{ "format": 1, "topology": { "type": "tree", "arity": [2, 2], "hosts": "n[0-2]" } }' '3 names.*4'
site "no coordinates for a host" \
    '{ "format": 1, "topology": { "type": "mesh", "dims": [2, 2], "hosts": "a,b",
       "coordinates": { "a": [0, 0] } } }' 'b'
site "coordinates of another dimension" \
    '{ "format": 1, "topology": { "type": "mesh", "dims": [2, 2], "hosts": "a",
       "coordinates": { "a": [0] } } }' '2 coordinates'
site "coordinates outside" \
    '{ "format": 1, "topology": { "type": "mesh", "dims": [2, 2], "hosts": "a",
       "coordinates": { "a": [0, 2] } } }' '2 is not below 2'
site "an absent router named twice" \
    '{ "format": 1, "topology": { "type": "mesh", "dims": [2, 2], "hosts": "n[0-1]",
       "absent": [[0, 1], [0, 1]] } }' 'twice'
site "a host twice" '{ "format": 1, "topology": { "type": "flat", "hosts": "a,b,a" } }' 'twice'
site "a network beyond all numbers" \
    '{ "format": 1, "topology": { "type": "torus", "dims": [4294967294, 4294967294, 4294967294],
       "hosts": "n[0-3]" } }' 'more than'
site "a relative catalogue" '{ "format": 1, "catalogues": ["shared"] }' 'absolute'
site "no JSON" '{ "format": 1' ''

# --- plan
cp "$topomap" app
launch="--ntasks 16 --nodelist n[0-7] --tasks-per-node 2"
# shellcheck disable=SC2086
plan() {
    run "$topomap" plan $launch --topology tree.conf --work 50 "$@"
}
plan --program ./app
contains "plan: what uses no MPI" "$status $(printf '%s' "$out" | grep '^outcome')" \
    '^0 outcome  *not placed: app uses no MPI; NCCL programs: '
plan --name app
contains "plan: no profile, and what to do" "$status $(printf '%s' "$out" | grep '^outcome')" \
    '^0 outcome  *not placed: no profile .*for 16 tasks: record one with --topomap=profile'
plan --program ./app
contains "plan: the user's own catalogue was looked in" "$out" \
    "$HOME/.local/share/topomap (the user's own)"
build=$(printf '%s\n' "$out" | sed -n 's/^program .*(build \(.*\))$/\1/p')
folder=$HOME/.local/share/topomap/app/$build/16
(
    umask 022
    mkdir -p "$folder/r20261121T000000Z-local"
    cp ring16.graph "$folder/r20261121T000000Z-local/p2p.graph"
    ln -s r20261121T000000Z-local "$folder/current"
    cat >"$folder/current/profile.json" <<JSON
{ "format": 1, "program": "app", "path": "$work/app", "identity": "$build", "ntasks": 16,
  "recorded": "2026-11-21T00:00:00Z", "seconds": 1.25, "job": "local", "user": "me", "hosts": 8,
  "task_seconds": { "max": 0.75, "max_task": 5, "min": 0.0625, "min_task": 9 },
  "mpi": "none", "types": [ { "type": "p2p", "calls": 32, "bytes": 16000, "seconds": 0.5,
  "task_seconds": { "max": 0.25, "max_task": 3, "min": 0.125, "min_task": 7 },
  "paired_bytes": 16000, "graph": "p2p.graph" } ] }
JSON
)
plan --program ./app
equal "plan: the longest and the shortest task of the recording" "p2p 0.03125 0.25 3 0.125 7 all of MPI 0.03125 0.75 5 0.0625 9" \
    "$(printf '%s\n' "$out" | grep -A2 '^SECONDS OF A TASK' | sed 1d | xargs)"
contains "plan: block is best for a ring" "$status $(printf '%s' "$out" | grep '^outcome')" \
    "^0 outcome  *unchanged: app, 16 ranks, by the profile of 21 Nov 2026: Slurm's layout is already the best found ([0-9.]* hops per byte)"
# Slurm's own layout was cyclic: facts, as srun says them.
cat >facts <<FACTS
topomap-facts 1
program $work/app
ntasks 16
nodelist n[0-7]
tasks-per-node 2(x8)
baseline 0..7,0..7
topology
$(cat tree.conf)
end
FACTS
run "$topomap" plan --facts facts --work 50
contains "plan: a better one than cyclic" "$status $(printf '%s' "$out" | grep '^outcome')" \
    "^0 outcome  *placed: app, 16 ranks, by the profile of 21 Nov 2026: [0-9.]* hops per byte instead of [0-9.]*; MPI is 2% of this program's time: no placement saves more; --topomap=off undoes it$"
contains "plan: which ranks where" "$out" '^  n0: [0-9]'
sed -i.2% 's/"seconds": 0.5,/"seconds": 8,/' "$folder/current/profile.json"
run "$topomap" plan --facts facts --work 50
contains "plan: who computes longest is waited for" "$out" \
    ", the slowest link's time .*; MPI is 40% of this program's time, mostly waiting for rank 9, which is in MPI 5% of its time: no placement saves more; "
mv "$folder/current/profile.json.2%" "$folder/current/profile.json"
ranks=$(printf '%s\n' "$out" | sed -n 's/^  n[0-7]: //p' | tr ' ' '\n' |
    awk -F- '{ for (i = $1; i <= $NF; i++) print i }' | sort -nu | wc -l)
equal "plan: every rank once" 16 "$ranks"
run "$topomap" plan --facts facts --work 50 --json
whole=$out
run "$topomap" plan --facts facts --work 50 --json -o plan.json
equal "plan -o: the same, in the file" "0||" "$status|$out|$err"
equal "plan -o: all of it" "$(printf '%s\n' "$whole" | sed '/"milliseconds"/,/}/d')" "$(sed '/"milliseconds"/,/}/d' plan.json)"
run "$topomap" plan --facts facts --work 50 -o none/plan
refused "plan -o: no folder" 1 "topomap: cannot write none/plan: No such file or directory"
run "$topomap" plan --facts facts --work 50 -o /dev/full
refused "plan -o: a full disk" 1 "topomap: cannot write /dev/full: No space left on device"
run "$topomap" plan --facts - --work 50 --to=wire <facts
wire=$(printf '%s\n' "$out" | sed '/^milliseconds/d; /^end/d; s/; as planned on [^;]*//')
equal "plan: the wire" "$(cat "$golden/cli-plan-wire.txt")" "$wire"
contains "plan: the wire has its end" "$out" '^end [0-9a-f]\{16\}$'
for format in hostfile rankfile mpich; do
    run "$topomap" plan --facts facts --work 50 --to=$format
    golden "plan: $format" cli-plan-$format.txt
done
run "$topomap" plan --facts facts --work 50 --json
contains "plan --json" "$status $(printf '%s' "$out" | tr -d '\n')" '^0 {.*"outcome": "placed",.*"nodes": \[.*}$'
launch="--ntasks 16 --nodelist n[0-7] --tasks-per-node 2(x8)"
plan --program ./app --to=hostfile
contains "plan: a form of what is kept, with a note" "$status $err" \
    "^0 topomap: this is Slurm's own layout: "
equal "plan: that form is block" "n0 n0 n1 n1" "$(printf '%s\n' "$out" | head -4 | tr '\n' ' ' | sed 's/ $//')"
plan --program ./app --graph alltoall
contains "plan: no such graph" "$status $out" 'outcome  *not placed: .*alltoall'
plan --graph ring16.graph --work 1
contains "plan: a graph file needs no program" "$status $out" '^0'
plan --program ./app --name other
contains "plan: a name of the user's" "$out" 'outcome  *not placed: no profile named other'
PATH=$work:$PATH run "$topomap" plan --program app --ntasks 16 --nodelist 'n[0-7]' \
    --tasks-per-node 2 --config site.json --work 5
contains "plan: PATH; a node that the topology lacks" "$out" \
    'outcome  *not placed: node n0 is not in the topology (site.json)'
printf 'SwitchName=s Nodes=x[0-7]\n' >"$work/net.conf"
printf '{ "format": 1, "topology": { "type": "file", "path": "%s" } }\n' "$work/net.conf" >"$work/points.json"
contains "plan: the file that the site file points to is named" "$("$topomap" plan --graph ring:16 --ntasks 16 --nodelist 'n[0-7]' \
    --tasks-per-node 2 --config "$work/points.json")" "node n0 is not in the topology ($work/net.conf)"
contains "plan: the site's catalogue comes last" "$out" '^  *"*/nonexistent/shared$'
sed '/^topology$/,/^SwitchName=r/d' facts >flat.facts
run "$topomap" plan --facts flat.facts --work 50
contains "plan: without a topology, flat" "$out" 'outcome .*; the network is not described'
run env PATH="$work/bin:$PATH" "$topomap" plan --program ./app --ntasks 16 --nodelist 'n[0-7]' \
    --tasks-per-node 2 --work 5
contains "plan: without facts, Slurm is asked for its topology" "$out" \
    "^topology  *tree of 3 switches, 8 hosts (Slurm's topology)"
# Two types of call whose shares of the time differ from run to run: no law of
# the bytes, which are the same for each task at both sizes.
recorded_at() # NTASKS GRID SECONDS-OF-p2p SECONDS-OF-alltoall
{
    folder=$work/sizes/sc/named/$1/r20261121T000000Z-local
    mkdir -p "$folder"
    ln -s "${folder##*/}" "${folder%/*}/current"
    "$topomap" convert "grid:$2:periodic:weights=8/8" --ntasks "$1" --to metis -o "$folder/p2p.graph"
    "$topomap" convert "grid:$2:periodic:weights=32/8" --ntasks "$1" --to metis -o "$folder/alltoall.graph"
    cat >"$folder/profile.json" <<JSON
{ "format": 1, "program": "sc", "path": "/x/sc", "identity": "named", "ntasks": $1,
  "recorded": "2026-11-21T00:00:00Z", "seconds": 10, "user": "me", "mpi": "none", "types": [
  { "type": "p2p", "calls": 1, "bytes": 1, "seconds": $3, "paired_bytes": 1, "graph": "p2p.graph" },
  { "type": "alltoall", "calls": 1, "bytes": 1, "seconds": $4, "paired_bytes": 1, "graph": "alltoall.graph" } ] }
JSON
}
(umask 022 && recorded_at 16 4x4 90 10 && recorded_at 32 8x4 10 90)
run env TOPOMAP_CATALOGUE="$work/sizes" "$topomap" plan --name sc --ntasks 64 --nodelist 'n[0-7]' \
    --tasks-per-node 8 --topology tree:2,4 --work 5
contains "plan: types are predicted one by one, and weighed then" "$out" 'grid 8px8p by .*; bytes of each task are the same$'

# No layout is better for what all tasks do together: that is no failure.
together=$work/together/ar/named/8/r20261121T000000Z-local
mkdir -p "$together" && ln -s "${together##*/}" "${together%/*}/current" && chmod -R go-w "$work/together"
cat >"$together/profile.json" <<'JSON'
{ "format": 1, "program": "ar", "path": "/x/ar", "identity": "named", "ntasks": 8,
  "recorded": "2026-11-21T00:00:00Z", "seconds": 10, "user": "me", "mpi": "none", "types": [
  { "type": "allreduce", "calls": 1, "bytes": 1, "seconds": 1, "graph": null, "why": "over half" } ] }
JSON
run env TOPOMAP_CATALOGUE="$work/together" "$topomap" plan --name ar --ntasks 8 --nodelist 'n[0-3]' \
    --tasks-per-node 2 --topology tree:2,2
contains "plan: large collectives alone leave Slurm's layout" "$status $out" \
    'outcome  *unchanged: ar communicates only by collectives of most of its tasks (allreduce): no layout is better'
run env TOPOMAP_CATALOGUE="$work/together" "$topomap" plan --name ar --graph p2p --ntasks 8 --nodelist 'n[0-3]' \
    --tasks-per-node 2 --topology tree:2,2
contains "plan: a graph that it lacks is another matter" "$status $out" 'outcome  *not placed: '
run "$topomap" plan --graph grid:4xx4 --ntasks 16 --nodelist 'n[0-7]' --tasks-per-node 2 --topology tree:2,4
contains "plan: nothing between x and x" "$status $out$err" 'grid:4xx4: dimension 2 of the grid has no number'

echo garbage >bad.facts
run "$topomap" plan --facts bad.facts
contains "plan: bad facts are refused, with file and line" "$status $err" '^1 topomap: bad\.facts:1: '
run "$topomap" plan --facts bad.facts --to=wire
contains "plan: on the wire, they keep the layout" "$status $(printf '%s' "$out" | tr '\n' ' ')" \
    '^0 topomap-plan 2 outcome failed reason bad\.facts:1: '
echo '#!/bin/sh' >script
chmod 755 script
plan --program ./script
contains "plan: a script that starts nothing" "$out" 'outcome  *not placed: script uses no MPI'
chmod 777 "$folder/r20261121T000000Z-local/profile.json"
plan --program ./app
contains "plan: what all may write is not believed" "$status $out" \
    'outcome  *not placed: .*refused: everybody may write to it'
chmod 644 "$folder/r20261121T000000Z-local/profile.json"
echo '{' >"$folder/r20261121T000000Z-local/profile.json"
plan --program ./app
contains "plan: a broken profile" "$status $out" 'outcome  *not placed: .*profile\.json'
pairs="--graph pairs.edges --ntasks 8 --nodelist n[0-1] --tasks-per-node 4 --work 2"
# shellcheck disable=SC2086
run "$topomap" plan $pairs --topology flat:2 --node "package:2 core:2"
contains "plan --node: before and after" "$status $out" '^inside hop-bytes  *40.5 B  *21 B$'
contains "plan --node: slots of a node" "$out" '^  n0: 0 2 1 3$'
printf '{"format": 1, "node": "%s"}\n' "package:2 core:2" >node.json
# shellcheck disable=SC2086
run "$topomap" plan $pairs --topology flat:2 --config node.json --json
equal "plan: the site's node" '"avg_inside_hop_bytes": 21,"avg_inside_hop_bytes": 40.5,' \
    "$(printf '%s\n' "$out" | grep avg_inside | tr -d '\n' | sed 's/^ *//; s/,  */,/')"
echo '{"format": 1, "node": "what:3"}' >node.json
# shellcheck disable=SC2086
run "$topomap" plan $pairs --topology flat:2 --config node.json
refused "plan: a bad node in the site file" 1 \
    "topomap: node.json: node: \"what:3\" does not describe a node: levels such as package:2 l3:4 core:8 do, or hwloc's XML"
# shellcheck disable=SC2086
run "$topomap" plan $pairs --topology flat:2 --config node.json --to=wire
contains "plan: on the wire, it keeps the layout" "$status $(printf '%s' "$out" | tr '\n' ' ')" \
    '^0 topomap-plan 2 outcome failed reason node\.json: node: "what:3" does not'
echo '{"format": 1, "node": 3}' >node.json
# shellcheck disable=SC2086
run "$topomap" plan $pairs --topology flat:2 --config node.json
contains "plan: a node that is no text" "$status $err" '^1 topomap: node\.json:1: key node: expected a string'
try="try 'topomap plan --help'"
plan --program ./missing
contains "plan: a missing program" "$status $err" '^1 topomap: cannot read \./missing: '
cp ring16.graph ring16
run "$topomap" plan --facts facts --graph ./ring16 --work 50
contains "plan: a path is a graph file, whatever its end, as for srun" "$out" 'placed: 16 ranks, by \./ring16: '
run "$topomap" plan --program ./app --ntasks 15 --nodelist 'n[0-7]' --tasks-per-node 2
refused "plan: counts that do not add up" 1 \
    "topomap: --tasks-per-node 2: 16 tasks on 8 nodes, not 15"
run "$topomap" plan --program ./app
refused "plan: no tasks" 2 "topomap plan: --ntasks is missing; $try"
run "$topomap" plan --facts facts --ntasks 3
refused "plan: facts and options" 2 \
    "topomap plan: --facts says --ntasks, --nodelist, --tasks-per-node and --baseline already; $try"
run "$topomap" plan --facts facts --to=xml
refused "plan: a bad format" 2 \
    "topomap plan: --to: 'xml' is not text, json, csv, hostfile, rankfile, mpich or file; $try"

finish
