/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_list.c - the first node, the numbers of the nodes, the node of each rank
 */
#include "config.h"

#include "plugin/srun/rank_list.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/error_set.h"
#include "base/hosts.h"
#include "base/text.h"
#include "launch/runs.h"

#include <stdlib.h>
#include <string.h>

void rank_texts_clear(struct rank_texts *texts)
{
    free(texts->master);
    free(texts->nodes);
    free(texts->list);
    free(texts->ranks);
    *texts = (struct rank_texts){.master = NULL};
}

/* The numbers of hosts, and the hosts by number. */
static int number_nodes(struct rank_texts *out,
                        const struct rank_list *list,
                        char *const *name,
                        struct mapcore_error *err)
{
    uint32_t *number = array_alloc(list->nhosts, sizeof(*number), err);
    const char **ordered = array_alloc(list->nhosts, sizeof(*ordered), err);
    uint32_t next = 0;
    int error = number && ordered ? 0 : MAPCORE_ENOMEM;

    for (uint32_t h = 0; error == 0 && h < list->nhosts; h++)
        number[h] = MAPCORE_NONE;
    for (uint32_t i = 0; error == 0 && i < list->ntasks + list->nhosts; i++) {
        uint32_t h = i < list->ntasks ? list->host[i] : i - list->ntasks;

        if (number[h] != MAPCORE_NONE)
            continue;
        ordered[next] = name[h];
        number[h] = next++;
    }
    if (error == 0)
        error = runs_format(&out->nodes, number, list->nhosts, err);
    if (error == 0)
        error = hosts_compress(&out->list, list->nhosts, ordered, err);
    free(number);
    free(ordered);
    return error;
}

int rank_list_make(struct rank_texts *out,
                   const struct rank_list *list,
                   struct mapcore_error *err)
{
    struct buffer lines = {.err = err};
    struct hosts hosts = {0};
    int error = hosts_expand(&hosts, list->nodelist, err);

    *out = (struct rank_texts){.master = NULL};
    if (error == 0 && hosts.n != list->nhosts)
        error = error_set(err, MAPCORE_EINVAL, "%s: not the %u nodes",
                          list->nodelist, list->nhosts);
    if (error == 0)
        error = text_copy(&out->master, hosts.name[list->host[0]], err);
    if (error == 0)
        error = number_nodes(out, list, hosts.name, err);
    for (uint32_t r = 0; error == 0 && r < list->ntasks; r++)
        buffer_printf(&lines, "%u %s\n", r, hosts.name[list->host[r]]);
    hosts_clear(&hosts);
    return buffer_finish(&out->ranks, &lines, error);
}
