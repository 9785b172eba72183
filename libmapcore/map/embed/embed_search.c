/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_search.c - the search for embeddings of a grid into a torus, mesh or
 * tree: how each dimension is cut, and which axes of the network take its parts
 */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "base/table64.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Ways to cut the grid into tiles, at most; and where links are what counts,
 * the steps for one kind of tiles, and how many a plan costs. */
#define MAX_TILES      100000
#define MAX_TILE_STEPS 4000
#define PLAN_STEPS     50

/* Costs are whole but for errors of floating point: to this part. */
#define ROUND 64.0

/* One way to cut the grid: dimension i into m[i] parts. */
struct tiles {
    double time;  /* by links: of those of a router at least */
    double cross; /* bytes between parts: each costs a hop at least */
    uint32_t m[MAPCORE_GRID_MAX_DIMS];
};

/* Costs of splits that are known. */
struct known {
    uint32_t dim;
    struct embed_split split; /* as asked for; round false */
    struct embed_split best;
    double cost; /* of best */
};

struct plan_search {
    struct mapcore_error *err; /* of the caller */
    const struct embed_machine *machine;
    struct embed_traffics *traffics;
    const struct map_deadline *deadline;
    struct embed_plans *plans;
    bool timed_out;
    size_t steps, ties;
    size_t most;     /* steps */
    double links;    /* of all axes, both directions */
    double lightest; /* least weight of an axis */
    size_t ntiles, tiles_capacity;
    struct tiles *tiles;
    size_t nknown, known_capacity;
    struct known *known;
    struct table64 by_split; /* of known, by hash_split */
    /* The tiling at hand. */
    struct embed_plan plan;
    uint32_t need[MAPCORE_GRID_MAX_DIMS]; /* parts still to be placed */
    double least[MAPCORE_GRID_MAX_DIMS];  /* cost so far, or lower bound */
    double bound;                         /* sum of least */
};

static uint64_t hash_split(uint32_t dim, const struct embed_split *split)
{
    const uint64_t times = UINT64_C(0x9e3779b97f4a7c15);
    uint64_t hash = (dim + 1) * times + split->m;

    for (uint32_t i = 0; i < split->ndigits; i++) {
        const struct embed_digit *digit = &split->digit[i];

        hash = ((hash * times + digit->axis) * times + digit->radix) * times +
               digit->below;
    }
    return hash;
}

/* Its place in known; a new one has no best yet. */
static int find_known(uint32_t *out,
                      struct plan_search *search,
                      uint32_t dim,
                      const struct embed_split *split)
{
    uint64_t key = hash_split(dim, split);
    uint32_t i;

    for (size_t at = 0;
         (i = table64_next(&search->by_split, key, &at)) != MAPCORE_NONE;)
        if (search->known[i].dim == dim &&
            search->known[i].split.m == split->m &&
            search->known[i].split.ndigits == split->ndigits &&
            memcmp(search->known[i].split.digit, split->digit,
                   split->ndigits * sizeof(*split->digit)) == 0) {
            *out = i;
            return 0;
        }
    if (array_reserve(&search->known, &search->known_capacity,
                      search->nknown + 1, sizeof(*search->known),
                      search->err) < 0 ||
        table64_add(&search->by_split, key, (uint32_t)search->nknown,
                    search->err) < 0)
        return MAPCORE_ENOMEM;
    *out = (uint32_t)search->nknown++;
    search->known[*out] = (struct known){.dim = dim, .split = *split};
    return 0;
}

/* Whether every digit goes round a whole ring alone. */
static bool are_rings(const struct embed_machine *machine,
                      const struct embed_split *split)
{
    for (uint32_t i = 0; i < split->ndigits; i++)
        if (split->digit[i].below != 1 ||
            split->digit[i].radix != machine->ring[split->digit[i].axis])
            return false;
    return split->ndigits > 1;
}

struct trial {
    const struct plan_search *search;
    const struct embed_traffic *traffic;
    struct known *known;
};

