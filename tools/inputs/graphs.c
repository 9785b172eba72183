/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graphs.c - opens what a command line calls a task graph */
#include "config.h"

#include "tools/inputs/graphs.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "grid/grid_make.h"
#include "profiles/evaluation.h"
#include "profiles/profile.h"
#include "profiles/taskgraphs.h"
#include "profiles/type_stages.h"
#include "tools/common/tool.h"
#include "tools/inputs/foreign.h"
#include "tools/profile/profile_select.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    MAX_TASKS = 1 << 30,
};

const struct option_word graphs_formats[] = {
    {"metis", MAPCORE_GRAPH_METIS, NULL, false},
    {"scotch", MAPCORE_GRAPH_SCOTCH, NULL, false},
    {"mtx", MAPCORE_GRAPH_MTX, "Matrix Market", false},
    {"edges", MAPCORE_GRAPH_EDGES, "a line an edge", false},
    {"dense", MAPCORE_GRAPH_DENSE, "a matrix, a line a row", false},
    {"npy", MAPCORE_GRAPH_NPY, "numpy.save", false},
    GRAPHS_FOREIGN_WORDS,
    {"any", MAPCORE_GRAPH_ANY, NULL, true},
    {NULL, 0, NULL, false},
};

const struct option_row graphs_rows[] = {
    {.name = "from",
     .argument = "FORMAT",
     OPTION_WORD_INTO(struct graph_source, how.format, graphs_formats)},
    {.name = "ntasks",
     .argument = "N",
     OPTION_INTO(struct graph_source, how.ntasks),
     .min = 1,
     .max = MAX_TASKS},
    {.name = "graph",
     .argument = "NAME",
     OPTION_INTO(struct graph_source, name)},
    {.name = NULL},
};

/* A program, whose profile is meant: an object of ELF, or a script. */
static bool is_program(const char *path)
{
    char head[4] = "";
    FILE *file = fopen(path, "re");
    const size_t n = file ? fread(head, 1, sizeof(head), file) : 0;

    if (file)
        fclose(file);
    return (n == 4 && memcmp(head, "\177ELF", 4) == 0) ||
           (n >= 2 && memcmp(head, "#!", 2) == 0);
}

/* PROGRAM[:NTASKS], name:NAME[:NTASKS] or a program's path. *out owned. */
static int select_profile(char **out,
                          const struct graph_source *source,
                          bool notes,
                          struct mapcore_error *err)
{
    struct catalogue_entry entry;
    struct mapcore_error why;
    int error = profile_find(&entry, source->catalogues, source->config,
                             source->path, notes, &why);

    if (error < 0)
        error_set(err, error, "%.200s: neither a file nor a profile: %.600s",
                  source->path, why.text);
    *out = entry.path;
    entry.path = NULL;
    catalogue_entry_clear(&entry);
    return error;
}

/* "FOLDER/profile.json", "profile.json" */
static int folder_of(char **out, const char *path, struct mapcore_error *err)
{
    const char *name = text_last_part(path);
    const size_t n = (size_t)(name - path);

    if (strcmp(name, "profile.json") != 0)
        return 0;
    *out =
        n == 0 ? array_copy(".", 2, 1, err) : array_copy(path, n + 1, 1, err);
    if (!*out)
        return MAPCORE_ENOMEM;
    if (n > 0)
        (*out)[n > 1 ? n - 1 : 1] = '\0';
    return 0;
}

static int find_profile(char **out,
                        const struct graph_source *source,
                        bool notes,
                        struct mapcore_error *err)
{
    const char *path = source->path;
    struct stat st;
    const bool is_there = stat(path, &st) == 0;

    *out = NULL;
    if (mapcore_pattern_is(path))
        return 0;
    if (is_there && S_ISDIR(st.st_mode))
        return text_copy(out, path, err);
    /* What has a / is a file, and the file says what is wrong with it. */
    if (is_there ? S_ISREG(st.st_mode) && is_program(path)
                 : errno == ENOENT && !strchr(path, '/'))
        return select_profile(out, source, notes, err);
    return folder_of(out, path, err);
}

int graphs_find_profile(char **out,
                        const struct graph_source *source,
                        struct mapcore_error *err)
{
    return find_profile(out, source, true, err);
}

static bool is_profile(const char *folder)
{
    struct stat st;
    bool is = false;
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0) {
        is = fstatat(fd, "profile.json", &st, 0) == 0;
        close(fd);
    }
    return is;
}

int graphs_choose(char **out,
                  const char *name,
                  const char *folder,
                  struct mapcore_error *err)
{
    bool is_best = name && strcmp(name, "best") == 0;
    struct evaluation *evaluation = NULL;
    const char *chosen = name && !is_best ? name : "weighted-sum";
    struct mapcore_error why;
    int error = 0;

