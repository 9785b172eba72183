/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slots.c - the tasks of a host on the slots of its hardware tree: parts for
 * its levels, then exchanges with exact gains */
#include "config.h"

#include "map/slots/slots.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/rng_streams.h"

#include <stdbool.h>
#include <string.h>

__extension__ typedef unsigned __int128 wide;

enum {
    /* Weights are cut to this many bits, so that a sum over a host of weight x
     * distance (below 2^8), four times, stays in 63. */
    WEIGHT_BITS = 52,
    /* Iterated local search: a host of up to PERTURBED_SLOTS slots is perturbed
     * PERTURBATIONS times by PERTURBATION_SWAPS random exchanges, larger ones
     * less often. */
    PERTURBATIONS = 24,
    PERTURBED_SLOTS = 16,
    PERTURBATION_SWAPS = 3,
    /* Entries of all hosts' quadratic tables, together. Above the first number
     * hosts are perturbed as much less as there are more; above the second one
     * each is descended from a partition alone. 65,536 tasks of an
     * irregular pattern take 0.07 s of one core here on hosts of 16 slots and
     * 0.2 s on those of 128, instead of 0.15 and 0.5 s, for 0.04 and 2.2% more
     * inside hop-bytes. */
    ENTRIES_PERTURBED = 1 << 18,
    ENTRIES_THOROUGH = 1 << 21,
};

/* Tasks of the host are 0 .. n-1 here; n .. nslots-1 stand for free slots, so
 * that places are a permutation. */
struct slots_tree {
    const struct mapcore_graph *graph;
    const uint32_t *host;
    const struct mapcore_hwnode *node;
    uint32_t n, nslots;
    const uint32_t *task;
    uint64_t entries;  /* of the tables of all hosts */
    uint32_t measured; /* nslots that distance[] is of; 0: none yet */
    int64_t *distance; /* [nslots * nslots] */
    int64_t *weight;   /* [n * n], symmetric */
    int64_t *cost;     /* [n * nslots] of a task at a slot, to all others */
    int64_t *kept_cost;
    uint32_t *local; /* [ntasks] number within its host */
    uint32_t *at;    /* [nslots] slot of each */
    uint32_t *kept_at, *best;
    uint32_t *tasks, *slots, *spare; /* [nslots] for the partition */
    int64_t *gain;                   /* [n] */
};

/* The room for hosts of at most these slots. */
static int make_arrays(struct slots_tree *tree, size_t n, struct arena *arena)
{
    tree->distance = arena_alloc(arena, n * n, sizeof(int64_t));
    tree->weight = arena_alloc(arena, n * n, sizeof(int64_t));
    tree->cost = arena_alloc(arena, n * n, sizeof(int64_t));
    tree->kept_cost = arena_alloc(arena, n * n, sizeof(int64_t));
    tree->gain = arena_alloc(arena, n, sizeof(int64_t));
    tree->at = arena_alloc(arena, n, sizeof(uint32_t));
    tree->kept_at = arena_alloc(arena, n, sizeof(uint32_t));
    tree->best = arena_alloc(arena, n, sizeof(uint32_t));
    tree->tasks = arena_alloc(arena, n, sizeof(uint32_t));
    tree->slots = arena_alloc(arena, n, sizeof(uint32_t));
    tree->spare = arena_alloc(arena, n, sizeof(uint32_t));
    tree->local = arena_alloc(arena, tree->graph->ntasks, sizeof(uint32_t));
    return arena->error;
}

static int64_t distance(const struct slots_tree *tree, uint32_t a, uint32_t b)
{
    return tree->distance[(size_t)a * tree->nslots + b];
}

/* Distances, when the last host had another number of slots. */
static void measure(struct slots_tree *tree)
{
    uint32_t n = tree->nslots;

    if (tree->measured == n)
        return;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b <= a; b++)
            tree->distance[(size_t)a * n + b] =
                tree->distance[(size_t)b * n + a] =
                    mapcore_hwnode_distance(tree->node, n, a, b);
    tree->measured = n;
}

