/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* smpi.c - the recorder's door to SimGrid's MPI: where the functions behind it
 * are, and what stands for those that SMPI 3.32 lacks. Every rank has a copy of
 * the program, and so of the recorder in it (smpi/privatization:dlopen) */
#include "commprof/front/loaded_mpi.h"

#include <dlfcn.h>
#include <mpi.h>
#include <stdint.h>
#include <string.h>

static int self_key = MPI_KEYVAL_INVALID;

/* The copy's own MPI_ functions come first in its scope: SimGrid's are asked of
 * SimGrid. */
static void *simgrid_symbol(const char *name)
{
    static void *library;
    Dl_info info;

    if (!library && dladdr((void *)(uintptr_t)smpi_execute, &info))
        library = dlopen(info.dli_fname, RTLD_NOLOAD | RTLD_LAZY);
    return library ? dlsym(library, name) : NULL;
}

/* SMPI ends the simulation there. */
static int pcontrol(int level, ...)
{
    (void)level;
    return MPI_SUCCESS;
}

/* And there. */
static int get_parent(MPI_Comm *parent)
{
    *parent = MPI_COMM_NULL;
    return MPI_SUCCESS;
}

/* What it runs when it is asked for MPICH's collectives: with alltoalls of
 * MVAPICH2, four blocks at a time, where MPICH has 32, and trees from node to
 * node that neither has (profiles/by_node.h). */
static int get_library_version(char *version, int *length)
{
    static const char said[] = "MVAPICH2's collectives, by SimGrid's SMPI";

    memcpy(version, said, sizeof(said));
    *length = sizeof(said) - 1;
    return MPI_SUCCESS;
}

/* SMPI's MPI_Finalize does not delete attributes of MPI_COMM_SELF: ours does
 * that one, by which the recorder knows that it is time. */
static int set_attr(MPI_Comm comm, int key, void *value)
{
    int (*next)(MPI_Comm, int, void *) = (int (*)(MPI_Comm, int, void *))(
        uintptr_t)simgrid_symbol("PMPI_Comm_set_attr");

    if (comm == MPI_COMM_SELF)
        self_key = key;
    return next(comm, key, value);
}

void *loaded_mpi_symbol(const char *name, void *scope)
{
    (void)scope;
    if (strcmp(name, "MPI_Pcontrol") == 0)
        return (void *)(uintptr_t)pcontrol;
    if (strcmp(name, "PMPI_Comm_get_parent") == 0)
        return (void *)(uintptr_t)get_parent;
    if (strcmp(name, "PMPI_Get_library_version") == 0)
        return (void *)(uintptr_t)get_library_version;
    if (strcmp(name, "PMPI_Comm_set_attr") == 0)
        return (void *)(uintptr_t)set_attr;
    return simgrid_symbol(name);
}

int MPI_Finalize(void)
{
    int (*next)(void) =
        (int (*)(void))(uintptr_t)simgrid_symbol("PMPI_Finalize");

    if (self_key != MPI_KEYVAL_INVALID)
        PMPI_Comm_delete_attr(MPI_COMM_SELF, self_key);
    return next();
}
