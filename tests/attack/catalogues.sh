#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# catalogues.sh - a curator in hostile catalogues: nothing that was not a version
# of a profile is touched, no command hangs, none reads what is not to be read.
# The curator is an ordinary user and, where we are root, root, too.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

version=r20261121T023000Z-1.0
recorded=$ATTACK_TESTS/recorded/block/profile
# A command that takes longer hangs: on a FIFO, in a loop, over large text.
limit=10

# A profile as the recorder files it: FOLDER PROGRAM NTASKS
file_version()
{
    mkdir -p "$1"
    cp "$recorded"/* "$1" && chmod u+w "$1"/*
    sed -i "s/\"program\": \"[^\"]*\"/\"program\": \"$2\"/; s/\"ntasks\": [0-9]*/\"ntasks\": $3/" \
        "$1/profile.json"
}

# What belongs to others: files of all kinds, whose times and bytes are compared
# afterwards. Once outside the catalogue, and looking like one inside.
make_victims()
{
    mkdir -p victim/ssh victim/thesis/deep victim/named/16/"$version"
    echo secret >victim/ssh/id
    echo years >victim/thesis/chapter1
    echo data >victim/thesis/deep/field.dat
    echo '{ "format": 1 }' >victim/named/16/"$version"/profile.json
    ln -s ../ssh/id victim/thesis/link
    chmod 700 victim/ssh
}

# The state of all that no program may touch, one line a name.
state()
{
    find "$@" \( -type f -exec sha256sum {} + \) -o -printf '%p %y %l\n' 2>/dev/null | sort
}

# Other people's results that are no profiles, in the folder that is taken for a
# catalogue: program/identity/number/r*, with other files.
plant_lookalikes()
{
    local at=$1 name
    for name in cfd/mesh/2024/run1 cfd/mesh/2024/run2 cfd/mesh/2024/r3 \
        app/named/16/results app/0123456789abcdef0123456789abcdef/16/r20261121 \
        app/named/8/r20261121T023000Z-1.0; do
        below 2
        [ "$drawn" = 0 ] || continue
        mkdir -p "$at/$name"
        echo precious >"$at/$name/field.dat"
        echo "$at/$name" >>victims
    done
    below 3
    if [ "$drawn" = 0 ]; then
        # A file of one's own in a true version is not ours to delete either.
        file_version "$at/own/named/4/$version" own 4
        mkdir -p "$at/own/named/4/$version/mine"
        echo precious >"$at/own/named/4/$version/mine/field.dat"
        echo "$at/own/named/4/$version/mine" >>victims
    fi
}

# One thing that is wrong with a catalogue.
spoil()
{
    local at=$1 outside=$PWD/victim what
    pick root-link program-link identity-link number-link version-link absolute-current \
        dotdot-current loop dangling current-folder fifo-profile fifo-graph fifo-version device \
        world-writable sticky deep-json giant-json no-json odd-names file-link swapped-new many
    what=$drawn
    shape="$shape $what"
    # Writing to a FIFO that an earlier one has put there would wait for ever.
    case $what in
    *-json) rm -rf "$at/app/named/16/$version/profile.json" ;;
    esac
    case $what in
    root-link) mv "$at" "$at.real" && ln -s "${at##*/}.real" "$at" ;;
    program-link) ln -sfn "$outside" "$at/linked" ;;
    identity-link) mkdir -p "$at/other" && ln -sfn "$outside/named" "$at/other/named" ;;
    number-link) mkdir -p "$at/other/named" && ln -sfn "$outside/thesis" "$at/other/named/32" ;;
    version-link)
        ln -sfn "$outside/ssh" "$at/app/named/16/r20261120T023000Z-0.1"
        ln -sfn "$outside/thesis" "$at/app/named/16/r0"
        ;;
    absolute-current) ln -sfn "$outside/thesis" "$at/app/named/16/current" ;;
    dotdot-current) ln -sfn ../../../../victim/ssh "$at/app/named/16/current" ;;
    loop)
        ln -sfn loop "$at/loop"
        ln -sfn current "$at/app/named/16/current"
        ;;
    dangling) ln -sfn r20991231T000000Z-9.9 "$at/app/named/16/current" ;;
    current-folder) rm -rf "$at/app/named/16/current" && mkdir "$at/app/named/16/current" ;;
    fifo-profile) rm -f "$at/app/named/16/$version/profile.json" && mkfifo "$at/app/named/16/$version/profile.json" ;;
    fifo-graph) rm -f "$at/app/named/16/$version/p2p.graph" && mkfifo "$at/app/named/16/$version/p2p.graph" ;;
    fifo-version) mkfifo "$at/app/named/16/r20261122T000000Z-2.0" ;;
    device) ln -sfn /dev/zero "$at/app/named/16/$version/p2p.graph" ;;
    world-writable)
        pick app app/named app/named/16 "app/named/16/$version" .
        chmod o+w "$at/$drawn"
        ;;
    sticky) chmod 1777 "$at" ;;
    deep-json) head -c 200000 /dev/zero | tr '\0' '[' >"$at/app/named/16/$version/profile.json" ;;
    giant-json)
        awk 'BEGIN { print "{ \"format\": 1, \"types\": ["; for (i = 0; i < 50000; i++) printf "{ \"type\": \"t%d\", \"calls\": 1, \"bytes\": 1, \"seconds\": 0.1, \"paired_bytes\": 1, \"graph\": \"p2p.graph\" },\n", i; print "] }" }' \
            >"$at/app/named/16/$version/profile.json"
        ;;
    no-json) rm -f "$at/app/named/16/$version/profile.json" ;;
    odd-names) mkdir -p "$at/app/named/16/r$(printf '\033]0;x\007')" "$at/$(printf 'a\nb')/named/16" ;;
    file-link) ln -sfn "$outside/thesis/chapter1" "$at/app/named/16/$version/alltoall.graph" ;;
    swapped-new) ln -sfn "$outside/thesis" "$at/app/named/16/.new-1-0" ;;
    many) for ((i = 10; i < 40; i++)); do file_version "$at/many/named/16/r202611${i}T000000Z-$i" many 16; done ;;
    esac 2>/dev/null
}

