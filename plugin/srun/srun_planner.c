/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_planner.c - srun's side: the facts of the launch, the question to
 * `topomap`, and what becomes of the answer */
#include "config.h"

#include "plugin/srun/srun_launch.h"

#include "base/error_set.h"
#include "plugin/srun/child.h"
#include "plugin/srun/lookup.h"

#include "launch/catalogue_root.h"
#include "launch/facts.h"
#include "launch/plain_name.h"
#include "launch/step_files.h"
#include "launch/wire.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/policy.h"
#include "plugin/srun/rank_list.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At most this much of the budget for a slurmctld that does not answer. */
#define TOPOLOGY_SHARE 0.5
/* A plan that took its whole budget is not lost for the file of its slots. */
#define HANDOFF_SECONDS 0.5

/* Whether tasks are bound as Slurm has them, not to the slots of a plan. */
static bool keeps_slots(const struct launch *launch)
{
    return launch->options->no_bind ||
           policy_bound_by_user(getenv("SLURM_CPU_BIND_TYPE")) ||
           launch_has_gpus(launch);
}

static struct mapcore_facts gather_facts(const struct launch *launch)
{
    return (struct mapcore_facts){
        .program = launch->files.program,
        .ntasks = launch->layout.ntasks,
        .nhosts = launch->layout.nhosts,
        .nodelist = launch->layout.nodelist,
        .counts = launch->layout.counts,
        .baseline = launch->layout.baseline,
        .by_rank = keeps_slots(launch),
        .on_request = true,
        .words = launch->typed,
        .nwords = launch->ntyped,
    };
}

/* The planner's request: what slurmctld says of the network, if it does. */
static char *reply_network(const void *subject)
{
    char *lines = topology_ask(TOPOLOGY_SHARE * launch_time_left(subject));
    struct buffer text = {0};

    if ((lines && buffer_printf(&text, "topology\n%s", lines) < 0) ||
        buffer_printf(&text, "end\n") < 0)
        buffer_clear(&text);
    free(lines);
    return buffer_steal(&text);
}

/* Less than that is gone before a step has started, and fewer tasks are mapped
 * as well by one process. */
#define PARALLEL_SECONDS 3
#define PARALLEL_TASKS   64

static void add_option(struct launch *launch,
                       const char *name,
                       const char *value)
{
    const char **word = launch->options_at;

    while (*word)
        word++;
    *word++ = name;
    *word++ = value;
    *word = NULL;
}

/* Who names a type knows that it starts an MPI job. */
static void add_mpi(struct launch *launch)
{
    const char *type = getenv("SLURM_MPI_TYPE");

    if (type && !policy_lists(launch->options->mpi, type) &&
        !policy_lists(launch->plugstack->mpi, type))
        add_option(launch, "--mpi", type);
}

/* Adds words for a step on the job's own nodes, when it is worth it. */
static void add_parallel(struct launch *launch)
{
    if (launch_time_left(launch) < PARALLEL_SECONDS ||
        launch->layout.ntasks < PARALLEL_TASKS) {
        if (launch->options->verbose)
            launch_say(launch, MESSAGE_NO_STEP, PARALLEL_SECONDS,
                       PARALLEL_TASKS);
        return;
    }
    snprintf(launch->job_text, sizeof(launch->job_text), "%u", launch->job);
    add_option(launch, "--parallel", launch->job_text);
}

/* TOPOMAP is set for all steps, and a line for each that stays would be noise;
 * a user who asked for this one gets it. */
static bool says_unchanged(const struct launch *launch)
{
    const struct options *options = launch->options;

    return !options->standing || options->verbose || options->dry_run;
}

