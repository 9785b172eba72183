/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* switches.c - where nodes are, by what topomap topology says */
#include "config.h"

#include "libtopomap-cart/switches.h"

#include "libtopomap-cart/ask.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

char *switches_ask(double seconds)
{
    char topology[] = "topology", show[] = "show", nodes[] = "--nodelist";
    char *list = getenv("SLURM_JOB_NODELIST");
    char *words[] = {NULL, topology, show, nodes, list, NULL};

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

/* Three numbers with that character between them; *at moves behind them. */
static bool take_three(int out[3], const char **at, char between)
{
    for (int i = 0; i < 3; i++) {
        char *end;
        long value;

        if (**at < '0' || **at > '9')
            return false;
        value = strtol(*at, &end, 10);
        if (value > INT_MAX || (i < 2 && *end != between))
            return false;
        out[i] = (int)value;
        *at = i < 2 ? end + 1 : end;
    }
    return true;
}

/* The rings of `torus 4x4x2, wraps 1x1x0`, the first line. */
static void take_rings(int ring[3], const char *line)
{
    static const char torus[] = "torus ", wraps[] = ", wraps ";
    int wrap[3];

    memset(ring, 0, 3 * sizeof(*ring));
    if (strncmp(line, torus, sizeof(torus) - 1) != 0)
        return;
    line += sizeof(torus) - 1;
    if (!take_three(ring, &line, 'x'))
        memset(ring, 0, 3 * sizeof(*ring));
    if (strncmp(line, wraps, sizeof(wraps) - 1) != 0)
        return;
    line += sizeof(wraps) - 1;
    if (!take_three(wrap, &line, 'x'))
        return;
    for (int i = 0; i < 3; i++)
        ring[i] = wrap[i] ? ring[i] : 0;
}

bool switches_find_router(int at[3],
                          int ring[3],
                          const char *text,
                          const char *node)
{
    const char *nodes = strstr(text, "\n\n"), *line, *name, *place;
    size_t length, rest, n = strlen(node);

    if (!nodes)
        return false;
    for (line = nodes + 2; next_node(&line, &name, &length, &place, &rest);) {
        if (length != n || memcmp(name, node, n) != 0)
            continue;
        if (*place++ != '(' || !take_three(at, &place, ',') || *place != ')')
            return false;
        take_rings(ring, text);
        return true;
    }
    return false;
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
