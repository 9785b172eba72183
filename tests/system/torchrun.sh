#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# torchrun.sh - nodes numbered as placed: Slurm's variables under env=nodes, the
# launchers of training frameworks, and topomap torchrun; with --extended also
# PyTorch's own. Nodes n0 to n11, whose names sort in another order.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 12 --leaf 4
compile halo mpich halo.c || skip_all "the program does not compile here"
unset "${!PET_@}"
cd "$work" || exit 1

# Ranks 0 and 2 belong together, and so do 1 and 3; n1 and n2 are on one leaf.
printf 'tasks 4\n0 2 1000\n1 3 1000\n' >far.edges
nodes=(-N4 -n4 -w 'n[1-2,10-11]')
far=--topomap=$work/far.edges
# shellcheck disable=SC2016
show='echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_NODEID $SLURM_STEP_NODELIST $SLURM_JOB_NODELIST $SLURM_NODELIST"'
shown() { sort -n <<<"$out" | cut -d' ' -f2- | paste -sd' '; }

run srun "${nodes[@]}" "$far,env=nodes" sh -c "$show"
list='n[1,10,2,11]'
equal "env=nodes: numbers and lists are as placed" \
    "n1 0 $list $list $list n10 1 $list $list $list n2 2 $list $list $list n11 3 $list $list $list" "$(shown)"
# shellcheck disable=SC2016
run srun "${nodes[@]}" "$far,env=nodes" sh -c 'test "$SLURM_PROCID" -gt 0 || srun --overlap -N4 -n4 sh -c "echo \$SLURM_PROCID \$SLURMD_NODENAME \$SLURM_NODEID \$SLURM_STEP_NODELIST"'
list='n[1-2,10-11]'
equal "env=nodes: a step inside is Slurm's own" "n1 0 $list n2 1 $list n10 2 $list n11 3 $list" "$(shown)"
run srun "${nodes[@]}" "$far" sh -c "$show"
equal "without it Slurm's variables stay" "0 $list $list $list" \
    "$(sed -n 's/^[0-9]* n1 //p' <<<"$out")"
# A step on some of the job's nodes.
run salloc "${nodes[@]}" -N4 srun -N2 -n2 -w 'n[1,10]' --topomap=ring:2,env=nodes sh -c "$show"
equal "env=nodes on a part of the job: its list stays" "0 $status" \
    "$(grep -c ' n\[1,10\],n\[' <<<"$out") 0"
run srun "${nodes[@]}" "$far,env=nodes,unit=2" true
contains "env=nodes is not for single ranks" "$err" 'env=nodes moves whole nodes, and unit=2 does not'
run srun "${nodes[@]}" "$far,env=all" true
contains "env wants a word" "$err" 'env wants nodes or off'
unset MPIR_CVAR_NOLOCAL
run srun -N4 -n8 -w 'n[1-2,10-11]' --mpi=pmi2 --topomap=grid:2x2x2:weights=64/1/64,env=nodes "$work/halo" --where
equal "MPI under env=nodes" 0 "$status"
groups_agree "MPI under env=nodes" "$out"

# Groups of a model: nodes of five racks, of which 14, 12, 10, 16 and 12 are the
# job's; groups of eight, of which six can be whole, are the oracle's 1+1+1+2+1.
for i in 0 1 2 3 4; do echo "BlockName=b$i Nodes=r[$((18 * i))-$((18 * i + 17))]"; done >racks.conf
echo 'BlockSizes=18' >>racks.conf
groups() # PATTERN
{
    "$topomap" plan --graph "$1" --ntasks 64 --tasks-per-node 1 --topology racks.conf --time 2 --json \
        --nodelist 'r[0-13],r[18-29],r[36-45],r[54-69],r[72-83]' --no-cache | sed -n 's/^ *"reason": "\(.*\)",$/\1/p'
}
contains "expert groups inside a switch" "$(groups llm:tp=4,pp=2,dp=32,ep=8)" \
    '; 6 of 8 expert groups inside one switch (4 before, 6 at most); '
