#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# foreign.sh - MPI programs of Debian's own packages, which know nothing of the
# recorder: each ends and computes as without it, and leaves a profile.
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
[ "${TOPOMAP_CHECK_EXTENDED-}" = yes ] || skip_all "only by contrib/check --extended"
[ "${TOPOMAP_CHECK-}" != unit ] || skip_all "TOPOMAP_CHECK=unit"
: "${STAGE_LIBDIR:?}" "${TOPOMAP:?}"

work=$(mktemp -d "${TMPDIR:-/tmp}/foreign-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM
cd "$work" || exit 1
unset SLURM_JOB_ID SLURM_STEP_ID COMMPROF_NAME COMMPROF_PROGRAM COMMPROF_LARGE \
    COMMPROF_SECONDS COMMPROF_PAUSED COMMPROF_DUMP
export COMMPROF_VERBOSE=1 COMMPROF_CATALOGUE=$work/filed OMP_NUM_THREADS=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none OMPI_MCA_btl=self,vader

# shellcheck source=tests/system/openmpi.sh
. "$srcdir/system/openmpi.sh"

# launch COMMAND...: 4 tasks; leaves out.txt and err.txt; sets status.
launch()
{
    if [ "$mpi" = mpich ]; then
        set -- mpiexec.mpich -n 4 "$@"
    else
        [ -n "${openmpi_alone+known}" ] || openmpi_settings mpirun.openmpi
        # shellcheck disable=SC2086
        set -- mpirun.openmpi --allow-run-as-root --oversubscribe $openmpi_alone -np 4 "$@"
    fi
    timeout 60 "$@" >out.txt 2>err.txt </dev/null
    status=$?
}

# foreign NAME RESULTS TYPES GRAPH PROGRAM...: runs the program plain and
# recorded. RESULTS is a function that prints those of its results which are the
# same in every run; TYPES is a pattern of what the list of profiles shows of it,
# GRAPH is what can be exported of it.
foreign()
{
    local name=$1 results=$2 types=$3 graph=$4 plain program=$5
    local recorder=$STAGE_LIBDIR/libcommprof-$mpi.so
    shift 4
    if [ ! -x "$program" ]; then
        skip "$name" "its package is not installed"
        return
    elif [ ! -e "$recorder" ]; then
        skip "$name" "the $mpi recorder is not built"
        return
    fi
    rm -rf filed
    launch "$@"
    plain="$status
$("$results")"
    equal "$name: runs here" 0 "$status"
    contains "$name: has results" "$plain" "[a-zA-Z]"
    launch env "LD_PRELOAD=$recorder" "$@"
    equal "$name: exit status and results as without the recorder" "$plain" "$status
$("$results")"
    contains "$name: the recorder says so" "$(cat err.txt)" \
        "^topomap: recorded: 4 of 4 tasks of ${program##*/}; filed in $work/filed/"
    contains "$name: listed with its types" \
        "$("$TOPOMAP" profile list --catalogue filed)" "^${program##*/} .* 4 .*$types"
    "$TOPOMAP" profile show --catalogue filed "$program" >shown.txt 2>&1
    # The first table; where the order of messages is known, another one follows.
    equal "$name: what is shown has calls, bytes and seconds of $graph" yes \
        "$(awk -v type="$graph" '$1 == type && $2 > 0 && $3 > 0 && $4 > 0 {print "yes"; exit}' shown.txt)"
    "$TOPOMAP" profile export --catalogue filed "$program" --graph "$graph" >exported.txt 2>&1
    equal "$name: the graph of $graph is one of 4 tasks, both ends of each edge alike" "4 alike" \
        "$(awk 'NR == 1 { n = $1; edges = $2; next }
            { for (i = 1; i < NF; i += 2) { weight[NR - 1, $i] = $(i + 1); ends++ } }
            END {
                for (end in weight) {
                    split(end, of, SUBSEP)
                    if (weight[of[2], of[1]] != weight[end] || weight[end] <= 0)
                        bad = 1
                }
                print n, (bad || NR != n + 1 || ends == 0 || ends != 2 * edges) ? "not" : "alike"
            }' exported.txt)"
}

# A liquid of 4,000 atoms: the energies are the same to the last digit.
lammps()
{
    cat >in.liquid <<'END'
units lj
lattice fcc 0.8442
region box block 0 10 0 10 0 10
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 1.44 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 20 delay 0 check no
fix 1 all nve
thermo 20
run 100
END
    energies() { sed -n '/^Step /,/^Loop /p' out.txt | grep -v '^Loop '; }
    foreign lammps energies 'p2p,allreduce' p2p /usr/bin/lmp -in in.liquid -log none
}

# All seven benchmarks, of a size for a test.
hpcc()
{
    sed 's/^1000 /64 /; s/^80 /16 /' /usr/share/doc/hpcc/examples/_hpccinf.txt >hpccinf.txt 2>/dev/null
    checks() {
        grep -E '^(CommWorldProcs|HPL_N|HPL_NB|PTRANS_n|MPIRandomAccess_(LCG_)?N|MPIFFT_N|Success)=|PASSED|FAILED' hpccoutf.txt |
            grep -vE '^(WALL|CPU)'
        rm -f hpccoutf.txt # it would be added to
    }
    foreign hpcc checks 'p2p,' p2p /usr/bin/hpcc
}

# LU factorizations over a grid of 2 x 2, which it checks itself. Not their
# iterative refinement: pdgerfs of ScaLAPACK 2.2.1 reads variables that are
# not set (valgrind says so), and hangs whenever they differ between tasks,
# which is up to what earlier calls have left on the stack.
scalapack()
{
    cat >LU.dat <<'END'
'ScaLAPACK, LU factorization input file'
'MPI machine'
'LU.out'  output file name (if any)
6         device out
2         number of problems sizes
24 60     values of M
24 60     values of N
1         number of NB's
4         values of NB
1         number of NRHS's
3         values of NRHS
1         number of NBRHS's
3         values of NBRHS
1         number of process grids (ordered pairs of P & Q)
2         values of P
2         values of Q
1.0       threshold
F         (T or F) Test Cond. Est. and Iter. Ref. Routines
END
    residuals() { sed -n 's/^WALL \( *[0-9]\{1,\} *[0-9]\{1,\}\) .* \([A-Z]*\)$/\1 \2/p; /completed and/p' out.txt; }
    foreign "scalapack with $mpi" residuals 'p2p,' p2p \
        "$(echo /usr/lib/*/scalapack/"$mpi"-tests/xdlu)"
}

mpi=openmpi
lammps
hpcc
scalapack
mpi=mpich
scalapack
finish
