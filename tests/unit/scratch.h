/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scratch.h - a folder of its own for each test that writes files */
#ifndef TESTS_UNIT_SCRATCH_H
#define TESTS_UNIT_SCRATCH_H

#include "unit.h"

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

struct scratch {
    char root[256];
};

/* "ROOT/<rest>", good for 64 calls. */
static inline const char *at(const struct scratch *scratch, const char *rest)
{
    static char path[64][1024];
    static unsigned turn;
    char *out = path[turn++ % 64];

    snprintf(out, sizeof(path[0]), "%s%s%s", scratch->root, *rest ? "/" : "",
             rest);
    return out;
}

static inline void put_file(const char *path, const char *bytes, size_t n)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_true(n == 0 || fwrite(bytes, 1, n, file) == n);
    assert_ok(fclose(file));
}

static inline void put_text(const char *path, const char *text)
{
    put_file(path, text, strlen(text));
}

static inline int remove_one(const char *path,
                             const struct stat *st,
                             int type,
                             struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static inline int scratch_setup(void **state)
{
    const char *tmp = getenv("TMPDIR");
    struct scratch *scratch = calloc(1, sizeof(*scratch));

    if (!scratch)
        return -1;
    snprintf(scratch->root, sizeof(scratch->root), "%s/mapcore-test-XXXXXX",
             tmp && *tmp ? tmp : "/tmp");
    if (!mkdtemp(scratch->root)) {
        free(scratch);
        return -1;
    }
    *state = scratch;
    return 0;
}

static inline int scratch_teardown(void **state)
{
    struct scratch *scratch = *state;

    nftw(scratch->root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(scratch);
    return 0;
}

#define ON_DISK(test)                                                          \
    cmocka_unit_test_setup_teardown(test, scratch_setup, scratch_teardown)

#endif
