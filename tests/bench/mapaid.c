/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapaid.c - what stands between our files and those of the mappers that we are
 * compared with: Scotch's graphs, graphs of parts, and mappings made to fit */
#include "config.h"

#include "alloc/alloc.h"
#include "alloc/mapping.h"
#include "base/array.h"
#include "base/rng.h"
#include "base/text.h"
#include "graph/file/file.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

static const struct mapcore_graph_reading metis = {MAPCORE_GRAPH_METIS, 0};

/* Scotch counts in 32 bits, so weights lose their common divisor. */
static uint64_t common_divisor(const struct mapcore_graph *graph)
{
    const uint32_t *tasks;
    const uint64_t *bytes;
    uint64_t divisor = 0;

    for (uint32_t t = 0; t < mapcore_graph_ntasks(graph); t++) {
        size_t n = mapcore_graph_neighbours(graph, t, &tasks, &bytes);

        for (size_t i = 0; i < n; i++)
            for (uint64_t a = bytes[i], rest; a != 0; a = rest) {
                rest = divisor % a;
                divisor = a;
            }
    }
    return divisor == 0 ? 1 : divisor;
}

/* scotch GRAPH [SEED]: as a Scotch graph file (user's guide, "Graph files").
 * Scotch draws the same random numbers each time; with a seed the tasks stand
 * in a random order, each labelled with its number, which serves as well. */
static int print_scotch(const struct mapcore_graph *graph,
                        uint64_t seed,
                        struct mapcore_error *err)
{
    uint32_t ntasks = mapcore_graph_ntasks(graph);
    uint32_t *order = array_alloc(ntasks, sizeof(*order), err);
    uint64_t divisor = common_divisor(graph);
    const uint32_t *tasks;
    const uint64_t *bytes;
    struct rng rng;

    if (!order)
        return MAPCORE_ENOMEM;
    rng_init(&rng, seed, 0, 0);
    for (uint32_t i = 0; i < ntasks; i++) {
        uint32_t j = seed == 0 ? i : rng_below(&rng, i + 1);

        order[i] = order[j];
        order[j] = i;
    }
    printf("0\n%u\t%zu\n0\t%s\n", ntasks, 2 * mapcore_graph_nedges(graph),
           seed == 0 ? "010" : "110");
    for (uint32_t i = 0; i < ntasks; i++) {
        size_t n = mapcore_graph_neighbours(graph, order[i], &tasks, &bytes);

        if (seed != 0)
            printf("%u\t", order[i]);
        printf("%zu", n);
        for (size_t k = 0; k < n; k++)
            printf("\t%ju\t%u", (uintmax_t)(bytes[k] / divisor), tasks[k]);
        putchar('\n');
    }
    free(order);
    return 0;
}

/* metis GRAPH: the same file with such weights, for METIS counts so, too. */
static int print_metis(const struct mapcore_graph *graph)
{
    uint64_t divisor = common_divisor(graph);
    const uint32_t *tasks;
    const uint64_t *bytes;

    printf("%u %zu 001\n", mapcore_graph_ntasks(graph),
           mapcore_graph_nedges(graph));
    for (uint32_t t = 0; t < mapcore_graph_ntasks(graph); t++) {
        size_t n = mapcore_graph_neighbours(graph, t, &tasks, &bytes);

        for (size_t i = 0; i < n; i++)
            printf("%s%u %ju", i == 0 ? "" : " ", tasks[i] + 1,
                   (uintmax_t)(bytes[i] / divisor));
        putchar('\n');
    }
    return 0;
}

/* One line of a list: "a b" of a Scotch mapping sets part[a] = b, "b" of a
 * METIS partition sets the next. */
static int take_part(uint32_t *part,
                     uint32_t n,
                     uint32_t next,
                     char *line,
                     const struct text *text,
                     struct mapcore_error *err)
{
    uint32_t a, b;

    if (!text_take_u32(&line, &a, NULL))
        return text_error(text, err, MAPCORE_EPARSE, "no number");
    if (!text_take_u32(&line, &b, NULL)) {
        b = a;
        a = next;
    }
    if (a >= n || part[a] != MAPCORE_NONE)
        return text_error(text, err, MAPCORE_EPARSE, "not of the %u there are",
                          n);
    part[a] = b;
    return 0;
}