static void try_split(struct trial *trial, struct embed_split *split)
{
    for (int round = 0; round < 2; round++) {
        double cost;

        split->round = round;
        if (round && !are_rings(trial->search->machine, split))
            break;
        cost = embed_split_cost(trial->search->machine, trial->traffic, split);
        if (trial->known->best.m == 0 || cost < trial->known->cost) {
            trial->known->best = *split;
            trial->known->cost = cost;
        }
    }
    split->round = false;
}

/* Every order of the digits from the k-th on. */
static void permute(struct trial *trial, struct embed_split *split, uint32_t k)
{
    if (k + 1 >= split->ndigits) {
        try_split(trial, split);
        return;
    }
    for (uint32_t i = k; i < split->ndigits; i++) {
        struct embed_digit digit = split->digit[i];

        split->digit[i] = split->digit[k];
        split->digit[k] = digit;
        permute(trial, split, k + 1);
        split->digit[k] = split->digit[i];
        split->digit[i] = digit;
    }
}

/* The best order of the digits of a dimension and what it costs; good until the
 * next. */
static int price(const struct known **out,
                 struct plan_search *search,
                 uint32_t dim)
{
    struct embed_split split = search->plan.split[dim];
    struct trial trial = {.search = search};
    uint32_t i;

    if (find_known(&i, search, dim, &split) < 0)
        return MAPCORE_ENOMEM;
    *out = trial.known = &search->known[i];
    if (trial.known->best.m != 0)
        return 0;
    trial.traffic = embed_traffic_get(search->traffics, dim, split.m);
    if (!trial.traffic)
        return MAPCORE_ENOMEM;
    /* All with all: the order changes nothing to speak of; on a tree boxes are
     * in boxes. */
    if (search->traffics->grid->kind[dim] == MAPCORE_GRID_GROUP ||
        search->machine->tree)
        try_split(&trial, &split);
    else
        permute(&trial, &split, 0);
    return 0;
}

/* Whether plans of this cost at least can be worth it. The mean time of all
 * links is a bound of the longest. */
static bool is_wanted(struct plan_search *search, double bound)
{
    const struct embed_plans *plans = search->plans;

    if (plans->n < EMBED_PLANS)
        return true;
    if (plans->by_time)
        return bound / search->links < plans->plan[plans->n - 1].time;
    if (bound < plans->plan[plans->n - 1].cost)
        return true;
    return bound <= plans->plan[0].cost && search->ties++ < EMBED_MAX_TIES;
}

static int keep_plan(struct plan_search *search)
{
    struct embed_plan plan = search->plan;

    /* A sum in another order is the same. */
    plan.cost = rint(search->bound * ROUND) / ROUND;
    for (uint32_t i = 0; i < search->traffics->grid->ndims; i++) {
        const struct known *known;

        if (plan.split[i].ndigits == 0)
            continue;
        if (price(&known, search, i) < 0)
            return MAPCORE_ENOMEM;
        plan.split[i] = known->best;
    }
    search->steps += search->plans->by_time ? PLAN_STEPS : 0;
    if ((search->machine->tree
             ? embed_time_tree(&plan.time, search->machine, search->traffics,
                               &plan)
             : embed_time_torus(&plan.time, search->machine, search->traffics,
                                &plan, search->err)) < 0)
        return MAPCORE_ENOMEM;
    embed_plans_add(search->plans, &plan);
    return 0;
}

static int fill_axis(struct plan_search *search, uint32_t axis, uint32_t below);

/* Whether the axes from this one on, of which the first has only that much
 * left, can take what is needed. */
static bool fits(const struct plan_search *search, uint32_t axis, uint32_t left)
{
    uint64_t need = 1, have = left;

    for (uint32_t i = 0; i < search->traffics->grid->ndims; i++)
        need *= search->need[i];
    for (uint32_t a = axis + 1; a < search->machine->naxes; a++)
        have *= search->machine->size[a];
    return need <= have;
}

