/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* inputs.c - graph, network, nodes and slots, as options name them */
#include "config.h"

#include "tools/inputs/inputs.h"

#include "alloc/file/hosts_file.h"
#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "base/text.h"
#include "tools/inputs/foreign.h"
#include "tools/site/site.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define IMBALANCE_MOST 1000

const struct option_row inputs_rows[] = {
    {OPTION_TAKES("topology", "SPEC", struct inputs, topology),
     .required = true},
    {OPTION_TAKES("tasks-per-node", "COUNTS", struct inputs, tasks_per_node),
     .required = true},
    {OPTION_TAKES("imbalance", "PERCENT", struct inputs, imbalance),
     .most = IMBALANCE_MOST},
    {OPTION_TAKES("nodelist", "NODES", struct inputs, nodelist)},
    {OPTION_TAKES("nodefile", "FILE", struct inputs, nodefile)},
    {OPTION_TAKES("node", "NODE", struct inputs, node)},
    {.name = NULL},
};

#define RATE_LEAST 1e-9
#define RATE_MOST  1e18

const struct option_row inputs_rates_rows[] = {
    {OPTION_TAKES("nic", "RATE", struct inputs, rates.nic), .least = RATE_LEAST,
     .most = RATE_MOST},
    {OPTION_TAKES("memory", "RATE", struct inputs, rates.memory),
     .least = RATE_LEAST, .most = RATE_MOST},
    {.name = NULL},
};

bool inputs_is_site_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char key[16] = "";
    int n = 0;

    if (!file)
        return false;
    /* Other tools' files of JSON: topograph's and Kubernetes'. */
    if (fscanf(file, " {%n \"%15[A-Za-z]\"", &n, key) == EOF)
        n = 0;
    fclose(file);
    return n > 0 && strcmp(key, "instances") != 0 &&
           strcmp(key, "apiVersion") != 0;
}

int inputs_open_topology(struct mapcore_topo **out,
                         const char *spec,
                         struct mapcore_error *err)
{
    struct site_file *site = NULL;
    int error;

    if (*spec == '\0')
        return error_set(err, MAPCORE_EINVAL, "the topology is empty");
    if (!inputs_is_site_file(spec))
        return foreign_network_open(out, spec, err);
    error = site_read(&site, spec, err);
    if (error == 0)
        error = site_open_topology(out, site, err);
    if (error == 0 && !*out)
        error = error_set(err, MAPCORE_ENOENT, "%s: no topology in it", spec);
    site_close(site);
    return error;
}

/* What was typed, else what a site file says besides its topology. */
static int read_rates(struct inputs *inputs, struct mapcore_error *err)
{
    const struct mapcore_host_rates typed = inputs->rates;
    struct site_file *site = NULL;
    const char *left_out;
    int error = 0;

    if (inputs_is_site_file(inputs->topology)) {
        error = site_read(&site, inputs->topology, err);
        if (error == 0)
            inputs->rates = site_rates(site);
        site_close(site);
    }
    if (typed.nic > 0)
        inputs->rates.nic = typed.nic;
    if (typed.memory > 0)
        inputs->rates.memory = typed.memory;
    inputs->nic_rate = inputs->rates.nic;
    left_out = site_rates_settle(&inputs->rates, inputs->topo);
    if (error == 0 && left_out)
        tool_note("%s: %s", inputs->topology, left_out);
    return error;
}

int inputs_open_node(struct mapcore_hwnode **out,
                     const char *node,
                     struct mapcore_error *err)
{
    struct buffer bytes = {.err = err};
    struct text *text = NULL;
    char *line;
    int error;

    /* No description has a slash, or ends as files of XML do. */
    if (access(node, F_OK) != 0 && !strchr(node, '/') && !strstr(node, ".xml"))
        return mapcore_hwnode_create(out, node, err);
    if ((error = text_open(&text, node, err)) < 0)
        return error;
    /* What is too long for hwloc is so when it is not whole, too. */
    while (bytes.n <= MAPCORE_HWNODE_XML_MOST &&
           (error = text_line(text, &line)) == 0 && line)
        buffer_printf(&bytes, "%s\n", line);
    if (error == 0 && (error = bytes.error) == 0)
        error = mapcore_hwnode_create(out, bytes.bytes ? bytes.bytes : "", err);
    text_close(text);
    buffer_clear(&bytes);
    return error;
}

int inputs_open_site_node(struct mapcore_hwnode **out,
                          const struct site_file *site,
                          struct mapcore_error *err)
{
    struct mapcore_error why;
    int error = site->node[0] == '/'
                    ? inputs_open_node(out, site->node, &why)
                    : mapcore_hwnode_create(out, site->node, &why);

    return error < 0
               ? error_set(err, error, "%s: node: %s", site->path, why.text)
               : 0;
}

int inputs_find_nodes(uint32_t **out,
                      uint32_t *n,
                      const struct mapcore_topo *topo,
                      const char *list,
                      const char *what,
                      struct mapcore_error *err)
{
    struct hosts names = {0};
    struct mapcore_error why;
    uint32_t *found = NULL;
    bool *seen = NULL;
    int error = hosts_expand(&names, list, err);

