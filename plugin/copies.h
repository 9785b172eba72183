/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* copies.h - which copy of topomap acts, where plugstack.conf loads several:
 * the first topomap.so, or without one the first topomap-options.so */
#ifndef PLUGIN_COPIES_H
#define PLUGIN_COPIES_H

#include <slurm/spank.h>

#include <stdbool.h>

/* Slurm's calls that a copy answers. */
enum copies_hook {
    COPIES_INIT_POST_OPT,
    COPIES_LOCAL_USER_INIT,
    COPIES_USER_INIT,
    COPIES_TASK_INIT,
    COPIES_TASK_EXIT,
    COPIES_EXIT,
    COPIES_HOOKS,
};

/* Looks through the objects that are loaded, in that order; what Slurm has
 * refused is not, any more. Stops at the first that judge takes. */
bool copies_find(bool (*judge)(void *object, const char *path));

/* In slurm_spank_init, which Slurm calls once for each line that names the
 * file: registers --topomap if this is the copy that acts. own: the address of
 * its plugin_name. */
void copies_register(spank_t spank,
                     const char *own,
                     char *usage,
                     spank_opt_cb_f take);

/* In another hook: whether this call counts. Slurm calls each hook once for
 * each such line, too. */
bool copies_acts(enum copies_hook hook);

/* The file of another topomap.so, which stays aside; "": there is none. */
const char *copies_other(void);

#endif
