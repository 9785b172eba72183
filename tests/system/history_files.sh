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
equal "no history is no failure" "0  topomap: no steps in your history" "$status $out $err"
(umask 077 && mkdir -p "$history")
steps=$history/steps-$(id -u)

# Two clusters with one home: both have a job 77, and each its end in its own file.
line() { printf '{"format": 1, "event": "%s", "time": "", "at_s": %s, "job": 77, "step": 0, "program": "%s", "ntasks": 8, "nnodes": 4, %s}\n' "$@"; }
{ line launch 1795000000 red '"outcome": "placed", "hops_per_byte_before": 3.4, "hops_per_byte_after": 1.2, "why": "by red"'
    line end 1795000900 red '"outcome": "placed", "seconds": 900'; } >"$steps-red"
line launch 1795000100 blue '"outcome": "unchanged"' >"$steps-blue.c.1795000200-7"
line end 1795000300 blue '"outcome": "unchanged", "seconds": 200' >"$steps-blue.c"
run --json
equal "two clusters, one home: each step has its own end" "red placed 900 blue unchanged 200" \
    "$(sed 's/.*"program": "\([a-z]*\)".*"outcome": "\([a-z]*\)".*"seconds": \([0-9]*\).*/\1 \2 \3/' <<<"$out" | xargs)"
run
equal "the table" \
    "JOB   WHEN          PROGRAM  TASKS  NODES  OUTCOME    HOPS/BYTE   SECONDS  WHY
77.0  18 Nov 11:06  red          8      4  placed     3.4 -> 1.2    900.0  by red
77.0  18 Nov 11:08  blue         8      4  unchanged  -             200.0  -" "$out"
reasons='app, 16 ranks, by the profile of 29 Nov 2026 (job 1.0): 0 hops per byte instead of 2, the slowest link less; MPI is 96%; --topomap=off undoes it
app, 16 ranks, by grid:4x4: 1.2 hops per byte, as before, the slowest link less
16 ranks, by llm:tp=4: less than 0.01 hops per byte instead of 1e+03; --topomap=off undoes it
app, 16 ranks: they would be 16 programs of one rank each
4 ranks, by ring:4: Slurm layout is already the best found (1 hops per byte)
by red'
equal "WHY is what the other columns do not say" 'by the profile of 29 Nov 2026 (job 1.0): the slowest link less; MPI is 96%
by grid:4x4: the slowest link less
by llm:tp=4
they would be 16 programs of one rank each
by ring:4: Slurm layout is already the best found (1 hops per byte)
by red' "$(python3 -B -c 'import sys
sys.path[:0] = sys.argv[1:]
from history import reason
for line in sys.stdin: print(reason(line.rstrip(), "4" if "ring" in line else "16"))' "$STAGE_LIBEXECDIR/topomap/tables" "$STAGE_LIBEXECDIR/topomap" <<<"$reasons")"
run --csv
equal "CSV" \
    'job,step,time,program,ntasks,nnodes,outcome,hops_per_byte_before,hops_per_byte_after,seconds,why
77,0,"","red",8,4,"placed",3.4,1.2,900,"by red"
77,0,"","blue",8,4,"unchanged",,,200,' "$out"
for row in 'of one program|--program blue|2' 'of one job|77|3' 'of one step|77.0|3' 'from a day on|--since 2026-11-20|0' \
    'from so long ago|--since 1h|0'; do
    IFS='|' read -r name words expected <<<"$row"
    # shellcheck disable=SC2086
    run $words
    equal "$name" "0 $expected" "$status $(grep -c . "$work/out")"
