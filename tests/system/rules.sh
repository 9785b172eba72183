#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rules.sh - a site that switches topomap off, by its file, by a file beside it or
# by plugstack.conf, against all words of users; and its rules for some launches.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 4 --conf 'PartitionName=gpu1 Nodes=ALL MaxTime=INFINITE State=UP'
compile app mpich halo.c || skip_all "no mpicc.mpich"
app=$work/app
job=(srun -N4 -n8 --mpi=pmi2)
site=$work/site/topomap.json
mkdir "$work/site"

# site TEXT: what its file says from now on.
site() { echo "{ \"format\": 1, $1 }" >"$site"; }
steps() { "$topomap" history --json | grep -c '"job"'; }
versions() { "$topomap" profile list | grep -c '^app'; }

run "${job[@]}" --topomap=profile "$app"
run "${job[@]}" "$app" --where
plain=$(hosts "$out")
run "${job[@]}" --topomap=auto "$app" --where
mapped=$(hosts "$out")
if [ "$plain" != "$mapped" ]; then ok "auto moves ranks"; else not_ok "auto moves ranks" "$out"; fi
noted="$(steps) $(versions)"

off="topomap: not placed: this site has switched topomap off"
as_usual='; the job runs as usual'

# is_off NAME SENTENCE: no launch is touched, and who typed --topomap hears why.
is_off()
{
    run "${job[@]}" --topomap=auto "$app" --where
    equal "$1: --topomap=auto: the job runs, with a line" "0 $plain $off$2$as_usual" "$status $(hosts "$out") $(said)"
    run "${job[@]}" "$app" --where
    equal "$1: the default: the job runs, silently" "0 $plain " "$status $(hosts "$out") $(said)"
    TOPOMAP=auto run "${job[@]}" "$app" --where
    equal "$1: TOPOMAP: the job runs, silently" "0 $plain " "$status $(hosts "$out") $(said)"
    run "${job[@]}" --topomap=profile "$app" --where
    equal "$1: --topomap=profile: the job runs, with a line" "0 $plain ${off/placed/recorded}$2$as_usual" "$status $(hosts "$out") $(said)"
    contains "$1: doctor says it" "$("$topomap" doctor)" "^site file  *!  *this site has switched topomap off$2: jobs run as without it"
}

plugstack config="$site"
site '"default": "auto,unit=rank,pin=off", "disabled": "the network is being rebuilt"'
is_off "the site file" ": the network is being rebuilt"
run "${job[@]}" --topomap=auto,strict,name=nobody "$app" --where
equal "strict: the job runs, too" "0 $plain 1" "$status $(hosts "$out") $(said | wc -l)"
run "${job[@]}" --topomap="$work/none.graph,strict" "$app" --where
equal "strict: also where it would have ended before" "0 $plain 1" "$status $(hosts "$out") $(said | wc -l)"
run "${job[@]}" --topomap=auto,dry-run "$app" --where
equal "a dry run starts nothing" "0  $off: the network is being rebuilt; nothing is started" "$status $out $(said)"
TOPOMAP=auto,verbose run "${job[@]}" "$app" --where
equal "TOPOMAP with verbose: with a line" "0 1" "$status $(said | wc -l)"
site '"default": "auto,unit=rank,pin=off"'
run "${job[@]}" "$app" --where
equal "the next launch is placed again" "$mapped" "$(hosts "$out")"
printf 'storage is full\nsince noon\n' >"$work/site/disabled"
noted="$(steps) $(versions)"
is_off "a file beside it" ": storage is full"
echo '{' >"$site"
run "${job[@]}" --topomap=auto "$app" --where
equal "a file beside a bad one" "0 $plain $off: storage is full$as_usual" "$status $(hosts "$out") $(said)"
rm "$site"
: >"$work/site/disabled"
run "${job[@]}" --topomap=auto "$app" --where
equal "a file that is empty, beside none" "0 $plain $off$as_usual" "$status $(hosts "$out") $(said)"
rm "$work/site/disabled"
site '"default": "auto"'
plugstack config="$site" default=auto,unit=rank,pin=off disabled
is_off "plugstack.conf" ""
equal "nothing was noted of any, nor recorded" "$noted" "$(steps) $(versions)"
# topomap.so is taken out, topomap-options.so stays.
stub="optional $STAGE_SPANKDIR/topomap-options.so"
alone="topomap: not placed: topomap.so is not loaded"
echo "$stub" >"$work/etc/plugstack.conf"
run "${job[@]}" --topomap=auto "$app" --where
equal "the stub alone: the job runs, with a line" "0 $plain $alone; the job runs as usual" "$status $(hosts "$out") $(said)"
run "${job[@]}" --topomap=auto,strict "$app" --where
equal "the stub alone: strict ends" "1 " "$status $(hosts "$out")"
contains "the stub alone: doctor" "$("$topomap" doctor)" "^srun  *!!  .*topomap.so is not loaded"
echo "$stub why=the network  is being rebuilt" >"$work/etc/plugstack.conf"
run "${job[@]}" --topomap=auto,strict "$app" --where
equal "the stub with a sentence: strict runs, too" "0 $plain $alone: the network is being rebuilt; the job runs as usual" \
    "$status $(hosts "$out") $(said)"
