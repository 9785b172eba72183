#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# parallel.sh - plans that are made beforehand, also by topomap-mpi on the job's own
# nodes, and applied by srun --topomap=plan:FILE: to the step that they are for, and
# to no other
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
contains "and one line says so" "$(said)" "^topomap: placed: $work/far.plan: 8 ranks, by .*far.graph: [0-9.]* hops per byte"
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
refused "a changed one" 'the plan ends before its "end" line, or disagrees with its checksum' -N4 -n8
rm "$work/far.plan"
run srun -N4 -n8 --topomap="plan:$work/far.plan" sh -c "$print"
contains "one that is not there is named" "$err" "$work/far.plan: No such file"

# topomap-mpi: the best of the same searches on any number of processes. That is
# not the first one's here, and with it another process's.
awk 'BEGIN {
    srand(5)
    N = 64
    for (i = 0; i < N; i++)
        for (k = 0; k < 3; k++) {
            j = int(rand() * N)
            if (j != i && !((i, j) in e)) { w = 1 + int(rand() * 100); e[i, j] = w; e[j, i] = w }
        }
    for (ij in e) { split(ij, a, SUBSEP); n[a[1]] = n[a[1]] " " a[2] + 1 " " e[ij]; m++ }
    print N, m / 2, "001"
    for (i = 0; i < N; i++) print substr(n[i], 2)
}' >"$work/irregular.graph"
problem=(--graph "$work/irregular.graph" --ntasks 64 --nodelist 'n[0-15]' --tasks-per-node 4 --topology torus:4x4
    --work 70 --choose hop-bytes --threads 1)
mpi=${STAGE_TOPOMAP%/*}/topomap-mpi
same() { grep -v -e '^milliseconds' -e '^end ' "$1"; }
best=1 least=
for seed in 1 2 3 4 5 6; do
    hops=$("$topomap" plan "${problem[@]}" --no-cache --seed $seed --json | sed -n '0,/avg_hop_bytes/s/.*"avg_hop_bytes": \([0-9.]*\).*/\1/p')
    if [ -z "$least" ] || awk "BEGIN { exit !($hops < $least) }"; then best=$seed least=$hops; fi
done
if [ "$best" != 1 ]; then ok "the first seed is not the best"; else not_ok "the first seed is not the best"; fi
"$topomap" plan "${problem[@]}" --no-cache --seed "$best" --to file >"$work/best.plan"
"$mpi" "${problem[@]}" --searches 6 -o "$work/alone.plan" >"$work/out"
contains "alone: it is the best of six seeds" "$(cat "$work/out")" "6 of seeds 1 to 6 by 1 process, the best with seed $best\$"
equal "alone: and their plan" "$(same "$work/best.plan")" "$(same "$work/alone.plan")"

# ParMapper's configurations, divided: each search begins at others.
parmapper=("${problem[@]}" --mapper parmapper --work 6 --searches 16)
"$mpi" "${parmapper[@]}" -o "$work/parmapper.plan" >"$work/out"
contains "ParMapper: 16 searches" "$(cat "$work/out")" '^searches    16 of seeds 1 to 16 by 1 process'
equal "ParMapper: each begins at another configuration" 16 "$(for seed in {1..16}; do
    "$topomap" plan "${problem[@]}" --mapper parmapper --work 1 --seed $seed --json | sed -n 's/.*"candidate": //p'
done | sort -u | wc -l)"

"$mpi" --graph "$work/no.graph" --ntasks 64 --nodelist 'n[0-15]' --tasks-per-node 4 -o "$work/no/such" >"$work/out" 2>&1
equal "a plan that cannot be written is told of before anything else" \
    "1 topomap: cannot write $work/no/such: No such file or directory" "$? $(cat "$work/out")"

