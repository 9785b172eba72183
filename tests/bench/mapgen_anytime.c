/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapgen_anytime.c - instances of other kinds than those that mappers were
 * tuned on: what the bench of time budgets adds */
#include "config.h"

#include "tests/bench/mapgen.h"

#include "base/array.h"
#include "base/rng.h"

#include <stdlib.h>

/* What a stream of random numbers is for. */
enum {
    POINTS = 0x100,
    CORNERS,
    BANDS,
    SPOKES,
    WEIGHTS,
    SHORTCUTS,
};

/* The numbers that a kind takes, each 1 .. most. */
static int take_numbers(uint64_t *value,
                        int n,
                        char **argv,
                        uint64_t most,
                        struct mapcore_error *err)
{
    for (int i = 0; i < n; i++) {
        int error = parse_numbers(&value[i], 1, argv[i], ',', err);

        if (error < 0)
            return error;
        if (value[i] > most)
            return error_set(err, MAPCORE_ERANGE, "%s: at most %ju", argv[i],
                             (uintmax_t)most);
    }
    return 0;
}

/* Ends a kind: writes what there is, and frees it. */
static int finish(uint32_t n,
                  struct edges *edges,
                  int error,
                  struct mapcore_error *err)
{
    if (error >= 0)
        error = edges_write(n, edges, err);
    free(edges->edge);
    return error;
}

/* Points of the unit square by cells, two a cell on average. */
struct square {
    uint32_t n, side; /* points, cells a side */
    int64_t (*at)[2]; /* [n] */
    uint32_t *start;  /* [side * side + 1] into list */
    uint32_t *list;   /* [n] */
};

enum { SQUARE_BITS = 20, RING = 3, NEAR_MOST = 512 };

static uint32_t cell_of(const struct square *s, const int64_t *at)
{
    uint32_t x = (uint32_t)(at[0] * s->side >> SQUARE_BITS);
    uint32_t y = (uint32_t)(at[1] * s->side >> SQUARE_BITS);

    return y * s->side + x;
}

static int scatter(struct square *s,
                   uint32_t n,
                   uint64_t seed,
                   struct mapcore_error *err)
{
    uint32_t *next = NULL;
    struct rng rng;

    s->n = n;
    for (s->side = 1; s->side * s->side * 2 < n;)
        s->side++;
    s->at = array_alloc(n, sizeof(*s->at), err);
    s->start =
        array_alloc((size_t)s->side * s->side + 1, sizeof(*s->start), err);
    s->list = array_alloc(n, sizeof(*s->list), err);
    next = array_alloc((size_t)s->side * s->side, sizeof(*next), err);
    if (!s->at || !s->start || !s->list || !next) {
        free(next);
        return MAPCORE_ENOMEM;
    }
    rng_init(&rng, seed, POINTS, 0);
    for (uint32_t i = 0; i < n; i++) {
        s->at[i][0] = rng_below(&rng, 1 << SQUARE_BITS);
        s->at[i][1] = rng_below(&rng, 1 << SQUARE_BITS);
        s->start[cell_of(s, s->at[i]) + 1]++;
    }
    for (uint32_t c = 0; c < s->side * s->side; c++) {
        s->start[c + 1] += s->start[c];
        next[c] = s->start[c];
    }
    for (uint32_t i = 0; i < n; i++)
        s->list[next[cell_of(s, s->at[i])]++] = i;
    free(next);
    return 0;
}

/* The points in the cells around that of p, into near[NEAR_MOST]. */
static uint32_t find_near(uint32_t *near, const struct square *s, uint32_t p)
{
    uint32_t c = cell_of(s, s->at[p]), n = 0;
    uint32_t x = c % s->side, y = c / s->side;

    for (uint32_t v = y > RING ? y - RING : 0; v < s->side && v <= y + RING;
         v++)
        for (uint32_t u = x > RING ? x - RING : 0; u < s->side && u <= x + RING;
             u++)
            for (uint32_t k = s->start[v * s->side + u];
                 k < s->start[v * s->side + u + 1]; k++)
                if (s->list[k] != p && n < NEAR_MOST)
                    near[n++] = s->list[k];
    return n;
}

