#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# topologies.sh - launches on the topologies that the installed Slurm has beside trees:
# blocks (23.11), rings (26.05), one a partition (25.05); and what topomap calls Slurm's
# own layout is what srun does there.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cd "$work" || exit 1

release=$(slurmctld -V)
release=${release##* }
since() { [ "$(printf '%s\n' "$1" "$release" | sort -V | head -n 1)" = "$1" ]; }
echo "# Slurm $release"
since 23.11 || skip_all "Slurm $release has trees alone"

# Ranks 0 and 5, 1 and 4, 2 and 7, 3 and 6 talk: far from each other in the order of the
# nodes, and in that of a topology whose second unit has the odd ones.
printf '8 4 001\n6 9\n5 9\n8 9\n7 9\n2 9\n1 9\n4 9\n3 9\n' >far.graph
# No order is better than another where all talk to all: a plan keeps Slurm's own.
alike() { awk -v n="$1" 'BEGIN {print n, n * (n - 1) / 2, "001"; for (i = 1; i <= n; i++) {s = ""; for (j = 1; j <= n; j++) if (j != i) s = s j " 1 "; print s}}'; }
alike 8 >alike8.graph
alike 11 >alike11.graph
alike 4 >alike4.graph

# shellcheck disable=SC2016 # expanded by the tasks
tasks=(sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"')
nodes() { printf '%s\n' "$out" | sort -n | awk '{print $2}' | paste -sd' '; }
# laid OPTION...: the node of each rank, of an srun.
laid() {
    run srun --mpi=none "$@" "${tasks[@]}"
    [ "$status" = 0 ] || echo "$err"
    nodes
}
# plan RANKS NODES COUNTS GRAPH [OPTION]...: the same of a plan, outside of srun.
plan() { "$topomap" plan --ntasks "$1" --nodelist "$2" --tasks-per-node "$3" --graph "$work/$4.graph" --time 30 --to=hostfile "${@:5}" 2>"$work/plan.err" | paste -sd' '; }
# near KIND NODES: how many of the pairs are in one unit, or neighbours on the ring.
near() {
    echo "$2" | awk -v kind="$1" '{
        for (r = 1; r <= 8; r++) {n[r - 1] = substr($r, 2); at[r - 1] = n[r - 1] % 2 * 4 + int(n[r - 1] / 2)}
        split("0 1 2 3", a, " "); split("5 4 7 6", b, " ")
        for (i = 1; i <= 4; i++) {
            d = (at[a[i]] - at[b[i]] + 8) % 8
            found += kind == "ring" ? d == 1 || d == 7 : n[a[i]] % 2 == n[b[i]] % 2
        }
        print found + 0
    }'
}

# launch KIND [OPTION]...: of srun and topomap plan both.
launch() {
    local kind=$1 name="$*" own
    shift
    own=$(laid "$@" -N8 -n8)
    equal "$name: plan knows Slurm's own layout" "$own" "$(plan 8 'n[0-7]' 1 alike8 "$@")"
    equal "$name: -m block is the same" "$own" "$(laid "$@" -N8 -n8 -m block)"
    equal "$name: unplaced, no pair is near" 0 "$(near "$kind" "$own")"
    run srun --mpi=none "$@" -N8 -n8 --topomap="$work/far.graph,strict,verbose,time=30" "${tasks[@]}"
    echo "# $name: $(said | grep 'placed: ')"
    equal "$name: a launch ends with 0" 0 "$status"
    contains "$name: it is placed" "$(said)" 'topomap: placed: .* ranks, by'
    equal "$name: every pair is near" 4 "$(near "$kind" "$(nodes)")"
    equal "$name: as topomap plan says" "$(plan 8 'n[0-7]' 1 far "$@")" "$(nodes)"
    equal "$name: plan has the same figures" \
        "$(said | sed -n 's/.*hops per byte \([0-9.]*\) -> \([0-9.]*\);.*/\1 \2/p')" \
        "$("$topomap" plan --ntasks 8 --nodelist 'n[0-7]' --tasks-per-node 1 --graph "$work/far.graph" --time 30 "$@" 2>&1 |
            awk '/hops per byte/ {print $4, $5; exit}')"
    # shellcheck disable=SC2016 # expanded in the job
    run salloc -Q "$@" -N8 -n8 sh -c '"$0" plan --ntasks 8 --nodelist "$SLURM_JOB_NODELIST" --tasks-per-node 1 --graph "$1" --time 30 --to=hostfile' \
        "$topomap" "$work/alike8.graph"
    equal "$name: nor inside an allocation does it need to be told" "$own" "$(echo "$out" | paste -sd' ')"
    own=$(laid "$@" -N8 -n11)
    equal "$name: nor where counts differ" "$own" \
        "$(plan 11 'n[0-7]' "$(echo "$own" | tr ' ' '\n' | awk '{n[$1]++} END {for (i = 0; i < 8; i++) printf "%s%d", i ? "," : "", n["n" i]}')" alike11 "$@")"
    # Blocks and rings give no such parts.
    [ "$kind" = tree ] || return 0
    equal "$name: nor of a part of the nodes" "$(laid "$@" -N4 -n4 -w 'n[1,3,4,6]')" "$(plan 4 'n[1,3,4,6]' 1 alike4 "$@")"
}

