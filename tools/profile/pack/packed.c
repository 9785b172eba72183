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
    int error = 0;

    for (int k = 0; error == 0 && k < 2; k++) {
        struct text *text = NULL;

        error = catalogue_open_text(&text, folder, name, err);
        if (error == 0)
            error = k == 0
                        ? message_lines_read(text, profile->ntasks, NULL, NULL)
                        : message_order_read(text, profile->ntasks, NULL, NULL);
        text_close(text);
    }
    return error;
}

static int check_evaluation(const char *folder, struct mapcore_error *err)
{
    struct evaluation *evaluation = NULL;
    int error = evaluation_read(&evaluation, folder, err);

    evaluation_destroy(evaluation);
    return error;
}

/* All of the profile, as a phase of number 0, and its phases. */
static struct profile_phase phase_at(const struct profile *profile, size_t i)
{
    return i > 0 ? profile->phases[i - 1]
                 : (struct profile_phase){.ntypes = profile->ntypes,
                                          .types = profile->types};
}

static int check_graphs(const char *folder,
                        const struct profile *profile,
                        const struct profile_phase *phase,
                        struct mapcore_error *err)
{
    char word[16] = "", name[128];
    int error = 0;

    if (phase->phase > 0)
        snprintf(word, sizeof(word), "@%u", phase->phase);
    for (size_t i = 0; error == 0 && i < phase->ntypes; i++) {
        const struct profile_type *type = &phase->types[i];
        struct mapcore_graph *graph = NULL;

        if (!type->graph)
            continue;
        snprintf(name, sizeof(name), "%.64s%s", type->name, word);
        error = profile_graph(&graph, profile, folder, name, err);
        mapcore_graph_destroy(graph);
    }
    return error;
}

static int check_named(const char *folder,
                       const struct profile *profile,
                       const char *name,
                       struct mapcore_error *err)
{
    for (size_t i = 0; i <= profile->nphases; i++) {
        const struct profile_phase phase = phase_at(profile, i);

        for (size_t k = 0; k < phase.ntypes; k++)
            if (phase.types[k].graph && strcmp(phase.types[k].graph, name) == 0)
                return 0;
    }
    return error_set(err, MAPCORE_EPARSE,
                     "%.300s/%.64s is the graph of no type in profile.json",
                     folder, name);
}

/* "messages" or "messages.phase2". */
static bool is_list(const char *name, const char *list)
{
    const char *rest = text_after(name, list);

    return rest && (*rest == '\0' || text_after(rest, ".phase"));
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
    for (size_t i = 0; error == 0 && i <= profile->nphases; i++) {
        const struct profile_phase phase = phase_at(profile, i);

        error = check_graphs(folder, profile, &phase, err);
    }
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
