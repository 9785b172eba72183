#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# steps.sh - every kind of step that Slurm can start: in which the ranks move,
# in which they stay, and what is said; the table of spank-topomap(8).
# shellcheck source=tests/system/cluster.sh
. "${srcdir:-$(dirname "$0")/..}/system/cluster.sh"
stepmgr=()
[ "$(printf '%s\n' 24.11 "$(slurmd -V | cut -d' ' -f2)" | sort -V | head -n 1)" != 24.11 ] ||
    stepmgr=(--conf SlurmctldParameters=enable_stepmgr --conf PrologFlags=contain)
cluster_start --nodes 8 "${stepmgr[@]}"
cd "$work" || exit 99

# Where only two nodes of several take two tasks, two pairs is the best.
# halves N: task i talks with i + N/2 alone, so that any good layout has the two
# on one node, and Slurm's own, with consecutive ones together, has none.
halves() { awk -v n="$1" 'BEGIN {for (i = 0; i < n / 2; i++) print i, i + n / 2, 1000}' >"$work/$1.graph"; }
for n in 4 6 8 10 14 16; do halves "$n"; done

cat >where <<'SCRIPT'
#!/bin/sh
[ -z "$1" ] || sleep "$1"
echo "${PMI_RANK:-$SLURM_PROCID} $SLURMD_NODENAME"
SCRIPT
chmod 755 where

# places: `moved` when all pairs of the ranks in $out are together, `slurm` when
# no pair is, else how many are.
places()
{
    printf '%s\n' "$out" | awk '
    /^[0-9]+ n[0-9]+$/ {node[$1] = $2; n++}
    END {
        for (i = 0; i < n / 2; i++)
            together += node[i] != "" && node[i] == node[i + n / 2]
        print n == 0 ? "nothing" : together == n / 2 ? "moved" : together == 0 ? "slurm" : together " pairs"
    }'
}
# row NAME RANKS PLACES COMMAND...: it ends with 0 and its tasks are so.
row()
{
    local name=$1 ranks=$2 expected=$3
    shift 3
    run "$@"
    equal "$name: $expected" "0 $ranks $expected" \
        "$status $(printf '%s\n' "$out" | grep -cE '^[0-9]+ n[0-9]+$') $(places)"
}
quiet() { equal "$1: not a word" "" "$(said)"; }
told() { contains "$1: a line says so" "$(said)" "$2"; }
# soon COMMAND...: until it is true; for minutes at most.
soon()
{
    for _ in {1..900}; do
        "$@" && return
        sleep 0.2
    done
}
waits_for_its_time() { squeue -h -j "$1" -o '%T %r' 2>/dev/null | grep -q 'PENDING BeginTime' || [ -e ran.again ]; }
later_than() { [ "$(date +%s)" -gt "$1" ]; }
is_idle() { sinfo -h -n "$1" -o %T | grep -qx idle; }
# script LINE...: ./script, of those lines.
script()
{
    { echo '#!/bin/sh' && printf '%s\n' "$@"; } >"$work/script"
    chmod 755 "$work/script"
}
there="--mpi=none --topomap=$work/16.graph"
small="--mpi=none --topomap=$work/8.graph"

