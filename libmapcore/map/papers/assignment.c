/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* assignment.c - linear assignment by shortest augmenting paths (Jonker and
 * Volgenant, Computing 38, 1987) */
#include "config.h"

#include "map/papers/assignment.h"

#include "base/array.h"

/* Costs looked at between two looks at the deadline: about a millisecond. */
#define STEPS_BETWEEN_LOOKS ((size_t)1 << 20)

struct assignment {
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

static int begin(struct assignment *assignment, struct arena *arena)
{
    uint32_t n = assignment->n;

    assignment->row = arena_alloc(arena, n, sizeof(*assignment->row));
    assignment->open = arena_alloc(arena, n, sizeof(*assignment->open));
    assignment->list = arena_alloc(arena, n, sizeof(*assignment->list));
    assignment->length = arena_alloc(arena, n, sizeof(*assignment->length));
    assignment->from = arena_alloc(arena, n, sizeof(*assignment->from));
    for (uint32_t i = 0; !arena->error && i < n; i++)
        assignment->column[i] = assignment->row[i] = MAPCORE_NONE;
    return arena->error;
}

/* Column reduction: the price of a column is its least cost. */
static void reduce_columns(struct assignment *assignment)
{
    uint32_t n = assignment->n;

    for (uint32_t j = 0; j < n; j++)
        if (assignment->price[j] != 0)
            return;
    for (uint32_t j = 0; j < n; j++)
        assignment->price[j] = assignment->cost[j];
    for (uint32_t i = 1; i < n; i++)
        for (uint32_t j = 0; j < n; j++)
            if (assignment->cost[(size_t)i * n + j] < assignment->price[j])
                assignment->price[j] = assignment->cost[(size_t)i * n + j];
}

/* The two columns of least reduced cost for a row; with one column alone the
 * second is MAPCORE_NONE. */
static int64_t two_best(const struct assignment *assignment,
                        uint32_t i,
                        uint32_t *first,
                        uint32_t *second)
{
    const int64_t *cost = assignment->cost + (size_t)i * assignment->n;
    int64_t least = INT64_MAX, next = INT64_MAX;

    *first = *second = MAPCORE_NONE;
    for (uint32_t j = 0; j < assignment->n; j++) {
        int64_t reduced = cost[j] - assignment->price[j];

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
 * low that it would as soon have the second, from the row that has it.
 * *patience bounds how often who lost a column goes on at once. */
static void reduce_rows(struct assignment *assignment, uint32_t *patience)
{
    uint32_t n = assignment->nopen, k = 0, kept = 0;

    while (k < n) {
        uint32_t i = assignment->open[k++], j, second, loser;
        int64_t gap = two_best(assignment, i, &j, &second);

        assignment->steps += assignment->n;
        if (gap > 0)
            assignment->price[j] -= gap;
        else if (assignment->row[j] != MAPCORE_NONE && second != MAPCORE_NONE)
            j = second;
        loser = assignment->row[j];
        assignment->row[j] = i;
        assignment->column[i] = j;
        if (loser == MAPCORE_NONE)
            continue;
        assignment->column[loser] = MAPCORE_NONE;
        if (gap > 0 && *patience > 0) {
            --*patience;
            assignment->open[--k] = loser;
        } else {
            assignment->open[kept++] = loser;
        }
    }
    assignment->nopen = kept;
}

/* Moves the columns at the least distance to list[done .. scan-1]; returns the
 * distance. */
static int64_t nearest(struct assignment *assignment,
                       uint32_t done,
                       uint32_t *scan)
{
    int64_t least = assignment->length[assignment->list[done]];

    *scan = done;
    for (uint32_t k = done; k < assignment->n; k++) {
        uint32_t j = assignment->list[k];

        if (assignment->length[j] > least)
            continue;
        if (assignment->length[j] < least) {
            *scan = done;
            least = assignment->length[j];
        }
        assignment->list[k] = assignment->list[*scan];
        assignment->list[(*scan)++] = j;
    }
    assignment->steps += assignment->n - done;
    return least;
}

/* Paths over the row of a column whose distance, least, is final. Returns a
 * free column at the same distance, or MAPCORE_NONE. */
static uint32_t extend(struct assignment *assignment,
                       uint32_t j,
                       int64_t least,
                       uint32_t *scan)
{
    uint32_t n = assignment->n, i = assignment->row[j];
    const int64_t *cost = assignment->cost + (size_t)i * n;
    int64_t base = cost[j] - assignment->price[j] - least;

    assignment->steps += n - *scan;
    for (uint32_t k = *scan; k < n; k++) {
        uint32_t other = assignment->list[k];
        int64_t length = cost[other] - assignment->price[other] - base;

        if (length >= assignment->length[other])
            continue;
        assignment->length[other] = length;
        assignment->from[other] = i;
        if (length > least)
            continue;
        if (assignment->row[other] == MAPCORE_NONE)
            return other;
        assignment->list[k] = assignment->list[*scan];
        assignment->list[(*scan)++] = other;
    }
    return MAPCORE_NONE;
}

/* Dijkstra from an open row to a free column over reduced costs; then prices
 * change along the way and the path is swapped. */
static void augment(struct assignment *assignment, uint32_t start)
{
    uint32_t n = assignment->n, done = 0, scan = 0, end = MAPCORE_NONE,
             settled = 0;
    int64_t least = 0;

    for (uint32_t j = 0; j < n; j++) {
        assignment->length[j] =
            assignment->cost[(size_t)start * n + j] - assignment->price[j];
        assignment->from[j] = start;
        assignment->list[j] = j;
    }
    while (end == MAPCORE_NONE) {
        if (done == scan) {
            settled = done;
            least = nearest(assignment, done, &scan);
            for (uint32_t k = done; k < scan && end == MAPCORE_NONE; k++)
                if (assignment->row[assignment->list[k]] == MAPCORE_NONE)
                    end = assignment->list[k];
        }
        if (end == MAPCORE_NONE)
            end = extend(assignment, assignment->list[done++], least, &scan);
    }
    for (uint32_t k = 0; k < settled; k++) {
        uint32_t j = assignment->list[k];

        assignment->price[j] += assignment->length[j] - least;
    }
    for (uint32_t i = MAPCORE_NONE; i != start;) {
        uint32_t j = end;

        i = assignment->from[j];
        end = assignment->column[i];
        assignment->row[j] = i;
        assignment->column[i] = j;
    }
}

int assignment_solve(uint32_t *column,
                     bool *timed_out,
                     int64_t *price,
                     uint32_t n,
                     const int64_t *cost,
                     const struct map_deadline *deadline,
                     struct mapcore_error *err)
{
    struct assignment assignment = {
        .n = n, .cost = cost, .column = column, .price = price};
    uint32_t patience = n < UINT32_MAX / 8 ? 8 * n : UINT32_MAX;
    struct arena arena = {.err = err};
    int error = begin(&assignment, &arena);

    *timed_out = false;
    if (error < 0)
        goto out;
    reduce_columns(&assignment);
    for (uint32_t i = 0; i < n; i++)
        assignment.open[assignment.nopen++] = i;
    for (int pass = 0; pass < 2 && !*timed_out; pass++) {
        reduce_rows(&assignment, &patience);
        *timed_out =
            map_deadline_look(deadline, &assignment.steps, STEPS_BETWEEN_LOOKS);
    }
    for (uint32_t k = 0; k < assignment.nopen && !*timed_out; k++) {
        augment(&assignment, assignment.open[k]);
        *timed_out =
            map_deadline_look(deadline, &assignment.steps, STEPS_BETWEEN_LOOKS);
    }
out:
    arena_clear(&arena);
    return error;
}
