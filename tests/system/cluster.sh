# SPDX-License-Identifier: LGPL-2.1-or-later
# cluster.sh - sourced by the system tests: a private Slurm with the staged
# plugin in a temporary folder, ended with the test in all cases.
# shellcheck shell=bash disable=SC2034
set -u
: "${srcdir:=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)}"
srcdir=$(cd "$srcdir" && pwd) # make gives a relative one in VPATH builds
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
# shellcheck source=tests/system/mpi.sh
. "$srcdir/system/mpi.sh"
: "${TOPOMAP:?}" "${STAGE_SPANKDIR:?}"

private_slurm=$srcdir/../contrib/private-slurm
programs=$srcdir/programs
plugin=$STAGE_SPANKDIR/topomap.so
# launches MPI PMI: whether this Slurm has --mpi=PMI; why_not says it.
launches()
{
    why_not="no --mpi=$2 (srun --mpi=list)"
    srun --mpi=list 2>&1 | grep -qw "$2"
}
# others_can: whether another user may run what is tested; a tree below a home
# that is closed to others, such as root's, cannot be.
others_can()
{
    command -v runuser >/dev/null || { why_not='no runuser' && return 1; }
    why_not="nobody may not read $STAGE_SPANKDIR"
    runuser -u nobody -- test -r "$plugin" && runuser -u nobody -- test -x "$STAGE_TOPOMAP"
}

[ "${TOPOMAP_CHECK-}" != unit ] || skip_all "TOPOMAP_CHECK=unit"
[ "$(id -u)" = 0 ] || skip_all "a private Slurm needs root"
[ -e "$plugin" ] || skip_all "no plugin was built"
PATH=$PATH:/usr/sbin:/sbin
command -v slurmctld >/dev/null || skip_all "slurmctld is not installed"
command -v munged >/dev/null || skip_all "munged is not installed"

work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-test.XXXXXX")
chmod 755 "$work"
catalogue=$work/catalogue
mkdir "$catalogue"
export TOPOMAP_CATALOGUE=$catalogue
unset TOPOMAP XDG_DATA_HOME 2>/dev/null || :
: "${topomap:=$STAGE_TOPOMAP}"

cluster_end()
{
    trap - EXIT INT TERM HUP
    "$private_slurm" stop "$work" >/dev/null 2>&1
    if [ -n "${KEEP_TEST-}" ]; then
        echo "# kept: $work"
    else
        rm -rf "$work"
    fi
}
trap 'cluster_end' EXIT
trap 'cluster_end; exit 130' INT TERM HUP

# cluster_start [PRIVATE-SLURM-OPTION]...
cluster_start()
{
    local said
    plugstack
    for _ in 1 2; do
        if said=$("$private_slurm" start "$work" --plugstack "$work/plugstack" "$@" 2>&1); then
            eval "$("$private_slurm" env "$work")"
            return
        fi
        printf '%s\n' "$said" | sed 's/^/# /'
    done
    echo "Bail out! the private Slurm did not start, twice"
    exit 99
}

# plugstack [ARGUMENT]...: the plugin's line in plugstack.conf from now on (it
# is read anew in each step). The staged command, not the one that configure
# fixed, is the planner.
# shellcheck disable=SC2120
plugstack()
{
    local file=$work/plugstack
    [ ! -d "$work/etc" ] || file=$work/etc/plugstack.conf
    echo "optional $plugin program=$topomap $*" >"$file"
}

# compile NAME MPI SOURCE: the program NAME in $work, or not 0.
compile()
{
    local wrapper
    case $3 in
    *.c) wrapper=mpicc.$2 ;;
    *) wrapper=mpifort.$2 ;;
    esac
    command -v "$wrapper" >/dev/null || return 1
    # shellcheck disable=SC2046
    (cd "$work" && "$wrapper" -O1 -o "$work/$1" "$programs/$3" $(polite "$2")) >"$work/compile.log" 2>&1 ||
        { sed 's/^/# /' "$work/compile.log" && return 1; }
}

