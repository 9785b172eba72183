/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.c - asks slurmctld for the network, by the calls whose signatures
 * change from release to release, and which wait MessageTimeout for an answer:
 * longer than a launch may */
#include "config.h"

#include "topology.h"

#include "base/error_set.h"
#include "child.h"

#include <slurm/slurm.h>

#include <stdio.h>
#include <stdlib.h>

#define ONE_LINE_EACH 1

/* Never slurm_load_topo_config(): it has killed slurmctld 25.11. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define load(out) slurm_load_topo(out, NULL)
#define print(file, message)                                                   \
    slurm_print_topo_info_msg(file, message, NULL, NULL, ONE_LINE_EACH)
#elif SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define load(out) slurm_load_topo(out)
#define print(file, message)                                                   \
    slurm_print_topo_info_msg(file, message, NULL, ONE_LINE_EACH)
#else
#define load(out) slurm_load_topo(out)
#define print(file, message)                                                   \
    slurm_print_topo_info_msg(file, message, ONE_LINE_EACH)
#endif

static int answer(FILE *out, const void *subject, struct mapcore_error *err)
{
    topo_info_response_msg_t *topology = NULL;

    (void)subject;
    child_asks("Slurm");
    if (load(&topology) != SLURM_SUCCESS || !topology)
        return error_set(err, MAPCORE_EIO, "Slurm has no topology");
    print(out, topology);
    return 0;
}

char *topology_text(double seconds)
{
    const struct child_question question = {.answer = answer,
                                            .seconds = seconds};
    char *text = NULL;
    size_t n;

    if (child_ask(&text, &n, &question, NULL) == 0 && n > 0)
        return text;
    free(text);
    return NULL;
}
