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
static uint16_t search_on(struct fabric_scratch *search,
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
    return s == MAPCORE_NONE ? 0 : row[s];
}

void fabric_search(uint16_t *row,
                   uint32_t *queue,
                   const struct fabric *fabric,
                   uint32_t from)
{
    struct fabric_scratch search = {.queue = queue, .row = row, .tail = 1};

    for (uint32_t s = 0; s < fabric->base.nswitches; s++)
        row[s] = FABRIC_FAR;
    row[from] = 0;
    queue[0] = from;
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

static void begin_search(struct fabric_scratch *search, uint32_t from)
{
    if (search->from == from)
        return;
    /* Usually little was reached, in a large network. */
    for (uint32_t i = 0; i < search->tail; i++)
        search->row[search->queue[i]] = FABRIC_FAR;
    search->from = from;
    search->row[from] = 0;
    search->queue[0] = from;
    search->head = 0;
    search->tail = 1;
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
    const struct fabric *fabric = view->fabric;
    uint32_t best = UINT32_MAX;

    for (uint32_t p = 0; p < view->nports; p++) {
        uint16_t far = view->row[p]
                           ? view->row[p][s]
                           : search_on(&fabric->rows->scratch[p], fabric, s);
        uint32_t links = (uint32_t)far +
                         (fabric->port_link[view->first + p] != MAPCORE_NONE);

        best = links < best ? links : best;
    }
    return best;
}

/* Whether a switch is that far from the host, where one that is farther has
 * been asked for by toward, and none beside it can be nearer: so the searches
 * have been here if it is, and need not go on. */
static bool is_toward(const struct view *view, uint32_t s, uint32_t links)
{
    const struct fabric *fabric = view->fabric;

    for (uint32_t p = 0; p < view->nports; p++) {
        const uint16_t *row =
            view->row[p] ? view->row[p] : fabric->rows->scratch[p].row;

        if (row[s] + (uint32_t)(fabric->port_link[view->first + p] !=
                                MAPCORE_NONE) ==
            links)
            return true;
    }
    return false;
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
                         uint32_t b)
{
    struct view view;
    uint32_t links;

    if (a == b)
        return 0;
    view_open(&view, fabric_of(topo), b);
    links = from_host(&view, a);
    view_close(&view);
    return links;
}

/* One hop of the way: a link (MAPCORE_NONE: none is needed) and the vertex
 * behind it. */
struct hop {
    uint32_t link, to;
};

/* The hops from host a that lie on shortest routes, hop[FABRIC_MAX_PORTS]. */
static uint32_t first_hops(struct hop *hop, const struct view *view, uint32_t a)
{
    const struct fabric *fabric = view->fabric;
    uint32_t best = from_host(view, a), n = 0;

    for (uint32_t p = fabric->port_first[a]; p < fabric->port_first[a + 1];
         p++) {
        uint32_t s = fabric->port[p], link = fabric->port_link[p];

        if (toward(view, s) + (link != MAPCORE_NONE) == best)
            hop[n++] = (struct hop){link, fabric->base.nhosts + s};
    }
    return n;
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

/* The hop from a switch towards host b that digits choose; returns among how
 * many, 0 when b sits there. */
static uint32_t choose_hop(struct hop *out,
                           const struct view *view,
                           uint32_t s,
                           uint32_t b,
                           uint32_t digits)
{
    const struct fabric *fabric = view->fabric;
    uint32_t left = toward(view, s), k = 0, nth, i = fabric->first[s];

    if (left == 0)
        return 0;
    *out = (struct hop){left == 1 ? last_link(view, s) : MAPCORE_NONE, b};
    if (out->link != MAPCORE_NONE)
        return 1;
    for (uint32_t n = i; n < fabric->first[s + 1]; n++)
        k += is_toward(view, fabric->next[n], left - 1);
    for (nth = digits % k;; i++)
        if (is_toward(view, fabric->next[i], left - 1) && nth-- == 0)
            break;
    *out = (struct hop){fabric->link[i], fabric->base.nhosts + fabric->next[i]};
    return k;
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
    struct hop hop[FABRIC_MAX_PORTS], at;
    uint32_t n = 0, digits = b, k;
    struct view view;

    if (a == b)
        return 0;
    view_open(&view, fabric_of(topo), b);
    k = first_hops(hop, &view, a);
    at = hop[digits % k];
    digits /= k;
    if (at.link != MAPCORE_NONE)
        links[n++] = at.link;
    while (at.to != b) {
        uint32_t s = at.to - topo->nhosts;

        k = choose_hop(&at, &view, s, b, digits);
        if (k == 0)
            break;
        digits /= k;
        links[n++] = at.link;
    }
    view_close(&view);
    return n;
}

/* The hops from switch s. */
static uint32_t hops_from(const struct view *view,
                          uint32_t s,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    const struct fabric *fabric = view->fabric;
    uint32_t left = toward(view, s), n = 0;

    *link = left == 1 ? last_link(view, s) : MAPCORE_NONE;
    *to = b;
    if (left == 0 || *link != MAPCORE_NONE)
        return left > 0;
    for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++) {
        if (is_toward(view, fabric->next[i], left - 1)) {
            link[n] = fabric->link[i];
            to[n++] = fabric->base.nhosts + fabric->next[i];
        }
    }
    return n;
}

static uint32_t next_hops(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to)
{
    struct hop hop[FABRIC_MAX_PORTS];
    struct view view;
    uint32_t n = 0;

    if (vertex == b)
        return 0;
    view_open(&view, fabric_of(topo), b);
    if (vertex < topo->nhosts) {
        n = first_hops(hop, &view, vertex);
        for (uint32_t i = 0; i < n; i++) {
            link[i] = hop[i].link;
            to[i] = hop[i].to;
        }
        /* A host that sits at its switch goes on from there. */
        if (link[0] == MAPCORE_NONE)
            vertex = to[0];
    }
    if (vertex >= topo->nhosts)
        n = hops_from(&view, vertex - topo->nhosts, b, link, to);
    view_close(&view);
    return n;
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
