/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_constrain.c - units stay together and pinned tasks stay where they are,
 * with all mappers */
#include "mapfixture.h"

#include "map/constrain/pins.h"
#include "map/mapper.h"

#define MOST_TASKS 64

/* Networks of every kind; slots of their hosts, and what of it is a job. */
static const struct {
    const char *spec;
    uint32_t nhosts; /* 0: all */
    uint32_t slots, last_slots;
} machines[] = {
    {"torus:4x4", 0, 4, 4},       {"torus:3x3", 7, 4, 2},
    {"tree:4,4", 0, 4, 4},        {"mesh:2x2x2", 0, 4, 4},
    {"dragonfly:3,2,2", 0, 2, 2}, {"flat:5", 0, 4, 2},
    {"torus:5", 0, 4, 4},
};
#define NMACHINES (sizeof(machines) / sizeof(*machines))

static struct machine make_machine(size_t i)
{
    struct machine machine = machine_of(machines[i].spec, machines[i].slots);
    uint32_t n = machines[i].nhosts, host[64], slots[64];

    if (n == 0)
        n = mapcore_alloc_nhosts(machine.alloc);
    for (uint32_t h = 0; h < n; h++) {
        host[h] = n - 1 - h;
        slots[h] = h + 1 < n ? machines[i].slots : machines[i].last_slots;
    }
    mapcore_alloc_destroy(machine.alloc);
    take_alloc(&machine, n, host, slots);
    return machine;
}

/* Constraints that can be met, by chance: pins where the baseline (block) has
 * the tasks, or anywhere else that units fit. */
static uint32_t draw(uint32_t *pin,
                     uint32_t *unit,
                     const struct machine *machine,
                     const struct mapcore_mapping *block,
                     struct rng *rng)
{
    static const uint32_t units[] = {0, 2, MAPCORE_UNIT_HOST};
    uint32_t ntasks = block->ntasks, npins = rng_below(rng, 4), moved = 0;
    uint32_t nhosts = mapcore_alloc_nhosts(machine->alloc);

    *unit = units[rng_below(rng, 3)];
    for (uint32_t t = 0; t < ntasks; t++)
        pin[t] = MAPCORE_NONE;
    for (uint32_t i = 0; i < npins; i++) {
        uint32_t t = i == 0 ? 0 : rng_below(rng, ntasks);

        pin[t] = block->host[t];
    }
    /* One that has to leave, with its unit. */
    if (rng_below(rng, 2) == 0) {
        uint32_t t = rng_below(rng, ntasks), to = rng_below(rng, nhosts);

        for (uint32_t u = 0; u < ntasks; u++)
            if (block->host[u] == block->host[t] || pin[u] == to)
                pin[u] = MAPCORE_NONE;
        if (mapcore_alloc_slots(machine->alloc, to) ==
            mapcore_alloc_slots(machine->alloc, block->host[t])) {
            pin[t] = to;
            moved = to != block->host[t];
        }
    }
    return moved;
}

static void assert_constraints(const struct mapcore_result *result,
                               const struct machine *machine,
                               const struct mapcore_mapping *block,
                               const uint32_t *pin,
                               uint32_t unit,
                               const char *mapper)
{
    const struct mapcore_mapping *found = result->mapping;
    bool taken[64][8] = {{false}};

    assert_fits(machine->alloc, found->host, found->ntasks);
    for (uint32_t t = 0; t < found->ntasks; t++) {
        uint32_t first = unit == MAPCORE_UNIT_HOST ? t : t - t % unit;

        if (found->slot[t] >=
                mapcore_alloc_slots(machine->alloc, found->host[t]) ||
            taken[found->host[t]][found->slot[t]])
            fail_msg("%s: task %u has no slot of its own", mapper, t);
        taken[found->host[t]][found->slot[t]] = true;
        if (pin[t] != MAPCORE_NONE && pin[t] != found->host[t])
            fail_msg("%s: task %u is on host %u, and pinned to %u", mapper, t,
                     found->host[t], pin[t]);
        while (unit == MAPCORE_UNIT_HOST && first > 0 &&
               block->host[first - 1] == block->host[t])
            first--;
        if (found->host[t] != found->host[first] ||
            found->slot[t] != found->slot[first] + t - first)
            fail_msg("%s: task %u has left its unit", mapper, t);
    }
}

