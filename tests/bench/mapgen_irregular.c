/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapgen_irregular.c - the instances without a plan: a mesh cut in parts, a
 * circuit with hubs, what a busy machine leaves of its torus */
#include "config.h"

#include "tests/bench/mapgen.h"

#include "base/array.h"
#include "base/rng.h"

#include <stdlib.h>

/* Coordinates of a point in the unit cube. */
enum { CUBE_BITS = 16 };

/* What a stream of random numbers is for. */
enum {
    POINTS = 1,
    SCRAMBLE,
    WEIGHTS,
    WIRES,
    HUBS,
    HOSTS,
};

/* The sum of twelve uniform numbers, and 2^f by a cubic, in 16 bits behind the
 * point. */
uint64_t mapgen_lognormal(struct rng *rng)
{
    int64_t g = -6 * 65536, x, f;
    uint64_t scale;

    for (int i = 0; i < 12; i++)
        g += rng_below(rng, 65536);
    x = g * 94548 / 65536 + 16 * 65536; /* log2(e) = 94548 / 65536 */
    f = x % 65536;
    scale = (uint64_t)(65536 +
                       f * (45594 + f * (14811 + f * 5131 / 65536) / 65536) /
                           65536);
    return 1 + ((1000 * scale << (x / 65536)) >> 32);
}

/* A point of the unit cube, and its place along a Z-order curve. */
struct point {
    uint64_t key;
    uint32_t x[3];
};

static int compare_points(const void *a, const void *b)
{
    const struct point *p = a, *q = b;

    return (p->key > q->key) - (p->key < q->key);
}

static void scatter(struct point *point, uint32_t n, uint64_t seed)
{
    struct rng rng;

    rng_init(&rng, seed, POINTS, 0);
    for (uint32_t i = 0; i < n; i++) {
        point[i].key = 0;
        for (int d = 0; d < 3; d++)
            point[i].x[d] = rng_below(&rng, 1 << CUBE_BITS);
        for (int bit = CUBE_BITS - 1; bit >= 0; bit--)
            for (int d = 0; d < 3; d++)
                point[i].key = point[i].key << 1 | (point[i].x[d] >> bit & 1);
    }
    qsort(point, n, sizeof(*point), compare_points);
}

/* The radius of the ball that holds `degree` points on average. */
static uint32_t radius(uint32_t n, uint32_t degree)
{
    const unsigned __int128 side = (unsigned __int128)1 << CUBE_BITS;
    uint32_t r = 1;

    while ((unsigned __int128)r * r * r * n * 418879 <
           side * side * side * degree * 100000)
        r++;
    return r;
}

/* Points by cell of a grid whose cells are at least a radius wide: those of
 * cell c are list[start[c]] .. list[start[c + 1] - 1]. */
struct cells {
    uint32_t per_side, width;
    uint32_t *start, *list;
};

static uint32_t cell_of(const struct cells *cells, const uint32_t *x)
{
    uint32_t c = 0;

    for (int d = 2; d >= 0; d--)
        c = c * cells->per_side + x[d] / cells->width;
    return c;
}

static int fill_cells(struct cells *cells,
                      const struct point *point,
                      uint32_t n,
                      uint32_t r,
                      struct mapcore_error *err)
{
    uint32_t ncells;

    cells->width = r;
    cells->per_side = ((1 << CUBE_BITS) + r - 1) / r;
    ncells = cells->per_side * cells->per_side * cells->per_side;
    cells->start = array_alloc(ncells + 2, sizeof(*cells->start), err);
    cells->list = array_alloc(n, sizeof(*cells->list), err);
    if (!cells->start || !cells->list)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        cells->start[cell_of(cells, point[i].x) + 2]++;
    for (uint32_t c = 2; c < ncells + 2; c++)
        cells->start[c] += cells->start[c - 1];
    for (uint32_t i = 0; i < n; i++)
        cells->list[cells->start[cell_of(cells, point[i].x) + 1]++] = i;
    return 0;
}

static bool is_near(const uint32_t *a, const uint32_t *b, uint32_t r)
{
    uint64_t sum = 0;

    for (int d = 0; d < 3; d++) {
        uint64_t by = a[d] > b[d] ? a[d] - b[d] : b[d] - a[d];

        sum += by * by;
    }
    return sum < (uint64_t)r * r;
}

/* Joins point i with the points near it that come later; found says whether any
 * is near, earlier or later. */
static int join_point(struct edges *edges,
                      bool *found,
                      const struct cells *cells,
                      const struct point *point,
                      uint32_t i,
                      const uint32_t *name,
                      struct rng *rng,
                      struct mapcore_error *err)
{
    uint32_t n = cells->per_side, at[3];
    int error = 0;

