#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder.sh - libcommprof under mpiexec, without Slurm: what it files is held
# against what each program of tests/programs says of itself.
# shellcheck source=tests/system/recorded.sh
. "$(dirname "$0")/recorded.sh"

# one_sided COMMAND...: by pt2pt, where there is one.
one_sided()
{
    openmpi_settings "${mpicc/mpicc/mpirun}"
    if [ -n "$openmpi_osc" ]; then
        OMPI_MCA_osc=$openmpi_osc "$@"
    else
        "$@"
    fi
}

languages()
{
    local binding mpifort=${mpicc/mpicc/mpifort}
    for binding in "" -DBINDINGS; do
        if "${mpicc/mpicc/mpicxx}" -w $binding -o "cxx-$mpi" "$srcdir/programs/recorder_cxx.cc" \
            >compile.txt 2>&1; then
            record 4 "./cxx-$mpi"
            agrees "$mpi C++${binding:+, by classes}"
        else
            skip "$mpi C++${binding:+, by classes}" "it does not compile here"
        fi
    done
    for binding in MPIF MPI F08; do
        if "$mpifort" -w -fallow-argument-mismatch "-DBINDING_$binding" -o "fortran-$mpi" \
            "$srcdir/programs/recorder_fortran.F90" >compile.txt 2>&1; then
            record 6 "./fortran-$mpi"
            agrees "$mpi Fortran $binding"
        else
            skip "$mpi Fortran $binding" "it does not compile here"
        fi
    done
}

counting()
{
    record 5 "./recorder_p2p-$mpi"
    agrees "$mpi point-to-point, 5 tasks"
    equal "$mpi: one line with COMMPROF_VERBOSE" 1 "$(said | wc -l)"
    contains "$mpi: the line says what and where" "$(said)" \
        "^topomap: recorded: 5 of 5 tasks of recorder_p2p-$mpi; filed in $work/filed/"
    record 4 "./recorder_p2p-$mpi"
    agrees "$mpi point-to-point, 4 tasks"

    COMMPROF_LARGE=0.7 record 8 "./recorder_collectives-$mpi"
    agrees "$mpi collectives"
    contains "$mpi: what is no more than large has no graph" \
        "$(cat filed/*/*/*/current/profile.json)" '"barrier".*"graph": null, "why": "no bytes"'
    COMMPROF_LARGE=0.1 record 8 "./recorder_collectives-$mpi"
    contains "$mpi: COMMPROF_LARGE is the share for pairs" \
        "$(cat filed/*/*/*/current/profile.json)" \
        '"bcast".*"paired_bytes": 0, "graph": null, "why": "over more than 0.1 of the tasks"'

    COMMPROF_LARGE=0.7 record 8 "./begun-$mpi"
    agrees "$mpi nonblocking collectives"
    if "$mpicc" -DPERSISTENT -Werror=implicit -o "persistent-$mpi" \
        "$srcdir/programs/recorder_collectives.c" >compile.txt 2>&1; then
        COMMPROF_LARGE=0.7 record 8 "./persistent-$mpi"
        agrees "$mpi persistent collectives"
    fi
    one_sided record 6 "./recorder_more-$mpi"
    agrees "$mpi neighbourhoods, one-sided, partitioned, sizes"

    one_sided record 4 "./recorder_rest-$mpi" "$work/data"
    agrees "$mpi all other calls and communicators"

    record 3 "./recorder_threads-$mpi"
    agrees "$mpi threads"
}

