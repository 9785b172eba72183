/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff_file.h - slots that are too many for an environment string, in a file
 */
#ifndef PLUGIN_HANDOFF_FILE_H
#define PLUGIN_HANDOFF_FILE_H

#include "base/error.h"

/* One environment string ends at 128 KiB; Slurm drops longer ones silently. */
#define HANDOFF_MOST (100U << 10)

/* What to put into HANDOFF_PLAN (*out, owned): the slots themselves or, when
 * they are longer than HANDOFF_MOST, the name and digest of a new file of mode
 * 0600, topomap/slots-JOB.STEP in cache (the user's XDG_CACHE_HOME, may be
 * NULL) or home/.cache, which must be shared with the nodes. *path (owned):
 * that file, for the caller to remove after the step; else NULL. Errors: EIO,
 * ENOMEM. */
int handoff_file_write(char **out,
                       char **path,
                       const char *slots,
                       const char *cache,
                       const char *home,
                       uint32_t job,
                       uint32_t step,
                       struct mapcore_error *err);
/* A new file of that kind, topomap/KIND-JOB.STEP of mode 0600 in the same
 * folder, with that text; *path (owned): its name. Errors: EIO, ENOMEM. */
int handoff_file_keep(char **path,
                      const char *kind,
                      const char *text,
                      const char *cache,
                      const char *home,
                      uint32_t job,
                      uint32_t step,
                      struct mapcore_error *err);
/* *out (owned): the slots that plan stands for; a file must be the caller's own
 * and the one that was written. Errors: EIO, EPARSE, ETRUST, ENOMEM. */
int handoff_file_read(char **out, const char *plan, struct mapcore_error *err);

#endif
