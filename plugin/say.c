/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.c - what topomap tells the user: through Slurm, which knows where a
 * task's standard error goes */
#include "config.h"

#include "plugin/say.h"

#include "base/printable.h"

#include <slurm/spank.h>

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#define LINE_MOST 2048

/* What a task says goes through slurmstepd. */
static bool is_heard(void)
{
    return spank_context() == S_CTX_REMOTE || say_takes_text(STDERR_FILENO);
}

void say_user(const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;

    if (!is_heard())
        return;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    printable_clean(line);
    slurm_spank_log("topomap: %s", line);
}

void say_error(const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;

    if (!is_heard())
        return;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    printable_clean(line);
    slurm_error("%s", line);
}
