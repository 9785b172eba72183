#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder_fake.sh - the recorder's table and rules, one by one, above an MPI
# library that is none (tests/fake): what it answers is set, and so is how long
# it takes, so that every number is known beforehand, the nanoseconds as well.
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE_LIBDIR:?}" "${STAGE_INCLUDEDIR:?}" "${TOPOMAP:?}"
recorder=$STAGE_LIBDIR/libcommprof-mpich.so
[ -n "${MPICC_MPICH-}" ] && [ -e "$recorder" ] || skip_all "the recorder for MPICH is not built"

work=$(mktemp -d "${TMPDIR:-/tmp}/fake-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
unset SLURM_JOB_ID SLURM_STEP_ID COMMPROF_NAME COMMPROF_PROGRAM COMMPROF_LARGE \
    COMMPROF_SECONDS COMMPROF_PAUSED COMMPROF_VERBOSE COMMPROF_PCONTROL
export COMMPROF_CATALOGUE=$work/filed COMMPROF_DUMP=$work/dump
export COMMPROF_KEEPER=$STAGE_LIBEXECDIR/topomap/commprof-keep
command -v python3 >/dev/null || skip_all "no python3 reads what tasks leave"

# Only mpi.h is MPICH's: its library is not linked. Two functions of the driver
# pass MPI_STATUSES_IGNORE, of which the compiler warns.
if ! { "$MPICC_MPICH" -w -fPIC -c "$srcdir/fake/fakempi.c" &&
    "$MPICC_MPICH" -w -I"$STAGE_INCLUDEDIR" -c "$srcdir/fake/driver.c" &&
    cc -shared -o libfakempi.so fakempi.o &&
    cc -o driver driver.o -L. -lfakempi "-Wl,-rpath,$work"; } >compile.txt 2>&1; then
    not_ok "the library that is none compiles" "$(cat compile.txt)"
    finish
    exit
fi

# What tasks have left is written when they are gone, by a process beside each.
written() { while pgrep -f "commprof-keep $work/dump " >/dev/null; do sleep 0.01; done; }
rows() { python3 "$srcdir/system/kept.py" print dump/node-1.kept 2>/dev/null; }

# counts PART EXPECTED: uses are: type, size of the communicator, communicators,
# calls, bytes, bytes to pairs, bytes of large ones, ns; rows are: type, from, to,
# class of size, messages, bytes; then the stage, which is recorder_order.sh's.
counts()
{
    rm -rf dump && mkdir dump
    LD_PRELOAD=$recorder timeout 10 ./driver "$1" >out.txt 2>&1
    equal "$1: ends as it should, and silently" "0 " "$? $(cat out.txt)"
    equal "$1: uses and rows" "$2" \
        "$(written; rows | grep -E '^(use|row) ' | sed '/^row/s/ [0-9]*$//' | LC_ALL=C sort)"
}

counts p2p "row p2p 1 0 4 1 8
row p2p 1 2 0 1 0
row p2p 1 5 34 1 16000000000
row p2p 1 5 4 1 12
row p2p 1 5 7 1 80
use p2p 0 0 7 16000000100 16000000100 0 0"
# 900 ns: 2 of 3 requests are point-to-point, the null one is none.
counts waitall "row allreduce 1 4 4 1 8
row allreduce 1 6 4 1 8
row p2p 1 2 3 1 4
row p2p 1 3 3 1 4
use allreduce 3 0 1 16 16 0 300
use p2p 0 0 2 8 8 0 600"
# 100 ns each: for both halves, for the reduction, for the message.
counts testsome "row allreduce 1 4 4 1 8
row allreduce 1 6 4 1 8
row p2p 1 2 3 1 4
use allreduce 3 0 1 16 16 0 150
use p2p 0 0 1 4 4 0 150"
# Starts are of the type that they start, and count what it sends each time.
counts persistent "row bcast 1 4 5 1 20
row bcast 1 6 5 1 20
row p2p 1 6 5 4 64
use bcast 3 0 1 40 40 0 25
use p2p 0 0 4 64 64 0 175"
counts phases "row bcast 1 4 5 1 20
row bcast 1 6 5 1 20
row bcast@2 1 4 5 1 20
row bcast@2 1 6 5 1 20
row p2p 1 5 3 2 8
row p2p@2 1 5 4 1 8
row p2p@3 1 6 5 2 32
use bcast 3 0 1 40 40 0 10
use bcast@2 3 0 1 40 40 0 10
use p2p 0 0 2 8 8 0 30
use p2p@2 0 0 1 8 8 0 10
use p2p@3 0 0 2 32 32 0 20"
# One task's rows make a profile, too.
phases=$("$TOPOMAP" profile merge dump --catalogue phased 2>/dev/null | tail -1)
equal "phases: their types in profile.json" '"phase": 1 p2p bcast "phase": 2 p2p bcast "phase": 3 p2p' \
    "$(sed -n '/"phases"/,$p' "$phases/profile.json" | grep -oE '"phase": [0-9]+|"type": "[a-z0-9]*"' |
        sed 's/"type": //; s/^"\([a-z0-9]*\)"$/\1/' | tr '\n' ' ' | sed 's/ $//')"
