/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hostnames.c - the hosts that a launcher's file names */
#include "config.h"

#include "alloc/file/hostnames.h"

#include "base/array.h"

#include <string.h>

int hostnames_init(struct hostnames *out,
                   struct mapping_lines *lines,
                   const struct mapping_hosts *hosts,
                   const struct text *text,
                   struct mapcore_error *err)
{
    if (!hosts->name && !hosts->by_appearance)
        return error_set(err, MAPCORE_EINVAL,
                         "%s names nodes, but those of the allocation have no "
                         "names",
                         text_name(text));
    *out = (struct hostnames){.lines = lines, .hosts = hosts};
    for (uint32_t h = 0, number; hosts->name && h < hosts->n; h++) {
        int error = name_set_add(&number, &out->known, hosts->name[h], err);

        if (error < 0)
            return error;
    }
    return 0;
}

/* A new host, called as the file calls it. */
static int add_name(uint32_t *out,
                    struct hostnames *names,
                    const char *name,
                    struct mapcore_error *err)
{
    struct mapping_lines *lines = names->lines;
    int error =
        array_reserve(&lines->name, &lines->name_capacity,
                      (size_t)lines->nnames + 1, sizeof(*lines->name), err);

    if (error < 0)
        return error;
    char *copy = array_copy(name, strlen(name) + 1, 1, err);
    if (!copy)
        return MAPCORE_ENOMEM;
    lines->name[lines->nnames++] = copy;
    return name_set_add(out, &names->known, name, err);
}

int hostnames_find(uint32_t *out,
                   struct hostnames *names,
                   const char *name,
                   const struct text *text,
                   struct mapcore_error *err)
{
    uint32_t host = name_set_find(&names->known, name);

    if (host != MAPCORE_NONE) {
        *out = host;
        return 0;
    }
    if (names->hosts->name)
        return text_error(text, err, MAPCORE_EINVAL,
                          "node %.80s is not of the allocation", name);
    if (names->hosts->n > 0 && names->lines->nnames == names->hosts->n)
        return text_error(text, err, MAPCORE_EINVAL,
                          "node %.80s is one more than the %u that there are",
                          name, names->hosts->n);
    return add_name(out, names, name, err);
}

void hostnames_clear(struct hostnames *names)
{
    name_set_clear(&names->known);
}