/* What a mapper or a partitioner says of n tasks or parts; Scotch's list begins
 * with the count. */
static int read_parts(uint32_t **out,
                      uint32_t n,
                      const char *path,
                      struct mapcore_error *err)
{
    uint32_t *part = array_alloc(n, sizeof(*part), err), read = 0, count;
    struct text *text = NULL;
    bool is_first = true;
    char *line, *rest;
    int error = !part ? MAPCORE_ENOMEM : text_open(&text, path, err);

    for (uint32_t i = 0; error == 0 && i < n; i++)
        part[i] = MAPCORE_NONE;
    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line) {
        rest = line;
        if (is_first && text_take_u32(&rest, &count, NULL) && count == n &&
            !text_take_word(&rest))
            ;
        else
            error = take_part(part, n, read++, line, text, err);
        is_first = false;
    }
    if (error == 0 && read != n)
        error = error_set(err, MAPCORE_EPARSE, "%s: %u entries, not %u", path,
                          read, n);
    text_close(text);
    if (error == 0) {
        *out = part;
        part = NULL;
    }
    free(part);
    return error;
}

/* quotient GRAPH PARTS NPARTS: the graph of the parts, as a Scotch graph. */
static int print_quotient(const struct mapcore_graph *graph,
                          const char *parts,
                          uint32_t nparts,
                          struct mapcore_error *err)
{
    uint32_t n = mapcore_graph_ntasks(graph), *part = NULL;
    struct mapcore_graph *quotient = NULL;
    struct mapcore_edge *edges =
        array_alloc(mapcore_graph_nedges(graph), sizeof(*edges), err);
    const uint32_t *tasks;
    const uint64_t *bytes;
    size_t nedges = 0;
    int error = !edges ? MAPCORE_ENOMEM : read_parts(&part, n, parts, err);

    for (uint32_t t = 0; error == 0 && t < n; t++) {
        size_t degree = mapcore_graph_neighbours(graph, t, &tasks, &bytes);

        for (size_t i = 0; i < degree; i++)
            if (t < tasks[i])
                edges[nedges++] =
                    (struct mapcore_edge){part[t], part[tasks[i]], bytes[i]};
    }
    if (error == 0)
        error = mapcore_graph_create(&quotient, nparts, edges, nedges, err);
    if (error == 0)
        error = print_scotch(quotient, 0, err);
    mapcore_graph_destroy(quotient);
    free(part);
    free(edges);
    return error;
}

/* The hosts of a file, or all of them, each with that many slots. */
static int open_alloc(struct mapcore_alloc **out,
                      const struct mapcore_topo *topo,
                      const char *hosts,
                      uint32_t slots,
                      struct mapcore_error *err)
{
    uint32_t n = mapcore_topo_nhosts(topo), count = 0;
    uint32_t *host = array_alloc(n, sizeof(*host), err);
    uint32_t *each = array_alloc(n, sizeof(*each), err);
    struct text *text = NULL;
    char *line;
    int error = !host || !each ? MAPCORE_ENOMEM : 0;

    for (uint32_t i = 0; error == 0 && i < n; i++)
        each[i] = slots;
    if (error == 0 && strcmp(hosts, "-") == 0) {
        error = mapcore_alloc_create(out, topo, n, NULL, each, err);
        goto out;
    }
    if (error == 0)
        error = text_open(&text, hosts, err);
    while (error == 0 && count < n &&
           (error = text_line(text, &line, err)) == 0 && line)
        error = mapcore_topo_find_host(&host[count++], topo, line, err);
    if (error == 0)
        error = mapcore_alloc_create(out, topo, count, host, each, err);
out:
    text_close(text);
    free(each);
    free(host);
    return error;
}

/* target SPEC HOSTS|-: a Scotch architecture. Terminals of its tori are
 * numbered as hosts are. A tree costs 2 a level, since Scotch adds the links of
 * one side and a route has those of both. Some hosts of a torus are a `sub` of
 * it. */
