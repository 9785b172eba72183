/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* next_mpi.c - finds the MPI library's functions, handles and extent by dlsym
 */
#include "config.h"

#include "commprof/next_mpi.h"

#include "commprof/front/loaded_mpi.h"
#include "commprof/linked.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>

struct next_mpi next_mpi;

uintptr_t next_mpi_begin, next_mpi_end;

#ifndef COMMPROF_LINKED
void *next_mpi_symbol(const char *name)
{
    return loaded_mpi_symbol(name, RTLD_NEXT);
}
#endif

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
#ifdef COMMPROF_LINKED
    /* MPI in the program itself, whose calls cannot be told from it. */
    if ((uintptr_t)note_extent >= begin && (uintptr_t)note_extent < end)
        return 1;
#endif
    next_mpi_begin = begin;
    next_mpi_end = end;
    return 1;
}

#if defined COMMPROF_LINKED || !defined OPEN_MPI
static void take_handles(void)
{
    next_mpi.world = MPI_COMM_WORLD;
    next_mpi.self = MPI_COMM_SELF;
    next_mpi.comm_null = MPI_COMM_NULL;
    next_mpi.byte = MPI_BYTE;
    next_mpi.errors_return = MPI_ERRORS_RETURN;
    next_mpi.info_null = MPI_INFO_NULL;
    next_mpi.no_op = MPI_NO_OP;
    next_mpi.request_null = MPI_REQUEST_NULL;
}
#endif

#ifdef COMMPROF_LINKED
bool next_mpi_load(void)
{
#define NEXT_MPI_FIND(name) next_mpi.name = PMPI_##name;
    NEXT_MPI_FUNCTIONS(NEXT_MPI_FIND)
    if (!linked_mpi_is_known())
        return false;
    take_handles();
    dl_iterate_phdr(note_extent, (void *)(uintptr_t)next_mpi.Send);
    return true;
}
#else
bool next_mpi_load(void)
{
    bool whole = true;
#define NEXT_MPI_FIND(name)                                                    \
    next_mpi.name = (__typeof__(next_mpi.name))(uintptr_t)loaded_mpi_symbol(   \
        "PMPI_" #name, RTLD_NEXT);                                             \
    whole = whole && next_mpi.name;
    NEXT_MPI_FUNCTIONS(NEXT_MPI_FIND)
#ifdef OPEN_MPI
    /* A program that is no PIE holds copies of the data: those count. */
#define NEXT_MPI_DATA(member, symbol)                                          \
    next_mpi.member =                                                          \
        (__typeof__(next_mpi.member))loaded_mpi_symbol(#symbol, RTLD_DEFAULT); \
    whole = whole && next_mpi.member;
    NEXT_MPI_DATA(world, ompi_mpi_comm_world)
    NEXT_MPI_DATA(self, ompi_mpi_comm_self)
    NEXT_MPI_DATA(comm_null, ompi_mpi_comm_null)
    NEXT_MPI_DATA(byte, ompi_mpi_byte)
    NEXT_MPI_DATA(errors_return, ompi_mpi_errors_return)
    NEXT_MPI_DATA(info_null, ompi_mpi_info_null)
    NEXT_MPI_DATA(no_op, ompi_mpi_op_no_op)
    NEXT_MPI_DATA(request_null, ompi_request_null)
#else
    take_handles();
#endif
    if (whole)
        dl_iterate_phdr(note_extent, (void *)(uintptr_t)next_mpi.Send);
    return whole;
}
#endif
