#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# beside.sh - the folders beside the programs of a catalogue, where others have
# put what leads elsewhere or never ends, or exchange it during the use; and what
# is cached there, changed: no file of anybody's is touched, nothing hangs, and a
# plan is the one that it is without a cache.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

export HOME=$PWD/home TOPOMAP_CATALOGUE=$PWD/catalogue
export ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:detect_leaks=0
version=r20261121T023000Z-1.0
uid=$(id -u)
[ "$uid" != 0 ] || uid=65534
# Seconds of CPU and of the clock: storage that never answers ends by the second.
busy=20 limit=60
folders=(".spool-$uid" .cache .history .commands .times .cpus .trees)
plan='plan --name app --ntasks 64 --nodelist n[0-7] --tasks-per-node 8 --topology torus:2x2x2 --work 5 --to wire'

# A user's own files, named as any of those folders names its own.
make_victim()
{
    local folder name
    for folder in . 1.2-3 4.5-6 time-1.2-3 nodes-1.2; do
        mkdir -p "victim/$folder"
        for name in step said room node-0.kept main.c 0123456789abcdef graph-01 01-02 map-1.2-3 cpus-1.2-3 \
            "steps-$uid-host" evaluation-01.json node-n0 kind-a .new-1 current; do
            echo "$name" >"victim/$folder/$name"
        done
    done
    rm -f victim/4.5-6/node-0.kept
    find victim -exec touch -d '90 days ago' {} +
}

state() { find victim \( -type f -exec sha256sum {} + \) -o -printf '%p %y %l %m\n' 2>/dev/null | sort; }

# as_user COMMAND...: sets status; out and err are files.
as_user()
{
    (ulimit -t $busy && exec timeout -k 1 $limit "${ordinary[@]}" "$@") >out 2>err </dev/null
    status=$?
}