done
for row in 'no step|1|78.0' 'no number|2|77.x' 'two tables|2|--ranks --summary' 'two forms|2|--json --csv' \
    'a summary of nothing|2|--summary=job' 'metrics without a summary|2|--prometheus' 'maps of all|2|--ranks' 'plan of a job|2|--plan 77' 'plan of a site|2|--plan 77.0 --log -' 'maps of a site|2|--ranks 77 --log -' \
    'seconds of maps|2|--ranks 77 --sacct' 'no log|1|--log syslog'; do
    IFS='|' read -r name expected words <<<"$row"
    # shellcheck disable=SC2086
    run $words
    equal "$name: one line, and status $expected" "$expected  1" "$status $out $(grep -c . "$work/err")"
done
run 77 --ranks
contains "no map is kept" "$err" 'no map of step 77.0 was kept: nothing was planned, or it was too large'
run 77.0 --plan
equal "nor a plan" "1  1" "$status $out $(grep -c 'no map of step 77.0 was kept' <<<"$err")"

# What cannot be read, and what is not believed.
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

mkdir "$work/empty"
for words in "" --summary; do
    # shellcheck disable=SC2086
    run $words --log "$work/empty"
    equal "an empty log $words: one line" "0  topomap: no steps in $work/empty" "$status $out $err"
done
run --json --log "$work/empty"
equal "an empty log --json: nothing" "0  " "$status $out $err"

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
    print "{\"format\": 1, \"event\": \"end\", \"time\": \"\", \"at_s\": 1795000000, \"job\": 9, \"step\": 0, \"program\": \"vasp,\\\"x\\\"\", \"nnodes\": 100, \"seconds\": 3600, \"outcome\": \"no-profile\"}"
}' >"$work/log"
run --summary --log "$work/log"
equal "summary: node-hours, placed, how sure, and which to record first" \
    'PROGRAM   USERS  STEPS  NODE-HOURS  PLACED  NO PROFILE  IN MPI  HOPS/BYTE  MEASURED
vasp,"x"      0      1       100.0      0%        100%       -  -          -  <- record this one first
solver        2     20        42.6     50%          0%     10%  -          -9.8% (10 pairs, -9.9 to -9.7%)' "$out"
sed -n '$p; $s/1795000000/1795009000/; $s/"job": 9/"job": 10/; $s/no-profile/placed/p' "$work/log" >"$work/since"
run --summary --log "$work/since"
equal "summary: but not what has been recorded since" "0 1 0" \
    "$status $(grep -c '^vasp,"x"  *0  *2 ' <<<"$out") $(grep -c 'record this' <<<"$out")"
run --summary=user --log "$work/log"
contains "summary: by user" "$out" '^bob  *1  *4 .*(2 pairs: too few)$'
run --summary --log "$work/log" --program solver --since 2026-11-20
equal "summary: from then on, of one program" "0 " "$status $out"
run --summary --log "$work/log" --csv
contains "summary: CSV" "$out" '^"vasp,""x""",0,1,100,0,0,0,1,0,0,0,0,0,,,,0,,,,1,0,100,0,,,,,,,$'
run --summary --log "$work/log" --json
contains "summary: JSON Lines" "$out" '^{"program": "vasp,\\"x\\"", "users": 0, .*"outcomes": {"placed": 0, .*"gain": null, .*}$'
run --summary --log "$work/log" --prometheus
contains "summary: Prometheus" "$out" '^topomap_steps{program="vasp,\\"x\\"",outcome="no-profile"} 1$'
contains "summary: Prometheus has bounds" "$out" '^topomap_gain_ratio{program="solver",bound="low"} -0.0988'
equal "summary: Prometheus knows each line" "" \
    "$(grep -vE '^# (HELP|TYPE) |^[a-z_]+(\{.*\})? -?[0-9.e+]+$' <<<"$out")"
mkdir "$work/prom"
TOPOMAP=$topomap "$srcdir/../contrib/grafana/topomap-textfile" "$work/log" "$work/prom"
equal "the script for cron" "0 topomap.prom" "$? $(ls -A "$work/prom")"

