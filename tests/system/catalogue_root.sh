#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# catalogue_root.sh - users' own catalogues where the site file says, of several
# users, partitions and accounts: made for them alone, through no link; what
# they hold together; and a network that is older than the site's date.
# shellcheck source=tests/system/cluster.sh
. "$(dirname "$0")/cluster.sh"
# Slurm hides users' jobs, and nodes and partitions, from others.
cluster_start --nodes 4 --conf 'PrivateData=jobs,nodes,partitions,users,accounts,usage,reservations' \
    --conf 'PartitionName=gpu1 Nodes=ALL MaxTime=INFINITE State=UP'
compile app mpich halo.c || skip_all "no mpicc.mpich"
others_can || skip_all "$why_not"
app=$work/app
job=(srun -N4 -n8 --mpi=pmi2)
site=$work/site.json
users=$work/users
site() { echo "{ \"format\": 1, $1 }" >"$site"; }
plugstack config="$site"
unset TOPOMAP_CATALOGUE
mkdir "$work/homes" && chmod 1777 "$work/homes"
export HOME=$work/homes
# as USER COMMAND...: with a home that belongs to no user.
# shellcheck disable=SC2016
printf '#!/bin/sh\nuser=$1; shift; exec runuser -u "$user" -- env -u XDG_DATA_HOME "$@"\n' >"$work/as"
chmod 755 "$work/as"
as() { "$work/as" "$@"; }
owner() { stat -c '%U %a' "$1" 2>/dev/null; }

site "\"catalogue_root\": \"$users/%u\""
run "${job[@]}" --topomap=auto "$app" --where
plain=$(hosts "$out")
equal "the folder is not there: the job runs, with a line" "0 8 1" "$status $(hosts "$out" | wc -l) $(said | grep -c "$users")"
contains "the folder is not there: doctor" "$("$topomap" doctor)" "^catalogue_root  *!!  *$users: there is no such folder"
mkdir -m 1777 "$users"
for user in root nobody; do
    run "$work/as" $user "${job[@]}" --topomap=profile "$app"
    contains "$user's run is recorded there" "$status $(printf '%s' "$err" | xargs -d '\n')" "^0 .* filed in $users/$user/app/"
    equal "$user's catalogue is theirs alone" "$user 700" "$(owner "$users/$user")"
    run "$work/as" $user "${job[@]}" -p gpu1 -A "of-$user" --topomap=auto "$app" --where
    mapped=$(hosts "$out")
    equal "$user is placed by it, in any partition and account" "0 8 moved" \
        "$status $(hosts "$out" | wc -l) $([ "$mapped" = "$plain" ] || echo moved)"
    equal "$user's commands find it, too" 1 "$(as $user "$topomap" profile list --config "$site" | grep -c "^app .*$users/$user")"
    equal "$user's history lies there" 2 "$(as $user "$topomap" history --config "$site" --json | grep -c '"step":')"
done
equal "nothing lies in the home" "" "$(ls -A "$work/homes")"
equal "PrivateData hides their nodes" "" "$(as nobody sinfo -h 2>/dev/null)"
contains "PrivateData hides their nodes: doctor says who can ask" "$(as nobody "$topomap" doctor)" 'ask as root whether every node'
equal "another user sees no job, no profile and no history of theirs" "0 denied denied" \
    "$(as daemon scontrol show jobs 2>&1 | grep -c JobId=) $(as daemon ls "$users/nobody" >"$work/seen" 2>&1 || echo denied) $(
        as daemon cat "$users/nobody/.history/"* >"$work/seen" 2>&1 || echo denied)"
contains "plan --site says it" "$(as nobody "$topomap" plan --site --config "$site")" "^root $users/[.]/nobody$"
contains "doctor says it" "$("$topomap" doctor)" "^catalogue_root  *ok  *$users/%u"
run "$work/as" nobody env TOPOMAP_CATALOGUE="$work/homes/own" "${job[@]}" --topomap=profile "$app"
contains "the user's own word wins" "$status $(printf '%s' "$err" | xargs -d '\n')" "^0 .* filed in $work/homes/own/app/"

