/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lookup.c - what a launch names, looked at by a fork of srun: a process that
 * waits for storage cannot be killed, and srun must not be that process */
#include "config.h"

#include "plugin/srun/lookup.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/catalogue_root.h"
#include "launch/command/program_path.h"
#include "launch/plan_words.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/srun/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Words in an answer, each ended by NUL: a path may have a newline in it. */
static void put_word(FILE *out, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, out);
}

/* Asks a fork for n words, into *words[i] (owned, NULL where empty or missing).
 */
static int ask(char **const words[],
               size_t n,
               const struct child_question *question,
               struct mapcore_error *err)
{
    char *answer = NULL;
    size_t length = 0, at = 0;
    int error = child_ask(&answer, &length, question, err);

    for (size_t i = 0; error == 0 && i < n && at < length; i++) {
        const char *word = answer + at;

        at += strlen(word) + 1;
        if (*word)
            error = text_copy(words[i], word, err);
    }
    free(answer);
    return error;
}

static int check_recording(char **recorder,
                           const struct lookup_request *request,
                           const char *program,
                           struct mapcore_error *err)
{
    int error = recorder_file_check_program(program, err);

    if (error < 0 || !request->recorder)
        return error;
    child_asks(request->recorder);
    if (!(*recorder = realpath(request->recorder, NULL)))
        return error_set(err, MAPCORE_ENOENT, "%.400s: %s", request->recorder,
                         strerror(errno));
    return recorder_file_check(*recorder, err);
}

static int find_files(FILE *out, const void *subject, struct mapcore_error *err)
{
    const struct lookup_request *request = subject;
    struct mapcore_error refusal = {.text = ""};
    char *program = NULL, *recorder = NULL;
    int error;

    child_asks(request->command);
    error = program_path_find(&program, request->command, request->path, err);
    if (error < 0 && !request->need_not_be)
        return error;
    put_word(out, program ? program : request->command);
    if (request->records &&
        check_recording(&recorder, request,
                        program ? program : request->command, &refusal) == 0)
        refusal.text[0] = '\0';
    put_word(out, recorder ? recorder : "");
    put_word(out, refusal.text);
    free(program);
    free(recorder);
    return 0;
}

int lookup_launch(struct lookup *out,
                  const struct lookup_request *request,
                  double seconds,
                  struct mapcore_error *err)
{
    const struct child_question question = {
        .answer = find_files, .subject = request, .seconds = seconds};
    char **const words[] = {&out->program, &out->recorder, &out->refusal};
    int error = ask(words, 3, &question, err);

    if (error == 0 && !out->program)
        error = error_set(err, MAPCORE_EIO, "no answer while looking at files");
    if (error < 0)
        lookup_clear(out);
    return error;
}

void lookup_clear(struct lookup *lookup)
{
    free(lookup->program);
    free(lookup->recorder);
    free(lookup->refusal);
    memset(lookup, 0, sizeof(*lookup));
}

static bool is_readable(const char *path)
{
    child_asks(path);
    return access(path, R_OK) == 0;
}

static bool is_folder(const char *path)
{
    struct stat status;

    child_asks(path);
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode) &&
           access(path, X_OK) == 0;
}

static bool some_catalogue(const struct plugstack *plugstack)
{
    char *own = NULL;
    bool found = catalogue_root_find(&own, getenv, NULL) == 0 && is_folder(own);

    free(own);
    for (int i = 0; !found && i < plugstack->ncatalogues; i++)
        found = is_folder(plugstack->catalogue[i]);
    return found;
}

static int check_options(FILE *out,
                         const void *subject,
                         struct mapcore_error *err)
{
    const struct lookup_strict *check = subject;
    const struct options *options = check->options;
    const struct plugstack *plugstack = check->plugstack;
    const bool records = options->mode == OPTIONS_PROFILE;
    const char *graph = options->graph;
    const char *const files[] = {
        graph && graph_word_is_file(graph) ? graph
        : graph                            ? graph_word_plan(graph)
                                           : NULL,
        options->exe,
        records && !options_recorder_word(options) ? options->recorder : NULL,
        plugstack->config,
        options->catalogue,
    };

    (void)out;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
        if (files[i] && !is_readable(files[i]))
            return error_set(err, MAPCORE_ENOENT, "%s: %s", files[i],
                             strerror(errno));
    if (!records && !(graph && graph_word_is_whole(graph)) &&
        !plugstack->config && !is_readable(check->site_file) &&
        !some_catalogue(plugstack))
        return error_set(err, MAPCORE_ENOENT,
                         "there is no catalogue, neither the user's own nor "
                         "the site's: record a profile with "
                         "--topomap=profile first");
    return 0;
}

int lookup_options(const struct lookup_strict *check,
                   double seconds,
                   struct mapcore_error *err)
{
    const struct child_question question = {
        .answer = check_options, .subject = check, .seconds = seconds};

    return ask(NULL, 0, &question, err);
}

static int write_file(FILE *out, const void *subject, struct mapcore_error *err)
{
    const struct lookup_file *file = subject;
    const struct handoff_place place = {
        .cache = getenv("XDG_CACHE_HOME"),
        .home = getenv("HOME"),
        .name = {file->job, file->step, getenv("SLURM_CLUSTER_NAME")}};
    char *path = NULL;
    int error;

    child_asks(place.cache && *place.cache ? place.cache : place.home);
    error = handoff_file_write(&path, file->kind, file->text, &place, err);
    if (error == 0)
        put_word(out, path);
    free(path);
    return error;
}

int lookup_write(char **path,
                 const struct lookup_file *file,
                 double seconds,
                 struct mapcore_error *err)
{
    const struct child_question question = {
        .answer = write_file, .subject = file, .seconds = seconds};
    int error = ask(&path, 1, &question, err);

    return error == 0 && !*path
               ? error_set(err, MAPCORE_EIO, "no file was written")
               : error;
}

struct removal {
    const char *const *paths;
    size_t n;
};

static int remove_files(FILE *out,
                        const void *subject,
                        struct mapcore_error *err)
{
    const struct removal *removal = subject;

    (void)out;
    (void)err;
    for (size_t i = 0; i < removal->n; i++)
        (void)unlink(removal->paths[i]);
    return 0;
}

void lookup_remove(const char *const *paths, size_t n, double seconds)
{
    const struct removal removal = {paths, n};
    const struct child_question question = {
        .answer = remove_files, .subject = &removal, .seconds = seconds};

    ask(NULL, 0, &question, NULL);
}
