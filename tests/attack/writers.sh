#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# writers.sh - writers and pruners of one catalogue are killed at random while
# readers look: `current` is whole at every moment.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

export TOPOMAP_CATALOGUE=$PWD/own HOME=$PWD
export ASAN_OPTIONS=exitcode=99:detect_leaks=0
graph=$ATTACK_TESTS/golden/ring16.graph
shared=$PWD/shared
here=$shared/app/named/16
"$ATTACK_TOPOMAP" profile import "$graph" --name app --catalogue "$shared" >/dev/null || exit 99

# Until a file says stop; a line in FILE for each import that ended by itself.
writer()
{
    local number=$1 pid
    RANDOM=$(((ATTACK_SEED + number * 7919) % 32749 + 1))
    while [ ! -e stop ]; do
        "$ATTACK_TOPOMAP" profile import "$graph" --name app --catalogue "$shared" >/dev/null 2>>"writer.$number.err" &
        pid=$!
        if [ $((RANDOM % 2)) = 0 ]; then
            sleep "0.0$((RANDOM % 90 + 10))"
            kill -KILL "$pid" 2>/dev/null
        fi
        wait "$pid" 2>/dev/null
        case $? in
        0) echo "filed" ;;
        137) echo killed ;;
        *) echo failed ;;
        esac >>"writer.$number"
    done
}

# Finding by finding, a line in reader.N.bad.
reader()
{
    local number=$1 said status
    while [ ! -e stop ]; do
        said=$("$ATTACK_TOPOMAP" profile show name:app:16 --catalogue "$shared" --json 2>&1)
        status=$?
        echo read >>"reader.$number"
        [ "$status" = 0 ] || echo "show: status $status: $said" >>"reader.$number.bad"
        said=$("$ATTACK_TOPOMAP" plan --name app --ntasks 16 --nodelist 'n[0-3]' --tasks-per-node 4 \
            --topology ring:4 --work 3 --to wire --catalogue "$shared" 2>&1)
        status=$?
        echo read >>"reader.$number"
        [ "$status" = 0 ] && printf '%s\n' "$said" | grep -q '^ntasks 16$' &&
            printf '%s\n' "$said" | grep -q '^hops-per-byte ' ||
            echo "plan: status $status: $said" >>"reader.$number.bad"
    done
}

# A curator at the same time: what it removes is never current.
pruner()
{
    local pid
    RANDOM=$(((ATTACK_SEED + 31) % 32749 + 1))
    while [ ! -e stop ]; do
        "$ATTACK_TOPOMAP" profile prune --keep 2 --catalogue "$shared" >/dev/null 2>>pruner.err &
        pid=$!
        if [ $((RANDOM % 3)) = 0 ]; then
            sleep "0.0$((RANDOM % 90 + 10))"
            kill -KILL "$pid" 2>/dev/null
        fi
        wait "$pid" 2>/dev/null
        echo pruned >>pruner
        sleep 0.3
    done
}

for number in 1 2; do writer "$number" & done
reader 1 &
pruner &
sleep "$ATTACK_SECONDS"
touch stop
wait
count() { cat "$@" 2>/dev/null | grep -c '' || :; }
tried=$(($(count writer.1 writer.2) + $(count reader.1) + $(count pruner)))
echo "  $(cat writer.[12] | sort | uniq -c | xargs) (imports), $(count reader.1) reads, $(count pruner) prunes"
[ ! -s reader.1.bad ] || finding "bad-read: $(count reader.1.bad) of $(count reader.1)" "$(cat reader.1.bad)"
failed=$(cat writer.[12] | grep -c failed)
[ "$failed" = 0 ] || finding "import: $failed failed unkilled" "$(cat writer.*.err)"

# Afterwards: whole, and one prune later without leftovers.
current=$(readlink "$here/current")
if [ -z "$current" ] || [ ! -f "$here/$current/profile.json" ] || [ ! -f "$here/$current/p2p.graph" ]; then
    finding "current: leads to no whole version" "$(ls -la "$here")"
fi
for folder in "$here"/r*; do
    [ -f "$folder/profile.json" ] || finding "version: $folder is not whole" "$(ls -la "$folder")"
done
find "$shared" -mindepth 1 -exec touch -h -d '3 days ago' {} +
"$ATTACK_TOPOMAP" profile prune --keep 1 --catalogue "$shared" >/dev/null 2>&1
left=$(find "$shared" -name '.new-*' -o -name '.old-*' -o -name '.current-*')
[ -z "$left" ] || finding "leftovers: $(printf '%s\n' "$left" | grep -c '') after a prune" "$(printf '%s\n' "$left" | head -n 3)"
done_with
