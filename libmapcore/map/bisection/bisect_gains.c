/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_gains.c - refinement of a cut by single moves, as Fiduccia and
 * Mattheyses (1982) */
#include "config.h"

#include "map/bisection/bisect.h"

#include <string.h>

static inline void make_ring(struct bisect_gains *gains, uint32_t i)
{
    gains->link[i] = (struct bisect_gains_link){i, i};
}

int bisect_gains_reserve(struct bisect_gains *gains,
                         uint32_t n,
                         struct arena *arena)
{
    if (gains->link && n <= gains->capacity)
        return 0;
    *gains = (struct bisect_gains){
        .vertex = arena_alloc(arena, n, sizeof(*gains->vertex)),
        .moved = arena_alloc(arena, n, sizeof(*gains->moved)),
        .link =
            arena_alloc(arena, (size_t)GAINS_RINGS + n, sizeof(*gains->link)),
        .capacity = n,
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < GAINS_RINGS; i++)
        make_ring(gains, i);
    return 0;
}

uint32_t bisect_gains_list_of(int64_t gain)
{
    uint64_t size = gain < 0 ? -(uint64_t)gain : (uint64_t)gain;
    uint32_t shift =
        63 - GAINS_FINE - (uint32_t)__builtin_clzll(size | 1 << GAINS_FINE);
    uint32_t list = (shift << GAINS_FINE) + (uint32_t)(size >> shift);

    return gain < 0 ? GAINS_LISTS / 2 - list : GAINS_LISTS / 2 + list;
}

static inline void ring_add(struct bisect_gains *gains,
                            uint32_t ring,
                            uint32_t i)
{
    uint32_t first = gains->link[ring].next;

    gains->link[i] = (struct bisect_gains_link){first, ring};
    gains->link[first].before = i;
    gains->link[ring].next = i;
}

static inline void ring_remove(struct bisect_gains *gains, uint32_t i)
{
    struct bisect_gains_link link = gains->link[i];

    gains->link[link.next].before = link.before;
    gains->link[link.before].next = link.next;
}

/* Puts a vertex, which is in no ring, at the beginning of its list; or, once
 * it has moved, where nothing looks for it. */
static inline void list_add(struct bisect_gains *gains,
                            uint32_t side,
                            uint32_t v)
{
    const struct bisect_gains_vertex *vertex = &gains->vertex[v];
    uint32_t list = bisect_gains_list_of(vertex->gain);
    uint32_t ring = side * GAINS_LISTS + list, *top = &gains->top[side];

    gains->used[ring / 64] |= (uint64_t)1 << ring % 64;
    *top = *top > list / 64 ? *top : list / 64 + 1;
    ring_add(gains, vertex->moved ? GAINS_NOWHERE : ring, GAINS_RINGS + v);
}

/* Most lists are empty, so the marks are looked at, not the lists. */
static void empty_lists(struct bisect_gains *gains)
{
    for (uint32_t w = 0; w < 2 * GAINS_LISTS / 64; w++)
        for (uint64_t used = gains->used[w]; used; used &= used - 1)
            make_ring(gains, w * 64 + (uint32_t)__builtin_ctzll(used));
    make_ring(gains, GAINS_NOWHERE);
    memset(gains->used, 0, sizeof(gains->used));
    memset(gains->top, 0, sizeof(gains->top));
}

/* A vertex of the highest list of a side, or MAPCORE_NONE. */
static uint32_t list_best(struct bisect_gains *gains, uint32_t side)
{
    uint64_t *used = gains->used + side * (GAINS_LISTS / 64);
    uint32_t *top = &gains->top[side];

    for (; *top > 0; --*top)
        while (used[*top - 1]) {
            uint32_t bit = 63 - (uint32_t)__builtin_clzll(used[*top - 1]);
            uint32_t ring = side * GAINS_LISTS + (*top - 1) * 64 + bit;

            if (gains->link[ring].next != ring)
                return gains->link[ring].next - GAINS_RINGS;
            used[*top - 1] &= ~((uint64_t)1 << bit);
        }
    return MAPCORE_NONE;
}

/* One run of refinement. */
struct refinement {
    struct bisect_gains *gains;
    struct bisect_level *level;
    const struct bisect_gains_bounds *bounds;
    const struct bisect_gains_effort *effort;
    uint64_t size0; /* tasks on side 0 */
    int64_t gained; /* in this pass */
    uint32_t nmoved;
};

/* By how much a number of tasks is out of bounds that are wider by more. */
static uint64_t excess(const struct bisect_gains_bounds *bounds,
                       uint64_t size0,
                       uint64_t more)
{
    if (size0 + more < bounds->low)
        return bounds->low - more - size0;
    return size0 > bounds->high + more ? size0 - more - bounds->high : 0;
}

/* What every vertex would gain, and what hangs on it. */
static void find_gains(struct refinement *r)
{
    const struct bisect_level *level = r->level;

    for (uint32_t v = 0; v < level->n; v++) {
        struct bisect_gains_vertex *vertex = &r->gains->vertex[v];
        uint8_t side = level->side[v];
        uint32_t outside = 0, degree = 0;

        for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
            degree += level->weight[k];
            if (level->side[level->vertex[k]] != side)
                outside += level->weight[k];
        }
        vertex->degree = degree;
        vertex->gain = 2 * (int64_t)outside - degree +
                       (side == 0 ? -level->bias[v] : level->bias[v]);
        if (side == 0)
            r->size0 += level->size[v];
    }
}

