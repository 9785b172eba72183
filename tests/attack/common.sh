# SPDX-License-Identifier: LGPL-2.1-or-later
# common.sh - sourced by the parts of contrib/attack: what they are given, and
# how they say what they found. A part prints lines that contrib/attack counts:
#   FINDING PART WHAT: ... beside it, indented, what helps to repeat it
#   OPEN PART WHAT: ...    the same for a fault that attack/open names
#   TRIED PART: N          LOST PART: N          DELETED PART: N
#   SKIP PART: REASON
# shellcheck shell=bash disable=SC2034
set -u
: "${ATTACK_PART:?}"     # its name
: "${ATTACK_WORK:?}"     # a folder of its own, to be filled
: "${ATTACK_TOPOMAP:?}"  # the command, with sanitizers
: "${ATTACK_PROGRAMS:?}" # where handoff and inputs are
: "${ATTACK_TESTS:?}"    # tests/, or a copy of what it has for this
: "${ATTACK_KEPT:?}"     # what makes files of kept regions
: "${ATTACK_SEED:?}"
: "${ATTACK_SECONDS:?}"
: "${ATTACK_ONLY=}" # what of the part, or nothing
: "${ATTACK_OPEN=}" # faults that are not judged yet: "PART-WHAT ..."
export LC_ALL=C.UTF-8
# The digits of $RANDOM follow from the seed, as those of the programs do.
RANDOM=$((ATTACK_SEED % 32749 + 1))
tried=0 findings=0
end=$((SECONDS + ATTACK_SECONDS))

cd "$ATTACK_WORK" || exit 99

# below N: sets drawn to 0 .. N-1.
below() { drawn=$(((RANDOM * 32768 + RANDOM) % $1)); }

# pick WORD...: sets drawn to one of them.
pick()
{
    below $#
    shift "$drawn"
    drawn=$1
}

# finding 'WHAT: MORE' [DETAIL [NUMBER]]: the detail, of any lines, is shown
# without controls; NUMBER is what --only PART:NUMBER repeats.
finding()
{
    local word=FINDING name what=${1%% *}
    for name in $ATTACK_OPEN; do
        [ "$name" != "$ATTACK_PART-${what%:}" ] || word=OPEN
    done
    [ "$word" = OPEN ] || findings=$((findings + 1))
    echo "$word $ATTACK_PART $1"
    [ "$word" = OPEN ] || [ -z "${2-}" ] ||
        printf '%s\n' "$2" | head -n 40 | LC_ALL=C tr -c '\n\t -~' '?' | sed 's/^/  /'
    [ "$word" = OPEN ] ||
        echo "  again: contrib/attack --seed $ATTACK_SEED --only $ATTACK_PART${3:+:$3}"
}

# ordinary: prints the words before a command that run it as an ordinary user;
# nothing where we are one.
ordinary=()
if [ "$(id -u)" = 0 ]; then
    ordinary=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi

done_with()
{
    echo "TRIED $ATTACK_PART: $tried"
    [ "$findings" = 0 ]
    exit
}

# sound STATUS ERRORS: why an end is none that topomap may have; empty: it is.
sound()
{
    local lines
    lines=$(grep -c '' "$2")
    case $1 in
    0 | 1 | 2) ;;
    *) echo "status $1" && return ;;
    esac
    if grep -q -e Sanitizer -e 'runtime error: ' "$2"; then
        echo "a sanitizer's report"
    elif [ "$1" != 0 ] && [ "$lines" != 1 ]; then
        echo "$lines lines on stderr"
    elif grep -qv '^topomap' "$2" && # or, under --json:
        { [ "$1" = 0 ] || ! grep -qx '{"error": ".*", "status": [12]}' "$2"; }; then
        echo "a line that is not topomap's"
    elif LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]')" "$2"; then
        echo "control characters"
    fi
}
