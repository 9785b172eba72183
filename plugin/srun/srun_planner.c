/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_planner.c - srun's side: the facts of the launch, the question to
 * `topomap`, and what becomes of the answer */
#include "config.h"

#include "plugin/srun/srun_planner.h"

#include "base/error_set.h"
#include "plugin/say.h"
#include "plugin/srun/child.h"
#include "plugin/srun/layout.h"
#include "plugin/srun/spool.h"
#include "plugin/srun/steps.h"
#include "plugin/srun/topology.h"

#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/plan_command.h"
#include "launch/plan_describe.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/handoff/slot_text.h"
#include "plugin/policy.h"
#include "plugin/srun/rank_list.h"

#include <stdlib.h>
#include <string.h>

/* `topomap` keeps the budget itself, and is killed this much later. */
#define GRACE 0.1
/* At most this much of the budget for a slurmctld that does not answer. */
#define TOPOLOGY_SHARE 0.5
/* A plan that took its whole budget is not lost for the file of its slots. */
#define HANDOFF_SECONDS 0.5
/* topomap plan --facts - --format=wire, and what follows it */
#define FIRST_OPTION 5
/* Words of a command that are told to `topomap`. */
#define TYPED_MOST 1000

struct launch {
    spank_t spank;
    const struct options *options;
    const struct plugstack *plugstack;
    struct step_files *step_files;
    uint32_t job, step;
    struct layout layout;
    struct lookup files;
    char **typed; /* steps_command */
    int ntyped;
    char *facts;
    const char *argv[FIRST_OPTION + OPTIONS_WORDS];
    char time[32];
    struct mapcore_plan *plan;
    double begun; /* child_clock() */
};

/* To whoever typed the option. A site default is silent. */
#define say(launch, ...)                                                       \
    ((launch)->options->typed ? say_user(__VA_ARGS__) : (void)0)

/* The tasks read this first, and nothing else without it. */
static void send_step(const struct launch *launch, const char *failure)
{
    const struct handoff handoff = {
        .typed = launch->options->typed,
        .verbose = launch->options->verbose,
        .strict = launch->options->strict || child_signal(),
        .dry_run = launch->options->dry_run,
        .failure = failure,
    };
    char text[1024];

    handoff_format(text, sizeof(text), &handoff, launch->job, launch->step);
    setenv(handoff_names[HANDOFF_STEP], text, 1);
}

/* No plan, no recording: the launch goes on as without topomap. With strict it
 * does not: this hook cannot stop it, so the tasks end themselves. Nor after a
 * Ctrl-C: a short program would be over before the signal comes again. */
static void give_up(const struct launch *launch, const char *reason)
{
    if (launch->options->strict || child_signal())
        send_step(launch, reason);
    else
        say(launch, "%s", reason);
}

static double time_left(const struct launch *launch)
{
    return launch->begun + options_seconds(launch->options, launch->plugstack) -
           child_clock();
}

static int gather_facts(struct launch *launch, struct mapcore_error *err)
{
    struct mapcore_facts facts = {
        .program = launch->files.program,
        .ntasks = launch->layout.ntasks,
        .nhosts = launch->layout.nhosts,
        .nodelist = launch->layout.nodelist,
        .counts = launch->layout.counts,
        .baseline = launch->layout.baseline,
        .topology = topology_text(TOPOLOGY_SHARE * time_left(launch)),
        .words = launch->typed,
        .nwords = launch->ntyped,
    };
    int error = mapcore_facts_format(&launch->facts, &facts, err);

    free(facts.topology);
    return error;
}

static int ask_for_plan(struct launch *launch, struct mapcore_error *err)
{
    const char *const words[FIRST_OPTION] = {launch->plugstack->program, "plan",
                                             "--facts", "-", "--format=wire"};
    double left = time_left(launch);
    int ms = (int)(left * 1000), error;
    struct child_question question = {
        .argv = launch->argv,
        .input = launch->facts,
        .ninput = strlen(launch->facts),
        .seconds = left + GRACE,
        .complete = mapcore_plan_complete,
    };
    char *answer = NULL;
    size_t n = 0;

    if (ms <= 0)
        return error_set(err, MAPCORE_EIO,
                         "no time is left to plan: asking Slurm took it all");
    /* Not %f: the user's locale may write a comma. */
    snprintf(launch->time, sizeof(launch->time), "%d.%03d", ms / 1000,
             ms % 1000);
    memcpy(launch->argv, words, sizeof(words));
    options_words(launch->argv + FIRST_OPTION, launch->options,
                  launch->plugstack, launch->time);
    if ((error = child_ask(&answer, &n, &question, err)) < 0)
        return error;
    error =
        mapcore_plan_parse(&launch->plan, answer, n, launch->layout.ntasks,
                           launch->layout.nhosts, launch->layout.counts, err);
    free(answer);
    return error;
}

