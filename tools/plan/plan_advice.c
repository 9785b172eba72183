/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_advice.c - what a job whose ranks stay could ask Slurm for the next
 * time: each choice is searched in what is left of the plan's time */
#include "config.h"

#include "tools/plan/plan_advice.h"

#include "base/array.h"
#include "topo/hwnode.h"

#include <stdlib.h>
#include <string.h>

enum {
    RANKS_MOST = 16384,   /* more take longer than what is left */
    PAIRS_MOST = 1 << 18, /* of nodes whose distance is looked at */
    NODELIST_MOST = 80,
};
static const double CHOICE_S = 0.05, /* a search of one choice */
    WORTH = 0.05;                    /* less is no advice */

struct advice {
    const struct planner *planner;
    FILE *out;
    struct arena memory;
    bool any;      /* something was better */
    uint32_t *own; /* [nhosts of the job] */
    /* The choice, of as many nodes or fewer. */
    uint32_t nhosts, *host, *counts, unit;
};

static bool has_time(const struct planner *planner)
{
    const double deadline = planner->sources.deadline;

    return deadline <= 0 || tool_now() + CHOICE_S < deadline;
}

/* Hops per byte of the best layout found there; negative where it was not
 * searched. */
static double find_hops(const struct advice *advice)
{
    const struct planner *planner = advice->planner;
    struct mapcore_search search = {.seed = planner->parameters.seed,
                                    .work = planner->parameters.work,
                                    .threads = planner->parameters.threads,
                                    .unit = advice->unit};
    struct timed_search which = {.graph = planner->graph.task_graph};
    struct mapcore_alloc *alloc;
    struct mapcore_result result;
    double hops = -1;

    if (search.work == 0)
        which.deadline = tool_now() + CHOICE_S;
    if (!has_time(planner) ||
        mapcore_alloc_create(&alloc, planner->machine.topo, advice->nhosts,
                             advice->host, advice->counts, NULL) < 0)
        return hops;
    which.alloc = alloc;
    if (timed_search_run(&result, NULL, &which, &search, NULL) == 0) {
        hops = result.metrics.hops_per_byte;
        mapcore_result_clear(&result);
    }
    mapcore_alloc_destroy(alloc);
    return hops;
}

static void put_better(struct advice *advice, const char *words, double hops)
{
    const double now = advice->planner->plan.hops_per_byte[0];

    if (hops < 0 || hops >= (1 - WORTH) * now)
        return;
    fprintf(advice->out, "; %s: %.3g hops per byte", words, hops);
    advice->any = true;
}

/* The n nodes of from[nfrom] that are nearest to one of them: of all in the
 * network where from is NULL. False without memory. */
static bool choose_near(struct advice *advice,
                        const uint32_t *from,
                        uint32_t nfrom)
{
    const struct mapcore_topo *topo = advice->planner->machine.topo;
    const uint32_t n = advice->nhosts,
                   step = (uint32_t)((uint64_t)nfrom * nfrom / PAIRS_MOST) + 1;
    uint64_t *key = arena_alloc(&advice->memory, nfrom, sizeof(*key));
    uint64_t least = UINT64_MAX;

    for (uint32_t c = 0; key && c < nfrom; c += step) {
        uint64_t sum = 0;

        for (uint32_t i = 0; i < nfrom; i++)
            key[i] = (uint64_t)mapcore_topo_distance(topo, from ? from[c] : c,
                                                     from ? from[i] : i)
                         << 32 |
                     (from ? from[i] : i);
        array_sort_u64(key, nfrom);
        for (uint32_t i = 0; i < n; i++)
            sum += key[i] >> 32;
        for (uint32_t i = 0; sum < least && i < n; i++)
            advice->host[i] = (uint32_t)key[i];
        least = sum < least ? sum : least;
    }
    array_sort_u32(advice->host, n);
    return least < UINT64_MAX;
}

