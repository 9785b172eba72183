/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* port_elements.c - puts tasks below what they share, and gives each element
 * its type */
#include "config.h"

#include "metric/port_elements.h"

#include "alloc/element_tree.h"
#include "base/array.h"
#include "base/table64.h"
#include "metric/estimate_check.h"
#include "topo/shape.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static int check_rates(const struct mapcore_port_rates *port,
                       uint32_t number,
                       struct mapcore_error *err)
{
    if (!(port->most >= 0 && isfinite(port->most)) ||
        (port->n > 0 && !(port->most > 0)))
        return error_set(err, MAPCORE_EINVAL,
                         "level %u: the most that a port carries must be a "
                         "number above 0",
                         number);
    for (size_t i = 0; i < port->n; i++) {
        if (!(port->rate[i] > 0 && port->rate[i] <= port->most))
            return error_set(err, MAPCORE_EINVAL,
                             "level %u: a rate of %g for %" PRIu64
                             " bytes is not above 0 and at most %g",
                             number, port->rate[i], port->length[i],
                             port->most);
        if (i > 0 && port->length[i] <= port->length[i - 1])
            return error_set(err, MAPCORE_EINVAL,
                             "level %u: length %" PRIu64
                             " stands behind length %" PRIu64,
                             number, port->length[i], port->length[i - 1]);
    }
    return 0;
}

static int check_level(const struct mapcore_port_level *level,
                       uint32_t number,
                       struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < level->ntypes; i++) {
        const struct mapcore_port_type *type = &level->type[i];

        if (!(type->switch_most >= 0 && isfinite(type->switch_most)))
            return error_set(err, MAPCORE_EINVAL,
                             "level %u: the most that passes a switch must be "
                             "a number above 0",
                             number);
        error = check_rates(&type->out, number, err);
        if (error == 0)
            error = check_rates(&type->in, number, err);
    }
    return error;
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

static int check_ports(struct port_elements *out,
                       const struct element_tree *tree,
                       const struct mapcore_mapping *mapping,
                       const struct mapcore_alloc *alloc,
                       struct mapcore_error *err)
{
    const struct mapcore_ports *ports = out->ports;
    int error = 0;

    while (1 + out->ninside < ports->n && ports->level[1 + out->ninside].object)
        out->ninside++;
    for (uint32_t i = 0; error == 0 && i < ports->n; i++)
        error = check_level(&ports->level[i], i, err);
    if (error == 0 && out->ninside > 0 && !ports->node)
        error = error_set(err, MAPCORE_EINVAL,
                          "ports inside nodes, and no node to have them");
    if (error == 0 && tree->height[tree->nhosts] + out->ninside >= ports->n)
        error = error_set(
            err, MAPCORE_EINVAL, "%u levels of ports for a network of %u",
            ports->n - out->ninside, tree->height[tree->nhosts] + 1);
    return error < 0 ? error
                     : estimate_check_hosts(alloc, mapping->ntasks,
                                            mapping->host, err);
}

/* An element at a level, by the number of its host or switch in the topology.
 */
static int set_element(struct port_elements *out,
                       uint32_t element,
                       struct port_element value,
                       uint32_t number,
                       struct mapcore_error *err)
{
    const struct mapcore_port_level *level = &out->ports->level[value.level];
    uint32_t type = level->type_of ? level->type_of[number] : 0;

    if (type >= level->ntypes)
        return error_set(err, MAPCORE_EINVAL,
                         "level %u has no type %u of %u types of ports",
                         value.level, type, level->ntypes);
    value.type = &level->type[type];
    out->element[element] = value;
    return 0;
}

static int set_tree(struct port_elements *out,
                    const struct element_tree *tree,
                    const struct mapcore_alloc *alloc,
                    struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t e = 0; error == 0 && e < tree->n; e++) {
        uint32_t up = tree->parent[e] == MAPCORE_NONE ? e : tree->parent[e];
        uint32_t height = tree->height[e] > 0 ? tree->height[e] : 1;

        error = set_element(
            out, out->ntasks + e,
            (struct port_element){.parent = out->ntasks + up,
                                  .level = out->ninside + height,
                                  .link = tree->link[e]},
            e < tree->nhosts ? mapcore_alloc_host(alloc, e) : e - tree->nhosts,
            err);
    }
    return error;
}

/* The objects that hold task t, from the largest one down, and the task. An
 * object is one below what holds it: levels that cross one another are parted.
 */
static int set_task(struct port_elements *out,
                    struct table64 *objects,
                    uint32_t t,
                    const struct mapcore_mapping *mapping,
                    const struct mapcore_alloc *alloc,
                    struct mapcore_error *err)
{
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
                number, err);
    }
    return error == 0 ? set_element(out, t, (struct port_element){.parent = up},
                                    number, err)
                      : error;
}

int port_elements_make(struct port_elements *out,
                       const struct mapcore_mapping *mapping,
                       const struct mapcore_alloc *alloc,
                       const struct mapcore_ports *ports,
                       struct mapcore_error *err)
{
    struct table64 objects = {0};
    struct element_tree tree = {0};
    uint64_t most;
    int error = open_tree(&tree, alloc, err);

    *out = (struct port_elements){.ports = ports, .ntasks = mapping->ntasks};
    if (error == 0)
        error = check_ports(out, &tree, mapping, alloc, err);
    out->nhosts = tree.nhosts;
    out->n = out->ntasks + tree.n;
    most = (uint64_t)out->ntasks * (1 + out->ninside) + tree.n;
    if (error == 0 && most > UINT32_MAX / 2)
        error = error_set(err, MAPCORE_ERANGE, "too many ports");
    if (error == 0) {
        out->element = array_alloc(most, sizeof(*out->element), err);
        error =
            out->element ? set_tree(out, &tree, alloc, err) : MAPCORE_ENOMEM;
    }
    for (uint32_t t = 0; error == 0 && t < out->ntasks; t++)
        error = set_task(out, &objects, t, mapping, alloc, err);
    table64_clear(&objects);
    element_tree_clear(&tree);
    return error;
}

void port_elements_clear(struct port_elements *elements)
{
    free(elements->element);
    elements->element = NULL;
}

struct mapcore_port port_elements_port(const struct port_elements *elements,
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
