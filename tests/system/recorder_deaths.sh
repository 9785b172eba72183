#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder_deaths.sh - srun --topomap=profile of programs that never come to
# MPI_Finalize: after every kind of end all that they have counted is filed.
# contrib/check --extended also waits for a time limit, which is a minute.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

# record HOW [OPTION]...: deaths HOW, 4 nodes, 8 tasks.
record()
{
    local how=$1
    shift
    rm -rf "$catalogue"
    run srun -N4 -n8 "--mpi=$type" "$@" --topomap=profile "$work/deaths.$mpi" "$how"
}

# content: bytes and messages of what is current, and how many tasks it is of.
content()
{
    local current
    current=$(echo "$catalogue"/*/*/8/current)
    cat "$current/messages" "$current/p2p.graph" "$current/collectives" 2>&1
}

# kept NAME: all of it is filed, one line says so, and nothing else is left.
ways=0
survived=0
kept()
{
    ways=$((ways + 1))
    [ "$expected" != "$(content)" ] || survived=$((survived + 1))
    equal "$mpi, $1: what was counted is filed, as after MPI_Finalize" "$expected" "$(content)"
    contains "$mpi, $1: a line says how many tasks, and until when" "$(said)" \
        'recorded: 8 of 8 tasks of deaths\.[a-z]* until 20.*, without MPI_Finalize; filed in '
    equal "$mpi, $1: no spool is left" "" "$(find "$catalogue"/.spool-* -mindepth 1 2>/dev/null)"
}

# partial NAME WHY: what was kept last is, it counts while there is no other, and
# history says what became of the run.
partial()
{
    contains "$mpi, $1: it is partial" "$(said)" "the profile is partial ($2): it is used only while there is no complete one"
    equal "$mpi, $1: list says so" 1 "$("$topomap" profile list | grep -c 'deaths.*  (partial)$')"
    contains "$mpi, $1: show says why" "$("$topomap" profile show "deaths.$mpi")" "^partial  *$2\$"
    contains "$mpi, $1: history" "$("$topomap" history | tail -n 1)" ' recorded .*the profile is partial\|recorded .*without MPI_Finalize'
}

# complete_stays HOW: a failed run takes no complete one's place.
complete_stays()
{
    rm -rf "$catalogue"
    run srun -N4 -n8 "--mpi=$type" --topomap=profile "$work/deaths.$mpi"
    local before after
    before=$(readlink "$catalogue"/*/*/8/current)
    run srun -N4 -n8 -K "--mpi=$type" --topomap=profile "$work/deaths.$mpi" "$1"
    after=$(readlink "$catalogue"/*/*/8/current)
    equal "$mpi, $1: the complete recording stays current, two are there" "$before 2 1" \
        "$after $("$topomap" profile list --all | grep -c deaths) $("$topomap" profile list --all | grep -c '(partial)$')"
    contains "$mpi, $1: list marks the other one" "$("$topomap" profile list --all --csv | grep -v "$before")" ',1$'
}

# batch [SECONDS] COMMAND...: a script that starts `deaths sleep` by srun in the
# background, waits until it counts, and goes on with COMMAND.
batch()
{
    rm -rf "$catalogue"
    cat >"$work/job.sh" <<END
#!/bin/bash
#SBATCH -N4 -n8 -t 1 -o $work/job.out
srun --mpi=$type --topomap=profile $work/deaths.$mpi sleep >$work/ready.out &
for ((i = 0; i < 200; i++)); do [ -s $work/ready.out ] && break; sleep 0.1; done
$1
wait
END
    rm -f "$work/ready.out"
    timeout 180 sbatch -W "$work/job.sh" >/dev/null 2>&1
    err=$(cat "$work/job.out")
}

