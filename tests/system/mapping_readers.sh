#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# mapping_readers.sh - mappings in launchers' files, as mapping-readers.py reads
# them; convert.sh has them through the command.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
srcdir=$(cd "$srcdir" && pwd)
command -v python3 >/dev/null || skip_all "no python3"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-mapping-readers.XXXXXX")
trap 'rm -rf "$work"' EXIT
printf 'n1\nn1\n' >"$work/h"
cd "$work" || exit 1
topomap=${STAGE_TOPOMAP:-${TOPOMAP:?the path of topomap}}
unset TOPOMAP
equal "what does not fit is said of the file's line" \
    "topomap: h:2: task 1 is in slot 1 of node 1, which has 1 slot" \
    "$("$topomap" convert --from hostfile --to mapping --nodelist 'n[0-1]' --tasks-per-node 1 h 2>&1)"
contains "and of an allocation's network" \
    "$("$topomap" eval ring --ntasks 2 --topology flat:2 --tasks-per-node 1 h 2>&1)" \
    'h names nodes, but those of the allocation have no names$'
python3 "$srcdir/system/mapping_readers.py" "$STAGE_LIBEXECDIR/topomap/mapping-readers.py" >answers
equal "its cases and sentences" "0 " "$? $(grep -A 2 '^not ok' answers)"
finish