# exported WORD...: the bytes that task 1 exchanges, partner by partner.
exported() { "$TOPOMAP" profile export "$phases" "$@" 2>&1 | sed -n 3p; }
equal "phases: the graph of all of them is as it was" "6 16 7 32" "$(exported --graph p2p)"
equal "phases: a type in each" "6 8, 6 8, 7 32" \
    "$(exported --graph p2p --phase 1), $(exported --graph p2p@2), $(exported --graph p2p --phase 3)"
equal "phases: all types of one" "5 20 6 8 7 20" "$(exported --phase 2)"
contains "phases: one that was not named" "$("$TOPOMAP" profile export "$phases" --phase 4 2>&1)" "has no phase '4'; it has 1, 2, 3\$"
contains "phases: a type that it has not" "$("$TOPOMAP" profile export "$phases" --phase 3 --graph bcast 2>&1)" \
    'phase 3 of .* has no graph of bcast$'
equal "phases: messages are of all together" "p2p 1 5 4 2 8" "$(grep '^p2p 1 5 4 ' "$phases/messages")"
equal "phases: messages of one" "p2p 1 5 8 1 8" "$(grep '^p2p' "$phases/messages.phase2")"
contains "phases: profile show has them" "$("$TOPOMAP" profile show "$phases")" '^2 *p2p  *1  *8  *1e-08  *8  p2p@2$'
"$TOPOMAP" profile pack "$phases" -o phased.tar >/dev/null 2>&1 &&
    "$TOPOMAP" profile unpack phased.tar --catalogue unpacked >/dev/null 2>&1
equal "phases: packed and unpacked" "0 5 3" \
    "$? $(find unpacked -name '*.phase*.graph' | wc -l) $(find unpacked -name 'messages.phase*' | wc -l)"
counts regions "row p2p 1 2 3 4 16
row p2p@2 1 5 3 1 4
row p2p@32 1 3 3 2 8
row p2p@33 1 4 3 1 4
row p2p@35 1 6 3 1 4
use p2p 0 0 4 16 16 0 0
use p2p@2 0 0 1 4 4 0 0
use p2p@32 0 0 2 8 8 0 0
use p2p@33 0 0 1 4 4 0 0
use p2p@35 0 0 1 4 4 0 0"
equal "regions: their names, as words of a command line" "32 solve 33 halo__2_ 34 _12 35 _a-name-that-is-much-longer-than-any-nam" \
    "$(rows | sed -n 's/^region //p' | xargs)"
# Another task met them in another order, and has one more.
python3 "$srcdir/system/kept.py" other dump/node-1.kept dump/node-2.kept
regions=$("$TOPOMAP" profile merge dump --catalogue regioned 2>/dev/null | tail -1)
equal "regions: by their names, of several tasks" "1 2 solve halo__2_ _a-name-that-is-much-longer-than-any-nam other" \
    "$("$TOPOMAP" profile show "$regions" | sed -n '/^PHASE/,/^$/p' | awk 'NF > 2 && $1 != "PHASE" { print $1 }' | xargs)"