    if (!name || is_best) {
        error = evaluation_read(&evaluation, folder, &why);
        if (error == 0 && evaluation->decides)
            chosen = evaluation->best;
        else if (is_best && error == 0)
            error = error_set(err, MAPCORE_ENOENT,
                              "its graphs were never measured: topomap tune "
                              "does that");
        else if (is_best)
            error = error_set(err, error, "%s", why.text);
        else
            error = 0;
    }
    if (error == 0)
        error = text_copy(out, chosen, err);
    evaluation_destroy(evaluation);
    return error;
}

static int open_profile(struct mapcore_graph **out,
                        const char *folder,
                        const struct graph_source *source,
                        struct mapcore_error *err)
{
    struct profile *profile = NULL;
    char *name = NULL;
    struct taskgraphs graphs = {0};
    int error = profile_read(&profile, folder, err);

    if (error == 0 && source->how.ntasks > 0 &&
        profile->ntasks != source->how.ntasks)
        error = error_set(err, MAPCORE_EINVAL, "%s has %u tasks, not %u",
                          source->path, profile->ntasks, source->how.ntasks);
    if (error == 0)
        error =
            taskgraphs_select(&graphs, profile, MAPCORE_CRITICAL_SHARE, err);
    if (error == 0)
        error = graphs_choose(&name, source->name, folder, err);
    if (error == 0)
        error = taskgraphs_make(out, &graphs, folder, name, err);
    free(name);
    taskgraphs_clear(&graphs);
    profile_destroy(profile);
    return error;
}

int graphs_read_file(struct mapcore_graph **out,
                     const char *path,
                     const struct mapcore_graph_reading *how,
                     struct mapcore_error *err)
{
    const struct option_word *format = graphs_formats;
    struct mapcore_graph *graph = NULL;
    int error = MAPCORE_ENOTSUP;

    while (format->name && format->value != (int)how->format)
        format++;
    if ((int)how->format < GRAPHS_FOREIGN)
        error = mapcore_graph_read(out, path, how, err);
    if (error != MAPCORE_ENOTSUP)
        return error;
    error = foreign_graph_read(&graph, format->name, path, err);
    if (error == 0 && how->ntasks > 0 &&
        mapcore_graph_ntasks(graph) != how->ntasks)
        error =
            error_set(err, MAPCORE_EINVAL, "%s has %u task%s, not %u", path,
                      mapcore_graph_ntasks(graph),
                      text_plural(mapcore_graph_ntasks(graph)), how->ntasks);
    if (error == 0)
        *out = graph;
    else
        mapcore_graph_destroy(graph);
    return error;
}

static int open_pattern(struct mapcore_graph **out,
                        const struct graph_source *source,
                        struct mapcore_error *err)
{
    if (source->name || source->how.format != MAPCORE_GRAPH_ANY)
        return error_set(err, MAPCORE_EINVAL,
                         "%.120s is a pattern: --graph and --from mean "
                         "nothing for it",
                         source->path);
    return mapcore_pattern_graph(out, source->path, source->how.ntasks, err);
}

int graphs_open(struct mapcore_graph **out,
                const struct graph_source *source,
                struct mapcore_error *err)
{
    char *folder;
    int error;

    if (mapcore_pattern_is(source->path))
        return open_pattern(out, source, err);
    error = graphs_find_profile(&folder, source, err);
    if (error < 0)
        return error;
    if (folder && source->how.format != MAPCORE_GRAPH_ANY &&
        !is_profile(folder)) {
        /* What the processes of a run have left there. */
        free(folder);
        folder = NULL;
    }
    if (folder && source->how.format != MAPCORE_GRAPH_ANY)
        error = error_set(err, MAPCORE_EINVAL,
                          "%s is a profile: --from means nothing for it",
                          source->path);
    else if (folder && strcmp(folder, source->path) == 0 && !is_profile(folder))
        error = error_set(err, MAPCORE_ENOENT,
                          "%s: no profile, for no profile.json is in it; of "
                          "what other tools have left there --from says which "
                          "(ompi-monitoring, tau, nccl-inspector, otf2, intel, "
                          "kineto, flight-recorder, chakra)",
                          folder);
    else if (folder)
        error = open_profile(out, folder, source, err);
    else if (source->name)
        error =
            error_set(err, MAPCORE_EINVAL,
                      "%s is one graph: --graph is for profiles", source->path);
    else
        error = graphs_read_file(out, source->path, &source->how, err);
    free(folder);
    return error;
}

