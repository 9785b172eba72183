/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_order.c - ranks listed host by host, as the files of launchers */
#include "config.h"

#include "tools/rank_order.h"

#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>
#include <string.h>

const struct option_word rank_order_directions[] = {
    {"last", RANKS_LAST_FASTEST, "as MPI_Cart_create has it", false},
    {"first", RANKS_FIRST_FASTEST, NULL, false},
    {NULL, 0, NULL, false},
};

const struct option_word rank_order_forms[] = {
    {"mpich", MAPCORE_PLAN_MPICH, "MPICH_RANK_ORDER", false},
    {"mapping", MAPCORE_PLAN_PLAIN, "a line `node slot' a task", false},
    {"hostfile", MAPCORE_PLAN_HOSTFILE, "SLURM_HOSTFILE", false},
    {"rankfile", MAPCORE_PLAN_RANKFILE, "Open MPI", false},
    {NULL, 0, NULL, false},
};

int rank_order_write(const struct rank_order *order,
                     enum mapcore_plan_form form,
                     FILE *file,
                     struct mapcore_error *err)
{
    const uint32_t per = order->per;
    struct mapcore_plan plan = {.ntasks = order->ntasks,
                                .nhosts = (order->ntasks - 1) / per + 1,
                                .outcome = MAPCORE_PLAN_PLACED};
    int error = MAPCORE_ENOMEM;

    if (!order->names && form <= MAPCORE_PLAN_RANKFILE)
        return error_set(err, MAPCORE_EINVAL,
                         "the nodes have no names: --nodelist says them");
    plan.host = array_alloc(plan.ntasks, sizeof(*plan.host), err);
    plan.slot = array_alloc(plan.ntasks, sizeof(*plan.slot), err);
    if (plan.host && plan.slot) {
        for (uint32_t i = 0; i < plan.ntasks; i++) {
            plan.host[order->rank[i]] = i / per;
            plan.slot[order->rank[i]] = i % per;
        }
        error = mapcore_plan_write(&plan, form, order->names, file, err);
    }
    free(plan.host);
    free(plan.slot);
    return error;
}

void rank_order_next_item(char item[RANK_ORDER_ITEM], const char **rest)
{
    size_t n = strcspn(*rest, ",");

    snprintf(item, RANK_ORDER_ITEM, "%.*s%s",
             n < RANK_ORDER_ITEM ? (int)n : RANK_ORDER_ITEM - 4, *rest,
             n < RANK_ORDER_ITEM ? "" : "...");
    *rest = (*rest)[n] == ',' ? *rest + n + 1 : NULL;
}

bool rank_order_take_box(uint32_t *number,
                         uint32_t *n,
                         uint32_t most,
                         const char *text)
{
    uint64_t value;

    *n = 0;
    do {
        if (*n == most || !text_take_digits(&text, INT32_MAX, &value) ||
            value < 1)
            return false;
        number[(*n)++] = (uint32_t)value;
    } while (*text++ == 'x');
    return text[-1] == '\0';
}
