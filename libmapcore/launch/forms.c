/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* forms.c - a plan in the forms that other launchers and people read */
#include "config.h"

#include "launch/plan.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"

#include <inttypes.h>
#include <stdlib.h>

static void write_hostfile(const struct mapcore_plan *plan,
                           const char *const *names,
                           FILE *file)
{
    for (uint32_t r = 0; r < plan->ntasks; r++)
        fprintf(file, "%s\n", names[plan->host[r]]);
}

static void write_rankfile(const struct mapcore_plan *plan,
                           const char *const *names,
                           FILE *file)
{
    for (uint32_t r = 0; r < plan->ntasks; r++)
        fprintf(file, "rank %" PRIu32 "=%s slot=%" PRIu32 "\n", r,
                names[plan->host[r]], plan->slot[r]);
}

/* Counting sort by host, then by slot: *ranks[ntasks], and where in it each
 * host begins, *first[nhosts + 1]; both owned. */
static int order_ranks(uint32_t **ranks,
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
    for (uint32_t r = 0; r < plan->ntasks; r++)
        begin[plan->host[r] + 1]++;
    for (uint32_t h = 0; h < plan->nhosts; h++)
        begin[h + 1] += begin[h];
    for (uint32_t r = 0; r < plan->ntasks; r++)
        order[begin[plan->host[r]] + plan->slot[r]] = r;
    *ranks = order;
    *first = begin;
    return 0;
}

/* A block layout fills host after host, slot after slot. */
static int write_mpich(const struct mapcore_plan *plan,
                       FILE *file,
                       struct mapcore_error *err)
{
    uint32_t *ranks = NULL, *first = NULL;
    int error = order_ranks(&ranks, &first, plan, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < plan->ntasks; i++)
        fprintf(file, "%s%" PRIu32, i > 0 ? "," : "", ranks[i]);
    fputc('\n', file);
    free(ranks);
    free(first);
    return 0;
}

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
        error = error_set(err, MAPCORE_EPARSE, "%s: not %" PRIu32 " hosts",
                          nodelist, plan->nhosts);
    if (error == 0)
        error = order_ranks(&ranks, &first, plan, err);
    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        char *runs = NULL;

        error = plan_runs_format(&runs, ranks + first[h],
                                 first[h + 1] - first[h], err);
        if (error == 0)
            error = buffer_printf(&buffer, err, "%s: ranks %s\n", hosts.name[h],
                                  runs);
        free(runs);
    }
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

int mapcore_plan_write(const struct mapcore_plan *plan,
                       enum mapcore_plan_form form,
                       const char *const *names,
                       FILE *file,
                       struct mapcore_error *err)
{
    int error = 0;

    if (!plan->applies)
        return error_set(err, MAPCORE_EINVAL,
                         "a plan that keeps Slurm's layout has no such form");
    switch (form) {
    case MAPCORE_PLAN_HOSTFILE:
        write_hostfile(plan, names, file);
        break;
    case MAPCORE_PLAN_RANKFILE:
        write_rankfile(plan, names, file);
        break;
    case MAPCORE_PLAN_MPICH:
        error = write_mpich(plan, file, err);
        break;
    }
    if (error == 0 && ferror(file))
        error = error_set(err, MAPCORE_EIO, "the plan cannot be written");
    return error;
}