# A catalogue that has been used: with a plan and a history of its own.
make_catalogue()
{
    local folder=catalogue/app/named/64/$version
    rm -rf catalogue home out err
    mkdir -p home "$folder"
    cp "$ATTACK_TESTS/recorded/block/profile"/* "$folder" && chmod -R u+w "$folder"
    sed -i 's/"program": "[^"]*"/"program": "app"/' "$folder/profile.json"
    ln -s "$version" catalogue/app/named/64/current
    touch catalogue/CATALOGUE
    pick 700 755 2775 1777
    shape="mode $drawn"
    chmod "$drawn" catalogue
    [ "$(id -u)" != 0 ] || chown -R -h 65534:65534 catalogue home
    # shellcheck disable=SC2086
    as_user "$ATTACK_TOPOMAP" $plan
    fresh=$(grep '^slots' out)
    as_user "$ATTACK_TOPOMAP" history --ended "$ATTACK_TESTS/attack/seeds/ended"
}

# One byte of a cached file another one, or the file cut there.
change_bytes()
{
    local file n
    mapfile -t files < <(find catalogue -path 'catalogue/.*' -type f -size +0 | sort)
    [ "${#files[@]}" -gt 0 ] || return
    pick "${files[@]}"
    file=$drawn
    below "$(stat -c %s "$file")"
    n=$drawn
    below 3
    shape="$shape; ${file#catalogue/} at $n by way $drawn"
    case $drawn in
    0) truncate -s "$n" "$file" ;;
    1) below 256 && printf '%b' "$(printf '\\0%03o' "$drawn")" | dd of="$file" bs=1 seek="$n" conv=notrunc 2>/dev/null ;;
    2) { head -c "$n" "$file" && tail -c +$((n + 2)) "$file"; } >changed && cat changed >"$file" ;;
    esac
}

# What stands where one of the folders stands, or in it.
spoil()
{
    local at what name
    pick "${folders[@]}"
    at=catalogue/$drawn
    pick link relative twice loop fifo file device foreign everybody junk future
    what=$drawn
    shape="$shape; ${at#*/} $what"
    # What is made of a folder here is not to be made of one behind a link.
    [ ! -L "$at" ] || rm -f "$at"
    case $what in
    junk | future) [ -d "$at" ] || mkdir -m 700 "$at" ;;
    everybody) mkdir -p "$at" && chmod 777 "$at" ;;
    *) rm -rf "$at" ;;
    esac
    case $what in
    link) ln -s "$PWD/victim" "$at" ;;
    relative) ln -s ../victim "$at" ;;
    twice) ln -s elsewhere "$at" && ln -sfn ../victim catalogue/elsewhere ;;
    loop) ln -s "${at##*/}" "$at" ;;
    fifo) mkfifo "$at" ;;
    file) head -c 100 /dev/zero >"$at" ;;
    device) ln -s /dev/zero "$at" ;;
    foreign) mkdir -p "$at" && cp -r victim/. "$at" && [ "$(id -u)" = 0 ] && chown -R 65533:65533 "$at" && return ;;
    junk | everybody)
        for name in "steps-$uid-host" node-n0 kind-a 1.2-3 0123456789abcdef 01-02; do
            pick link fifo loop folder large zero
            rm -rf "${at:?}/$name"
            case $drawn in
            link) ln -s "$PWD/victim/main.c" "$at/$name" ;;
            fifo) mkfifo "$at/$name" ;;
            loop) ln -s "$name" "$at/$name" ;;
            folder) ln -s "$PWD/victim/1.2-3" "$at/$name" ;;
            large) truncate -s 1T "$at/$name" ;;
            zero) ln -s /dev/zero "$at/$name" ;;
            esac
        done
        ;;
    future)
        for name in "$at"/* "$at/steps-$uid-host" "$at/node-n0"; do
            [ ! -f "$name" ] || sed -i 's/"format": 1/"format": 99/; 1s/ [0-9]*$/ 99/' "$name"
        done
        ;;
    esac 2>/dev/null
    [ "$(id -u)" != 0 ] || chown -R -h 65534:65534 "$at"
}

judge()
{
    local reason after
    tried=$((tried + 1))
    case $status in
    124 | 137 | 152) reason=hang ;;
    *) reason=$(sound "$status" err) ;;
    esac
    [ -z "$reason" ] || finding "words: $reason" "$shape
topomap $1
$(cat err)" "$case"
    after=$(state)
    [ "$after" = "$before" ] || {
        deleted=$((deleted + $(diff <(echo "$before") <(echo "$after") | grep -c '^[<>]')))
        finding "touches: what belongs to others" "$shape
topomap $1
$(diff <(echo "$before") <(echo "$after"))" "$case"
        rm -rf victim
        make_victim
        [ "$(id -u)" != 0 ] || chown -R 65534:65534 victim
        before=$(state)
    }
}

one_case()
{
    local n command swapper='' swapped
    make_catalogue
    below 3
    case $drawn in
    0) change_bytes ;;
    1)
        below 3
        for ((n = drawn; n >= 0; n--)); do spoil; done
        ;;
    2)
        pick "${folders[@]}"
        swapped=$drawn
        shape="$shape; $swapped exchanged for a link"
        [ -e "catalogue/$swapped" ] || mkdir -m 700 "catalogue/$swapped"
        ln -s "$PWD/victim" catalogue/other
        [ "$(id -u)" != 0 ] || chown -h 65534:65534 "catalogue/$swapped" catalogue/other
        (cd catalogue && exec "$ATTACK_PROGRAMS/exchange" "$swapped" other) &
        swapper=$!
        ;;
    esac
    for command in "$plan" "profile list" "profile show name:app" "profile collect" history "history --summary --json" \
        "history --ended $ATTACK_TESTS/attack/seeds/ended" "$plan --seed 7" "profile prune --keep 1"; do
        # shellcheck disable=SC2086
        as_user "$ATTACK_TOPOMAP" $command
        judge "$command"
        [ "$command" != "$plan" ] || [[ $shape = *.cache/node-* ]] || [ "$status" != 0 ] || [ "$(grep '^slots' out)" = "$fresh" ] ||
            finding "plan: another one than without a cache" "$shape" "$case"
    done
    if [ -n "$swapper" ]; then
        kill "$swapper" && wait "$swapper"
    fi 2>/dev/null
}

make_victim
[ "$(id -u)" != 0 ] || chown -R 65534:65534 . victim
before=$(state)
deleted=0
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
