#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# rules.sh - a site that switches topomap off, by its file, by a file beside it or
# by plugstack.conf, whatever users say.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
cluster_start --nodes 4
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
finish
