/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_evaluation.c - evaluations as files beside a history: a run is kept
 * with all that comparing it takes, so that a verdict is made of it as of one
 * that the history still has */
#include "config.h"

#include "profiles/history/history_evaluation.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/fnv.h"
#include "base/text.h"
#include "profiles/bounded_folder.h"
#include "profiles/catalogue/catalogue_names.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of a file's name. */
enum { NAME = sizeof(HISTORY_EVALUATIONS) + 16 + sizeof(".json") };

static const struct json_field of_fields[] = {
    JSON_FIELD(history_line, "written", JSON_STRING, time, JSON_WRITTEN),
    JSON_FIELD(history_line, "written_s", JSON_DOUBLE, at_s, JSON_NEEDED),
    JSON_MEMBER(history_line, program, JSON_NEEDED),
    JSON_MEMBER(history_line, identity, JSON_OPTIONAL),
    JSON_MEMBER(history_line, arguments, JSON_OPTIONAL),
    JSON_MEMBER(history_line, node_type, JSON_OPTIONAL),
    JSON_MEMBER(history_line, ntasks, JSON_NEEDED),
    JSON_MEMBER(history_line, nnodes, JSON_NEEDED),
};

static const struct json_field verdict_fields[] = {
    JSON_MEMBER(history_evaluation, verdict, JSON_NEEDED),
    JSON_MEMBER(history_evaluation, pairs, JSON_NEEDED),
    JSON_FIELD(history_evaluation, "gain", JSON_DOUBLE, gain, JSON_WRITTEN),
    JSON_FIELD(history_evaluation, "gain_low", JSON_DOUBLE, low, JSON_WRITTEN),
    JSON_FIELD(history_evaluation,
               "gain_high",
               JSON_DOUBLE,
               high,
               JSON_WRITTEN),
    JSON_MEMBER(history_evaluation, graph, JSON_OPTIONAL),
};

static const struct json_field run_fields[] = {
    JSON_FIELD(history_line, "at_s", JSON_DOUBLE, at_s, JSON_NEEDED),
    JSON_MEMBER(history_line, job, JSON_NEEDED),
    JSON_MEMBER(history_line, step, JSON_NEEDED),
    JSON_MEMBER(history_line, outcome, JSON_NEEDED),
    JSON_MEMBER(history_line, graph, JSON_OPTIONAL),
    JSON_MEMBER(history_line, profile, JSON_OPTIONAL),
    JSON_MEMBER(history_line, seconds, JSON_NEEDED),
};

void history_evaluation_begin(struct history_evaluation *out)
{
    *out = (struct history_evaluation){.format = HISTORY_EVALUATION_FORMAT,
                                       .gain = NAN,
                                       .low = NAN,
                                       .high = NAN};
    history_line_begin(&out->of);
}

void history_evaluation_clear(struct history_evaluation *evaluation)
{
    for (size_t i = 0; i < evaluation->n; i++)
        history_line_clear(&evaluation->run[i]);
    free(evaluation->run);
    free(evaluation->verdict);
    free(evaluation->graph);
    history_line_clear(&evaluation->of);
    memset(evaluation, 0, sizeof(*evaluation));
}

/* evaluation-<16 digits>.json: a digest of what history_line_order compares. */
static int name_file(char name[NAME],
                     const struct history_line *of,
                     struct mapcore_error *err)
{
    const char *const words[] = {of->program, of->identity, of->arguments,
                                 of->node_type};
    struct buffer key = {.err = err};
    int error;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        buffer_append(&key, words[i] ? words[i] : "",
                      words[i] ? strlen(words[i]) + 1 : 1);
    error = buffer_printf(&key, "%u %u", of->ntasks, of->nnodes);
    if (error == 0)
        snprintf(name, NAME, HISTORY_EVALUATIONS "%016" PRIx64 ".json",
                 fnv1a(key.bytes, key.n));
    buffer_clear(&key);
    return error;
}

static int read_runs(struct history_evaluation *out,
                     const struct json_node *root)
{
    struct json_node array, item;
    size_t n;
    int error = json_get_array(&array, root, "runs");

    if (error < 0)
        return error;
    if ((n = json_count(&array)) > HISTORY_EVALUATION_RUNS)
        return json_error(&array, MAPCORE_ERANGE, "more than %d of them, %zu",
                          HISTORY_EVALUATION_RUNS, n);
    if (!(out->run = array_alloc(n, sizeof(*out->run), json_err(root))))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < n; i++) {
        history_line_begin(&out->run[i]);
        out->n = i + 1;
        error = json_at(&item, &array, i);
        if (error == 0)
            error =
                json_read_fields(&out->run[i], &item, JSON_FIELDS(run_fields));
    }
    return error;
}

int history_evaluation_parse(struct history_evaluation *out,
                             const char *name,
                             const char *bytes,
                             size_t n,
                             struct mapcore_error *err)
{
    struct json *json = NULL;
    struct json_node root;
    int error = json_open_memory(&json, name, n > 0 ? bytes : "", n, err);

    history_evaluation_begin(out);
    if (error == 0 && (error = json_root(&root, json)) == 0 &&
        (error = json_check_format(&root, HISTORY_EVALUATION_FORMAT)) == 0 &&
        (error = json_read_fields(&out->of, &root, JSON_FIELDS(of_fields))) ==
            0 &&
        (error = json_read_fields(out, &root, JSON_FIELDS(verdict_fields))) ==
            0)
        error = read_runs(out, &root);
    json_close(json);
    if (error < 0)
        history_evaluation_clear(out);
    return error;
}

static int read_name(struct history_evaluation *out,
                     const struct own_folder *folder,
                     const char *name,
                     struct mapcore_error *err)
{
    struct buffer text = {0}, path = {.err = err};
    int error = buffer_printf(&path, "%s/%s", own_folder_path(folder), name);

