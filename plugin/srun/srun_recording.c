/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_recording.c - srun's side of a recording: which recorder, filed where,
 * and what speaks against it */
#include "config.h"

#include "plugin/srun/srun_launch.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/srun/child.h"
#include "plugin/srun/spool.h"

#include <stdlib.h>
#include <string.h>

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
 * names its program. */
static int ask_for_recorder(char **answer,
                            const struct launch *launch,
                            struct mapcore_error *err)
{
    char ntasks[16];
    const char *argv[LAUNCH_TYPED_MOST + 13] = {launch->plugstack->program,
                                                "profile", "recorder"};
    struct child_question question = {
        .argv = argv,
        .seconds = launch_time_left(launch) + LAUNCH_GRACE,
    };
    size_t n = 3;

    n += say_what_is_filed(argv + n, ntasks, launch);
    argv[n++] = "--";
    if (launch->ntyped > 0)
        memcpy(argv + n, launch->typed, (size_t)launch->ntyped * sizeof(*argv));
    else
        argv[n] = launch->files.program;
    return child_ask(answer, &n, &question, err);
}

/* What topomap has against filing what is recorded: a line, or an error. */
static int heed(const struct launch *launch,
                const char *answer,
                struct mapcore_error *err)
{
    const bool is_asked = !launch->plan || !launch->plan->times_mpi;
    char *refused = is_asked ? handoff_value(answer, "refused") : NULL;
    char *nameless = handoff_value(answer, "nameless");
    int error = 0;

    if (refused)
        launch_say(launch, "--topomap=auto will not use what is recorded: %s",
                   refused);
    if (nameless && !launch->options->name)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "nothing is recorded: %.300s runs other programs: "
                          "give this one a name by name=NAME",
                          nameless);
    free(nameless);
    free(refused);
    return error;
}

/* *answer: what `topomap` says, or NULL. Whoever names a recorder's file needs
 * none. */
static int find_recorder(char **recorder,
                         char **catalogue,
                         char **answer,
                         const struct launch *launch,
                         struct mapcore_error *err)
{
    const char *own = getenv("TOPOMAP_CATALOGUE");
    int error;

    if (launch->files.refusal)
        return error_set(err, MAPCORE_ENOTSUP, "nothing is recorded: %s",
                         launch->files.refusal);
    if ((error = ask_for_recorder(answer, launch, err)) == 0)
        error = heed(launch, *answer, err);
    else if (launch->files.recorder)
        error = 0;
    if (error < 0)
        return error;
    if (launch->files.recorder) {
        *recorder = strdup(launch->files.recorder);
        *catalogue = own && *own ? strdup(own) : NULL;
        return *recorder ? 0 : error_set(err, MAPCORE_ENOMEM, "out of memory");
    }
    *recorder = handoff_value(*answer, "recorder");
    *catalogue = handoff_value(*answer, "catalogue");
    return *recorder ? recorder_file_check_path(*recorder, err)
                     : error_set(err, MAPCORE_EIO, "topomap names no recorder");
}

/* What cannot be filed is not recorded. */
static int make_spool(char **out,
                      const struct launch *launch,
                      const char *catalogue,
                      struct mapcore_error *err)
{
    struct spool_request request = {.catalogue = catalogue,
                                    .times = out == &launch->step_files->times,
                                    .every = launch->options->record_every,
                                    .job = launch->job,
                                    .step = launch->step};
    struct mapcore_error reason;
    int error;

    spank_get_item(launch->spank, S_JOB_NNODES, &request.nhosts);
    spank_get_item(launch->spank, S_JOB_TOTAL_TASK_COUNT, &request.ntasks);
    error = spool_make(out, &request, launch_time_left(launch) + LAUNCH_GRACE,
                       &reason);
    return error < 0
               ? error_set(err, error, "nothing is recorded: %s", reason.text)
               : 0;
}

/* What will be recorded; every line `note TEXT` of the answer; and what only
 * who starts a container can do. A program without MPI may still open one: it
 * is recorded then, and srun says in the end that it did not. */
