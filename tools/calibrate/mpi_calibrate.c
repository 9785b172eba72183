/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_calibrate.c - an MPI program that measures how fast its ranks reach each
 * other, for topomap calibrate. It needs nothing but mpi.h: a site builds it
 * with its own MPI, mpicc -o mpi-calibrate mpi_calibrate*.c */
#include "mpi_calibrate.h"

#include <mpi.h>

#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SAMPLES = 9,       /* of which the median counts */
    MOST_BATCH = 4096, /* exchanges a sample */
    WINDOW = 256,      /* messages under way at once */
};

/* A set of pairs of ranks, no rank twice: the lower one of each begins. */
struct rank_pairs {
    int n;
    int *peer; /* [size], -1: takes no part */
};

static int rank, size;
static struct rank_place *places; /* [size] */
static char *sent, *received;
static int as_json, as_csv;
static double sample_s = 0.005; /* at least so long */
static int nlengths = NLENGTHS;
static int done, planned;
static double began;

/* MPICH 4.2 returns from MPI_Abort where Slurm's pmi2 ends the others. */
static void end_all(void)
{
    MPI_Abort(MPI_COMM_WORLD, 1);
    _exit(1);
}

static void fail(const char *text)
{
    fprintf(stderr, "topomap calibrate: %s\n", text);
    end_all();
}

static void *need(size_t n)
{
    void *memory = calloc(n ? n : 1, 1);

    if (!memory)
        fail("no memory");
    return memory;
}

/* ---- which pairs exchange */

static void pairs_clear(struct rank_pairs *pairs)
{
    free(pairs->peer);
    pairs->peer = NULL;
}

/* Up to most pairs that are that far apart, each rank once; from and to: only
 * between these two nodes, or NULL. */
static void pairs_find(struct rank_pairs *out,
                       enum apart least,
                       enum apart last,
                       int most,
                       const char *from,
                       const char *to)
{
    out->n = 0;
    out->peer = need((size_t)size * sizeof(*out->peer));
    for (int i = 0; i < size; i++)
        out->peer[i] = -1;
    for (int i = 0; i < size && out->n < most; i++)
        for (int j = i + 1; j < size && out->peer[i] < 0; j++) {
            const enum apart level = level_of(&places[i], &places[j]);
            if (out->peer[j] >= 0 || level < least || level > last ||
                (from && (strcmp(places[i].node, from) != 0 ||
                          strcmp(places[j].node, to) != 0)))
                continue;
            out->peer[i] = j;
            out->peer[j] = i;
            out->n++;
        }
}

/* How many caches, packages, nodes or leaf switches there are that pairs so far
 * apart come from: ranks that are nearer to each other share one. */
static int count_parts(const struct rank_pairs *pairs, enum apart level)
{
    int n = 0;

    for (int i = 0; i < size; i++) {
        int j = 0;

        while (j < i && (pairs->peer[j] < 0 ||
                         level_of(&places[i], &places[j]) >= level))
            j++;
        n += pairs->peer[i] >= 0 && j == i;
    }
    return n;
}

/* ---- measuring */

