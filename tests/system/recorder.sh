#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder.sh - libcommprof under mpiexec, without Slurm: what it files is held
# against what each program of tests/programs says of itself, and programs must
# not notice it, however they end.
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE_LIBDIR:?}" "${TOPOMAP:?}"
[ "${TOPOMAP_CHECK-}" != unit ] || skip_all "TOPOMAP_CHECK=unit"

work=$(mktemp -d "${TMPDIR:-/tmp}/recorder-XXXXXX")
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
unset SLURM_JOB_ID SLURM_STEP_ID COMMPROF_NAME COMMPROF_PROGRAM COMMPROF_LARGE
export COMMPROF_VERBOSE=1 COMMPROF_WAIT=30 COMMPROF_CATALOGUE=$work/filed
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader
have_valgrind=$(command -v valgrind)

# launch TASKS PROGRAM...: sets out, err, status.
launch()
{
    local n=$1
    shift
    if [ "$mpi" = mpich ]; then
        set -- "${mpicc/mpicc/mpiexec}" -n "$n" "$@"
    else
        set -- "${mpicc/mpicc/mpirun}" --allow-run-as-root --oversubscribe \
            --mca plm isolated -n "$n" "$@"
    fi
    timeout 120 "$@" >out.txt 2>err.txt </dev/null
    status=$?
    out=$(cat out.txt)
    err=$(grep -v -e '^$' -e UCX err.txt)
}

# record TASKS PROGRAM...: the same with the recorder, and an empty catalogue.
record()
{
    local n=$1
    shift
    rm -rf filed
    launch "$n" env "LD_PRELOAD=$recorder" "$@"
}

said() { printf '%s\n' "$err" | grep '^commprof:'; }

# What the current profile of a catalogue holds, as the programs print it.
found()
{
    local graph
    for graph in filed/*/*/*/current/*.graph; do
        [ -e "$graph" ] || continue
        awk -v type="$(basename "$graph" .graph)" 'NR > 1 {
            for (i = 1; i < NF; i += 2)
                if ($i > NR - 1)
                    print "edge", type, NR - 2, $i - 1, $(i + 1)
        }' "$graph"
    done
    sed -n 's/.*"type": "\([a-z0-9_]*\)", "calls": \([0-9]*\), "bytes": \([0-9]*\),.*/calls \1 \2\nbytes \1 \3/p' \
        filed/*/*/*/current/profile.json 2>/dev/null
    sed '/^#/d; s/^/message /' filed/*/*/*/current/messages 2>/dev/null
}

# Every type that the program speaks of, and no other but barrier, is as it
# says.
agrees()
{
    local expected types
    expected=$(printf '%s\n' "$out" | grep -E '^(edge|calls|bytes|message) ' | LC_ALL=C sort)
    types=$(printf '%s\n' "$expected" | awk '{print $2}' | tr '\n' ' ')
    equal "$1: ends as it should" 0 "$status"
    if [ "$(printf '%s\n' "$out" | head -n1)" = skip ]; then
        skip "$1: what was found" "this MPI has no such threads"
        return
    fi
    equal "$1: edges, calls and bytes are those of the program" "$expected" \
        "$(found | awk -v types=" $types" -v sizes="$(printf '%s\n' "$expected" | grep -c ^message)" \
            '($2 != "barrier" || index(types, " barrier ")) && ($1 != "message" || sizes)' | LC_ALL=C sort)"
}

# unnoticed NAME TASKS PROGRAM...: output and status with and without.
unnoticed()
{
    local name=$1 plain
    shift
    launch "$@"
    plain="$status
$out"
    record "$@"
    equal "$name: output and exit status as without the recorder" "$plain" "$status
$out"
}

filed_nothing()
{
    equal "$1: nothing is filed, whole or in part" "" "$(find filed -type f 2>/dev/null)"
}

# compile PROGRAM [OPTION [NAME]]
compile()
{
    "$mpicc" -g ${2:+"$2"} -o "${3:-$1}-$mpi" "$srcdir/programs/$1.c" -pthread >compile.txt 2>&1 ||
        { not_ok "$mpi: $1.c compiles" "$(cat compile.txt)"; return 1; }
}

# seconds TYPE, of the current profile
seconds() { sed -n "s/.*\"type\": \"$1\", .*\"bytes\": [0-9]*, \"seconds\": \([0-9.]*\), \"paired.*/\1/p" filed/*/*/*/current/profile.json; }

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
        "^commprof: profile of recorder_p2p-$mpi, 5 tasks, filed in $work/filed/"
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
    OMPI_MCA_osc=pt2pt record 6 "./recorder_more-$mpi"
    agrees "$mpi neighbourhoods, one-sided, partitioned, sizes"

    OMPI_MCA_osc=pt2pt record 4 "./recorder_rest-$mpi" "$work/data"
    agrees "$mpi all other calls and communicators"

    record 3 "./recorder_threads-$mpi"
    agrees "$mpi threads"
}

