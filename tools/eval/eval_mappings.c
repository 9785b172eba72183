/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_mappings.c - a mapping and what it comes to */
#include "config.h"

#include "tools/eval/eval_mappings.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/inputs/foreign.h"
#include "tools/search/timed_search.h"

#include <stdlib.h>

/* One run, so that the same words give the same mapping anywhere. */
static int make_mapping(struct mapcore_mapping **out,
                        const char *word,
                        const struct inputs *inputs,
                        struct mapcore_error *err)
{
    const struct timed_search which = {
        .graph = inputs->graph, .alloc = inputs->alloc, .mapper = word};
    struct mapcore_search search = {.seed = 1, .work = 1, .threads = 1};
    struct mapcore_result result = {0};
    int error;

    search.node = inputs->hwnode;
    error = timed_search_run(&result, NULL, &which, &search, err);
    if (error == 0) {
        *out = result.mapping;
        result.mapping = NULL;
    }
    mapcore_result_clear(&result);
    return error;
}

int eval_mapping_read(struct mapcore_mapping **out,
                      const char *path,
                      const struct inputs *inputs,
                      struct mapcore_error *err)
{
    const uint32_t ntasks = mapcore_graph_ntasks(inputs->graph);
    struct mapcore_mapping *mapping = NULL;
    int error = foreign_mapping_open(&mapping, path, inputs->alloc, err);

    if (error == 0 && mapping->ntasks != ntasks)
        error =
            error_set(err, MAPCORE_EINVAL, "%s places %u task%s, and %s has %u",
                      path, mapping->ntasks, text_plural(mapping->ntasks),
                      inputs->source.path, ntasks);
    if (error < 0) {
        mapcore_mapping_destroy(mapping);
        return error;
    }
    *out = mapping;
    return 0;
}

int eval_mapping_open(struct eval_mapping *out,
                      const char *word,
                      const struct inputs *inputs,
                      struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    int error = timed_search_is_mapper(word)
                    ? make_mapping(&mapping, word, inputs, err)
                    : eval_mapping_read(&mapping, word, inputs, err);

    out->title = text_last_part(word);
    return error < 0 ? error
                     : eval_mapping_take(out, out->title, mapping, inputs,
                                         MAPCORE_ROUTES_STATIC, err);
}

int eval_mapping_take(struct eval_mapping *out,
                      const char *title,
                      struct mapcore_mapping *mapping,
                      const struct inputs *inputs,
                      enum mapcore_routes routes,
                      struct mapcore_error *err)
{
    int error;

    out->title = title;
    out->mapping = mapping;
    if ((error = mapcore_places_open(&out->at, inputs->alloc, mapping, err)) <
        0)
        return error;
    out->load =
        array_alloc(mapcore_topo_nlinks(mapcore_alloc_topo(out->at.alloc)),
                    sizeof(*out->load), err);
    if (!out->load)
        return MAPCORE_ENOMEM;
    error = mapcore_metrics_compute_routes(
        &out->metrics, inputs->graph, out->at.alloc, out->at.host,
        &(struct mapcore_metrics_how){routes, out->load}, err);
    if (error == 0 && inputs->hwnode)
        error =
            mapcore_inside_compute(&out->inside, inputs->graph, inputs->alloc,
                                   out->mapping, inputs->hwnode, err);
    return error;
}

void eval_mapping_clear(struct eval_mapping *mapping)
{
    mapcore_mapping_destroy(mapping->mapping);
    mapcore_places_close(&mapping->at);
    free(mapping->load);
    *mapping = (struct eval_mapping){0};
}
