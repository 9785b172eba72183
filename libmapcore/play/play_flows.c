/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play_flows.c - flows from their beginning to the end of the last one: fair
 * rates, the next end, and again; each task goes from stage to stage of its own
 * flows */
#include "config.h"

#include "play/play.h"

#include "base/array.h"
#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "play/fair_share.h"
#include "play/flows.h"

#include <math.h>
#include <stdlib.h>

/* Ends that rounding alone tells apart are one. */
static const double ROUNDING = 1e-9;

/* A flow begins when both its tasks have ended all their flows of lower stages,
 * out and in. So none waits for one that is not of a lower stage, and of the
 * lowest one that is not over all have begun: there is always one to go on
 * with. */
struct play_order {
    const struct flows *flows; /* borrowed; with ends */
    uint32_t ntasks, stages;
    size_t *first;     /* [ntasks + 1]; the flows of task t, by stages, */
    uint32_t *flow;    /* are flow[first[t]] .. */
    size_t *at;        /* [ntasks]; those of its stage begin there */
    uint32_t *unended; /* [ntasks] how many of these are not over */
    uint32_t *ready;   /* [nready] may begin, and have not */
    uint32_t nready;
};

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

/* Flow number i is over: what may begin then is ready. */
static void end_flow(struct play_order *o, uint32_t i)
{
    end_one(o, o->flows->ends[i].from);
    end_one(o, o->flows->ends[i].to);
}

/* Of flows with ends. play_order_clear is due also after a failure.
 * O(flows + tasks). */
static int play_order_init(struct play_order *o,
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

static void play_order_clear(struct play_order *o)
{
    free(o->first);
    free(o->at);
    free(o->unended);
    free(o->flow);
    free(o->ready);
    *o = (struct play_order){0};
}

struct playing {
    struct flows flows;
    struct play_order order;
    struct fair_share share;
    uint32_t nleft; /* elements of flows that have bytes left */
    double *bytes;  /* [nports] of all flows */
};

static void find_bound(struct mapcore_play *out, struct playing *p)
{
    const struct flows *f = &p->flows;

    for (uint32_t i = 0; i < f->n; i++) {
        size_t k = f->first[i], half = k + f->whole[i];
        double bytes = f->left[i] * f->members[i];

        for (; k < half; k++)
            p->bytes[f->port[k]] += bytes;
        for (; k < f->first[i + 1]; k++)
            p->bytes[f->port[k]] += bytes / 2;
    }
    for (uint32_t q = 0; q < f->nports; q++)
        if (p->bytes[q] / f->capacity[q] > out->bound) {
            out->bound = p->bytes[q] / f->capacity[q];
            out->port = flows_port(f, q);
        }
}

/* How long the rates hold: until the first flow ends, and those that end with
 * it. */
static double find_duration(const struct playing *p, double merge)
{
    const struct flows *f = &p->flows;
    double first = INFINITY, last = 0;

    for (uint32_t n = 0; n < f->nactive; n++) {
        const uint32_t i = f->active[n];

        if (f->left[i] > 0 && f->left[i] / p->share.rate[i] < first)
            first = f->left[i] / p->share.rate[i];
    }
    merge += first * (1 + ROUNDING);
    for (uint32_t n = 0; n < f->nactive; n++) {
        const uint32_t i = f->active[n];
        double end = f->left[i] / p->share.rate[i];

        if (f->left[i] > 0 && end <= merge && end > last)
            last = end;
    }
    return last;
}

static void begin_ready(struct playing *p)
{
    struct play_order *order = &p->order;

    flows_begin(&p->flows, order->ready, order->nready);
    p->nleft += order->nready;
    order->nready = 0;
}

static void advance(struct playing *p, double duration)
{
    struct flows *f = &p->flows;

    for (uint32_t n = 0; n < f->nactive; n++) {
        const uint32_t i = f->active[n];

        if (f->left[i] <= 0)
            continue;
        if (f->left[i] / p->share.rate[i] > duration) {
            f->left[i] -= p->share.rate[i] * duration;
            /* What is left when nothing is: it ends with this step, too. */
            if (f->left[i] > 0)
                continue;
        }
        f->left[i] = 0;
        p->nleft--;
        if (f->ends)
            end_flow(&p->order, i);
    }
    if (p->order.nready > 0)
        begin_ready(p);
    else if (p->nleft < f->nactive / 2)
        flows_begin(f, NULL, 0);
}

static void play_all(struct mapcore_play *out, struct playing *p, double merge)
{
    while (p->nleft > 0) {
        double duration;

        fair_share_find(&p->share, &p->flows);
        duration = find_duration(p, merge * out->bound);
        advance(p, duration);
        out->time += duration;
        out->steps++;
    }
}

int mapcore_play_flows(struct mapcore_play *out,
                       const struct mapcore_play_source *source,
                       const struct mapcore_play_how *how,
                       struct mapcore_error *err)
{
    const uint32_t ntasks =
        source->graph ? source->graph->ntasks : source->phases->ntasks;
    struct playing p = {.nleft = 0};
    struct mapcore_play play = {0};
    double merge = how->merge;
    int error;

    if (!(merge >= 0 && isfinite(merge)))
        return error_set(err, MAPCORE_EINVAL,
                         "ends within %g are merged, which must be a number "
                         "from 0 on",
                         merge);
    if ((error = estimate_check(source->alloc, ntasks, source->host,
                                &how->rates, err)) < 0 ||
        (error = flows_make(&p.flows, source, how, err)) < 0 ||
        (source->stage &&
         (error = play_order_init(&p.order, &p.flows, ntasks, err)) < 0) ||
        (error = fair_share_init(&p.share, &p.flows, err)) < 0)
        goto out;
    p.bytes = array_alloc(p.flows.nports, sizeof(*p.bytes), err);
    if (!p.bytes) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    play.flows = p.flows.nmembers;
    find_bound(&play, &p);
    if (source->stage) {
        /* What ends late makes later stages late; chance evens out some. */
        merge /= p.order.stages > 1 ? sqrt(p.order.stages) : 1;
        play.stages = p.order.stages;
        begin_ready(&p);
    } else {
        flows_begin(&p.flows, NULL, p.flows.n);
        p.nleft = p.flows.n;
    }
    play_all(&play, &p, merge);
    *out = play;
out:
    flows_clear(&p.flows);
    play_order_clear(&p.order);
    fair_share_clear(&p.share);
    free(p.bytes);
    return error;
}
