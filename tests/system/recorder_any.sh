#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder_any.sh - srun --topomap=profile of programs of any MPI, of several at
# once, of none, and with a recorder named that is for another; and every=N.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
compile m.app mpich halo.c || skip_all "no mpicc.mpich"
compile o.app openmpi halo.c || skip_all "no mpicc.openmpi"
cluster_start --nodes 2
launches openmpi pmix || skip_all "$why_not"
cd "$work" || exit 99
# What it starts is not known before it has.
# shellcheck disable=SC2016
printf '#!/bin/bash\nname=$(echo $1); exec ./$name.app\n' >start.sh
chmod +x start.sh

# mpi_of PROGRAM: what the current profile says of its MPI.
mpi_of() { sed -n 's/.*"mpi": "\([A-Za-z ]*\).*/\1/p' "$catalogue/$1"/*/*/current/profile.json; }
recorder_said() { grep -c 'topomap: \(recorded\|not recorded\|the recorder\)' <<<"$err"; }

run srun -N2 -n4 --mpi=pmi2 --topomap=profile ./start.sh m
contains "MPICH behind a script, and no recorder named" "$err" 'topomap: recorded: 4 of 4 tasks of m.app; filed in'
run srun -N2 -n4 --mpi=pmix --topomap=profile ./start.sh o
contains "Open MPI behind a script, and no recorder named" "$err" 'topomap: recorded: 4 of 4 tasks of o.app; filed in'
equal "each by its own recorder" "MPICH Version Open MPI v" "$(mpi_of m.app) $(mpi_of o.app)"

# A recorder for the other one.
rm -rf "$catalogue"
run srun -N2 -n4 --mpi=pmix --topomap=profile,recorder=mpich ./o.app
contains "recorder=mpich for Open MPI: srun says so before the start" "$(said)" \
    'recorder=mpich does not fit .*/o.app, which uses Open MPI: it is recorded as that'
contains "recorder=mpich for Open MPI: it is recorded" "$err" 'topomap: recorded: 4 of 4 tasks of o.app; filed in'
equal "recorder=mpich for Open MPI: and nothing else is said" 1 "$(recorder_said)"
run srun -N2 -n4 --mpi=pmi2 --topomap=profile,recorder=openmpi ./start.sh m
equal "recorder=openmpi for MPICH behind a script: one task says so" 1 \
    "$(grep -c 'topomap: the recorder for Open MPI was asked for, but this program uses MPICH.s ABI (libmpich.so.12): it is recorded as that' <<<"$err")"
contains "recorder=openmpi for MPICH behind a script: it is recorded" "$err" 'topomap: recorded: 4 of 4 tasks of m.app; filed in'

# Two MPIs in one step: each task knows its own. No PMI would start both, so each
# is alone; what makes them look like tasks of one job is taken away.
cat >two.sh <<'END'
#!/bin/bash
case $SLURM_PROCID in
0) exec env -u SLURM_STEP_NUM_TASKS COMMPROF_NAME=one ./m.app ;;
1) exec env -i PATH="$PATH" HOME="$HOME" LD_PRELOAD="$LD_PRELOAD" COMMPROF_CATALOGUE="$COMMPROF_CATALOGUE" \
    COMMPROF_NAME=other OMPI_MCA_ess_singleton_isolated=1 ./o.app ;;
esac
END
chmod +x two.sh
run srun -N2 -n2 --mpi=none --topomap=profile ./two.sh
equal "two MPIs in one step: each is recorded as what it is" "0 MPICH Version Open MPI v" \
    "$status $(mpi_of one) $(mpi_of other)"

# No MPI.
rm -rf "$catalogue"
run srun -N2 -n4 --topomap=profile echo here
equal "no MPI: the program runs, and one line says what became of it" \
    "0 4 topomap: not recorded: echo called no MPI_Init that the recorder saw; NCCL programs: --topomap=llm:tp=T,pp=P,dp=D" \
    "$status $(grep -c here <<<"$out") $err"
