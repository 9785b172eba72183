/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* room.h - how many more of something may be kept, counted by threads together
 */
#ifndef MAPCORE_BASE_ROOM_H
#define MAPCORE_BASE_ROOM_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/* Takes one of what is left; false when nothing is. */
static inline bool room_take(atomic_size_t *room)
{
    size_t left = atomic_load(room);

    while (left > 0)
        if (atomic_compare_exchange_weak(room, &left, left - 1))
            return true;
    return false;
}

static inline void room_give_back(atomic_size_t *room)
{
    atomic_fetch_add(room, 1);
}

#endif
