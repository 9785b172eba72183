#!/bin/bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# compatibility.sh - files of each release so far (data/VERSION) are read, and mean what
# they meant; soname, exit statuses and JSON keys are those of topomap(1), COMPATIBILITY
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${TOPOMAP:?}" "${STAGE_LIBDIR:?}"
topomap=$TOPOMAP
work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
umask 022
cp -R "$srcdir/data/0.1.0" "$work/old" && chmod -R u+w "$work/old" && cd "$work/old" || exit 99
# What neither git nor a tarball keeps: a link, and modes.
prepare()
{
    (cd catalogue/app/*/8 && ln -s r* current)
    chmod go= catalogue/.history/*
}
prepare
unset TOPOMAP XDG_DATA_HOME
export TOPOMAP_CATALOGUE=$work/old/catalogue HOME=$work TMPDIR=$work
job=(--ntasks 8 --nodelist 'n[0-3]' --tasks-per-node 2 --topology network)

# field KEY: its values in the JSON on stdin, in one line.
field() { sed -n "s/.*\"$1\": *\(\"[^\"]*\"\|[^],} ]*\).*/\1/p" | tr '\n' ' '; }
# status WANTED NAME COMMAND...
status()
{
    local wanted=$1 name=$2 status=0
    shift 2
    "$@" >out 2>err </dev/null || status=$?
    equal "exit status, $name" "$wanted" "$status"
}

shown=$("$topomap" profile show app:8 --json 2>&1)
equal "profile: tasks, bytes, job" '8 35000000 "5.0"' \
    "$(for key in ntasks bytes job; do field $key <<<"$shown" | cut -d' ' -f1; done | xargs -d'\n' echo)"
equal "task graph" "7 pairs, 35000000 bytes" "$("$topomap" profile export app:8 --graph p2p |
    awk 'NR > 1 { for (i = 2; i <= NF; i += 2) { pairs++; bytes += $i } } END { print pairs / 2 " pairs, " bytes / 2 " bytes" }')"
equal "evaluation" '"p2p"' "$("$topomap" plan --name app "${job[@]}" --json 2>&1 | field graph | xargs -d'\n' echo | sed 's/ *$//')"
equal "packed profile" "" "$(mkdir new && TOPOMAP_CATALOGUE=$work/old/new "$topomap" profile unpack app.profile 2>&1 >/dev/null
    diff -r new/app catalogue/app 2>&1 | grep -v evaluation.json)"
equal "history" '"recorded" "placed" ' "$("$topomap" history --json 2>&1 | sed 's/.*\("outcome": "[a-z]*"\).*/\1/' | field outcome)"
contains "history, hops per byte" "$("$topomap" history --json)" '_per_byte_before": 1.714.*_per_byte_after": 1.142'
shown=$("$topomap" topology show network --json)
equal "network" "4 6 4 2 12.5 25 4 " "$(for key in nhosts nlinks capacity diameter; do field $key <<<"$shown"; done | tr -d '\n')"
contains "site file: rules" "$("$topomap" plan --site --config topomap.json -- lmp 2>&1)" '^decides rule 1 '
contains "site file: default" "$("$topomap" plan --site --config topomap.json 2>&1)" '^default auto,unit=node'
contains "site file: network" "$("$topomap" topology check --config topomap.json 2>&1 --nodelist 'n[0-3]')" \
    '^4 of 4 nodes are in the topology'
planned=$("$topomap" plan --name app "${job[@]}" --graph plan:app.plan 2>&1)
contains "plan: outcome" "$planned" '^outcome  *placed: app.plan'
equal "plan: ranks" "n0: 0-1 n1: 6-7 n2: 2-3 n3: 4-5" "$(sed -n 's/^  \(n[0-3]: \)/\1/p' <<<"$planned" | xargs)"

# A later format is refused, with the file's name.
sed -i 's/"format": 1/"format": 2/' topomap.json catalogue/app/*/8/r*/profile.json
sed -i '1s/ 1 / 2 /' app.plan
status 1 "later site file" "$topomap" topology check --config topomap.json --nodelist 'n[0-3]'
contains "later site file: said" "$(cat err)" 'topomap.json:1: .*format'
status 1 "later profile" "$topomap" profile show app:8
status 0 "success" "$topomap" topology show network
status 1 "failure" "$topomap" topology show no-such-file
status 2 "command line" "$topomap" topology show --no-such-option
rm -rf catalogue && cp -R "$srcdir/data/0.1.0/catalogue" . && chmod -R u+w catalogue && prepare

if command -v readelf >/dev/null; then
    equal "soname" "libmapcore.so.1" \
        "$(readelf -d "$STAGE_LIBDIR/libmapcore.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')"
fi

# JSON keys: those of 0.1.0 are all there.
keys()
{
    local name=$1
    shift
    "$@" 2>/dev/null | python3 "$srcdir/system/json_paths.py" "$name"
}
{
    keys doctor "$topomap" doctor --json
    keys eval "$topomap" eval app:8 --topology network --tasks-per-node 2 --nodelist 'n[0-3]' --json
    keys history "$topomap" history --json
    keys plan "$topomap" plan --name app "${job[@]}" --json
    keys profile-list "$topomap" profile list --json
    keys profile-show "$topomap" profile show app:8 --json
    keys topology-show "$topomap" topology show network --json
} | LC_ALL=C sort >keys.now
[ "${UPDATE-}" != yes ] || cp keys.now "$srcdir/data/0.1.0/keys"
equal "JSON keys of 0.1.0 that are gone" "" "$(LC_ALL=C comm -23 "$srcdir/data/0.1.0/keys" keys.now)"
finish
