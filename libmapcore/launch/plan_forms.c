/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_forms.c - a plan in the forms that other launchers and people read */
#include "config.h"

#include "launch/wire.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/buffer.h"
#include "base/error_set.h"
#include "base/hosts.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/runs.h"

#include <stdio.h>
#include <stdlib.h>

int plan_order(uint32_t **ranks,
               uint32_t **first,
               const struct mapcore_plan *plan,
               struct mapcore_error *err)
{
    uint32_t *order = array_alloc(plan->ntasks, sizeof(*order), err);
    uint32_t *begin =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*begin), err);

    if (!order || !begin) {
        free(order);
        free(begin);
        return MAPCORE_ENOMEM;
    }
    bucket_starts(begin, plan->host, plan->ntasks, plan->nhosts);
    for (uint32_t r = 0; r < plan->ntasks; r++)
        order[begin[plan->host[r]] + plan->slot[r]] = r;
    *ranks = order;
    *first = begin;
    return 0;
}

int plan_own_slots(uint32_t **out,
                   const struct mapcore_facts *facts,
                   struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    uint32_t *used = arena_alloc(&arena, facts->nhosts, sizeof(*used));

    *out = used ? array_alloc(facts->ntasks, sizeof(**out), err) : NULL;
    for (uint32_t r = 0; *out && r < facts->ntasks; r++)
        (*out)[r] = used[facts->baseline[r]]++;
    arena_clear(&arena);
    return *out ? 0 : MAPCORE_ENOMEM;
}

int mapcore_plan_write(const struct mapcore_plan *plan,
                       enum mapcore_plan_form form,
                       const char *const *names,
                       FILE *file,
                       struct mapcore_error *err)
{
    uint32_t *ranks = NULL, *first = NULL;
    int error;

    if (plan->outcome != MAPCORE_PLAN_PLACED)
        return error_set(err, MAPCORE_EINVAL,
                         "a plan that keeps Slurm's layout has no such form");
    /* A block layout fills host after host, slot after slot. */
    if (form == MAPCORE_PLAN_MPICH &&
        (error = plan_order(&ranks, &first, plan, err)) < 0)
        return error;
    for (uint32_t r = 0; r < plan->ntasks; r++)
        if (form == MAPCORE_PLAN_HOSTFILE)
            fprintf(file, "%s\n", names[plan->host[r]]);
        else if (form == MAPCORE_PLAN_RANKFILE)
            fprintf(file, "rank %u=%s slot=%u\n", r, names[plan->host[r]],
                    plan->slot[r]);
        else if (form == MAPCORE_PLAN_PLAIN)
            fprintf(file, "%u %u\n", plan->host[r], plan->slot[r]);
        else
            fprintf(file, "%s%u", r > 0 ? "," : "", ranks[r]);
    if (form == MAPCORE_PLAN_MPICH)
        fputc('\n', file);
    free(ranks);
    free(first);
    return ferror(file)
               ? error_set(err, MAPCORE_EIO, "the plan cannot be written")
               : 0;
}

int plan_describe(char **out,
                  const struct mapcore_plan *plan,
                  const char *nodelist,
                  struct mapcore_error *err)
{
    struct buffer buffer = {.err = err};
    struct hosts hosts = {0};
    uint32_t *ranks = NULL, *first = NULL;
    int error = hosts_expand(&hosts, nodelist, err);

    if (error == 0 && hosts.n != plan->nhosts)
        error = error_set(err, MAPCORE_EPARSE, "%s: not %u nodes", nodelist,
                          plan->nhosts);
    if (error == 0)
        error = plan_order(&ranks, &first, plan, err);
    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        char *runs = NULL;

        error =
            runs_format(&runs, ranks + first[h], first[h + 1] - first[h], err);
        buffer_printf(&buffer, "%s: ranks %s\n", hosts.name[h],
                      runs ? runs : "");
        free(runs);
    }
    if (plan->network)
        buffer_printf(&buffer, "network: %s\n", plan->network);
    buffer_printf(
        &buffer, "catalogue %.2f ms, topology %.2f ms, mapping %.2f ms\n",
        plan->milliseconds[0], plan->milliseconds[1], plan->milliseconds[2]);
    hosts_clear(&hosts);
    free(ranks);
    free(first);
    return buffer_finish(out, &buffer, error);
}