TOPOMAP=auto run "${job[@]}" "$app" --where
equal "the stub with a sentence: TOPOMAP: silently" "0 $plain " "$status $(hosts "$out") $(said)"
run "${job[@]}" --topomap=auto,dry-run "$app" --where
equal "the stub with a sentence: a dry run starts nothing" "0  1" "$status $out $(said | grep -c 'nothing is started$')"
contains "the stub with a sentence: doctor" "$("$topomap" doctor)" \
    "^plugstack  *!  *.*plugstack.conf:1: topomap.so is taken out: the network is being rebuilt"
# Who waits in srun for nodes goes by what the site says then.
plugstack config="$site"
salloc -Q -N4 --exclusive sleep 60 &
holder=$!
until [ "$(squeue -h -t R -o %i | wc -l)" = 1 ]; do sleep 0.1; done
"${job[@]}" --exclusive --topomap=auto "$app" --where >"$work/late" 2>&1 &
until [ "$(squeue -h -t PD -o %i | wc -l)" = 1 ]; do sleep 0.1; done
site '"disabled": "late"'
kill "$holder"
wait
contains "switched off while srun waits for nodes" "$(cat "$work/late")" "$off: late$as_usual"

# --- rules
site '"default": "auto,unit=rank,pin=off", "time_s": 9, "rules": [
  {"partition": "gpu*", "program": "app"},
  {"program": "app-[xy]", "place": false},
  {"account": "secret", "record": false, "time_s": 7},
  {"user": "root", "default": "off"}]'
cp "$app" "$work/app-x"
run "${job[@]}" -p gpu1 "$app" --where
equal "the first rule, for two things, says nothing: as for all" "0 $mapped " "$status $(hosts "$out") $(said)"
run "${job[@]}" "$app" --where
equal "a rule for this user has a default of its own" "0 $plain " "$status $(hosts "$out") $(said)"
run "${job[@]}" --topomap=auto "$app" --where
equal "which binds nobody who types" "$mapped" "$(hosts "$out")"
forbids="rule 2 of $site for program app-x (app-[xy]) forbids it$as_usual"
for words in auto auto,strict learn grid:2x4; do
    run "${job[@]}" --topomap=$words "$work/app-x" --where
    equal "$words, and a rule forbids that" "0 $plain topomap: not placed: $forbids" "$status $(hosts "$out") $(said)"
done
run "${job[@]}" --topomap=auto env A=b "$work/app-x" --where
equal "so it does behind a wrapper" "0 $plain topomap: not placed: $forbids" "$status $(hosts "$out") $(said)"
run "${job[@]}" --topomap=auto,exe="$work/app-x" "$app" --where
equal "and with exe=" "0 $plain topomap: not placed: $forbids" "$status $(hosts "$out") $(said)"
run "${job[@]}" --topomap=profile "$work/app-x"
contains "it may be recorded" "$err" "$catalogue"

noted=$("$topomap" profile list)
secret="not recorded: rule 3 of $site for account secret (secret) forbids it"
run "${job[@]}" -A secret --topomap=profile "$app" --where
equal "a rule that forbids to record" "0 $plain topomap: $secret$as_usual" "$status $(hosts "$out") $(said)"
run "${job[@]}" -A secret --topomap=auto,verbose "$app" --where
equal "an account whose runs are not recorded is placed" "0 $mapped" "$status $(hosts "$out")"
contains "in the time that its rule says" "$(said)" 'planned in [0-9]* ms of 7000$'
cp "$work/app" "$work/new" && strip -R .note.gnu.build-id "$work/new"
for words in learn auto,record; do
    run "${job[@]}" -A secret --topomap=$words "$work/new" --where
    contains "$words: the job runs, with that line" "$status $(said)" "^0 topomap: $(printf '%s' "$secret" | sed 's/[()]/[&]/g')"
done
equal "nothing was recorded" "$noted" "$("$topomap" profile list)"

decides() { SLURM_JOB_ACCOUNT=$1 "$topomap" plan --site --config "$site" "${@:2}" 2>&1; }
equal "plan --site says which rule decides, and what" \
    "decides rule 2 of $site for program app-x (app-[xy])
not-placed rule 2 of $site for program app-x (app-[xy]) forbids it
default auto,unit=rank,pin=off
time 9.000" "$(decides none --partition all -- nice "$work/app-x" --where)"
equal "plan --site: two reasons" "decides rule 1 of $site for partition gpu7 (gpu*) and program app (app)" \
    "$(decides secret --partition gpu7 -- "$app" | head -1)"