static int name_planner(struct launch *launch, struct mapcore_error *err)
{
    const char **word = launch->argv;
    int ms = (int)(launch_time_left(launch) * 1000);

    if (ms <= 0)
        return error_set(err, MAPCORE_EIO,
                         "no time is left to plan: looking at files took all");
    /* Not %f: the user's locale may write a comma. */
    snprintf(launch->time, sizeof(launch->time), "%s%d.%03d",
             launch->options->auto_time ? "auto:" : "", ms / 1000, ms % 1000);
    snprintf(launch->step_text, sizeof(launch->step_text), "%u.%u", launch->job,
             launch->step);
    *word++ = launch->plugstack->program;
    *word++ = "plan";
    *word++ = "--facts";
    *word++ = "-";
    *word++ = "--to=wire";
    if (launch->options->typed && !launch->options->observe &&
        says_unchanged(launch) && isatty(STDERR_FILENO) == 1)
        *word++ = "--advise";
    if (launch->step_files->note.looked_at) {
        *word++ = "--step";
        *word++ = launch->step_text;
    }
    launch->options_at = word;
    options_words(word, launch->options, launch->plugstack, launch->time);
    add_mpi(launch);
    if (launch->options->parallel)
        add_parallel(launch);
    return 0;
}

static int ask_for_plan(struct launch *launch, struct mapcore_error *err)
{
    const struct mapcore_facts facts = gather_facts(launch);
    struct child_question question = {
        .argv = launch->argv,
        .complete = mapcore_plan_complete,
        .asks_back = FACTS_REQUEST,
        .reply = reply_network,
        .subject = launch,
        .stays = true, /* to write to the history */
    };
    char *answer = NULL, *text = NULL;
    size_t n = 0;
    int error = mapcore_facts_format(&text, &facts, err);

    if (error < 0 || (error = name_planner(launch, err)) < 0)
        goto out;
    question.input = text;
    question.seconds = launch_time_left(launch) + LAUNCH_GRACE;
    if ((error = child_ask(&answer, &n, &question, err)) == 0)
        error = mapcore_plan_parse(&launch->plan, answer, n,
                                   launch->layout.ntasks, launch->layout.nhosts,
                                   launch->layout.counts, err);
out:
    free(text);
    free(answer);
    return error;
}

static int write_file(char **path,
                      const char *kind,
                      const char *text,
                      const struct launch *launch,
                      struct mapcore_error *err)
{
    const struct lookup_file file = {kind, text, launch->job, launch->step};
    const double left = launch_time_left(launch);

    return lookup_write(path, &file,
                        left > HANDOFF_SECONDS ? left : HANDOFF_SECONDS, err);
}

/* The slots, to be bound to; the hosts are right without them, too. */
static int send_slots(const struct launch *launch, struct mapcore_error *err)
{
    char **const path = &launch->step_files->handoff;
    char *slots = NULL, *name = NULL;
    int error = slot_text_format(&slots, launch->plan, err);

    if (error == 0 && strlen(slots) > HANDOFF_MOST &&
        (error = write_file(path, "slots", slots, launch, err)) == 0)
        error = handoff_file_name(&name, slots, *path, err);
    if (error == 0)
        setenv(handoff_names[HANDOFF_PLAN], name ? name : slots, 1);
    free(slots);
    free(name);
    return error;
}

/* For programs that look at names and numbers of nodes: which one has rank 0,
 * which one is which, and, where ranks were moved, the list of them. Without
 * any of it a program is as well off as without topomap. */
static void send_ranks(const struct launch *launch, const uint32_t *host)
{
    const struct rank_list list = {
        .nodelist = launch->layout.nodelist,
        .ntasks = launch->layout.ntasks,
        .nhosts = launch->layout.nhosts,
        .host = host,
    };
    struct rank_texts texts = {.master = NULL};
    struct mapcore_error err;

    if (rank_list_make(&texts, &list, NULL) < 0)
        goto out;
    setenv(handoff_names[HANDOFF_MASTER], texts.master, 1);
    if (strlen(texts.nodes) <= HANDOFF_MOST)
        setenv(handoff_names[HANDOFF_NODES], texts.nodes, 1);
    if (host == launch->layout.baseline)
        goto out; /* Slurm's own list is true */
    if (launch->plan->env &&
        strcmp(launch->plan->env, MAPCORE_PLAN_ENV_NODES) == 0 &&
        strlen(texts.list) <= HANDOFF_MOST)
        setenv(handoff_names[HANDOFF_LIST], texts.list, 1);
    if (write_file(&launch->step_files->ranks, "ranks", texts.ranks, launch,
                   &err) < 0) {
        /* Few programs read it, and those see that it is not there. */
        if (launch->options->verbose)
            launch_say(launch, MESSAGE_NO_RANKS, err.text);
    } else
        setenv(handoff_names[HANDOFF_RANKS], launch->step_files->ranks, 1);
out:
    rank_texts_clear(&texts);
}

