/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deadline.h - the question whether time is up */
#ifndef MAPCORE_MAP_DEADLINE_H
#define MAPCORE_MAP_DEADLINE_H

#include <stdbool.h>
#include <stddef.h>

/* Asked from any thread; expired NULL: never. */
struct map_deadline {
    bool (*expired)(void *arg);
    void *arg;
};

static inline bool map_deadline_passed(const struct map_deadline *deadline)
{
    return deadline->expired && deadline->expired(deadline->arg);
}

/* The same, but asked only once so many steps have been counted. */
static inline bool map_deadline_look(const struct map_deadline *deadline,
                                     size_t *steps,
                                     size_t between)
{
    if (*steps < between)
        return false;
    *steps = 0;
    return map_deadline_passed(deadline);
}

#endif
