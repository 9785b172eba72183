/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* choice.h - where an MPI call of the program goes */
#ifndef COMMPROF_FRONT_CHOICE_H
#define COMMPROF_FRONT_CHOICE_H

/* To the recorder of the MPI that is loaded; with none for it to the MPI
 * itself, after one line on stderr that says why, from the first task. NULL:
 * nothing has it. Each name is asked for once. */
void *choice_find(const char *name);

#endif