contains "segments that break groups up" "$(SLURM_JOB_SEGMENT_SIZE=12 groups llm:tp=4,pp=2,dp=32,ep=8)" \
    '6 at most); segments of 12 nodes do not divide into groups of 8; '
equal "segments of whole groups, and of halves" "0 0" \
    "$(for n in 16 4; do SLURM_JOB_SEGMENT_SIZE=$n groups llm:tp=4,pp=2,dp=32,ep=8 | grep -c segments; done | xargs)"
# The search begins where as many as can be are whole: racks are taken in another
# order, in which groups end where they do. 8 + 8 of 3, 8, 5, 8, 5 and 3 nodes.
few() # PLAN'S OPTIONS
{
    "$topomap" plan --graph llm:tp=8,pp=2,dp=16,ep=8 --topology few.conf --nodelist 'r[0-31]' --no-cache \
        --work 4 --json "$@" | sed -n 's/^ *"reason": ".* less; \(.*\); --topomap=off.*/\1/p'
}
printf 'SwitchName=%s Nodes=%s\n' s0 'r[0-2]' s1 'r[3-10]' s2 'r[11-15]' s3 'r[16-23]' s4 'r[24-28]' s5 'r[29-31]' >few.conf
echo 'SwitchName=top Switches=s[0-5]' >>few.conf
most='2 of 4 expert groups inside one switch (1 before, 2 at most)'
equal "groups are packed, one task a node" "$most" "$(few --ntasks 32 --tasks-per-node 1 --unit node --pin 0)"
equal "eight tasks a node" "$most" "$(few --ntasks 256 --tasks-per-node 8 --unit node)"
equal "single ranks, and blocks of four" "$most $most" \
    "$(few --ntasks 256 --tasks-per-node 8) $(few --ntasks 256 --tasks-per-node 8 --unit 4)"
equal "uneven nodes go without" "" "$(few --ntasks 48 --tasks-per-node '2(x16),1(x16)' --unit node)"
equal "none can be whole: nothing is said" "" "$(groups llm:tp=4,dp=64,ep=32 | grep -o 'groups.*')"
equal "all are whole: nothing is said" "" "$(groups llm:tp=8,pp=32 | grep -o 'groups.*')"
run srun "${nodes[@]}" --topomap=llm:dp=4,ep=2 true
equal "a launch: all are whole" "" "$(said | grep -o 'groups.*')"

# Nodes that Slurm's topology lacks are survived, on a tree and on blocks.
lacks() # SLURM'S LINES
{
    printf '%s\n' 'topomap-facts 1' 'program /bin/true' 'ntasks 8' 'nodelist r[0-3,20-21,90-91]' \
        'tasks-per-node 1(x8)' 'baseline 0..7' topology "$1" end >facts
    "$topomap" plan --facts facts --graph ring:2:stride=4 --no-cache --time 20 --json | sed -n 's/^ *"reason": "\(.*\)",$/\1/p'
}
for lines in "$(cat racks.conf)" "SwitchName=s0 Nodes=r[0-7]
SwitchName=s1 Nodes=r[8-23]
SwitchName=top Switches=s[0-1]"; do
    contains "nodes in no ${lines%%Name*}" "$(lacks "$lines")" \
        "^8 ranks, by .*; Slurm's topology lacks 2 of the nodes, which count as far from all others; "
done

# Launchers: a stand-in that tells what it is given.
mkdir bin
ln -s "$topomap" bin/topomap
cat >bin/torchrun <<'END'
#!/bin/sh
echo "$SLURM_PROCID $SLURMD_NODENAME $SLURM_NODEID $*"
END
chmod +x bin/torchrun
PATH=$work/bin:$PATH
given=(--nproc-per-node 2 --rdzv-backend=c10d --rdzv-endpoint n1:29777 train.py --nnodes x)
run srun "${nodes[@]}" "$far" torchrun "${given[@]}"
equal "c10d: ranks stay, and the line says why" "n1 n2 n10 n11" \
    "$(sort -n <<<"$out" | cut -d' ' -f2 | paste -sd' ')"