/* Has nodes report when the step has ended: to text and a folder of the user's
 * own catalogue, STEP being added to its name. */
static void ask_nodes(enum handoff_name name,
                      const char *text,
                      const char *folder,
                      const struct step_name *step)
{
    struct buffer value = {0};
    char *root = NULL;

    if (catalogue_root_find(&root, getenv, NULL) == 0 && root[0] == '/' &&
        buffer_printf(&value, "%s%s%s/%s", text, *text ? "\n" : "", root,
                      folder) == 0 &&
        (!step || step_name_add(&value, step) == 0))
        setenv(handoff_names[name], value.bytes, 1);
    buffer_clear(&value);
    free(root);
}

static void apply(const struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;
    const struct layout *layout = &launch->layout;
    struct mapcore_error err;

    if (memcmp(plan->host, layout->baseline,
               layout->ntasks * sizeof(*plan->host)) != 0)
        layout_permute(layout, plan->host);
    launch_send_step(launch, NULL);
    send_ranks(launch, plan->host);
    /* Whole nodes: the tasks of each are as Slurm put them. */
    if (launch->options->no_bind || options_move_nodes(launch->options))
        return;
    if (policy_bound_by_user(getenv("SLURM_CPU_BIND_TYPE")))
        launch_say(launch, MESSAGE_BOUND_BY_USER);
    else if (launch_has_gpus(launch))
        launch_say(launch, MESSAGE_BOUND_BY_GPU);
    else if (send_slots(launch, &err) < 0)
        launch_say(launch, OUTCOME_NONE, MESSAGE_BOUND_BY_SLURM "%s", err.text);
}

/* The command that finds the same plan from a shell, and the map. */
static void explain(const struct launch *launch)
{
    const struct mapcore_facts facts = gather_facts(launch);
    char *command = NULL, *map = NULL;

    if (plan_command(&command, &facts, launch->options_at, NULL) == 0)
        launch_say(launch, OUTCOME_NONE, "%s plan --to=text %s",
                   launch->plugstack->program, command);
    if (launch->plan->outcome == MAPCORE_PLAN_PLACED &&
        plan_describe(&map, launch->plan, launch->layout.nodelist, NULL) == 0)
        for (char *line = map, *end; (end = strchr(line, '\n')); line = end + 1)
            launch_say(launch, OUTCOME_NONE, "%.*s", (int)(end - line), line);
    free(command);
    free(map);
}

static void record(const struct launch *launch)
{
    srun_recording_run(launch);
    if (launch->step_files->spool &&
        !(launch->plan && launch->plan->outcome == MAPCORE_PLAN_PLACED))
        step_end_outcome(&launch->step_files->note, "recorded", "");
}

/* What does not come of an option where all fails. */
static enum outcome failure_of(const struct options *options)
{
    return options->mode == OPTIONS_PROFILE ? OUTCOME_NOT_RECORDED
           : options->observe               ? OUTCOME_NOT_OBSERVED
                                            : OUTCOME_NOT_PLACED;
}

