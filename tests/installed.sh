#!/bin/sh
# SPDX-License-Identifier: LGPL-2.1-or-later
# installed.sh - a program of somebody else's, built against the installed
# headers and library by pkg-config alone.
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
cat >"$work/user.c" <<'CODE'
#include <mapcore.h>
#include <stdio.h>

int main(void)
{
    struct mapcore_edge edges[] = {{0, 2, 10}, {1, 3, 10}};
    uint32_t arity[] = {2}, slots[] = {2, 2};
    struct mapcore_error error = {""};
    struct mapcore_graph *graph = NULL;
    struct mapcore_topo *topo = NULL;
    struct mapcore_alloc *alloc = NULL;
    struct mapcore_search search = {0};
    struct mapcore_result result = {0};

    if (mapcore_graph_create(&graph, 4, edges, 2, &error) < 0 ||
        mapcore_topo_create_tree(&topo, 1, arity, NULL, &error) < 0 ||
        mapcore_alloc_create(&alloc, topo, 2, NULL, slots, &error) < 0 ||
        mapcore_search_run(&result, graph, alloc, &search, &error) < 0) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("%g -> %g\n", result.baseline.hops_per_byte,
           result.metrics.hops_per_byte);
    mapcore_result_clear(&result);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
    mapcore_graph_destroy(graph);
    return 0;
}
CODE
PKG_CONFIG_PATH=$STAGE_LIBDIR/pkgconfig PKG_CONFIG_SYSROOT_DIR=$STAGE
export PKG_CONFIG_PATH PKG_CONFIG_SYSROOT_DIR
# shellcheck disable=SC2046
if said=$("${CC:-cc}" -Wall -Werror -o "$work/user" "$work/user.c" $(pkg-config --cflags --libs mapcore) 2>&1); then
    ok "it compiles and links by pkg-config"
    equal "it maps" "2 -> 0" "$(LD_LIBRARY_PATH=$STAGE_LIBDIR "$work/user" 2>&1)"
else
    not_ok "it compiles and links by pkg-config" "$said"
fi
finish
