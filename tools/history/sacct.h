/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sacct.h - wall times from Slurm's accounting, of steps whose end nobody noted
 */
#ifndef TOOLS_SACCT_H
#define TOOLS_SACCT_H

#include "profiles/history/history_file.h"

/* What sacct has to print: -n -P -o SACCT_COLUMNS, times in seconds since 1970
 * (SLURM_TIME_FORMAT=%s). */
#define SACCT_COLUMNS "JobIDRaw,Start,ElapsedRaw,State"

/* Sets seconds and state of the steps in history from at_s on that have no
 * seconds: runs sacct, for some hundred jobs at a time. *n: of how many it
 * knew them. job: of that one alone; 0: any. Errors: EIO (no sacct, no
 * accounting; whatever was answered before stays), ENOMEM. */
int sacct_ask(size_t *n,
              struct history *history,
              double since,
              uint32_t job,
              struct mapcore_error *err);

/* The same from what it prints. A step is that of its numbers which began not
 * after its launch was noted, and not long before: numbers of jobs come again.
 * Lines of anything else, and of steps that still run, are passed over. Cuts
 * text in pieces. */
size_t sacct_take(struct history *history, double since, char *text);

#endif
