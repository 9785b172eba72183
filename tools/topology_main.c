/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_main.c - topomap topology: the description of a network, shown and
 * held against Slurm's nodes */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/common/inputs.h"
#include "tools/common/subprocess.h"
#include "tools/site/site.h"
#include "tools/topology_show.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { LINK_NAME = 600 }; /* two host names of 255 bytes */

enum topology_verb {
    VERB_SHOW,
    VERB_CHECK,
    VERB_DISTANCE,
    VERB_LINKS,
};

struct topology_options {
    uint32_t verb;
    const char *spec, *config, *nodelist;
    const char *ends[2]; /* of distance */
    bool all, json;
};

#define SPEC_OPERAND                                                           \
    {                                                                          \
        .name = "SPEC", OPTION_INTO(struct topology_options, spec),            \
        .help = "torus:8x8x4, mesh:8x8, ring:16, hypercube:6, tree:8,16,8, "   \
                "flat:N, dragonfly:9,4,2 or a file, mapcore-topology(5); "     \
                "without it the site file's topology, else Slurm's own"        \
    }

static const struct option_row spec_operand[] = {
    SPEC_OPERAND,
    {.name = NULL},
};

static const struct option_row distance_operands[] = {
    {.name = "A",
     OPTION_INTO(struct topology_options, ends[0]),
     .required = true,
     .help = "a node, and"},
    {.name = "B",
     OPTION_INTO(struct topology_options, ends[1]),
     .required = true,
     .help = "another"},
    SPEC_OPERAND,
    {.name = NULL},
};

static const struct option_verb verbs[] = {
    [VERB_SHOW] = {"show",
                   "what the network is, how fast its links are, and where its "
                   "first nodes (--all: all) sit",
                   spec_operand},
    [VERB_CHECK] =
        {"check",
         "whether every node of Slurm (by sinfo, or --nodelist n[0-7]) "
         "has a place in it; names those that have none, and exits "
         "with 1",
         spec_operand},
    [VERB_DISTANCE] = {"distance", "links between two nodes, and which",
                       distance_operands},
    [VERB_LINKS] = {"links",
                    "the network as a list of links, for a file of one's own: "
                    "what ibnetdiscover printed, or Slurm's tree with "
                    "capacities added",
                    spec_operand},
    {NULL, NULL, NULL},
};

static const struct option_row rows[] = {
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct topology_options, config),
     .verbs = 1u << VERB_SHOW | 1u << VERB_CHECK | 1u << VERB_DISTANCE |
              1u << VERB_LINKS,
     .help = "the site file (default " TOPOMAP_SITEFILE ")"},
    {.name = "nodelist",
     .was = "nodes",
     .argument = "NODES",
     OPTION_INTO(struct topology_options, nodelist),
     .verbs = 1u << VERB_CHECK,
     .help = "these nodes, n[0-7], not Slurm's"},
    {.name = "all",
     OPTION_INTO(struct topology_options, all),
     .verbs = 1u << VERB_SHOW,
     .help = "show all nodes, not only the first"},
    {.name = "json",
     OPTION_INTO(struct topology_options, json),
     .verbs = 1u << VERB_SHOW | 1u << VERB_CHECK | 1u << VERB_DISTANCE,
     .help = "print JSON"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "topology",
    .about = "Shows what a network is, and checks its description.",
    .verbs = verbs,
    .verb = offsetof(struct topology_options, verb),
    .groups = {{rows, 0}},
};

/* In the order in which `topomap plan` looks. */
static int open_network(struct mapcore_topo **out,
                        const struct topology_options *options,
                        struct mapcore_error *err)
{
    struct site_file *site = NULL;
    struct mapcore_error why;
    int error;

    if (options->spec)
        return inputs_open_topology(out, options->spec, err);
    if ((error = site_read(&site, options->config, err)) < 0)
        return error;
    error = site_open_topology(out, site, err);
    if (error == 0 && !*out && options->config)
        error = error_set(err, MAPCORE_ENOENT, "%s: no topology in it",
                          options->config);
    site_close(site);
    if (error < 0 || *out)
        return error;
    error = subprocess_slurm_topology(out, CHILD_SECONDS, &why);
    if (error < 0)
        return error_set(err, error,
                         "no topology in " TOPOMAP_SITEFILE
                         ", and Slurm has none: %s",
                         why.text);
    return 0;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Slurm's nodes, each once: sinfo has a line for each partition of a node. */
static int list_nodes(struct hosts *out,
                      const char *expression,
                      struct mapcore_error *err)
{
    char command[] = "sinfo", h[] = "-h", n[] = "-N", o[] = "-o", f[] = "%N";
    char *argv[] = {command, h, n, o, f, NULL};
    char *bytes = NULL;
    size_t length;
    int error;

