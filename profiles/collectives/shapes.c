/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shapes.c - trees, rings and recursive doubling: what collectives are made of
 */
#include "config.h"

#include "profiles/collectives/shapes.h"

#include "base/error.h"

#include <stddef.h>

__extension__ typedef unsigned __int128 wide;

/* A pair of ranks relative to the root, and the share times / of of all bytes
 * between them; stage: from s->stage on. */
static int tell(const struct sending *s,
                uint64_t stage,
                enum algorithm_way way,
                uint64_t a,
                uint64_t b,
                uint64_t times,
                uint64_t of)
{
    const uint64_t n = s->call->n, root = s->call->root;
    wide bytes = (wide)s->call->bytes * times / of;
    wide messages = (wide)s->call->calls * s->messages;

    if (bytes > UINT64_MAX)
        return MAPCORE_ERANGE;
    return s->pair(
        s->arg, &(struct algorithm_flow){.a = (a + root) % n,
                                         .b = (b + root) % n,
                                         .bytes = (uint64_t)bytes,
                                         .messages = messages < UINT64_MAX
                                                         ? (uint64_t)messages
                                                         : UINT64_MAX,
                                         .way = way,
                                         .stage = s->stage + (uint32_t)stage});
}

static struct sending with_messages(const struct sending *s, uint64_t messages)
{
    struct sending out = *s;

    out.messages = messages;
    return out;
}

uint64_t shape_power_below(uint64_t n)
{
    uint64_t power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

bool shape_is_power(uint64_t n)
{
    return (n & (n - 1)) == 0;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The number of the highest bit. */
static uint32_t level(uint64_t n)
{
    return 63 - (uint32_t)__builtin_clzll(n);
}

/* Turns that are too many to be told apart are joined. */
static uint64_t batch_of(uint64_t turn, uint64_t turns)
{
    return turns > ALGORITHM_MOST_TURNS ? turn * ALGORITHM_MOST_TURNS / turns
                                        : turn;
}

/* Of a tree's edge, the upper end first. */
static enum algorithm_way down(const struct sending *s)
{
    return s->is_up ? ALGORITHM_BACK : ALGORITHM_FORTH;
}

int shape_binomial(const struct sending *s, bool blocks, uint64_t of)
{
    const uint64_t n = s->call->n;
    const uint32_t top = level(n - 1);
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < n; r++) {
        uint64_t lowest = r & (~r + 1);
        uint32_t bit = level(lowest);

        error = tell(s, s->is_up ? bit : top - bit, down(s), r - lowest, r,
                     blocks ? least(lowest, n - r) : 1, of);
    }
    return error;
}

int shape_binomial_high(const struct sending *s)
{
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < s->call->n; r++)
        error =
            tell(s, level(r), down(s), r - (UINT64_C(1) << level(r)), r, 1, 1);
    return error;
}

int shape_quadnomial(const struct sending *s)
{
    const uint64_t n = s->call->n;
    const uint32_t top = level(n - 1) / 2;
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < n; r++) {
        const uint32_t digit = (uint32_t)__builtin_ctzll(r) / 2;

        error = tell(s, top - digit, down(s), r & ~(UINT64_C(3) << 2 * digit),
                     r, 1, 1);
    }
    return error;
}

int shape_star(const struct sending *s)
{
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < s->call->n; r++)
        error = tell(s, 0, down(s), 0, r, 1, 1);
    return error;
}

int shape_chain(const struct sending *s)
{
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < s->call->n; r++)
        error = tell(s, 0, down(s), r - 1, r, 1, 1);
    return error;
}

int shape_binary(const struct sending *s, bool is_split)
{
    const uint64_t n = s->call->n;
    uint64_t width = 1;
    int error = 0;

    for (uint64_t r = 0; error == 0 && r < n; r++) {
        if (r + 1 == 2 * width)
            width *= 2;
        for (uint64_t i = 1; error == 0 && i <= 2 && r + i * width < n; i++)
            error = tell(s, 0, down(s), r, r + i * width, 1, is_split ? 2 : 1);
        if (error == 0 && is_split && r % 2 == 1)
            error = r + 1 < n ? tell(s, 1, ALGORITHM_BOTH, r, r + 1, 1, 1)
                              : tell(s, 1, ALGORITHM_FORTH, 0, r, 1, 2);
    }
    return error;
}

int shape_ring(const struct sending *s, uint64_t times, uint64_t of)
{
    const uint64_t n = s->call->n;
    const struct sending turns = with_messages(s, times);
    int error = 0;

    for (uint64_t r = 0; error == 0 && r < n; r++)
        error = tell(&turns, 0, ALGORITHM_FORTH, r, (r + 1) % n, times, of);
    return error;
}

/* Of n ranks that are no power of two the first 2 (n - power) join in pairs, of
 * which one takes part for both. */
static uint64_t rank_of(const struct sending *s, uint64_t member)
{
    const uint64_t joined = s->call->n - shape_power_below(s->call->n);

    return member < joined ? 2 * member + !s->even_stays : member + joined;
}

