/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* openmpi.c - the shapes of Open MPI's algorithms, by their numbers */
#include "config.h"

#include "profiles/openmpi.h"

#include "profiles/openmpi_table.h"

#include <stddef.h>
#include <string.h>

static int bcast(const struct sending *s, unsigned algorithm)
{
    switch (algorithm) {
    case 1:
        return shape_star(s);
    case 2:
    case 3:
        return shape_chain(s);
    case 4:
        return shape_binary(s, true);
    case 5:
        return shape_binary(s, false);
    case 6:
        return shape_binomial_high(s);
    case 7:
        return shape_quadnomial(s);
    default:
        return shape_scatter_allgather(s, algorithm == 9);
    }
}

static int by_halves(const struct sending *s)
{
    struct sending even = *s;

    even.even_stays = true;
    return shape_reduce_by_halves(&even);
}

static int reduce(const struct sending *s, unsigned algorithm)
{
    switch (algorithm) {
    case 1:
        return shape_star(s);
    case 2:
    case 3:
        return shape_chain(s);
    case 5:
        return shape_binomial(s, false, 1);
    case 7:
        return by_halves(s);
    default:
        return shape_binary(s, false);
    }
}

static int gather_or_scatter(const struct sending *s, unsigned algorithm)
{
    return algorithm == 2 ? shape_binomial(s, true, 1) : shape_star(s);
}

/* A reduce to the first rank, and then what begins there: of as many bytes. */
static int reduce_and(const struct sending *s, uint64_t size, const char *type)
{
    struct algorithm_call call = *s->call;
    struct sending part = *s;
    int error;

    call.root = 0;
    call.type = "reduce";
    part.call = &call;
    part.is_up = true;
    error = reduce(&part, openmpi_table_find(call.type, call.n, size));
    if (error != 0)
        return error;
    call.type = type;
    part.is_up = false;
    part.stage += ALGORITHM_THEN;
    if (strcmp(type, "bcast") == 0)
        return bcast(&part, openmpi_table_find(type, call.n, size));
    call.bytes /= call.n;
    return gather_or_scatter(&part,
                             openmpi_table_find(type, call.n, size / call.n));
}

static int allreduce(const struct sending *s, uint64_t size, unsigned algorithm)
{
    const uint64_t n = s->call->n, power = shape_power_below(n);
    struct sending both = shape_with_messages(s, 2);

    both.even_stays = true;
    if (algorithm == 2)
        return reduce_and(s, size, "bcast");
    if ((algorithm == 4 || algorithm == 5) && size / 8 >= n)
        return shape_ring(s, 2 * (n - 1), n);
    return algorithm == 6 && size / 8 >= power
               ? shape_doubling(&both, shape_halves, power, 2)
               : shape_doubling(s, shape_whole, 1, 2);
}

static int allgather(const struct sending *s, unsigned algorithm)
{
    const uint64_t n = s->call->n;

    switch (algorithm) {
    case 2:
        return shape_bruck(s, false);
    case 3:
        return shape_is_power(n) ? shape_doubling(s, shape_doubles, 1, 0)
                                 : shape_bruck(s, false);
    case 5:
        return n % 2 == 0 ? shape_neighbours(s) : shape_ring(s, n - 1, 1);
    default:
        return shape_ring(s, n - 1, 1);
    }
}

static int alltoall(const struct sending *s, unsigned algorithm)
{
    if (algorithm == 3)
        return shape_bruck(s, true);
    return s->call->in_stages
               ? shape_scattered(s, algorithm == 2 ? 1 : s->call->n, false)
               : shape_each(s, 1);
}

static int reduce_scatter(const struct sending *s,
                          uint64_t size,
                          unsigned algorithm)
{
    const uint64_t n = s->call->n;
    const bool is_block = strcmp(s->call->type, "reduce_scatter_block") == 0;

    if (algorithm == 1)
        return reduce_and(s, size, "scatter");
    return algorithm == 3 && !is_block
               ? shape_ring(s, n - 1, n)
               : shape_doubling(s, shape_doubles, shape_power_below(n), 1);
}

unsigned openmpi_choose(const struct sending *s, uint64_t size)
{
    const char *type = s->call->type;
    const uint64_t n = s->call->n;
    const bool is_block = strcmp(type, "reduce_scatter_block") == 0;

    return openmpi_table_find(type, n, is_block ? size / n : size);
}

int openmpi_expand(const struct sending *s, uint64_t size, unsigned algorithm)
{
    const char *type = s->call->type;

    if (strcmp(type, "bcast") == 0)
        return bcast(s, algorithm);
    if (strcmp(type, "reduce") == 0)
        return reduce(s, algorithm);
    if (strcmp(type, "allreduce") == 0)
        return allreduce(s, size, algorithm);
    if (strcmp(type, "allgather") == 0)
        return allgather(s, algorithm);
    if (strcmp(type, "alltoall") == 0)
        return alltoall(s, algorithm);
    if (strncmp(type, "reduce_scatter", 14) == 0)
        return reduce_scatter(s, size, algorithm);
    return gather_or_scatter(s, algorithm);
}

int openmpi_expand_nonblocking(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;

    if (strcmp(s->call->type, "bcast") == 0)
        return n <= 4 ? shape_star(s) : shape_binomial_high(s);
    return n > 2 && size / 8 >= shape_power_below(n)
               ? by_halves(s)
               : shape_binomial(s, false, 1);
}
