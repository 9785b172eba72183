/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_recording.c - srun's side of a recording: which recorder, filed where,
 * and what speaks against it */
#include "config.h"

#include "plugin/srun/srun_launch.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "base/text.h"
#include "launch/catalogue_root.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/srun/child.h"

#include <stdlib.h>
#include <string.h>

/* Name and value, where there is one; behind them. */
static const char **add(const char **word, const char *name, const char *value)
{
    if (value) {
        *word++ = name;
        *word++ = value;
    }
    return word;
}

/* All that `topomap` knows of what will run: of the whole command, unless exe=
 * names its program, and its place in the catalogue. It makes the spool, the
 * folder beside the catalogue where a recording that is cut short leaves what
 * it has. times: for some bytes a node. */
static int ask_for_recorder(char **answer,
                            const struct launch *launch,
                            bool times,
                            struct mapcore_error *err)
{
    const struct options *options = launch->options;
    const struct step_note *note = &launch->step_files->note;
    char ntasks[16], spool[128];
    const char *argv[LAUNCH_TYPED_MOST + 17] = {launch->plugstack->program,
                                                "profile", "recorder"};
    const struct child_question question = {
        .argv = argv,
        .seconds = launch_time_left(launch) + LAUNCH_GRACE,
    };
    const char **word = argv + 3;
    size_t n;

    snprintf(ntasks, sizeof(ntasks), "%u", note->ntasks);
    if (times)
        snprintf(spool, sizeof(spool), "time-%u.%u", launch->job, launch->step);
    else
        snprintf(spool, sizeof(spool), "%u.%u %u %u %s", launch->job,
                 launch->step, note->nhosts, note->ntasks,
                 options->record_every ? options->record_every : "0");
    word = add(word, "--ntasks", ntasks);
    word = add(word, "--name", options->name);
    word = add(word, "--mpi", options_recorder_word(options));
    word = add(word, "--file", launch->files.recorder);
    word = add(word, "--spool", options->dry_run ? NULL : spool);
    *word++ = "--";
    if (launch->ntyped > 0)
        memcpy(word, launch->typed, (size_t)launch->ntyped * sizeof(*argv));
    else
        *word = launch->files.program;
    return child_ask(answer, &n, &question, err);
}

/* What topomap has against filing what is recorded: a line, or an error. */
static int heed(const struct launch *launch,
                const char *answer,
                struct mapcore_error *err)
{
    const bool is_asked = !launch->plan || !launch->plan->times_mpi;
    char *refused = is_asked ? text_value(answer, "refused") : NULL;
    char *nameless = text_value(answer, "nameless");
    int error = 0;

    if (refused)
        launch_say(launch, MESSAGE_NOT_USED, refused);
    if (nameless && !launch->options->name)
        error = error_set(err, MAPCORE_ENOTSUP, MESSAGE_NAMELESS, nameless);
    free(nameless);
    free(refused);
    return error;
}

/* *answer: what `topomap` says; the others, but for dry runs' *spool, are of
 * it.
 */
static int find_recorder(char **answer,
                         char **recorder,
                         char **catalogue,
                         char **spool,
                         const struct launch *launch,
                         struct mapcore_error *err)
{
    int error;

    if (launch->files.refusal)
        return error_set(err, MAPCORE_ENOTSUP, "%s", launch->files.refusal);
    if ((error = ask_for_recorder(
             answer, launch, spool == &launch->step_files->times, err)) < 0 ||
        (error = heed(launch, *answer, err)) < 0)
        return error;
    *recorder = text_value(*answer, "recorder");
    *catalogue = text_value(*answer, "catalogue");
    *spool = text_value(*answer, "spool");
    return *recorder && (*spool || launch->options->dry_run)
               ? recorder_file_check_path(*recorder, err)
               : error_set(err, MAPCORE_EIO, "topomap names no recorder");
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
    char *program = text_value(answer, "program");
    char *nompi = text_value(answer, "nompi");
    char *nccl = text_value(answer, "nccl");

    if (!nompi || dry_run || launch->options->verbose)
        launch_say(launch, MESSAGE_RECORDING,
                   program ? program : launch->files.program, recorder,
                   catalogue ? " into " : "", catalogue ? catalogue : "");
    for (const char *line = answer, *note; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if ((note = text_after(line, "note ")))
            launch_say(launch, OUTCOME_NONE, "%.*s", (int)strcspn(note, "\n"),
                       note);
    }
    if (catalogue && (policy_has_option(&launch->srun, "--container-image") ||
                      policy_has_option(&launch->srun, "--container-name")))
        launch_say(launch, MESSAGE_CONTAINER, recorder, recorder, catalogue,
                   catalogue);
    if (program && policy_is_launcher(program))
        launch_say(launch, MESSAGE_LAUNCHER, program);
    if (nccl && getenv(HANDOFF_NCCL))
        launch_say(launch, MESSAGE_OTHER_PROFILER, HANDOFF_NCCL);
    free(program);
    free(nompi);
    free(nccl);
}

/* As a launch calls it that is placed by what is recorded. */
static void note_program(const struct launch *launch, const char *answer)
{
    struct step_note *note = &launch->step_files->note;
    char *found = text_value(answer, "name");

    if (!found)
        found = text_value(answer, "program");
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
    char *said = !given && answer ? text_value(answer, word) : NULL;
    const char *value = given ? given : said;

    if (value && !strchr(value, '\n'))
        buffer_printf(out, "%s=%s\n", name, value);
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

    if (find_recorder(&answer, &recorder, &catalogue,
                      &launch->step_files->spool, launch, &err) < 0) {
        launch_give_up(launch, OUTCOME_NOT_RECORDED, err.text);
        goto out;
    }
    announce(launch, answer, recorder, catalogue);
    note_program(launch, answer);
    if (options->dry_run)
        goto out;
    launch_send_step(launch, NULL);
    add_variable(&variables, "COMMPROF_CATALOGUE", catalogue, NULL, NULL);
    add_variable(&variables, CATALOGUE_UMASK, getenv(CATALOGUE_UMASK), NULL,
                 NULL);
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
    if (!getenv(HANDOFF_NCCL))
        add_variable(&variables, HANDOFF_NCCL, NULL, answer, "nccl");
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

    if (find_recorder(&answer, &recorder, &catalogue,
                      &launch->step_files->times, launch, &ignored) == 0)
        send_recorder(recorder, launch->step_files->times, HANDOFF_TIME_ALONE);
    free(answer);
    free(recorder);
    free(catalogue);
}
