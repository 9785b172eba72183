/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports_model.h - the port model of metric/ports.h for a command line: the
 * ports of the site file, and the messages of a profile */
#ifndef TOOLS_PORTS_MODEL_H
#define TOOLS_PORTS_MODEL_H

#include "metric/ports.h"
#include "tools/inputs/inputs.h"
#include "tools/site/site_ports.h"

/* Starts as all zero. */
struct ports_model {
    struct mapcore_error *err; /* of the caller */
    struct site_ports site;
    struct mapcore_hwnode *node;      /* of the site file, or NULL */
    struct mapcore_port_level *level; /* [ports.n] */
    uint32_t **type_of;               /* [ports.n], theirs */
    struct mapcore_ports ports;
    size_t ntypes;
    struct port_messages {
        size_t n, capacity;
        struct mapcore_messages *message;
    } * type; /* [ntypes] */
};

/* Messages of a type of a profile are those of its file `messages`, or of the
 * phase's; of any
 * other graph, and of types without, one each way of half an edge's bytes.
 * ports_model_close is due also after a failure. Errors: ENOENT (--topology is
 * no site file with ports; a name that is not there), ENOTSUP (no tree), EINVAL
 * (too few levels; a name twice), EIO, EPARSE (file and line), ENOMEM. */
int ports_model_open(struct ports_model *out,
                     const struct inputs *inputs,
                     const struct graph_types *types);
int ports_model_estimate(struct mapcore_estimate *out,
                         const struct ports_model *model,
                         size_t type,
                         const struct mapcore_alloc *alloc,
                         const struct mapcore_mapping *mapping);
void ports_model_close(struct ports_model *model);

#endif