/* The slots, to be bound to; the hosts are right whatever becomes of them. */
static int send_slots(const struct launch *launch, struct mapcore_error *err)
{
    char *slots = NULL, *text = NULL;
    double left = time_left(launch);
    int error =
        slot_text_format(&slots, launch->plan, launch->job, launch->step, err);

    if (error == 0)
        error = lookup_write_slots(
            &text, &launch->step_files->handoff, slots, launch->job,
            launch->step, left > HANDOFF_SECONDS ? left : HANDOFF_SECONDS, err);
    if (error == 0)
        setenv(handoff_names[HANDOFF_PLAN], text, 1);
    free(slots);
    free(text);
    return error;
}

/* For programs that look at names and numbers of nodes: which one has rank 0,
 * which one is which, and, where ranks were moved, the list of them. Without
 * any of it a program is as well off as without topomap. */
static void tell_ranks(const struct launch *launch, const uint32_t *host)
{
    const struct rank_list list = {
        .nodelist = launch->layout.nodelist,
        .ntasks = launch->layout.ntasks,
        .nhosts = launch->layout.nhosts,
        .host = host,
    };
    char *master = NULL, *nodes = NULL, *ranks = NULL;
    double left = time_left(launch);
    struct mapcore_error err;

    if (rank_list_make(&master, &nodes, &ranks, &list, NULL) < 0)
        return;
    setenv(handoff_names[HANDOFF_MASTER], master, 1);
    if (strlen(nodes) <= HANDOFF_MOST)
        setenv(handoff_names[HANDOFF_NODES], nodes, 1);
    if (host == launch->layout.baseline)
        ; /* Slurm's own list is true */
    else if (lookup_keep_ranks(
                 &launch->step_files->ranks, ranks, launch->job, launch->step,
                 left > HANDOFF_SECONDS ? left : HANDOFF_SECONDS, &err) < 0)
        say(launch, "TOPOMAP_RANKS is not set: %s", err.text);
    else
        setenv(handoff_names[HANDOFF_RANKS], launch->step_files->ranks, 1);
    free(master);
    free(nodes);
    free(ranks);
}

static void apply(const struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;
    const struct layout *layout = &launch->layout;
    struct mapcore_error err;

    if (memcmp(plan->host, layout->baseline,
               layout->ntasks * sizeof(*plan->host)) != 0)
        layout_permute(layout, plan->host);
    send_step(launch, NULL);
    tell_ranks(launch, plan->host);
    /* Whole nodes: the tasks of each are as Slurm put them. */
    if (launch->options->no_bind || options_move_nodes(launch->options))
        return;
    if (policy_bound_by_user(getenv("SLURM_CPU_BIND_TYPE")))
        say(launch, "the tasks are bound as --cpu-bind says");
    else if (steps_has_gpus(launch->spank))
        say(launch, "the step uses GPUs: the tasks are bound as Slurm chose");
    else if (send_slots(launch, &err) < 0)
        say(launch, "the tasks are bound as Slurm chose: %s", err.text);
}

/* The command that finds the same plan from a shell, and the map. */
static void explain(const struct launch *launch)
{
    char *command = NULL, *map = NULL;

    if (plan_command(&command, launch->facts, launch->argv + FIRST_OPTION,
                     NULL) == 0)
        say(launch, "%s plan %s --format=text", launch->plugstack->program,
            command);
    if (launch->plan->applies &&
        plan_describe(&map, launch->plan, launch->layout.nodelist, NULL) == 0)
        for (char *line = map, *end; (end = strchr(line, '\n')); line = end + 1)
            say(launch, "%.*s", (int)(end - line), line);
    free(command);
    free(map);
}

static void use_plan(const struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;
    bool dry_run = launch->options->dry_run, found = true;
    double began;

    if (plan->applies)
        say(launch, "%s%s", dry_run ? "dry run: " : "", plan->reason);
    /* A graph was found and tried: keeping Slurm's layout is an answer. */
    else if (plan->hops_per_byte[0] > 0 || plan->milliseconds[2] > 0)
        say(launch, "%s", plan->reason);
    else {
        found = false;
        if (!plan->unconcerned)
            give_up(launch, plan->reason);
        else if (launch->options->verbose)
            say(launch, "%s", plan->reason);
    }
    if (launch->options->verbose || dry_run)
        explain(launch);
    began = child_clock();
    if (launch->options->verbose)
        say(launch, "hops per byte %.4g -> %.4g; planned in %.0f ms",
            plan->hops_per_byte[0], plan->hops_per_byte[1],
            (began - launch->begun) * 1000);
    if (plan->applies && !dry_run)
        apply(launch);
    else if (!dry_run &&
             (found || !(launch->options->strict || child_signal()))) {
        send_step(launch, NULL);
        tell_ranks(launch, launch->layout.baseline);
    }
    if (launch->options->verbose)
        say(launch, "layout %.2f ms", (child_clock() - began) * 1000);
}

