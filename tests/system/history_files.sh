#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# history_files.sh - topomap history and its summary of fixed lines, and what it
# does with lines and files that it cannot read or trust; without Slurm
: "${srcdir:=$(dirname "$0")/..}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}"
topomap=$TOPOMAP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
export TOPOMAP_CATALOGUE=$work/catalogue TZ=UTC
history=$TOPOMAP_CATALOGUE/.history
run()
{
    "$topomap" history "$@" >"$work/out" 2>"$work/err" </dev/null
    status=$?
    out=$(cat "$work/out") err=$(cat "$work/err")
}

run
equal "no history is no failure" "0 " "$status $out$err"
(umask 077 && mkdir -p "$history")
steps=$history/steps-$(id -u)

# Two clusters with one home: both have a job 77, and each its end in its own file.
line() { printf '{"format": 1, "event": "%s", "time": "", "at_s": %s, "job": 77, "step": 0, "program": "%s", "ntasks": 8, "nnodes": 4, %s}\n' "$@"; }
{ line launch 1795000000 red '"outcome": "placed", "links_per_byte_before": 3.4, "links_per_byte_after": 1.2, "why": "by red"'
    line end 1795000900 red '"outcome": "placed", "seconds": 900'; } >"$steps-red"
line launch 1795000100 blue '"outcome": "kept"' >"$steps-blue.c.1795000200-7"
line end 1795000300 blue '"outcome": "kept", "seconds": 200' >"$steps-blue.c"
run --json
equal "two clusters, one home: each step has its own end" "red placed 900 blue kept 200" \
    "$(sed 's/.*"program": "\([a-z]*\)".*"outcome": "\([a-z]*\)".*"seconds": \([0-9]*\).*/\1 \2 \3/' <<<"$out" | xargs)"
run
equal "the table" \
    "JOB   WHEN          PROGRAM  TASKS  NODES  OUTCOME  LINKS/BYTE  SECONDS  WHY
77.0  18 Nov 11:06  red          8      4  placed   3.4 -> 1.2    900.0  by red
77.0  18 Nov 11:08  blue         8      4  kept     -             200.0  -" "$out"
run --csv
equal "CSV" \
    'job,step,time,program,ntasks,nnodes,outcome,links_per_byte_before,links_per_byte_after,seconds,why
77,0,"","red",8,4,"placed",3.4,1.2,900,"by red"
77,0,"","blue",8,4,"kept",,,200,' "$out"
for row in 'of one program|--program blue|2' 'of one job|77|3' 'of one step|77.0|3' 'from a day on|--since 2026-11-20|0' \
    'from so long ago|--since 1h|0'; do
    IFS='|' read -r name words expected <<<"$row"
    # shellcheck disable=SC2086
    run $words
    equal "$name" "0 $expected" "$status $(grep -c . "$work/out")"
done
for row in 'no step|1|78.0' 'no number|2|77.x' 'two tables|2|--ranks --summary' 'two forms|2|--json --csv' \
    'a summary of nothing|2|--summary=job' 'metrics without a summary|2|--prometheus' 'maps of all|2|--ranks' 'maps of a site|2|--ranks 77 --log -' \
    'seconds of maps|2|--ranks 77 --sacct' 'no log|1|--log syslog'; do
    IFS='|' read -r name expected words <<<"$row"
    # shellcheck disable=SC2086
    run $words
    equal "$name: one line, and status $expected" "$expected  1" "$status $out $(grep -c . "$work/err")"
done
run 77 --ranks
contains "no map is kept" "$err" 'no map of step 77.0 was kept: nothing was planned, or it was too large'

# What cannot be read, and what nobody believes.
printf '{"format": 1, "event": "lau' >>"$steps-red"
run --json
equal "half a line" "0 2 1" "$status $(grep -c . "$work/out") $(grep -c '1 line of the history cannot be read' "$work/err")"
cp "$steps-red" "$history/steps-65534-n0"
run --json
contains "nobody writes in another's name" "$err" '1 file of the history is passed over'
run 4711.0
equal "a step that is not in what can be read: one line" \
    "1 topomap: there is no step 4711.0 in the history, of which 1 line and 1 file cannot be read or trusted" \
    "$status $err"
rm "$history"/steps-*
sed -n 1p >"$work/syslog" < <(line launch 1795000000 red '"outcome": "placed"' | sed 's/^/Nov 22 host topomap[1]: /')
equal "lines of syslog come from stdin, too" 1 "$("$topomap" history --log - --json <"$work/syslog" | wc -l)"

