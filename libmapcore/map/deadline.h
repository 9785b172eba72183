/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* deadline.h - the question whether time is up */
#ifndef MAPCORE_MAP_CLOCK_H
#define MAPCORE_MAP_CLOCK_H

#include <stdbool.h>

/* Asked from any thread; expired NULL: never. */
struct map_clock {
    bool (*expired)(void *arg);
    void *arg;
};

static inline bool map_clock_expired(const struct map_clock *clock)
{
    return clock->expired && clock->expired(clock->arg);
}

#endif