/* Puts a digit of the dimension on the axis, and goes on. */
static int place_digit(struct plan_search *search,
                       uint32_t axis,
                       uint32_t below,
                       uint32_t dim,
                       uint32_t radix)
{
    struct embed_split *split = &search->plan.split[dim];
    uint32_t need = search->need[dim];
    double least = search->least[dim], bound = search->bound;
    int error = 0;

    split->digit[split->ndigits++] =
        (struct embed_digit){.axis = axis, .radix = radix, .below = below};
    search->need[dim] = (need - 1) / radix + 1;
    if (search->need[dim] == 1) {
        const struct known *known;

        error = price(&known, search, dim);
        if (error == 0) {
            search->least[dim] = known->cost;
            search->bound += known->cost - least;
        }
    }
    if (error == 0 && is_wanted(search, search->bound) &&
        fits(search, axis, search->machine->size[axis] / (below * radix)))
        error = fill_axis(search, axis, below * radix);
    split->ndigits--;
    search->need[dim] = need;
    search->least[dim] = least;
    search->bound = bound;
    return error;
}

static bool has_digit(const struct embed_split *split, uint32_t axis)
{
    return split->ndigits > 0 && split->digit[split->ndigits - 1].axis == axis;
}

/* Goes on with the axis, on which digits make below positions already, or with
 * the next. */
static int fill_axis(struct plan_search *search, uint32_t axis, uint32_t below)
{
    const struct embed_machine *machine = search->machine;
    uint32_t ndims = search->traffics->grid->ndims, left;
    bool done = true;
    int error = 0;

    if (++search->steps % 256 == 0 && map_deadline_passed(search->deadline))
        search->timed_out = true;
    for (uint32_t i = 0; i < ndims; i++)
        done = done && search->need[i] == 1;
    if (done)
        return keep_plan(search);
    if (axis == machine->naxes || search->timed_out ||
        search->steps > search->most)
        return 0;
    left = machine->size[axis] / below;
    for (uint32_t i = 0; i < ndims && left > 1; i++) {
        uint32_t need = search->need[i], most = need < left ? need : left;

        if (need == 1 || search->plan.split[i].ndigits == EMBED_DIGITS ||
            has_digit(&search->plan.split[i], axis))
            continue;
        for (uint32_t radix = most; radix > 1 && error == 0; radix--)
            if (radix == most || need % radix == 0)
                error = place_digit(search, axis, below, i, radix);
        if (error < 0)
            return error;
    }
    return fits(search, axis, 1) ? fill_axis(search, axis + 1, 1) : 0;
}

static int best_first(const void *a, const void *b)
{
    const struct tiles *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    if (x->cross != y->cross)
        return x->cross < y->cross ? -1 : 1;
    return memcmp(x->m, y->m, sizeof(x->m));
}

/* What leaves a tile goes through the links of its router, half each way. */
static int promise_time(struct tiles *tiles, struct plan_search *search)
{
    const struct embed_machine *machine = search->machine;
    double carries = 0, surface;

    tiles->time = 0;
    if (!search->plans->by_time)
        return 0;
    for (uint32_t i = 0; i < search->traffics->grid->ndims; i++)
        search->plan.split[i].m = tiles->m[i];
    if (embed_surface(&surface, search->traffics, search->plan.split) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t axis = 0; axis < (machine->tree ? 1 : machine->naxes); axis++)
        carries += machine->tree ? machine->carries[axis]
                                 : 2 * embed_widest(machine, axis);
    tiles->time = carries > 0 ? embed_rounded(surface / 2 / carries) : 0;
    return 0;
}

/* Lists the ways to cut dimensions i, i+1, ... so that tiles fit into cells and
 * are no more than there are cells. */
