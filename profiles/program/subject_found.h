/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject_found.h - what was found out of the program that a command line is
 * about */
#ifndef PROFILES_SUBJECT_FOUND_H
#define PROFILES_SUBJECT_FOUND_H

#include "profiles/program/identity.h"

#include <stdbool.h>

enum subject_certainty {
    SUBJECT_CERTAIN, /* its words say it */
    SUBJECT_LIKELY,  /* of the programs that they name, the only one for MPI */
    SUBJECT_UNKNOWN, /* only who sees it run knows */
};

struct subject_found {
    /* The file by which it is known, absolute, links followed: an executable;
     * the script that an interpreter runs; the file of --multi-prog. Of a
     * command that stays unknown: the wrapper. Owned. */
    char *program;
    char *name; /* owned; a module, which is known by its name; or NULL */
    enum subject_certainty certainty;
    /* Of the executable; of one of --multi-prog's, if one is for MPI. A script
     * or module may always turn out to use MPI: PROGRAM_SCRIPT. */
    enum program_kind kind;
    bool hides_exe;    /* /proc/self/exe will not show program */
    bool is_container; /* what runs stands in another root */
    /* The last wrapper that was looked through, "bash"; "" without one. */
    char behind[32];
};

void subject_clear(struct subject_found *subject);

/* Whether it can be for MPI at all, as far as files tell. */
bool subject_may_use_mpi(const struct subject_found *subject);
/* Whether it is an executable that was linked with an MPI that is known. */
bool subject_is_mpi(const struct subject_found *subject);

#endif
