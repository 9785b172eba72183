#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rpcs.sh - what slurmctld is asked of by a launch that is mapped, beside what
# any launch asks.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 4
printf '8 4 001\n5 9\n6 9\n7 9\n8 9\n1 9\n2 9\n3 9\n4 9\n' >"$work/far.graph"
launches=5

# What slurmctld was asked since the last sdiag -r, "TYPE COUNT"; not what daemons
# say by themselves, in their own time, nor sdiag's own.
counts()
{
    sdiag | sed -n '/by message type/,/by user/s/^[[:space:]]*\([A-Z_]*\)[[:space:]]*([ 0-9]*) count:\([0-9]*\) .*/\1 \2/p' |
        grep -vE '^(MESSAGE_NODE_REGISTRATION_STATUS|MESSAGE_EPILOG_COMPLETE|REQUEST_PING|REQUEST_STATS_INFO) ' |
        LC_ALL=C sort
}

# asked OPTION...: the same of several launches, when nothing has come for a while.
# No squeue, which asks, too.
asked()
{
    local before
    sdiag -r >/dev/null
    for ((i = 0; i < launches; i++)); do
        run srun -N4 -n8 "$@" true
        [ "$status" = 0 ] || echo "srun ended with $status: $err"
    done
    for _ in {1..60}; do
        before=$(counts)
        sleep 0.5
        [ "$before" != "$(counts)" ] || break
    done
    counts
}
plain=$(asked)
contains "a launch asks for an allocation" "$plain" "^REQUEST_RESOURCE_ALLOCATION $launches$"
# Slurm's network, once (from 25.05 on the partition that has it, too), and not
# again before that is old (networks.sh); where the site file says the network,
# never.
mapped=$(asked --topomap="$work/far.graph")
equal "of the first mapped launches one asks for Slurm's network" \
    "$(printf '%s\nREQUEST_TOPO_INFO 1\n' "$plain" | LC_ALL=C sort)" \
    "$(printf '%s\n' "$mapped" | grep -v '^REQUEST_PARTITION_INFO ')"
sdiag | sed -n 's/^[[:space:]]*\(REQUEST_TOPO_INFO\) .* ave_time:\([0-9]*\) .*/# \1 takes slurmctld \2 us/p'
equal "later ones ask for nothing that srun would not ask" "$plain" "$(asked --topomap="$work/far.graph")"
run srun -N3 -n8 -O -w 'n[1-3]' --topomap="$work/far.graph,verbose" true
contains "nor do launches on other nodes; verbose says what was told, and when" "$(said)" \
    "network: tree of 3 switches, 4 hosts (Slurm's topology as of [0-9]* \(s\|min\) ago)"
touch -d '11 minutes ago' "$TOPOMAP_CATALOGUE/.cache/network-"*
contains "after ten minutes one asks anew" "$(asked --topomap="$work/far.graph")" '^REQUEST_TOPO_INFO 1$'
echo '{"format": 1, "topology_kept_s": 0}' >"$work/site.json"
plugstack "config=$work/site.json"
contains "with topology_kept_s 0 each does" "$(asked --topomap="$work/far.graph")" "^REQUEST_TOPO_INFO $launches\$"
echo '{"format": 1, "topology": {"type": "torus", "dims": [4], "hosts": "n[0-3]"}}' >"$work/site.json"
plugstack "config=$work/site.json"
equal "with the network in the site file a mapped launch asks for nothing more" \
    "$plain" "$(asked --topomap="$work/far.graph")"
run srun -N4 -n8 --topomap="$work/far.graph" true
contains "and is mapped" "$(said)" 'hops per byte'
finish