static void map_step(struct launch *launch)
{
    struct mapcore_error err;

    if (layout_open(&launch->layout, launch->spank, &err) < 0)
        give_up(launch, err.text);
    else if (launch->layout.nhosts == 1) {
        if (launch->options->verbose || launch->options->dry_run)
            say(launch, "one node: nothing to move");
    } else if (policy_check_mpi(getenv("SLURM_MPI_TYPE"),
                                launch->plugstack->mpi, &err) < 0 ||
               gather_facts(launch, &err) < 0 || ask_for_plan(launch, &err) < 0)
        give_up(launch, err.text);
    else
        use_plan(launch);
}

/* The options by which `topomap profile recorder` knows the place of what will
 * be recorded, into argv[4]; digits[16] is for one of them. How many. */
static size_t say_what_is_filed(const char **argv,
                                char *digits,
                                const struct launch *launch)
{
    const char **first = argv;
    struct layout layout = {0};

    if (layout_open(&layout, launch->spank, NULL) == 0) {
        snprintf(digits, 16, "%u", layout.ntasks);
        *argv++ = "--ntasks";
        *argv++ = digits;
    }
    layout_clear(&layout);
    if (launch->options->name) {
        *argv++ = "--name";
        *argv++ = launch->options->name;
    }
    if (options_recorder_word(launch->options)) {
        *argv++ = "--mpi";
        *argv++ = options_recorder_word(launch->options);
    }
    return (size_t)(argv - first);
}

/* All that `topomap` knows of what will run: of the whole command, unless exe=
 * names its program. A recorder that the user names is believed to fit. */
static int ask_for_recorder(char **answer,
                            const struct launch *launch,
                            struct mapcore_error *err)
{
    char ntasks[16];
    const char *argv[TYPED_MOST + 14] = {launch->plugstack->program, "profile",
                                         "recorder"};
    struct child_question question = {
        .argv = argv,
        .seconds = time_left(launch) + GRACE,
    };
    size_t n = 3;

    if (launch->files.recorder)
        argv[n++] = "--mpi=mpich";
    n += say_what_is_filed(argv + n, ntasks, launch);
    argv[n++] = "--";
    if (launch->ntyped > 0)
        memcpy(argv + n, launch->typed, (size_t)launch->ntyped * sizeof(*argv));
    else
        argv[n] = launch->files.program;
    return child_ask(answer, &n, &question, err);
}

/* *answer: what `topomap` says, or NULL. */
static int find_recorder(char **recorder,
                         char **catalogue,
                         char **answer,
                         const struct launch *launch,
                         struct mapcore_error *err)
{
    const char *own = getenv("TOPOMAP_CATALOGUE");
    char *refused, *nameless;
    int error;

    if (launch->files.refusal)
        return error_set(err, MAPCORE_ENOTSUP, "%s", launch->files.refusal);
    error = ask_for_recorder(answer, launch, err);
    if (launch->files.recorder) {
        *recorder = strdup(launch->files.recorder);
        *catalogue = own && *own ? strdup(own) : NULL;
        return *recorder ? 0 : error_set(err, MAPCORE_ENOMEM, "out of memory");
    }
    if (error < 0)
        return error;
    *recorder = handoff_value(*answer, "recorder");
    *catalogue = handoff_value(*answer, "catalogue");
    if ((refused = handoff_value(*answer, "refused")))
        say(launch, "--topomap=auto will not use what is recorded: %s",
            refused);
    nameless = handoff_value(*answer, "nameless");
    if (nameless && !launch->options->name)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "nothing is recorded: %.300s runs other programs: "
                          "give this one a name by name=NAME",
                          nameless);
    free(nameless);
    free(refused);
    if (error < 0)
        return error;
    return *recorder ? recorder_file_check_path(*recorder, err)
                     : error_set(err, MAPCORE_EIO, "topomap names no recorder");
}

