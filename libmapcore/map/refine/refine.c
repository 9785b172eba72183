/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine.c - annealing in epochs, on lumps of tasks and then on tasks */
#include "config.h"

#include "map/refine/refine.h"

#include "base/array.h"
#include "map/refine/anneal.h"
#include "map/rng_streams.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Regions of an epoch. */
#define EPOCH_REGIONS 16
/* Steps of an epoch in a region, a proposal being 16 + degree of them, and its
 * proposals a grain at most. */
#define EPOCH_STEPS  ((double)(1 << 22))
#define EPOCH_SWEEPS 256.0
/* Where a pass over all regions takes several epochs, these are shorter, by
 * this at most: or the first regions would be done with while all is hot. */
#define MOST_SHORTER 4
/* Proposals a grain of a quenching epoch. */
#define QUENCH_SWEEPS 8.0
#define QUENCH_EPOCHS 2
/* Proposals a grain after which no stage goes on. */
#define MOST_SWEEPS 16384.0
#define SAMPLES     16384

struct refine_base {
    const struct map_problem *problem;
    uint64_t seed;
    struct anneal anneal;
    struct grain *grain;
};

struct refine {
    const struct refine_base *base;
    uint64_t chain;
    uint32_t *host; /* [ntasks], as the stages before left it */

    enum refine_stage stage;
    struct refine_heat heat;
    struct board *board;
    double spread; /* < 0: not measured yet */

    /* Lumps, or NULL with other stages. */
    struct grain *lumps;
    uint32_t *lump; /* [ntasks], lump of each task */
    uint32_t *size; /* [lumps->n] */
};

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
    error = grain_create(&base->grain, problem->graph, err);
    if (error < 0)
        free(base);
    else
        *out = base;
    return error;
}

void refine_base_destroy(struct refine_base *base)
{
    if (!base)
        return;
    grain_destroy(base->grain);
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
    refine->host = array_copy(host, base->grain->n, sizeof(*host), err);
    if (!refine->host) {
        free(refine);
        return MAPCORE_ENOMEM;
    }
    *out = refine;
    return 0;
}

/* Takes the places of the grains over and leaves the stage. */
static void end_stage(struct refine *refine)
{
    refine_read(refine->host, refine);
    board_destroy(refine->board);
    grain_destroy(refine->lumps);
    free(refine->lump);
    free(refine->size);
    refine->board = NULL;
    refine->lumps = NULL;
    refine->lump = refine->size = NULL;
}

void refine_destroy(struct refine *refine)
{
    if (!refine)
        return;
    end_stage(refine);
    free(refine->host);
    free(refine);
}

void refine_read(uint32_t *host, const struct refine *refine)
{
    uint32_t n = refine->base->grain->n;

    for (uint32_t t = 0; t < n; t++)
        host[t] = !refine->board ? refine->host[t]
                  : refine->lump ? refine->board->host[refine->lump[t]]
                                 : refine->board->host[t];
}

/* One lump a host that has tasks. */
static int make_lumps(struct refine *refine, struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = refine->base->problem->alloc;
    uint32_t n = refine->base->grain->n, nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *number = array_alloc(nhosts, sizeof(*number), err), nlumps = 0;
    uint32_t *place = array_alloc(nhosts, sizeof(*place), err);
    int error = MAPCORE_ENOMEM;

    refine->lump = array_alloc(n, sizeof(*refine->lump), err);
    refine->size = array_alloc(nhosts, sizeof(*refine->size), err);
    if (!number || !place || !refine->lump || !refine->size)
        goto out;
    for (uint32_t t = 0; t < n; t++)
        number[refine->host[t]] = 1;
    for (uint32_t h = 0; h < nhosts; h++)
        if (number[h]) {
            place[nlumps] = h;
            number[h] = nlumps++;
        }
    for (uint32_t t = 0; t < n; t++) {
        refine->lump[t] = number[refine->host[t]];
        refine->size[refine->lump[t]]++;
    }
    error = grain_lump(&refine->lumps, refine->base->grain, refine->lump,
                       nlumps, err);
    if (error == 0)
        error = board_create(&refine->board, refine->lumps, alloc, place,
                             refine->size, err);
out:
    free(number);
    free(place);
    return error;
}

/* Epochs that it takes to touch every region once. */
static uint32_t epochs_of_pass(const struct board *board)
{
    return (board->nregions + EPOCH_REGIONS - 1) / EPOCH_REGIONS;
}

/* Proposals in a region of an epoch, a mean one. */
static double epoch_proposals(const struct refine *refine)
{
    const struct board *board = refine->board;
    double n = board->grain->n, mean = n / board->nregions;
    double degree = (double)board->grain->row[board->grain->n] / n;
    double proposals = EPOCH_STEPS / (16 + degree);
    double most =
        (refine->stage == REFINE_QUENCH ? QUENCH_SWEEPS : EPOCH_SWEEPS) * mean;
    uint32_t pass = epochs_of_pass(board);

    proposals /= pass < MOST_SHORTER ? pass : MOST_SHORTER;
    return refine->stage == REFINE_QUENCH || proposals > most ? most
                                                              : proposals;
}

int refine_begin(uint32_t *n,
                 struct refine *refine,
                 enum refine_stage stage,
                 struct refine_heat heat,
                 struct mapcore_error *err)
{
    const struct refine_base *base = refine->base;
    int error;

