/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edge_classes.c - which edges of a graph are parallel */
#include "config.h"

#include "grid/find/edge_classes.h"

#include "base/array.h"
#include "base/sets.h"

#include <stdlib.h>
#include <string.h>

/* Classes are noise when they and all smaller ones have together less than this
 * share of the edges, and all others are larger by this factor. */
#define NOISE_SHARE  0.04
#define NOISE_FACTOR 3
/* Edges with squares that no grid has are noise as long as they are fewer. */
#define BAD_SHARE 0.1

/* A path of two edges from the task at hand. */
struct path {
    uint32_t first, second; /* edges */
    uint32_t end;
    uint32_t next; /* another path to the same end, or MAPCORE_NONE */
};

struct edge_classes_walk {
    struct edge_classes *classes;
    uint32_t *count; /* [nedges], squares that an edge is in, by diagonals */
    uint32_t *bad;   /* [nedges], those of them on a diagonal with more paths
                        than two, which no grid has */
    bool *drop;      /* [nedges], it is noise */
    uint32_t *set;   /* [nedges] */
    uint32_t *near_stamp, *near_edge; /* [n], edge from the task at hand */
    uint32_t *far_stamp, *far_path;   /* [n], last path from it */
    uint32_t *far_paths;              /* [n], how many */
    struct path *path;
};

static int take_edges(struct edge_classes *out,
                      const struct mapcore_graph *graph,
                      uint64_t least,
                      struct mapcore_error *err)
{
    size_t n = 0;
    uint32_t *at;

    out->n = graph->ntasks;
    for (size_t e = 0; e < graph->row[graph->ntasks]; e++)
        n += graph->bytes[e] >= least;
    out->row = array_alloc((size_t)out->n + 1, sizeof(*out->row), err);
    out->task = array_alloc(n, sizeof(*out->task), err);
    out->edge = array_alloc(n, sizeof(*out->edge), err);
    out->end[0] = array_alloc(n / 2, sizeof(**out->end), err);
    out->end[1] = array_alloc(n / 2, sizeof(**out->end), err);
    at = array_alloc(out->n, sizeof(*at), err);
    if (!out->row || !out->task || !out->edge || !out->end[0] || !out->end[1] ||
        !at) {
        free(at);
        return MAPCORE_ENOMEM;
    }
    n = 0;
    for (uint32_t t = 0; t < out->n; t++) {
        for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++)
            if (graph->bytes[e] >= least)
                out->task[n++] = graph->task[e];
        out->row[t + 1] = n;
    }
    /* Rows are ascending, so that edges to lower tasks come up in the order of
     * these. */
    for (uint32_t t = 0; t < out->n; t++)
        for (size_t k = out->row[t]; k < out->row[t + 1]; k++) {
            uint32_t u = out->task[k];

            if (u < t)
                continue;
            out->end[0][out->nedges] = t;
            out->end[1][out->nedges] = u;
            out->edge[k] = out->nedges;
            out->edge[out->row[u] + at[u]++] = out->nedges++;
        }
    free(at);
    return 0;
}

static int open_walk(struct edge_classes_walk *out,
                     struct edge_classes *classes,
                     struct mapcore_error *err)
{
    size_t most = 0;

    out->classes = classes;
    for (uint32_t t = 0; t < classes->n; t++) {
        size_t paths = 0;

        for (size_t k = classes->row[t]; k < classes->row[t + 1]; k++)
            paths += classes->row[classes->task[k] + 1] -
                     classes->row[classes->task[k]];
        if (paths > most)
            most = paths;
    }
    out->count = array_alloc(classes->nedges, sizeof(*out->count), err);
    out->drop = array_alloc(classes->nedges, sizeof(*out->drop), err);
    out->set = array_alloc(classes->nedges, sizeof(*out->set), err);
    out->near_stamp = array_alloc(classes->n, sizeof(uint32_t), err);
    out->near_edge = array_alloc(classes->n, sizeof(uint32_t), err);
    out->far_stamp = array_alloc(classes->n, sizeof(uint32_t), err);
    out->far_path = array_alloc(classes->n, sizeof(uint32_t), err);
    out->far_paths = array_alloc(classes->n, sizeof(uint32_t), err);
    out->bad = array_alloc(classes->nedges, sizeof(*out->bad), err);
    out->path = array_alloc(most, sizeof(*out->path), err);
    if (!out->count || !out->drop || !out->set || !out->near_stamp ||
        !out->near_edge || !out->far_stamp || !out->far_path ||
        !out->far_paths || !out->bad || !out->path)
        return MAPCORE_ENOMEM;
    return 0;
}

