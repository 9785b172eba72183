/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_optimum.c - on machines so small that every mapping can be tried, the
 * search with a fixed amount of work finds one that none is better than */
#include "config.h"

#include "mapfixture.h"

#include "map/map.h"

enum {
    MOST_TASKS = 12,
    WORK = 2000, /* units of one search at most */
};

/* All mappings, task by task; a branch ends where it cannot get below least. */
struct tree {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    uint32_t host[MOST_TASKS];
    uint32_t free_slots[MOST_TASKS];
    uint64_t least;
};

/* Hop-bytes between a task and those before it. */
static uint64_t cost_of(const struct tree *tree, uint32_t task)
{
    const uint32_t *tasks;
    const uint64_t *bytes;
    size_t n = mapcore_graph_neighbours(tree->graph, task, &tasks, &bytes);
    uint64_t sum = 0;

    for (size_t i = 0; i < n && tasks[i] < task; i++)
        sum += bytes[i] * mapcore_alloc_distance(tree->alloc, tree->host[task],
                                                 tree->host[tasks[i]]);
    return sum;
}

static void try_all(struct tree *tree, uint32_t task, uint64_t cost)
{
    if (task == mapcore_graph_ntasks(tree->graph)) {
        tree->least = cost;
        return;
    }
    for (uint32_t h = 0; h < mapcore_alloc_nhosts(tree->alloc); h++) {
        uint64_t more;

        if (tree->free_slots[h] == 0)
            continue;
        tree->host[task] = h;
        more = cost + cost_of(tree, task);
        if (more >= tree->least)
            continue;
        tree->free_slots[h]--;
        try_all(tree, task + 1, more);
        tree->free_slots[h]++;
    }
}

static uint64_t least_of_all(const struct mapcore_graph *graph,
                             const struct mapcore_alloc *alloc)
{
    struct tree tree = {.graph = graph, .alloc = alloc, .least = UINT64_MAX};

    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        tree.free_slots[h] = mapcore_alloc_slots(alloc, h);
    try_all(&tree, 0, 0);
    return tree.least;
}

static uint64_t found_by_search(const struct mapcore_graph *graph,
                                const struct mapcore_alloc *alloc,
                                uint64_t seed)
{
    const struct mapcore_search options = {.work = WORK, .seed = seed};
    struct mapcore_result result = {0};
    struct mapcore_error err = {""};
    struct tree tree = {.graph = graph, .alloc = alloc};
    uint64_t sum = 0;

    if (mapcore_search_run(&result, graph, alloc, NULL, &options, &err) < 0)
        fail_msg("%s", err.text);
    for (uint32_t t = 0; t < result.mapping->ntasks; t++) {
        tree.host[t] = result.mapping->host[t];
        sum += cost_of(&tree, t);
    }
    mapcore_result_clear(&result);
    return sum;
}

static const struct {
    const char *network;
    uint32_t slots, tasks, degree;
} problems[] = {
    {"mesh:3x3", 1, 9, 4},  {"mesh:3x3", 1, 9, 8},  {"torus:4x2", 1, 8, 4},
    {"torus:3x3", 1, 8, 6}, {"mesh:5x2", 1, 10, 4}, {"tree:3,3", 1, 9, 4},
    {"mesh:2x2", 2, 8, 4},  {"torus:5", 2, 10, 4},  {"mesh:3x2", 2, 10, 4},
    {"tree:2,2", 3, 12, 4},
};

static void test_search_finds_the_optimum(void **state)
{
    for (size_t p = 0; p < sizeof(problems) / sizeof(*problems); p++) {
        struct machine machine =
            machine_of(problems[p].network, problems[p].slots);

        for (uint64_t seed = 1; seed <= 3; seed++) {
            struct mapcore_graph *graph =
                random_graph(problems[p].tasks, problems[p].degree, seed);
            uint64_t found = found_by_search(graph, machine.alloc, seed);
            uint64_t least = least_of_all(graph, machine.alloc);

            if (found != least)
                fail_msg("%u tasks on %s, graph %u: %ju hop-bytes, not %ju",
                         problems[p].tasks, problems[p].network, (unsigned)seed,
                         (uintmax_t)found, (uintmax_t)least);
            mapcore_graph_destroy(graph);
        }
        machine_end(&machine);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_search_finds_the_optimum),
    };

    return cmocka_run_group_tests_name("optimum", tests, NULL, NULL);
}
