/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edges.c - sorts, adds up and merges edges; knows nothing of MPI */
#include "config.h"

#include "commprof/edges.h"

#include "base/array.h"

#include <stdlib.h>

static int compare(const void *one, const void *other)
{
    const struct edge *x = one, *y = other;

    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->a != y->a)
        return x->a < y->a ? -1 : 1;
    return x->b < y->b ? -1 : x->b > y->b;
}

int edges_from_rows(struct edges *out,
                    const struct row *rows,
                    size_t nrows,
                    uint32_t rank)
{
    out->edge = array_alloc(nrows, sizeof *out->edge, NULL);
    if (!out->edge)
        return MAPCORE_ENOMEM;
    out->n = nrows;
    for (size_t i = 0; i < nrows; i++) {
        const uint32_t peer = rows[i].peer;
        out->edge[i] = (struct edge){.type = rows[i].type,
                                     .a = rank < peer ? rank : peer,
                                     .b = rank < peer ? peer : rank,
                                     .bytes = rows[i].bytes};
    }
    qsort(out->edge, out->n, sizeof *out->edge, compare);
    return 0;
}

int edges_merge(struct edges *edges, const struct edge *more, size_t nmore)
{
    size_t i = 0, j = 0, n = 0;

    if (nmore > SIZE_MAX - edges->n)
        return MAPCORE_ENOMEM;
    struct edge *merged = array_alloc(edges->n + nmore, sizeof *merged, NULL);
    if (!merged)
        return MAPCORE_ENOMEM;
    while (i < edges->n || j < nmore) {
        int order = i == edges->n ? 1 : -1;
        if (i < edges->n && j < nmore)
            order = compare(&edges->edge[i], &more[j]);
        if (order <= 0)
            merged[n] = edges->edge[i++];
        else
            merged[n] = more[j++];
        if (order == 0)
            merged[n].bytes = record_sum(merged[n].bytes, more[j++].bytes);
        n++;
    }
    free(edges->edge);
    edges->edge = merged;
    edges->n = n;
    return 0;
}

void edges_clear(struct edges *edges)
{
    free(edges->edge);
    edges->edge = NULL;
    edges->n = 0;
}
