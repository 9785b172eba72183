#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# guard.sh - mappings of eleven small instances are as good as those stored for make
# bench-guard
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${MAPGEN:?}" "${STAGE_TOPOMAP:?}"
rows=$("$srcdir/bench/guard.sh" 'small-*' 2>&1)
[ $? = 0 ] && ok "no instance is worse" || not_ok "no instance is worse" "$rows"
equal "all eleven were mapped" 11 "$(echo "$rows" | grep -c ^small-)"
finish
