/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* next_mpi.c - finds the MPI library's functions, handles and extent */
#include "config.h"

#include "commprof/next_mpi.h"

#include <link.h>

struct next_mpi next_mpi;

uintptr_t next_mpi_begin, next_mpi_end;

static int note_extent(struct dl_phdr_info *object, size_t size, void *data)
{
    const uintptr_t address = (uintptr_t)data;
    uintptr_t begin = UINTPTR_MAX, end = 0;

    (void)size;
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        if (segment->p_type != PT_LOAD || !(segment->p_flags & PF_X))
            continue;
        const uintptr_t from = object->dlpi_addr + segment->p_vaddr;
        begin = from < begin ? from : begin;
        end = from + segment->p_memsz > end ? from + segment->p_memsz : end;
    }
    if (address < begin || address >= end)
        return 0;
    /* MPI in the program itself, whose calls look like its own. */
    if ((uintptr_t)note_extent >= begin && (uintptr_t)note_extent < end)
        return 1;
    next_mpi_begin = begin;
    next_mpi_end = end;
    return 1;
}

bool next_mpi_load(void)
{
    bool whole = true;
#define NEXT_MPI_FIND(name)                                                    \
    next_mpi.name =                                                            \
        (__typeof__(next_mpi.name))(uintptr_t)next_mpi_symbol("PMPI_" #name);  \
    whole = whole && next_mpi.name;
    NEXT_MPI_FUNCTIONS(NEXT_MPI_FIND)
    if (!whole || !next_mpi_take_handles(&next_mpi))
        return false;
    dl_iterate_phdr(note_extent, (void *)(uintptr_t)next_mpi.Send);
    return true;
}
