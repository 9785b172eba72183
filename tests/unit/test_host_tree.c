/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_host_tree.c - allocations as trees of halves */
#include "config.h"

#include "mapfixture.h"

#include "base/array.h"
#include "map/bisection/dual.h"

static struct arena arena;

static struct host_tree *tree_of(const struct machine *machine,
                                 uint32_t ntasks,
                                 uint32_t variant)
{
    struct host_tree *tree =
        host_tree_create(machine->alloc, ntasks, 1, variant, &arena);

    assert_non_null(tree);
    return tree;
}

/* Every part is its two halves, neither empty; leaves are single hosts with
 * slots, no host twice; levels rise by one; together there is room. */
static void assert_tree(const struct host_tree *tree, uint32_t ntasks)
{
    const struct mapcore_alloc *alloc = tree->alloc;
    bool *seen = calloc(mapcore_alloc_nhosts(alloc), sizeof(*seen));

    assert_non_null(seen);
    assert_int_equal(tree->nparts, 2 * tree->nhosts - 1);
    assert_int_equal(tree->part[0].begin, 0);
    assert_int_equal(tree->part[0].end, tree->nhosts);
    assert_int_equal(tree->part[0].level, 0);
    assert_true(tree->part[0].slots >= ntasks);
    for (uint32_t p = 0; p < tree->nparts; p++) {
        const struct host_part *part = &tree->part[p], *half;

        if (part->half == MAPCORE_NONE) {
            assert_int_equal(part->end, part->begin + 1);
            assert_false(seen[tree->host[part->begin]]);
            seen[tree->host[part->begin]] = true;
            assert_true(part->slots > 0);
            assert_int_equal(part->slots, mapcore_alloc_slots(
                                              alloc, tree->host[part->begin]));
            continue;
        }
        assert_true(part->half > p && part->half + 1 < tree->nparts);
        half = &tree->part[part->half];
        assert_true(half[0].begin == part->begin &&
                    half[0].begin < half[0].end &&
                    half[0].end == half[1].begin &&
                    half[1].begin < half[1].end && half[1].end == part->end);
        assert_int_equal(half[0].slots + half[1].slots, part->slots);
        assert_int_equal(half[0].level, part->level + 1);
        assert_int_equal(half[1].level, part->level + 1);
    }
    free(seen);
}

/* Any part of any machine, with any slots, none among them. */
static void test_any(void **state)
{
    static const char *const spec[] = {"torus:4x3x2/2", "mesh:5x7",
                                       "torus:16",      "tree:3,2,4",
                                       "flat:17",       "torus:2x2x2x3"};
    struct rng rng;

    rng_init(&rng, 1, 0, 0);
    for (uint32_t round = 0; round < 300; round++) {
        struct machine whole = machine_of(spec[round % 6], 1), machine;
        uint32_t all = mapcore_alloc_nhosts(whole.alloc), n = 0, ntasks;
        uint32_t *host = calloc(all, sizeof(*host));
        uint32_t *slots = calloc(all, sizeof(*slots));
        struct host_tree *tree;

        assert_true(host && slots);
        for (uint32_t h = 0; h < all; h++)
            if (rng_below(&rng, 3) > 0) {
                slots[n] = rng_below(&rng, 4);
                host[n++] = h;
            }
        slots[n - 1] = 3;
        machine = part_of(spec[round % 6], n, host, slots);
        ntasks = 1 + rng_below(&rng, mapcore_alloc_nslots(machine.alloc));
        tree = tree_of(&machine, ntasks, round / 6);
        assert_tree(tree, ntasks);
        arena_clear(&arena);
        machine_end(&machine);
        machine_end(&whole);
        free(host);
        free(slots);
    }
}

/* A torus is cut across its longest dimension first: the halves of 8x4 lie 0-3
 * and 4-7 along x (host = x + 8 y). */
static void test_torus(void **state)
{
    struct machine machine = machine_of("mesh:8x4", 1);
    struct host_tree *tree = tree_of(&machine, 32, 0);

    for (uint32_t i = 0; i < 32; i++)
        assert_int_equal(tree->host[i] % 8 < 4, i < 16);
    assert_int_equal(tree->part[1].slots, 16);
    arena_clear(&arena);
    machine_end(&machine);
}

/* Hosts 6, 7, 0, 1 of a ring of 8 lie in a row: the cut is between 7 and 0,
 * not in the gap. */
static void test_ring_with_gap(void **state)
{
    const uint32_t host[] = {0, 1, 6, 7}, slots[] = {1, 1, 1, 1};
    struct machine machine = part_of("torus:8", 4, host, slots);
    struct host_tree *tree = tree_of(&machine, 4, 0);

    assert_true(tree->host[0] == 2 && tree->host[1] == 3);
    assert_true(tree->host[2] == 0 && tree->host[3] == 1);
    arena_clear(&arena);
    machine_end(&machine);
}

/* Subtrees stay whole though their slots are unequal: 3 leaves with 2, 2 and 8
 * slots are cut 4 : 8. */
static void test_tree(void **state)
{
    const uint32_t slots[] = {1, 1, 1, 1, 4, 4};
    const uint32_t host[] = {4, 2, 0, 1, 5, 3};
    struct machine machine = part_of("tree:3,2", 6, host, slots);
    struct host_tree *tree = tree_of(&machine, 12, 0);

    /* host[] has alloc indices 2, 3 for leaf 0; 1, 5 leaf 1; 0, 4 leaf 2. */
    assert_int_equal(tree->part[1].slots + tree->part[2].slots, 12);
    for (uint32_t p = 1; p <= 2; p++) {
        const struct host_part *part = &tree->part[p];
        uint32_t leaves[3] = {0};

        for (uint32_t i = part->begin; i < part->end; i++)
            leaves[host[tree->host[i]] / 2]++;
        for (uint32_t leaf = 0; leaf < 3; leaf++)
            assert_true(leaves[leaf] == 0 || leaves[leaf] == 2);
    }
    arena_clear(&arena);
    machine_end(&machine);
}

/* Fewer tasks than slots: hosts of one leaf, of the leaf that has room. */
static void test_compact(void **state)
{
    const uint32_t slots[] = {2, 2, 1, 2, 2, 2, 1, 1};
    struct machine machine = part_of("tree:4,2", 8, NULL, slots);
    struct host_tree *tree = tree_of(&machine, 4, 0);

    assert_int_equal(tree->nhosts, 2);
    assert_int_equal(tree->host[0] / 2, tree->host[1] / 2);
    assert_int_equal(tree->part[0].slots, 4);
    arena_clear(&arena);
    machine_end(&machine);
}

/* By hand on a line of 4: parts {0,1} and {2,3} are 1 to 3 links apart. */
static void test_distance(void **state)
{
    struct machine machine = machine_of("mesh:4", 1);
    struct host_tree *tree = tree_of(&machine, 4, 0);

    assert_int_equal(host_tree_distance(tree, 1, 2), 2 * HOST_TREE_LINK);
    assert_int_equal(host_tree_distance(tree, 1, 1), HOST_TREE_LINK / 2);
    assert_int_equal(host_tree_distance(tree, 3, 2), 5 * HOST_TREE_LINK / 2);
    arena_clear(&arena);
    machine_end(&machine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any),      cmocka_unit_test(test_torus),
        cmocka_unit_test(test_tree),     cmocka_unit_test(test_ring_with_gap),
        cmocka_unit_test(test_distance), cmocka_unit_test(test_compact),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
