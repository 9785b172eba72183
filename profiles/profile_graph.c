/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_graph.c - the task graphs beside profile.json: as they were filed, or
 * expanded from collectives */
#include "config.h"

#include "profiles/catalogue/catalogue_names.h"
#include "profiles/expand.h"
#include "profiles/profile.h"

#include "base/array.h"
#include "base/error_set.h"
#include "base/text.h"
#include "graph/file/formats.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int read_graph(struct mapcore_graph **out,
                      const struct profile *profile,
                      const char *folder,
                      const char *file,
                      struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    struct text *text = NULL;
    int error = catalogue_open_text(&text, folder, file, err);

    if (error == 0)
        error = graph_read_metis(&graph, text, NULL);
    text_close(text);
    if (error == 0 && mapcore_graph_ntasks(graph) != profile->ntasks)
        error = error_set(
            err, MAPCORE_EPARSE,
            "%.400s/%.80s: a graph of %u tasks in a profile of %u", folder,
            file, mapcore_graph_ntasks(graph), profile->ntasks);
    if (error == 0) {
        *out = graph;
        graph = NULL;
    }
    mapcore_graph_destroy(graph);
    return error;
}

/* "p2p, alltoall, sum": what may be asked for. */
static void name_graphs(char *out, size_t size, const struct profile *profile)
{
    size_t n = 0;

    out[0] = '\0';
    for (size_t i = 0; i < profile->ntypes && n < size; i++)
        if (profile->types[i].graph)
            n += (size_t)snprintf(out + n, size - n, "%s, ",
                                  profile->types[i].name);
    if (n < size)
        snprintf(out + n, size - n, "sum, weighted-sum, all");
}

/* The graphs of all types of a phase, added up. */
static int add_phase(struct mapcore_graph **out,
                     const struct profile *profile,
                     const char *folder,
                     const struct profile_phase *phase,
                     struct mapcore_error *err)
{
    struct mapcore_graph **parts =
        array_alloc(phase->ntypes, sizeof(struct mapcore_graph *), err);
    char word[PROFILE_PHASE_WORD];
    size_t n = 0;
    int error = parts ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < phase->ntypes; i++)
        if (phase->types[i].graph &&
            (error = read_graph(&parts[n], profile, folder,
                                phase->types[i].graph, err)) == 0)
            n++;
    if (error == 0 && n == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "phase %s of the profile of %.100s has no graph",
                          profile_phase_word(word, phase), profile->program);
    if (error == 0)
        error = mapcore_graph_sum(
            out, (const struct mapcore_graph *const *)parts, NULL, n, err);
    for (size_t i = 0; i < n; i++)
        mapcore_graph_destroy(parts[i]);
    free(parts);
    return error;
}

/* "it has 1, 2, solve" */
static void name_phases(char *out, size_t size, const struct profile *profile)
{
    char word[PROFILE_PHASE_WORD];
    size_t n = 0;

    if (profile->nphases == 0) {
        snprintf(out, size,
                 "the program has named none (MPI_Pcontrol, commprof.h)");
        return;
    }
    for (size_t i = 0; i < profile->nphases && n < size; i++)
        n += (size_t)snprintf(out + n, size - n, "%s%s",
                              i > 0 ? ", " : "it has ",
                              profile_phase_word(word, &profile->phases[i]));
}

/* at: the @ in name. */
static int phase_graph(struct mapcore_graph **out,
                       const struct profile *profile,
                       const char *folder,
                       const char *name,
                       const char *at,
                       struct mapcore_error *err)
{
    const size_t n = (size_t)(at - name);
    const struct profile_phase *phase = profile_find_phase(profile, at + 1);
    char known[256];

    if (!phase) {
        name_phases(known, sizeof(known), profile);
        return error_set(err, MAPCORE_ENOENT,
                         "the profile of %.100s has no phase '%.64s'; %s",
                         profile->program, at + 1, known);
    }
    if (n == 3 && strncmp(name, "all", n) == 0)
        return add_phase(out, profile, folder, phase, err);
    for (size_t i = 0; i < phase->ntypes; i++)
        if (strlen(phase->types[i].name) == n &&
            strncmp(phase->types[i].name, name, n) == 0 &&
            phase->types[i].graph)
            return read_graph(out, profile, folder, phase->types[i].graph, err);
    return error_set(err, MAPCORE_ENOENT,
                     "phase %s of the profile of %.100s has no graph of %.*s",
                     profile_phase_word(known, phase), profile->program, (int)n,
                     name);
}

int profile_graph(struct mapcore_graph **out,
                  const struct profile *profile,
                  const char *folder,
                  const char *name,
                  struct mapcore_error *err)
{
    const struct profile_type *type = profile_find_type(profile, name);
    char known[256];

    if (type && type->graph)
        return read_graph(out, profile, folder, type->graph, err);
    if (type)
        return error_set(err, MAPCORE_ENOENT,
                         "the profile of %.100s has no graph of %s%s%s",
                         profile->program, name, type->why ? ": " : "",
                         type->why ? type->why : "");
    if (strchr(name, '@'))
        return phase_graph(out, profile, folder, name, strchr(name, '@'), err);
    if (strchr(name, ':'))
        return expand_named(out, profile, folder, name, err);
    name_graphs(known, sizeof(known), profile);
    return error_set(err, MAPCORE_ENOENT,
                     "the profile of %.100s has no graph '%.64s'; it has %s",
                     profile->program, name, known);
}
