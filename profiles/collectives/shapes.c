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

/* Turns that are too many to be distinguished are joined. */
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

/* A sender does not wait for shorter messages to arrive: all that it sends down
 * a tree goes at once, and its share of the interface is less for each. As
 * UCX's rendezvous and smpi/send-is-detached-thresh begin there or before. */
enum { EAGER_BELOW = 65536 };

static bool is_eager(const struct sending *s, uint64_t times, uint64_t of)
{
    const wide bytes = (wide)s->call->bytes * times / of;

    return !s->is_up && bytes < (wide)EAGER_BELOW * s->call->calls;
}

/* Trees in which a rank has one above it; blocks: those of its subtree, one
 * `of`th of the bytes each. */
static int tree(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n;
    const uint32_t top = level(n - 1);
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < n; r++) {
        const uint64_t lowest = r & (~r + 1), highest = UINT64_C(1) << level(r);
        const uint32_t bit = level(lowest), digit = bit / 2;
        const uint32_t depth = (uint32_t)__builtin_popcountll(r) - 1;
        uint64_t above = 0, blocks = 1;
        uint32_t stage = 0;

        switch ((unsigned)which) {
        case SHAPE_CHAIN:
            above = r - 1;
            break;
        case SHAPE_BINOMIAL_HIGH:
            above = r - highest;
            stage = is_eager(s, 1, of) ? depth : level(r);
            break;
        case SHAPE_QUADNOMIAL:
            above = r & ~(UINT64_C(3) << 2 * digit);
            stage = top / 2 - digit;
            break;
        case SHAPE_BINOMIAL_BLOCKS:
            blocks = least(lowest, n - r);
            __attribute__((fallthrough));
        case SHAPE_BINOMIAL:
            above = r - lowest;
            stage = is_eager(s, blocks, of) ? depth
                    : s->is_up              ? bit
                                            : top - bit;
            break;
        }
        error = tell(s, stage, down(s), above, r, blocks, of);
    }
    return error;
}

static int binary(const struct sending *s, enum shape which, uint64_t of)
{
    const bool is_split = which == SHAPE_BINARY_SPLIT;
    const uint64_t n = s->call->n;
    uint64_t width = 1;
    int error = 0;

    for (uint64_t r = 0; error == 0 && r < n; r++) {
        if (r + 1 == 2 * width)
            width *= 2;
        for (uint64_t i = 1; error == 0 && i <= 2 && r + i * width < n; i++)
            error = tell(s, 0, down(s), r, r + i * width, 1, of);
        if (error == 0 && is_split && r % 2 == 1)
            error = r + 1 < n ? tell(s, 1, ALGORITHM_BOTH, r, r + 1, 1, 1)
                              : tell(s, 1, ALGORITHM_FORTH, 0, r, 1, 2);
    }
    return error;
}

static int two_trees(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n;
    int error = 0;

    (void)which;
    for (uint64_t r = 1; error == 0 && r < n; r++) {
        const uint64_t lowest = r & (~r + 1), up = (r - lowest) | 2 * lowest;
        const uint64_t above = up < n ? up : r - lowest;

        error = tell(s, 0, ALGORITHM_BOTH, above, r, 2, of);
        if (error == 0)
            error = n % 2 == 0 ? tell(s, 0, ALGORITHM_BOTH, n - 1 - above,
                                      n - 1 - r, 2, of)
                               : tell(s, 0, ALGORITHM_BOTH, (above + 1) % n,
                                      (r + 1) % n, 2, of);
    }
    return error;
}

static int ring(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n,
                   times = which == SHAPE_RING_REDUCE ? 2 * (n - 1) : n - 1;
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
        } else {
            error =
                tell(&once, 0, ALGORITHM_FORTH, 2 * j, 2 * j + 1, joins > 0, 1);
            if (error == 0 && joins != 1) /* after the others */
                error = tell(&once, 1 + level(power), ALGORITHM_BACK, 2 * j,
                             2 * j + 1, joins > 0, 1);
        }
    return error;
}

static int doubling(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t power = shape_power_below(s->call->n);
    const bool by_halves = which == SHAPE_DOUBLING_HALVES;
    const struct sending both = with_messages(s, by_halves ? 2 : 1);
    int error = join(s, which == SHAPE_DOUBLING_BLOCKS  ? 0
                        : which == SHAPE_DOUBLING_PARTS ? 1
                                                        : 2);

    for (uint64_t d = 1; d < power; d *= 2) {
        const uint64_t share = which == SHAPE_DOUBLING ? 1
                               : by_halves             ? power / d
                                                       : d;

        for (uint64_t m = 0; error == 0 && m < power; m++)
            if (!(m & d))
                error = tell(&both, 1 + level(d), ALGORITHM_BOTH, rank_of(s, m),
                             rank_of(s, m ^ d), 2 * share, of);
    }
    return error;
}

/* Blocks double among ranks of any number: who has no partner above gets what
 * is there from one of its own half that has, by halves (MPICH, Open MPI). */
static int doubling_all(const struct sending *s, uint64_t of)
{
    const uint64_t n = s->call->n;
    int error = 0;

    for (uint64_t d = 1; d < n; d *= 2)
        for (uint64_t r = 0; error == 0 && r < n; r++) {
            const uint64_t at = r % (2 * d), above = r - at + d;
            const uint64_t rest = above < n ? least(d, n - above) : 0;
            const uint64_t stage = 1 + level(d) * (shape_is_power(n) ? 1 : 2);
            uint64_t t = d / 2;

            if (at < rest && rest == d) {
                error = tell(s, stage, ALGORITHM_BOTH, r, r + d, 2 * d, of);
            } else if (at < rest) {
                error = tell(s, stage, ALGORITHM_FORTH, r, r + d, d, of);
                if (error == 0)
                    error = tell(s, stage, ALGORITHM_BACK, r, r + d, rest, of);
            } else if (at < d && rest > 0) {
                while (at % (2 * t) < t || at % t >= rest)
                    t /= 2;
                error = tell(s, stage + 1, ALGORITHM_FORTH, r - t, r, rest, of);
            }
        }
    return error;
}

