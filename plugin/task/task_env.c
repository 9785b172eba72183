/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_env.c - variables of a task: few are ours, and Slurm looks through all
 * of them for each; for each one that is set it clears a quarter of a megabyte,
 * and most of ours replace one that is as long */
#include "config.h"

#include "plugin/task/task_env.h"

#include <stdio.h>
#include <string.h>

static char *find(char *const *env, const char *name)
{
    const size_t n = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env;
    return NULL;
}

void task_env_read(const char **values,
                   const char *const *names,
                   size_t n,
                   const char *prefix,
                   char *const *env)
{
    const size_t begin = strlen(prefix);

    for (size_t i = 0; i < n; i++)
        values[i] = NULL;
    for (; *env; env++) {
        if (strncmp(*env, prefix, begin) != 0)
            continue;
        for (size_t i = 0; i < n; i++) {
            const size_t length = strlen(names[i]);

            if (!values[i] && strncmp(*env, names[i], length) == 0 &&
                (*env)[length] == '=')
                values[i] = *env + length + 1;
        }
    }
}

_Bool task_env_write_over(char *const *env, const char *name, const char *value)
{
    const size_t n = strlen(name) + 1 + strlen(value);
    char *place = find(env, name);

    if (!place || strlen(place) < n)
        return 0;
    snprintf(place, n + 1, "%s=%s", name, value);
    return 1;
}