static void put_nearer(struct advice *advice)
{
    const struct mapcore_topo *topo = advice->planner->machine.topo;
    const char **name =
        arena_alloc(&advice->memory, advice->nhosts, sizeof(*name));
    char *list = NULL, words[NODELIST_MOST + 64] = "nodes nearest each other";

    if (!name || !has_time(advice->planner) ||
        !choose_near(advice, NULL, mapcore_topo_nhosts(topo)))
        return;
    for (uint32_t h = 0; h < advice->nhosts; h++)
        name[h] = mapcore_topo_host_name(topo, advice->host[h]);
    if (*name && hosts_compress(&list, advice->nhosts, name, NULL) == 0 &&
        strlen(list) < NODELIST_MOST)
        snprintf(words, sizeof(words), "nodes nearest each other, such as %s",
                 list);
    free(list);
    put_better(advice, words, find_hops(advice));
}

/* As few of the job's nodes as have a core for each rank. */
static void put_fewer(struct advice *advice)
{
    const struct planner *planner = advice->planner;
    const struct mapcore_hwnode *node = planner->machine.hwnode;
    const uint32_t ntasks = planner->facts->ntasks,
                   cores = node ? mapcore_hwnode_ncores(node) : 1,
                   n = (ntasks + cores - 1) / cores,
                   each = (ntasks + n - 1) / n;
    char words[64];

    if (n >= planner->facts->nhosts || !has_time(planner))
        return;
    advice->nhosts = n;
    for (uint32_t h = 0; h < n; h++)
        advice->counts[h] = each;
    snprintf(words, sizeof(words), "--nodes=%u --ntasks-per-node=%u", n, each);
    if (n == 1)
        put_better(advice, words, 0);
    else if (choose_near(advice, advice->own, planner->facts->nhosts))
        put_better(advice, words, find_hops(advice));
}

static void put_choices(struct advice *advice)
{
    const struct planner *planner = advice->planner;
    const uint32_t n = planner->facts->nhosts;

    advice->nhosts = n;
    advice->own = arena_alloc(&advice->memory, n, sizeof(*advice->own));
    advice->host = arena_alloc(&advice->memory, n, sizeof(*advice->host));
    advice->counts = arena_copy(&advice->memory, planner->facts->counts, n,
                                sizeof(*advice->counts));
    if (advice->memory.error < 0)
        return;
    for (uint32_t h = 0; h < n; h++)
        advice->own[h] = mapcore_alloc_host(planner->machine.alloc, h);
    advice->unit = planner->parameters.unit;
    put_nearer(advice);
    if (advice->unit == MAPCORE_UNIT_HOST) {
        advice->unit = 1;
        memcpy(advice->host, advice->own, n * sizeof(*advice->own));
        put_better(advice, "unit=rank", find_hops(advice));
    }
    put_fewer(advice);
    if (!advice->any)
        fputs("; no other nodes that were tried bring ranks nearer",
              advice->out);
}

void plan_advise(struct planner *planner)
{
    const struct mapcore_graph *graph = planner->graph.task_graph;
    const double bytes = graph ? (double)mapcore_graph_bytes(graph) : 0;
    struct advice advice = {.planner = planner};
    size_t n;

    if (!(bytes > 0) || planner->plan.outcome != MAPCORE_PLAN_UNCHANGED ||
        !planner->has_result || planner->facts->ntasks > RANKS_MOST ||
        !(advice.out = open_memstream(&planner->plan.advice, &n)))
        return;
    fprintf(advice.out, "%.0f%% of the bytes stay inside nodes",
            100 * (1 - (double)planner->plan.off_node_bytes[0] / bytes));
    put_choices(&advice);
    fprintf(advice.out, "; pictures: %s",
            planner->facts->on_request ? "report=FILE" : "--report FILE");
    arena_clear(&advice.memory);
    if (fclose(advice.out) != 0) {
        free(planner->plan.advice);
        planner->plan.advice = NULL;
    }
}
