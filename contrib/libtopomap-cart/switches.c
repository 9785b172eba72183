/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* switches.c - where nodes are, by what topomap topology says */
#include "config.h"

#include "libtopomap-cart/switches.h"

#include "libtopomap-cart/ask.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *switches_ask(double seconds)
{
    const char *list = getenv("SLURM_JOB_NODELIST");
    const char *words[] = {NULL, "topology", "show", "--nodelist", list, NULL};

    return list ? ask_topomap(words, -1, seconds) : NULL;
}

/* The name and the place of the next node: lines `NUMBER NAME PLACE` behind the
 * first empty one. Moves *text behind it; false at the end. */
static bool next_node(const char **text,
                      const char **name,
                      size_t *length,
                      const char **place,
                      size_t *rest)
{
    const char *at = *text + strspn(*text, " ");

    if (*at < '0' || *at > '9')
        return false;
    at += strcspn(at, " \n");
    at += strspn(at, " ");
    *name = at;
    *length = strcspn(at, " \n");
    at += *length;
    at += strspn(at, " ");
    *place = at;
    *rest = strcspn(at, "\n");
    *text = at + *rest + (at[*rest] == '\n');
    return true;
}

int switches_find(const char *text, const char *node)
{
    const char *nodes = strstr(text, "\n\n"), *at, *name, *place, *mine = NULL;
    size_t length, rest, most = strlen(node), long_ = 0;

    if (!nodes)
        return -1;
    for (at = nodes + 2;
         !mine && next_node(&at, &name, &length, &place, &rest);)
        if (length == most && memcmp(name, node, most) == 0) {
            mine = place;
            long_ = rest;
        }
    at = nodes + 2;
    for (int i = 0; mine && next_node(&at, &name, &length, &place, &rest); i++)
        if (rest == long_ && memcmp(place, mine, rest) == 0)
            return i;
    return -1;
}