# Whose time it is, and when there is any.
times()
{
    local type least
    record 2 "./recorder_times-$mpi" wait
    while read -r _ type least; do
        equal "$mpi: waiting for a request of $type is time of $type" yes \
            "$(seconds "$type" | awk -v least="$least" '{print ($1 >= least && $1 < least + 1) ? "yes" : $1}')"
    done < <(printf '%s\n' "$out" | grep ^least)
    record 2 "./recorder_times-$mpi" region
    agrees "$mpi MPI_Pcontrol"
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
    fails "a session alone" "the program uses MPI Sessions and not MPI_Init" \
        3 "./recorder_sessions-$mpi"
}

identity()
{
    record 2 "./recorder_ends-$mpi" normal 0
    contains "$mpi: filed by the build's identity" "$(ls -d filed/*/*/*/current)" \
        "^filed/recorder_ends-$mpi/[0-9a-f]*/2/current\$"
    COMMPROF_NAME=water COMMPROF_VERBOSE='' record 2 "./recorder_ends-$mpi" normal 0
    equal "$mpi: filed by a name" "filed/water/named/2/current" "$(ls -d filed/*/*/*/current)"
    equal "$mpi: silent without COMMPROF_VERBOSE" "" "$err"
    COMMPROF_PROGRAM=recorder_p2p-$mpi record 2 "./recorder_ends-$mpi" no-folder
    contains "$mpi: filed for another program, by a path that was relative" \
        "$(ls -d filed/*/*/*/current)" "^filed/recorder_p2p-$mpi/"
    cp "recorder_ends-$mpi" python3
    record 2 ./python3 normal 4
    equal "$mpi: an interpreter's status is its own" 4 "$status"
    contains "$mpi: an interpreter needs a name" "$(said)" 'python3 runs other programs'
    SLURM_JOB_ID=12 SLURM_STEP_ID=3 record 2 "./recorder_ends-$mpi" normal 0
    contains "$mpi: the version names job and step" "$(readlink filed/*/*/*/current)" '^r.*-12\.3$'
    (umask 0 && SLURM_JOB_ID=12 record 2 "./recorder_ends-$mpi" normal 0)
    equal "$mpi: never writable by others, whatever the umask" "" "$(find filed -perm /022 ! -type l)"
}

endings()
{
    unnoticed "$mpi, status 5" 3 "./recorder_ends-$mpi" normal 5
    equal "$mpi, status 5: one line" 1 "$(said | wc -l)"
    unnoticed "$mpi, abort" 3 "./recorder_ends-$mpi" abort
    filed_nothing "$mpi, abort"
    unnoticed "$mpi, no MPI_Finalize" 1 "./recorder_ends-$mpi" no-finalize
    filed_nothing "$mpi, no MPI_Finalize"
    unnoticed "$mpi, no MPI at all" 1 "./recorder_ends-$mpi" no-mpi
    equal "$mpi, no MPI at all: not a word" "" "$(said)"
    filed_nothing "$mpi, no MPI at all"
    unnoticed "$mpi, stderr closed" 3 "./recorder_ends-$mpi" no-stderr
    unnoticed "$mpi, folder gone" 3 "./recorder_ends-$mpi" no-folder
    unnoticed "$mpi, MPI I/O" 3 "./recorder_ends-$mpi" file "$work/data"
    equal "$mpi, MPI I/O: what MPI does inside is no call of the program's" \
        "calls p2p 3" "$(found | grep calls)"
    if [ "$mpi" = openmpi ]; then
        OMPI_MCA_io=romio321 unnoticed "$mpi, MPI I/O by ROMIO" 3 "./recorder_ends-$mpi" file "$work/data"
        equal "$mpi, MPI I/O by ROMIO: what it does inside is no call of the program's" \
            "calls p2p 3" "$(found | grep calls)"
    fi
    unnoticed "$mpi, one late task" 3 "./recorder_ends-$mpi" late 1
    contains "$mpi, one late task: the profile waits for it" "$(said)" 'filed in'
    equal "$mpi: a shell does not notice" "hello 7" \
        "$(LD_PRELOAD=$recorder sh -c 'echo hello; exit 7' 2>&1 | tr '\n' ' '; \
           LD_PRELOAD=$recorder sh -c 'exit 7'; echo $?)"
}

