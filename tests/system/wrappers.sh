#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# wrappers.sh - the program is found behind all that starts it: by the command
# line where that is certain, else by what was seen to run. A table of wrappers,
# on one private Slurm.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
compile app mpich halo.c || skip_all "no mpicc.mpich"
compile other mpich halo.c
cluster_start --nodes 4
cd "$work" || exit 99
job=(srun -N4 -n8 --mpi=pmi2)

run "${job[@]}" --topomap=profile ./app
run "${job[@]}" --topomap=auto ./app --where
mapped=$(hosts "$out")
run "${job[@]}" ./app --where
if [ "$mapped" != "$(hosts "$out")" ]; then ok "auto moves ranks"; else not_ok "auto moves ranks" "$out"; fi

printf '#!/bin/sh\nexport OMP_NUM_THREADS=1\nexec ./app "$@" 2>&1\n' >run.sh
printf '#!/bin/bash\nexport GPU=$SLURM_LOCALID\nexec "$@"\n' >bind.sh
printf '#!/bin/bash\nif [ "$SLURM_PROCID" = 0 ]; then nice ./app "$@"; else ./app "$@"; fi\n' >if.sh
# shellcheck disable=SC2016
printf '#!/bin/bash\nname=$(echo app); ./$name "$@"\n' >asks.sh
printf '#!/bin/sh\n[ "$1" = x ] && exec ./other\nexec ./app "$@"\n' >two.sh
chmod +x ./*.sh
mkdir sub && mv other sub/app2
cp sub/app2 other
tried=0
found=0

# as_mapped NAME: the ranks are where auto puts them.
as_mapped()
{
    tried=$((tried + 1))
    if [ "$mapped" = "$(hosts "$out")" ]; then
        found=$((found + 1))
        ok "$1"
    else
        not_ok "$1" "$err$out"
    fi
}

# behind NAME COMMAND...: app, which was recorded by itself, is found.
behind()
{
    local name=$1
    shift
    run "${job[@]}" --topomap=auto "$@"
    as_mapped "$name: found"
}
behind "bash -c" bash -c './app --where'
behind "sh -c with a redirection" sh -c './app --where 2>&1'
behind "bash -lc" bash -lc "$work/app --where"
behind env env -u B A=1 ./app --where
behind nice nice -n 0 ./app --where
behind stdbuf stdbuf -oL ./app --where
behind timeout timeout 60 ./app --where
behind nohup nohup ./app --where
behind "a script" ./run.sh --where
behind "a script that is given the program" ./bind.sh ./app --where
behind "bash FILE" bash run.sh --where
behind "a script with branches" ./if.sh --where
behind "the dynamic linker" /lib64/ld-linux-x86-64.so.2 ./app --where
behind "wrappers in wrappers" env A=1 nice bash -c 'exec stdbuf -oL ./app --where'
[ ! -x /usr/bin/time ] || behind time /usr/bin/time -o /dev/null ./app --where
[ ! -x /usr/bin/numactl ] || ! numactl --localalloc true 2>/dev/null ||
    behind numactl numactl --localalloc -- ./app --where
behind taskset taskset -c "$(taskset -cp $$ | sed 's/.*: //')" ./app --where
# Copies that Slurm makes on the nodes: known by their build.
mkdir there
behind "--bcast" --bcast ./app --where
behind "--bcast=" --bcast= ./app --where
behind "--bcast=DIR" --bcast="$work/there/" ./app --where
behind "--bcast=PATH" --bcast="$work/there/copy" ./app --where
SLURM_BCAST=$work/there/copy2 behind "SLURM_BCAST" ./app --where
# shellcheck disable=SC2016
copied='sbcast -f ./app there/app.$SLURM_JOB_ID && exec srun --mpi=pmi2 there/app.$SLURM_JOB_ID --where'
run env TOPOMAP=auto salloc -Q -N4 -n8 sh -c "$copied"
as_mapped "sbcast to a name of the job's own: found"
for mode in profile learn; do
    run env TOPOMAP="$mode" TOPOMAP_CATALOGUE="$work/c-copied" salloc -Q -N4 -n8 sh -c "$copied"
done
equal "and recorded once under learn" "0 1" \
    "$status $(find "$work/c-copied" -name profile.json | wc -l)"
# What these do to a task is theirs: only what is recorded is asked.
for command in 'perf stat -e cycles -- ./app' 'valgrind -q ./app'; do
    command -v "${command%% *}" >/dev/null || continue
    # shellcheck disable=SC2086
    run "$topomap" profile recorder -- $command
    contains "$command: found" "$out" "^program $work/app$"
done

# placed NAME PROGRAM: the line says that its profile was found.
placed()
{
    tried=$((tried + 1))
    if printf '%s\n' "$err" | grep -q "^topomap: \(placed\|unchanged\): $2"; then
        found=$((found + 1))
        ok "$1"
    else
        not_ok "$1" "$err$out"
    fi
}

# learnt NAME COMMAND...: recorded behind the wrapper, then found behind it.
learnt()
{
    local name=$1
    shift
    TOPOMAP_CATALOGUE=$work/c-$tried
    export TOPOMAP_CATALOGUE
    run "${job[@]}" --topomap=profile "$@" --where
    contains "$name: recorded" "$err" 'filed in'
    run "${job[@]}" --topomap=auto "$@" --where
    placed "$name: found again" app
    export TOPOMAP_CATALOGUE=$catalogue
}
learnt "a script that nobody can read" ./asks.sh
# shellcheck disable=SC2016
learnt "bash -c, cd and exec" bash -c 'cd sub && exec ../app "$@"' x
run env TOPOMAP_CATALOGUE="$work/none" "${job[@]}" --topomap=auto ./asks.sh
contains "before it was recorded it is not known" "$err" 'not placed: the programs that asks.sh runs'
learnt "a script of two programs" ./two.sh
# A container, as far as a mount namespace is one.
printf '#!/bin/sh\nshift 2\nexec unshare -m "$@"\n' >apptainer
chmod +x apptainer
if unshare -m true 2>/dev/null; then
    learnt "a container" ./apptainer exec i.sif ./app
fi
run env SLURM_MPI_TYPE=pmi2 "$topomap" profile recorder -- ./apptainer exec i.sif ./app
contains "before the start it is said what it must show" "$out" "export APPTAINER_BIND=.*libcommprof.*,$catalogue"
run "${job[@]}" --topomap=profile,dry-run --container-image=x ./app
contains "srun's own container" "$err" 'container-mounts=\|unrecognized option'

printf '0-6 ./app --where\n7 env A=1 ./app --where\n' >ranks.conf
export TOPOMAP_CATALOGUE=$work/c-multi
run "${job[@]}" --topomap=profile --multi-prog ranks.conf
contains "--multi-prog: recorded under its file" "$err" 'recorded: 8 of 8 tasks of ranks.conf;'
run "${job[@]}" --topomap=auto --multi-prog ranks.conf
placed "--multi-prog: found" ranks.conf
export TOPOMAP_CATALOGUE=$catalogue

# Another folder, and other words: the script is the same.
TOPOMAP_CATALOGUE=$work/c-two
export TOPOMAP_CATALOGUE
run "${job[@]}" --topomap=profile ./two.sh
run "${job[@]}" --topomap=auto ./two.sh --where y
placed "a script that is known, with other arguments" app
export TOPOMAP_CATALOGUE=$catalogue

# Scripts that start a program by its bare name: recorded by learn, and then found
# by learn, auto and `topomap plan`.
mkdir opt
cp app opt/xlmp
printf '#!/bin/sh\nexec xlmp --iterations 2\n' >opt/start-xlmp
chmod +x opt/start-xlmp
echo "PATH=$work/opt:\$PATH" >env.sh
own_path=$PATH
# plan OPTION... [-- COMMAND...]: the program that it finds.
plan()
{
    "$topomap" plan --ntasks 8 --nodelist 'n[0-3]' --tasks-per-node 2 --topology flat:4 "$@" 2>&1 |
        sed -n 's/^program  *\([^ ]*\) .*/\1/p'
}
# knows NAME COMMAND...
knows()
{
    local name=$1
    shift
    TOPOMAP_CATALOGUE=$work/c-knows
    export TOPOMAP_CATALOGUE
    rm -rf "$TOPOMAP_CATALOGUE"
    run "${job[@]}" --topomap=learn "$@"
    contains "$name: recorded" "$err" 'topomap: recorded: 8 of 8 tasks of xlmp; filed in'
    run "${job[@]}" --topomap=learn "$@"
    equal "$name: once" "0 0 1" "$status $(grep -c 'filed in' <<<"$err") $(grep -c 'topomap: \(placed\|unchanged\|not placed\): .*xlmp' <<<"$err")"
    run "${job[@]}" --topomap=auto "$@"
    placed "$name: found again" xlmp
    equal "$name: plan finds it" "$work/opt/xlmp" "$(plan -- "$@")"
    [ $# -gt 1 ] || equal "$name: plan --program finds it" "$work/opt/xlmp" "$(plan --program "$1")"
    export TOPOMAP_CATALOGUE=$catalogue
}
while IFS='#' read -r name text; do
    printf '#!/bin/bash\n%b\n' "$text" >form.sh
    chmod +x form.sh
    PATH=$own_path
    case $name in *PATH*) ;; *) PATH=$PATH:$work/opt ;; esac
    knows "$name" ./form.sh
