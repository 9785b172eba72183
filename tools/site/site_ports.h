/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_ports.h - what the ports of each level of the machine can do, as the
 * site file says it */
#ifndef TOOLS_SITE_PORTS_H
#define TOOLS_SITE_PORTS_H

#include "base/array.h"
#include "metric/ports.h"
#include "tools/site/site.h"

/* Starts as all zero. */
struct site_ports {
    struct arena memory; /* of all */
    uint32_t n;
    struct mapcore_port_level *level; /* [n], without type_of */
    struct site_port_types {
        struct mapcore_port_type *type; /* [n]; the first is that of the rest */
        char **names;                   /* [n], which are so; NULL: the rest */
        size_t n;
    } * types; /* [n], what the levels point to */
};

/* n stays 0 where the file says nothing. site_ports_clear is due also after a
 * failure. Errors: EPARSE (file, key), ENOMEM. */
int site_ports_read(struct site_ports *out,
                    const struct site_file *site,
                    struct mapcore_error *err);
void site_ports_clear(struct site_ports *ports);

#endif