contains "plan --site: an account's" "$(decides secret --partition gpu7 -- true)" '^time 7.000$'
contains "doctor says which one is for its user" "$("$topomap" doctor)" "^rules  *ok  *rule 4 of $site for user root (root): "

# bad NAME RULES SAYS
bad()
{
    site "\"default\": \"auto\", \"rules\": $2"
    run "${job[@]}" --topomap=auto "$app" --where
    contains "$1: the job runs, with a line" "$status $(hosts "$out" | xargs) $(said)" "^0 $(printf '%s\n' "$plain" | xargs) topomap: not placed: a bad site file.*$3"
    contains "$1: plan --site" "$(decides none)" "^wrong $site:.*$3"
    contains "$1: doctor" "$("$topomap" doctor)" "^site file  *!!  *$site:.*$3"
}
bad "a key that is none" '[{"user": "a"},
    {"group": "x"}]' '2: key rules\[1\].group: not known here'
bad "a pattern that is none" '[{"user": ["a", "b"]}]' '1: key rules\[0\].user: expected a string'
bad "a word that is none" '[{"place": "no"}]' '1: key rules\[0\].place: expected '
bad "a default that none takes" '[{"default": "auto,strict"}]' '1: key rules\[0\].default: no default takes strict'
bad "no time" '[{"time_s": 0}]' '1: key rules\[0\].time_s: expected seconds above 0'
bad "no rule" '["off"]' '1: key rules\[0\]: expected an object'
bad "no rules" '{"user": "a"}' '1: key rules: expected an array'
bad "a pattern that is empty" '[{"user": "a"},
    {"account": ""}]' '2: key rules\[1\].account: an empty pattern, which matches nothing'
bad "a bracket without end" '[{"partition": "gpu[12"}]' '1: key rules\[0\].partition: no pattern: a \[ without \]'
bad "a quote at the end" '[{"program": "a\\"}]' '1: key rules\[0\].program: no pattern: a \[ or .* at its end'

# doubted NAME RULES WHERE-AND-WHY: a line says it, and the other rules hold.
doubted()
{
    site "\"default\": \"auto,unit=rank,pin=off\", \"rules\": $2"
    contains "$1: doctor" "$("$topomap" doctor)" "^rules  *!  *$site:$3"
    run "${job[@]}" "$app" --where
    equal "$1: the other rules hold" "0 $plain " "$status $(hosts "$out") $(said)"
}
doubted "a partition with a slash" '[
  {"partition": "gpu/1", "place": false}, {"program": "app", "place": false}]' '2: key rules\[0\].partition: matches nothing: no such name has a slash'
contains "plan --site says it, too" "$(decides none)" "^doubt $site:2: key rules\[0\].partition: matches nothing"
doubted "a program with its folder" '[
  {"program": "/opt/app", "place": false}, {"program": "[]a]p[!q]", "place": false}]' '2: key rules\[0\].program: matches nothing: a program is the name'
doubted "behind a rule that is for all" '[ {"default": "off"},
  {"program": "app", "default": "auto"}]' '2: key rules\[1\]: never decides: rules\[0\] is for all that it is for'
doubted "behind a wider rule" '[ {"program": "a*", "user": "*", "default": "off"}, {"account": "*"},
  {"program": "app", "account": "b"}]' '2: key rules\[2\]: never decides: rules\[0\] '
doubted "a partition that is none" '[ {"partition": "fat*"}, {"partition": "all", "place": false}]' '1: key rules\[0\].partition: matches no partition of this cluster'
equal "plan --site does not ask for partitions" "" "$(decides none | grep '^doubt')"
site '"rules": [{"partition": "gpu1"}, {"account": "*"}, {"program": "app*"}, {"user": "r*", "program": "[a-z]*"}, {}]'
equal "rules of which each can decide" "" "$(decides none | grep '^doubt'; "$topomap" doctor | grep '^rules  *! ')"
# Until it is known what the site says, nothing is done.
printf '#!/bin/sh\n[ "$2" != --site ] || exec sleep 60\nexec %q "$@"\n' "$topomap" >"$work/slow"
chmod +x "$work/slow"
site '"rules": [{"user": "nobody"}]'
plugstack config="$site" program="$work/slow"
run "${job[@]}" --topomap=auto "$app" --where
equal "no answer soon: the job runs, with a line" "0 $plain 1" "$status $(hosts "$out") $(said | wc -l)"
run "${job[@]}" --topomap=auto,strict "$app" --where
equal "no answer soon: strict ends" "1 " "$status $(hosts "$out")"
run "${job[@]}" --topomap=auto,dry-run "$app" --where
equal "no answer soon: a dry run starts nothing" "0 " "$status $(hosts "$out")"
plugstack config="$site"
run "${job[@]}" --topomap=auto "$app" --where
equal "rules, and none for it: as without" "0 $mapped" "$status $(hosts "$out")"
site '"rules": []'
equal "an array without rules says nothing" "" "$(decides none)"
finish
