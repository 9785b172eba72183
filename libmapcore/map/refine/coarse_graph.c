/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* coarse_graph.c - task graphs in a form that inner loops run through fast */
#include "config.h"

#include "map/refine/coarse_graph.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>

/* Edges of a grain below 2^30 each and 2^44 in all: times 2^16 links, and a few
 * of them added up, they stay within 63 bits. */
#define EDGE_BITS 30
#define MORE_BITS 14

static int heavier_first(const void *a, const void *b)
{
    const struct grain_edge *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void sort_rows(struct grain *grain)
{
    for (uint32_t i = 0; i < grain->n; i++)
        qsort(grain->edge + grain->row[i], grain->row[i + 1] - grain->row[i],
              sizeof(*grain->edge), heavier_first);
}

static struct grain *make(uint32_t n, size_t nedges, struct mapcore_error *err)
{
    struct grain *grain = array_alloc(1, sizeof(*grain), err);

    if (!grain)
        return NULL;
    grain->n = n;
    grain->row = array_alloc((size_t)n + 1, sizeof(*grain->row), err);
    grain->edge = array_alloc(nedges, sizeof(*grain->edge), err);
    if (!grain->row || !grain->edge) {
        grain_destroy(grain);
        return NULL;
    }
    return grain;
}

static int32_t scaled(uint64_t bytes, unsigned shift)
{
    return (int32_t)((bytes + ((uint64_t)1 << shift) - 1) >> shift);
}

/* The heaviest edge and the sum of the heaviest row. */
struct extremes {
    uint64_t edge, row;
};

static void note(struct extremes *most, uint64_t edge)
{
    if (edge > most->edge)
        most->edge = edge;
}

static void note_row(struct extremes *most, uint64_t row)
{
    if (row > most->row)
        most->row = row;
}

static unsigned shift_for(const struct extremes *most)
{
    unsigned shift = 0;

    while (most->edge >> shift >> EDGE_BITS > 0 ||
           most->row >> shift >> EDGE_BITS >> MORE_BITS > 0)
        shift++;
    /* Rounding up must not reach the limit. */
    return shift > 0 ? shift + 1 : 0;
}

int grain_create(struct grain **out,
                 const struct mapcore_graph *graph,
                 struct mapcore_error *err)
{
    size_t nedges = graph->row[graph->ntasks];
    struct grain *grain = make(graph->ntasks, nedges, err);
    struct extremes most = {0, 0};
    unsigned shift;

    if (!grain)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint64_t sum = 0; /* below 2^63, as that of all bytes */

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            note(&most, graph->bytes[k]);
            sum += graph->bytes[k];
        }
        note_row(&most, sum);
    }
    shift = shift_for(&most);
    for (uint32_t t = 0; t <= graph->ntasks; t++)
        grain->row[t] = graph->row[t];
    for (size_t k = 0; k < nedges; k++) {
        grain->edge[k].to = graph->task[k];
        grain->edge[k].bytes = scaled(graph->bytes[k], shift);
    }
    sort_rows(grain);
    *out = grain;
    return 0;
}

/* Lumps under way: what the members of one lump send to each other lump. */
struct lumping {
    size_t *first;    /* [nlumps + 1] into member */
    uint32_t *member; /* [n] */
    uint64_t *bytes;  /* [nlumps], 0 but for the lump at hand */
    uint32_t *peer;   /* [nlumps] */
};

static int group(struct lumping *l,
                 const struct grain *grain,
                 const uint32_t *lump,
                 uint32_t nlumps,
                 struct mapcore_error *err)
{
    l->first = array_alloc((size_t)nlumps + 2, sizeof(*l->first), err);
    l->member = array_alloc(grain->n, sizeof(*l->member), err);
    l->bytes = array_alloc(nlumps, sizeof(*l->bytes), err);
    l->peer = array_alloc(nlumps, sizeof(*l->peer), err);
    if (!l->first || !l->member || !l->bytes || !l->peer)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < grain->n; i++)
        l->first[lump[i] + 2]++;
    for (uint32_t i = 0; i < nlumps; i++)
        l->first[i + 2] += l->first[i + 1];
    for (uint32_t i = 0; i < grain->n; i++)
        l->member[l->first[lump[i] + 1]++] = i;
    return 0;
}

/* Collects the peers of lump i and returns how many there are; their bytes are
 * in l->bytes and must be zeroed by the caller. */
static uint32_t collect(struct lumping *l,
                        const struct grain *grain,
                        const uint32_t *lump,
                        uint32_t i)
{
    uint32_t npeers = 0;

    for (size_t m = l->first[i]; m < l->first[i + 1]; m++) {
        uint32_t t = l->member[m];

        for (size_t k = grain->row[t]; k < grain->row[t + 1]; k++) {
            uint32_t peer = lump[grain->edge[k].to];

            if (peer == i)
                continue;
            if (l->bytes[peer] == 0)
                l->peer[npeers++] = peer;
            l->bytes[peer] += (uint64_t)grain->edge[k].bytes;
        }
    }
    return npeers;
}

/* Counts the edges of the lumps and finds the extremes. */
static size_t survey(struct extremes *most,
                     struct lumping *l,
                     const struct grain *grain,
                     const uint32_t *lump,
                     uint32_t nlumps)
{
    size_t nedges = 0;

    for (uint32_t i = 0; i < nlumps; i++) {
        uint32_t npeers = collect(l, grain, lump, i);
        uint64_t sum = 0;

        nedges += npeers;
        for (uint32_t p = 0; p < npeers; p++) {
            note(most, l->bytes[l->peer[p]]);
            sum += l->bytes[l->peer[p]];
            l->bytes[l->peer[p]] = 0;
        }
        note_row(most, sum);
    }
    return nedges;
}

int grain_lump(struct grain **out,
               const struct grain *grain,
               const uint32_t *lump,
               uint32_t nlumps,
               struct mapcore_error *err)
{
    struct lumping l = {0};
    struct grain *lumped = NULL;
    struct extremes most = {0, 0};
    size_t n = 0;
    unsigned shift;
    int error = group(&l, grain, lump, nlumps, err);

    if (error < 0)
        goto out;
    lumped = make(nlumps, survey(&most, &l, grain, lump, nlumps), err);
    if (!lumped) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    shift = shift_for(&most);
    for (uint32_t i = 0; i < nlumps; i++) {
        uint32_t npeers = collect(&l, grain, lump, i);

        for (uint32_t p = 0; p < npeers; p++) {
            lumped->edge[n].to = l.peer[p];
            lumped->edge[n++].bytes = scaled(l.bytes[l.peer[p]], shift);
            l.bytes[l.peer[p]] = 0;
        }
        lumped->row[i + 1] = n;
    }
    sort_rows(lumped);
    *out = lumped;
out:
    free(l.first);
    free(l.member);
    free(l.bytes);
    free(l.peer);
    return error;
}

void grain_destroy(struct grain *grain)
{
    if (!grain)
        return;
    free(grain->row);
    free(grain->edge);
    free(grain);
}
