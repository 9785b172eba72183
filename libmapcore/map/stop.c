/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stop.c - reads what another thread writes meanwhile */
#include "config.h"

#include "map/stop.h"

bool mapcore_stop_expired(void *stop)
{
    const struct mapcore_stop *place = stop;

    return __atomic_load_n(&place->is_set, __ATOMIC_RELAXED) != 0;
}

double mapcore_stop_spent(void *stop)
{
    const struct mapcore_stop *place = stop;
    double spent;

    __atomic_load(&place->spent, &spent, __ATOMIC_RELAXED);
    return spent;
}
