/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* identity.h - which executable is this: its identity, and its MPI */
#ifndef PROFILES_IDENTITY_H
#define PROFILES_IDENTITY_H

#include "base/error.h"

/* "build-id:" or "sha256:" never stand in it: 40 or so hex digits, or
 * "sha256-" and 64, so that it can be a folder's name. */
#define IDENTITY_MAX 160

/* The GNU build-id of an ELF file, else "sha256-<hex>" of the file's bytes; of
 * a file above 64 MiB, of its size and 512 blocks of 64 KiB spread over it.
 * out[IDENTITY_MAX]. Reads files of any kind, believes no offset in them.
 * Errors: EIO, ENOENT. */
int identity_of_file(char *out, const char *path, struct mapcore_error *err);

/* What a program is, as far as recording it goes. */
enum program_kind {
    PROGRAM_SCRIPT,      /* begins with #! or is no ELF file */
    PROGRAM_STATIC,      /* no dynamic section: nothing can be preloaded */
    PROGRAM_NO_MPI,      /* dynamic, needs no MPI library that we know */
    PROGRAM_MPICH_ABI,   /* libmpich.so.12, libmpi.so.12, libmpi_cray.so* */
    PROGRAM_OPENMPI_ABI, /* libmpi.so.40 */
    /* The last two, too, when its MPI is linked statically and so is a recorder
     * for it. */
};
/* Walks the transitive DT_NEEDED as the dynamic linker would (RPATH, RUNPATH
 * with $ORIGIN, LD_LIBRARY_PATH, the default folders, but none of ld.so.conf),
 * by reading files only: nothing is run. Errors: EIO, ENOENT. */
int program_classify(enum program_kind *out,
                     const char *path,
                     struct mapcore_error *err);

/* True for interpreters and shells (python3, bash, perl, ...), whose profile
 * says nothing about what they run. By basename. */
int program_is_interpreter(const char *path);

#endif
