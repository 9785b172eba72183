/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pins.c - pinned tasks brought to where they belong, at the least cost, also
 * by turning a torus round */
#include "config.h"

#include "map/constrain/pins.h"

#include "base/array.h"
#include "graph/csr.h"
#include "topo/shape.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

int pins_check(const uint32_t *pin,
               const struct mapcore_alloc *alloc,
               uint32_t ntasks,
               struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), *count;
    int error = 0;

    if (!pin)
        return 0;
    for (uint32_t t = 0; t < ntasks; t++)
        if (pin[t] != MAPCORE_NONE && pin[t] >= nhosts)
            return error_set(err, MAPCORE_EINVAL,
                             "task %u is pinned to node %u of %u", t, pin[t],
                             nhosts);
    count = array_alloc(nhosts, sizeof(*count), err);
    if (!count)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < ntasks; t++)
        if (pin[t] != MAPCORE_NONE)
            count[pin[t]]++;
    for (uint32_t h = 0; error == 0 && h < nhosts; h++)
        if (count[h] > mapcore_alloc_slots(alloc, h))
            error = error_set(err, MAPCORE_EINVAL,
                              "%u tasks are pinned to node %u, which has room "
                              "for %u",
                              count[h], h, mapcore_alloc_slots(alloc, h));
    free(count);
    return error;
}

/* Places of a box, at most, for each host in it. */
#define MOST_EMPTY 4

/* The hosts of a torus in the box of all coordinates that they have: those
 * values of dimension i are value[i][0 .. extent[i] - 1], ascending. */
struct box {
    const struct mapcore_alloc *alloc;
    struct topo_shape shape;
    uint32_t *value;  /* [ndims * nhosts] */
    uint32_t *extent; /* [ndims] */
    uint32_t *first;  /* [places] first host there, or MAPCORE_NONE */
    uint32_t *next;   /* [nhosts] the next one at the same router, ascending */
    uint64_t places;
    struct arena *arena;
};

static int ascending(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return x < y ? -1 : x > y;
}

static uint32_t place_on_axis(const struct box *box, uint32_t host, uint32_t i)
{
    uint32_t nhosts = mapcore_alloc_nhosts(box->alloc);
    uint32_t x = map_coordinate(box->alloc, &box->shape, host, i);
    const uint32_t *values = box->value + (size_t)i * nhosts;
    const uint32_t *found =
        bsearch(&x, values, box->extent[i], sizeof(*values), ascending);

    return (uint32_t)(found - values);
}

/* The place of a host after `times` steps of a move: the way from host a to
 * host b, taken `times` times. */
static uint64_t place_of(const struct box *box,
                         uint32_t host,
                         uint32_t a,
                         uint32_t b,
                         uint32_t times)
{
    uint64_t place = 0;

    for (uint32_t i = 0; i < box->shape.ndims; i++) {
        uint32_t n = box->extent[i], x = place_on_axis(box, host, i);

        if (times > 0)
            x = (x + n - place_on_axis(box, a, i) + place_on_axis(box, b, i)) %
                n;
        place = place * n + x;
    }
    return place;
}

/* Whether it is worth a table; not so without memory. */
static bool measure_box(struct box *box)
{
    uint32_t nhosts = mapcore_alloc_nhosts(box->alloc);

    box->value = arena_alloc(box->arena, (size_t)box->shape.ndims * nhosts,
                             sizeof(*box->value));
    box->extent =
        arena_alloc(box->arena, box->shape.ndims, sizeof(*box->extent));
    box->places = 1;
    for (uint32_t i = 0; !box->arena->error && i < box->shape.ndims; i++) {
        uint32_t *value = box->value + (size_t)i * nhosts, n = 0;

        for (uint32_t h = 0; h < nhosts; h++)
            value[h] = map_coordinate(box->alloc, &box->shape, h, i);
        array_sort_u32(value, nhosts);
        for (uint32_t h = 0; h < nhosts; h++)
            if (h == 0 || value[h] != value[n - 1])
                value[n++] = value[h];
        box->extent[i] = n;
        box->places *= n; /* below 2^32 x 2^32 before it is looked at */
        if (box->places > (uint64_t)nhosts * MOST_EMPTY)
            return false;
    }
    return !box->arena->error;
}

