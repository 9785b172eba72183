#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# language.sh - the texts that users read, by the rules of contrib/HACKING: words
# that they exclude, and sentences that are too long
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"

command -v mandoc >/dev/null || skip_all "no mandoc"
equal "what users read" "" "$(python3 "$srcdir/language.py" "$srcdir/.." 2>&1)"

# The check itself: a tree with one of each.
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
for room in libmapcore profiles plugin tools contrib/libtopomap-cart; do
    mkdir -p "$work/$room"
done
long=$(awk 'BEGIN { for (i = 0; i < 36; i++) printf "word "; }')
printf '/* nobody */\nconst char *a = "so " /* and */\n    "many", *b = "no body";\n' >"$work/tools/a.c"
printf '"""Nobody."""\nprint("Whatever")\n' >"$work/tools/a.py"
printf '%s\n' '.Dd November 24, 2026' '.Dt A 1' '.Os' '.Sh NAME' '.Nm a' '.Nd b' \
    '.Sh DESCRIPTION' "$long." '.Bd -literal' "$long" '.Ed' 'It is told.' >"$work/tools/a.1"
printf 'Short.\n\n    %s\n' "$long" >"$work/README"
cp "$work/README" "$work/NEWS"
cp "$work/README" "$work/SECURITY"
equal "what it finds" "tools/a.c:2: 'so many'
tools/a.py:2: 'Whatever'
tools/a.1: 37 words
tools/a.1: 'told'" "$(python3 "$srcdir/language.py" "$work" | sed "s/ in: .*//; s/ words: .*/ words/")"
finish
