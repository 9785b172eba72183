/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition.c - the only file that calls METIS */
#include "config.h"

#include "map/partition.h"

#include "base/array.h"
#include "graph/csr.h"

#include <metis.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>

#define MAX_EDGES  ((size_t)1 << 28)
#define MAX_WEIGHT ((uint64_t)1 << 30)

/* METIS keeps its state in globals: concurrent calls disturb one another. */
static pthread_mutex_t metis_lock = PTHREAD_MUTEX_INITIALIZER;

/* The graph as METIS wants it. */
struct input {
    idx_t n;
    idx_t *row;
    idx_t *task;
    idx_t *weight;
    real_t *share; /* NULL: equal parts */
    idx_t *part;
};

static void clear(struct input *in)
{
    free(in->row);
    free(in->task);
    free(in->weight);
    free(in->share);
    free(in->part);
}

/* By how many bits weights must shrink so that their sum over both directions
 * fits: METIS adds them up in idx_t. */
static unsigned weight_shift(const struct mapcore_graph *graph)
{
    unsigned shift = 0;

    while (graph->total >> shift > MAX_WEIGHT / 2)
        shift++;
    return shift;
}

static int fill(struct input *in,
                const struct mapcore_graph *graph,
                uint32_t nparts,
                const uint32_t *size,
                struct mapcore_error *err)
{
    size_t n = graph->ntasks, edges = graph->row[n];
    unsigned shift = weight_shift(graph);
    uint64_t sum = 0;
    bool equal = true;

    in->n = (idx_t)n;
    in->row = array_alloc(n + 1, sizeof(*in->row), err);
    in->task = array_alloc(edges, sizeof(*in->task), err);
    in->weight = array_alloc(edges, sizeof(*in->weight), err);
    in->share = array_alloc(nparts, sizeof(*in->share), err);
    in->part = array_alloc(n, sizeof(*in->part), err);
    if (!in->row || !in->task || !in->weight || !in->share || !in->part)
        return MAPCORE_ENOMEM;
    for (size_t t = 0; t <= n; t++)
        in->row[t] = (idx_t)graph->row[t];
    for (size_t k = 0; k < edges; k++) {
        uint64_t rounding = ((uint64_t)1 << shift) - 1;

        in->task[k] = (idx_t)graph->task[k];
        in->weight[k] = (idx_t)((graph->bytes[k] + rounding) >> shift);
    }
    for (uint32_t p = 0; p < nparts; p++) {
        sum += size[p];
        equal = equal && size[p] == size[0];
    }
    for (uint32_t p = 0; p < nparts; p++)
        in->share[p] = (real_t)((double)size[p] / (double)sum);
    if (equal) {
        free(in->share);
        in->share = NULL;
    }
    return 0;
}

/* Calls METIS with the process's state put aside: the handlers that it
 * replaces, the numbers of rand(), and SIGTERM held back, since its handler
 * would jump out of a thread that is not in METIS. SIGABRT must come through:
 * that is how METIS reports that memory is short. */
static int call(struct input *in, uint32_t nparts, uint32_t seed)
{
    idx_t options[METIS_NOPTIONS], ncon = 1, k = (idx_t)nparts, cut;
    struct sigaction on_term, on_abort;
    sigset_t hold, let, before;
    char state[128], *old_state;
    int code;

    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = (idx_t)(seed & INT32_MAX);
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
    code = METIS_PartGraphRecursive(&in->n, &ncon, in->row, in->task, NULL,
                                    NULL, in->weight, &k, in->share, NULL,
                                    options, &cut, in->part);
    setstate(old_state);
    sigaction(SIGTERM, &on_term, NULL);
    sigaction(SIGABRT, &on_abort, NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_unlock(&metis_lock);
    return code;
}

/* Runs of consecutive tasks in proportion to the sizes. */
static void cut_runs(uint32_t *part,
                     uint32_t ntasks,
                     uint32_t nparts,
                     const uint32_t *size)
{
    uint64_t sum = 0, below = 0;
    uint32_t p = 0;

    for (uint32_t i = 0; i < nparts; i++)
        sum += size[i];
    for (uint32_t t = 0; t < ntasks; t++) {
        while (p + 1 < nparts &&
               (unsigned __int128)t * sum >=
                   (unsigned __int128)(below + size[p]) * ntasks)
            below += size[p++];
        part[t] = p;
    }
}

int partition_graph(uint32_t *part,
                    const struct mapcore_graph *graph,
                    uint32_t nparts,
                    const uint32_t *size,
                    uint32_t seed,
                    struct mapcore_error *err)
{
    struct input in = {0};
    int code;

    if (graph->ntasks <= nparts) {
        for (uint32_t t = 0; t < graph->ntasks; t++)
            part[t] = t;
        return 0;
    }
    if (nparts == 1 || graph->row[graph->ntasks] == 0) {
        cut_runs(part, graph->ntasks, nparts, size);
        return 0;
    }
    if (graph->row[graph->ntasks] / 2 > MAX_EDGES || graph->ntasks > MAX_EDGES)
        return error_set(err, MAPCORE_ERANGE,
                         "a task graph of %u tasks and %zu edges is too large "
                         "for METIS: at most 2^28",
                         graph->ntasks, graph->row[graph->ntasks] / 2);
    if ((code = fill(&in, graph, nparts, size, err)) < 0)
        goto out;
    switch (call(&in, nparts, seed)) {
    case METIS_OK:
        for (uint32_t t = 0; t < graph->ntasks; t++)
            part[t] = (uint32_t)in.part[t];
        break;
    case METIS_ERROR_MEMORY:
        code = error_set(err, MAPCORE_ENOMEM, "METIS ran out of memory");
        break;
    default:
        code = error_set(err, MAPCORE_EINVAL,
                         "METIS cannot cut a task graph of %u tasks into %u "
                         "parts",
                         graph->ntasks, nparts);
    }
out:
    clear(&in);
    return code;
}
