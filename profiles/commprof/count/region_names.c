/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region_names.c - a table of names that several tasks have filled */
#include "config.h"

#include "commprof/count/region_names.h"

#include "launch/plain_name.h"

#include <string.h>

_Static_assert(REGION_NAME <= PLAIN_NAME_MOST, "a word of a command line");

void region_names_clean(char out[REGION_NAME], const char *text)
{
    const bool is_number = text[strspn(text, "0123456789")] == '\0';
    size_t n = 0;

    if (is_number)
        out[n++] = '_';
    for (; *text && n + 1 < REGION_NAME; text++, n++)
        out[n] = plain_name_has(*text) && (n > 0 || *text != '.') ? *text : '_';
    out[n] = '\0';
}

uint32_t region_names_find(const struct region_names *names, const char *name)
{
    for (uint32_t i = 0; i < REGIONS_MOST && names->name[i][0]; i++)
        if (strcmp(names->name[i], name) == 0)
            return PHASES_LEVELS + i;
    return PHASES_ALL;
}

uint32_t region_names_phase(struct region_names *names, const char *name)
{
    const uint32_t found = region_names_find(names, name);
    const size_t n = strlen(name);
    uint32_t i = 0;

    if (found != PHASES_ALL)
        return found;
    while (i < REGIONS_MOST && names->name[i][0])
        i++;
    if (i == REGIONS_MOST || n >= REGION_NAME) {
        names->refused = 1;
        return PHASES_ALL;
    }
    /* Whoever reads it when this task has died sees all of it or none. */
    memcpy(names->name[i] + 1, name + 1, n);
    __atomic_store_n(&names->name[i][0], name[0], __ATOMIC_RELEASE);
    return PHASES_LEVELS + i;
}

const char *region_names_get(const struct region_names *names, uint32_t phase)
{
    if (phase < PHASES_LEVELS || phase >= PHASES_MOST)
        return NULL;
    return names->name[phase - PHASES_LEVELS][0]
               ? names->name[phase - PHASES_LEVELS]
               : NULL;
}

bool region_names_add(struct region_names *names,
                      uint32_t phase[PHASES_MOST],
                      const struct region_names *more)
{
    bool differs = false;

    for (uint32_t p = 0; p < PHASES_MOST; p++) {
        const char *name = region_names_get(more, p);
        const uint32_t here = name ? region_names_phase(names, name) : p;

        phase[p] =
            here == PHASES_ALL || (p >= PHASES_LEVELS && !name) ? 0 : here;
        differs = differs || (name && phase[p] != p);
    }
    names->refused |= more->refused;
    return differs;
}
