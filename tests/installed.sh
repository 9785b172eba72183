#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# installed.sh - the program of mapcore(3), built as a user would against the
# installed headers and library by pkg-config alone; and whether that manual
# knows every function.
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE:?}" "${STAGE_LIBDIR:?}"
! nm -D "$STAGE_LIBDIR/libmapcore.so" | grep -qE '__[at]san_init' ||
    skip_all "a library with sanitizers asks its users for them"
command -v pkg-config >/dev/null || skip_all "no pkg-config"

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
manual=$srcdir/../libmapcore/mapcore.3
sed -n '/^\.Bd -literal/,/^\.Ed/p' "$manual" | sed '1d;$d;s/\\e/\\/g' >"$work/user.c"
PKG_CONFIG_PATH=$STAGE_LIBDIR/pkgconfig PKG_CONFIG_SYSROOT_DIR=$STAGE
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2046
if said=$("${CC:-cc}" -Wall -Werror -o "$work/user" "$work/user.c" $(pkg-config --cflags --libs mapcore) 2>&1); then
    ok "it compiles and links by pkg-config"
    equal "it maps" "2 -> 0 hops per byte" \
        "$(LD_LIBRARY_PATH=$STAGE_LIBDIR "$work/user" 2>&1 | head -1)"
    equal "and each host holds a pair" "0,2 1,3" \
        "$(LD_LIBRARY_PATH=$STAGE_LIBDIR "$work/user" | sed 1d |
            awk '{ at[$1] = at[$1] (at[$1] == "" ? "" : ",") NR - 1 }
                 END { print (at[0] < at[1] ? at[0] " " at[1] : at[1] " " at[0]) }')"
else
    not_ok "it compiles and links by pkg-config" "$said"
fi
missing=
for name in $(nm -D --defined-only "$STAGE_LIBDIR/libmapcore.so" | awk '{print $3}' |
    sed 's/@.*//' | grep '^mapcore_'); do
    grep -q "^\.Fn $name\( .*\)*\$" "$manual" || missing="$missing $name"
done
equal "mapcore(3) names every function" "" "$missing"
finish
