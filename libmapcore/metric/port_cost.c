/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* port_cost.c - figure 4 of Sweeney et al., the same whichever task is first */
#include "config.h"

#include "metric/ports.h"

#include "alloc/element_tree.h"
#include "base/array.h"
#include "topo/shape.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* One direction of a port, in the paper's words. */
struct port_cost {
    double longest, bytes;        /* the largest task_cost, all task_bytes */
    double task_cost, task_bytes; /* of the task at hand */
};

struct costs {
    struct element_tree tree;
    const struct mapcore_port_level *level;
    const uint32_t *host;
    uint32_t ntasks, nelements; /* tasks, then elements of tree */
    struct port_cost *port;     /* [2 * nelements], out and in */
    double *passed;             /* [tree.n], bytes */
    uint32_t *used, nused;      /* ports of the task at hand */
};

static uint32_t level_of(const struct costs *c, uint32_t element)
{
    return element < c->ntasks ? 0 : c->tree.height[element - c->ntasks];
}

/* p.bandwidth(msg.len); 0: no limit */
static double bandwidth(const struct mapcore_port_level *level, uint64_t length)
{
    size_t i = 0;
    double share;

    if (level->n == 0)
        return level->most;
    while (i < level->n && level->length[i] < length)
        i++;
    if (i == 0 || i == level->n)
        return level->rate[i == 0 ? 0 : i - 1];
    share = (double)(length - level->length[i - 1]) /
            (double)(level->length[i] - level->length[i - 1]);
    return level->rate[i - 1] + share * (level->rate[i] - level->rate[i - 1]);
}

/* Of a message; no less than of a shorter one, whatever was measured. */
static double message_time(const struct mapcore_port_level *level,
                           uint64_t length)
{
    double rate = bandwidth(level, length);
    double time = rate > 0 ? (double)length / rate : 0;

    for (size_t i = 0; i < level->n && level->length[i] < length; i++)
        time = fmax(time, (double)level->length[i] / level->rate[i]);
    return time;
}

static void cross(struct costs *c,
                  uint32_t element,
                  bool is_in,
                  const struct mapcore_messages *m)
{
    const struct mapcore_port_level *level = &c->level[level_of(c, element)];
    uint32_t number = 2 * element + is_in;
    struct port_cost *port = &c->port[number];
    double bytes = (double)m->length * (double)m->count;
    double time = (double)m->count * message_time(level, m->length);

    if (time <= 0)
        return;
    if (port->task_bytes <= 0)
        c->used[c->nused++] = number;
    port->task_cost += time;
    /* The figure adds msg.len alone, however many there are. */
    port->task_bytes += bytes;
}

/* All ports on the path from src to dst, and the switches between. */
static void send(struct costs *c, const struct mapcore_messages *m)
{
    const struct element_tree *tree = &c->tree;
    uint32_t a = c->host[m->from], b = c->host[m->to];
    double bytes = (double)m->length * (double)m->count;

    if (m->from == m->to)
        return;
    cross(c, m->from, false, m);
    cross(c, m->to, true, m);
    while (a != b) {
        bool climbs = tree->height[a] <= tree->height[b];

        if (tree->height[b] <= tree->height[a]) {
            cross(c, c->ntasks + b, true, m);
            c->passed[b] += bytes;
            b = tree->parent[b];
        }
        if (climbs) {
            cross(c, c->ntasks + a, false, m);
            c->passed[a] += bytes;
            a = tree->parent[a];
        }
    }
    c->passed[a] += bytes;
}

/* The second loop of the figure, for the ports that the task has used. */
static void aggregate(struct costs *c)
{
    for (uint32_t i = 0; i < c->nused; i++) {
        struct port_cost *p = &c->port[c->used[i]];

        p->longest = fmax(p->longest, p->task_cost);
        p->bytes += p->task_bytes;
        p->task_cost = p->task_bytes = 0;
    }
    c->nused = 0;
}

/* Ports without a maximum carry nothing that costs (cross). */
static double cost_of(const struct costs *c, uint32_t element, bool is_in)
{
    const struct port_cost *p = &c->port[2 * element + is_in];
    double most = c->level[level_of(c, element)].most;

    return most > 0 ? fmax(p->longest, p->bytes / most) : 0;
}

static void compare(struct mapcore_estimate *out,
                    const struct costs *c,
                    uint32_t element,
                    bool is_switch,
                    double time)
{
    uint32_t e = element - c->ntasks;

    if (time > out->time) {
        out->next_time = out->time;
        out->time = time;
        if (element < c->ntasks)
            out->port = (struct mapcore_port){MAPCORE_PORT_TASK, element};
        else if (e < c->tree.nhosts)
            out->port = (struct mapcore_port){
                is_switch ? MAPCORE_PORT_MEMORY : MAPCORE_PORT_NIC, e};
        else if (is_switch)
            out->port =
                (struct mapcore_port){MAPCORE_PORT_SWITCH, e - c->tree.nhosts};
        else
            out->port =
                (struct mapcore_port){MAPCORE_PORT_LINK, c->tree.link[e]};
    } else if (time > out->next_time)
        out->next_time = time;
}

/* C = MAX(p.cost), and the maximum of each switch. */
static struct mapcore_estimate find_slowest(const struct costs *c)
{
    struct mapcore_estimate out = {0};

