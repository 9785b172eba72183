/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topomap.c - the whole surface towards Slurm: each hook and the option, who
 * runs it, and where it goes on */
#include "config.h"

#pragma GCC visibility push(default)
#include <slurm/spank.h>
SPANK_PLUGIN(topomap, 1)
#pragma GCC visibility pop

#include "plugin.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* srun's, salloc's or sbatch's own; slurmstepd leaves it as it is. */
static struct {
    struct options options;
    char *spill; /* a file for the tasks, removed at the end of the step */
} topomap_state;

void plugin_say(const char *format, ...)
{
    char line[2048];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    slurm_spank_log("topomap: %s", line);
}

/* srun, sbatch, salloc: as the user, for the environment first and then for
 * the command line, so that the last one counts. slurmstepd: as root, and not
 * even looked at; what the tasks must know comes in their environment. */
static int take_option(int value, const char *argument, int remote)
{
    struct mapcore_error err;

    (void)value;
    if (remote)
        return 0;
    if (options_parse(&topomap_state.options, argument, &err) < 0) {
        slurm_error("--topomap: %s", err.text);
        return -1;
    }
    topomap_state.options.typed = true;
    if (topomap_state.options.help) {
        fputs(options_help(), stdout);
        exit(fflush(stdout) == 0 ? 0 : 1);
    }
    return 0;
}

static char name[] = "topomap", argument_form[] = OPTIONS_ARGUMENT,
            usage[] = "place ranks by the communication profile of the program "
                      "(--topomap=help)";

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
    struct spank_option option = {
        .name = name,
        .arginfo = argument_form,
        .usage = usage,
        .has_arg = 1,
        .cb = take_option,
    };
    spank_context_t context = spank_context();

    (void)argc;
    (void)argv;
    if (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR ||
        context == S_CTX_REMOTE)
        spank_option_register(spank, &option);
    return 0;
}

/* srun alone has anything to do here: as the user, before the allocation. */
int slurm_spank_init_post_opt(spank_t spank, int argc, char **argv)
{
    struct options *options = &topomap_state.options;
    const struct catalogue_env env = {
        .own = getenv("TOPOMAP_CATALOGUE"),
        .data = getenv("XDG_DATA_HOME"),
        .home = getenv("HOME"),
    };
    struct mapcore_error err;
    struct site site;

    (void)spank;
    if (spank_context() != S_CTX_LOCAL)
        return 0;
    if (site_parse(&site, argc, argv, &err) < 0)
        plugin_say("%s", err.text);
    if (!options->typed &&
        options_default(options, &site, getenv("TOPOMAP"), &err) < 0)
        plugin_say("TOPOMAP is ignored: %s", err.text);
    if (options->strict && options->mode != OPTIONS_OFF &&
        options_check(options, &site, &env, TOPOMAP_SITEFILE, &err) < 0) {
        slurm_error("topomap: %s", err.text);
        exit(1);
    }
    return 0;
}

/* srun, as the user: allocation and step exist, nothing is launched. An error
 * return would leak the step, and so would an exit. */
int slurm_spank_local_user_init(spank_t spank, int argc, char **argv)
{
    struct site site;

    site_parse(&site, argc, argv, NULL);
    if (!site.program)
        site.program = TOPOMAP_PROGRAM;
    planner_run(spank, &topomap_state.options, &site, &topomap_state.spill);
    return 0;
}

/* slurmstepd's child, as the user, just before the program. */
int slurm_spank_task_init(spank_t spank, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    binder_run(spank);
    return 0;
}

/* Also slurmstepd, as root: there is nothing to remove there. */
int slurm_spank_exit(spank_t spank, int argc, char **argv)
{
    (void)spank;
    (void)argc;
    (void)argv;
    if (topomap_state.spill)
        unlink(topomap_state.spill);
    free(topomap_state.spill);
    topomap_state.spill = NULL;
    return 0;
}
