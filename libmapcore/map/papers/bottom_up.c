/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottom_up.c - Sweeney et al.'s clustering: tasks are joined level by level
 * from below, then clusters are given to elements from the top */
#include "config.h"

#include "map/mappers.h"

#include "alloc/element_tree.h"
#include "base/array.h"
#include "base/sets.h"
#include "graph/csr.h"

#include <stdlib.h>
#include <string.h>

/* Bytes between two clusters, the lower number first. */
struct cluster_pair {
    uint64_t bytes;
    uint32_t a, b;
};

struct bottom_up {
    const struct mapcore_graph *graph;
    struct element_tree tree;
    uint32_t nlevels;   /* heights of elements: 1 .. nlevels */
    uint32_t **cluster; /* [nlevels][ntasks]: of each task at a level; level 0:
                           itself */
    uint32_t *size;     /* [ntasks], of sets while they are joined */
    struct cluster_pair *pair;     /* [edges] */
    uint32_t *first_child, *child; /* of each element: [n + 1], [n] */
    uint32_t *room;                /* [n], slots not given away */
    uint32_t *at;                  /* [ntasks], the element that a task is at */
    uint32_t *host;
};

/* A group of tasks that is given away as one. */
struct task_group {
    uint32_t begin, n; /* in the caller's list */
    uint32_t least;    /* its lowest task */
};

static int by_bytes(const void *x, const void *y)
{
    const struct cluster_pair *p = x, *q = y;

    if (p->bytes != q->bytes)
        return p->bytes > q->bytes ? -1 : 1;
    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int by_clusters(const void *x, const void *y)
{
    const struct cluster_pair *p = x, *q = y;

    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

/* The communication sets S of the figure, for pairs instead of all
 * combinations: those with bytes between them, heaviest first. */
static size_t list_pairs(struct bottom_up *b, const uint32_t *cluster)
{
    size_t n = 0, kept = 0;

    for (uint32_t t = 0; t < b->graph->ntasks; t++)
        for (size_t k = b->graph->row[t]; k < b->graph->row[t + 1]; k++) {
            uint32_t u = b->graph->task[k], x = cluster[t], y = cluster[u];

            if (u < t || x == y)
                continue;
            b->pair[n++] = (struct cluster_pair){b->graph->bytes[k],
                                                 x < y ? x : y, x < y ? y : x};
        }
    if (n == 0)
        return 0;
    qsort(b->pair, n, sizeof(*b->pair), by_clusters);
    for (size_t i = 1; i < n; i++) {
        if (by_clusters(&b->pair[kept], &b->pair[i]) == 0)
            b->pair[kept].bytes += b->pair[i].bytes;
        else
            b->pair[++kept] = b->pair[i];
    }
    qsort(b->pair, ++kept, sizeof(*b->pair), by_bytes);
    return kept;
}

/* Joins the clusters of the level below, heaviest pairs first, up to what the
 * largest element of a level takes. */
static void join_level(struct bottom_up *b, uint32_t level)
{
    uint32_t ntasks = b->graph->ntasks, *set = b->cluster[level], most = 0;
    size_t n = list_pairs(b, b->cluster[level - 1]);

    for (uint32_t e = 0; e < b->tree.n; e++)
        if (b->tree.height[e] == level && b->tree.slots[e] > most)
            most = b->tree.slots[e];
    sets_init(set, ntasks);
    memset(b->size, 0, ntasks * sizeof(*b->size));
    for (uint32_t t = 0; t < ntasks; t++)
        b->size[b->cluster[level - 1][t]]++;
    for (size_t i = 0; i < n; i++) {
        uint32_t x = sets_find(set, b->pair[i].a);
        uint32_t y = sets_find(set, b->pair[i].b);
        uint32_t both = b->size[x] + b->size[y];

        if (x == y || both > most)
            continue;
        sets_join(set, x, y);
        b->size[x < y ? x : y] = both;
    }
    /* A cluster is named by its lowest task. */
    for (uint32_t t = 0; t < ntasks; t++)
        b->size[t] = sets_find(set, b->cluster[level - 1][t]);
    memcpy(set, b->size, ntasks * sizeof(*set));
}

static void list_children(struct bottom_up *b)
{
    const struct element_tree *tree = &b->tree;
    uint32_t *first = b->first_child;

    for (uint32_t e = 0; e < tree->n; e++)
        if (tree->height[e] > 0 && tree->parent[e] != MAPCORE_NONE)
            first[tree->parent[e] + 1]++;
    for (uint32_t e = 0; e < tree->n; e++)
        first[e + 1] += first[e];
    for (uint32_t e = tree->n; e-- > 0;)
        if (tree->height[e] > 0 && tree->parent[e] != MAPCORE_NONE)
            b->child[first[tree->parent[e]] + (b->room[tree->parent[e]]++)] = e;
    for (uint32_t e = 0; e < tree->n; e++) {
        uint32_t *list = b->child + first[e];

        array_sort_u32(list, first[e + 1] - first[e]);
        b->room[e] = tree->slots[e];
    }
}

/* The first child of an element with room for n more, or MAPCORE_NONE. */
static uint32_t find_child(const struct bottom_up *b, uint32_t e, uint32_t n)
{
    for (uint32_t k = b->first_child[e]; k < b->first_child[e + 1]; k++)
        if (b->room[b->child[k]] >= n)
            return b->child[k];
    return MAPCORE_NONE;
}

static int by_size(const void *x, const void *y)
{
    const struct task_group *p = x, *q = y;

    if (p->n != q->n)
        return p->n > q->n ? -1 : 1;
    return (p->least > q->least) - (p->least < q->least);
}

/* Orders task[n] by their clusters at a level, and lists these, largest
 * first. */
static uint32_t list_groups(struct task_group *out,
                            const struct bottom_up *b,
                            uint32_t level,
                            uint32_t *task,
                            uint32_t n,
                            uint64_t *key)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < n; i++)
        key[i] = (uint64_t)b->cluster[level][task[i]] << 32 | task[i];
    array_sort_u64(key, n);
    for (uint32_t i = 0; i < n; i++) {
        task[i] = (uint32_t)key[i];
        if (i == 0 || key[i] >> 32 != key[i - 1] >> 32)
            out[count++] = (struct task_group){i, 0, task[i]};
        out[count - 1].n++;
    }
    qsort(out, count, sizeof(*out), by_size);
    return count;
}

