#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# recorder.sh - what a call costs more with the recorder than without: ns of
# process CPU, two tasks, for no tool, an empty wrapper, a minimal one (two clock
# reads), the recorder, the recorder counting time alone, and the recorder when what
# it was asked for (seconds) is over, interleaved; then, with Open MPI, whose idle tasks yield, the same
# for several numbers of tasks. Prints, judges nothing. REPEAT=15 says how often,
# TASKS="4 16 64" how many tasks.
set -eu
srcdir=$(cd "$(dirname "$0")" && pwd)
: "${STAGE_LIBDIR:?}"
repeat=${REPEAT:-15} tasks=${TASKS:-4 16 64}
work=$(mktemp -d "${TMPDIR:-/tmp}/bench-recorder-XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work"
export COMMPROF_CATALOGUE=$work/filed OMPI_MCA_btl_vader_single_copy_mechanism=none

# launch TASKS COMMAND...
launch()
{
    local n=$1
    shift
    if [ "$mpi" = mpich ]; then
        "${mpicc/mpicc/mpiexec}" -n "$n" "$@"
    else
        "${mpicc/mpicc/mpirun}" --allow-run-as-root --oversubscribe --mca plm isolated \
            --mca btl self,vader -n "$n" "$@"
    fi 2>/dev/null </dev/null
}

# compare FILE TASKS [ARGUMENT]: all tools, in turn, their lines to FILE.
compare()
{
    local file=$1 n=$2 tool i
    shift 2
    : >"$file"
    for ((i = 0; i < repeat; i++)); do
        for tool in none empty minimal ours time over; do
            case $tool in
            none) launch "$n" ./bench "$@" ;;
            time) launch "$n" env COMMPROF_TIME=1 LD_PRELOAD="$recorder" ./bench "$@" ;;
            over) launch "$n" env COMMPROF_SECONDS=1 LD_PRELOAD="$recorder" ./bench "$@" ;;
            ours) launch "$n" env LD_PRELOAD="$recorder" ./bench "$@" ;;
            *) launch "$n" env LD_PRELOAD="$PWD/$tool.so" ./bench "$@" ;;
            esac | sed "s/\t/\t$tool\t/" >>"$file"
        done
    done
}

# table: "case TAB tool TAB ns" lines as minimum and median of each.
table()
{
    sort -t "$(printf '\t')" -k1,2 -k3n | awk -F '\t' '
        { key = $1 FS $2; v[key, ++n[key]] = $3; if (!($1 in seen)) { seen[$1]; order[++m] = $1 } }
        function show(c, tool,    key, k) {
            key = c FS tool; k = n[key]
            low[tool] = v[key, 1]; mid[tool] = v[key, int((k + 1) / 2)]
            return sprintf("%9.0f %7.0f", low[tool], mid[tool])
        }
        END {
            printf "%-24s%17s%17s%17s%17s%17s%17s   %s\n", "", "no tool", "empty", "minimal", "recorder",
                "time alone", "after its limit", "added / added by minimal, by time alone, after the limit"
            for (i = 1; i <= m; i++) {
                c = order[i]
                printf "%-24s%s%s%s%s%s%s", c, show(c, "none"), show(c, "empty"), show(c, "minimal"), show(c, "ours"),
                    show(c, "time"), show(c, "over")
                a = low["minimal"] - low["none"]; b = low["ours"] - low["none"]
                d = mid["minimal"] - mid["none"]; e = mid["ours"] - mid["none"]
                printf "   %.0f/%.0f = %.2f, %.0f/%.0f = %.2f; %.1f; %.1f\n", b, a, (a > 0 ? b / a : 0), e, d,
                    (d > 0 ? e / d : 0), low["time"] - low["none"], low["over"] - low["none"]
            }
        }'
}

for mpi in mpich openmpi; do
    variable=MPICC_${mpi^^}
    mpicc=${!variable-}
    recorder=$STAGE_LIBDIR/libcommprof-$mpi.so
    [ -n "$mpicc" ] && [ -e "$recorder" ] || continue
    "$mpicc" -O2 -w -o bench "$srcdir/recorder.c"
    "$mpicc" -O2 -w -shared -fPIC -o empty.so "$srcdir/recorder_wrapper.c"
    "$mpicc" -O2 -w -shared -fPIC -DMINIMAL -o minimal.so "$srcdir/recorder_wrapper.c"
    compare "$mpi" 2
    echo "$mpi: ns of CPU an iteration, minimum and median of $repeat"
    table <"$mpi"
    [ "$mpi" = openmpi ] || continue
    for n in $tasks; do
        compare "$mpi-$n" "$n" alone
        echo "$mpi, $n tasks: the same"
        table <"$mpi-$n"
    done
done
