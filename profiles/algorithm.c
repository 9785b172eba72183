/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.c - trees, rings and recursive doubling: what MPI libraries make of
 * a collective */
#include "config.h"

#include "profiles/algorithm.h"

#include "base/error.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

/* A collective being expanded, and who is told. */
struct sending {
    const struct algorithm_call *call;
    algorithm_pair pair;
    void *arg;
    bool is_up;        /* trees go to the root, not from it */
    uint64_t messages; /* that a pair sends each other in a call */
    uint32_t stage;    /* the number that its first one has */
};

enum algorithm_library algorithm_library_of(const char *version)
{
    return version && strstr(version, "Open MPI")  ? ALGORITHM_OPEN_MPI
           : version && strstr(version, "SMPI")    ? ALGORITHM_SMPI
           : version && strstr(version, "MVAPICH") ? ALGORITHM_MVAPICH
                                                   : ALGORITHM_MPICH;
}

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

static uint64_t power_below(uint64_t n)
{
    uint64_t power = 1;

    while (power <= n / 2)
        power *= 2;
    return power;
}

static bool is_power(uint64_t n)
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

/* Relative rank r exchanges with r less its lowest bit: the vector, or, where
 * blocks are sent, one `of`th of it for each rank of the subtree. From the root
 * the highest bits come first, to it the lowest. */
static int binomial(const struct sending *s, bool blocks, uint64_t of)
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

static int star(const struct sending *s)
{
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < s->call->n; r++)
        error = tell(s, 0, down(s), 0, r, 1, 1);
    return error;
}

/* A pipeline: each rank to the next one, all at once. */
static int chain(const struct sending *s)
{
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < s->call->n; r++)
        error = tell(s, 0, down(s), r - 1, r, 1, 1);
    return error;
}

/* Open MPI's binary tree: a rank of level k, the first of which is 2^k - 1, has
 * the children r + 2^k and r + 2^(k+1), so that odd ranks are below 1 and even
 * ones below 2. is_split: each half of the tree gets half of the vector, and a
 * rank then exchanges halves with its neighbour in the other, or the root. The
 * segments go down in a pipeline. */
static int binary(const struct sending *s, bool is_split)
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

/* Each rank to the next one and the last to the first, times / of: all turns
 * of it are alike. */
static int ring(const struct sending *s, uint64_t times, uint64_t of)
{
    const uint64_t n = s->call->n;
    const struct sending turns = with_messages(s, times);
    int error = 0;

    for (uint64_t r = 0; error == 0 && r < n; r++)
        error = tell(&turns, 0, ALGORITHM_FORTH, r, (r + 1) % n, times, of);
    return error;
}

/* Of n ranks that are no power of two MPICH's first 2 (n - power) join in
 * pairs, and the odd one of each takes part for both. */
static uint64_t rank_of(uint64_t member, uint64_t n, uint64_t power)
{
    uint64_t joined = n - power;

    return member < joined ? 2 * member + 1 : member + joined;
}

/* Partners at distances 1, 2, 4, ...; at distance d each way share(d) / of, in
 * s->messages messages. */
static int doubling(const struct sending *s,
                    uint64_t (*share)(uint64_t d, uint64_t power),
                    uint64_t of,
                    uint64_t joins)
{
    const uint64_t n = s->call->n, power = power_below(n);
    const struct sending join = with_messages(s, 1);
    int error = 0;

    for (uint64_t j = 0; error == 0 && j < n - power; j++)
        error = tell(&join, 0, ALGORITHM_BOTH, 2 * j, 2 * j + 1, joins, 1);
    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = 0; error == 0 && m < power; m++)
            if (!(m & d))
                error =
                    tell(s, 1 + level(d), ALGORITHM_BOTH, rank_of(m, n, power),
                         rank_of(m ^ d, n, power), 2 * share(d, power), of);
    return error;
}

static uint64_t whole(uint64_t d, uint64_t power)
{
    (void)d;
    (void)power;
    return 1;
}

/* The d'th part of as many parts as there are partners. */
static uint64_t halves(uint64_t d, uint64_t power)
{
    return power / d;
}

/* The other way round: d parts at distance d. */
static uint64_t doubles(uint64_t d, uint64_t power)
{
    (void)power;
    return d;
}

