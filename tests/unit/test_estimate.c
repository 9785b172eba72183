/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_estimate.c - times of phases, computed by hand */
#include "config.h"

#include "mapfixture.h"

#include "metric/workload.h"

static struct mapcore_estimate estimate(char name[80],
                                        const char *spec,
                                        uint32_t slots,
                                        const struct mapcore_edge *edges,
                                        size_t nedges,
                                        const uint32_t *host,
                                        uint32_t ntasks,
                                        struct mapcore_host_rates rates)
{
    struct mapcore_estimate out;
    struct machine machine = machine_of(spec, slots);
    struct mapcore_graph *graph = graph_of(ntasks, edges, nedges);

    assert_ok(mapcore_work_type_estimate(
        &out, &(struct mapcore_work_type){.graph = graph}, machine.alloc, host,
        &rates, NULL));
    mapcore_port_name(machine.alloc, out.port, name, 80);
    machine_graph_end(&machine, graph);
    return out;
}

/* A ring of four: 0 -10- 1 -20- 2, 0 -7- 2, the last of which goes half each
 * way round. Over link (0) +x go 5 + 1.75, over (1) +x 10 + 1.75, back over (2)
 * -x as much, and over (2) +x and (3) +x 1.75. */
static void a_torus(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 10}, {1, 2, 20}, {0, 2, 7}};
    const uint32_t host[] = {0, 1, 2};
    char name[80];
    struct mapcore_estimate e = estimate(name, "torus:4", 1, edges, 3, host, 3,
                                         (struct mapcore_host_rates){.nic = 0});

    assert_true(e.time == 11.75);
    assert_string_equal(name, "(1) +x");
    assert_true(e.next_time == 11.75);
    /* The interface of 1 carries 15 each way, half as fast as a link. */
    e = estimate(name, "torus:4", 1, edges, 3, host, 3,
                 (struct mapcore_host_rates){.nic = 0.5});
    assert_true(e.time == 30);
    assert_string_equal(name, "network interface of node 1");
    assert_true(e.next_time == 27); /* that of 2: 13.5 each way */
}

/* Two leaf switches of two hosts, cables of 4 above and of 1 below: 0 -80- 2
 * puts 40 each way on cables of 1, and 40 / 4 above. With 0 -30- 1 the host 0
 * has 55. */
static void a_tapered_tree(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 30}, {0, 2, 80}};
    const uint32_t host[] = {0, 1, 2};
    char name[80];
    struct mapcore_estimate e =
        estimate(name, "tree:2,2:capacity=4,1", 1, edges, 2, host, 3,
                 (struct mapcore_host_rates){.nic = 0});

    assert_true(e.time == 55);
    assert_true(e.next_time == 40);
    /* Of its four cables all that goes to host 2 takes that of number 2. */
    assert_true(e.traffic == 55 * 2 + 15 * 2 + 40 * 2 + 2 * 2 * 40);
    /* The taper: above as narrow as a fifth of below. */
    e = estimate(name, "tree:2,2:capacity=1,5", 1, edges, 2, host, 3,
                 (struct mapcore_host_rates){.nic = 0});
    assert_true(e.time == 40);
}

/* What stays on a host takes its memory alone: 60 bytes at 2. 20 go each way
 * over two links. */
static void memory(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 60}, {1, 2, 40}};
    const uint32_t host[] = {0, 0, 1};
    char name[80];
    struct mapcore_estimate e =
        estimate(name, "torus:2x2", 2, edges, 2, host, 3,
                 (struct mapcore_host_rates){.memory = 2});

    assert_true(e.time == 30);
    assert_string_equal(name, "memory of node 0");
    assert_true(e.next_time == 10);
}

static void nothing_and_nonsense(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 60}};
    const uint32_t host[] = {0, 0}, bad[] = {0, 9};
    const struct mapcore_host_rates none = {.nic = 0}, negative = {.nic = -1};
    struct machine machine = machine_of("torus:2", 2);
    struct mapcore_graph *graph = graph_of(2, edges, 1);
    struct mapcore_error err;
    struct mapcore_estimate e;
    char name[80];

    e = estimate(name, "torus:2", 2, edges, 1, host, 2, none);
    assert_true(e.time == 0 && e.next_time == 0);
    assert_string_equal(name, "-");
    assert_int_equal(mapcore_work_type_estimate(
                         &e, &(struct mapcore_work_type){.graph = graph},
                         machine.alloc, bad, &none, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_work_type_estimate(
                         &e, &(struct mapcore_work_type){.graph = graph},
                         machine.alloc, host, &negative, &err),
                     MAPCORE_EINVAL);
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torus),
        cmocka_unit_test(a_tapered_tree),
        cmocka_unit_test(memory),
        cmocka_unit_test(nothing_and_nonsense),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
