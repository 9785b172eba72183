/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_learn.c - what production runs say of a placement: a known example, and
 * hundreds of runs drawn from known distributions. LEARN_TABLE=HISTORIES prints
 * a table */
#include "config.h"

#include "unit.h"

#include "tools/learn/learn.h"

#include <math.h>

/* Hamilton's depression scale before and after a tranquillizer, of nine
 * patients: Hollander and Wolfe, example 3.1 and its continuations. */
static void test_known_example(void **state)
{
    static const double before[] = {1.83, 0.50, 1.62, 2.48, 1.68,
                                    1.88, 1.55, 3.06, 1.30};
    static const double after[] = {0.878, 0.647, 0.598, 2.05, 1.06,
                                   1.29,  1.06,  3.14,  1.29};
    double difference[9];
    struct learn_shift shift;

    for (int i = 0; i < 9; i++)
        difference[i] = after[i] - before[i];
    assert_ok(learn_shift_find(&shift, difference, 9, 0.04, NULL));
    assert_true(fabs(shift.estimate + 0.46) < 0.0005);
    assert_true(fabs(shift.low + 0.786) < 0.0005);
    assert_true(fabs(shift.high + 0.010) < 0.0005);
}

static void test_too_few_have_no_interval(void **state)
{
    static const double same[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    struct learn_shift shift;

    assert_ok(learn_shift_find(&shift, same, 7, LEARN_ALPHA, NULL));
    assert_true(isinf(shift.low) && isinf(shift.high));
    assert_ok(learn_shift_find(&shift, same, 8, LEARN_ALPHA, NULL));
    assert_true(shift.high < 0);
    assert_ok(learn_shift_find(&shift, same, 0, LEARN_ALPHA, NULL));
    assert_true(isinf(shift.low));
}

static void test_neighbours_count_once(void **state)
{
    /* U at 0 and 10, P around them; the one at 100 s failed at once. */
    static const struct learn_run runs[] = {
        {0, 100, false}, {1, 90, true}, {2, 90, true},    {4, 80, true},
        {6, 50, true},   {9, 50, true}, {10, 100, false}, {11, 50, true},
        {12, 50, true},  {13, 1, true}, {14, 50, true},
    };
    double *difference;
    size_t n;

    assert_int_equal(learn_pair(&difference, &n, runs, 11, NULL), 0);
    assert_int_equal(n, 2);
    assert_true(fabs(difference[0] -
                     (log(90) + log(90) + log(80) - 3 * log(100)) / 3) < 1e-9);
    assert_true(fabs(difference[1] - log(0.5)) < 1e-9);
    free(difference);
}

/* Marsaglia's xorshift64*, and normal numbers by Box and Muller. */
static uint64_t draw(uint64_t *state)
{
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    return *state * 0x2545f4914f6cdd1dU;
}

static double uniform(uint64_t *state)
{
    return ((double)(draw(state) >> 11) + 0.5) / 9007199254740992.0;
}

static double normal(uint64_t *state)
{
    double radius = sqrt(-2 * log(uniform(state)));

    return radius * cos(6.283185307179586 * uniform(state));
}

enum { RUNS = 400 };

struct simulated {
    unsigned faster, no_gain, open;
    size_t decided[1000]; /* run of the first verdict; RUNS: never */
    double cost;          /* time beyond that of the better kind, a share */
};

static int by_size(const void *a, const void *b)
{
    size_t x = *(const size_t *)a, y = *(const size_t *)b;

    return (x > y) - (x < y);
}

/* A day's drift of as much as the noise, slowly; and one run in 50 takes twice
 * as long: somebody's file system. */
static double one_run(uint64_t *state, int i, double noise, double effect)
{
    double drift = noise * sin(6.283185307179586 * i / 60.0);
    double seconds = 100 * (1 + effect) * exp(noise * normal(state) + drift);

    return draw(state) % 50 == 0 ? 2 * seconds : seconds;
}

static struct simulated simulate(unsigned histories,
                                 double noise,
                                 double effect)
{
    static struct learn_run runs[RUNS];
    struct simulated out = {.cost = 0};

    for (unsigned h = 0; h < histories && h < 1000; h++) {
        uint64_t state = 0x9e3779b97f4a7c15U * (h + 1);
        struct learn_decision decision = {.verdict = LEARN_TOO_FEW};

        out.decided[h] = RUNS;
        for (int i = 0; i < RUNS; i++) {
            assert_ok(learn_decide(
                &decision, runs, (size_t)i,
                &(struct learn_next){3600.0 * i, draw(&state)}, NULL));
            if (out.decided[h] == RUNS && (decision.verdict == LEARN_FASTER ||
                                           decision.verdict == LEARN_NO_GAIN))
                out.decided[h] = (size_t)i;
            runs[i] = (struct learn_run){
                .at_s = 3600.0 * i,
                .placed = decision.places,
                .seconds =
                    one_run(&state, i, noise, decision.places ? effect : 0)};
            out.cost += ((decision.places ? effect : 0) - fmin(effect, 0)) /
                        (1 + fmin(effect, 0)) / RUNS / histories;
        }
        out.faster += decision.verdict == LEARN_FASTER;
        out.no_gain += decision.verdict == LEARN_NO_GAIN;
        out.open +=
            decision.verdict == LEARN_OPEN || decision.verdict == LEARN_TOO_FEW;
    }
    qsort(out.decided, histories, sizeof(out.decided[0]), by_size);
    return out;
}

static void print_table(unsigned histories)
{
    static const double noises[] = {0.01, 0.02, 0.05, 0.1, 0.2};
    static const double effects[] = {-0.2, -0.1, -0.05, -0.02, 0, 0.02, 0.05};

    printf("noise effect faster no-gain open first-verdict cost\n");
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 7; j++) {
            struct simulated s = simulate(histories, noises[i], effects[j]);
            size_t middle = s.decided[histories / 2];

            printf("%4.0f%% %+5.0f%% %5.1f%% %5.1f%% %5.1f%% ", 100 * noises[i],
                   100 * effects[j], 100.0 * s.faster / histories,
                   100.0 * s.no_gain / histories, 100.0 * s.open / histories);
            if (middle < RUNS)
                printf("%zu", middle);
            else
                printf("-");
            printf(" %+.2f%%\n", 100 * s.cost);
            fflush(stdout);
        }
}

