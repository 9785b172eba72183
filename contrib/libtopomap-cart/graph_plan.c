/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_plan.c - a graph for `topomap plan`, and its plan for ranks */
#include "config.h"

#include "libtopomap-cart/graph_plan.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "launch/plan.h"
#include "libtopomap-cart/ask.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* Units of the search: through its short list once, on a busy machine,
 * too. With 1,024 ranks the command takes 0.08 s, and 0.03 s where it has
 * made that plan before. */
#define SEARCH "--work=8"

/* The communicator as a step of Slurm: its ranks are counted node by node, so
 * that where they are is what a block layout is. */
struct graph_nodes {
    uint32_t n;
    uint32_t *at;      /* [ntasks] a rank's number in that order */
    uint32_t *rank;    /* [ntasks] the reverse */
    uint32_t *counts;  /* [n] ranks of a node; [ntasks] allocated */
    const char **name; /* [n] */
};

static bool find_nodes(struct graph_nodes *out,
                       const struct graph_job *job,
                       struct arena *arena)
{
    uint32_t n = job->ntasks, *first = arena_alloc(arena, n, sizeof(*first));

    out->at = arena_alloc(arena, n, sizeof(*out->at));
    out->rank = arena_alloc(arena, n, sizeof(*out->rank));
    out->counts = arena_alloc(arena, n, sizeof(*out->counts));
    out->name = arena_alloc(arena, n, sizeof(*out->name));
    if (arena->error)
        return false;
    for (uint32_t r = 0; r < n; r++)
        first[job->leader[r]]++;
    for (uint32_t r = 0, next = 0; r < n; r++) {
        uint32_t count = first[r];

        if (count == 0)
            continue;
        out->counts[out->n] = count;
        out->name[out->n++] = job->name[r];
        first[r] = next;
        next += count;
    }
    for (uint32_t r = 0; r < n; r++) {
        out->at[r] = first[job->leader[r]]++;
        out->rank[out->at[r]] = r;
    }
    return true;
}

/* The edges as a file without a name; NULL: none. */
static FILE *write_graph(const struct graph_job *job,
                         const struct graph_nodes *nodes)
{
    int fd = memfd_create("graph", MFD_CLOEXEC);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    if (!file) {
        if (fd >= 0)
            close(fd);
        return NULL;
    }
    fprintf(file, "tasks %u\n", job->ntasks);
    for (uint32_t i = 0; i < job->nedges; i++) {
        const struct graph_edge *edge = &job->edges[i];

        fprintf(file, "%u %u %d\n", nodes->at[edge->from], nodes->at[edge->to],
                edge->weight);
    }
    if (fflush(file) != 0 || lseek(fd, 0, SEEK_SET) != 0) {
        fclose(file);
        return NULL;
    }
    return file;
}

/* The plan's text; topology: NULL, or a word in place of the site's. */
static char *ask(FILE *graph,
                 const struct graph_job *job,
                 const struct graph_nodes *nodes,
                 const char *topology,
                 double seconds)
{
    char ntasks[64];
    struct buffer counts = {0}, list = {0};
    const char *words[12] = {NULL,           "plan",      "--graph=/dev/stdin",
                             "--from=edges", "--to=wire", "--threads=1",
                             SEARCH,         ntasks};
    char *names = NULL, *out = NULL;

    snprintf(ntasks, sizeof(ntasks), "--ntasks=%u", job->ntasks);
    for (uint32_t i = 0; i < nodes->n; i++)
        buffer_printf(&counts, "%s%u",
                      i > 0 ? "," : "--tasks-per-node=", nodes->counts[i]);
    if (topology)
        buffer_printf(&list, "--nodelist=n[0-%u]", nodes->n - 1);
    else if (hosts_compress(&names, nodes->n, nodes->name, NULL) == 0)
        buffer_printf(&list, "--nodelist=%s", names);
    words[8] = counts.bytes;
    words[9] = list.bytes;
    words[10] = topology;
    if (counts.error == 0 && list.error == 0 && list.n > 0 &&
        lseek(fileno(graph), 0, SEEK_SET) == 0)
        out = ask_topomap(words, fileno(graph), seconds);
    free(names);
    buffer_clear(&counts);
    buffer_clear(&list);
    return out;
}

/* A plan that was made, for better or for worse; NULL: none was. */
static struct mapcore_plan *make(FILE *graph,
                                 const struct graph_job *job,
                                 const struct graph_nodes *nodes,
                                 char *topology,
                                 double seconds)
{
    char *text = ask(graph, job, nodes, topology, seconds);
    struct mapcore_plan *plan = NULL;

    if (text)
        mapcore_plan_parse(&plan, text, strlen(text), job->ntasks, nodes->n,
                           nodes->counts, NULL);
    free(text);
    if (plan && plan->outcome == MAPCORE_PLAN_FAILED) {
        mapcore_plan_destroy(plan);
        return NULL;
    }
    return plan;
}

bool graph_plan(int *vertex, const struct graph_job *job, double seconds)
{
    struct graph_nodes nodes = {0};
    struct arena arena = {0};
    struct mapcore_plan *plan = NULL;
    FILE *graph = NULL;
    char flat[32];
    bool moves, is_named = true;

    if (!find_nodes(&nodes, job, &arena) || !(graph = write_graph(job, &nodes)))
        goto out;
    snprintf(flat, sizeof(flat), "--topology=flat:%u", nodes.n);
    for (uint32_t i = 0; i < nodes.n; i++)
        is_named = is_named && nodes.name[i][0] != '\0';
    if (is_named)
        plan = make(graph, job, &nodes, NULL, seconds);
    if (!plan)
        plan = make(graph, job, &nodes, flat, seconds);
out:
    moves = plan && plan->outcome == MAPCORE_PLAN_PLACED;
    for (uint32_t i = 0, first = 0; moves && i < nodes.n; i++) {
        /* counts becomes the first of each node. */
        uint32_t count = nodes.counts[i];

        nodes.counts[i] = first;
        first += count;
    }
    for (uint32_t v = 0; moves && v < job->ntasks; v++) {
        uint32_t at = nodes.at[v];

        vertex[nodes.rank[nodes.counts[plan->host[at]] + plan->slot[at]]] =
            (int)v;
    }
    mapcore_plan_destroy(plan);
    if (graph)
        fclose(graph);
    arena_clear(&arena);
    return moves;
}