# divided MPI PMI PROCESSES...: on 1 to 4 nodes, and with more of them than searches.
divided()
{
    local n processes=("${@:3}")
    launches "$1" "$2" || { skip "topomap-mpi by $1" "$why_not"; return; }
    [ -e "${STAGE_TOPOMAP%/*/*}/libexec/topomap/exchange-$1.so" ] ||
        { skip "topomap-mpi by $1" "not built"; return; }
    for n in "${processes[@]}"; do
        rm -f "$work/$n.plan"
        run srun -N$((n < 4 ? n : 4)) -n$n --mpi="$2" "$mpi" "${problem[@]}" --searches 6 -o "$work/$n.plan"
        contains "$1, $n processes: they were" "$out" "6 of seeds 1 to 6 by $n process.*, the best with seed $best\$"
        equal "$1, $n processes: the same plan" "0 $(same "$work/alone.plan")" "$status $(same "$work/$n.plan")"
        rm -f "$work/$n.plan"
        run srun -N$((n < 4 ? n : 4)) -n$n --mpi="$2" "$mpi" "${parmapper[@]}" -o "$work/$n.plan"
        equal "$1, $n processes: ParMapper's plan, too" "0 $(same "$work/parmapper.plan")" "$status $(same "$work/$n.plan")"
    done
    run srun -N4 -n4 --mpi="$2" "$mpi" --graph "$work/far.graph" --ntasks 8 --nodelist 'n[0-3]' --tasks-per-node 2 \
        --topology "$work/etc/topology.conf" --time 1 -o "$work/far.plan"
    run srun -N4 -n8 --topomap="plan:$work/far.plan" sh -c "$print"
    equal "$1: its plan is applied" "$wanted" "$(ranks)"
}
divided mpich pmi2 1 2 3 4 8
divided openmpi pmix 3 8
run srun -N2 -n2 "$mpi" "${problem[@]}" --searches 6 -o "$work/none.plan"
contains "without an MPI it does not run" "$err" '^topomap: this step has 2 tasks, but no MPI has started them'
equal "with a status, one line, and no plan" "1 1 no" \
    "$status $(said | wc -l) $([ -e "$work/none.plan" ] && echo yes || echo no)"
# A process that sees another problem counts for nothing.
cat >"$work/mpi-differs" <<SCRIPT
#!/bin/sh
[ "\$SLURM_PROCID" = 1 ] && set -- "\$@" --topology torus:2x8
[ "\$SLURM_PROCID" = 2 ] && set -- "\$@" --graph /no/such.graph
exec $mpi "\$@"
SCRIPT
chmod +x "$work/mpi-differs"
if launches mpich pmi2; then
    run srun -N4 -n4 --mpi=pmi2 "$work/mpi-differs" "${problem[@]}" --searches 6
    contains "others' problems: they are told of" "$err" '2 of 4 processes could not search, or had another graph or network'
    contains "others' problems: the rest is searched" "$out" '^searches    3 of seeds 1 to 6 by 4 processes'
fi

