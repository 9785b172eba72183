#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# network_readers.sh - networks from other tools' files, as network-readers.py
# reads them for topomap topology.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
program=$(cd "$srcdir/system" && pwd)/network_readers.py
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-network-readers.XXXXXX")
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
python3 "$program" "$topomap" "$STAGE_LIBEXECDIR/topomap/network-readers.py"
