/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange_calls.h - what topomap-mpi wants of an MPI: the door of
 * exchange_mpi.c, which is built once for each */
#ifndef TOOLS_EXCHANGE_CALLS_H
#define TOOLS_EXCHANGE_CALLS_H

#include <stddef.h>

#define EXCHANGE_VERSION 2
#define EXCHANGE_SYMBOL  "topomap_exchange"

/* Called by one thread, in the same order by all processes. An error that
 * MPI finds ends all of them, as is its default. */
struct exchange_calls {
    unsigned version;
    void (*begin)(int *rank, int *size);
    /* all[size * n] at process 0: n bytes of each, by rank. */
    void (*gather)(void *all, const void *own, int n);
    /* n bytes of process `from` to all. */
    void (*tell)(void *bytes, int n, int from);
    void (*end)(void);
};

#endif
