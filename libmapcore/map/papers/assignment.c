/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* assignment.c - linear assignment by shortest augmenting paths (Jonker and
 * Volgenant, Computing 38, 1987) */
#include "config.h"

#include "map/papers/assignment.h"

#include "base/array.h"

#include <stdlib.h>

/* Costs looked at between two looks at the clock: about a millisecond. */
#define STEPS_BETWEEN_LOOKS ((size_t)1 << 20)

struct lap {
    uint32_t n;
    const int64_t *cost;
    uint32_t *column; /* [n] of each row, or MAPCORE_NONE */
    uint32_t *row;    /* [n] of each column, or MAPCORE_NONE */
    int64_t *price;   /* [n] of columns */
    uint32_t *open;   /* [nopen] rows without a column */
    uint32_t nopen;

    /* Of one path: columns 0 .. done-1 of list have their final distance,
     * those below scan the least one, the others a larger one. */
    uint32_t *list;  /* [n] a permutation of the columns */
    int64_t *length; /* [n] of the shortest path to a column */
    uint32_t *from;  /* [n] the row before it */
    size_t steps;
};

static int begin(struct lap *lap, struct mapcore_error *err)
{
    uint32_t n = lap->n;

    lap->row = array_alloc(n, sizeof(*lap->row), err);
    lap->open = array_alloc(n, sizeof(*lap->open), err);
    lap->list = array_alloc(n, sizeof(*lap->list), err);
    lap->length = array_alloc(n, sizeof(*lap->length), err);
    lap->from = array_alloc(n, sizeof(*lap->from), err);
    if (!lap->row || !lap->open || !lap->list || !lap->length || !lap->from)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        lap->column[i] = lap->row[i] = MAPCORE_NONE;
    return 0;
}

static void finish(struct lap *lap)
{
    free(lap->row);
    free(lap->open);
    free(lap->list);
    free(lap->length);
    free(lap->from);
}

/* Column reduction: the price of a column is its least cost. */
static void reduce_columns(struct lap *lap)
{
    uint32_t n = lap->n;

    for (uint32_t j = 0; j < n; j++)
        if (lap->price[j] != 0)
            return;
    for (uint32_t j = 0; j < n; j++)
        lap->price[j] = lap->cost[j];
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (lap->cost[(size_t)i * n + j] < lap->price[j])
                lap->price[j] = lap->cost[(size_t)i * n + j];
}

/* The two columns of least reduced cost for a row; with one column alone the
 * second is MAPCORE_NONE. */
static int64_t two_best(const struct lap *lap,
                        uint32_t i,
                        uint32_t *first,
                        uint32_t *second)
{
    const int64_t *cost = lap->cost + (size_t)i * lap->n;
    int64_t least = INT64_MAX, next = INT64_MAX;

    *first = *second = MAPCORE_NONE;
    for (uint32_t j = 0; j < lap->n; j++) {
        int64_t reduced = cost[j] - lap->price[j];

        if (reduced >= next)
            continue;
        if (reduced < least) {
            next = least;
            *second = *first;
            least = reduced;
            *first = j;
        } else {
            next = reduced;
            *second = j;
        }
    }
    return *second == MAPCORE_NONE ? 0 : next - least;
}

/* Augmenting row reduction: each open row takes its best column, at a price so
 * low that it would as soon have the second, from whoever has it. *patience
 * bounds how often who lost a column goes on at once. */
static void reduce_rows(struct lap *lap, uint32_t *patience)
{
    uint32_t n = lap->nopen, k = 0, kept = 0;

    while (k < n) {
        uint32_t i = lap->open[k++], j, second, loser;
        int64_t gap = two_best(lap, i, &j, &second);

        lap->steps += lap->n;
        if (gap > 0)
            lap->price[j] -= gap;
        else if (lap->row[j] != MAPCORE_NONE && second != MAPCORE_NONE)
            j = second;
        loser = lap->row[j];
        lap->row[j] = i;
        lap->column[i] = j;
        if (loser == MAPCORE_NONE)
            continue;
        lap->column[loser] = MAPCORE_NONE;
        if (gap > 0 && *patience > 0) {
            --*patience;
            lap->open[--k] = loser;
        } else {
            lap->open[kept++] = loser;
        }
    }
    lap->nopen = kept;
}

