/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_list.c - the first node, the numbers of the nodes, the node of each rank
 */
#include "config.h"

#include "plugin/srun/rank_list.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/error_set.h"
#include "base/hosts.h"
#include "launch/runs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static int number_nodes(char **out,
                        const struct rank_list *list,
                        struct mapcore_error *err)
{
    uint32_t *number = array_alloc(list->nhosts, sizeof(*number), err);
    uint32_t next = 0;
    int error;

    if (!number)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < list->nhosts; h++)
        number[h] = MAPCORE_NONE;
    for (uint32_t r = 0; r < list->ntasks; r++)
        if (number[list->host[r]] == MAPCORE_NONE)
            number[list->host[r]] = next++;
    for (uint32_t h = 0; h < list->nhosts; h++)
        if (number[h] == MAPCORE_NONE)
            number[h] = next++;
    error = runs_format(out, number, list->nhosts, err);
    free(number);
    return error;
}

int rank_list_make(char **master,
                   char **nodes,
                   char **ranks,
                   const struct rank_list *list,
                   struct mapcore_error *err)
{
    struct buffer lines = {0};
    struct hosts hosts = {0};
    char *first = NULL, *numbers = NULL;
    int error = hosts_expand(&hosts, list->nodelist, err);

    if (error == 0 && hosts.n != list->nhosts)
        error = error_set(err, MAPCORE_EINVAL, "%s: not the %u nodes",
                          list->nodelist, list->nhosts);
    if (error == 0 && !(first = strdup(hosts.name[list->host[0]])))
        error = error_set(err, MAPCORE_ENOMEM, "out of memory");
    if (error == 0)
        error = number_nodes(&numbers, list, err);
    for (uint32_t r = 0; error == 0 && r < list->ntasks; r++)
        error = buffer_printf(&lines, err, "%" PRIu32 " %s\n", r,
                              hosts.name[list->host[r]]);
    hosts_clear(&hosts);
    if (buffer_finish(ranks, &lines, error) == 0) {
        *master = first;
        *nodes = numbers;
        return 0;
    }
    free(first);
    free(numbers);
    return error;
}