/* Twice the area of the triangle: > 0 when c is left of a to b. */
static int64_t turn(const int64_t *a, const int64_t *b, const int64_t *c)
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Whether d lies in the circle through a, b and c, which turn left. */
static bool in_circle(const int64_t *a,
                      const int64_t *b,
                      const int64_t *c,
                      const int64_t *d)
{
    const int64_t *corner[3] = {a, b, c};
    int64_t x[3], y[3], z[3];

    for (int i = 0; i < 3; i++) {
        x[i] = corner[i][0] - d[0];
        y[i] = corner[i][1] - d[1];
        z[i] = x[i] * x[i] + y[i] * y[i];
    }
    return (__int128)z[0] * (x[1] * y[2] - x[2] * y[1]) +
               (__int128)z[1] * (x[2] * y[0] - x[0] * y[2]) +
               (__int128)z[2] * (x[0] * y[1] - x[1] * y[0]) >
           0;
}

static uint32_t nearest(const struct square *s,
                        uint32_t p,
                        const uint32_t *near,
                        uint32_t n)
{
    uint32_t best = MAPCORE_NONE;
    int64_t least = INT64_MAX;

    for (uint32_t i = 0; i < n; i++) {
        int64_t x = s->at[near[i]][0] - s->at[p][0];
        int64_t y = s->at[near[i]][1] - s->at[p][1];

        if (x * x + y * y < least) {
            least = x * x + y * y;
            best = near[i];
        }
    }
    return best;
}

/* The neighbour behind q in p's star, or MAPCORE_NONE at the rim. */
static uint32_t next_in_star(const struct square *s,
                             uint32_t p,
                             uint32_t q,
                             int direction,
                             const uint32_t *near,
                             uint32_t n)
{
    const int64_t *a = s->at[p], *b = s->at[q];
    uint32_t best = MAPCORE_NONE;

    for (uint32_t i = 0; i < n; i++) {
        const int64_t *c = s->at[near[i]];

        if (turn(a, b, c) * direction <= 0)
            continue;
        if (best == MAPCORE_NONE ||
            (direction > 0 ? in_circle(a, b, s->at[best], c)
                           : in_circle(b, a, s->at[best], c)))
            best = near[i];
    }
    return best;
}

/* Joins p with its Delaunay neighbours of higher numbers: round its star from
 * the nearest point, and the other way from there where the first way ended. */
static int join_star(struct edges *edges,
                     const struct square *s,
                     uint32_t p,
                     const uint32_t *name,
                     struct mapcore_error *err)
{
    enum { STAR_MOST = 64 };
    uint32_t near[NEAR_MOST], n = find_near(near, s, p);
    uint32_t first = nearest(s, p, near, n), q = first;
    int error = 0, direction = 1;

    for (int i = 0; i < STAR_MOST && q != MAPCORE_NONE && error == 0; i++) {
        uint32_t next = next_in_star(s, p, q, direction, near, n);

        if (p < q && (direction > 0 || q != first))
            error = edges_add(edges, name[p], name[q], 1000, err);
        if (next == first)
            break;
        if (next == MAPCORE_NONE && direction > 0) {
            direction = -1;
            next = next_in_star(s, p, first, direction, near, n);
        }
        q = next;
    }
    return error;
}

/* delaunay NTASKS SCRAMBLED SEED: random points of a square, numbered at
 * random but for those that are not SCRAMBLED (of a hundred), which run along
 * rows of cells; joined as Delaunay triangles are, all with the same bytes. */
