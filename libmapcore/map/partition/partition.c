/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition.c - recursive bisection; the only file that calls METIS */
#include "config.h"

#include "map/partition/partition.h"

#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/partition/rebalance.h"
#include "map/rng_streams.h"

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#define METIS_MAX_EDGES  ((size_t)1 << 28)
#define METIS_MAX_WEIGHT ((uint64_t)1 << 30)

/* METIS keeps its state in globals: concurrent calls disturb one another. */
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

struct metis_cut {
    const struct mapcore_graph *graph;
    const struct map_deadline *deadline;
    struct mapcore_error *err;
    uint32_t *part;  /* [ntasks], the caller's */
    uint32_t *first; /* [nparts + 1] part p gets tasks first[p+1] - first[p] */
    uint32_t seed;
    unsigned shift; /* bytes are divided by 2^shift */
    bool timed_out;

    /* The tasks, those of a piece next to each other and ascending, and where
     * each stands; first[] counts in task[], too. */
    uint32_t *task, *place, *spare;

    /* The graph of the piece at hand as METIS wants it, vertex i being task i
     * of the piece; as large as the whole needs. */
    idx_t *row, *vertex, *weight, *side;
    const uint32_t *weigh; /* [ntasks], or NULL: all alike; and the bits by
                              which it shrinks */
    unsigned weigh_shift;
    bool counts;   /* tasks, too, and first: two loads a vertex */
    idx_t *load;   /* of vertices, as many as the whole needs, or NULL */
    int64_t *gain; /* bytes that a cut loses when vertex i changes sides */
};

/* By how many bits weights must shrink so that their sum over both directions
 * fits: METIS adds them up in idx_t. */
static unsigned weight_shift(const struct mapcore_graph *graph)
{
    unsigned shift = 0;

    while (graph->total >> shift > METIS_MAX_WEIGHT / 2)
        shift++;
    return shift;
}

static int make_arrays(struct metis_cut *b,
                       uint32_t nparts,
                       const uint32_t *size)
{
    size_t n = b->graph->ntasks, edges = b->graph->row[n];
    uint64_t sum = 0, below = 0;

    b->first = array_alloc((size_t)nparts + 1, sizeof(*b->first), b->err);
    b->task = array_alloc(n, sizeof(*b->task), b->err);
    b->place = array_alloc(n, sizeof(*b->place), b->err);
    b->spare = array_alloc(n, sizeof(*b->spare), b->err);
    b->row = array_alloc(n + 1, sizeof(*b->row), b->err);
    b->vertex = array_alloc(edges, sizeof(*b->vertex), b->err);
    b->weight = array_alloc(edges, sizeof(*b->weight), b->err);
    b->side = array_alloc(n, sizeof(*b->side), b->err);
    b->gain = array_alloc(n, sizeof(*b->gain), b->err);
    if (!b->first || !b->task || !b->place || !b->spare || !b->row ||
        !b->vertex || !b->weight || !b->side || !b->gain)
        return MAPCORE_ENOMEM;
    for (uint32_t p = 0; p < nparts; p++)
        sum += size[p];
    for (uint32_t p = 0; p < nparts; p++) {
        below += size[p];
        b->first[p + 1] = (uint32_t)((unsigned __int128)below * n / sum);
    }
    for (uint32_t t = 0; t < n; t++)
        b->task[t] = b->place[t] = t;
    return 0;
}

static void clear(struct metis_cut *b)
{
    free(b->first);
    free(b->task);
    free(b->place);
    free(b->spare);
    free(b->row);
    free(b->vertex);
    free(b->weight);
    free(b->side);
    free(b->gain);
    free(b->load);
}

/* The edges inside the piece task[begin .. begin + n - 1]. */
static void take_piece(struct metis_cut *b, uint32_t begin, uint32_t n)
{
    const struct mapcore_graph *graph = b->graph;
    uint64_t rounding = ((uint64_t)1 << b->shift) - 1;
    idx_t edges = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = b->task[begin + i];

        b->row[i] = edges;
        if (b->counts) {
            b->load[2 * i] = 1;
            b->load[2 * i + 1] = (idx_t)(b->weigh[t] >> b->weigh_shift);
        } else if (b->load) {
            b->load[i] = (idx_t)(b->weigh[t] >> b->weigh_shift);
        }
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t at = b->place[graph->task[k]];

            if (at < begin || at - begin >= n)
                continue;
            b->vertex[edges] = (idx_t)(at - begin);
            b->weight[edges++] =
                (idx_t)((graph->bytes[k] + rounding) >> b->shift);
        }
    }
    b->row[n] = edges;
}

/* Calls METIS with the process's state put aside: the handlers that it
 * replaces, the numbers of rand(), and SIGTERM held back, since its handler
 * would jump out of a thread that is not in METIS. SIGABRT must come through:
 * that is how METIS reports that memory is short. share: [nparts], or NULL:
 * equal parts; with two loads a vertex [2 nparts], each part's share twice. */
