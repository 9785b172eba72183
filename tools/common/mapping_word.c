/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_word.c - a mapping out of a file, or made here for comparison */
#include "config.h"

#include "tools/common/mapping_word.h"

#include "base/text.h"
#include "map/map.h"
#include "tools/common/timed_search.h"

#include <string.h>

bool mapping_word_is_mapper(const char *word)
{
    const size_t n = strcspn(word, ":+"); /* :parameters, +refine */
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

int mapping_word_open(struct mapcore_mapping **out,
                      const char *word,
                      const struct inputs *inputs,
                      struct mapcore_error *err)
{
    const uint32_t ntasks = mapcore_graph_ntasks(inputs->graph);
    struct mapcore_mapping *mapping = NULL;
    int error = mapping_word_is_mapper(word)
                    ? make_mapping(&mapping, word, inputs, err)
                    : mapcore_mapping_read_form(&mapping, inputs->alloc, word,
                                                MAPCORE_MAPPING_ANY, err);

    if (error == 0 && mapping->ntasks != ntasks)
        error =
            error_set(err, MAPCORE_EINVAL, "%s places %u task%s, and %s has %u",
                      word, mapping->ntasks, text_plural(mapping->ntasks),
                      inputs->source.path, ntasks);
    if (error < 0) {
        mapcore_mapping_destroy(mapping);
        return error;
    }
    *out = mapping;
    return 0;
}
