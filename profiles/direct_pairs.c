/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* direct_pairs.c - collectives as pairs without a library */
#include "config.h"

#include "profiles/direct_pairs.h"

#include "base/error.h"

#include <string.h>

struct telling {
    const struct algorithm_call *call;
    algorithm_pair pair;
    void *arg;
};

static int tell(const struct telling *t, uint64_t a, uint64_t b, uint64_t bytes)
{
    return t->pair(t->arg,
                   &(struct algorithm_flow){
                       .a = a, .b = b, .bytes = bytes, .way = ALGORITHM_BOTH});
}

/* The root with each other task, or a binomial tree of which it is the root.
 * blocks: an edge carries one block for each task below it. */
static int rooted(const struct telling *t, bool is_tree, bool blocks)
{
    const uint64_t n = t->call->n, root = t->call->root;
    int error = 0;

    for (uint64_t r = 1; error == 0 && r < n; r++) {
        const uint64_t lowest = r & (~r + 1);
        const uint64_t below = lowest < n - r ? lowest : n - r;
        uint64_t carried = t->call->bytes;
        if (is_tree && blocks &&
            __builtin_mul_overflow(carried, below, &carried))
            return MAPCORE_ERANGE;
        error = tell(t, (root + (is_tree ? r - lowest : 0)) % n, (root + r) % n,
                     carried);
    }
    return error;
}

static int doubling(const struct telling *t)
{
    const uint64_t n = t->call->n;
    const bool power_of_two = (n & (n - 1)) == 0;
    int error = 0;

    for (uint64_t d = 1; d < n; d *= 2)
        for (uint64_t r = 0; error == 0 && r < n; r++)
            error = tell(t, r, power_of_two ? (r ^ d) : (r + d) % n,
                         t->call->bytes);
    return error;
}

static int prefix(const struct telling *t)
{
    int error = 0;

    for (uint64_t d = 1; d < t->call->n; d *= 2)
        for (uint64_t r = 0; error == 0 && r + d < t->call->n; r++)
            error = tell(t, r, r + d, t->call->bytes);
    return error;
}

/* Both directions of each pair. */
static int each(const struct telling *t)
{
    int error = 0;

    if (t->call->bytes > UINT64_MAX / 2)
        return MAPCORE_ERANGE;
    for (uint64_t a = 0; a < t->call->n; a++)
        for (uint64_t b = a + 1; error == 0 && b < t->call->n; b++)
            error = tell(t, a, b, 2 * t->call->bytes);
    return error;
}

int direct_expand(const struct algorithm_call *call,
                  bool is_tree,
                  algorithm_pair pair,
                  void *arg)
{
    const struct telling t = {call, pair, arg};
    const char *type = call->type;

    if (strcmp(type, "bcast") == 0 || strcmp(type, "reduce") == 0)
        return rooted(&t, is_tree, false);
    if (strcmp(type, "scatter") == 0 || strcmp(type, "gather") == 0)
        return rooted(&t, is_tree, true);
    if (strcmp(type, "scan") == 0 || strcmp(type, "exscan") == 0)
        return prefix(&t);
    if (strcmp(type, "allgather") == 0 || strcmp(type, "alltoall") == 0)
        return each(&t);
    return doubling(&t);
}
