/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine.c - annealing in epochs, on clusters of tasks and then on tasks */
#include "config.h"

#include "map/refine/refine.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/refine/anneal.h"
#include "map/rng_streams.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Regions of an epoch. */
#define EPOCH_REGIONS 16
/* Steps of an epoch in a region, a proposal being 16 + degree of them: some ten
 * milliseconds, or with one region, where epochs only serve to cool, more. And
 * its proposals a vertex at most. */
#define EPOCH_STEPS  ((double)(1 << 20))
#define ALONE_STEPS  ((double)(1 << 22))
#define EPOCH_SWEEPS 256.0
/* Proposals a vertex in an epoch of descent. */
#define DESCENT_SWEEPS 8.0
#define DESCENT_EPOCHS 2
/* What a proposal of it takes beside one of annealing: few are accepted. */
#define DESCENT_COST 0.65
/* Proposals a vertex after which no stage goes on. */
#define MOST_SWEEPS 16384.0
/* Changes that tell their spread, and for each vertex of a region. */
#define SAMPLES          16384
#define SAMPLES_A_VERTEX 64
#define SPREADS          5

struct refine_base {
    const struct map_problem *problem;
    uint64_t seed;
    struct anneal anneal;
    struct coarse_graph *graph;
    bool *is_pinned; /* [ntasks], or NULL */
};

struct refine {
    const struct refine_base *base;
    uint64_t chain;
    uint32_t *host; /* [ntasks], as the stages before left it */

    enum refine_stage stage;
    struct refine_temperatures temperatures;
    double pace; /* proposals of an epoch, as a share of the usual number */
    struct placement *placement;
    double spread; /* of what changes come to; temperatures go by it */

    /* The quotient graph, or NULL with other stages. */
    struct coarse_graph *clusters;
    uint32_t *cluster; /* [ntasks], host cluster of each task */
    uint32_t *size;    /* [clusters->n] */
    bool *is_fixed;    /* [clusters->n] has a pinned task; NULL: none has */
};

static int note_pinned(struct refine_base *base, struct mapcore_error *err)
{
    const uint32_t *pin = base->problem->pin;

    base->is_pinned =
        array_alloc(base->graph->n, sizeof(*base->is_pinned), err);
    if (!base->is_pinned)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < base->graph->n; t++)
        base->is_pinned[t] = pin[t] != MAPCORE_NONE;
    return 0;
}

int refine_base_create(struct refine_base **out,
                       const struct map_problem *problem,
                       uint64_t seed,
                       struct mapcore_error *err)
{
    struct refine_base *base = array_alloc(1, sizeof(*base), err);
    int error;

    if (!base)
        return MAPCORE_ENOMEM;
    base->problem = problem;
    base->seed = seed;
    anneal_init(&base->anneal);
    error = coarse_graph_create(&base->graph, problem->graph, NULL,
                                problem->graph->ntasks, err);
    if (error == 0 && problem->pin)
        error = note_pinned(base, err);
    if (error < 0)
        refine_base_destroy(base);
    else
        *out = base;
    return error;
}

void refine_base_destroy(struct refine_base *base)
{
    if (!base)
        return;
    coarse_graph_destroy(base->graph);
    free(base->is_pinned);
    free(base);
}

int refine_create(struct refine **out,
                  const struct refine_base *base,
                  const uint32_t *host,
                  uint32_t chain,
                  struct mapcore_error *err)
{
    struct refine *refine = array_alloc(1, sizeof(*refine), err);

    if (!refine)
        return MAPCORE_ENOMEM;
    refine->base = base;
    refine->chain = chain;
    refine->pace = 1;
    refine->host = array_copy(host, base->graph->n, sizeof(*host), err);
    if (!refine->host) {
        free(refine);
        return MAPCORE_ENOMEM;
    }
    *out = refine;
    return 0;
}

void refine_set_pace(struct refine *refine, double pace)
{
    refine->pace = pace;
}

