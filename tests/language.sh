#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# language.sh - the texts that users read, and comments, by the rules of
# contrib/HACKING: words that they exclude, sentences and manuals that are too long
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"

command -v mandoc >/dev/null || skip_all "no mandoc"
equal "what users read" "" "$(python3 "$srcdir/language.py" "$srcdir/.." 2>&1)"

rooms="libmapcore profiles plugin tools contrib/libtopomap-cart"
# too_many TOP MOST: says how many words the sources of the manuals have, if more.
too_many() {
    n=$(for room in $rooms; do
        find "$1/$room" -name '*.[1-8]' -exec cat {} +
    done | wc -w)
    [ "$n" -gt 0 ] && [ "$n" -le "$2" ] || echo "$n words, where 1 to $2 are allowed"
}
equal "the sources of the manuals have at most 40,000 words" "" "$(too_many "$srcdir/.." 40000)"

# The check itself: a tree with one of each.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for room in $rooms tests; do
    mkdir -p "$work/$room"
done
long=$(awk 'BEGIN { for (i = 0; i < 36; i++) printf "word "; }')
printf '/* nobody */\nconst char *a = "so " /* and */\n    "many", *b = "no body";\n' >"$work/tools/a.c"
printf '"""Nobody."""\nprint("Whatever")\n' >"$work/tools/a.py"
mark=#
printf '%s\n' "$mark nobody" "x $mark told" "a\${b#told}" >"$work/tests/data"
cp "$work/tests/data" "$work/tests/a.sh"
{ echo "$mark!/bin/sh"; cat "$work/tests/data"; } >"$work/tests/a"
printf '%s\n' '.Dd November 24, 2026' '.Dt A 1' '.Os' '.Sh NAME' '.Nm a' '.Nd b' \
    '.Sh DESCRIPTION' "$long." '.Bd -literal' "$long" '.Ed' 'It is told.' >"$work/tools/a.1"
printf 'Short.\n\n    %s\n' "$long" >"$work/README"
cp "$work/README" "$work/NEWS"
cp "$work/README" "$work/SECURITY"
equal "what it finds" "tools/a.c:2: 'so many'
tools/a.py:2: 'Whatever'
tools/a.c:1: 'nobody'
tools/a.py:1: 'Nobody'
tests/a:2: 'nobody'
tests/a:3: 'told'
tests/a.sh:1: 'nobody'
tests/a.sh:2: 'told'
tools/a.1: 37 words
tools/a.1: 'told'" "$(python3 "$srcdir/language.py" "$work" | sed "s/ in: .*//; s/ words: .*/ words/")"
equal "how it counts words" "95 words, where 1 to 90 are allowed" "$(too_many "$work" 90)"
finish
