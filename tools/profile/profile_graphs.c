/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_graphs.c - topomap profile export and import: task graphs out of a
 * catalogue for other tools, and theirs into it */
#include "config.h"

#include "tools/profile/profile_tool.h"

#include "base/buffer.h"
#include "base/text.h"
#include "launch/command/program_path.h"
#include "profiles/evaluation.h"
#include "profiles/program/identity.h"
#include "profiles/taskgraphs.h"
#include "topo/hwnode.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Replaces *graph by a sparser one, and says what is gone. */
static int thin(struct mapcore_graph **graph,
                const struct profile_options *options)
{
    const struct mapcore_thinning thinning = {.neighbours = options->neighbours,
                                              .least_bytes = options->least};
    size_t edges = mapcore_graph_nedges(*graph);
    uint64_t bytes = mapcore_graph_bytes(*graph);
    struct mapcore_graph *made = NULL;
    struct mapcore_thinned dropped;
    int error =
        mapcore_graph_thin(&made, &dropped, *graph, &thinning, options->err);

    if (error < 0)
        return error;
    mapcore_graph_destroy(*graph);
    *graph = made;
    tool_note("thinning dropped %zu of %zu pairs, %" PRIu64 " of %" PRIu64
              " bytes (%.3g%%)",
              dropped.edges, edges, dropped.bytes, bytes,
              bytes > 0 ? 100.0 * (double)dropped.bytes / (double)bytes : 0.0);
    return 0;
}

static int scale(struct mapcore_graph **graph,
                 const struct profile_options *options)
{
    struct mapcore_graph *made = NULL;
    int error = mapcore_graph_scale(&made, *graph, options->bits, options->err);

    if (error < 0)
        return error;
    mapcore_graph_destroy(*graph);
    *graph = made;
    return 0;
}

/* "p2p@2" of --graph p2p --phase 2. */
static int name_of_phase(char **out, const struct profile_options *options)
{
    const char *graph = options->graph ? options->graph : "all";
    struct buffer name = {.err = options->err};

    buffer_printf(&name, "%s@%s", graph, options->phase);
    return buffer_finish(out, &name, 0);
}

static int make_graph(void *arg,
                      const struct profile_options *options,
                      const struct catalogue_entry *entry,
                      const struct profile *profile)
{
    struct mapcore_graph **out = arg, *graph = NULL;
    struct taskgraphs graphs;
    char *name = NULL;
    int error =
        taskgraphs_select(&graphs, profile, options->share, options->err);

    if (error < 0)
        return error;
    error = options->phase ? name_of_phase(&name, options)
                           : graphs_choose(&name, options->graph, entry->path,
                                           options->err);
    if (error == 0)
        error =
            taskgraphs_make(&graph, &graphs, entry->path, name, options->err);
    free(name);
    taskgraphs_clear(&graphs);
    if (error == 0 && (options->neighbours > 0 || options->least > 0))
        error = thin(&graph, options);
    if (error == 0 && options->bits > 0)
        error = scale(&graph, options);
    if (error < 0)
        mapcore_graph_destroy(graph);
    else
        *out = graph;
    return error;
}

int profile_graph_open(struct mapcore_graph **out,
                       const struct profile_options *options)
{
    return profile_with(options, make_graph, out);
}

static int print_json(const struct mapcore_graph *graph,
                      const struct profile_options *options)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->form, NULL, ANSWER_ONE_ROW);

    json_put_string(writer, "output", options->output);
    json_put_u64(writer, "ntasks", mapcore_graph_ntasks(graph));
    json_put_u64(writer, "nedges", mapcore_graph_nedges(graph));
    json_put_u64(writer, "bytes", mapcore_graph_bytes(graph));
    return answer_end(&answer, 0, options->err);
}

int profile_export_run(const struct profile_options *options)
{
    struct mapcore_graph *graph = NULL;
    int error;

    if (answer_word(&options->form) && !options->output)
        return tool_usage("profile", "export --%s tells what -o FILE has got",
                          answer_word(&options->form));
    error = profile_graph_open(&graph, options);
    if (error == 0)
        error = graphs_write(graph, options->output, options->err);
    if (error == 0 && answer_word(&options->form))
        error = print_json(graph, options);
    mapcore_graph_destroy(graph);
    return error;
}

/* What is filed for a graph that was made elsewhere: only how much was sent is
 * known. */
struct import {
    char *program; /* resolved path, or the name */
    char identity[IDENTITY_MAX];
    bool is_named;
    struct mapcore_graph *graph;
    char recorded[TEXT_TIME];
    time_t now;
};

