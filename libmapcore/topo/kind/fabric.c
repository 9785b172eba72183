/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric.c - distances and routes in an arbitrary network (a graph), given link
 * by link */
#include "config.h"

#include "topo/kind/fabric.h"

#include "base/budget.h"

#include <stdio.h>
#include <stdlib.h>

static const struct fabric *fabric_of(const struct mapcore_topo *topo)
{
    return (const struct fabric *)(const void *)topo;
}

/* Goes on until s is reached, which is the case for all that are nearer then;
 * MAPCORE_NONE: until all are. */
static void search_on(struct fabric_scratch *search,
                      const struct fabric *fabric,
                      uint32_t s)
{
    uint16_t *row = search->row;

    while ((s == MAPCORE_NONE || row[s] == FABRIC_FAR) &&
           search->head < search->tail) {
        uint32_t at = search->queue[search->head++];

        for (uint32_t i = fabric->first[at]; i < fabric->first[at + 1]; i++) {
            uint32_t t = fabric->next[i];

            if (row[t] == FABRIC_FAR && row[at] < FABRIC_FAR - 1) {
                row[t] = (uint16_t)(row[at] + 1);
                search->queue[search->tail++] = t;
            }
        }
    }
}

/* Where little was reached, in a large network, little is undone. */
static void begin_search(struct fabric_scratch *search, uint32_t from)
{
    for (uint32_t i = 0; i < search->tail; i++)
        search->row[search->queue[i]] = FABRIC_FAR;
    search->row[from] = 0;
    search->queue[0] = search->from = from;
    search->head = 0;
    search->tail = 1;
}

void fabric_search(uint16_t *row,
                   uint32_t *queue,
                   const struct fabric *fabric,
                   uint32_t from)
{
    struct fabric_scratch search = {.queue = queue, .row = row};

    for (uint32_t s = 0; s < fabric->base.nswitches; s++)
        row[s] = FABRIC_FAR;
    begin_search(&search, from);
    search_on(&search, fabric, MAPCORE_NONE);
}

/* The row of a switch, or NULL when no more rows can be kept. */
static const uint16_t *keep_row(const struct fabric *fabric, uint32_t s)
{
    struct fabric_rows *rows = fabric->rows;
    uint16_t *row = atomic_load(&rows->row[s]), *other = NULL;
    uint32_t *queue;

    if (row || !budget_take(&rows->budget))
        return row;
    row = malloc(fabric->base.nswitches * sizeof(*row));
    queue = malloc(fabric->base.nswitches * sizeof(*queue));
    if (!row || !queue) {
        free(row);
        free(queue);
        budget_give_back(&rows->budget);
        return NULL;
    }
    fabric_search(row, queue, fabric, s);
    free(queue);
    if (!atomic_compare_exchange_strong(&rows->row[s], &other, row)) {
        free(row); /* another thread was faster; its row is the same */
        budget_give_back(&rows->budget);
        row = other;
    }
    return row;
}

/* The distances to a host from everywhere, by each of its ports: whole rows, or
 * where there are none a search. */
struct view {
    const struct fabric *fabric;
    uint32_t first, nports;
    const uint16_t *row[FABRIC_MAX_PORTS];
    bool locked;
};

static void view_open(struct view *view,
                      const struct fabric *fabric,
                      uint32_t host)
{
    struct fabric_rows *rows = fabric->rows;

    view->fabric = fabric;
    view->first = fabric->port_first[host];
    view->nports = fabric->port_first[host + 1] - view->first;
    view->locked = false;
    for (uint32_t p = 0; p < view->nports; p++) {
        uint32_t s = fabric->port[view->first + p];

        view->row[p] = keep_row(fabric, s);
        if (view->row[p])
            continue;
        while (!view->locked && atomic_flag_test_and_set(&rows->busy))
            ;
        view->locked = true;
        if (rows->scratch[p].from != s)
            begin_search(&rows->scratch[p], s);
    }
}

static void view_close(struct view *view)
{
    if (view->locked)
        atomic_flag_clear(&view->fabric->rows->busy);
}

/* Links from a switch to the host. */
static uint32_t toward(const struct view *view, uint32_t s)
{
    uint32_t best = UINT32_MAX;

    for (uint32_t p = 0; p < view->nports; p++) {
        uint32_t cable = view->fabric->port_link[view->first + p];
        struct fabric_scratch *search = &view->fabric->rows->scratch[p];
        uint32_t links = cable != MAPCORE_NONE;

        if (!view->row[p])
            search_on(search, view->fabric, s);
        links += view->row[p] ? view->row[p][s] : search->row[s];

        best = links < best ? links : best;
    }
    return best;
}

/* Links from host a, and where a shortest route may begin: nth of those of its
 * ports. */
static uint32_t from_host(const struct view *view, uint32_t a)
{
    const struct fabric *fabric = view->fabric;
    uint32_t best = UINT32_MAX;

    for (uint32_t p = fabric->port_first[a]; p < fabric->port_first[a + 1];
         p++) {
        uint32_t links = toward(view, fabric->port[p]) +
                         (fabric->port_link[p] != MAPCORE_NONE);

        best = links < best ? links : best;
    }
    return best;
}

