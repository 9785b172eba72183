#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# tune_files.sh - what topomap tune has measured, as a file: its tables, what
# plans make of it, and --forget; and what tune refuses; without Slurm
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
export TOPOMAP_CATALOGUE=$work/catalogue
run()
{
    "$TOPOMAP" "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    out=$(cat "$work/out") err=$(cat "$work/err")
}

while IFS='|' read -r name pattern words; do
    # shellcheck disable=SC2086
    run tune $words
    equal "$name is refused" "2:" "$status:$out"
    contains "$name: said why" "$err" "$pattern"
done <<'END'
no command|which command
mpirun|must begin with srun, not .mpirun|-- mpirun ./app
--topomap among srun's words|leave --topomap=auto out|-- srun --topomap=auto ./app
--repeat 0|--repeat: .0. is not a whole number from 1 to 1000|--repeat 0 -- srun ./app
a bad name|letters, digits|--name ../x -- srun ./app
--forget and a run|leave 'srun' out|--forget two srun
--forget of an option|wants a profile, .*not '--json'|--forget --json
--forget of nothing|--forget|--forget
END

awk 'BEGIN { print 8, 4, "001"; for (i = 0; i < 8; i++) print (i + 4) % 8 + 1, 65536 }' >"$work/far.graph"
run profile import "$work/far.graph" --name two --ntasks 8
folder=$("$TOPOMAP" profile show name:two | sed -n 's/^folder  *//p')
file=${folder:?}/evaluation.json
cat >"$work/evaluation" <<'END'
{ "format": 1, "evaluated": "2026-11-01T00:00:00Z", "nodes": "n[0-3]", "repeat": 3,
  "best": "p2p", "unmapped_is_best": false, "noise_seconds": 0.1, "graphs": [
  { "graph": "unmapped", "run_seconds": [10, 10.1, 10], "run_mpi_seconds": [5, 5.1, 5],
    "run_p2p_seconds": [4, 4, 4], "run_max_task_p2p_seconds": [6, 6, 6], "run_max_task_mpi_seconds": [7, 7, 7],
    "phases": [ { "phase": "near", "run_phase_seconds": [1, 1, 1] }, { "phase": "far", "run_phase_seconds": [4, 4, 4.5] } ] },
  { "graph": "p2p", "hops_per_byte": 0, "unmapped_hops_per_byte": 2, "max_hops_per_byte": 0.5,
    "run_seconds": [8, 8, 8.1], "run_mpi_seconds": [3, 3, 3],
    "run_p2p_seconds": [2, 2.5, 2], "run_max_task_p2p_seconds": [3, 3, 3], "run_max_task_mpi_seconds": [4, 4, 4],
    "phases": [ { "phase": "near", "run_phase_seconds": [1.5, 1.5, 1.5] }, { "phase": "far", "run_phase_seconds": [1, 1, 1] } ] },
  { "graph": "sum", "hops_per_byte": 1, "unmapped_hops_per_byte": 2, "run_seconds": [10, 9.95, 10], "run_mpi_seconds": [5, 5, 5] },
  { "graph": "weighted-sum", "run_seconds": [], "run_mpi_seconds": [] } ] }
END
# How runs are judged, and what is stored, which the command reads.
mkdir "$work/stored"
equal "judgement, and what is stored" "0 " \
    "$(python3 -B "$srcdir/system/tuned.py" "$STAGE_LIBEXECDIR/topomap/tune.py" "$work/stored" 2>&1; echo $?) "
cp "$work/stored/evaluation.json" "$file"
run profile show name:two
contains "the command reads it" "$status $out" '^p2p  *1.5 -> 0.75  *2  *10.0000 '

cp "$work/evaluation" "$file"
run profile show name:two
equal "its tables and verdict" "measured by topomap tune, 2026-11-01T00:00:00Z on n[0-3]:
GRAPH         HOPS PER BYTE  RUNS  SECONDS  MPI SECONDS  vs SLURM
unmapped                  -     3  10.0000       5.0000  -
p2p                  2 -> 0     3   8.0000       3.0000  -20.0%  best
sum                  2 -> 1     3  10.0000       5.0000  +0.0%  within noise
weighted-sum              -     0        -            -  -

BY TASK       HOPS PER BYTE  MOST  P2P SECONDS  MOST  MPI SECONDS  MOST
unmapped                  -     -            4     6            5     7
p2p                       0   0.5            2     3            3     4
sum                       1     -            -     -            5     -
weighted-sum              -     -            -     -            -     -

MPI SECONDS BY PHASE   SLURM   LEAST  vs SLURM  WITH GRAPH
near                  1.0000  1.5000    +50.0%  p2p
far                   4.0000  1.0000    -75.0%  p2p

--topomap=auto will use the graph p2p (noise 0.1 s)
not all runs were made: the same command goes on" "$(sed -n '/^measured/,$p' "$work/out")"

# What tables and plans make of edited ones: NAME|EDIT|TABLE SAYS|OPTION OF plan|PLAN SAYS
unmapped='s/"unmapped_is_best": false/"unmapped_is_best": true/'
while IFS='|' read -r name edit table option plan; do
    sed "$edit" "$work/evaluation" >"$file"
    run profile show name:two
    contains "$name: the table" "$out$err" "$table"
    # shellcheck disable=SC2086
    run plan --name two --ntasks 8 --nodelist 'n[0-3]' --tasks-per-node '2(x4)' --topology torus:2x2 $option --json
    contains "$name: the plan" "$out$err" "$plan"
done <<END
measured||will use the graph p2p||"reason": .*by graph p2p, the fastest measured
within the noise|s/"noise_seconds": 0.1/"noise_seconds": 9/|no faster than Slurm's own layout beyond the noise 9 s||graph p2p (measured, within noise)
unmapped is best|$unmapped|will leave this program alone||no graph makes it faster
unmapped is best, and a graph is asked for|$unmapped|will leave this program alone|--graph p2p|by graph p2p
few runs|s/\[8, 8, 8.1\], "run_mpi_seconds": \[3, 3, 3\]/[8], "run_mpi_seconds": [3]/|fewer than 3 runs decide nothing||"graph": "weighted-sum"
a later format|s/"format": 1/"format": 2/|format 2 is later||its evaluation is unreadable
END
rm "$file"
run plan --name two --ntasks 8 --nodelist 'n[0-3]' --tasks-per-node '2(x4)' --topology torus:2x2 --graph best
contains "best of what was never measured" "$out$err" 'were never measured'

cp "$work/evaluation" "$file"
run tune --forget "$folder"
equal "--forget" "0 what was measured of $folder is forgotten: --topomap=auto uses weighted-sum again" "$status $out"
run tune --forget "$folder" --catalogue "$work/none"
contains "--forget again: an error" "$status $err" '^1 .*was never evaluated'
run tune --forget "$folder" --config "$work/no-file"
contains "--forget: options behind the profile count" "$status $err" '^1 .*no-file: No such file'
cp "$work/evaluation" "$file"
run tune --forget "$folder" --json
contains "--forget --json" "$status $out" "\"forgotten\": \"$folder\""
said=$("$TOPOMAP" tune --forget "$work/none" 2>&1)
contains "what another command says as JSON is shown as a sentence" "$said" '^topomap: [^{]*none'
finish
