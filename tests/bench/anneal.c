/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* anneal.c - the slowest link made less by plain annealing, for comparison: the
 * least that a search for time may come to in the same CPU seconds */

/* anneal GRAPH NETWORK SLOTS HOST,... SECONDS SEED writes "host slot" a task to
 * stdout. Eight times, from places at random, two tasks (or a task and a free
 * slot) change places by the rule of Metropolis; the energy is the sum over
 * directed links of time^10, looked at as a whole for each proposal; the least
 * maximum seen is what counts. Shares no code with the searches. */
#include "config.h"

#include "graph/csr.h"
#include "graph/file/file.h"
#include "topo/topo.h"
#include "topo/walk.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STARTS = 8, LOOK_EVERY = 64 };

static struct {
    uint32_t nhosts, nplaces, nlinks, ntasks;
    uint32_t *host;           /* [nhosts] topology numbers */
    uint32_t **route, *whole; /* [nhosts * nhosts], length first */
    double *inverse;          /* [nlinks] 1 / capacity */
    double *load, *before;    /* [nlinks] bytes */
    uint32_t *at;             /* [nplaces] place of a task, or of a gap */
    uint32_t slots;
} s;

static uint64_t state = 88172645463325252u;

static double uniform(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static double cpu(void)
{
    struct timespec time;

    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void *array(size_t n, size_t size)
{
    void *p = calloc(n + 1, size);

    if (!p)
        exit(1);
    return p;
}

static void find_routes(const struct mapcore_topo *topo)
{
    const uint32_t directions = mapcore_topo_link_directions(topo);
    uint32_t *links = array(2 * (size_t)mapcore_topo_diameter(topo), 4);

    s.nlinks = mapcore_topo_nlinks(topo) * directions;
    s.inverse = array(s.nlinks, sizeof(double));
    s.load = array(s.nlinks, sizeof(double));
    s.before = array(s.nlinks, sizeof(double));
    for (uint32_t l = 0; l < s.nlinks; l++)
        s.inverse[l] = 1 / mapcore_topo_link_capacity(topo, l / directions);
    s.route = array((size_t)s.nhosts * s.nhosts, sizeof(*s.route));
    s.whole = array((size_t)s.nhosts * s.nhosts, sizeof(*s.whole));
    for (uint32_t i = 0; i < s.nhosts * s.nhosts; i++) {
        uint32_t at = s.host[i / s.nhosts], n = 0, end[2];

        if (i / s.nhosts != i % s.nhosts)
            n = topo_split_route(topo, at, s.host[i % s.nhosts], links,
                                 &s.whole[i]);
        s.route[i] = array(n, sizeof(uint32_t));
        s.route[i][0] = n;
        for (uint32_t k = 0; k < n; k++) {
            uint32_t down = 0;

            if (directions == 2) {
                topo_link_ends(topo, links[k], end);
                down = end[0] != at;
                at = end[!down];
            }
            s.route[i][k + 1] = links[k] * directions + down;
        }
    }
    free(links);
}

static void add(uint32_t a, uint32_t b, double bytes)
{
    uint32_t pair[2] = {a * s.nhosts + b, b * s.nhosts + a};

    for (int i = 0; i < 2; i++)
        for (uint32_t k = 0; k < s.route[pair[i]][0]; k++)
            s.load[s.route[pair[i]][k + 1]] +=
                k < s.whole[pair[i]] ? bytes / 2 : bytes / 4;
}

/* Edges of task t, but those to task but. */
static void add_all(const struct mapcore_graph *graph,
                    uint32_t t,
                    uint32_t but,
                    double sign)
{
    if (t >= s.ntasks)
        return;
    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
        if (graph->task[k] != but)
            add(s.at[t] / s.slots, s.at[graph->task[k]] / s.slots,
                sign * (double)graph->bytes[k]);
}

/* scale: what a time of 1 is; *most: the maximum, not scaled. */
static double energy(double *most, double scale)
{
    double sum = 0;

    *most = 0;
    for (uint32_t l = 0; l < s.nlinks; l++) {
        double time = s.load[l] * s.inverse[l], x = time / scale, x2 = x * x;

        sum += x2 * x2 * x2 * x2 * x2;
        *most = time > *most ? time : *most;
    }
    return sum;
}

static void exchange(const struct mapcore_graph *graph, uint32_t a, uint32_t b)
{
    uint32_t place = s.at[a];

    add_all(graph, a, MAPCORE_NONE, -1);
    add_all(graph, b, a, -1);
    s.at[a] = s.at[b];
    s.at[b] = place;
    add_all(graph, a, MAPCORE_NONE, 1);
    add_all(graph, b, a, 1);
}

static void start(const struct mapcore_graph *graph)
{
    for (uint32_t i = 0; i < s.nplaces; i++)
        s.at[i] = i;
    for (uint32_t i = s.nplaces - 1; i > 0; i--) {
        uint32_t j = (uint32_t)(uniform() * (i + 1)), place = s.at[i];

        s.at[i] = s.at[j];
        s.at[j] = place;
    }
    memset(s.load, 0, s.nlinks * sizeof(*s.load));
    for (uint32_t t = 0; t < s.ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] > t)
                add(s.at[t] / s.slots, s.at[graph->task[k]] / s.slots,
                    (double)graph->bytes[k]);
}

static void run(uint32_t *best,
                double *least,
                const struct mapcore_graph *graph,
                double seconds)
{
    const double began = cpu();
    double scale, most, now, hot, spent = 0;

    start(graph);
    energy(&scale, 1);
    now = scale > 0 ? energy(&most, scale) : 0;
    hot = 0.1 * now;
    for (uint64_t i = 0; scale > 0 && spent < 1; i++) {
        uint32_t a = (uint32_t)(uniform() * s.ntasks);
        uint32_t b = (uint32_t)(uniform() * s.nplaces);
        double after;

        if (i % LOOK_EVERY == 0)
            spent = (cpu() - began) / seconds;
        if (s.at[a] / s.slots == s.at[b] / s.slots)
            continue;
        memcpy(s.before, s.load, s.nlinks * sizeof(*s.load));
        exchange(graph, a, b);
        after = energy(&most, scale);
        if (most < *least) {
            *least = most;
            memcpy(best, s.at, s.ntasks * sizeof(*best));
        }
        if (after <= now ||
            uniform() < exp((now - after) / (hot * pow(1e-5, spent)))) {
            now = after;
        } else {
            uint32_t place = s.at[a];

            s.at[a] = s.at[b];
            s.at[b] = place;
            memcpy(s.load, s.before, s.nlinks * sizeof(*s.load));
        }
    }
}

int main(int argc, char **argv)
{
    struct mapcore_error err = {""};
    struct mapcore_graph *graph = NULL;
    struct mapcore_topo *topo = NULL;
    struct mapcore_graph_reading how = {.format = MAPCORE_GRAPH_ANY};
    double least = INFINITY;
    uint32_t *best;

    if (argc != 7) {
        fputs("usage: anneal GRAPH NETWORK SLOTS HOST,... SECONDS SEED\n",
              stderr);
        return 2;
    }
    if (mapcore_graph_read(&graph, argv[1], &how, &err) < 0 ||
        mapcore_topo_open(&topo, argv[2], &err) < 0) {
        fprintf(stderr, "anneal: %s\n", err.text);
        return 1;
    }
    s.ntasks = graph->ntasks;
    s.slots = (uint32_t)atoi(argv[3]);
    s.host = array(strlen(argv[4]), sizeof(*s.host));
    for (char *word = strtok(argv[4], ","); word; word = strtok(NULL, ","))
        s.host[s.nhosts++] = (uint32_t)atoi(word);
    s.nplaces = s.nhosts * s.slots;
    s.at = array(s.nplaces, sizeof(*s.at));
    best = array(s.ntasks, sizeof(*best));
    state += strtoull(argv[6], NULL, 10) * 7919;
    find_routes(topo);
    for (int i = 0; i < STARTS; i++)
        run(best, &least, graph, atof(argv[5]) / STARTS);
    for (uint32_t t = 0; t < s.ntasks; t++)
        printf("%u %u\n", best[t] / s.slots, best[t] % s.slots);
    return 0;
}
