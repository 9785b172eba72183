#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# networks.sh - when topomap plan asks srun for the network that slurmctld knows,
# and when the answer of before does; this script is srun. Needs no Slurm.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP XDG_DATA_HOME TOPOMAP_PLAN_SUMMARY SLURM_JOB_NODELIST
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-networks.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
cd "$work" || exit 1
umask 022
mkdir home
export HOME=$work/home TOPOMAP_CATALOGUE=$work/cat
unset SLURM_CLUSTER_NAME
export SLURM_WORKING_CLUSTER=one:10.0.0.1:6817:9728:109 SLURM_JOB_PARTITION=batch
printf '8 4 001\n5 9\n6 9\n7 9\n8 9\n1 9\n2 9\n3 9\n4 9\n' >far.graph
echo '{"format": 1}' >site.json
echo '{"format": 1, "topology_kept_s": 0}' >always.json
echo '{"format": 1, "topology": {"type": "torus", "dims": [8], "hosts": "n[0-7]"}}' >torus.json
two() { printf 'topology\nSwitchName=a Nodes=n[0-1]\nSwitchName=b Nodes=n[2-%d]\nSwitchName=r Switches=a,b\nend\n' "$1"; }
two 3 >answer

# launch NODES [WORD]...: asked (no, or how often) and text, the plan.
launch() {
    local line in out pid nodes=$1
    shift
    asked=no text=
    coproc PLANNER {
        exec "$topomap" plan --facts - --to=wire --step 7.0 --graph far.graph --work 3 --config site.json "$@" 2>err
    }
    pid=$PLANNER_PID
    exec {in}>&"${PLANNER[1]}" {out}<&"${PLANNER[0]}"
    printf 'topomap-facts 1\nprogram /bin/true\nntasks 8\nnodelist %s\ntasks-per-node 2(x4)\nbaseline 0*2,1*2,2*2,3*2\ntopology on request\nend\n' \
        "$nodes" >&"$in"
    while read -r line <&"$out"; do
        if [ "$line" = "topomap-facts topology" ]; then
            asked=$((${asked/no/0} + 1))
            cat answer >&"$in"
        else
            text+=$line$'\n'
        fi
        [ "${line% *}" != end ] || break
    done
    exec {in}>&- {out}<&-
    wait "$pid"
}
network() { printf '%s' "$text" | sed -n 's/^network //p'; }
# expect NAME ASKED [PATTERN-OF-NETWORK], of what was launched last.
expect() {
    equal "$1" "$2" "$asked"
    [ -z "${3-}" ] || contains "$1: the plan says so" "$(network)" "$3"
}
kept() { find cat/.cache -type f -name 'network-*'; }

launch 'n[0-3]'
expect "nothing was told before: srun is asked" 1 '^tree of 3 switches, 4 hosts (Slurm.s topology)$'
contains "and the ranks are placed" "$text" '^outcome placed$'
equal "what it tells is kept, for the user alone" 600 "$(stat -c %a "$(kept)")"
launch 'n[0-3]'
expect "then it is not asked again" no "^tree of 3 switches, 4 hosts (Slurm's topology as of [0-9]* s ago)$"
equal "nor for others of these nodes" "no no" "$(launch 'n[3,2,1,0]' && echo "$asked") $(launch 'n[0,2,1,3]' && echo "$asked")"
launch 'n[0-3]' --no-cache
expect "nor where no plan is used again" no
two 4 >answer
launch 'n[1-4]'
expect "a node that was not there: it is" 1 '5 hosts'
launch 'n[1-4]'
expect "once" no '5 hosts'
touch -d '11 minutes ago' "$(kept)"
launch 'n[0-3]'
expect "what is older than ten minutes is told anew" 1
launch 'n[0-3]'
expect "and young again" no
touch -d '9 minutes ago' "$(kept)"
launch 'n[0-3]'
expect "nine are none" no 'as of 9 min ago'
touch -d '5 minutes' "$(kept)"
launch 'n[0-3]'
expect "a server whose clock is before this one's has told it now" no
touch -d '2 hours' "$(kept)"
launch 'n[0-3]'
expect "or not at all" 1
SLURM_JOB_PARTITION=debug launch 'n[0-3]'
expect "another partition may have another network" 1
SLURM_WORKING_CLUSTER=one:10.0.0.2:6817:9728:109 launch 'n[0-3]'
expect "another cluster of that name has" 1
equal "each in a file" 3 "$(kept | wc -l)"
equal "it may be named without its host, as by Slurm 24.11: asked once" "1 no" \
    "$(unset SLURM_WORKING_CLUSTER && export SLURM_CLUSTER_NAME=new && launch 'n[0-3]' && first=$asked && launch 'n[0-3]' && echo "$first $asked")"