# Sums that are kept: the same summary from whole lines, from two halves, and of the same
# lines again; a launch waits there for its end.
"$srcdir/bench/historygen.py" 3000 7 >"$work/all"
run --summary --log "$work/all" --csv
whole=$out
head -n 1400 "$work/all" >"$work/grows"
fold=(--summary --csv --fold "$work/fold")
run "${fold[@]}" --log "$work/grows"
half=$out
equal "fold: as without it" "$("$topomap" history --summary --csv --log "$work/grows")" "$half"
cp "$work/fold" "$work/before"
run "${fold[@]}" --log "$work/grows"
equal "fold: the same lines count once" "0 $half" "$status $out"
equal "fold: nothing new leaves the file" "" "$(cmp "$work/fold" "$work/before" 2>&1)"
tail -n +1401 "$work/all" >>"$work/grows"
run "${fold[@]}" --log "$work/grows"
equal "fold: lines that came since, and ends of what was begun" "$whole" "$out"
run "${fold[@]}" --log /dev/null
equal "fold: without any log" "$whole" "$out"
mkdir -m 700 "$work/logs"
cp "$work/grows" "$work/logs/steps-$(id -u)-n0"
rm "$work/fold"
run "${fold[@]}" --log "$work/logs"
mv "$work/logs/steps-$(id -u)-n0" "$work/logs/steps-$(id -u)-n0.1795000000-7"
half=$out
run "${fold[@]}" --log "$work/logs"
equal "fold: nor do those of a file that has another name now" "$half" "$out"
rm "$work/fold"
"$topomap" history "${fold[@]}" --log - < <(head -n 2000 "$work/all") >"$work/out"
"$topomap" history "${fold[@]}" --log - < <(tail -n +1001 "$work/all") >"$work/out"
equal "fold: streams that overlap" "$whole" "$(cat "$work/out")"
mode=$(stat -c %a "$work/fold")
equal "fold: for its owner alone" 600 "$mode"

cp "$work/fold" "$work/before"
(ulimit -f 1; "$topomap" history "${fold[@]}" --log "$work/grows") >"$work/out" 2>"$work/err"
equal "fold: what cannot be written leaves the old one whole" "1 " "$? $(cmp "$work/fold" "$work/before" 2>&1)"
equal "fold: and nothing beside it" 1 "$(find "$work" -name 'fold*' | wc -l)"
echo '{"fold": 1, "files": 7' >"$work/fold"
run "${fold[@]}" --log "$work/grows"
contains "fold: what it is not is said" "$status $err" "^1 topomap: $work/fold: no sums of topomap history"
for row in 'a fold of some|2|--summary --fold x --since 1d' 'a fold of steps|2|--fold x' 'the top of steps|2|--top 3'; do
    IFS='|' read -r name expected words <<<"$row"
    # shellcheck disable=SC2086
    run $words
    equal "$name: one line, and status $expected" "$expected  1" "$status $out $(grep -c . "$work/err")"
done
run --summary --log "$work/all" --prometheus --top 3
equal "the first three programs, and the others as one" "4 1" \
    "$(grep -c 'topomap_steps.*outcome="placed"' <<<"$out") $(grep -c 'topomap_steps{program="other",outcome="placed"}' <<<"$out")"
equal "of which no step is lost" "$(awk -F, 'NR > 1 {n += $3} END {print n}' <<<"$whole")" \
    "$(sed -n 's/^topomap_steps.* //p' <<<"$out" | awk '{n += $1} END {print n}')"