/* Gives task[n], of an element, to its children: clusters of a level whole,
 * where one has room, else their own clusters of the level below. */
static int give(struct bottom_up *b,
                uint32_t element,
                uint32_t level,
                uint32_t *task,
                uint32_t n,
                struct mapcore_error *err)
{
    struct task_group *group = array_alloc(n, sizeof(*group), err);
    uint64_t *key = array_alloc(n, sizeof(*key), err);
    uint32_t count;
    int error = group && key ? 0 : MAPCORE_ENOMEM;

    count = error == 0 ? list_groups(group, b, level, task, n, key) : 0;
    for (uint32_t i = 0; error == 0 && i < count; i++) {
        uint32_t *first = task + group[i].begin, m = group[i].n;
        uint32_t child = find_child(b, element, m);

        if (child == MAPCORE_NONE) {
            error = give(b, element, level - 1, first, m, err);
            continue;
        }
        b->room[child] -= m;
        for (uint32_t k = 0; k < m; k++)
            b->at[first[k]] = child;
    }
    free(group);
    free(key);
    return error;
}

/* The second pass: from the top, level by level, all elements of a height. */
static int place(struct bottom_up *b, struct mapcore_error *err)
{
    uint32_t ntasks = b->graph->ntasks, root = b->tree.nhosts;
    uint64_t *key = array_alloc(ntasks, sizeof(*key), err);
    uint32_t *task = array_alloc(ntasks, sizeof(*task), err);
    int error = key && task ? 0 : MAPCORE_ENOMEM;

    for (uint32_t t = 0; t < ntasks; t++)
        b->at[t] = root;
    for (uint32_t level = b->nlevels; error == 0 && level > 1; level--) {
        uint32_t n = 0;

        for (uint32_t t = 0; t < ntasks; t++)
            if (b->tree.height[b->at[t]] == level)
                key[n++] = (uint64_t)b->at[t] << 32 | t;
        array_sort_u64(key, n);
        for (uint32_t i = 0; i < n; i++)
            task[i] = (uint32_t)key[i];
        for (uint32_t i = 0, k; error == 0 && i < n; i = k) {
            uint32_t element = (uint32_t)(key[i] >> 32);

            for (k = i; k < n && key[k] >> 32 == element;)
                k++;
            error = give(b, element, level - 1, task + i, k - i, err);
        }
    }
    for (uint32_t t = 0; error == 0 && t < ntasks; t++)
        b->host[t] = b->at[t];
    free(key);
    free(task);
    return error;
}

static int open_all(struct bottom_up *b,
                    const struct map_problem *problem,
                    struct mapcore_error *err)
{
    uint32_t ntasks = problem->graph->ntasks;
    int error = element_tree_make(&b->tree, problem->alloc, err);

    if (error < 0)
        return error;
    b->graph = problem->graph;
    b->nlevels = b->tree.height[b->tree.nhosts];
    b->cluster = array_alloc(b->nlevels, sizeof(*b->cluster), err);
    b->size = array_alloc(ntasks, sizeof(*b->size), err);
    b->at = array_alloc(ntasks, sizeof(*b->at), err);
    b->pair =
        array_alloc(mapcore_graph_nedges(b->graph), sizeof(*b->pair), err);
    b->first_child =
        array_alloc((size_t)b->tree.n + 1, sizeof(*b->first_child), err);
    b->child = array_alloc(b->tree.n, sizeof(*b->child), err);
    b->room = array_alloc(b->tree.n, sizeof(*b->room), err);
    if (!b->cluster || !b->size || !b->at || !b->pair || !b->first_child ||
        !b->child || !b->room)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < b->nlevels; i++) {
        b->cluster[i] = array_alloc(ntasks, sizeof(**b->cluster), err);
        if (!b->cluster[i])
            return MAPCORE_ENOMEM;
    }
    return 0;
}

static void close_all(struct bottom_up *b)
{
    for (uint32_t i = 0; b->cluster && i < b->nlevels; i++)
        free(b->cluster[i]);
    free(b->cluster);
    free(b->size);
    free(b->at);
    free(b->pair);
    free(b->first_child);
    free(b->child);
    free(b->room);
    element_tree_clear(&b->tree);
}

static int run(uint32_t *host,
               struct mapper_end *end,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    struct bottom_up b = {.host = host};
    int error = open_all(&b, problem, err);

    (void)call;
    if (error < 0)
        goto out;
    sets_init(b.cluster[0], problem->graph->ntasks);
    for (uint32_t level = 1; level < b.nlevels; level++) {
        end->timed_out = map_deadline_passed(&problem->deadline);
        if (end->timed_out)
            goto out;
        join_level(&b, level);
    }
    list_children(&b);
    error = place(&b, err);
out:
    close_all(&b);
    return error;
}

const struct mapper mapper_bottom_up = {
    .name = "bottom-up",
    .summary = "clusters of tasks by pairs, for nodes, their switches and so "
               "on; then to elements from the top",
    .source = "Sweeney, Wisniewski, Cascaval, Smith, IBM Research Report, "
              "figure 3",
    .run = run,
};
