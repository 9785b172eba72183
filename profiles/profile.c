/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.c - profile.json read and written */
#include "config.h"

#include "profiles/profile.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/message_lines.h"

#include "base/array.h"
#include "base/file_read.h"
#include "base/file_replace.h"
#include "base/text.h"
#include "launch/plain_name.h"
#include "json/json_fields.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FILE_NAME "profile.json"

/* In the order in which they are written. */
static const struct json_field profile_fields[] = {
    JSON_MEMBER(profile, program, JSON_NEEDED),
    JSON_MEMBER(profile, path, JSON_OPTIONAL),
    JSON_MEMBER(profile, identity, JSON_NEEDED),
    JSON_MEMBER(profile, ntasks, JSON_NEEDED),
    JSON_MEMBER(profile, recorded, JSON_NEEDED),
    JSON_MEMBER(profile, seconds, JSON_NEEDED),
    JSON_FIELD(profile, "large_share", JSON_SHARE, large_share, JSON_OPTIONAL),
    JSON_MEMBER(profile, job, JSON_OPTIONAL),
    JSON_MEMBER(profile, user, JSON_OPTIONAL),
    JSON_MEMBER(profile, hosts, JSON_OPTIONAL),
    JSON_MEMBER(profile, mpi, JSON_OPTIONAL),
    JSON_MEMBER(profile, mpi_type, JSON_OPTIONAL),
    JSON_MEMBER(profile, node, JSON_OPTIONAL),
    JSON_MEMBER(profile, tasks_recorded, JSON_OPTIONAL),
    JSON_MEMBER(profile, until, JSON_OPTIONAL),
};

static const struct json_field type_fields[] = {
    JSON_FIELD(profile_type, "type", JSON_STRING, name, JSON_NEEDED),
    JSON_MEMBER(profile_type, calls, JSON_NEEDED),
    JSON_MEMBER(profile_type, bytes, JSON_NEEDED),
    JSON_MEMBER(profile_type, seconds, JSON_NEEDED),
    JSON_MEMBER(profile_type, paired_bytes, JSON_WRITTEN),
    JSON_MEMBER(profile_type, graph, JSON_WRITTEN),
    JSON_MEMBER(profile_type, why, JSON_OPTIONAL),
    JSON_MEMBER(profile_type, large_bytes, JSON_OPTIONAL),
    JSON_MEMBER(profile_type, nccl_calls, JSON_OPTIONAL),
    JSON_MEMBER(profile_type, stages, JSON_OPTIONAL),
};

static const struct json_field communicators_fields[] = {
    JSON_MEMBER(profile_communicators, size, JSON_NEEDED),
    JSON_MEMBER(profile_communicators, communicators, JSON_NEEDED),
    JSON_MEMBER(profile_communicators, calls, JSON_NEEDED),
    JSON_MEMBER(profile_communicators, bytes, JSON_NEEDED),
    JSON_MEMBER(profile_communicators, seconds, JSON_NEEDED),
};

static const struct json_field span_fields[] = {
    JSON_MEMBER(profile_span, max, JSON_NEEDED),
    JSON_MEMBER(profile_span, max_task, JSON_NEEDED),
    JSON_MEMBER(profile_span, min, JSON_NEEDED),
    JSON_MEMBER(profile_span, min_task, JSON_NEEDED),
};

static void free_types(struct profile_type *types, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        json_free_fields(&types[i], JSON_FIELDS(type_fields));
        free(types[i].communicators);
    }
    free(types);
}

void profile_destroy(struct profile *profile)
{
    int saved = errno;

    if (!profile)
        return;
    free_types(profile->types, profile->ntypes);
    for (size_t i = 0; i < profile->nphases; i++) {
        free_types(profile->phases[i].types, profile->phases[i].ntypes);
        free(profile->phases[i].name);
    }
    free(profile->phases);
    json_free_fields(profile, JSON_FIELDS(profile_fields));
    free(profile->partial);
    free(profile);
    errno = saved;
}

