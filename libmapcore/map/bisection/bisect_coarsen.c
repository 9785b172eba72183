/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_coarsen.c - vertices that share much become one */
#include "config.h"

#include "map/bisection/bisect.h"

#include <string.h>

/* Members of mean size that a cluster has at most. */
#define CLUSTER 4

/* Who becomes one with whom: group[v] is one of the members, the same for all
 * of them; MAPCORE_NONE: not looked at. */
struct matching {
    const struct bisect_level *level;
    const struct bisect_coarsening *how;
    uint32_t *group; /* [n] */
};

static bool may_join(const struct matching *m, uint32_t v, uint32_t u)
{
    const struct bisect_level *level = m->level;

    return level->size[v] + level->size[u] <= m->how->largest &&
           (!m->how->keeps || level->side[v] == level->side[u]);
}

/* The free neighbour with the greatest (weight of the edge)^2 / size: the
 * rating "expansion*2" of Holtgrewe, Sanders and Schulz (2010), which keeps
 * sizes even. Ties go to the first. */
static uint32_t best_neighbour(const struct matching *m, uint32_t v)
{
    const struct bisect_level *level = m->level;
    uint32_t best = MAPCORE_NONE;
    double most = 0;

    for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
        uint32_t u = level->vertex[k];
        double rating;

        if (m->group[u] != MAPCORE_NONE || !may_join(m, v, u))
            continue;
        rating = (double)level->weight[k] * level->weight[k] / level->size[u];
        if (rating > most) {
            most = rating;
            best = u;
        }
    }
    return best;
}

static uint32_t heaviest_neighbour(const struct bisect_level *level, uint32_t v)
{
    uint32_t best = 0, most = 0;

    for (size_t k = level->row[v]; k < level->row[v + 1]; k++)
        if (level->weight[k] > most) {
            most = level->weight[k];
            best = level->vertex[k];
        }
    return best;
}

static void shuffle(uint32_t *order, uint32_t n, struct rng *rng)
{
    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = rng_below(rng, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
}

static void match(struct matching *m, uint32_t *order, struct rng *rng)
{
    uint32_t n = m->level->n;

    shuffle(order, n, rng);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], u;

        if (m->group[v] != MAPCORE_NONE)
            continue;
        u = best_neighbour(m, v);
        if (u == MAPCORE_NONE)
            continue;
        m->group[v] = m->group[u] = v;
    }
}

/* The cluster of a neighbour, or the neighbour alone, by the same rating; size:
 * [n] of clusters, by their group. */
static uint32_t best_cluster(const struct matching *m,
                             uint32_t v,
                             const uint32_t *size,
                             uint32_t largest)
{
    const struct bisect_level *level = m->level;
    uint32_t best = MAPCORE_NONE, room = largest - level->size[v];
    double most = 0, its_size = 1;

    for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
        uint32_t u = level->vertex[k];
        uint32_t group = m->group[u] == MAPCORE_NONE ? u : m->group[u];
        double square = (double)level->weight[k] * level->weight[k];

        /* most / its_size is the best rating: divisions take long. */
        if (size[group] <= room && square * its_size > most * size[group] &&
            (!m->how->keeps || level->side[v] == level->side[u])) {
            most = square;
            its_size = size[group];
            best = group;
        }
    }
    return best;
}

/* Clusters that vertices join one by one, up to CLUSTER times their mean size:
 * the graph gets small in half as many levels, which is what a bisection takes
 * its time for; cuts are a little worse. Size-constrained clustering as Meyer-
 * henke, Sanders and Schulz (2014), with a single round. */
static void cluster(struct matching *m,
                    uint32_t *order,
                    uint32_t *size,
                    struct rng *rng)
{
    const struct bisect_level *level = m->level;
    uint32_t n = level->n, largest;
    uint64_t sum = 0;

    shuffle(order, n, rng);
    for (uint32_t v = 0; v < n; v++) {
        size[v] = level->size[v];
        sum += size[v];
    }
    largest = (uint32_t)(CLUSTER * sum / n);
    if (largest > m->how->largest)
        largest = m->how->largest;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], group;

        if (m->group[v] != MAPCORE_NONE || level->size[v] >= largest)
            continue;
        group = best_cluster(m, v, size, largest);
        if (group == MAPCORE_NONE)
            continue;
        m->group[v] = m->group[group] = group;
        size[group] += level->size[v];
    }
}

/* What is still alone hangs on a hub that was taken: such vertices are joined
 * two by two when they have the heaviest neighbour in common (those without
 * any have vertex 0 in common). */
static void match_around_hubs(struct matching *m, uint32_t *waiting)
{
    const struct bisect_level *level = m->level;

    memset(waiting, 0xff, level->n * sizeof(*waiting));
    for (uint32_t v = 0; v < level->n; v++) {
        uint32_t hub, u;

        if (m->group[v] != MAPCORE_NONE)
            continue;
        m->group[v] = v;
        hub = heaviest_neighbour(level, v);
        u = waiting[hub];
        if (u == MAPCORE_NONE || !may_join(m, v, u)) {
            waiting[hub] = v;
            continue;
        }
        m->group[v] = u;
        waiting[hub] = MAPCORE_NONE;
    }
}

/* Those that are still alone, two by two; size: [n] scratch. */
static void match_rest(struct matching *m, uint32_t *size)
{
    uint32_t n = m->level->n, waiting = MAPCORE_NONE;

    memset(size, 0, n * sizeof(*size));
    for (uint32_t v = 0; v < n; v++)
        size[m->group[v]]++;
    for (uint32_t v = 0; v < n; v++) {
        if (size[m->group[v]] > 1)
            continue;
        if (waiting == MAPCORE_NONE) {
            waiting = v;
            continue;
        }
        m->group[v] = waiting;
        waiting = MAPCORE_NONE;
    }
}

