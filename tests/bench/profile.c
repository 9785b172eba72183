/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile.c - what filing a large profile, by the recorder's own code, and
 * reading it back costs: 65,536 tasks with 8 neighbours each, in a catalogue in
 * the folder given; prints, judges nothing */
#include "config.h"

#include "base/array.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/commprof/write/write.h"
#include "profiles/taskgraphs.h"

#include <stdlib.h>
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
    qsort(seconds, RUNS, sizeof(*seconds), compare);
    printf("%-34s median %6.3f s, least %6.3f s\n", what, seconds[RUNS / 2],
           seconds[0]);
}

static int by_message(const void *a, const void *b)
{
    return message_compare(a, b);
}

/* What rank 0 has gathered in MPI_Finalize: each task has sent 1,000 messages
 * to each of the 8 around it. */
static int make_messages(struct gathered *out, struct mapcore_error *err)
{
    static const uint32_t step[8][2] = {
        {1, 0},        {0, 1},        {1, 1},        {SIDE - 1, 1},
        {SIDE - 1, 0}, {0, SIDE - 1}, {1, SIDE - 1}, {SIDE - 1, SIDE - 1}};
    const size_t most = (size_t)SIDE * SIDE * 8;
    struct message *message = array_alloc(most, sizeof(*message), err);
    struct call_stats *stats = array_alloc(1, sizeof(*stats), err);
    size_t n = 0;

    out->messages.message = message;
    out->stats = stats;
    if (!message || !stats)
        return MAPCORE_ENOMEM;
    for (uint32_t y = 0; y < SIDE; y++)
        for (uint32_t x = 0; x < SIDE; x++)
            for (int i = 0; i < 8; i++) {
                const uint64_t bytes = 1000 * (uint64_t)(16384 + 61 * x + y);
                message[n++] =
                    (struct message){.from = y * SIDE + x,
                                     .to = (y + step[i][1]) % SIDE * SIDE +
                                           (x + step[i][0]) % SIDE,
                                     .type = TYPE_P2P,
                                     .size_class = 15,
                                     .count = 1000,
                                     .bytes = bytes};
                stats->bytes += bytes;
            }
    qsort(message, n, sizeof(*message), by_message);
    out->messages.n = n;
    out->nstats = 1;
    stats->calls = 2000 * n;
    stats->paired = stats->bytes;
    stats->ns = 1000000000;
    out->hosts = 1024;
    return 0;
}

/* As the recorder does it. */
static int write_files(const struct gathered *all,
                       const char *folder,
                       struct mapcore_error *err)
{
    const struct subject subject = {.program = "app",
                                    .path = "/usr/bin/app",
                                    .identity = "bench",
                                    .job = "1.0",
                                    .user = "user",
                                    .mpi = "MPI",
                                    .time = 1000000000,
                                    .elapsed_ns = 1000000000,
                                    .ntasks = SIDE * SIDE,
                                    .large_ppm = 500000};

    return write_profile(folder, all, &subject, err);
}

static int read_back(const char *root, struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    struct taskgraphs graphs = {0};
    const struct catalogue_query query = {&root, 1, true, "app", "bench"};
    int error = catalogue_find(&entry, &query, SIDE * SIDE, err);

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
                   const struct gathered *all,
                   const char *root,
                   struct mapcore_error *err)
{
    double begin = now(), written;
    char *folder = NULL;
    int error =
        catalogue_begin(&folder, root, "app", "bench", SIDE * SIDE, err);

    if (error == 0)
        error = write_files(all, folder, err);
    written = now();
    if (error == 0)
        error = catalogue_commit(NULL, folder, 1000000000 + run, "bench", NULL,
                                 err);
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
    struct gathered all = {.status = GATHER_OK};
    struct mapcore_error err;
    struct times times;
    int error;

    if (argc != 2) {
        fprintf(stderr, "usage: profile FOLDER\n");
        return 2;
    }
    error = make_messages(&all, &err);
    for (int run = 0; error == 0 && run < RUNS; run++)
        error = measure(&times, run, &all, argv[1], &err);
    if (error < 0) {
        fprintf(stderr, "profile: %s\n", err.text);
        return 1;
    }
    printf("profile of %u tasks, %zu pairs, %zu messages' rows\n",
           (unsigned)(SIDE * SIDE), all.messages.n / 2, all.messages.n);
    print_times("written", times.write);
    print_times("written, synced, made current", times.commit);
    print_times("found and read back", times.read);
    gathered_clear(&all);
    return 0;
}