/* To one rank at each distance 1, 2, 4, ... */
static int shifts(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n;
    int error = 0;

    for (uint64_t d = 1; d < n; d *= 2) {
        const bool is_back =
            which == SHAPE_BRUCK || which == SHAPE_BRUCK_ALLTOALL;
        uint64_t blocks = which == SHAPE_BRUCK ? least(d, n - d) : 1;

        if (which == SHAPE_BRUCK_ALLTOALL)
            blocks = n / (2 * d) * d + (n % (2 * d) > d ? n % (2 * d) - d : 0);
        for (uint64_t r = 0; error == 0 && r < n; r++)
            if (which != SHAPE_PREFIX || r + d < n)
                error = tell(s, level(d), ALGORITHM_FORTH, r,
                             (is_back ? r + n - d : r + d) % n, blocks, of);
    }
    return error;
}

static int neighbours(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n, turns = n / 2 - 1;
    int error = 0;

    if (n % 2 == 1)
        return ring(s, which, of);
    for (uint64_t r = 0; error == 0 && r < n; r++) {
        uint64_t blocks = r % 2 == 0 ? 1 + turns / 2 * 2 : (turns + 1) / 2 * 2;
        const struct sending pair = with_messages(s, (blocks + 1) / 2);

        error =
            tell(&pair, r % 2, ALGORITHM_BOTH, r, (r + 1) % n, 2 * blocks, of);
    }
    return error;
}

static int each(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n;
    int error = 0;

    (void)which;
    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = a + 1; error == 0 && b < n; b++)
            error = tell(s, batch_of(least(b - a, n - (b - a)), n / 2 + 1),
                         ALGORITHM_BOTH, a, b, 2, of);
    return error;
}

static int scattered(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t n = s->call->n;
    const uint64_t together = which == SHAPE_AT_ONCE ? n
                              : which == SHAPE_BY_32 ? 32
                              : which == SHAPE_BY_4  ? 4
                                                     : 1;
    const uint64_t turns = (n - 1) / together + 1;
    int error = 0;

    if (!s->call->in_stages)
        return each(s, which, of);
    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = 0; error == 0 && b < n; b++)
            if (a != b)
                error =
                    tell(s,
                         batch_of((which == SHAPE_BY_1_XOR ? a ^ b
                                                           : (a + n - b) % n) /
                                      together,
                                  turns),
                         ALGORITHM_FORTH, a, b, 1, of);
    return error;
}

/* The member of XOR that has that number relative to the root. */
static uint64_t halved(const struct sending *s, uint64_t m, uint64_t power)
{
    const uint64_t n = s->call->n, root = s->call->root;

    return n == power ? ((m ^ root) + n - root) % n : rank_of(s, m);
}

static int halves(const struct sending *s, enum shape which, uint64_t of)
{
    const uint64_t power = shape_power_below(s->call->n);
    int error = join(s, 1);

    (void)which;
    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = 0; error == 0 && m < power; m++)
            if (!(m & d))
                error = tell(s, 1 + level(d), ALGORITHM_BOTH,
                             halved(s, m, power), halved(s, m ^ d, power),
                             2 * (power / d), 2 * power * of);
    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = d; error == 0 && m < 2 * d; m++)
            error = tell(s, 2 + 2 * (uint64_t)level(power) - level(d),
                         ALGORITHM_BACK, halved(s, m - d, power),
                         halved(s, m, power), 1, 2 * d * of);
    return error;
}

static int scatter_allgather(const struct sending *s,
                             enum shape which,
                             uint64_t of)
{
    struct sending then = *s;
    int error = tree(s, SHAPE_BINOMIAL_BLOCKS, of);

    if (error != 0)
        return error;
    then.stage += level(s->call->n - 1) + 1;
    return which == SHAPE_SCATTER_RING ? ring(&then, SHAPE_RING_PARTS, of)
                                       : doubling_all(&then, of);
}

int shape_run(const struct sending *s, enum shape which)
{
    /* Each family by its last one, and its unit of bytes. */
    static const struct {
        enum shape last;
        int (*run)(const struct sending *s, enum shape which, uint64_t of);
        enum { ONE, HALF, RANKTH, POWERTH } of;
    } rows[] = {
        {SHAPE_QUADNOMIAL, tree, ONE},
        {SHAPE_TWO_TREES, two_trees, HALF},
        {SHAPE_BINARY, binary, ONE},
        {SHAPE_BINARY_SPLIT, binary, HALF},
        {SHAPE_SCATTER_RING, scatter_allgather, RANKTH},
        {SHAPE_HALVES, halves, ONE},
        {SHAPE_DOUBLING_BLOCKS, doubling, ONE},
        {SHAPE_DOUBLING_PARTS, doubling, POWERTH},
        {SHAPE_BRUCK_ALLTOALL, shifts, ONE},
        {SHAPE_RING_BLOCKS, ring, ONE},
        {SHAPE_RING_REDUCE, ring, RANKTH},
        {SHAPE_NEIGHBOURS, neighbours, ONE},
        {SHAPE_EACH, each, ONE},
        {SHAPE_EACH_PARTS, each, RANKTH},
        {SHAPE_BY_1_XOR, scattered, ONE},
    };
    const uint64_t n = s->call->n, units[] = {1, 2, n, shape_power_below(n)};
    size_t i = 0;

    while (which > rows[i].last)
        i++;
    return rows[i].run(s, which, units[rows[i].of]);
}