    for (int o = 0; o < 27; o++) {
        int digits = o;
        uint32_t c = 0, stride = 1;
        bool inside = true;

        for (int d = 0; d < 3; d++) {
            at[d] = point[i].x[d] / cells->width + (uint32_t)(digits % 3) - 1;
            inside = inside && at[d] < n;
            c += at[d] * stride;
            stride *= n;
            digits /= 3;
        }
        for (uint32_t k = inside ? cells->start[c] : 0;
             inside && k < cells->start[c + 1] && error == 0; k++) {
            uint32_t j = cells->list[k];

            if (j == i || !is_near(point[i].x, point[j].x, cells->width))
                continue;
            *found = true;
            if (i < j)
                error = edges_add(edges, name[i], name[j],
                                  mapgen_lognormal(rng), err);
        }
    }
    return error;
}

int make_names(uint32_t *name,
               uint32_t n,
               uint32_t percent,
               uint64_t seed,
               struct mapcore_error *err)
{
    uint32_t *moved = array_alloc(n, sizeof(*moved), err), count = 0;
    struct rng rng;

    if (!moved)
        return MAPCORE_ENOMEM;
    rng_init(&rng, seed, SCRAMBLE, 0);
    for (uint32_t i = 0; i < n; i++) {
        name[i] = i;
        if (rng_below(&rng, 100) < percent)
            moved[count++] = i;
    }
    for (uint32_t i = count; i > 1; i--) {
        uint32_t a = moved[i - 1], b = moved[rng_below(&rng, i)];
        uint32_t other = name[a];

        name[a] = name[b];
        name[b] = other;
    }
    free(moved);
    return 0;
}

/* fem NTASKS DEGREE SCRAMBLED SEED: like an irregular mesh in parts: random
 * points of a cube numbered along a Z-order curve, joined when near, with
 * log-normal weights; of a hundred tasks SCRAMBLED have lost their place in
 * that numbering. */
int mapgen_fem(char **argv, struct mapcore_error *err)
{
    uint64_t value[4][MAX_DIMS] = {0};
    struct edges edges = {0};
    struct cells cells = {0};
    struct point *point = NULL;
    uint32_t *name = NULL, n;
    struct rng rng;
    int error = 0;

    for (int i = 0; i < 4 && error >= 0; i++)
        error = parse_numbers(value[i], 1, argv[i], ',', err);
    if (error >= 0 && (value[0][0] < 2 || value[0][0] > MAX_SIZE ||
                       value[1][0] == 0 || value[1][0] >= value[0][0]))
        error = error_set(err, MAPCORE_ERANGE, "%s tasks of degree %s?",
                          argv[0], argv[1]);
    if (error < 0)
        return error;
    n = (uint32_t)value[0][0];
    point = array_alloc(n, sizeof(*point), err);
    name = array_alloc(n, sizeof(*name), err);
    error = !point || !name ? MAPCORE_ENOMEM : 0;
    if (error == 0)
        error = make_names(name, n, (uint32_t)value[2][0], value[3][0], err);
    if (error == 0) {
        scatter(point, n, value[3][0]);
        error =
            fill_cells(&cells, point, n, radius(n, (uint32_t)value[1][0]), err);
    }
    rng_init(&rng, value[3][0], WEIGHTS, 0);
    for (uint32_t i = 0; i < n && error == 0; i++) {
        bool found = false;

        error = join_point(&edges, &found, &cells, point, i, name, &rng, err);
        if (error == 0 && !found)
            error =
                edges_add(&edges, name[i], name[i > 0 ? i - 1 : 1], 1000, err);
    }
    if (error == 0)
        error = edges_write(n, &edges, err);
    free(cells.start);
    free(cells.list);
    free(point);
    free(name);
    free(edges.edge);
    return error;
}

/* Wires whose lengths in the numbering follow a power law (as Rent's rule has
 * it), on a ring. Bytes are few, in eights. */
static int add_wires(struct edges *edges,
                     uint32_t n,
                     uint64_t seed,
                     struct mapcore_error *err)
{
    enum { LONGER = 536 /* 1000 / 2^0.9 */ };
    struct rng rng;
    int error = 0;

    rng_init(&rng, seed, WIRES, 0);
    for (uint32_t i = 0; i < n && error == 0; i++) {
        uint32_t wires = 1;

        wires += rng_below(&rng, 10) < 6;
        wires += rng_below(&rng, 10) < 3;
        for (uint32_t k = 0; k < wires && error == 0; k++) {
            uint32_t length = 1, bytes = 8;

            while (length < n / 4 && rng_below(&rng, 1000) < LONGER)
                length *= 2;
            length += 1 + rng_below(&rng, length);
            while (bytes < 160 && rng_below(&rng, 2) == 0)
                bytes += 8;
            error = edges_add(edges, i, (i + length) % n, bytes, err);
        }
    }
    return error;
}

