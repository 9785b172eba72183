#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# history.sh - what steps leave in the history of their user and of the site:
# each of them a line, for all users, whole lines from twenty sruns at once,
# nothing with off, and no launch that waits or fails for it.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"

cluster_start --nodes 4
history=$catalogue/.history
# lines EVENT: how many of them.
lines() { cat "$history"/steps-* 2>/dev/null | grep -c "\"event\": \"$1\""; }
# field NAME JOB.STEP: its value in --json.
field()
{
    "$topomap" history "$2" --json | sed -n "s/.*\"$1\": \"\{0,1\}\([^,\"}]*\).*/\1/p"
}
# last: JOB.STEP of the newest.
last() { "$topomap" history --json | tail -n 1 | sed 's/.*"job": \([0-9]*\), "step": \([0-9]*\).*/\1.\2/'; }

# Eight ranks, each with the one four away.
awk 'BEGIN { print 8, 4, "001"; for (i = 0; i < 8; i++) print (i + 4) % 8 + 1, 65536 }' >"$work/far.graph"
"$topomap" profile import "$work/far.graph" --name far --ntasks 8 >"$work/import.log" 2>&1
job=(srun -N4 -n8)

run "${job[@]}" --topomap=off /bin/true
equal "off leaves nothing" "0 " "$status $(ls -A "$history" 2>/dev/null)"
equal "no history is no failure" "0 topomap: no steps in your history" "$("$topomap" history >/dev/null 2>"$work/said"; echo $?) $(cat "$work/said")"
run "${job[@]}" --topomap=auto,name=far,dry-run /bin/true
equal "nor does a dry run" "0" "$(lines launch)"

run "${job[@]}" --topomap=auto,name=far /bin/sleep 0.2
step=$(last)
equal "a placed step: a line at its launch, one at its end" "1 1" "$(lines launch) $(lines end)"
equal "which are one step" 1 "$("$topomap" history --json | wc -l)"
equal "outcome, program, tasks, nodes, graph" "placed far 8 4 weighted-sum user" \
    "$(for name in outcome program ntasks nnodes graph asked; do field $name "$step"; done | xargs)"
equal "its seconds" yes "$(awk -v s="$(field seconds "$step")" 'BEGIN { print (s >= 0.2 && s < 60 ? "yes" : "no: " s) }')"
equal "links a byte, before and after" yes \
    "$(awk -v b="$(field hops_per_byte_before "$step")" -v a="$(field hops_per_byte_after "$step")" \
        'BEGIN { print (a < b ? "yes" : "no: " b " " a) }')"
contains "the table" "$("$topomap" history)" "^$step  *.* far  *8  *4  placed  *[0-9.]* -> [0-9.]*  *[0-9.]*  by the profile of "
equal "as the plan has it: where each rank was" \
    "$("$topomap" plan --name far --ntasks 8 --nodelist 'n[0-3]' --tasks-per-node '2(x4)' \
        --topology "$work/etc/topology.conf" --to=rankfile 2>/dev/null |
        sed -n 's/^rank *\([0-9]*\) *= *\([^ ]*\) *slot *= *\([0-9]*\).*/\1 \2 \3/p' | sort -n)" \
    "$("$topomap" history "$step" --ranks | sed '1d;s/ [^ ]*$//')"

# The same ranks on the same nodes once more, of a step that was placed and of one that
# Slurm had put elsewhere than it would now.
# shellcheck disable=SC2016
place=(sh -c 'echo "$SLURM_PROCID $SLURMD_NODENAME"')
run "${job[@]}" --topomap=auto,name=far "${place[@]}"
first=$(printf '%s\n' "$out" | sort -n)
"$topomap" history "$(last)" --plan >"$work/placed.plan"
run "${job[@]}" --topomap="plan:$work/placed.plan" "${place[@]}"
equal "--plan: a placed step again by plan:FILE" "$first" "$(printf '%s\n' "$out" | sort -n)"
run "${job[@]}" -m cyclic --topomap=auto,name=none "${place[@]}"
first=$(printf '%s\n' "$out" | sort -n)
"$topomap" history "$(last)" --plan >"$work/cyclic.plan"
run "${job[@]}" -m block --topomap="plan:$work/cyclic.plan" "${place[@]}"
equal "--plan: one in Slurm's layout, whatever Slurm's layout is now" "$first" "$(printf '%s\n' "$out" | sort -n)"
equal "which is another" no "$([ "$(srun -N4 -n8 -m block "${place[@]}" | sort -n)" = "$first" ] && echo yes || echo no)"

