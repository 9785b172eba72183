/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports.c - the tree that messages climb, tasks below what they share, and
 * figure 4 of Sweeney et al. over it, the same whichever task is first */
#include "config.h"

#include "metric/ports.h"

#include "alloc/element_tree.h"
#include "base/array.h"
#include "base/table64.h"
#include "metric/estimate_check.h"
#include "topo/shape.h"

#include <math.h>

/* Tasks come first; hosts and switches follow, then objects inside hosts. */
struct port_elements {
    struct arena arena;
    const struct mapcore_ports *ports; /* borrowed, as what follows */
    const struct mapcore_mapping *mapping;
    const struct mapcore_alloc *alloc;
    uint32_t ntasks, nhosts, ninside, n; /* ninside: levels of objects */
    struct port_element {
        uint32_t parent, level; /* a parent's level is higher; the root is its
                                   own parent */
        uint32_t task;          /* of an object: the lowest one in it */
        uint32_t link;          /* of a host or switch: as element_tree's */
        const struct mapcore_port_type *type;
    } * element; /* [n] */
};

static int open_tree(struct element_tree *out,
                     const struct mapcore_alloc *alloc,
                     struct arena *arena)
{
    struct topo_shape shape;

    topo_shape(&shape, mapcore_alloc_topo(alloc));
    if (shape.kind != TOPO_TREE)
        return error_set(arena->err, MAPCORE_ENOTSUP,
                         "ports are modelled for trees, and the network is no "
                         "tree: %s",
                         mapcore_topo_describe(mapcore_alloc_topo(alloc)));
    return element_tree_make(out, alloc, arena);
}

static int check_ports(struct port_elements *out,
                       const struct element_tree *tree)
{
    const struct mapcore_ports *ports = out->ports;
    struct mapcore_error *err = out->arena.err;
    int error = 0;

    while (1 + out->ninside < ports->n && ports->level[1 + out->ninside].object)
        out->ninside++;
    if (out->ninside > 0 && !ports->node)
        error = error_set(err, MAPCORE_EINVAL,
                          "ports inside nodes, and no node to have them");
    if (error == 0 && tree->height[tree->nhosts] + out->ninside >= ports->n)
        error = error_set(
            err, MAPCORE_EINVAL, "%u levels of ports for a network of %u",
            ports->n - out->ninside, tree->height[tree->nhosts] + 1);
    return error < 0 ? error
                     : estimate_check_hosts(out->alloc, out->ntasks,
                                            out->mapping->host, err);
}

/* An element at a level, by the number of its host or switch in the topology.
 */
static int set_element(struct port_elements *out,
                       uint32_t element,
                       struct port_element value,
                       uint32_t number)
{
    const struct mapcore_port_level *level = &out->ports->level[value.level];
    uint32_t type = level->type_of ? level->type_of[number] : 0;

    if (type >= level->ntypes)
        return error_set(out->arena.err, MAPCORE_EINVAL,
                         "level %u has no type %u of %u types of ports",
                         value.level, type, level->ntypes);
    value.type = &level->type[type];
    out->element[element] = value;
    return 0;
}

static int set_tree(struct port_elements *out, const struct element_tree *tree)
{
    int error = 0;

    for (uint32_t e = 0; error == 0 && e < tree->n; e++) {
        uint32_t up = tree->parent[e] == MAPCORE_NONE ? e : tree->parent[e];
        uint32_t height = tree->height[e] > 0 ? tree->height[e] : 1;

        error =
            set_element(out, out->ntasks + e,
                        (struct port_element){.parent = out->ntasks + up,
                                              .level = out->ninside + height,
                                              .link = tree->link[e]},
                        e < tree->nhosts ? mapcore_alloc_host(out->alloc, e)
                                         : e - tree->nhosts);
    }
    return error;
}

/* The objects that hold task t, from the largest one down, and the task. An
 * object is one below what holds it: levels that cross one another are parted.
 */
