/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_torus_loads.c - the slowest link of a 3-D torus, as the metrics of a
 * mapping have it; and prisms that keep to wide links */
#include "config.h"

#include "mapfixture.h"

#include "cart/prism.h"
#include "cart/torus_loads.h"
#include "topo/shape.h"

static void loads_are_those_of_the_metrics(void **state)
{
    static const char *const specs[] = {
        "torus:5x4x6",
        "torus:5x4x6:capacity=2x1x2",
        "torus:4x4x8:capacity=2x1x2:capacity.y=8,1:capacity.z=4,4,1",
        "torus:2x6x3:wrap=1x0x1:capacity.y=8,1,2",
        "mesh:3x5x7:capacity.x=2,3:capacity.z=1,9",
    };

    for (size_t k = 0; k < COUNT(specs); k++) {
        struct machine machine = machine_of(specs[k], 1);
        uint32_t n = mapcore_topo_nhosts(machine.topo);
        struct mapcore_graph *graph = random_graph(n, 5, k + 7);
        uint32_t *host = calloc(n, sizeof(*host));
        struct torus_loads loads;
        struct mapcore_metrics m;
        struct topo_shape shape;
        bool wraps[3];

        assert_non_null(host);
        for (uint32_t t = 0; t < n; t++)
            host[t] = t;
        mapcore_metrics_compute(&m, graph, machine.alloc, host, NULL);
        topo_shape(&shape, machine.topo);
        for (int i = 0; i < 3; i++)
            wraps[i] = shape.ring[i] != UINT32_MAX;
        assert_ok(torus_loads_open(&loads, shape.dims, wraps, shape.capacity,
                                   (const double *const *)shape.along, NULL));
        /* Twice: nothing is left of the first time. */
        for (int pass = 0; pass < 2; pass++) {
            for (uint32_t t = 0; t < n; t++)
                for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++) {
                    assert_int_equal(
                        torus_loads_hops(&loads, t, graph->task[e]),
                        mapcore_topo_distance(machine.topo, t, graph->task[e]));
                    if (graph->task[e] > t)
                        torus_loads_add(&loads, t, graph->task[e],
                                        (double)graph->bytes[e]);
                }
            assert_true(fabs(loads.slowest - m.max_link_time) <=
                        1e-9 * m.max_link_time);
            torus_loads_reset(&loads);
            assert_true(loads.slowest <= 0);
        }
        torus_loads_clear(&loads);
        free(host);
        machine_graph_end(&machine, graph);
    }
}

/* Eight routers in a ring, links 1, 8, 1, 8, ...: two that talk begin at 1, and
 * with 8, 1 at 0. */
static void prisms_keep_to_wide_links(void **state)
{
    static const double late[] = {1, 8, 1, 8, 1, 8, 1, 8};
    static const double early[] = {8, 1, 8, 1, 8, 1, 8, 1};
    struct mapcore_blocks layout = {
        .ndims = 1, .grid = {2}, .block = {1}, .axis = {2}};
    const double *along[] = {NULL, NULL, late};
    bool usable[8];
    struct mapcore_prism_search search = {.dims = {1, 1, 8},
                                          .wraps = {true, true, true},
                                          .usable = usable,
                                          .layout = &layout,
                                          .along = along};

    for (int turn = 0; turn < 3; turn++) {
        static const uint32_t start[] = {1, 0, 0};
        static const double slowest[] = {1, 1, 0};
        struct mapcore_prism best;
        size_t n = 1;

        for (int i = 0; i < 8; i++)
            usable[i] = true;
        along[2] = turn == 1 ? early : late;
        layout.weight[0] = turn == 2 ? 0 : 16;
        assert_ok(mapcore_prism_find(&best, &n, &search, NULL));
        assert_int_equal(best.start[2], start[turn]);
        assert_int_equal(best.longest, 1);
        assert_true(best.slowest == slowest[turn]);
        free(best.router);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(loads_are_those_of_the_metrics),
        cmocka_unit_test(prisms_keep_to_wide_links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