    if (expression)
        return hosts_expand(out, expression, err);
    if ((error = subprocess_read(&bytes, &length, argv, CHILD_SECONDS, err)) <
        0)
        return error;
    while (length > 0 && bytes[length - 1] == '\n')
        bytes[--length] = '\0';
    for (char *p = bytes; *p != '\0'; p++)
        if (*p == '\n')
            *p = ',';
    if (length == 0)
        error = error_set(err, MAPCORE_ENOENT, "sinfo lists no nodes");
    else
        error = hosts_expand(out, bytes, err);
    free(bytes);
    if (error == 0)
        qsort(out->name, out->n, sizeof(*out->name), by_name);
    return error;
}

/* Prints what is missing; *missing counts it, *n all nodes. */
static void compare(struct json_writer *writer,
                    const struct mapcore_topo *topo,
                    const struct hosts *nodes,
                    size_t *n,
                    size_t *missing)
{
    struct mapcore_error ignored;
    uint32_t host;

    *n = *missing = 0;
    for (size_t i = 0; i < nodes->n; i++) {
        const char *name = nodes->name[i];

        if (i > 0 && strcmp(name, nodes->name[i - 1]) == 0)
            continue;
        ++*n;
        if (mapcore_topo_find_host(&host, topo, name, &ignored) == 0)
            continue;
        ++*missing;
        if (writer)
            json_put_string(writer, NULL, name);
        else
            tool_print("%s is not in the topology\n", name);
    }
}

/* 1 when nodes are missing. */
static int check(const struct topology_options *options,
                 const struct mapcore_topo *topo,
                 struct mapcore_error *err)
{
    struct json_writer writer;
    struct hosts nodes = {0};
    size_t n, missing;
    int error;

    if (!mapcore_topo_host_name(topo, 0))
        return error_set(err, MAPCORE_EINVAL,
                         "%s: its nodes have no names to check",
                         mapcore_topo_describe(topo));
    if ((error = list_nodes(&nodes, options->nodelist, err)) < 0)
        return error;
    if (options->json) {
        json_writer_start(&writer, stdout);
        json_begin_object(&writer, NULL);
        json_begin_array(&writer, "missing");
        compare(&writer, topo, &nodes, &n, &missing);
        json_end_array(&writer);
        json_put_u64(&writer, "nodes", n);
        json_end_object(&writer);
        error = json_writer_end(&writer, err);
    } else {
        compare(NULL, topo, &nodes, &n, &missing);
        tool_print("%zu of %zu nodes are in the topology (%s)\n", n - missing,
                   n, mapcore_topo_describe(topo));
    }
    hosts_clear(&nodes);
    return error < 0 ? error : missing > 0;
}

static int print_route(const struct topology_options *options,
                       const struct mapcore_topo *topo,
                       const uint32_t *links,
                       uint32_t n,
                       struct mapcore_error *err)
{
    struct json_writer writer;
    char name[LINK_NAME];

    if (!options->json) {
        printf("%" PRIu32 "\n", n);
        for (uint32_t i = 0; i < n; i++) {
            mapcore_topo_link_name(topo, links[i], name, sizeof(name));
            tool_print("  %s\n", name);
        }
        return 0;
    }
    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_u64(&writer, "distance", n);
    json_begin_array(&writer, "links");
    for (uint32_t i = 0; i < n; i++) {
        mapcore_topo_link_name(topo, links[i], name, sizeof(name));
        json_put_string(&writer, NULL, name);
    }
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static int distance(const struct topology_options *options,
                    const struct mapcore_topo *topo,
                    struct mapcore_error *err)
{
    uint32_t *links =
        array_alloc(mapcore_topo_diameter(topo), sizeof(*links), err);
    uint32_t ends[2], n;
    int error = links ? 0 : MAPCORE_ENOMEM;

    for (int i = 0; error == 0 && i < 2; i++)
        error = mapcore_topo_find_host(&ends[i], topo, options->ends[i], err);
    if (error == 0) {
        n = mapcore_topo_route(topo, ends[0], ends[1], links);
        error = print_route(options, topo, links, n, err);
    }
    free(links);
    return error;
}

static int act(const struct topology_options *options,
               struct mapcore_error *err)
{
    struct mapcore_topo *topo = NULL;
    int error = open_network(&topo, options, err);

    if (error < 0)
        return error;
    switch ((enum topology_verb)options->verb) {
    case VERB_SHOW:
        error = topology_show(topo, options->all, options->json, err);
        break;
    case VERB_CHECK:
        error = check(options, topo, err);
        break;
    case VERB_DISTANCE:
        error = distance(options, topo, err);
        break;
    case VERB_LINKS:
        error = mapcore_topo_write_links(topo, stdout, err);
        break;
    }
    mapcore_topo_destroy(topo);
    return error;
}

int topology_main(int argc, char **argv)
{
    struct topology_options options = {0};
    struct mapcore_error err;
    int status, error;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (options.spec && options.config)
        return tool_usage("topology", "either SPEC or --config");
    error = act(&options, &err);
    if (error < 0)
        return tool_fail("%s", err.text);
    return error > 0 ? TOOL_FAILED : TOOL_OK;
}
