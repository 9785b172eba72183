/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject_found.c - what was found out of the program that a command line is
 * about */
#include "config.h"

#include "profiles/program/subject_found.h"

#include <stdlib.h>

void subject_clear(struct subject_found *subject)
{
    free(subject->program);
    free(subject->name);
    *subject = (struct subject_found){.program = NULL};
}

bool subject_may_use_mpi(const struct subject_found *subject)
{
    return subject->kind != PROGRAM_NO_MPI;
}

bool subject_is_mpi(const struct subject_found *subject)
{
    return subject->kind == PROGRAM_MPICH_ABI ||
           subject->kind == PROGRAM_OPENMPI_ABI;
}