/* Takes the mapping over from the placement and leaves the stage. */
static void end_stage(struct refine *refine)
{
    refine_get_mapping(refine->host, refine);
    placement_destroy(refine->placement);
    coarse_graph_destroy(refine->clusters);
    free(refine->cluster);
    free(refine->size);
    free(refine->is_fixed);
    refine->placement = NULL;
    refine->clusters = NULL;
    refine->cluster = refine->size = NULL;
    refine->is_fixed = NULL;
}

void refine_destroy(struct refine *refine)
{
    if (!refine)
        return;
    end_stage(refine);
    free(refine->host);
    free(refine);
}

void refine_get_mapping(uint32_t *host, const struct refine *refine)
{
    uint32_t n = refine->base->graph->n;

    for (uint32_t t = 0; t < n; t++)
        host[t] = !refine->placement ? refine->host[t]
                  : refine->cluster
                      ? refine->placement->host[refine->cluster[t]]
                      : refine->placement->host[t];
}

/* One cluster a host that has tasks. */
static int make_clusters(struct refine *refine, struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = refine->base->problem->alloc;
    uint32_t n = refine->base->graph->n, nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *number = array_alloc(nhosts, sizeof(*number), err), nclusters = 0;
    uint32_t *place = array_alloc(nhosts, sizeof(*place), err);
    int error = MAPCORE_ENOMEM;

    refine->cluster = array_alloc(n, sizeof(*refine->cluster), err);
    refine->size = array_alloc(nhosts, sizeof(*refine->size), err);
    if (refine->base->is_pinned)
        refine->is_fixed = array_alloc(nhosts, sizeof(*refine->is_fixed), err);
    if (!number || !place || !refine->cluster || !refine->size ||
        (refine->base->is_pinned && !refine->is_fixed))
        goto out;
    for (uint32_t t = 0; t < n; t++)
        number[refine->host[t]] = 1;
    for (uint32_t h = 0; h < nhosts; h++)
        if (number[h]) {
            place[nclusters] = h;
            number[h] = nclusters++;
        }
    for (uint32_t t = 0; t < n; t++) {
        refine->cluster[t] = number[refine->host[t]];
        refine->size[refine->cluster[t]]++;
        if (refine->is_fixed && refine->base->is_pinned[t])
            refine->is_fixed[refine->cluster[t]] = true;
    }
    error = coarse_graph_create(&refine->clusters, refine->base->problem->graph,
                                refine->cluster, nclusters, err);
    if (error == 0)
        error = placement_create(&refine->placement, refine->clusters, alloc,
                                 place, refine->size, refine->is_fixed, err);
out:
    free(number);
    free(place);
    return error;
}

/* Epochs that it takes to touch every region once. */
static uint32_t epochs_of_pass(const struct placement *placement)
{
    return (placement->nregions + EPOCH_REGIONS - 1) / EPOCH_REGIONS;
}

/* Proposals in a region of an epoch, a mean one. */
static double epoch_proposals(const struct refine *refine)
{
    const struct placement *placement = refine->placement;
    double n = placement->graph->n, mean = n / placement->nregions;
    double degree = (double)placement->graph->row[placement->graph->n] / n;
    double steps = placement->nregions > 1 ? EPOCH_STEPS : ALONE_STEPS;
    double proposals = steps / (16 + degree);
    double most =
        (refine->stage == REFINE_DESCENT ? DESCENT_SWEEPS : EPOCH_SWEEPS) *
        mean;
    return refine->stage == REFINE_DESCENT || proposals > most ? most
                                                               : proposals;
}

static int measure_region(double *out,
                          const struct refine *refine,
                          uint32_t index,
                          uint64_t stream,
                          struct mapcore_error *err)
{
    struct region *region = NULL;
    struct rng rng;
    int error = region_create(&region, refine->placement, index, err);