int mapgen_delaunay(char **argv, struct mapcore_error *err)
{
    struct square s = {0};
    struct edges edges = {0};
    uint32_t *name = NULL, *scrambled = NULL, n;
    uint64_t value[3];
    int error = take_numbers(value, 3, argv, MAX_SIZE, err);

    if (error == 0 && value[0] < 4)
        error = error_set(err, MAPCORE_ERANGE, "%s tasks?", argv[0]);
    if (error < 0)
        return error;
    n = (uint32_t)value[0];
    name = array_alloc(n, sizeof(*name), err);
    scrambled = array_alloc(n, sizeof(*scrambled), err);
    error =
        !name || !scrambled ? MAPCORE_ENOMEM : scatter(&s, n, value[2], err);
    if (error == 0)
        error = make_names(scrambled, n, (uint32_t)value[1], value[2], err);
    for (uint32_t i = 0; error == 0 && i < n; i++)
        name[s.list[i]] = scrambled[i];
    for (uint32_t p = 0; error == 0 && p < n; p++)
        error = join_star(&edges, &s, p, name, err);
    free(s.at);
    free(s.start);
    free(s.list);
    free(name);
    free(scrambled);
    return finish(n, &edges, error, err);
}

/* rmat SCALE DEGREE SEED: 2^SCALE tasks, each edge falls into one quarter of
 * the matrix with the shares 57, 19, 19 and 5 of a hundred, and so on in that
 * quarter (Chakrabarti, Zhan and Faloutsos, 2004): few have most. */
int mapgen_rmat(char **argv, struct mapcore_error *err)
{
    struct edges edges = {0};
    uint64_t value[3];
    struct rng rng;
    int error = take_numbers(value, 3, argv, MAX_SIZE, err);
    uint32_t n, bits = (uint32_t)(error == 0 ? value[0] : 0);

    if (error == 0 && (bits < 1 || bits > 24))
        error = error_set(err, MAPCORE_ERANGE, "2^%s tasks?", argv[0]);
    if (error < 0)
        return error;
    n = (uint32_t)1 << bits;
    rng_init(&rng, value[2], CORNERS, 0);
    for (uint64_t e = 0; e < n * value[1] / 2 && error == 0; e++) {
        uint32_t a = 0, b = 0;

        for (uint32_t i = 0; i < bits; i++) {
            uint32_t share = rng_below(&rng, 100);

            a = a << 1 | (share >= 76);
            b = b << 1 | ((share >= 57 && share < 76) || share >= 95);
        }
        if (a != b)
            error = edges_add(&edges, a, b, 8 + 8 * rng_below(&rng, 16), err);
    }
    return finish(n, &edges, error, err);
}

/* band NTASKS WIDTH DEGREE SEED: a banded matrix in rows: each task talks with
 * about DEGREE others at most WIDTH away in the numbering, with the next one
 * always. */
int mapgen_band(char **argv, struct mapcore_error *err)
{
    struct edges edges = {0};
    uint64_t value[4];
    uint32_t n;
    struct rng rng;
    int error = take_numbers(value, 4, argv, MAX_SIZE, err);

    if (error == 0 && (value[0] < 2 || value[1] == 0 || value[1] >= value[0]))
        error = error_set(err, MAPCORE_ERANGE, "%s tasks, %s wide?", argv[0],
                          argv[1]);
    if (error < 0)
        return error;
    n = (uint32_t)value[0];
    rng_init(&rng, value[3], BANDS, 0);
    for (uint32_t i = 0; i + 1 < n && error == 0; i++) {
        error = edges_add(&edges, i, i + 1, 4000, err);
        for (uint32_t k = 1; k < value[2] / 2 && error == 0; k++) {
            uint32_t j = i + 1 + rng_below(&rng, (uint32_t)value[1]);

            if (j < n)
                error =
                    edges_add(&edges, i, j, 1000 + rng_below(&rng, 3000), err);
        }
    }
    return finish(n, &edges, error, err);
}