# run COMMAND...: sets status, out (stdout) and err (stderr).
run()
{
    timeout 120 "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}

# said: what topomap said on stderr in the last run, a line each.
said()
{
    printf '%s\n' "$err" | grep 'topomap: ' || :
}

# heard: all of its stderr. A step before it may still be ending on a busy machine,
# and srun says that its job waits for that.
heard() { printf '%s\n' "$err" | grep -vE '^srun: job [0-9]+ (queued and waiting for|has been allocated) resources$'; }

# where TEXT: of halo --where's output, the lines `rank node mask group`.
where() { printf '%s\n' "$1" | grep -E '^[0-9]+ n[0-9]+ 0x'; }

# hosts TEXT: `rank node` from such lines.
hosts() { where "$1" | awk '{print $1, $2}'; }

# planned PROGRAM NTASKS NODELIST COUNTS [OPTION]...: `rank node slot` from
# `topomap plan`, outside Slurm.
planned()
{
    local program=$1 ntasks=$2 nodes=$3 counts=$4
    shift 4
    "$topomap" plan --program "$program" --ntasks "$ntasks" --nodelist "$nodes" \
        --tasks-per-node "$counts" --topology "$work/etc/topology.conf" \
        --to=rankfile "$@" 2>/dev/null |
        sed -n 's/^rank *\([0-9]*\) *= *\([^ ]*\) *slot *= *\([0-9]*\).*/\1 \2 \3/p'
}

# all_alone: whether an MPI tells each rank of one node that it shares memory with
# no other, without topomap, too, as MPICH 5.0 of unstable Debian does.
all_alone()
{
    local text program=$work/halo-mpich
    [ -x "$program" ] || program=$work/halo
    [ -n "${alone-}" ] || {
        text=$(HALO_WHERE=1 srun --topomap=off -N1 -n2 --overcommit --mpi=pmi2 "$program" 2>/dev/null)
        alone=$(where "$text" | awk '$1 != $4 {shared = 1} END {print (NR > 0 && !shared ? "yes" : "no")}')
    }
    why_not="this MPI says so of every rank, unplaced, too"
    [ "$alone" = yes ]
}

# groups_agree NAME TEXT: ranks share memory, as MPI says, exactly when they
# are on one node.
groups_agree()
{
    local expected found
    found=$(where "$2" | awk '{print $1, $4}')
    expected=$(where "$2" | awk '!($2 in least) {least[$2] = $1} {print $1, least[$2]}')
    if [ "$found" != "$expected" ] && ! echo "$found" | grep -qvE '^([0-9]+) \1$' && all_alone; then
        skip "$1: shared-memory groups are the hosts" "$why_not"
    else
        equal "$1: shared-memory groups are the hosts" "${expected:-none at all}" "$found"
    fi
}

# no_job_left NAME: soon; slurmctld takes a moment to complete what has ended.
no_job_left()
{
    local until=$((SECONDS + 180)) jobs
    while jobs=$(squeue -h) && [ -n "$jobs" ] && [ "$SECONDS" -lt "$until" ]; do sleep 0.1; done
    equal "$1" "" "$jobs"
    # What is left would keep the next steps waiting.
    [ -z "$jobs" ] || awk '{print $1}' <<<"$jobs" | xargs scancel
}

# settled: what launches write they write alone, after they have answered.
settled()
{
    local process end=$((SECONDS + 120))
    for process in /proc/[0-9]*; do
        while [ "$SECONDS" -lt "$end" ] && grep -qsz "^TOPOMAP_CATALOGUE=$catalogue$" "$process/environ" &&
            tr '\0' ' ' <"$process/cmdline" 2>/dev/null | grep -Eq 'topomap (plan|history) '; do
            sleep 0.05
        done
    done
}
