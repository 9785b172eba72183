/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.c - what filing and reading a large profile costs: 65,536 tasks with
 * 8 neighbours each, in a catalogue in the folder given; prints, judges nothing
 */
#include "config.h"

#include "base/array.h"
#include "profiles/catalogue.h"
#include "profiles/taskgraphs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    SIDE = 256, /* SIDE x SIDE tasks on a torus, each with the 8 around it */
    RUNS = 5,
};

struct times {
    double write[RUNS], commit[RUNS], read[RUNS];
};

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    const double *x = a, *y = b;

    return (*x > *y) - (*x < *y);
}

static void print_times(const char *what, double *seconds)
{
    qsort(seconds, RUNS, sizeof *seconds, compare);
    printf("%-34s median %6.3f s, least %6.3f s\n", what, seconds[RUNS / 2],
           seconds[0]);
}

static int make_graph(struct mapcore_graph **out, struct mapcore_error *err)
{
    static const uint32_t step[4][2] = {{1, 0}, {0, 1}, {1, 1}, {SIDE - 1, 1}};
    size_t nedges = (size_t)SIDE * SIDE * 4, n = 0;
    struct mapcore_edge *edges = array_alloc(nedges, sizeof *edges, err);
    int error;

    if (edges == NULL)
        return MAPCORE_ENOMEM;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            for (int i = 0; i < 4; i++)
                edges[n++] = (struct mapcore_edge){
                    y * SIDE + x,
                    (y + step[i][1]) % SIDE * SIDE + (x + step[i][0]) % SIDE,
                    1000000 + x * 997 + y};
    error = mapcore_graph_create(out, SIDE * SIDE, edges, n, err);
    free(edges);
    return error;
}

static int write_files(const struct mapcore_graph *graph,
                       const char *folder,
                       struct mapcore_error *err)
{
    char app[] = "app", identity[] = "bench", when[] = "2026-11-21T02:30:00Z";
    char p2p[] = "p2p", file[] = "p2p.graph", path[4096];
    struct profile_type type = {.name = p2p,
                                .calls = 1,
                                .bytes = mapcore_graph_bytes(graph),
                                .seconds = 1,
                                .graph = file};
    const struct profile profile = {.ntasks = mapcore_graph_ntasks(graph),
                                    .program = app,
                                    .identity = identity,
                                    .recorded = when,
                                    .ntypes = 1,
                                    .types = &type};
    FILE *stream;
    int error;

    snprintf(path, sizeof path, "%s/p2p.graph", folder);
    stream = fopen(path, "we");
    if (stream == NULL)
        return error_set(err, MAPCORE_EIO, "%.400s: %s", path, strerror(errno));
    error = mapcore_graph_write_metis(graph, stream, err);
    fclose(stream);
    return error < 0 ? error : profile_write(&profile, folder, err);
}

static int read_back(const char *root, struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    struct taskgraphs graphs = {0};
    int error = catalogue_find(&entry, &root, 1, true, "app", "bench",
                               SIDE * SIDE, err);

    if (error == 0 && (error = profile_read(&profile, entry.path, err)) == 0 &&
        (error = taskgraphs_select(&graphs, profile, MAPCORE_CRITICAL_SHARE,
                                   err)) == 0)
        error =
            taskgraphs_make(&graph, &graphs, entry.path, "weighted-sum", err);
    taskgraphs_clear(&graphs);
    mapcore_graph_destroy(graph);
    profile_destroy(profile);
    catalogue_entry_clear(&entry);
    return error;
}

static int measure(struct times *times,
                   int run,
                   const struct mapcore_graph *graph,
                   const char *root,
                   struct mapcore_error *err)
{
    double begin = now(), written;
    char *folder = NULL;
    int error =
        catalogue_begin(&folder, root, "app", "bench", SIDE * SIDE, err);

    if (error == 0)
        error = write_files(graph, folder, err);
    written = now();
    if (error == 0)
        error = catalogue_commit(NULL, folder, 1000000000 + run, "bench", err);
    times->write[run] = written - begin;
    times->commit[run] = now() - begin;
    free(folder);
    begin = now();
    if (error == 0)
        error = read_back(root, err);
    times->read[run] = now() - begin;
    return error;
}

int main(int argc, char **argv)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;
    struct times times;
    int error;

    if (argc != 2) {
        fprintf(stderr, "usage: profile FOLDER\n");
        return 2;
    }
    error = make_graph(&graph, &err);
    for (int run = 0; error == 0 && run < RUNS; run++)
        error = measure(&times, run, graph, argv[1], &err);
    if (error < 0) {
        fprintf(stderr, "profile: %s\n", err.text);
        return 1;
    }
    printf("profile of %u tasks, %zu pairs\n", mapcore_graph_ntasks(graph),
           mapcore_graph_nedges(graph));
    print_times("written", times.write);
    print_times("written, synced, made current", times.commit);
    print_times("found and read back", times.read);
    mapcore_graph_destroy(graph);
    return 0;
}
