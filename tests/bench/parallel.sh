#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# parallel.sh - what dividing a search among processes saves: topomap-mpi with one
# number of searches and a bound of work, on 1, 2, 4 and 8 processes of one thread
# each, by every MPI that there is. Prints, judges nothing; plain numbers go to
# bench-parallel.csv.
#
#   BENCH_TASKS      default 512, on an eighth as many nodes of a torus and of a tree
#   BENCH_SEARCHES   default 16
#   BENCH_WORK       of each search, default 60
#   BENCH_PROCESSES  default "1 2 4 8"
#   BENCH_MPI        default "mpich openmpi"
#   BENCH_CSV        default bench-parallel.csv
#
# longest: CPU seconds of the process that needed most, which is how long the whole
# takes when each has a core of its own; all: of all of them together. A busy machine,
# or one of fewer cores than processes, changes neither by much. less: by what factor
# the longest is shorter than with one process. same: whether the plan is that of one
# process, byte by byte but for the milliseconds.
set -u
export LC_ALL=C
topomap=${STAGE_TOPOMAP:?run me by make bench-parallel}
: "${MAPGEN:?}" "${MEASURE:?}"
unset TOPOMAP
srcdir=$(cd "$(dirname "$0")/.." && pwd)
csv=${BENCH_CSV:-bench-parallel.csv}
tasks=${BENCH_TASKS:-512}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-parallel-XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
export TOPOMAP_CATALOGUE=$work/catalogue OMPI_MCA_btl=self,vader
# shellcheck source=tests/system/openmpi.sh
. "$srcdir/system/openmpi.sh"

die() { printf 'bench-parallel: %s\n' "$*" >&2; exit 1; }

# Each process measures itself, into a file of its own.
cat >"$work/one" <<SCRIPT
#!/bin/sh
exec "$MEASURE" "$work/took.\$\$" "${topomap%/*}/topomap-mpi" "\$@"
SCRIPT
chmod +x "$work/one"

# started N ARGUMENT...: on N processes of $mpi.
started() {
    local n=$1
    shift
    local mpicc=${MPICC_MPICH:-mpicc.mpich}
    [ "$mpi" = mpich ] || mpicc=${MPICC_OPENMPI:-mpicc.openmpi}
    if [ "$mpi" = mpich ]; then
        "${mpicc/mpicc/mpiexec}" -n "$n" "$work/one" "$@"
    else
        [ -n "${openmpi_alone+known}" ] || openmpi_settings "${mpicc/mpicc/mpirun}"
        # shellcheck disable=SC2086
        "${mpicc/mpicc/mpirun}" --allow-run-as-root --oversubscribe $openmpi_alone -n "$n" "$work/one" "$@"
    fi >"$work/out" 2>"$work/err" </dev/null
}

"$MAPGEN" fem "$tasks" 8 25 1 >"$work/graph" || die "no graph"
nodes=$((tasks / 8))
printf '%-18s %-8s %9s | %9s %9s %6s  %-4s\n' network MPI processes longest all less same
echo network,mpi,processes,longest_cpu_seconds,all_cpu_seconds,same >"$csv" || exit 1
for network in "torus:$((nodes / 8))x8" "tree:$((nodes / 8)),8"; do
    rm -f "$work/alone"
    for mpi in ${BENCH_MPI:-mpich openmpi}; do
        for n in ${BENCH_PROCESSES:-1 2 4 8}; do
            rm -f "$work"/took.*
            started "$n" --graph "$work/graph" --ntasks "$tasks" --nodelist "n[0-$((nodes - 1))]" --tasks-per-node 8 \
                --topology "$network" --threads 1 --time 3600 --work "${BENCH_WORK:-60}" \
                --searches "${BENCH_SEARCHES:-16}" -o "$work/plan" ||
                { printf 'bench-parallel: %s does not run: %s\n' "$mpi" "$(tail -n 1 "$work/err")" >&2 && break; }
            grep -q " by $n process" "$work/out" || die "$mpi: not $n processes: $(cat "$work/out")"
            grep -v -e '^milliseconds' -e '^end ' "$work/plan" >"$work/now"
            [ -e "$work/alone" ] || cp "$work/now" "$work/alone"
            cat "$work"/took.* | awk -v network="${network//,/x}" -v mpi="$mpi" -v n="$n" \
                -v same="$(cmp -s "$work/now" "$work/alone" && echo yes || echo no)" '
                $2 > longest { longest = $2 }
                { all += $2 }
                END { printf "%s,%s,%d,%.3f,%.3f,%s\n", network, mpi, n, longest, all, same }' >>"$csv"
            awk -F, -v network="${network//,/x}" -v mpi="$mpi" '
                $1 == network && $2 == mpi { if (!one) one = $4; row = $0 }
                END {
                    split(row, r, ",")
                    printf "%-18s %-8s %9d | %9.3f %9.3f %6.2f  %-4s\n", r[1], r[2], r[3], r[4], r[5], (r[4] > 0 ? one / r[4] : 0), r[6]
                }' "$csv"
        done
    done
done
echo "plain numbers: $csv"