/* circuit NTASKS SEED: like a circuit's matrix in rows: wires, and a number of
 * nets that reach thousands/k tasks, half of them near the hub, half anywhere.
 */
int mapgen_circuit(char **argv, struct mapcore_error *err)
{
    enum { NETS = 150, LARGEST = 4000 };
    struct edges edges = {0};
    uint64_t value[2][MAX_DIMS] = {0}, seed;
    struct rng rng;
    uint32_t n;
    int error = 0;

    for (int i = 0; i < 2 && error >= 0; i++)
        error = parse_numbers(value[i], 1, argv[i], ',', err);
    if (error < 0)
        return error;
    if (value[0][0] < 2 || value[0][0] > MAX_SIZE)
        return error_set(err, MAPCORE_ERANGE, "%s tasks?", argv[0]);
    n = (uint32_t)value[0][0];
    seed = value[1][0];
    error = add_wires(&edges, n, seed, err);
    rng_init(&rng, seed, HUBS, 0);
    for (uint32_t k = 1; k <= NETS && error == 0; k++) {
        uint32_t hub = rng_below(&rng, n), reach = LARGEST / k;
        uint32_t window = reach < n / 4 ? 4 * reach : n;

        for (uint32_t i = 0; i < reach && error == 0; i++) {
            uint32_t near =
                (hub + n - window / 2 + rng_below(&rng, window)) % n;
            uint32_t end = rng_below(&rng, 2) == 0 ? near : rng_below(&rng, n);

            error =
                edges_add(&edges, hub, end, 8 + 8 * rng_below(&rng, 3), err);
        }
    }
    if (error == 0)
        error = edges_write(n, &edges, err);
    free(edges.edge);
    return error;
}

/* The first dimension fastest, as topomap numbers them. */
static void print_place(uint32_t host, const uint32_t *dims, int ndims)
{
    for (int i = 0; i < ndims; i++) {
        printf("%s%u", i == 0 ? "" : " ", host % dims[i]);
        host /= dims[i];
    }
    putchar('\n');
}

/* hosts DIMS NHOSTS SEED: a fragmented allocation of a torus: RUNS runs of
 * unequal lengths in the order of the numbering, begun in different eighths;
 * one host of SERVICE in all serves, and of those in between one of BUSY is
 * taken by others. */
int mapgen_hosts(char **argv, struct mapcore_error *err)
{
    enum { RUNS = 8, SERVICE = 40, BUSY = 16 };
    uint32_t dims[MAX_DIMS], total = 1, left, share[RUNS], shares = 0;
    uint64_t value[2][MAX_DIMS] = {0};
    bool *is_ours = NULL, *serves = NULL;
    struct rng rng;
    int ndims = parse_dims(dims, argv[0], err), error = ndims;

    for (int i = 0; i < 2 && error >= 0; i++)
        error = parse_numbers(value[i], 1, argv[1 + i], ',', err);
    if (error < 0)
        return error;
    for (int i = 0; i < ndims; i++)
        total *= dims[i];
    left = (uint32_t)value[0][0];
    if (value[0][0] > total / 2)
        return error_set(err, MAPCORE_ERANGE,
                         "%s hosts are more than half of %s", argv[1], argv[0]);
    is_ours = array_alloc(total, sizeof(*is_ours), err);
    serves = array_alloc(total, sizeof(*serves), err);
    error = !is_ours || !serves ? MAPCORE_ENOMEM : 0;
    rng_init(&rng, value[1][0], HOSTS, 0);
    for (uint32_t i = 0; i < total && error == 0; i++)
        serves[i] = rng_below(&rng, SERVICE) == 0;
    for (int r = 0; r < RUNS; r++)
        shares += share[r] = 300 + rng_below(&rng, 1000);
    for (uint32_t r = 0; r < RUNS && error == 0; r++) {
        uint32_t want =
            r == RUNS - 1 ? left : (uint32_t)(value[0][0] * share[r] / shares);
        uint32_t at = (uint32_t)((uint64_t)total *
                                 (10 * r + rng_below(&rng, 7)) / (10 * RUNS));

        left -= want;
        while (want > 0) {
            if (!is_ours[at] && !serves[at] && rng_below(&rng, BUSY) > 0) {
                is_ours[at] = true;
                want--;
            }
            at = (at + 1) % total;
        }
    }
    for (uint32_t i = 0; i < total && error == 0; i++)
        if (is_ours[i])
            print_place(i, dims, ndims);
    free(is_ours);
    free(serves);
    return error;
}