/* Adds the edges of v to vertex c of the coarse level. The row of c begins at
 * row[c] and has entries up to end; mark[u] is the place of u in that row,
 * where the row has u. */
static size_t add_member(struct bisect_level *coarse,
                         const struct bisect_level *level,
                         uint32_t v,
                         uint32_t c,
                         size_t end,
                         uint32_t *mark)
{
    const size_t start = coarse->row[c];

    for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
        uint32_t u = level->coarse[level->vertex[k]];
        size_t at = start + mark[u];

        if (u == c)
            continue;
        if (at < end && coarse->vertex[at] == u) {
            coarse->weight[at] += level->weight[k];
            continue;
        }
        mark[u] = (uint32_t)(end - start);
        coarse->vertex[end] = u;
        coarse->weight[end++] = level->weight[k];
    }
    coarse->size[c] += level->size[v];
    coarse->bias[c] += level->bias[v];
    coarse->side[c] = level->side[v];
    return end;
}

/* head[c] and next[v]: the members of each coarse vertex, ascending. */
static void contract(struct bisect_level *coarse,
                     const struct bisect_level *level,
                     const uint32_t *head,
                     const uint32_t *next,
                     uint32_t *mark)
{
    size_t end = 0;

    memset(mark, 0, coarse->n * sizeof(*mark));
    for (uint32_t c = 0; c < coarse->n; c++) {
        coarse->row[c] = end;
        coarse->size[c] = 0;
        coarse->bias[c] = 0;
        for (uint32_t v = head[c]; v != MAPCORE_NONE; v = next[v])
            end = add_member(coarse, level, v, c, end, mark);
    }
    coarse->row[coarse->n] = end;
}

/* Numbers the groups in the order of their first members and chains these;
 * returns how many there are. number: [n] scratch. */
static uint32_t number_groups(struct bisect_level *level,
                              const uint32_t *group,
                              uint32_t *number,
                              uint32_t *head,
                              uint32_t *next)
{
    uint32_t n = level->n, count = 0;

    memset(number, 0xff, n * sizeof(*number));
    for (uint32_t v = 0; v < n; v++) {
        uint32_t *c = &number[group[v]];

        if (*c == MAPCORE_NONE) {
            head[count] = MAPCORE_NONE;
            *c = count++;
        }
        level->coarse[v] = *c;
    }
    for (uint32_t v = n; v-- > 0;) {
        next[v] = head[level->coarse[v]];
        head[level->coarse[v]] = v;
    }
    return count;
}

struct bisect_level *bisect_coarsen(struct bisect_level *level,
                                    const struct bisect_coarsening *how,
                                    struct rng *rng,
                                    struct arena *arena)
{
    uint32_t n = level->n, *scratch[3];
    struct arena own = {.err = arena->err};
    struct matching m = {.level = level, .how = how};
    struct bisect_level *coarse = NULL;

    m.group = arena_alloc(&own, n, sizeof(*m.group));
    for (size_t i = 0; i < 3; i++)
        scratch[i] = arena_alloc(&own, n, sizeof(**scratch));
    if (own.error)
        goto out;
    memset(m.group, 0xff, n * sizeof(*m.group));
    if (how->by_clusters)
        cluster(&m, scratch[0], scratch[1], rng);
    else
        match(&m, scratch[0], rng);
    match_around_hubs(&m, scratch[0]);
    if (how->pairs_all)
        match_rest(&m, scratch[0]);
    n = number_groups(level, m.group, scratch[0], scratch[1], scratch[2]);
    coarse = bisect_level_make(n, level->row[level->n], arena);
    if (!coarse)
        goto out;
    coarse->finer = level;
    contract(coarse, level, scratch[1], scratch[2], scratch[0]);
out:
    arena_clear(&own);
    return coarse;
}

/* What the weights of all edges, each once, may add up to. */
#define MAX_EDGE_WEIGHT ((uint64_t)1 << 30)

unsigned bisect_weight_shift(uint64_t bytes, uint64_t nedges)
{
    unsigned shift = 0;

    while (shift < 63 && (bytes >> shift) + nedges > MAX_EDGE_WEIGHT)
        shift++;
    return shift;
}

struct bisect_level *bisect_level_make(uint32_t n,
                                       size_t nedges,
                                       struct arena *arena)
{
    struct bisect_level *level = arena_alloc(arena, 1, sizeof(*level));

    if (level)
        *level = (struct bisect_level){
            .n = n,
            .row = arena_alloc(arena, (size_t)n + 1, sizeof(*level->row)),
            .vertex = arena_alloc(arena, nedges, sizeof(*level->vertex)),
            .weight = arena_alloc(arena, nedges, sizeof(*level->weight)),
            .size = arena_alloc(arena, n, sizeof(*level->size)),
            .bias = arena_alloc(arena, n, sizeof(*level->bias)),
            .side = arena_alloc(arena, n, sizeof(*level->side)),
            .coarse = arena_alloc(arena, n, sizeof(*level->coarse)),
        };
    return arena->error ? NULL : level;
}

int64_t bisect_level_cost(const struct bisect_level *level)
{
    int64_t cost = 0, twice = 0;

    for (uint32_t v = 0; v < level->n; v++) {
        if (level->side[v])
            cost += level->bias[v];
        for (size_t k = level->row[v]; k < level->row[v + 1]; k++)
            if (level->side[level->vertex[k]] != level->side[v])
                twice += level->weight[k];
    }
    return cost + twice / 2;
}
