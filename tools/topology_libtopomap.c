/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_libtopomap.c - a network as LibTopoMap reads it: vertices with
 * names, and then the neighbours of each, with whole weights where capacities
 * differ */
#include "config.h"

#include "tools/topology_show.h"

#include "base/array.h"
#include "topo/walk.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct arc {
    uint32_t from, to;
    double capacity;
};

/* Both directions of every cable, ordered. */
struct arcs {
    struct arc *arc;
    size_t n, capacity;
    uint32_t *vertex; /* [hosts and switches]: its number, or MAPCORE_NONE */
    uint32_t nvertices;
    double least, most; /* capacities */
};

static int add(struct arcs *arcs,
               uint32_t from,
               uint32_t to,
               double capacity,
               struct mapcore_error *err)
{
    int error = array_reserve(&arcs->arc, &arcs->capacity, arcs->n + 1,
                              sizeof(*arcs->arc), err);

    if (error == 0)
        arcs->arc[arcs->n++] =
            (struct arc){arcs->vertex[from], arcs->vertex[to], capacity};
    return error;
}

/* A router with one host is that host: routes are as long as they are. */
static int number_vertices(struct arcs *arcs,
                           const struct mapcore_topo *topo,
                           struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    const uint32_t n = nhosts + topo_nswitches(topo);
    uint32_t *hosts_at = array_alloc(n, sizeof(*hosts_at), err);

    arcs->vertex = array_alloc(n, sizeof(*arcs->vertex), err);
    if (!hosts_at || !arcs->vertex) {
        free(hosts_at);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t v = nhosts; v < n; v++)
        arcs->vertex[v] = MAPCORE_NONE;
    for (uint32_t h = 0; h < nhosts; h++) {
        arcs->vertex[h] = h;
        if (topo_is_attached(topo, h))
            hosts_at[topo_host_vertex(topo, h)]++;
    }
    for (uint32_t h = 0; h < nhosts; h++)
        if (topo_is_attached(topo, h) &&
            hosts_at[topo_host_vertex(topo, h)] == 1)
            arcs->vertex[topo_host_vertex(topo, h)] = h;
    arcs->nvertices = nhosts;
    for (uint32_t v = nhosts; v < n; v++)
        if (arcs->vertex[v] == MAPCORE_NONE)
            arcs->vertex[v] = arcs->nvertices++;
    free(hosts_at);
    return 0;
}

static int collect(struct arcs *arcs,
                   const struct mapcore_topo *topo,
                   struct mapcore_error *err)
{
    const bool is_both = mapcore_topo_link_directions(topo) == 2;
    uint32_t end[2];
    int error = number_vertices(arcs, topo, err);

    arcs->least = arcs->most = 1;
    for (uint32_t l = 0; error == 0 && l < mapcore_topo_nlinks(topo); l++) {
        const double capacity = mapcore_topo_has_capacities(topo)
                                    ? mapcore_topo_link_capacity(topo, l)
                                    : 1;

        if (!topo_link_ends(topo, l, end))
            continue;
        arcs->least = arcs->n == 0 ? capacity : fmin(arcs->least, capacity);
        arcs->most = arcs->n == 0 ? capacity : fmax(arcs->most, capacity);
        error = add(arcs, end[0], end[1], capacity, err);
        if (error == 0 && is_both)
            error = add(arcs, end[1], end[0], capacity, err);
    }
    /* Hosts that share a router have no links of their own. */
    for (uint32_t h = 0; error == 0 && h < mapcore_topo_nhosts(topo); h++) {
        const uint32_t at = topo_host_vertex(topo, h);

        if (!topo_is_attached(topo, h) || arcs->vertex[at] == h)
            continue;
        error = add(arcs, h, at, arcs->most, err);
        if (error == 0)
            error = add(arcs, at, h, arcs->most, err);
    }
    return error;
}

static int compare_arcs(const void *a, const void *b)
{
    const struct arc *x = a, *y = b;

    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    return (x->to > y->to) - (x->to < y->to);
}

static void print(const struct arcs *arcs, const struct mapcore_topo *topo)
{
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    const bool is_weighted = arcs->least < arcs->most && arcs->least > 0;
    size_t i = 0;
    char name[600];

    printf("num: %" PRIu32 "%s\n", arcs->nvertices, is_weighted ? " w" : "");
    for (uint32_t v = 0; v < nhosts + topo_nswitches(topo); v++) {
        if (v >= nhosts && arcs->vertex[v] < nhosts)
            continue;
        topo_vertex_name(topo, v, name, sizeof(name));
        for (char *c = name; *c; c++)
            *c = *c == '\n' ? '_' : *c;
        printf("%" PRIu32 " %s\n", arcs->vertex[v], name);
    }
    for (uint32_t v = 0; v < arcs->nvertices; v++) {
        printf("%" PRIu32, v);
        for (; i < arcs->n && arcs->arc[i].from == v; i++) {
            printf(" %" PRIu32, arcs->arc[i].to);
            if (is_weighted)
                printf("(%.0f)", round(arcs->arc[i].capacity / arcs->least));
        }
        putchar('\n');
    }
}

int topology_links_libtopomap(const struct mapcore_topo *topo,
                              struct mapcore_error *err)
{
    struct arcs arcs = {.arc = NULL};
    int error = collect(&arcs, topo, err);

    if (error == 0) {
        if (arcs.n > 0)
            qsort(arcs.arc, arcs.n, sizeof(*arcs.arc), compare_arcs);
        print(&arcs, topo);
    }
    free(arcs.arc);
    free(arcs.vertex);
    return error;
}
