# SPDX-License-Identifier: LGPL-2.1-or-later
# tap.sh - sourced by the shell tests: results in the Test Anything Protocol,
# what Automake's harness reads. The plan comes last, so that a test that dies
# half-way is seen.
# shellcheck shell=sh

# A site file of the prefix, of an older installation, is no part of the tests: root
# hides its folder from them.
if [ -n "${SITE_FOLDER-}" ] && [ -n "$(ls -A "$SITE_FOLDER" 2>/dev/null)" ] &&
    unshare -m mount -t tmpfs none "$SITE_FOLDER" 2>/dev/null; then
    # shellcheck disable=SC2016
    exec unshare -m sh -c 'mount -t tmpfs none "$SITE_FOLDER" && exec "$@"' sh "$0" "$@"
fi

tap_count=0
tap_failures=0

# ok NAME
ok() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1"
}

# not_ok NAME [DETAIL]: the detail, of any number of lines, as diagnostics.
not_ok() {
    tap_count=$((tap_count + 1))
    tap_failures=$((tap_failures + 1))
    echo "not ok $tap_count - $1"
    [ -z "${2-}" ] || printf '%s\n' "$2" | sed 's/^/# /'
}

# skip NAME REASON
skip() {
    tap_count=$((tap_count + 1))
    echo "ok $tap_count - $1 # SKIP $2"
}

# equal NAME EXPECTED FOUND
equal() {
    if [ "$2" = "$3" ]; then
        ok "$1"
    else
        not_ok "$1" "expected: $2
found:    $3"
    fi
}

# contains NAME TEXT PATTERN: a basic regular expression in one of the lines.
contains() {
    if printf '%s\n' "$2" | grep -q -e "$3"; then
        ok "$1"
    else
        not_ok "$1" "no line matches: $3
in: $2"
    fi
}

# holds_signals PID: waits until topomap PID looks for its signals itself: from
# then on they end a search well (SIGTERM is bit 14 of those held back). A shell
# holds them back, too, for a moment, in the process that is to become topomap.
holds_signals() {
    tap_shell=$(readlink "/proc/$$/exe")
    while tap_exe=$(readlink "/proc/$1/exe" 2>/dev/null) &&
        tap_held=$(sed -n 's/^SigBlk:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) &&
        { [ "$tap_exe" = "$tap_shell" ] || [ $((0x${tap_held:-0} & 0x4000)) = 0 ]; }; do
        sleep 0.05
    done
}

# skip_all REASON: nothing of this file can be tried here.
skip_all() {
    echo "1..0 # SKIP $1"
    exit 0
}

# finish: the plan, and the exit status.
finish() {
    echo "1..$tap_count"
    [ "$tap_failures" = 0 ]
}
