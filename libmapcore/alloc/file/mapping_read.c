/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_read.c - a mapping file of any form, read for an allocation */
#include "config.h"

#include "alloc/mapping.h"

#include "alloc/file/mapping_lines.h"
#include "base/array.h"
#include "base/text.h"

#include <stdlib.h>

/* Names and slots of the allocation's hosts; both arrays are the caller's. */
static int describe_hosts(struct mapping_hosts *out,
                          const char ***names,
                          uint32_t **slots,
                          const struct mapcore_alloc *alloc,
                          struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t n = mapcore_alloc_nhosts(alloc);
    bool is_named = n > 0;

    *names = array_alloc(n, sizeof(**names), err);
    *slots = array_alloc(n, sizeof(**slots), err);
    if (!*names || !*slots)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++) {
        (*slots)[h] = mapcore_alloc_slots(alloc, h);
        (*names)[h] =
            mapcore_topo_host_name(topo, mapcore_alloc_host(alloc, h));
        is_named = is_named && (*names)[h];
    }
    *out = (struct mapping_hosts){
        .n = n, .name = is_named ? *names : NULL, .slots = *slots};
    return 0;
}

int mapcore_mapping_read_form(struct mapcore_mapping **out,
                              const struct mapcore_alloc *alloc,
                              const char *path,
                              enum mapcore_mapping_form form,
                              struct mapcore_error *err)
{
    struct mapping_lines lines = {0};
    struct mapping_hosts hosts;
    struct text *text = NULL;
    const char **names = NULL;
    uint32_t *slots = NULL;
    int error = describe_hosts(&hosts, &names, &slots, alloc, err);

    if (error == 0)
        error = text_open(&text, path, err);
    if (error == 0)
        error = mapping_lines_read(&lines, &form, text, &hosts, err);
    if (error == 0)
        error = mapping_lines_place(out, &lines, alloc, path, err);
    text_close(text);
    mapping_lines_clear(&lines);
    free(names);
    free(slots);
    return error;
}

int mapcore_mapping_read(struct mapcore_mapping **out,
                         const struct mapcore_alloc *alloc,
                         const char *path,
                         struct mapcore_error *err)
{
    return mapcore_mapping_read_form(out, alloc, path, MAPCORE_MAPPING_PLAIN,
                                     err);
}
