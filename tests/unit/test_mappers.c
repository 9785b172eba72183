/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mappers.c - what is true of every mapper of the registry, with all its
 * parameters, on all kinds of machines and graphs */
#include "config.h"

#include "mapfixture.h"

#include "map/mapper.h"

#define NHOSTS 12

static const uint32_t uneven[NHOSTS] = {0, 3, 1, 5, 2, 0, 4, 1, 1, 6, 2, 2};
static const uint32_t even[NHOSTS] = {3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3};
static const uint32_t one[NHOSTS] = {0, 0, 0, 0, 40, 0, 0, 0, 0, 0, 0, 0};
static const uint32_t *const all_slots[] = {uneven, even, one};
/* Hosts scattered over a larger machine, in no order. */
static const uint32_t scattered[NHOSTS] = {47, 3,  11, 12, 30, 29,
                                           1,  44, 17, 16, 8,  21};

static struct machine machine_number(size_t index, const uint32_t *slots)
{
    static const char *const whole[] = {"torus:3x2x2", "torus:3x2/2",
                                        "mesh:4x3", "tree:3,4", "flat:12"};
    static const char *const part[] = {"torus:4x3x4", "mesh:8x3/2",
                                       "tree:4,3,4"};

    return index < 5 ? part_of(whole[index], NHOSTS, NULL, slots)
                     : part_of(part[index - 5], NHOSTS, scattered, slots);
}
#define NMACHINES 8

/* Random, a grid, a star, nothing at all, and weights near the limit. */
static struct mapcore_graph *graph_number(size_t index, uint32_t ntasks)
{
    struct mapcore_edge edges[64];
    size_t n = 0;

    switch (index) {
    case 0:
        return random_graph(ntasks, 5, 7);
    case 1:
        for (uint32_t t = 1; t < ntasks; t++)
            edges[n++] = (struct mapcore_edge){t - 1, t, 100};
        break;
    case 2:
        for (uint32_t t = 1; t < ntasks; t++)
            edges[n++] = (struct mapcore_edge){0, t, t};
        break;
    case 3:
        break;
    default:
        for (uint32_t t = 0; t + 1 < ntasks && t < 3; t++)
            edges[n++] =
                (struct mapcore_edge){t, ntasks - 1, (uint64_t)1 << 60};
    }
    return graph_of(ntasks, edges, n);
}
#define NGRAPHS 5

struct run {
    struct map_problem problem;
    struct mapper_call call;
    struct mapper_end end;
    uint32_t host[64];
    struct mapper_setting setting;
};

static void begin(struct run *run,
                  const struct machine *machine,
                  const struct mapcore_graph *graph)
{
    *run = (struct run){.problem = {.graph = graph, .alloc = machine->alloc}};
    run->call = (struct mapper_call){.value = run->setting.value, .seed = 1};
}

static void map(struct run *run, const struct mapper *mapper)
{
    struct mapcore_error err = {""};

    memset(run->host, 0xee, sizeof(run->host));
    run->end = (struct mapper_end){0};
    if (mapper_run(run->host, &run->end, mapper, &run->problem, &run->call,
                   &err) < 0)
        fail_msg("%s: %s", mapper->name, err.text);
}

/* The next values of the parameters, or false after the last. GreedyMap's are
 * in test_portfolio.c. */
static bool next_values(uint32_t *value, const struct mapper *mapper)
{
    const char *p = mapper->parameters;

    if (mapper == &mapper_greedymap)
        return false;
    for (size_t i = 0; p; i++, p = strchr(p, ','), p += p != NULL) {
        uint32_t words = 1;

        for (const char *c = p; *c && *c != ','; c++)
            words += *c == '|';
        if (++value[i] < words)
            return true;
        value[i] = 0;
    }
    return false;
}

/* Fits, for all options; the same again; and once a pass says that it
 * was not random, later ones are the same. */
static void check(struct run *run, const struct mapper *mapper)
{
    uint32_t ntasks = run->problem.graph->ntasks;
    uint32_t first[64], fixed[64];
    bool is_fixed = false;

    for (run->call.pass = 0; run->call.pass < 3; run->call.pass++) {
        map(run, mapper);
        assert_false(run->end.timed_out);
        assert_fits(run->problem.alloc, run->host, ntasks);
        if (run->call.pass == 0)
            memcpy(first, run->host, sizeof(first));
        if (is_fixed && memcmp(fixed, run->host, ntasks * sizeof(*first)) != 0)
            fail_msg("%s: pass %u differs, which it said it would not",
                     mapper->name, run->call.pass);
        is_fixed = !run->end.is_random;
        memcpy(fixed, run->host, sizeof(fixed));
    }
    run->call.pass = 0;
    map(run, mapper);
    assert_memory_equal(first, run->host, ntasks * sizeof(*first));
}

static void test_all_fit(void **state)
{
    static const uint32_t counts[] = {1, 9, 27};

    for (size_t m = 0; m < NMACHINES; m++)
        for (size_t s = 0; s < 3; s++) {
            struct machine machine = machine_number(m, all_slots[s]);

            for (size_t g = 0; g < NGRAPHS; g++)
                for (size_t c = 0; c < 3; c++) {
                    struct mapcore_graph *graph = graph_number(g, counts[c]);
                    struct run run;

                    begin(&run, &machine, graph);
                    for (size_t i = 0; mapper_list[i]; i++)
                        do
                            if (mapper_list[i]->run)
                                check(&run, mapper_list[i]);
                        while (next_values(run.setting.value, mapper_list[i]));
                    mapcore_graph_destroy(graph);
                }
            machine_end(&machine);
        }
}

/* However often a mapper may ask before time is up, a run ends as timed out or
 * as without a deadline. */
static void test_all_answer_the_clock(void **state)
{
    struct machine machine = machine_number(0, uneven);
    struct mapcore_graph *graph = graph_number(0, 26);
    struct run run;
    uint32_t usual[64];

    begin(&run, &machine, graph);
    for (size_t i = 0; mapper_list[i]; i++)
        do {
            if (!mapper_list[i]->run)
                break;
            run.problem.deadline = (struct map_deadline){NULL, NULL};
            map(&run, mapper_list[i]);
            memcpy(usual, run.host, sizeof(usual));
            for (long n = 0;; n++) {
                atomic_long left = n;

                run.problem.deadline = (struct map_deadline){count_down, &left};
                map(&run, mapper_list[i]);
                if (run.end.timed_out)
                    continue;
                assert_memory_equal(usual, run.host, 26 * sizeof(*usual));
                break;
            }
        } while (next_values(run.setting.value, mapper_list[i]));
    machine_graph_end(&machine, graph);
}

/* Text and setting are the same thing. */
static void test_names(void **state)
{
    for (size_t i = 0; mapper_list[i]; i++) {
        struct mapper_setting setting = {0}, again;
        const struct mapper *mapper = mapper_list[i];
        char text[96];

        assert_ptr_equal(mapper_find(mapper->name), mapper);
        assert_true(*mapper->summary && *mapper->source);
        do {
            assert_true(mapper_print(mapper, &setting, text, sizeof(text)) <
                        (int)sizeof(text));
            assert_ptr_equal(mapper_find(text), mapper);
            assert_ok(mapper_parse(&again, mapper, text, NULL));
            assert_memory_equal(&again, &setting, sizeof(setting));
        } while (next_values(setting.value, mapper));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_fit),
        cmocka_unit_test(test_all_answer_the_clock),
        cmocka_unit_test(test_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