done <<FORMS
exec NAME ARGS#exec xlmp --iterations 2
exec NAME#exec xlmp
NAME ARGS#xlmp --iterations 2
NAME#xlmp
module load, exec NAME ARGS#module load lammps 2>/dev/null\nexec xlmp --iterations 2
module load, NAME#module load lammps 2>/dev/null; xlmp
quotes#exec "xlmp" '--iterations' "2"
a list#cd . && xlmp --iterations 2 && true
a function#go() { xlmp "\$@"; }; go --iterations 2
a loop#for i in 2; do xlmp --iterations \$i; done
a pipe#xlmp --iterations 2 | tee -a told
a task in the background#xlmp --iterations 2 & wait
eval#eval "xlmp --iterations 2"
a variable#name=xlmp; exec \$name --iterations 2
a sourced file that sets PATH#. $work/env.sh; xlmp --iterations 2
PATH set in the script#PATH=$work/opt:\$PATH; exec xlmp --iterations 2
FORMS
PATH=$own_path:$work/opt
printf '#!/bin/bash\nexec xlmp --iterations 2\n' >form.sh
knows "a script in PATH" start-xlmp
knows "bash FILE, bare name" bash form.sh
knows "bash -c, bare name" bash -c 'exec xlmp --iterations 2'
knows "env, bare name" env A=1 ./form.sh
! command -v numactl >/dev/null || knows "numactl, bare name" numactl --localalloc ./form.sh
[ ! -x /usr/bin/time ] || knows "time, bare name" /usr/bin/time -o /dev/null ./form.sh
# The advice of the line that finds nothing, followed to the letter.
TOPOMAP_CATALOGUE=$work/c-knows
export TOPOMAP_CATALOGUE
for word in exe=xlmp name=xlmp; do
    run "${job[@]}" --topomap=auto,$word ./asks.sh
    placed "$word finds what was recorded of xlmp" xlmp
