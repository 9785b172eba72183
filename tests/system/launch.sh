#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# launch.sh - the main job on a private Slurm of eight nodes: profile once, then
# auto, in every kind of launch; the tasks themselves report where they are.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 8
unset MPIR_CVAR_NOLOCAL # MPI is asked which ranks share memory

# main_job MPI PMI PROGRAM SOURCE: profile and auto with one MPI and language.
main_job()
{
    local mpi=$1 pmi=$2 program=$3 name="$3 on $1" plain before
    if ! compile "$program" "$mpi" "$4"; then
        skip "$name" "it does not compile here"
        return
    fi
    run srun -N8 -n16 --mpi="$pmi" "$work/$program" --where
    equal "$name: the plain run ends with 0" 0 "$status"
    plain=$out
    before=$(hosts "$out")

    run srun -N8 -n16 --mpi="$pmi" --topomap=profile "$work/$program" --where
    equal "$name: profile ends with 0" 0 "$status"
    equal "$name: recording changes neither result nor places" "$plain" "$out"
    contains "$name: the profile is filed" \
        "$("$topomap" profile list 2>&1)" "$program .* 16 "

    run srun -N8 -n16 --mpi="$pmi" --topomap=auto "$work/$program" --where
    equal "$name: auto ends with 0" 0 "$status"
    equal "$name: auto says one line" 1 "$(said | wc -l)"
    contains "$name: auto says what it did" "$(said)" "^topomap: placed: [a-z0-9.-]*, [0-9]* ranks, by the profile of .*: [0-9.]* hops per byte instead of .*--topomap=off undoes it$"
    equal "$name: the result is unchanged" \
        "$(printf '%s\n' "$plain" | grep checksum)" "$(printf '%s\n' "$out" | grep checksum)"
    if [ "$(hosts "$out")" != "$before" ]; then
        ok "$name: ranks moved"
    else
        not_ok "$name: ranks moved" "$out"
    fi
    equal "$name: hosts are those of topomap plan" \
        "$(planned "$work/$program" 16 'n[0-7]' '2(x8)' | awk '{print $1, $2}')" "$(hosts "$out")"
    groups_agree "$name" "$out"
    equal "$name: slot s of a node is its CPU s" \
        "$(planned "$work/$program" 16 'n[0-7]' '2(x8)' | awk '{printf "%s 0x%x\n", $1, 2 ^ $3}')" \
        "$(where "$out" | awk '{print $1, $3}')"
}
main_job mpich pmi2 halo-mpich halo.c

# What a node is inside is recorded with the profile, and plans go by it until
# somebody says better. Cores of two kinds have no such description.
app=$work/halo-mpich
plan()
{
    "$topomap" plan --program "$app" --ntasks 16 --nodelist 'n[0-7]' \
        --tasks-per-node '2(x8)' --topology "$work/etc/topology.conf" "$@" 2>&1
}
if [ -e /sys/devices/cpu_atom ]; then
    skip "the inside of a node is recorded" "cores of two kinds"
else
    inside=$("$topomap" profile show "$app:16" | sed -n 's/^node  *//p')
    contains "the inside of a node is recorded" "$inside" '^[A-Za-z0-9: ]*PU:[0-9]*$'
    contains "plans go by it" "$(plan)" "^inside  *$inside (where it was recorded)$"
    contains "plans go by what they are told" "$(plan --node core:2)" '^inside  *core:2 (--node)$'
    profile=$("$topomap" profile show "$app:16" | sed -n 's/^folder  *//p')/profile.json
    cp "$profile" "$work/kept.json"
    for wrong in '<xml' 'what:3' ''; do
        sed -i "s|^  \"node\": .*|  \"node\": \"$wrong\",|" "$profile"
        equal "an inside '$wrong' is none" "0 1" \
            "$(plan | grep -c '^inside') $(plan | grep -c '^outcome  *placed')"
    done
    cp "$work/kept.json" "$profile"
fi
if launches openmpi pmix; then
    main_job openmpi pmix halo-openmpi halo.c
else
    skip halo-openmpi "$why_not"
fi