static int set_task(struct port_elements *out,
                    struct table64 *objects,
                    uint32_t t)
{
    const struct mapcore_mapping *mapping = out->mapping;
    const struct mapcore_alloc *alloc = out->alloc;
    struct mapcore_error *err = out->arena.err;
    const struct mapcore_ports *ports = out->ports;
    uint32_t host = mapping->host[t], up = out->ntasks + host, e;
    uint32_t number = mapcore_alloc_host(alloc, host);
    int error = 0;

    for (uint32_t l = out->ninside; error == 0 && l > 0; l--, up = e) {
        uint32_t object = mapcore_hwnode_object_number(
            ports->node, mapcore_alloc_slots(alloc, host), mapping->slot[t],
            ports->level[l].object);

        error =
            table64_put(&e, objects, (uint64_t)up << 16 | object, out->n, err);
        if (error == 0 && e == out->n)
            error = set_element(
                out, out->n++,
                (struct port_element){.parent = up, .level = l, .task = t},
                number);
    }
    return error == 0 ? set_element(out, t, (struct port_element){.parent = up},
                                    number)
                      : error;
}

/* The arena ends also after a failure. */
static int make_elements(struct port_elements *out)
{
    struct table64 objects = {0};
    struct element_tree tree = {0};
    uint64_t most;
    int error = open_tree(&tree, out->alloc, &out->arena);

    if (error == 0)
        error = check_ports(out, &tree);
    out->nhosts = tree.nhosts;
    out->n = out->ntasks + tree.n;
    most = (uint64_t)out->ntasks * (1 + out->ninside) + tree.n;
    if (error == 0 && most > UINT32_MAX / 2)
        error = error_set(out->arena.err, MAPCORE_ERANGE, "too many ports");
    if (error == 0) {
        out->element = arena_alloc(&out->arena, most, sizeof(*out->element));
        error = out->element ? set_tree(out, &tree) : MAPCORE_ENOMEM;
    }
    for (uint32_t t = 0; error == 0 && t < out->ntasks; t++)
        error = set_task(out, &objects, t);
    table64_clear(&objects);
    return error;
}

/* What the port of an element, or the element itself, is called. */
static struct mapcore_port name_port(const struct port_elements *elements,
                                     uint32_t element,
                                     bool is_switch)
{
    const struct port_element *at = &elements->element[element];
    const uint32_t e = element - elements->ntasks;
    struct mapcore_port out = {.kind = MAPCORE_PORT_TASK, .number = element};

    if (element < elements->ntasks)
        return out;
    if (at->level <= elements->ninside)
        return (struct mapcore_port){MAPCORE_PORT_OBJECT, at->task,
                                     elements->ports->level[at->level].object};
    out.kind = is_switch ? MAPCORE_PORT_MEMORY : MAPCORE_PORT_NIC;
    out.number = e;
    if (e >= elements->nhosts) {
        out.kind = is_switch ? MAPCORE_PORT_SWITCH : MAPCORE_PORT_LINK;
        out.number = is_switch ? e - elements->nhosts : at->link;
    }
    return out;
}

/* One direction of a port, in the paper's words. */
struct port_cost {
    double longest, bytes;        /* the largest task_cost, all task_bytes */
    double task_cost, task_bytes; /* of the task at hand */
};

struct costs {
    struct port_elements elements;
    struct port_cost *port; /* [2 * elements.n], out and in */
    double *passed;         /* [elements.n], bytes */
    uint32_t *used, nused;  /* ports of the task at hand */
};

/* p.bandwidth(msg.len); 0: no limit */
static double bandwidth(const struct mapcore_port_rates *port, uint64_t length)
{
    size_t i = 0;
    double share;

    if (port->n == 0)
        return port->most;
    while (i < port->n && port->length[i] < length)
        i++;
    if (i == 0 || i == port->n)
        return port->rate[i == 0 ? 0 : i - 1];
    share = (double)(length - port->length[i - 1]) /
            (double)(port->length[i] - port->length[i - 1]);
    return port->rate[i - 1] + share * (port->rate[i] - port->rate[i - 1]);
}

/* Of a message; no less than of a shorter one, even if it was measured so. */
static double message_time(const struct mapcore_port_rates *port,
                           uint64_t length)
{
    double rate = bandwidth(port, length);
    double time = rate > 0 ? (double)length / rate : 0;

    for (size_t i = 0; i < port->n && port->length[i] < length; i++)
        time = fmax(time, (double)port->length[i] / port->rate[i]);
    return time;
}

