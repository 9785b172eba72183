/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff_file.h - the slot of each task in its host, as text: srun passes it
 * to the tasks in SLURM_TOPOMAP_PLAN, or in a file that this variable names */
#ifndef PLUGIN_HANDOFF_FILE_H
#define PLUGIN_HANDOFF_FILE_H

#include "launch/plain_name.h"
#include "launch/plan.h"

/* One environment string ends at 128 KiB; Slurm drops longer ones silently. */
#define HANDOFF_MOST (100U << 10)

/* Where a step's files stand, and by what they are named. */
struct handoff_place {
    const char *cache; /* the user's XDG_CACHE_HOME; NULL: home/.cache */
    const char *home;  /* either must be shared with the nodes */
    struct step_name name;
};

/* A new file of that kind and mode 0600, topomap/KIND-JOB.STEP-CLUSTER in the
 * cache, with that text; -1, -2 ... behind it where such a file stands. *path
 * (owned): its name, for the caller to remove after the step. Those of killed
 * sruns go after a month. Errors: EIO, ENOMEM. */
int handoff_file_write(char **path,
                       const char *kind,
                       const char *text,
                       const struct handoff_place *place,
                       struct mapcore_error *err);
/* What to put into HANDOFF_PLAN (*out, owned) for slots that are longer than
 * HANDOFF_MOST: the name of their file, and their digest. Errors: ENOMEM. */
int handoff_file_name(char **out,
                      const char *slots,
                      const char *path,
                      struct mapcore_error *err);
/* *out (owned): the slots that plan stands for; a file must be the caller's own
 * and the one that was written. Errors: EIO, EPARSE, ETRUST, ENOMEM. */
int handoff_file_read(char **out, const char *plan, struct mapcore_error *err);

/* One line, words divided by blanks:
 *   2 PATTERNS HOSTS CHECKSUM
 * PATTERNS: what occurs on hosts, each once, `RUNS` divided by '/': slot of
 * each local task in ascending rank order; HOSTS: which of them each host has,
 * as RUNS; CHECKSUM: FNV-1a 64 of all that stands before it, 16 digits. RUNS as
 * in launch/runs.h. Real plans repeat few patterns, so this stays short. */

/* Makes it from a plan that applies. *out is owned. Errors: ENOMEM. */
int slot_text_format(char **out,
                     const struct mapcore_plan *plan,
                     struct mapcore_error *err);

/* Reads the slots of one host: slot[nlocal] in local task order, a permutation
 * of 0 .. nlocal-1. Everything but text is what the caller knows of its own
 * step, and the text must agree. Time and memory: linear in n + nhosts.
 * Errors: EPARSE, ERANGE, EVERSION, ENOMEM. */
int slot_text_parse(uint32_t *slot,
                    uint32_t nlocal,
                    const char *text,
                    size_t n,
                    uint32_t nhosts,
                    uint32_t host,
                    struct mapcore_error *err);

#endif
