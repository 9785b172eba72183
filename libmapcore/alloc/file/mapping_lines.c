/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_lines.c - what readers of mapping files share */
#include "config.h"

#include "alloc/file/mapping_lines.h"

#include "alloc/mapping_place.h"
#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static const char *const forms[] = {
    [MAPCORE_MAPPING_ANY] = "any",
    [MAPCORE_MAPPING_PLAIN] = "mapping",
    [MAPCORE_MAPPING_HOSTFILE] = "hostfile",
    [MAPCORE_MAPPING_RANKFILE] = "rankfile",
    [MAPCORE_MAPPING_MPICH] = "mpich",
};

const char *mapcore_mapping_form_name(enum mapcore_mapping_form form)
{
    return forms[form];
}

int mapcore_mapping_form_find(enum mapcore_mapping_form *out,
                              const char *name,
                              struct mapcore_error *err)
{
    for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
        if (strcmp(name, forms[i]) == 0) {
            *out = (enum mapcore_mapping_form)i;
            return 0;
        }
    }
    return error_set(err, MAPCORE_EINVAL,
                     "there is no form of mappings '%.40s': mapping, hostfile, "
                     "rankfile, mpich, any",
                     name);
}

void mapping_lines_clear(struct mapping_lines *lines)
{
    for (uint32_t i = 0; i < lines->nnames; i++)
        free(lines->name[i]);
    free(lines->name);
    free(lines->host);
    free(lines->slot);
    free(lines->line);
    *lines = (struct mapping_lines){0};
}

int mapping_lines_add(struct mapping_lines *out,
                      uint32_t host,
                      uint32_t slot,
                      const struct text *text,
                      struct mapcore_error *err)
{
    size_t n = out->n;
    int error;

    if (n == INT32_MAX)
        return text_error(text, err, MAPCORE_ERANGE, "too many tasks");
    if ((error = array_reserve(&out->host, &out->nhost, n + 1,
                               sizeof(*out->host), err)) < 0 ||
        (error = array_reserve(&out->slot, &out->nslot, n + 1,
                               sizeof(*out->slot), err)) < 0 ||
        (error = array_reserve(&out->line, &out->nline, n + 1,
                               sizeof(*out->line), err)) < 0)
        return error;
    out->host[n] = host;
    out->slot[n] = slot;
    out->line[n] = text_line_number(text);
    out->n++;
    return 0;
}

bool mapping_take_digits(char **cursor, uint32_t *out)
{
    size_t n = strspn(*cursor, "0123456789");
    uint64_t value = 0;

    if (n == 0)
        return false;
    for (size_t i = 0; i < n; i++) {
        value = value * 10 + (uint64_t)((*cursor)[i] - '0');
        if (value >= MAPCORE_NONE)
            return false;
    }
    *cursor += n;
    *out = (uint32_t)value;
    return true;
}

int mapping_lines_place(struct mapcore_mapping **out,
                        const struct mapping_lines *lines,
                        const struct mapcore_alloc *alloc,
                        const char *name,
                        struct mapcore_error *err)
{
    const struct mapcore_mapping_places places = {lines->n, lines->host,
                                                  lines->slot};
    uint32_t task = 0;
    struct mapcore_error why;
    int error = mapping_place(out, &task, alloc, &places, &why);

    if (error == MAPCORE_EINVAL)
        return error_set(err, error, "%s:%zu: %s", name, lines->line[task],
                         why.text);
    return error < 0 ? error_set(err, error, "%s", why.text) : 0;
}