# --- who may read what is recorded: the site's word, not the job's umask
modes() { find "$1" -mindepth 1 -not -path '*/.*' \( -type f -o -type d \) -exec stat -c %a {} + | sort -u | xargs; }
for row in '"profile_umask": "077",|022|600 700|700' '"profile_umask": "027",|077|640 750|750' '|077|600 700|700'; do
    IFS='|' read -r word own files folder <<<"$row"
    mv "$users/nobody" "$work/before"
    site "$word \"catalogue_root\": \"$users/%u\""
    run "$work/as" nobody sh -c "umask $own; exec \"\$@\"" - "${job[@]}" --topomap=profile sh -c 'exec "$0"; umask' "$app"
    equal "umask $own, the site's ${word:-none}: files and folders" "0 $files $folder" \
        "$status $(modes "$users/nobody") $(stat -c %a "$users/nobody")"
    rm -r "$users/nobody"
    mv "$work/before" "$users/nobody"
done
site "\"profile_umask\": \"0027\", \"catalogue_root\": \"$users/%u\""
contains "plan --site says it" "$("$topomap" plan --site --config "$site")" '^umask 0027$'
site "\"catalogue_root\": \"$users/%u\""

# --- others
as daemon mkdir "$users/of-daemon"
mv "$users/nobody" "$work/kept"
mkdir "$work/target" && chown nobody "$work/target"
# refused NAME WHY: the job runs, with a line; nothing is filed anywhere.
refused()
{
    run "$work/as" nobody "${job[@]}" --topomap=auto "$app" --where
    equal "$1: the job runs, with a line" "0 $plain 1" "$status $(hosts "$out") $(said | grep -c "$2")"
    run "$work/as" nobody "${job[@]}" --topomap=profile "$app" --where
    equal "$1: it is not recorded" "0 $plain 1" "$status $(hosts "$out") $(said | grep -c "$2")"
    run "$work/as" nobody "$topomap" profile list --config "$site"
    equal "$1: nothing is filed" " " "$(ls -A "$work/target") $(ls -A "$users/of-daemon")"
}
as daemon ln -s "$work/target" "$users/nobody"
refused "a stranger's link to a folder of the user's" "$users/nobody is refused: it is a link"
rm "$users/nobody"
as daemon mkdir -m 755 "$users/nobody"
refused "a stranger's folder" "$users/nobody is refused: it is not yours alone"
rmdir "$users/nobody"
mkdir -m 775 "$users/nobody" && chown nobody "$users/nobody"
refused "a folder that a group may write to" "$users/nobody is refused: it is not yours alone"
rmdir "$users/nobody"
chmod 777 "$users"
refused "where others may rename it" "$users is refused: "
contains "where others may rename it: doctor" "$("$topomap" doctor)" "^catalogue_root  *!!  *$users is refused: everybody may write"
chmod 1777 "$users" && chown daemon "$users"
refused "a folder of another user's" "$users is refused: it belongs to user"
run "$work/as" nobody "${job[@]}" --topomap=auto,strict "$app"
equal "strict ends" "1 " "$status $out"
chown root "$users"
rmdir "$users/nobody" 2>/dev/null
mv "$work/kept" "$users/nobody"

# --- what they hold together
quota='"default": "learn", "catalogue_quota_mb": 1'
site "\"catalogue_root\": \"$users/%u\", $quota"
cp "$work/app" "$work/app-2" && strip -R .note.gnu.build-id "$work/app-2"
contains "nobody has counted: doctor" "$("$topomap" doctor)" "^quota  *!  .*root has not counted"
run "$work/as" nobody "${job[@]}" --topomap=learn "$work/app-2" --where
contains "nobody has counted: it is recorded" "$(said)" 'recording: app-2, .*first run'
head -c 3000000 /dev/zero >"$work/large"
as daemon mkdir -m 700 "$users/daemon"
as daemon cp "$work/large" "$users/daemon/.large"
as daemon sh -c "echo 'topomap-usage-bytes 9000000000' >'$users/.topomap-usage'"
run "$work/as" nobody "${job[@]}" -A secret --topomap=learn "$work/app" -x
equal "what a stranger says that they hold counts for nothing" 0 "$(said | grep -c 'as large as the site allows')"
for _ in 1 2; do run "$work/as" nobody "${job[@]}" --topomap=profile "$app"; done
versions() { find "$users/nobody/app" -name 'r2*' | wc -l; }
equal "three versions" 3 "$(versions)"
run "$topomap" profile prune --users --keep 1 --dry-run --config "$site"
equal "a dry run takes nothing and counts for nobody" "0 2 3 daemon" \
    "$status $(printf '%s\n' "$out" | grep -c "^$users/nobody/app/") $(versions) $(owner "$users/.topomap-usage" | cut -d' ' -f1)"