static int describe(struct import *out, const struct profile_options *options)
{
    struct mapcore_graph_reading how;
    int error;

    out->is_named = options->name != NULL;
    if (out->is_named) {
        error = catalogue_check_name(options->name, options->err);
        if (error == 0)
            error = text_copy(&out->program, options->name, options->err);
        snprintf(out->identity, sizeof(out->identity), "named");
    } else {
        error = program_path_find(&out->program, options->program,
                                  getenv("PATH"), options->err);
        if (error == 0)
            error = identity_of_file(out->identity, out->program, options->err);
    }
    if (error < 0)
        return error;
    out->now = time(NULL);
    text_time(out->recorded, (double)out->now);
    how = (struct mapcore_graph_reading){options->format, options->ntasks};
    return graphs_read_file(&out->graph, options->operand, &how, options->err);
}

static int put_graph(const struct import *import,
                     const char *folder,
                     const char *name,
                     struct mapcore_error *err)
{
    char *path = catalogue_join(folder, name, err);
    struct file_replace output = {0};
    int error =
        path ? file_replace_open(&output, path, 0644, err) : MAPCORE_ENOMEM;

    if (error == 0)
        error = mapcore_graph_write(import->graph, MAPCORE_GRAPH_METIS,
                                    output.file, err);
    if (error == 0)
        error = file_replace_commit(&output, err);
    file_replace_abandon(&output);
    free(path);
    return error;
}

/* Whether a plan will take it: plans read no XML out of profiles. */
static int check_node(const char *node, struct mapcore_error *err)
{
    struct mapcore_hwnode *read = NULL;
    struct mapcore_error why;
    int error;

    if (node[0] == '<')
        return error_set(err, MAPCORE_EINVAL,
                         "--node: XML is for the site file; here "
                         "\"package:2 core:8\"");
    if ((error = mapcore_hwnode_create(&read, node, &why)) < 0)
        return error_set(err, error, "--node: %s", why.text);
    mapcore_hwnode_destroy(read);
    return 0;
}

static int fill_folder(struct import *import,
                       const char *folder,
                       const char *type_name,
                       const char *node,
                       struct mapcore_error *err)
{
    char graph[80], type[72], job[] = "import", *slash;
    uint64_t bytes = mapcore_graph_bytes(import->graph);
    struct profile_type types = {
        .name = type, .bytes = bytes, .paired_bytes = bytes, .graph = graph};
    struct profile profile = {
        .ntasks = mapcore_graph_ntasks(import->graph),
        .identity = import->identity,
        .recorded = import->recorded,
        .path = import->is_named ? NULL : import->program,
        .job = job,
        .user = getenv("USER"),
        .ntypes = 1,
        .types = &types,
    };
    int error = node ? text_copy(&profile.node, node, err) : 0;

    slash = strrchr(import->program, '/');
    profile.program = slash ? slash + 1 : import->program;
    snprintf(type, sizeof(type), "%s", type_name);
    snprintf(graph, sizeof(graph), "%s.graph", type_name);
    if (error == 0)
        error = put_graph(import, folder, graph, err);
    if (error == 0)
        error = profile_write(&profile, folder, err);
    free(profile.node);
    return error;
}

static int file_graph(struct import *import,
                      const struct profile_options *options,
                      const char *type)
{
    char *root = NULL, *folder = NULL, *version = NULL;
    int error =
        profile_root_to_write(&root, &options->catalogues, options->err);

    if (error == 0 && !options->replace)
        error = profile_check_replaces(
            root, import->program, import->is_named ? NULL : import->identity,
            mapcore_graph_ntasks(import->graph), "this graph", options->err);
    if (error == 0)
        error =
            catalogue_begin(&folder, root, import->program,
                            import->is_named ? NULL : import->identity,
                            mapcore_graph_ntasks(import->graph), options->err);
    if (error == 0) {
        error = fill_folder(import, folder, type, options->node, options->err);
        if (error < 0)
            catalogue_abandon(folder);
    }
    if (error == 0)
        error = catalogue_commit(&version, folder, import->now, "import", NULL,
                                 options->err);
    if (error == 0)
        error = profile_say_filed(options, version);
    free(root);
    free(folder);
    free(version);
    return error;
}

int profile_import_run(const struct profile_options *options)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789_";
    const char *type = options->graph ? options->graph : "p2p";
    size_t length = strlen(type);
    struct import import = {0};
    int error;

    if ((!options->program) == (!options->name))
        return tool_usage("profile", "import wants --program or --name");
    if (length == 0 || length > 32 || strspn(type, allowed) != length ||
        taskgraphs_is_sum(type) || strcmp(type, "best") == 0 ||
        strcmp(type, EVALUATION_UNMAPPED) == 0)
        return tool_usage("profile", "--graph: '%s' is no type of call", type);
    error = options->node ? check_node(options->node, options->err) : 0;
    if (error == 0)
        error = describe(&import, options);
    if (error == 0)
        error = file_graph(&import, options, type);
    mapcore_graph_destroy(import.graph);
    free(import.program);
    return error;
}
