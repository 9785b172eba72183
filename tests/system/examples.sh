#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# examples.sh - the installed profiles of real programs: README's commands work right
# after installation, mappings gain what there is to gain, and no launch sees them
set -u
: "${srcdir:=$(dirname "$0")/..}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}" "${STAGE_DATADIR:?}"
topomap=$TOPOMAP
unset TOPOMAP TOPOMAP_CATALOGUE XDG_DATA_HOME
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
HOME=$work/home TMPDIR=$work PATH=$(dirname "$topomap"):$PATH
export HOME TMPDIR PATH
mkdir "$HOME"
examples=$STAGE_DATADIR/topomap/examples
cd "$examples" || exit 99

value() { sed -n "s/.*\"$1\": *\([^,]*\).*/\1/p" | "${2:-cat}"; }
no_more() { ! less "$2" "$1"; }
yes_or() { if "$@"; then ok "$what"; else not_ok "$what" "$*"; fi; }
less() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'; }

# The block of README that begins in this folder.
sed -n '\,^    cd /.*/topomap/examples,,/^$/p' "$srcdir/../README" |
    sed "s,cd /[^ ]*/topomap/examples.*,cd '$examples'," >"$work/commands"
equal "README: a folder, and three commands" 5 "$(sed '/^$/d' "$work/commands" | wc -l)"
if ! said=$(sh -e "$work/commands" 2>&1); then
    not_ok "README: its commands work in an empty home" "$said"
else
    ok "README: its commands work in an empty home"
fi
contains "README: eval compares" "$said" '^portfolio '
contains "README: plan says what it would do" "$said" '^outcome  *[a-z]*: lammps'
contains "README: report has a page" "$(head -c 200 "$HOME/lammps.html" 2>&1)" '^<!DOCTYPE html>'
contains "it is said that this is an example" "$said" \
    '^topomap: lammps:16 is an example that came with topomap$'

# Every profile, on every network.
profiles=$(find . -name profile.json | sort | sed 's,^\./\([^/]*\)/named/\([0-9]*\)/.*,\1:\2,')
equal "profiles" 5 "$(echo "$profiles" | wc -l)"
what="below 2 MB"
yes_or less "$(du -sk . | cut -f1)" 2048
gains=
for profile in $profiles; do
    program=${profile%:*} ntasks=${profile#*:}
    shown=$("$topomap" profile show "$profile" 2>"$work/err")
    contains "$profile: profile show" "$shown" "^tasks  *$ntasks on"
    contains "$profile: is complete" "$("$topomap" profile list --json --catalogue . "$program")" \
        '"partial": *false'
    "$topomap" report "$profile" -o "$work/page.html" 2>"$work/err"
    contains "$profile: report" "$(cat "$work/page.html" "$work/err")" "<h1>.*$program"
    for network in *.json; do
        "$topomap" eval "$profile" --topology "$network" --tasks-per-node 2 --work 200 \
            --choose hop-bytes --json block portfolio >"$work/eval" 2>"$work/err" || {
            not_ok "$profile on $network" "$(cat "$work/err")"
            continue
        }
        block=$(value hops_per_byte <"$work/eval" | head -1)
        found=$(value hops_per_byte <"$work/eval" | tail -1)
        echo "# $profile on ${network%.json}: hops per byte $block by block, $found found"
        what="$profile on $network: no more hops than block"
        yes_or no_more "$found" "$block"
        less "$found" "$(awk -v b="$block" 'BEGIN { print b * 0.9 }')" &&
            gains="$gains $program/${network%.json}"
    done
done
for pair in lammps/torus espresso/torus meep/torus; do
    contains "10% or more to gain: $pair" "$(echo "$gains" | tr ' ' '\n')" "^$pair\$"
done

# Who does not see them, and what hides them.
equal "profile list does not" "" "$("$topomap" profile list --csv 2>&1 | sed 1d)"
equal "but of that folder" 5 "$("$topomap" profile list --csv --catalogue . 2>&1 | sed 1d | wc -l)"
contains "plan does not" "$("$topomap" plan --name lammps --ntasks 16 --nodelist 'node[01-08]' \
    --tasks-per-node 2 --config torus.json 2>&1)" 'no profile named lammps for 16 tasks'
contains "profile rm does not" "$("$topomap" profile rm name:lammps:16 2>&1)" 'no profile'
contains "another size is not there" "$("$topomap" eval lammps:8 --topology torus.json \
    --tasks-per-node 2 2>&1)" 'there are profiles for 16'
contains "what is not there is called as asked" "$("$topomap" profile show none:16 2>&1)" \
    'no profile of none$'
"$topomap" profile import "$srcdir/golden/ring16.graph" --name lammps >/dev/null 2>&1
contains "the user's own hides it" "$("$topomap" profile show name:lammps:16 2>&1)" '^job  *import'
rm -rf "$HOME/.local"
"$topomap" profile import "$srcdir/golden/ring16.graph" --name lammps >/dev/null 2>&1
mv "$HOME/.local/share/topomap/lammps/named/16" "$HOME/.local/share/topomap/lammps/named/32"
contains "with another size, too" "$("$topomap" eval name:lammps:16 --topology torus.json \
    --tasks-per-node 2 2>&1)" 'there are profiles for 32'
finish
