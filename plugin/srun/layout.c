/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layout.c - the one place that knows what stands behind srun's spank handle */
#include "config.h"

#include "plugin/srun/layout.h"

#include "base/array.h"

#include <slurm/slurm.h>

#include <stdlib.h>

/* From Slurm's src/common/plugstack.[ch], the same text from 20.11 to 26.05. A
 * plugin of another major release is refused by Slurm itself. */
#define HANDLE_MAGIC 0x00a5a500

struct local_job {
    uid_t uid;
    gid_t gid;
    uint32_t jobid;
    uint32_t stepid;
    slurm_step_layout_t *layout;
    int argc;
    char **argv;
};

struct local_handle {
    int magic;
    void *plugin;
    int phase;
    struct local_job *job;
    void *task;
    void *stack;
};

static int doubt(struct mapcore_error *err, const char *what)
{
    return error_set(err, MAPCORE_ENOTSUP,
                     "srun's step layout is not as expected (%s)", what);
}

/* The private structures say what the public calls say. */
static int check_handle(const struct local_handle *handle,
                        spank_t spank,
                        struct mapcore_error *err)
{
    const struct local_job *job = handle->job;
    uint32_t jobid, stepid, ntasks, nnodes;
    int argc;
    char **argv;

    if (handle->magic != HANDLE_MAGIC || !job ||
        spank_get_item(spank, S_JOB_ID, &jobid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &stepid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS ||
        jobid != job->jobid || stepid != job->stepid || argc != job->argc ||
        argv != job->argv)
        return doubt(err, "handle");
    if (!job->layout || !job->layout->tasks || !job->layout->tids ||
        !job->layout->node_list ||
        spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &ntasks) !=
            ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_NNODES, &nnodes) != ESPANK_SUCCESS ||
        ntasks != job->layout->task_cnt || ntasks == 0 ||
        nnodes != job->layout->node_cnt || nnodes == 0)
        return doubt(err, "size");
    return 0;
}

/* Copies the tids into counts and baseline; they must be a permutation. */
static int read_tids(struct layout *out,
                     const slurm_step_layout_t *slurm,
                     struct mapcore_error *err)
{
    uint64_t seen = 0;

    for (uint32_t r = 0; r < out->ntasks; r++)
        out->baseline[r] = MAPCORE_NONE;
    for (uint32_t h = 0; h < out->nhosts; h++) {
        out->counts[h] = slurm->tasks[h];
        seen += out->counts[h];
        if (seen > out->ntasks || (out->counts[h] > 0 && !slurm->tids[h]))
            return doubt(err, "tasks per node");
        for (uint32_t i = 0; i < out->counts[h]; i++) {
            uint32_t rank = slurm->tids[h][i];

            if (rank >= out->ntasks || out->baseline[rank] != MAPCORE_NONE)
                return doubt(err, "task ids");
            /* slurmstepd's local id is the place in this list. */
            if (i > 0 && rank <= slurm->tids[h][i - 1])
                return doubt(err, "order of task ids");
            out->baseline[rank] = h;
        }
    }
    return seen == out->ntasks ? 0 : doubt(err, "tasks per node");
}

int layout_open(struct layout *out, spank_t spank, struct mapcore_error *err)
{
    const struct local_handle *handle = (const void *)spank;
    slurm_step_layout_t *slurm;
    struct layout layout = {0};
    int error;

    if ((error = check_handle(handle, spank, err)) < 0)
        return error;
    slurm = handle->job->layout;
    layout.slurm = slurm;
    layout.ntasks = slurm->task_cnt;
    layout.nhosts = slurm->node_cnt;
    layout.nodelist = slurm->node_list;
    layout.is_by_hand =
        (slurm->task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_ARBITRARY;
    layout.counts = array_alloc(layout.nhosts, sizeof(*layout.counts), err);
    layout.baseline = array_alloc(layout.ntasks, sizeof(*layout.baseline), err);
    error = layout.counts && layout.baseline ? read_tids(&layout, slurm, err)
                                             : MAPCORE_ENOMEM;
    if (error < 0) {
        layout_clear(&layout);
        return error;
    }
    *out = layout;
    return 0;
}

void layout_clear(struct layout *layout)
{
    free(layout->counts);
    free(layout->baseline);
    layout->counts = layout->baseline = NULL;
}

void layout_permute(const struct layout *layout, const uint32_t *host)
{
    slurm_step_layout_t *slurm = layout->slurm;

    for (uint32_t h = 0; h < layout->nhosts; h++)
        slurm->tasks[h] = 0;
    /* Ascending in each node: srun with pmi2 spins for ever otherwise. */
    for (uint32_t r = 0; r < layout->ntasks; r++)
        slurm->tids[host[r]][slurm->tasks[host[r]]++] = r;
    /* So that pmi2 tells MPICH where each rank really is. */
    slurm->task_dist = (slurm->task_dist & ~(uint32_t)SLURM_DIST_STATE_BASE) |
                       SLURM_DIST_PLANE;
}
