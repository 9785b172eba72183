#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# python.sh - the Python module as it is installed: its tests by pytest, its
# doctests, its example. Needs a python3 with NumPy and pytest.
set -u
: "${srcdir:=$(cd "$(dirname "$0")" && pwd)}"
srcdir=$(cd "$srcdir" && pwd)
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE:?}" "${STAGE_INCLUDEDIR:?}"

python=
for candidate in "${PYTHON-}" python3 /usr/bin/python3; do
    if [ -n "$candidate" ] && "$candidate" -c 'import numpy, pytest' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "$python" ] || skip_all "no python3 with NumPy and pytest (Debian: python3-numpy, python3-pytest)"
module=$(find "$STAGE" -path '*/mapcore/__init__.py' | head -1)
[ -n "$module" ] || skip_all "no Python module was built"
ldd "$STAGE_LIBDIR/libmapcore.so" | grep -qE 'lib(a|t|ub)san' && skip_all "built with sanitizers, which python3 is not"

work=$(mktemp -d "${TMPDIR:-/tmp}/topomap-python.XXXXXX") || exit 99
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM HUP
PYTHONPATH=$(dirname "$(dirname "$module")") TOPOMAP=${STAGE_TOPOMAP-}
PYTHONDONTWRITEBYTECODE=1 MAPCORE_INCLUDE=$STAGE_INCLUDEDIR/mapcore CC=${CC:-cc}
export PYTHONPATH TOPOMAP PYTHONDONTWRITEBYTECODE MAPCORE_INCLUDE CC
unset MAPCORE_LIBRARY
cd "$work" || exit 99

# judged NAME COMMAND...: it ends well, or the test prints what it said.
judged() {
    judged_name=$1
    shift
    if said=$("$@" 2>&1); then
        ok "$judged_name: $(printf '%s\n' "$said" | tail -1)"
    else
        not_ok "$judged_name" "$(printf '%s\n' "$said" | tail -60)"
    fi
}
judged "its tests" "$python" -m pytest -q -p no:cacheprovider "$srcdir/../contrib/python/tests"
judged "its doctests" "$python" -m pytest -q -p no:cacheprovider --doctest-modules "$(dirname "$module")"
printf '0 1 100\n1 2 50\n2 3 9\n' >few.edges
judged "its example" "$python" "$srcdir/../contrib/python/examples/heatmap.py" few.edges ring:2 2
if command -v xmllint >/dev/null; then
    judged "the example's picture is XML" xmllint --noout heatmap.svg
fi
equal "pip and importlib know its version" "yes" \
    "$("$python" -c 'import mapcore
from importlib.metadata import version
print("yes" if version("mapcore") == mapcore.__version__ != "0" else version("mapcore"))' 2>&1)"
equal "it leaves nothing behind in the installation" "" "$(find "$(dirname "$module")" -name '__pycache__')"
finish
