/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_describe.c - a plan for people, one line a host */
#include "config.h"

#include "launch/plan_describe.h"

#include "base/buffer.h"
#include "base/hosts.h"
#include "launch/plan_order.h"
#include "launch/runs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

int plan_describe(char **out,
                  const struct mapcore_plan *plan,
                  const char *nodelist,
                  struct mapcore_error *err)
{
    struct buffer buffer = {0};
    struct hosts hosts = {0};
    uint32_t *ranks = NULL, *first = NULL;
    int error = hosts_expand(&hosts, nodelist, err);

    if (error == 0 && hosts.n != plan->nhosts)
        error = error_set(err, MAPCORE_EPARSE, "%s: not %" PRIu32 " nodes",
                          nodelist, plan->nhosts);
    if (error == 0)
        error = plan_order(&ranks, &first, plan, err);
    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        char *runs = NULL;

        error =
            runs_format(&runs, ranks + first[h], first[h + 1] - first[h], err);
        if (error == 0)
            error = buffer_printf(&buffer, err, "%s: ranks %s\n", hosts.name[h],
                                  runs);
        free(runs);
    }
    if (error == 0 && plan->network)
        error = buffer_printf(&buffer, err, "network: %s\n", plan->network);
    if (error == 0)
        error = buffer_printf(&buffer, err,
                              "catalogue %.2f ms, topology %.2f ms, "
                              "mapping %.2f ms\n",
                              plan->milliseconds[0], plan->milliseconds[1],
                              plan->milliseconds[2]);
    if (error == 0)
        *out = buffer_steal(&buffer);
    buffer_clear(&buffer);
    hosts_clear(&hosts);
    free(ranks);
    free(first);
    return error;
}
