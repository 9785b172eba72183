/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hostnames.c - the hosts that a launcher's file names, in a hash table */
#include "config.h"

#include "alloc/file/hostnames.h"

#include "base/array.h"
#include "base/fnv.h"

#include <stdlib.h>
#include <string.h>

static const char *name_of(const struct hostnames *names, uint32_t host)
{
    return names->hosts->name ? names->hosts->name[host]
                              : names->lines->name[host];
}

static uint32_t *find_entry(const struct hostnames *names, const char *name)
{
    size_t at = (size_t)fnv1a(name, strlen(name)) & (names->room - 1);

    while (names->entry[at] != 0 &&
           strcmp(name_of(names, names->entry[at] - 1), name) != 0)
        at = (at + 1) & (names->room - 1);
    return &names->entry[at];
}

/* Makes room for twice as many names as there are. */
static int rehash(struct hostnames *names,
                  uint32_t n,
                  struct mapcore_error *err)
{
    size_t room = 16;

    while (room < 4 * (size_t)n)
        room *= 2;
    free(names->entry);
    names->entry = array_alloc(room, sizeof(*names->entry), err);
    names->room = room;
    if (!names->entry)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < n; h++)
        *find_entry(names, name_of(names, h)) = h + 1;
    return 0;
}

int hostnames_init(struct hostnames *out,
                   struct mapping_lines *lines,
                   const struct mapping_hosts *hosts,
                   const struct text *text,
                   struct mapcore_error *err)
{
    if (!hosts->name && !hosts->by_appearance)
        return error_set(err, MAPCORE_EINVAL,
                         "%s names hosts, but those of the allocation have no "
                         "names",
                         text_name(text));
    *out = (struct hostnames){.lines = lines, .hosts = hosts};
    return rehash(out, hosts->name ? hosts->n : 0, err);
}

/* A new host, called as the file calls it. */
static int add_name(struct hostnames *names,
                    const char *name,
                    struct mapcore_error *err)
{
    struct mapping_lines *lines = names->lines;
    int error =
        array_reserve(&lines->name, &lines->name_room,
                      (size_t)lines->nnames + 1, sizeof(*lines->name), err);

    if (error < 0)
        return error;
    char *copy = array_copy(name, strlen(name) + 1, 1, err);
    if (!copy)
        return MAPCORE_ENOMEM;
    lines->name[lines->nnames++] = copy;
    if (2 * (size_t)lines->nnames >= names->room)
        return rehash(names, lines->nnames, err);
    *find_entry(names, name) = lines->nnames;
    return 0;
}

int hostnames_find(uint32_t *out,
                   struct hostnames *names,
                   const char *name,
                   const struct text *text,
                   struct mapcore_error *err)
{
    uint32_t entry = *find_entry(names, name);
    int error;

    if (entry == 0 && names->hosts->name)
        return text_error(text, err, MAPCORE_EINVAL,
                          "host %.80s is not of the allocation", name);
    if (entry == 0 && names->hosts->n > 0 &&
        names->lines->nnames == names->hosts->n)
        return text_error(text, err, MAPCORE_EINVAL,
                          "host %.80s is one more than the %u that there are",
                          name, names->hosts->n);
    if (entry == 0) {
        if ((error = add_name(names, name, err)) < 0)
            return error;
        entry = names->lines->nnames;
    }
    *out = entry - 1;
    return 0;
}
