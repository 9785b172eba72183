/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_gains.c - refinement of a cut by single moves, as Fiduccia and
 * Mattheyses (1982) */
#include "config.h"

#include "map/bisect_gains.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A pass ends after so many moves that lead to nothing better; passes end when
 * one leads to nothing better, or after MAX_PASSES. */
#define PATIENCE   150
#define MAX_PASSES 8

/* Of a vertex in a pass. */
enum { IDLE, LISTED, MOVED };

int gains_create(struct bisect_gains **out, struct mapcore_error *err)
{
    *out = array_alloc(1, sizeof(**out), err);
    if (!*out)
        return MAPCORE_ENOMEM;
    memset((*out)->head, 0xff, sizeof((*out)->head));
    return 0;
}

void gains_destroy(struct bisect_gains *gains)
{
    if (!gains)
        return;
    free(gains->gain);
    free(gains->next);
    free(gains->before);
    free(gains->state);
    free(gains->moved);
    free(gains);
}

int gains_reserve(struct bisect_gains *gains,
                  uint32_t n,
                  struct mapcore_error *err)
{
    int code;

    if ((code = array_reserve(&gains->gain, &gains->gain_room, n,
                              sizeof(*gains->gain), err)) < 0 ||
        (code = array_reserve(&gains->next, &gains->next_room, n,
                              sizeof(*gains->next), err)) < 0 ||
        (code = array_reserve(&gains->before, &gains->before_room, n,
                              sizeof(*gains->before), err)) < 0 ||
        (code = array_reserve(&gains->state, &gains->state_room, n,
                              sizeof(*gains->state), err)) < 0)
        return code;
    return array_reserve(&gains->moved, &gains->moved_room, n,
                         sizeof(*gains->moved), err);
}

uint32_t gains_list_of(int64_t gain)
{
    uint64_t size = gain < 0 ? -(uint64_t)gain : (uint64_t)gain;
    uint32_t list = (uint32_t)size;

    if (size >= 1 << GAINS_FINE) {
        uint32_t shift = 63 - GAINS_FINE - (uint32_t)__builtin_clzll(size);

        list = (shift << GAINS_FINE) + (uint32_t)(size >> shift);
    }
    return gain < 0 ? GAINS_LISTS / 2 - list : GAINS_LISTS / 2 + list;
}

static void list_add(struct bisect_gains *gains, uint32_t side, uint32_t v)
{
    uint32_t list = gains_list_of(gains->gain[v]);
    uint32_t first = gains->head[side][list];

    gains->next[v] = first;
    gains->before[v] = MAPCORE_NONE;
    if (first != MAPCORE_NONE)
        gains->before[first] = v;
    gains->head[side][list] = v;
    gains->used[side][list / 64] |= (uint64_t)1 << list % 64;
    gains->state[v] = LISTED;
}

static void list_remove(struct bisect_gains *gains, uint32_t side, uint32_t v)
{
    uint32_t next = gains->next[v], before = gains->before[v];

    if (next != MAPCORE_NONE)
        gains->before[next] = before;
    if (before != MAPCORE_NONE) {
        gains->next[before] = next;
        return;
    }
    uint32_t list = gains_list_of(gains->gain[v]);

    gains->head[side][list] = next;
    if (next == MAPCORE_NONE)
        gains->used[side][list / 64] &= ~((uint64_t)1 << list % 64);
}

/* Most lists are empty, so the marks are looked at, not the lists. */
static void empty_lists(struct bisect_gains *gains)
{
    for (uint32_t side = 0; side < 2; side++)
        for (uint32_t w = 0; w < GAINS_LISTS / 64; w++)
            for (uint64_t used = gains->used[side][w]; used; used &= used - 1)
                gains->head[side][w * 64 + (uint32_t)__builtin_ctzll(used)] =
                    MAPCORE_NONE;
    memset(gains->used, 0, sizeof(gains->used));
}

/* A vertex of the highest list of a side, or MAPCORE_NONE. */
static uint32_t list_best(const struct bisect_gains *gains, uint32_t side)
{
    for (uint32_t w = GAINS_LISTS / 64; w-- > 0;)
        if (gains->used[side][w])
            return gains
                ->head[side][w * 64 + 63 -
                             (uint32_t)__builtin_clzll(gains->used[side][w])];
    return MAPCORE_NONE;
}

