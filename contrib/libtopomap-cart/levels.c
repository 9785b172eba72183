/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* levels.c - the levels of the machine under the tasks of a communicator, and
 * the words of those who ask for some */
#include "config.h"

#include "libtopomap-cart/levels.h"

#include "base/text.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* A rank to be sorted by place. */
struct ranked {
    struct levels_place place;
    uint32_t rank;
};

static int compare(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    for (int k = 0; k < LEVELS_KINDS; k++)
        if (x->place.in[k] != y->place.in[k])
            return x->place.in[k] < y->place.in[k] ? -1 : 1;
    return (x->rank > y->rank) - (x->rank < y->rank);
}

/* Whether two tasks are in one place down to kind k. */
static bool are_together(const struct levels_place *a,
                         const struct levels_place *b,
                         int k)
{
    for (int i = 0; i <= k; i++)
        if (a->in[i] != b->in[i])
            return false;
    return true;
}

/* Tasks of each place of kind k, when all are in one and in equal numbers, else
 * 0. */
static uint32_t even_run(const struct ranked *sorted, uint32_t n, int k)
{
    uint32_t length = 0, run = 0;

    for (uint32_t i = 0; i < n; i++) {
        if (sorted[i].place.in[k] < 0)
            return 0;
        run++;
        if (i + 1 < n &&
            are_together(&sorted[i].place, &sorted[i + 1].place, k))
            continue;
        if (length == 0)
            length = run;
        if (run != length)
            return 0;
        run = 0;
    }
    return length;
}

static void add_level(struct levels *out, uint32_t count, int kind)
{
    out->counts[out->nlevels] = count;
    out->kind[out->nlevels++] = kind;
}

/* Levels of the sorted places, the outermost first, then what is given, then
 * the tasks that are left. */
static int count_levels(struct levels *out,
                        const struct ranked *sorted,
                        const struct levels_wish *wish)
{
    uint32_t left = out->ntasks;
    bool nodes_differ = wish->kinds & 1u << LEVELS_NODE &&
                        even_run(sorted, left, LEVELS_NODE) == 0;

    out->nlevels = 0;
    for (int k = 0; k < LEVELS_KINDS && !nodes_differ; k++) {
        uint32_t run = 0;

        if (wish->kinds & 1u << k)
            run = even_run(sorted, out->ntasks, k);
        if (run == 0 || run == left)
            continue;
        add_level(out, left / run, k);
        left = run;
    }
    for (uint32_t i = 0; i < wish->ngiven && !nodes_differ; i++) {
        if (left % wish->given[i] > 0)
            return MAPCORE_EINVAL;
        if (wish->given[i] == 1)
            continue;
        add_level(out, wish->given[i], LEVELS_KINDS);
        left /= wish->given[i];
    }
    if (left > 1 || out->nlevels == 0)
        add_level(out, left, LEVELS_KINDS);
    return 0;
}

int levels_arrange(struct levels *out,
                   const struct levels_place *place,
                   uint32_t ntasks,
                   const struct levels_wish *wish)
{
    struct ranked *sorted = malloc(ntasks * sizeof(*sorted));
    struct levels made = {.ntasks = ntasks};
    int error = MAPCORE_ENOMEM;
    uint32_t node = 0;

    made.position = malloc(ntasks * sizeof(*made.position));
    made.node = malloc(ntasks * sizeof(*made.node));
    if (!sorted || !made.position || !made.node)
        goto out;
    for (uint32_t i = 0; i < ntasks; i++) {
        sorted[i] = (struct ranked){place[i], i};
        for (int k = 0; k < LEVELS_KINDS; k++)
            if (!(wish->kinds & 1u << k) && k != LEVELS_NODE)
                sorted[i].place.in[k] = -1;
    }
    qsort(sorted, ntasks, sizeof(*sorted), compare);
    for (uint32_t i = 0; i < ntasks; i++) {
        if (i > 0 &&
            !are_together(&sorted[i].place, &sorted[i - 1].place, LEVELS_NODE))
            node++;
        made.position[sorted[i].rank] = i;
        made.node[sorted[i].rank] = node;
    }
    error = count_levels(&made, sorted, wish);
    if (error < 0)
        goto out;
    *out = made;
    made = (struct levels){0};
out:
    free(sorted);
    levels_clear(&made);
    return error;
}

uint32_t levels_tasks(const struct levels *levels, uint32_t l)
{
    uint32_t n = levels->ntasks;

    for (uint32_t i = 0; i <= l; i++)
        n /= levels->counts[i];
    return n;
}

const char *levels_word(int kind)
{
    static const char *const words[] = {"switch", "node", "package",
                                        "numa",   "l3",   "task"};

    return words[kind];
}

void levels_clear(struct levels *levels)
{
    free(levels->position);
    free(levels->node);
    levels->position = levels->node = NULL;
}

enum { WORD = 64 };

/* The field at *text into word, and *text behind its comma, or NULL at the end.
 * EINVAL: it is empty or too long. */
static int next_field(char word[WORD], const char **text)
{
    size_t n = strcspn(*text, ",");

    if (n == 0 || n >= WORD)
        return MAPCORE_EINVAL;
    memcpy(word, *text, n);
    word[n] = '\0';
    *text = (*text)[n] == ',' ? *text + n + 1 : NULL;
    return 0;
}

int levels_read_wish(struct levels_wish *out, const char *text)
{
    struct levels_wish wish = {0};

    while (text) {
        char word[WORD];
        uint64_t number;
        int kind = 0;

        if (next_field(word, &text) < 0)
            return MAPCORE_EINVAL;
        while (kind < LEVELS_KINDS && strcmp(word, levels_word(kind)) != 0)
            kind++;
        if (kind < LEVELS_KINDS && wish.ngiven == 0) {
            wish.kinds |= 1u << kind;
            continue;
        }
        if (!text_parse_u64(word, &number) || number == 0 ||
            number > INT32_MAX || wish.ngiven == LEVELS_GIVEN)
            return MAPCORE_EINVAL;
        wish.given[wish.ngiven++] = (uint32_t)number;
    }
    *out = wish;
    return 0;
}

int levels_read_numbers(double *out, int n, const char *text)
{
    for (int i = 0; i < n; i++) {
        char word[WORD];

        if (!text || next_field(word, &text) < 0 ||
            !text_parse_double(word, &out[i]) || !(out[i] > 0) || out[i] > 1e15)
            return MAPCORE_EINVAL;
    }
    return text ? MAPCORE_EINVAL : 0;
}