static int join(const struct sending *s, uint64_t joins)
{
    const uint64_t n = s->call->n, power = shape_power_below(n);
    const struct sending once = with_messages(s, 1);
    int error = 0;

    for (uint64_t j = 0; error == 0 && j < n - power; j++)
        if (s->even_stays) {
            error = tell(&once, 0, ALGORITHM_FORTH, 2 * j, 2 * j + 1,
                         2 * joins - 1, 2);
            if (error == 0)
                error = tell(&once, 0, ALGORITHM_BACK, 2 * j, 2 * j + 1, 1, 1);
        } else
            error =
                tell(&once, 0, joins == 1 ? ALGORITHM_FORTH : ALGORITHM_BOTH,
                     2 * j, 2 * j + 1, joins, 1);
    return error;
}

int shape_doubling(const struct sending *s,
                   uint64_t (*share)(uint64_t d, uint64_t power),
                   uint64_t of,
                   uint64_t joins)
{
    const uint64_t power = shape_power_below(s->call->n);
    int error = join(s, joins);

    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = 0; error == 0 && m < power; m++)
            if (!(m & d))
                error = tell(s, 1 + level(d), ALGORITHM_BOTH, rank_of(s, m),
                             rank_of(s, m ^ d), 2 * share(d, power), of);
    return error;
}

int shape_dissemination(const struct sending *s)
{
    const uint64_t n = s->call->n;
    int error = 0;

    for (uint64_t d = 1; d < n; d *= 2)
        for (uint64_t r = 0; error == 0 && r < n; r++)
            error = tell(s, level(d), ALGORITHM_FORTH, r, (r + d) % n, 1, 1);
    return error;
}

uint64_t shape_whole(uint64_t d, uint64_t power)
{
    (void)d;
    (void)power;
    return 1;
}

uint64_t shape_halves(uint64_t d, uint64_t power)
{
    return power / d;
}

uint64_t shape_doubles(uint64_t d, uint64_t power)
{
    (void)power;
    return d;
}

int shape_bruck(const struct sending *s, bool is_alltoall)
{
    const uint64_t n = s->call->n;
    int error = 0;

    for (uint64_t d = 1; d < n; d *= 2) {
        uint64_t blocks = least(d, n - d);

        if (is_alltoall)
            blocks = n / (2 * d) * d + (n % (2 * d) > d ? n % (2 * d) - d : 0);
        for (uint64_t r = 0; error == 0 && r < n; r++)
            error = tell(s, level(d), ALGORITHM_FORTH, r, (r + n - d) % n,
                         blocks, 1);
    }
    return error;
}

int shape_neighbours(const struct sending *s)
{
    const uint64_t n = s->call->n, turns = n / 2 - 1;
    int error = 0;

    for (uint64_t r = 0; error == 0 && r < n; r++) {
        uint64_t blocks = r % 2 == 0 ? 1 + turns / 2 * 2 : (turns + 1) / 2 * 2;
        const struct sending pair = with_messages(s, (blocks + 1) / 2);

        error =
            tell(&pair, r % 2, ALGORITHM_BOTH, r, (r + 1) % n, 2 * blocks, 1);
    }
    return error;
}

int shape_each(const struct sending *s, uint64_t of)
{
    const uint64_t n = s->call->n;
    int error = 0;

    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = a + 1; error == 0 && b < n; b++)
            error = tell(s, batch_of(least(b - a, n - (b - a)), n / 2 + 1),
                         ALGORITHM_BOTH, a, b, 2, of);
    return error;
}

int shape_scattered(const struct sending *s, uint64_t together, bool by_bits)
{
    const uint64_t n = s->call->n, turns = (n - 1) / together + 1;
    int error = 0;

    if (!s->call->in_stages)
        return shape_each(s, 1);
    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = 0; error == 0 && b < n; b++)
            if (a != b)
                error = tell(
                    s,
                    batch_of((by_bits ? a ^ b : (a + n - b) % n) / together,
                             turns),
                    ALGORITHM_FORTH, a, b, 1, 1);
    return error;
}

int shape_prefix(const struct sending *s)
{
    int error = 0;

    for (uint64_t d = 1; d < s->call->n; d *= 2)
        for (uint64_t r = 0; error == 0 && r + d < s->call->n; r++)
            error = tell(s, level(d), ALGORITHM_FORTH, r, r + d, 1, 1);
    return error;
}

/* The member of XOR that has that number relative to the root. */
static uint64_t halved(const struct sending *s, uint64_t m, uint64_t power)
{
    const uint64_t n = s->call->n, root = s->call->root;

    return n == power ? ((m ^ root) + n - root) % n : rank_of(s, m);
}

int shape_reduce_by_halves(const struct sending *s)
{
    const uint64_t power = shape_power_below(s->call->n);
    int error = join(s, 1);

    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = 0; error == 0 && m < power; m++)
            if (!(m & d))
                error =
                    tell(s, 1 + level(d), ALGORITHM_BOTH, halved(s, m, power),
                         halved(s, m ^ d, power), 2 * (power / d), 2 * power);
    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = d; error == 0 && m < 2 * d; m++)
            error = tell(s, 2 + 2 * (uint64_t)level(power) - level(d),
                         ALGORITHM_BACK, halved(s, m - d, power),
                         halved(s, m, power), 1, 2 * d);
    return error;
}

int shape_scatter_allgather(const struct sending *s, bool by_ring)
{
    const uint64_t n = s->call->n;
    struct sending then = *s;
    int error = shape_binomial(s, true, n);

    if (error != 0)
        return error;
    then.stage += level(n - 1) + 1;
    return by_ring ? shape_ring(&then, n - 1, n)
                   : shape_doubling(&then, shape_doubles, n, 0);
}
