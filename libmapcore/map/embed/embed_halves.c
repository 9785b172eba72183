/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_halves.c - a grid laid into any set of hosts: the machine is halved
 * again and again, and the tasks of each part by a plane through the grid */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/bisection/host_tree.h"

#include <stdlib.h>
#include <string.h>

/* Both of its tasks are in the part at hand. */
struct inner_edge {
    uint32_t t, u;
    double bytes;
};

struct halves {
    const struct mapcore_graph *graph;
    const struct mapcore_grid *grid;
    const struct host_tree *tree;
    uint32_t *task;  /* [ntasks], those of a part next to each other */
    uint32_t *at;    /* [ntasks], the part where a task is */
    uint32_t *begin; /* [nparts], of task[] */
    uint32_t *count; /* [nparts] */
    uint32_t
        *known; /* [nparts], the part for which external_gain[] holds, plus 1 */
    double
        *external_gain; /* [nparts], hops more from there to the second half */
    double *outer;      /* [ntasks], what the second half costs a task */
    struct inner_edge *inner; /* [ninner], of the part at hand, each once */
    size_t ninner;
    uint8_t *side;   /* [ntasks], the cut at hand */
    uint8_t *best;   /* [ntasks] */
    uint32_t *rest;  /* [ntasks], tasks whose side is not known yet */
    uint32_t *layer; /* [largest dimension + 1] */
};

/* The part at hand, and how it is to be cut. */
struct cut {
    uint32_t part, half;
    const uint32_t *task;                   /* [n] */
    uint32_t n, first;                      /* tasks for the first half */
    uint32_t start[MAPCORE_GRID_MAX_DIMS];  /* where a dimension begins */
    uint32_t extent[MAPCORE_GRID_MAX_DIMS]; /* layers that have tasks */
};

static uint32_t coordinate(const struct halves *halves, uint32_t t, uint32_t i)
{
    return halves->grid->coordinates[(size_t)t * halves->grid->ndims + i];
}

/* Where the tasks of the part begin in each dimension (a ring behind its widest
 * gap), and in how many layers they are. */
static void find_extents(struct cut *cut, const struct halves *halves)
{
    const struct mapcore_grid *grid = halves->grid;

    for (uint32_t i = 0; i < grid->ndims; i++) {
        uint32_t d = grid->dims[i], gap = 0, widest = 0;

        memset(halves->layer, 0, d * sizeof(*halves->layer));
        cut->start[i] = cut->extent[i] = 0;
        for (uint32_t k = 0; k < cut->n; k++)
            halves->layer[coordinate(halves, cut->task[k], i)]++;
        for (uint32_t x = 0; x < d; x++)
            cut->extent[i] += halves->layer[x] > 0;
        for (uint32_t k = 0; grid->periodic[i] && k < 2 * d; k++) {
            if (halves->layer[k % d] == 0) {
                gap++;
                continue;
            }
            if (gap > widest && gap < d) {
                widest = gap;
                cut->start[i] = k % d;
            }
            gap = 0;
        }
    }
}

/* Divides rest[n] by dimension i: the `first` lowest (or with down the highest)
 * go to side 0. Those of the layer that the cut goes through stay in rest, and
 * so many of them go to side 0 as is returned in *first. */
static uint32_t divide(const struct halves *halves,
                       const struct cut *cut,
                       uint32_t i,
                       bool down,
                       uint32_t n,
                       uint32_t *first)
{
    uint32_t d = halves->grid->dims[i], through = 0, left = 0;

    memset(halves->layer, 0, d * sizeof(*halves->layer));
    for (uint32_t k = 0; k < n; k++) {
        uint32_t x = coordinate(halves, halves->rest[k], i);

        x = (x + d - cut->start[i]) % d;
        halves->layer[down ? d - 1 - x : x]++;
    }
    while (halves->layer[through] <= *first && through + 1 < d)
        *first -= halves->layer[through++];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t t = halves->rest[k];
        uint32_t x = (coordinate(halves, t, i) + d - cut->start[i]) % d;

        x = down ? d - 1 - x : x;
        halves->side[t] = x >= through;
        if (x == through)
            halves->rest[left++] = t;
    }
    return left;
}

/* Sets side[] of the part's tasks: cut across dimension i, the layer that is
 * cut through across the longest of the others, and so on. */
