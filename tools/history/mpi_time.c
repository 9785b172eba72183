/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_time.c - time in MPI, read from what slurmstepd has kept of tasks that
 * counted nothing else (launch/kept.h), and believed in nothing */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "base/text.h"
#include "launch/kept.h"
#include "profiles/commprof/count/messages.h"
#include "profiles/history/node_files.h"

#include <string.h>

#define TIMES "time-"
/* Of a node: some tasks' heads and a counter each. */
#define NODE_MOST ((size_t)1 << 20)

struct time_told {
    double seconds;
    size_t ntasks;
};

/* The counter of one task, in the first block behind its head. */
static void take_task(struct time_told *out, const char *bytes, size_t n)
{
    struct kept_head head;
    struct kept_block block;
    struct call_stats stats;
    uint64_t ran_ns;

    if (n < sizeof(head) + sizeof(block) + sizeof(stats))
        return;
    memcpy(&head, bytes, sizeof(head));
    memcpy(&block, bytes + sizeof(head), sizeof(block));
    memcpy(&stats, bytes + sizeof(head) + sizeof(block), sizeof(stats));
    ran_ns = head.last_ns - head.began_ns;
    /* Threads may be in MPI side by side; no task has a thousand of them. */
    if (block.kind != KEPT_STATS || block.size < sizeof(stats) ||
        head.last_ns < head.began_ns || stats.ns / 1000 > ran_ns)
        return;
    out->seconds += 1e-9 * (double)stats.ns;
    out->ntasks++;
}

static void take_node(void *with,
                      const struct own_folder *folder,
                      const char *name)
{
    struct time_told *out = with;
    struct buffer bytes = {0};
    struct kept_head head;

    if (!text_ends_in(name, "." KEPT_END) ||
        own_folder_read(&bytes, NULL, folder, name, NODE_MOST, NULL) < 0)
        return;
    for (size_t at = 0; bytes.n - at >= sizeof(head); at += head.used) {
        memcpy(&head, bytes.bytes + at, sizeof(head));
        if (head.magic != KEPT_MAGIC || head.used < sizeof(head) ||
            head.used > bytes.n - at)
            break;
        take_task(out, bytes.bytes + at, (size_t)head.used);
    }
    buffer_clear(&bytes);
}

int mpi_time_take(double *out, const char *folder, struct mapcore_error *err)
{
    struct time_told told = {.ntasks = 0};
    struct own_folder *above = NULL;
    const char *name = text_last_part(folder);
    int error;

    if (!text_after(name, TIMES))
        return error_set(err, MAPCORE_EINVAL,
                         "%.300s: no folder of time in MPI", folder);
    error = own_folder_open_above(&above, &name, folder, err);
    if (error == 0)
        error = node_files_empty(above, name, take_node, &told, err);
    if (error == 0) {
        node_files_remove_old(above, TIMES);
        if (told.ntasks == 0)
            error = error_set(err, MAPCORE_ENOENT, "no task reported its time");
        else
            *out = told.seconds / (double)told.ntasks;
    }
    own_folder_close(above);
    return error;
}