equal "no MPI: nothing is left but its line in the history" "" "$(find "$catalogue" -type f ! -path "*/.history/*")"

# A program that only its run shows, and that dies: its command is remembered.
compile die.app mpich recorder_deaths.c
sed 's/app$/app exit/' start.sh >die.sh
chmod +x die.sh
run srun -N2 -n4 --mpi=pmi2 --topomap=auto ./die.sh die
contains "a command that was never recorded is not known" "$(said)" 'not placed: the programs that .*die.sh runs'
run srun -N2 -n4 -K --mpi=pmi2 --topomap=profile ./die.sh die
contains "history calls it as the catalogue does" "$("$topomap" history | tail -n 1)" ' die.app  *4  *2  recorded '
contains "without MPI_Finalize: srun files it" "$(said)" 'recorded: 4 of 4 tasks of die.app until .* filed in'
run srun -N2 -n4 --mpi=pmi2 --topomap=auto,verbose ./die.sh die
contains "without MPI_Finalize: the command is remembered" "$(said)" 'die.app\|already the best'

# every=1: who ends as he should leaves nothing of it.
rm -rf "$catalogue"
cp die.app deaths
run srun -N2 -n4 --mpi=pmi2 --topomap=profile,every=1 ./deaths late
equal "every=1 and MPI_Finalize: one profile, and a line of it" "1 1" \
    "$(grep -c 'recorded: 4 of 4 tasks of deaths;' <<<"$err") $(find "$catalogue" -name profile.json | wc -l)"
equal "every=1 and MPI_Finalize: nothing more is said" 2 "$(said | wc -l)"
equal "every=1 and MPI_Finalize: no spool is left" "" "$(find "$catalogue"/.spool-* -mindepth 1)"
expected=$(cat "$catalogue"/deaths/*/4/current/{messages,p2p.graph,collectives} 2>&1)

rooms=$(for file in "$work"/pid/*; do
    read -r pid _ <"$file" && readlink "/proc/$pid/ns/mnt"
done 2>/dev/null | grep -vxF "$(readlink /proc/self/ns/mnt)")
[ -n "$rooms" ] || { skip "every=1: nodes fail" "nodes have no namespace here"; finish; exit; }
# Its nodes fail, and no process writes a last word.
rm -rf "$catalogue"
srun -N2 -n4 --mpi=pmi2 --topomap=profile,every=1 ./deaths sleep >/dev/null 2>&1 &
starter=$!
for ((i = 0; i < 150; i++)); do
    [ "$(find "$catalogue"/.spool-0 -name '*.sofar' 2>/dev/null | wc -l)" = 2 ] && break
    sleep 0.1
done
equal "every=1: each node has left what it had so far" 2 "$(find "$catalogue"/.spool-0 -name '*.sofar' | wc -l)"
"$topomap" profile list >/dev/null 2>&1
equal "every=1: nobody takes it while the tasks go on" 2 "$(find "$catalogue"/.spool-0 -name '*.sofar' | wc -l)"
# ours COMM: processes of that name on the nodes of this Slurm, which have mount
# namespaces of their own.
ours()
{
    local process
    for process in /proc/[0-9]*; do
        [ "$(cat "$process/comm" 2>/dev/null)" = "$1" ] &&
            grep -qxF "$(readlink "$process/ns/mnt")" <<<"$rooms" &&
            echo "${process#/proc/}"
    done
}
daemons=$(ours slurmstepd) tasks=$(ours deaths)
# shellcheck disable=SC2086
kill -9 "$starter" $daemons $tasks
wait "$starter" 2>/dev/null
equal "nodes fail: nothing else is there" "" "$(find "$catalogue"/.spool-0 -name '*.kept')"
find "$catalogue"/.spool-0 -name '*.sofar' -exec touch -d '2 minutes ago' {} +
run "$topomap" profile list
contains "nodes fail: the next topomap files what there is" "$err" \
    'recorded: 4 of 4 tasks of deaths until 20.*, without MPI_Finalize; filed in '
equal "nodes fail: all of it" "$expected" "$(cat "$catalogue"/deaths/*/4/current/{messages,p2p.graph,collectives} 2>&1)"
scancel -u root 2>/dev/null
no_job_left "no job is left behind"
finish
