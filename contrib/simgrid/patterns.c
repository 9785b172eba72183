/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* patterns.c - MPI programs that communicate as those of the papers do, with
 * messages of a size that is ours, and print how long an iteration took:
 * patterns NAME GRID [ITERATIONS [COMPUTE_S]] */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 4 };

struct grid {
    int ndims, dims[MOST_DIMS]; /* the first dimension fastest, as ranks go */
};

struct neighbour {
    int rank, bytes; /* there and back */
};

/* One rank's part in an iteration. */
struct exchange {
    int rank, size;
    struct grid grid;
    int nneighbours;
    struct neighbour *neighbours;
    MPI_Comm along[MOST_DIMS]; /* ranks that differ in this dimension alone */
    char *sent, *received;
    MPI_Request *requests; /* [2 * nneighbours] */
};

struct pattern {
    const char *name;
    int ndims;
    int nalong, halo; /* collectives along so many, halos from that one on */
    bool periodic;
    int bytes; /* of a halo's side */
    void (*prepare)(struct exchange *exchange, const struct pattern *pattern);
    void (*run)(const struct exchange *exchange);
};

enum {
    KIB = 1024,
    MOST_NEIGHBOURS = 64,
    MILC_FACE = 48 * KIB,
    WRF_SIDE = 64 * KIB,
    S3D_FACE = 80 * KIB,
    PF3D_BLOCK = 16 * KIB, /* of an alltoall, for each pair */
    PF3D_FACE = 96 * KIB,
    QBOX_BLOCK = 8 * KIB,
    QBOX_VECTOR = 256 * KIB, /* of a bcast and of a reduce */
    CCD_BLOCK = 8 * KIB,
    CCD_SIDE = 64 * KIB,
    FEM_STEP = 24 * KIB, /* borders are of one to three of it */
    VECTOR = 512 * KIB,  /* the buffers: no message is longer */
};