static void announce(const struct launch *launch,
                     const char *answer,
                     const char *recorder,
                     const char *catalogue)
{
    const bool dry_run = launch->options->dry_run;
    char *program = handoff_value(answer, "program");
    char *nompi = handoff_value(answer, "nompi");

    if (!nompi || dry_run || launch->options->verbose)
        launch_say(launch, "%srecording %s by %s%s%s",
                   dry_run ? "dry run: " : "",
                   program ? program : launch->files.program, recorder,
                   catalogue ? " into " : "", catalogue ? catalogue : "");
    for (const char *line = answer; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, "note ", 5) == 0)
            launch_say(launch, "%.*s", (int)strcspn(line + 5, "\n"), line + 5);
    }
    if (catalogue && (policy_has_option(&launch->srun, "--container-image") ||
                      policy_has_option(&launch->srun, "--container-name")))
        launch_say(
            launch,
            "the container must show the recorder and the catalogue: "
            "--container-mounts=%s:%s,%s:%s; with name=NAME it is found again",
            recorder, recorder, catalogue, catalogue);
    if (program && policy_is_launcher(program))
        launch_say(launch,
                   "%s starts the ranks itself, and what it starts elsewhere "
                   "is not recorded: start the program by srun",
                   program);
    free(program);
    free(nompi);
}

/* As a launch calls it that is placed by what is recorded. */
static void note_program(const struct launch *launch, const char *answer)
{
    struct step_note *note = &launch->step_files->note;
    char *found = handoff_value(answer, "name");

    if (!found)
        found = handoff_value(answer, "program");
    if (found && !launch->options->name)
        snprintf(note->program, sizeof(note->program), "%s", found);
    free(found);
}

/* Name and value for the recorder: as given, or else as the answer's line of
 * that word has it. */
static void add_variable(struct buffer *out,
                         const char *name,
                         const char *given,
                         const char *answer,
                         const char *word)
{
    char *said = !given && answer ? handoff_value(answer, word) : NULL;
    const char *value = given ? given : said;

    if (value && !strchr(value, '\n'))
        buffer_printf(out, NULL, "%s=%s\n", name, value);
    free(said);
}

static void send_recorder(const char *recorder,
                          const char *spool,
                          const char *variables)
{
    setenv(handoff_names[HANDOFF_RECORDER], recorder, 1);
    setenv(handoff_names[HANDOFF_SPOOL], spool, 1);
    if (variables)
        setenv(handoff_names[HANDOFF_VARIABLES], variables, 1);
}

void srun_recording_run(const struct launch *launch)
{
    const struct options *options = launch->options;
    char *recorder = NULL, *catalogue = NULL, *answer = NULL;
    struct buffer variables = {0};
    struct mapcore_error err;

    if (find_recorder(&recorder, &catalogue, &answer, launch, &err) < 0 ||
        (!options->dry_run &&
         make_spool(&launch->step_files->spool, launch, catalogue, &err) < 0)) {
        launch_give_up(launch, err.text);
        goto out;
    }
    announce(launch, answer ? answer : "", recorder, catalogue);
    note_program(launch, answer ? answer : "");
    if (options->dry_run)
        goto out;
    launch_send_step(launch, NULL);
    add_variable(&variables, "COMMPROF_CATALOGUE", catalogue, NULL, NULL);
    add_variable(&variables, "COMMPROF_NAME", options->name, answer, "name");
    add_variable(&variables, "COMMPROF_SECONDS",
                 options->record_seconds ? options->record_seconds
                 : *launch->record_text  ? launch->record_text
                                         : NULL,
                 NULL, NULL);
    add_variable(&variables, "COMMPROF_PROGRAM",
                 options->exe ? launch->files.program : NULL, answer, "exe");
    add_variable(&variables, "COMMPROF_COMMAND", NULL, answer, "command");
    add_variable(&variables, "COMMPROF_VERBOSE", options->typed ? "1" : NULL,
                 NULL, NULL);
    send_recorder(recorder, launch->step_files->spool, variables.bytes);
    if (options->record_every)
        setenv(handoff_names[HANDOFF_EVERY], options->record_every, 1);
out:
    buffer_clear(&variables);
    free(answer);
    free(recorder);
    free(catalogue);
}

void srun_recording_time(const struct launch *launch)
{
    char *recorder = NULL, *catalogue = NULL, *answer = NULL;
    struct mapcore_error ignored;

    if (find_recorder(&recorder, &catalogue, &answer, launch, &ignored) == 0 &&
        make_spool(&launch->step_files->times, launch, catalogue, &ignored) ==
            0)
        send_recorder(recorder, launch->step_files->times, HANDOFF_TIME_ALONE);
    free(answer);
    free(recorder);
    free(catalogue);
}