static void test_simulated_histories(void **state)
{
    enum { HISTORIES = 20 };
    struct simulated s;

    if (getenv("LEARN_TABLE")) {
        print_table((unsigned)strtoul(getenv("LEARN_TABLE"), NULL, 10));
        return;
    }
    /* What is large is seen soon and surely. */
    s = simulate(HISTORIES, 0.05, -0.2);
    assert_int_equal(s.faster, HISTORIES);
    assert_true(s.decided[HISTORIES / 2] <= 24);
    assert_true(s.cost < 0.03);
    s = simulate(HISTORIES, 0.02, 0.05);
    assert_true(s.no_gain >= HISTORIES - 1);
    assert_true(s.cost < 0.01);
    /* What is not there is not found. */
    s = simulate(HISTORIES, 0.05, 0);
    assert_true(s.faster <= 2);
    s = simulate(HISTORIES, 0.2, 0.05);
    assert_true(s.faster <= 2);
    /* What drowns in noise stays open. */
    s = simulate(HISTORIES, 0.2, -0.02);
    assert_true(s.no_gain <= 2);
}

/* The network was exchanged: what was worth nothing is worth 20% now. */
static void test_new_system_new_verdict(void **state)
{
    static struct learn_run runs[2 * RUNS];
    struct learn_decision decision;
    uint64_t random = 7;
    int first = -1;

    for (int i = 0; i < 2 * RUNS; i++) {
        assert_ok(learn_decide(
            &decision, runs, (size_t)i,
            &(struct learn_next){3600.0 * 6 * i, draw(&random)}, NULL));
        if (i == RUNS)
            assert_int_equal(decision.verdict, LEARN_NO_GAIN);
        if (i > RUNS && first < 0 && decision.verdict == LEARN_FASTER)
            first = i;
        runs[i] = (struct learn_run){
            .at_s = 3600.0 * 6 * i,
            .placed = decision.places,
            .seconds = one_run(&random, i, 0.02,
                               decision.places ? i < RUNS ? 0.03 : -0.2 : 0)};
    }
    assert_int_equal(decision.verdict, LEARN_FASTER);
    assert_true(first > RUNS);
}

static void test_same_history_same_decision(void **state)
{
    struct learn_decision a, b;
    struct learn_run runs[40], shuffled[40];
    uint64_t random = 3;

    for (int i = 0; i < 40; i++)
        runs[i] = shuffled[39 - i] =
            (struct learn_run){.at_s = i,
                               .placed = i % 2,
                               .seconds = one_run(&random, i, 0.05, 0)};
    assert_ok(learn_decide(&a, runs, 40, &(struct learn_next){40, 5}, NULL));
    assert_ok(
        learn_decide(&b, shuffled, 40, &(struct learn_next){40, 5}, NULL));
    assert_memory_equal(&a.shift, &b.shift, sizeof(a.shift));
    assert_int_equal(a.places, b.places);
    /* After three months no result counts. */
    assert_ok(learn_decide(&b, runs, 40, &(struct learn_next){86400.0 * 91, 5},
                           NULL));
    assert_int_equal(b.verdict, LEARN_TOO_FEW);
}

