/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_recording.c - srun's side of a recording: which recorder, filed where,
 * and what speaks against it */
#include "config.h"

#include "plugin/srun/srun_launch.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "launch/catalogue_root.h"
#include "launch/spool_folder.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/srun/child.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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
 * names its program, and its place in the catalogue. */
static int ask_for_recorder(char **answer,
                            const struct launch *launch,
                            struct mapcore_error *err)
{
    char ntasks[16];
    const char *argv[LAUNCH_TYPED_MOST + 13] = {launch->plugstack->program,
                                                "profile", "recorder"};
    const struct child_question question = {
        .argv = argv,
        .seconds = launch_time_left(launch) + LAUNCH_GRACE,
    };
    const char **word = argv + 3;
    size_t n;

    snprintf(ntasks, sizeof(ntasks), "%u", launch->step_files->note.ntasks);
    word = add(word, "--ntasks", ntasks);
    word = add(word, "--name", launch->options->name);
    word = add(word, "--mpi", options_recorder_word(launch->options));
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

/* The folder beside a catalogue where a recording that is cut short leaves what
 * it has. */
struct spool {
    const struct launch *launch;
    const char *catalogue; /* NULL: the user's own */
    bool times; /* for some bytes a node: its name begins with "time-" */
};

/* What a profile of some hundred tasks takes. */
#define ROOM (256 << 10)

static int fail(struct mapcore_error *err, const char *what, const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     strerror(errno));
}

static int find_root(struct buffer *out,
                     const struct spool *wanted,
                     struct mapcore_error *err)
{
    char here[PATH_MAX], *root = NULL;
    int error = 0;

    if (wanted->catalogue)
        error = buffer_printf(out, err, "%s", wanted->catalogue);
    else if ((error = catalogue_root_find(&root, getenv, err)) == 0 &&
             root[0] == '/')
        error = buffer_printf(out, err, "%s", root);
    else if (error == 0)
        error = getcwd(here, sizeof(here))
                    ? buffer_printf(out, err, "%s/%s", here, root)
                    : fail(err, "find the folder of", root);
    free(root);
    return error;
}

/* Room is what was really written: a quota may let a file grow by a hole. */
static int try_room(const struct own_folder *folder, struct mapcore_error *err)
{
    static const char name[] = "room";
    char bytes[4096];
    struct stat st;
    int fd, error = own_folder_append(&fd, &st, folder, name, 0600, err);

    if (error < 0)
        return error;
    memset(bytes, 0, sizeof(bytes));
    for (size_t i = 0; error == 0 && i < ROOM; i += sizeof(bytes)) {
        errno = ENOSPC;
        if (write(fd, bytes, sizeof(bytes)) != (ssize_t)sizeof(bytes))
            error = errno;
    }
    if (error == 0 && fsync(fd) < 0)
        error = errno;
    if (close(fd) < 0 && error == 0)
        error = errno;
    (void)own_folder_remove(folder, name);
    errno = error;
    return error == 0 ? 0 : fail(err, "write into", own_folder_path(folder));
}

static int write_step(const struct own_folder *folder,
                      const struct spool *wanted,
                      struct mapcore_error *err)
{
    const char *every = wanted->launch->options->record_every;
    const struct step_note *note = &wanted->launch->step_files->note;
    struct stat st;
    int fd, error = try_room(folder, err);

    if (error == 0)
        error = own_folder_append(&fd, &st, folder, "step", 0600, err);
    if (error < 0)
        return error;
    if (dprintf(fd, "nodes %" PRIu32 "\ntasks %" PRIu32 "\n%s%s%s",
                note->nhosts, note->ntasks, every ? "every " : "",
                every ? every : "", every ? "\n" : "") < 0)
        error = fail(err, "write into", own_folder_path(folder));
    if (close(fd) < 0 && error == 0)
        error = fail(err, "write into", own_folder_path(folder));
    return error;
}

/* By a fork with a deadline: lookup.h says why. Makes the catalogue's folder
 * and in it .spool-UID/JOB.STEP, and writes as much there as a small recording
 * needs. */
static int answer_spool(FILE *out,
                        const void *subject,
                        struct mapcore_error *err)
{
    const struct spool *wanted = subject;
    struct own_folder *folder = NULL;
    struct buffer root = {0};
    char name[64];
    int error = find_root(&root, wanted, err);

    snprintf(name, sizeof(name), "%s%" PRIu32 ".%" PRIu32,
             wanted->times ? "time-" : "", wanted->launch->job,
             wanted->launch->step);
    if (error == 0) {
        child_asks(root.bytes);
        if (catalogue_root_make(root.bytes) < 0)
            error = fail(err, "make the folder", root.bytes);
    }
    if (error == 0)
        error = spool_folder_make(&folder, root.bytes, name, err);
    if (error == 0 && !wanted->times &&
        (error = write_step(folder, wanted, err)) < 0)
        (void)spool_folder_remove(own_folder_path(folder));
    if (error == 0)
        fputs(own_folder_path(folder), out);
    own_folder_close(folder);
    buffer_clear(&root);
    return error;
}

/* What cannot be filed is not recorded. */
static int make_spool(char **out,
                      const struct launch *launch,
                      const char *catalogue,
                      struct mapcore_error *err)
{
    const struct spool wanted = {launch, catalogue,
                                 out == &launch->step_files->times};
    const struct child_question question = {
        .answer = answer_spool,
        .subject = &wanted,
        .seconds = launch_time_left(launch) + LAUNCH_GRACE};
    struct mapcore_error reason;
    char *path = NULL;
    size_t n = 0;
    int error = child_ask(&path, &n, &question, &reason);

    if (error == 0 && n > 0 && strlen(path) == n) {
        *out = path;
        return 0;
    }
    free(path);
    return error_set(err, MAPCORE_EIO, "nothing is recorded: %s",
                     error < 0 ? reason.text : "no spool was made");
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
