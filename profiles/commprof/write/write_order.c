/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write_order.c - a line for each task and stage; profiles/message_order.h
 * reads them */
#include "config.h"

#include "commprof/write/write_order.h"

#include "commprof/count/first_use.h"
#include "commprof/write/output.h"

#include "base/array.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

void write_order_find(struct write_order *out, const struct messages *messages)
{
    bool unknown[NTYPES][PHASES_MOST] = {{false}};

    memset(out, 0, sizeof(*out));
    for (size_t i = 0; i < messages->n; i++) {
        const struct message *m = &messages->message[i];
        uint16_t *stages = &out->stages[m->type][m->phase];

        if (m->order == FIRST_USE_UNKNOWN)
            unknown[m->type][m->phase] = true;
        if (m->order > *stages)
            *stages = m->order;
        if (unknown[m->type][m->phase])
            *stages = 0;
    }
}

/* Whom one task sends to, and when. */
struct order_pairs {
    struct order_pair {
        uint32_t to;
        uint16_t order;
    } * pair;         /* [n], by task */
    uint32_t *sorted; /* [n], by stage and task */
    size_t n, pair_capacity, sorted_capacity;
};

/* One type's messages of one task, all sizes of a pair together. */
static int find_pairs(struct order_pairs *out,
                      const struct message *message,
                      size_t n,
                      uint32_t phase,
                      struct mapcore_error *err)
{
    int error = array_reserve(&out->pair, &out->pair_capacity, n,
                              sizeof(*out->pair), err);

    if (error == 0)
        error = array_reserve(&out->sorted, &out->sorted_capacity, n,
                              sizeof(*out->sorted), err);
    if (error < 0)
        return error;
    out->n = 0;
    for (size_t i = 0; i < n; i++) {
        struct order_pair *last = out->n > 0 ? &out->pair[out->n - 1] : NULL;

        if (message[i].phase != phase)
            continue;
        if (!last || last->to != message[i].to)
            out->pair[out->n++] =
                (struct order_pair){message[i].to, message[i].order};
        else if (message[i].order < last->order)
            last->order = message[i].order;
    }
    return 0;
}

static void put_pairs(FILE *file,
                      struct order_pairs *pairs,
                      const struct message *of)
{
    size_t end[FIRST_USE_MOST + 1] = {0}, begin = 0;

    for (size_t i = 0; i < pairs->n; i++)
        end[pairs->pair[i].order]++;
    for (size_t o = 1; o <= FIRST_USE_MOST; o++)
        end[o] += end[o - 1];
    for (size_t i = pairs->n; i-- > 0;)
        pairs->sorted[--end[pairs->pair[i].order]] = pairs->pair[i].to;
    /* Each is the beginning of its stage now. */
    for (size_t o = 1; o <= FIRST_USE_MOST; o++) {
        const size_t next = o < FIRST_USE_MOST ? end[o + 1] : pairs->n;

        begin = end[o];
        if (begin == next)
            continue;
        fprintf(file, "#order %s %" PRIu32 " %zu ", type_names[of->type],
                of->from, o - 1);
        for (size_t i = begin; i < next; i++)
            output_number(file, pairs->sorted[i], i + 1 < next ? ' ' : '\n');
    }
}

int write_order_put(FILE *file,
                    const struct write_order *order,
                    const struct messages *messages,
                    uint32_t phase,
                    struct mapcore_error *err)
{
    struct order_pairs pairs = {0};
    int error = 0;

    for (size_t i = 0, end; error == 0 && i < messages->n; i = end) {
        const struct message *m = &messages->message[i];

        for (end = i + 1; end < messages->n &&
                          messages->message[end].type == m->type &&
                          messages->message[end].from == m->from;)
            end++;
        if (order->stages[m->type][phase] == 0)
            continue;
        error = find_pairs(&pairs, m, end - i, phase, err);
        if (error == 0)
            put_pairs(file, &pairs, m);
    }
    free(pairs.pair);
    free(pairs.sorted);
    return error;
}
