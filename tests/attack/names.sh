#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# names.sh - hostile names of nodes, programs and words of a command: the script
# that place --dry-run makes runs none of them, a page or picture has no markup of
# theirs, and no table a line more.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

export HOME=$PWD TOPOMAP_CATALOGUE=$PWD/catalogue ASAN_OPTIONS=exitcode=99:detect_leaks=0
bits=(END 'END_' EOF '$(touch RAN)' '`touch RAN`' ';touch RAN;' '&touch RAN&' '|touch RAN' "'" '"' '\' '*' '~' '-n' '%s' '%n' \
    '<script>RAN()</script>' '"onload="RAN()' "'><b>" '&lt;' ']]>' '-->' '</title>' 'javascript:RAN()' '\u0001' '\u009b31m' \
    '\n' '\nforged 1 2 3' '\r' '\t' '\u202e' 'é' '=1+1' '{}' ',' '#' a)

# a name of one to three of them in drawn; $1: what no bit of it may have
a_name()
{
    local n name=
    below 3
    for ((n = drawn; n >= 0; n--)); do
        pick "${bits[@]}"
        [ -n "$1" ] && [[ $drawn =~ $1 ]] || name=$name$drawn
    done
    drawn=${name:-x}
}

# as JSON has it: only what begins an escape of ours stays one
json() { printf '%s' "$1" | sed 's/\\\([unrt]\)/\x01\1/g; s/\\/\\\\/g; s/"/\\"/g; s/\x01/\\/g'; }

place()
{
    local nodes=() n
    for ((n = 0; n < 4; n++)); do
        a_name '[[:space:]]|\\[unrt]|,|#|:|%n'
        nodes+=("$drawn$n")
        pick '' '' END END_ '$(touch<RAN)'
        [ -z "$drawn" ] || nodes[n]=$drawn
    done
    a_name '\\[unr]'
    printf '%s:2\n' "${nodes[@]}" >hosts
    rm -f RAN script.d/*
    mkdir -p script.d
    shape="nodes ${nodes[*]}, word $drawn"
    "$ATTACK_TOPOMAP" place --nodefile hosts --graph ./pairs.edges --topology tree:2,2 \
        --work 3 --dry-run --launcher openmpi -- "$PWD/launch" -n 8 true "$drawn" >script 2>err </dev/null
    judge $? "place --dry-run"
    [ "$status" = 0 ] || return 0
    placed=$((placed + 1))
    said=$(cd script.d && PATH=/usr/bin:/bin timeout 20 bash ../script 2>&1)
    # The word is printed whole; the options behind it stand in lines of their own.
    [ ! -e RAN ] && [ ! -e script.d/RAN ] && [[ $'\n'$said$'\n' = *$'\n'"$drawn"$'\n'* ]] ||
        finding "place: what is printed is no script of ours" "$shape
$(cat script)
$said" "$case"
}

tables()
{
    local n command lines
    : >log
    for ((n = 0; n < 6; n++)); do
        a_name ''
        printf '{"format": 1, "event": "end", "time": "now", "at_s": 1795000000, "job": %d, "step": 0, "program": "%s", "user": "u%d", "nnodes": 1, "seconds": 3600, "outcome": "placed", "why": "%s"}\n' \
            $n "$(json "$drawn")" $n "$(json "$drawn")" >>log
    done
    shape=$(cat log)
    for command in history 'history --csv' 'history --summary' 'history --summary --csv' 'history --summary --prometheus'; do
        # shellcheck disable=SC2086
        "$ATTACK_TOPOMAP" $command --log log >out 2>err </dev/null
        judge $? "$command"
        lines=$(grep -c '' out)
        case $command in
        *prometheus) [ -z "$(grep -v '^#' out | sed 's/ [^ ]*$//' | sort | uniq -d)" ] ;;
        *summary*) [ "$lines" -le 7 ] ;;
        *) [ "$lines" = 7 ] ;;
        esac || finding "tables: $command has another number of lines" "$shape
$(cat out)" "$case"
    done
}

pages()
{
    local command name
    rm -rf profile page
    cp -r "$ATTACK_TESTS/recorded/block/profile" profile && chmod -R u+w profile
    a_name '%n'
    name=$(json "$drawn")
    shape="program $name"
    awk -v name="$name" 'BEGIN { gsub(/\\/, "\\\\", name); gsub(/&/, "\\\\&", name) }
        { sub(/"program": "[^"]*"/, "\"program\": \"" name "\""); sub(/"job": "[^"]*"/, "\"job\": \"" name "\""); print }' \
        "$ATTACK_TESTS/recorded/block/profile/profile.json" >profile/profile.json
    for command in "report profile" "draw matrix profile" "draw profile profile"; do
        # shellcheck disable=SC2086
        "$ATTACK_TOPOMAP" $command -o page >out 2>err </dev/null
        judge $? "$command"
        paged=$((paged + (status == 0)))
        [ "$status" != 0 ] || ! grep -aqiE '<script>RAN|<[^>]*[" ]onload="RAN|<b>|href="javascript:' page ||
            finding "pages: markup of a name" "$shape
$(grep -aiE -o '.{0,60}RAN.{0,60}' page | head -n 5)" "$case"
        ! LC_ALL=C grep -aq "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]')" page 2>/dev/null ||
            finding "pages: control characters" "$shape" "$case"
        rm -f page
    done
}

judge()
{
    local reason
    status=$1
    tried=$((tried + 1))
    reason=$(sound "$status" err)
    [ -z "$reason" ] && LC_ALL=C grep -q "$(printf '[\001-\010\013-\037\177]\|\302[\200-\237]')" out 2>/dev/null && reason="control characters on stdout"
    [ -z "$reason" ] || finding "words: $reason" "$shape
topomap $2
$(cat err)" "$case"
}

# shellcheck disable=SC2016
printf '#!/bin/bash\nprintf "%%s\\n" "$@"\n' >launch
chmod +x launch
# Ranks that are far from each other in Slurm's order.
printf '%d %d 1000000\n' 0 4 1 5 2 6 3 7 >pairs.edges
placed=0 paged=0
number=${ATTACK_ONLY:-0}
: >out
while :; do
    case=$number
    RANDOM=$(((ATTACK_SEED * 7919 + number * 104729) % 32749 + 1))
    case $((number % 3)) in
    0) place ;;
    1) tables ;;
    2) pages ;;
    esac
    number=$((number + 1))
    [ -z "$ATTACK_ONLY" ] && [ "$SECONDS" -lt "$end" ] || break
done
echo "  $placed scripts, $paged pages"
done_with