# Whose time it is, and when there is any.
times()
{
    local type least most
    record 2 "./recorder_times-$mpi" wait
    # Of a busy machine no more is sure than that two tasks had the run's time.
    most=$(sed -n 's/^  "seconds": \([0-9.]*\).*/\1/p' filed/*/*/*/current/profile.json)
    while read -r _ type least; do
        equal "$mpi: waiting for a request of $type is time of $type" yes \
            "$(seconds "$type" | awk -v least="$least" -v most="$most" '{print ($1 >= least && $1 <= 2 * most) ? "yes" : $1 " of " most}')"
    done < <(printf '%s\n' "$out" | grep ^least)
    contains "$mpi: task 0 waits for task 1, and the profile says so" "$(cat filed/*/*/*/current/profile.json)" \
        '^  "task_seconds": { "max": [0-9.]*, "max_task": 0, "min": [0-9.]*, "min_task": 1 },$'
    record 2 "./recorder_times-$mpi" region
    agrees "$mpi MPI_Pcontrol"
    equal "$mpi MPI_Pcontrol: what followed level 2 is a phase of its own, with the whole graph" \
        "$(cat filed/*/*/*/current/p2p.graph)" "$(cat filed/*/*/*/current/p2p.phase2.graph)"
    COMMPROF_SECONDS=1 record 2 "./recorder_times-$mpi" limit
    agrees "$mpi COMMPROF_SECONDS"
    contains "$mpi COMMPROF_SECONDS: for how long" "$(cat filed/*/*/*/current/profile.json)" \
        '"counted_seconds": 2\.'
    COMMPROF_PAUSED=1 record 2 "./recorder_times-$mpi" paused
    agrees "$mpi COMMPROF_PAUSED"
    COMMPROF_PAUSED=1 record 2 "./recorder_times-$mpi" limit
    equal "$mpi COMMPROF_PAUSED: a profile of nothing when nothing lets go" "1 " \
        "$(said | grep -c 'filed in') $(found)"
    COMMPROF_PAUSED=0 record 2 "./recorder_times-$mpi" region
    agrees "$mpi COMMPROF_PAUSED=0 pauses nothing"
}

# Tasks that a program starts itself. Open MPI's reach each other by TCP; MPICH
# 4.0.2 as Debian builds it fails before it asks mpiexec for any.
spawning()
{
    local OMPI_MCA_btl=self,tcp
    launch 2 "./recorder_times-$mpi" spawn
    if [ "$status" = 0 ]; then
        record 2 "./recorder_times-$mpi" spawn
        agrees "$mpi MPI_Comm_spawn"
        equal "$mpi MPI_Comm_spawn: one profile" 1 "$(said | wc -l)"
    else
        unnoticed "$mpi, MPI_Comm_spawn that fails" 2 "./recorder_times-$mpi" spawn
        skip "$mpi MPI_Comm_spawn" "it fails here without the recorder, too"
    fi
}

