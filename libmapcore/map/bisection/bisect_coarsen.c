/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_coarsen.c - pairs of vertices that share much become one */
#include "config.h"

#include "map/bisection/bisect_coarsen.h"

#include "base/array.h"

#include <string.h>

struct matching {
    const struct bisect_level *level;
    uint32_t *mate; /* [n] itself: alone; MAPCORE_NONE: not looked at */
    uint32_t largest;
    bool keeps;
};

static bool may_join(const struct matching *m, uint32_t v, uint32_t u)
{
    const struct bisect_level *level = m->level;

    return level->size[v] + level->size[u] <= m->largest &&
           (!m->keeps || level->side[v] == level->side[u]);
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

        if (m->mate[u] != MAPCORE_NONE || !may_join(m, v, u))
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

static void match(struct matching *m, uint32_t *order, struct rng *rng)
{
    uint32_t n = m->level->n;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t j = rng_below(rng, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t v = order[i], u;

        if (m->mate[v] != MAPCORE_NONE)
            continue;
        u = best_neighbour(m, v);
        if (u == MAPCORE_NONE)
            continue;
        m->mate[v] = u;
        m->mate[u] = v;
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

        if (m->mate[v] != MAPCORE_NONE)
            continue;
        m->mate[v] = v;
        hub = heaviest_neighbour(level, v);
        u = waiting[hub];
        if (u == MAPCORE_NONE || !may_join(m, v, u)) {
            waiting[hub] = v;
            continue;
        }
        m->mate[v] = u;
        m->mate[u] = v;
        waiting[hub] = MAPCORE_NONE;
    }
}

/* Adds what v has to vertex c of the coarse level, whose row begins at start;
 * mark[u] is where u stands in that row, if it is from start on. */
static size_t add_member(struct bisect_level *coarse,
                         const struct bisect_level *level,
                         uint32_t v,
                         uint32_t c,
                         size_t start,
                         size_t end,
                         uint32_t *mark)
{
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

static void contract(struct bisect_level *coarse,
                     const struct bisect_level *level,
                     const uint32_t *mate,
                     uint32_t *mark)
{
    size_t end = 0;
    uint32_t c = 0;

    memset(mark, 0, coarse->n * sizeof(*mark));
    for (uint32_t v = 0; v < level->n; v++) {
        size_t start = end;

        if (mate[v] < v)
            continue;
        coarse->row[c] = start;
        coarse->size[c] = 0;
        coarse->bias[c] = 0;
        end = add_member(coarse, level, v, c, start, end, mark);
        if (mate[v] != v)
            end = add_member(coarse, level, mate[v], c, start, end, mark);
        c++;
    }
    coarse->row[c] = end;
}

int bisect_coarsen(struct bisect_levels *levels,
                   size_t index,
                   uint32_t largest,
                   bool keeps,
                   struct rng *rng,
                   struct mapcore_error *err)
{
    uint32_t n = levels->level[index].n, ncoarse = 0, *mate, *spare;
    struct matching m = {.largest = largest, .keeps = keeps};
    struct bisect_level *level;
    int error;

    if ((error = array_reserve(&levels->mark, &levels->mark_capacity,
                               (size_t)n * 2, sizeof(*levels->mark), err)) < 0)
        return error;
    mate = levels->mark;
    spare = levels->mark + n;
    m.level = &levels->level[index];
    m.mate = mate;
    memset(mate, 0xff, n * sizeof(*mate));
    match(&m, spare, rng);
    match_around_hubs(&m, spare);
    for (uint32_t v = 0; v < n; v++)
        ncoarse += mate[v] >= v;
    error =
        bisect_levels_reserve(levels, index + 1, ncoarse, m.level->row[n], err);
    if (error < 0)
        return error;
    level = &levels->level[index];
    for (uint32_t v = 0, c = 0; v < n; v++)
        level->coarse[v] = mate[v] < v ? level->coarse[mate[v]] : c++;
    contract(level + 1, level, mate, spare);
    return 0;
}
