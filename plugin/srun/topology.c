/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology.c - asks slurmctld for the network, by the calls whose signatures
 * change from release to release, and which wait MessageTimeout for an answer:
 * longer than a launch may */
#include "config.h"

#include "plugin/srun/lookup.h"

#include "base/error_set.h"
#include "plugin/policy.h"
#include "plugin/srun/child.h"

#include <slurm/slurm.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ONE_LINE_EACH 1

/* Never slurm_load_topo_config(): it has killed slurmctld 25.11. From 25.05 on
 * a cluster may have several topologies, and each partition one of them; NULL:
 * the cluster's default. */
#if SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(25, 5, 0)
#define load(out, name) slurm_load_topo(out, name)
#define print(file, message)                                                   \
    slurm_print_topo_info_msg(file, message, NULL, NULL, ONE_LINE_EACH)
#elif SLURM_VERSION_NUMBER >= SLURM_VERSION_NUM(23, 11, 0)
#define load(out, name) ((void)(name), slurm_load_topo(out))
#define print(file, message)                                                   \
    slurm_print_topo_info_msg(file, message, NULL, ONE_LINE_EACH)
#else
#define load(out, name) ((void)(name), slurm_load_topo(out))
#define print(file, message)                                                   \
    slurm_print_topo_info_msg(file, message, ONE_LINE_EACH)
#endif

#ifdef HAVE_PARTITION_INFO_T_TOPOLOGY_NAME
/* Of the job's partition, owned; NULL: the default one. srun may name all that
 * it asked for: then only what all of them have. */
static char *find_name(void)
{
    const char *listed = getenv("SLURM_JOB_PARTITION");
    partition_info_msg_t *message = NULL;
    const char *name = NULL;
    char *copy = NULL;
    bool differ = false;

    if (!listed ||
        slurm_load_partitions(0, &message, SHOW_ALL) != SLURM_SUCCESS)
        return NULL;
    for (uint32_t i = 0; i < message->record_count; i++) {
        const partition_info_t *partition = &message->partition_array[i];
        const char *its =
            partition->topology_name ? partition->topology_name : "";

        if (!partition->name || !policy_lists(listed, partition->name))
            continue;
        differ = differ || (name && strcmp(name, its) != 0);
        name = its;
    }
    if (name && *name && !differ)
        copy = strdup(name);
    slurm_free_partition_info_msg(message);
    return copy;
}
#else
static char *find_name(void)
{
    return NULL;
}
#endif

static int answer(FILE *out, const void *subject, struct mapcore_error *err)
{
    topo_info_response_msg_t *topology = NULL;
    char *name; /* the fork's */

    (void)subject;
    child_asks("Slurm");
    name = find_name();
    if (load(&topology, name) != SLURM_SUCCESS || !topology)
        return error_set(err, MAPCORE_EIO, "Slurm has no topology");
    print(out, topology);
    return 0;
}

char *topology_ask(double seconds)
{
    const struct child_question question = {.answer = answer,
                                            .seconds = seconds};
    char *text = NULL;
    size_t n;

    return child_ask(&text, &n, &question, NULL) == 0 ? text : NULL;
}