/* Only vertices at the border can gain; but to come back into bounds any will
 * do. Outside are (degree + gain without the bias) / 2. */
static void begin_pass(struct refinement *r)
{
    const struct bisect_level *level = r->level;
    struct bisect_gains *gains = r->gains;
    bool all = excess(r->bounds, r->size0, r->bounds->spill) > 0;

    empty_lists(gains);
    r->gained = 0;
    r->nmoved = 0;
    for (uint32_t v = 0; v < level->n; v++) {
        struct bisect_gains_vertex *vertex = &gains->vertex[v];

        vertex->moved = 0;
        make_ring(gains, GAINS_RINGS + v);
        if (all || level->bias[v] != 0 ||
            vertex->gain + (int64_t)vertex->degree > 0)
            list_add(gains, level->side[v], v);
    }
}

/* What a vertex gains when a neighbour leaves its side, or comes to it. Written
 * without a branch, which would be a toss. */
static inline int64_t gain_change(uint32_t weight, bool leaves)
{
    return 2 * (int64_t)weight * (2 * (int64_t)leaves - 1);
}

/* Takes a vertex to the other side; its neighbours gain by that. */
static void change_side(struct refinement *r, uint32_t v)
{
    struct bisect_level *level = r->level;
    uint8_t from = level->side[v];

    level->side[v] = 1 - from;
    r->size0 =
        from == 0 ? r->size0 - level->size[v] : r->size0 + level->size[v];
    r->gains->vertex[v].gain = -r->gains->vertex[v].gain;
}

/* The same in a pass: lists the neighbours anew. */
static void move(struct refinement *r, uint32_t v)
{
    struct bisect_level *level = r->level;
    struct bisect_gains *gains = r->gains;
    uint8_t from = level->side[v];

    ring_remove(gains, GAINS_RINGS + v);
    make_ring(gains, GAINS_RINGS + v);
    gains->vertex[v].moved = 1;
    gains->moved[r->nmoved++] = v;
    r->gained += gains->vertex[v].gain;
    change_side(r, v);
    for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
        uint32_t u = level->vertex[k], side = level->side[u];

        gains->vertex[u].gain += gain_change(level->weight[k], side == from);
        ring_remove(gains, GAINS_RINGS + u);
        list_add(gains, side, u);
    }
}

/* Takes moves back until nleft are left. When none is, the gains are not
 * needed any more: no pass follows. */
static void undo(struct refinement *r, uint32_t nleft)
{
    const struct bisect_level *level = r->level;

    while (r->nmoved > nleft) {
        uint32_t v = r->gains->moved[--r->nmoved];
        uint8_t from = level->side[v];

        change_side(r, v);
        if (nleft == 0)
            continue;
        for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
            uint32_t u = level->vertex[k];

            r->gains->vertex[u].gain +=
                gain_change(level->weight[k], level->side[u] == from);
        }
    }
}

/* The better of the best vertices of both sides among moves that may be made,
 * or MAPCORE_NONE. A move out of bounds may be made if it leads nearer. */
static uint32_t choose(const struct refinement *r)
{
    uint64_t now = excess(r->bounds, r->size0, r->bounds->slack);
    const struct bisect_gains_vertex *vertex = r->gains->vertex;
    uint32_t best = MAPCORE_NONE;

    for (uint32_t side = 0; side < 2; side++) {
        uint32_t v = list_best(r->gains, side);
        uint64_t size0, then;

        if (v == MAPCORE_NONE)
            continue;
        if (side == 0)
            size0 = r->size0 - r->level->size[v];
        else
            size0 = r->size0 + r->level->size[v];
        then = excess(r->bounds, size0, r->bounds->slack);
        if (then > 0 && then >= now)
            continue;
        if (best == MAPCORE_NONE || vertex[v].gain > vertex[best].gain ||
            (vertex[v].gain == vertex[best].gain &&
             excess(r->bounds, size0, 0) < excess(r->bounds, r->size0, 0)))
            best = v;
    }
    return best;
}

/* Whether the pass led to something better, which is there now. */
static bool pass(struct refinement *r)
{
    uint64_t out, best_out;
    int64_t best_gain = 0;
    uint32_t best_moves = 0, patience = r->effort->patience;

    begin_pass(r);
    best_out = excess(r->bounds, r->size0, r->bounds->spill);
    while (patience > 0 || best_out > 0) {
        uint32_t v = choose(r);

        if (v == MAPCORE_NONE)
            break;
        move(r, v);
        patience -= patience > 0;
        out = excess(r->bounds, r->size0, r->bounds->spill);
        if (out < best_out || (out == best_out && r->gained > best_gain)) {
            best_out = out;
            best_gain = r->gained;
            best_moves = r->nmoved;
            patience = r->effort->patience;
        }
    }
    undo(r, best_moves);
    r->gained = best_gain;
    return best_moves > 0;
}

int64_t bisect_gains_refine(struct bisect_gains *gains,
                            struct bisect_level *level,
                            const struct bisect_gains_bounds *bounds,
                            const struct bisect_gains_effort *effort)
{
    struct refinement r = {
        .gains = gains, .level = level, .bounds = bounds, .effort = effort};
    int64_t gained = 0;

    find_gains(&r);
    for (uint32_t i = 0; i < effort->passes && pass(&r); i++)
        gained += r.gained;
    return gained;
}