static int call_metis(struct metis_cut *b,
                      uint32_t n,
                      idx_t nparts,
                      real_t *share,
                      bool kway,
                      uint32_t seed)
{
    idx_t options[METIS_NOPTIONS], ncon = b->counts ? 2 : 1, edge_cut;
    idx_t vertices = (idx_t)n;
    struct sigaction on_term, on_abort;
    sigset_t hold, let, before;
    char state[128], *old_state;
    int error;

    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)seed;
    sigemptyset(&hold);
    sigaddset(&hold, SIGTERM);
    sigemptyset(&let);
    sigaddset(&let, SIGABRT);
    pthread_mutex_lock(&metis_lock);
    pthread_sigmask(SIG_BLOCK, &hold, &before);
    pthread_sigmask(SIG_UNBLOCK, &let, NULL);
    sigaction(SIGTERM, NULL, &on_term);
    sigaction(SIGABRT, NULL, &on_abort);
    old_state = initstate(seed, state, sizeof(state));
    error = (kway ? METIS_PartGraphKway : METIS_PartGraphRecursive)(
        &vertices, &ncon, b->row, b->vertex, b->load, NULL, b->weight, &nparts,
        share, NULL, options, &edge_cut, b->side);
    setstate(old_state);
    sigaction(SIGTERM, &on_term, NULL);
    sigaction(SIGABRT, &on_abort, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&metis_lock);
    if (error == METIS_ERROR_MEMORY)
        return error_set(b->err, MAPCORE_ENOMEM, "METIS ran out of memory");
    if (error != METIS_OK)
        return error_set(b->err, MAPCORE_EINVAL,
                         "METIS cannot cut a task graph of %u tasks", n);
    return 0;
}

/* Moves vertices, each time the one that is best for the cut (ties: the
 * first), until exactly left of n are on side 0. */
static void balance(struct metis_cut *b, uint32_t n, uint32_t left)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        count += b->side[i] == 0;
    if (count == left)
        return;
    for (uint32_t i = 0; i < n; i++) {
        b->gain[i] = 0;
        for (idx_t k = b->row[i]; k < b->row[i + 1]; k++)
            b->gain[i] += b->side[b->vertex[k]] == b->side[i] ? -b->weight[k]
                                                              : b->weight[k];
    }
    while (count != left) {
        idx_t from = count > left ? 0 : 1;
        uint32_t best = n;

        for (uint32_t i = 0; i < n; i++)
            if (b->side[i] == from && (best == n || b->gain[i] > b->gain[best]))
                best = i;
        b->side[best] = 1 - from;
        b->gain[best] = -b->gain[best];
        for (idx_t k = b->row[best]; k < b->row[best + 1]; k++)
            b->gain[b->vertex[k]] += b->side[b->vertex[k]] == from
                                         ? 2 * (int64_t)b->weight[k]
                                         : -2 * (int64_t)b->weight[k];
        count = from == 0 ? count - 1 : count + 1;
    }
}

/* Puts side 0 of a piece in front of side 1, both ascending. */
static void sort_sides(struct metis_cut *b,
                       uint32_t begin,
                       uint32_t n,
                       uint32_t left)
{
    uint32_t next[2] = {begin, begin + left};

    memcpy(b->spare, b->task + begin, n * sizeof(*b->spare));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = next[b->side[i]]++;

        b->task[at] = b->spare[i];
        b->place[b->spare[i]] = at;
    }
}

/* Cuts the tasks of the parts lo .. hi-1; the depth is log2 of nparts. A piece
 * without edges, and one whose halves are not both asked for, is cut where it
 * stands. */
static int bisect(struct metis_cut *b, uint32_t lo, uint32_t hi)
{
    uint32_t middle = lo + (hi - lo) / 2, begin = b->first[lo];
    uint32_t n = b->first[hi] - begin, left = b->first[middle] - begin;
    real_t share[4];
    struct rng rng;
    int error;

    if (n == 0)
        return 0;
    if (hi - lo == 1) {
        for (uint32_t i = begin; i < begin + n; i++)
            b->part[b->task[i]] = lo;
        return 0;
    }
    if (left > 0 && left < n) {
        take_piece(b, begin, n);
        if (b->row[n] > 0) {
            b->timed_out = b->timed_out || map_deadline_passed(b->deadline);
            if (b->timed_out)
                return 0;
            share[0] = (real_t)((double)left / n);
            share[1] = b->counts ? share[0] : 1 - share[0];
            share[2] = share[3] = 1 - share[0];
            rng_init(&rng, b->seed, RNG_STREAM_PARTITION,
                     (uint64_t)lo << 32 | hi);
            if ((error = call_metis(b, n, 2, share, false,
                                    (uint32_t)(rng_next(&rng) >> 33))) < 0)
                return error;
            balance(b, n, left);
            sort_sides(b, begin, n, left);
        }
    }
    if ((error = bisect(b, lo, middle)) < 0)
        return error;
    return bisect(b, middle, hi);
}

