/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_region.c - what slurmstepd maps and its tasks inherit. Reading the
 * hardware tree costs milliseconds, which a node of 256 tasks need not pay 256
 * times */
#include "config.h"

#include "plugin/task/node_region.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum state {
    MASKS_NONE,
    MASKS_BEING_MADE,
    MASKS_READY,
    MASKS_LATE, /* one has given up waiting: no task gets them */
};

static size_t head_size(uint32_t ntasks)
{
    return sizeof(struct node_head) + (size_t)ntasks * STEP_CPUS_LINE;
}

void node_region_open(struct node_region *out, uint32_t ntasks, bool counts)
{
    const uint64_t ncounters =
        counts ? ntasks * (UINT64_C(1) + KEPT_NCCL_REGIONS) : 0;
    const off_t before = (off_t)(ncounters * KEPT_REGION);
    const size_t size = head_size(ntasks);
    const int fd = (int)syscall(SYS_memfd_create, "topomap",
                                MFD_CLOEXEC | MFD_ALLOW_SEALING);
    void *head = MAP_FAILED;

    *out = (struct node_region){.fd = -1};
    if (fd >= 0 && ftruncate(fd, before + (off_t)size) == 0 &&
        fcntl(fd, F_ADD_SEALS, F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL) == 0)
        head = mmap(NULL, size, PROT_READ | PROT_WRITE,
                    MAP_SHARED | MAP_NORESERVE, fd, before);
    if (head != MAP_FAILED)
        *out = (struct node_region){fd, ntasks, ncounters, head};
    else if (fd >= 0)
        close(fd);
}

void node_region_close(struct node_region *region)
{
    if (!region->head)
        return;
    munmap(region->head, head_size(region->ntasks));
    close(region->fd);
    *region = (struct node_region){.fd = -1};
}

/* True when this caller has brought the masks from one state to the other. */
static bool advance(struct node_head *head, enum state from, enum state to)
{
    uint32_t expected = from;

    if (!atomic_compare_exchange_strong(&head->state, &expected, to))
        return false;
    if (from == MASKS_BEING_MADE)
        syscall(SYS_futex, &head->state, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
    return true;
}

static int fail_late(struct mapcore_error *err)
{
    return error_set(err, MAPCORE_EIO,
                     "reading the node's hardware takes too long");
}

static int make_for_all(char **out,
                        struct node_head *head,
                        node_masks_make *make,
                        void *with,
                        struct mapcore_error *err)
{
    struct mapcore_error own = {.text = ""};
    char *made = NULL;
    int error = make(&made, with, &own);

    if (error == 0 && made && strlen(made) >= sizeof(head->masks))
        error = error_set(&own, MAPCORE_ERANGE, "too many CPU masks");
    head->error = error;
    memcpy(head->err, own.text, sizeof(head->err));
    if (error == 0 && made)
        memcpy(head->masks, made, strlen(made) + 1);
    if (!advance(head, MASKS_BEING_MADE, MASKS_READY))
        error = fail_late(&own);
    if (error < 0) {
        free(made);
        return error_set(err, error, "%s", own.text);
    }
    *out = made;
    return 0;
}

/* Until they are no longer being made; false when the time is over, and then it
 * is so for everybody. */
static bool wait_for(struct node_head *head, unsigned seconds)
{
    struct timespec until;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_sec += seconds;
    while (atomic_load(&head->state) == MASKS_BEING_MADE)
        if (syscall(SYS_futex, &head->state, FUTEX_WAIT_BITSET,
                    (uint32_t)MASKS_BEING_MADE, &until, NULL,
                    FUTEX_BITSET_MATCH_ANY) < 0 &&
            errno == ETIMEDOUT)
            advance(head, MASKS_BEING_MADE, MASKS_LATE);
    return atomic_load(&head->state) == MASKS_READY;
}

int node_masks_ask(char **out,
                   struct node_head *head,
                   unsigned seconds,
                   node_masks_make *make,
                   void *with,
                   struct mapcore_error *err)
{
    *out = NULL;
    if (!head)
        return make(out, with, err);
    if (advance(head, MASKS_NONE, MASKS_BEING_MADE))
        return make_for_all(out, head, make, with, err);
    if (!wait_for(head, seconds))
        return fail_late(err);
    if (head->error < 0)
        return error_set(err, head->error, "%s", head->err);
    return *head->masks ? text_copy(out, head->masks, err) : 0;
}
