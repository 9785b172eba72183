/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* patterns.c - MPI programs that communicate as those of the papers do, with
 * messages of a size that is ours, and print how long an iteration took:
 * patterns NAME GRID [ITERATIONS [COMPUTE_S]], or two at the same time, the
 * second on the ranks after the first's: patterns NAME+NAME GRID+GRID ... */
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_DIMS = 4, MOST_LEVELS = 4, MOST_JOBS = 2 };

struct grid {
    int ndims, dims[MOST_DIMS]; /* the first dimension fastest, as ranks go */
};

struct neighbour {
    int rank, bytes; /* there and back */
};

/* One rank's part in an iteration. */
struct exchange {
    MPI_Comm all; /* the program's ranks */
    int rank, size;
    struct grid grid;
    int nneighbours;
    struct neighbour *neighbours;
    int nlevels,
        level[MOST_LEVELS + 1]; /* of amg: the first neighbour of each */
    MPI_Comm along[MOST_DIMS];  /* ranks that differ in this dimension alone */
    char *sent, *received;
    MPI_Request *requests; /* [2 * nneighbours] */
};

struct pattern {
    const char *name;
    int ndims;
    int nalong, halo; /* collectives along the first dimensions, halos from this
                         one on */
    bool periodic;
    int bytes; /* of a halo's side */
    void (*prepare)(struct exchange *exchange, const struct pattern *pattern);
    void (*run)(const struct exchange *exchange);
};