contains "nobody has asked for CPUs" "$("$topomap" history "$step" --ranks)" \
    'its CPUs are not known: not asked for (--topomap=...,cpus), or no node reported$'
equal "no folder is made for them" 0 "$(find "$history" -name 'nodes-*' | wc -l)"

# What each rank has, reported by the nodes when the step has ended. The folder for them
# is made beside the launch, which does not wait for it.
cat >"$work/cpus" <<END
#!/bin/sh
for i in \$(seq 2400); do [ ! -d "$history/nodes-\$SLURM_JOB_ID.\$SLURM_STEP_ID-\$SLURM_CLUSTER_NAME" ] || break; sleep 0.05; done
[ ! -e "$work/hold" ] || { touch "$work/held.\$SLURM_PROCID"; for i in \$(seq 2400); do [ -e "$work/hold" ] || break; sleep 0.05; done; }
echo "\$SLURM_PROCID \$SLURMD_NODENAME \$(sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/self/status)"
END
chmod +x "$work/cpus"
# mapped: rank, node and CPUs of the last step.
mapped() { "$topomap" history "$(last)" --ranks | awk 'NR > 1 { print $1, $2, $4 }'; }
run "${job[@]}" --topomap=auto,name=far,cpus "$work/cpus"
equal "as the tasks have it: their CPUs" "$(printf '%s\n' "$out" | sort -n)" "$(mapped)"
contains "the head says so" "$("$topomap" history "$(last)" --ranks)" ': rank, node, place in the node and CPUs$'
run "${job[@]}" --topomap=auto,name=far,cpus --cpu-bind=none "$work/cpus"
equal "and where nobody binds them" "$(printf '%s\n' "$out" | sort -n)" "$(mapped)"
equal "the nodes' own files are gone" 0 "$(find "$history" -name 'nodes-*' | wc -l)"
equal "one file a step is left" 1 "$(find "$history" -name "cpus-$(last)-*" -type f | wc -l)"
touch "$work/hold"
"${job[@]}" --topomap=auto,name=far,cpus "$work/cpus" >"$work/held.out" 2>&1 &
held=$!
for _ in {1..1200}; do [ "$(find "$work" -name 'held.[0-9]*' | wc -l)" != 8 ] || break; sleep 0.1; done
contains "not before the end, and that is said" "$("$topomap" history "$(last)" --ranks)" \
    'place in the node; its CPUs are not known: nodes report them when the step has ended$'
equal "each rank without" 8 "$("$topomap" history "$(last)" --ranks | grep -c ' -$')"
rm "$work/hold"
wait "$held"
equal "known then" "$(grep '^[0-9]' "$work/held.out" | sort -n)" "$(mapped)"
rm "$history"/cpus-*
contains "and when it is no longer kept, that" "$("$topomap" history "$(last)" --ranks)" \
    'its CPUs are not known: others came after it$'