static bool fill_box(struct box *box)
{
    uint32_t nhosts = mapcore_alloc_nhosts(box->alloc);

    box->first =
        arena_alloc(box->arena, (size_t)box->places, sizeof(*box->first));
    box->next = arena_alloc(box->arena, nhosts, sizeof(*box->next));
    if (box->arena->error)
        return false;
    for (uint64_t p = 0; p < box->places; p++)
        box->first[p] = MAPCORE_NONE;
    for (uint32_t h = nhosts; h-- > 0;) {
        uint64_t place = place_of(box, h, 0, 0, 0);

        box->next[h] = box->first[place];
        box->first[place] = h;
    }
    return true;
}

/* The hosts of every router to those of the router that the move leads to,
 * router by router so that host a comes to host b; false where there is none,
 * or one with fewer hosts. */
static bool turn_box(uint32_t *to_of,
                     const struct box *box,
                     uint32_t a,
                     uint32_t b)
{
    for (uint64_t p = 0; p < box->places; p++) {
        uint32_t h = box->first[p];
        uint32_t other =
            h == MAPCORE_NONE ? h : box->first[place_of(box, h, a, b, 1)];

        for (; h != MAPCORE_NONE; h = box->next[h], other = box->next[other]) {
            if (other == MAPCORE_NONE)
                return false;
            to_of[h] = other;
        }
        if (other != MAPCORE_NONE)
            return false;
    }
    /* Beside each other at their routers. */
    for (uint32_t h = 0; to_of[a] != b; h++)
        if (to_of[h] == b) {
            to_of[h] = to_of[a];
            to_of[a] = b;
        }
    return true;
}

/* Turns a torus or mesh round by whole steps, in the coordinates that the
 * allocation has, so that host `from` comes to host `to`, as to_of[nhosts];
 * false where that is no permutation, on other networks, and without memory.
 * (That two parts of any network change places gained 0.15% at most.) O(nhosts
 * log nhosts). */
static bool turn(uint32_t *to_of,
                 const struct mapcore_alloc *alloc,
                 uint32_t from,
                 uint32_t to,
                 struct arena *arena)
{
    struct box box = {.alloc = alloc, .arena = arena};

    topo_shape(&box.shape, mapcore_alloc_topo(alloc));
    return box.shape.kind == TOPO_TORUS && measure_box(&box) &&
           fill_box(&box) && turn_box(to_of, &box, from, to);
}

/* A mapping whose pins are being settled, and who is on which host. */
struct settling {
    const struct map_problem *problem;
    uint32_t *host;  /* [ntasks] */
    uint32_t *first; /* [nhosts] a task of the host, or MAPCORE_NONE */
    uint32_t *next;  /* [ntasks] another one of its host */
    uint32_t *used;  /* [nhosts] slots */
};

static void put(struct settling *s, uint32_t t, uint32_t h)
{
    s->host[t] = h;
    s->next[t] = s->first[h];
    s->first[h] = t;
    s->used[h]++;
}

static void take(struct settling *s, uint32_t t)
{
    uint32_t *link = &s->first[s->host[t]];

    while (*link != t)
        link = &s->next[*link];
    *link = s->next[t];
    s->used[s->host[t]]--;
}

/* Takes a mapping, the tasks of host h moved to to_of[h] (NULL: not moved);
 * false when it does not fit. */
static bool load(struct settling *s,
                 const uint32_t *host,
                 const uint32_t *to_of)
{
    const struct mapcore_alloc *alloc = s->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    for (uint32_t h = 0; h < nhosts; h++) {
        s->first[h] = MAPCORE_NONE;
        s->used[h] = 0;
    }
    for (uint32_t t = s->problem->graph->ntasks; t-- > 0;)
        put(s, t, to_of ? to_of[host[t]] : host[t]);
    for (uint32_t h = 0; h < nhosts; h++)
        if (s->used[h] > mapcore_alloc_slots(alloc, h))
            return false;
    return true;
}

/* Hop-bytes that task t adds on host b instead of a, with u, if any, the other
 * way: an edge between the two stays as long as it is. */
static __int128 added(const struct settling *s,
                      uint32_t t,
                      uint32_t u,
                      uint32_t a,
                      uint32_t b)
{
    const struct mapcore_graph *graph = s->problem->graph;
    const struct mapcore_alloc *alloc = s->problem->alloc;
    __int128 sum = 0;

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
        uint32_t h = s->host[graph->task[k]];
        int64_t before, after;

        if (graph->task[k] == u)
            continue;
        before = h == a ? 0 : mapcore_alloc_distance(alloc, a, h);
        after = h == b ? 0 : mapcore_alloc_distance(alloc, b, h);
        sum += (__int128)graph->bytes[k] * (after - before);
    }
    return sum;
}