/* The bytes between the tasks of the host, as many of their bits as fit. */
static void weigh(struct slots_tree *tree)
{
    const struct mapcore_graph *graph = tree->graph;
    uint32_t n = tree->n, home = tree->host[tree->task[0]];
    uint64_t total = 0; /* each edge twice: below 2^64 */
    int shift = 0;

    memset(tree->weight, 0, (size_t)n * n * sizeof(*tree->weight));
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = tree->task[i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            total += tree->host[graph->task[k]] == home ? graph->bytes[k] : 0;
    }
    while (total >> shift >> WEIGHT_BITS > 0)
        shift++;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t t = tree->task[i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (tree->host[graph->task[k]] == home)
                tree->weight[(size_t)i * n + tree->local[graph->task[k]]] =
                    (int64_t)(graph->bytes[k] >> shift);
    }
}

/* Inside hop-bytes of the host, every edge twice, without rounding. */
static wide exact(const struct slots_tree *tree, const uint32_t *at)
{
    const struct mapcore_graph *graph = tree->graph;
    uint32_t home = tree->host[tree->task[0]];
    wide sum = 0;

    for (uint32_t i = 0; i < tree->n; i++) {
        uint32_t t = tree->task[i];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k];

            if (tree->host[u] == home)
                sum += (wide)graph->bytes[k] *
                       (wide)distance(tree, at[i], at[tree->local[u]]);
        }
    }
    return sum;
}

/* Of the tasks list[0 .. n-1], the one of fewest bytes to the others, but some,
 * if there is one. */
static uint32_t find_seed(const struct slots_tree *tree,
                          const uint32_t *list,
                          uint32_t n)
{
    uint32_t best = 0;
    int64_t fewest = 0;

    for (uint32_t i = 0; i < n; i++) {
        int64_t sum = 0;

        for (uint32_t j = 0; j < n; j++)
            sum += tree->weight[(size_t)list[i] * tree->n + list[j]];
        if (sum > 0 && (fewest == 0 || sum < fewest)) {
            best = i;
            fewest = sum;
        }
    }
    return best;
}

/* Brings a part of the given size to the front of list[0 .. n-1]. */
static void grow(struct slots_tree *tree,
                 uint32_t *list,
                 uint32_t n,
                 uint32_t size)
{
    uint32_t next = find_seed(tree, list, n);

    for (uint32_t i = 0; i < n; i++) {
        tree->gain[list[i]] = 0;
        for (uint32_t j = 0; j < n; j++)
            tree->gain[list[i]] -=
                tree->weight[(size_t)list[i] * tree->n + list[j]];
    }
    for (uint32_t done = 0; done < size; done++) {
        uint32_t t = list[next];
        const int64_t *weight = tree->weight + (size_t)t * tree->n;

        list[next] = list[done];
        list[done] = t;
        next = done + 1;
        for (uint32_t i = done + 1; i < n; i++) {
            tree->gain[list[i]] += 2 * weight[list[i]];
            if (tree->gain[list[i]] > tree->gain[list[next]] ||
                (tree->gain[list[i]] == tree->gain[list[next]] &&
                 list[i] < list[next]))
                next = i;
        }
    }
}

/* Places tasks[0 .. n-1] on slots[0 .. nslots-1], all in one subtree: those at
 * less than its height from each other are its children. */
static void divide(struct slots_tree *tree,
                   uint32_t *tasks,
                   uint32_t n,
                   uint32_t *slots,
                   uint32_t nslots)
{
    int64_t height = 0;

    for (uint32_t i = 1; i < nslots; i++)
        if (distance(tree, slots[0], slots[i]) > height)
            height = distance(tree, slots[0], slots[i]);
    if (height == 0 || n < 2) {
        for (uint32_t i = 0; i < n; i++)
            tree->at[tasks[i]] = slots[i];
        return;
    }
    while (n > 0) {
        uint32_t size = 0, others = 0, part, first = slots[0];

        for (uint32_t i = 0; i < nslots; i++)
            if (distance(tree, first, slots[i]) < height)
                slots[size++] = slots[i];
            else
                tree->spare[others++] = slots[i];
        memcpy(slots + size, tree->spare, others * sizeof(*slots));
        part = n < size ? n : size;
        if (part < n)
            grow(tree, tasks, n, part);
        divide(tree, tasks, part, slots, size);
        tasks += part;
        n -= part;
        slots += size;
        nslots -= size;
    }
}

/* The slots that no task has. */
static void place_free(struct slots_tree *tree)
{
    uint32_t next = tree->n;
    uint32_t *taken = tree->spare;

    memset(taken, 0, tree->nslots * sizeof(*taken));
    for (uint32_t i = 0; i < tree->n; i++)
        taken[tree->at[i]] = 1;
    for (uint32_t s = 0; s < tree->nslots; s++)
        if (!taken[s])
            tree->at[next++] = s;
}