fortran()
{
    local mpi=$1 pmi=$2 program=$3-$1 plain
    launches "$mpi" "$pmi" || { skip "$program" "$why_not"; return; }
    compile "$program" "$mpi" "$4" || { skip "$program" "it does not compile here"; return; }
    run srun -N4 -n8 --mpi="$pmi" "$work/$program"
    plain="$status $out"
    run srun -N4 -n8 --mpi="$pmi" --topomap=profile "$work/$program"
    equal "$program: the same when recorded" "$plain" "$status $out"
    contains "$program: p2p bytes were recorded" \
        "$("$topomap" profile show "$program:8" 2>&1)" '^ *p2p '
    run srun -N4 -n8 --mpi="$pmi" --topomap=auto "$work/$program"
    equal "$program: the same when mapped" "$plain" "$status $out"
    contains "$program: auto found it" "$(said)" "$program"
}
fortran mpich pmi2 halo-f halo_f.f90
fortran openmpi pmix halo-f halo_f.f90
fortran mpich pmi2 halo-f08 halo_f08.f90
fortran openmpi pmix halo-f08 halo_f08.f90

# Neighbours in rank order talk: right for block, wrong for cyclic.
printf '8 4 001\n2 9\n1 9\n4 9\n3 9\n6 9\n5 9\n8 9\n7 9\n' >"$work/far.graph"

# The rest with MPICH: it tells at once when pmi2 gets a wrong map.
app=$work/halo-mpich
as_planned()
{
    local name=$1 nodes=$2 counts=$3
    equal "$name ends with 0" 0 "$status"
    if [ -z "$(hosts "$out")" ]; then
        not_ok "$name: the tasks report where they are" "$out$err"
        return
    fi
    equal "$name: hosts are those of topomap plan" \
        "$(planned "$app" "$(hosts "$out" | wc -l)" "$nodes" "$counts" | awk '{print $1, $2}')" \
        "$(hosts "$out")"
    groups_agree "$name" "$out"
}

cat >"$work/batch" <<SCRIPT
#!/bin/sh
#SBATCH -N8 -n16 --topomap=auto -o $work/batch.out -e $work/batch.err
srun --mpi=pmi2 $app --where
SCRIPT
run sbatch -W "$work/batch"
equal "sbatch ends with 0" 0 "$status"
out=$(cat "$work/batch.out") err=$(cat "$work/batch.err")
equal "#SBATCH counts as typed: one line" 1 "$(said | wc -l)"
as_planned "sbatch" 'n[0-7]' '2(x8)'

run salloc -Q -N8 -n16 srun --mpi=pmi2 --topomap=auto "$app" --where
as_planned "salloc" 'n[0-7]' '2(x8)'

run salloc -Q -N8 -n16 --exclusive srun --mpi=pmi2 --topomap=auto "$app" --where
as_planned "salloc of whole nodes" 'n[0-7]' '2(x8)'

run srun -N8 -n16 -m cyclic --mpi=pmi2 --topomap=auto "$app" --where
equal "-m cyclic ends with 0" 0 "$status"
groups_agree "-m cyclic" "$out"
contains "-m cyclic: mapped or already best" "$(said)" 'hops per byte'

# With a layout that is not block, the command that verbose prints still says
# what srun said.
run srun -N4 -n8 -m cyclic --mpi=pmi2 --topomap="$work/far.graph,verbose" "$app"
command=$(printf '%s\n' "$err" | sed -n 's/^.*topomap: \(.* plan .*\)/\1/p')
contains "-m cyclic: the command says the layout" "$command" '--baseline 0..3,0..3'
figures() { printf '%s\n' "$1" | sed -n 's/.*hops per byte[: ]*\([0-9.]*\) -> \([0-9.]*\).*/\1 \2/p' | head -1; }
found=$(figures "$err")
equal "-m cyclic: the command finds what srun found" "${found:-no figures}" \
    "$(sh -c "$command --topology $work/etc/topology.conf" 2>&1 | awk '/^hops per byte/ {print $4, $5}')"

run srun -N8 -n16 --mpi=pmi2 --export=NONE --topomap=auto "$app" --where
as_planned "--export=NONE" 'n[0-7]' '2(x8)'

# Pictures come behind the launch, whole.
run srun -N8 -n16 --mpi=pmi2 --topomap="auto,report=$work/report.html" "$app" --where
as_planned "report=" 'n[0-7]' '2(x8)'
equal "report=: still one line" 1 "$(said | wc -l)"
for _ in {1..600}; do
    [ ! -e "$work/report.html" ] || break
    sleep 0.1
