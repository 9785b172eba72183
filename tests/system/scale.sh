#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scale.sh - graphs of sizes that were not recorded: a program of halos is recorded
# at some sizes, and what topomap plan predicts for others is held against what
# is recorded there; patterns; refusals. Without Slurm.
# shellcheck source=tests/system/recorded.sh
. "$(dirname "$0")/recorded.sh"
topomap=$TOPOMAP
unset TOPOMAP XDG_DATA_HOME
export TOPOMAP_CATALOGUE=$work/filed HOME=$work OMPI_MCA_mpi_yield_when_idle=1

# plan NAME TASKS [OPTION]...: on a torus of nodes with 4 tasks.
plan()
{
    local name=$1 n=$2
    shift 2
    "$topomap" plan --name "$name" --ntasks "$n" --nodelist "n[1-$((n / 4))]" \
        --tasks-per-node 4 --topology "torus:$((n / 4))" "$@" 2>&1
}

# pattern TASKS GRAPH [OPTION]...
pattern()
{
    local n=$1 graph=$2
    shift 2
    plan none "$n" --graph "$graph" "$@"
}

# program NAME SIZES ARGUMENT...: records stencil at these sizes as NAME.
program()
{
    local name=$1 sizes=$2 n
    shift 2
    for n in $sizes; do
        COMMPROF_NAME=$name launch "$n" env "LD_PRELOAD=$recorder" "./stencil-$mpi" "$@"
        [ "$status" = 0 ] || not_ok "$mpi, $name: recorded at $n" "$err"
    done
}

# as_recorded NAME TASKS DIMS SIZES: what is predicted is what is recorded.
as_recorded()
{
    local name=$1 n=$2 dims=$3 sizes=$4
    contains "$mpi, $name: grid $dims of $n tasks is predicted" \
        "$(plan "$name" "$n" --write-graph "$work/predicted")" \
        "^outcome .*profile of $sizes tasks; grid $dims predicted"
    "$topomap" profile export "name:$name-all:$n" >"$work/recorded" 2>/dev/null
    if cmp -s "$work/predicted" "$work/recorded"; then
        ok "$mpi, $name: edges and bytes of $n tasks are those recorded"
    else
        not_ok "$mpi, $name: edges and bytes of $n tasks are those recorded" \
            "$(diff "$work/predicted" "$work/recorded" | head -8)"
    fi
}

tests()
{
    rm -rf filed
    for kind in "weak 111 weak star 10 20 30" "strong 000 strong star 48 48 96" \
        "box 101 weak box 10 20 30"; do
        # shellcheck disable=SC2086
        set -- $kind
        name=$1
        shift
        # What is predicted is the same under each MPI but for the dimensions,
        # which one kind shows.
        [ "$name" = weak ] || [ "$mpi" = openmpi ] || [ "${TOPOMAP_CHECK_EXTENDED-}" = yes ] || continue
        program "$name" "8 16 27" "$@"
        program "$name-all" 32 "$@"
        as_recorded "$name" 32 4x4x2 '8, 16, 27'
        # 64 ranks on the few cores of a test take long.
        [ "${TOPOMAP_CHECK_EXTENDED-}" = yes ] || continue
        program "$name-all" 64 "$@"
        as_recorded "$name" 64 4x4x4 '8, 16, 27'
    done
    STENCIL_FIXED=2 program fixed "8 20" 11 weak star 10 20
    STENCIL_FIXED=2 program fixed-all 32 11 weak star 10 20
    as_recorded fixed 32 2x16 '8, 20'

    # Where it may not, and where it cannot.
    contains "$mpi: --scale=off says what is said without it" "$(plan weak 64 --scale off)" \
        '^outcome  *not placed: no profile named weak for 64 tasks; profiles exist for 8, 16, 27 tasks'
    contains "$mpi: what is best was never measured there" "$(plan weak 64 --graph best)" \
        '^outcome  *not placed: no profile named weak for 64 tasks'
    program small 8 111 weak star 10 20 30
    contains "$mpi: eight tasks do not show periods" "$(plan small 64)" \
        '^predicted  *nothing: .*whether it is periodic cannot be seen'
    contains "$mpi: and the line is that of no prediction" "$(plan small 64)" \
        '^outcome  *not placed: no profile named small for 64 tasks; profiles exist for 8 tasks: record'
    contains "$mpi: a grid of no such size" "$(plan fixed 35 --tasks-per-node '5(x7)' --nodelist 'n[1-7]')" \
        '^predicted  *nothing: one dimension of 2, MPI_Dims_create makes no grid of 35 tasks'
    contains "$mpi: in JSON" "$(plan weak 64 --json)" \
        '"prediction": "profile of 8, 16, 27 tasks; grid 4x4x4 predicted"'
    printf '8 5 001\n2 1 3 1 4 1 5 1 6 1\n1 1\n1 1\n1 1\n1 1\n1 1\n\n\n' >star.graph
    "$topomap" profile import star.graph --name star >/dev/null
    contains "$mpi: no grid, no prediction" "$(plan star 64)" '^predicted  *nothing: no Cartesian grid'

    # The rule is the library's own.
    "$mpicc" -o "dims-$mpi" "$srcdir/programs/dims_table.c" >compile.txt 2>&1
    launch 1 "./dims-$mpi" 4096
    equal "$mpi: MPI_Dims_create of 1 to 4096 tasks in 2 to 5 dimensions" \
        "$(printf '%s\n' "$out" | cksum)" \
        "$("${DIMS_TABLE:?}" "$mpi" 4096 | cksum)"
}

# Patterns, without any profile.
contains "a pattern is a graph" "$(pattern 32 grid:4x8:periodic:weights=1/2)" \
    '^graph  *grid:4x8:periodic:weights=1/2: 64 pairs of tasks, 96 B$'
contains "of so many tasks" "$(pattern 64 grid:4x8)" \
    'grid:4x8 is a grid of 32 tasks, and there are 64'
equal "srun is told the same" "failed grid:4x8 is a grid of 32 tasks, and there are 64" \
    "$(pattern 64 grid:4x8 --to wire | sed -n 's/^outcome //p; s/^reason //p' | tr '\n' ' ' | sed 's/ $//')"
contains "an unknown word" "$(pattern 32 grid:4x8:colour=red)" "'colour=red' in a grid is not one of"
contains "a dimension of 0" "$(pattern 32 grid:4x0)" "dimension 2 of the grid is '0'"
contains "too many tasks" "$(pattern 32 grid:65536x65536)" 'more than 1073741824 tasks'
"$topomap" convert grid:4x3 --to metis >grid.graph
equal "convert: 12 tasks, 17 edges" "12 17 001" "$(sed -n 1p grid.graph)"
equal "map takes one" "$("$topomap" map grid.graph --topology torus:3 --tasks-per-node 4 --work 1000)" \
    "$("$topomap" map grid:4x3 --topology torus:3 --tasks-per-node 4 --work 1000)"
contains "convert --ntasks" "$("$topomap" convert grid:4x3 --ntasks 13 --to metis 2>&1)" \
    'grid:4x3 is a grid of 12 tasks, and there are 13'
contains "a pattern is no profile" \
    "$("$topomap" map grid:4x3 --graph p2p --topology torus:3 --tasks-per-node 4 2>&1)" 'mean nothing for it'
each_mpi stencil
