#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# site.sh - the samples of topomap-site(7), job_submit.lua, cli_filter.lua, TaskProlog
# and EpilogSlurmctld (sacctmgr is a script: no slurmdbd here), in a Slurm that uses
# them; its networks; and what Slurm does when the plugin is gone.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
samples=$srcdir/../etc/samples
manual=$srcdir/../tools/topomap-site.7

# Its networks, as they stand there.
sed -n '/^links$/,/^\.Ed/p' "$manual" | sed '$d' >"$work/slingshot"
contains "Slingshot: three groups, ten hosts" "$("$topomap" topology show "$work/slingshot" 2>&1)" '^network of 21 links, 7 switches, 10 hosts'
contains "Slingshot: a route from group to group" \
    "$("$topomap" topology distance nid000001 nid000010 "$work/slingshot" 2>&1 | xargs)" '^4 .*x1000c0r1 - x1001c0r1'
sed -n '/"type": "torus"/p' "$manual" | sed 's/^/{ "format": 1,/' >"$work/torus.json"
contains "a torus: every host has its place" \
    "$("$topomap" topology check --config "$work/torus.json" --nodelist 'n[00-31]' 2>&1)" '^32 of 32 nodes'

lua=$(dirname "$(find /usr/lib /usr/lib64 /usr/local/lib -name job_submit_lua.so 2>/dev/null | head -n 1)")
[ -e "$lua/cli_filter_lua.so" ] || { skip "the samples" "this Slurm has no Lua" && finish && exit; }
mkdir -p "$work/etc"
cp "$samples"/*.lua "$work/etc/"
install -m 755 "$samples/TaskProlog" "$work/etc/TaskProlog"
mkdir "$work/bin"
mkdir -m 1733 "$work/steps"
ln -s "$topomap" "$work/bin/topomap"
printf '#!/bin/sh\necho "$*" >>%s\n' "$work/sacctmgr.log" >"$work/bin/sacctmgr"
sed "s|/shared/topomap/log|$work/steps|; s|^PATH=.*|PATH=$work/bin:\$PATH|" "$samples/EpilogSlurmctld" >"$work/etc/EpilogSlurmctld"
chmod 755 "$work/etc/EpilogSlurmctld" "$work/bin/sacctmgr"
cluster_start --nodes 4 --conf JobSubmitPlugins=lua --conf CliFilterPlugins=lua --conf "TaskProlog=$work/etc/TaskProlog" \
    --conf "EpilogSlurmctld=$work/etc/EpilogSlurmctld"
plugstack # the folder was there before the cluster

# batch NODES: what a batch script of NODES nodes finds.
batch()
{
    # shellcheck disable=SC2016
    printf '#!/bin/sh\n#SBATCH -N%s -o %s\necho "${TOPOMAP-none}"\nscontrol show job "$SLURM_JOB_ID" | grep -o "Switches=[^ ]*"\n' \
        "$1" "$work/batch.out" >"$work/batch"
    sbatch --wait "$work/batch" >"$work/out" 2>&1
    xargs <"$work/batch.out"
}
equal "job_submit.lua: a batch job of two nodes is placed, and waits for one switch" \
    "auto,unit=node,pin=0 Switches=1@00:05:00" "$(batch 2)"
equal "job_submit.lua: who says TOPOMAP is not overruled" "off Switches=1@00:05:00" "$(TOPOMAP=off batch 2)"
equal "job_submit.lua: one node is left alone" "none" "$(batch 1)"

run env TOPOMAP=profile srun -N2 -n2 true
contains "cli_filter.lua: --mpi is missing" "$err" 'is --mpi= missing'
run env TOPOMAP=profile srun --mpi=pmi2 -N2 -n2 true
equal "cli_filter.lua: it is not" "" "$(printf '%s\n' "$err" | grep 'is --mpi= missing')"

# The light neighbours are near: ranks of a node move away together.
for i in {0..3}; do echo "$i $((i + 4)) 1000"; done >"$work/far.edges"
# shellcheck disable=SC2016
run srun -N4 -n8 --topomap="$work/far.edges,pin=0@n3" sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME $MASTER_ADDR $NODE_RANK"'
equal "TaskProlog: each task has the node of rank 0" "n3" "$(printf '%s\n' "$out" | awk '{print $3}' | sort -u)"
equal "TaskProlog: which is the first" "0 n3 n3 0" "$(printf '%s\n' "$out" | grep '^0 ')"

# What came of a job's steps, when it has ended.
plugstack log="$work/steps"
# shellcheck disable=SC2016
run salloc -Q -N4 -n8 sh -c "echo \$SLURM_JOB_ID; srun --topomap='$work/far.edges' true; srun --topomap=auto,name=none true; srun --topomap='$work/far.edges' true"
job=$(head -n 1 <<<"$out")
for _ in {1..1800}; do [ ! -e "$work/sacctmgr.log" ] || break; sleep 0.1; done
equal "EpilogSlurmctld: outcomes as the administrator's comment" \
    "-i modify job where JobID=$job set AdminComment=topomap: 1 no-profile, 2 placed" "$(cat "$work/sacctmgr.log" 2>&1)"
plugstack

# A site removes the plugin.
echo "include $work/none/*.conf" >"$work/etc/plugstack.conf"
run srun -N2 -n2 echo ran
equal "an include that matches nothing: a job runs, without a word" "ran ran " "$(printf '%s\n%s' "$out" "$err" | tr '\n' ' ')"
echo "optional $work/none/topomap.so" >"$work/etc/plugstack.conf"
run srun -N2 -n2 echo ran
equal "an optional plugin that is not there: a job runs" "0 ran ran" "$status $(printf '%s\n' "$out" | xargs)"
finish
