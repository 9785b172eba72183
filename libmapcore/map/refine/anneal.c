/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* anneal.c - the inner loop of all refinement, and the table of costs that it
 * looks changes up in */
#include "config.h"

#include "map/refine/anneal.h"

#include "base/array.h"

#include <string.h>

/* Proposals at one temperature, and with or without a table: a divisor. */
#define STEP  1024
#define CHUNK 256
/* A change that is made writes rows of the cost table, a proposal saves reading
 * edges: worth it while hosts times changes made are less than this number
 * of proposals. */
#define TABLE_WORTH 4
/* By this factor less where there is none and it is larger than the nearest
 * caches: to fill it takes as long as some chunks. */
#define TABLE_BEGIN 4
#define TABLE_NEAR  64

/* ln x for x > 0: x = 2^k m with m in 3/4 .. 3/2, and ln m = 2 artanh z, z =
 * (m - 1) / (m + 1), by its series; z^2 < 1/25, so 12 terms are exact. */
double anneal_log(double x)
{
    double k = 0, z, power, sum = 0;

    for (; x < 0.75; x *= 2)
        k--;
    for (; x >= 1.5; x /= 2)
        k++;
    z = (x - 1) / (x + 1);
    power = z;
    for (int i = 1; i < 25; i += 2) {
        sum += power / i;
        power *= z * z;
    }
    return k * 0.69314718055994530942 + 2 * sum;
}

void anneal_init(struct anneal *anneal)
{
    for (int i = 0; i < ANNEAL_DRAWS; i++)
        anneal->draw[i] = -anneal_log((i + 0.5) / ANNEAL_DRAWS);
}

double anneal_exp(double x)
{
    double sum = 1, term = 1;

    x /= 1024;
    for (int i = 1; i < 10; i++) {
        term *= x / i;
        sum += term;
    }
    for (int i = 0; i < 10; i++)
        sum *= sum;
    return sum;
}

/* What fits the second cache of a core: 128 KiB. */
#define MOST_VERTICES 128
#define MOST_HOSTS    128
/* Four costs are added up, exact below 2^53. */
#define MOST_COST ((int64_t)1 << 50)

static bool is_exact(const struct region *region)
{
    size_t ndistances = (size_t)region->nhosts * region->ncolumns;
    int64_t longest = 1;

    for (size_t i = 0; i < ndistances; i++)
        if (region->distance[i] > longest)
            longest = region->distance[i];
    for (uint32_t t = 0; t < region->n; t++)
        if (region->bytes[t] > MOST_COST / longest)
            return false;
    return true;
}

struct cost_table *cost_table_make(const struct region *region,
                                   struct arena *arena)
{
    size_t n = region->n, stride = (region->nhosts + (size_t)COST_STRIDE - 1) /
                                   COST_STRIDE * COST_STRIDE;
    struct cost_table *table;

    if (n > MOST_VERTICES || region->nhosts > MOST_HOSTS || !is_exact(region) ||
        !(table = arena_alloc(arena, 1, sizeof(*table))))
        return NULL;
    *table = (struct cost_table){
        .n = region->n,
        .stride = (uint32_t)stride,
        .cost = arena_alloc(arena, n * stride, sizeof(double)),
        .distance = arena_alloc(arena, region->nhosts * stride, sizeof(double)),
        .way = arena_alloc(arena, stride, sizeof(double)),
        .bytes = arena_alloc(arena, n * n, sizeof(*table->bytes)),
    };
    if (arena->error)
        return NULL;
    for (uint32_t a = 0; a < region->nhosts; a++)
        for (uint32_t b = 0; b < region->nhosts; b++)
            table->distance[a * stride + b] =
                region->distance[(size_t)a * region->ncolumns + b];
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++)
            if (region->edge[k].to < n)
                table->bytes[t * n + region->edge[k].to] =
                    region->edge[k].bytes;
    return table;
}

/* As many at once as all processors have instructions for; the tables are
 * aligned as what malloc() gives is. */
typedef double pair __attribute__((vector_size(16)));

static inline void add(double *sum,
                       const double *way,
                       double bytes,
                       uint32_t stride)
{
    const pair *step = (const pair *)(const void *)way, times = {bytes, bytes};
    pair *to = (pair *)(void *)sum;

    for (uint32_t i = 0; i < stride / 2; i += COST_STRIDE / 2) {
        to[i] += times * step[i];
        to[i + 1] += times * step[i + 1];
        to[i + 2] += times * step[i + 2];
        to[i + 3] += times * step[i + 3];
    }
}

