/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* handoff.c - the names and the small texts on the way from srun to the tasks
 */
#include "config.h"

#include "plugin/handoff/handoff.h"

#include <stdio.h>
#include <string.h>

const char *const handoff_names[HANDOFF_COUNT] = {
    [HANDOFF_STEP] = "SLURM_TOPOMAP_STEP",
    [HANDOFF_PLAN] = "SLURM_TOPOMAP_PLAN",
    [HANDOFF_RECORDER] = "SLURM_TOPOMAP_RECORDER",
    [HANDOFF_VARIABLES] = "SLURM_TOPOMAP_VARIABLES",
    [HANDOFF_SPOOL] = "SLURM_TOPOMAP_SPOOL",
    [HANDOFF_EVERY] = "SLURM_TOPOMAP_EVERY",
    [HANDOFF_MASTER] = "SLURM_TOPOMAP_MASTER",
    [HANDOFF_NODES] = "SLURM_TOPOMAP_NODES",
    [HANDOFF_RANKS] = "SLURM_TOPOMAP_RANKS",
    [HANDOFF_LIST] = "SLURM_TOPOMAP_LIST",
    [HANDOFF_CPUS] = "SLURM_TOPOMAP_CPUS",
    [HANDOFF_TREE] = "SLURM_TOPOMAP_TREE",
};

/* JOB.STEP TVSD [REASON], with - for each of typed, verbose, strict, dry run
 * that is not so. */
void handoff_format(char *out,
                    size_t n,
                    const struct handoff *handoff,
                    uint32_t job,
                    uint32_t step)
{
    snprintf(out, n, "%u.%u %c%c%c%c%s%s", job, step,
             handoff->typed ? 't' : '-', handoff->verbose ? 'v' : '-',
             handoff->strict ? 's' : '-', handoff->dry_run ? 'd' : '-',
             handoff->failure ? " " : "",
             handoff->failure ? handoff->failure : "");
}

bool handoff_parse(struct handoff *out,
                   const char *text,
                   uint32_t job,
                   uint32_t step)
{
    char mine[32];
    int n = snprintf(mine, sizeof(mine), "%u.%u ", job, step);
    const char *flags = text + n;

    if (strncmp(text, mine, (size_t)n) != 0 || strlen(flags) < 4)
        return false;
    out->typed = flags[0] == 't';
    out->verbose = flags[1] == 'v';
    out->strict = flags[2] == 's';
    out->dry_run = flags[3] == 'd';
    out->failure = flags[4] == ' ' ? flags + 5 : NULL;
    return true;
}

static char *find(char *const *env, const char *name)
{
    const size_t n = strlen(name);

    for (; *env; env++)
        if (strncmp(*env, name, n) == 0 && (*env)[n] == '=')
            return *env;
    return NULL;
}

void handoff_env_read(const char **values,
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

bool handoff_env_write_over(char *const *env,
                            const char *name,
                            const char *value)
{
    const size_t n = strlen(name) + 1 + strlen(value);
    char *place = find(env, name);

    if (!place || strlen(place) < n)
        return false;
    snprintf(place, n + 1, "%s=%s", name, value);
    return true;
}