    end_stage(refine);
    refine->stage = stage;
    refine->heat = heat;
    refine->spread = -1;
    *n = 0;
    if (stage == REFINE_LUMPS)
        error = make_lumps(refine, err);
    else
        error = board_create(&refine->board, base->grain, base->problem->alloc,
                             refine->host, NULL, err);
    if (error < 0)
        return error;
    if (refine->board->grain->row[refine->board->grain->n] == 0 ||
        refine->board->nhosts < 2 ||
        (stage == REFINE_LUMPS && refine->lumps->n == base->grain->n))
        return 0;
    if (stage == REFINE_QUENCH)
        *n = QUENCH_EPOCHS * epochs_of_pass(refine->board);
    else
        *n = (uint32_t)(MOST_SWEEPS * refine->board->grain->n /
                        epoch_proposals(refine) / refine->board->nregions *
                        epochs_of_pass(refine->board)) +
             1;
    return 0;
}

double refine_quench_epochs(const struct refine *refine)
{
    double n = refine->base->grain->n, proposals = epoch_proposals(refine);
    uint32_t regions = refine->board->nregions;

    return QUENCH_EPOCHS * QUENCH_SWEEPS * n / proposals /
           (regions < EPOCH_REGIONS ? regions : EPOCH_REGIONS);
}

/* An epoch under way. */
struct epoch {
    struct refine *refine;
    uint64_t index; /* for random streams, in the bits above a region's */
    double hot, cold;
    double sweeps;         /* proposals a grain */
    uint32_t first_region; /* of patch[0] */
    struct patch *patch[EPOCH_REGIONS];
    struct mapcore_error error[EPOCH_REGIONS];
    int code[EPOCH_REGIONS];
};

static bool work(void *arg, size_t i)
{
    struct epoch *epoch = arg;
    const struct refine_base *base = epoch->refine->base;
    uint32_t region = epoch->first_region + (uint32_t)i;
    struct rng rng;

    epoch->code[i] = patch_create(&epoch->patch[i], epoch->refine->board,
                                  region, &epoch->error[i]);
    if (epoch->code[i] < 0)
        return false;
    rng_init(&rng, base->seed, PURPOSE_ANNEAL, epoch->index | region);
    anneal_run(epoch->patch[i], &base->anneal, epoch->hot, epoch->cold,
               (uint64_t)(epoch->sweeps * epoch->patch[i]->n), &rng);
    return true;
}

/* The spread of changes in the first region, which scales temperatures. */
static int measure(struct refine *refine,
                   uint64_t index,
                   struct mapcore_error *err)
{
    struct patch *patch = NULL;
    struct rng rng;
    int error = patch_create(&patch, refine->board, 0, err);

    if (error < 0)
        return error;
    rng_init(&rng, refine->base->seed, PURPOSE_ANNEAL, index | UINT16_MAX);
    refine->spread = anneal_spread(patch, SAMPLES, &rng);
    patch_destroy(patch);
    return 0;
}

/* Temperature at share x of a stage. */
static double temperature(const struct refine *refine, double x)
{
    double share = refine->heat.cold / refine->heat.hot;

    return refine->spread * refine->heat.hot *
           anneal_exp(x * anneal_log(share));
}

static int run_regions(bool *done,
                       struct epoch *epoch,
                       uint32_t nregions,
                       unsigned threads,
                       struct mapcore_error *err)
{
    struct pool_job job = {
        .n = nregions, .threads = threads, .work = work, .arg = epoch};
    uint32_t settled = (uint32_t)pool_run(&job);
    int code = 0;

    *done = settled == nregions;
    if (!*done && epoch->code[settled] < 0) {
        code = epoch->code[settled];
        if (err)
            *err = epoch->error[settled];
    }
    for (uint32_t i = 0; i < nregions; i++) {
        if (*done)
            patch_store(epoch->patch[i], epoch->refine->board);
        patch_destroy(epoch->patch[i]);
    }
    return code;
}

int refine_epoch(bool *done,
                 struct refine *refine,
                 uint32_t i,
                 uint32_t n,
                 unsigned threads,
                 struct mapcore_error *err)
{
    struct board *board = refine->board;
    struct epoch *epoch = array_alloc(1, sizeof(*epoch), err);
    uint32_t pass = i / epochs_of_pass(board), nregions;
    uint64_t index = refine->chain << 44 | (uint64_t)refine->stage << 40;
    int error = 0;

    *done = false;
    if (!epoch)
        return MAPCORE_ENOMEM;
    if (i % epochs_of_pass(board) == 0)
        error = board_split(board, refine->base->seed, index | pass, err);
    if (error == 0 && refine->spread < 0 && refine->stage != REFINE_QUENCH)
        error = measure(refine, index, err);
    if (error < 0)
        goto out;
    epoch->refine = refine;
    epoch->index = index | (uint64_t)i << 16;
    if (refine->stage != REFINE_QUENCH) {
        epoch->hot = temperature(refine, i > 0 ? (i - 1.0) / (n - 1.0) : 0);
        epoch->cold = temperature(refine, i > 0 ? i / (n - 1.0) : 0);
    }
    epoch->sweeps = epoch_proposals(refine) * board->nregions / board->grain->n;
    epoch->first_region = i % epochs_of_pass(board) * EPOCH_REGIONS;
    nregions = board->nregions - epoch->first_region;
    error = run_regions(done, epoch,
                        nregions < EPOCH_REGIONS ? nregions : EPOCH_REGIONS,
                        threads, err);
out:
    free(epoch);
    return error;
}
