/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* next_mpi.c - finds the MPI library's functions, handles and extent by dlsym
 */
#include "config.h"

#include "commprof/next_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct next_mpi next_mpi;

uintptr_t next_mpi_begin, next_mpi_end;

/* Programs that dlopen their MPI privately (Python's mpi4py) keep it out of the
 * scope that RTLD_NEXT searches; the library is found among the loaded ones. */
static void *find(const char *name, void *scope)
{
    static const char *const sonames[] = {
#ifdef OPEN_MPI
        "libmpi.so.40",
#else
        "libmpich.so.12",
        "libmpi.so.12",
        "libmpi_cray.so.12",
#endif
    };
    void *symbol = dlsym(scope, name);
    for (size_t i = 0; !symbol && i < sizeof(sonames) / sizeof(*sonames); i++) {
        void *library = dlopen(sonames[i], RTLD_LAZY | RTLD_NOLOAD);
        if (library) {
            symbol = dlsym(library, name);
            dlclose(library);
        }
    }
    return symbol;
}

void *next_mpi_symbol(const char *name)
{
    void *symbol = find(name, RTLD_NEXT);
    if (!symbol) {
        char line[128];
        int n = snprintf(line, sizeof(line),
                         "commprof: no MPI library has %.64s\n", name);
        if (write(STDERR_FILENO, line, (size_t)n) < 0)
            return NULL;
    }
    return symbol;
}

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
    next_mpi_begin = begin;
    next_mpi_end = end;
    return 1;
}

bool next_mpi_load(void)
{
    bool whole = true;
#define NEXT_MPI_FIND(name)                                                    \
    next_mpi.name =                                                            \
        (__typeof__(next_mpi.name))(uintptr_t)find("PMPI_" #name, RTLD_NEXT);  \
    whole = whole && next_mpi.name;
    NEXT_MPI_FUNCTIONS(NEXT_MPI_FIND)
#ifdef OPEN_MPI
    /* A program that is no PIE holds copies of the data: those count. */
#define NEXT_MPI_DATA(member, symbol)                                          \
    next_mpi.member =                                                          \
        (__typeof__(next_mpi.member))find(#symbol, RTLD_DEFAULT);              \
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
    next_mpi.world = MPI_COMM_WORLD;
    next_mpi.self = MPI_COMM_SELF;
    next_mpi.comm_null = MPI_COMM_NULL;
    next_mpi.byte = MPI_BYTE;
    next_mpi.errors_return = MPI_ERRORS_RETURN;
    next_mpi.info_null = MPI_INFO_NULL;
    next_mpi.no_op = MPI_NO_OP;
    next_mpi.request_null = MPI_REQUEST_NULL;
#endif
    if (whole)
        dl_iterate_phdr(note_extent, (void *)(uintptr_t)next_mpi.Send);
    return whole;
}
