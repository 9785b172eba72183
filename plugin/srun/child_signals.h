/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child_signals.h - the signals that would end srun, while a child is out */
#ifndef PLUGIN_CHILD_SIGNALS_H
#define PLUGIN_CHILD_SIGNALS_H

/* INT, TERM, HUP and QUIT are noted from the first watch until each watch was
 * left; the one that came is sent again then, a moment later, when srun heeds
 * it. */
void child_signals_watch(void);
void child_signals_leave(void);

/* The signal that came, or 0. */
int child_signal(void);

#endif
