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

/* False without a reader; what a task says goes through slurmstepd. */
static bool make_line(char line[LINE_MOST], const char *format, va_list args)
{
    if (spank_context() != S_CTX_REMOTE && !say_takes_text(STDERR_FILENO))
        return false;
    vsnprintf(line, LINE_MOST, format, args);
    printable_clean(line);
    return true;
}

void say_user(enum outcome outcome, const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;

    va_start(args, format);
    if (make_line(line, format, args))
        slurm_spank_log("topomap: %s%s%s", outcome_word(outcome),
                        outcome == OUTCOME_NONE ? "" : ": ", line);
    va_end(args);
}

void say_verbose(const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;

    va_start(args, format);
    if (make_line(line, format, args))
        slurm_verbose("topomap: %s", line);
    va_end(args);
}

void say_error(const char *format, ...)
{
    char line[LINE_MOST];
    va_list args;

    va_start(args, format);
    if (make_line(line, format, args))
        slurm_error("%s", line);
    va_end(args);
}