# fails NAME PATTERN TASKS PROGRAM...: no profile, one line, else unnoticed.
fails()
{
    local name=$1 pattern=$2
    shift 2
    unnoticed "$mpi, $name" "$@"
    equal "$mpi, $name: one line" 1 "$(said | wc -l)"
    contains "$mpi, $name: the line says why" "$(said)" \
        "^commprof: cannot file the profile: $pattern.*; the program is not affected\$"
    filed_nothing "$mpi, $name"
}

failures()
{
    fails "no file may grow" ".*File too large" 2 "./recorder_ends-$mpi" limit
    COMMPROF_CATALOGUE=/dev/null/x fails "catalogue below a file" ".*/dev/null" \
        2 "./recorder_ends-$mpi" normal 6
    COMMPROF_LARGE=many fails "bad COMMPROF_LARGE" "COMMPROF_LARGE=many is no number" \
        2 "./recorder_ends-$mpi" normal 0
    COMMPROF_PROGRAM=/no/such fails "no such COMMPROF_PROGRAM" ".*/no/such" \
        2 "./recorder_ends-$mpi" normal 0
    mkdir -p full
    if mount -t tmpfs -o size=8k,nr_inodes=20 tmpfs full 2>/dev/null; then
        head -c 100000 /dev/zero >full/all 2>/dev/null
        COMMPROF_CATALOGUE=$work/full fails "full disk" ".*No space left" \
            3 "./recorder_ends-$mpi" normal 0
        equal "$mpi, full disk: nothing is left there" all \
            "$(find full -type f -printf '%f\n')"
        mount -o remount,ro full
        COMMPROF_CATALOGUE=$work/full fails "read-only disk" ".*[Rr]ead-only" \
            3 "./recorder_ends-$mpi" normal 0
        umount full
    else
        skip "$mpi, full disk" "no tmpfs can be mounted here"
    fi
}

# A node without the recorder: some tasks have it, some not.
partial()
{
    cat >partly <<'END'
#!/bin/sh
[ "${PMI_RANK-${OMPI_COMM_WORLD_RANK-}}" = 1 ] || export LD_PRELOAD="$1"
shift
exec "$@"
END
    chmod +x partly
    rm -rf filed
    COMMPROF_WAIT=1 launch 3 ./partly "$recorder" "./recorder_ends-$mpi" normal 5
    equal "$mpi, recorder not everywhere: the program ends as it would" 5 "$status"
    contains "$mpi, recorder not everywhere: one line says so" "$(said)" \
        'not every task came to MPI_Finalize with the recorder within 1 s'
    filed_nothing "$mpi, recorder not everywhere"
}

# An MPI library that was loaded privately, as extension modules of Python do.
plugged()
{
    cat >host.c <<'END'
#include <dlfcn.h>
int main(int argc, char **argv)
{
    void *library = dlopen("./plugged.so", RTLD_NOW | RTLD_LOCAL);
    int (*run)(int, char **) = library ? (int (*)(int, char **))dlsym(library, "run") : 0;
    return run ? run(argc, argv) : 99;
}
END
    if ! cc -o host host.c -ldl 2>compile.txt ||
        ! "$mpicc" -shared -fPIC -Dmain=run -o plugged.so \
            "$srcdir/programs/recorder_ends.c" 2>>compile.txt; then
        skip "$mpi: MPI in a plug-in" "it does not compile here"
        return
    fi
    unnoticed "$mpi, MPI in a plug-in" 2 ./host normal 5
    contains "$mpi, MPI in a plug-in: recorded" "$(said)" 'profile of host, 2 tasks, filed in'
}