    if (error == 0)
        error = own_folder_read(&text, NULL, folder, name,
                                HISTORY_EVALUATION_MOST, err);
    if (error == 0)
        error =
            history_evaluation_parse(out, path.bytes, text.bytes, text.n, err);
    buffer_clear(&text);
    buffer_clear(&path);
    return error;
}

int history_evaluation_read(struct history_evaluation *out,
                            const struct own_folder *folder,
                            const struct history_line *of,
                            struct mapcore_error *err)
{
    char name[NAME];
    int error = name_file(name, of, err);

    if (error == 0 && (error = read_name(out, folder, name, err)) == 0 &&
        history_line_order(&out->of, of) != 0) {
        history_evaluation_clear(out);
        error =
            error_set(err, MAPCORE_ENOENT, "%.300s: of another program", name);
    }
    return error;
}

static int print(const struct history_evaluation *evaluation,
                 FILE *file,
                 struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, file);
    json_begin_object(&writer, NULL);
    json_put_u64(&writer, "format", HISTORY_EVALUATION_FORMAT);
    json_write_fields(&writer, &evaluation->of, JSON_FIELDS(of_fields));
    json_write_fields(&writer, evaluation, JSON_FIELDS(verdict_fields));
    json_begin_array(&writer, "runs");
    for (size_t i = 0; i < evaluation->n; i++) {
        json_begin_object(&writer, NULL);
        json_write_fields(&writer, &evaluation->run[i],
                          JSON_FIELDS(run_fields));
        json_end_object(&writer);
    }
    return json_writer_end(&writer, err);
}

/* Not what is just being written under a name of its own. */
static bool is_evaluation(const char *name)
{
    return text_after(name, HISTORY_EVALUATIONS) && text_ends_in(name, ".json");
}

int history_evaluation_write(const struct history_evaluation *evaluation,
                             const struct own_folder *folder,
                             struct mapcore_error *err)
{
    const struct bounded_folder bounds = {.prefix = HISTORY_EVALUATIONS,
                                          .files =
                                              HISTORY_EVALUATIONS_FILES - 1,
                                          .bytes = HISTORY_EVALUATIONS_BYTES};
    struct file_replace file = {0};
    struct stat st;
    char name[NAME];
    int error = name_file(name, &evaluation->of, err);

    /* The folder is not looked through for one that is there. */
    if (error == 0 && own_folder_stat(&st, folder, name) < 0)
        bounded_folder_make_room(folder, &bounds);
    if (error == 0)
        error = own_folder_replace(&file, folder, name, 0600, err);
    if (error == 0)
        error = print(evaluation, file.file, err);
    if (error == 0)
        error = file_replace_commit(&file, err);
    file_replace_abandon(&file);
    return error;
}

int history_evaluations_read(struct history_evaluation **out,
                             size_t *n,
                             const struct own_folder *folder,
                             struct mapcore_error *err)
{
    char **names = NULL;
    size_t nnames = 0;
    struct mapcore_error ignored;
    int error = catalogue_names_at(&names, &nnames, own_folder_fd(folder),
                                   own_folder_path(folder), is_evaluation, err);

    *n = 0;
    *out = NULL;
    if (error == 0 && !(*out = array_alloc(nnames, sizeof(**out), err)))
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < nnames; i++)
        if (read_name(&(*out)[*n], folder, names[i], &ignored) == 0)
            ++*n;
    catalogue_names_free(names, nnames);
    return error;
}

void history_evaluations_clear(struct history_evaluation *evaluations, size_t n)
{
    for (size_t i = 0; i < n; i++)
        history_evaluation_clear(&evaluations[i]);
    free(evaluations);
}

static bool has(const struct history_line *lines,
                size_t n,
                const struct history_line *run)
{
    for (size_t i = 0; i < n; i++)
        if (lines[i].job == run->job && lines[i].step == run->step &&
            fabs(lines[i].at_s - run->at_s) < 1)
            return true;
    return false;
}

bool history_evaluation_has(const struct history_evaluation *evaluation,
                            const struct history_line *step)
{
    return has(evaluation->run, evaluation->n, step);
}

static bool copy(char **out, const char *text)
{
    return !text || (*out = strdup(text));
}

/* The run and all that tells whose it is. */
static bool copy_run(struct history_line *out,
                     const struct history_line *run,
                     const struct history_line *of)
{
    history_line_begin(out);
    out->forgotten = true;
    out->at_s = run->at_s;
    out->job = run->job;
    out->step = run->step;
    out->seconds = run->seconds;
    out->ntasks = of->ntasks;
    out->nnodes = of->nnodes;
    return copy(&out->event, HISTORY_LAUNCH) &&
           copy(&out->outcome, run->outcome) && copy(&out->graph, run->graph) &&
           copy(&out->profile, run->profile) &&
           copy(&out->program, of->program) &&
           copy(&out->identity, of->identity) &&
           copy(&out->arguments, of->arguments) &&
           copy(&out->node_type, of->node_type);
}

int history_add_forgotten(struct history *history,
                          const struct history_evaluation *evaluation)
{
    const size_t known = history->n;
    int error = array_reserve(&history->step, &history->capacity,
                              history->n + evaluation->n,
                              sizeof(*history->step), history->err);

    for (size_t i = 0; error == 0 && i < evaluation->n; i++) {
        struct history_line *line = &history->step[history->n];

        if (has(history->step, known, &evaluation->run[i]))
            continue;
        if (copy_run(line, &evaluation->run[i], &evaluation->of)) {
            history->n++;
        } else {
            history_line_clear(line);
            error = error_set(history->err, MAPCORE_ENOMEM, "no memory");
        }
    }
    return error;
}
