/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* forms.c - a plan in the forms that other launchers and people read */
#include "config.h"

#include "launch/plan.h"

#include "base/error_set.h"
#include "launch/plan_order.h"

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

/* A block layout fills host after host, slot after slot. */
static int write_mpich(const struct mapcore_plan *plan,
                       FILE *file,
                       struct mapcore_error *err)
{
    uint32_t *ranks = NULL, *first = NULL;
    int error = plan_order(&ranks, &first, plan, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < plan->ntasks; i++)
        fprintf(file, "%s%" PRIu32, i > 0 ? "," : "", ranks[i]);
    fputc('\n', file);
    free(ranks);
    free(first);
    return 0;
}

int mapcore_plan_write(const struct mapcore_plan *plan,
                       enum mapcore_plan_form form,
                       const char *const *names,
                       FILE *file,
                       struct mapcore_error *err)
{
    int error = 0;

    if (plan->outcome != MAPCORE_PLAN_PLACED)
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
