/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_distances.c - the distances of an allocation are those of its network,
 * row by row and one by one, for many threads at once */
#include "config.h"

#include "unit.h"

#include "alloc/alloc.h"
#include "alloc/distances.h"
#include "topo/topo.h"

#include <pthread.h>

static struct mapcore_topo *topo_of(const char *word)
{
    struct mapcore_topo *topo = NULL;

    assert_ok(mapcore_topo_open(&topo, word, NULL));
    return topo;
}

/* Every second host, from the last. */
static struct mapcore_alloc *half_of(const struct mapcore_topo *topo)
{
    uint32_t total = mapcore_topo_nhosts(topo), n = (total + 1) / 2;
    uint32_t *host = calloc(n, sizeof(*host)),
             *slots = calloc(n, sizeof(*slots));
    struct mapcore_alloc *alloc = NULL;

    for (uint32_t i = 0; i < n; i++)
        host[i] = total - 1 - 2 * i;
    assert_ok(mapcore_alloc_create(&alloc, topo, n, host, slots, NULL));
    free(host);
    free(slots);
    return alloc;
}

static void *check_all(void *arg)
{
    const struct mapcore_alloc *alloc = arg;
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t n = mapcore_alloc_nhosts(alloc);
    uint16_t *scratch = calloc(n, sizeof(*scratch));
    size_t bad = 0;

    for (uint32_t a = 0; a < n; a++) {
        uint32_t x = mapcore_alloc_host(alloc, a);
        const uint16_t *row = distances_row(alloc_distances(alloc), a, scratch);

        for (uint32_t b = 0; b < n; b++)
            bad += row[b] !=
                   mapcore_topo_distance(topo, x, mapcore_alloc_host(alloc, b));
        row = distances_row(alloc_distances_no_wrap(alloc), a, scratch);
        for (uint32_t b = 0; b < n; b++)
            bad += row[b] != mapcore_topo_distance_flat(
                                 topo, x, mapcore_alloc_host(alloc, b));
    }
    free(scratch);
    return bad > 0 ? arg : NULL;
}

static const char *const words[] = {
    "torus:7x5x3/2",   "mesh:9x4",    "tree:5,3,4", "flat:40",
    "dragonfly:5,4,2", "hypercube:6", "ring:1",
};

static void rows_are_those_of_the_network(void **state)
{
    enum { THREADS = 4 };

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++) {
        struct mapcore_topo *topo = topo_of(words[i]);
        struct mapcore_alloc *alloc = half_of(topo);
        pthread_t thread[THREADS];
        void *bad;

        for (int t = 0; t < THREADS; t++)
            assert_ok(pthread_create(&thread[t], NULL, check_all, alloc));
        for (int t = 0; t < THREADS; t++) {
            assert_ok(pthread_join(thread[t], &bad));
            assert_null(bad);
        }
        mapcore_alloc_destroy(alloc);
        mapcore_topo_destroy(topo);
    }
}

/* Up to 8,192 hosts one distance makes its row; beyond, rows that were made are
 * found, and others not. */
static void rows_are_made_where_they_pay(void **state)
{
    struct mapcore_topo *topo = topo_of("mesh:90x92"); /* half is 4,140 */
    struct mapcore_alloc *alloc = half_of(topo);
    uint16_t scratch[8193];
    const uint16_t *row;

    row = distances_find_row(alloc_distances(alloc), 100);
    assert_non_null(row);
    assert_ptr_equal(distances_row(alloc_distances(alloc), 100, scratch), row);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);

    topo = topo_of("mesh:2x8193");
    alloc = half_of(topo);
    assert_null(distances_find_row(alloc_distances(alloc), 100));
    assert_int_equal(distances_between(alloc_distances(alloc), 100, 102), 2);
    row = distances_row(alloc_distances(alloc), 100, scratch);
    assert_ptr_equal(distances_find_row(alloc_distances(alloc), 100), row);
    assert_int_equal(distances_between(alloc_distances(alloc), 100, 102), 2);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
}

/* Rows have 16 bits, single distances 32. */
static void long_distances_are_exact_one_by_one(void **state)
{
    struct mapcore_topo *topo = topo_of("mesh:100000");
    struct mapcore_alloc *alloc = NULL;
    uint16_t scratch[2];

    assert_ok(mapcore_alloc_create(&alloc, topo, 2, (uint32_t[]){0, 99999},
                                   (uint32_t[]){1, 1}, NULL));
    assert_int_equal(distances_row(alloc_distances(alloc), 0, scratch)[1],
                     65535);
    assert_null(distances_find_row(alloc_distances(alloc), 0));
    assert_int_equal(distances_between(alloc_distances(alloc), 0, 1), 99999);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
}

/* Only tori wrap. */
static void without_wrapping_the_same_object_serves(void **state)
{
    struct mapcore_topo *topo = topo_of("tree:4,4");
    struct mapcore_alloc *alloc = half_of(topo);

    assert_ptr_equal(alloc_distances(alloc), alloc_distances_no_wrap(alloc));
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
    mapcore_alloc_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_those_of_the_network),
        cmocka_unit_test(rows_are_made_where_they_pay),
        cmocka_unit_test(long_distances_are_exact_one_by_one),
        cmocka_unit_test(without_wrapping_the_same_object_serves),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
