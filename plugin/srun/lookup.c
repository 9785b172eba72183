/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lookup.c - what a launch names, looked at by a fork of srun: a process that
 * waits for storage cannot be killed, and srun must not be that process */
#include "config.h"

#include "plugin/srun/lookup.h"

#include "base/array.h"
#include "base/error_set.h"
#include "launch/command/program_path.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/options_check.h"
#include "plugin/srun/child.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Words in an answer, each ended by NUL: a path may have a newline in it. */
static void put_word(FILE *out, const char *word)
{
    fwrite(word, 1, strlen(word) + 1, out);
}

/* NULL at the end of text, and for an empty word. */
static int take_word(char **out,
                     const char **text,
                     const char *end,
                     struct mapcore_error *err)
{
    const char *word = *text;
    size_t n = word < end ? strlen(word) : 0;

    *text = word < end ? word + n + 1 : word;
    *out = NULL;
    if (n > 0 && !(*out = array_copy(word, n + 1, 1, err)))
        return MAPCORE_ENOMEM;
    return 0;
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
    if (error < 0 && !request->is_told)
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
    char *answer = NULL;
    const char *word;
    size_t n = 0;
    int error = child_ask(&answer, &n, &question, NULL, err);

    if (error < 0)
        return error;
    word = answer;
    if ((error = take_word(&out->program, &word, answer + n, err)) == 0 &&
        (error = take_word(&out->recorder, &word, answer + n, err)) == 0)
        error = take_word(&out->refusal, &word, answer + n, err);
    free(answer);
    if (error == 0 && !out->program)
        error = error_set(err, MAPCORE_EIO, "the look at files says nothing");
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

/* The arguments of options_check. */
struct strict_check {
    const struct options *options;
    const struct plugstack *plugstack;
    const struct catalogue_env *env;
    const char *site_file;
};

static int check_options(FILE *out,
                         const void *subject,
                         struct mapcore_error *err)
{
    const struct strict_check *check = subject;

    (void)out;
    return options_check(check->options, check->plugstack, check->env,
                         check->site_file, child_asks, err);
}

int lookup_options(const struct options *options,
                   const struct plugstack *plugstack,
                   const struct catalogue_env *env,
                   const char *site_file,
                   double seconds,
                   struct mapcore_error *err)
{
    const struct strict_check check = {options, plugstack, env, site_file};
    const struct child_question question = {
        .answer = check_options, .subject = &check, .seconds = seconds};
    char *answer = NULL;
    size_t n;
    int error = child_ask(&answer, &n, &question, NULL, err);

    free(answer);
    return error;
}

/* The arguments of handoff_file_write. */
struct slots {
    const char *text;
    struct handoff_place place;
};

static struct slots slots_of(const char *text, uint32_t job, uint32_t step)
{
    return (struct slots){text,
                          {.cache = getenv("XDG_CACHE_HOME"),
                           .home = getenv("HOME"),
                           .name = {job, step, getenv("SLURM_CLUSTER_NAME")}}};
}

static void ask_for_folder(const struct slots *slots)
{
    const struct handoff_place *place = &slots->place;

    child_asks(place->cache && *place->cache ? place->cache : place->home);
}

static int write_slots(FILE *out,
                       const void *subject,
                       struct mapcore_error *err)
{
    const struct slots *slots = subject;
    char *text = NULL, *path = NULL;
    int error;

    ask_for_folder(slots);
    error = handoff_file_write(&text, &path, slots->text, &slots->place, err);
    if (error == 0) {
        put_word(out, text);
        put_word(out, path);
    }
    free(text);
    free(path);
    return error;
}

int lookup_write_slots(char **out,
                       char **path,
                       const char *slots,
                       uint32_t job,
                       uint32_t step,
                       double seconds,
                       struct mapcore_error *err)
{
    const struct slots subject = slots_of(slots, job, step);
    const struct child_question question = {
        .answer = write_slots, .subject = &subject, .seconds = seconds};
    char *answer = NULL;
    const char *word;
    size_t n;
    int error;

    /* They need no file: nothing is looked at. */
    if (strlen(slots) <= HANDOFF_MOST)
        return handoff_file_write(out, path, slots, &subject.place, err);
    if ((error = child_ask(&answer, &n, &question, NULL, err)) < 0)
        return error;
    word = answer;
    if ((error = take_word(out, &word, answer + n, err)) == 0)
        error = take_word(path, &word, answer + n, err);
    free(answer);
    if (error == 0 && (!*out || !*path))
        error = error_set(err, MAPCORE_EIO, "no file of slots was written");
    return error;
}

static int keep_ranks(FILE *out, const void *subject, struct mapcore_error *err)
{
    const struct slots *ranks = subject;
    char *path = NULL;
    int error;

    ask_for_folder(ranks);
    error = handoff_file_keep(&path, "ranks", ranks->text, &ranks->place, err);
    if (error == 0)
        put_word(out, path);
    free(path);
    return error;
}

int lookup_keep_ranks(char **path,
                      const char *ranks,
                      uint32_t job,
                      uint32_t step,
                      double seconds,
                      struct mapcore_error *err)
{
    const struct slots subject = slots_of(ranks, job, step);
    const struct child_question question = {
        .answer = keep_ranks, .subject = &subject, .seconds = seconds};
    char *answer = NULL;
    const char *word;
    size_t n;
    int error = child_ask(&answer, &n, &question, NULL, err);

    if (error < 0)
        return error;
    word = answer;
    error = take_word(path, &word, answer + n, err);
    free(answer);
    return error;
}

/* The arguments of lookup_remove. */
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
    char *answer = NULL;

    child_ask(&answer, &n, &question, NULL, NULL);
    free(answer);
}
