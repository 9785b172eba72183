/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* leftovers.h - files of steps whose srun was killed before it removed them */
#ifndef PLUGIN_LEFTOVERS_H
#define PLUGIN_LEFTOVERS_H

/* Removes from the folder of path, a file that was just made, those that are
 * named alike (KIND-JOB.STEP...), belong to the caller, and have not been
 * written for LEFTOVERS_DAYS: a program may look at its step's list as long as
 * it runs. What cannot be removed stays. */
#define LEFTOVERS_DAYS 30
void leftovers_remove(const char *path, const char *kind);

#endif
