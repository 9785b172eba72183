/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_groups.c - how many groups of a training job stay inside one switch
 * or block, which is what such a job is placed for */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/array.h"
#include "base/text.h"
#include "grid/collective_pattern.h"
#include "topo/shape.h"

#include <stdlib.h>
#include <string.h>

/* Parts of the network on one level, and the groups. */
struct grouping {
    struct collective_groups groups; /* of what counts as a task */
    const uint32_t *counts;          /* [nhosts] tasks of a host */
    uint32_t per; /* tasks in a row that count as one: a node's, or 1 */
    uint32_t ntasks, nhosts, ngroups;
    struct topo_shape shape;
    uint32_t *part; /* [nhosts] the switch of a host on this level */
    uint32_t *room; /* [nswitches] tasks of the hosts below it */
    uint32_t *of;   /* [ngroups] the part of a group, or MAPCORE_NONE */
};

static uint32_t group_of(const struct grouping *g, uint32_t t)
{
    const uint32_t stride = g->groups.stride;

    return t / (g->groups.size * stride) * stride + t % stride;
}

/* How many groups have all of their tasks in one part. */
static uint32_t count_whole(const struct grouping *g, const uint32_t *host)
{
    uint32_t n = g->ngroups;

    for (uint32_t i = 0; i < g->ntasks * g->per; i++) {
        const uint32_t t = i / g->per, group = group_of(g, t);
        const uint32_t part = g->part[host[i]];

        if (i % g->per == 0 && t / g->groups.stride % g->groups.size == 0) {
            g->of[group] = part;
        } else if (g->of[group] != MAPCORE_NONE && g->of[group] != part) {
            g->of[group] = MAPCORE_NONE;
            n--;
        }
    }
    return n;
}

static uint32_t places(const struct grouping *g, uint32_t h)
{
    return g->counts[h] / g->per;
}

/* The most that can be: groups are of one size, so each part takes as many as
 * fit. */
static uint32_t most_whole(const struct grouping *g)
{
    uint64_t n = 0;

    memset(g->room, 0, g->shape.nswitches * sizeof(*g->room));
    for (uint32_t h = 0; h < g->nhosts; h++)
        g->room[g->part[h]] += places(g, h);
    for (uint32_t s = 0; s < g->shape.nswitches; s++)
        n += g->room[s] / g->groups.size;
    return n < g->ngroups ? (uint32_t)n : g->ngroups;
}

/* The next level up; false above the root's children. */
static bool go_up(const struct grouping *g)
{
    for (uint32_t h = 0; h < g->nhosts; h++) {
        const uint32_t up = g->shape.parent[g->part[h]];

        if (up == MAPCORE_NONE || g->shape.parent[up] == MAPCORE_NONE)
            return false;
        g->part[h] = up;
    }
    return true;
}

/* The heaviest groups that fit into a part at all; false: none do. */
static bool pick(struct grouping *g,
                 const struct collective_groups kinds[COLLECTIVE_KINDS],
                 uint32_t *most)
{
    for (size_t i = 0; i < COLLECTIVE_KINDS && kinds[i].size > 0; i++) {
        g->groups = kinds[i];
        g->ngroups = g->ntasks / kinds[i].size;
        if ((*most = most_whole(g)) > 0)
            return true;
    }
    return false;
}

static void end_grouping(struct grouping *g)
{
    free(g->part);
    free(g->room);
    free(g->of);
}

/* How many tasks in a row Slurm puts on each node, or 1 where that differs. */
static uint32_t count_row(const struct mapcore_facts *facts)
{
    const uint32_t n = facts->counts[0];

    for (uint32_t h = 0; h < facts->nhosts; h++)
        if (n == 0 || facts->counts[h] != n)
            return 1;
    for (uint32_t t = 0; t < facts->ntasks; t++)
        if (facts->baseline[t] != facts->baseline[t / n * n])
            return 1;
    return n;
}

/* The groups of the planner's pattern, of the lowest level where some fit into
 * a part, and how many do; false: there are none, or no memory. end_grouping is
 * due in any case. */
static bool begin_grouping(struct grouping *g,
                           uint32_t *most,
                           const struct planner *planner)
{
    const char *pattern = planner->request.graph;
    const struct mapcore_facts *facts = planner->facts;
    const uint32_t per = count_row(facts);
    struct collective_groups kinds[COLLECTIVE_KINDS] = {{.size = 0}};

    *g = (struct grouping){.counts = facts->counts,
                           .per = per,
                           .ntasks = facts->ntasks / per,
                           .nhosts = facts->nhosts};
    if (!pattern || !collective_pattern_is(pattern) ||
        collective_pattern_graph(NULL, kinds, pattern, g->ntasks, NULL) < 0 ||
        kinds[0].size == 0)
        return false;
    topo_shape(&g->shape, planner->machine.topo);
    if (!g->shape.leaf || g->shape.kind == TOPO_DRAGONFLY)
        return false;
    g->part = array_alloc(g->nhosts, sizeof(*g->part), NULL);
    g->room = array_alloc(g->shape.nswitches, sizeof(*g->room), NULL);
    g->of = array_alloc(g->ntasks, sizeof(*g->of), NULL);
    if (!g->part || !g->room || !g->of)
        return false;
    for (uint32_t h = 0; h < g->nhosts; h++)
        g->part[h] =
            g->shape.leaf[mapcore_alloc_host(planner->machine.alloc, h)];
    while (!pick(g, kinds, most))
        if (!go_up(g))
            return false;
    return true;
}

/* Where the job has segments (--segment), whether those break groups up however
 * ranks are placed in them. */
static void say_segment(FILE *out, const struct grouping *g)
{
    const char *of_slurm = getenv("SLURM_JOB_SEGMENT_SIZE");
    const uint32_t per_node = places(g, 0);
    uint64_t nodes, tasks;

    if (!of_slurm || !text_parse_u64(of_slurm, &nodes) || nodes == 0 ||
        nodes > g->nhosts)
        return;
    tasks = nodes * per_node;
    if (tasks % g->groups.size != 0 && g->groups.size % tasks != 0)
        fprintf(out, "; segments of %u nodes do not divide into groups of %g",
                (uint32_t)nodes, (double)g->groups.size / per_node);
}

static void say(FILE *out,
                const struct planner *planner,
                struct grouping *g,
                uint32_t most)
{
    const struct mapcore_facts *facts = planner->facts;
    const uint32_t before = count_whole(g, facts->baseline);

    if (before < g->ngroups)
        fprintf(
            out,
            "; %u of %u %s groups inside one switch (%u before, %u at most)",
            count_whole(g, planner->result.mapping->host), g->ngroups,
            g->groups.name, before, most);
    say_segment(out, g);
}

void planner_put_groups(FILE *out, const struct planner *planner)
{
    struct grouping g;
    uint32_t most;

    if (begin_grouping(&g, &most, planner))
        say(out, planner, &g, most);
    end_grouping(&g);
}
