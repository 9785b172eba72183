/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stubs.c - the recorder's functions under the names that the program calls; a
 * file without mpi.h, for here all parameters are words, as in
 * commprof/front/stubs.c */
#include "commprof/front/loaded_mpi.h"

#include <stddef.h>
#include <stdint.h>

void *loaded_mpi_symbol(const char *name, void *scope);

static void *find(const char *name)
{
    void *found = recorder_mpich_find(name);

    return found ? found : loaded_mpi_symbol(name, NULL);
}

#define STUB(NAME, PARAMETERS, ARGUMENTS)                                      \
    int NAME PARAMETERS;                                                       \
    int NAME PARAMETERS                                                        \
    {                                                                          \
        static int(*next) PARAMETERS;                                          \
        if (!next)                                                             \
            next = (int(*) PARAMETERS)(uintptr_t)find(#NAME);                  \
        return next ARGUMENTS;                                                 \
    }

#include "commprof/stubs.h"
