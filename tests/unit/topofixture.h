/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topofixture.h - networks that a test opens, and files that are refused */
#ifndef TESTS_UNIT_TOPOFIXTURE_H
#define TESTS_UNIT_TOPOFIXTURE_H

#include "scratch.h"

#include "topo/topo.h"

static inline struct mapcore_topo *opened(const char *spec)
{
    struct mapcore_error err = {""};
    struct mapcore_topo *topo = NULL;
    int code = mapcore_topo_open(&topo, spec, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(code, 0);
    return topo;
}

static inline struct mapcore_topo *opened_text(const char *path,
                                               const char *text)
{
    put_text(path, text);
    return opened(path);
}

/* Steps from a host to another, by their names. */
static inline uint32_t between(const struct mapcore_topo *topo,
                               const char *a,
                               const char *b)
{
    uint32_t i, j;

    assert_ok(mapcore_topo_find_host(&i, topo, a, NULL));
    assert_ok(mapcore_topo_find_host(&j, topo, b, NULL));
    return mapcore_topo_distance(topo, i, j);
}

struct bad {
    const char *text;
    int code;
    const char *why; /* behind the path */
};

static inline void refused(const char *path, const struct bad *bad, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct mapcore_error err = {""};
        struct mapcore_topo *topo = NULL;

        put_text(path, bad[i].text);
        int code = mapcore_topo_open(&topo, path, &err);
        assert_memory_equal(err.text, path, strlen(path));
        assert_string_equal(err.text + strlen(path), bad[i].why);
        assert_int_equal(code, bad[i].code);
        assert_null(topo);
    }
}

#endif
