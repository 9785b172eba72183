/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play_flows.c - flows from their beginning to the end of the last one: fair
 * rates, by progressive filling, the next end, and again; each task goes from
 * stage to stage of its own flows */
#include "config.h"

#include "play/play.h"

#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "play/flows.h"

#include <math.h>

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

/* Of flows with ends, in their memory. O(flows + tasks). */
static int play_order_init(struct play_order *o,
                           struct flows *flows,
                           uint32_t ntasks)
{
    struct arena *memory = &flows->arena;
    size_t next[STAGES + 1] = {0};

    o->flows = flows;
    o->ntasks = ntasks;
    o->first = arena_alloc(memory, (size_t)ntasks + 1, sizeof(*o->first));
    o->at = arena_alloc(memory, ntasks, sizeof(*o->at));
    o->unended = arena_alloc(memory, ntasks, sizeof(*o->unended));
    o->flow = arena_alloc(memory, 2 * (size_t)flows->n, sizeof(*o->flow));
    o->ready = arena_alloc(memory, flows->n, sizeof(*o->ready));
    if (memory->error < 0)
        return MAPCORE_ENOMEM;
    /* What is ready is not needed yet. */
    list_by_task(o, o->ready, next);
    for (uint32_t t = 0; t < ntasks; t++)
        enter_stage(o, t);
    return 0;
}

/* What each flow may send when all share their ports fairly. */
struct fair_share {
    double *rate; /* [flows], of a member; made by find_rates */
    struct fair_port {
        double left, members; /* what is not shared yet, and among how many;
                                 of what takes half, halves */
    } * port;                 /* [nports] */

    struct fair_key {
        double share;
        uint32_t port;
    } * heap; /* [nports] */
    uint32_t nheap;
    uint64_t *settled, round; /* [flows], the round in which */
};

static bool is_before(const struct fair_key *a, const struct fair_key *b)
{
    return a->share < b->share || (a->share <= b->share && a->port < b->port);
}

static void sift_down(struct fair_share *s, uint32_t i)
{
    struct fair_key key = s->heap[i];

    for (;;) {
        uint32_t child = 2 * i + 1;

        if (child >= s->nheap)
            break;
        if (child + 1 < s->nheap &&
            is_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!is_before(&s->heap[child], &key))
            break;
        s->heap[i] = s->heap[child];
        i = child;
    }
    s->heap[i] = key;
}

static void begin(struct fair_share *s, const struct flows *flows)
{
    s->round++;
    for (uint32_t p = 0; p < flows->nports; p++)
        s->port[p] = (struct fair_port){flows->capacity[p], 0};
    for (uint32_t n = 0; n < flows->nactive; n++) {
        const uint32_t i = flows->active[n];

        if (flows->left[i] <= 0)
            continue;
        size_t k = flows->first[i], half = k + flows->whole[i];
        double members = flows->members[i];

        for (; k < half; k++)
            s->port[flows->port[k]].members += members;
        for (; k < flows->first[i + 1]; k++)
            s->port[flows->port[k]].members += members / 2;
    }
    s->nheap = 0;
    for (uint32_t p = 0; p < flows->nports; p++)
        if (s->port[p].members > 0)
            s->heap[s->nheap++] =
                (struct fair_key){s->port[p].left / s->port[p].members, p};
    for (uint32_t i = s->nheap / 2; i-- > 0;)
        sift_down(s, i);
}

/* Takes what flows have from their ports. */
static void take(struct fair_share *s,
                 const uint32_t *port,
                 const uint32_t *end,
                 double rate,
                 double members)
{
    for (; port < end; port++) {
        s->port[*port].left -= rate * members;
        s->port[*port].members -= members;
    }
}

/* All flows of a full port keep this rate. */
static void settle(struct fair_share *s,
                   const struct flows *flows,
                   uint32_t port,
                   double rate)
{
    for (size_t j = flows->port_first[port]; j < flows->port_first[port + 1];
         j++) {
        uint32_t i = flows->flow[j];
        double members = flows->members[i];
        const uint32_t *first = flows->port + flows->first[i];
        const uint32_t *half = first + flows->whole[i];

        if (s->settled[i] == s->round || flows->left[i] <= 0)
            continue;
        s->settled[i] = s->round;
        s->rate[i] = rate;
        take(s, first, half, rate, members);
        take(s, half, flows->port + flows->first[i + 1], rate, members / 2);
    }
}

/* Max-min fair rates of all active flows that have bytes left, by progressive
 * filling: all rates grow until a port is full; its flows keep what they have,
 * the others go on growing (Bertsekas and Gallager, Data Networks, 1992,
 * section 6.5.2). A port's share only grows while flows settle at less, so a
 * heap with outdated keys will do. O(links of all flows + ports log ports). */
static void find_rates(struct fair_share *s, const struct flows *flows)
{
    double level = 0;

    begin(s, flows);
    while (s->nheap > 0) {
        struct fair_key *top = &s->heap[0];
        const struct fair_port *port = &s->port[top->port];
        double share;

        if (port->members <= 0) {
            *top = s->heap[--s->nheap];
            sift_down(s, 0);
            continue;
        }
        share = port->left / port->members;
        if (share > top->share) {
            top->share = share;
            sift_down(s, 0);
            continue;
        }
        /* It never falls, but for rounding. */
        if (top->share > level)
            level = top->share;
        settle(s, flows, top->port, level);
    }
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
            out->port = link_ports_name(&f->links, q);
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

        find_rates(&p->share, &p->flows);
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
    struct playing p = {.flows.arena.err = err};
    struct flows *flows = &p.flows;
    struct arena *memory = &flows->arena;
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
        (error = flows_make(flows, source, how)) < 0 ||
        (source->stage &&
         (error = play_order_init(&p.order, flows, ntasks)) < 0))
        goto out;
    p.share = (struct fair_share){
        .rate = arena_alloc(memory, flows->n, sizeof(*p.share.rate)),
        .settled = arena_alloc(memory, flows->n, sizeof(*p.share.settled)),
        .port = arena_alloc(memory, flows->nports, sizeof(*p.share.port)),
        .heap = arena_alloc(memory, flows->nports, sizeof(*p.share.heap))};
    p.bytes = arena_alloc(memory, flows->nports, sizeof(*p.bytes));
    if ((error = memory->error) < 0)
        goto out;
    play.flows = flows->nmembers;
    find_bound(&play, &p);
    if (source->stage) {
        /* What ends late makes later stages late; chance evens out some. */
        merge /= p.order.stages > 1 ? sqrt(p.order.stages) : 1;
        play.stages = p.order.stages;
        begin_ready(&p);
    } else {
        flows_begin(flows, NULL, flows->n);
        p.nleft = flows->n;
    }
    play_all(&play, &p, merge);
    *out = play;
out:
    flows_clear(flows);
    return error;
}