static const struct mapcore_port_rates *rates_of(const struct costs *c,
                                                 uint32_t element,
                                                 bool is_in)
{
    const struct mapcore_port_type *type = c->elements.element[element].type;

    return is_in ? &type->in : &type->out;
}

static void cross(struct costs *c,
                  uint32_t element,
                  bool is_in,
                  const struct mapcore_messages *m)
{
    uint32_t number = 2 * element + is_in;
    struct port_cost *port = &c->port[number];
    double bytes = (double)m->length * (double)m->count;
    double time =
        (double)m->count * message_time(rates_of(c, element, is_in), m->length);

    if (time <= 0)
        return;
    if (port->task_bytes <= 0)
        c->used[c->nused++] = number;
    port->task_cost += time;
    /* The figure adds msg.len alone, however many there are. */
    port->task_bytes += bytes;
}

/* All ports on the path from src to dst, and the elements between. */
static void send(struct costs *c, const struct mapcore_messages *m)
{
    const struct port_element *element = c->elements.element;
    uint32_t a = m->from, b = m->to;
    double bytes = (double)m->length * (double)m->count;

    while (a != b) {
        bool climbs = element[a].level <= element[b].level;

        if (element[b].level <= element[a].level) {
            cross(c, b, true, m);
            c->passed[b] += bytes;
            b = element[b].parent;
        }
        if (climbs) {
            cross(c, a, false, m);
            c->passed[a] += bytes;
            a = element[a].parent;
        }
    }
    c->passed[a] += m->from != m->to ? bytes : 0;
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
    double most = rates_of(c, element, is_in)->most;

    return most > 0 ? fmax(p->longest, p->bytes / most) : 0;
}

static void compare(struct mapcore_estimate *out,
                    const struct costs *c,
                    uint32_t element,
                    bool is_switch,
                    double time)
{
    if (time > out->time) {
        out->next_time = out->time;
        out->time = time;
        out->port = name_port(&c->elements, element, is_switch);
    } else if (time > out->next_time)
        out->next_time = time;
}

/* C = MAX(p.cost), and the maximum of each element above tasks. */
static struct mapcore_estimate find_slowest(const struct costs *c)
{
    struct mapcore_estimate out = {0};

    for (uint32_t i = 0; i < c->elements.n; i++)
        compare(&out, c, i, false,
                fmax(cost_of(c, i, true), cost_of(c, i, false)));
    for (uint32_t i = c->elements.ntasks; i < c->elements.n; i++) {
        double most = c->elements.element[i].type->switch_most;

        if (most > 0)
            compare(&out, c, i, true, c->passed[i] / most);
    }
    return out;
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

static int open_costs(struct costs *c)
{
    int error = make_elements(&c->elements);
    size_t n = c->elements.n;

    if (error < 0)
        return error;
    c->port = arena_alloc(&c->elements.arena, 2 * n, sizeof(*c->port));
    c->used = arena_alloc(&c->elements.arena, 2 * n, sizeof(*c->used));
    c->passed = arena_alloc(&c->elements.arena, n, sizeof(*c->passed));
    return c->elements.arena.error;
}

int mapcore_ports_estimate(struct mapcore_estimate *out,
                           const struct mapcore_messages *messages,
                           size_t n,
                           const struct mapcore_mapping *mapping,
                           const struct mapcore_alloc *alloc,
                           const struct mapcore_ports *ports,
                           struct mapcore_error *err)
{
    struct costs c = {.elements = {.arena = {.err = err},
                                   .ports = ports,
                                   .mapping = mapping,
                                   .alloc = alloc,
                                   .ntasks = mapping->ntasks}};
    int error = check_messages(messages, n, mapping->ntasks, err);

    if (error == 0)
        error = open_costs(&c);
    for (size_t i = 0; error == 0 && i < n; i++) {
        send(&c, &messages[i]);
        if (i + 1 == n || messages[i + 1].from != messages[i].from)
            aggregate(&c);
    }
    if (error == 0)
        *out = find_slowest(&c);
    arena_clear(&c.elements.arena);
    return error;
}

int mapcore_ports_levels(uint32_t *out,
                         const struct mapcore_alloc *alloc,
                         struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    struct element_tree tree;
    int error = open_tree(&tree, alloc, &arena);

    if (error == 0)
        *out = tree.height[tree.nhosts] + 1;
    arena_clear(&arena);
    return error;
}
