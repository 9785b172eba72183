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
    "3 --mpi=pmi2|-N2|-n4|--output=all|$probe|--longest|4096|--sample|0.005|unset" "$? $said"
said=$(PATH=$work/bin:$PATH "$topomap" calibrate --mpi pmix --program mine 2>&1)
contains "a program of one's own" "$said" '|./mine|'
"$topomap" calibrate 2>/dev/null
equal "wrong usage: 2" 2 $?
mkdir "$work/none" && ln -s "$(python3 -c 'import sys; print(sys.executable)')" "$work/none/python3"
said=$(PATH=$work/none "$topomap" calibrate --mpi pmi2 2>&1)
equal "no srun" "1 topomap: srun: No such file or directory" "$? $said"

equal "what it makes of rows" "0 " \
    "$(python3 -B "$srcdir/system/calibrate_costs.py" "$STAGE_LIBEXECDIR/topomap/calibrate.py" 2>&1; echo $?) "
# Rows are distinguished from all else, however srun labels them; a program without any is refused.
printf '#!/bin/sh\necho "0: hello"; echo "0: topomap-calibrate-row between 1 1 2 - - 1e-6 1 4e-6 64 8e-6"\n' >"$work/bin/srun"
said=$(PATH=$work/bin:$PATH "$topomap" calibrate --mpi pmi2 --csv -- -l)
equal "labelled rows, and what is none" '0: hello
apart,pairs,bytes,seconds,bytes_per_second
"of a node",1,1,2e-06,500000
"of a node",1,64,4e-06,16000000' "$said"
printf '#!/bin/sh\necho nothing\n' >"$work/bin/srun"
said=$(PATH=$work/bin:$PATH "$topomap" calibrate --mpi pmi2 -o "$work/ports.json" 2>&1)
equal "no rows: told" "1 nothing
topomap: $probe prints no rows of mpi_calibrate.c's: build it anew" "$? $said"

# Merging: keys that are there are replaced, others added, and all else stays.
printf '{\n  "format": 1,\n  "topology": { "type": "slurm" },\n  "nic_rate": 5,\n  "hop_latency_s": 2e-6,\n  "ports": [ {}, { "most": 3 } ]\n}\n' >"$work/measured"
printf '{ "format" : 1,\n\t"ports": [ { "switch": 1 }, { } ],   "time_s": 3,\n  "catalogues": ["/a\\"}],{"]}\n' >"$work/site.json"
chmod 640 "$work/site.json"
cp "$work/site.json" "$work/as-it-was"
merge() { "$topomap" calibrate --merge "$work/${2:-site.json}" --from "$work/$1" 2>&1; }
said=$(merge measured)
equal "measured keys come into a site file" "0 " "$? $said"
printf '{ "format" : 1,\n\t"ports": [ {}, { "most": 3 } ],   "time_s": 3,\n  "catalogues": ["/a\\"}],{"],\n  "nic_rate": 5,\n  "hop_latency_s": 2e-6}\n' >"$work/wanted"
equal "and nothing else changes" "" "$(diff "$work/wanted" "$work/site.json")"
equal "it keeps its mode" 640 "$(stat -c %a "$work/site.json")"
equal "what it was stands beside it" "" "$(diff "$work/as-it-was" "$work/site.json~")"
merge measured >/dev/null
equal "twice is once" "" "$(diff "$work/wanted" "$work/site.json")"
printf '{"format": 1}' >"$work/bare"
said=$(merge bare)
contains "nothing was measured: told" "$said" "no ports, nic_rate or memory_rate"
merge measured bare
contains "into a file that says nothing" "$(cat "$work/bare")" '"ports": \[ {}, { "most": 3 } \],'
ln -s bare "$work/link"
merge measured link >/dev/null
equal "a symlink is refused" "1 bare" "$? $(readlink "$work/link")"
printf '{"format": 1, "nic_rate": -1}' >"$work/broken"
said=$(merge measured broken)
equal "a site file with an error is not touched" '1 {"format": 1, "nic_rate": -1}' "$? $(cat "$work/broken")"
contains "and the error told" "$said" "broken.*nic_rate"
"$topomap" calibrate --merge x 2>/dev/null
equal "--merge alone: wrong usage" 2 $?

cluster_start
launches mpich pmi2 || { skip "it measures" "$why_not" && finish && exit; }
# Its ranks leave the cores to each other, as those of programs do that are compiled here.
${CC:-cc} -O1 -fPIC -shared -o "$work/yield.so" "$programs/yield.c" || exit 99
calibrate() { LD_PRELOAD=$work/yield.so timeout 300 "$topomap" calibrate --mpi pmi2 --longest 512 --sample 1e-6 "$@" >"$work/out" 2>"$work/err"; }
calibrate -o "$work/nowhere/ports.json" -- -N2 -n2
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
for key in nic_message_s task_message_s; do
    contains "what a message takes: $key" "$(cat "$work/out")" "^$key [0-9.e-]*\$"
    contains "and in the site file" "$(cat "$work/ports.json")" "^  \"$key\": [0-9.e-]*,\$"
done
contains "progress and time left" "$(cat "$work/err")" "1 of [0-9]*, .*, about [0-9]* s left"
equal "four levels: tasks, nodes, leaf switches, the top" 4 "$(grep -c '^    {' "$work/ports.json")"
said=$("$topomap" eval --by-type grid:2x2 --model ports --topology "$work/ports.json" --nodelist 'n[0-1,4-5]' \
    --tasks-per-node 1 block cyclic 2>&1)
equal "the estimate takes it" 0 $?
contains "and has a time" "$said" 'block'
contains "and the rates of a node" "$(tr -d '\n' <"$work/ports.json")" '"nic_rate": [0-9.e+]*, *"memory_rate": [0-9]'
equal "nothing is left beside it" "ports.json" "$(cd "$work" && echo ports*)"

calibrate --json -- -N1 -n2 --overcommit -l --output="$work/elsewhere"
if command -v python3 >/dev/null; then
    equal "--json: every length that was measured, the rates, and messages" "1 64 512 True True" \
        "$(python3 -c 'import json, sys
found = json.load(sys.stdin)
print(*sorted({row["bytes"] for row in found["measured"]}), found["memory_rate"] > 0, 0 < found["task_message_s"] < 1)' <"$work/out" 2>&1)"
else
    skip "--json" "no python3, whose parser judges"
fi

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