sessions()
{
    compile recorder_sessions || return
    launch 3 "./recorder_sessions-$mpi"
    if [ "$out" = "skip
skip
skip" ]; then
        skip "$mpi sessions" "this MPI has none"
        return
    fi
    record 3 "./recorder_sessions-$mpi" initialized
    agrees "$mpi, a session beside MPI_Init"
    unnoticed "$mpi, a session alone" 3 "./recorder_sessions-$mpi"
}

# Collectives, expanded otherwise than the recorder did.
expansions()
{
    "$mpicc" -w -x c -o "tree-$mpi" - <<'END'
#include <mpi.h>
int main(int argc, char **argv)
{
    int rank, block[8] = {0}, all[64];
    MPI_Comm half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 4, -rank, &half); /* 3 2 1 0, 7 6 5 4 */
    for (int i = 0; i < 5; i++)
        MPI_Bcast(block, 1, MPI_INT, 1, half);
    MPI_Gather(block, 2, MPI_INT, all, 2, MPI_INT, 0, MPI_COMM_WORLD);
    MPI_Finalize();
    return 0;
}
END
    record 8 "./tree-$mpi"
    local current
    current=$(echo filed/*/*/*/current)
    expanded() { "$TOPOMAP" profile export "$current/" --graph "$1" 2>&1 | tr '\n' '/'; }
    equal "$mpi, collectives: bcast from the root to each" \
        "8 6 001/3 20/3 20/1 20 2 20 4 20/3 20/7 20/7 20/5 20 6 20 8 20/7 20/" "$(expanded bcast:direct)"
    # From task 2 (rank 1) to tasks 1 and 0, and from there to 3.
    equal "$mpi, collectives: bcast along a binomial tree" \
        "8 6 001/3 20 4 20/3 20/1 20 2 20/1 20/7 20 8 20/7 20/5 20 6 20/5 20/" "$(expanded bcast:tree)"
    equal "$mpi, collectives: gather along a binomial tree, over all tasks" \
        "8 7 001/2 8 3 16 5 32/1 8/1 16 4 8/3 8/1 32 6 8 7 16/5 8/5 16 8 8/7 8/" "$(expanded gather:tree)"
    contains "$mpi, collectives: ranks can be placed by an expansion" \
        "$(TOPOMAP_CATALOGUE=filed "$TOPOMAP" plan --program "./tree-$mpi" --ntasks 8 --nodelist 'n[0-3]' \
            --tasks-per-node 2 --graph gather:tree 2>&1)" '^outcome .*graph gather:tree of the profile of'
    contains "$mpi, collectives: no other expansion" "$(expanded bcast:ring)" "TYPE:tree"
    contains "$mpi, communicators by size" "$(cat "$current/profile.json")" \
        '"bcast".*"communicators": \[{ "size": 4, "communicators": 2, "calls": 40, "bytes": 120, "seconds": [0-9.]* }\]'
}

# Regions by commprof.h alone, of which the tasks meet the first ones in different
# orders: pairs of neighbours in solve, a collective there and in assemble. Before
# MPI_Init and after MPI_Finalize there is none; Open MPI would end the program.
regions()
{
    local named current
    "$mpicc" -Wall -Werror -I"$STAGE_INCLUDEDIR" -x c -o "regions-$mpi" - <<'END'
#include <commprof.h>
int main(int argc, char **argv)
{
    int rank, word = 0, in;
    MPI_Comm half;
    commprof_region_begin("early");
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_split(MPI_COMM_WORLD, rank / 2, 0, &half);
    commprof_region_begin(rank % 2 ? "assemble" : "solve");
    commprof_region_end(rank % 2 ? "assemble" : "solve");
    commprof_region_begin("solve");
    MPI_Sendrecv(&word, 1, MPI_INT, rank ^ 2, 0, &in, 1, MPI_INT, rank ^ 2, 0,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Bcast(&word, 1, MPI_INT, 0, half);
    commprof_region_begin("assemble");
    MPI_Bcast(&word, 1, MPI_INT, 0, half);
    MPI_Bcast(&word, 1, MPI_INT, 0, half);
    MPI_Comm_free(&half);
    MPI_Finalize();
    commprof_region_end("late");
    return 0;
}
END
    if echo 'int main() { return 0; }' | "${mpicc/mpicc/mpicxx}" -x c++ -fsyntax-only - 2>/dev/null; then
        equal "$mpi, regions: the header as C++" "" "$(printf '#define COMMPROF_FORTRAN\n#include <commprof.h>\n' |
            "${mpicc/mpicc/mpicxx}" -DOMPI_SKIP_MPICXX -I"$STAGE_INCLUDEDIR" -std=c++11 -Wall -Wextra -Werror -x c++ -fsyntax-only - 2>&1)"
    fi
    record 4 "./regions-$mpi"
    current=$(echo filed/*/*/*/current)
    named=$(sed -n 's/.*{ "phase": \([0-9]*\), "name": "\([a-z]*\)".*/\2 \1/p' "$current/profile.json")
    equal "$mpi, regions: their names, rank 0's first" "0 solve 32 assemble 33" "$status $(echo "$named" | xargs)"
    equal "$mpi, regions: messages of one" "p2p 0 2 4 1 4 p2p 1 3 4 1 4 p2p 2 0 4 1 4 p2p 3 1 4 1 4 bcast 0 1 4 1 4 bcast 2 3 4 1 4" \
        "$(grep -v '^#' "$current/messages.phase32" | xargs)"
    equal "$mpi, regions: collectives of the other" "communicator 0 2 0 1 bcast 0 0 2 8 communicator 1 2 2 3 bcast 1 0 2 8" \
        "$(grep -v '^#' "$current/collectives.phase33" | xargs)"
    equal "$mpi, regions: each type in each" "p2p@solve bcast@solve bcast@assemble" \
        "$("$TOPOMAP" eval --by-type "$current/" --topology torus:4 --tasks-per-node 1 block --csv | sed -n 's/^[^,]*,"\([a-z0-9@]*\)",.*/\1/p' | xargs)"
    if ! printf '#define COMMPROF_FORTRAN\n#include <commprof.h>\n' | "$mpicc" -Wall -Werror -I"$STAGE_INCLUDEDIR" -x c -c -o regions.o - ||
        ! "${mpicc/mpicc/mpifort}" -o "fregions-$mpi" -xf95 - -xnone regions.o <<'END' 2>compile.txt
program regions
    use mpi
    integer :: error, rank, word(1), incoming(1), status(MPI_STATUS_SIZE)
    character(len=20) :: name = 'solve'
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call commprof_region_begin(name)
    word = 0
    call MPI_Sendrecv(word, 1, MPI_INTEGER, 1 - rank, 0, incoming, 1, MPI_INTEGER, 1 - rank, 0, &
        MPI_COMM_WORLD, status, error)
    call commprof_region_end('solve')
    call MPI_Pcontrol(1)
    call MPI_Finalize(error)
end program
END
    then
        skip "$mpi, regions in Fortran" "it does not compile here"
        return
    fi
    COMMPROF_PCONTROL=ipm record 2 "./fregions-$mpi" # of which Fortran gives no name
    equal "$mpi, regions in Fortran" "0 1" "$status $(grep -c '"name": "solve"' filed/*/*/*/current/profile.json)"
}

