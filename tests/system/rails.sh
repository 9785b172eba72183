#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# rails.sh - nodes with several network interfaces, held against routes that are
# found here.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
program=$(cd "$srcdir/system" && pwd)/rails.py
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-rails.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 "$program" "$topomap"
