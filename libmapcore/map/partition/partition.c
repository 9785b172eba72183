/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition.c - recursive bisection; the only file that calls METIS */
#include "config.h"

#include "map/partition/partition.h"

#include "base/array.h"
#include "base/rng.h"
#include "graph/csr.h"
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

/* The graph of the piece at hand as METIS wants it, vertex i being task i of
 * the piece; as large as the whole needs. */
struct metis_graph {
    idx_t *row, *vertex, *weight, *side;
    const uint32_t *weigh; /* [ntasks], or NULL: all alike; and the bits by
                              which it shrinks */
    unsigned weigh_shift;
    idx_t nloads;  /* of a vertex; 2: the number of tasks first */
    idx_t *load;   /* as many as the whole needs, or NULL */
    int64_t *gain; /* bytes that a cut loses when vertex i changes sides */
};

/* By how many bits weights must shrink so that their sum over both directions
 * fits: METIS adds them up in idx_t. */
static unsigned weight_shift(uint64_t total)
{
    unsigned shift = 0;

    while (total >> shift > METIS_MAX_WEIGHT / 2)
        shift++;
    return shift;
}

uint64_t pieces_bytes(const struct pieces *pieces, uint32_t begin, uint32_t n)
{
    const struct mapcore_graph *graph = pieces->graph;
    uint64_t twice = 0;

    for (uint32_t i = begin; i < begin + n; i++) {
        uint32_t t = pieces->task[i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (pieces->place[graph->task[k]] - begin < n)
                twice += graph->bytes[k];
    }
    return twice / 2;
}

int pieces_make(struct pieces *out,
                const struct mapcore_graph *graph,
                const uint32_t *load,
                bool counts,
                struct arena *arena)
{
    size_t n = graph->ntasks, edges = graph->row[n];
    struct metis_graph *metis = arena_alloc(arena, 1, sizeof(*metis));
    uint64_t sum = 0;

    if (edges / 2 > METIS_MAX_EDGES || n > METIS_MAX_EDGES)
        return error_set(arena->err, MAPCORE_ERANGE,
                         "a task graph of %zu tasks and %zu edges is too large "
                         "for METIS: at most 2^28",
                         n, edges / 2);
    if (!metis)
        return MAPCORE_ENOMEM;
    metis->weigh = load;
    metis->nloads = load && counts ? 2 : 1;
    metis->row = arena_alloc(arena, n + 1, sizeof(*metis->row));
    metis->vertex = arena_alloc(arena, edges, sizeof(*metis->vertex));
    metis->weight = arena_alloc(arena, edges, sizeof(*metis->weight));
    metis->side = arena_alloc(arena, n, sizeof(*metis->side));
    metis->gain = arena_alloc(arena, n, sizeof(*metis->gain));
    if (load)
        metis->load =
            arena_alloc(arena, n * (size_t)metis->nloads, sizeof(*metis->load));
    *out = (struct pieces){
        .graph = graph,
        .task = arena_alloc(arena, n, sizeof(*out->task)),
        .place = arena_alloc(arena, n, sizeof(*out->place)),
        .side = arena_alloc(arena, n, sizeof(*out->side)),
        .spare = arena_alloc(arena, n, sizeof(*out->spare)),
        .metis = metis,
        .arena = arena,
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < n; t++) {
        out->task[t] = out->place[t] = t;
        sum += load ? load[t] : 0;
    }
    while (sum >> metis->weigh_shift > METIS_MAX_WEIGHT)
        metis->weigh_shift++;
    return 0;
}

/* The edges inside a piece; returns how many entries of rows. */
static idx_t take_piece(const struct pieces *pieces,
                        uint32_t begin,
                        uint32_t n,
                        uint64_t bytes)
{
    const struct mapcore_graph *graph = pieces->graph;
    struct metis_graph *metis = pieces->metis;
    unsigned shift = weight_shift(bytes);
    uint64_t rounding = ((uint64_t)1 << shift) - 1;
    idx_t edges = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = pieces->task[begin + i];

        metis->row[i] = edges;
        if (metis->load) {
            idx_t *load = metis->load + (idx_t)i * metis->nloads;

            load[0] = 1;
            load[metis->nloads - 1] =
                (idx_t)(metis->weigh[t] >> metis->weigh_shift);
        }
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t at = pieces->place[graph->task[k]];

            if (at - begin >= n)
                continue;
            metis->vertex[edges] = (idx_t)(at - begin);
            metis->weight[edges++] =
                (idx_t)((graph->bytes[k] + rounding) >> shift);
        }
    }
    metis->row[n] = edges;
    return edges;
}

/* Calls METIS with the process's state put aside: the handlers that it
 * replaces, the numbers of rand(), and SIGTERM held back, since its handler
 * would jump out of a thread that is not in METIS. SIGABRT must come through:
 * that is how METIS reports that memory is short. share: of the two parts, or
 * NULL: equal ones; with two loads a vertex each part's share twice. */
static int call_metis(const struct pieces *pieces,
                      uint32_t n,
                      real_t *share,
                      uint32_t seed)
{
    struct metis_graph *metis = pieces->metis;
    idx_t options[METIS_NOPTIONS], edge_cut, vertices = (idx_t)n, two = 2;
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
    error = METIS_PartGraphRecursive(
        &vertices, &metis->nloads, metis->row, metis->vertex, metis->load, NULL,
        metis->weight, &two, share, NULL, options, &edge_cut, metis->side);
    setstate(old_state);
    sigaction(SIGTERM, &on_term, NULL);
    sigaction(SIGABRT, &on_abort, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&metis_lock);
    if (error == METIS_ERROR_MEMORY)
        return error_set(pieces->arena->err, MAPCORE_ENOMEM,
                         "METIS ran out of memory");
    if (error != METIS_OK)
        return error_set(pieces->arena->err, MAPCORE_EINVAL,
                         "METIS cannot cut a task graph of %u tasks", n);
    return 0;
}

