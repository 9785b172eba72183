/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.h - what topomap tells the user */
#ifndef PLUGIN_SAY_H
#define PLUGIN_SAY_H

/* One line on standard error: "topomap: ...". Nothing, and at once, in an srun
 * whose standard error is closed. */
void say_user(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as an error of srun's, which is about to end. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