# From a site's default, where nothing is said on the terminal.
plugstack default=auto
run "${job[@]}" /bin/true
equal "a site's default says nothing" "0 " "$status $(said)"
contains "and leaves a line" "$("$topomap" history "$(last)")" "true .* not placed "
equal "that knows who asked" site "$(field asked "$(last)")"
run srun -N1 -n1 /bin/true
contains "one node is a step, too" "$("$topomap" history "$(last)")" "not placed .*the step has one node"
plugstack
run "${job[@]}" --topomap=auto,name=none /bin/true
contains "no profile" "$("$topomap" history "$(last)")" "not placed .*no profile named none"
equal "which is its outcome" no-profile "$(field outcome "$(last)")"
# A recording changes nothing about this one.
run "${job[@]}" --topomap=auto,name=far,unit=3 /bin/true
equal "a profile, and no plan: that has failed" "0 failed" "$status $(field outcome "$(last)")"
# The helper does not start: srun alone knows.
plugstack program=/nonexistent/topomap
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "without its helper a step starts" 0 "$status"
mkdir -p "$work/bin"
cat >"$work/bin/topomap" <<END
#!/bin/sh
[ "\$1" != plan ] || [ "\$2" = --site ] || exec sleep 30
exec $topomap "\$@"
END
chmod +x "$work/bin/topomap"
echo "optional $plugin program=$work/bin/topomap" >"$work/etc/plugstack.conf"
run "${job[@]}" --topomap=auto,name=far,time=0.3 /bin/true
contains "a helper that does not answer: srun notes it" "$("$topomap" history "$(last)")" \
    " far  *8  *4  not placed .*did not answer in time"
# Nor does its end wait longer than some seconds for what files the recording.
cat >"$work/bin/topomap" <<END
#!/bin/sh
[ "\$1 \$2" != 'profile collect' ] || { echo "\$\$" >$work/stopped; kill -STOP \$\$; }
exec $topomap "\$@"
END
began=$SECONDS
run "${job[@]}" --topomap=profile,recorder=mpich "$topomap" --version
equal "a collector that is stopped: the step ends" "0 yes" "$status $([ -e "$work/stopped" ] && echo yes)"
contains "with a line" "$(said)" 'topomap: the rest of the recording is not filed: .*; topomap profile list files it$'
if [ $((SECONDS - began)) -lt 45 ]; then
    ok "within some seconds"
else
    not_ok "within some seconds" "$((SECONDS - began)) s"
fi
plugstack

