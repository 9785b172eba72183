/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binding.c - what it costs a node that its tasks find their CPUs: the CPU time
 * of all of them, when each works it out and when one does for all */

/* binding [MACHINE [TASKS]]: hwloc's synthetic form; 256 cores of two threads
 * each and a task a core without. Forks that many tasks; the kernel's part, a
 * sched_setaffinity() a task, is left out, for it has no such CPUs. */
#include "config.h"

#include "tests/unit/fakecpus.h"

#include "plugin/task/affinity.h"
#include "plugin/task/hardware.h"
#include "plugin/task/node_region.h"

#include "base/buffer.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ROUNDS = 5 };

static int make(char **out, void *with, struct mapcore_error *err)
{
    return topomap_hardware.make(out, NULL, with, err);
}

static double cpu_ms(void)
{
    struct rusage used;

    getrusage(RUSAGE_CHILDREN, &used);
    return 1e3 * (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-3 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/* The least of a few rounds: what the forks alone cost when binding is NULL. */
static double measure(struct binding *binding, uint32_t n, int is_shared)
{
    double least = 1e9;

    for (int round = 0; round < ROUNDS; round++) {
        struct node_region region = {.fd = -1};
        double before, took;

        if (is_shared)
            node_region_open(&region, n, false);
        before = cpu_ms();
        for (uint32_t i = 0; i < n; i++)
            if (fork() == 0) {
                struct mapcore_error err;
                char *list;

                if (binding && (node_masks_ask(&list, region.head, 60, make,
                                               binding, &err) < 0 ||
                                affinity_take(list, i, &err) < 0)) {
                    fprintf(stderr, "%s\n", err.text);
                    _exit(1);
                }
                _exit(0);
            }
        for (int status; wait(&status) > 0;)
            if (status != 0)
                exit(1);
        took = cpu_ms() - before;
        least = took < least ? took : least;
        node_region_close(&region);
    }
    return least;
}

int main(int argc, char **argv)
{
    const char *machine = argc > 1 ? argv[1] : "pack:2 numa:4 l3:4 core:8 pu:2";
    uint32_t n = argc > 2 ? (uint32_t)atoi(argv[2]) : 256;
    uint32_t *slot = calloc(n, sizeof(*slot));
    struct buffer masks = {0};
    struct binding binding = {.nlocal = n, .slot = slot};
    double forks, each, once, first;

    /* Core i has the threads 2i and 2i + 1, and the tasks are in order. */
    for (uint32_t i = 0; slot && i < n; i++) {
        slot[i] = n - 1 - i;
        buffer_printf(&masks, "%s0x3", i > 0 ? "," : "");
        for (uint32_t digit = 0; digit < i / 2; digit++)
            buffer_printf(&masks, "0");
        if (i % 2)
            masks.bytes[masks.n - 1 - i / 2] = 'c';
    }
    binding.list = masks.bytes;
    fake_machine(machine, NULL, 8 * sizeof(fake_cpus));
    forks = measure(NULL, n, 0);
    each = measure(&binding, n, 0) - forks;
    once = measure(&binding, n, 1) - forks;
    first = measure(&binding, 1, 1);
    printf("binding %u tasks on one node \"%s\", CPU time of all\n", n,
           machine);
    printf("  %-22s %8.1f ms\n", "each task by itself", each);
    printf("  %-22s %8.1f ms\n", "once a node", once);
    printf("  %-22s %8.1f ms\n", "of which the first", first);
    buffer_clear(&masks);
    free(slot);
    return 0;
}