/* Seconds of so many exchanges, both ways at once, of this rank's pair. */
static double exchange(int peer, int length, int times)
{
    double took = MPI_Wtime();

    for (int i = 0; i < times; i++)
        MPI_Sendrecv(sent, length, MPI_BYTE, peer, 0, received, length,
                     MPI_BYTE, peer, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    took = MPI_Wtime() - took;
    return took;
}

/* The same there and back, one way at a time. */
static double bounce(int peer, int length, int times)
{
    double took = MPI_Wtime();

    for (int i = 0; i < times; i++)
        for (int turn = 0; turn < 2; turn++)
            if ((rank < peer) == (turn == 0))
                MPI_Send(sent, length, MPI_BYTE, peer, 0, MPI_COMM_WORLD);
            else
                MPI_Recv(received, length, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                         MPI_STATUS_IGNORE);
    return MPI_Wtime() - took;
}

/* A window of messages from the lower rank, which the other one answers. */
static double flood(int peer, int length, int times)
{
    static MPI_Request request[WINDOW];
    /* MPICH's MPI_STATUSES_IGNORE is an address that gcc warns of. */
    static MPI_Status status[WINDOW];
    const int sends = rank < peer;
    double took = MPI_Wtime();

    for (int i = 0; i < times; i++) {
        for (int k = 0; k < WINDOW; k++)
            if (sends)
                MPI_Isend(sent, length, MPI_BYTE, peer, 0, MPI_COMM_WORLD,
                          &request[k]);
            else
                MPI_Irecv(received + (size_t)k * (size_t)length, length,
                          MPI_BYTE, peer, 0, MPI_COMM_WORLD, &request[k]);
        MPI_Waitall(WINDOW, request, status);
        if (sends)
            MPI_Recv(received, 1, MPI_BYTE, peer, 1, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        else
            MPI_Send(sent, 1, MPI_BYTE, peer, 1, MPI_COMM_WORLD);
    }
    return MPI_Wtime() - took;
}

typedef double measure_pair(int peer, int length, int times);

/* Seconds of one, over the slowest pair. */
static double sample(const struct rank_pairs *pairs,
                     measure_pair *how,
                     int length,
                     int times)
{
    double took = 0, slowest;

    MPI_Barrier(MPI_COMM_WORLD);
    if (pairs->peer[rank] >= 0)
        took = how(pairs->peer[rank], length, times);
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest / times;
}

static int ascending(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Batches long enough for the clock; the first one warms up. */
static double median(const struct rank_pairs *pairs,
                     measure_pair *how,
                     int length)
{
    double took[SAMPLES], once = sample(pairs, how, length, 2);
    int times;

    once = sample(pairs, how, length, 2);
    times = once > 0 && sample_s / once < MOST_BATCH ? (int)(sample_s / once)
                                                     : MOST_BATCH;
    times = times < 1 ? 1 : times;
    for (int i = 0; i < SAMPLES; i++)
        took[i] = sample(pairs, how, length, times);
    qsort(took, SAMPLES, sizeof(took[0]), ascending);
    return took[SAMPLES / 2];
}

static void progress(const char *what)
{
    const double spent = MPI_Wtime() - began;

    if (rank == 0)
        fprintf(stderr, "topomap calibrate: %d of %d, %s, about %.0f s left\n",
                done, planned, what,
                done > 0 ? spent / done * (planned - done) : 0);
}

static void measure(struct timing *row,
                    const struct rank_pairs *pairs,
                    const char *what)
{
    int first = 0;

    row->pairs = pairs->n;
    if (pairs->n == 0)
        return;
    while (pairs->peer[first] < 0)
        first++;
    const struct rank_place *peer = &places[pairs->peer[first]];
    row->parts = count_parts(pairs, level_of(&places[first], peer));
    row->hops = hops_between(&places[first], peer);
    progress(what);
    for (int i = 0; i < nlengths; i++)
        row->round_trip[i] =
            median(pairs, pairs->n == 1 ? bounce : exchange, lengths[i]);
    done++;
}

static void measure_messages(struct timing *row, const struct rank_pairs *pairs)
{
    if (pairs->n > 0)
        row->message = median(pairs, flood, 1) / WINDOW;
}

/* ---- the run */

/* Any other node than the first rank's. */
static const char *other_node(void)
{
    for (int i = 1; i < size; i++)
        if (strcmp(places[i].node, places[0].node) != 0)
            return places[i].node;
    return NULL;
}

static int ranks_on(const char *node)
{
    int n = 0;

    for (int i = 0; node && i < size; i++)
        n += strcmp(places[i].node, node) == 0;
    return n;
}

static void measure_levels(struct calibration *results)
{
    struct rank_pairs pairs;

    for (int level = 0; level < NLEVELS; level++)
        for (int all = 0; all < 2; all++) {
            pairs_find(&pairs, (enum apart)level, (enum apart)level,
                       all ? INT_MAX : 1, NULL, NULL);
            if (!all || pairs.n > 1)
                measure(all ? &results->all[level] : &results->alone[level],
                        &pairs, level_names[level]);
            pairs_clear(&pairs);
        }
}

/* 1, 2, 4 ... pairs of one node, and of it and another. */
static void measure_counts(struct calibration *results)
{
    const char *node = places[0].node, *other = other_node();
    const int most = ranks_on(node);
    struct rank_pairs pairs;

    for (int n = 1; n <= most; n *= 2) {
        pairs_find(&pairs, CACHE, NODE, n, node, node);
        if (pairs.n == n) {
            measure(&results->inside[results->ncounts], &pairs, "in a node");
            if (n == 1)
                measure_messages(&results->inside[results->ncounts], &pairs);
        }
        pairs_clear(&pairs);
        if (other) {
            pairs_find(&pairs, LEAF, ACROSS, n, node, other);
            if (pairs.n == n) {
                measure(&results->between[results->ncounts], &pairs,
                        "between two nodes");
                measure_messages(&results->between[results->ncounts], &pairs);
            }
            pairs_clear(&pairs);
        }
        results->ncounts++;
    }
}

static const char *read_options(int argc, char **argv)
{
    const char *path = NULL;
    long longest;

    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (strcmp(argv[i], "--json") == 0)
            as_json = 1;
        else if (strcmp(argv[i], "--csv") == 0)
            as_csv = 1;
        else if (strcmp(argv[i], "--output") == 0 && i + 1 < argc)
            path = argv[++i];
        else if (strcmp(argv[i], "--sample") == 0 && i + 1 < argc &&
                 (sample_s = strtod(argv[++i], &end)) > 0 && *end == '\0')
            continue;
        else if (strcmp(argv[i], "--longest") == 0 && i + 1 < argc &&
                 (longest = strtol(argv[++i], &end, 10)) > 0 && *end == '\0')
            while (nlengths > 1 && lengths[nlengths - 1] > longest)
                nlengths--;
        else
            fail("usage: mpi-calibrate [--output FILE] [--sample SECONDS] "
                 "[--longest BYTES] [--json | --csv]");
    }
    return path;
}

/* Before an hour is spent on what cannot be kept. */
static void check_output(const char *path)
{
    char folder[PATHS];

    if (!path || rank != 0)
        return;
    if (strlen(path) >= PATHS)
        fail("the name of --output is too long");
    snprintf(folder, sizeof(folder), "%s", path);
    char *slash = strrchr(folder, '/');
    snprintf(slash ? slash + 1 : folder, 2, slash ? "" : ".");
    if (access(folder, W_OK) != 0)
        fail("the folder of --output cannot be written to");
}

int main(int argc, char **argv)
{
    struct calibration results = {0};
    struct rank_place own;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    const char *path = read_options(argc, argv);
    check_output(path);
    if (size < 2)
        fail("two ranks at least are needed: is srun's --mpi= missing?");
    places = need((size_t)size * sizeof(*places));
    sent = need((size_t)lengths[NLENGTHS - 1]);
    received = need((size_t)lengths[NLENGTHS - 1]);
    place_find(&own);
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, places, sizeof(own), MPI_BYTE,
                  MPI_COMM_WORLD);
    results.inside = need(32 * sizeof(*results.inside));
    results.between = need(32 * sizeof(*results.between));
    began = MPI_Wtime();
    for (int n = 1; n <= ranks_on(places[0].node); n *= 2)
        planned += 2;
    planned += 6;
    measure_levels(&results);
    measure_counts(&results);
    if (rank == 0) {
        if (as_json)
            results_print_json(&results);
        else if (as_csv)
            results_print_csv(&results);
        else
            results_print(&results);
        fflush(stdout);
        if (path && results_write(path, &results) != 0) {
            fprintf(stderr, "topomap calibrate: %s: %s\n", path,
                    strerror(errno));
            end_all();
        }
    }
    MPI_Finalize();
    return 0;
}
