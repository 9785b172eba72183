/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slots.c - tasks of one host in a row, heavy talkers next to each other */
#include "config.h"

#include "map/slots/slots.h"

#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"
#include "map/slots/slots_tree.h"

#include <stdbool.h>
#include <stdlib.h>

#define MAX_CHAIN 1024

struct chain {
    const struct mapcore_graph *graph;
    const uint32_t *host;
    uint32_t *slot;
    uint64_t *to_chain; /* [ntasks] bytes to the tasks of the chain */
    bool *chained;      /* [ntasks] */
    uint32_t *row;      /* [largest host] the chain */
};

/* Sum of bytes x slot distance over the edges inside a host, each counted
 * twice. Slots lie below 1,024, so this is below 2^63 x 2^11. */
static unsigned __int128 stretch(const struct chain *chain,
                                 const uint32_t *task,
                                 uint32_t n)
{
    const struct mapcore_graph *graph = chain->graph;
    unsigned __int128 sum = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = task[i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k], a = chain->slot[t], b;

            if (chain->host[u] != chain->host[t])
                continue;
            b = chain->slot[u];
            sum += (unsigned __int128)graph->bytes[k] * (a > b ? a - b : b - a);
        }
    }
    return sum;
}

/* Bytes of a task to others on its host. */
static uint64_t inner_bytes(const struct chain *chain, uint32_t t)
{
    const struct mapcore_graph *graph = chain->graph;
    uint64_t sum = 0;

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
        if (chain->host[graph->task[k]] == chain->host[t])
            sum += graph->bytes[k];
    return sum;
}

/* The next task of the chain behind last. */
static uint32_t next_in_chain(const struct chain *chain,
                              uint32_t last,
                              const uint32_t *task,
                              uint32_t n)
{
    const struct mapcore_graph *graph = chain->graph;
    uint32_t best = MAPCORE_NONE;
    uint64_t most = 0;

    for (size_t k = graph->row[last]; k < graph->row[last + 1]; k++) {
        uint32_t u = graph->task[k];

        if (chain->host[u] == chain->host[last] && !chain->chained[u] &&
            graph->bytes[k] > most) {
            best = u;
            most = graph->bytes[k];
        }
    }
    if (best != MAPCORE_NONE)
        return best;
    for (uint32_t i = 0; i < n; i++)
        if (!chain->chained[task[i]] &&
            (best == MAPCORE_NONE || chain->to_chain[task[i]] > most)) {
            best = task[i];
            most = chain->to_chain[best];
        }
    return best;
}

static void append(struct chain *chain, uint32_t t)
{
    const struct mapcore_graph *graph = chain->graph;

    chain->chained[t] = true;
    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
        if (chain->host[graph->task[k]] == chain->host[t])
            chain->to_chain[graph->task[k]] += graph->bytes[k];
}

/* Chains the tasks of one host, task[n] ascending with slots 0 .. n-1. */
static void lay_out(struct chain *chain, const uint32_t *task, uint32_t n)
{
    unsigned __int128 ascending = stretch(chain, task, n);
    uint32_t first = task[0];
    uint64_t fewest = inner_bytes(chain, first);

    if (ascending == 0)
        return;
    for (uint32_t i = 1; i < n; i++) {
        uint64_t bytes = inner_bytes(chain, task[i]);

        if (bytes > 0 && (bytes < fewest || fewest == 0)) {
            first = task[i];
            fewest = bytes;
        }
    }
    chain->row[0] = first;
    append(chain, first);
    for (uint32_t i = 1; i < n; i++) {
        chain->row[i] = next_in_chain(chain, chain->row[i - 1], task, n);
        append(chain, chain->row[i]);
    }
    for (uint32_t i = 0; i < n; i++)
        chain->slot[chain->row[i]] = i;
    if (stretch(chain, task, n) >= ascending)
        for (uint32_t i = 0; i < n; i++)
            chain->slot[task[i]] = i;
}

/* The tasks of each host: those of host h are task[begin[h]] .. task[begin[h+1]
 * - 1], ascending, on the slots slot[] from 0. */
