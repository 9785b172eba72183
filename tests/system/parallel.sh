#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# parallel.sh - plans that are made beforehand, and applied by
# srun --topomap=plan:FILE: to the step that they are for, and to no other
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 4

# ranks: `rank node` of the last run, whose tasks print that.
ranks() { printf '%s\n' "$out" | sort -n; }
# shellcheck disable=SC2016
print='echo $SLURM_PROCID $SLURMD_NODENAME'
plan() { "$topomap" plan --nodelist 'n[0-3]' --tasks-per-node '2(x4)' --ntasks 8 \
    --topology "$work/etc/topology.conf" --work 40 "$@"; }

# Tasks that are far apart talk most: Slurm's layout is wrong for them.
cat >"$work/far.graph" <<'GRAPH'
8 4 001
5 1000
6 1000
7 1000
8 1000
1 1000
2 1000
3 1000
4 1000
GRAPH
plan --graph "$work/far.graph" --to file >"$work/far.plan"
wanted=$(plan --graph "$work/far.graph" --to hostfile | awk '{print NR - 1, $1}')
run srun -N4 -n8 sh -c "$print"
if [ "$(ranks)" != "$wanted" ]; then ok "the plan is not Slurm's own layout"; else not_ok "the plan is not Slurm's own layout" "$out"; fi
run srun -N4 -n8 --topomap="plan:$work/far.plan" sh -c "$print"
equal "plan:FILE: the ranks are where it says" "0 $wanted" "$status $(ranks)"
contains "and one line says so" "$(said)" "^topomap: $work/far.plan: 8 ranks placed by .*far.graph: a byte crosses"
(cd "$work" && run srun -N4 -n8 --topomap=plan:far.plan,verbose sh -c "$print" && ranks >ranks.out)
equal "by a relative path, too" "$wanted" "$(cat "$work/ranks.out")"

# refused NAME LINE SRUN-ARGUMENT...: the job runs as without topomap.
refused()
{
    local name=$1 line=$2 own
    shift 2
    run srun "$@" sh -c "$print"
    own="$status $(ranks)"
    run srun "$@" --topomap="plan:$work/far.plan" sh -c "$print"
    equal "$name: the job runs as without topomap" "$own" "$status $(ranks)"
    contains "$name: one line says why" "$(said)" "$line"
}
refused "other nodes" 'is a plan for the nodes n\[0-3\], and this step has n\[0-2\]' -w 'n[0-2]' -n8 -O
refused "other counts" 'is a plan for other numbers of tasks on the nodes of this step' -N4 -n8 -O -m plane=3
refused "another number" 'is a plan for 8 tasks, and this step has 4' -N4 -n4
run srun -N4 -n4 --topomap="plan:$work/far.plan,strict" true
if [ "$status" != 0 ]; then ok "with strict it does not run"; else not_ok "with strict it does not run" "$err"; fi
sed -i 's/^hosts ./hosts 1/' "$work/far.plan"
refused "a changed one" 'the plan and its checksum disagree' -N4 -n8
rm "$work/far.plan"
run srun -N4 -n8 --topomap="plan:$work/far.plan" sh -c "$print"
contains "one that is not there is named" "$err" "$work/far.plan: No such file"
no_job_left "no job is left"
finish
