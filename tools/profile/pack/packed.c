/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* packed.c - whether a folder is a profile through and through, before it
 * leaves a catalogue or comes into one */
#include "config.h"

#include "tools/profile/pack/packed.h"

#include "base/file_read.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_walk.h"
#include "profiles/evaluation.h"
#include "profiles/expand.h"
#include "profiles/message_lines.h"
#include "profiles/profile.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

bool packed_is_file(const char *name)
{
    return catalogue_is_file(name) && !strstr(name, ".new");
}

/* Read twice, for what counts them and for who goes by their order. */
static int check_messages(const char *folder,
                          const struct profile *profile,
                          const char *name,
                          struct mapcore_error *err)
{
    char *path = catalogue_join(folder, name, err);
    int error = path ? 0 : MAPCORE_ENOMEM;

    for (int k = 0; error == 0 && k < 2; k++) {
        struct text *text = NULL;

        error = text_open_kind(&text, path, FILE_REGULAR | FILE_NO_LINK, err);
        if (error == 0)
            error = k == 0 ? message_lines_read(text, profile->ntasks, NULL,
                                                NULL, err)
                           : message_order_read(text, profile->ntasks, NULL,
                                                NULL, err);
        text_close(text);
    }
    free(path);
    return error;
}

static int check_evaluation(const char *folder, struct mapcore_error *err)
{
    struct evaluation *evaluation = NULL;
    int error = evaluation_read(&evaluation, folder, err);

    evaluation_destroy(evaluation);
    return error;
}

/* The graphs of a phase, or (NULL) of all together. */
static int check_graphs(const char *folder,
                        const struct profile *profile,
                        const struct profile_phase *phase,
                        struct mapcore_error *err)
{
    const struct profile_type *types = phase ? phase->types : profile->types;
    const size_t n = phase ? phase->ntypes : profile->ntypes;
    int error = 0;

    for (size_t i = 0; error == 0 && i < n; i++) {
        struct mapcore_graph *graph = NULL;
        char name[128];

        if (!types[i].graph)
            continue;
        if (phase)
            snprintf(name, sizeof(name), "%.64s@%u", types[i].name,
                     phase->phase);
        else
            snprintf(name, sizeof(name), "%.64s", types[i].name);
        error = profile_graph(&graph, profile, folder, name, err);
        mapcore_graph_destroy(graph);
    }
    return error;
}

static bool has_graph(const struct profile_type *types,
                      size_t n,
                      const char *name)
{
    for (size_t i = 0; i < n; i++)
        if (types[i].graph && strcmp(types[i].graph, name) == 0)
            return true;
    return false;
}

static int check_named(const char *folder,
                       const struct profile *profile,
                       const char *name,
                       struct mapcore_error *err)
{
    bool is_named = has_graph(profile->types, profile->ntypes, name);

    for (size_t i = 0; !is_named && i < profile->nphases; i++)
        is_named = has_graph(profile->phases[i].types,
                             profile->phases[i].ntypes, name);
    return is_named ? 0
                    : error_set(err, MAPCORE_EPARSE,
                                "%.300s/%.64s is the graph of no type in "
                                "profile.json",
                                folder, name);
}

/* "messages" or "messages.phase2". */
static bool is_list(const char *name, const char *list)
{
    const size_t n = strlen(list);

    return strncmp(name, list, n) == 0 &&
           (name[n] == '\0' || strncmp(name + n, ".phase", 6) == 0);
}

static int check_file(const char *folder,
                      const struct profile *profile,
                      const char *name,
                      struct mapcore_error *err)
{
    if (is_list(name, "messages"))
        return check_messages(folder, profile, name, err);
    if (is_list(name, "collectives"))
        return expand_check(profile, folder, name, err);
    if (strcmp(name, EVALUATION_FILE) == 0)
        return check_evaluation(folder, err);
    if (strcmp(name, PACKED_FIRST) == 0 || strcmp(name, CATALOGUE_PARTIAL) == 0)
        return 0;
    return check_named(folder, profile, name, err);
}

int packed_check_folder(const char *folder, struct mapcore_error *err)
{
    struct profile *profile = NULL;
    char **names = NULL;
    size_t n = 0;
    int64_t time;
    int error = profile_read(&profile, folder, err);

    if (error == 0)
        error = packed_find_time(&time, profile, err);
    if (error == 0)
        error = catalogue_names(&names, &n, folder, packed_is_file, err);
    if (error == 0)
        error = check_graphs(folder, profile, NULL, err);
    for (size_t i = 0; error == 0 && i < profile->nphases; i++)
        error = check_graphs(folder, profile, &profile->phases[i], err);
    for (size_t i = 0; error == 0 && i < n; i++)
        error = check_file(folder, profile, names[i], err);
    catalogue_names_free(names, n);
    profile_destroy(profile);
    return error;
}

int packed_find_time(int64_t *out,
                     const struct profile *profile,
                     struct mapcore_error *err)
{
    struct tm tm = {0};
    const char *end = strptime(profile->recorded, "%Y-%m-%dT%H:%M:%SZ", &tm);

    if (!end || *end != '\0')
        return error_set(err, MAPCORE_EPARSE,
                         "profile.json: key recorded: '%.64s' is no time",
                         profile->recorded);
    *out = (int64_t)timegm(&tm);
    return 0;
}
