/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layout.h - srun's step layout, which decides what rank runs on what node */
#ifndef PLUGIN_LAYOUT_H
#define PLUGIN_LAYOUT_H

#include "base/error.h"

#include <slurm/spank.h>

#include <stdbool.h>

struct layout {
    void *slurm; /* borrowed: slurm_step_layout_t */
    uint32_t ntasks, nhosts;
    uint32_t *counts;   /* [nhosts], owned */
    uint32_t *baseline; /* [ntasks] host of each rank, owned */
    char *nodelist;     /* borrowed */
    bool is_by_hand;    /* -m arbitrary: a person has put every rank */
};

/* Reads it through the handle of slurm_spank_local_user_init, and believes
 * nothing of it that Slurm's public calls do not confirm. Errors: ENOTSUP (it
 * is not what this Slurm is known to keep there), ENOMEM. */
int layout_open(struct layout *out, spank_t spank, struct mapcore_error *err);
void layout_clear(struct layout *layout);

/* Lays the ranks out: host[ntasks] with as many of each as there were, ranks
 * ascending in each host. Cannot fail. */
void layout_permute(const struct layout *layout, const uint32_t *host);

#endif