    if (error < 0)
        return error;
    rng_init(&rng, refine->base->seed, RNG_STREAM_ANNEAL,
             stream | (UINT16_MAX - index));
    *out = anneal_spread(region,
                         region->n < SAMPLES / SAMPLES_A_VERTEX
                             ? region->n * SAMPLES_A_VERTEX
                             : SAMPLES,
                         &rng);
    region_destroy(region);
    return 0;
}

/* The spread of changes, which scales temperatures: of a few regions a low one,
 * for those with a hub in them do not speak for all, and what is too hot undoes
 * a good start. */
static int measure(struct refine *refine,
                   uint64_t stream,
                   struct mapcore_error *err)
{
    uint32_t nregions = refine->placement->nregions;
    uint32_t n = nregions < SPREADS ? nregions : SPREADS;
    double spread[SPREADS] = {0};
    int error = 0;

    for (uint32_t i = 0; i < n && error == 0; i++) {
        uint32_t at = i;

        error =
            measure_region(&spread[i], refine, i * (nregions / n), stream, err);
        for (; error == 0 && at > 0 && spread[at - 1] > spread[at]; at--) {
            double more = spread[at - 1];

            spread[at - 1] = spread[at];
            spread[at] = more;
        }
    }
    if (error == 0)
        refine->spread = spread[n / 4];
    return error;
}

/* Random streams of a stage, in the bits above those of its passes and epochs.
 */
static uint64_t stream_of(const struct refine *refine)
{
    return refine->chain << 44 | (uint64_t)refine->stage << 40;
}

/* Divides the hosts for the first pass and looks at what changes come to: both
 * take longer than an epoch may, which then is timed without them. */
static int prepare(struct refine *refine, struct mapcore_error *err)
{
    uint64_t stream = stream_of(refine);
    int error =
        placement_split(refine->placement, refine->base->seed, stream, err);

    if (error < 0 || refine->stage == REFINE_DESCENT)
        return error;
    return measure(refine, stream, err);
}

int refine_begin(uint32_t *n,
                 struct refine *refine,
                 enum refine_stage stage,
                 struct refine_temperatures temperatures,
                 struct mapcore_error *err)
{
    const struct refine_base *base = refine->base;
    int error;

    end_stage(refine);
    refine->stage = stage;
    refine->temperatures = temperatures;
    refine->spread = 0;
    *n = 0;
    if (stage == REFINE_CLUSTERS)
        error = make_clusters(refine, err);
    else
        error = placement_create(&refine->placement, base->graph,
                                 base->problem->alloc, refine->host, NULL,
                                 base->is_pinned, err);
    if (error < 0)
        return error;
    if (refine->placement->graph->row[refine->placement->graph->n] == 0 ||
        refine->placement->nhosts < 2 ||
        (stage == REFINE_CLUSTERS && refine->clusters->n == base->graph->n))
        return 0;
    if (stage == REFINE_DESCENT)
        *n = DESCENT_EPOCHS * epochs_of_pass(refine->placement);
    else
        *n = (uint32_t)(MOST_SWEEPS * refine->placement->graph->n /
                        epoch_proposals(refine) / refine->placement->nregions *
                        epochs_of_pass(refine->placement)) +
             1;
    return prepare(refine, err);
}

double refine_descent_epochs(const struct refine *refine)
{
    double n = refine->base->graph->n, proposals = epoch_proposals(refine);
    uint32_t regions = refine->placement->nregions;

    return DESCENT_COST * DESCENT_EPOCHS * DESCENT_SWEEPS * n / proposals /
           (regions < EPOCH_REGIONS ? regions : EPOCH_REGIONS);
}

/* An epoch under way. */
struct epoch {
    struct refine *refine;
    uint64_t index; /* for random streams, in the bits above a region's */
    double heat[2]; /* at its beginning and end */
    double sweeps;  /* proposals a vertex */
    uint32_t first_region; /* of region[0] */
    struct region *region[EPOCH_REGIONS];
    struct mapcore_error err[EPOCH_REGIONS];
    int error[EPOCH_REGIONS];
};

