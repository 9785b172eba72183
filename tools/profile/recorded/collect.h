/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect.h - recordings that were cut short, filed from the spools that srun
 * has made beside a catalogue: ROOT/.spool-UID/JOB.STEP-N */
#ifndef TOOLS_COLLECT_H
#define TOOLS_COLLECT_H

#include "base/own_folder.h"
#include "tools/profile/recorded/recorded.h"

#include <limits.h>
#include <time.h>

enum collected_outcome {
    COLLECTED_UNKNOWN, /* it was not looked at, or could not be filed */
    COLLECTED_FILED,   /* now, or by the recorder before */
    COLLECTED_NOTHING, /* nothing was there to file */
    COLLECTED_NO_MPI,  /* since no task has called MPI_Init */
};

struct collected {
    struct buffer lines; /* that the user should see, if any */
    struct buffer filed; /* the folders of versions that were made, a line each:
                            none of a catalogue has a newline in its path */
    enum collected_outcome outcome; /* of the last one */
    char version[PATH_MAX]; /* of it, the folder that was filed, or "" */
};
/* How the run of a spool came to its end, where the spool cannot tell. */
struct collected_run {
    const char *program; /* for people, or NULL: not known */
    int status;          /* the launcher's, as waitpid() has it */
    double seconds;      /* negative: the spool tells both */
};
void collected_clear(struct collected *collected);
/* Its lines on stderr. */
void collected_say(const struct collected *collected);

/* Adds what each node or task has left in a folder; *last: when the last of
 * them was written, or 0. Errors: EIO, ETRUST, those of recorded_take_kept. */
int collect_nodes(struct recorded *recorded,
                  const struct own_folder *folder,
                  time_t *last);
/* Makes the catalogue's folder, and below it a spool of a recording that
 * neither srun nor slurmstepd knows of: .spool-UID/PID.0-N, *out, owned.
 * Errors: EIO (cannot be written, belongs to somebody else), ENOMEM. */
int collect_make_spool(char **out, const char *root, struct mapcore_error *err);
/* Files what lies in that spool, whose step is over, and removes it; what came
 * of it is added to out. A profile that the recorder has filed of a run that
 * failed is marked as partial. One of two who come at once does
 * it. What cannot be filed stays in FOLDER.failed. Errors: EINVAL (no spool),
 * ETRUST (not the user's own), EIO, ENOMEM, and those of recorded_file. */
int collect_spool(struct collected *out,
                  const char *folder,
                  const struct collected_run *run,
                  struct mapcore_error *err);
/* The same for the spools below root, if rule believes it, whose srun has not
 * done so: their rows are a minute old. Looks at most at a few, others each
 * time. What fails is among the lines, too. Errors: ENOMEM. */
int collect_left(struct collected *out,
                 const char *root,
                 enum own_folder_rule rule,
                 size_t most,
                 struct mapcore_error *err);

/* What recordings that were cut short have left in the user's own catalogue is
 * filed there, with a line on stderr each. root may be NULL. */
void collect_left_here(const char *root);

#endif
