#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# links.sh - what is written into a sticky folder that all may write to, where
# others have put links: a stranger's leads nowhere, and the rule is the kernel's
# (protected_symlinks): one's own are followed, and the folder's owner's.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

if [ "$(id -u)" != 0 ]; then
    echo "SKIP links: needs root, to make links of others"
    done_with
fi
graph=$ATTACK_TESTS/golden/ring16.graph
mkdir -p programs && ln -sf "$(PATH=/usr/bin:/bin command -v python3)" programs
export HOME=$PWD ASAN_OPTIONS=exitcode=99:detect_leaks=0
plan="plan --graph $graph --ntasks 16 --nodelist n[0-3] --tasks-per-node 4 --topology flat:4 --work 3"
commands=(
    "convert $graph --to edges -o sticky/out"
    "map $graph --topology torus:2x2 --tasks-per-node 4 --work 3 -o sticky/out"
    "$plan --write-graph sticky/out"
    "$plan --to wire"
    "$plan --report sticky/out"
    "draw matrix $graph -o sticky/out"
    "history --log $ATTACK_TESTS/attack/seeds/history --summary --report sticky/out"
    "history --log $ATTACK_TESTS/attack/seeds/history --summary --fold sticky/out"
    "tune --log sticky/out -- srun true"
)

# One link, or two behind each other, of somebody, to what is there or not.
deleted=0
one_case()
{
    local owner folder link final expected status command before reason
    rm -rf sticky victim && mkdir -m 1777 sticky && mkdir victim
    pick 0 65533 65534
    folder=$drawn
    chown "$folder" sticky
    below 2
    [ "$drawn" = 0 ] || echo precious >victim/file
    pick 0 65533 65534
    owner=$drawn final=$PWD/victim/file
    below 3
    [ "$drawn" != 0 ] || final=../victim/file
    link=sticky/out
    if [ "$drawn" = 1 ]; then # the second one is one's own
        ln -s "$final" sticky/second
        final=second
    fi
    ln -s "$final" "$link" && chown -h "$owner" "$link"
    expected=followed
    [ "$owner" = 0 ] || [ "$owner" = "$folder" ] || expected=refused
    pick "${commands[@]}"
    command=$drawn
    before=$(cat victim/file 2>/dev/null)
    # shellcheck disable=SC2086
    env -u SLURM_JOB_ID PATH="$PWD/programs" TOPOMAP_PLAN_SUMMARY=sticky/out \
        "$ATTACK_TOPOMAP" $command >out 2>err </dev/null
    status=$?
    tried=$((tried + 1))
    grep -vE 'not inside an allocation|of the history cannot be read' err >err.rest
    reason=$(sound "$status" err.rest)
    [ -z "$reason" ] || finding "words: $reason" "topomap $command
$(cat err)" "$case"
    if [ $expected = refused ] && [ "$before" != "$(cat victim/file 2>/dev/null)" ]; then
        deleted=$((deleted + 1))
        finding "writes: through a link of user $owner" "topomap $command" "$case"
    elif [ $expected = followed ] && [ "$status" = 0 ] && [ ! -L "$link" ]; then
        finding "replaces: a link that is to be followed" "topomap $command" "$case"
    fi
}

number=${ATTACK_ONLY:-0}
while :; do
    case=$number
    RANDOM=$(((ATTACK_SEED * 7919 + number * 104729) % 32749 + 1))
    one_case
    number=$((number + 1))
    [ -z "$ATTACK_ONLY" ] && [ "$SECONDS" -lt "$end" ] || break
done
echo "DELETED $ATTACK_PART: $deleted"
done_with
