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
if said=$(${CC:-cc} -Wall -Werror -o "$work/user" "$work/user.c" $(pkg-config --cflags --libs mapcore) 2>&1); then
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

# A file that an administrator edited stays; one that is as installed goes with the rest.
conf=$work/root/etc/slurm/plugstack.conf.d/topomap.conf
site=$work/root/etc/topomap/topomap.json
install_etc() {
    make -s -C ../etc "$1" sysconfdir=/etc DESTDIR="$work/root" 2>&1 |
        sed "s,$work/root,,g" | grep topomap.conf || :
}
if [ -e "${STAGE_SPANKDIR:?}/topomap.so" ]; then
    install_etc install >/dev/null
    contains "the snippet loads both plugins, the one that keeps the option last" \
        "$(grep '^optional' "$conf" | sed 's,.*/,,' | tr '\n' ' ')" '^topomap.so topomap-options.so $'
    contains "and is what plugstack.conf includes" "$(cat "$conf")" "include .*/slurm/plugstack.conf.d/topomap.conf$"
    missing=
    for word in $(sed -n 's/.*after(argv\[i], "\([a-z]*=\)").*/\1/p' "$srcdir/../plugin/options.c") learn observe disabled; do
        grep -q "^#.*[ |]$word" "$conf" || missing="$missing $word"
    done
    equal "and has every argument" "" "$missing"
    install_etc uninstall >/dev/null
    equal "uninstall removes it" "" "$(find "$work/root/etc" -type f)"
    install_etc install >/dev/null
    echo "optional /x/topomap.so default=auto" >"$conf"
    mkdir -p "${site%/*}" && echo '{ "format": 1 }' >"$site"
    equal "install keeps an edited snippet and says so" \
        "/etc/slurm/plugstack.conf.d/topomap.conf differs and is kept: see /etc/slurm/plugstack.conf.d/topomap.conf.new" \
        "$(install_etc install)"
    equal "it is as it was, and so is the site file" \
        'optional /x/topomap.so default=auto { "format": 1 }' "$(cat "$conf" "$site" | xargs -d '\n')"
    contains "this version's lies beside" "$(cat "$conf.new")" '^optional .*/topomap-options.so'
    equal "uninstall keeps it, too" \
        "/etc/slurm/plugstack.conf.d/topomap.conf was edited and is kept" "$(install_etc uninstall)"
    equal "and the site file; nothing else" "topomap.conf topomap.json " \
        "$(find "$work/root/etc" -type f | sed 's,.*/,,' | LC_ALL=C sort | tr '\n' ' ')"
else
    skip "the snippet of plugstack.conf" "no plugin was built"
fi

# Debian's packages refuse to be built without a line for each program in Python.
missing=
for file in "$STAGE_LIBEXECDIR"/topomap/*.py; do
    [ ! -e "$srcdir/../contrib/packages/debian/topomap.install" ] ||
        grep -q "^usr/libexec/topomap/${file##*/}\$" "$srcdir/../contrib/packages/debian/topomap.install" ||
        missing="$missing ${file##*/}"
done
equal "programs in Python without a line in topomap.install" "" "$missing"
finish
