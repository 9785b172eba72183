/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* port_elements.h - the tree that messages climb in the port model: tasks,
 * what they share inside hosts, hosts and switches */
#ifndef MAPCORE_METRIC_PORT_ELEMENTS_H
#define MAPCORE_METRIC_PORT_ELEMENTS_H

#include "metric/ports.h"

/* Tasks come first; hosts and switches follow, then objects inside hosts. */
struct port_elements {
    const struct mapcore_ports *ports;   /* borrowed */
    uint32_t ntasks, nhosts, ninside, n; /* ninside: levels of objects */
    struct port_element {
        uint32_t parent, level; /* a parent's level is higher; the root is its
                                   own parent */
        uint32_t task;          /* of an object: the lowest one in it */
        uint32_t link;          /* of a host or switch: as element_tree's */
        const struct mapcore_port_type *type;
    } * element; /* [n] */
};

/* port_elements_clear is due also after a failure. Errors: as
 * mapcore_ports_estimate, but for messages. */
int port_elements_make(struct port_elements *out,
                       const struct mapcore_mapping *mapping,
                       const struct mapcore_alloc *alloc,
                       const struct mapcore_ports *ports,
                       struct mapcore_error *err);
void port_elements_clear(struct port_elements *elements);

/* What the port of an element, or the element itself, is called. */
struct mapcore_port port_elements_port(const struct port_elements *elements,
                                       uint32_t element,
                                       bool is_switch);

#endif