static void compute_costs(struct slots_tree *tree)
{
    uint32_t n = tree->n, nslots = tree->nslots;

    memset(tree->cost, 0, (size_t)n * nslots * sizeof(*tree->cost));
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t j = 0; j < n; j++) {
            int64_t weight = tree->weight[(size_t)i * n + j];
            const int64_t *row = tree->distance + (size_t)tree->at[j] * nslots;

            for (uint32_t s = 0; weight > 0 && s < nslots; s++)
                tree->cost[(size_t)i * nslots + s] += weight * row[s];
        }
}

/* What it costs more when a task changes places with b, a task or a free
 * slot. */
static int64_t difference(const struct slots_tree *tree, uint32_t a, uint32_t b)
{
    uint32_t p = tree->at[a], q = tree->at[b];
    const int64_t *from = tree->cost + (size_t)a * tree->nslots;
    const int64_t *to = tree->cost + (size_t)b * tree->nslots;

    if (b >= tree->n)
        return from[q] - from[p];
    return from[q] - from[p] + to[p] - to[q] +
           2 * tree->weight[(size_t)a * tree->n + b] * distance(tree, p, q);
}

static void exchange(struct slots_tree *tree, uint32_t a, uint32_t b)
{
    uint32_t n = tree->n, nslots = tree->nslots;
    uint32_t p = tree->at[a], q = tree->at[b];
    const int64_t *near = tree->distance + (size_t)p * nslots;
    const int64_t *far = tree->distance + (size_t)q * nslots;

    for (uint32_t u = 0; u < n; u++) {
        int64_t weight = tree->weight[(size_t)a * n + u] -
                         (b < n ? tree->weight[(size_t)b * n + u] : 0);
        int64_t *row = tree->cost + (size_t)u * nslots;

        for (uint32_t s = 0; weight != 0 && s < nslots; s++)
            row[s] += weight * (far[s] - near[s]);
    }
    tree->at[a] = q;
    tree->at[b] = p;
}

/* Exchanges until none gains; returns what was gained, at most 0. */
static int64_t descend(struct slots_tree *tree)
{
    int64_t sum = 0, before;

    do {
        before = sum;
        for (uint32_t a = 0; a < tree->n; a++) {
            int64_t least = 0;
            uint32_t with = a;

            for (uint32_t b = a + 1; b < tree->nslots; b++) {
                int64_t d = difference(tree, a, b);

                if (d < least) {
                    least = d;
                    with = b;
                }
            }
            if (least < 0)
                exchange(tree, a, with);
            sum += least;
        }
    } while (sum < before);
    return sum;
}

static void keep(struct slots_tree *tree)
{
    memcpy(tree->kept_at, tree->at, tree->nslots * sizeof(*tree->at));
    memcpy(tree->kept_cost, tree->cost,
           (size_t)tree->n * tree->nslots * sizeof(*tree->cost));
}

static void perturb(struct slots_tree *tree)
{
    uint32_t nslots = tree->nslots;
    uint32_t rounds = nslots <= PERTURBED_SLOTS
                          ? PERTURBATIONS
                          : PERTURBATIONS * PERTURBED_SLOTS / nslots;
    struct rng rng;

    if (tree->entries > ENTRIES_PERTURBED)
        rounds =
            (uint32_t)((uint64_t)rounds * ENTRIES_PERTURBED / tree->entries);
    rng_init(&rng, 1, RNG_STREAM_SLOTS, tree->task[0]);
    keep(tree);
    for (uint32_t i = 0; i < rounds; i++) {
        int64_t sum = 0;

        for (int j = 0; j < PERTURBATION_SWAPS; j++) {
            uint32_t a = rng_below(&rng, tree->n);
            uint32_t b = rng_below(&rng, nslots);

            if (a == b)
                continue;
            sum += difference(tree, a, b);
            exchange(tree, a, b);
        }
        sum += descend(tree);
        if (sum < 0) {
            keep(tree);
        } else {
            memcpy(tree->at, tree->kept_at, nslots * sizeof(*tree->at));
            memcpy(tree->cost, tree->kept_cost,
                   (size_t)tree->n * nslots * sizeof(*tree->cost));
        }
    }
}

/* Of tasks that may change places for nothing, the lower takes the lower slot:
 * hosts with the same bytes then look the same, and plans stay short. */