int graphs_write(const struct mapcore_graph *graph,
                 const char *path,
                 struct mapcore_error *err)
{
    struct tool_output output = {0};
    int error = tool_output_open(&output, path, err);

    if (error == 0)
        error =
            mapcore_graph_write(graph, MAPCORE_GRAPH_METIS, output.file, err);
    return tool_output_end(&output, error, err);
}

/* ---- the types of a profile */

/* One type, of a phase or of all of them (NULL). */
static int add_type(struct graph_types *types,
                    const char *folder,
                    const struct profile_phase *phase,
                    const struct profile_type *type,
                    double seconds)
{
    struct graph_type *added = &types->type[types->n];
    struct mapcore_graph **graph = &types->owned[types->n];
    char word[PROFILE_PHASE_WORD];
    struct buffer name = {.err = types->err};
    int error;

    buffer_printf(&name, "%s", type->name);
    if (phase)
        buffer_printf(&name, "@%s", profile_phase_word(word, phase));
    if ((error = name.error) == 0)
        error = profile_graph(graph, types->profile, folder, name.bytes,
                              types->err);
    if (error < 0) {
        buffer_clear(&name);
        return error;
    }
    types->n++;
    types->is_profile = types->is_profile || seconds > 0;
    types->has_phases = types->has_phases || phase;
    *added = (struct graph_type){.name = buffer_steal(&name),
                                 .type = type->name,
                                 .phase = phase,
                                 .seconds = seconds / types->profile->ntasks,
                                 .graph = *graph};
    /* Nothing better than its graph is known of a type: no error. */
    if (strcmp(type->name, "p2p") == 0 ||
        type_phases(&added->phases, &added->stages, types->profile,
                    &(struct expand_subject){.folder = folder,
                                             .phase = phase,
                                             .type = type->name,
                                             .recorded = *graph},
                    NULL) < 0)
        added->phases = NULL;
    return 0;
}

static const struct profile_type *type_in(const struct profile_phase *phase,
                                          const char *name)
{
    for (size_t i = 0; i < phase->ntypes; i++)
        if (strcmp(phase->types[i].name, name) == 0 && phase->types[i].graph)
            return &phase->types[i];
    return NULL;
}

/* Whether what is known of how collectives go is known by phase, too. */
static bool has_collectives_by_phase(const struct profile *profile,
                                     const char *folder)
{
    char name[64];
    bool has = true;
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return false;
    snprintf(name, sizeof(name), "collectives.phase%u",
             profile->phases[0].phase);
    has = faccessat(fd, "collectives", F_OK, 0) < 0 ||
          faccessat(fd, name, F_OK, 0) == 0;
    close(fd);
    return has;
}

/* Whether a type's graphs by phase are all of it, and come to no less than what
 * is known of all phases together: how a collective goes, stage after stage. */
static bool is_by_phase(const struct profile *profile,
                        const char *folder,
                        const struct profile_type *type)
{
    uint64_t bytes = 0;
    size_t n = 0;

    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_type *part =
            type_in(&profile->phases[i], type->name);

        n += part != NULL;
        bytes += part ? part->paired_bytes : 0;
    }
    return n > 0 && bytes == type->paired_bytes &&
           (strcmp(type->name, "p2p") == 0 ||
            has_collectives_by_phase(profile, folder));
}

/* Seconds of a type in a phase without those of large collectives, in the same
 * proportion as in all phases. */
static double seconds_in(const struct profile_type *part,
                         const struct profile_type *type,
                         double seconds)
{
    return part->large_bytes > 0 && type->seconds > 0
               ? part->seconds * (seconds / type->seconds)
               : part->seconds;
}

/* What the recorder kept no pairs of, as the library runs it; nothing where
 * that is not known, or is the same anywhere. */
static int add_large(struct graph_types *types,
                     const char *folder,
                     const struct profile_type *type,
                     double seconds)
{
    const struct expand_subject subject = {
        .folder = folder, .type = type->name, .is_large = true};
    struct graph_type *added = &types->type[types->n];
    struct mapcore_graph **graph = &types->owned[types->n];
    struct buffer name = {.err = types->err};
    int error;

    if (!(type->large_bytes > 0 && seconds > 0) ||
        expand_as_run(graph, NULL, types->profile, &subject, NULL) < 0)
        return 0;
    error = buffer_printf(&name, "%s:large", type->name);
    types->n++;
    *added = (struct graph_type){.name = buffer_steal(&name),
                                 .type = type->name,
                                 .is_large = true,
                                 .seconds = seconds / types->profile->ntasks,
                                 .graph = *graph};
    if (type_phases(&added->phases, &added->stages, types->profile, &subject,
                    NULL) < 0)
        added->phases = NULL;
    return error;
}

