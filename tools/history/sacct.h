/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sacct.h - wall times from Slurm's accounting, of steps whose end nobody noted
 */
#ifndef TOOLS_SACCT_H
#define TOOLS_SACCT_H

#include "profiles/history/history_file.h"

/* Sets seconds and state of the steps in history from at_s on that have no
 * seconds: runs sacct, for some hundred jobs at a time. job: of that one alone;
 * 0: any. A step is that of its numbers which began not after its launch was
 * noted, and not long before: numbers of jobs come again. Errors: EIO (no
 * sacct, no accounting; whatever was answered before stays), ENOTSUP (no
 * python3), ENOMEM. */
int sacct_ask(struct history *history,
              double since,
              uint32_t job,
              struct mapcore_error *err);

#endif
