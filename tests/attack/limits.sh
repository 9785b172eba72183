#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# limits.sh - the command without descriptors, memory, file sizes, streams or a
# disk: it says so in a line and leaves nothing half-written. Its memory is
# bounded only without a sanitizer; ATTACK_PLAIN is such a build, if there is
# one.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

graph=$ATTACK_TESTS/golden/ring16.graph
recorded=$ATTACK_TESTS/recorded/block/profile
export HOME=$PWD ASAN_OPTIONS=exitcode=99:detect_leaks=0
mkdir -p catalogue/app/named/64 out
cp -r "$recorded" catalogue/app/named/64/r20261121T023000Z-1.0
chmod -R u+w catalogue
ln -s r20261121T023000Z-1.0 catalogue/app/named/64/current
sed -i 's/"program": "[^"]*"/"program": "app"/' catalogue/app/named/64/current/profile.json

commands=(
    "map $graph --topology torus:2x2 --tasks-per-node 4 --work 3 -o out/mapping"
    "convert $graph --to edges -o out/graph"
    "topology show torus:4x4x4 --json"
    "plan --name app --ntasks 64 --nodelist n[0-7] --tasks-per-node 8 --topology torus:2x2x2 --work 5 --catalogue catalogue --write-graph out/graph"
    "profile list --catalogue catalogue"
    "profile show name:app --catalogue catalogue --json"
    "profile export name:app --catalogue catalogue -o out/graph"
    "profile import $graph --name new --catalogue out/catalogue"
    "grid dims --levels 625,24 --ndims 3"
    "--version"
)

# An empty catalogue, which its marker makes, is no half one.
# judge WHAT STATUS COMMAND [closed]: after a run with stderr in err.
judge()
{
    local reason left
    tried=$((tried + 1))
    reason=$(sound "$2" err)
    # What cannot be said is not said.
    [ "${4-}" = closed ] && [ "$reason" = "0 lines on stderr" ] && reason=
    left=$(find out -type f -not -name CATALOGUE)
    if [ "$2" != 0 ] && [ -n "$left" ]; then
        reason="${reason:+$reason, }left: $left"
    fi
    [ -z "$reason" ] || finding "$1: $reason" "topomap $3
$(cat err)"
    rm -rf out && mkdir out
}

# under WHAT LIMIT...: every command, or one of them, with ulimit's options.
under()
{
    local what=$1 command topomap=$2
    shift 2
    for command in "${commands[@]}"; do
        below 3
        [ "$drawn" = 0 ] || continue
        # The shell's own word on a signal is not asked for. Its stderr is no
        # file: that may be what must not grow.
        # shellcheck disable=SC2086
        { (ulimit "$@" 2>/dev/null && exec "$topomap" $command) 2>&1 >output </dev/null | cat >err; } 2>/dev/null
        judge "$what: $*" "${PIPESTATUS[0]}" "$command"
    done
}

streams()
{
    local command
    pick "${commands[@]}"
    command=$drawn
    # shellcheck disable=SC2086
    case $1 in
    0) "$ATTACK_TOPOMAP" $command >output 2>err <&- ;;
    1) "$ATTACK_TOPOMAP" $command 2>err >&- ;;
    2) "$ATTACK_TOPOMAP" $command >output 2>&- ;;
    3) "$ATTACK_TOPOMAP" $command <&- >&- 2>&- ;;
    4) "$ATTACK_TOPOMAP" $command >/dev/full 2>err ;;
    5) "$ATTACK_TOPOMAP" $command >output 2>/dev/full ;;
    6) "$ATTACK_TOPOMAP" $command 2>err | : ;;
    7) "$ATTACK_TOPOMAP" $command 2>err >/dev/null </dev/zero ;;
    esac
    local status=${PIPESTATUS[0]}
    # What stands written before stdout fails is whole, and stays. Without a
    # stderr nothing is said, nor to a reader that is gone.
    rm -rf out && mkdir out
    case $1 in
    2 | 3 | 5) : >err ;;
    esac
    case $1 in
    2 | 3 | 5 | 6) judge "stream: $1" "$status" "$command" closed ;;
    *) judge "stream: $1" "$status" "$command" ;;
    esac
}

# full DISK: every command that writes, into a disk with less and less room.
full()
{
    local command room
    below 16
    room=$drawn
    rm -rf "${1:?}"/*
    head -c $(((16 - room) * 4096)) /dev/zero >"$1/filler" 2>/dev/null
    for command in "map $graph --topology torus:2x2 --tasks-per-node 4 --work 3 -o $1/mapping" \
        "convert $graph --to scotch -o $1/graph" "profile import $graph --name new --catalogue $1/catalogue"; do
        # shellcheck disable=SC2086
        "$ATTACK_TOPOMAP" $command >output 2>err </dev/null
        local status=$?
        tried=$((tried + 1))
        local reason
        reason=$(sound "$status" err)
        if [ "$status" != 0 ] && [ -n "$(find "$1" -type f -not -name filler -not -name CATALOGUE)" ]; then
            reason="${reason:+$reason, }left: $(find "$1" -type f -not -name filler -not -name CATALOGUE -printf "%P ")"
        fi
        [ -z "$reason" ] || finding "full-disk: $reason" "topomap $command
$(cat err)"
        rm -rf "$1/mapping" "$1/graph" "$1/catalogue"
    done
}

disk=
if [ "$(id -u)" = 0 ] && mkdir disk && mount -t tmpfs -o size=64k,mode=700 none disk 2>/dev/null; then
    disk=$PWD/disk
    trap 'umount "$disk"' EXIT
    trap 'exit 130' INT TERM HUP
else
    echo "SKIP limits: no small file system can be mounted: the full disk"
fi
[ -n "${ATTACK_PLAIN-}" ] || echo "SKIP limits: no build without sanitizers (--plain): RLIMIT_AS"

while [ "$SECONDS" -lt "$end" ]; do
    below 12
    under descriptors "$ATTACK_TOPOMAP" -n $((drawn + 4))
    below 8
    under file-size "$ATTACK_TOPOMAP" -f "$drawn"
    if [ -n "${ATTACK_PLAIN-}" ]; then
        below 60000
        under memory "$ATTACK_PLAIN" -v $((drawn + 12000))
        under stack "$ATTACK_PLAIN" -s 64
    fi
    for ((stream = 0; stream < 8; stream++)); do streams "$stream"; done
    [ -z "$disk" ] || full "$disk"
done
done_with