# The site's log, of two users: a line is its writer's, and the curators' where the folder
# is for a group.
if [ "$(id -u)" = 0 ] && command -v setpriv >/dev/null && setpriv --reuid=65534 test -x "$topomap" 2>/dev/null; then
    chmod 755 "$work"
    printf 'step 9.0\noutcome failed\nprogram app\nseconds 1\n' >"$work/end"
    for row in '1733|0|600|0' '3773|60001|640|1'; do
        IFS='|' read -r mode group expected seen <<<"$row"
        mkdir "$work/log.$mode" && chgrp "$group" "$work/log.$mode" && chmod "$mode" "$work/log.$mode"
        TOPOMAP_CATALOGUE=$work/nobody setpriv --reuid=65534 --regid=65534 --clear-groups \
            "$topomap" history --ended "$work/end" --log "$work/log.$mode" >"$work/out" 2>&1
        equal "a log of mode $mode: whose line it is" "$expected 65534" "$(stat -c '%a %u' "$work/log.$mode"/steps-65534-*)"
        equal "a log of mode $mode: another user reads nothing" 0 \
            "$(setpriv --reuid=65533 --regid=65533 --clear-groups cat "$work/log.$mode"/steps-65534-* 2>/dev/null | wc -l)"
        equal "a log of mode $mode: one of its group" "$seen" \
            "$(setpriv --reuid=65533 --regid=65533 --groups=60001 "$topomap" history --log "$work/log.$mode" --json 2>/dev/null | wc -l)"
    done
else
    skip "the site's log, of two users" "no other user here"
fi

# Of lines in any order a day or a job is the same.
(sort -R --random-source=<(yes) "$work/all") >"$work/shuffled"
for words in '--since 2026-11-19' '100500' ''; do
    # shellcheck disable=SC2086
    equal "in any order: ${words:-all}" "$("$topomap" history $words --json --log "$work/all" | cksum)" \
        "$("$topomap" history $words --json --log "$work/shuffled" | cksum)"
done

# Of a long file in the order of time --since reads the end alone; of others all of it.
"$srcdir/bench/historygen.py" 50000 3 200 >"$work/long"
run --log "$work/long" --since 2027-01-13 --csv
noted=$out
equal "since: some of a long file" "1" "$(($(wc -l <<<"$noted") > 1000))"
strace -o "$work/calls" true 2>/dev/null && {
    strace -f -e trace=pread64 -o "$work/calls" "$topomap" history --log "$work/long" --since 2027-01-13 --csv >/dev/null 2>&1
    equal "since: what is a month older is not read" "1" "$(($(awk -F'= ' '/pread64/ && $2 > 100000 {n += $2} END {print n + 0}' "$work/calls") < 15000000))"
}
{ tail -n 20000 "$work/long"; head -n 30000 "$work/long"; } >"$work/turned"
shuf --random-source="$work/long" "$work/long" >"$work/shuffled"
for name in turned shuffled; do
    run --log "$work/$name" --since 2027-01-13 --csv
    equal "since: the same of a file that is $name" "$noted" "$out"
done
rm "$work/long" "$work/turned" "$work/shuffled"

# Seconds that no line has, as sacct(1) prints them.
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

# Where --report and --fold write: links are followed as the kernel follows them,
# and what no rename replaces is written as it is.
ln -s page.html "$work/mine"
run --summary --report "$work/mine"
equal "--report through a link of one's own" "0 page.html 1" "$status $(readlink "$work/mine") $(grep -c '<html' "$work/page.html")"
run --summary --report /dev/stdout
contains "--report to a pipe" "$("$topomap" history --summary --report /dev/stdout | cat)" '</html>'
run --summary --report /dev/full
equal "--report to a full disk: one line" "1 topomap: cannot write /dev/full: No space left on device" "$status $err"
if [ "$(id -u)" = 0 ]; then
    mkdir -m 1777 "$work/sticky"
    for option in report fold; do
        ln -s ../precious "$work/sticky/$option" && chown -h 65534 "$work/sticky/$option" && : >"$work/precious"
        run --summary --$option "$work/sticky/$option"
        contains "--$option through a stranger's link" "$status $(wc -c <"$work/precious") $err" \
            "^1 0 topomap: cannot write .*sticky/$option.*: the link .* is of user 65534, in a folder that all may write to"
    done
fi
finish
