/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* choice.c - which recorder is for the MPI that calls: known at the first call,
 * and never asked again */
#include "config.h"

#include "commprof/front/line.h"
#include "commprof/front/loaded_mpi.h"

#include "base/text.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void *recorder_find(const char *name);

static const struct {
    const char *word, *mpi;
    recorder_find *find; /* NULL: was not built */
} recorders[] = {
    [MPI_ABI_NONE] = {"", "", NULL},
    [MPI_ABI_MPICH] = {"mpich", "MPICH's ABI",
#ifdef RECORDER_MPICH
                       recorder_mpich_find
#else
                       NULL
#endif
    },
    [MPI_ABI_OPENMPI] = {"openmpi", "Open MPI",
#ifdef RECORDER_OPENMPI
                         recorder_openmpi_find
#else
                         NULL
#endif
    },
};
enum { NRECORDERS = sizeof(recorders) / sizeof(recorders[0]) };

/* libcommprof-mpich.so and libcommprof-openmpi.so are other names of this
 * library, by which the user who preloads it says which is expected. */
static enum mpi_abi expected(void)
{
    Dl_info own;
    char name[32];

    if (!dladdr((void *)(uintptr_t)choice_find, &own) || !own.dli_fname)
        return MPI_ABI_NONE;
    for (int i = 1; i < NRECORDERS; i++) {
        snprintf(name, sizeof(name), "libcommprof-%s.so", recorders[i].word);
        if (strcmp(text_last_part(own.dli_fname), name) == 0)
            return (enum mpi_abi)i;
    }
    return MPI_ABI_NONE;
}

static void explain(const struct loaded_mpi *loaded, enum mpi_abi expects)
{
    const char *library = text_last_part(loaded->path);
    char line[400] = "";

    if (loaded->abi != MPI_ABI_NONE && expects != MPI_ABI_NONE &&
        loaded->abi != expects)
        snprintf(line, sizeof(line) - 1,
                 "topomap: the recorder for %s was asked for, but this "
                 "program uses %s (%.80s): %s",
                 recorders[expects].mpi, recorders[loaded->abi].mpi, library,
                 recorders[loaded->abi].find ? "it is recorded as that"
                                             : "it is not recorded");
    else if (loaded->abi == MPI_ABI_NONE && expects == MPI_ABI_NONE)
        snprintf(line, sizeof(line) - 1,
                 "topomap: not recorded: %.80s is no MPI that is known "
                 "here (libmpich.so.12, libmpi.so.12, libmpi.so.40); "
                 "recorder=mpich or recorder=openmpi says that it has the ABI "
                 "of one",
                 library);
    else if (loaded->abi != MPI_ABI_NONE && !recorders[loaded->abi].find)
        snprintf(line, sizeof(line) - 1,
                 "topomap: not recorded: this program uses %s "
                 "(%.80s), and there is no recorder for that here",
                 recorders[loaded->abi].mpi, library);
    if (line[0] && line_is_first_task())
        line_say(line);
}

static recorder_find *choose(void)
{
    /* Before MPI is loaded nothing is known. */
    static int chosen = -1;
    static bool is_said;
    struct loaded_mpi loaded;
    enum mpi_abi expects;
    int abi = __atomic_load_n(&chosen, __ATOMIC_ACQUIRE);

    if (abi >= 0)
        return recorders[abi].find;
    loaded_mpi_find(&loaded);
    if (!loaded.path[0])
        return NULL;
    expects = expected();
    if (!__atomic_exchange_n(&is_said, true, __ATOMIC_ACQ_REL))
        explain(&loaded, expects);
    abi = (int)(loaded.abi == MPI_ABI_NONE ? expects : loaded.abi);
    __atomic_store_n(&chosen, abi, __ATOMIC_RELEASE);
    return recorders[abi].find;
}

void *choice_find(const char *name)
{
    recorder_find *const find = choose();
    void *const next = loaded_mpi_symbol(name, RTLD_NEXT);
    void *const found = find && next ? find(name) : NULL;

    return found ? found : next;
}
