#!/usr/bin/env bash
# SPDX-License-Identifier: LGPL-2.1-or-later
# handoff.sh - attack/handoff in a folder of its own, as an ordinary user: files
# of others are then others'.
# shellcheck source=tests/attack/common.sh
. "$(dirname "$0")/common.sh"

if [ "$(id -u)" = 0 ]; then
    chown 65534:65534 .
fi
printf 'leak:libhwloc\nleak:libxml2\n' >leaks
exec "${ordinary[@]}" env LSAN_OPTIONS="suppressions=$PWD/leaks:print_suppressions=0" \
    ASAN_OPTIONS=allocator_may_return_null=1 \
    "$ATTACK_PROGRAMS/handoff" "$ATTACK_SEED" "$ATTACK_SECONDS" ${ATTACK_ONLY:+"$ATTACK_ONLY"}
