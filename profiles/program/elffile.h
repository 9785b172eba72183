/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* elffile.h - the few facts that are read from ELF files, none of whose offsets
 * is believed */
#ifndef PROFILES_ELFFILE_H
#define PROFILES_ELFFILE_H

#include "base/error.h"

#include <elf.h>
#include <stdbool.h>

/* Programs and tools of one ABI run on every MPI of it. */
enum mpi_abi {
    MPI_ABI_NONE, /* no MPI that is known here */
    MPI_ABI_MPICH,
    MPI_ABI_OPENMPI,
};

/* name: a DT_SONAME or DT_NEEDED, or a path that ends in one. */
enum mpi_abi mpi_abi_of_library(const char *name);

/* An open regular file of any kind. */
struct elffile {
    struct mapcore_error *err; /* of the caller */
    int fd;
    uint64_t size;
    bool is_elf;    /* begins as an ELF file does */
    bool is_native; /* 64 bits, this machine's byte order: the rest is set */
    uint16_t machine;
    size_t nsegments;
    Elf64_Phdr *segments; /* [nsegments], owned */
};

/* Errors: ENOENT, EIO (cannot be read; a folder, pipe or device), ENOMEM. A
 * damaged ELF file is none: it has no segments then. */
int elffile_open(struct elffile *out,
                 const char *path,
                 struct mapcore_error *err);
void elffile_close(struct elffile *file);

/* True when n bytes at offset lie in the file and were read. */
bool elffile_read(const struct elffile *file,
                  uint64_t offset,
                  void *out,
                  size_t n);

/* The first segment of a type, or NULL. */
const Elf64_Phdr *elffile_segment(const struct elffile *file, uint32_t type);

/* The bytes of the GNU build-id note: how many (at most max), or 0 when there
 * is none or it is longer. */
size_t elffile_build_id(const struct elffile *file,
                        unsigned char *out,
                        size_t max);

/* The ABI of the MPI that a recorder which was linked into it (libcommprof-*.a)
 * is for; MPI_ABI_NONE: there is none. */
enum mpi_abi elffile_linked_recorder(const struct elffile *file);

/* What the dynamic section says; strings are owned and all are NULL or empty
 * when there is none. */
struct elffile_dynamic {
    size_t nneeded;
    char **needed; /* [nneeded] */
    char *rpath, *runpath;
};
/* Errors: ENOMEM. Strings that lie outside of the file are left out. */
int elffile_dynamic(struct elffile_dynamic *out, const struct elffile *file);
void elffile_dynamic_clear(struct elffile_dynamic *dynamic);

#endif
