/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_levels.c - plain synthetic descriptions of a node, level by level */
#include "config.h"

#include "topo/node_levels.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* From large to small; what has the same place is the same level. */
static const struct {
    const char *name;
    int place;
} names[] = {
    {"package", 0},  {"pack", 0}, {"socket", 0},   {"die", 1},
    {"l3cache", 2},  {"l3", 2},   {"l2cache", 3},  {"l2", 3},
    {"l1dcache", 4}, {"l1d", 4},  {"l1icache", 5}, {"l1i", 5},
    {"core", 6},     {"pu", 7},
};
enum { PLACE_CORE = 6, PLACE_PU = 7 };
static const char *const shown[] = {"Package", "Die", "L3",   "L2",
                                    "L1d",     "L1i", "Core", "PU"};

static int find_place(const char *name, size_t length)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i].name) == length &&
            strncasecmp(names[i].name, name, length) == 0)
            return names[i].place;
    return -1;
}

/* "core:8" and the blanks behind it. */
static bool take_level(const char **at, int *place, uint32_t *count)
{
    size_t length = strcspn(*at, ":");
    unsigned long number;
    char *end;

    *place = find_place(*at, length);
    if (*place < 0 || (*at)[length] != ':')
        return false;
    *at += length + 1;
    if (**at < '1' || **at > '9')
        return false;
    number = strtoul(*at, &end, 10);
    if (number > UINT16_MAX || (*end != ' ' && *end != '\0'))
        return false;
    *count = (uint32_t)number;
    *at = end + strspn(end, " ");
    return true;
}

bool node_levels_read(struct node_levels *out,
                      const char *description,
                      uint32_t most)
{
    struct node_levels levels = {.n = 0};
    const char *at = description;
    uint64_t threads = 1;
    int place, last = -1;
    bool has_core = false;

    while (*at != '\0') {
        uint32_t *count = &levels.count[levels.n];

        if (!take_level(&at, &place, count) || place <= last ||
            (threads *= *count) > most)
            return false;
        levels.name[levels.n] = shown[place];
        last = place;
        has_core |= place == PLACE_CORE;
        if (place == PLACE_CORE || !has_core)
            levels.core = levels.n;
        levels.n++;
    }
    *out = levels;
    return last >= PLACE_CORE;
}