static int check_size(const struct mapcore_graph *graph,
                      struct mapcore_error *err)
{
    if (graph->row[graph->ntasks] / 2 > METIS_MAX_EDGES ||
        graph->ntasks > METIS_MAX_EDGES)
        return error_set(err, MAPCORE_ERANGE,
                         "a task graph of %u tasks and %zu edges is too large "
                         "for METIS: at most 2^28",
                         graph->ntasks, graph->row[graph->ntasks] / 2);
    return 0;
}

/* Loads as METIS wants them, divided by a power of two where their sum does not
 * fit; counts: beside the number of tasks. */
static int take_load(struct metis_cut *b, const uint32_t *weight, bool counts)
{
    uint32_t n = b->graph->ntasks;
    uint64_t sum = 0;

    b->load =
        array_alloc((size_t)n * (counts ? 2 : 1), sizeof(*b->load), b->err);
    if (!b->load)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        sum += weight[i];
    while (sum >> b->weigh_shift > METIS_MAX_WEIGHT)
        b->weigh_shift++;
    b->weigh = weight;
    b->counts = counts;
    return 0;
}

int partition_graph(uint32_t *part,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err)
{
    struct metis_cut b = {.graph = problem->graph,
                          .deadline = problem->deadline,
                          .err = err,
                          .part = part,
                          .seed = problem->seed,
                          .shift = weight_shift(problem->graph)};
    int error;

    *timed_out = false;
    if ((error = check_size(problem->graph, err)) < 0)
        return error;
    error = make_arrays(&b, problem->nparts, problem->size);
    if (error == 0 && problem->load)
        error = take_load(&b, problem->load, true);
    if (error == 0)
        error = bisect(&b, 0, problem->nparts);
    *timed_out = b.timed_out;
    clear(&b);
    return error;
}

/* The parts that get tasks, METIS knowing no others: which of all they are and
 * how many tasks each gets; returns their number. */
static uint32_t take_shares(uint32_t *name,
                            uint32_t *count,
                            real_t *share,
                            const struct metis_cut *b,
                            uint32_t nparts)
{
    uint32_t n = 0;

    for (uint32_t p = 0; p < nparts; p++)
        if (b->first[p + 1] > b->first[p]) {
            name[n] = p;
            count[n] = b->first[p + 1] - b->first[p];
            for (uint32_t i = 0; i < (b->counts ? 2 : 1); i++)
                share[(b->counts ? 2 : 1) * n + i] =
                    (real_t)((double)count[n] / b->graph->ntasks);
            n++;
        }
    return n;
}

int partition_kway(uint32_t *part,
                   bool *timed_out,
                   const struct partition_problem *problem,
                   struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    const uint32_t nparts = problem->nparts;
    struct partition_problem shares = *problem;
    struct metis_cut b = {
        .graph = graph, .err = err, .shift = weight_shift(graph)};
    uint32_t *name = NULL, *count = NULL, n;
    real_t *share = NULL;
    int error;

    if ((error = check_size(graph, err)) < 0)
        return error;
    *timed_out = map_deadline_passed(problem->deadline);
    if (*timed_out)
        return 0;
    name = array_alloc(nparts, sizeof(*name), err);
    count = array_alloc(nparts, sizeof(*count), err);
    share = array_alloc((size_t)2 * nparts, sizeof(*share), err);
    error = name && count && share ? make_arrays(&b, nparts, problem->size)
                                   : MAPCORE_ENOMEM;
    if (error == 0 && problem->load)
        error = take_load(&b, problem->load, true);
    if (error < 0)
        goto out;
    n = take_shares(name, count, share, &b, nparts);
    take_piece(&b, 0, graph->ntasks);
    if (n > 1 && (error = call_metis(&b, graph->ntasks, (idx_t)n, share, true,
                                     problem->seed)) < 0)
        goto out;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        part[t] = (uint32_t)b.side[t];
    shares.nparts = n;
    shares.size = count;
    error = rebalance_parts(part, timed_out, &shares, err);
    for (uint32_t t = 0; error == 0 && !*timed_out && t < graph->ntasks; t++)
        part[t] = name[part[t]];
out:
    free(name);
    free(count);
    free(share);
    clear(&b);
    return error;
}

int partition_halve(uint8_t *side,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err)
{
    const struct mapcore_graph *graph = problem->graph;
    struct metis_cut b = {
        .graph = graph, .err = err, .shift = weight_shift(graph)};
    uint32_t all = 1;
    int error;

    if ((error = check_size(graph, err)) < 0)
        return error;
    *timed_out = map_deadline_passed(problem->deadline);
    if (*timed_out)
        return 0;
    if ((error = make_arrays(&b, 1, &all)) < 0 ||
        (error = take_load(&b, problem->load, false)) < 0)
        goto out;
    take_piece(&b, 0, graph->ntasks);
    if ((error = call_metis(&b, graph->ntasks, 2, NULL, false, problem->seed)) <
        0)
        goto out;
    for (uint32_t i = 0; i < graph->ntasks; i++)
        side[i] = (uint8_t)b.side[i];
out:
    clear(&b);
    return error;
}
