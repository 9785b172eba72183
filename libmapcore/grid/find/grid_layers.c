/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_layers.c - coordinates from classes of parallel edges: each class lies
 * between two layers, and a dimension is a row or a ring of classes */
#include "config.h"

#include "grid/find/grid_layers.h"

#include "base/array.h"
#include "base/sets.h"
#include "grid/find/edge_classes.h"
#include "grid/find/grid_settle.h"
#include "grid/grid_create.h"
#include "grid/tally.h"

#include <stdlib.h>
#include <string.h>

/* Edges of a class that are looked at. */
#define SAMPLES 16

/* One class of edges. */
struct edge_class {
    uint32_t dim;    /* dimension that it belongs to */
    uint32_t at;     /* it joins layers at and at + 1 */
    uint32_t nlinks; /* classes on either side of it; above 2: no row */
    uint32_t link[2];
    uint32_t samples, doubled; /* ends of sampled edges; those where two edges
                                  of the class meet */
};

enum { ROW, RING, FACTOR };

struct layers {
    struct edge_classes classes;
    struct edge_class *edge_class; /* [nclasses] */
    uint32_t ndims;
    uint32_t dims[MAPCORE_GRID_MAX_DIMS];
    int kind[MAPCORE_GRID_MAX_DIMS];
    uint32_t *layer[MAPCORE_GRID_MAX_DIMS]; /* FACTOR: [n] */
    struct tally meet; /* by pair of classes: how often sampled edges meet edges
                          of the other class; bytes: how often in a square */
};

/* Whether the edges from u to v and from u to w are two sides of a square. */
static bool has_square(const struct edge_classes *classes,
                       uint32_t v,
                       uint32_t w,
                       uint32_t a,
                       uint32_t b)
{
    for (size_t k = classes->row[v]; k < classes->row[v + 1]; k++)
        if (classes->edge_class[classes->edge[k]] == b &&
            edge_classes_of(classes, w, classes->task[k]) == a)
            return true;
    return false;
}

static int sample_end(struct layers *layers,
                      uint32_t u,
                      uint32_t v,
                      uint32_t a,
                      struct mapcore_error *err)
{
    const struct edge_classes *classes = &layers->classes;
    bool doubled = false;

    layers->edge_class[a].samples++;
    for (size_t k = classes->row[u]; k < classes->row[u + 1]; k++) {
        uint32_t w = classes->task[k],
                 b = classes->edge_class[classes->edge[k]];

        if (w == v || b == MAPCORE_NONE)
            continue;
        if (a == b)
            doubled = true;
        else if (tally_add(&layers->meet, (uint64_t)a * classes->nclasses + b,
                           has_square(classes, v, w, a, b), err) < 0)
            return MAPCORE_ENOMEM;
    }
    layers->edge_class[a].doubled += doubled;
    return 0;
}

static int sample_classes(struct layers *layers, struct mapcore_error *err)
{
    const struct edge_classes *classes = &layers->classes;
    uint32_t *seen = array_alloc(classes->nclasses, sizeof(*seen), err);
    int error = seen ? 0 : MAPCORE_ENOMEM;

    for (uint32_t e = 0; e < classes->nedges && error == 0; e++) {
        uint32_t a = classes->edge_class[e], stride;

        if (a == MAPCORE_NONE)
            continue;
        stride = classes->size[a] / SAMPLES;
        if (seen[a]++ % (stride > 0 ? stride : 1) != 0)
            continue;
        error =
            sample_end(layers, classes->end[0][e], classes->end[1][e], a, err);
        if (error == 0)
            error = sample_end(layers, classes->end[1][e], classes->end[0][e],
                               a, err);
    }
    free(seen);
    return error;
}

/* Whether edges of another class go on where edges of a end: they meet at most
 * of them (at one end of each, half of all ends) without making squares. */
static bool goes_on(const struct layers *layers,
                    uint32_t a,
                    const struct tally_cell *meets)
{
    return meets && 4 * meets->bytes <= meets->edges &&
           4 * meets->edges >= layers->edge_class[a].samples;
}

/* In the order of the table, which is as good as any and always the same: it
 * says which way round a ring is numbered. */
static void link_classes(struct layers *layers)
{
    const struct tally *meet = &layers->meet;
    uint32_t n = layers->classes.nclasses;

    for (size_t i = 0; i < meet->table.capacity; i++) {
        const struct table64_slot *slot = &meet->table.slot[i];
        uint32_t a = (uint32_t)(slot->key / n), b = (uint32_t)(slot->key % n);
        struct edge_class *edge_class = &layers->edge_class[a];

        if (!slot->is_used || !goes_on(layers, a, &meet->cell[slot->value]) ||
            !goes_on(layers, b, tally_find(meet, (uint64_t)b * n + a)))
            continue;
        if (edge_class->nlinks < 2)
            edge_class->link[edge_class->nlinks] = b;
        edge_class->nlinks++;
    }
}

