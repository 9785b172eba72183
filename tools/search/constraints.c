/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* constraints.c - pinned ranks and named nodes, looked up */
#include "config.h"

#include "tools/search/constraints.h"

#include "base/array.h"
#include "launch/plan_words.h"

#include <stdlib.h>
#include <string.h>

static bool is_name(const char *name, const struct pin_words *words)
{
    return name && strlen(name) == words->nnode &&
           strncmp(name, words->node, words->nnode) == 0;
}

/* A host without a name is known by its number. */
static int find_node(uint32_t *out,
                     const struct pin_words *words,
                     const struct mapcore_alloc *alloc,
                     const char *const *names,
                     struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    char number[16];

    for (uint32_t h = 0; h < nhosts; h++) {
        snprintf(number, sizeof(number), "%u", h);
        if (is_name(names ? names[h]
                          : mapcore_topo_host_name(
                                topo, mapcore_alloc_host(alloc, h)),
                    words) ||
            (!names && !mapcore_topo_host_name(topo, 0) &&
             is_name(number, words))) {
            *out = h;
            return 0;
        }
    }
    return error_set(
        err, MAPCORE_ENOENT, "pin: node %.*s is not one of the %u of the job",
        words->nnode < 80 ? (int)words->nnode : 80, words->node, nhosts);
}

/* Where each task is without topomap, [ntasks]; the caller's. */
static int take_baseline(uint32_t **out,
                         const struct mapcore_search *search,
                         const struct mapcore_alloc *alloc,
                         uint32_t ntasks,
                         struct mapcore_error *err)
{
    struct mapcore_mapping *block = NULL;
    int error = 0;

    if (!search->baseline &&
        (error = mapcore_mapping_block(&block, alloc, ntasks, err)) < 0)
        return error;
    *out = array_copy(block ? block->host : search->baseline, ntasks,
                      sizeof(**out), err);
    mapcore_mapping_destroy(block);
    return *out ? 0 : MAPCORE_ENOMEM;
}

static int pin_tasks(uint32_t *pin,
                     const struct pin_words *words,
                     uint32_t ntasks,
                     uint32_t node,
                     const uint32_t *baseline,
                     struct mapcore_error *err)
{
    if (words->last >= ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "pin: there is no rank %u, the last one is %u",
                         words->last, ntasks - 1);
    for (uint32_t t = words->first; t <= words->last; t++) {
        uint32_t to = words->node ? node : baseline[t];

        if (pin[t] != MAPCORE_NONE && pin[t] != to)
            return error_set(err, MAPCORE_EINVAL,
                             "pin: rank %u is pinned to two nodes", t);
        pin[t] = to;
    }
    return 0;
}

int constraints_apply(struct mapcore_search *search,
                      uint32_t **pin,
                      const struct constraints *constraints,
                      const struct mapcore_alloc *alloc,
                      const char *const *names,
                      uint32_t ntasks,
                      struct mapcore_error *err)
{
    const char *cursor = constraints->pin ? constraints->pin : "off";
    uint32_t *list = NULL, *baseline = NULL, node = 0;
    struct pin_words words;
    int error = 0, more;

    *pin = NULL;
    search->unit =
        constraints->unit == UNIT_NODE ? MAPCORE_UNIT_HOST : constraints->unit;
    while ((more = pin_words_next(&words, &cursor, err)) > 0 && error == 0) {
        if (!list) {
            list = array_alloc(ntasks, sizeof(*list), err);
            error = list ? take_baseline(&baseline, search, alloc, ntasks, err)
                         : MAPCORE_ENOMEM;
            for (uint32_t t = 0; error == 0 && t < ntasks; t++)
                list[t] = MAPCORE_NONE;
        }
        if (error == 0 && words.node)
            error = find_node(&node, &words, alloc, names, err);
        if (error == 0)
            error = pin_tasks(list, &words, ntasks, node, baseline, err);
    }
    free(baseline);
    if (error < 0 || more < 0) {
        free(list);
        return error < 0 ? error : more;
    }
    search->pin = *pin = list;
    return 0;
}
