/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_order.c - Slurm's own layout where srun is not there to say it: from
 * Slurm 26.05 on node after node in the order of its topology */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "tools/common/bounds.h"
#include "tools/common/script.h"
#include "tools/common/subprocess.h"
#include "tools/plan/launch_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_RELEASE 2605

/* "slurm-wlm 26.05.5"; no Slurm is an old one. */
static bool follows_topology(void)
{
    static const char *const argv[] = {"scontrol", "--version", NULL};
    unsigned year = 0, month = 0;
    char *said = NULL;
    size_t n;

    if (subprocess_read(&said, &n, argv, CHILD_SECONDS, NULL) == 0)
        sscanf(said, "%*s %u.%u", &year, &month);
    free(said);
    return 100 * year + month >= FIRST_RELEASE;
}

int planner_order_nodes(struct planner *planner)
{
    const struct plan_request *request = &planner->request;
    const char *partitions =
        request->partition ? request->partition : getenv("SLURM_JOB_PARTITION");
    const struct hosts *hosts = &planner->machine.hosts;
    const double began = tool_now();
    struct buffer runs = {0};
    struct mapcore_error why;
    FILE *in;
    int error = 0;

    if (!request->is_block || request->by_place || request->topology ||
        !follows_topology())
        return 0;
    /* No launch asks that: the time of a plan begins behind it. */
    bounds_end_reading();
    if (!(in = script_memory(planner->err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < hosts->n; i++)
        fprintf(in, "%s %u\n", hosts->name[i], planner->facts->counts[i]);
    error = script_filter(
        &runs, "slurm-order.py",
        (const char *const[]){"order", partitions ? partitions : "", NULL}, in,
        &why);
    fclose(in);
    if (error == 0 && runs.n > 2 && memcmp(runs.bytes, "! ", 2) == 0)
        error = error_set(&why, MAPCORE_EIO, "%s",
                          runs.bytes + 3 + strcspn(runs.bytes + 2, " "));
    if (error < 0)
        tool_note("Slurm's own layout is taken to follow the list: %s",
                  why.text);
    else if (runs.n > 0) {
        runs.bytes[runs.n - 1] = '\0'; /* the line's end */
        error =
            launch_facts_set_baseline(planner->facts, runs.bytes, planner->err);
    }
    buffer_clear(&runs);
    planner->request.start += tool_now() - began;
    return error == MAPCORE_ENOTSUP || error == MAPCORE_EIO ? 0 : error;
}