done
contains "report=: both layouts are drawn" "$(cat "$work/report.html")" 'Placed by Slurm.*'
contains "report=: of what was recorded" "$(cat "$work/report.html")" '<h1>halo-mpich, 16 ranks</h1>'
equal "report=: whole" '</html>' "$(tail -n 1 "$work/report.html")"
run srun -N8 -n16 --mpi=pmi2 --topomap="auto,report=$work/no/such.html" "$app" --where
as_planned "report= of no folder" 'n[0-7]' '2(x8)'
contains "report= of no folder: the line says so" "$(said)" 'topomap: placed: .*; no report: .*no/such.html'

# Unequal counts: 11 tasks on 8 nodes need a profile of that size.
run srun -N8 -n11 --mpi=pmi2 --topomap=profile "$app"
equal "profile of 11 tasks ends with 0" 0 "$status"
run srun -N8 -n11 --mpi=pmi2 "$app" --where
counts=$(hosts "$out" | awk '{n[$2]++} END {for (i = 0; i < 8; i++) printf "%s%d", i ? "," : "", n["n" i]}')
run srun -N8 -n11 --mpi=pmi2 --topomap=auto "$app" --where
as_planned "unequal counts" 'n[0-7]' "$counts"
equal "unequal counts: each node keeps its number of tasks" "$counts" \
    "$(hosts "$out" | awk '{n[$2]++} END {for (i = 0; i < 8; i++) printf "%s%d", i ? "," : "", n["n" i]}')"

# Two steps of one job at the same time, each with four nodes.
run srun -N4 -n8 --mpi=pmi2 --topomap=profile "$app"
cat >"$work/two" <<SCRIPT
#!/bin/sh
srun -N4 -n8 -w n[0-3] --exact --mpi=pmi2 --topomap=auto $app --where >$work/two.a 2>$work/two.a.err &
srun -N4 -n8 -w n[4-7] --exact --mpi=pmi2 --topomap=auto $app --where >$work/two.b 2>$work/two.b.err &
wait
SCRIPT
chmod +x "$work/two"
run salloc -Q -N8 -n16 "$work/two"
out=$(cat "$work/two.a") status=0
as_planned "first of two concurrent steps" 'n[0-3]' '2(x4)'
out=$(cat "$work/two.b")
as_planned "second of two concurrent steps" 'n[4-7]' '2(x4)'

# A het step: two components, one MPI world. Ranks may be left alone, with a
# line; the program must run as it does without.
run srun -N4 -n8 --mpi=pmi2 "$app" : -N4 -n8 --mpi=pmi2 "$app"
plain="$status $(printf '%s\n' "$out" | grep checksum)"
run srun -N4 -n8 --mpi=pmi2 --topomap=auto "$app" : -N4 -n8 --mpi=pmi2 --topomap=auto "$app"
equal "a het step gives the same" "$plain" "$status $(printf '%s\n' "$out" | grep checksum)"
contains "a het step is told of" "$(said)" 'topomap: '

# Without --mpi each rank is a program of its own, which no profile is of.
contains "how srun started it stands in the profile" \
    "$(grep mpi_type "$("$topomap" profile show "$app:16" | sed -n 's/^folder  *//p')/profile.json")" '"pmi2"'