static void cut_across(const struct halves *halves,
                       const struct cut *cut,
                       uint32_t i,
                       bool down)
{
    uint32_t n = cut->n, first = cut->first;
    bool used[MAPCORE_GRID_MAX_DIMS] = {false};

    memcpy(halves->rest, cut->task, n * sizeof(*halves->rest));
    while (n > 0 && i < halves->grid->ndims) {
        uint32_t longest = 0;

        n = divide(halves, cut, i, down, n, &first);
        if (first == 0)
            break;
        used[i] = true;
        i = halves->grid->ndims;
        for (uint32_t k = 0; k < halves->grid->ndims; k++)
            if (!used[k] && cut->extent[k] > longest) {
                longest = cut->extent[k];
                i = k;
            }
    }
    for (uint32_t k = 0; k < n; k++)
        halves->side[halves->rest[k]] = k >= first;
}

static double external_gain(const struct halves *halves,
                            const struct cut *cut,
                            uint32_t part)
{
    if (halves->known[part] != cut->part + 1) {
        halves->known[part] = cut->part + 1;
        halves->external_gain[part] =
            (double)host_tree_distance(halves->tree, cut->half + 1, part) -
            host_tree_distance(halves->tree, cut->half, part);
    }
    return halves->external_gain[part];
}

/* Looks once at all edges of the part, which its cuts are priced by. */
static void find_edges(struct halves *halves, const struct cut *cut)
{
    const struct mapcore_graph *graph = halves->graph;

    halves->ninner = 0;
    for (uint32_t k = 0; k < cut->n; k++) {
        uint32_t t = cut->task[k];
        double outer = 0;

        for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++) {
            uint32_t u = graph->task[e], part = halves->at[u];

            if (part != cut->part)
                outer +=
                    external_gain(halves, cut, part) * (double)graph->bytes[e];
            else if (t < u)
                halves->inner[halves->ninner++] = (struct inner_edge){
                    .t = t, .u = u, .bytes = (double)graph->bytes[e]};
        }
        halves->outer[t] = outer;
    }
}

/* What side[] costs: bytes times the distance between the halves, and the gain
 * of tasks elsewhere. */
static double price(const struct halves *halves, const struct cut *cut)
{
    double apart = host_tree_distance(halves->tree, cut->half, cut->half + 1);
    double cost = 0, between = 0;

    for (uint32_t k = 0; k < cut->n; k++)
        cost += halves->side[cut->task[k]] ? halves->outer[cut->task[k]] : 0;
    for (size_t e = 0; e < halves->ninner; e++) {
        const struct inner_edge *edge = &halves->inner[e];

        between +=
            halves->side[edge->t] != halves->side[edge->u] ? edge->bytes : 0;
    }
    return cost + apart * between;
}

/* Moves the tasks of the part into its halves. */
static void hand_down(const struct halves *halves, const struct cut *cut)
{
    uint32_t begin = halves->begin[cut->part], next[2];

    halves->count[cut->part] = 0;
    halves->begin[cut->half] = next[0] = begin;
    halves->begin[cut->half + 1] = next[1] = begin + cut->first;
    halves->count[cut->half] = cut->first;
    halves->count[cut->half + 1] = cut->n - cut->first;
    memcpy(halves->rest, cut->task, cut->n * sizeof(*halves->rest));
    for (uint32_t k = 0; k < cut->n; k++) {
        uint32_t t = halves->rest[k];

        halves->task[next[halves->best[t]]++] = t;
        halves->at[t] = cut->half + halves->best[t];
    }
}

static void halve(struct halves *halves, uint32_t p)
{
    const struct host_part *part = &halves->tree->part[p];
    uint64_t slots = halves->tree->part[part->half].slots;
    uint64_t others = halves->tree->part[part->half + 1].slots, first;
    struct cut cut = {.part = p,
                      .half = part->half,
                      .task = &halves->task[halves->begin[p]],
                      .n = halves->count[p]};
    double least = 0;
    bool found = false;

    /* In proportion; neither half gets more than it can take. */
    first = (cut.n * slots + (slots + others) / 2) / (slots + others);
    if (first > slots)
        first = slots;
    if (cut.n - first > others)
        first = cut.n - others;
    cut.first = (uint32_t)first;
    find_extents(&cut, halves);
    find_edges(halves, &cut);
    for (uint32_t i = 0; i < halves->grid->ndims; i++)
        for (int down = 0; down < 2 && cut.extent[i] > 1; down++) {
            double cost;

            cut_across(halves, &cut, i, down);
            cost = price(halves, &cut);
            if (found && cost >= least)
                continue;
            found = true;
            least = cost;
            for (uint32_t k = 0; k < cut.n; k++)
                halves->best[cut.task[k]] = halves->side[cut.task[k]];
        }
    for (uint32_t k = 0; k < cut.n && !found; k++)
        halves->best[cut.task[k]] = k >= cut.first;
    hand_down(halves, &cut);
}

