# SPDX-License-Identifier: LGPL-2.1-or-later
# recorded.sh - sourced by the recorder's tests: programs of tests/programs are
# run under mpiexec with and without libcommprof, in a folder of their own.
# shellcheck shell=bash disable=SC2034
set -u
: "${srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE_LIBDIR:?}" "${STAGE_INCLUDEDIR:?}" "${TOPOMAP:?}"
[ "${TOPOMAP_CHECK-}" != unit ] || skip_all "TOPOMAP_CHECK=unit"

work=$(mktemp -d "${TMPDIR:-/tmp}/recorder-XXXXXX")
trap 'umount "$work/full" 2>/dev/null; rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
unset SLURM_JOB_ID SLURM_STEP_ID COMMPROF_NAME COMMPROF_PROGRAM COMMPROF_LARGE
export COMMPROF_VERBOSE=1 COMMPROF_WAIT=30 COMMPROF_CATALOGUE=$work/filed
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader
have_valgrind=$(command -v valgrind)

# shellcheck source=tests/system/openmpi.sh
. "$srcdir/system/openmpi.sh"
# shellcheck source=tests/system/mpi.sh
. "$srcdir/system/mpi.sh"

# launch TASKS PROGRAM...: sets out, err, status. alone: a task without mpiexec.
launch()
{
    local n=$1
    shift
    if [ "$n" = alone ]; then
        :
    elif [ "$mpi" = mpich ]; then
        set -- "${mpicc/mpicc/mpiexec}" -n "$n" "$@"
    else
        [ -n "${openmpi_alone+known}" ] || openmpi_settings "${mpicc/mpicc/mpirun}"
        # shellcheck disable=SC2086
        set -- "${mpicc/mpicc/mpirun}" --allow-run-as-root --oversubscribe $openmpi_alone -n "$n" "$@"
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

said() { printf '%s\n' "$err" | grep '^topomap:'; }

# What the current profile of a catalogue holds, as the programs print it.
found()
{
    local graph
    for graph in filed/*/*/*/current/*.graph; do
        [ -e "$graph" ] || continue
        [[ $graph != *.phase[0-9]* ]] || continue # a part of another
        awk -v type="$(basename "$graph" .graph)" 'NR > 1 {
            for (i = 1; i < NF; i += 2)
                if ($i > NR - 1)
                    print "edge", type, NR - 2, $i - 1, $(i + 1)
        }' "$graph"
    done
    sed -n '/^  "phases"/q; s/.*"type": "\([a-z0-9_]*\)", "calls": \([0-9]*\), "bytes": \([0-9]*\),.*/calls \1 \2\nbytes \1 \3/p' \
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

# Who is killed while it makes a file leaves one without a name.
filed_nothing()
{
    equal "$1: nothing is filed, whole or in part" "" "$(find filed -type f ! -name '*.new-*' 2>/dev/null)"
}

# compile PROGRAM [OPTION [NAME]]
compile()
{
    # shellcheck disable=SC2046
    "$mpicc" -g ${2:+"$2"} -o "${3:-$1}-$mpi" "$srcdir/programs/$1.c" $(polite "$mpi") -pthread >compile.txt 2>&1 ||
        { not_ok "$mpi: $1.c compiles" "$(cat compile.txt)"; return 1; }
}

# seconds TYPE, of the current profile
seconds() { sed -n "s/.*\"type\": \"$1\", .*\"bytes\": [0-9]*, \"seconds\": \([0-9.]*\), \"paired.*/\1/p" filed/*/*/*/current/profile.json; }

# fails NAME PATTERN TASKS PROGRAM...: no profile, one line, else unnoticed.
fails()
{
    local name=$1 pattern=$2
    shift 2
    unnoticed "$mpi, $name" "$@"
    equal "$mpi, $name: one line" 1 "$(said | wc -l)"
    contains "$mpi, $name: the line says why" "$(said)" \
        "^topomap: not recorded: $pattern.*; the program is not affected\$"
    filed_nothing "$mpi, $name"
}

# each_mpi PROGRAM...: for each MPI that there is, compiles the programs and
# calls `tests`, with mpi, mpicc and recorder set.
each_mpi()
{
    local variable program tried=
    for mpi in mpich openmpi; do
        recorder=$STAGE_LIBDIR/libcommprof-$mpi.so
        variable=MPICC_${mpi^^}
        mpicc=${!variable-}
        if [ -z "$mpicc" ] || [ ! -e "$recorder" ]; then
            skip "the $mpi recorder" "not built"
            continue
        fi
        tried=yes
        for program; do
            compile "$program" || continue 2
        done
        tests
    done
    [ -n "$tried" ] || skip "recorder" "no recorder was built"
    finish
}