# shellcheck disable=SC2016 # expanded by the tasks
singles=(sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME 0x0"')
run srun -N8 -n16 "${singles[@]}"
plain=$(hosts "$out" | sort -n)
for word in auto learn; do
    run srun -N8 -n16 --topomap="$word,exe=$app" "${singles[@]}"
    equal "no --mpi, $word: the layout is Slurm's" "0 $plain" "$status $(hosts "$out" | sort -n)"
    equal "no --mpi, $word: one line says so" \
        "topomap: not placed: halo-mpich, 16 ranks: they would be 16 programs of one rank each, since the profile was recorded with --mpi=pmi2, and this step has --mpi=none: is srun's --mpi= missing (srun --mpi=list)?; the job runs as usual" \
        "$(said)"
    contains "no --mpi, $word: nothing is placed" "$("$topomap" history | tail -n 1)" ' not placed '
done
run srun -N8 -n16 --topomap="auto,mpi=none,exe=$app" "${singles[@]}"
contains "mpi=none: the user knows better" "$(said)" 'placed: .* ranks, by the profile'
if [ "$(hosts "$out" | sort -n)" != "$plain" ]; then
    ok "mpi=none: ranks moved"
else
    not_ok "mpi=none: ranks moved" "$out"
fi

# A nested step: the outer one's plan must not leak into the inner one.
run salloc -Q -N8 -n16 srun -n16 --mpi=none --topomap=auto,name=none sh -c \
    'env | grep ^SLURM_TOPOMAP_ || :'
equal "tasks see nothing of ours in their environment" "" "$out"

run srun -N8 -n16 --mpi=pmi2 --topomap=auto,bind=off "$app" --where
equal "bind=off: hosts still as planned" \
    "$(planned "$app" 16 'n[0-7]' '2(x8)' | awk '{print $1, $2}')" "$(hosts "$out")"
run srun -N8 -n16 --mpi=pmi2 --topomap=off "$app" --where
off=$(hosts "$out")
run srun -N8 -n16 --mpi=pmi2 "$app" --where
equal "off is as without topomap" "$(hosts "$out")" "$off"

# What topomap doctor finds out by itself: that ranks may move, and where the
# program does not fit the type.
if [ -x "$STAGE_LIBEXECDIR/topomap/mpi-probe-mpich" ]; then
    run "$topomap" doctor --mpi pmi2
    if all_alone; then
        equal "doctor --mpi pmi2 ends with 1" 1 "$status"
        contains "doctor: an MPI that knows no nodes is told" "$out" '^mpi-probe-mpich  *--  without topomap, too, MPI and Slurm disagree:$'
    else
        equal "doctor --mpi pmi2 ends with 0" 0 "$status"
        contains "doctor: ranks may move under pmi2" "$out" \
            '^mpi-probe-mpich  *ok  0 2 on n[0-7], 1 3 on n[0-7], as planned; MPI, Slurm and the kernel agree$'
    fi
    run "$topomap" doctor --mpi none --program "$STAGE_LIBEXECDIR/topomap/mpi-probe-mpich"
    equal "doctor --mpi none ends with 1" 1 "$status"
    contains "doctor: none starts no MPI program" "$out" '^mpi-probe-mpich  *--  it starts as 4 programs of one rank each$'
    if [ -x "$STAGE_LIBEXECDIR/topomap/mpi-probe-openmpi" ] && launches openmpi pmix && launches openmpi pmi2; then
        run "$topomap" doctor --mpi pmi2 --program "$STAGE_LIBEXECDIR/topomap/mpi-probe-openmpi"
        contains "doctor: Open MPI, and a type that it does not start under" "$out" '^  *-> Open MPI here does not start under pmi2: try --mpi pmix$\|^mpi-probe-openmpi  *ok'
    fi
else
    skip "doctor --mpi pmi2" "no mpi-probe-mpich was built"
fi
if [ -x "$STAGE_LIBEXECDIR/topomap/mpi-probe-openmpi" ] && launches openmpi pmix; then
    run "$topomap" doctor --mpi pmix --program "$STAGE_LIBEXECDIR/topomap/mpi-probe-openmpi" -- -w 'n[3-4]'
    equal "doctor --mpi pmix: ranks may move, across a leaf switch, too" \
        "0 ok  0 2 on n3, 1 3 on n4, as planned; MPI, Slurm and the kernel agree" \
        "$status $(printf '%s\n' "$out" | sed 's/^mpi-probe-openmpi  *//')"
else
    skip "doctor --mpi pmix" "no Open MPI, or no pmix"
fi

# What tasks have of it in their environment is the same network.
srun --mpi=none -N8 --ntasks-per-node=1 env | grep '^SLURM_TOPOLOGY_ADDR' >addresses
scontrol show topology >switches
equal "addresses of nodes are the network that scontrol prints" \
    "$("$topomap" topology distance n0 n3 ./switches) $("$topomap" topology distance n0 n7 ./switches)" \
    "$("$topomap" topology distance n0 n3 ./addresses) $("$topomap" topology distance n0 n7 ./addresses)"
finish