/* Numbers the classes of a row from one end, of a ring from its first class;
 * returns how many there are, or 0 when it is neither. */
static uint32_t walk_row(struct layers *layers, uint32_t first, bool *ring)
{
    uint32_t at = 0, last = MAPCORE_NONE, a = first;

    for (;;) {
        struct edge_class *edge_class = &layers->edge_class[a];
        uint32_t next = MAPCORE_NONE;

        if (edge_class->nlinks > 2 ||
            2 * edge_class->doubled > edge_class->samples)
            return 0;
        edge_class->at = at++;
        for (uint32_t i = 0; i < edge_class->nlinks; i++)
            if (edge_class->link[i] != last && next == MAPCORE_NONE)
                next = edge_class->link[i];
        last = a;
        if (next == MAPCORE_NONE || next == first)
            break;
        a = next;
        if (at > layers->classes.nclasses)
            return 0;
    }
    *ring = at > 2 && layers->edge_class[a].nlinks == 2;
    return at;
}

/* Dimensions are sets of linked classes. False when they are too many. */
static bool find_dimensions(struct layers *layers, uint32_t *set)
{
    uint32_t n = layers->classes.nclasses;

    sets_init(set, n);
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t i = 0; i < layers->edge_class[a].nlinks && i < 2; i++)
            sets_join(set, a, layers->edge_class[a].link[i]);
    for (uint32_t a = 0; a < n; a++) {
        uint32_t root = sets_find(set, a), size = 0, first = a, walked;
        bool ring = false;

        if (root != a) {
            layers->edge_class[a].dim = layers->edge_class[root].dim;
            continue;
        }
        if (layers->ndims == MAPCORE_GRID_MAX_DIMS)
            return false;
        layers->edge_class[a].dim = layers->ndims;
        for (uint32_t b = n; b-- > a;)
            if (sets_find(set, b) == root) {
                size++;
                if (layers->edge_class[b].nlinks < 2)
                    first = b;
            }
        walked = walk_row(layers, first, &ring);
        layers->kind[layers->ndims] = walked != size ? FACTOR
                                      : ring         ? RING
                                                     : ROW;
        layers->dims[layers->ndims++] = ring ? size : size + 1;
    }
    return true;
}

/* The layers of a dimension that is no row of classes: what all other
 * dimensions connect. */
static int find_factor(struct layers *layers,
                       uint32_t dim,
                       struct mapcore_error *err)
{
    const struct edge_classes *classes = &layers->classes;
    uint32_t *set = array_alloc(classes->n, sizeof(*set), err);

    layers->layer[dim] =
        array_alloc(classes->n, sizeof(*layers->layer[dim]), err);
    if (!set || !layers->layer[dim]) {
        free(set);
        return MAPCORE_ENOMEM;
    }
    sets_init(set, classes->n);
    for (uint32_t e = 0; e < classes->nedges; e++)
        if (classes->edge_class[e] != MAPCORE_NONE &&
            layers->edge_class[classes->edge_class[e]].dim != dim)
            sets_join(set, classes->end[0][e], classes->end[1][e]);
    layers->dims[dim] = sets_number(layers->layer[dim], set, classes->n);
    free(set);
    return 0;
}

/* The task whose edges are of most classes is inside the grid in every
 * dimension. */
static uint32_t choose_root(const struct layers *layers)
{
    const struct edge_classes *classes = &layers->classes;
    uint32_t best = 0, most = 0;

    for (uint32_t t = 0; t < classes->n; t++) {
        uint32_t n = 0;

        for (size_t k = classes->row[t]; k < classes->row[t + 1]; k++)
            n += classes->edge_class[classes->edge[k]] != MAPCORE_NONE;
        if (n > most) {
            most = n;
            best = t;
        }
    }
    return best;
}

static void place_root(uint32_t *x, const struct layers *layers, uint32_t root)
{
    const struct edge_classes *classes = &layers->classes;
    uint32_t low[MAPCORE_GRID_MAX_DIMS], high[MAPCORE_GRID_MAX_DIMS] = {0};

    for (uint32_t i = 0; i < layers->ndims; i++)
        low[i] = MAPCORE_NONE;
    for (size_t k = classes->row[root]; k < classes->row[root + 1]; k++) {
        uint32_t a = classes->edge_class[classes->edge[k]], dim, at;

        if (a == MAPCORE_NONE)
            continue;
        dim = layers->edge_class[a].dim;
        at = layers->edge_class[a].at;
        if (at < low[dim])
            low[dim] = at;
        if (at > high[dim])
            high[dim] = at;
    }
    for (uint32_t i = 0; i < layers->ndims; i++) {
        if (layers->kind[i] == FACTOR)
            x[i] = layers->layer[i][root];
        else if (low[i] == high[i])
            x[i] = low[i] == 0 ? 0 : low[i] + 1;
        else /* between two classes; on a ring the last and the first, too */
            x[i] = high[i] == low[i] + 1 ? high[i] : 0;
    }
}

