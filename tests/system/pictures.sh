#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# pictures.sh - what pictures are made of; draw.sh has them through the command.
set -u
: "${srcdir:=$(cd "$(dirname "$0")/.." && pwd)}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
command -v python3 >/dev/null || skip_all "no python3"
PYTHONDONTWRITEBYTECODE=1
export PYTHONDONTWRITEBYTECODE
exec python3 "$srcdir/system/pictures.py" "$STAGE_LIBEXECDIR/topomap/pictures"