contains "c10d: and what to type" "$(said)" \
    '^topomap: not placed: the rendezvous of torchrun sorts nodes by their names.*type topomap torchrun'
run srun "${nodes[@]}" "$far" bash -c 'exec torchrun --rdzv_backend c10d train.py'
contains "c10d behind bash -c" "$(said)" 'not placed: the rendezvous of torchrun'
run srun "${nodes[@]}" "$far,strict" torchrun "${given[@]}"
if [ "$status" != 0 ]; then ok "c10d: strict ends"; else not_ok "c10d: strict ends" "$err"; fi
run srun "${nodes[@]}" "$far" ray start --head
contains "ray" "$(said)" 'not placed: ray orders its workers itself'
run srun "${nodes[@]}" "$far" torchrun --node-rank 7 train.py
equal "static: node ids are those of the placement" "n1 0 n10 1 n2 2 n11 3" \
    "$(sort -n <<<"$out" | cut -d' ' -f2,3 | paste -sd' ')"
contains "static: the line says by what" "$(said)" 'topomap: placed: .*torchrun numbers the nodes by the node rank given to it'
run srun "${nodes[@]}" "$far,env=off" torchrun --node-rank 7 train.py
equal "env=off leaves them" "0 1" "$(sort -n <<<"$out" | sed -n 's/^[0-9]* n[12] \([0-9]\) .*/\1/p' | sort | paste -sd' ')"
"$topomap" plan --graph ./far.edges --ntasks 4 --nodelist 'n[1-2,10-11]' --tasks-per-node 1 \
    --topology "$work/etc/topology.conf" --to file -o made.plan -- torchrun t.py 2>/dev/null
# With the number that n10 has under it.
for row in ':1' ',env=off:2'; do
    run srun "${nodes[@]}" --topomap="plan:$work/made.plan${row%:*}" torchrun --node-rank 7 train.py
    equal "a plan made before${row%:*}" "n1 0 n10 ${row#*:}" \
        "$(sort -n <<<"$out" | head -2 | cut -d' ' -f2,3 | paste -sd' ')"
done
run srun -N4 -n8 -w 'n[1-2,10-11]' "$far" torchrun --node-rank 7 train.py
contains "two tasks a node are no launchers" "$(said)" 'far.edges'

run srun "${nodes[@]}" "$far" topomap torchrun "${given[@]}"
equal "topomap torchrun: static, node ranks as placed, the rest as given" \
    "0 n1 0 --nnodes=4 --node_rank=0 --rdzv_backend=static --master_addr=n1 --master_port=29777 --nproc_per_node 2 train.py --nnodes x
2 n2 2 --nnodes=4 --node_rank=2 --rdzv_backend=static --master_addr=n1 --master_port=29777 --nproc_per_node 2 train.py --nnodes x" \
    "$(grep ' n[12] ' <<<"$out" | sort -n)"
run srun "${nodes[@]}" "$far" topomap torchrun --nnodes=1:8 -r3 -m mod --x
equal "topomap torchrun: a range, a port of the step's own" "0 1" \
    "$status $(grep -cE '^0 n1 0 --nnodes=4 --node_rank=0 --rdzv_backend=static --master_addr=n1 --master_port=2[0-9]{4} -r3 -m mod --x$' <<<"$out")"
equal "topomap torchrun: one line on the range" 1 "$(grep -c 'nnodes 1:8 becomes 4' <<<"$err")"
run srun "${nodes[@]}" "$far" topomap torchrun --nnodes 3 t.py
contains "topomap torchrun: another number of nodes" "$err" \
    'topomap torchrun: --nnodes 3: this step has 4 nodes'