    if (error < 0)
        return error;
    found = array_alloc(names.n, sizeof(*found), err);
    seen = array_alloc(mapcore_topo_nhosts(topo), sizeof(*seen), err);
    if (!found || !seen)
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < names.n; i++) {
        if (mapcore_topo_find_host(&found[i], topo, names.name[i], &why) < 0)
            error = error_set(err, MAPCORE_ENOENT, "%s: %s", what, why.text);
        else if (seen[found[i]])
            error = error_set(err, MAPCORE_EINVAL,
                              "%s: node %.80s stands there twice", what,
                              names.name[i]);
        else
            seen[found[i]] = true;
    }
    if (error == 0) {
        *out = found;
        *n = (uint32_t)names.n;
        found = NULL;
    }
    free(seen);
    free(found);
    hosts_clear(&names);
    return error;
}

/* The bound of KaHIP and of METIS: blocks may exceed the even size by that
 * share, rounded up. */
static int add_slack(uint32_t *slots,
                     uint32_t nhosts,
                     double percent,
                     struct mapcore_error *err)
{
    for (uint32_t h = 0; h < nhosts; h++) {
        /* 3% of 100 are 3, also in binary fractions. */
        double more = ceil(slots[h] * percent / 100 - 1e-9);

        if (slots[h] + more >= MAPCORE_NONE)
            return error_set(err, MAPCORE_EINVAL,
                             "--imbalance %g: too many slots on a node of %u",
                             percent, slots[h]);
        slots[h] += (uint32_t)more;
    }
    return 0;
}

/* The allocation that --nodelist, or --nodefile, and --tasks-per-node speak
 * of. */
static int open_alloc(struct inputs *inputs, struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_topo_nhosts(inputs->topo);
    uint32_t *host = NULL, *slots = NULL;
    int error = 0;

    if (inputs->nodelist && inputs->nodefile)
        return error_set(err, MAPCORE_EINVAL,
                         "either --nodelist or --nodefile");
    if (inputs->nodelist)
        error = inputs_find_nodes(&host, &nhosts, inputs->topo,
                                  inputs->nodelist, "--nodelist", err);
    else if (inputs->nodefile)
        error = hosts_file_read(&host, &nhosts, inputs->topo, inputs->nodefile,
                                err);
    if (error < 0)
        return error;
    slots = array_alloc(nhosts, sizeof(*slots), err);
    if (!slots) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    error = mapcore_slots_parse(slots, nhosts, inputs->tasks_per_node, err);
    if (error == 0)
        error = add_slack(slots, nhosts, inputs->imbalance, err);
    if (error == 0)
        error = mapcore_alloc_create(&inputs->alloc, inputs->topo, nhosts, host,
                                     slots, err);
out:
    free(slots);
    free(host);
    return error;
}

int inputs_open(struct inputs *inputs, struct mapcore_error *err)
{
    uint32_t ntasks, nslots;
    int error;

    if ((error = graphs_open(&inputs->graph, &inputs->source, err)) < 0 ||
        (error = inputs_open_topology(&inputs->topo, inputs->topology, err)) <
            0 ||
        (error = read_rates(inputs, err)) < 0 ||
        (error = open_alloc(inputs, err)) < 0)
        return error;
    if (inputs->node &&
        (error = inputs_open_node(&inputs->hwnode, inputs->node, err)) < 0)
        return error;
    ntasks = mapcore_graph_ntasks(inputs->graph);
    nslots = mapcore_alloc_nslots(inputs->alloc);
    if (ntasks > nslots)
        return error_set(err, MAPCORE_EINVAL,
                         "%s has %u task%s, and the %u node%s %u slot%s",
                         inputs->source.path, ntasks, text_plural(ntasks),
                         mapcore_alloc_nhosts(inputs->alloc),
                         mapcore_alloc_nhosts(inputs->alloc) == 1 ? " has"
                                                                  : "s have",
                         nslots, text_plural(nslots));
    return 0;
}

void inputs_close(struct inputs *inputs)
{
    mapcore_hwnode_destroy(inputs->hwnode);
    mapcore_alloc_destroy(inputs->alloc);
    mapcore_topo_destroy(inputs->topo);
    mapcore_graph_destroy(inputs->graph);
    inputs->hwnode = NULL;
    inputs->alloc = NULL;
    inputs->topo = NULL;
    inputs->graph = NULL;
}

enum quantity_time inputs_time_unit(const struct inputs *inputs,
                                    bool is_recorded)
{
    if (is_recorded)
        return QUANTITY_SECONDS;
    if (inputs->nic_rate != inputs->rates.nic)
        tool_note("%s states no capacities: its links are taken to carry as "
                  "much as network interfaces, and times are bytes over that",
                  inputs->topology);
    return inputs_port_unit(inputs);
}

enum quantity_time inputs_port_unit(const struct inputs *inputs)
{
    return site_rates_unit(&inputs->rates, inputs->topo);
}