equal "regions: solve of both" "4 8 5 4" "$(for rank in 1 2; do
    "$TOPOMAP" profile export "$regions" --phase solve | sed -n "$((rank + 2))p"
done | xargs)"
counts regions_many "$(
    echo 'row p2p 1 2 3 10 40'
    echo 'row p2p@32 1 3 3 2 8'
    for n in {33..63}; do echo "row p2p@$n 1 3 3 1 4"; done
    echo 'use p2p 0 0 10 40 40 0 0'
    echo 'use p2p@32 0 0 2 8 8 0 0'
    for n in {33..63}; do echo "use p2p@$n 0 0 1 4 4 0 0"; done
)"
COMMPROF_PCONTROL=ipm counts regions_ipm "row p2p 1 2 3 2 8
row p2p@2 1 5 3 1 4
row p2p@32 1 3 3 2 8
use p2p 0 0 2 8 8 0 0
use p2p@2 0 0 1 4 4 0 0
use p2p@32 0 0 2 8 8 0 0"
counts failing ""
counts collectives "row allgather 1 4 2 1 2
row allgather 1 6 2 1 2
row allgatherv 1 4 2 1 2
row allgatherv 1 6 2 1 2
row alltoallv 1 4 5 1 16
row alltoallv 1 6 3 1 4
row barrier 1 4 0 1 0
row barrier 1 6 0 1 0
row bcast 1 4 5 1 20
row bcast 1 6 5 1 20
row neighbor_alltoall 1 4 1 1 1
row reduce 1 4 5 1 28
row reduce_scatter 1 4 3 1 7
row reduce_scatter 1 6 3 1 7
row scan 1 4 1 1 1
row scatterv 1 4 3 1 4
row scatterv 1 6 1 1 1
use allgather 3 0 1 4 4 0 0
use allgatherv 3 0 1 4 4 0 0
use allreduce 8 0 1 12 0 12 0
use alltoallv 3 0 1 20 20 0 0
use barrier 3 0 1 0 0 0 0
use barrier 8 0 1 0 0 0 0
use bcast 3 0 2 40 40 0 0
use neighbor_alltoall 3 0 1 1 1 0 0
use reduce 3 0 1 28 28 0 0
use reduce_scatter 3 0 1 14 14 0 0
use scan 3 0 1 1 1 0 0
use scatterv 3 0 1 5 5 0 0"
# What goes to a task of another world is in the sum only.
counts inter "row bcast 1 2 4 1 8
row bcast 1 3 4 1 8
row p2p 1 3 3 1 4
use bcast 4 1 2 24 16 0 0
use p2p 0 0 2 8 4 0 0"
counts onesided "row rma 1 6 4 1 8
row rma 4 1 5 1 16
row rma 6 1 3 1 4
use rma 0 0 4 28 28 0 0"

# named LIBRARY [OPTION]...: the MPI that is none under another name.
named()
{
    "$MPICC_MPICH" -w -fPIC -shared -Wl,-soname,"$1" -o "$1" fakempi.o "${@:2}" &&
        cc -o named driver.o "./$1" "-Wl,-rpath,$work"
}

# preloaded RECORDER: output of a program of that MPI, and its number of rows.
preloaded()
{
    rm -rf dump && mkdir dump
    LD_PRELOAD=$STAGE_LIBDIR/$1 timeout 10 ./named p2p 2>&1
    echo "$? $(written; rows | grep -c ^row)"
}

# Which MPI calls is known by the name of its library, and no task but the first
# says that it is not.
for library in libmpi.so.12 libmpi_gnu_112.so.12 libmpich.so.12; do
    named "$library"
    equal "$library: is recorded" "0 5" "$(preloaded libcommprof.so)"