static void use_plan(struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;
    const bool dry_run = launch->options->dry_run,
               observes = launch->options->observe,
               found = plan->outcome == MAPCORE_PLAN_PLACED ||
                       plan->outcome == MAPCORE_PLAN_UNCHANGED;
    double began;

    if (plan->outcome == MAPCORE_PLAN_PLACED)
        launch_say(launch, MESSAGE_PLACED, plan->reason);
    else if (found) {
        if (says_unchanged(launch))
            launch_say(launch, observes ? OUTCOME_OBSERVED : OUTCOME_UNCHANGED,
                       "%s", plan->reason);
        if (plan->advice)
            launch_say(launch, MESSAGE_ADVICE, plan->advice);
    } else if (plan->record_s == 0 && plan->outcome != MAPCORE_PLAN_UNCONCERNED)
        launch_give_up(launch, failure_of(launch->options), plan->reason);
    else if (plan->record_s > 0)
        launch_say(launch, OUTCOME_RECORDING, "%s", plan->reason);
    else if (launch->options->verbose)
        launch_say(launch, MESSAGE_NOT_PLACED, plan->reason);
    step_end_outcome(&launch->step_files->note,
                     plan->outcome == MAPCORE_PLAN_PLACED   ? "placed"
                     : plan->outcome == MAPCORE_PLAN_FAILED ? "failed"
                     : !found                               ? "no-profile"
                     : observes                             ? "observed"
                                                            : "unchanged",
                     plan->reason);
    if (launch->options->verbose || dry_run)
        explain(launch);
    began = child_clock();
    if (launch->options->verbose)
        launch_say(launch, MESSAGE_TIMES, plan->hops_per_byte[0],
                   plan->hops_per_byte[1], (began - launch->begun) * 1000,
                   launch->seconds * 1000,
                   launch->options->auto_time ? ", by time=auto" : "");
    if (plan->outcome == MAPCORE_PLAN_PLACED && !dry_run)
        apply(launch);
    else if (!dry_run && !observes &&
             (found || !(launch->options->strict || child_signal()))) {
        launch_send_step(launch, NULL);
        send_ranks(launch, launch->layout.baseline);
    }
    /* The history keeps which CPUs the ranks had. */
    if (launch->options->cpus && !dry_run)
        ask_nodes(HANDOFF_CPUS, "", STEP_CPUS_NODES,
                  &(const struct step_name){launch->job, launch->step,
                                            getenv("SLURM_CLUSTER_NAME")});
    /* Later plans know what nodes are inside. */
    if (plan->tree && !dry_run && !launch->options->no_bind &&
        !options_move_nodes(launch->options))
        ask_nodes(HANDOFF_TREE, plan->tree, CACHE_FOLDER, NULL);
    if (launch->options->verbose)
        launch_say(launch, MESSAGE_LAYOUT, (child_clock() - began) * 1000);
    if (plan->times_mpi && !dry_run && !launch->options->record)
        srun_recording_time(launch);
    if (plan->record_s > 0 && !launch->options->record) {
        snprintf(launch->record_text, sizeof(launch->record_text), "%u",
                 plan->record_s);
        record(launch);
    }
}

/* The site's list counts, and what the option names: of a user who tries
 * a new type. */
static int check_mpi(const struct launch *launch, struct mapcore_error *err)
{
    const char *type = getenv("SLURM_MPI_TYPE");

    if (policy_check_mpi(type, launch->options->mpi, NULL) == 0)
        return 0;
    return policy_check_mpi(type, launch->plugstack->mpi, err);
}

static void map_step(struct launch *launch)
{
    struct mapcore_error err;

    if (layout_open(&launch->layout, launch->spank, &err) < 0)
        launch_give_up(launch, OUTCOME_NOT_PLACED, err.text);
    else if (launch->layout.nhosts == 1) {
        step_end_outcome(&launch->step_files->note, "unsupported",
                         MESSAGE_ONE_NODE);
        if (launch->options->verbose || launch->options->dry_run)
            launch_say(launch, MESSAGE_UNCHANGED, MESSAGE_ONE_NODE);
    } else if (launch->layout.is_by_hand && launch->options->standing) {
        step_end_outcome(&launch->step_files->note, "unsupported",
                         MESSAGE_ARBITRARY);
        launch_say(launch, MESSAGE_UNCHANGED, MESSAGE_ARBITRARY);
    } else if (check_mpi(launch, &err) < 0 || ask_for_plan(launch, &err) < 0)
        launch_give_up(launch, failure_of(launch->options), err.text);
    else
        use_plan(launch);
}