equal "and is another one than who has a host" 4 "$(kept | wc -l)"
for unknown in SLURM_WORKING_CLUSTER SLURM_JOB_PARTITION; do
    equal "without $unknown it cannot be told which one it is" "1 1" \
        "$(unset $unknown && launch 'n[0-3]' && first=$asked && launch 'n[0-3]' && echo "$first $asked")"
done
equal "and nothing is kept of it" 4 "$(kept | wc -l)"
launch 'n[0-3]' --config always.json
expect "topology_kept_s 0: it is always asked" 1 '(Slurm.s topology)$'
launch 'n[0-3]' --config torus.json
expect "it is never asked where the site file says the network" no '(torus.json)$'
echo '{"format": 1, "topology_kept_s": -1}' >bad.json
launch 'n[0-3]' --config bad.json
contains "a bad number is named" "$text" '^reason .*topology_kept_s: expected seconds from 0 to 86400$'

echo end >answer
launch 'n[0-3]'
expect "slurmctld that does not answer is not missed" no
kept | xargs touch -d '3 hours ago'
launch 'n[0-3]'
expect "what is old is better than nothing" 1 "as of 180 min ago: slurmctld does not answer)$"
launch 'n[0-3]'
expect "and is not young for that" 1
launch 'n[4-7]'
expect "but not for other nodes" 1 'the network is not described'
rm -r cat/.cache
launch 'n[0-3]'
expect "nothing at all: the nodes are alike" 1 'the network is not described'
contains "which is a plan" "$text" '^end '
equal "and nothing to be kept" "" "$(find cat/.cache -type f -name 'network-*' 2>/dev/null)"
printf 'topology\nend\n' >answer
launch 'n[0-3]'
expect "a Slurm that has none is asked" 1
launch 'n[0-3]'
expect "once" no
printf 'topology\nSwitchName=\nend\n' >answer
rm -r cat/.cache
launch 'n[0-3]'
contains "what cannot be read is named" "$text" '^reason Slurm.s topology:1: '
equal "and not kept" "" "$(find cat/.cache -type f -name 'network-*' 2>/dev/null)"
printf 'weather\nend\n' >answer
launch 'n[0-3]'
contains "nor is an answer that is none" "$text" '^reason srun.s answer:1: "end" expected$'

# Nothing is believed that others may have written, or that is not whole.
two 3 >answer
launch 'n[0-3]'
file=$(kept)
for what in 'chmod 666' 'truncate -s -1' 'sed -i s/n\[2-3]/n\[3-2]/' 'sed -i 1s/1/2/' 'truncate -s 0' 'truncate -s 5M'; do
    $what "$file"
    launch 'n[0-3]'
    expect "$what: srun is asked" 1
    launch 'n[0-3]'
    expect "$what: it is mended" no
done
if [ "$(id -u)" = 0 ]; then
    chown 65534 "$file"
    launch 'n[0-3]'
    expect "a file of somebody else's is not believed" 1
fi
cp "$(kept)" elsewhere && rm "$(kept)" && ln -s "$work/elsewhere" "$file"
launch 'n[0-3]'
expect "nor one through a symlink" 1
equal "which is replaced by a file" "no 600" "$([ ! -L "$file" ] && echo no) $(stat -c %a "$file")"
chmod 777 cat/.cache
launch 'n[0-3]'
expect "nor a folder that all may write to" 1
chmod 700 cat/.cache
for ((i = 0; i < 20; i++)); do
    SLURM_WORKING_CLUSTER=many:$i launch 'n[0-3]'
done
equal "16 networks are kept" 16 "$(kept | wc -l)"
left=$(kept | head -n 1).new-1-0
touch cat/.cache/network-mine "$left"
touch -d "1 hour ago" "$left"
SLURM_WORKING_CLUSTER=many:99 launch 'n[0-3]'
equal "and what a writer has left goes" "no" "$([ -e "$left" ] || echo no)"
if [ -e /dev/full ] && [ "$(id -u)" = 0 ] && command -v runuser >/dev/null && chmod 755 "$work" &&
    runuser -u nobody -- test -x "$topomap" 2>/dev/null; then
    chown -R nobody cat home && chmod 500 cat
    rm -r cat/.cache
    launch_as() { topomap=$work/as launch "$@"; }
    printf '#!/bin/sh\nexec runuser -u nobody -- "%s" "$@"\n' "$topomap" >as && chmod 755 as && chmod 777 .
    launch_as 'n[0-3]'
    contains "a catalogue that cannot be written to is no reason to fail" "$asked $text" '^1 topomap-plan'
