/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit_work.h - what units of several tasks communicate */
#ifndef MAPCORE_MAP_UNIT_WORK_H
#define MAPCORE_MAP_UNIT_WORK_H

#include "metric/workload.h"

struct unit_work {
    struct mapcore_workload work;
    struct mapcore_phases **phases; /* [work.n] */
};

/* The workload of nunits units, of which unit[t] has task t: wherever units
 * are, it takes as long as work does with their tasks there. Flows between the
 * same two units in one phase are one; those inside a unit stay, since they use
 * the memory of its host. Stages that depend on who shares a host are those of
 * units that have one each. Latency, and what messages take of tasks, is left
 * out. out is to be cleared in any case. O(flows + phases x nunits). Errors:
 * ENOMEM. */
int unit_work_create(struct unit_work *out,
                     const struct mapcore_workload *work,
                     const uint32_t *unit,
                     uint32_t nunits,
                     struct mapcore_error *err);
void unit_work_clear(struct unit_work *work);

#endif
