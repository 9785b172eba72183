/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_mappings.c - a mapping and what it comes to */
#include "config.h"

#include "tools/eval/eval_mappings.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/mapping_word.h"

#include <stdlib.h>

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
    struct mapcore_mapping *mapping = NULL;
    int error = mapping_word_open(&mapping, word, inputs, err);

    out->title = text_last_part(word);
    return error < 0 ? error
                     : eval_mapping_take(out, out->title, mapping, inputs,
                                         routes, err);
}

int eval_mapping_take(struct eval_mapping *out,
                      const char *title,
                      struct mapcore_mapping *mapping,
                      const struct inputs *inputs,
                      enum mapcore_routes routes,
                      struct mapcore_error *err)
{
    out->title = title;
    out->mapping = mapping;
    return measure(out, inputs, routes, err);
}

void eval_mapping_clear(struct eval_mapping *mapping)
{
    mapcore_mapping_destroy(mapping->mapping);
    free(mapping->load);
    *mapping = (struct eval_mapping){0};
}
