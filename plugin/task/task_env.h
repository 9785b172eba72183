/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_env.h - variables of a task that are read, and written over */
#ifndef PLUGIN_TASK_ENV_H
#define PLUGIN_TASK_ENV_H

#include <stddef.h>

/* Writes name=value over the string of that name in env (ends with NULL; its
 * strings can be written to). False, and nothing is changed, where there is
 * none or it is too short. */
_Bool task_env_write_over(char *const *env,
                          const char *name,
                          const char *value);

/* values[n]: of the variables of those names in env, borrowed until one is
 * unset or written over; NULL where there is none. All names begin with prefix;
 * one pass over env. */
void task_env_read(const char **values,
                   const char *const *names,
                   size_t n,
                   const char *prefix,
                   char *const *env);

#endif