static int print_target(const struct mapcore_alloc *alloc,
                        const char *spec,
                        bool all,
                        struct mapcore_error *err)
{
    const char *p = strchr(spec, ':');
    bool is_tree = strncmp(spec, "tree:", 5) == 0;
    uint32_t numbers[16], n = 0;
    char *end;

    if (!p || (!is_tree && strncmp(spec, "torus:", 6) != 0 &&
               strncmp(spec, "mesh:", 5) != 0))
        return error_set(err, MAPCORE_ENOTSUP, "%s: Scotch has no such", spec);
    for (p++; n < 16 && *p != '\0'; p = *end == '\0' ? end : end + 1) {
        numbers[n++] = (uint32_t)strtoul(p, &end, 10);
        if (end == p || (*end != '\0' && *end != (is_tree ? ',' : 'x')))
            return error_set(err, MAPCORE_EPARSE, "%s: not understood", spec);
    }
    if (!all) {
        printf("sub\n%u", mapcore_alloc_nhosts(alloc));
        for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
            printf("\t%u", mapcore_alloc_host(alloc, h));
        putchar('\n');
    }
    if (is_tree)
        printf("tleaf %u", n);
    else if (n == 2 || n == 3)
        printf("%s%uD", *spec == 'm' ? "mesh" : "torus", n);
    else
        printf("%sXD %u", *spec == 'm' ? "mesh" : "torus", n);
    for (uint32_t i = 0; i < n; i++)
        printf(is_tree ? " %u 2" : " %u", numbers[i]);
    putchar('\n');
    return 0;
}

/* What moving a task to a host adds to the hop-bytes. */
static int64_t added(const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     uint32_t task,
                     uint32_t to)
{
    const uint32_t *tasks;
    const uint64_t *bytes;
    size_t n = mapcore_graph_neighbours(graph, task, &tasks, &bytes);
    int64_t sum = 0;

    for (size_t i = 0; i < n; i++) {
        uint32_t other = host[tasks[i]];

        sum += (int64_t)bytes[i] *
               ((int64_t)mapcore_alloc_distance(alloc, to, other) -
                (int64_t)mapcore_alloc_distance(alloc, host[task], other));
    }
    return sum;
}

/* Tasks of overfull hosts, by host, go where there is room: each time the task
 * and the host that add the fewest hop-bytes. */
static int repair(const struct mapcore_graph *graph,
                  const struct mapcore_alloc *alloc,
                  uint32_t *host,
                  struct mapcore_error *err)
{
    uint32_t ntasks = mapcore_graph_ntasks(graph);
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *count = array_alloc(nhosts, sizeof(*count), err);

    if (!count)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < ntasks; t++)
        count[host[t]]++;
    for (uint32_t h = 0; h < nhosts; h++)
        while (count[h] > mapcore_alloc_slots(alloc, h)) {
            int64_t least = INT64_MAX;
            uint32_t task = MAPCORE_NONE, to = MAPCORE_NONE;

            for (uint32_t t = 0; t < ntasks; t++)
                for (uint32_t g = 0; host[t] == h && g < nhosts; g++) {
                    if (count[g] >= mapcore_alloc_slots(alloc, g))
                        continue;
                    int64_t cost = added(graph, alloc, host, t, g);

                    if (cost < least) {
                        least = cost;
                        task = t;
                        to = g;
                    }
                }
            host[task] = to;
            count[h]--;
            count[to]++;
        }
    free(count);
    return 0;
}

/* fit GRAPH SPEC HOSTS|- SLOTS PARTS [PLACES]: a mapping of ours from theirs:
 * PARTS is the host of every task, or its part, whose host PLACES has. */
static int print_fit(const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const char *parts,
                     const char *places,
                     struct mapcore_error *err)
{
    uint32_t n = mapcore_graph_ntasks(graph);
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint32_t *host = NULL, *place = NULL;
    struct mapcore_mapping *mapping = NULL;
    int error = read_parts(&host, n, parts, err);