/* One run of refinement. */
struct refinement {
    struct bisect_gains *gains;
    struct bisect_level *level;
    const struct gains_bounds *bounds;
    uint64_t size0; /* tasks on side 0 */
    int64_t gained; /* in this pass */
    uint32_t nmoved;
};

/* By how much a number of tasks is out of bounds that are wider by more. */
static uint64_t excess(const struct gains_bounds *bounds,
                       uint64_t size0,
                       uint64_t more)
{
    if (size0 + more < bounds->low)
        return bounds->low - more - size0;
    return size0 > bounds->high + more ? size0 - more - bounds->high : 0;
}

/* Only vertices at the border can gain; but to come back into bounds any will
 * do. */
static void begin_pass(struct refinement *r)
{
    const struct bisect_level *level = r->level;
    struct bisect_gains *gains = r->gains;
    bool all = excess(r->bounds, r->size0, r->bounds->spill) > 0;

    empty_lists(gains);
    r->gained = 0;
    r->nmoved = 0;
    for (uint32_t v = 0; v < level->n; v++) {
        uint8_t side = level->side[v];
        int64_t inside = 0, outside = 0;

        for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
            if (level->side[level->vertex[k]] == side)
                inside += level->weight[k];
            else
                outside += level->weight[k];
        }
        gains->gain[v] =
            outside - inside + (side == 0 ? -level->bias[v] : level->bias[v]);
        gains->state[v] = IDLE;
        if (all || outside > 0 || level->bias[v] != 0)
            list_add(gains, side, v);
    }
}

/* Takes a vertex to the other side and lists its neighbours anew. */
static void move(struct refinement *r, uint32_t v)
{
    struct bisect_level *level = r->level;
    struct bisect_gains *gains = r->gains;
    uint8_t from = level->side[v];

    list_remove(gains, from, v);
    gains->state[v] = MOVED;
    gains->moved[r->nmoved++] = v;
    level->side[v] = 1 - from;
    r->size0 =
        from == 0 ? r->size0 - level->size[v] : r->size0 + level->size[v];
    r->gained += gains->gain[v];
    gains->gain[v] = -gains->gain[v];
    for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
        uint32_t u = level->vertex[k];
        int64_t change = 2 * (int64_t)level->weight[k];

        if (gains->state[u] == LISTED)
            list_remove(gains, level->side[u], u);
        gains->gain[u] += level->side[u] == from ? change : -change;
        if (gains->state[u] != MOVED)
            list_add(gains, level->side[u], u);
    }
}

/* The better of the best vertices of both sides among moves that may be made,
 * or MAPCORE_NONE. A move out of bounds may be made if it leads nearer. */
static uint32_t choose(const struct refinement *r)
{
    uint64_t now = excess(r->bounds, r->size0, r->bounds->slack);
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
        if (best == MAPCORE_NONE || r->gains->gain[v] > r->gains->gain[best] ||
            (r->gains->gain[v] == r->gains->gain[best] &&
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
    uint32_t best_moves = 0, patience = PATIENCE;

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
            patience = PATIENCE;
        }
    }
    while (r->nmoved > best_moves) {
        uint32_t v = r->gains->moved[--r->nmoved];
        uint8_t from = r->level->side[v];

        r->level->side[v] = 1 - from;
        if (from == 0)
            r->size0 -= r->level->size[v];
        else
            r->size0 += r->level->size[v];
    }
    r->gained = best_gain;
    return best_moves > 0;
}

int64_t gains_refine(struct bisect_gains *gains,
                     struct bisect_level *level,
                     const struct gains_bounds *bounds)
{
    struct refinement r = {.gains = gains, .level = level, .bounds = bounds};
    int64_t gained = 0;

    for (uint32_t v = 0; v < level->n; v++)
        if (level->side[v] == 0)
            r.size0 += level->size[v];
    for (int i = 0; i < MAX_PASSES && pass(&r); i++)
        gained += r.gained;
    return gained;
}
