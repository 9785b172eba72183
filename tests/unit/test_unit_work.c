/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_unit_work.c - what units of several tasks communicate takes as long as
 * what their tasks do, and searches of units go by it */
#include "config.h"

#include "mapfixture.h"

#include "map/constrain/units.h"
#include "map/refine/phase_descent.h"

enum {
    NTASKS = 64,
    NUNITS = 16,
    NPHASES = 5,
    NFLOWS = 600,
};

/* One type is phases of random flows, the other one a graph. */
struct program {
    struct mapcore_phases *phases;
    struct mapcore_graph *graph, *all;
    struct mapcore_work_type type[2];
    struct mapcore_workload work;
};

static void open_program(struct program *p, uint64_t seed)
{
    struct mapcore_flow flow[NFLOWS];
    struct mapcore_edge edge[NFLOWS];
    uint32_t phase[NFLOWS];
    struct rng rng;

    rng_init(&rng, seed, 7, 0);
    for (size_t i = 0; i < NFLOWS; i++) {
        flow[i] = (struct mapcore_flow){rng_below(&rng, NTASKS),
                                        rng_below(&rng, NTASKS),
                                        1 + rng_below(&rng, 1000), 1 + i % 9};
        phase[i] = rng_below(&rng, NPHASES);
        edge[i] =
            (struct mapcore_edge){flow[i].from, flow[i].to, flow[i].bytes};
    }
    assert_ok(
        mapcore_phases_create(&p->phases, NTASKS, flow, phase, NFLOWS, NULL));
    p->all = graph_of(NTASKS, edge, NFLOWS);
    p->graph = random_graph(NTASKS, 5, seed);
    p->type[0] = (struct mapcore_work_type){
        .graph = p->all, .phases = p->phases, .scale = 0.5};
    p->type[1] = (struct mapcore_work_type){
        .graph = p->graph, .messages = p->phases, .scale = 3};
    p->work = (struct mapcore_workload){
        .type = p->type,
        .n = 2,
        .rates = {
            .nic = 2, .memory = 0.75, .message = {.nic = seed % 2 ? 40 : 0}}};
}

static void close_program(struct program *p)
{
    mapcore_phases_destroy(p->phases);
    mapcore_graph_destroy(p->graph);
    mapcore_graph_destroy(p->all);
}

static double time_of(const struct mapcore_workload *work,
                      const struct mapcore_alloc *alloc,
                      const uint32_t *host)
{
    double out;

    assert_ok(mapcore_workload_cost(&out, work, alloc, host, NULL));
    return out;
}

static void assert_close(double a, double b)
{
    assert_true(a > 0 && a < b * (1 + 1e-9) && a > b * (1 - 1e-9));
}

/* Units of any sizes, several of them on a host. */
static void draw(uint32_t *unit, uint32_t *host, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, 8, 0);
    for (uint32_t t = 0; t < NTASKS; t++)
        unit[t] = t < NUNITS ? t : rng_below(&rng, NUNITS);
    for (uint32_t u = 0; u < NUNITS; u++)
        host[u] = rng_below(&rng, 12);
}

static void takes_as_long(void **state)
{
    static const char *const networks[] = {"torus:4x3", "tree:3,4", "mesh:12"};

    for (uint64_t i = 0; i < 30; i++) {
        struct machine machine = machine_of(networks[i % 3], NTASKS);
        uint32_t unit[NTASKS], of_unit[NUNITS], host[NTASKS];
        struct unit_work units;
        struct program p;

        open_program(&p, i);
        draw(unit, of_unit, i);
        for (uint32_t t = 0; t < NTASKS; t++)
            host[t] = of_unit[unit[t]];
        assert_ok(unit_work_create(&units, &p.work, unit, NUNITS, NULL));
        assert_close(time_of(&units.work, machine.alloc, of_unit),
                     time_of(&p.work, machine.alloc, host));
        unit_work_clear(&units);
        close_program(&p);
        machine_end(&machine);
    }
}