static uint32_t distance(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b,
                         bool wraps)
{
    struct view view;
    uint32_t links;

    (void)wraps;
    if (a == b)
        return 0;
    view_open(&view, fabric_of(topo), b);
    links = from_host(&view, a);
    view_close(&view);
    return links;
}

/* The cable from a switch to the host, or MAPCORE_NONE. */
static uint32_t last_link(const struct view *view, uint32_t s)
{
    const struct fabric *fabric = view->fabric;

    for (uint32_t p = 0; p < view->nports; p++) {
        uint32_t link = fabric->port_link[view->first + p];

        if (fabric->port[view->first + p] == s && link != MAPCORE_NONE)
            return link ^ 1;
    }
    return MAPCORE_NONE;
}

/* The hops from a vertex that lie on shortest routes: links (MAPCORE_NONE: none
 * is needed), and the vertices behind them. */
struct hops {
    uint32_t n;
    uint32_t nth; /* this one alone is written; or ALL_HOPS */
    uint32_t *link, *to;
    bool ends; /* with that one: n does not count them all */
};
#define ALL_HOPS MAPCORE_NONE

static void add_hop(struct hops *hops, uint32_t link, uint32_t to)
{
    const uint32_t at = hops->nth == ALL_HOPS ? hops->n : 0;

    if (hops->nth == ALL_HOPS || hops->nth == hops->n) {
        hops->link[at] = link;
        hops->to[at] = to;
    }
    hops->n++;
}

static void list_hops(struct hops *hops,
                      const struct view *view,
                      uint32_t vertex,
                      uint32_t b)
{
    const struct fabric *fabric = view->fabric;
    const uint32_t nhosts = fabric->base.nhosts, s = vertex - nhosts;
    const uint32_t *first = fabric->port_first;
    uint32_t left, last;

    if (vertex < nhosts) {
        left = from_host(view, vertex);
        for (uint32_t p = first[vertex]; p < first[vertex + 1]; p++)
            if (toward(view, fabric->port[p]) +
                    (fabric->port_link[p] != MAPCORE_NONE) ==
                left)
                add_hop(hops, fabric->port_link[p], nhosts + fabric->port[p]);
        return;
    }
    left = toward(view, s);
    last = left == 1 ? last_link(view, s) : MAPCORE_NONE;
    if (last != MAPCORE_NONE)
        add_hop(hops, last, b);
    if (left == 0 || last != MAPCORE_NONE)
        return;
    for (uint32_t i = fabric->first[s];
         i < fabric->first[s + 1] && !(hops->ends && hops->n > hops->nth); i++)
        if (toward(view, fabric->next[i]) == left - 1)
            add_hop(hops, fabric->link[i], nhosts + fabric->next[i]);
}

/* Where several hops lead on, a digit of b chooses: b mod k among k, then b /
 * k goes on to the next choice. On a fat tree this is the D-mod-k routing of
 * Zahavi (Technion CCIT report 776, 2010) as far as hosts are numbered in the
 * order of their leaves. */
static uint32_t route(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links)
{
    uint32_t n = 0, digits = b, at = a, next, link;
    struct view view;

    if (a == b)
        return 0;
    view_open(&view, fabric_of(topo), b);
    while (at != b) {
        struct hops first = {.link = &link, .to = &next}, other = first;

        list_hops(&first, &view, at, b);
        if (first.n == 0) /* b sits there */
            break;
        other.nth = digits % first.n;
        other.ends = true;
        if (other.nth > 0)
            list_hops(&other, &view, at, b);
        digits /= first.n;
        at = next;
        if (link != MAPCORE_NONE)
            links[n++] = link;
    }
    view_close(&view);
    return n;
}

static uint32_t next_hops(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    struct hops hops = {.nth = ALL_HOPS, .link = link, .to = to};
    struct view view;

    if (vertex == b)
        return 0;
    view_open(&view, fabric_of(topo), b);
    list_hops(&hops, &view, vertex, b);
    if (vertex < topo->nhosts && link[0] == MAPCORE_NONE) {
        /* A host that sits at its switch goes on from there. */
        hops.n = 0;
        list_hops(&hops, &view, to[0], b);
    }
    view_close(&view);
    return hops.n;
}

static bool link_ends(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2])
{
    const struct fabric *fabric = fabric_of(topo);

    end[0] = fabric->end[link];
    end[1] = fabric->end[link ^ 1];
    return true;
}

static bool is_attached(const struct mapcore_topo *topo, uint32_t host)
{
    const struct fabric *fabric = fabric_of(topo);

    return fabric->port_link[fabric->port_first[host]] == MAPCORE_NONE;
}

static int distance_block(uint16_t *out,
                          const struct mapcore_topo *topo,
                          const struct topo_rows *rows,
                          struct mapcore_error *err)
{
    return fabric_block(out, fabric_of(topo), rows, true, err);
}

static void destroy(struct mapcore_topo *topo)
{
    struct fabric_rows *rows = fabric_of(topo)->rows;

    for (uint32_t s = 0; rows && rows->row && s < topo->nswitches; s++)
        free(atomic_load(&rows->row[s]));
}

const struct topo_ops fabric_ops = {
    .destroy = destroy,
    .distance = distance,
    .route = route,
    .distance_block = distance_block,
    .next_hops = next_hops,
    .link_ends = link_ends,
    .is_attached = is_attached,
    .link_directions = 1,
};