/* After runs of one kind, such as those of auto, both kinds take turns, and
 * find their pairs. */
static void test_a_lead_of_one_kind_is_not_made_up_for(void **state)
{
    for (int first = 0; first < 2; first++) {
        struct learn_run runs[24];
        struct learn_decision decision;
        uint64_t random = 5;
        int placed = 0;

        for (int i = 0; i < 24; i++) {
            assert_ok(learn_decide(&decision, runs, (size_t)i,
                                   &(struct learn_next){i, draw(&random)},
                                   NULL));
            runs[i] = (struct learn_run){
                .at_s = i,
                .placed = i < 8 ? first : decision.places,
                .seconds = 10,
            };
            placed += i >= 8 && runs[i].placed;
        }
        assert_true(placed >= 7 && placed <= 9);
        assert_true(decision.npairs >= 7);
    }
}

/* Runs by the graph that the race says, of which each takes some more time;
 * counts those that were not by the best one. */
static size_t run_race(struct learn_race *race,
                       const double *effect,
                       size_t ngraphs,
                       double noise,
                       uint64_t seed)
{
    static struct learn_graph_run runs[RUNS];
    uint64_t state = 0x9e3779b97f4a7c15U * (seed + 1);
    size_t best = 0, others = 0;

    for (size_t g = 1; g < ngraphs; g++)
        best = effect[g] < effect[best] ? g : best;
    for (int i = 0; i < RUNS; i++) {
        assert_ok(learn_race_decide(
            race, runs, (size_t)i, ngraphs,
            &(struct learn_next){3600.0 * i, draw(&state)}, NULL));
        assert_true(race->graph == race->holder ||
                    race->graph == race->challenger);
        others += race->graph != best;
        runs[i] = (struct learn_graph_run){
            .at_s = 3600.0 * i,
            .graph = race->graph,
            .seconds = one_run(&state, i, noise, effect[race->graph])};
    }
    return others;
}

static void test_the_best_graph_wins_its_race(void **state)
{
    static const double differ[] = {0, 0.03, -0.1, -0.2};
    static const double same[] = {0, 0, 0, 0};
    enum { HISTORIES = 20, GRAPHS = 4 };
    size_t won = 0, held = 0, others = 0;
    struct learn_race race;

    for (uint64_t h = 0; h < HISTORIES; h++) {
        others += run_race(&race, differ, GRAPHS, 0.05, h);
        won += race.holder == 3 && race.beaten != 3 &&
               race.won.verdict == LEARN_FASTER;
        (void)run_race(&race, same, GRAPHS, 0.05, h);
        held += race.holder == 0;
    }
    assert_true(won >= HISTORIES - 1);
    /* Three races, of some forty runs each. */
    assert_true(others < (size_t)HISTORIES * RUNS * 35 / 100);
    /* By chance one is taken for faster now and then. */
    assert_true(held >= HISTORIES - 4);
}

static void test_a_race_of_one_graph_is_none(void **state)
{
    struct learn_graph_run runs[2] = {{0, 1, 0}, {1, 1, 3}};
    struct learn_race race;

    assert_ok(
        learn_race_decide(&race, runs, 2, 1, &(struct learn_next){2, 1}, NULL));
    assert_int_equal(race.graph, 0);
    assert_int_equal(race.challenger, 0);
    /* Without any runs: two graphs take turns from the first one on. */
    assert_ok(
        learn_race_decide(&race, runs, 0, 2, &(struct learn_next){2, 0}, NULL));
    assert_int_equal(race.graph, 1);
    assert_ok(
        learn_race_decide(&race, runs, 0, 2, &(struct learn_next){2, 1}, NULL));
    assert_int_equal(race.graph, 0);
    assert_int_equal(race.challenger, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_known_example),
        cmocka_unit_test(test_too_few_have_no_interval),
        cmocka_unit_test(test_neighbours_count_once),
        cmocka_unit_test(test_same_history_same_decision),
        cmocka_unit_test(test_a_lead_of_one_kind_is_not_made_up_for),
        cmocka_unit_test(test_simulated_histories),
        cmocka_unit_test(test_new_system_new_verdict),
        cmocka_unit_test(test_the_best_graph_wins_its_race),
        cmocka_unit_test(test_a_race_of_one_graph_is_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