# auto,parallel: a step on the job's nodes beside the search, then the program.
step() { squeue -s -h -o '%i %j' 2>/dev/null | grep -c ' topomap-mpi$'; }
searching() { pgrep -f "^$(readlink -f "$topomap")-mpi --found" | wc -l; }
# until N COMMAND: whether the command prints another number than N, or N, soon.
becomes()
{
    local n=$1
    shift
    for _ in {1..150}; do
        [ "$("$@")" = "$n" ] && return 0
        sleep 0.1
    done
    return 1
}
# kinds: the same in other steps than those of a plain job. What the search's own
# step answers is seen by what plan finds as srun.
kinds()
{
    local auto
    auto="--mpi=pmi2 --topomap=$work/irregular.graph,parallel,time=30"
    mkdir "$work/bin"
    cat >"$work/bin/srun" <<SCRIPT
#!/bin/sh
case " \$* " in
*"-mpi --found "*) ;;
*) exec $(command -v srun) "\$@" ;;
esac
$(command -v srun) "\$@" | tee -a $work/answer
SCRIPT
    chmod +x "$work/bin/srun"
    # helped NAME RUNS STEPS COMMAND...: 64 ranks run RUNS times, after STEPS answers.
    helped()
    {
        local name=$1 runs=$2 steps=$3
        shift 3
        : >"$work/answer"
        TOPOMAP_CATALOGUE=$work/plans.$tap_count PATH=$work/bin:$PATH run "$@" sh -c "$print"
        equal "$name: the program runs" "0 $((64 * runs))" "$status $(ranks | wc -l)"
        equal "$name: the step answers" "$steps" "$(grep -c '^seed ' "$work/answer")"
        equal "$name: the step is over" 0 "$(searching)"
    }
    # shellcheck disable=SC2086
    {
        helped "srun that allocates" 1 1 srun -N4 -n64 -O $auto
        # shellcheck disable=SC2016
        helped "the components of a het job" 2 2 salloc -Q -N2 -n2 : -N2 -n2 \
            sh -c 'srun --het-group=0 "$@" && srun --het-group=1 "$@"' sh -N2 -n64 -O $auto
        helped "one node" 1 0 srun -N1 -n64 -O $auto
        # Another step has all CPUs of the job.
        cat >"$work/beside" <<SCRIPT
#!/bin/sh
srun -N4 -n8 --exact --topomap=off sh -c 'touch $work/beside.there; sleep 600' &
while [ ! -e $work/beside.there ]; do sleep 0.1; done
srun "\$@"
status=\$?
scancel \$SLURM_JOB_ID.0
wait
exit \$status
SCRIPT
        chmod +x "$work/beside"
        helped "beside a step that has all CPUs" 1 1 \
            salloc -Q -N4 -n8 "$work/beside" --overlap -N4 -n64 -O $auto
    }
    for signal in INT TERM; do
        env --default-signal=INT srun -N4 -n64 -O --mpi=pmi2 --topomap="$work/irregular.graph,parallel,time=60,seed=8" \
            touch "$work/launched.$signal" >"$work/out" 2>"$work/err" </dev/null &
        srun=$!
        becomes 1 step || not_ok "srun that allocates, $signal: the step searches" "$(cat "$work/err")"
        kill "-$signal" $srun
        wait $srun 2>/dev/null
        if becomes 0 step && becomes 0 searching; then ok "srun that allocates, $signal: nothing of it is left"; else not_ok "srun that allocates, $signal: nothing of it is left" "$(squeue -s) $(searching)"; fi
        equal "srun that allocates, $signal: the program was not launched" no "$([ -e "$work/launched.$signal" ] && echo yes || echo no)"
    done
}
parallel_part()
{
    local job srun signal whole
    salloc -N4 --no-shell >"$work/out" 2>&1
    job=$(sed -n 's/.*Granted job allocation //p' "$work/out")
    whole=(--graph "$work/irregular.graph" --ntasks 64 --nodelist 'n[0-3]' --tasks-per-node 16
        --topology "$work/etc/topology.conf" --work 70 --choose hop-bytes --threads 1 --to file)
    "$mpi" "${whole[@]}" --searches 17 >"$work/17.plan"
    SLURM_MPI_TYPE=pmi2 "$topomap" plan "${whole[@]}" --no-cache --parallel "$job" >"$work/parallel.plan"
    equal "plan --parallel: the same as all searches by one process" "$(same "$work/17.plan")" "$(same "$work/parallel.plan")"
    # As srun asks, which bounds the memory of the plan, and not of the step.
    (SLURM_MPI_TYPE=pmi2 "$topomap" plan "${whole[@]}" --no-cache --parallel "$job" --to wire) >"$work/wire"
    equal "plan --parallel --to wire: the same" "$(grep '^hosts' "$work/17.plan")" "$(grep '^hosts' "$work/wire")"
    if launches openmpi pmix; then
        SLURM_MPI_TYPE=pmix "$topomap" plan "${whole[@]}" --no-cache --parallel "$job" --to wire >"$work/wire"
        equal "plan --parallel by Open MPI: the same" "$(grep '^hosts' "$work/17.plan")" "$(grep '^hosts' "$work/wire")"
    fi
    run srun --jobid="$job" -N4 -n64 -O --mpi=pmi2 --topomap="$work/irregular.graph,parallel,time=30,verbose" sh -c "$print"
    equal "auto,parallel: the program runs" "0 64" "$status $(ranks | wc -l)"
    contains "auto,parallel: its ranks are placed" "$(said)" 'placed: 64 ranks, by'
    contains "auto,parallel: and the line that repeats it has it" "$(said)" "plan .*--parallel '*$job"
    equal "auto,parallel: its step is over" 0 "$(searching)"
    run srun --jobid="$job" -N4 -n8 -O --mpi=pmi2 --topomap="$work/far.graph,parallel,time=30,verbose" true
    contains "a few ranks: no step, and a line" "$(said)" 'parallel: not worth a step below 3 s or 64 ranks'
    for signal in INT TERM KILL; do
        # What runs in the background of a script ignores Ctrl-C.
        env --default-signal=INT srun --jobid="$job" -N4 -n64 -O --mpi=pmi2 --topomap="$work/irregular.graph,parallel,time=60,seed=7" \
            touch "$work/launched.$signal" >"$work/out" 2>"$work/err" </dev/null &
        srun=$!
        if becomes 1 step; then ok "$signal: the step searches"; else not_ok "$signal: the step searches" "$(cat "$work/err")"; fi
        kill "-$signal" $srun
        wait $srun 2>/dev/null
        if becomes 0 step && becomes 0 searching; then ok "$signal to srun: nothing of it is left"; else not_ok "$signal to srun: nothing of it is left" "$(squeue -s) $(searching)"; fi
        equal "$signal: the program was not launched" no "$([ -e "$work/launched.$signal" ] && echo yes || echo no)"
    done
    scancel "$job"
    kinds
}
if launches mpich pmi2 && [ -e "${STAGE_TOPOMAP%/*/*}/libexec/topomap/exchange-mpich.so" ]; then
    parallel_part
else
    skip "auto,parallel" "$why_not"
fi
no_job_left "no job is left"
finish