# Ten of each kind by turns, the placed ones a tenth faster.
awk 'BEGIN {
    for (i = 0; i < 20; i++) {
        begun = 1795000000 + 3600 * i
        run = sprintf("\"time\": \"\", \"job\": %d, \"step\": 0, \"user\": \"%s\", \"program\": \"solver\", ",
            500 + i, i < 16 ? "ada" : "bob")
        printf "{\"format\": 1, \"event\": \"launch\", \"at_s\": %d, %s\"ntasks\": 64, \"nnodes\": 8, \"outcome\": \"%s\"}\n",
            begun, run, i % 2 ? "placed" : "control"
        printf "{\"format\": 1, \"event\": \"end\", \"at_s\": %d, %s\"seconds\": %d, \"mpi_seconds\": 100}\n", begun + 600, run,
            (i % 2 ? 900 : 1000) + i
    }
    print "{\"format\": 1, \"event\": \"end\", \"time\": \"\", \"at_s\": 1795000000, \"job\": 9, \"step\": 0, \"program\": \"vasp,\\\"x\\\"\", \"nnodes\": 100, \"seconds\": 3600, \"outcome\": \"nothing\"}"
}' >"$work/log"
run --summary --log "$work/log"
equal "summary: node-hours, placed, how sure, and which to record first" \
    'PROGRAM   USERS  STEPS  NODE-HOURS  PLACED  NO PROFILE  IN MPI  LINKS/BYTE  MEASURED
vasp,"x"      0      1       100.0      0%        100%       -  -           -  <- record this one first
solver        2     20        42.6     50%          0%     10%  -           -9.8% (10 pairs, -9.9 to -9.7%)' "$out"
sed -n '$p; $s/1795000000/1795009000/; $s/"job": 9/"job": 10/; $s/nothing/placed/p' "$work/log" >"$work/since"
run --summary --log "$work/since"
equal "summary: but not what has been recorded since" "0 1 0" \
    "$status $(grep -c '^vasp,"x"  *0  *2 ' <<<"$out") $(grep -c 'record this' <<<"$out")"
run --summary=user --log "$work/log"
contains "summary: by user" "$out" '^bob  *1  *4 .*(2 pairs: too few)$'
run --summary --log "$work/log" --program solver --since 2026-11-20
equal "summary: from then on, of one program" "0 " "$status $out"
run --summary --log "$work/log" --csv
contains "summary: CSV" "$out" '^"vasp,""x""",0,1,100,0,0,0,1,0,0,0,0,,,,0,,,,1$'
run --summary --log "$work/log" --json
contains "summary: JSON Lines" "$out" '^{"program": "vasp,\\"x\\"", "users": 0, .*"outcomes": {"placed": 0, .*"gain": null, .*}$'
run --summary --log "$work/log" --prometheus
contains "summary: Prometheus" "$out" '^topomap_steps{program="vasp,\\"x\\"",outcome="nothing"} 1$'
contains "summary: Prometheus has bounds" "$out" '^topomap_gain_ratio{program="solver",bound="low"} -0.0988'
equal "summary: Prometheus knows each line" "" \
    "$(grep -vE '^# (HELP|TYPE) |^[a-z_]+(\{.*\})? -?[0-9.e+]+$' <<<"$out")"
mkdir "$work/prom"
TOPOMAP=$topomap "$srcdir/../contrib/grafana/topomap-textfile" "$work/log" "$work/prom"
equal "the script for cron" "0 topomap.prom" "$? $(ls -A "$work/prom")"

# Seconds that nobody noted, as sacct(1) prints them.
at=1795000000 job=4711
printf '{"format": 1, "event": "launch", "time": "", "at_s": %s, "job": %s, "step": 0, "program": "app", "outcome": "placed"}\n' \
    "$at" "$job" "$at" "$job" >"$steps-n0"
mkdir "$work/bin"
cat >"$work/bin/sacct" <<END
#!/bin/sh
echo "\$* \$SLURM_TIME_FORMAT" >>$work/sacct.log
echo "$job|$((at - 2))|77|CANCELLED by 0"
echo "$job.batch|$((at - 2))|77|CANCELLED"
echo "$job.0|$((at - 90000))|5|COMPLETED"
echo "$job.0|$((at - 1))|61|CANCELLED by 0"
echo "$job.1|$((at - 1))||RUNNING"
END
chmod +x "$work/bin/sacct"
PATH=$work/bin:$PATH run "$job.0" --sacct --json
contains "sacct knows them, of the step of then" "$out" '"seconds": 61, "state": "CANCELLED"'
equal "it is asked for that job" "--noheader --parsable2 --duplicates --jobs $job --format=JobIDRaw,Start,ElapsedRaw,State %s" \
    "$(cat "$work/sacct.log")"
PATH=$work/bin:$PATH run --summary --sacct --csv
equal "for the summary, too" "0 2" "$status $(grep -c . "$work/sacct.log")"
printf '#!/bin/sh\nexit 1\n' >"$work/bin/sacct"
PATH=$work/bin:$PATH run "$job.0" --sacct
equal "no accounting: the step is shown, and a line says so" "0 1 1" \
    "$status $(grep -c placed <<<"$out") $(grep -c 'no wall times by --sacct: sacct fails; without slurmdbd' <<<"$err")"
finish
