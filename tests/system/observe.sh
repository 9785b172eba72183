#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# observe.sh - a site that observes: no rank moves, runs are recorded, and the
# history and its summary say what placing would have come to.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 4
compile app mpich halo.c || skip_all "no mpicc.mpich"
launches MPI pmi2 || skip_all "$why_not"
app=$work/app
job=(srun -N4 -n8 --mpi=pmi2)
site=$work/site.json

# site TEXT: what its file says from now on.
site() { echo "{ \"format\": 1, $1 }" >"$site"; }
# field NAME: of the newest step in --json, when all is written.
field()
{
    settled
    "$topomap" history --json | tail -n 1 | python3 -c 'import json, sys
print(json.load(sys.stdin).get(sys.argv[1], ""))' "$1"
}
versions() { "$topomap" profile list | grep -c '^app'; }
# variables: what differs between the tasks of two steps is left out.
variables() { sed 's/^SLURM_\(JOB_ID\|JOBID\|JOB_SLUID\|SRUN_COMM_PORT\|LAUNCH_NODE_IPADDR\)=.*//; /^PMI_\|^SLURM_STEP\(_ID\|ID\|_RESV_PORTS\|_LAUNCHER_PORT\)=/d
    s/^\(SLURM_TASK_PID\|SLURM_JOB_END_TIME\|SLURM_JOB_START_TIME\|SLURM_STEP_LAUNCHER_PORT\)=.*//; /^_=/d' | sort -u; }

run "${job[@]}" --topomap=off "$app" --where
plain=$(where "$out")
site '"default": "observe,unit=rank,pin=off"'
plugstack config="$site"

run "${job[@]}" "$app" --where
equal "the first run: ranks and CPUs stay, in silence" "0 $plain " "$status $(where "$out") $(said)"
equal "it is recorded" "recorded 1" "$(field outcome) $(versions)"
run "${job[@]}" "$app" --where
equal "the second: ranks and CPUs stay, in silence" "0 $plain " "$status $(where "$out") $(said)"
equal "it is observed, and not recorded" "observed 1" "$(field outcome) $(versions)"
"$topomap" plan --program "$app" --ntasks 8 --nodelist 'n[0-3]' --tasks-per-node 2 \
    --topology "$work/etc/topology.conf" --json >"$work/plan.json" 2>"$work/plan.err"
# of_plan KEY: of that plan, Slurm's own and topomap's.
of_plan() { python3 -c 'import json, sys
plan = json.load(open(sys.argv[1]))
print(*("%.6g" % side[sys.argv[2]] for side in (plan["baseline"], plan)))' "$work/plan.json" "$1"; }
numbers() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%.6g %.6g\n", a, b }'; }
equal "with the hops per byte of topomap plan" "$(of_plan hops_per_byte)" \
    "$(numbers "$(field hops_per_byte_before)" "$(field hops_per_byte_after)")"
equal "its busiest link" "$(of_plan max_link_bytes)" \
    "$(numbers "$(field busiest_link_bytes_before)" "$(field busiest_link_bytes_after)")"
equal "and its seconds in MPI, of which no more are saved than the least of a task" "yes" "$(python3 -c 'import json, sys
estimate, (before, after) = json.load(open(sys.argv[1]))["estimate_s"], map(float, sys.argv[2:])
print("yes" if abs(before - estimate["slurm"]) < 1e-6 * before and estimate["found"] <= after * 1.000001 and after < before
      else (estimate, before, after))' "$work/plan.json" "$(field profile_mpi_seconds_before)" "$(field profile_mpi_seconds_after)")"
contains "the history says what could be done" "$("$topomap" history)" \
    "app  *8  *4  *observed  *3.92 -> 0.0909  *[0-9.]*  by the profile of "
run "$topomap" history --ranks "$(field job)"
equal "and where the ranks were" "$(awk '{ print $1, $2 }' <<<"$plain")" "$(awk 'NR > 1 { print $1, $2 }' <<<"$out")"

# The tasks see nothing of it.
# shellcheck disable=SC2016
each=(/bin/sh -c 'env >"$0.$SLURM_PROCID"') # in lines that are longer than a pipe keeps whole
run "${job[@]}" --topomap=off "${each[@]}" "$work/env-off"
awk 'BEGIN { print 8, 4, "001"; for (i = 0; i < 8; i++) print (i + 4) % 8 + 1, 65536 }' >"$work/far.graph"
"$topomap" profile import "$work/far.graph" --name far --ntasks 8 >"$work/import.log" 2>&1
run "${job[@]}" --topomap=observe,name=far "${each[@]}" "$work/env-on"
equal "the environment of the tasks is that without topomap" \
    "8 $(cat "$work"/env-off.* | variables)" "$(find "$work" -name 'env-on.*' | wc -l) $(cat "$work"/env-on.* | variables)"
equal "srun names the outcome to the user who typed it" \
    "topomap: observed: far, 8 ranks in Slurm's layout: topomap history has the plan when it is made, unless the step ends first" "$(said)"
TOPOMAP=observe,name=far run "${job[@]}" /bin/true
equal "with TOPOMAP srun is silent" "0 observed " "$status $(field outcome) $(said)"

# The user's word wins; no MPI is no matter.
run "${job[@]}" --topomap=auto "$app" --where
equal "a step beside it that says auto is placed" "0 placed" "$status $(field outcome)"
[ "$(hosts "$out")" != "$(awk '{ print $1, $2 }' <<<"$plain")" ] && ok "its ranks move" || not_ok "its ranks move" "$out"
run "${job[@]}" --topomap=off "$app" --where
equal "one that says off is not looked at" "0 $plain placed" "$status $(where "$out") $(field outcome)"
run "${job[@]}" /bin/true
equal "a program without MPI is no matter" "0 no-mpi " "$status $(field outcome) $(said)"
run srun -N1 -n2 --mpi=pmi2 "$app" --where
equal "nor a step on one node" "0 unsupported " "$status $(field outcome) $(said)"

# What it does not take.
run "${job[@]}" --topomap=observe,strict "$app"
contains "strict is refused before anything" "$status $err" '^[1-9][0-9]* .*--topomap: observe takes no strict: it leaves the launch as Slurm makes it'
TOPOMAP=observe,bind=off run "${job[@]}" "$app" --where
equal "TOPOMAP: so is bind, and the job runs" "0 $plain 1" \
    "$status $(where "$out") $(said | grep -c 'not placed: variable TOPOMAP: observe takes no bind: ')"
site '"default": "observe,dry-run"'
run "${job[@]}" "$app" --where
equal "a site's default with dry-run: the job runs" "0 $plain" "$status $(where "$out")"
contains "doctor says it" "$("$topomap" doctor --config "$site")" "^site file  *!!  *$site:1: key default: observe takes no dry-run"
site '"rules": [{"program": "app", "default": "observe"}, {"user": "root", "place": false}]'
run "${job[@]}" "$app" --where
equal "a rule may say it" "0 $plain observed " "$status $(where "$out") $(field outcome) $(said)"
run "${job[@]}" --topomap=observe,name=far /bin/true
contains "where a rule forbids placing there is nothing to observe" "$status $(said)" '^0 topomap: not observed: rule 2 of .* forbids it; the job runs as usual'
cp "$app" "$work/new" && strip -R .note.gnu.build-id "$work/new"
site '"default": "observe", "rules": [{"program": "new", "record": false}]'
run "${job[@]}" "$work/new" --where
equal "a rule forbids recording: the run is not recorded" "0 $plain no-profile" "$status $(where "$out") $(field outcome)"
run "${job[@]}" --topomap=observe,record "$app"
contains "record: a run that has a profile" "$err" '^topomap: recorded: 8 of 8 tasks of app; filed in '

# How much of the site is recorded.
# capped TEXT: why the site did not record a step of new.
capped()
{
    site "\"default\": \"observe\", $1"
    run "${job[@]}" "$work/new" --where
    echo "$status $(field outcome) $(field why)"
}
contains "before record_from nothing is recorded" "$(capped '"record_from": "2999-01-01"')" \
    '^0 no-profile .*; not recorded: the site records from 2999-01-01$'
contains "nor after record_until" "$(capped '"record_until": "2020-01-01T12:00"')" \
    '^0 no-profile .*; not recorded: the site recorded until 2020-01-01T12:00$'
contains "nor beyond record_share" "$(capped '"record_share": 0')" '; not recorded: the site has a share of the steps recorded, without this one$'
mkdir -m 1777 "$work/recording"
of_all="\"record_folder\": \"$work/recording\", \"record_steps\": 2, \"record_nodes\": 9"
: >"$work/recording/999.0-5-32503680000"
: >"$work/recording/998.0-500-1"
contains "one step on 5 nodes leaves 4 of 9" "$(capped "$of_all")" '^0 recorded '
equal "the file of a recording that is over is removed" "999.0-5-32503680000 1" \
    "$(cd "$work/recording" && echo 9*) $(find "$work/recording" -name '*.0-4-*' -o -name '*.[1-9]*-4-*' | wc -l)"
rm -rf "$catalogue/new"
contains "a third step is not recorded" "$(capped "$of_all")" \
    '; not recorded: 2 steps on 9 nodes are being recorded, and the site allows no more$'
equal "and leaves no file" 2 "$(find "$work/recording" -type f | wc -l)"
contains "nor one where the folder is missing" "$(capped "\"record_folder\": \"$work/none\", \"record_steps\": 2")" \
    "; not recorded: the site's recordings cannot be counted: .*$work/none: No such file"
contains "without a folder each user's steps count" "$(capped '"record_nodes": 3')" \
    '; not recorded: 0 steps on 0 nodes are being recorded, and the site allows no more$'
site '"record_folder": "here", "record_from": "soon"'
contains "a bad date is refused by line and key" "$("$topomap" plan --site --config "$site")" \
    "^wrong $site:1: key record_from: expected a day or a minute in UTC"
site '"record_from": "2026-11-02", "record_until": "2026-11-01"'
contains "so is an end before the begin" "$("$topomap" plan --site --config "$site")" "^wrong $site:1: key record_until: expected a time after record_from"
site '"record_folder": "here"'
contains "and a folder without its path" "$("$topomap" plan --site --config "$site")" "^wrong $site:1: key record_folder: expected an absolute path"

# What lets nothing be recorded, as doctor and topomap plan --site see it.
site '"record_until": "2020-01-01"'
contains "doubted: a past day" "$("$topomap" plan --site --config "$site")" "^doubt $site: record_until is past"
contains "doubted: doctor says so" "$("$topomap" doctor --config "$site")" '^recording  *!  .*record_until is past'
site '"record_share": 0'
contains "doubted: no share" "$("$topomap" plan --site --config "$site")" "^doubt $site: record_share is 0"
site '"record_share": 0.5, "record_until": "2999-01-01"'
equal "no doubt" "" "$("$topomap" plan --site --config "$site" | grep '^doubt')"
site "$of_all"
if [ "$(id -u)" = 0 ]; then
    while IFS='|' read -r mode pattern; do
        chmod "$mode" "$work/recording"
        contains "record_folder of mode $mode" "$("$topomap" doctor --config "$site")" "^record_folder  *$pattern"
    done <<END
1733|!!  $work/recording: not every user may list it and write to it
0777|!!  $work/recording is refused: everybody may write
1777|\(ok\|! \)  $work/recording
END
fi
rm -rf "$work/recording"
contains "record_folder is not there" "$("$topomap" doctor --config "$site")" "^record_folder  *!!  $work/recording: there is no such folder"

# What goes wrong is no job's matter.
# as_planner TEXT: a command that does so in the place of topomap plan.
as_planner()
{
    printf '#!/bin/sh\n[ "$1 $2" = "plan --facts" ] || exec %q "$@"\n%s\n' "$topomap" "$1" >"$work/planner"
    chmod +x "$work/planner"
    plugstack config="$site" program="$work/planner"
}
# planners: those that were left to themselves.
planners() { grep -lsz "^TOPOMAP_CATALOGUE=$catalogue$" /proc/[0-9]*/environ | sed 's/environ/cmdline/' | xargs grep -lsz -- '--fact[s]'; }
site '"default": "observe", "topology_kept_s": 0'
as_planner 'kill -9 $$'
run "${job[@]}" "$app" --where
equal "a planner that is killed: the job runs, in silence" "0 $plain " "$status $(where "$out") $(said)"
equal "the history says so" "failed" "$(field outcome)"
as_planner 'exec sleep 300'
run "${job[@]}" --topomap=observe,time=1 "$app" --where
equal "one without an answer: the job runs, with a line" "0 $plain 1" "$status $(where "$out") $(said | grep -c 'not observed: ')"
plugstack config="$site"
mkdir "$work/slow"
# shellcheck disable=SC2016
printf '#!/bin/sh\n{ nice; ionice -p $$; } >%q/nice\necho $$ >%q/slow.pid\nexec sleep 300\n' "$work" "$work" >"$work/slow/scontrol"
chmod +x "$work/slow/scontrol"
PATH=$work/slow:$PATH run "${job[@]}" --topomap=observe,time=100 "$app" --where
equal "a scontrol without an answer: the job does not wait for it" "0 $plain observed:" "$status $(where "$out") $(said | cut -d' ' -f2)"
for _ in $(seq 600); do [ -s "$work/slow.pid" ] && break || sleep 0.1; done
contains "the planner runs at the lowest priority" "$(paste -sd' ' "$work/nice")" '^19 idle'
[ -n "$(planners)" ] && ok "it outlives srun" || not_ok "it outlives srun" "none"
for _ in $(seq 600); do [ -n "$(planners)" ] || break; sleep 0.1; done
equal "for ten seconds" "" "$(planners)"
kill "$(cat "$work/slow.pid")"
contains "the history has the step without a plan" "$(field outcome) $(field why)" '^observed app, 8 ranks in .*, unless the step ends first$'
equal "and no numbers of one" "" "$(field hops_per_byte_after)"
mount -t tmpfs -o size=64k tmpfs "$work/small" 2>/dev/null || { mkdir "$work/small" && mount -t tmpfs -o size=64k tmpfs "$work/small"; } 2>/dev/null
if mountpoint -q "$work/small"; then
    cp -r "$catalogue/app" "$work/small/" 2>/dev/null
    dd if=/dev/zero of="$work/small/full" bs=1k 2>/dev/null
    TOPOMAP_CATALOGUE=$work/small run "${job[@]}" "$app" --where
    equal "a full disk: the job runs, in silence" "0 $plain " "$status $(where "$out") $(said)"
    catalogue=$work/small settled
    umount "$work/small"
else
    skip "a full disk: the job runs, in silence" "no tmpfs can be mounted"
fi
run sbatch --wait -N4 -n8 -o "$work/batch.out" --wrap "srun --mpi=pmi2 $app --where"
equal "the job ends before there is a plan, or not: it is observed" "0 $plain observed" \
    "$status $(where "$(cat "$work/batch.out")") $(field outcome)"
no_job_left "no job is left"

# What it comes to.
# line DAY WORDS: of a step.
line() { printf '{"format": 1, "event": "launch", "time": "2026-11-0%sT00:00:00Z", "at_s": %d, "job": %d, "step": 0, "user": "ann", "ntasks": 8, "nnodes": 2, "seconds": 3600, %s}\n' "$1" $((1793491200 + $1)) "$1" "$2"; }
# with LINKS-BEFORE LINKS-AFTER MPI-AFTER: of a plan for a run of 100 s, 50 in MPI.
with() { echo "\"outcome\": \"observed\", \"hops_per_byte_before\": $1, \"hops_per_byte_after\": $2, \"profile_seconds\": 100, \"profile_mpi_seconds_before\": 50, \"profile_mpi_seconds_after\": $3"; }
{
    line 1 "\"program\": \"lmp\", $(with 2 1 25)"
    line 2 "\"program\": \"lmp\", $(with 4 2 50)"
    line 3 '"program": "vasp", "outcome": "observed"'
    line 4 '"program": "new<b>", "outcome": "no-profile"'
} >"$work/lines"
# would_gain [OPTION]...
would_gain() { "$topomap" history --summary --log "$work/lines" "$@" | sed -n '/^WOULD GAIN/,$p'; }
gain="WOULD GAIN, by the plans of observed steps:
PROGRAM          OBSERVED  NODE-HOURS  WITH PROFILE  HOPS/BYTE  MPI SECONDS   SAVED NODE-HOURS  OF ALL
lmp                     2         4.0          100%  3 -> 1.5   3600 -> 2700               0.5   12.5%
vasp                    1         2.0          100%  -          -                            -       -
all of the site         3         8.0           75%  3 -> 1.5   3600 -> 2700               0.5    6.2%
the error of these estimates is not known: no program has measured runs (default=learn makes them)"
equal "the summary says what placing would gain" "$gain" "$(would_gain)"
would_gain --fold "$work/fold" >/dev/null
: >"$work/lines"
equal "so do the sums that it keeps" "$gain" "$(would_gain --fold "$work/fold")"
equal "and its JSON" "0.5 0.75" "$("$topomap" history --summary --log "$work/lines" --fold "$work/fold" --json | python3 -c 'import json, sys
rows = [json.loads(line)["would_gain"] for line in sys.stdin]
print(sum(row["saved_node_hours"] or 0 for row in rows), sum(row["profile_share"] * row["node_hours"] for row in rows) / 8)')"
run "$topomap" history --log "$work/lines" --summary --fold "$work/fold" --report "$work/page.html"
equal "a page is written, in silence" "0 " "$status $out$err"
equal "with a text, a table and two pictures" "2 1 1 6.2% True" "$(python3 -c 'import sys, xml.etree.ElementTree as tree
page = tree.parse(sys.argv[1])
def count(tag): return len(page.findall(".//{*}" + tag))
text = "".join(page.getroot().itertext())
print(count("svg"), count("table"), count("h1"), page.findall(".//{*}td")[-1].text, "saves 0.5 node-hours" in text)' "$work/page.html")"
"$topomap" history --log "$work/lines" --report "$work/page.html"
equal "without an observed step it says so, and draws nothing" "0 1" \
    "$(grep -c '<svg' "$work/page.html") $(grep -c 'No step was observed: ' "$work/page.html")"
run "$topomap" history --log "$work/lines" --report "$work/none/page.html"
contains "where it cannot be written it says so" "$status $err" "^1 topomap: cannot write $work/none/page.html: No such file or directory"
run "$topomap" history --report "$work/page.html" --json
contains "a page is no JSON" "$status $err" '^2 .*--report is a page of HTML'
finish