/* Moves vertices, each time the one that is best for the cut (ties: the
 * first), until exactly left of n are on side 0. */
static void balance(struct metis_graph *metis, uint32_t n, uint32_t left)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        count += metis->side[i] == 0;
    if (count == left)
        return;
    for (uint32_t i = 0; i < n; i++) {
        metis->gain[i] = 0;
        for (idx_t k = metis->row[i]; k < metis->row[i + 1]; k++)
            metis->gain[i] += metis->side[metis->vertex[k]] == metis->side[i]
                                  ? -metis->weight[k]
                                  : metis->weight[k];
    }
    while (count != left) {
        idx_t from = count > left ? 0 : 1;
        uint32_t best = n;

        for (uint32_t i = 0; i < n; i++)
            if (metis->side[i] == from &&
                (best == n || metis->gain[i] > metis->gain[best]))
                best = i;
        metis->side[best] = 1 - from;
        metis->gain[best] = -metis->gain[best];
        for (idx_t k = metis->row[best]; k < metis->row[best + 1]; k++)
            metis->gain[metis->vertex[k]] +=
                metis->side[metis->vertex[k]] == from
                    ? 2 * (int64_t)metis->weight[k]
                    : -2 * (int64_t)metis->weight[k];
        count = from == 0 ? count - 1 : count + 1;
    }
}

int pieces_cut(struct pieces *pieces,
               uint32_t begin,
               uint32_t n,
               uint32_t left,
               uint64_t bytes,
               uint32_t seed)
{
    struct metis_graph *metis = pieces->metis;
    real_t share[4];
    int error;

    for (uint32_t i = 0; i < n; i++)
        pieces->side[i] = left > 0 && i >= left;
    if (take_piece(pieces, begin, n, bytes) == 0)
        return 0;
    share[0] = (real_t)((double)left / n);
    share[1] = metis->nloads == 2 ? share[0] : 1 - share[0];
    share[2] = share[3] = 1 - share[0];
    error = call_metis(pieces, n, left > 0 ? share : NULL, seed);
    if (error < 0)
        return error;
    if (left > 0)
        balance(metis, n, left);
    for (uint32_t i = 0; i < n; i++)
        pieces->side[i] = (uint8_t)metis->side[i];
    return 0;
}

uint32_t pieces_sort(struct pieces *pieces, uint32_t begin, uint32_t n)
{
    uint32_t next[2] = {begin, begin}, first = 0;

    for (uint32_t i = 0; i < n; i++)
        first += pieces->side[i] == 0;
    next[1] += first;
    memcpy(pieces->spare, pieces->task + begin, n * sizeof(*pieces->spare));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = next[pieces->side[i]]++;

        pieces->task[at] = pieces->spare[i];
        pieces->place[pieces->spare[i]] = at;
    }
    return first;
}

/* One cut into parts. */
struct partitioning {
    const struct partition_problem *problem;
    struct pieces pieces;
    uint32_t *part;  /* [ntasks], the caller's */
    uint32_t *first; /* [nparts + 1] part p gets tasks first[p+1] - first[p];
                        first[] counts in task[], too */
    bool timed_out;
};

/* Cuts the tasks of the parts lo .. hi-1; the depth is log2 of nparts. A piece
 * without edges, and one whose halves are not both asked for, is cut where it
 * stands. */
static int bisect(struct partitioning *p, uint32_t lo, uint32_t hi)
{
    uint32_t middle = lo + (hi - lo) / 2, begin = p->first[lo];
    uint32_t n = p->first[hi] - begin, left = p->first[middle] - begin;
    struct rng rng;
    int error;

    if (n == 0)
        return 0;
    if (hi - lo == 1) {
        for (uint32_t i = begin; i < begin + n; i++)
            p->part[p->pieces.task[i]] = lo;
        return 0;
    }
    if (left > 0 && left < n) {
        p->timed_out =
            p->timed_out || map_deadline_passed(p->problem->deadline);
        if (p->timed_out)
            return 0;
        rng_init(&rng, p->problem->seed, RNG_STREAM_PARTITION,
                 (uint64_t)lo << 32 | hi);
        if ((error = pieces_cut(&p->pieces, begin, n, left,
                                p->problem->graph->total,
                                (uint32_t)(rng_next(&rng) >> 33))) < 0)
            return error;
        pieces_sort(&p->pieces, begin, n);
    }
    if ((error = bisect(p, lo, middle)) < 0)
        return error;
    return bisect(p, middle, hi);
}

int partition_graph(uint32_t *part,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err)
{
    const uint32_t nparts = problem->nparts;
    struct partitioning p = {.part = part, .problem = problem};
    struct arena arena = {.err = err};
    int error =
        pieces_make(&p.pieces, problem->graph, problem->load, true, &arena);
    uint64_t sum = 0, below = 0;

    p.first = arena_alloc(&arena, (size_t)nparts + 1, sizeof(*p.first));
    if (error == 0)
        error = arena.error;
    for (uint32_t q = 0; q < nparts; q++)
        sum += problem->size[q];
    for (uint32_t q = 0; error == 0 && q < nparts; q++) {
        below += problem->size[q];
        p.first[q + 1] =
            (uint32_t)((unsigned __int128)below * problem->graph->ntasks / sum);
    }
    if (error == 0)
        error = bisect(&p, 0, nparts);
    *timed_out = p.timed_out;
    arena_clear(&arena);
    return error;
}
