#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# cgroup.sh - steps that real cgroups confine to their cores (task/cgroup, with and
# without task/affinity): tasks are bound inside them, and Slurm's variables say so.
# binding.sh shows the same on machines that are only believed in.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cpusets=/sys/fs/cgroup/cpuset
nodes=2
# Slurm calls its own by the nodes' names, which are those of any private Slurm.
leftovers() { find $cpusets/slurm_n[0-9]* -depth -type d -exec rmdir {} + 2>/dev/null; }
[ "$(nproc)" -ge 2 ] || skip_all "a node needs two CPUs here"
mkdir "$cpusets/topomap-test" 2>/dev/null && rmdir "$cpusets/topomap-test" ||
    skip_all "no cpusets of cgroup v1 here that can be made"
[ ! -e "$cpusets/slurm_n0" ] || skip_all "another Slurm here has the cgroups of n0"
cgroup_end()
{
    cluster_end
    leftovers
}
trap 'cgroup_end' EXIT
trap 'cgroup_end; exit 130' INT TERM HUP

for n in 2 4; do
    awk -v n=$n 'BEGIN { for (i = 0; i < n / 2; i++) print i, i + n / 2, 1000 }' >"$work/$n.graph"
done
# What the kernel lets a task use, where its cgroup ends, and what Slurm says.
cat >"$work/where" <<'SCRIPT'
#!/bin/sh
mask=$(sed -n 's/^Cpus_allowed:[[:space:]]*\(.*,\)\{0,1\}0*//p' /proc/self/status)
group=$(sed -n 's/.*:cpuset:\/slurm_\([^/]*\)\/.*\/step_.*/\1/p' /proc/self/cgroup)
echo "$SLURM_PROCID $SLURMD_NODENAME $mask ${group:--} ${SLURM_CPU_BIND:--}"
SCRIPT
chmod +x "$work/where"

# one PLUGINS: a Slurm with these.
one()
{
    cluster_start --nodes $nodes --leaf 1 --conf "TaskPlugin=$1" --cgroup-conf CgroupPlugin=cgroup/v1 \
        --cgroup-conf CgroupMountpoint=/sys/fs/cgroup --cgroup-conf ConstrainCores=yes
    run srun -N2 -n4 --topomap="$work/4.graph" "$work/where"
    equal "$1: each task has a CPU of its node, those that talk the same node's" \
        "0 0 n0 1 n0 quiet,mask_cpu:0x1,0x2
0 1 n1 1 n1 quiet,mask_cpu:0x1,0x2
0 2 n0 2 n0 quiet,mask_cpu:0x1,0x2
0 3 n1 2 n1 quiet,mask_cpu:0x1,0x2" "$(printf '%s\n' "$out" | sort -n | sed "s/^/$status /")"
    # Half a node: the cgroup is all that a task can have.
    run salloc -Q -N2 -n2 --ntasks-per-node=1 srun --topomap="$work/2.graph" "$work/where"
    equal "$1: a part of a node: one CPU" "0 1 1" \
        "$status $(printf '%s\n' "$out" | sort -n | cut -d' ' -f3 | xargs)"
    run srun -N2 -n4 --cpu-bind=none --topomap="$work/4.graph" "$work/where"
    equal "$1: --cpu-bind=none: all that the cgroup has" "0 3 3 3 3" \
        "$status $(printf '%s\n' "$out" | sort -n | cut -d' ' -f3 | xargs)"
    no_job_left "$1: no job is left"
    "$private_slurm" stop "$work" >/dev/null
    equal "$1: no cgroup of a step is left" "" "$(find $cpusets -path '*/slurm_n*' -name 'step_*' 2>/dev/null)"
}
one task/cgroup
one task/affinity,task/cgroup
finish