    for (uint32_t i = 0; i < c->nelements; i++)
        compare(&out, c, i, false,
                fmax(cost_of(c, i, true), cost_of(c, i, false)));
    for (uint32_t e = 0; e < c->tree.n; e++) {
        double most = c->level[c->tree.height[e]].switch_most;

        if (c->tree.height[e] > 0 && most > 0)
            compare(&out, c, c->ntasks + e, true, c->passed[e] / most);
    }
    return out;
}

static int check_level(const struct mapcore_port_level *level,
                       uint32_t number,
                       struct mapcore_error *err)
{
    if (!(level->most >= 0 && isfinite(level->most)) ||
        !(level->switch_most >= 0 && isfinite(level->switch_most)) ||
        (level->n > 0 && !(level->most > 0)))
        return error_set(err, MAPCORE_EINVAL,
                         "level %u: the most that a port or switch carries "
                         "must be a number above 0",
                         number);
    for (size_t i = 0; i < level->n; i++) {
        if (!(level->rate[i] > 0 && level->rate[i] <= level->most))
            return error_set(err, MAPCORE_EINVAL,
                             "level %u: a rate of %g for %" PRIu64
                             " bytes is not above 0 and at most %g",
                             number, level->rate[i], level->length[i],
                             level->most);
        if (i > 0 && level->length[i] <= level->length[i - 1])
            return error_set(err, MAPCORE_EINVAL,
                             "level %u: length %" PRIu64
                             " stands behind length %" PRIu64,
                             number, level->length[i], level->length[i - 1]);
    }
    return 0;
}

static int check_messages(const struct mapcore_messages *messages,
                          size_t n,
                          uint32_t ntasks,
                          struct mapcore_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (messages[i].from >= ntasks || messages[i].to >= ntasks ||
            (i > 0 && messages[i].from < messages[i - 1].from))
            return error_set(err, MAPCORE_EINVAL,
                             "messages from task %u to task %u of %u, behind "
                             "those of task %u",
                             messages[i].from, messages[i].to, ntasks,
                             i > 0 ? messages[i - 1].from : 0);
    return 0;
}

static int open_tree(struct element_tree *out,
                     const struct mapcore_alloc *alloc,
                     struct mapcore_error *err)
{
    struct topo_shape shape;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (shape.kind != TOPO_TREE)
        return error_set(err, MAPCORE_ENOTSUP,
                         "ports are modelled for trees, and the network is no "
                         "tree: %s",
                         mapcore_topo_describe(mapcore_alloc_topo(alloc)));
    return element_tree_make(out, alloc, err);
}

int mapcore_ports_levels(uint32_t *out,
                         const struct mapcore_alloc *alloc,
                         struct mapcore_error *err)
{
    struct element_tree tree = {0};
    int error = open_tree(&tree, alloc, err);

    if (error == 0)
        *out = tree.height[tree.nhosts] + 1;
    element_tree_clear(&tree);
    return error;
}

static int open_costs(struct costs *c,
                      const struct mapcore_alloc *alloc,
                      uint32_t nlevels,
                      struct mapcore_error *err)
{
    int error = open_tree(&c->tree, alloc, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; error == 0 && i < nlevels; i++)
        error = check_level(&c->level[i], i, err);
    for (uint32_t t = 0; error == 0 && t < c->ntasks; t++)
        if (c->host[t] >= c->tree.nhosts)
            error = error_set(err, MAPCORE_EINVAL,
                              "task %u is on node %u of an allocation of %u", t,
                              c->host[t], c->tree.nhosts);
    if (error == 0 && c->tree.height[c->tree.nhosts] >= nlevels)
        error = error_set(err, MAPCORE_EINVAL,
                          "%u levels of ports for a network of %u", nlevels,
                          c->tree.height[c->tree.nhosts] + 1);
    if (error < 0)
        return error;
    c->nelements = c->ntasks + c->tree.n;
    c->port = array_alloc(2 * (size_t)c->nelements, sizeof(*c->port), err);
    c->used = array_alloc(2 * (size_t)c->nelements, sizeof(*c->used), err);
    c->passed = array_alloc(c->tree.n, sizeof(*c->passed), err);
    return c->port && c->used && c->passed ? 0 : MAPCORE_ENOMEM;
}

int mapcore_ports_estimate(struct mapcore_estimate *out,
                           const struct mapcore_messages *messages,
                           size_t n,
                           uint32_t ntasks,
                           const struct mapcore_alloc *alloc,
                           const uint32_t *host,
                           const struct mapcore_port_level *level,
                           uint32_t nlevels,
                           struct mapcore_error *err)
{
    struct costs c = {.level = level, .host = host, .ntasks = ntasks};
    int error = check_messages(messages, n, ntasks, err);

    if (error == 0)
        error = open_costs(&c, alloc, nlevels, err);
    for (size_t i = 0; error == 0 && i < n; i++) {
        send(&c, &messages[i]);
        if (i + 1 == n || messages[i + 1].from != messages[i].from)
            aggregate(&c);
    }
    if (error == 0)
        *out = find_slowest(&c);
    element_tree_clear(&c.tree);
    free(c.port);
    free(c.used);
    free(c.passed);
    return error;
}