/* A name that must be fit for a file beside profile.json. */
static int check_plain(const struct json_node *object,
                       const char *key,
                       const char *value)
{
    struct json_node node;

    if (plain_name_check(value, PLAIN_NAME_MOST))
        return 0;
    if (json_get(&node, object, key) < 0)
        return MAPCORE_EPARSE;
    return json_error(&node, MAPCORE_EPARSE, "not a plain name: '%.80s'",
                      value);
}

static int read_communicators(struct profile_type *type,
                              const struct json_node *node)
{
    struct json_node array, item;
    size_t n;
    int error = json_get_array(&array, node, "communicators");

    if (error < 0)
        return error;
    n = json_count(&array);
    type->communicators =
        array_alloc(n, sizeof(*type->communicators), json_err(node));
    if (!type->communicators)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < n; i++)
        if ((error = json_at(&item, &array, i)) == 0)
            error = json_read_fields(&type->communicators[i], &item,
                                     JSON_FIELDS(communicators_fields));
    type->ncommunicators = error == 0 ? n : 0;
    return error;
}

#define SPAN "task_seconds"
static int read_span(struct profile_span *span, const struct json_node *node)
{
    struct json_node object;
    int error = 0;

    if (json_has(node, SPAN) &&
        (error = json_get_object(&object, node, SPAN)) == 0 &&
        (error = json_read_fields(span, &object, JSON_FIELDS(span_fields))) ==
            0)
        span->is_known = true;
    return error;
}

static int read_type(struct profile_type *type, const struct json_node *node)
{
    int error = json_read_fields(type, node, JSON_FIELDS(type_fields));

    if (error == 0)
        error = check_plain(node, "type", type->name);
    if (error == 0 && type->graph)
        error = check_plain(node, "graph", type->graph);
    if (error == 0 && type->stages > MESSAGE_ORDER_STAGES)
        error = json_error(node, MAPCORE_ERANGE,
                           "there are at most %d stages, not %u",
                           MESSAGE_ORDER_STAGES, type->stages);
    if (error == 0)
        error = read_span(&type->task_seconds, node);
    if (error == 0 && json_has(node, "communicators"))
        error = read_communicators(type, node);
    return error;
}

/* A type is there once, and so is the file of its graph: many that name one
 * large file would have it read as often. */
static int check_distinct(const struct profile_type *types,
                          size_t i,
                          const struct json_node *node)
{
    const struct profile_type *type = &types[i], *other;

    for (size_t k = 0; k < i; k++) {
        other = &types[k];
        if (strcmp(other->name, type->name) == 0)
            return json_error(node, MAPCORE_EPARSE,
                              "the type %s stands there twice", type->name);
        if (other->graph && type->graph &&
            strcmp(other->graph, type->graph) == 0)
            return json_error(node, MAPCORE_EPARSE,
                              "%s is the graph of %s already", type->graph,
                              other->name);
    }
    return 0;
}

static int read_types(struct profile_type **types,
                      size_t *ntypes,
                      const struct json_node *root)
{
    struct json_node array, node;
    size_t n;
    int error = json_get_array(&array, root, "types");

    if (error < 0)
        return error;
    n = json_count(&array);
    if (n > CATALOGUE_TYPES_MOST)
        return json_error(&array, MAPCORE_ERANGE, "more than %d types",
                          CATALOGUE_TYPES_MOST);
    *types = array_alloc(n, sizeof(**types), json_err(root));
    if (!*types)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++) {
        *ntypes = i + 1;
        error = json_at(&node, &array, i);
        if (error == 0)
            error = read_type(&(*types)[i], &node);
        if (error < 0)
            return error;
        if ((error = check_distinct(*types, i, &node)) < 0)
            return error;
    }
    return 0;
}

static bool is_number(const char *name)
{
    return name[strspn(name, "0123456789")] == '\0';
}

