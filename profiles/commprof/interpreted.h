/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* interpreted.h - the script that this process runs, when its executable is an
 * interpreter */
#ifndef COMMPROF_INTERPRETED_H
#define COMMPROF_INTERPRETED_H

/* python x.py: *script (owned, absolute, links followed); python -m pkg.mod:
 * *name (owned). Both NULL for any other program, and without memory. Judged by
 * /proc/self/cmdline, by the rule that srun goes by; the current folder must
 * still be the one that the process began in. */
void interpreted_find(char **script, char **name);

#endif