    if (error == 0 && places)
        error = read_parts(&place, nhosts, places, err);
    for (uint32_t t = 0; error == 0 && t < n; t++) {
        if (host[t] < nhosts && place)
            host[t] = place[host[t]];
        if (host[t] >= nhosts)
            error = error_set(err, MAPCORE_EPARSE, "%s: a host beyond %u",
                              parts, nhosts);
    }
    if (error == 0 && n > mapcore_alloc_nslots(alloc))
        error = error_set(err, MAPCORE_EINVAL, "more tasks than slots");
    if (error == 0)
        error = repair(graph, alloc, host, err);
    if (error == 0)
        error = mapcore_mapping_create(&mapping, alloc, n, host, NULL, err);
    if (error == 0)
        error = mapcore_mapping_write(mapping, stdout, err);
    mapcore_mapping_destroy(mapping);
    free(place);
    free(host);
    return error;
}

static int usage(void)
{
    fputs("usage: mapaid scotch GRAPH [SEED]\n"
          "       mapaid metis GRAPH\n"
          "       mapaid target SPEC HOSTS|-\n"
          "       mapaid quotient GRAPH PARTS NPARTS\n"
          "       mapaid fit GRAPH SPEC HOSTS|- SLOTS PARTS [PLACES]\n",
          stderr);
    return 2;
}

/* What the arguments name, opened; slots are argument 4 of fit. */
struct opened {
    struct mapcore_graph *graph;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
};

static int run(struct opened *opened, char **argv, struct mapcore_error *err)
{
    bool is_fit = strcmp(*argv, "fit") == 0;
    bool is_target = strcmp(*argv, "target") == 0;
    const char *last;
    uint64_t number = 1;
    int error = 0;

    if (!is_target)
        error = mapcore_graph_read(&opened->graph, argv[1], &metis, err);
    if (error == 0 && (is_fit || is_target)) {
        char **network = argv + (is_fit ? 2 : 1);

        if (is_fit && !text_parse_u64(network[2], &number))
            return error_set(err, MAPCORE_EINVAL, "%s: no count", network[2]);
        error = mapcore_topo_open(&opened->topo, network[0], err);
        if (error == 0)
            error = open_alloc(&opened->alloc, opened->topo, network[1],
                               (uint32_t)number, err);
        if (error == 0 && is_target)
            return print_target(opened->alloc, network[0],
                                strcmp(network[1], "-") == 0, err);
        if (error == 0)
            return print_fit(opened->graph, opened->alloc, argv[5], argv[6],
                             err);
    }
    if (error < 0)
        return error;
    if (strcmp(*argv, "metis") == 0)
        return print_metis(opened->graph);
    number = 0;
    last = argv[strcmp(*argv, "scotch") == 0 ? 2 : 3];
    if (last && (!text_parse_u64(last, &number) || number > UINT32_MAX))
        return error_set(err, MAPCORE_EINVAL, "%s: no count", last);
    if (strcmp(*argv, "scotch") == 0)
        return print_scotch(opened->graph, number, err);
    return print_quotient(opened->graph, argv[2], (uint32_t)number, err);
}

int main(int argc, char **argv)
{
    static const struct {
        const char *name;
        int least, most;
    } forms[] = {{"scotch", 1, 2},
                 {"metis", 1, 1},
                 {"target", 2, 2},
                 {"quotient", 3, 3},
                 {"fit", 5, 6}};
    struct mapcore_error err = {""};
    struct opened opened = {0};
    int error = 1;

    for (size_t i = 0; argc > 1 && i < sizeof(forms) / sizeof(*forms); i++)
        if (strcmp(argv[1], forms[i].name) == 0 && argc - 2 >= forms[i].least &&
            argc - 2 <= forms[i].most)
            error = run(&opened, argv + 1, &err);
    if (error > 0)
        return usage();
    mapcore_alloc_destroy(opened.alloc);
    mapcore_topo_destroy(opened.topo);
    mapcore_graph_destroy(opened.graph);
    if (error == 0 && fflush(stdout) == 0)
        return 0;
    fprintf(stderr, "mapaid: %s\n", err.text);
    return 1;
}