static void run_mapper(const char *mapper,
                       const struct mapcore_graph *graph,
                       const struct machine *machine,
                       const struct mapcore_mapping *block,
                       const uint32_t *pin,
                       uint32_t unit,
                       bool stays)
{
    /* A run, or some of the list, and a round of refinement. */
    const uint32_t starts = mapper ? 1 : 12;
    const struct mapcore_search search = {.unit = unit,
                                          .pin = pin,
                                          .work = starts + 4,
                                          .schedule = {.starts = starts}};
    const bool is_one = mapper && strcmp(mapper, "parmapper") != 0;
    struct mapcore_result result;
    char text[96];

    snprintf(text, sizeof(text), "%s%s", mapper ? mapper : "",
             is_one ? MAPCORE_REFINED : "");
    result = search_by(machine, graph, mapper ? text : NULL, &search);
    assert_constraints(&result, machine, block, pin, unit > 1 ? unit : 1,
                       mapper ? mapper : "portfolio");
    if (!mapper && stays)
        assert_true(result.metrics.avg_hop_bytes <=
                    result.baseline.avg_hop_bytes);
    mapcore_result_clear(&result);
}

/* As run_mapper, for every mapper of the registry. */
static void run_all(const struct mapcore_graph *graph,
                    const struct machine *machine,
                    const struct mapcore_mapping *block,
                    const uint32_t *pin,
                    uint32_t unit,
                    bool stays)
{
    struct mapcore_mapper row;

    run_mapper(NULL, graph, machine, block, pin, unit, stays);
    for (size_t m = 0; mapcore_mapper_get(&row, m); m++)
        run_mapper(row.name, graph, machine, block, pin, unit, stays);
}

static void test_every_mapper(void **state)
{
    struct rng rng;

    rng_init(&rng, 5, 0, 0);
    for (size_t i = 0; i < 4 * NMACHINES; i++) {
        struct machine machine = make_machine(i % NMACHINES);
        uint32_t ntasks = mapcore_alloc_nslots(machine.alloc);
        uint32_t pin[MOST_TASKS], unit, moved;
        struct mapcore_graph *graph = random_graph(ntasks, 4, i);
        struct mapcore_mapping *block = NULL;

        assert_true(ntasks <= MOST_TASKS);
        assert_ok(mapcore_mapping_block(&block, machine.alloc, ntasks, NULL));
        moved = draw(pin, &unit, &machine, block, &rng);
        run_all(graph, &machine, block, pin, unit > 1 ? unit : 0, moved == 0);
        mapcore_mapping_destroy(block);
        machine_graph_end(&machine, graph);
    }
}

/* By what is chosen, the last part of a search moves tasks, too. */
static void test_every_choice(void **state)
{
    static const enum mapcore_choice choices[] = {
        MAPCORE_CHOOSE_HOP_BYTES, MAPCORE_CHOOSE_PARETO, MAPCORE_CHOOSE_LINK};

    for (uint32_t i = 0; i < 9; i++) {
        struct machine machine = machine_of("torus:4x4", 4);
        struct mapcore_graph *graph = random_graph(64, 4, i);
        struct mapcore_mapping *block = NULL;
        struct mapcore_result result = {0};
        uint32_t pin[64];
        struct mapcore_search search = {.choose = choices[i % 3],
                                        .work = 28,
                                        .schedule = {.starts = 12},
                                        .pin = pin,
                                        .unit = i < 3   ? 0
                                                : i < 6 ? 2
                                                        : MAPCORE_UNIT_HOST};

        assert_ok(mapcore_mapping_block(&block, machine.alloc, 64, NULL));
        for (uint32_t t = 0; t < 64; t++)
            pin[t] = t < 8 ? block->host[t] : MAPCORE_NONE;
        result = search_on(&machine, graph, &search);
        assert_constraints(&result, &machine, block, pin,
                           search.unit > 1 ? search.unit : 1, "portfolio");
        if (search.choose == MAPCORE_CHOOSE_LINK)
            assert_true(result.metrics.max_link_time <=
                        result.baseline.max_link_time);
        else
            assert_true(result.metrics.avg_hop_bytes <=
                        result.baseline.avg_hop_bytes);
        mapcore_result_clear(&result);
        mapcore_mapping_destroy(block);
        machine_graph_end(&machine, graph);
    }
}

/* A large problem is refined in regions; pinned tasks are in some of them. */
static void test_large(void **state)
{
    struct machine machine = machine_of("torus:8x8", 32);
    struct mapcore_graph *graph = random_graph(2048, 6, 1);
    uint32_t *pin = calloc(2048, sizeof(*pin));
    struct mapcore_search search = {
        .pin = pin, .work = 7, .schedule = {1, 2, 4}};
    struct mapcore_result result = {0};

    assert_non_null(pin);
    for (uint32_t t = 0; t < 2048; t++)
        pin[t] = t % 100 == 0 ? t / 32 : MAPCORE_NONE;
    result = search_by(&machine, graph, "block+refine", &search);
    for (uint32_t t = 0; t < 2048; t += 100)
        assert_int_equal(result.mapping->host[t], pin[t]);
    assert_true(result.is_refined);
    assert_true(result.metrics.avg_hop_bytes < result.baseline.avg_hop_bytes);
    mapcore_result_clear(&result);
    free(pin);
    machine_graph_end(&machine, graph);
}

