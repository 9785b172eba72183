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
    struct arena arena; /* of this, and of the stage */
    struct arena of_stage;
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

struct refine_base *refine_base_make(const struct map_problem *problem,
                                     uint64_t seed,
                                     struct arena *arena)
{
    struct refine_base *base = arena_alloc(arena, 1, sizeof(*base));
    uint32_t n = problem->graph->ntasks;

    if (!base)
        return NULL;
    base->problem = problem;
    base->seed = seed;
    anneal_init(&base->anneal);
    base->graph = coarse_graph_make(problem->graph, NULL, n, arena);
    if (problem->pin)
        base->is_pinned = arena_alloc(arena, n, sizeof(*base->is_pinned));
    for (uint32_t t = 0; base->is_pinned && t < n; t++)
        base->is_pinned[t] = problem->pin[t] != MAPCORE_NONE;
    return arena->error ? NULL : base;
}

int refine_create(struct refine **out,
                  const struct refine_base *base,
                  const uint32_t *host,
                  uint32_t chain,
                  struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    struct refine *refine = arena_alloc(&arena, 1, sizeof(*refine));
    uint32_t *own = arena_copy(&arena, host, base->graph->n, sizeof(*host));

    if (arena.error) {
        arena_clear(&arena);
        return MAPCORE_ENOMEM;
    }
    *refine = (struct refine){
        .arena = arena, .base = base, .chain = chain, .host = own, .pace = 1};
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
    arena_clear(&refine->of_stage);
    refine->placement = NULL;
    refine->clusters = NULL;
    refine->cluster = refine->size = NULL;
    refine->is_fixed = NULL;
}

void refine_destroy(struct refine *refine)
{
    struct arena arena;

    if (!refine)
        return;
    arena = refine->arena;
    arena_clear(&refine->of_stage);
    arena_clear(&arena);
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
static void make_clusters(struct refine *refine, struct arena *arena)
{
    const struct refine_base *base = refine->base;
    const struct mapcore_alloc *alloc = base->problem->alloc;
    uint32_t n = base->graph->n, nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *number = arena_alloc(arena, nhosts, sizeof(*number));
    uint32_t *place = arena_alloc(arena, nhosts, sizeof(*place)), nclusters = 0;

    refine->cluster = arena_alloc(arena, n, sizeof(*refine->cluster));
    refine->size = arena_alloc(arena, nhosts, sizeof(*refine->size));
    if (base->is_pinned)
        refine->is_fixed = arena_alloc(arena, nhosts, sizeof(bool));
    if (arena->error)
        return;
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
        if (refine->is_fixed && base->is_pinned[t])
            refine->is_fixed[refine->cluster[t]] = true;
    }
    refine->clusters = coarse_graph_make(base->problem->graph, refine->cluster,
                                         nclusters, arena);
    if (refine->clusters)
        refine->placement =
            placement_make(refine->clusters, alloc, place, refine->size,
                           refine->is_fixed, arena);
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
    struct arena arena = {.err = err};
    struct region *region = region_make(refine->placement, index, &arena);
    struct rng rng;

    rng_init(&rng, refine->base->seed, RNG_STREAM_ANNEAL,
             stream | (UINT16_MAX - index));
    if (region)
        *out = anneal_spread(region,
                             region->n < SAMPLES / SAMPLES_A_VERTEX
                                 ? region->n * SAMPLES_A_VERTEX
                                 : SAMPLES,
                             &rng);
    arena_clear(&arena);
    return arena.error;
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

    placement_split(refine->placement, refine->base->seed, stream);
    return refine->stage == REFINE_DESCENT ? 0 : measure(refine, stream, err);
}

int refine_begin(uint32_t *n,
                 struct refine *refine,
                 enum refine_stage stage,
                 struct refine_temperatures temperatures,
                 struct mapcore_error *err)
{
    const struct refine_base *base = refine->base;
    struct arena *arena = &refine->of_stage;

    end_stage(refine);
    *arena = (struct arena){.err = err};
    refine->stage = stage;
    refine->temperatures = temperatures;
    refine->spread = 0;
    *n = 0;
    if (stage == REFINE_CLUSTERS)
        make_clusters(refine, arena);
    else
        refine->placement =
            placement_make(base->graph, base->problem->alloc, refine->host,
                           NULL, base->is_pinned, arena);
    if (arena->error)
        return arena->error;
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
    struct arena arena[EPOCH_REGIONS];
    struct mapcore_error err[EPOCH_REGIONS];
};

static bool work(void *arg, size_t i)
{
    struct epoch *epoch = arg;
    const struct refine_base *base = epoch->refine->base;
    struct arena *arena = &epoch->arena[i];
    uint32_t index = epoch->first_region + (uint32_t)i;
    struct region *region;
    struct cost_table *table = NULL;
    struct rng rng;

    arena->err = &epoch->err[i];
    region = epoch->region[i] =
        region_make(epoch->refine->placement, index, arena);
    if (region)
        table = cost_table_make(region, arena);
    if (arena->error)
        return false;
    rng_init(&rng, base->seed, RNG_STREAM_ANNEAL, epoch->index | index);
    anneal_run(region, table, &base->anneal, epoch->heat,
               (uint64_t)(epoch->sweeps * region->n), &rng);
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
    if (!*done && epoch->arena[ncounted].error < 0) {
        error = MAPCORE_ENOMEM;
        if (err)
            *err = epoch->err[ncounted];
    }
    for (uint32_t i = 0; i < nregions; i++) {
        if (*done)
            region_store(epoch->region[i], epoch->refine->placement);
        arena_clear(&epoch->arena[i]);
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
    int error;

    *done = false;
    if (!epoch)
        return MAPCORE_ENOMEM;
    if (pass > 0 && i % epochs_of_pass(placement) == 0)
        placement_split(placement, refine->base->seed, index | pass);
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
