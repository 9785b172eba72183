#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# readers.sh - the folder in which readers.py works, and its run there as an
# ordinary user: changed words of options may name any file to be written.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

recorded=$ATTACK_TESTS/recorded/block/profile
mkdir -p in out own fixtures rows/dump programs
for program in tar python3; do
    ln -s "$(PATH=/usr/bin:/bin command -v $program)" programs
done
for reader in profile evaluation collectives messages version partial; do
    folder=$reader/catalogue/app/named/64
    mkdir -p "$folder"
    cp -r "$recorded" "$folder/r20261121T023000Z-1.0"
    ln -s r20261121T023000Z-1.0 "$folder/current"
    sed -i 's/"program": "[^"]*"/"program": "app"/' "$folder/current/profile.json"
    chmod -R u+w,go-w "$reader"
done
cp "$ATTACK_TESTS/golden/ring16.graph" fixtures
cp "$ATTACK_TESTS/attack/seeds/facts" fixtures
cp "$ATTACK_TESTS/fuzz/corpus/program/script" fixtures/program
chmod +x fixtures/program
seq 0 15 >fixtures/block.mapping
seq -s, 0 15 >fixtures/order.mpich
printf 'SwitchName=s%d Nodes=n[%d-%d]\n' 0 0 3 1 4 7 >fixtures/named.conf
echo 'SwitchName=root Switches=s[0-1]' >>fixtures/named.conf
for rank in 0 2 3; do
    python3 "$ATTACK_KEPT" make "rows/dump/node-$rank.kept" "$rank"
done
# A user's own history, of a step whose map was kept.
history=own/.local/share/topomap/.history
mkdir -p "$history"
uid=$(id -u)
[ "$uid" != 0 ] || uid=65534
echo '{"format": 1, "event": "launch", "time": "2026-11-22T17:34:34Z", "at_s": 1795368874.5, "job": 1, "step": 0, "map": "map-1.0-1", "cpus": "cpus-1.0-1"}' \
    >"$history/steps-$uid-host"
cp "$ATTACK_TESTS/attack/seeds/plan-file" "$history/map-1.0-1"
# What a node has reported.
mkdir "${history%/*}/.cache"
chmod -R go-w own
if [ "$(id -u)" = 0 ]; then
    chown -R 65534:65534 .
fi
open=
for name in $ATTACK_OPEN; do
    [ "${name#readers-}" = "$name" ] || open="$open,${name#readers-}"
done
# What RLIMIT_AS refuses, which is off here, a bound on one allocation refuses.
# hwloc is not ours to judge where it leaks; its plugins would be gone when that
# is looked for.
printf 'leak:libhwloc\nleak:libxml2\n' >leaks
exec "${ordinary[@]}" env -i PATH="$PWD/programs" HOME="$PWD/own" LC_ALL=C.UTF-8 HWLOC_PLUGINS_PATH=/dev/null \
    LD_LIBRARY_PATH="${LD_LIBRARY_PATH-}" \
    ASAN_OPTIONS="exitcode=99:allocator_may_return_null=1:max_allocation_size_mb=512:hard_rss_limit_mb=1500:quarantine_size_mb=16" \
    LSAN_OPTIONS="suppressions=$PWD/leaks:print_suppressions=0" \
    UBSAN_OPTIONS="print_stacktrace=1" \
    python3 "$ATTACK_TESTS/attack/readers.py" --topomap "$ATTACK_TOPOMAP" --programs "$ATTACK_PROGRAMS" \
    --tests "$ATTACK_TESTS" --seed "$ATTACK_SEED" --seconds "$ATTACK_SECONDS" --open "$open" --only "$ATTACK_ONLY"
