/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.c - asks slurmctld for the network, by the calls whose signatures
 * change from release to release */
#include "config.h"

#include "plugin.h"

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

char *topology_text(void)
{
    topo_info_response_msg_t *topology = NULL;
    char *text = NULL;
    size_t n = 0;
    FILE *file;

    if (load(&topology) != SLURM_SUCCESS || !topology)
        return NULL;
    if ((file = open_memstream(&text, &n))) {
        print(file, topology);
        if (fclose(file) != 0 || n == 0) {
            free(text);
            text = NULL;
        }
    }
    slurm_free_topo_info_msg(topology);
    return text;
}