/* Moves the columns at the least distance to list[done .. scan-1]; returns the
 * distance. */
static int64_t nearest(struct lap *lap, uint32_t done, uint32_t *scan)
{
    int64_t least = lap->length[lap->list[done]];

    *scan = done;
    for (uint32_t k = done; k < lap->n; k++) {
        uint32_t j = lap->list[k];

        if (lap->length[j] > least)
            continue;
        if (lap->length[j] < least) {
            *scan = done;
            least = lap->length[j];
        }
        lap->list[k] = lap->list[*scan];
        lap->list[(*scan)++] = j;
    }
    lap->steps += lap->n - done;
    return least;
}

/* Paths over the row of a column whose distance, least, is final. Returns a
 * free column at the same distance, or MAPCORE_NONE. */
static uint32_t extend(struct lap *lap,
                       uint32_t j,
                       int64_t least,
                       uint32_t *scan)
{
    uint32_t n = lap->n, i = lap->row[j];
    const int64_t *cost = lap->cost + (size_t)i * n;
    int64_t base = cost[j] - lap->price[j] - least;

    lap->steps += n - *scan;
    for (uint32_t k = *scan; k < n; k++) {
        uint32_t other = lap->list[k];
        int64_t length = cost[other] - lap->price[other] - base;

        if (length >= lap->length[other])
            continue;
        lap->length[other] = length;
        lap->from[other] = i;
        if (length > least)
            continue;
        if (lap->row[other] == MAPCORE_NONE)
            return other;
        lap->list[k] = lap->list[*scan];
        lap->list[(*scan)++] = other;
    }
    return MAPCORE_NONE;
}

/* Dijkstra from an open row to a free column over reduced costs; then prices
 * change along the way and the path is swapped. */
static void augment(struct lap *lap, uint32_t start)
{
    uint32_t n = lap->n, done = 0, scan = 0, end = MAPCORE_NONE, settled = 0;
    int64_t least = 0;

    for (uint32_t j = 0; j < n; j++) {
        lap->length[j] = lap->cost[(size_t)start * n + j] - lap->price[j];
        lap->from[j] = start;
        lap->list[j] = j;
    }
    while (end == MAPCORE_NONE) {
        if (done == scan) {
            settled = done;
            least = nearest(lap, done, &scan);
            for (uint32_t k = done; k < scan && end == MAPCORE_NONE; k++)
                if (lap->row[lap->list[k]] == MAPCORE_NONE)
                    end = lap->list[k];
        }
        if (end == MAPCORE_NONE)
            end = extend(lap, lap->list[done++], least, &scan);
    }
    for (uint32_t k = 0; k < settled; k++) {
        uint32_t j = lap->list[k];

        lap->price[j] += lap->length[j] - least;
    }
    for (uint32_t i = MAPCORE_NONE; i != start;) {
        uint32_t j = end;

        i = lap->from[j];
        end = lap->column[i];
        lap->row[j] = i;
        lap->column[i] = j;
    }
}

static bool look(struct lap *lap, const struct map_clock *clock)
{
    if (lap->steps < STEPS_BETWEEN_LOOKS)
        return false;
    lap->steps = 0;
    return map_clock_expired(clock);
}

int lap_solve(uint32_t *column,
              bool *cut,
              int64_t *price,
              uint32_t n,
              const int64_t *cost,
              const struct map_clock *clock,
              struct mapcore_error *err)
{
    struct lap lap = {.n = n, .cost = cost, .column = column, .price = price};
    uint32_t patience = n < UINT32_MAX / 8 ? 8 * n : UINT32_MAX;
    int error;

    *cut = false;
    if ((error = begin(&lap, err)) < 0)
        goto out;
    reduce_columns(&lap);
    for (uint32_t i = 0; i < n; i++)
        lap.open[lap.nopen++] = i;
    for (int pass = 0; pass < 2 && !*cut; pass++) {
        reduce_rows(&lap, &patience);
        *cut = look(&lap, clock);
    }
    for (uint32_t k = 0; k < lap.nopen && !*cut; k++) {
        augment(&lap, lap.open[k]);
        *cut = look(&lap, clock);
    }
out:
    finish(&lap);
    return error;
}
