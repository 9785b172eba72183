/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_ports_random.c - the port model on random machines and messages: what
 * numbers, traffic and sharing do to it */
#include "config.h"

#include "metric/ports.h"

#include "mapfixture.h"

enum {
    SEEDS = 300,
    TASKS = 24,
    HOSTS = 16,
    LEVELS = 7, /* tasks, L3, packages, hosts, switches */
    NIC = 3,
    TYPES = 2,
    MESSAGES = 40,
    LENGTHS = 4,
};
static const char spec[] = "tree:2,2,4"; /* leaf switches of four hosts */

static const char inside[] = "package:2 l3:2 core:4 pu:2";

/* One machine and what is sent on it. */
struct setting {
    uint32_t node[HOSTS];    /* hosts of the network, as they are allocated */
    uint32_t host[TASKS];    /* in that order */
    uint32_t slot[TASKS];    /* no two of one number */
    uint32_t type_of[HOSTS]; /* of hosts of the network, and what is in them */
    struct mapcore_messages message[MESSAGES];
    size_t n;
    uint64_t length[LENGTHS];
    double rate[LEVELS][TYPES][LENGTHS];
    struct mapcore_port_type type[LEVELS][TYPES];
};

static void numbers(uint32_t *out, uint32_t n, struct rng *rng)
{
    for (uint32_t i = 0; i < n; i++)
        out[i] = i;
    shuffle(out, n, rng);
}

static struct mapcore_messages draw_message(struct rng *rng)
{
    return (struct mapcore_messages){
        rng_below(rng, TASKS), rng_below(rng, TASKS),
        UINT64_C(1) << rng_below(rng, 20), 1 + rng_below(rng, 1000)};
}

/* Rates differ thousandfold, so that a task's own messages are the longest at
 * some ports and all bytes at others; some lengths are slower than shorter
 * ones. */
static void draw_type(struct setting *s, int l, int k, struct rng *rng)
{
    struct mapcore_port_type *type = &s->type[l][k];

    for (uint32_t i = 0; i < LENGTHS; i++)
        s->rate[l][k][i] = 1e3 * (double)(1 + rng_below(rng, 1000));
    type->in = (struct mapcore_port_rates){
        .n = rng_below(rng, 3) > 0 ? LENGTHS : 0,
        .length = s->length,
        .rate = s->rate[l][k],
        .most = 1e6 * (double)(1 + rng_below(rng, 4))};
    type->out = type->in;
    type->out.most *= 2;
    type->switch_most = 1e6 * (double)rng_below(rng, 4);
}

static void draw(struct setting *s, uint64_t seed, struct rng *rng)
{
    *s = (struct setting){.n = MESSAGES};
    rng_init(rng, seed, 28, 0);
    numbers(s->node, HOSTS, rng);
    numbers(s->slot, TASKS, rng);
    for (uint32_t t = 0; t < TASKS; t++)
        s->host[t] = rng_below(rng, HOSTS);
    for (uint32_t h = 0; h < HOSTS; h++)
        s->type_of[h] = rng_below(rng, TYPES);
    for (size_t i = 0; i < MESSAGES; i++)
        s->message[i] = draw_message(rng);
    for (uint32_t i = 0; i < LENGTHS; i++)
        s->length[i] = UINT64_C(1) << (5 * i + rng_below(rng, 4));
    for (int l = 0; l < LEVELS; l++)
        for (int k = 0; k < TYPES; k++)
            draw_type(s, l, k, rng);
}

static int by_task(const void *x, const void *y)
{
    const struct mapcore_messages *a = x, *b = y;

    return (a->from > b->from) - (a->from < b->from);
}

static double time_of(struct setting *s)
{
    uint32_t slots[HOSTS];
    struct mapcore_estimate out;
    struct mapcore_error err = {""};
    struct mapcore_port_level level[LEVELS];
    struct mapcore_ports ports = {.level = level, .n = LEVELS};
    struct mapcore_hwnode *node;
    struct mapcore_mapping *mapping;
    struct machine machine;

    for (uint32_t h = 0; h < HOSTS; h++)
        slots[h] = TASKS;
    for (uint32_t l = 0; l < LEVELS; l++)
        level[l] =
            (struct mapcore_port_level){.type = s->type[l],
                                        .ntypes = TYPES,
                                        .type_of = l <= NIC ? s->type_of : NULL,
                                        .object = l == 1   ? "L3"
                                                  : l == 2 ? "Package"
                                                           : NULL};
    assert_ok(mapcore_hwnode_create(&node, inside, NULL));
    ports.node = node;
    machine = part_of(spec, HOSTS, s->node, slots);
    qsort(s->message, s->n, sizeof(*s->message), by_task);
    if (mapcore_mapping_create(&mapping, machine.alloc, TASKS, s->host, s->slot,
                               &err) < 0 ||
        mapcore_ports_estimate(&out, s->message, s->n, mapping, machine.alloc,
                               &ports, &err) < 0)
        fail_msg("%s", err.text);
    mapcore_mapping_destroy(mapping);
    mapcore_hwnode_destroy(node);
    machine_end(&machine);
    return out.time;
}

