/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spank.c - the whole surface towards Slurm: each hook and the option, who
 * runs it, and where it goes on */
#include "config.h"

#pragma GCC visibility push(default)
#include <slurm/spank.h>
SPANK_PLUGIN(topomap, 1)
#pragma GCC visibility pop

#include "plugin/copies.h"
#include "plugin/options.h"
#include "plugin/say.h"
#include "plugin/srun/lookup.h"
#include "plugin/srun/srun_launch.h"
#include "plugin/task/binder.h"
#include "plugin/task/node_report.h"

#include <stdio.h>
#include <stdlib.h>

/* srun's, salloc's or sbatch's own; slurmstepd leaves it as it is. */
static struct {
    struct options options;
    struct plugstack plugstack; /* and what the site file adds */
    struct step_files files;
} topomap_state;

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
        say_error("--topomap: %s", err.text);
        return -1;
    }
    topomap_state.options.typed = true;
    if (topomap_state.options.help) {
        options_help(stdout);
        exit(fflush(stdout) == 0 ? 0 : 1);
    }
    return 0;
}

int slurm_spank_init(spank_t spank, int argc, char **argv)
{
    static char usage[] =
        "place ranks by the communication profile of the program "
        "(--topomap=help)";

    (void)argc;
    (void)argv;
    copies_register(spank, plugin_name, usage, take_option);
    return 0;
}

/* srun does not come to the hook that plans. */
static void leave_async(struct options *options)
{
    if (options->strict || options->dry_run) {
        say_error("topomap: " MESSAGE_ASYNC);
        exit(1);
    }
    if (options->typed)
        say_user(options->mode == OPTIONS_PROFILE ? OUTCOME_NOT_RECORDED
                                                  : OUTCOME_NOT_PLACED,
                 MESSAGE_ASYNC);
    options->mode = OPTIONS_OFF;
}

/* What can be seen of a plan that cannot be, before anything is allocated; not
 * where the site has switched it off, and the job runs. */
static void check_strict(struct options *options, struct plugstack *plugstack)
{
    const struct lookup_strict strict = {options, plugstack, TOPOMAP_SITEFILE};
    struct mapcore_error err;

    if (site_words_take(options, plugstack, NULL, NULL) == 0 &&
        !options_forbidden(options, plugstack) &&
        lookup_options(&strict, options_seconds(options, plugstack, 0), &err) <
            0) {
        say_error("topomap: %s", err.text);
        exit(1);
    }
}

/* srun alone has anything to do here: as the user, before the allocation. */
int slurm_spank_init_post_opt(spank_t spank, int argc, char **argv)
{
    struct options *options = &topomap_state.options;
    const char *variable = getenv("TOPOMAP");
    struct plugstack *plugstack = &topomap_state.plugstack;
    struct mapcore_error err;

    (void)spank;
    if (!copies_acts(COPIES_INIT_POST_OPT) || spank_context() != S_CTX_LOCAL)
        return 0;
    if (plugstack_parse(plugstack, argc, argv, &err) < 0 &&
        (options->typed || (variable && *variable)))
        say_user(MESSAGE_REMARK, err.text);
    if (!plugstack->program)
        plugstack->program = TOPOMAP_PROGRAM;
    if (!options->typed && variable && *variable &&
        options_default(options, plugstack, variable, &err) < 0)
        say_user(MESSAGE_VARIABLE, err.text);
    if (options->mode != OPTIONS_OFF && launch_is_async())
        leave_async(options);
    if (options->strict && options->mode != OPTIONS_OFF)
        check_strict(options, plugstack);
    return 0;
}

/* srun, as the user: allocation and step exist, nothing is launched. An error
 * return would leak the step, and so would an exit. */
int slurm_spank_local_user_init(spank_t spank, int argc, char **argv)
{
    struct plugstack again;
    struct mapcore_error err;

    if (!copies_acts(COPIES_LOCAL_USER_INIT))
        return 0;
    /* srun obeys -v from here on. */
    if (!topomap_state.options.typed &&
        plugstack_parse(&again, argc, argv, &err) < 0)
        say_verbose("%s", err.text);
    if (topomap_state.options.verbose && topomap_state.options.typed &&
        *copies_other())
        say_user(MESSAGE_TWICE, copies_other());
    srun_planner_run(spank, &topomap_state.options, &topomap_state.plugstack,
                     &topomap_state.files);
    return 0;
}

/* slurmstepd, as the user for now, before it forks the tasks. */
int slurm_spank_user_init(spank_t spank, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (!copies_acts(COPIES_USER_INIT))
        return 0;
    binder_open(spank);
    return 0;
}

/* slurmstepd's child, as the user, just before the program. */
int slurm_spank_task_init(spank_t spank, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (!copies_acts(COPIES_TASK_INIT))
        return 0;
    binder_run(spank);
    return 0;
}

/* slurmstepd, as root: what it does with files it does in a fork, as the user.
 */
int slurm_spank_task_exit(spank_t spank, int argc, char **argv)
{
    (void)argc;
    (void)argv;
    if (!copies_acts(COPIES_TASK_EXIT))
        return 0;
    node_report_task_ended(spank);
    return 0;
}

/* srun, as the user, after the step; also slurmstepd, as root. */
int slurm_spank_exit(spank_t spank, int argc, char **argv)
{
    (void)spank;
    (void)argc;
    (void)argv;
    if (!copies_acts(COPIES_EXIT))
        return 0;
    node_report_close();
    step_end_run(&topomap_state.files, &topomap_state.plugstack);
    return 0;
}
