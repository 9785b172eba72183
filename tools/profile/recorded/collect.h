/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* collect.h - recordings that were cut short, filed from the spools that srun
 * has made beside a catalogue: ROOT/.spool-UID/JOB.STEP-N */
#ifndef TOOLS_COLLECT_H
#define TOOLS_COLLECT_H

#include "base/buffer.h"

/* Files what lies in that spool, whose step is over, and removes it; out gets
 * the lines that the user should see, if any. One of two who come at once does
 * it. What cannot be filed stays in FOLDER.failed. Errors: EINVAL (no spool),
 * ETRUST (not the user's own), EIO, ENOMEM, and those of recorded_file. */
int collect_spool(struct buffer *out,
                  const char *folder,
                  struct mapcore_error *err);
/* The same for the spools below root whose srun has not done so: their rows are
 * a minute old. What fails is a line in out, too. Quick when there is none.
 * Errors: ENOMEM. */
int collect_left(struct buffer *out,
                 const char *root,
                 struct mapcore_error *err);

#endif