enum {
    KIB = 1024,
    MOST_ITERATIONS = 1000, /* beside another job */
    MOST_NEIGHBOURS = 160,
    MILC_FACE = 48 * KIB,
    WRF_SIDE = 64 * KIB,
    S3D_FACE = 80 * KIB,
    PF3D_BLOCK = 16 * KIB, /* of an alltoall, for each pair */
    PF3D_FACE = 96 * KIB,
    QBOX_BLOCK = 8 * KIB,
    QBOX_VECTOR = 256 * KIB, /* of a bcast and of a reduce */
    CCD_BLOCK = 8 * KIB,
    CCD_SIDE = 64 * KIB,
    FEM_STEP = 24 * KIB,    /* borders are of one to three of it */
    FFT_PENCIL = 192 * KIB, /* a rank's part of an alltoall */
    SWEEP_CHUNKS = 3,
    SWEEP_SIDE = 24 * KIB,
    HUBS = 8, /* ranks that talk with some 40 others */
    HUB_PARTNERS = 40,
    HUB_SIDE = 12 * KIB, /* borders are of one to three of it */
    HUB_BYTES = 6 * KIB,
    HAB_FACE = 48 * KIB,
    HAB_VECTOR = 32 * KIB, /* of a bcast to all */
    LLM_TENSOR = 128 * KIB,
    LLM_STAGE = 256 * KIB,
    LLM_GRADIENTS = 1024 * KIB,
    AMG_STEP = 16 * KIB,    /* of the finest level; the next have a quarter */
    VECTOR = LLM_GRADIENTS, /* the buffers: no message is longer */
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
    MPI_Comm_split(x->all, rank_at(&x->grid, at), key, &x->along[d]);
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

/* With the neighbours from first up to end. */
static void exchange_with(const struct exchange *x, int first, int end)
{
    const struct neighbour *neighbours = &x->neighbours[first];
    const int n = end - first;

    for (int i = 0; i < n; i++)
        MPI_Irecv(x->received, neighbours[i].bytes, MPI_BYTE,
                  neighbours[i].rank, 0, x->all, &x->requests[i]);
    for (int i = 0; i < n; i++)
        MPI_Isend(x->sent, neighbours[i].bytes, MPI_BYTE, neighbours[i].rank, 0,
                  x->all, &x->requests[n + i]);
    MPI_Waitall(2 * n, x->requests, MPI_STATUSES_IGNORE);
}

static void halo(const struct exchange *x)
{
    exchange_with(x, 0, x->nneighbours);
}

static void sum_all(const struct exchange *x, int n)
{
    double part[2] = {1, 1}, sum[2];

    MPI_Allreduce(part, sum, n, MPI_DOUBLE, MPI_SUM, x->all);
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
    halo(x);
    sum_all(x, 1);
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

/* An irregular mesh of the ranks that stand at multiples of stride: the 26
 * cells around each, of which two in five touch it, those with a common face
 * always, with borders of three sizes. */
static void add_mesh(struct exchange *x, int stride, int bytes)
{
    const unsigned salt = 2 * (unsigned)stride;
    int at[MOST_DIMS];

    for (int cell = 0; cell < 27; cell++) {
        const int step[3] = {cell % 3 - 1, cell / 3 % 3 - 1, cell / 9 - 1};
        const int apart = abs(step[0]) + abs(step[1]) + abs(step[2]);
        bool inside = apart > 0;
        coordinates(at, &x->grid, x->rank);
        for (int d = 0; d < 3; d++) {
            inside = inside && at[d] % stride == 0;
            at[d] += stride * step[d];
            inside = inside && at[d] >= 0 && at[d] < x->grid.dims[d];
        }
        const int other = inside ? rank_at(&x->grid, at) : x->rank;
        if (!inside ||
            (apart > 1 && pair_number(x->rank, other, salt - 1) % 5 > 1))
            continue;
        const int steps = 1 + (int)(pair_number(x->rank, other, salt) % 3);
        add(x, other, steps * bytes / apart);
    }
}

static void fem_prepare(struct exchange *x, const struct pattern *pattern)
{
    begin(x);
    add_mesh(x, 1, pattern->bytes);
}

/* A V-cycle of multigrid: the mesh, then coarser ones of every second rank in
 * each dimension, and back; a sum over all. */
static void amg_prepare(struct exchange *x, const struct pattern *pattern)
{
    begin(x);
    for (x->nlevels = 0; x->nlevels < MOST_LEVELS; x->nlevels++) {
        x->level[x->nlevels] = x->nneighbours;
        add_mesh(x, 1 << x->nlevels, pattern->bytes >> (2 * x->nlevels));
    }
    x->level[x->nlevels] = x->nneighbours;
}

static void amg(const struct exchange *x)
{
    for (int i = 0; i < x->nlevels; i++)
        exchange_with(x, x->level[i], x->level[i + 1]);
    for (int i = x->nlevels - 2; i >= 0; i--)
        exchange_with(x, x->level[i], x->level[i + 1]);
    sum_all(x, 1);
}

/* The pencils of a 3-D FFT: transposes of rows, then of columns. */
static void fft(const struct exchange *x)
{
    for (int d = 0; d < 2; d++)
        transpose(x, d, FFT_PENCIL / x->grid.dims[d]);
}

/* Transport sweeps from the four corners of a map (SNAP, Sweep3D), in chunks:
 * each rank receives from two neighbours before it sends to the other two. */
static void sweep(const struct exchange *x)
{
    int here[MOST_DIMS];

    coordinates(here, &x->grid, x->rank);
    for (int i = 0; i < 4 * SWEEP_CHUNKS; i++)
        for (int side = 1; side >= -1; side -= 2)
            for (int d = 0; d < 2; d++) {
                const int corner = i / SWEEP_CHUNKS;
                const int step = (corner >> d & 1) ? side : -side;
                int at[MOST_DIMS] = {here[0], here[1]};

                at[d] += step;
                if (at[d] < 0 || at[d] >= x->grid.dims[d])
                    continue;
                if (side > 0)
                    MPI_Recv(x->received, SWEEP_SIDE, MPI_BYTE,
                             rank_at(&x->grid, at), 0, x->all,
                             MPI_STATUS_IGNORE);
                else
                    MPI_Send(x->sent, SWEEP_SIDE, MPI_BYTE,
                             rank_at(&x->grid, at), 0, x->all);
            }
}

/* Uneven halos of a map, and a few ranks with very many partners. */
static void hubs_prepare(struct exchange *x, const struct pattern *pattern)
{
    begin(x);
    for (int d = 0; d < 2; d++)
        add_dimension(x, d, false, pattern->bytes);
    for (int i = 0; i < x->nneighbours; i++)
        x->neighbours[i].bytes *=
            1 + (int)(pair_number(x->rank, x->neighbours[i].rank, 1) % 3);
    const int each = x->size / HUBS;
    for (int other = 0; each > 0 && other < x->size; other++)
        if ((x->rank % each == 0 || other % each == 0) &&
            pair_number(x->rank, other, 2) % (unsigned)x->size < HUB_PARTNERS)
            add(x, other, HUB_BYTES);
}

/* Training of a language model: sums of tensors within a layer, stages one
 * after the other, sums of gradients. */
static void llm(const struct exchange *x)
{
    enum { DOUBLE = (int)sizeof(double) };

    MPI_Allreduce(x->sent, x->received, LLM_TENSOR / DOUBLE, MPI_DOUBLE,
                  MPI_SUM, x->along[0]);
    halo(x);
    MPI_Allreduce(x->sent, x->received, LLM_GRADIENTS / DOUBLE, MPI_DOUBLE,
                  MPI_SUM, x->along[1]);
}

/* The halo of a periodic box, one side after the other: to see what order does
 * (topomap-eval(1)); no paper's. */
static void sweeps(const struct exchange *x)
{
    for (int i = 0; i < x->nneighbours; i++)
        MPI_Sendrecv(x->sent, x->neighbours[i].bytes, MPI_BYTE,
                     x->neighbours[i].rank, 0, x->received,
                     x->neighbours[i].bytes, MPI_BYTE,
                     x->neighbours[i ^ 1].rank, 0, x->all, MPI_STATUS_IGNORE);
}

/* That halo, with sums and a bcast over all. */
static void hab(const struct exchange *x)
{
    sweeps(x);
    sum_all(x, 1);
    MPI_Bcast(x->sent, HAB_VECTOR, MPI_BYTE, 0, x->all);
    sum_all(x, 2);
}

/* Ends with one of no name. */
static const struct pattern patterns[] = {
    {"milc", 4, 0, 0, true, MILC_FACE, prepare, milc},
    {"wrf", 2, 0, 0, false, WRF_SIDE, prepare, halo}, /* halos of a map */
    {"s3d", 3, 0, 0, false, S3D_FACE, prepare, halo}, /* halos of a box */
    {"pf3d", 3, 2, 2, false, PF3D_FACE, prepare, pf3d},
    {"qbox", 2, 2, 2, false, 0, prepare, qbox},
    {"ccd", 2, 1, 1, true, CCD_SIDE, prepare, ccd},
    {"fem", 3, 0, 0, false, FEM_STEP, fem_prepare, halo},
    {"amg", 3, 0, 0, false, AMG_STEP, amg_prepare, amg},
    {"fft", 2, 2, 2, false, 0, prepare, fft},
    {"sweep", 2, 0, 2, false, 0, prepare, sweep},
    {"hubs", 2, 0, 0, false, HUB_SIDE, hubs_prepare, halo},
    {"hab", 3, 0, 0, true, HAB_FACE, prepare, hab},
    {"llm", 3, 2, 2, false, LLM_STAGE, prepare, llm},
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

/* One of the programs that run at the same time. */
struct job {
    const struct pattern *pattern;
    const char *text; /* of the grid */
    struct grid grid;
    int ranks;
};

/* "8x8x4", up to the text's end or a plus, where it goes on. */
static int read_grid(struct grid *grid, const char **text)
{
    grid->ndims = 0;
    for (;;) {
        char *end;
        const long n = strtol(*text, &end, 10);
        if (end == *text || n < 1 || n > 1 << 20 || grid->ndims == MOST_DIMS)
            return -1;
        grid->dims[grid->ndims++] = (int)n;
        *text = end;
        if (*end != 'x')
            return *end == '\0' || *end == '+' ? 0 : -1;
        ++*text;
    }
}

static const struct pattern *find(const char *name, size_t length)
{
    for (const struct pattern *pattern = patterns; pattern->name; pattern++)
        if (strncmp(pattern->name, name, length) == 0 &&
            pattern->name[length] == '\0')
            return pattern;
    return NULL;
}

/* "wrf" and "8x8", or "wrf+hab" and "8x8+4x4x4": how many there are, or -1. */
static int read_jobs(struct job *jobs, const char *names, const char *grids)
{
    for (int i = 0; i < MOST_JOBS; i++) {
        struct job *job = &jobs[i];
        const size_t length = strcspn(names, "+");

        job->pattern = find(names, length);
        job->text = grids;
        if (!job->pattern || read_grid(&job->grid, &grids) < 0 ||
            job->grid.ndims != job->pattern->ndims || *grids != names[length])
            return -1;
        job->ranks = 1;
        for (int d = 0; d < job->grid.ndims; d++)
            job->ranks *= job->grid.dims[d];
        if (*grids == '\0')
            return i + 1;
        names += length + 1;
        grids++;
    }
    return -1;
}

/* SMPI's first collectives make communicators of their own. */
static void warm(const struct exchange *x)
{
    double one = 1, most;

    MPI_Allreduce(&one, &most, 1, MPI_DOUBLE, MPI_MAX, x->all);
    for (int i = 0; i < MOST_DIMS; i++)
        if (x->along[i] != MPI_COMM_NULL)
            MPI_Allreduce(&one, &most, 1, MPI_DOUBLE, MPI_MAX, x->along[i]);
}

/* Seconds of an iteration by this rank's clock. */
static double run(const struct pattern *pattern,
                  const struct exchange *exchange,
                  int iterations,
                  double compute_s)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Pcontrol(1);
    const double began = MPI_Wtime();
    for (int i = 0; i < iterations; i++) {
        compute(compute_s);
        pattern->run(exchange);
    }
    const double took = (MPI_Wtime() - began) / iterations;
    MPI_Pcontrol(0);
    return took;
}

/* Each iteration as one that is run alone, that number and until the job whose
 * first rank is other has done as many, too: none is counted that ended later.
 */
static double run_beside(const struct pattern *pattern,
                         const struct exchange *x,
                         int iterations,
                         double compute_s,
                         int other)
{
    double total = 0, most[2];
    int n = 0;

    MPI_Barrier(MPI_COMM_WORLD);
    do {
        double took[2]; /* seconds; whether the other job is through */
        int through = 0;

        MPI_Barrier(x->all);
        took[0] = MPI_Wtime();
        compute(compute_s);
        pattern->run(x);
        took[0] = MPI_Wtime() - took[0];
        if (x->rank == 0)
            MPI_Iprobe(other, 0, MPI_COMM_WORLD, &through, MPI_STATUS_IGNORE);
        took[1] = through;
        MPI_Allreduce(took, most, 2, MPI_DOUBLE, MPI_MAX, x->all);
        if (n >= iterations && most[1] > 0)
            break;
        if (n == MOST_ITERATIONS && x->rank == 0) {
            fprintf(stderr, "patterns: the other job does not end\n");
            MPI_Abort(MPI_COMM_WORLD, 1);
        }
        total += most[0];
        if (++n == iterations && x->rank == 0)
            MPI_Send(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD);
    } while (n < iterations || most[1] == 0);
    if (x->rank == 0)
        MPI_Recv(NULL, 0, MPI_BYTE, other, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
    return total / n;
}

int main(int argc, char **argv)
{
    struct job jobs[MOST_JOBS];
    const int njobs = argc > 2 ? read_jobs(jobs, argv[1], argv[2]) : -1;
    const int iterations = argc > 3 ? atoi(argv[3]) : 1;
    const double compute_s = argc > 4 ? atof(argv[4]) : 0;
    struct exchange exchange = {0};
    double took[MOST_JOBS] = {0}, most[MOST_JOBS];
    int rank, size, sum = 0;

    MPI_Init(&argc, &argv);
    MPI_Pcontrol(0);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (njobs < 0 || iterations < 1 || compute_s < 0) {
        if (rank == 0)
            fprintf(stderr,
                    "usage: patterns milc|wrf|s3d|pf3d|qbox|ccd|fem|amg|"
                    "fft|sweep|hubs|hab|llm[+...] GRID[+GRID] [ITERATIONS "
                    "[COMPUTE_S]]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    for (int i = 0; i < njobs; i++)
        sum += jobs[i].ranks;
    if (sum != size) {
        if (rank == 0)
            fprintf(stderr, "patterns: %s is not the grid of %d ranks\n",
                    argv[2], size);
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int mine = rank >= jobs[0].ranks;
    const struct pattern *pattern = jobs[mine].pattern;
    exchange.all = MPI_COMM_WORLD;
    if (njobs > 1)
        MPI_Comm_split(MPI_COMM_WORLD, mine, rank, &exchange.all);
    MPI_Comm_rank(exchange.all, &exchange.rank);
    exchange.size = jobs[mine].ranks;
    exchange.grid = jobs[mine].grid;
    pattern->prepare(&exchange, pattern);
    warm(&exchange);
    took[mine] = njobs == 1 ? run(pattern, &exchange, iterations, compute_s)
                            : run_beside(pattern, &exchange, iterations,
                                         compute_s, mine ? 0 : jobs[0].ranks);
    MPI_Reduce(took, most, njobs, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; rank == 0 && i < njobs; i++)
        printf("%s %.*s %d %.9f\n", jobs[i].pattern->name,
               (int)strcspn(jobs[i].text, "+"), jobs[i].text, jobs[i].ranks,
               most[i]);
    exchange_clear(&exchange);
    if (njobs > 1)
        MPI_Comm_free(&exchange.all);
    MPI_Finalize();
    return 0;
}
