/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.h - what topomap tells the user, in srun or in a task */
#ifndef PLUGIN_SAY_H
#define PLUGIN_SAY_H

/* One line on the user's standard error, "topomap: " in front, cut at 2 KiB. */
void say_user(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