# Open MPI counts what passes below the profiling interface by itself. Its
# counts of persistent requests are wrong in 4.1.4, and making an inter-
# communicator is point-to-point to it; what the recorder sends in the end would
# count, too, hence two runs.
monitored()
{
    [ "$mpi" = openmpi ] || return
    rm -rf monitor.*
    export OMPI_MCA_pml_monitoring_enable=2 OMPI_MCA_pml_monitoring_enable_output=3 \
        OMPI_MCA_pml_monitoring_filename=$work/monitor
    launch 4 ./recorder_p2p-openmpi plain
    unset OMPI_MCA_pml_monitoring_enable OMPI_MCA_pml_monitoring_enable_output \
        OMPI_MCA_pml_monitoring_filename
    record 4 ./recorder_p2p-openmpi plain
    if [ ! -e monitor.0.prof ]; then
        skip "openmpi's own monitoring" "there is none"
        return
    fi
    equal "openmpi's own monitoring: the same bytes and messages" \
        "$(cat monitor.*.prof | awk '$1 == "E" && $2 != $3 {print $2, $3, $4, $6}' | LC_ALL=C sort)" \
        "$(awk '$1 == "p2p" {n[$2 " " $3] += $5; b[$2 " " $3] += $6}
            END {for (i in n) print i, b[i], n[i]}' filed/*/*/*/current/messages | LC_ALL=C sort)"
}

# More tasks than this machine has cores; MPICH's never yield.
many()
{
    [ "$mpi" = openmpi ] || return
    record 24 ./recorder_p2p-openmpi
    agrees "openmpi, 24 tasks"
}

