/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* settings.c - the recorder's environment variables */
#include "config.h"

#include "commprof/settings.h"

#include "commprof/interpreted.h"

#include "base/text.h"
#include "profiles/catalogue/catalogue.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    LARGE_PPM = 500000, /* half of the tasks: ICS 2017, section 4.1.1, says "a
                         * substantial amount" */
    WAIT = 120,
};

struct settings settings;

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static bool is_set(const char *name)
{
    const char *value = variable(name);
    return value && strcmp(value, "0") != 0;
}

static char *absolute(const char *path)
{
    char folder[PATH_MAX], *joined;

    if (path[0] == '/')
        return strdup(path);
    if (!getcwd(folder, sizeof(folder)))
        return NULL;
    const size_t size = strlen(folder) + 1 + strlen(path) + 1;
    joined = malloc(size);
    if (joined)
        snprintf(joined, size, "%s/%s", folder, path);
    return joined;
}

/* "0.25" in millionths, whatever the program's locale makes of the point. */
static bool parse_share(const char *text, uint32_t *ppm)
{
    uint32_t value = 0, unit = 1000000;

    if (*text == '0' || *text == '1')
        value = (uint32_t)(*text++ - '0') * unit;
    else if (*text != '.')
        return false;
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++) {
            unit /= 10;
            value += (uint32_t)(*text - '0') * unit;
        }
    if (*text || value > 1000000)
        return false;
    *ppm = value;
    return true;
}

static bool parse_seconds(const char *text, uint32_t *seconds)
{
    uint32_t value = 0;

    if (!*text)
        return false;
    for (; *text >= '0' && *text <= '9' && value < 1000000; text++)
        value = 10 * value + (uint32_t)(*text - '0');
    if (*text)
        return false;
    *seconds = value;
    return true;
}

/* JOB.STEP of Slurm, for the version's name. */
static char *job_name(void)
{
    const char *job = variable("SLURM_JOB_ID"),
               *step = variable("SLURM_STEP_ID");
    char text[64];

    if (!job || strspn(job, "0123456789") != strlen(job))
        return strdup("local");
    if (!step || strspn(step, "0123456789") != strlen(step))
        step = "0";
    snprintf(text, sizeof(text), "%.20s.%.20s", job, step);
    return strdup(text);
}

static char *user_name(void)
{
    const char *name = variable("USER");
    char number[16];

    if (!name)
        name = variable("LOGNAME");
    if (name)
        return strdup(name);
    snprintf(number, sizeof(number), "%u", (unsigned)getuid());
    return strdup(number);
}

static void read_catalogue(void)
{
    const char *given = variable("COMMPROF_CATALOGUE");
    struct mapcore_error err;

    if (given) {
        settings.catalogue = absolute(given);
        if (!settings.catalogue)
            snprintf(settings.why_not, sizeof(settings.why_not),
                     "the folder that COMMPROF_CATALOGUE is relative to is "
                     "gone");
    } else if (catalogue_user_root(&settings.catalogue, &err) < 0) {
        settings.catalogue = NULL;
        snprintf(settings.why_not, sizeof(settings.why_not), "%.200s",
                 err.text);
    }
}

bool settings_read(void)
{
    const char *name = variable("COMMPROF_NAME");
    const char *program = variable("COMMPROF_PROGRAM");
    const char *command = variable("COMMPROF_COMMAND");
    const char *node = variable("COMMPROF_NODE");
    const char *mpi_type = variable("SLURM_MPI_TYPE");
    const char *large = variable("COMMPROF_LARGE");
    const char *wait = variable("COMMPROF_WAIT");
    const char *seconds = variable("COMMPROF_SECONDS");
    const char *pcontrol = variable("COMMPROF_PCONTROL");
    const char *dump = variable("COMMPROF_DUMP");
    const char *keep = variable("COMMPROF_KEEP");
    const char *spool = variable("COMMPROF_SPOOL");
    const char *keeper = variable("COMMPROF_KEEPER");

    settings_clear();
    read_catalogue();
    settings.name = name ? strdup(name) : NULL;
    settings.program = program ? absolute(program) : NULL;
    if (!name && !program)
        interpreted_find(&settings.program, &settings.name);
    settings.command = command ? strdup(command) : NULL;
    settings.node = node && !strchr(node, '\n') ? strdup(node) : NULL;
    settings.mpi_type =
        mpi_type && text_is_line(mpi_type) ? strdup(mpi_type) : NULL;
    settings.user = user_name();
    settings.job = job_name();
    settings.verbose = is_set("COMMPROF_VERBOSE");
    settings.paused = is_set("COMMPROF_PAUSED");
    settings.timed = is_set("COMMPROF_TIME");
    settings.dump = dump ? absolute(dump) : NULL;
    settings.keep = keep ? strdup(keep) : NULL;
    settings.spool = spool ? absolute(spool) : NULL;
    settings.keeper = keeper && *keeper == '/' ? strdup(keeper) : NULL;
    settings.large_ppm = LARGE_PPM;
    if (large && !parse_share(large, &settings.large_ppm))
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "COMMPROF_LARGE=%.40s is no number from 0 to 1", large);
    settings.wait = WAIT;
    if (wait && !parse_seconds(wait, &settings.wait))
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "COMMPROF_WAIT=%.40s is no number of seconds", wait);
    if (seconds && !parse_seconds(seconds, &settings.seconds))
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "COMMPROF_SECONDS=%.40s is no number of seconds", seconds);
    settings.ipm = pcontrol && strcmp(pcontrol, "ipm") == 0;
    if (pcontrol && !settings.ipm)
        snprintf(settings.why_not, sizeof(settings.why_not),
                 "COMMPROF_PCONTROL=%.40s is not ipm", pcontrol);
    return settings.user && settings.job && (!name || settings.name) &&
           (!program || settings.program);
}

void settings_clear(void)
{
    free(settings.catalogue);
    free(settings.name);
    free(settings.program);
    free(settings.command);
    free(settings.node);
    free(settings.mpi_type);
    free(settings.user);
    free(settings.job);
    free(settings.dump);
    free(settings.keep);
    free(settings.spool);
    free(settings.keeper);
    memset(&settings, 0, sizeof(settings));
}