/* phase[i]'s number and name, neither of which an earlier one has. */
static int read_phase_head(struct profile_phase *phase,
                           size_t i,
                           const struct json_node *node)
{
    static const struct json_field fields[] = {
        JSON_MEMBER(profile_phase, phase, JSON_NEEDED),
        JSON_MEMBER(profile_phase, name, JSON_OPTIONAL),
    };
    const char *name;
    int error = json_read_fields(&phase[i], node, JSON_FIELDS(fields));

    if (error < 0)
        return error;
    if (phase[i].phase <= (i > 0 ? phase[i - 1].phase : 0))
        return json_error(node, MAPCORE_EPARSE,
                          "phases are not in the order of their numbers");
    name = phase[i].name;
    if (name && (error = check_plain(node, "name", name)) < 0)
        return error;
    if (name && is_number(name))
        return json_error(node, MAPCORE_EPARSE,
                          "a number is no name of a phase: %s", name);
    for (size_t k = 0; name && k < i; k++)
        if (phase[k].name && strcmp(phase[k].name, name) == 0)
            return json_error(node, MAPCORE_EPARSE,
                              "two phases have the name %s", name);
    return 0;
}

static int read_phases(struct profile *profile, const struct json_node *root)
{
    struct json_node array, node;
    size_t n;
    int error;

    if (!json_has(root, "phases"))
        return 0;
    if ((error = json_get_array(&array, root, "phases")) < 0)
        return error;
    n = json_count(&array);
    if (n > PROFILE_PHASES_MOST)
        return json_error(&array, MAPCORE_ERANGE, "more than %d phases",
                          PROFILE_PHASES_MOST);
    profile->phases = array_alloc(n, sizeof(*profile->phases), json_err(root));
    if (!profile->phases)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < n; i++) {
        struct profile_phase *phase = &profile->phases[i];

        profile->nphases = i + 1;
        if ((error = json_at(&node, &array, i)) == 0 &&
            (error = read_phase_head(profile->phases, i, &node)) == 0)
            error = read_types(&phase->types, &phase->ntypes, &node);
    }
    return error;
}

static int read_root(struct profile *profile, const struct json_node *root)
{
    struct json_node node;
    int error;

    if ((error = json_check_format(root, PROFILE_FORMAT)) < 0 ||
        (error = json_read_fields(profile, root, JSON_FIELDS(profile_fields))) <
            0 ||
        (error = read_span(&profile->task_seconds, root)) < 0)
        return error;
    if (profile->ntasks == 0 || profile->ntasks == MAPCORE_NONE)
        return (error = json_get(&node, root, "ntasks")) < 0
                   ? error
                   : json_error(&node, MAPCORE_ERANGE,
                                "not a number of tasks: %u", profile->ntasks);
    error = read_types(&profile->types, &profile->ntypes, root);
    return error < 0 ? error : read_phases(profile, root);
}

static int read_json(struct profile **out,
                     const struct json *json,
                     struct mapcore_error *err)
{
    struct profile *profile = array_alloc(1, sizeof(*profile), err);
    struct json_node root;
    int error = MAPCORE_ENOMEM;

    if (!profile || (error = json_root(&root, json)) < 0 ||
        (error = read_root(profile, &root)) < 0) {
        profile_destroy(profile);
        return error;
    }
    *out = profile;
    return 0;
}

int profile_read(struct profile **out,
                 const char *folder,
                 struct mapcore_error *err)
{
    char *path = catalogue_join(folder, FILE_NAME, err), why[96];
    struct buffer bytes = {0};
    int error =
        path ? file_read_all(&bytes, path, FILE_REGULAR, JSON_BYTES_MAX, err)
             : MAPCORE_ENOMEM;

    if (error == 0)
        error = profile_parse(out, path, bytes.bytes, bytes.n, err);
    if (error == 0 && catalogue_why_partial(why, sizeof(why), folder) &&
        !((*out)->partial = strdup(why))) {
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
        profile_destroy(*out);
        *out = NULL;
    }
    buffer_clear(&bytes);
    free(path);
    return error;
}

int profile_parse(struct profile **out,
                  const char *name,
                  const char *bytes,
                  size_t n,
                  struct mapcore_error *err)
{
    struct json *json = NULL;
    int error = json_open_memory(&json, name, bytes, n, err);

    if (error == 0)
        error = read_json(out, json, err);
    json_close(json);
    return error;
}

void profile_put_span(struct json_writer *writer,
                      const struct profile_span *span)
{
    if (!span->is_known)
        return;
    json_begin_object(writer, SPAN);
    json_write_fields(writer, span, JSON_FIELDS(span_fields));
    json_end_object(writer);
}

