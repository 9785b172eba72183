/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play_order.c - each task goes from stage to stage of its own flows */
#include "config.h"

#include "play/play_order.h"

#include "base/array.h"

#include <stdlib.h>

enum { STAGES = 256 };

/* The flows of each task in the order of their stages: first all flows by
 * stage, then each to its tasks. */
static void list_by_task(struct play_order *o,
                         uint32_t *by_stage,
                         size_t next[STAGES + 1])
{
    const struct flows *f = o->flows;

    for (uint32_t i = 0; i < f->n; i++)
        next[f->ends[i].stage + 1]++;
    for (uint32_t s = 0; s < STAGES; s++) {
        o->stages += next[s + 1] > 0;
        next[s + 1] += next[s];
    }
    for (uint32_t i = 0; i < f->n; i++)
        by_stage[next[f->ends[i].stage]++] = i;
    for (uint32_t i = 0; i < f->n; i++) {
        o->first[f->ends[i].from + 1]++;
        o->first[f->ends[i].to + 1]++;
    }
    for (uint32_t t = 0; t < o->ntasks; t++) {
        o->first[t + 1] += o->first[t];
        o->at[t] = o->first[t];
    }
    for (uint32_t k = 0; k < f->n; k++) {
        const struct flow_ends *ends = &f->ends[by_stage[k]];

        o->flow[o->at[ends->from]++] = by_stage[k];
        o->flow[o->at[ends->to]++] = by_stage[k];
    }
    for (uint32_t t = 0; t < o->ntasks; t++)
        o->at[t] = o->first[t];
}

static bool is_over(const struct play_order *o, uint32_t task)
{
    return o->at[task] == o->first[task + 1];
}

static const struct flow_ends *ends_at(const struct play_order *o, size_t k)
{
    return &o->flows->ends[o->flow[k]];
}

/* The task has come to the stage that begins at its `at`: those of its flows
 * whose other task is there already are ready. */
static void enter_stage(struct play_order *o, uint32_t task)
{
    uint32_t stage;

    o->unended[task] = 0;
    if (is_over(o, task))
        return;
    stage = ends_at(o, o->at[task])->stage;
    for (size_t k = o->at[task];
         k < o->first[task + 1] && ends_at(o, k)->stage == stage; k++) {
        const struct flow_ends *ends = ends_at(o, k);
        uint32_t other = ends->from == task ? ends->to : ends->from;

        o->unended[task]++;
        /* Tasks that have not come to any stage yet have none to end. */
        if (o->unended[other] > 0 && ends_at(o, o->at[other])->stage == stage)
            o->ready[o->nready++] = o->flow[k];
    }
}

static void end_one(struct play_order *o, uint32_t task)
{
    uint32_t stage = ends_at(o, o->at[task])->stage;

    if (--o->unended[task] > 0)
        return;
    while (!is_over(o, task) && ends_at(o, o->at[task])->stage == stage)
        o->at[task]++;
    enter_stage(o, task);
}

void play_order_end(struct play_order *o, uint32_t i)
{
    end_one(o, o->flows->ends[i].from);
    end_one(o, o->flows->ends[i].to);
}

int play_order_init(struct play_order *o,
                    const struct flows *flows,
                    uint32_t ntasks,
                    struct mapcore_error *err)
{
    size_t next[STAGES + 1] = {0};

    o->flows = flows;
    o->ntasks = ntasks;
    o->first = array_alloc((size_t)ntasks + 1, sizeof(*o->first), err);
    o->at = array_alloc(ntasks, sizeof(*o->at), err);
    o->unended = array_alloc(ntasks, sizeof(*o->unended), err);
    o->flow = array_alloc(2 * (size_t)o->flows->n, sizeof(*o->flow), err);
    o->ready = array_alloc(o->flows->n, sizeof(*o->ready), err);
    if (!o->first || !o->at || !o->unended || !o->flow || !o->ready)
        return MAPCORE_ENOMEM;
    /* What is ready is not needed yet. */
    list_by_task(o, o->ready, next);
    for (uint32_t t = 0; t < ntasks; t++)
        enter_stage(o, t);
    return 0;
}

void play_order_clear(struct play_order *o)
{
    free(o->first);
    free(o->at);
    free(o->unended);
    free(o->flow);
    free(o->ready);
    *o = (struct play_order){0};
}