static void close_walk(struct edge_classes_walk *walk)
{
    free(walk->count);
    free(walk->drop);
    free(walk->set);
    free(walk->near_stamp);
    free(walk->near_edge);
    free(walk->far_stamp);
    free(walk->far_path);
    free(walk->far_paths);
    free(walk->bad);
    free(walk->path);
}

static void forget_stamps(struct edge_classes_walk *walk)
{
    for (uint32_t t = 0; t < walk->classes->n; t++)
        walk->near_stamp[t] = walk->far_stamp[t] = MAPCORE_NONE;
}

static void add_path(struct edge_classes_walk *walk,
                     uint32_t t,
                     struct path path,
                     uint32_t p)
{
    path.next = MAPCORE_NONE;
    if (walk->far_stamp[path.end] == t)
        path.next = walk->far_path[path.end];
    else
        walk->far_paths[path.end] = 0;
    walk->far_stamp[path.end] = t;
    walk->far_path[path.end] = p;
    walk->far_paths[path.end]++;
    walk->path[p] = path;
}

/* Any two paths to one end are a square. */
static void count_squares(struct edge_classes_walk *walk, uint32_t npaths)
{
    for (uint32_t p = 0; p < npaths; p++) {
        const struct path *path = &walk->path[p];
        uint32_t others = walk->far_paths[path->end] - 1;

        walk->count[path->first] += others;
        walk->count[path->second] += others;
        if (others > 1) {
            walk->bad[path->first] += others;
            walk->bad[path->second] += others;
        }
    }
}

static void join_squares(struct edge_classes_walk *walk, uint32_t npaths)
{
    for (uint32_t p = 0; p < npaths; p++) {
        const struct path *path = &walk->path[p];

        for (uint32_t q = path->next; q != MAPCORE_NONE;
             q = walk->path[q].next) {
            sets_join(walk->set, path->first, walk->path[q].second);
            sets_join(walk->set, path->second, walk->path[q].first);
        }
    }
}

/* All paths of two edges from t: those that come back to a neighbour are
 * triangles, two to one end a square. A square is found from the lower end of
 * either diagonal. */
static void visit(struct edge_classes_walk *walk, bool join, uint32_t t)
{
    const struct edge_classes *classes = walk->classes;
    uint32_t npaths = 0;

    for (size_t k = classes->row[t]; k < classes->row[t + 1]; k++) {
        walk->near_stamp[classes->task[k]] = t;
        walk->near_edge[classes->task[k]] = classes->edge[k];
    }
    for (size_t k = classes->row[t]; k < classes->row[t + 1]; k++) {
        uint32_t v = classes->task[k], first = classes->edge[k];

        if (walk->drop[first])
            continue;
        for (size_t l = classes->row[v]; l < classes->row[v + 1]; l++) {
            uint32_t x = classes->task[l], second = classes->edge[l];

            if (x == t || walk->drop[second])
                continue;
            if (walk->near_stamp[x] == t && !walk->drop[walk->near_edge[x]]) {
                if (join) {
                    sets_join(walk->set, first, second);
                    sets_join(walk->set, first, walk->near_edge[x]);
                }
            } else if (x > t) {
                add_path(
                    walk, t,
                    (struct path){.first = first, .second = second, .end = x},
                    npaths++);
            }
        }
    }
    if (join)
        join_squares(walk, npaths);
    else
        count_squares(walk, npaths);
}

static int ascending(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;

    return *x < *y ? -1 : *x > *y;
}

/* Edges that are in far fewer squares than most are noise, and could join what
 * does not belong together; and those most of whose squares no grid has, unless
 * that is how this graph is. */
