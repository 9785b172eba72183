#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# scale_launch.sh - srun at a size that was not recorded, and by a pattern, on a
# private Slurm of eight nodes.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
compile stencil mpich stencil.c || skip_all "the program does not compile here"
compile halo mpich halo.c || skip_all "the program does not compile here"
cluster_start --nodes 8

# one_line NAME PATTERN: the program ran, and one line says this.
one_line()
{
    equal "$1: ends with 0" 0 "$status"
    equal "$1: one line" 1 "$(said | wc -l)"
    contains "$1: says so" "$(said)" "$2"
}

stencil() # OPTION... -- the program follows
{
    run srun --mpi=pmi2 "$@" "$work/stencil" 11 weak star 10 20
}

stencil -N6 -n6 --topomap=profile
equal "recorded at 6" 0 "$status"
stencil -N6 -n12 --topomap=profile
equal "recorded at 12" 0 "$status"
stencil -N8 -n16 --topomap=auto
one_line "auto at 16" "placed: stencil, 16 ranks, by the profile of 6, 12 tasks; grid 4x4 predicted: "
contains "auto at 16: mapped" "$(said)" 'hops per byte instead of'
stencil -N8 -n16 --topomap=auto,verbose
contains "verbose: the line too" "$(said)" 'grid 4x4 predicted'
if [ -e /sys/devices/cpu_atom ]; then
    skip "what a node is inside is known from other sizes" "cores of two kinds"
else
    contains "what a node is inside is known from other sizes" \
        "$("$topomap" plan --program "$work/stencil" --ntasks 16 --nodelist 'n[0-7]' \
            --tasks-per-node '2(x8)' --topology "$work/etc/topology.conf")" \
        '^inside  *[A-Za-z0-9: ]*PU:[0-9]* (where it was recorded)$'
fi
stencil -N8 -n16 --topomap=auto,scale=off
one_line "scale=off" 'no profile of stencil .*for 16 tasks; profiles exist for 6, 12 tasks'
stencil -N8 -n16 --topomap=auto,strict
if [ "$status" != 0 ]; then ok "strict: no guess"; else not_ok "strict: no guess" "$err"; fi
contains "strict: says why" "$err" 'no profile of stencil .*for 16 tasks'
stencil -N6 -n12 --topomap=auto
contains "a recorded size is not predicted" "$(said)" 'of the profile of [0-9]* [A-Z][a-z][a-z] \|by the profile of [0-9]* [A-Z][a-z][a-z] '

pattern=grid:2x8:weights=64/1
unset MPIR_CVAR_NOLOCAL # MPI is asked which ranks share memory
run srun -N8 -n16 --mpi=pmi2 --topomap=$pattern "$work/halo" --where
one_line "a pattern" "placed: 16 ranks, by $pattern: "
groups_agree "a pattern" "$out"
equal "a pattern: hosts are those of topomap plan" \
    "$("$topomap" plan --graph $pattern --program "$work/halo" --ntasks 16 --nodelist 'n[0-7]' \
        --tasks-per-node '2(x8)' --topology "$work/etc/topology.conf" --to=rankfile 2>/dev/null |
        sed -n 's/^rank *\([0-9]*\) *= *\([^ ]*\) .*/\1 \2/p')" "$(hosts "$out")"
for bad in "grid:2x4 grid:2x4.is.a.grid.of.8.tasks,.and.there.are.16" \
    "grid:4x0x4 dimension.2.of.the.grid.is.'0'" \
    "grid:4x-4 dimension.2.of.the.grid.is.'-4'" \
    "grid:65536x65536 more.than.1073741824.tasks" \
    "grid:4x4:colour=red 'colour=red'.in.a.grid.is.not.one.of"; do
    run srun -N8 -n16 --mpi=pmi2 --topomap="${bad%% *}" "$work/halo"
    one_line "${bad%% *}" "${bad#* }"
done
run srun -N8 -n16 --mpi=pmi2 --topomap=grid:2x4,strict "$work/halo"
if [ "$status" != 0 ]; then ok "the wrong grid, strict: an error"; else not_ok "the wrong grid, strict: an error" "$err"; fi
contains "the wrong grid, strict: with the numbers" "$err" 'a grid of 8 tasks, and there are 16'
finish
