/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cables.c - hosts, switches and the cables between them, collected by the
 * readers of several formats, and the network that they make */
#include "config.h"

#include "topo/file/cables.h"

#include "base/array.h"

#include <stdlib.h>

static int add_name(struct name_set *names,
                    uint32_t *out,
                    const char *name,
                    bool *is_new,
                    struct mapcore_error *err)
{
    size_t before = names->n;
    int error = name_set_add(out, names, name, err);

    if (error == 0 && names->n > TOPO_MAX_HOSTS)
        error = error_set(err, MAPCORE_ERANGE, "more than 2^24 nodes");
    *is_new = error == 0 && names->n > before;
    return error;
}

int cables_add_switch(struct cables *cables,
                      uint32_t *out,
                      const char *name,
                      bool *is_new,
                      struct mapcore_error *err)
{
    return add_name(&cables->switches, out, name, is_new, err);
}

int cables_add_host(struct cables *cables,
                    uint32_t *out,
                    const char *name,
                    uint32_t at,
                    bool *is_new,
                    struct mapcore_error *err)
{
    int error = array_reserve(&cables->at, &cables->nat, cables->hosts.n + 1,
                              sizeof(*cables->at), err);

    if (error == 0)
        error = add_name(&cables->hosts, out, name, is_new, err);
    if (error == 0 && *is_new)
        cables->at[*out] = at;
    return error;
}

int cables_add(struct cables *cables,
               uint32_t a,
               uint32_t b,
               double capacity,
               struct mapcore_error *err)
{
    int error = array_reserve(&cables->cable, &cables->capacity,
                              cables->ncables + 1, sizeof(*cables->cable), err);

    if (error == 0)
        cables->cable[cables->ncables++] = (struct topo_cable){a, b, capacity};
    return error;
}

/* What stands between a host and its way into the network, checked one by one
 * so that the name can be told. */
static int check_hosts(const struct cables *cables,
                       const char *name,
                       struct mapcore_error *err)
{
    uint32_t *ncables = array_alloc(cables->hosts.n, sizeof(*ncables), err);
    int error = 0;

    if (!ncables)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < cables->ncables; i++) {
        if (cables->cable[i].a % 2 == 0)
            ncables[cables->cable[i].a / 2]++;
        if (cables->cable[i].b % 2 == 0)
            ncables[cables->cable[i].b / 2]++;
    }
    for (size_t h = 0; error == 0 && h < cables->hosts.n; h++) {
        bool is_attached = cables->at[h] != MAPCORE_NONE;

        if (is_attached && ncables[h] > 0)
            error =
                error_set(err, MAPCORE_EPARSE,
                          "%s: host %.100s sits at a switch and has a cable "
                          "as well",
                          name, cables->hosts.name[h]);
        if (!is_attached && ncables[h] == 0)
            error = error_set(err, MAPCORE_EPARSE,
                              "%s: the network is not connected: host %.100s "
                              "has no link",
                              name, cables->hosts.name[h]);
    }
    free(ncables);
    return error;
}

int cables_create(struct mapcore_topo **out,
                  const struct cables *cables,
                  const char *name,
                  struct mapcore_error *err)
{
    uint32_t nhosts = (uint32_t)cables->hosts.n;
    struct topo_cable *cable;
    struct mapcore_error why;
    int error = check_hosts(cables, name, err);

    if (error < 0)
        return error;
    cable = array_copy(cables->cable, cables->ncables, sizeof(*cable), err);
    if (!cable)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < cables->ncables; i++) {
        uint32_t a = cable[i].a, b = cable[i].b;

        cable[i].a = a / 2 + (a % 2 == 1 ? nhosts : 0);
        cable[i].b = b / 2 + (b % 2 == 1 ? nhosts : 0);
    }
    error = topo_create_fabric(
        out,
        &(struct topo_fabric){
            .nhosts = nhosts,
            .nswitches = (uint32_t)cables->switches.n,
            .host_names = (const char *const *)cables->hosts.name,
            .switch_names = (const char *const *)cables->switches.name,
            .at = cables->at,
            .ncables = cables->ncables,
            .cable = cable,
            .has_capacities = cables->has_capacities},
        &why);
    if (error < 0)
        error_set(err, error == MAPCORE_EINVAL ? MAPCORE_EPARSE : error,
                  "%s: %s", name, why.text);
    free(cable);
    return error == MAPCORE_EINVAL ? MAPCORE_EPARSE : error;
}

void cables_clear(struct cables *cables)
{
    name_set_clear(&cables->hosts);
    name_set_clear(&cables->switches);
    free(cables->at);
    free(cables->cable);
    *cables = (struct cables){0};
}
