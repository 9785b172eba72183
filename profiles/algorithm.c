/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* algorithm.c - which shape a collective has in an MPI library, by ranks and
 * bytes */
#include "config.h"

#include "profiles/algorithm.h"

#include "profiles/openmpi.h"
#include "profiles/shapes.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum algorithm_library algorithm_library_of(const char *version)
{
    static const char open_mpi[] = "Open MPI v";
    const char *number = version ? strstr(version, open_mpi) : NULL;
    char *rest;

    if (number) {
        const long major = strtol(number + sizeof(open_mpi) - 1, &rest, 10);
        const long minor = *rest == '.' ? strtol(rest + 1, NULL, 10) : 0;

        return major >= 5                 ? ALGORITHM_OPEN_MPI_5
               : major == 4 && minor >= 1 ? ALGORITHM_OPEN_MPI_4_1
                                          : ALGORITHM_OPEN_MPI;
    }
    if (version && strstr(version, "Open MPI"))
        return ALGORITHM_OPEN_MPI;
    return version && strstr(version, "SMPI")      ? ALGORITHM_SMPI
           : version && strstr(version, "MVAPICH") ? ALGORITHM_MVAPICH
                                                   : ALGORITHM_MPICH;
}

static bool is_open_mpi(const struct sending *s)
{
    return s->call->library == ALGORITHM_OPEN_MPI;
}

/* MPICH: binomial below 12 KiB or 8 ranks; else a scatter and an allgather, by
 * doubling below 512 KiB and a power of two. */
static int bcast(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;

    if (is_open_mpi(s))
        return size < 2048     ? shape_binomial_high(s)
               : size < 370728 ? shape_binary(s, true)
                               : shape_chain(s);
    return size < 12288 || n < 8 ? shape_binomial(s, false, 1)
                                 : shape_scatter_allgather(
                                       s, size >= 524288 || !shape_is_power(n));
}

/* MPICH: binomial up to 2 KiB, or less than an element for each rank. */
static int reduce(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n, power = shape_power_below(n);

    if (is_open_mpi(s)) {
        if (n < 8)
            return size < 512     ? shape_star(s)
                   : size < 20480 ? shape_binomial(s, false, 1)
                                  : shape_chain(s);
        return size < 2048 || (double)n > 0.6016 / 1024 * (double)size + 1.3496
                   ? shape_binary(s, false)
                   : shape_chain(s);
    }
    if (size <= 2048 || size / 8 < power)
        return shape_binomial(s, false, 1);
    return shape_reduce_by_halves(s);
}

static int allreduce(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n, power = shape_power_below(n);
    const struct sending both = shape_with_messages(s, 2);

    if (is_open_mpi(s) && size >= 10000 && size / 8 > n)
        return shape_ring(s, 2 * (n - 1), n);
    if (is_open_mpi(s) || size <= 2048 || size / 8 < power)
        return shape_doubling(s, shape_whole, 1, 2);
    return shape_doubling(&both, shape_halves, power, 2); /* there and back */
}

static int allgather(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;
    const double total = (double)size * (double)n;

    if (is_open_mpi(s)) {
        if (total < 50000 && n > 2)
            return shape_is_power(n) ? shape_doubling(s, shape_doubles, 1, 0)
                                     : shape_bruck(s, false);
        return n % 2 == 0 ? shape_neighbours(s) : shape_ring(s, n - 1, 1);
    }
    if (total < 524288 && shape_is_power(n))
        return shape_doubling(s, shape_doubles, 1, 0);
    return total < 81920 ? shape_bruck(s, false) : shape_ring(s, n - 1, 1);
}

/* Blocks that are long go to one rank after the other; shorter ones to all
 * (Open MPI), to 32 at a time (MPICH), or to 4 (MVAPICH2). */
static int alltoall(const struct sending *s, uint64_t size)
{
    const enum algorithm_library library = s->call->library;
    const uint64_t n = s->call->n;

    if (is_open_mpi(s))
        return size < 200 && n > 12 ? shape_bruck(s, true)
               : !s->call->in_stages
                   ? shape_each(s, 1)
                   : shape_scattered(s, size < 3000 ? n : 1, false);
    if (size <= 256 && n >= 8)
        return shape_bruck(s, true);
    if (!s->call->in_stages)
        return shape_each(s, 1);
    if (size <= 32768)
        return shape_scattered(s, library == ALGORITHM_MPICH ? 32 : 4, false);
    return shape_scattered(s, 1, shape_is_power(n));
}

/* size: of the whole vector. */
static int reduce_scatter(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n, power = shape_power_below(n);

    if (is_open_mpi(s))
        return size <= 12288 || (size <= 262144 && shape_is_power(n))
                   ? shape_doubling(s, shape_doubles, power, 1)
                   : shape_ring(s, n - 1, n);
    return size < 524288 ? shape_doubling(s, shape_doubles, power, 1)
                         : shape_each(s, n);
}

static int gather_or_scatter(const struct sending *s, uint64_t size)
{
    const uint64_t n = s->call->n;
    bool is_scatter = strcmp(s->call->type, "scatter") == 0;

    if (!is_open_mpi(s) ||
        (is_scatter ? n > 10 && size < 300
                    : size <= 6000 && (n > 60 || (n > 10 && size < 1024))))
        return shape_binomial(s, true, 1);
    return shape_star(s);
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

    return call->n < 2 ? 0 : shape_binomial(&s, false, 1);
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
    unsigned chosen = 0;

    if (call->n < 2)
        return 0;
    if (call->library == ALGORITHM_LIBNBC)
        return openmpi_expand_nonblocking(&s, size);
    if (call->library == ALGORITHM_OPEN_MPI_4_1 ||
        call->library == ALGORITHM_OPEN_MPI_5)
        chosen = openmpi_choose(&s, size);
    if (chosen > 0)
        return openmpi_expand(&s, size, chosen);
    for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
        if (strcmp(call->type, known[i].type) == 0)
            return known[i].expand(&s, size);
    if (strcmp(call->type, "scan") == 0 || strcmp(call->type, "exscan") == 0)
        return shape_prefix(&s);
    return shape_doubling(&s, shape_whole, 1, 2);
}

uint64_t algorithm_most_pairs(const char *type, uint64_t n)
{
    if (strcmp(type, "alltoall") == 0 ||
        strncmp(type, "reduce_scatter", 14) == 0)
        return n * (n - 1) / 2 > 64 * n ? n * (n - 1) / 2 : 64 * n;
    return 64 * n;
}
