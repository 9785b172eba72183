/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binding.c - from slots and Slurm's own masks to the affinity of tasks */
#include "config.h"

#include "plugin/task/affinity.h"
#include "plugin/task/binding.h"
#include "plugin/task/cpuset.h"

#include "base/array.h"
#include "base/buffer.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* The mask of the step's cores, if this task may use just those: then Slurm
 * confines the tasks and has bound none of them. */
static char *own_cores(const char *cores, const struct cpuset_machine *machine)
{
    char *allowed = NULL, *current = NULL;

    if (!cores || cpuset_of_cores(&allowed, machine, cores, NULL) < 0)
        return NULL;
    if (affinity_current(&current, NULL) < 0 ||
        !cpuset_equal(allowed, current)) {
        free(allowed);
        allowed = NULL;
    }
    free(current);
    return allowed;
}

/* So that one task can speak for all. */
static int try_masks(const char *list, struct mapcore_error *err)
{
    char *before = NULL;
    int error = affinity_current(&before, err);

    if (error < 0)
        return error;
    error = affinity_try_all(list, err);
    if (error == 0)
        error = affinity_apply(before, strlen(before), err);
    else
        affinity_apply(before, strlen(before), NULL);
    free(before);
    return error;
}

/* Cuts list at its commas into at most most items; returns how many there are.
 */
static uint32_t split(char *list, const char **items, uint32_t most)
{
    uint32_t n = 0;

    for (char *item = list; item;) {
        char *comma = strchr(item, ',');

        if (comma)
            *comma++ = '\0';
        if (n < most)
            items[n] = item;
        n++;
        item = comma;
    }
    return n;
}

static int put_in_order(char **out,
                        const struct cpuset_machine *machine,
                        const char *const *masks,
                        uint32_t n,
                        struct mapcore_error *err)
{
    uint32_t *order = array_alloc(n, sizeof(*order), err);
    int error =
        order ? cpuset_order(order, machine, masks, n, err) : MAPCORE_ENOMEM;

    for (uint32_t i = 0; error == 0 && i < n; i++)
        if (!(out[i] = strdup(masks[order[i]])))
            error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
    for (uint32_t i = 0; error < 0 && i < n; i++) {
        free(out[i]);
        out[i] = NULL;
    }
    free(order);
    return error;
}

int binding_by_slot(char **out,
                    const struct cpuset_machine *machine,
                    const char *list,
                    uint32_t n,
                    struct mapcore_error *err)
{
    char *copy = array_copy(list, strlen(list) + 1, 1, err);
    const char **masks = array_alloc(n, sizeof(*masks), err);
    uint32_t count;
    int error = MAPCORE_ENOMEM;

    if (!copy || !masks)
        goto out;
    memset(out, 0, n * sizeof(*out));
    count = split(copy, masks, n);
    if (count == 1)
        error = cpuset_divide(out, machine, masks[0], n, err);
    else if (count == n)
        error = put_in_order(out, machine, masks, n, err);
    else
        error =
            error_set(err, MAPCORE_EPARSE,
                      "%" PRIu32 " CPU masks for %" PRIu32 " tasks", count, n);
out:
    free(copy);
    free(masks);
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

int binding_masks(char **list,
                  const struct cpuset_machine *machine,
                  const char *masks,
                  const struct binding *binding,
                  struct mapcore_error *err)
{
    char **by_slot = array_alloc(binding->nlocal, sizeof(*by_slot), err);
    int error =
        by_slot ? binding_by_slot(by_slot, machine, masks, binding->nlocal, err)
                : MAPCORE_ENOMEM;

    if (error == 0)
        error = join(list, by_slot, binding, err);
    for (uint32_t i = 0; by_slot && i < binding->nlocal; i++)
        free(by_slot[i]);
    free(by_slot);
    return error;
}

static bool is_planned_for(const struct cpuset_machine *machine,
                           const char *tree)
{
    char *levels = NULL;
    bool is_so =
        !tree || (cpuset_machine_describe(&levels, machine, NULL) == 0 &&
                  strcmp(levels, tree) == 0);

    free(levels);
    return is_so;
}

int binding_make(char **list,
                 bool *is_other,
                 const struct binding *binding,
                 struct mapcore_error *err)
{
    struct cpuset_machine *machine = NULL;
    const char *masks = binding->list;
    char *cores = NULL, *made = NULL;
    int error;

    error = cpuset_machine_open(&machine, NULL, err);
    if (error < 0)
        return error;
    if (!is_planned_for(machine, binding->tree)) {
        *is_other = true;
        masks = NULL;
    } else if (!masks)
        masks = cores = own_cores(binding->cores, machine);
    if (masks)
        error = binding_masks(&made, machine, masks, binding, err);
    if (made)
        error = try_masks(made, err);
    if (error == 0) {
        *list = made;
        made = NULL;
    }
    free(made);
    free(cores);
    cpuset_machine_close(machine);
    return error;
}

int binding_describe(char **out,
                     const char *list,
                     const uint32_t *rank,
                     uint32_t nlocal,
                     size_t most,
                     struct mapcore_error *err)
{
    struct buffer line = {0};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < nlocal; i++) {
        size_t n = strcspn(list, ",");
        char *mask = strndup(list, n), *cpus = NULL;

        if (line.n > most) {
            error =
                buffer_printf(&line, err, "; and %" PRIu32 " more", nlocal - i);
            i = nlocal - 1;
        } else if (!mask)
            error = error_set(err, MAPCORE_ENOMEM, "no memory for a CPU mask");
        else if ((error = cpuset_list(&cpus, mask, err)) == 0)
            error = buffer_printf(&line, err, "%s%" PRIu32 " on %s",
                                  i > 0 ? "; " : "", rank[i], cpus);
        free(mask);
        free(cpus);
        list += n + (list[n] != '\0');
    }
    if (error == 0)
        *out = buffer_steal(&line);
    buffer_clear(&line);
    return error;
}