static void break_ties(struct slots_tree *tree)
{
    for (uint32_t a = 0; a < tree->n; a++)
        for (uint32_t b = a + 1; b < tree->n; b++)
            if (tree->at[b] < tree->at[a] && difference(tree, a, b) <= 0)
                exchange(tree, a, b);
}

/* Keeps the places in best if they are better than those there. */
static void consider(struct slots_tree *tree, wide *least)
{
    wide sum = exact(tree, tree->at);

    if (sum >= *least)
        return;
    *least = sum;
    memcpy(tree->best, tree->at, tree->n * sizeof(*tree->at));
}

/* What exchanges make of the places, free slots among them. */
static void improve(struct slots_tree *tree, wide *least)
{
    place_free(tree);
    compute_costs(tree);
    descend(tree);
    consider(tree, least);
}

/* From a partition and ascending slots, or one of them, and the best of
 * these. */
static void search(struct slots_tree *tree, wide *least)
{
    weigh(tree);
    for (uint32_t i = 0; i < tree->nslots; i++)
        tree->tasks[i] = tree->slots[i] = i;
    divide(tree, tree->tasks, tree->n, tree->slots, tree->nslots);
    improve(tree, least);
    if (tree->entries <= ENTRIES_THOROUGH) {
        for (uint32_t i = 0; i < tree->n; i++)
            tree->at[i] = i;
        improve(tree, least);
    }
    memcpy(tree->at, tree->best, tree->n * sizeof(*tree->at));
    place_free(tree);
    compute_costs(tree);
    perturb(tree);
    consider(tree, least);
    break_ties(tree);
    if (exact(tree, tree->at) <= *least)
        memcpy(tree->best, tree->at, tree->n * sizeof(*tree->at));
}

/* The n tasks of one host, ascending: on slots of fewer inside hop-bytes than
 * ascending ones have. */
static void lay_out(struct slots_tree *tree,
                    uint32_t *slot,
                    const uint32_t *task,
                    uint32_t n,
                    uint32_t nslots)
{
    wide least;

    tree->n = n;
    tree->nslots = nslots;
    tree->task = task;
    measure(tree);
    for (uint32_t i = 0; i < n; i++) {
        tree->local[task[i]] = i;
        tree->best[i] = i;
    }
    least = exact(tree, tree->best);
    if (least > 0)
        search(tree, &least);
    for (uint32_t i = 0; i < n; i++)
        slot[task[i]] = tree->best[i];
}

/* Whether what tasks send to each other makes a host's slots differ. */
static bool has_choice(const uint32_t *begin,
                       const struct mapcore_alloc *alloc,
                       uint32_t h)
{
    return begin[h + 1] - begin[h] > 1 &&
           mapcore_alloc_slots(alloc, h) <= SLOTS_MOST;
}

/* The tasks of host h are task[begin[h]] .. task[begin[h + 1] - 1]. */
static int lay_out_all(uint32_t *slot,
                       const uint32_t *begin,
                       const uint32_t *task,
                       const struct mapcore_alloc *alloc,
                       struct slots_tree *tree,
                       struct arena *arena)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), largest = 0;

    for (uint32_t h = 0; h < nhosts; h++)
        if (has_choice(begin, alloc, h)) {
            uint32_t n = mapcore_alloc_slots(alloc, h);

            largest = n > largest ? n : largest;
            tree->entries += (uint64_t)n * n;
        }
    if (largest == 0)
        return 0;
    if (make_arrays(tree, largest, arena) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++)
        if (has_choice(begin, alloc, h))
            lay_out(tree, slot, task + begin[h], begin[h + 1] - begin[h],
                    mapcore_alloc_slots(alloc, h));
    return 0;
}

int slots_assign(uint32_t *slot,
                 const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const uint32_t *host,
                 const struct mapcore_hwnode *node,
                 struct mapcore_error *err)
{
    struct slots_tree tree = {.graph = graph, .host = host, .node = node};
    struct arena arena = {.err = err};
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *begin = arena_alloc(&arena, (size_t)nhosts + 1, sizeof(*begin));
    uint32_t *task = arena_alloc(&arena, graph->ntasks, sizeof(*task));

    if (!arena.error) {
        bucket_items(begin, task, host, graph->ntasks, nhosts);
        for (uint32_t k = 0; k < graph->ntasks; k++)
            slot[task[k]] = k - begin[host[task[k]]];
    }
    if (!arena.error && node)
        lay_out_all(slot, begin, task, alloc, &tree, &arena);
    arena_clear(&arena);
    return arena.error;
}
