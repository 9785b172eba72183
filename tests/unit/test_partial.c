/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_partial.c - which recordings are partial, and that none of those takes
 * the place of a complete one */
#include "config.h"

#include "cataloguefixture.h"

#include "launch/kept.h"
#include "tools/profile/recorded/run_end.h"

#include <signal.h>

enum { EXIT_7 = 7 << 8, EXIT_139 = 139 << 8, EXIT_143 = 143 << 8 };

static void what_makes_a_recording_partial(void **state)
{
    static const struct {
        uint32_t ended;
        bool is_finalized;
        double seconds;
        const char *why; /* NULL: it counts */
    } rows[] = {
        {0, false, 2, NULL},
        {0, true, 2, NULL},
        {KEPT_ALONE, false, 2, NULL},
        {KEPT_ABORTED, false, 4000, "ended by MPI_Abort"},
        {KEPT_ABORTED | SIGKILL, false, -1, "ended by MPI_Abort"},
        {SIGSEGV, false, 4000, "ended by signal 11, Segmentation fault"},
        {SIGABRT | 0x80, false, 4000, "ended by signal 6, Aborted"},
        {EXIT_139, false, -1, "ended by signal 11, Segmentation fault"},
        {EXIT_7, false, 2, "failed after 2 s with status 7"},
        {EXIT_7, true, 2, "failed after 2 s with status 7"},
        {EXIT_7, false, 60, NULL},
        /* A destructor's fault: all was counted by then. */
        {SIGSEGV, true, 60, NULL},
        {SIGSEGV, true, 59, "ended by signal 11, Segmentation fault"},
        /* scancel, a time limit, Ctrl-C, memory. */
        {SIGTERM, false, 59, "ended after 59 s by signal 15, Terminated"},
        {EXIT_143, false, 3, "ended after 3 s by signal 15, Terminated"},
        {SIGTERM, false, 60, NULL},
        {SIGINT, false, 3600, NULL},
        {SIGKILL, false, 3600, NULL},
        {SIGKILL, false, -1, NULL}, /* its length is not known */
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        char why[96] = "";
        bool partial =
            run_end_is_partial(why, sizeof(why), rows[i].ended,
                               rows[i].is_finalized, rows[i].seconds);

        assert_int_equal(partial, rows[i].why != NULL);
        assert_string_equal(why, rows[i].why ? rows[i].why : "");
    }
}

/* In any order: the cause counts, and not what srun does about it. */
static void the_worst_end_of_several_counts(void **state)
{
    static const uint32_t rising[] = {0, SIGTERM, EXIT_7, SIGSEGV,
                                      KEPT_ABORTED};
    const size_t n = sizeof(rising) / sizeof(*rising);

    for (size_t i = 0; i < n; i++)
        for (size_t k = 0; k < n; k++)
            assert_int_equal(run_end_worse(rising[i], rising[k]),
                             rising[i > k ? i : k]);
    assert_int_equal(run_end_worse(KEPT_ALONE, SIGSEGV), KEPT_ALONE | SIGSEGV);
}

/* As file_one(), of a failed run. */
static char *file_partial(const char *root, int64_t when)
{
    struct mapcore_error err = {.text = ""};
    char *folder = NULL, *version = NULL, path[4096];

    assert_ok(catalogue_begin(&folder, root, "app", BUILD, 16, &err));
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    put_text(path, "x");
    assert_ok(catalogue_commit(&version, folder, when, "13.0",
                               "ended by MPI_Abort", &err));
    free(folder);
    memmove(version, strrchr(version, '/') + 1, strlen(strrchr(version, '/')));
    return version;
}

static void it_takes_no_complete_ones_place(void **state)
{
    const char *root = at(*state, "c");
    char *version[5];

    version[0] = file_partial(root, WHEN);
    assert_true(expect_found(root, true, version[0]));
    version[1] = file_partial(root, WHEN + 1); /* the newer of the two */
    assert_true(expect_found(root, true, version[1]));
    version[2] = file_one(root, "app", BUILD, 16, WHEN + 2, "x");
    assert_false(expect_found(root, true, version[2]));
    version[3] = file_partial(root, WHEN + 3);
    assert_false(expect_found(root, true, version[2]));
    version[4] = file_one(root, "app", BUILD, 16, WHEN + 4, "x");
    assert_false(expect_found(root, true, version[4]));
    for (size_t i = 0; i < 5; i++)
        free(version[i]);
}

/* Filed by MPI_Finalize, and the run failed then. */
static void a_complete_one_comes_back(void **state)
{
    const char *root = at(*state, "c");
    char *version[2], path[2][4096];
    struct mapcore_error err = {.text = ""};

    for (int i = 0; i < 2; i++) {
        version[i] = file_one(root, "app", BUILD, 16, WHEN + i, "x");
        snprintf(path[i], sizeof(path[i]), "%s/app/" BUILD "/16/%s", root,
                 version[i]);
    }
    assert_ok(catalogue_make_partial(path[1], "why", &err));
    assert_false(expect_found(root, true, version[0]));
    assert_ok(catalogue_make_partial(path[0], "why", &err));
    assert_true(
        expect_found(root, true, version[0])); /* no better one is there */
    assert_int_equal(catalogue_make_partial(root, "why", &err), MAPCORE_EINVAL);
    for (int i = 0; i < 2; i++)
        free(version[i]);
}

static void a_complete_one_elsewhere_comes_first(void **state)
{
    const char *roots[2] = {at(*state, "own"), at(*state, "site")};
    const struct catalogue_query query = {roots, 2, true, "app", BUILD};
    struct catalogue_entry entry = {0};
    struct mapcore_error err;

    free(file_partial(roots[0], WHEN));
    free(file_one(roots[0], "app", OTHER, 16, WHEN, "x"));
    assert_ok(catalogue_find(&entry, &query, 16, &err));
    assert_true(entry.other_build && !entry.partial);
    catalogue_entry_clear(&entry);
    free(file_one(roots[1], "app", BUILD, 16, WHEN, "x"));
    assert_ok(catalogue_find(&entry, &query, 16, &err));
    assert_string_equal(entry.root, roots[1]);
    assert_false(entry.other_build || entry.partial);
    catalogue_entry_clear(&entry);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_makes_a_recording_partial),
        cmocka_unit_test(the_worst_end_of_several_counts),
        ON_DISK(it_takes_no_complete_ones_place),
        ON_DISK(a_complete_one_comes_back),
        ON_DISK(a_complete_one_elsewhere_comes_first),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