# Twenty at once, with files so full that they are put aside in between.
before=$("$topomap" history --json | wc -l)
file=$(echo "$history"/steps-*)
filler=$(head -n 1 "$file")
yes "$filler" | head -c $((1048576 - 8 * ${#filler})) | sed '$d' >>"$file"
full=$(grep -c . "$file")
pids=
for i in {1..20}; do
    srun -N4 -n8 --overcommit --overlap --topomap=auto,name=far /bin/true >"$work/many.$i" 2>&1 &
    pids="$pids $!"
done
for pid in $pids; do wait "$pid"; done
equal "twenty sruns at once: no broken line" 0 \
    "$(cat "$history"/steps-* | grep -cv '^{"format": 1, .*}$')"
equal "and none is lost" "$((full + 40))" "$(cat "$history"/steps-* | grep -c .)"
equal "in more than one file" yes "$([ "$(ls "$history"/steps-* | wc -l)" -gt 1 ] && echo yes)"
equal "of which the steps are read" 20 "$(($("$topomap" history --json | wc -l) - before))"
for i in {1..9}; do
    yes "$filler" | head -c 1048576 >"$file.100$i-1"
    touch -d "2020-01-0$i" "$file.100$i-1"
done
yes "$filler" | head -c 1048576 | sed '$d' >"$file"
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "8 MiB are kept, the oldest go" yes \
    "$([ "$(cat "$history"/steps-* | wc -c)" -le 8388608 ] && [ ! -e "$file.1001-1" ] && echo yes)"
rm -f "$history"/steps-*

# What is cut off, and what strangers leave in the place.
run "${job[@]}" --topomap=auto,name=far /bin/true
printf '{"format": 1, "event": "lau' >>"$file"
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "behind half a line the next one is whole" 2 "$("$topomap" history --json 2>/dev/null | grep -c .)"
rm -f "$history"/steps-*
echo mine >"$work/mine"
ln -s "$work/mine" "$file"
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "a link in its place is not followed" "0 mine" "$status $(cat "$work/mine")"
rm -f "$file"
mkfifo "$file"
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "a pipe keeps nobody" 0 "$status"
rm -f "$file"
chown 65534 "$history"
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "nothing is written into a stranger's folder" "0 0" "$status $(ls "$history"/steps-* 2>/dev/null | wc -l)"
run "$topomap" history
equal "nor read" 1 "$status"
chown 0 "$history"

# A full disk.
mkdir "$work/full"
if mount -t tmpfs -o size=16k tmpfs "$work/full" 2>/dev/null; then
    cp -r "$catalogue/." "$work/full" 2>/dev/null
    dd if=/dev/zero of="$work/full/fill" 2>/dev/null
    TOPOMAP_CATALOGUE=$work/full run "${job[@]}" --topomap=name=far,auto /bin/true
    TOPOMAP_CATALOGUE=$work/full run "${job[@]}" --topomap="$work/far.graph" /bin/true
    equal "a full disk: the step starts, and is placed" "0 1" "$status $(said | grep -c 'topomap: placed: ')"
    umount -l "$work/full"
else
    skip "a full disk" "no mount here"
fi

# The site's: a folder where each user has files of their own.
mkdir -m 1733 "$work/log"
chmod 1733 "$work/log"
plugstack log="$work/log"
run "${job[@]}" --topomap=auto,name=far /bin/true
run "$topomap" history --log "$work/log" --json
equal "the site's log has the step" "1 placed" "$(grep -c . "$work/out") $(sed 's/.*"outcome": "\([a-z]*\)".*/\1/' "$work/out")"
contains "with its owner's name" "$out" '"user": "root"'
plugstack log=elsewhere
run "${job[@]}" --topomap=auto,name=far /bin/true
equal "a wrong log= keeps no step from starting" 0 "$status"
# The comment of the job, where the site wants it: a question and an answer for the
# first step of each outcome, none for the others, and none over a user's own.
printf '{ "format": 1, "job_comment": true }\n' >"$work/site.json"
plugstack config="$work/site.json"
mkdir "$work/slurm"
cat >"$work/slurm/scontrol" <<END
#!/bin/sh
echo "\$*" >>$work/scontrol.log
exec $(command -v scontrol) "\$@"
END
# Slurm's own layout is the best one of a ring.
awk 'BEGIN { print 8, 8, "001"; for (i = 0; i < 8; i++) print (i + 1) % 8 + 1, 65536, (i + 7) % 8 + 1, 65536 }' >"$work/ring.graph"
"$topomap" profile import "$work/ring.graph" --name ring --ntasks 8 >"$work/import.log" 2>&1
cat >"$work/steps" <<END
#!/bin/sh
# asked N: once it was.
asked()
{
    for i in \$(seq 600); do
        [ "\$(grep -c . $work/scontrol.log)" -lt "\$1" ] || break
        sleep 0.1
    done
}
comment() { $(command -v scontrol) show job "\$SLURM_JOB_ID" | sed -n 's/^ *Comment=\\(.*[^ ]\\) *\$/\\1/p'; }
PATH=$work/slurm:\$PATH
srun -N4 -n8 --topomap=auto,name=far /bin/true
asked 2
srun -N4 -n8 --topomap=auto,name=far /bin/true
srun -N4 -n8 --topomap=auto,name=none /bin/true
asked 4
for i in \$(seq 600); do comment | grep -q nothing && break; sleep 0.1; done
comment
$(command -v scontrol) update JobId="\$SLURM_JOB_ID" Comment="of the user's own"
srun -N4 -n8 --topomap=auto,name=ring /bin/true
asked 5
comment
END
chmod +x "$work/steps" "$work/slurm/scontrol"
run salloc -Q -N4 -n8 "$work/steps"
equal "the job's comment: what came out" \
    "topomap: 0 placed 4 -> 0 hops/byte, 2 no-profile
of the user's own" "$out"
equal "a question for the first step of each outcome" 5 "$(grep -c . "$work/scontrol.log")"
equal "without it slurmctld is not asked" 0 "$(: >"$work/scontrol.log"; plugstack; srun -N4 -n8 --topomap=auto,name=far /bin/true 2>/dev/null; grep -c . "$work/scontrol.log")"

no_job_left "no job is left"
finish
