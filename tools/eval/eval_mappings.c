/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_mappings.c - a mapping out of a file, or made here for comparison */
#include "config.h"

#include "tools/eval/eval_mappings.h"

#include "base/array.h"
#include "base/text.h"
#include "map/map.h"
#include "tools/common/timed_search.h"

#include <stdlib.h>
#include <string.h>

static bool is_mapper(const char *word)
{
    const size_t n = strcspn(word, ":");
    struct mapcore_mapper mapper;

    if (strchr(word, '/'))
        return false;
    for (size_t i = 0; mapcore_mapper_get(&mapper, i); i++)
        if (strlen(mapper.name) == n && strncmp(mapper.name, word, n) == 0)
            return true;
    return false;
}

/* One run, so that the same words give the same mapping anywhere. */
static int make_mapping(struct mapcore_mapping **out,
                        const char *word,
                        const struct inputs *inputs,
                        struct mapcore_error *err)
{
    const struct timed_search which = {.mapper = word};
    struct mapcore_search search = {.seed = 1, .work = 1, .threads = 1};
    struct mapcore_result result = {0};
    int error;

    search.node = inputs->hwnode;
    error = timed_search_run(&result, NULL, inputs->graph, inputs->alloc,
                             &which, &search, err);
    if (error == 0) {
        *out = result.mapping;
        result.mapping = NULL;
    }
    mapcore_result_clear(&result);
    return error;
}

static int measure(struct eval_mapping *out,
                   const struct inputs *inputs,
                   enum mapcore_routes routes,
                   struct mapcore_error *err)
{
    int error;

    out->load =
        array_alloc(mapcore_topo_nlinks(inputs->topo), sizeof(*out->load), err);
    if (!out->load)
        return MAPCORE_ENOMEM;
    error = mapcore_metrics_compute_loads(&out->metrics, out->load,
                                          inputs->graph, inputs->alloc,
                                          out->mapping->host, routes, err);
    if (error == 0 && inputs->hwnode)
        error =
            mapcore_inside_compute(&out->inside, inputs->graph, inputs->alloc,
                                   out->mapping, inputs->hwnode, err);
    return error;
}

int eval_mapping_open(struct eval_mapping *out,
                      const char *word,
                      const struct inputs *inputs,
                      enum mapcore_routes routes,
                      struct mapcore_error *err)
{
    const uint32_t ntasks = mapcore_graph_ntasks(inputs->graph);
    bool makes = is_mapper(word);
    int error = makes
                    ? make_mapping(&out->mapping, word, inputs, err)
                    : mapcore_mapping_read_form(&out->mapping, inputs->alloc,
                                                word, MAPCORE_MAPPING_ANY, err);

    out->title = makes ? word : text_last_part(word);
    if (error < 0)
        return error;
    if (out->mapping->ntasks != ntasks)
        return error_set(
            err, MAPCORE_EINVAL, "%s places %u task%s, and %s has %u", word,
            out->mapping->ntasks, text_plural(out->mapping->ntasks),
            inputs->source.path, ntasks);
    return measure(out, inputs, routes, err);
}

void eval_mapping_clear(struct eval_mapping *mapping)
{
    mapcore_mapping_destroy(mapping->mapping);
    free(mapping->load);
    *mapping = (struct eval_mapping){0};
}