cluster_start --nodes 4
for mpi in mpich openmpi; do
    compile "deaths.$mpi" "$mpi" recorder_deaths.c || { skip "$mpi: recordings" "no $mpi"; continue; }
    type=pmi2
    [ "$mpi" = mpich ] || type=pmix
    launches "$mpi" "$type" || { skip "$mpi: recordings" "$why_not" && continue; }
    record finalize
    expected=$(content)
    contains "$mpi, MPI_Finalize: all tasks came" "$err" 'topomap: recorded: 8 of 8 tasks of .*; filed in'
    equal "$mpi, MPI_Finalize: nothing more is said" 2 "$(said | wc -l)"
    equal "$mpi, MPI_Finalize: no spool is left" "" "$(find "$catalogue"/.spool-* -mindepth 1)"
    equal "$mpi: each edge of the ring is there" 8 "$(grep -c '^p2p' <<<"$expected")"
    for how in exit killall; do
        record "$how" -K
        kept "$how"
    done
    partial killall 'ended after [0-9]* s by signal 9, Killed'
    complete_stays fail
    contains "$mpi, fail: the line" "$(said)" 'the profile is partial (failed after [0-9]* s with status 3)'
    record fail
    contains "$mpi, fail: show" "$("$topomap" profile show "deaths.$mpi" --json)" '"partial": "failed after [0-9]* s with status 3"'
    complete_stays abort
    record abort -K
    kept abort
    partial abort "ended by MPI_Abort"
    run srun -N4 -n8 "--mpi=$type" --topomap=auto "$work/deaths.$mpi"
    contains "$mpi, abort: auto's line says by what" "$(said)" '; the profile is partial (ended by MPI_Abort)$'
    run srun -N4 -n8 "--mpi=$type" --topomap=learn "$work/deaths.$mpi"
    contains "$mpi, abort: learn records again" "$err" 'topomap: recorded: 8 of 8 tasks of .*; filed in'
    equal "$mpi, abort: and that is complete" "" "$("$topomap" profile list | grep partial)"
    [ "$mpi" = mpich ] || continue
    for how in _exit crash kill; do
        record "$how" -K
        kept "$how"
    done
    record crash -K
    partial crash "ended by signal 11, Segmentation fault"
    # Under a batch script: its step is cancelled, its srun is killed, and (on
    # demand) its time is over.
    batch "scancel \$SLURM_JOB_ID.0"
    kept "scancel of the step"
    contains "mpich, scancel within a minute: it is partial" "$("$topomap" profile list)" 'deaths.*  (partial)$'
    batch "touch -d '61 seconds ago' $catalogue/.spool-0/*/step; scancel \$SLURM_JOB_ID.0"
    kept "scancel after a minute"
    equal "mpich, scancel after a minute: it counts" "" "$("$topomap" profile list | grep partial)"
    batch "kill -9 \$!"
    for ((i = 0; i < 100; i++)); do # the job is over before its steps are
        [ "$(find "$catalogue"/.spool-0 -name 'node-*.kept' | wc -l)" = 4 ] && break
        sleep 0.1
    done
    equal "mpich, srun is killed: four nodes have left what they had" 4 \
        "$(find "$catalogue"/.spool-0 -name 'node-*.kept' | wc -l)"
    sleep 3 # srun could still come
    "$topomap" profile list >/dev/null 2>"$work/list.err"
    err=$(cat "$work/list.err")
    kept "srun is killed, and the next topomap looks"
    if [ "${TOPOMAP_CHECK_EXTENDED-}" = yes ]; then
        batch ""
        "$topomap" profile list >/dev/null 2>>"$work/job.out"
        err=$(cat "$work/job.out")
        kept "time limit"
    fi
    # A program that others of the same task come before and after.
    rm -rf "$catalogue"
    run srun -N4 -n8 -K --mpi=pmi2 --topomap=profile,exe="$work/deaths.mpich" \
        bash -c "exec 3</dev/null; $work/deaths.mpich _exit; true"
    kept "behind a shell"
    # Files that are cleaned away while it runs: the recorder makes a catalogue anew.
    rm -rf "$catalogue"
    run srun -N4 -n8 -K --mpi=pmi2 --topomap=profile,exe="$work/deaths.mpich" \
        bash -c "rm -rf $catalogue; exec $work/deaths.mpich finalize"
    equal "mpich, the catalogue is removed meanwhile: it is filed" "$expected" "$(content)"
    contains "mpich, the catalogue is removed meanwhile: commprof says so" "$err" 'topomap: recorded: 8 of 8 tasks of .*; filed in'
    contains "mpich, the catalogue is removed meanwhile: srun does not deny it" "$err" \
        'topomap: the rest of the recording is not filed: .*No such file'
    # Each rank alone: --mpi is missing.
    rm -rf "$catalogue"
    run srun -N4 -n8 --mpi=none --topomap=profile "$work/deaths.mpich"
    equal "mpich, no --mpi: one line says so" \
        "topomap: not recorded: each task of deaths.mpich was an MPI job of its own: is srun's --mpi= missing (srun --mpi=list)?" \
        "$(grep 'not recorded' <<<"$err")"
    equal "mpich, no --mpi: nothing is filed" "" "$(find "$catalogue" -name profile.json)"
    contains "mpich, no --mpi: nor does history say so" "$("$topomap" history | tail -n 1)" ' not placed .*each task of deaths.mpich was an MPI job of its own: is srun.s --mpi= missing'
    # A program that runs on: the messages of the first second alone.
    rm -rf "$catalogue"
    run srun -N4 -n8 -K --mpi=pmi2 --topomap=profile,recorder=mpich,seconds=3600 "$work/deaths.mpich" exit
    kept "recorder=mpich, seconds=3600"
    # What can be known before.
    cp "$work/deaths.mpich" "$work/python3"
    run srun -N4 -n8 --mpi=pmi2 --topomap=profile,recorder=mpich "$work/python3"
    contains "mpich, python without a name: said before the start" "$(said)" \
        'not recorded: .*/python3 runs other programs: give this one a name by name=NAME'
    equal "mpich, python without a name: the program runs" "0 rank 0 is ready" "$status $out"
    mkdir -p "$catalogue"
    mount -t tmpfs -o size=64k tmpfs "$catalogue" 2>/dev/null &&
        {
            run srun -N4 -n8 --mpi=pmi2 --topomap=profile "$work/deaths.mpich"
            contains "mpich, a catalogue without room: said before the start" "$(said)" \
                'not recorded: cannot write .*: No space left on device'
            equal "mpich, a catalogue without room: the program runs" "0 rank 0 is ready" "$status $out"
            equal "mpich, a catalogue without room: nothing is loaded" "" "$(grep commprof <<<"$err")"
            umount "$catalogue"
        }
    TOPOMAP_CATALOGUE=/dev/null/no run srun -N4 -n8 --mpi=pmi2 --topomap=profile "$work/deaths.mpich"
    contains "mpich, a catalogue that cannot be: said before the start" "$(said)" 'not recorded: cannot make the folder /dev/null/no'
    equal "mpich, a catalogue that cannot be: the program runs" "0 rank 0 is ready" "$status $out"
    # Another user: slurmstepd writes as that user, and no other user reads it.
    if command -v setpriv >/dev/null; then
        rm -rf "$catalogue" && mkdir -m 777 "$catalogue"
        run setpriv --reuid 65534 --regid 65534 --clear-groups env "TOPOMAP_CATALOGUE=$catalogue/his" \
            "HOME=$catalogue" srun -N4 -n8 -K --mpi=pmi2 --topomap=profile "$work/deaths.mpich" killall
        mv "$catalogue/his"/* "$catalogue/"
        equal "mpich, another user: filed" "$expected" "$(content)"
        equal "mpich, another user: all of it is his" "" "$(find "$catalogue" -mindepth 1 ! -uid 65534)"
    fi
done
no_job_left "no job is left behind"
echo "# recordings kept in $survived of $ways ways to die"
finish