# arbitrary KIND [OPTION]...: a list of nodes, which is how ranks are placed without topomap.
arbitrary() {
    local kind=$1 name="$*, -m arbitrary"
    shift
    printf 'n%d\n' 7 6 5 4 3 2 1 0 >hostfile
    SLURM_HOSTFILE=$work/hostfile run srun --mpi=none "$@" -n8 -m arbitrary "${tasks[@]}"
    if since 26.05 && [ "$kind" != tree ]; then
        echo "# $name: $err"
        equal "$name: Slurm refuses it" "1 " "$status $out"
        contains "$name: and says so" "$err" 'Requested operation not supported on this system'
    else
        equal "$name: Slurm does it" "0 n7 n6 n5 n4 n3 n2 n1 n0" "$status $(nodes)"
    fi
}

# reconfigure: what stands in the files now; slurmds begin anew, and are waited for.
reconfigure() {
    local before
    started() { cat "$work"/log/slurmd.n*.log | grep -c 'slurmd started on'; }
    before=$(started)
    scontrol reconfigure
    for _ in {1..200}; do
        [ "$(started)" -lt $((before + 8)) ] || break
        sleep 0.3
    done
}

# stray KIND: a node that Slurm's topology loses while a job has it.
stray() {
    local name="$1, a node in none" job
    rm -rf "$catalogue/.cache"
    salloc -Q -N8 -n8 --no-shell
    job=$(squeue -h -o %A)
    sed -i 's/,7]/]/; s/BlockSizes=.*/BlockSizes=2/' etc/topology.conf
    reconfigure
    equal "$name: it is not there" "" "$(scontrol show topology | grep -E 'Name=[bs]1 .*7]')"
    run srun --jobid="$job" --mpi=none -N8 -n8 --topomap="$work/far.graph,strict,time=30" "${tasks[@]}"
    echo "# $name: $(said)"
    equal "$name: all ranks run" "0 n0 n1 n2 n3 n4 n5 n6 n7" "$status $(nodes | tr ' ' '\n' | sort | paste -sd' ')"
    contains "$name: and are placed" "$(said)" 'topomap: placed: .* ranks, by'
    scancel "$job"
}

# Of the next cluster nothing is known.
on() { rm -rf "$catalogue/.cache" && cluster_start --nodes 8 --scatter --topology "$@"; }
off() { "$private_slurm" stop "$work" >/dev/null 2>&1; }

on block
launch block
arbitrary block
if since 24.05; then
    own=$(laid --segment=2 -N8 -n8)
    equal "block --segment: plan knows Slurm's own layout" "$own" "$(plan 8 'n[0-7]' 1 alike8)"
    run srun --segment=2 --mpi=none -N8 -n8 --topomap="$work/far.graph,strict,time=30" "${tasks[@]}"
    contains "block --segment: a launch is placed" "$status $(said)" '^0 .*topomap: placed: .* ranks, by'
    equal "block --segment: every pair is near" 4 "$(near block "$(nodes)")"
else
    skip "block --segment" "Slurm $release has no --segment"
fi
if since 24.05; then
    stray block
else
    skip "block, a node in none" "Slurm $release has blocks of one size alone"
fi
off

on tree
launch tree
arbitrary tree
if since 26.05; then
    own=$(laid -N8 -n8)
    equal "Slurm fills nodes in the order of its topology" "n0 n2 n4 n6 n1 n3 n5 n7" "$own"
    sed -i '/^SelectTypeParameters=/s/$/,CR_NO_DIST_TOPO_BLOCK/' etc/slurm.conf
    reconfigure
    equal "CR_NO_DIST_TOPO_BLOCK: in that of their numbers" "n0 n1 n2 n3 n4 n5 n6 n7" "$(laid -N8 -n8)"
    equal "CR_NO_DIST_TOPO_BLOCK: plan knows that" "n0 n1 n2 n3 n4 n5 n6 n7" "$(plan 8 'n[0-7]' 1 alike8)"
fi
stray tree
off

if since 26.05; then
    on ring
    launch ring
    arbitrary ring
    off
else
    skip "ring" "Slurm $release has no topology/ring"
fi

second=block
since 26.05 && second=ring
if since 25.05; then
    on tree,$second
    launch tree --partition=all
    launch $second --partition=second
    arbitrary $second --partition=second
    off
else
    skip "two topologies" "Slurm $release has one for all partitions"
fi
finish