/* The best that brute force finds of all permutations of whole hosts that leave
 * the first where it is. */
static double least_of_hosts(const struct mapcore_graph *graph,
                             const struct machine *machine,
                             uint32_t nhosts,
                             uint32_t each)
{
    uint32_t order[8], host[64];
    double least = -1;

    for (uint32_t h = 0; h < nhosts; h++)
        order[h] = h;
    do {
        struct mapcore_metrics metrics;

        for (uint32_t t = 0; t < nhosts * each; t++)
            host[t] = order[t / each];
        metrics = metrics_of(graph, machine->alloc, host);
        if (least < 0 || metrics.avg_hop_bytes < least)
            least = metrics.avg_hop_bytes;
    } while (permute(order, nhosts) && order[0] == 0);
    return least;
}

static void test_optimum(void **state)
{
    for (uint32_t i = 0; i < 4; i++) {
        struct machine machine =
            machine_of(i % 2 == 0 ? "torus:7" : "tree:2,3", 3);
        uint32_t nhosts = mapcore_alloc_nhosts(machine.alloc);
        struct mapcore_graph *graph = random_graph(3 * nhosts, 3, i);
        uint32_t pin[24] = {0};
        struct mapcore_search search = {.pin = pin,
                                        .unit = MAPCORE_UNIT_HOST,
                                        .work = 32,
                                        .schedule = {.starts = 12}};
        struct mapcore_result result = {0};

        for (uint32_t t = 1; t < 24; t++)
            pin[t] = MAPCORE_NONE;
        result = search_on(&machine, graph, &search);
        assert_float_equal(result.metrics.avg_hop_bytes,
                           least_of_hosts(graph, &machine, nhosts, 3), 1e-9);
        mapcore_result_clear(&result);
        machine_graph_end(&machine, graph);
    }
}

/* A grid laid out as one stays one, on a torus and a tree, wherever its first
 * task must be. */
static void test_turned(void **state)
{
    for (uint32_t to = 0; to < 16; to++) {
        struct machine machine = machine_of("torus:4x4", 1);
        struct mapcore_graph *graph = grid_graph(4, 4);
        uint32_t pin[16], host[16];
        const struct map_problem problem = {
            .graph = graph, .alloc = machine.alloc, .pin = pin};
        struct mapcore_metrics before, after;

        for (uint32_t t = 0; t < 16; t++) {
            pin[t] = t == 0 ? to : MAPCORE_NONE;
            host[t] = t;
        }
        mapcore_metrics_compute(&before, graph, machine.alloc, host, NULL);
        assert_ok(pins_settle(host, &problem, NULL));
        mapcore_metrics_compute(&after, graph, machine.alloc, host, NULL);
        assert_int_equal(host[0], to);
        assert_permutation(host, 16);
        assert_float_equal(after.avg_hop_bytes, before.avg_hop_bytes, 1e-9);
        machine_graph_end(&machine, graph);
    }
}

static void assert_refused(const struct mapcore_search *search,
                           uint32_t ntasks,
                           const char *what)
{
    struct machine machine = make_machine(1); /* 6 hosts of 4, one of 2 */
    struct mapcore_graph *graph = random_graph(ntasks, 3, 1);
    struct mapcore_result result = {0};
    struct mapcore_error err = {""};

    assert_int_equal(
        mapcore_search_run(&result, graph, machine.alloc, NULL, search, &err),
        MAPCORE_EINVAL);
    if (!strstr(err.text, what))
        fail_msg("'%s' instead of '%s'", err.text, what);
    machine_graph_end(&machine, graph);
}

static void test_refused(void **state)
{
    uint32_t pin[26];

    for (uint32_t t = 0; t < 26; t++)
        pin[t] = MAPCORE_NONE;
    assert_refused(&(struct mapcore_search){.unit = 4}, 24, "has 2 slots");
    assert_refused(&(struct mapcore_search){.unit = 2}, 25, "no blocks of 2");
    pin[3] = 7;
    assert_refused(&(struct mapcore_search){.pin = pin}, 26, "node 7 of 7");
    pin[3] = 6;
    assert_refused(
        &(struct mapcore_search){.pin = pin, .unit = MAPCORE_UNIT_HOST}, 26,
        "which has 2 slots, not 4");
    pin[4] = pin[5] = 6;
    assert_refused(&(struct mapcore_search){.pin = pin}, 26,
                   "3 tasks are pinned to node 6, which has room for 2");
    pin[3] = MAPCORE_NONE;
    pin[4] = 1;
    pin[5] = 2;
    assert_refused(&(struct mapcore_search){.pin = pin, .unit = 2}, 26,
                   "another one of its unit");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_mapper),
        cmocka_unit_test(test_every_choice),
        cmocka_unit_test(test_large),
        cmocka_unit_test(test_optimum),
        cmocka_unit_test(test_turned),
        cmocka_unit_test(test_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