/* No two flows of a phase have the same ends, and no byte is lost. */
static void flows_are_added_up(void **state)
{
    uint32_t unit[NTASKS], of_unit[NUNITS];
    struct unit_work units;
    struct program p;
    uint64_t before = 0, after = 0;

    open_program(&p, 1);
    draw(unit, of_unit, 1);
    assert_ok(unit_work_create(&units, &p.work, unit, NUNITS, NULL));
    assert_int_equal(units.phases[0]->n, NPHASES);
    assert_int_equal(units.phases[1]->n, 1);
    assert_true(units.phases[0]->first[NPHASES] < NFLOWS);
    for (size_t i = 0; i < NFLOWS; i++)
        before += p.phases->flow[i].bytes;
    for (size_t k = 0; k < NPHASES; k++) {
        bool seen[NUNITS][NUNITS] = {{false}};

        for (size_t i = units.phases[0]->first[k];
             i < units.phases[0]->first[k + 1]; i++) {
            const struct mapcore_flow *flow = &units.phases[0]->flow[i];

            assert_false(seen[flow->from][flow->to]);
            seen[flow->from][flow->to] = true;
            after += flow->bytes;
        }
    }
    assert_int_equal(after, before);
    unit_work_clear(&units);
    close_program(&p);
}

/* What stays in a unit moves with it. */
static void loads_are_exact(void **state)
{
    struct machine machine = machine_of("torus:4x3", 2);
    uint32_t unit[NTASKS], host[NUNITS];
    struct map_problem problem = {.alloc = machine.alloc};
    struct mapcore_graph *graph;
    struct phase_tables *tables = NULL;
    struct arena arena = {0};
    struct phase_loads loads;
    struct unit_work units;
    struct program p;
    struct rng rng;

    open_program(&p, 4);
    draw(unit, host, 4);
    graph = random_graph(NUNITS, 4, 1);
    problem.graph = graph;
    rng_init(&rng, 1, 9, 0);
    assert_ok(unit_work_create(&units, &p.work, unit, NUNITS, NULL));
    assert_ok(phase_tables_create(&tables, &problem, &units.work, NULL));
    assert_non_null(tables);
    assert_ok(phase_loads_begin(&loads, tables, host, &arena));
    for (uint32_t i = 0; i < 400; i++) {
        const uint32_t a = rng_below(&rng, NUNITS), b = rng_below(&rng, NUNITS);
        const uint32_t from = host[a], to = host[b];

        phase_loads_move(&loads, a, to);
        phase_loads_move(&loads, b, from);
        phase_loads_settle(&loads);
        phase_loads_end(&loads, i % 3 > 0);
        assert_close(time_of(&units.work, machine.alloc, host),
                     phase_loads_time(&loads, INFINITY));
    }
    arena_clear(&arena);
    phase_tables_destroy(tables);
    mapcore_graph_destroy(graph);
    unit_work_clear(&units);
    close_program(&p);
    machine_end(&machine);
}

/* A search of whole nodes, or of pairs of tasks, that knows the workload
 * ends with less of it, in sum, than one that knows the graph alone, with units
 * whole, and the same again on two threads. */
static void searches_go_by_it(void **state)
{
    static const uint32_t units[] = {2, MAPCORE_UNIT_HOST};
    double with = 0, without = 0;

    for (uint64_t i = 0; i < 4; i++) {
        struct machine machine = machine_of("torus:4x4", 4);
        struct mapcore_search search = {
            .choose = MAPCORE_CHOOSE_TIME, .work = 32, .unit = units[i % 2]};
        struct mapcore_result by_graph = {0}, by_work = {0}, again = {0};
        struct program p;

        open_program(&p, i);
        by_graph = search_on(&machine, p.all, &search);
        search.workload = &p.work;
        by_work = search_on(&machine, p.all, &search);
        search.threads = 2;
        again = search_on(&machine, p.all, &search);
        with += time_of(&p.work, machine.alloc, by_work.mapping->host);
        without += time_of(&p.work, machine.alloc, by_graph.mapping->host);
        assert_true(by_work.metrics.max_link_time <=
                    by_work.baseline.max_link_time);
        for (uint32_t t = 0; t < NTASKS; t++)
            assert_int_equal(by_work.mapping->host[t],
                             by_work.mapping->host[t - t % (i % 2 ? 4 : 2)]);
        assert_memory_equal(by_work.mapping->host, again.mapping->host,
                            NTASKS * sizeof(uint32_t));
        mapcore_result_clear(&by_graph);
        mapcore_result_clear(&by_work);
        mapcore_result_clear(&again);
        close_program(&p);
        machine_end(&machine);
    }
    assert_true(with < 0.99 * without);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(takes_as_long),
        cmocka_unit_test(flows_are_added_up),
        cmocka_unit_test(loads_are_exact),
        cmocka_unit_test(searches_go_by_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