static void assert_same(double a, double b, uint64_t seed)
{
    if (!(fabs(a - b) <= 1e-12 * a))
        fail_msg("seed %u: %.17g is not %.17g", (unsigned)seed, a, b);
}

static void assert_at_most(double less, double more, uint64_t seed)
{
    if (!(less <= more * (1 + 1e-12)))
        fail_msg("seed %u: %.17g is more than %.17g", (unsigned)seed, less,
                 more);
}

/* Ranks by other numbers, hosts in another order, and hosts of a leaf, and
 * leaves, at each other's places: the same traffic. */
static void numbers_decide_nothing(void **state)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        uint32_t task[TASKS], host[HOSTS], leaf[4], place[4];
        struct setting a, b;
        struct rng rng;

        draw(&a, seed, &rng);
        b = a;
        numbers(task, TASKS, &rng);
        numbers(host, HOSTS, &rng);
        numbers(place, 4, &rng);
        /* Two leaves below each switch. */
        for (uint32_t l = 0, x = rng_below(&rng, 4); l < 4; l++)
            leaf[l] = l ^ x;
        for (uint32_t h = 0; h < HOSTS; h++) {
            b.node[host[h]] = 4 * leaf[a.node[h] / 4] + place[a.node[h] % 4];
            b.type_of[b.node[host[h]]] = a.type_of[a.node[h]];
        }
        for (uint32_t t = 0; t < TASKS; t++) {
            b.host[task[t]] = host[a.host[t]];
            b.slot[task[t]] = a.slot[t];
        }
        for (size_t i = 0; i < b.n; i++) {
            b.message[i].from = task[b.message[i].from];
            b.message[i].to = task[b.message[i].to];
        }
        assert_same(time_of(&a), time_of(&b), seed);
    }
}

/* One message more, or longer ones, or more of them. */
static void more_takes_no_less(void **state)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct setting a, b;
        struct rng rng;
        uint32_t i;

        draw(&a, seed, &rng);
        a.n -= 1 + rng_below(&rng, MESSAGES - 2);
        b = a;
        i = rng_below(&rng, (uint32_t)b.n);
        switch (seed % 3) {
        case 0:
            b.message[b.n++] = draw_message(&rng);
            break;
        case 1:
            b.message[i].length += 1 + rng_below(&rng, 100000);
            break;
        default:
            b.message[i].count += 1 + rng_below(&rng, 1000);
            break;
        }
        assert_at_most(time_of(&a), time_of(&b), seed);
    }
}

/* Tasks on the first leaf switch send to those on the last; one of them gets a
 * host of its own. */
static void a_host_of_ones_own(void **state)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct setting a, b;
        struct rng rng;

        draw(&a, seed, &rng);
        for (uint32_t h = 0; h < HOSTS; h++)
            a.node[h] = h, a.type_of[h] = 0;
        for (uint32_t t = 0; t < TASKS; t++)
            a.host[t] = t % 2 == 0 ? rng_below(&rng, 3) : 12 + t % 4;
        for (size_t i = 0; i < a.n; i++) {
            a.message[i].from &= ~1u;
            a.message[i].to |= 1;
        }
        b = a;
        b.host[2 * rng_below(&rng, TASKS / 2)] = 3;
        assert_at_most(time_of(&b), time_of(&a), seed);
    }
}

/* All tasks of a host send at once through its interface alone: the time is at
 * least what each needs by itself, and what all bytes need at most. */
static void both_bounds(void **state)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++) {
        struct setting all, one;
        double longest = 0, bytes = 0, time;
        struct rng rng;

        draw(&all, seed, &rng);
        for (uint32_t l = 0; l < LEVELS; l++)
            for (uint32_t k = 0; l != NIC && k < TYPES; k++)
                all.type[l][k] = (struct mapcore_port_type){.switch_most = 0};
        memset(all.type_of, 0, sizeof(all.type_of));
        all.type[NIC][0].switch_most = 0;
        all.type[NIC][0].in = (struct mapcore_port_rates){.most = 0};
        for (uint32_t t = 0; t < TASKS; t++)
            all.host[t] = t % 2 == 0 ? 0 : 1 + t / 2;
        for (size_t i = 0; i < all.n; i++) {
            all.message[i].from &= ~1u;
            all.message[i].to |= 1;
            bytes +=
                (double)all.message[i].length * (double)all.message[i].count;
        }
        time = time_of(&all);
        for (uint32_t t = 0; t < TASKS; t += 2) {
            one = all;
            one.n = 0;
            for (size_t i = 0; i < all.n; i++)
                if (all.message[i].from == t)
                    one.message[one.n++] = all.message[i];
            if (one.n > 0)
                longest = fmax(longest, time_of(&one));
        }
        assert_same(time, fmax(longest, bytes / all.type[NIC][0].out.most),
                    seed);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_decide_nothing),
        cmocka_unit_test(more_takes_no_less),
        cmocka_unit_test(a_host_of_ones_own),
        cmocka_unit_test(both_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
