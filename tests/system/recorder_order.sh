#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder_order.sh - in which order tasks first send to each other: what
# programs/recorder_order.c says of itself, and what the recorder files.
# shellcheck source=tests/system/recorded.sh
. "$(dirname "$0")/recorded.sh"

# The lines of the current profile's files, a pair each.
ordered()
{
    local file
    for file in filed/*/*/*/current/messages*; do
        sed -n "s|^#order|$(basename "$file")|p" "$file"
    done | awk '{for (i = 5; i <= NF; i++) print $1, $2, $3, $4, $i}' | grep -v ' barrier ' | LC_ALL=C sort
}

# order NAME TASKS WHAT
order()
{
    record "$2" "./recorder_order-$mpi" "$3"
    if [ "$out" = skip ]; then
        skip "$mpi, $1" "this MPI has no such threads"
        return
    fi
    equal "$mpi, $1" "0
$(printf '%s' "$out" | LC_ALL=C sort)" "$status
$(ordered)"
}

# shown: what profile show says of it
shown() { "$TOPOMAP" profile show filed/*/*/*/current | sed -n 's/^order *//p'; }

tests()
{
    order "one side after the other, with borders" 9 sweeps
    equal "$mpi: profile show has the stages" "p2p in 4 stages" "$(shown)"
    order "all sides at once" 9 at-once
    order "two and two, by several kinds of wait" 9 halves
    order "persistent requests" 9 persistent
    order "a collective between" 9 between
    order "blocking sends" 9 blocking
    order "phases" 9 phases
    equal "$mpi: profile show has those of each phase" "p2p@1 in 3 stages
p2p@2 in 2 stages" "$(shown)"
    openmpi_settings "${mpicc/mpicc/mpirun}"
    if [ -n "$openmpi_osc" ] && [ "$mpi" = openmpi ]; then
        export OMPI_MCA_osc=$openmpi_osc
    fi
    order "one-sided, and unequal blocks along rows and columns" 9 others
    unset OMPI_MCA_osc
    order "threads, of which one sends" 3 thread
    order "threads that send" 3 threads
    contains "$mpi: of which nothing is known" "$(shown)$out" '^\(of messages is not known\|.*skip\)$'
}
each_mpi recorder_order