static int list_tiles(struct plan_search *search,
                      struct tiles *tiles,
                      uint32_t i,
                      uint64_t volume,
                      uint64_t count)
{
    const struct mapcore_grid *grid = search->traffics->grid;
    double cross = tiles->cross;
    int error = 0;

    if (i == grid->ndims) {
        if (search->ntiles == MAX_TILES)
            return 0;
        if (promise_time(tiles, search) < 0 ||
            array_reserve(&search->tiles, &search->tiles_capacity,
                          search->ntiles + 1, sizeof(*tiles), search->err) < 0)
            return MAPCORE_ENOMEM;
        search->tiles[search->ntiles++] = *tiles;
        return 0;
    }
    /* The fewest parts of at most width each: others are no better. */
    for (uint32_t m = 1; m <= grid->dims[i] && error == 0;) {
        uint32_t width = (grid->dims[i] - 1) / m + 1;
        const struct embed_traffic *traffic;

        if (count * m > search->machine->ncells)
            break;
        traffic = embed_traffic_get(search->traffics, i, m);
        if (!traffic)
            return MAPCORE_ENOMEM;
        tiles->m[i] = m;
        tiles->cross = cross + traffic->cross;
        if (volume * width <= search->machine->capacity)
            error = list_tiles(search, tiles, i + 1, volume * width, count * m);
        m = width == 1 ? m + 1 : (grid->dims[i] - 1) / (width - 1) + 1;
        if (width == 1)
            break;
    }
    tiles->cross = cross;
    tiles->m[i] = 0;
    return error;
}

static int place_tiles(struct plan_search *search, const struct tiles *tiles)
{
    search->bound = 0;
    for (uint32_t i = 0; i < search->traffics->grid->ndims; i++) {
        const struct embed_traffic *traffic =
            embed_traffic_get(search->traffics, i, tiles->m[i]);

        if (!traffic)
            return MAPCORE_ENOMEM;
        search->plan.split[i] = (struct embed_split){.m = tiles->m[i]};
        search->need[i] = tiles->m[i];
        search->least[i] = traffic->cross * search->lightest;
        search->bound += search->least[i];
    }
    return fill_axis(search, 0, 1);
}

static void count_links(struct plan_search *search)
{
    const struct embed_machine *machine = search->machine;
    uint32_t cables = machine->ncells;

    search->lightest = machine->tree ? machine->far[0] : machine->weight[0];
    for (uint32_t a = 0; a < machine->naxes; a++) {
        uint32_t n = machine->size[a], length = machine->ring[a];

        if (machine->tree) {
            search->links += 2.0 * cables * machine->carries[a];
            cables /= n;
            continue;
        }
        if (length == UINT32_MAX)
            length = machine->place[a][n - 1] - machine->place[a][0];
        search->links += 2.0 * length * (machine->ncells / n);
        search->lightest = fmin(search->lightest, machine->weight[a]);
    }
}

/* How many steps there may be when the next tiles are done. Those of the best
 * promise would take all where much of the machine stays free. */
static size_t most_steps(const struct plan_search *search)
{
    size_t most = search->steps + MAX_TILE_STEPS;

    if (!search->plans->by_time)
        return EMBED_MAX_STEPS;
    return most < EMBED_MAX_LINK_STEPS ? most : EMBED_MAX_LINK_STEPS;
}

int embed_search(struct embed_plans *out,
                 bool *timed_out,
                 const struct embed_machine *machine,
                 struct embed_traffics *traffics,
                 const struct map_deadline *deadline,
                 struct mapcore_error *err)
{
    struct plan_search search = {.err = err,
                                 .machine = machine,
                                 .traffics = traffics,
                                 .deadline = deadline,
                                 .plans = out};
    struct tiles tiles = {0};
    int error = list_tiles(&search, &tiles, 0, 1, 1);

    count_links(&search);
    if (search.ntiles > 1)
        qsort(search.tiles, search.ntiles, sizeof(*search.tiles), best_first);
    for (size_t i = 0; i < search.ntiles && error == 0; i++) {
        if (search.timed_out ||
            (out->by_time && out->n == EMBED_PLANS &&
             search.tiles[i].time > out->plan[out->n - 1].time) ||
            !is_wanted(&search, search.tiles[i].cross * search.lightest))
            break;
        search.most = most_steps(&search);
        error = place_tiles(&search, &search.tiles[i]);
    }
    *timed_out = search.timed_out;
    free(search.tiles);
    free(search.known);
    table64_clear(&search.by_split);
    return error;
}