/* Moves x, which is u's place, along an edge; false if u is not beside the
 * edge's class. */
static bool move(uint32_t *x,
                 const struct layers *layers,
                 uint32_t edge_class,
                 uint32_t to)
{
    uint32_t dim = layers->edge_class[edge_class].dim,
             at = layers->edge_class[edge_class].at;
    uint32_t next = at + 1 == layers->dims[dim] ? 0 : at + 1;

    if (layers->kind[dim] == FACTOR)
        x[dim] = layers->layer[dim][to];
    else if (x[dim] == at)
        x[dim] = next;
    else if (x[dim] == next)
        x[dim] = at;
    else
        return false;
    return true;
}

/* Breadth first from the root; done[t] where a task has a place. */
static int spread(struct mapcore_grid *grid,
                  bool *done,
                  const struct layers *layers,
                  struct mapcore_error *err)
{
    const struct edge_classes *classes = &layers->classes;
    uint32_t *queue = array_alloc(classes->n, sizeof(*queue), err);
    uint32_t n = grid->ndims, head = 0, tail = 0;

    if (!queue)
        return MAPCORE_ENOMEM;
    queue[tail++] = choose_root(layers);
    place_root(&grid->coordinates[(size_t)queue[0] * n], layers, queue[0]);
    done[queue[0]] = true;
    while (head < tail) {
        uint32_t u = queue[head++];

        for (size_t k = classes->row[u]; k < classes->row[u + 1]; k++) {
            uint32_t v = classes->task[k],
                     a = classes->edge_class[classes->edge[k]];
            uint32_t *x = &grid->coordinates[(size_t)v * n];

            if (a == MAPCORE_NONE || done[v])
                continue;
            memcpy(x, &grid->coordinates[(size_t)u * n], n * sizeof(*x));
            done[v] = move(x, layers, a, v);
            if (done[v])
                queue[tail++] = v;
        }
    }
    free(queue);
    return 0;
}

/* The grid of the layers; NULL when they do not make one. */
static int place_tasks(struct mapcore_grid **out,
                       const struct layers *layers,
                       struct mapcore_error *err)
{
    uint32_t n = layers->classes.n;
    struct mapcore_grid *grid = NULL;
    bool *done = NULL, settled = false;
    uint64_t places = 1;
    int error;

    for (uint32_t i = 0; i < layers->ndims && places <= 2 * (uint64_t)n; i++)
        places *= layers->dims[i];
    if (layers->ndims == 0 || places < n || places > 2 * (uint64_t)n)
        return 0;
    if ((error = grid_alloc(&grid, n, layers->ndims, err)) < 0)
        return error;
    memcpy(grid->dims, layers->dims, sizeof(grid->dims));
    done = array_alloc(n, sizeof(*done), err);
    error = done ? spread(grid, done, layers, err) : MAPCORE_ENOMEM;
    if (error == 0)
        error = grid_settle(&settled, grid, done, err);
    free(done);
    if (settled)
        *out = grid;
    else
        mapcore_grid_destroy(grid);
    return error;
}

int grid_from_layers(struct mapcore_grid **out,
                     bool *is_factor,
                     const struct mapcore_graph *graph,
                     uint64_t least,
                     struct mapcore_error *err)
{
    struct layers layers = {.ndims = 0};
    uint32_t *set = NULL;
    int error;

    *out = NULL;
    if ((error = edge_classes_open(&layers.classes, graph, least, err)) < 0)
        goto out;
    error = MAPCORE_ENOMEM;
    layers.edge_class =
        array_alloc(layers.classes.nclasses, sizeof(*layers.edge_class), err);
    set = array_alloc(layers.classes.nclasses, sizeof(*set), err);
    if (!layers.edge_class || !set ||
        (error = sample_classes(&layers, err)) < 0)
        goto out;
    link_classes(&layers);
    if (!find_dimensions(&layers, set))
        goto out;
    for (uint32_t i = 0; i < layers.ndims && error == 0; i++) {
        is_factor[i] = layers.kind[i] == FACTOR;
        if (is_factor[i])
            error = find_factor(&layers, i, err);
    }
    if (error == 0)
        error = place_tasks(out, &layers, err);
out:
    for (uint32_t i = 0; i < MAPCORE_GRID_MAX_DIMS; i++)
        free(layers.layer[i]);
    free(layers.edge_class);
    free(set);
    tally_clear(&layers.meet);
    edge_classes_clear(&layers.classes);
    return error;
}