run "$work/as" nobody "$topomap" profile prune --users --keep 1 --config "$site"
contains "users do not count for all" "$status $err" '^1 topomap: --users is for root'
run "$topomap" profile prune --users --keep 1 --config "$site"
equal "root takes older versions of all away, and notes what is left" "0 2 1 root 644" \
    "$status $(printf '%s\n' "$out" | grep -c "^$users/nobody/app/") $(versions) $(owner "$users/.topomap-usage")"
contains "and says it" "$err" "^topomap: 3 catalogues below $users hold [23]"
cp "$work/app-2" "$work/app-3" && echo another >>"$work/app-3"
run "$work/as" nobody "${job[@]}" --topomap=learn "$work/app-3" --where
contains "more than the site allows: learn records nothing" "$(said)" 'the catalogues of all users are as large as the site allows'
equal "more than the site allows: doctor" 1 "$("$topomap" doctor | grep -c '^quota  *!  *[23] of 1 MiB, counted 0.0 days ago: learn records nothing more')"
rm "$users/daemon/.large"
"$topomap" profile prune --users --keep 1 --config "$site" >/dev/null 2>&1
run "$work/as" nobody "${job[@]}" --topomap=learn "$work/app-3" --where
contains "room again: learn records" "$(said)" 'recording: app-3, .*first run'
run "$topomap" profile prune --users --keep 1 --config /dev/null
equal "no such place: nothing is pruned" 1 "$status"

# --- a network of before
network() { as nobody "${job[@]}" --topomap=auto,verbose "$app" 2>&1 | grep -c "Slurm's topology as of"; }
root="\"catalogue_root\": \"$users/%u\""
site "$root, \"networks_since\": \"2026-01-31\""
network >/dev/null
equal "a network that is newer than the date is used again" 1 "$(network)"
site "$root, \"networks_since\": \"2200-01-31T08:30\""
equal "an older one is not" 0 "$(network)"
site "$root, \"networks_since\": \"$(date -u +%Y-%m-%dT%H:%M)\""
contains "doctor says it" "$("$topomap" doctor)" '^network  *ok .* and since 20[-0-9]*T[0-9:]* [(]networks_since[)]'
touch -d '2 minutes ago' "$users"/nobody/.cache/network-*
equal "one of before the date is read anew" 0 "$(network)"
equal "and is newer then" 1 "$(network)"

# bad NAME KEY SAYS
bad()
{
    site "
    $2"
    run "${job[@]}" --topomap=auto "$app" --where
    equal "$1: the job runs, with a line" "0 8 1" "$status $(hosts "$out" | wc -l) $(said | grep -c "site.json:2: key $3")"
    contains "$1: plan --site" "$("$topomap" plan --site --config "$site")" "^wrong $site:2: key $3"
    contains "$1: doctor" "$("$topomap" doctor)" "^site file  *!!  *$site:2: key $3"
}
bad "a root without users" '"catalogue_root": "/lustre/topomap"' 'catalogue_root: expected the absolute path of a folder and, below it'
bad "a root that is none" '"catalogue_root": "topomap/%u"' 'catalogue_root: expected'
bad "a root of another word" '"catalogue_root": "/lustre/%g/%u"' 'catalogue_root: expected'
bad "a root that leads up" '"catalogue_root": "/lustre/%u/../x"' 'catalogue_root: expected'
bad "a umask of the user's bits" '"profile_umask": "0777"' 'profile_umask: expected what group and others may not'
bad "a umask that is none" '"profile_umask": "08"' 'profile_umask: expected'
bad "a quota that is none" '"catalogue_quota_mb": "1G"' 'catalogue_quota_mb: expected'
bad "a day that is none" '"networks_since": "yesterday"' 'networks_since: expected a day or a minute in UTC'
bad "a month that is none" '"networks_since": "2026-13-01"' 'networks_since: expected a day'
finish
