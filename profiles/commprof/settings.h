/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* settings.h - what the environment says, read once in MPI_Init */
#ifndef COMMPROF_SETTINGS_H
#define COMMPROF_SETTINGS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct settings {
    char *catalogue; /* COMMPROF_CATALOGUE, made absolute, or the user's own;
                      * NULL: why_not says why there is none */
    char *name;      /* COMMPROF_NAME or NULL */
    char *program;   /* COMMPROF_PROGRAM, made absolute, or the script that
                      * an interpreter runs, or NULL */
    char *command;   /* COMMPROF_COMMAND: keys by which what runs is
                      * remembered (catalogue/remembered.h), or NULL */
    char *node;      /* COMMPROF_NODE: what rank 0's node is inside, as hwloc
                      * says it, or NULL */
    char *mpi_type;  /* SLURM_MPI_TYPE: the --mpi of the srun, or NULL */
    char *user, *job;
    bool verbose;
    uint32_t large_ppm; /* COMMPROF_LARGE in millionths */
    uint32_t wait;      /* COMMPROF_WAIT, seconds */
    uint32_t seconds;   /* COMMPROF_SECONDS, 0: for ever */
    bool paused;        /* COMMPROF_PAUSED */
    bool ipm;           /* COMMPROF_PCONTROL=ipm */
    bool timed;         /* COMMPROF_TIME: nothing but the time in MPI */
    char *dump; /* COMMPROF_DUMP, made absolute, or NULL: where spool is,
                 * and srun knows of none */
    char *keep, *spool; /* COMMPROF_KEEP, COMMPROF_SPOOL: from Slurm's plugin */
    char *keeper; /* COMMPROF_KEEPER, the program that does without slurmstepd:
                   * from `topomap record`; with dump the one installed */
    char why_not[256];
};
extern struct settings settings;

/* Reads them; false when there is no memory. A program may change its
 * environment and its folder later, hence the early reading. */
bool settings_read(void);
void settings_clear(void);

/* The program's path, for its name; its bytes are read through /proc, which
 * also finds a file that was replaced since. Errors: EIO. */
int settings_own_path(char *out, size_t size, struct mapcore_error *err);
#define SETTINGS_SELF "/proc/self/exe"

/* Lines `word VALUE` into out[size], ended by NUL: rank, ntasks, program, name,
 * host, library's word and version, job, user, large, command and node if
 * Slurm's plugin has said them. Their length, or 0 when they do not fit or the
 * program cannot be known. */
size_t settings_whose(char *out,
                      size_t size,
                      uint32_t rank,
                      uint32_t ntasks,
                      const char *library,
                      const char *version);
/* Room for all of them. */
enum { SETTINGS_WHOSE = 3 * 4096 + 1024 };

#endif