# What was counted is not lost when there is no MPI_Finalize, if so wished.
dumps()
{
    local kept merged
    rm -rf filed dump && mkdir dump
    export COMMPROF_DUMP=$work/dump
    record 3 "./recorder_ends-$mpi" normal 0
    equal "$mpi, rows: none are left when all is well" "" "$(ls -A dump)"
    for how in abort no-finalize; do
        rm -rf dump && mkdir dump
        record 3 "./recorder_ends-$mpi" "$how"
        filed_nothing "$mpi, rows, $how"
        # mpiexec of MPICH kills the others at once, in the middle of writing
        # even: what they leave then ends in .part, and merge passes it over.
        kept=$(find dump -name 'commprof-*.rows' | wc -l)
        equal "$mpi, rows, $how: at least one task left its own, whole" "yes" \
            "$([ "$kept" -ge 1 ] && echo yes)"
        "$TOPOMAP" profile merge dump --catalogue filed 2>merge.txt
        merged=$?
        # One that was ended early may have counted nothing yet.
        equal "$mpi, rows, $how: merged" \
            "0 $(cat dump/commprof-*.rows | awk '/^use p2p/ {n += $5} END {print "calls p2p", n}')" \
            "$merged $(found | grep calls)"
        [ "$kept" = 3 ] ||
            contains "$mpi, rows, $how: what is missing is said" "$(cat merge.txt)" \
                "only $kept of 3 tasks left their rows"
    done
    rm -rf filed dump out.txt && mkdir dump
    LD_PRELOAD=$recorder "./recorder_ends-$mpi" late 20 >out.txt 2>err.txt </dev/null &
    local pid=$!
    for ((i = 0; i < 100; i++)); do
        [ -s out.txt ] && break # MPI_Init is over
        sleep 0.1
    done
    sleep 0.3
    kill -TERM $pid
    wait $pid 2>/dev/null
    equal "$mpi, rows, SIGTERM: it ends the program, and there is one file" "143 commprof-0.rows" \
        "$? $(ls -A dump)"
    unset COMMPROF_DUMP
    filed_nothing "$mpi, rows, SIGTERM"
    [ -s dump/commprof-0.rows ] || return
    sed '/^end/d' dump/commprof-0.rows >dump/commprof-1.rows
    equal "$mpi, rows: a file that is cut off is refused, with its line" "1 1" \
        "$("$TOPOMAP" profile merge dump --catalogue filed 2>merge.txt; echo $?) $(grep -c 'dump/commprof-1.rows:[0-9]*: cut off' merge.txt)"
    filed_nothing "$mpi, rows, cut off"
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
            --tasks-per-node 2 --graph gather:tree 2>&1)" '^outcome .*graph gather:tree of'
    contains "$mpi, collectives: no other expansion" "$(expanded bcast:ring)" "TYPE:tree"
    contains "$mpi, communicators by size" "$(cat "$current/profile.json")" \
        '"bcast".*"communicators": \[{ "size": 4, "communicators": 2, "calls": 40, "bytes": 120, "seconds": [0-9.]* }\]'
}

# Another tool of the same interface, before and behind the recorder.
others()
{
    "$mpicc" -w -shared -fPIC -x c -o "tool-$mpi.so" - <<'END'
#include <mpi.h>
#include <stdio.h>
static int calls;
int MPI_Sendrecv(const void *b, int n, MPI_Datatype t, int to, int tag, void *in, int m,
                 MPI_Datatype u, int from, int tag2, MPI_Comm c, MPI_Status *s)
{
    calls++;
    return PMPI_Sendrecv(b, n, t, to, tag, in, m, u, from, tag2, c, s);
}
int MPI_Finalize(void)
{
    fprintf(stderr, "tool: %d\n", calls);
    return PMPI_Finalize();
}
END
    local preload
    for preload in "$PWD/tool-$mpi.so:$recorder" "$recorder:$PWD/tool-$mpi.so"; do
        rm -rf filed
        launch 3 env "LD_PRELOAD=$preload" "./recorder_ends-$mpi" normal 5
        equal "$mpi, another tool: the program, the tool and the recorder see each call once" \
            "5 / tool: 1 tool: 1 tool: 1 / calls p2p 3" \
            "$status / $(printf '%s\n' "$err" | grep '^tool' | tr '\n' ' ')/ $(found | grep calls)"
    done
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
    record 64 ./recorder_p2p-openmpi
    agrees "openmpi, 64 tasks"
}

memory()
{
    if [ -z "$have_valgrind" ]; then
        skip "$mpi: valgrind" "no valgrind"
        return
    fi
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
        grep -vE '^T_|^Aint$' | LC_ALL=C sort -u >declared
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
    equal "$mpi: what the table watches is exported, and nothing else" \
        "$(LC_ALL=C sort watched inside | LC_ALL=C comm -12 declared -)" "$(cat exported)"
}

tried=
for mpi in mpich openmpi; do
    recorder=$STAGE_LIBDIR/libcommprof-$mpi.so
    variable=MPICC_${mpi^^}
    mpicc=${!variable-}
    if [ -z "$mpicc" ] || [ ! -e "$recorder" ]; then
        skip "the $mpi recorder" "not built"
        continue
    fi
    tried=yes
    for program in recorder_p2p recorder_collectives recorder_threads recorder_ends \
        recorder_more recorder_rest recorder_times; do
        compile $program || continue 2
    done
    compile recorder_collectives -DBEGUN begun || continue
    table
    counting
    times
    spawning
    sessions
    languages
    identity
    endings
    failures
    partial
    plugged
    dumps
    expansions
    others
    monitored
    many
    memory
done
[ -n "$tried" ] || skip "recorder" "no recorder was built"
finish
