#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder_ends.sh - programs must not notice libcommprof, however they end and
# also when it fails; and where what was recorded is filed.
# shellcheck source=tests/system/recorded.sh
. "$(dirname "$0")/recorded.sh"

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
    if [ "$mpi" = openmpi ] && [ -z "${openmpi_alone-}" ]; then
        skip "$mpi: the version names job and step" "its mpirun takes itself for one of a job of Slurm then"
    else
        SLURM_JOB_ID=12 SLURM_STEP_ID=3 record 2 "./recorder_ends-$mpi" normal 0
        contains "$mpi: the version names job and step" "$(readlink filed/*/*/*/current)" '^r.*-12\.3$'
    fi
    (umask 0 && SLURM_JOB_ID=12 record 2 "./recorder_ends-$mpi" normal 0)
    equal "$mpi: never writable by others, whatever the umask" "" "$(find filed -perm /022 ! -type l)"
}

endings()
{
    local how=1
    unnoticed "$mpi, status 5" 3 "./recorder_ends-$mpi" normal 5
    equal "$mpi, status 5: one line" 1 "$(said | wc -l)"
    unnoticed "$mpi, abort" 3 "./recorder_ends-$mpi" abort
    filed_nothing "$mpi, abort"
    # MPICH's mpiexec says 1 where it sees the socket of PMI close before the end.
    [ "$mpi" != mpich ] || how=alone
    unnoticed "$mpi, no MPI_Finalize" "$how" "./recorder_ends-$mpi" no-finalize
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

# Storage that never answers, which only rank 0's copy may wait for: a mkdir that
# never returns and, where there is FUSE, one from which nothing can be killed.
hangs()
{
    cat >slow.c <<'END'
#define _GNU_SOURCE
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
int mkdir(const char *path, mode_t mode)
{
    while (strstr(path, "/filed"))
        pause();
    return (int)syscall(SYS_mkdirat, AT_FDCWD, path, mode);
}
END
    if ! cc -shared -fPIC -o slow.so slow.c 2>compile.txt; then
        skip "$mpi, storage without an answer" "it does not compile here"
        return
    fi
    rm -rf filed
    launch 3 "./recorder_ends-$mpi" normal 5
    plain="$status $out"
    COMMPROF_WAIT=1 launch 3 env "LD_PRELOAD=$recorder:$PWD/slow.so" "./recorder_ends-$mpi" normal 5
    equal "$mpi, storage without an answer: the program ends as it would" "$plain" "$status $out"
    equal "$mpi, storage without an answer: one line"         "topomap: not recorded: $work/filed does not answer within 1 s (COMMPROF_WAIT); the program is not affected"         "$(said)"
    filed_nothing "$mpi, storage without an answer"
    [ -c /dev/fuse ] && [ -e "$srcdir/fake/hangfs.c" ] &&
        cc -o hangfs "$srcdir/fake/hangfs.c" 2>compile.txt || return 0
    mkdir -p hanging
    ./hangfs hanging 60 >mounted.txt 2>&1 &
    local server=$!
    for ((i = 0; i < 100; i++)); do
        grep -q mounted mounted.txt && break
        kill -0 $server 2>/dev/null || break
        sleep 0.05
    done
    if grep -q mounted mounted.txt; then
        COMMPROF_CATALOGUE=$work/hanging/own COMMPROF_WAIT=1 \
            record 3 "./recorder_ends-$mpi" normal 5
        equal "$mpi, a file system that hangs: the program ends as it would" "$plain" "$status $out"
        contains "$mpi, a file system that hangs: one line" "$(said)" \
            "/hanging/own does not answer within 1 s"
        equal "$mpi, a file system that hangs: it still does" yes "$(kill -0 $server && echo yes)"
    else
        skip "$mpi, a file system that hangs" "no FUSE here"
    fi
    kill -TERM $server 2>/dev/null
    wait $server 2>/dev/null
    umount -l hanging 2>/dev/null || :
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
    contains "$mpi, MPI in a plug-in: recorded" "$(said)" 'recorded: 2 of 2 tasks of host; filed in'
}

node_of() # NTASKS: what the profile says that a node is inside
{
    local found
    found=$("$TOPOMAP" profile show "recorder_ends-$mpi:$1" --catalogue filed | sed -n 's/^node  *//p')
    echo "${found:-none}"
}

# What was counted is not lost when there is no MPI_Finalize, if so wished.
# written: the processes beside tasks are done.
written() { while pgrep -f "commprof-keep $work/dump " >/dev/null; do sleep 0.01; done; }

dumps()
{
    local kept merged inside
    command -v python3 >/dev/null || { skip "$mpi, rows" "no python3 reads them"; return; }
    rm -rf filed dump && mkdir dump
    export COMMPROF_DUMP=$work/dump COMMPROF_KEEPER=$STAGE_LIBEXECDIR/topomap/commprof-keep
    record 3 "./recorder_ends-$mpi" normal 0
    equal "$mpi, rows: none are left when all is well" "" "$(ls -A dump)"
    for how in abort no-finalize; do
        rm -rf dump && mkdir dump
        record 3 "./recorder_ends-$mpi" "$how"
        filed_nothing "$mpi, rows, $how"
        written
        # mpiexec of MPICH kills the others at once, in MPI_Init even.
        kept=$(find dump -name 'node-*.kept' | wc -l)
        equal "$mpi, rows, $how: at least one task left its own, whole" "yes" \
            "$([ "$kept" -ge 1 ] && echo yes)"
        "$TOPOMAP" profile merge dump --catalogue filed 2>merge.txt
        merged=$?
        # One that was ended early may have counted nothing yet.
        equal "$mpi, rows, $how: merged" \
            "0 $(for file in dump/node-*.kept; do python3 "$srcdir/system/kept.py" print "$file"; done | awk '/^use p2p/ {n += $5} END {print "calls p2p", n}')" \
            "$merged $(found | grep calls)"
        [ "$kept" = 3 ] ||
            contains "$mpi, rows, $how: what is missing is said" "$(cat merge.txt)" \
                "only $kept of 3 tasks left their rows"
    done
    # As Slurm's plugin says it to rank 0; with a line's end it would be two.
    rm -rf dump && mkdir dump
    COMMPROF_NODE="Package:2 Core:8" record 2 "./recorder_ends-$mpi" no-finalize
    written
    "$TOPOMAP" profile merge dump --catalogue filed 2>/dev/null
    inside=$(node_of 2)
    COMMPROF_NODE=$'core:2\nuser x' record 3 "./recorder_ends-$mpi" normal 0
    equal "$mpi, rows: what the node is inside is kept" "Package:2 Core:8 none" \
        "$inside $(node_of 3)"
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
    equal "$mpi, rows, SIGTERM: it ends the program, and there is one file" "143 node-0.kept" \
        "$? $(written; ls -A dump)"
    unset COMMPROF_DUMP COMMPROF_KEEPER
    filed_nothing "$mpi, rows, SIGTERM"
    [ -s dump/node-0.kept ] || return
    head -c 300 dump/node-0.kept >dump/node-1.kept
    equal "$mpi, rows: a file that is cut off is refused, by its name" "1 1" \
        "$("$TOPOMAP" profile merge dump --catalogue filed 2>merge.txt; echo $?) $(grep -c 'node-1.kept: cut off' merge.txt)"
    filed_nothing "$mpi, rows, cut off"
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

tests()
{
    identity
    endings
    failures
    hangs
    partial
    plugged
    dumps
    others
}
each_mpi recorder_p2p recorder_ends