run srun -N4 -n8 -w 'n[1-2,10-11]' --topomap=ring:8 topomap torchrun t.py
contains "topomap torchrun: several tasks a node" "$err" 'this step has 8 tasks on 4 nodes'
run srun "${nodes[@]}" topomap torchrun "${given[@]}"
equal "topomap torchrun without a plan: as given" "4" "$(grep -cF -- "${given[*]}" <<<"$out")"
run srun "${nodes[@]}" "$far" topomap torchrun --standalone t.py
equal "topomap torchrun --standalone: as given" "4" "$(grep -c -- ' --standalone t.py$' <<<"$out")"

# PyTorch itself, on nodes that have names of their own.
rm bin/torchrun
if [ "${TOPOMAP_CHECK_EXTENDED-}" != yes ]; then
    skip "PyTorch's own torchrun" "only by contrib/check --extended"
elif ! /usr/bin/python3 -c 'import torch' 2>/dev/null || ! unshare -m -u true 2>/dev/null; then
    skip "PyTorch's own torchrun" "no PyTorch, or no namespaces"
else
    cat >worker.py <<'END'
import os, socket, sys
import torch, torch.distributed as dist
dist.init_process_group("gloo")
restarts, rank = os.environ["TORCHELASTIC_RESTART_COUNT"], dist.get_rank()
if os.environ.get("FAILS") and restarts == "0" and rank == 1:
    sys.exit(3)
sum = torch.tensor([float(rank)])
dist.all_reduce(sum)
print("worker", rank, socket.gethostname(), int(sum.item()), restarts, flush=True)
END
    cat >node.sh <<END
#!/bin/sh
exec unshare -m -u sh -c 'hostname "\$SLURMD_NODENAME"; mount --bind $work/hosts /etc/hosts; exec "\$@"' sh "\$@"
END
    chmod +x node.sh
    { echo "127.0.0.1 localhost $(hostname)"; for i in {0..11}; do echo "127.0.1.$((i + 1)) n$i"; done; } >hosts
    # Debian's 1.13 takes no other redirections with Python 3.11.
    torch=(--nproc_per_node 1 -r 2 -t 2 --log_dir "$work" --rdzv_backend=c10d --rdzv_endpoint "n1:$((20000 + RANDOM % 9000))")
    export OMP_NUM_THREADS=1 GLOO_SOCKET_IFNAME=lo
    workers() { grep '^worker' <<<"$out" | sort -k2n | cut -d' ' -f3- | paste -sd' '; }
    run srun "${nodes[@]}" "$far" ./node.sh torchrun --nnodes 4 "${torch[@]}" worker.py
    equal "PyTorch: c10d sorts the names" "n1 6 0 n10 6 0 n11 6 0 n2 6 0" "$(workers)"
    run srun "${nodes[@]}" "$far" ./node.sh topomap torchrun --nnodes 4 "${torch[@]}" worker.py
    equal "PyTorch: topomap torchrun has ranks as placed" "n1 6 0 n10 6 0 n2 6 0 n11 6 0" "$(workers)"
    FAILS=yes run srun "${nodes[@]}" "$far" ./node.sh topomap torchrun --nnodes 4 --max-restarts 2 "${torch[@]}" worker.py
    equal "PyTorch: and restarts" "n1 6 1 n10 6 1 n2 6 1 n11 6 1" "$(workers)"
    seq 0 7 | awk 'BEGIN { print "tasks 8" } $1 < 4 { print $1, $1 + 4, 1000 }' >far8.edges
    run srun -N8 -n8 -w 'n[1-2,5-6,8-11]' --topomap="$work/far8.edges" ./node.sh topomap torchrun --nnodes 8 "${torch[@]}" worker.py
    planned=$("$topomap" plan --graph ./far8.edges --ntasks 8 --nodelist 'n[1-2,5-6,8-11]' --tasks-per-node 1 \
        --topology "$work/etc/topology.conf" --unit node --pin 0 --to=hostfile | paste -sd' ')
    equal "PyTorch: eight nodes, ranks as planned" "$planned" \
        "$(grep '^worker' <<<"$out" | sort -k2n | cut -d' ' -f3 | paste -sd' ')"
fi
finish