done
# The words of an edited script count again.
printf '#!/bin/sh\nexec %s\n' "$work/app" >form.sh
equal "an edited script is what it says now" "$work/app" "$(plan -- ./form.sh)"
export TOPOMAP_CATALOGUE=$catalogue
PATH=$own_path

# What is not about MPI is silent.
for command in hostname 'bash -c hostname' 'sh -c date;hostname' 'env A=1 true'; do
    # shellcheck disable=SC2086
    run "${job[@]}" --topomap=auto $command
    equal "$command: silent" "0 " "$status $(said)"
done
run "${job[@]}" --topomap=auto,strict hostname
equal "also under strict" "0 " "$status $(said)"
run "${job[@]}" --topomap=auto,verbose hostname
contains "verbose says why" "$err" 'topomap: not placed: hostname uses no MPI'

# srun and `topomap plan` agree; verbose prints the command that repeats it.
run "${job[@]}" --topomap=auto,verbose bash -c './app --where'
again=$(printf '%s\n' "$err" | sed -n 's/^topomap: \(.* plan .* -- bash -c .*\)/\1/p')
contains "verbose repeats the command whole" "$again" "-- bash -c './app --where'"
run sh -c "$again"
contains "and plan finds the same program" "$out" "^program  *$work/app "

# Python: known by its script, or its module.
python=/usr/bin/python3
if $python -c 'import mpi4py' 2>/dev/null && compile ompi openmpi halo.c; then
    job=(srun -N4 -n8 --mpi=pmix)
    mkdir pkg
    cat >pairs.py <<'PYTHON'
#!/usr/bin/python3
from mpi4py import MPI
import sys, socket
comm = MPI.COMM_WORLD
rank, half = comm.rank, comm.size // 2
peer = (rank + half) % comm.size
for i in range(20):
    comm.sendrecv(b"x" * 100000, dest=peer, source=peer)
if "--where" in sys.argv:
    import os
    print(rank, os.environ["SLURMD_NODENAME"], "0x1", 0)
PYTHON
    chmod +x pairs.py
    cp pairs.py pkg/mod.py
    touch pkg/__init__.py
    first=
    for command in "$python pairs.py" ./pairs.py "$python -u -m mpi4py pairs.py" "env A=1 $python pairs.py" \
        "$python -m pkg.mod"; do
        if [ -z "$first" ] || [ "${command%pkg.mod}" != "$command" ]; then
            # shellcheck disable=SC2086
            run "${job[@]}" --topomap=profile $command
            contains "$command: recorded" "$err" "recorded: [0-9]* of [0-9]* tasks of \(pairs.py\|pkg.mod\);"
        fi
        # shellcheck disable=SC2086
        run "${job[@]}" --topomap=auto $command --where
        first=1
        placed "$command: found" '\(pairs.py\|pkg.mod\)'
    done
else
    skip "python" "no mpi4py for $python"
fi
echo "# found $found of $tried"
finish