/* What cannot be filed is not recorded. */
static int make_spool(const struct launch *launch,
                      const char *catalogue,
                      struct mapcore_error *err)
{
    struct spool_request request = {
        .catalogue = catalogue, .job = launch->job, .step = launch->step};
    struct mapcore_error reason;
    int error;

    spank_get_item(launch->spank, S_JOB_NNODES, &request.nhosts);
    spank_get_item(launch->spank, S_JOB_TOTAL_TASK_COUNT, &request.ntasks);
    error = spool_make(&launch->step_files->spool, &request,
                       time_left(launch) + GRACE, &reason);
    return error < 0
               ? error_set(err, error, "nothing is recorded: %s", reason.text)
               : 0;
}

/* For the recorder, from the answer's line of that word. */
static void pass_on(const char *answer, const char *word, enum handoff_name to)
{
    char *value = answer ? handoff_value(answer, word) : NULL;

    if (value)
        setenv(handoff_names[to], value, 1);
    free(value);
}

static void record_step(const struct launch *launch)
{
    const struct options *options = launch->options;
    struct mapcore_error err;
    char *recorder = NULL, *catalogue = NULL, *answer = NULL, *program, *note;

    if (find_recorder(&recorder, &catalogue, &answer, launch, &err) < 0) {
        give_up(launch, err.text);
        goto out;
    }
    if (!options->dry_run && make_spool(launch, catalogue, &err) < 0) {
        give_up(launch, err.text);
        goto out;
    }
    program = answer ? handoff_value(answer, "program") : NULL;
    note = answer ? handoff_value(answer, "note") : NULL;
    say(launch, "%srecording %s by %s%s%s", options->dry_run ? "dry run: " : "",
        program ? program : launch->files.program, recorder,
        catalogue ? " into " : "", catalogue ? catalogue : "");
    if (note)
        say(launch, "%s", note);
    if (catalogue && steps_has_container(launch->spank))
        say(launch,
            "the container must show the recorder and the catalogue: "
            "--container-mounts=%s:%s,%s:%s; with name=NAME it is found again",
            recorder, recorder, catalogue, catalogue);
    free(program);
    free(note);
    if (options->dry_run)
        goto out;
    send_step(launch, NULL);
    setenv(handoff_names[HANDOFF_RECORDER], recorder, 1);
    setenv(handoff_names[HANDOFF_SPOOL], launch->step_files->spool, 1);
    if (catalogue)
        setenv(handoff_names[HANDOFF_CATALOGUE], catalogue, 1);
    if (options->name)
        setenv(handoff_names[HANDOFF_NAME], options->name, 1);
    else
        pass_on(answer, "name", HANDOFF_NAME);
    if (options->record_seconds)
        setenv(handoff_names[HANDOFF_LIMIT], options->record_seconds, 1);
    if (options->exe)
        setenv(handoff_names[HANDOFF_EXE], launch->files.program, 1);
    else
        pass_on(answer, "exe", HANDOFF_EXE);
    pass_on(answer, "command", HANDOFF_COMMAND);
out:
    free(answer);
    free(recorder);
    free(catalogue);
}

void srun_planner_run(spank_t spank,
                      const struct options *options,
                      const struct plugstack *plugstack,
                      struct step_files *files)
{
    struct launch launch = {.spank = spank,
                            .options = options,
                            .plugstack = plugstack,
                            .step_files = files};
    struct mapcore_error err;
    const char *why;

    /* What an outer step has left, so that none of it is taken for ours. */
    for (int i = 0; i < HANDOFF_COUNT; i++)
        unsetenv(handoff_names[i]);
    if (options->mode == OPTIONS_OFF ||
        spank_get_item(spank, S_JOB_ID, &launch.job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &launch.step) != ESPANK_SUCCESS ||
        policy_is_special(launch.step))
        return;
    launch.begun = child_clock();
    if (options->dry_run)
        send_step(&launch, NULL);
    launch.ntyped = steps_command(&launch.typed, spank, options, TYPED_MOST);
    if (steps_look_up(&launch.files, spank, options, time_left(&launch), &err) <
        0)
        give_up(&launch, err.text);
    else if ((why = steps_left_alone(spank, options, launch.files.program))) {
        if (policy_is_launcher(launch.files.program))
            unsetenv(handoff_names[HANDOFF_STEP]);
        say(&launch, "%s", why);
    } else {
        if (options->mode == OPTIONS_PROFILE || options->record)
            record_step(&launch);
        if (options->mode != OPTIONS_PROFILE)
            map_step(&launch);
    }
    lookup_clear(&launch.files);
    free(launch.facts);
    mapcore_plan_destroy(launch.plan);
    layout_clear(&launch.layout);
}
