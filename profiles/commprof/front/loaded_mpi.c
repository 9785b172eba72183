/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loaded_mpi.c - asks the dynamic linker, and not the file system: what was
 * loaded may be gone from there, or hang */
#include "config.h"

#include "commprof/front/loaded_mpi.h"

#include <dlfcn.h>
#include <link.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* DT_SONAME, which a library has by any path; or NULL. glibc
 * has made the table's address absolute on most machines, and not on all. */
static const char *soname_of(const struct dl_phdr_info *object)
{
    const ElfW(Dyn) *dynamic = NULL;
    uintptr_t table = 0, name = 0;

    for (unsigned i = 0; i < object->dlpi_phnum; i++)
        if (object->dlpi_phdr[i].p_type == PT_DYNAMIC)
            dynamic = (const ElfW(Dyn) *)(object->dlpi_addr +
                                          object->dlpi_phdr[i].p_vaddr);
    for (; dynamic && dynamic->d_tag != DT_NULL; dynamic++) {
        if (dynamic->d_tag == DT_STRTAB)
            table = dynamic->d_un.d_ptr;
        else if (dynamic->d_tag == DT_SONAME)
            name = dynamic->d_un.d_val;
    }
    if (name == 0 || table == 0)
        return NULL;
    return (const char *)(table < object->dlpi_addr ? table + object->dlpi_addr
                                                    : table) +
           name;
}

struct library_search {
    struct loaded_mpi *out;
    const void *base; /* of the object that is meant; NULL: any MPI */
};

static bool is_at(const struct dl_phdr_info *object, const void *base)
{
    for (unsigned i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &object->dlpi_phdr[i];
        const uintptr_t from = object->dlpi_addr + segment->p_vaddr;

        if (segment->p_type == PT_LOAD && (uintptr_t)base >= from &&
            (uintptr_t)base - from < segment->p_memsz)
            return true;
    }
    return false;
}

static int look_at(struct dl_phdr_info *object, size_t size, void *data)
{
    const struct library_search *search = data;
    const char *soname;

    (void)size;
    if (search->base && !is_at(object, search->base))
        return 0;
    soname = soname_of(object);
    search->out->abi = mpi_abi_of_library(soname ? soname : object->dlpi_name);
    if (search->out->abi == MPI_ABI_NONE && !search->base)
        return 0;
    snprintf(search->out->path, sizeof(search->out->path), "%s",
             object->dlpi_name);
    return 1;
}

/* Open MPI 1.10 had MPICH's name for a while. */
static bool is_impostor(const struct loaded_mpi *found)
{
    void *library = found->abi == MPI_ABI_MPICH
                        ? dlopen(found->path, RTLD_LAZY | RTLD_NOLOAD)
                        : NULL;
    const bool is_so = library && dlsym(library, "ompi_mpi_comm_world");

    if (library)
        dlclose(library);
    return is_so;
}

void loaded_mpi_find(struct loaded_mpi *out)
{
    struct loaded_mpi any = {.abi = MPI_ABI_NONE};
    struct library_search search = {out, dlsym(RTLD_NEXT, "MPI_Init")};

    *out = any;
    if (search.base)
        dl_iterate_phdr(look_at, &search);
    if (out->abi == MPI_ABI_NONE) {
        search = (struct library_search){&any, NULL};
        dl_iterate_phdr(look_at, &search);
        if (any.abi != MPI_ABI_NONE)
            *out = any;
    }
    if (is_impostor(out))
        out->abi = MPI_ABI_NONE;
}

void *loaded_mpi_symbol(const char *name, void *scope)
{
    void *symbol = dlsym(scope, name), *library;
    struct loaded_mpi loaded;

    if (symbol)
        return symbol;
    loaded_mpi_find(&loaded);
    library =
        loaded.path[0] ? dlopen(loaded.path, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    if (library) {
        symbol = dlsym(library, name);
        dlclose(library);
    }
    return symbol;
}
