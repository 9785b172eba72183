/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.c - what topomap tells the user: through Slurm, which knows where a
 * task's standard error goes */
#include "config.h"

#include "say.h"

#include <slurm/spank.h>

#include <stdarg.h>
#include <stdio.h>

void say_user(const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    slurm_spank_log("topomap: %s", line);
}
