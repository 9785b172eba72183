#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# headers.sh - the installed headers as a user meets them: each compiles alone, as
# C and as C++, a C++ program links against the library, and what they declare is
# what libmapcore.so exports, no more, no less, all of it under the prefix.
set -u
: "${srcdir:=$(dirname "$0")}"
# shellcheck source=tests/tap.sh
. "$srcdir/tap.sh"
: "${STAGE:?}" "${STAGE_LIBDIR:?}" "${STAGE_INCLUDEDIR:?}"
! nm -D "$STAGE_LIBDIR/libmapcore.so" | grep -qE '__[at]san_init' ||
    skip_all "a library with sanitizers asks its users for them"

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
include=$STAGE_INCLUDEDIR/mapcore
headers=$(cd "$include" && find . -name '*.h' | sed 's,^\./,,' | LC_ALL=C sort)
cc=${CC:-cc}
# CC may be several words: ccache gcc.
# shellcheck disable=SC2086
compile() { $cc -I"$include" -Wall -Wextra -pedantic -Werror "$@"; }

for header in $headers; do
    if said=$(compile -std=c11 -fsyntax-only -x c "$include/$header" 2>&1); then
        ok "$header alone as C"
    else
        not_ok "$header alone as C" "$said"
    fi
    echo "#include <$header>" >"$work/alone.cc"
    if ! echo 'int main() { return 0; }' | compile -x c++ -fsyntax-only - 2>/dev/null; then
        skip "$header alone as C++" "no C++ compiler"
    elif said=$(compile -std=c++11 -fsyntax-only "$work/alone.cc" 2>&1); then
        ok "$header alone as C++"
    else
        not_ok "$header alone as C++" "$said"
    fi
done

# A header of its own, not mapcore.h with its extern "C" around all.
cat >"$work/user.cc" <<'USER'
#include <topo/topo.h>
int main()
{
    mapcore_topo_destroy(nullptr);
    return 0;
}
USER
if ! compile -x c++ -fsyntax-only "$work/user.cc" 2>/dev/null; then
    skip "a C++ program links" "no C++ compiler"
elif said=$(compile -std=c++11 -o "$work/user" "$work/user.cc" \
    -L"$STAGE_LIBDIR" -lmapcore -Wl,--allow-shlib-undefined 2>&1); then
    ok "a C++ program links"
else
    not_ok "a C++ program links" "$said"
fi

exported=$(nm -D --defined-only "$STAGE_LIBDIR/libmapcore.so" | awk '$2 != "A" { print $3 }' |
    sed 's/@.*//' | LC_ALL=C sort)
# GCC lists every prototype that it saw, with the file.
if echo '#include <mapcore.h>' | compile -std=c11 -fsyntax-only -aux-info "$work/prototypes" -x c - 2>/dev/null &&
    [ -s "$work/prototypes" ]; then
    declared=$(grep -F "/* $include/" "$work/prototypes" | grep -v "\*/ static " |
        sed 's/^[^*]*\*\/ //;s/ *(.*//;s/.*[ *]//' | LC_ALL=C sort -u)
    printf '%s\n' "$declared" >"$work/declared"
    equal "the library exports what the headers declare" "" \
        "$(printf '%s\n' "$exported" | LC_ALL=C comm -13 - "$work/declared")"
    equal "the headers declare what the library exports" "" \
        "$(printf '%s\n' "$exported" | LC_ALL=C comm -23 - "$work/declared")"
else
    skip "the headers declare what the library exports, and no more" "needs GCC's -aux-info"
fi
bad=$(cd "$include" && grep -nE '^(struct|enum|union) [a-z]|^typedef |^# *define ' -- $headers |
    grep -vE ':(struct|enum|union) mapcore_|:# *define MAPCORE_|:typedef .*\bmapcore_' || :)
equal "structs, enums, types and macros have the prefix" "" "$bad"
finish