/* Task t to host b, in exchange for the task that costs least. There is one: no
 * more tasks are pinned to b than it has slots, and t is not there. */
static void bring(struct settling *s, uint32_t t, uint32_t b)
{
    const uint32_t *pin = s->problem->pin;
    uint32_t a = s->host[t], best = MAPCORE_NONE;
    bool found = s->used[b] < mapcore_alloc_slots(s->problem->alloc, b);
    __int128 least = found ? added(s, t, MAPCORE_NONE, a, b) : 0;

    for (uint32_t u = s->first[b]; u != MAPCORE_NONE; u = s->next[u]) {
        __int128 sum;

        if (pin[u] == b)
            continue;
        sum = added(s, t, u, a, b) + added(s, u, t, b, a);
        if (!found || sum < least) {
            found = true;
            least = sum;
            best = u;
        }
    }
    take(s, t);
    if (best != MAPCORE_NONE) {
        take(s, best);
        put(s, best, a);
    }
    put(s, t, b);
}

static unsigned __int128 hop_bytes(const struct settling *s)
{
    const struct mapcore_graph *graph = s->problem->graph;
    unsigned __int128 sum = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t a = s->host[t], b = s->host[graph->task[k]];

            if (graph->task[k] > t && a != b)
                sum += (unsigned __int128)graph->bytes[k] *
                       mapcore_alloc_distance(s->problem->alloc, a, b);
        }
    return sum;
}

/* The first pinned task that is elsewhere, or ntasks. */
static uint32_t first_stray(const uint32_t *host,
                            const uint32_t *pin,
                            uint32_t ntasks)
{
    uint32_t t = 0;

    while (t < ntasks && (pin[t] == MAPCORE_NONE || pin[t] == host[t]))
        t++;
    return t;
}

static void bring_all(struct settling *s)
{
    const uint32_t *pin = s->problem->pin;

    for (uint32_t t = 0; t < s->problem->graph->ntasks; t++)
        if (pin[t] != MAPCORE_NONE && pin[t] != s->host[t])
            bring(s, t, pin[t]);
}

/* All that the hosts hold turned round, and what is then left exchanged; into
 * best[ntasks] if that has fewer hop-bytes than it has. */
static void try_turn(uint32_t *best,
                     struct settling *s,
                     const uint32_t *host,
                     uint32_t stray,
                     struct arena *arena)
{
    const struct map_problem *problem = s->problem;
    const unsigned __int128 least = hop_bytes(s);
    uint32_t *to_of = arena_alloc(arena, mapcore_alloc_nhosts(problem->alloc),
                                  sizeof(*to_of));

    if (!to_of ||
        !turn(to_of, problem->alloc, host[stray], problem->pin[stray], arena) ||
        !load(s, host, to_of))
        return;
    bring_all(s);
    if (hop_bytes(s) < least)
        memcpy(best, s->host, problem->graph->ntasks * sizeof(*best));
}

int pins_settle(uint32_t *host,
                const struct map_problem *problem,
                struct mapcore_error *err)
{
    uint32_t ntasks = problem->graph->ntasks, stray, *best;
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc);
    struct settling s = {.problem = problem};
    struct arena arena = {.err = err};
    int error = 0;

    if (!problem->pin ||
        (stray = first_stray(host, problem->pin, ntasks)) == ntasks)
        return 0;
    s.host = arena_alloc(&arena, ntasks, sizeof(*s.host));
    s.first = arena_alloc(&arena, nhosts, sizeof(*s.first));
    s.next = arena_alloc(&arena, ntasks, sizeof(*s.next));
    s.used = arena_alloc(&arena, nhosts, sizeof(*s.used));
    if ((error = arena.error) < 0)
        goto out;
    load(&s, host, NULL);
    bring_all(&s);
    best = arena_copy(&arena, s.host, ntasks, sizeof(*best));
    if (best && ntasks < MAP_LARGE)
        try_turn(best, &s, host, stray, &arena);
    if ((error = arena.error) == 0)
        memcpy(host, best, ntasks * sizeof(*best));
out:
    arena_clear(&arena);
    return error;
}
