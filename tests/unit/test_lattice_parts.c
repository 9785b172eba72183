/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_lattice_parts.c - what each rank owns of a lattice: every site once, and
 * the same across the end of a ring */
#include "config.h"

#include "unit.h"

#include "libtopomap-cart/lattice_parts.h"

enum { TASKS = 22 };

static uint64_t volume(const struct lattice_box *box)
{
    uint64_t sites = 1;

    for (int i = 0; i < LATTICE_DIMS; i++) {
        assert_true(box->begin[i] >= 0 && box->begin[i] < box->end[i]);
        sites *= (uint64_t)(box->end[i] - box->begin[i]);
    }
    return sites;
}

/* Routers 4 x 2 x 3 without (1, 1, 1) and (3, 1, 2), moved along x; ranks
 * numbered backwards. */
static void place(uint32_t (*at)[LATTICE_AXES], uint32_t by, uint32_t ring)
{
    int n = TASKS;

    for (uint32_t z = 0; z < 3; z++)
        for (uint32_t y = 0; y < 2; y++)
            for (uint32_t x = 0; x < 4; x++) {
                if ((x == 1 && y == 1 && z == 1) ||
                    (x == 3 && y == 1 && z == 2))
                    continue;
                n--;
                at[n][0] = (x + by) % ring;
                at[n][1] = y + 5;
                at[n][2] = z;
            }
    assert_int_equal(n, 0);
}

static void test_ring(void **state)
{
    uint32_t plain[TASKS][LATTICE_AXES], moved[TASKS][LATTICE_AXES];
    struct mapcore_adaptive_problem problem = {
        .nnodes = TASKS,
        .ring = {9, 0, 0},
        .lattice = {9, 11, 7, 5},
        .periodic = {true, false, true, false},
        .most_hops = 1};
    uint64_t sites = 0, faces = 0;

    place(plain, 0, 9);
    place(moved, 7, 9); /* x is 7, 8, 0, 1 */
    for (uint32_t r = 0; r < TASKS; r++) {
        struct lattice_parts a, b;

        problem.at = (const uint32_t(*)[LATTICE_AXES])plain;
        assert_ok(lattice_lay_out(&a, &problem, r));
        problem.at = (const uint32_t(*)[LATTICE_AXES])moved;
        assert_ok(lattice_lay_out(&b, &problem, r));
        assert_true(a.nparts > 0 && a.nparts == b.nparts);
        assert_memory_equal(a.part, b.part, a.nparts * sizeof(*a.part));
        assert_int_equal(a.nfaces, b.nfaces);
        assert_memory_equal(a.face, b.face, a.nfaces * sizeof(*a.face));
        assert_true(a.imbalance >= 1 && a.mean_path > 0 && a.longest_path < 6);
        for (size_t i = 0; i < a.nparts; i++)
            sites += volume(&a.part[i]);
        for (size_t i = 0; i < a.nfaces; i++) {
            assert_int_not_equal(a.face[i].rank, r);
            assert_true(i == 0 || a.face[i - 1].rank <= a.face[i].rank);
            faces += volume(&a.face[i].box);
        }
        lattice_parts_clear(&a);
        lattice_parts_clear(&b);
    }
    assert_int_equal(sites, 9 * 11 * 7 * 5);
    /* Each pair of sites of two ranks is seen from both. */
    assert_true(faces > 0 && faces % 2 == 0);
}

static void test_refused(void **state)
{
    static const uint32_t at[2][LATTICE_AXES] = {{0, 0, 0},
                                                 {INT32_MAX - 1, 0, 0}};
    static const uint32_t same[2][LATTICE_AXES] = {{3, 3, 3}, {3, 3, 3}};
    struct mapcore_adaptive_problem problem = {
        .nnodes = 2, .at = at, .lattice = {8, 8, 8, 8}};
    struct lattice_parts parts;

    assert_int_equal(lattice_lay_out(&parts, &problem, 0), MAPCORE_ERANGE);
    problem.at = same;
    assert_ok(lattice_lay_out(&parts, &problem, 0));
    lattice_parts_clear(&parts);
    problem.lattice[3] = 1;
    assert_int_equal(lattice_lay_out(&parts, &problem, 0), MAPCORE_EINVAL);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
