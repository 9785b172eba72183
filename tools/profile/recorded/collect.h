/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect.h - recordings that were cut short, filed from the spools that srun
 * has made beside a catalogue: ROOT/.spool-UID/JOB.STEP-N */
#ifndef TOOLS_COLLECT_H
#define TOOLS_COLLECT_H

#include "base/own_folder.h"

struct collected {
    struct buffer lines; /* that the user should see, if any */
    struct buffer filed; /* the folders of versions that were made, a line each:
                            none of a catalogue has a newline in its path */
};
void collected_clear(struct collected *collected);
/* Its lines on stderr. */
void collected_say(const struct collected *collected);

/* Files what lies in that spool, whose step is over, and removes it; what came
 * of it is added to out. One of two who come at once does
 * it. What cannot be filed stays in FOLDER.failed. Errors: EINVAL (no spool),
 * ETRUST (not the user's own), EIO, ENOMEM, and those of recorded_file. */
int collect_spool(struct collected *out,
                  const char *folder,
                  struct mapcore_error *err);
/* The same for the spools below root, if rule believes it, whose srun has not
 * done so: their rows are a minute old. Looks at most at so many, others each
 * time. What fails is among the lines, too. Errors: ENOMEM. */
int collect_left(struct collected *out,
                 const char *root,
                 enum own_folder_rule rule,
                 size_t most,
                 struct mapcore_error *err);

#endif
