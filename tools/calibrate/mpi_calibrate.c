/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_calibrate.c - an MPI program that measures how fast its ranks reach each
 * other, for topomap calibrate. It needs nothing but mpi.h: a site builds it
 * with its own MPI, mpicc -o mpi-calibrate mpi_calibrate.c */
#define _GNU_SOURCE
#include <mpi.h>

#include <limits.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* How far apart two ranks are, the nearest first. */
enum apart { CACHE, NUMA, PACKAGE, NODE, LEAF, ACROSS, NLEVELS };

enum {
    SAMPLES = 9,       /* of which the median counts */
    MOST_BATCH = 4096, /* exchanges a sample */
    WINDOW = 256,      /* messages under way at once */
    NLENGTHS = 9,
    NAME = 256,
};

static const char *const level_names[NLEVELS] = {
    "one cache", "one NUMA node", "one package",
    "one node",  "one leaf",      "across",
};
static const int lengths[NLENGTHS] = {1,     64,     512,     4096,   16384,
                                      65536, 262144, 1048576, 4194304};

/* Where a rank is; -1: not bound to one such place, or not known. */
struct rank_place {
    char node[NAME], leaf[NAME];
    int cache, numa, package;
};

/* A set of pairs of ranks, no rank twice: the lower one of each begins. */
struct rank_pairs {
    int n;
    int *peer; /* [size], -1: takes no part */
};

static int rank, size;
static struct rank_place *places; /* [size] */
static char *sent, *received;
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

/* ---- where ranks are */

/* The first number in a file of the kernel about a CPU. */
static int number_of(int cpu, const char *file)
{
    char path[160];
    int number = -1;

    snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/%s", cpu, file);
    FILE *stream = fopen(path, "re");
    if (!stream)
        return -1;
    if (fscanf(stream, "%d", &number) != 1)
        number = -1;
    fclose(stream);
    return number;
}

static int numa_of(int cpu)
{
    char path[96];

    for (int node = 0; node < 1024; node++) {
        snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/node%d",
                 cpu, node);
        if (access(path, F_OK) == 0)
            return node;
    }
    return -1;
}

/* What all CPUs of the rank have in common. */
static void find_cpus(struct rank_place *place)
{
    cpu_set_t set;
    bool first = true;

    place->cache = place->numa = place->package = -1;
    if (sched_getaffinity(0, sizeof(set), &set) != 0)
        return;
    for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
        if (!CPU_ISSET(cpu, &set))
            continue;
        const int cache = number_of(cpu, "cache/index3/shared_cpu_list");
        const int package = number_of(cpu, "topology/physical_package_id");
        const int numa = numa_of(cpu);
        place->cache = first || place->cache == cache ? cache : -1;
        place->package = first || place->package == package ? package : -1;
        place->numa = first || place->numa == numa ? numa : -1;
        first = false;
    }
}

/* Slurm's words where there are any: s0.s2.n7 is under the leaf switch s0.s2.
 * Nodes of a simulated cluster share their host's name. */
static void place_find(struct rank_place *place)
{
    const char *node = getenv("SLURMD_NODENAME");
    const char *address = getenv("SLURM_TOPOLOGY_ADDR");
    int n;

    memset(place, 0, sizeof(*place));
    if (node)
        snprintf(place->node, NAME, "%s", node);
    else
        MPI_Get_processor_name(place->node, &n);
    if (address && strrchr(address, '.'))
        snprintf(place->leaf, NAME, "%.*s",
                 (int)(strrchr(address, '.') - address), address);
    find_cpus(place);
}

static bool same(int a, int b)
{
    return a >= 0 && a == b;
}

static enum apart level_of(const struct rank_place *a,
                           const struct rank_place *b)
{
    if (strcmp(a->node, b->node) != 0)
        return strcmp(a->leaf, b->leaf) == 0 ? LEAF : ACROSS;
    if (same(a->cache, b->cache))
        return CACHE;
    if (same(a->numa, b->numa))
        return NUMA;
    return same(a->package, b->package) ? PACKAGE : NODE;
}

/* ---- which pairs exchange */

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

/* Seconds of that many exchanges, both ways at once, of this rank's pair. */
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