/* Makes it valid. O(edges * hosts). */
static void cost_table_fill(struct cost_table *table,
                            const struct region *region)
{
    memset(table->cost, 0,
           (size_t)table->n * table->stride * sizeof(*table->cost));
    for (uint32_t t = 0; t < table->n; t++) {
        double *cost = table->cost + (size_t)t * table->stride;

        for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++) {
            const struct coarse_edge *edge = &region->edge[k];
            uint32_t to = region->host[edge->to];

            if (to < region->nhosts)
                add(cost, table->distance + (size_t)to * table->stride,
                    edge->bytes, table->stride);
            else
                for (uint32_t h = 0; h < region->nhosts; h++)
                    cost[h] +=
                        (double)edge->bytes *
                        region->distance[(size_t)h * region->ncolumns + to];
        }
    }
    table->is_valid = true;
}

/* The neighbours of t see it go the way. */
static void take_away(struct cost_table *table,
                      const struct region *region,
                      uint32_t t,
                      double sign)
{
    for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++) {
        const struct coarse_edge *edge = &region->edge[k];

        if (edge->to < table->n)
            add(table->cost + (size_t)edge->to * table->stride, table->way,
                sign * edge->bytes, table->stride);
    }
}

/* That change has been made. O(degree * hosts). */
static void cost_table_change(struct cost_table *table,
                              const struct region *region,
                              uint32_t t,
                              uint32_t a,
                              uint32_t u,
                              uint32_t b)
{
    const double *from = table->distance + (size_t)a * table->stride;
    const double *to = table->distance + (size_t)b * table->stride;

    for (uint32_t h = 0; h < table->stride; h++)
        table->way[h] = to[h] - from[h];
    take_away(table, region, t, 1);
    if (u != MAPCORE_NONE)
        take_away(table, region, u, -1);
}

/* What it adds when t, on host a, goes to host b and u (or MAPCORE_NONE) from
 * there to a. */
static inline double cost_table_added(const struct cost_table *table,
                                      uint32_t t,
                                      uint32_t a,
                                      uint32_t u,
                                      uint32_t b)
{
    const double *of_t = table->cost + (size_t)t * table->stride, *of_u;
    double sum = of_t[b] - of_t[a];

    if (u == MAPCORE_NONE)
        return sum;
    of_u = table->cost + (size_t)u * table->stride;
    /* Each of the two counts the edge between them as gone. */
    return sum + (of_u[a] - of_u[b]) +
           2 * (double)table->bytes[(size_t)t * table->n + u] *
               table->distance[(size_t)a * table->stride + b];
}

/* A change that may be made: vertex t from host a to place q of host b, and
 * its occupant u (or MAPCORE_NONE) to t's place. */
struct change {
    uint32_t t, u, q, a, b;
};

__attribute__((always_inline)) static inline bool propose(
    struct change *out,
    const struct region *region,
    struct rng *rng)
{
    const struct coarse_edge *edge;
    uint64_t r = rng_next(rng), s = rng_next(rng);
    uint32_t t = (uint32_t)(((r & UINT32_MAX) * region->n) >> 32), b, nplaces;
    uint64_t degree = region->row[t + 1] - region->row[t], u = r >> 48;

    if (degree == 0)
        return false;
    /* The square of a uniform number prefers the beginning of the row. */
    u = u * u >> 16;
    edge = &region->edge[region->row[t] + (size_t)(u * degree >> 16)];
    b = region->entry[region->host[edge->to]];
    if (region->nnear > 0) {
        uint32_t near =
            region->near[(size_t)b * REGION_NEAR +
                         ((r >> 33 & 0x7fff) * region->nnear >> 15)];
        uint32_t mask = -(uint32_t)(r >> 32 & 1); /* no one predicts it */

        b = (near & mask) | (b & ~mask);
    }
    out->t = t;
    out->a = region->host[t];
    out->b = b;
    nplaces = region->place_begin[b + 1] - region->place_begin[b];
    if (b == out->a || nplaces == 0)
        return false;
    out->q =
        region->place_begin[b] + (uint32_t)(((s & UINT32_MAX) * nplaces) >> 32);
    out->u = region->occupant[out->q];
    return !region->size || (region->size[t] <= region->slots[b] &&
                             (out->u == MAPCORE_NONE ||
                              region->size[out->u] <= region->slots[out->a]));
}

/* What the edges of t add when it goes from one host to another, given their
 * rows of distances; *joint: bytes between t and other. */
