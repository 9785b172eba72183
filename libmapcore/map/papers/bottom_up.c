/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottom_up.c - Sweeney et al.'s clustering: tasks are joined level by level
 * from below, then clusters are given to elements from the top */
#include "config.h"

#include "map/mapper.h"

#include "alloc/element_tree.h"
#include "base/array.h"
#include "base/bucket.h"
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
    uint32_t *first_child, *child; /* of each element: [n + 2], [n] */
    uint32_t *at_parent;           /* [n], n: of none */
    uint32_t *room;                /* [n], slots not given away */
    uint32_t *at;  /* [ntasks], the element that a task is at: in the end a
                      host */
    uint64_t *key; /* [ntasks] */
    struct arena *arena;
};

/* A group of tasks that is given away as one. */
struct task_group {
    uint32_t begin, n; /* in the caller's list */
    uint32_t least;    /* its lowest task */
};

static int by_clusters(const void *x, const void *y)
{
    const struct cluster_pair *p = x, *q = y;

    if (p->a != q->a)
        return p->a < q->a ? -1 : 1;
    return (p->b > q->b) - (p->b < q->b);
}

static int by_bytes(const void *x, const void *y)
{
    const struct cluster_pair *p = x, *q = y;

    if (p->bytes != q->bytes)
        return p->bytes > q->bytes ? -1 : 1;
    return by_clusters(x, y);
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

/* Children ascending; an element without slots below has no parent. */
static void list_children(struct bottom_up *b)
{
    const struct element_tree *tree = &b->tree;

    for (uint32_t e = 0; e < tree->n; e++) {
        b->room[e] = tree->slots[e];
        b->at_parent[e] = tree->height[e] > 0 && tree->parent[e] != MAPCORE_NONE
                              ? tree->parent[e]
                              : tree->n;
    }
    bucket_items(b->first_child, b->child, b->at_parent, tree->n, tree->n + 1);
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
                uint32_t n)
{
    struct arena arena = {.err = b->arena->err};
    struct task_group *group = arena_alloc(&arena, n, sizeof(*group));
    uint64_t *key = arena_alloc(&arena, n, sizeof(*key));
    int error = arena.error;
    uint32_t count =
        error == 0 ? list_groups(group, b, level, task, n, key) : 0;

    for (uint32_t i = 0; error == 0 && i < count; i++) {
        uint32_t *first = task + group[i].begin, m = group[i].n;
        uint32_t child = find_child(b, element, m);

        if (child == MAPCORE_NONE) {
            error = give(b, element, level - 1, first, m);
            continue;
        }
        b->room[child] -= m;
        for (uint32_t k = 0; k < m; k++)
            b->at[first[k]] = child;
    }
    arena_clear(&arena);
    return error;
}

/* The second pass: from the top, level by level, all elements of a height. */
static int place(struct bottom_up *b)
{
    uint32_t ntasks = b->graph->ntasks, *task = b->size;
    uint64_t *key = b->key;

    for (uint32_t t = 0; t < ntasks; t++)
        b->at[t] = b->tree.nhosts;
    for (uint32_t level = b->nlevels; level > 1; level--) {
        uint32_t n = 0;

        for (uint32_t t = 0; t < ntasks; t++)
            if (b->tree.height[b->at[t]] == level)
                key[n++] = (uint64_t)b->at[t] << 32 | t;
        array_sort_u64(key, n);
        for (uint32_t i = 0; i < n; i++)
            task[i] = (uint32_t)key[i];
        for (uint32_t i = 0, k; i < n; i = k) {
            uint32_t element = (uint32_t)(key[i] >> 32);

            for (k = i; k < n && key[k] >> 32 == element;)
                k++;
            if (give(b, element, level - 1, task + i, k - i) < 0)
                return MAPCORE_ENOMEM;
        }
    }
    return 0;
}

static int begin(struct bottom_up *b)
{
    uint32_t ntasks = b->graph->ntasks, n = b->tree.n;
    size_t nedges = mapcore_graph_nedges(b->graph);

    b->nlevels = b->tree.height[b->tree.nhosts];
    b->cluster = arena_alloc(b->arena, b->nlevels, sizeof(*b->cluster));
    b->size = arena_alloc(b->arena, ntasks, sizeof(*b->size));
    b->key = arena_alloc(b->arena, ntasks, sizeof(*b->key));
    b->pair = arena_alloc(b->arena, nedges, sizeof(*b->pair));
    b->first_child =
        arena_alloc(b->arena, (size_t)n + 2, sizeof(*b->first_child));
    b->child = arena_alloc(b->arena, n, sizeof(*b->child));
    b->at_parent = arena_alloc(b->arena, n, sizeof(*b->at_parent));
    b->room = arena_alloc(b->arena, n, sizeof(*b->room));
    for (uint32_t i = 0; b->cluster && i < b->nlevels; i++)
        b->cluster[i] = arena_alloc(b->arena, ntasks, sizeof(**b->cluster));
    return b->arena->error;
}

static int run(const struct mapper_call *call)
{
    const struct map_problem *problem = call->problem;
    struct bottom_up b = {
        .graph = problem->graph, .at = call->host, .arena = call->arena};
    int error = element_tree_make(&b.tree, problem->alloc, call->arena);

    if (error < 0 || (error = begin(&b)) < 0)
        return error;
    sets_init(b.cluster[0], problem->graph->ntasks);
    for (uint32_t level = 1; level < b.nlevels; level++) {
        call->end->timed_out = map_deadline_passed(&problem->deadline);
        if (call->end->timed_out)
            return 0;
        join_level(&b, level);
    }
    list_children(&b);
    return place(&b);
}

const struct mapper mapper_bottom_up = {
    .name = "bottom-up",
    .summary = "clusters of tasks by pairs, for nodes, their switches and so "
               "on; then to elements from the top",
    .source = "Sweeney, Wisniewski, Cascaval, Smith, IBM Research Report, "
              "figure 3",
    .run = run,
};