/* A mesh, the first dimension fastest, neighbours joined. */
static int join_mesh(struct edges *edges,
                     const uint32_t *dims,
                     int ndims,
                     const uint32_t *name,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    uint32_t n = 1, stride = 1;
    int error = 0;

    for (int d = 0; d < ndims; d++)
        n *= dims[d];
    for (int d = 0; d < ndims; stride *= dims[d++])
        for (uint32_t i = 0; i < n && error == 0; i++)
            if (i / stride % dims[d] + 1 < dims[d])
                error = edges_add(edges, name[i], name[i + stride],
                                  mapgen_lognormal(rng), err);
    return error;
}

/* The tasks of dims, and their names. */
static int begin_mesh(uint32_t *dims,
                      uint32_t *n,
                      uint32_t **name,
                      const char *text,
                      uint64_t scrambled,
                      uint64_t seed,
                      struct mapcore_error *err)
{
    int ndims = parse_dims(dims, text, err);
    int error;

    if (ndims < 0)
        return ndims;
    *n = 1;
    for (int d = 0; d < ndims; d++)
        *n *= dims[d];
    *name = array_alloc(*n, sizeof(**name), err);
    if (!*name)
        return MAPCORE_ENOMEM;
    error = make_names(*name, *n, (uint32_t)scrambled, seed, err);
    return error < 0 ? error : ndims;
}

/* stars DIMS HUBS SEED: a mesh in which a few tasks, evenly spaced, also talk
 * with all tasks of their share (masters, writers, load balancers). */
int mapgen_stars(char **argv, struct mapcore_error *err)
{
    struct edges edges = {0};
    uint32_t dims[MAX_DIMS], *name = NULL, n = 0, share;
    uint64_t value[2];
    struct rng rng;
    int error = take_numbers(value, 2, argv + 1, MAX_SIZE, err);
    int ndims =
        error < 0 ? error : begin_mesh(dims, &n, &name, argv[0], 0, 1, err);

    if (ndims >= 0 && (value[0] == 0 || value[0] > n))
        ndims = error_set(err, MAPCORE_ERANGE, "%s hubs?", argv[1]);
    if (ndims < 0) {
        free(name);
        return ndims;
    }
    share = n / (uint32_t)value[0];
    rng_init(&rng, value[1], SPOKES, 0);
    error = join_mesh(&edges, dims, ndims, name, &rng, err);
    for (uint32_t i = 0; i < n && error == 0; i++)
        if (i % share != 0 && i / share < value[0])
            error = edges_add(&edges, i / share * share, i,
                              100 + rng_below(&rng, 400), err);
    free(name);
    return finish(n, &edges, error, err);
}

/* noise DIMS SCRAMBLED EXTRA SEED: a mesh with log-normal weights, where of a
 * hundred tasks SCRAMBLED have lost their place in the numbering and EXTRA talk
 * with one somewhere else. */
int mapgen_noise(char **argv, struct mapcore_error *err)
{
    struct edges edges = {0};
    uint32_t dims[MAX_DIMS], *name = NULL, n = 0;
    uint64_t value[3];
    struct rng rng;
    int error = take_numbers(value, 3, argv + 1, MAX_SIZE, err);
    int ndims = error < 0 ? error
                          : begin_mesh(dims, &n, &name, argv[0], value[0],
                                       value[2], err);

    if (ndims < 0) {
        free(name);
        return ndims;
    }
    rng_init(&rng, value[2], WEIGHTS, 0);
    error = join_mesh(&edges, dims, ndims, name, &rng, err);
    rng_init(&rng, value[2], SHORTCUTS, 0);
    for (uint32_t i = 0; i < n && error == 0; i++) {
        uint32_t j = rng_below(&rng, n);

        if (rng_below(&rng, 100) < value[1] && j != i)
            error = edges_add(&edges, name[i], name[j], mapgen_lognormal(&rng),
                              err);
    }
    free(name);
    return finish(n, &edges, error, err);
}
