/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_main.c - topomap topology: the description of a network, shown and
 * held against Slurm's nodes */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/common/subprocess.h"
#include "tools/inputs/inputs.h"
#include "tools/inputs/partitions.h"
#include "tools/site/site.h"
#include "tools/topology_show.h"
#include "json/json.h"

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
    const char *spec, *config, *nodelist, *partition;
    const char *ends[2]; /* of distance */
    bool all;            /* of its hosts, not the first few alone */
    struct answer_form form;
};

static const struct option_row spec_operand[] = {
    {OPTION_NAMED("SPEC", struct topology_options, spec)},
    {.name = NULL},
};

static const struct option_row distance_operands[] = {
    {OPTION_NAMED("A", struct topology_options, ends[0]), .required = true},
    {OPTION_NAMED("B", struct topology_options, ends[1]), .required = true},
    {OPTION_NAMED("SPEC", struct topology_options, spec)},
    {.name = NULL},
};

static const struct option_verb verbs[] = {
    [VERB_SHOW] = {"show", spec_operand},
    [VERB_CHECK] = {"check", spec_operand},
    [VERB_DISTANCE] = {"distance", distance_operands},
    [VERB_LINKS] = {"links", spec_operand},
    {NULL, NULL},
};

static const struct option_row rows[] = {
    {OPTION_TAKES("config", "FILE", struct topology_options, config),
     .verbs = 1u << VERB_SHOW | 1u << VERB_CHECK | 1u << VERB_DISTANCE |
              1u << VERB_LINKS},
    {OPTION_TAKES("nodelist", "NODES", struct topology_options, nodelist),
     .verbs = 1u << VERB_SHOW | 1u << VERB_CHECK},
    {OPTION_TAKES("partition", "NAME", struct topology_options, partition),
     .verbs = 1u << VERB_SHOW | 1u << VERB_CHECK | 1u << VERB_DISTANCE |
              1u << VERB_LINKS},
    {OPTION_NAMED("all", struct topology_options, all),
     .verbs = 1u << VERB_SHOW},
    {OPTION_NAMED("json", struct topology_options, form.json)},
    {OPTION_NAMED("csv", struct topology_options, form.csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "topology",
    .verbs = verbs,
    .verb = offsetof(struct topology_options, verb),
    .groups = {{rows, 0}},
};

/* Slurm's own, where no other is described. */
static int open_slurm(struct mapcore_topo **out,
                      const char *partition,
                      const char *config,
                      struct mapcore_error *err)
{
    struct mapcore_error why;
    int error = partitions_open_topology(out, partition, CHILD_SECONDS, &why);

    if (error == MAPCORE_ENOENT)
        return error_set(err, error, "%s", why.text);
    if (error < 0)
        return error_set(err, error,
                         "no topology in %s, and Slurm has none: %s",
                         config ? config : TOPOMAP_SITEFILE, why.text);
    return 0;
}

/* In the order in which `topomap plan` looks. Several topologies of Slurm's,
 * which `check` goes through by partition, come as NULL and *partitions. *file,
 * owned: that the site file names. */
static int open_network(struct mapcore_topo **out,
                        char **file,
                        struct partitions *partitions,
                        const struct topology_options *options,
                        struct mapcore_error *err)
{
    struct site_file *site = NULL;
    int error;

    if (options->spec)
        return inputs_open_topology(out, options->spec, err);
    if ((error = site_read(&site, options->config, err)) < 0)
        return error;
    error = site_open_topology(out, site, err);
    *file = *out ? network_file(&site->topology) : NULL;
    site_close(site);
    if (error < 0 || *out)
        return error;
    if (options->verb == VERB_CHECK && !options->nodelist &&
        !options->partition &&
        partitions_read(partitions, CHILD_SECONDS, NULL) == 0 &&
        partitions_differ(partitions))
        return 0;
    return open_slurm(out, options->partition, options->config, err);
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Slurm's nodes, or those of some partitions, each once: sinfo has a line for
 * each partition of a node. */
static int list_nodes(struct hosts *out,
                      const char *expression,
                      const char *partitions,
                      struct mapcore_error *err)
{
    const char *const argv[] = {"sinfo",    "-h", "-N",
                                "-o",       "%N", partitions ? "-p" : NULL,
                                partitions, NULL};
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
    for (char *c = bytes; *c != '\0'; c++)
        if (*c == '\n')
            *c = ',';
    if (length == 0)
        error =
            error_set(err, MAPCORE_ENOENT, "sinfo lists no nodes%s%s",
                      partitions ? " of " : "", partitions ? partitions : "");
    else
        error = hosts_expand(out, bytes, err);
    free(bytes);
    if (error == 0)
        qsort(out->name, out->n, sizeof(*out->name), by_name);
    return error;
}

/* What `check` has found so far; writer NULL: as text. */
struct check {
    struct json_writer *writer;
    const char *file; /* of the network, beside the site file; or NULL */
    size_t nodes, missing;
};

/* Prints which nodes are missing. */
static int check_one(struct check *check,
                     const struct mapcore_topo *topo,
                     const char *nodelist,
                     const char *partitions,
                     struct mapcore_error *err)
{
    const char *of = partitions ? " of partition " : "";
    struct mapcore_error ignored;
    struct hosts nodes = {0};
    size_t n = 0, missing = 0;
    uint32_t host;
    int error;

    if (!mapcore_topo_host_name(topo, 0))
        return error_set(err, MAPCORE_EINVAL,
                         "%s: its nodes have no names to check",
                         mapcore_topo_describe(topo));
    if ((error = list_nodes(&nodes, nodelist, partitions, err)) < 0)
        return error;
    for (size_t i = 0; i < nodes.n; i++) {
        const char *name = nodes.name[i];

        if (i > 0 && strcmp(name, nodes.name[i - 1]) == 0)
            continue;
        n++;
        if (mapcore_topo_find_host(&host, topo, name, &ignored) == 0)
            continue;
        missing++;
        if (check->writer)
            json_put_string(check->writer, NULL, name);
        else
            tool_print("%s is not in the topology\n", name);
    }
    if (!check->writer)
        tool_print("%zu of %zu nodes%s%s are in the topology (%s%s%s)\n",
                   n - missing, n, of, partitions ? partitions : "",
                   mapcore_topo_describe(topo), check->file ? ", from " : "",
                   check->file ? check->file : "");
    hosts_clear(&nodes);
    check->nodes += n;
    check->missing += missing;
    return 0;
}

/* Each partition's nodes in that partition's topology. */
static int check_partitions(struct check *check,
                            const struct topology_options *options,
                            const struct partitions *partitions,
                            struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < partitions->n; i++) {
        const char *name = partitions->item[i].name;
        struct mapcore_topo *topo = NULL;

        error = open_slurm(&topo, name, options->config, err);
        if (error == 0)
            error = check_one(check, topo, NULL, name, err);
        else if (error == MAPCORE_ENOTSUP) {
            error = 0;
            if (!check->writer)
                tool_print("the nodes of partition %s are equally far apart\n",
                           name);
        }
        mapcore_topo_destroy(topo);
    }
    return error;
}

static int check_all(struct check *check,
                     const struct topology_options *options,
                     const struct mapcore_topo *topo,
                     const struct partitions *partitions,
                     struct mapcore_error *err)
{
    return topo ? check_one(check, topo, options->nodelist, options->partition,
                            err)
                : check_partitions(check, options, partitions, err);
}

/* 1 when nodes are missing. */
static int check(const struct topology_options *options,
                 const struct mapcore_topo *topo,
                 const char *described_in,
                 const struct partitions *partitions,
                 struct mapcore_error *err)
{
    struct check check = {.file = described_in};
    struct answer answer;
    char *text = NULL;
    FILE *file = NULL;
    size_t n = 0;
    int error;

    if (!answer_word(&options->form)) {
        error = check_all(&check, options, topo, partitions, err);
        return error < 0 ? error : check.missing > 0;
    }
    /* Printed when it is whole. */
    if (!(file = open_memstream(&text, &n)))
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    check.writer = answer_begin(&answer, file, &options->form, NULL, "missing");
    json_begin_array(check.writer, "missing");
    error = check_all(&check, options, topo, partitions, err);
    json_end_array(check.writer);
    json_put_u64(check.writer, "nodes", check.nodes);
    error = answer_end(&answer, error, err);
    fclose(file);
    if (error == 0)
        fputs(text, stdout);
    free(text);
    return error < 0 ? error : check.missing > 0;
}

static int print_route(const struct topology_options *options,
                       const struct mapcore_topo *topo,
                       const uint32_t *links,
                       uint32_t n,
                       struct mapcore_error *err)
{
    char name[LINK_NAME];
    struct json_writer *writer;
    struct answer answer;

    if (!answer_word(&options->form)) {
        printf("%u\n", n);
        for (uint32_t i = 0; i < n; i++) {
            mapcore_topo_link_name(topo, links[i], name, sizeof(name));
            tool_print("  %s\n", name);
        }
        return 0;
    }
    writer = answer_begin(&answer, stdout, &options->form, NULL, "links");
    json_put_u64(writer, "distance", n);
    json_begin_array(writer, "links");
    for (uint32_t i = 0; i < n; i++) {
        mapcore_topo_link_name(topo, links[i], name, sizeof(name));
        json_put_string(writer, NULL, name);
    }
    return answer_end(&answer, 0, err);
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

static int show(const struct topology_options *options,
                const struct mapcore_topo *topo,
                struct mapcore_error *err)
{
    uint32_t *which = NULL, n = 0;
    int error = 0;

    if (options->nodelist)
        error = inputs_find_nodes(&which, &n, topo, options->nodelist,
                                  "--nodelist", err);
    if (error == 0)
        error =
            topology_show(topo, which, n, options->all, &options->form, err);
    free(which);
    return error;
}

static int act(const struct topology_options *options,
               struct mapcore_error *err)
{
    struct partitions partitions = {0};
    struct mapcore_topo *topo = NULL;
    char *file = NULL;
    int error = open_network(&topo, &file, &partitions, options, err);

    if (error < 0) {
        partitions_clear(&partitions);
        return error;
    }
    switch ((enum topology_verb)options->verb) {
    case VERB_SHOW:
        error = show(options, topo, err);
        break;
    case VERB_CHECK:
        error = check(options, topo, file, &partitions, err);
        break;
    case VERB_DISTANCE:
        error = distance(options, topo, err);
        break;
    case VERB_LINKS:
        error = topology_links(topo, &options->form, err);
        break;
    }
    mapcore_topo_destroy(topo);
    partitions_clear(&partitions);
    free(file);
    return error;
}

int topology_main(int argc, char **argv, struct mapcore_error *err)
{
    struct topology_options options = {0};
    int status, error;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (options.spec && options.config)
        return tool_usage("topology", "either SPEC or --config");
    error = act(&options, err);
    return error > 0 ? TOOL_FAILED : error;
}