# curate WHO COMMAND...
curate()
{
    local who=$1 status reason
    shift
    [ "$who" = root ] && prefix=() || prefix=("${ordinary[@]}")
    timeout -k 1 "$limit" "${prefix[@]}" env -u TOPOMAP_CATALOGUE HOME="$PWD/home" \
        ASAN_OPTIONS=exitcode=99:allocator_may_return_null=1:detect_leaks=0 \
        "$ATTACK_TOPOMAP" "$@" >out 2>err </dev/null
    status=$?
    tried=$((tried + 1))
    if [ "$status" = 124 ] || [ "$status" = 137 ]; then
        finding "hang: $1 $2" "as $who in:$shape
topomap $*" "$case"
        return
    fi
    reason=$(sound "$status" err)
    # These go on behind what they cannot remove, and name each.
    case $2:$reason in
    rm:[2-9]*' lines on stderr' | prune:[2-9]*' lines on stderr' | rm:1?*' lines on stderr' | \
        prune:1?*' lines on stderr') reason= ;;
    esac
    [ -z "$reason" ] || finding "words: $reason" "as $who in:$shape
topomap $*
$(cat err)" "$case"
}

compare()
{
    local after lost
    # shellcheck disable=SC2046
    after=$(state victim $(cat victims))
    [ "$after" != "$before" ] || return 0
    lost=$(diff <(echo "$before") <(echo "$after") | grep -c '^[<>]')
    deleted=$((deleted + lost))
    finding "deletes: what is no version of a profile" "as $1 in:$shape
topomap $2
$(diff <(echo "$before") <(echo "$after"))" "$case"
    before=$after
}

# One catalogue, spoilt in one to four ways, and each command in it.
one_case()
{
    local who=$1 command n
    rm -rf catalogue catalogue.real victim home victims
    shape=
    mkdir home
    : >victims
    make_victims
    # As root a catalogue that topomap itself begins; its marker with it.
    "$ATTACK_TOPOMAP" profile import "$ATTACK_TESTS/golden/ring16.graph" --name seed \
        --catalogue catalogue >/dev/null 2>&1
    file_version "catalogue/app/named/16/$version" app 16
    file_version "catalogue/app/named/16/r20261120T023000Z-0.0" app 16
    ln -s "$version" catalogue/app/named/16/current
    plant_lookalikes catalogue
    below 4
    n=$((drawn + 1))
    while [ $((n--)) -gt 0 ]; do spoil catalogue; done
    [ "$(id -u)" != 0 ] || chown -R -h 65534:65534 catalogue catalogue.real victim home 2>/dev/null
    # shellcheck disable=SC2046
    before=$(state victim $(cat victims))
    for command in "profile list --all" "profile list --json" "profile show name:app:16" \
        "profile graphs name:app:16" "profile export name:app:16" \
        "plan --name app --ntasks 16 --nodelist n[0-3] --tasks-per-node 4 --topology flat:4 --work 3" \
        "profile rm name:app:16" "profile prune --keep 1" "profile prune app --keep 1" \
        "profile rm name:app:16 --all" "profile prune --keep 1 --dry-run"; do
        # Reading is slow with a sanitizer: some of it, in turn, but all of what removes.
        below 3
        case $command in
        *' rm '* | *prune*) ;;
        *) [ "$drawn" = 0 ] || continue ;;
        esac
        # shellcheck disable=SC2086
        curate "$who" $command --catalogue catalogue
        compare "$who" "$command"
        [ "$SECONDS" -lt $((end + 60)) ] || return
    done
}

# make_victims and spoil write relative names only, and rm takes no link.
deleted=0
number=0
[ -z "$ATTACK_ONLY" ] || number=$ATTACK_ONLY
while :; do
    case=$number
    RANDOM=$(((ATTACK_SEED * 7919 + number * 104729) % 32749 + 1))
    who=user
    [ "$(id -u)" != 0 ] || [ $((number % 2)) = 0 ] || who=root
    one_case "$who"
    number=$((number + 1))
    [ -z "$ATTACK_ONLY" ] && [ "$SECONDS" -lt "$end" ] || break
done
echo "DELETED $ATTACK_PART: $deleted"
done_with
