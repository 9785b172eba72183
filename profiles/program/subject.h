/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject.h - the program that a command line is about: that of another that
 * starts it, of an interpreter, or of a script */
#ifndef PROFILES_SUBJECT_H
#define PROFILES_SUBJECT_H

#include "profiles/program/identity.h"

#include <stdbool.h>

struct subject_found {
    /* The file by which it is known, absolute, links followed: an executable;
     * the script that an interpreter runs; the file of --multi-prog. Of an
     * unknown command: the wrapper. Owned. */
    char *program;
    char *name;      /* owned; a module, which is known by its name; or NULL */
    bool is_unknown; /* only the recorder sees what runs */
    /* Of the executable; of one of --multi-prog's, if one is for MPI. A script
     * or module may always turn out to use MPI: PROGRAM_SCRIPT. */
    enum program_kind kind;
    bool hides_exe;    /* /proc/self/exe will not show program */
    bool is_container; /* what runs stands in another root */
    /* The first wrapper of the command, "bash"; "" without one. */
    char behind[32];
};

/* Reads files, and runs nothing. path: the value of PATH, or NULL when argv[0]
 * is a path in any case. Errors: ENOENT (no argv[0]), EIO, ENOMEM. */
int subject_find(struct subject_found *out,
                 int argc,
                 const char *const *argv,
                 const char *path,
                 struct mapcore_error *err);
void subject_clear(struct subject_found *subject);

/* Whether it can be for MPI at all, as far as files tell. */
bool subject_may_use_mpi(const struct subject_found *subject);
/* Whether it is an executable that was linked with an MPI that is known. */
bool subject_is_mpi(const struct subject_found *subject);

#endif