/* A row for calibrate.py, behind a mark that tells it from all else: the set
 * and its level or number of pairs, the pairs, how many caches, packages, nodes
 * or leaf switches they come from, the leaf switches of the first, seconds for
 * each of many messages of a byte (0: not measured), and by length seconds
 * there and back, or of an exchange of several pairs. */
static void measure(const char *set,
                    int place,
                    const struct rank_pairs *pairs,
                    const char *what)
{
    const bool between = strcmp(set, "between") == 0;
    double took[NLENGTHS], message = 0;
    int first = 0;

    progress(what);
    for (int i = 0; i < nlengths; i++)
        took[i] = median(pairs, pairs->n == 1 ? bounce : exchange, lengths[i]);
    if (between || (place == 1 && strcmp(set, "inside") == 0))
        message = median(pairs, flood, 1) / WINDOW;
    done++;
    if (rank != 0)
        return;
    while (pairs->peer[first] < 0)
        first++;
    const struct rank_place *a = &places[first];
    const struct rank_place *b = &places[pairs->peer[first]];
    printf("topomap-calibrate-row %s %d %d %d %s %s %.17g", set, place,
           pairs->n, count_parts(pairs, level_of(a, b)),
           *a->leaf ? a->leaf : "-", *b->leaf ? b->leaf : "-", message);
    for (int i = 0; i < nlengths; i++)
        printf(" %d %.17g", lengths[i], took[i]);
    putchar('\n');
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

    for (int i = 0; i < size; i++)
        n += strcmp(places[i].node, node) == 0;
    return n;
}

static void measure_levels(void)
{
    struct rank_pairs pairs;

    for (int level = 0; level < NLEVELS; level++)
        for (int all = 0; all < 2; all++) {
            pairs_find(&pairs, (enum apart)level, (enum apart)level,
                       all ? INT_MAX : 1, NULL, NULL);
            if (pairs.n > all)
                measure(all ? "all" : "alone", level, &pairs,
                        level_names[level]);
            free(pairs.peer);
        }
}

/* n pairs of one node, or of it and another. */
static void measure_pairs(int n, const char *node, const char *other)
{
    const bool inside = node == other;
    struct rank_pairs pairs;

    pairs_find(&pairs, inside ? CACHE : LEAF, inside ? NODE : ACROSS, n, node,
               other);
    if (pairs.n == n)
        measure(inside ? "inside" : "between", n, &pairs,
                inside ? "in a node" : "between two nodes");
    free(pairs.peer);
}

static void read_options(int argc, char **argv)
{
    long longest;

    for (int i = 1; i < argc; i++) {
        char *end = NULL;
        if (strcmp(argv[i], "--sample") == 0 && i + 1 < argc &&
            (sample_s = strtod(argv[++i], &end)) > 0 && *end == '\0')
            continue;
        else if (strcmp(argv[i], "--longest") == 0 && i + 1 < argc &&
                 (longest = strtol(argv[++i], &end, 10)) > 0 && *end == '\0')
            while (nlengths > 1 && lengths[nlengths - 1] > longest)
                nlengths--;
        else
            fail("usage: mpi-calibrate [--sample SECONDS] [--longest BYTES]");
    }
}

int main(int argc, char **argv)
{
    struct rank_place own;
    const char *other;
    int most;

    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    read_options(argc, argv);
    if (size < 2)
        fail("two ranks at least are needed: is srun's --mpi= missing?");
    places = need((size_t)size * sizeof(*places));
    sent = need((size_t)lengths[NLENGTHS - 1]);
    received = need((size_t)lengths[NLENGTHS - 1]);
    place_find(&own);
    MPI_Allgather(&own, sizeof(own), MPI_BYTE, places, sizeof(own), MPI_BYTE,
                  MPI_COMM_WORLD);
    began = MPI_Wtime();
    most = ranks_on(places[0].node);
    other = other_node();
    planned = 6;
    for (int n = 1; n <= most; n *= 2)
        planned += 2;
    measure_levels();
    for (int n = 1; n <= most; n *= 2) {
        measure_pairs(n, places[0].node, places[0].node);
        if (other)
            measure_pairs(n, places[0].node, other);
    }
    fflush(stdout);
    MPI_Finalize();
    return 0;
}