static inline int64_t added(const struct region *region,
                            uint32_t t,
                            const uint16_t *from,
                            const uint16_t *to,
                            uint32_t other,
                            int64_t *joint)
{
    const struct coarse_edge *edge = region->edge + region->row[t];
    const struct coarse_edge *end = region->edge + region->row[t + 1];
    const uint32_t *host = region->host;
    int64_t sum = 0;

    *joint = 0;
    for (; edge < end; edge++) {
        uint32_t h = host[edge->to];

        sum += (int64_t)edge->bytes * ((int32_t)to[h] - (int32_t)from[h]);
        if (edge->to == other)
            *joint = edge->bytes;
    }
    return sum;
}

/* What a change adds, or, when that is certainly more than limit, some number
 * above it. The edge between the two is as long after as before, but each of
 * them counts it as gone. */
static inline int64_t evaluate(const struct region *region,
                               const struct change *c,
                               int64_t limit)
{
    const uint16_t *a = region->distance + (size_t)c->a * region->ncolumns;
    const uint16_t *b = region->distance + (size_t)c->b * region->ncolumns;
    int64_t apart = a[c->b], joint, same;
    int64_t sum = added(region, c->t, a, b, c->u, &joint);

    if (c->u == MAPCORE_NONE)
        return sum;
    sum += 2 * joint * apart;
    /* No edge of u gets shorter by more than the way that u goes. */
    if (sum - region->bytes[c->u] * apart > limit)
        return INT64_MAX;
    return sum + added(region, c->u, b, a, c->t, &same);
}

static inline void make(struct region *region, const struct change *c)
{
    uint32_t place = region->place[c->t];

    region->occupant[c->q] = c->t;
    region->place[c->t] = c->q;
    region->host[c->t] = c->b;
    region->occupant[place] = c->u;
    if (c->u != MAPCORE_NONE) {
        region->place[c->u] = place;
        region->host[c->u] = c->a;
    }
}

/* Some proposals at one temperature, and what came of them. */
struct proposals {
    double temperature;
    uint64_t n, made;
    int64_t sum; /* hop-bytes added */
};

/* With a table, which is valid, the same changes as without. */
static void run_chunk(struct proposals *run,
                      struct region *region,
                      struct cost_table *table,
                      const struct anneal *anneal,
                      struct rng *rng)
{
    struct rng draws = *rng; /* ours alone: it stays in registers */
    uint64_t made = 0;
    int64_t sum = 0;

    for (uint64_t i = 0; i < run->n; i++) {
        struct change c;
        int64_t limit, more;

        if (!propose(&c, region, &draws))
            continue;
        limit = (int64_t)(run->temperature *
                          anneal->draw[rng_next(&draws) % ANNEAL_DRAWS]);
        more = table ? (int64_t)cost_table_added(table, c.t, c.a, c.u, c.b)
                     : evaluate(region, &c, limit);
        if (more > limit)
            continue;
        make(region, &c);
        if (table)
            cost_table_change(table, region, c.t, c.a, c.u, c.b);
        made++;
        sum += more;
    }
    run->made = made;
    run->sum = sum;
    *rng = draws;
}

int64_t anneal_run(struct region *region,
                   struct cost_table *table,
                   const struct anneal *anneal,
                   const double heat[2],
                   uint64_t proposals,
                   struct rng *rng)
{
    double rate = (heat[1] - heat[0]) / (double)proposals;
    bool uses_table = table && table->is_valid;
    uint32_t begin;
    int64_t sum = 0;

    for (uint64_t i = 0; i < proposals && region->n > 0; i += CHUNK) {
        struct proposals run = {
            .temperature = heat[0] + rate * (double)(i - i % STEP),
            .n = proposals - i < CHUNK ? proposals - i : CHUNK};

        if (uses_table && !table->is_valid)
            cost_table_fill(table, region);
        run_chunk(&run, region, uses_table ? table : NULL, anneal, rng);
        if (table && !uses_table)
            table->is_valid = false;
        sum += run.sum;
        begin =
            uses_table || !table || table->n <= TABLE_NEAR ? 1 : TABLE_BEGIN;
        uses_table =
            table && run.made * table->stride * begin < TABLE_WORTH * run.n;
    }
    return sum;
}

double anneal_spread(const struct region *region,
                     uint32_t proposals,
                     struct rng *rng)
{
    struct rng draws = *rng;
    double sum = 0;
    uint32_t n = 0;

    for (uint32_t i = 0; i < proposals && region->n > 0; i++) {
        struct change change;
        int64_t more;

        if (!propose(&change, region, &draws))
            continue;
        more = evaluate(region, &change, INT64_MAX);
        sum += more < 0 ? -(double)more : (double)more;
        n++;
    }
    *rng = draws;
    return n > 0 ? sum / n : 0;
}
