#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# calibrate.sh - topomap calibrate: what it asks of srun, what its program refuses,
# and, on a private Slurm, what it measures over loopback: a table, and a site file
# that the estimate takes
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/system/cluster.sh
. "$srcdir/system/cluster.sh"
topomap=$STAGE_TOPOMAP
probe=$STAGE_LIBEXECDIR/topomap/mpi-calibrate-mpich
[ -x "$probe" ] || skip_all "no mpi-calibrate-mpich was built"

# A srun that says its words.
mkdir "$work/bin"
printf '#!/bin/sh\nprintf "%%s|" "$@"\nprintf "%%s\\n" "${TOPOMAP-unset}"\nexit 3\n' >"$work/bin/srun"
chmod +x "$work/bin/srun"
said=$(PATH=$work/bin:$PATH TOPOMAP=auto "$topomap" calibrate --mpi pmi2 -o there --longest 4096 -- -N2 -n4)
equal "srun's words and status, and no mapping" \
    "3 --mpi=pmi2|-N2|-n4|$probe|--longest|4096|--sample|0.005|--output|there|unset" "$? $said"
said=$(PATH=$work/bin:$PATH "$topomap" calibrate --mpi pmix --program mine 2>&1)
contains "a program of one's own" "$said" '|./mine|'
"$topomap" calibrate 2>/dev/null
equal "wrong usage: 2" 2 $?
said=$(PATH=$work/none "$topomap" calibrate --mpi pmi2 2>&1)
equal "no srun" "1 topomap: srun: No such file or directory" "$? $said"

cluster_start
launches mpich pmi2 || { skip "it measures" "$why_not" && finish && exit; }
calibrate() { timeout 300 "$topomap" calibrate --mpi pmi2 --longest 512 --sample 1e-6 "$@" >"$work/out" 2>"$work/err"; }
calibrate -o "$work/none/ports.json" -- -N2 -n2
contains "a folder that is not there: told before anything is measured" "$(cat "$work/err")" "folder of --output cannot be written to"
equal "and nothing was measured" 0 "$(grep -c 's left' "$work/err")"
calibrate -- -N1 -n1
contains "one rank is told what is missing" "$(cat "$work/err")" "two ranks at least are needed"

# Two nodes of each leaf switch, two ranks on the first.
calibrate -o "$work/ports.json" -- -w 'n[0-1,4-5]' -N4 -n5 --distribution=block --overcommit
equal "it measures over loopback" 0 $?
for level in 'one leaf' across 'in a node' 'of a node'; do
    contains "the table has: $level" "$(cat "$work/out")" "^$level  *1  *512  *[0-9.]*  *[0-9.e+]*$"
done
contains "two pairs at once" "$(cat "$work/out")" "^\(one leaf\|across\)  *2  *512 "
contains "the rates of a node" "$(cat "$work/out")" "^nic_rate [0-9]"
contains "progress and time left" "$(cat "$work/err")" "1 of [0-9]*, .*, about [0-9]* s left"
equal "four levels: tasks, nodes, leaf switches, the top" 4 "$(grep -c '^    {' "$work/ports.json")"
said=$("$topomap" estimate grid:2x2 --model ports --topology "$work/ports.json" --nodelist 'n[0-1,4-5]' \
    --tasks-per-node 1 --mapping cyclic 2>&1)
equal "the estimate takes it" 0 $?
contains "and has a time" "$said" 'block'
equal "nothing is left beside it" "ports.json" "$(cd "$work" && echo ports*)"

# Killed on the way: no file.
rm -f "$work/ports.json" "$work/err"
calibrate -o "$work/ports.json" --sample 5 -- -N2 -n2 &
for ((i = 0; i < 100; i++)); do
    grep -q ' s left' "$work/err" 2>/dev/null && break
    sleep 0.1
done
squeue -h -o %A | xargs -r scancel
wait
equal "killed on the way it writes nothing" "ports*" "$(cd "$work" && echo ports*)"
finish