# shellcheck disable=SC2086
{
    row "srun that allocates" 16 moved srun -N8 -n16 $there ./where
    row "the same again, off" 16 slurm srun -N8 -n16 --mpi=none --topomap=off ./where
    row "srun in salloc" 16 moved salloc -Q -N8 -n16 srun $there ./where
    script "srun $there ./where"
    row "srun in sbatch" 16 moved sh -c "sbatch -Q --wait -o batch -N8 -n16 script && cat batch"
    script "srun $small ./where"
    row "each job of an array" 8 moved \
        sh -c "sbatch -Q --wait -o batch.%a -a 0-1 -N4 -n8 script && cat batch.0"
    row "the other one of it" 8 moved cat batch.1
    script "srun -N4 -n8 -w n[0-3] --exact $small ./where 1 >one 2>&1 & srun -N4 -n8 -w n[4-7] --exact $small ./where 1 >two 2>&1; wait"
    row "two steps side by side" 8 moved salloc -Q -N8 -n16 sh -c './script; cat one'
    row "the second of them" 8 moved cat two
    row "a step over another (--overlap)" 16 moved salloc -Q -N8 -n16 sh -c \
        "srun --mpi=none -N8 -n8 --overlap sleep 3 & srun --overlap $there ./where; wait"
    row "an srun inside a step" 16 moved salloc -Q -N8 -n16 srun --mpi=none -n1 --overlap \
        env -u SLURM_NTASKS srun -N8 -n16 --overlap $there ./where
    echo "0-15 $work/where" >multi
    row "--multi-prog" 16 moved srun -N8 -n16 $there --multi-prog multi
    row "--bcast" 16 moved srun -N8 -n16 --bcast="$work/copy" $there ./where
    row "--export=NONE" 16 moved srun -N8 -n16 --export=NONE $there "$work/where"
    TOPOMAP=$work/16.graph row "TOPOMAP with --export=NONE" 16 moved \
        srun -N8 -n16 --mpi=none --export=NONE "$work/where"
    row "--no-kill" 16 moved srun -N8 -n16 -k $there ./where
    row "--exclusive" 16 moved srun -N8 -n16 --exclusive $there ./where
    row "fewer tasks than slots" 10 "2 pairs" srun -N8 -n10 --mpi=none --topomap="$work/10.graph" ./where
    row "fewer tasks than nodes" 4 slurm srun -N8 -n4 --mpi=none --topomap="$work/4.graph" ./where
    row "counts that differ" 6 "2 pairs" salloc -Q -N4 -n6 -w 'n[0-3]' srun --mpi=none \
        --topomap="$work/6.graph" ./where
    row "a job that gave nodes back" 8 moved salloc -Q -N8 -n16 sh -c \
        "scontrol update JobId=\$SLURM_JOB_ID NodeList=n[0-3] >/dev/null && . ./slurm_job_\${SLURM_JOB_ID}_resize.sh && srun -N4 -n8 $small ./where"
    rm -f slurm_job_*_resize.*
    # What runs anew by itself waits for two minutes, unless an option forbids it.
    script "srun $there ./where >ran\${SLURM_RESTART_COUNT:+.again} 2>&1" \
        '[ -z "$SLURM_RESTART_COUNT" ] || exit 0' 'scontrol requeue $SLURM_JOB_ID' 'sleep 600'
    job=$(sbatch --parsable --requeue -o batch -N8 -n16 script)
    soon waits_for_its_time "$job"
    # slurmd takes a job's new credential only in a later second than that in
    # which it revoked the last one; that is over when the job is pending.
    revoked=$(date +%s)
    soon later_than "$revoked"
    scontrol update JobId="$job" StartTime=now
    no_job_left "a job that was requeued: it ends"
    row "before it was requeued" 16 moved cat ran
    row "when it runs again" 16 moved cat ran.again
    script "scontrol update NodeName=n7 State=DOWN Reason=test" \
        'until squeue -h -j $SLURM_JOB_ID -o %D | grep -qx 7; do sleep 0.2; done' \
        "exec srun --mpi=none -N7 -n14 --topomap=$work/14.graph ./where"
    row "what a failed node leaves of a job with --no-kill" 14 moved \
        salloc -Q -k -N8 -n16 ./script
    scontrol update NodeName=n7 State=RESUME
    soon is_idle n7
    row "a component of a het job by itself" 8 moved salloc -Q -N4 -n8 : -N4 -n8 \
        srun --het-group=1 $small ./where

    row "a step of several components" 16 slurm srun -N4 -n8 $small ./where : -N4 -n8 $small ./where
    told "a step of several components" 'topomap: not placed: the step is heterogeneous'
    run srun -N1 -n2 --mpi=none --topomap="$work/4.graph" ./where
    quiet "one node, where nothing can move"
    script "echo \$SLURM_PROCID \$SLURMD_NODENAME"
    TOPOMAP=$work/16.graph row "the batch script itself" 1 slurm sh -c \
        'sbatch -Q --wait -o batch -N8 -n16 script && cat batch'
    quiet "the batch script itself"
    TOPOMAP=$work/16.graph row "an interactive step" 1 slurm salloc -Q -N8 -n16 srun --interactive ./where
    quiet "an interactive step"
    if command -v mpiexec.mpich >/dev/null; then
        TOPOMAP=$work/16.graph row "mpiexec in salloc" 16 slurm salloc -Q -N8 -n16 mpiexec.mpich -n 16 ./where
        told "mpiexec in salloc" 'srun starts the daemons of mpirun'
    else
        skip "mpiexec in salloc" "no mpiexec.mpich"
    fi
    # Not among the words of --help.
    if srun --external-launcher --help >/dev/null 2>&1; then
        row "--external-launcher" 8 slurm srun -N8 -n8 --mpi=none --topomap="$work/8.graph" --external-launcher ./where
        told "--external-launcher" 'daemons of mpirun'
    else
        skip "--external-launcher" "this Slurm has none"
    fi
    if [ -n "${stepmgr[*]}" ]; then
        row "--stepmgr" 16 moved salloc -Q -N8 -n16 --stepmgr srun $there ./where
        row "srun --stepmgr" 16 moved srun -N8 -n16 --stepmgr $there ./where
    else
        skip "--stepmgr" "this Slurm has none"
    fi
    if srun --help | grep -q -e --async; then
        row "--async" 16 slurm salloc -Q -N8 -n16 sh -c "srun --async -o async.%t $there ./where &&
            until [ \$(cat async.* 2>/dev/null | wc -l) = 16 ]; do sleep 0.2; done; cat async.*"
        told "--async" 'async'
    else
        skip "--async" "this Slurm has none"
    fi
    for i in 0 1 2 3 4 5 6 7; do printf 'n%s\nn%s\n' $i $i; done >hostfile
    SLURM_HOSTFILE=$work/hostfile row "ranks laid out by hand" 16 moved \
        srun -n16 -m arbitrary $there ./where
    SLURM_HOSTFILE=$work/hostfile TOPOMAP=$work/16.graph row "the same, and TOPOMAP" 16 slurm \
        srun -n16 -m arbitrary --mpi=none ./where
    told "the same, and TOPOMAP" 'topomap: unchanged: -m arbitrary decides'
}
no_job_left "at the end"
finish
