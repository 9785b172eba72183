/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* placement.c - splitting the hosts of a mapping into regions */
#include "config.h"

#include "map/refine/placement.h"

#include "base/array.h"
#include "base/rng.h"
#include "map/rng_streams.h"

#include <stdlib.h>
#include <string.h>

/* A region fits the cache of a core with its grains, their edges and the
 * distances of its hosts. From FEW grains on there are regions for two
 * threads, from SOME on for four. */
#define REGION_GRAINS 4096
#define REGION_HOSTS  512
#define FEW           1024
#define SOME          4096

static uint32_t count_regions(uint32_t n, uint32_t nhosts)
{
    uint32_t regions = n >= SOME ? 4 : n >= FEW ? 2 : 1;
    uint32_t by_grains = (n + REGION_GRAINS - 1) / REGION_GRAINS;
    uint32_t by_hosts = (nhosts + REGION_HOSTS - 1) / REGION_HOSTS;

    if (by_grains > regions)
        regions = by_grains;
    if (by_hosts > regions)
        regions = by_hosts;
    return regions < nhosts ? regions : nhosts;
}

static void set_capacities(struct board *board)
{
    uint32_t n = board->grain->n;
    uint64_t sum = 0, enough;

    for (uint32_t h = 0; h < board->nhosts; h++) {
        uint32_t slots = mapcore_alloc_slots(board->alloc, h);

        if (board->size)
            slots = slots > 0;
        board->capacity[h] = slots < n ? slots : n;
        sum += board->capacity[h];
    }
    enough = (uint64_t)n * 16 / board->nhosts + 1024;
    if (sum <= (uint64_t)n * 16 + (uint64_t)board->nhosts * 1024)
        return;
    memset(board->spare, 0, board->nhosts * sizeof(*board->spare));
    for (uint32_t i = 0; i < n; i++)
        board->spare[board->host[i]]++;
    for (uint32_t h = 0; h < board->nhosts; h++) {
        uint64_t least = board->spare[h] > enough ? board->spare[h] : enough;

        if (board->capacity[h] > least)
            board->capacity[h] = (uint32_t)least;
    }
}

int board_create(struct board **out,
                 const struct grain *grain,
                 const struct mapcore_alloc *alloc,
                 const uint32_t *host,
                 const uint32_t *size,
                 struct mapcore_error *err)
{
    struct board *board = array_alloc(1, sizeof(*board), err);
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), n = grain->n;

    if (!board)
        return MAPCORE_ENOMEM;
    board->grain = grain;
    board->alloc = alloc;
    board->nhosts = nhosts;
    board->size = size;
    board->nregions = count_regions(n, nhosts);
    board->host = array_copy(host, n, sizeof(*host), err);
    board->capacity = array_alloc(nhosts, sizeof(*board->capacity), err);
    board->begin =
        array_alloc((size_t)board->nregions + 1, sizeof(*board->begin), err);
    board->order = array_alloc(nhosts, sizeof(*board->order), err);
    board->region = array_alloc(nhosts, sizeof(*board->region), err);
    board->first = array_alloc((size_t)nhosts + 2, sizeof(*board->first), err);
    board->member = array_alloc(n, sizeof(*board->member), err);
    board->local = array_alloc(n, sizeof(*board->local), err);
    board->spare = array_alloc(nhosts, sizeof(*board->spare), err);
    if (!board->host || !board->capacity || !board->begin || !board->order ||
        !board->region || !board->first || !board->member || !board->local ||
        !board->spare) {
        board_destroy(board);
        return MAPCORE_ENOMEM;
    }
    set_capacities(board);
    *out = board;
    return 0;
}

void board_destroy(struct board *board)
{
    if (!board)
        return;
    free(board->host);
    free(board->capacity);
    free(board->begin);
    free(board->order);
    free(board->region);
    free(board->first);
    free(board->member);
    free(board->local);
    free(board->spare);
    free(board);
}

/* A counting sort of order[lo .. hi-1] by distance from one of them; equals
 * stay in order, from a random one on. */
static void sort_by_distance(struct board *board,
                             uint32_t *count,
                             uint32_t lo,
                             uint32_t hi,
                             struct rng *rng)
{
    uint32_t n = hi - lo, *order = board->order + lo;
    uint32_t centre = order[rng_below(rng, n)], turn = rng_below(rng, n);
    uint32_t diameter = mapcore_topo_diameter(mapcore_alloc_topo(board->alloc));

    memset(count, 0, ((size_t)diameter + 2) * sizeof(*count));
    for (uint32_t i = 0; i < n; i++)
        count[mapcore_alloc_distance(board->alloc, centre, order[i]) + 1]++;
    for (uint32_t d = 0; d < diameter; d++)
        count[d + 1] += count[d];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = order[(i + turn) % n];

        board->spare[count[mapcore_alloc_distance(board->alloc, centre, h)]++] =
            h;
    }
    memcpy(order, board->spare, n * sizeof(*order));
}

/* Makes regions r .. r+parts-1 of order[lo .. hi-1]; the depth is log2 of
 * parts. */
static void split(struct board *board,
                  uint32_t *count,
                  uint32_t lo,
                  uint32_t hi,
                  uint32_t r,
                  uint32_t parts,
                  struct rng *rng)
{
    uint32_t left = parts / 2, middle;

    if (parts == 1) {
        board->begin[r] = lo;
        board->begin[r + 1] = hi;
        for (uint32_t i = lo; i < hi; i++)
            board->region[board->order[i]] = r;
        return;
    }
    sort_by_distance(board, count, lo, hi, rng);
    middle = lo + (uint32_t)((uint64_t)(hi - lo) * left / parts);
    split(board, count, lo, middle, r, left, rng);
    split(board, count, middle, hi, r + left, parts - left, rng);
}

/* Grains by host, and their numbers in their regions. */
static void group(struct board *board)
{
    uint32_t n = board->grain->n, *first = board->first;

    memset(first, 0, ((size_t)board->nhosts + 2) * sizeof(*first));
    for (uint32_t i = 0; i < n; i++)
        first[board->host[i] + 2]++;
    for (uint32_t h = 0; h < board->nhosts; h++)
        first[h + 2] += first[h + 1];
    for (uint32_t i = 0; i < n; i++)
        board->member[first[board->host[i] + 1]++] = i;
    for (uint32_t r = 0; r < board->nregions; r++) {
        uint32_t next = 0;

        for (uint32_t i = board->begin[r]; i < board->begin[r + 1]; i++)
            for (uint32_t k = first[board->order[i]];
                 k < first[board->order[i] + 1]; k++)
                board->local[board->member[k]] = next++;
    }
}

int board_split(struct board *board,
                uint64_t seed,
                uint64_t index,
                struct mapcore_error *err)
{
    size_t diameter = mapcore_topo_diameter(mapcore_alloc_topo(board->alloc));
    uint32_t *count = array_alloc(diameter + 2, sizeof(*count), err);
    struct rng rng;

    if (!count)
        return MAPCORE_ENOMEM;
    rng_init(&rng, seed, PURPOSE_REGIONS, index);
    for (uint32_t h = 0; h < board->nhosts; h++)
        board->order[h] = h;
    split(board, count, 0, board->nhosts, 0, board->nregions, &rng);
    group(board);
    free(count);
    return 0;
}