static size_t most_types(const struct profile *profile)
{
    size_t n = 2 * profile->ntypes;

    for (size_t i = 0; i < profile->nphases; i++)
        n += profile->phases[i].ntypes;
    return n;
}

static int add_types(struct graph_types *out,
                     const char *folder,
                     const struct taskgraphs *graphs)
{
    const struct profile *profile = out->profile;
    int error = 0;

    for (size_t i = 0; error == 0 && i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];

        error =
            add_large(out, folder, type, type->seconds - graphs->seconds[i]);
        if (!type->graph || error < 0)
            continue;
        if (!is_by_phase(profile, folder, type)) {
            error = add_type(out, folder, NULL, type, graphs->seconds[i]);
            continue;
        }
        for (size_t k = 0; error == 0 && k < profile->nphases; k++) {
            const struct profile_phase *phase = &profile->phases[k];
            const struct profile_type *part = type_in(phase, type->name);

            if (part)
                error = add_type(out, folder, phase, part,
                                 seconds_in(part, type, graphs->seconds[i]));
        }
    }
    return error;
}

int graphs_open_profile_types(struct graph_types *out,
                              const char *folder,
                              struct mapcore_error *err)
{
    struct taskgraphs graphs = {0};
    int error;

    *out = (struct graph_types){.err = err};
    error = profile_read(&out->profile, folder, err);
    if (error == 0)
        error = taskgraphs_select(&graphs, out->profile, MAPCORE_CRITICAL_SHARE,
                                  err);
    if (error < 0)
        return error;
    out->type = array_alloc(most_types(out->profile), sizeof(*out->type), err);
    out->owned =
        array_alloc(most_types(out->profile), sizeof(*out->owned), err);
    error = out->type && out->owned ? add_types(out, folder, &graphs)
                                    : MAPCORE_ENOMEM;
    taskgraphs_clear(&graphs);
    return error;
}

int graphs_one_type(struct graph_types *out,
                    const struct mapcore_graph *graph,
                    struct mapcore_error *err)
{
    *out = (struct graph_types){.err = err};
    out->type = array_alloc(1, sizeof(*out->type), err);
    if (!out->type)
        return MAPCORE_ENOMEM;
    out->type[0] = (struct graph_type){
        .name = array_copy("graph", sizeof("graph"), 1, err), .graph = graph};
    if (!out->type[0].name)
        return MAPCORE_ENOMEM;
    out->type[0].type = out->type[0].name;
    out->n = 1;
    return 0;
}

int graphs_whole_profile(char **out,
                         const struct graph_source *source,
                         struct mapcore_error *err)
{
    *out = NULL;
    return source->name ? 0 : find_profile(out, source, false, err);
}

int graphs_open_types(struct graph_types *out,
                      const struct graph_source *source,
                      const struct mapcore_graph *graph,
                      struct mapcore_error *err)
{
    char *folder = NULL;
    int error = graphs_whole_profile(&folder, source, err);

    *out = (struct graph_types){.err = err};
    if (error == 0 && folder) {
        error = graphs_open_profile_types(out, folder, err);
        free(folder);
        return error;
    }
    return error < 0 ? error : graphs_one_type(out, graph, err);
}

void graphs_clear_types(struct graph_types *types)
{
    for (size_t i = 0; i < types->n && types->owned; i++)
        mapcore_graph_destroy(types->owned[i]);
    for (size_t i = 0; i < types->n; i++) {
        mapcore_phases_destroy(types->type[i].phases);
        type_stages_destroy(types->type[i].stages);
        mapcore_phases_destroy(types->type[i].messages);
        mapcore_phases_destroy(types->type[i].ordered);
        free(types->type[i].order);
        free(types->type[i].name);
    }
    free(types->owned);
    free(types->type);
    profile_destroy(types->profile);
    *types = (struct graph_types){0};
}

struct mapcore_work_type graphs_work_type(const struct graph_types *types,
                                          size_t i)
{
    const struct graph_type *type = &types->type[i];

    return (struct mapcore_work_type){
        .graph = type->graph,
        .phases = type->ordered       ? type->ordered
                  : type->is_directed ? type->messages
                                      : type->phases,
        .messages = type->messages,
        .staging = type_stages_staging(type->stages),
        .scale = type->scale};
}

struct mapcore_host_rates graphs_rates(const struct graph_types *types,
                                       const struct mapcore_host_rates *rates)
{
    struct mapcore_host_rates out = *rates;

    out.ties_are_whole =
        types->is_profile && out.routing == MAPCORE_ROUTING_STATIC;
    return out;
}