static bool work(void *arg, size_t i)
{
    struct epoch *epoch = arg;
    const struct refine_base *base = epoch->refine->base;
    uint32_t index = epoch->first_region + (uint32_t)i;
    struct cost_table *table = NULL;
    struct rng rng;

    epoch->error[i] = region_create(&epoch->region[i], epoch->refine->placement,
                                    index, &epoch->err[i]);
    if (epoch->error[i] == 0)
        epoch->error[i] =
            cost_table_create(&table, epoch->region[i], &epoch->err[i]);
    if (epoch->error[i] < 0)
        return false;
    rng_init(&rng, base->seed, RNG_STREAM_ANNEAL, epoch->index | index);
    anneal_run(epoch->region[i], table, &base->anneal, epoch->heat,
               (uint64_t)(epoch->sweeps * epoch->region[i]->n), &rng);
    cost_table_destroy(table);
    return true;
}

/* Temperature at share x of a stage. */
static double temperature(const struct refine *refine, double x)
{
    double share = refine->temperatures.cold / refine->temperatures.hot;

    return refine->spread * refine->temperatures.hot *
           anneal_exp(x * anneal_log(share));
}

static int run_regions(bool *done,
                       struct epoch *epoch,
                       uint32_t nregions,
                       struct pool *pool,
                       struct mapcore_error *err)
{
    struct pool_job job = {.n = nregions, .work = work, .arg = epoch};
    uint32_t ncounted = (uint32_t)pool_run(pool, &job);
    int error = 0;

    *done = ncounted == nregions;
    if (!*done && epoch->error[ncounted] < 0) {
        error = epoch->error[ncounted];
        if (err)
            *err = epoch->err[ncounted];
    }
    for (uint32_t i = 0; i < nregions; i++) {
        if (*done)
            region_store(epoch->region[i], epoch->refine->placement);
        region_destroy(epoch->region[i]);
    }
    return error;
}

int refine_epoch(bool *done,
                 struct refine *refine,
                 uint32_t i,
                 uint32_t n,
                 struct pool *pool,
                 struct mapcore_error *err)
{
    struct placement *placement = refine->placement;
    struct epoch *epoch = array_alloc(1, sizeof(*epoch), err);
    uint32_t pass = i / epochs_of_pass(placement), nregions;
    uint64_t index = stream_of(refine);
    int error = 0;

    *done = false;
    if (!epoch)
        return MAPCORE_ENOMEM;
    if (pass > 0 && i % epochs_of_pass(placement) == 0)
        error =
            placement_split(placement, refine->base->seed, index | pass, err);
    if (error < 0)
        goto out;
    epoch->refine = refine;
    epoch->index = index | (uint64_t)i << 16;
    if (refine->stage != REFINE_DESCENT) {
        epoch->heat[0] = temperature(refine, i > 0 ? (i - 1.0) / (n - 1.0) : 0);
        epoch->heat[1] = temperature(refine, i > 0 ? i / (n - 1.0) : 0);
    }
    epoch->sweeps = refine->pace * epoch_proposals(refine) *
                    placement->nregions / placement->graph->n;
    epoch->first_region = i % epochs_of_pass(placement) * EPOCH_REGIONS;
    nregions = placement->nregions - epoch->first_region;
    error = run_regions(done, epoch,
                        nregions < EPOCH_REGIONS ? nregions : EPOCH_REGIONS,
                        pool, err);
out:
    free(epoch);
    return error;
}

int refine_descend(struct refine *refine,
                   struct pool *pool,
                   struct mapcore_error *err)
{
    bool done = true;
    uint32_t n;
    int error = refine_begin(&n, refine, REFINE_DESCENT,
                             (struct refine_temperatures){0, 0}, err);

    for (uint32_t i = 0; error == 0 && done && i < n; i++)
        error = refine_epoch(&done, refine, i, n, pool, err);
    return error;
}
