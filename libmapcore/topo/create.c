/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* create.c - what the makers of all kinds of network share */
#include "config.h"

#include "topo/create.h"

#include "base/text.h"
#include "topo/ops.h"

#include <stdlib.h>

bool topo_is_capacity(double capacity)
{
    return capacity >= 1e-30 && capacity <= 1e30;
}

int topo_name_hosts(struct mapcore_topo *topo,
                    const char *const *name,
                    size_t n,
                    struct mapcore_error *err)
{
    if (n != topo->nhosts)
        return error_set(
            err, MAPCORE_EINVAL, "%zu name%s for a network of %u host%s", n,
            text_plural(n), topo->nhosts, text_plural(topo->nhosts));
    return name_set_add_all(&topo->names, name, n, err);
}

void topo_set_description(struct mapcore_topo *topo, char *description)
{
    free(topo->description);
    topo->description = description;
}
