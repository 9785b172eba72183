/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binding.c - from slots and Slurm's own masks to this task's affinity */
#include "config.h"

#include "plugin/task/binding.h"
#include "plugin/task/cpuset.h"

#include "base/array.h"
#include "base/buffer.h"

#include <stdlib.h>

/* The mask of the step's cores, if this task may use just those: then Slurm
 * confines the tasks and has bound none of them. */
static char *own_cores(const char *cores, const struct cpuset_machine *machine)
{
    char *allowed = NULL, *current = NULL;

    if (!cores || cpuset_of_cores(&allowed, machine, cores, NULL) < 0)
        return NULL;
    if (cpuset_current(&current, NULL) < 0 || !cpuset_equal(allowed, current)) {
        free(allowed);
        allowed = NULL;
    }
    free(current);
    return allowed;
}

static int apply_masks(char *const *by_slot,
                       const struct binding *binding,
                       struct mapcore_error *err)
{
    char *before = NULL;
    int error = cpuset_current(&before, err);

    for (uint32_t i = 0; error == 0 && i < binding->nlocal; i++)
        if (binding->local == 0)
            error = cpuset_apply(by_slot[i], err);
    if (error == 0)
        error = cpuset_apply(by_slot[binding->slot[binding->local]], err);
    if (error < 0 && before)
        cpuset_apply(before, NULL);
    free(before);
    return error;
}

static int join(char **out,
                char *const *by_slot,
                const struct binding *binding,
                struct mapcore_error *err)
{
    struct buffer list = {0};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < binding->nlocal; i++)
        error = buffer_printf(&list, err, "%s%s", i > 0 ? "," : "",
                              by_slot[binding->slot[i]]);
    if (error == 0)
        *out = buffer_steal(&list);
    buffer_clear(&list);
    return error;
}

int binding_apply(char **list,
                  const struct binding *binding,
                  struct mapcore_error *err)
{
    struct cpuset_machine *machine = NULL;
    const char *masks = binding->list;
    char **by_slot = array_alloc(binding->nlocal, sizeof(*by_slot), err);
    char *cores = NULL, *joined = NULL;
    int error = by_slot ? 0 : MAPCORE_ENOMEM;

    if (error < 0 || (error = cpuset_machine_open(&machine, NULL, err)) < 0)
        goto out;
    if (!masks)
        masks = cores = own_cores(binding->cores, machine);
    if (masks && ((error = cpuset_by_slot(by_slot, machine, masks,
                                          binding->nlocal, err)) < 0 ||
                  (error = join(&joined, by_slot, binding, err)) < 0 ||
                  (error = apply_masks(by_slot, binding, err)) < 0))
        goto out;
    *list = joined;
    joined = NULL;
out:
    for (uint32_t i = 0; by_slot && i < binding->nlocal; i++)
        free(by_slot[i]);
    free(by_slot);
    free(cores);
    free(joined);
    cpuset_machine_close(machine);
    return error;
}