/* To the rank that is d before, for d = 1, 2, 4, ...: of an allgather as many
 * blocks as there are yet, of an alltoall those whose number has that bit. */
static int bruck(const struct sending *s, bool is_alltoall)
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

/* An even number of ranks exchanges with both neighbours in turns: one block at
 * first, then two at a time. */
static int neighbours(const struct sending *s)
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

/* One `of`th of the bytes both ways between all, with one rank after the
 * other. */
static int each(const struct sending *s, uint64_t of)
{
    const uint64_t n = s->call->n;
    int error = 0;

    for (uint64_t a = 0; a < n; a++)
        for (uint64_t b = a + 1; error == 0 && b < n; b++)
            error = tell(s, batch_of(least(b - a, n - (b - a)), n / 2 + 1),
                         ALGORITHM_BOTH, a, b, 2, of);
    return error;
}

/* A block from each to each, a rank to `together` others at a time: those that
 * are that much before it, or, by_bits, those whose number differs from its own
 * in these bits. */
static int scattered(const struct sending *s, uint64_t together, bool by_bits)
{
    const uint64_t n = s->call->n, turns = (n - 1) / together + 1;
    int error = 0;

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

static int prefix(const struct sending *s)
{
    int error = 0;

    for (uint64_t d = 1; d < s->call->n; d *= 2)
        for (uint64_t r = 0; error == 0 && r + d < s->call->n; r++)
            error = tell(s, level(d), ALGORITHM_FORTH, r, r + d, 1, 1);
    return error;
}

/* MPICH: binomial below 12 KiB or 8 ranks; else a binomial scatter and an
 * allgather, by doubling below 512 KiB and a power of two, else by a ring. */
static int bcast(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;
    struct sending then = *s;
    int error;

    if (s->call->library == ALGORITHM_OPEN_MPI)
        return size < 2048     ? binomial(s, false, 1)
               : size < 370728 ? binary(s, true)
                               : chain(s);
    if (size < 12288 || n < 8)
        return binomial(s, false, 1);
    error = binomial(s, true, n);
    if (error != 0)
        return error;
    then.stage += level(n - 1) + 1;
    return size < 524288 && is_power(n) ? doubling(&then, doubles, n, 0)
                                        : ring(&then, n - 1, n);
}

/* Rabenseifner: a reduce-scatter, in which ranks at distance d give each other
 * the half of what they have yet, 1 / 2d; then the parts go to the root, by
 * distance power / 2, ..., 2, 1. (MPICH has rank XOR d; taken relative to the
 * root these are other pairs of the same kind, unless that is 0.) */
static int reduce_by_halves(const struct sending *s)
{
    const uint64_t n = s->call->n, power = power_below(n);
    int error = doubling(s, halves, 2 * power, 1);

    for (uint64_t d = 1; d < power; d *= 2)
        for (uint64_t m = d; error == 0 && m < 2 * d; m++)
            error = tell(s, 2 + 2 * (uint64_t)level(power) - level(d),
                         ALGORITHM_BACK, rank_of(m - d, n, power),
                         rank_of(m, n, power), 1, 2 * d);
    return error;
}

/* MPICH: binomial up to 2 KiB, or less than an element for each rank. */
static int reduce(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n, power = power_below(n);

    if (s->call->library == ALGORITHM_OPEN_MPI) {
        if (n < 8)
            return size < 512     ? star(s)
                   : size < 20480 ? binomial(s, false, 1)
                                  : chain(s);
        return size < 2048 || (double)n > 0.6016 / 1024 * (double)size + 1.3496
                   ? binary(s, false)
                   : chain(s);
    }
    if (size <= 2048 || size / 8 < power)
        return binomial(s, false, 1);
    return reduce_by_halves(s);
}

static int allreduce(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n, power = power_below(n);
    const struct sending both = with_messages(s, 2);

    if (s->call->library == ALGORITHM_OPEN_MPI && size >= 10000 && size / 8 > n)
        return ring(s, 2 * (n - 1), n);
    if (s->call->library == ALGORITHM_OPEN_MPI || size <= 2048 ||
        size / 8 < power)
        return doubling(s, whole, 1, 2);
    return doubling(&both, halves, power, 2); /* there and back */
}

static int allgather(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;
    const double total = (double)size * (double)n;

    if (s->call->library == ALGORITHM_OPEN_MPI) {
        if (total < 50000 && n > 2)
            return is_power(n) ? doubling(s, doubles, 1, 0) : bruck(s, false);
        return n % 2 == 0 ? neighbours(s) : ring(s, n - 1, 1);
    }
    if (total < 524288 && is_power(n))
        return doubling(s, doubles, 1, 0);
    return total < 81920 ? bruck(s, false) : ring(s, n - 1, 1);
}

/* Blocks that are long go to one rank after the other; shorter ones to all
 * (Open MPI), to 32 at a time (MPICH), or to 4 (MVAPICH2). */
static int alltoall(const struct sending *s, uint64_t size)
{
    const enum algorithm_library library = s->call->library;
    const uint64_t n = s->call->n;

    if (library == ALGORITHM_OPEN_MPI)
        return size < 200 && n > 12  ? bruck(s, true)
               : !s->call->in_stages ? each(s, 1)
                                     : scattered(s, size < 3000 ? n : 1, false);
    if (size <= 256 && n >= 8)
        return bruck(s, true);
    if (!s->call->in_stages)
        return each(s, 1);
    if (size <= 32768)
        return scattered(s, library == ALGORITHM_MPICH ? 32 : 4, false);
    return scattered(s, 1, is_power(n));
}

/* size: of the whole vector. */
static int reduce_scatter(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n, power = power_below(n);

    if (s->call->library == ALGORITHM_OPEN_MPI)
        return size <= 12288 || (size <= 262144 && is_power(n))
                   ? doubling(s, doubles, power, 1)
                   : ring(s, n - 1, n);
    return size < 524288 ? doubling(s, doubles, power, 1) : each(s, n);
}

static int gather_or_scatter(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;
    bool is_scatter = strcmp(s->call->type, "scatter") == 0;

    if (s->call->library != ALGORITHM_OPEN_MPI ||
        (is_scatter ? n > 10 && size < 300
                    : size <= 6000 && (n > 60 || (n > 10 && size < 1024))))
        return binomial(s, true, 1);
    return star(s);
}

static struct sending sending_of(const struct algorithm_call *call,
                                 algorithm_pair pair,
                                 void *arg)
{
    return (struct sending){.call = call,
                            .pair = pair,
                            .arg = arg,
                            .messages = 1,
                            .is_up = strcmp(call->type, "reduce") == 0 ||
                                     strcmp(call->type, "gather") == 0};
}

int algorithm_expand_tree(const struct algorithm_call *call,
                          algorithm_pair pair,
                          void *arg)
{
    const struct sending s = sending_of(call, pair, arg);

    return call->n < 2 ? 0 : binomial(&s, false, 1);
}

int algorithm_expand(const struct algorithm_call *call,
                     algorithm_pair pair,
                     void *arg)
{
    static const struct {
        const char *type;
        int (*expand)(const struct sending *s, uint64_t size);
    } known[] = {
        {"bcast", bcast},
        {"reduce", reduce},
        {"allreduce", allreduce},
        {"allgather", allgather},
        {"alltoall", alltoall},
        {"reduce_scatter", reduce_scatter},
        {"reduce_scatter_block", reduce_scatter},
        {"gather", gather_or_scatter},
        {"scatter", gather_or_scatter},
    };
    const struct sending s = sending_of(call, pair, arg);
    const uint64_t size = call->calls > 0 ? call->bytes / call->calls : 0;

    if (call->n < 2)
        return 0;
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(call->type, known[i].type) == 0)
            return known[i].expand(&s, size);
    if (strcmp(call->type, "scan") == 0 || strcmp(call->type, "exscan") == 0)
        return prefix(&s);
    return doubling(&s, whole, 1, 2);
}

uint64_t algorithm_most_pairs(const char *type, uint64_t n)
{
    if (strcmp(type, "alltoall") == 0 ||
        strncmp(type, "reduce_scatter", 14) == 0)
        return n * (n - 1) / 2 > 64 * n ? n * (n - 1) / 2 : 64 * n;
    return 64 * n;
}