struct members {
    uint32_t *begin; /* [nhosts + 1] */
    uint32_t *task;  /* [ntasks] */
};

static void members_clear(struct members *members)
{
    free(members->begin);
    free(members->task);
}

static int members_sort(struct members *out,
                        uint32_t *slot,
                        const uint32_t *host,
                        uint32_t ntasks,
                        uint32_t nhosts,
                        struct mapcore_error *err)
{
    uint32_t *begin = array_alloc((size_t)nhosts + 1, sizeof(*begin), err);
    uint32_t *task = array_alloc(ntasks, sizeof(*task), err);

    *out = (struct members){begin, task};
    if (!begin || !task)
        return MAPCORE_ENOMEM;
    bucket_items(begin, task, host, ntasks, nhosts);
    for (uint32_t k = 0; k < ntasks; k++)
        slot[task[k]] = k - begin[host[task[k]]];
    return 0;
}

static int lay_out_all(uint32_t *slot,
                       const struct members *members,
                       const struct mapcore_graph *graph,
                       const uint32_t *host,
                       uint32_t nhosts,
                       struct mapcore_error *err)
{
    struct chain chain = {.graph = graph, .host = host, .slot = slot};
    uint32_t ntasks = graph->ntasks;
    int error = MAPCORE_ENOMEM;

    chain.to_chain = array_alloc(ntasks, sizeof(*chain.to_chain), err);
    chain.chained = array_alloc(ntasks, sizeof(*chain.chained), err);
    chain.row = array_alloc(MAX_CHAIN, sizeof(*chain.row), err);
    if (!chain.to_chain || !chain.chained || !chain.row)
        goto out;
    for (uint32_t h = 0; h < nhosts; h++) {
        size_t n = members->begin[h + 1] - members->begin[h];

        if (n > 2 && n <= MAX_CHAIN)
            lay_out(&chain, members->task + members->begin[h], (uint32_t)n);
    }
    error = 0;
out:
    free(chain.to_chain);
    free(chain.chained);
    free(chain.row);
    return error;
}

/* Whether a host's slots can be told apart by what tasks say to each other. */
static bool has_choice(const struct members *members, uint32_t h)
{
    return members->begin[h + 1] - members->begin[h] > 1;
}

static int lay_out_trees(uint32_t *slot,
                         const struct members *members,
                         const struct mapcore_graph *graph,
                         const struct mapcore_alloc *alloc,
                         const uint32_t *host,
                         const struct mapcore_hwnode *node,
                         struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), largest = 0;
    struct slots_tree *tree = NULL;
    int error;

    for (uint32_t h = 0; h < nhosts; h++)
        if (has_choice(members, h) && mapcore_alloc_slots(alloc, h) > largest)
            largest = mapcore_alloc_slots(alloc, h);
    if (largest == 0)
        return 0;
    error = slots_tree_create(&tree, graph, host, node, largest, err);
    if (error < 0)
        return error;
    for (uint32_t h = 0; h < nhosts; h++)
        if (has_choice(members, h))
            slots_tree_expect(tree, mapcore_alloc_slots(alloc, h));
    for (uint32_t h = 0; h < nhosts; h++)
        if (has_choice(members, h))
            slots_tree_lay_out(
                tree, slot, members->task + members->begin[h],
                (uint32_t)(members->begin[h + 1] - members->begin[h]),
                mapcore_alloc_slots(alloc, h));
    slots_tree_destroy(tree);
    return 0;
}

int slots_assign(uint32_t *slot,
                 const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const uint32_t *host,
                 const struct mapcore_hwnode *node,
                 struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    struct members members;
    int error = members_sort(&members, slot, host, graph->ntasks, nhosts, err);

    if (error == 0)
        error = lay_out_all(slot, &members, graph, host, nhosts, err);
    if (error == 0 && node)
        error = lay_out_trees(slot, &members, graph, alloc, host, node, err);
    members_clear(&members);
    return error;
}