/* Steps that are no runs of a program, such as topomap doctor's, have none. */
static bool has_history(const struct launch *launch)
{
    const char *word = getenv("TOPOMAP_HISTORY");

    return !launch->options->dry_run && !(word && strcmp(word, "off") == 0);
}

/* From here on the step has a history. */
static void note_step(const struct launch *launch)
{
    struct step_note *note = &launch->step_files->note;

    note->looked_at = has_history(launch);
    note->by_site = !launch->options->typed;
    note->job = launch->job;
    note->step = launch->step;
    step_end_outcome(note, "unsupported", "");
    spank_get_item(launch->spank, S_JOB_NNODES, &note->nhosts);
    spank_get_item(launch->spank, S_JOB_TOTAL_TASK_COUNT, &note->ntasks);
}

static void run(struct launch *launch)
{
    const struct options *options = launch->options;
    struct step_note *note = &launch->step_files->note;
    struct mapcore_error err;
    const char *why;

    note_step(launch);
    if (launch_look_up(launch, &err) < 0)
        launch_give_up(launch, failure_of(options), err.text);
    else if ((why = launch_refusal(launch))) {
        if (policy_is_launcher(launch->files.program))
            unsetenv(handoff_names[HANDOFF_STEP]);
        step_end_outcome(note, "unsupported",
                         *why ? why : "the tasks use GPUs, and no user asked");
        if (*why)
            launch_say(launch, failure_of(options), "%s", why);
    } else {
        if (options->mode == OPTIONS_PROFILE || options->record)
            record(launch);
        if (options->mode != OPTIONS_PROFILE)
            map_step(launch);
    }
    /* A user who has forgotten the variable sees no program run. */
    if (options->dry_run && options->standing &&
        getenv(handoff_names[HANDOFF_STEP]))
        launch_say(launch, MESSAGE_DRY_VARIABLE);
    if (!note->program[0] && (options->name || launch->files.program))
        snprintf(note->program, sizeof(note->program), "%s",
                 options->name ? options->name : launch->files.program);
    note->launched = child_clock();
}

/* The run is placed all the same, by what is known. */
static void leave_unrecorded(const struct launch *launch)
{
    struct options *options = launch->options;

    if ((options->record || options->learn) &&
        (!options->standing || options->verbose))
        launch_say(launch, MESSAGE_NOT_RECORDED,
                   launch->plugstack->not_recorded);
    options->record = options->learn = false;
}

/* Also with strict: the site may not end the jobs of its users. A dry run still
 * starts nothing. Nothing is noted. */
static void leave_forbidden(const struct launch *launch, const char *why)
{
    const struct options *options = launch->options;

    if (!options->standing || options->verbose || options->dry_run)
        launch_say(launch, failure_of(options), "%s", why);
}

void srun_planner_run(spank_t spank,
                      struct options *options,
                      struct plugstack *plugstack,
                      struct step_files *files)
{
    struct launch launch = {.spank = spank,
                            .options = options,
                            .plugstack = plugstack,
                            .step_files = files};
    struct mapcore_error err;
    const char *why;
    int error;

    /* What an outer step has left, so that none of it is taken for ours. */
    for (int i = 0; i < HANDOFF_COUNT; i++)
        unsetenv(handoff_names[i]);
    if ((options->typed && options->mode == OPTIONS_OFF) ||
        spank_get_item(spank, S_JOB_ID, &launch.job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &launch.step) != ESPANK_SUCCESS ||
        policy_is_special(launch.step))
        return;
    error = launch_begin(&launch, &err);
    if (options->dry_run)
        launch_send_step(&launch, NULL);
    if (error < 0)
        launch_give_up(&launch, failure_of(options), err.text);
    else if (options->mode == OPTIONS_OFF)
        ; /* as the site says */
    else if ((why = options_forbidden(options, plugstack)))
        leave_forbidden(&launch, why);
    else {
        if (plugstack->not_recorded)
            leave_unrecorded(&launch);
        run(&launch);
    }
    launch_end(&launch);
}
