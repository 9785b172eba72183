/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_rounds.c - runs side by side count in their order, up to the first that
 * was not finished */
#include "config.h"

#include "mapfixture.h"

#include "base/error_set.h"
#include "map/portfolio/rounds.h"
#include "pool/pool.h"

#define NTASKS 4

/* What the runs do: chain i swaps task 0 with task i; from chain `unfinished`
 * on none is done, and chain `bad` fails. */
struct plan {
    uint32_t unfinished, bad;
};

static int swap(struct rounds_chain *chain)
{
    const struct plan *plan = chain->arg;
    uint32_t first = chain->host[0], i = chain->i;

    chain->host[0] = chain->host[i];
    chain->host[i] = first;
    chain->timed_out = i >= plan->unfinished;
    return i == plan->bad
               ? error_set(chain->err, MAPCORE_EINVAL, "chain %u fails", i)
               : 0;
}

static const uint32_t start[NTASKS] = {0, 1, 2, 3};

/* A search that has one result so far, the start, and may take limit units. */
static void begin(struct search *search,
                  const struct mapcore_search *options,
                  const struct machine *machine,
                  const struct mapcore_graph *graph,
                  size_t limit)
{
    struct result result = {.candidate = 7};
    struct mapcore_metrics metrics;

    *search = (struct search){.options = options, .limit = limit};
    search->problem.graph = graph;
    search->problem.alloc = machine->alloc;
    search->results.rule =
        (struct choose_rule){.choice = MAPCORE_CHOOSE_HOP_BYTES, .alpha = 1};
    search->results.best = SIZE_MAX;
    result.host = malloc(sizeof(start));
    assert_non_null(result.host);
    memcpy(result.host, start, sizeof(start));
    metrics = metrics_of(graph, machine->alloc, start);
    assert_ok(results_reserve(&search->results, 1, NULL));
    results_add(&search->results, &result, &metrics);
    results_count(&search->results, 1);
}

/* *ran results, in the order of the chains, from the start's candidate, and
 * each with the metrics of its own hosts. */
static void assert_results(const struct search *search, size_t ran)
{
    const struct results *results = &search->results;

    assert_int_equal(results->n, 1 + ran);
    assert_int_equal(results->work, 1 + ran);
    for (uint32_t i = 0; i < ran; i++) {
        uint32_t host[NTASKS];
        struct plan plan = {NTASKS, NTASKS};
        struct rounds_chain chain = {.host = host, .arg = &plan, .i = i};
        struct mapcore_metrics metrics;

        memcpy(host, start, sizeof(host));
        swap(&chain);
        metrics =
            metrics_of(search->problem.graph, search->problem.alloc, host);
        assert_int_equal(results->result[1 + i].candidate, 7);
        assert_true(results->result[1 + i].is_refined);
        assert_true(
            !(results->metrics[1 + i].avg_hop_bytes < metrics.avg_hop_bytes) &&
            !(results->metrics[1 + i].avg_hop_bytes > metrics.avg_hop_bytes));
        if (results->result[1 + i].host)
            assert_memory_equal(results->result[1 + i].host, host,
                                sizeof(host));
    }
}

static void test_chains(void **state)
{
    static const struct schedule_rounds once = {.most = 1, .idle = 1};
    static struct {
        struct plan plan;
        size_t limit, ran;
        int error;
    } cases[] = {
        {{CHAINS, CHAINS}, SIZE_MAX, CHAINS, 0},
        {{CHAINS, CHAINS}, 1 + CHAINS, CHAINS, 0},
        {{CHAINS, CHAINS}, 3, 2, 0}, /* work for two more */
        {{CHAINS, CHAINS}, 1, 0, 0},
        {{2, CHAINS}, SIZE_MAX, 2, 0},
        {{0, CHAINS}, SIZE_MAX, 0, 0},
        {{CHAINS, 1}, SIZE_MAX, 1, MAPCORE_EINVAL},
        {{CHAINS, 3}, 3, 2, 0}, /* what fails is not run */
    };
    struct machine machine = machine_of("mesh:4", 1);
    struct mapcore_graph *graph = random_graph(NTASKS, 3, 2);

    assert_int_equal(CHAINS, NTASKS);
    for (size_t c = 0; c < sizeof(cases) / sizeof(*cases); c++)
        for (unsigned threads = 1; threads <= 4; threads += 3) {
            struct mapcore_search options = {.seed = 1};
            struct search search;
            struct rounds rounds = {.search = &search,
                                    .row = &once,
                                    .run = swap,
                                    .arg = &cases[c].plan};
            struct mapcore_error err = {""};

            begin(&search, &options, &machine, graph, cases[c].limit);
            search.pool = pool_create(threads);
            assert_int_equal(rounds_run(&rounds, &err), cases[c].error);
            assert_true(search.interrupted == (cases[c].ran < CHAINS));
            if (cases[c].error < 0)
                assert_string_equal(err.text, "chain 1 fails");
            assert_results(&search, cases[c].ran);
            results_clear(&search.results);
            pool_destroy(search.pool);
        }
    machine_graph_end(&machine, graph);
}

/* Chains 0 and 1 come to the start's value, the others to worse: enough where
 * they are short. */
static void test_agreement(void **state)
{
    static const struct schedule_rounds row = {
        .most = 5, .idle = 5, .restarts = true, .agree = 2};
    const struct mapcore_edge edges[] = {{0, 1, 1}, {2, 3, 1}};
    struct machine machine = machine_of("mesh:4", 1);
    struct mapcore_graph *graph = graph_of(NTASKS, edges, 2);

    for (int is_short = 0; is_short < 2; is_short++) {
        struct mapcore_search options = {.seed = 1};
        struct plan plan = {CHAINS, CHAINS};
        struct search search;
        struct rounds rounds = {.search = &search,
                                .row = &row,
                                .run = swap,
                                .arg = &plan,
                                .are_short = is_short};

        begin(&search, &options, &machine, graph, SIZE_MAX);
        assert_ok(rounds_run(&rounds, NULL));
        assert_int_equal(rounds.round, is_short ? 2 : 5);
        results_clear(&search.results);
    }
    machine_graph_end(&machine, graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_agreement),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