static int begin_halves(struct halves *halves, struct mapcore_error *err)
{
    uint32_t n = halves->grid->ntasks, nparts = halves->tree->nparts;
    uint32_t largest = 0;

    for (uint32_t i = 0; i < halves->grid->ndims; i++)
        if (halves->grid->dims[i] > largest)
            largest = halves->grid->dims[i];
    halves->task = array_alloc(n, sizeof(*halves->task), err);
    halves->at = array_alloc(n, sizeof(*halves->at), err);
    halves->begin = array_alloc(nparts, sizeof(*halves->begin), err);
    halves->count = array_alloc(nparts, sizeof(*halves->count), err);
    halves->known = array_alloc(nparts, sizeof(*halves->known), err);
    halves->external_gain =
        array_alloc(nparts, sizeof(*halves->external_gain), err);
    halves->outer = array_alloc(n, sizeof(*halves->outer), err);
    halves->inner =
        array_alloc(halves->graph->row[n] / 2 + 1, sizeof(*halves->inner), err);
    halves->side = array_alloc(n, sizeof(*halves->side), err);
    halves->best = array_alloc(n, sizeof(*halves->best), err);
    halves->rest = array_alloc(n, sizeof(*halves->rest), err);
    halves->layer =
        array_alloc((size_t)largest + 1, sizeof(*halves->layer), err);
    if (!halves->task || !halves->at || !halves->begin || !halves->count ||
        !halves->known || !halves->external_gain || !halves->outer ||
        !halves->inner || !halves->side || !halves->best || !halves->rest ||
        !halves->layer)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < n; t++)
        halves->task[t] = t;
    halves->count[0] = n;
    return 0;
}

static void end_halves(struct halves *halves)
{
    free(halves->task);
    free(halves->at);
    free(halves->begin);
    free(halves->count);
    free(halves->known);
    free(halves->external_gain);
    free(halves->outer);
    free(halves->inner);
    free(halves->side);
    free(halves->best);
    free(halves->rest);
    free(halves->layer);
}

/* Every part's tasks onto its hosts. */
static void fill_hosts(uint32_t *host,
                       const struct halves *halves,
                       const struct mapcore_alloc *alloc)
{
    const struct host_tree *tree = halves->tree;

    for (uint32_t p = 0; p < tree->nparts; p++) {
        const uint32_t *task = halves->task + halves->begin[p];
        uint32_t at = tree->part[p].begin, left = 0;

        for (uint32_t i = 0; i < halves->count[p]; i++, left--) {
            while (left == 0)
                left = mapcore_alloc_slots(alloc, tree->host[at++]);
            host[task[i]] = tree->host[at - 1];
        }
    }
}

int embed_halves(uint32_t *host,
                 struct embed_halving *halving,
                 const struct mapcore_grid *grid,
                 const struct map_problem *problem,
                 struct mapcore_error *err)
{
    struct halves halves = {.graph = problem->graph, .grid = grid};
    struct host_tree *tree = NULL;
    const uint32_t most = halving->steps > 0 ? halving->steps : UINT32_MAX;
    uint32_t made = 0;
    int error = host_tree_create(&tree, problem->alloc, grid->ntasks, 1,
                                 halving->variant, err);

    if (error < 0)
        return error;
    halves.tree = tree;
    if ((error = begin_halves(&halves, err)) < 0)
        goto out;
    for (uint32_t p = 0; p < tree->nparts && made < most; p++) {
        if (map_deadline_passed(&problem->deadline)) {
            halving->timed_out = true;
            break;
        }
        if (tree->part[p].half == MAPCORE_NONE)
            continue;
        halve(&halves, p);
        made++;
    }
    halving->steps = made;
    fill_hosts(host, &halves, problem->alloc);
out:
    end_halves(&halves);
    host_tree_destroy(tree);
    return error;
}