else
    skip "a catalogue that cannot be written to" "needs root and runuser"
fi

# Slurm's own layout, where srun is not there to say it: from 26.05 on by its topology.
mkdir bin
cat >bin/scontrol <<'SCRIPT'
#!/bin/sh
case $* in
--version) echo "slurm-wlm $(cat release)" ;;
'show config') cat config ;;
'-a -o show partition') echo 'PartitionName=batch AllowGroups=ALL Topology=mine' ;;
'show topology mine') cat lines ;;
*) exit 1 ;;
esac
SCRIPT
chmod +x bin/scontrol
printf '4 6 001\n2 1 3 1 4 1\n1 1 3 1 4 1\n1 1 2 1 4 1\n1 1 2 1 3 1\n' >alike.graph
printf '4 2 001\n3 9\n4 9\n1 9\n2 9\n' >pairs.graph
echo 26.05.5 >release
printf 'Configuration data as of now\nSelectTypeParameters    = CR_CORE\nSLURM_VERSION           = 26.05.5\n' >config
own() { # FORM [GRAPH [WORD]...]
    PATH=$work/bin:$PATH "$topomap" plan --ntasks 4 --nodelist 'n[0-3]' --tasks-per-node 1 --work 3 \
        --config site.json --graph "${2:-alike}.graph" --to "$1" "${@:3}" 2>err | paste -sd' '
}
printf 'SwitchName=a Level=0 LinkSpeed=1 Nodes=n[1,3]\nSwitchName=b Level=0 LinkSpeed=1 Nodes=n[0,2]\nSwitchName=r Level=1 LinkSpeed=1 Nodes=n[0-3] Switches=a,b\n' >lines
equal "26.05 fills leaf after leaf" "n1 n3 n0 n2" "$(own hostfile)"
equal "MPICH_RANK_ORDER is of these ranks" "0,1,2,3" "$(own mpich)"
equal "--baseline says it otherwise" "n0 n1 n2 n3" "$(own hostfile alike --baseline 0..3)"
equal "rank 0 goes where MASTER_ADDR is taken from" n0 "$(own hostfile pairs --env nodes | cut -d' ' -f1)"
sed -i 's/CR_CORE/&,CR_NO_DIST_TOPO_BLOCK/' config
equal "unless CR_NO_DIST_TOPO_BLOCK stands there" "n0 n1 n2 n3" "$(own hostfile)"
sed -i 's/,CR_NO.*//' config
printf 'SwitchName=a Level=0 LinkSpeed=1 Nodes=n1\nSwitchName=b Level=0 LinkSpeed=1 Nodes=n[0,2]\nSwitchName=r Level=1 LinkSpeed=1 Nodes=n[0-2] Switches=a,b\n' >lines
echo '{"format": 1, "topology": {"type": "torus", "dims": [4], "hosts": "n[0-3]"}}' >ring.json
equal "a node on no switch comes first, on the site file's network, too" "n3 n1 n0 n2" \
    "$(own hostfile alike --config ring.json)"
printf 'BlockName=a BlockIndex=0 Nodes=n1 BlockSize=1\nBlockName=b BlockIndex=1 Nodes=n[0,2-3] BlockSize=1\nAggregatedBlock=a,b BlockIndex=2 Nodes=n[0-3] BlockSize=2\n' >lines
equal "it fills block after block" "n1 n0 n2 n3" "$(own hostfile)"
printf 'RingName=r Nodes=n[2,0,9,3,1] RingSize=5\n' >lines
equal "and a part of a ring from its beginning" "n3 n1 n2 n0" "$(own hostfile)"
echo 25.11.2 >release
equal "before 26.05 it follows the list" "n0 n1 n2 n3" "$(own hostfile)"
echo 26.05.5 >release
rm config
equal "so does a plan that cannot ask" "n0 n1 n2 n3" "$(own hostfile)"
contains "which it says" "$(cat err)" "Slurm's own layout is taken to follow the list: Command .*scontrol.*show.*config"
finish
