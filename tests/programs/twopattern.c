/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* twopattern.c - an MPI program with two patterns that want different layouts:
 * a halo exchange, and alltoalls in groups that cut across it */

/* Halo: rank r < n/2 exchanges with r + n/2, as in halo.c. Groups: the ranks of
 * one half that are n / 2 / size apart exchange by MPI_Alltoall.
 *   twopattern [--halo KIB] [--groups KIB] [--iterations N] [--size N]
 * KIB is what a rank sends to each partner in an iteration (0: that pattern is
 * left out), N of --size the ranks of a group. */

#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct setting {
    long halo, groups, iterations, size;
};

static uint64_t mix(uint64_t state, uint64_t value)
{
    state = (state ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return state ^ (state >> 29);
}

static uint64_t digest(uint64_t state, const uint64_t *words, size_t n)
{
    for (size_t i = 0; i < n; i += 61)
        state = mix(state, words[i]);
    return state;
}

static uint64_t *make(size_t words)
{
    uint64_t *made = calloc(words > 0 ? words : 1, sizeof(*made));

    if (!made)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return made;
}

static uint64_t exchange_halo(uint64_t state, int rank, int n, long kib)
{
    size_t words = (size_t)kib * 128;
    int half = n / 2;
    int partner = rank >= 2 * half ? MPI_PROC_NULL
                  : rank < half    ? rank + half
                                   : rank - half;
    uint64_t *out = make(words), *in = make(words);
    MPI_Request requests[2];
    MPI_Status statuses[2];

    for (size_t i = 0; i < words; i++)
        out[i] = mix(state, i);
    MPI_Irecv(in, (int)words, MPI_UINT64_T, partner, 7, MPI_COMM_WORLD,
              &requests[0]);
    MPI_Isend(out, (int)words, MPI_UINT64_T, partner, 7, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Waitall(2, requests, statuses);
    state = digest(state, in, words);
    free(out);
    free(in);
    return state;
}

static uint64_t exchange_groups(uint64_t state, MPI_Comm group, long kib)
{
    size_t words = (size_t)kib * 128;
    uint64_t *out, *in;
    int n;

    MPI_Comm_size(group, &n);
    out = make(words * (size_t)n);
    in = make(words * (size_t)n);
    for (size_t i = 0; i < words * (size_t)n; i++)
        out[i] = mix(state, i);
    MPI_Alltoall(out, (int)words, MPI_UINT64_T, in, (int)words, MPI_UINT64_T,
                 group);
    state = digest(state, in, words * (size_t)n);
    free(out);
    free(in);
    return state;
}

/* Groups lie within one half of the ranks, halo partners never do: of the two
 * one at most is on the same host of two slots. */
static int group_of(int rank, int n, int size)
{
    int half = n / 2 > 0 ? n / 2 : 1;
    int groups = half / size > 0 ? half / size : 1;

    return rank / half * groups + rank % half % groups;
}

static int parse(struct setting *out, int argc, char **argv)
{
    const struct {
        const char *name;
        long *value;
    } options[] = {
        {"--halo", &out->halo},
        {"--groups", &out->groups},
        {"--iterations", &out->iterations},
        {"--size", &out->size},
    };

    for (int i = 1; i < argc; i += 2) {
        size_t k = 0;
        char *end;

        while (k < 4 && strcmp(argv[i], options[k].name) != 0)
            k++;
        if (k == 4 || i + 1 == argc)
            return -1;
        *options[k].value = strtol(argv[i + 1], &end, 10);
        if (*end != '\0' || *options[k].value < 0)
            return -1;
    }
    return out->size > 0 ? 0 : -1;
}

int main(int argc, char **argv)
{
    struct setting setting = {
        .halo = 64, .groups = 64, .iterations = 8, .size = 2};
    uint64_t state, sum = 0;
    MPI_Comm group;
    int rank, n;

    if (parse(&setting, argc, argv) < 0) {
        fprintf(stderr, "usage: twopattern [--halo KIB] [--groups KIB] "
                        "[--iterations N] [--size N]\n");
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    MPI_Comm_split(MPI_COMM_WORLD, group_of(rank, n, (int)setting.size), rank,
                   &group);
    state = mix(0, (uint64_t)rank + 1);
    for (long i = 0; i < setting.iterations; i++) {
        if (setting.halo > 0)
            state = exchange_halo(state, rank, n, setting.halo);
        if (setting.groups > 0)
            state = exchange_groups(state, group, setting.groups);
    }
    MPI_Comm_free(&group);
    MPI_Reduce(&state, &sum, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("twopattern: %d ranks, checksum 0x%016llx\n", n,
               (unsigned long long)sum);
    MPI_Finalize();
    return 0;
}