static void *need(size_t n)
{
    void *memory = calloc(n ? n : 1, 1);

    if (!memory) {
        fprintf(stderr, "patterns: no memory\n");
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return memory;
}

static void coordinates(int *at, const struct grid *grid, int rank)
{
    for (int i = 0; i < grid->ndims; i++) {
        at[i] = rank % grid->dims[i];
        rank /= grid->dims[i];
    }
}

static int rank_at(const struct grid *grid, const int *at)
{
    int rank = 0;

    for (int i = grid->ndims - 1; i >= 0; i--)
        rank = rank * grid->dims[i] + at[i];
    return rank;
}

static void add(struct exchange *x, int rank, int bytes)
{
    if (rank == x->rank || x->nneighbours == MOST_NEIGHBOURS)
        return;
    x->neighbours[x->nneighbours++] = (struct neighbour){rank, bytes};
}

static void begin(struct exchange *x)
{
    x->neighbours = need(MOST_NEIGHBOURS * sizeof(*x->neighbours));
    x->requests = need(2 * MOST_NEIGHBOURS * sizeof(MPI_Request));
    x->sent = need(VECTOR);
    x->received = need(VECTOR);
    for (int i = 0; i < MOST_DIMS; i++)
        x->along[i] = MPI_COMM_NULL;
}

/* The two neighbours in a dimension; a ring of two is one neighbour twice. */
static void add_dimension(struct exchange *x, int d, bool periodic, int bytes)
{
    const int n = x->grid.dims[d];
    int at[MOST_DIMS];

    for (int step = -1; step <= 1; step += 2) {
        coordinates(at, &x->grid, x->rank);
        at[d] += step;
        if (!periodic && (at[d] < 0 || at[d] >= n))
            continue;
        at[d] = (at[d] + n) % n;
        add(x, rank_at(&x->grid, at), bytes);
    }
}

static void add_along(struct exchange *x, int d)
{
    int at[MOST_DIMS] = {0};

    coordinates(at, &x->grid, x->rank);
    const int key = at[d];
    at[d] = 0;
    MPI_Comm_split(MPI_COMM_WORLD, rank_at(&x->grid, at), key, &x->along[d]);
}

static void exchange_clear(struct exchange *x)
{
    for (int i = 0; i < MOST_DIMS; i++)
        if (x->along[i] != MPI_COMM_NULL)
            MPI_Comm_free(&x->along[i]);
    free(x->neighbours);
    free(x->requests);
    free(x->sent);
    free(x->received);
}

static void halo(const struct exchange *x)
{
    const int n = x->nneighbours;

    for (int i = 0; i < n; i++)
        MPI_Irecv(x->received, x->neighbours[i].bytes, MPI_BYTE,
                  x->neighbours[i].rank, 0, MPI_COMM_WORLD, &x->requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(x->sent, x->neighbours[i].bytes, MPI_BYTE,
                  x->neighbours[i].rank, 0, MPI_COMM_WORLD,
                  &x->requests[n + i]);
    MPI_Waitall(2 * n, x->requests, MPI_STATUSES_IGNORE);
}

static void transpose(const struct exchange *x, int d, int bytes)
{
    MPI_Alltoall(x->sent, bytes, MPI_BYTE, x->received, bytes, MPI_BYTE,
                 x->along[d]);
}

/* Collectives along the first dimensions, halos along the others. */
static void prepare(struct exchange *x, const struct pattern *pattern)
{
    begin(x);
    for (int d = 0; d < pattern->nalong; d++)
        add_along(x, d);
    for (int d = pattern->halo; d < pattern->ndims; d++)
        add_dimension(x, d, pattern->periodic, pattern->bytes);
}

/* MILC: halos of a 4-D lattice, sums over all. */
static void milc(const struct exchange *x)
{
    double part = 1, sum;

    halo(x);
    MPI_Allreduce(&part, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* pF3D: transposes of planes in x and y for the FFTs, light along z. */
static void pf3d(const struct exchange *x)
{
    transpose(x, 0, PF3D_BLOCK);
    transpose(x, 1, PF3D_BLOCK);
    halo(x);
}

/* Qbox: FFTs within a column of the process grid, wave functions along a row.
 */
static void qbox(const struct exchange *x)
{
    enum { DOUBLES = QBOX_VECTOR / (int)sizeof(double) };

    transpose(x, 0, QBOX_BLOCK);
    MPI_Bcast(x->sent, QBOX_VECTOR, MPI_BYTE, 0, x->along[1]);
    MPI_Reduce(x->sent, x->received, DOUBLES, MPI_DOUBLE, MPI_SUM, 0,
               x->along[1]);
}

/* PSDNS with compact differences: transposes in one dimension, neighbours in
 * the other. */
static void ccd(const struct exchange *x)
{
    transpose(x, 0, CCD_BLOCK);
    halo(x);
}

/* A number of a pair of ranks, the same from both sides. */
static unsigned pair_number(int a, int b, unsigned salt)
{
    unsigned x = (unsigned)(a < b ? a : b) * 2654435761u ^
                 (unsigned)(a < b ? b : a) * 40503u ^ salt * 69069u;

    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return x;
}

/* An irregular mesh: the 26 cells around each, of which two in five touch it,
 * those with a common face always, with borders of three sizes. */
static void fem_prepare(struct exchange *x, const struct pattern *pattern)
{
    int at[MOST_DIMS];

    (void)pattern;
    begin(x);
    for (int cell = 0; cell < 27; cell++) {
        const int step[3] = {cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1};
        const int apart = abs(step[0]) + abs(step[1]) + abs(step[2]);
        bool inside = apart > 0;
        coordinates(at, &x->grid, x->rank);
        for (int d = 0; d < 3; d++) {
            at[d] += step[d];
            inside = inside && at[d] >= 0 && at[d] < x->grid.dims[d];
        }
        const int other = inside ? rank_at(&x->grid, at) : x->rank;
        if (!inside || (apart > 1 && pair_number(x->rank, other, 1) % 5 > 1))
            continue;
        const int steps = 1 + (int)(pair_number(x->rank, other, 2) % 3);
        add(x, other, steps * FEM_STEP / apart);
    }
}

/* The halo of a periodic box, one side after the other: to see what order does
 * (topomap-eval(1)); no paper's. */
static void sweeps(const struct exchange *x)
{
    for (int i = 0; i < x->nneighbours; i++)
        MPI_Sendrecv(
            x->sent, x->neighbours[i].bytes, MPI_BYTE, x->neighbours[i].rank, 0,
            x->received, x->neighbours[i].bytes, MPI_BYTE,
            x->neighbours[i ^ 1].rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Ends with one of no name. */
static const struct pattern patterns[] = {
    {"milc", 4, 0, 0, true, MILC_FACE, prepare, milc},
    {"wrf", 2, 0, 0, false, WRF_SIDE, prepare, halo}, /* halos of a map */
    {"s3d", 3, 0, 0, false, S3D_FACE, prepare, halo}, /* halos of a box */
    {"pf3d", 3, 2, 2, false, PF3D_FACE, prepare, pf3d},
    {"qbox", 2, 2, 2, false, 0, prepare, qbox},
    {"ccd", 2, 1, 1, true, CCD_SIDE, prepare, ccd},
    {"fem", 3, 0, 0, false, 0, fem_prepare, halo},
    {"sweeps", 3, 0, 0, true, S3D_FACE, prepare, sweeps},
    {NULL, 0, 0, 0, false, 0, NULL, NULL},
};

#ifdef PLAIN
/* SMPI lacks it, and there is no recorder that has it. */
int MPI_Pcontrol(const int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}
#endif

#ifndef SMPI_H
/* Under a real MPI: as long by the clock. */
static void compute(double seconds)
{
    const double end = MPI_Wtime() + seconds;
    while (MPI_Wtime() < end)
        continue;
}
#else
static void compute(double seconds)
{
    if (seconds > 0)
        smpi_execute(seconds);
}
#endif

/* "8x8x4" */
static int read_grid(struct grid *grid, const char *text)
{
    grid->ndims = 0;
    do {
        char *end;
        const long n = strtol(text, &end, 10);
        if (end == text || n < 1 || n > 1 << 20 || grid->ndims == MOST_DIMS ||
            (*end && *end != 'x'))
            return -1;
        grid->dims[grid->ndims++] = (int)n;
        text = *end ? end + 1 : NULL;
    } while (text);
    return 0;
}

static const struct pattern *find(const char *name)
{
    for (const struct pattern *pattern = patterns; pattern->name; pattern++)
        if (strcmp(pattern->name, name) == 0)
            return pattern;
    return NULL;
}

/* The iterations, between two times that the slowest rank says. */
static double run(const struct pattern *pattern,
                  const struct exchange *exchange,
                  int iterations,
                  double compute_s)
{
    double took, slowest;

    /* SMPI's first collectives make communicators of their own. */
    MPI_Allreduce(&compute_s, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (int i = 0; i < MOST_DIMS; i++)
        if (exchange->along[i] != MPI_COMM_NULL)
            MPI_Allreduce(&compute_s, &slowest, 1, MPI_DOUBLE, MPI_MAX,
                          exchange->along[i]);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    took = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        compute(compute_s);
        pattern->run(exchange);
    }
    took = (MPI_Wtime() - took) / iterations;
    MPI_Pcontrol(0);
    MPI_Allreduce(&took, &slowest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return slowest;
}

int main(int argc, char **argv)
{
    const struct pattern *pattern = argc > 1 ? find(argv[1]) : NULL;
    const int iterations = argc > 3 ? atoi(argv[3]) : 1;
    const double compute_s = argc > 4 ? atof(argv[4]) : 0;
    struct exchange exchange = {0};
    int product = 1;

    MPI_Init(&argc, &argv);
    MPI_Pcontrol(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &exchange.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &exchange.size);
    if (!pattern || argc < 3 || read_grid(&exchange.grid, argv[2]) < 0 ||
        exchange.grid.ndims != pattern->ndims || iterations < 1 ||
        compute_s < 0) {
        if (exchange.rank == 0)
            fprintf(stderr, "usage: patterns milc|wrf|s3d|pf3d|qbox|ccd|fem "
                            "GRID [ITERATIONS [COMPUTE_S]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < exchange.grid.ndims; i++)
        product *= exchange.grid.dims[i];
    if (product != exchange.size) {
        if (exchange.rank == 0)
            fprintf(stderr, "patterns: %s is not the grid of %d ranks\n",
                    argv[2], exchange.size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    pattern->prepare(&exchange, pattern);
    const double took = run(pattern, &exchange, iterations, compute_s);
    if (exchange.rank == 0)
        printf("%s %s %d %.9f\n", argv[1], argv[2], exchange.size, took);
    exchange_clear(&exchange);
    MPI_Finalize();
    return 0;
}
