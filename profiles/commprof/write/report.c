/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report.c - which program this is, where its profile goes, and the one line */
#include "config.h"

#include "commprof/write/report.h"

#include "base/text.h"

#include "commprof/forked.h"
#include "commprof/front/line.h"
#include "commprof/next_mpi.h"
#include "commprof/settings.h"
#include "commprof/write/write.h"

#include "profiles/program/identity.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void report_line(const char *format, ...)
{
    static const char before[] = "topomap: ";
    char line[sizeof(((struct forked_result *)NULL)->text) + 100];
    const size_t n = sizeof(before) - 1;
    va_list arguments;

    memcpy(line, before, n);
    va_start(arguments, format);
    vsnprintf(line + n, sizeof(line) - n - 1, format, arguments);
    va_end(arguments);
    line_say(line);
}

/* The first line of what MPI says of itself. */
static void read_mpi(char *out)
{
    int length = 0;

    if (next_mpi.Get_library_version(out, &length) != MPI_SUCCESS)
        length = 0;
    out[length] = '\0';
    out[strcspn(out, "\n")] = '\0';
    for (char *c = out; *c; c++)
        if (*c == '\t')
            *c = ' ';
}

/* srun, which made the spool, knows by this file that nothing is missing. */
static void tell_spool(const char *filed)
{
    char path[PATH_MAX];
    FILE *file;

    if (!settings.spool ||
        (size_t)snprintf(path, sizeof(path), "%s/said", settings.spool) >=
            sizeof(path) ||
        !(file = output_create(path, NULL)))
        return;
    fprintf(file, "%s\n", filed);
    output_finish(file, path, NULL);
}

/* What is filed, and as what; MPI was asked already. */
struct filing {
    const struct gathered *all;
    struct subject subject;
};

static int file_profile(struct forked_result *out,
                        const struct filing *filing,
                        struct mapcore_error *err)
{
    struct subject subject = filing->subject;
    char path[PATH_MAX], *filed = NULL;
    int error = 0;

    if (settings.why_not[0])
        return error_set(err, MAPCORE_EINVAL, "%s", settings.why_not);
    if (filing->all->status != GATHER_OK)
        return error_set(err, MAPCORE_ENOMEM, "%s",
                         filing->all->status == GATHER_MEMORY
                             ? "a task has no memory left for it"
                             : "MPI failed to bring it together");
    if (settings.program)
        snprintf(path, sizeof(path), "%s", settings.program);
    else if ((error = settings_own_path(path, sizeof(path), err)) < 0)
        return error;
    subject.path = path;
    if (!subject.program && program_is_interpreter(path))
        return error_set(err, MAPCORE_EINVAL,
                         "%s runs other programs: give this one a name (name= "
                         "or COMMPROF_NAME)",
                         text_last_part(path));
    subject.file = settings.program ? path : SETTINGS_SELF;
    error =
        write_version(&filed, settings.catalogue, filing->all, &subject, err);
    if (error < 0)
        return error;
    snprintf(out->text, sizeof(out->text),
             "recorded: %u of %u task%s of %s; filed in %s",
             (unsigned)subject.ntasks, (unsigned)subject.ntasks,
             subject.ntasks == 1 ? "" : "s",
             settings.name ? settings.name : text_last_part(path),
             filed ? filed : "");
    tell_spool(filed ? filed : path);
    free(filed);
    return 0;
}

/* Out of the program's sight: every file that a variable names is looked at and
 * written here. */
static int work(struct forked_result *out, const void *subject)
{
    struct mapcore_error err;
    int error = file_profile(out, subject, &err);

    if (error < 0)
        snprintf(out->text, sizeof(out->text), "%s", err.text);
    return error;
}

bool report_write(const struct gathered *all,
                  uint32_t ntasks,
                  uint64_t elapsed_ns,
                  uint64_t active_ns)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING + 1];
    struct filing filing = {
        .all = all,
        .subject = {.program = settings.name,
                    .job = settings.job,
                    .user = settings.user,
                    .mpi = mpi,
                    .mpi_type = settings.mpi_type,
                    .node = settings.node,
                    .time = (int64_t)time(NULL),
                    .elapsed_ns = elapsed_ns,
                    .active_ns = active_ns,
                    .ntasks = ntasks,
                    .commands = settings.command,
                    .large_ppm = settings.large_ppm},
    };
    struct forked_result result;
    struct line_signals signals;
    enum forked_end end;

    read_mpi(mpi);
    line_hold_signals(&signals);
    end = forked_run(&result, work, &filing, settings.wait);
    /* Memory for no copy, or memory that copies lack (MADV_DONTFORK, of verbs):
     * as well as it goes. */
    if (end == FORKED_FAILED)
        result.status = work(&result, &filing);
    if (end == FORKED_LATE)
        report_line(
            REPORT_FAILED
            "%s does not answer within %u s (COMMPROF_WAIT)" REPORT_WELL,
            settings.catalogue ? settings.catalogue : "the program's own file",
            (unsigned)settings.wait);
    else if (result.status < 0)
        report_line(REPORT_FAILED "%s" REPORT_WELL, result.text);
    else if (settings.verbose)
        report_line("%s", result.text);
    line_release_signals(&signals);
    return end != FORKED_LATE && result.status == 0;
}

size_t report_whose(char *out, size_t size, uint32_t rank, uint32_t ntasks)
{
    char mpi[MPI_MAX_LIBRARY_VERSION_STRING + 1];

    read_mpi(mpi);
    return settings_whose(out, size, rank, ntasks, "mpi", mpi);
}