memory()
{
    if [ -z "$have_valgrind" ]; then
        skip "$mpi: valgrind" "no valgrind"
        return
    fi
    # Under Open MPI it takes longer than all else here together.
    [ "$mpi" = mpich ] || [ "${TOPOMAP_CHECK_EXTENDED-}" = yes ] || return
    COMMPROF_NAME=valgrind record 4 "$have_valgrind" -q --error-exitcode=0 \
        --log-file=valgrind.%p "./recorder_p2p-$mpi"
    agrees "$mpi under valgrind"
    equal "$mpi: valgrind finds nothing in the recorder" "" \
        "$(cat valgrind.* | grep -A8 -E 'Invalid|uninitialised|overlap' | grep -E 'libcommprof|commprof/')"
    rm -f valgrind.*
}

# The table against mpi.h: it has every function, and what it watches of them is
# exported, under both widths of counts, and nothing else.
table()
{
    local rows=$srcdir/../profiles/commprof/calls.def
    "$mpicc" -E -P -include mpi.h -x c /dev/null 2>/dev/null | tr '\n' ' ' |
        grep -oE '\bMPI_[A-Z][A-Za-z0-9_]* ?\(' | sed 's/MPI_//; s/[ (]//g' |
        grep -vE '^T_|^(Aint|Comm|Count|Datatype|Errhandler|File|Fint|Group|Info|Message|Offset|Op|Request|Session|Status|Win)$' | LC_ALL=C sort -u >declared
    awk -F'|' '
        function both(name) { print name; print name "_c" }
        /^by hand:/ { for (i = 3; i <= split($0, word, " "); i++) print word[i] }
        /^[A-Z]/ {
            name = $1
            sub(/[?(].*/, "", name)
            both(name)
            if ($3 ~ /collective/) {
                both("I" tolower(substr(name, 1, 1)) substr(name, 2))
                both(name "_init")
            }
        }' "$rows" | LC_ALL=C sort -u >watched
    sed -n 's/^inside: //p' "$rows" | tr ' ' '\n' | sed 'p; s/$/_c/' | LC_ALL=C sort >inside
    sed -n 's/^neither: //p' "$rows" | tr ' ' '\n' | sed 'p; s/$/_c/' | LC_ALL=C sort >neither
    equal "$mpi: mpi.h has hundreds of functions" yes \
        "$([ "$(wc -l <declared)" -gt 300 ] && echo yes)"
    equal "$mpi: every function of mpi.h is in the table, once" "" \
        "$(LC_ALL=C sort -u watched inside neither | LC_ALL=C comm -23 declared -
            LC_ALL=C sort watched inside neither | uniq -d)"
    # The programs above call each of them, collectives through DO().
    sed -nE 's/^.*DO\(([A-Z][a-z_]*), ([a-z_]*),.*/MPI_\1( MPI_I\2( MPI_\1_init(/p; /^#/!p' \
        "$srcdir"/programs/recorder_*.c | tr -d '\n' |
        grep -oE '\bMPI_[A-Z][A-Za-z0-9_]*(_init)?\b' | sed 's/MPI_//' | LC_ALL=C sort -u >called
    equal "$mpi: every watched function is called by one of the programs" "" \
        "$(LC_ALL=C comm -12 declared watched | grep -v '_c$' | LC_ALL=C comm -23 - called)"
    nm -D --defined-only "$recorder" | sed -n 's/.* MPI_//p' | LC_ALL=C sort >exported
    LC_ALL=C sort watched inside >table
    equal "$mpi: what the table watches is exported" "" \
        "$(LC_ALL=C comm -12 declared table | LC_ALL=C comm -23 - exported)"
    equal "$mpi: and what it does not watch of any MPI is not" "" \
        "$(LC_ALL=C comm -13 table exported)"
}

tests()
{
    compile recorder_collectives -DBEGUN begun || return
    table
    counting
    times
    spawning
    sessions
    languages
    expansions
    regions
    monitored
    many
    memory
}
each_mpi recorder_p2p recorder_collectives recorder_threads recorder_more \
    recorder_rest recorder_times