static int drop_noise(struct edge_classes_walk *walk, struct mapcore_error *err)
{
    uint32_t n = walk->classes->nedges, median, nbad = 0;
    uint32_t *sorted = array_copy(walk->count, n, sizeof(*sorted), err);

    if (!sorted)
        return MAPCORE_ENOMEM;
    if (n > 0)
        qsort(sorted, n, sizeof(*sorted), ascending);
    median = n > 0 ? sorted[n / 2] : 0;
    free(sorted);
    for (uint32_t e = 0; e < n; e++)
        nbad += 2 * (uint64_t)walk->bad[e] > walk->count[e];
    for (uint32_t e = 0; e < n; e++)
        walk->drop[e] =
            (3 * (uint64_t)walk->count[e] <= median && median > 0) ||
            (nbad < BAD_SHARE * n &&
             2 * (uint64_t)walk->bad[e] > walk->count[e]);
    return 0;
}

/* Numbers the classes; those of noise are none. */
static int number_classes(struct edge_classes *classes,
                          struct edge_classes_walk *walk,
                          struct mapcore_error *err)
{
    uint32_t n = classes->nedges, nsets, *sorted, *number, least = 0;
    double sum = 0;

    classes->edge_class = array_alloc(n, sizeof(*classes->edge_class), err);
    classes->size = array_alloc(n, sizeof(*classes->size), err);
    number = array_alloc(n, sizeof(*number), err);
    if (!classes->edge_class || !classes->size || !number)
        goto out;
    nsets = sets_number(classes->edge_class, walk->set, n);
    for (uint32_t e = 0; e < n; e++)
        classes->size[classes->edge_class[e]] += !walk->drop[e];
    sorted = array_copy(classes->size, nsets, sizeof(*sorted), err);
    if (!sorted)
        goto out;
    if (nsets > 0)
        qsort(sorted, nsets, sizeof(*sorted), ascending);
    for (uint32_t i = 0; i < nsets; i++) {
        sum += sorted[i];
        if (sum > NOISE_SHARE * n)
            break;
        if (i + 1 < nsets && sorted[i + 1] >= NOISE_FACTOR * sorted[i])
            least = sorted[i];
    }
    for (uint32_t i = 0; i < nsets; i++)
        number[i] =
            classes->size[i] > least ? classes->nclasses++ : MAPCORE_NONE;
    memset(classes->size, 0, n * sizeof(*classes->size));
    for (uint32_t e = 0; e < n; e++) {
        classes->edge_class[e] =
            walk->drop[e] ? MAPCORE_NONE : number[classes->edge_class[e]];
        if (classes->edge_class[e] != MAPCORE_NONE)
            classes->size[classes->edge_class[e]]++;
    }
    free(sorted);
    free(number);
    return 0;
out:
    free(number);
    return MAPCORE_ENOMEM;
}

int edge_classes_open(struct edge_classes *out,
                      const struct mapcore_graph *graph,
                      uint64_t least,
                      struct mapcore_error *err)
{
    struct edge_classes_walk walk = {0};
    int error;

    *out = (struct edge_classes){0};
    if ((error = take_edges(out, graph, least, err)) < 0 ||
        (error = open_walk(&walk, out, err)) < 0)
        goto out;
    forget_stamps(&walk);
    for (uint32_t t = 0; t < out->n; t++)
        visit(&walk, false, t);
    if ((error = drop_noise(&walk, err)) < 0)
        goto out;
    sets_init(walk.set, out->nedges);
    forget_stamps(&walk);
    for (uint32_t t = 0; t < out->n; t++)
        visit(&walk, true, t);
    error = number_classes(out, &walk, err);
out:
    close_walk(&walk);
    return error;
}

void edge_classes_clear(struct edge_classes *classes)
{
    free(classes->row);
    free(classes->task);
    free(classes->edge);
    free(classes->end[0]);
    free(classes->end[1]);
    free(classes->edge_class);
    free(classes->size);
    *classes = (struct edge_classes){0};
}

uint32_t edge_classes_of(const struct edge_classes *classes,
                         uint32_t a,
                         uint32_t b)
{
    size_t low = classes->row[a], high = classes->row[a + 1];

    while (low < high) {
        size_t middle = low + (high - low) / 2;

        if (classes->task[middle] < b)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == classes->row[a + 1] || classes->task[low] != b)
        return MAPCORE_NONE;
    return classes->edge_class[classes->edge[low]];
}