static void put_communicators(struct json_writer *writer,
                              const struct profile_type *type)
{
    if (type->ncommunicators == 0)
        return;
    json_begin_array(writer, "communicators");
    for (size_t i = 0; i < type->ncommunicators; i++) {
        json_begin_object(writer, NULL);
        json_write_fields(writer, &type->communicators[i],
                          JSON_FIELDS(communicators_fields));
        json_end_object(writer);
    }
    json_end_array(writer);
}

static void put_types(struct json_writer *writer,
                      const struct profile_type *types,
                      size_t n)
{
    json_begin_array(writer, "types");
    for (size_t i = 0; i < n; i++) {
        json_begin_object(writer, NULL);
        json_write_fields(writer, &types[i], JSON_FIELDS(type_fields));
        profile_put_span(writer, &types[i].task_seconds);
        put_communicators(writer, &types[i]);
        json_end_object(writer);
    }
    json_end_array(writer);
}

void profile_put(struct json_writer *writer, const struct profile *profile)
{
    json_put_u64(writer, "format", PROFILE_FORMAT);
    json_write_fields(writer, profile, JSON_FIELDS(profile_fields));
    profile_put_span(writer, &profile->task_seconds);
    put_types(writer, profile->types, profile->ntypes);
    if (profile->nphases == 0)
        return;
    json_begin_array(writer, "phases");
    for (size_t i = 0; i < profile->nphases; i++) {
        json_begin_object(writer, NULL);
        json_put_u64(writer, "phase", profile->phases[i].phase);
        if (profile->phases[i].name)
            json_put_string(writer, "name", profile->phases[i].name);
        put_types(writer, profile->phases[i].types, profile->phases[i].ntypes);
        json_end_object(writer);
    }
    json_end_array(writer);
}

int profile_write(const struct profile *profile,
                  const char *folder,
                  struct mapcore_error *err)
{
    char *path = catalogue_join(folder, FILE_NAME, err);
    struct file_replace output = {0};
    struct json_writer writer;
    int error =
        path ? file_replace_open(&output, path, 0644, err) : MAPCORE_ENOMEM;

    if (error == 0) {
        json_writer_start(&writer, output.file);
        json_begin_object(&writer, NULL);
        profile_put(&writer, profile);
        error = json_writer_end(&writer, err);
    }
    if (error == 0)
        error = file_replace_commit(&output, err);
    file_replace_abandon(&output);
    free(path);
    return error;
}

double profile_mpi_share(const struct profile *profile)
{
    double seconds = 0, all = profile->seconds * profile->ntasks;

    for (size_t i = 0; i < profile->ntypes; i++)
        seconds += profile->types[i].seconds;
    if (!(all > 0) || !(seconds > 0))
        return -1;
    return seconds < all ? seconds / all : 1;
}

double profile_least_mpi_share(const struct profile *profile)
{
    if (!profile->task_seconds.is_known || !(profile->seconds > 0) ||
        profile->tasks_recorded > 0)
        return -1;
    return fmin(profile->task_seconds.min / profile->seconds, 1);
}

uint32_t profile_tasks_seen(const struct profile *profile)
{
    return profile->tasks_recorded > 0 ? profile->tasks_recorded
                                       : profile->ntasks;
}

const struct profile_type *profile_find_type(const struct profile *profile,
                                             const char *name)
{
    for (size_t i = 0; i < profile->ntypes; i++)
        if (strcmp(profile->types[i].name, name) == 0)
            return &profile->types[i];
    return NULL;
}

const struct profile_phase *profile_find_phase(const struct profile *profile,
                                               const char *word)
{
    uint64_t number;
    const bool is_known = text_parse_u64(word, &number);

    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_phase *phase = &profile->phases[i];

        if ((is_known && phase->phase == number) ||
            (phase->name && strcmp(phase->name, word) == 0))
            return phase;
    }
    return NULL;
}

const char *profile_phase_word(char *out, const struct profile_phase *phase)
{
    if (phase->name)
        snprintf(out, PROFILE_PHASE_WORD, "%s", phase->name);
    else
        snprintf(out, PROFILE_PHASE_WORD, "%u", phase->phase);
    return out;
}