done
contains "another recorder was asked for: a line" "$(preloaded libcommprof-openmpi.so)" \
    "^topomap: the recorder for Open MPI was asked for, but this program uses MPICH's ABI (libmpich.so.12): it is recorded as that\$"
equal "another recorder was asked for: it is recorded" "0 5" "$(preloaded libcommprof-openmpi.so | tail -n 1)"
equal "another recorder was asked for: one task says so" "0 5" "$(SLURM_PROCID=1 preloaded libcommprof-openmpi.so)"
named libodd.so.3
equal "another MPI: it runs, and one line says that nothing is recorded" \
    "topomap: not recorded: libodd.so.3 is no MPI that is known here (libmpich.so.12, libmpi.so.12, libmpi.so.40); recorder=mpich or recorder=openmpi says that it has the ABI of one
0 0" "$(preloaded libcommprof.so)"
equal "another MPI: one task says so" "0 0" "$(PMI_RANK=3 preloaded libcommprof.so)"
equal "another MPI, whose ABI is told: it is recorded" "0 5" "$(preloaded libcommprof-mpich.so)"
echo 'int ompi_mpi_comm_world;' >old.c
named libmpi.so.12 old.c
contains "Open MPI 1.10 has MPICH's name, and is none" "$(preloaded libcommprof.so)" \
    "^topomap: not recorded: libmpi.so.12 is no MPI"

rm -rf dump && mkdir dump
LD_PRELOAD=$recorder timeout 10 ./driver killed 2>killed.txt
equal "killed: all that it has counted is there, and nothing else" "137 5 node-1.kept" \
    "$? $(written; rows | grep -c ^row) $(ls -A dump)"

# What a task holds at the worst time, 200,000 peers over four types.
each=$(COMMPROF_DUMP="" COMMPROF_LARGE=1 LD_PRELOAD=$recorder timeout 60 ./driver peers 1 200000 2>&1)
equal "memory: below 64 bytes for each peer and type" yes \
    "$([ "$each" -gt 23 ] && [ "$each" -lt 64 ] && echo yes || echo "$each")"

# Eight of them, one after the other, make a whole profile.
rm -rf dump && mkdir dump
for ((rank = 0; rank < 8; rank++)); do
    LD_PRELOAD=$recorder timeout 10 ./driver ring $rank
done
# Task 3 is in MPI for the longest, the first of all for the shortest time.
written
python3 "$srcdir/system/kept.py" spend dump/node-3.kept 2500
for rank in 1 2 4 5 6 7; do python3 "$srcdir/system/kept.py" spend "dump/node-$rank.kept" 700; done
"$TOPOMAP" profile merge dump --catalogue filed >merge.txt 2>&1
equal "ring: eight tasks' rows are merged" 0 $?
equal "ring: and where they are" "$(readlink -f "$(echo filed/*/*/8/current)")" "$(readlink -f "$(tail -1 merge.txt)")"
equal "ring: their graph" "8 8 001/2 8 8 8/1 8 3 8/2 8 4 8/3 8 5 8/4 8 6 8/5 8 7 8/6 8 8 8/1 8 7 8/" \
    "$("$TOPOMAP" profile export "$(echo filed/*/*/8/current)/" --graph p2p 2>&1 | tr '\n' '/')"
equal "ring: the longest and the shortest task, of the type and in all" \
    '2 "task_seconds": { "max": 0.000002500, "max_task": 3, "min": 0.000000000, "min_task": 0 }' \
    "$(grep -o '"task_seconds": {[^}]*}' "$(echo filed/*/*/8/current)/profile.json" | uniq -c | sed 's/^ *//')"
equal "ring: profile show has them" "p2p 8.375e-07 2.5e-06 3 0 0
all of MPI 8.375e-07 2.5e-06 3 0 0" \
    "$("$TOPOMAP" profile show "$(echo filed/*/*/8/current)/" | sed -n '/^SECONDS OF A TASK/,$p' | sed 1d | tr -s ' ')"
contains "ring: profile show --json, too" "$("$TOPOMAP" profile show "$(echo filed/*/*/8/current)/" --json)" '"max_task": 3'
finish
