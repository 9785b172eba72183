/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* halo.c - an MPI program whose heavy neighbours are far apart in rank order,
 * so that the default layout is a bad one */

/* Rank r < n/2 exchanges HEAVY bytes an iteration with rank r + n/2, and every
 * rank LIGHT bytes with rank r + 1 (a ring). With --where, or HALO_WHERE=1, one
 * line a rank follows the result: rank, node, CPU mask, and the least rank of
 * those that MPI says share memory with it. */

#define _GNU_SOURCE
#include <mpi.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    HEAVY = 65536,
    LIGHT = 1024,
    MASK_BYTES = 1024, /* 8,192 CPUs */
    NAME_BYTES = 256,
    TAG = 7
};

struct place {
    char node[NAME_BYTES];
    unsigned char mask[MASK_BYTES];
    int shared; /* the least world rank in the same shared-memory group */
};

static uint64_t mix(uint64_t state, uint64_t value)
{
    state = (state ^ value) * UINT64_C(0x9e3779b97f4a7c15);
    return state ^ (state >> 29);
}

static void fill(uint64_t *words, size_t bytes, uint64_t state)
{
    for (size_t i = 0; i < bytes / sizeof(*words); i++)
        words[i] = state = mix(state, i);
}

static uint64_t digest(uint64_t state, const uint64_t *words, size_t bytes)
{
    for (size_t i = 0; i < bytes / sizeof(*words); i++)
        state = mix(state, words[i]);
    return state;
}

static int partner_of(int rank, int n)
{
    int half = n / 2;

    if (rank >= 2 * half)
        return MPI_PROC_NULL;
    return rank < half ? rank + half : rank - half;
}

static uint64_t iterate(uint64_t state, int rank, int n)
{
    static uint64_t out[HEAVY / 8], in[HEAVY / 8], left[LIGHT / 8],
        right[LIGHT / 8];
    int partner = partner_of(rank, n);
    int before = n > 1 ? (rank + n - 1) % n : MPI_PROC_NULL;
    int after = n > 1 ? (rank + 1) % n : MPI_PROC_NULL;
    MPI_Request requests[6];

    fill(out, sizeof(out), state);
    memset(in, 0, sizeof(in));
    memset(left, 0, sizeof(left));
    memset(right, 0, sizeof(right));
    MPI_Irecv(in, HEAVY, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(left, LIGHT, MPI_BYTE, before, TAG + 1, MPI_COMM_WORLD,
              &requests[1]);
    MPI_Irecv(right, LIGHT, MPI_BYTE, after, TAG + 2, MPI_COMM_WORLD,
              &requests[2]);
    MPI_Isend(out, HEAVY, MPI_BYTE, partner, TAG, MPI_COMM_WORLD, &requests[3]);
    MPI_Isend(out, LIGHT, MPI_BYTE, after, TAG + 1, MPI_COMM_WORLD,
              &requests[4]);
    MPI_Isend(out, LIGHT, MPI_BYTE, before, TAG + 2, MPI_COMM_WORLD,
              &requests[5]);
    MPI_Waitall(6, requests, MPI_STATUSES_IGNORE);

    state = digest(state, in, sizeof(in));
    state = digest(state, left, sizeof(left));
    return digest(state, right, sizeof(right));
}

static void find_place(struct place *out, int rank)
{
    const char *slurm = getenv("SLURMD_NODENAME");
    MPI_Comm shared;

    memset(out, 0, sizeof(*out));
    if (slurm && *slurm)
        snprintf(out->node, sizeof(out->node), "%s", slurm);
    else if (gethostname(out->node, sizeof(out->node) - 1) != 0)
        snprintf(out->node, sizeof(out->node), "?");
    sched_getaffinity(0, sizeof(out->mask), (cpu_set_t *)(void *)out->mask);

    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank,
                        MPI_INFO_NULL, &shared);
    MPI_Allreduce(&rank, &out->shared, 1, MPI_INT, MPI_MIN, shared);
    MPI_Comm_free(&shared);
}

/* The mask is an array of longs, and the machines that Slurm runs on are
 * little-endian: so byte order is CPU order */
static void print_place(const struct place *place, int rank)
{
    int top = MASK_BYTES - 1;

    while (top > 0 && place->mask[top] == 0)
        top--;
    printf("%d %s 0x%x", rank, place->node, place->mask[top]);
    while (top-- > 0)
        printf("%02x", place->mask[top]);
    printf(" %d\n", place->shared);
}

static void report_places(int rank, int n)
{
    struct place own, *all = NULL;

    if (rank == 0 && !(all = calloc((size_t)n, sizeof(*all))))
        MPI_Abort(MPI_COMM_WORLD, 1);
    find_place(&own, rank);
    MPI_Gather(&own, sizeof(own), MPI_BYTE, all, sizeof(own), MPI_BYTE, 0,
               MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < n; i++)
        print_place(&all[i], i);
    free(all);
}

int main(int argc, char **argv)
{
    const char *wanted = getenv("HALO_WHERE");
    int where = wanted && *wanted && *wanted != '0';
    long iterations = 4;
    uint64_t state, sum = 0;
    int rank, n;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--where") == 0) {
            where = 1;
        } else if (strcmp(argv[i], "--iterations") == 0 && i + 1 < argc) {
            iterations = strtol(argv[++i], NULL, 10);
        } else {
            fprintf(stderr, "usage: halo [--where] [--iterations N]\n");
            return 2;
        }
    }

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &n);
    state = mix(0, (uint64_t)rank + 1);
    for (long i = 0; i < iterations; i++)
        state = iterate(state, rank, n);
    MPI_Reduce(&state, &sum, 1, MPI_UINT64_T, MPI_BXOR, 0, MPI_COMM_WORLD);
    if (rank == 0)
        printf("halo: %d ranks, checksum 0x%016llx\n", n,
               (unsigned long long)sum);
    if (where)
        report_places(rank, n);
    MPI_Finalize();
    return 0;
}
