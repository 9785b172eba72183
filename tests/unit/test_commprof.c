/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_commprof.c - the recorder's parts that need no MPI: what tasks counted
 * is added up, written, and read back as graphs; collectives are expanded */
#include "config.h"

#include "graph/file/file.h"
#include "profiles/commprof/write/write.h"
#include "profiles/expand.h"

#include "scratch.h"

#include <time.h>

static struct message message(uint16_t type,
                              uint32_t from,
                              uint32_t to,
                              uint16_t size_class,
                              uint64_t count,
                              uint64_t bytes)
{
    return (struct message){.from = from,
                            .to = to,
                            .type = type,
                            .size_class = size_class,
                            .count = count,
                            .bytes = bytes};
}

static void merges_add_up_what_is_equal(void **state)
{
    struct message one[] = {message(0, 1, 2, 3, 1, 5),
                            message(0, 0, 1, 1, 2, 2),
                            message(0, 1, 2, 3, 1, 7)};
    struct message other[] = {message(0, 0, 1, 2, 1, 3),
                              message(0, 1, 2, 3, UINT64_MAX, UINT64_MAX),
                              message(1, 0, 1, 1, 1, 1)};
    struct messages messages = {0};

    messages.message = malloc(sizeof(one));
    assert_non_null(messages.message);
    memcpy(messages.message, one, sizeof(one));
    messages.n = 3;
    messages_sort(&messages);
    assert_int_equal(messages.n, 2);
    assert_ok(messages_merge(&messages, other, 3));
    assert_int_equal(messages.n, 4);
    assert_int_equal(messages.message[0].size_class, 1);
    assert_int_equal(messages.message[1].size_class, 2);
    assert_true(messages.message[2].bytes == UINT64_MAX); /* 12 + the rest */
    assert_int_equal(messages.message[3].type, 1);
    messages_clear(&messages);
}

static void writes_both_directions_as_one_edge(void **state)
{
    struct scratch *scratch = *state;
    struct message all[] = {
        message(0, 0, 1, 0, 9, 0), message(0, 0, 2, 3, 1, 5),
        message(0, 0, 2, 4, 1, 8), message(0, 2, 0, 1, 1, 1),
        message(0, 2, 1, 0, 1, 0), message(0, 2, 3, 6, 1, 40),
    };
    const struct gathered gathered = {.messages = {all, 6}};
    const struct profile_part part = {scratch->root, &gathered, 4, PHASES_ALL,
                                      false};
    uint16_t stages[NTYPES];
    struct mapcore_error err;
    char text[256] = "";

    assert_ok(profile_part_write(stages, &part, &err));
    FILE *file = fopen(at(scratch, "p2p.graph"), "r");
    assert_non_null(file);
    assert_true(fread(text, 1, sizeof(text) - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, "4 2 001\n3 14\n\n1 14 4 40\n3 40\n");
}

static double since(const struct timespec *began)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - began->tv_sec) +
           1e-9 * (double)(now.tv_nsec - began->tv_nsec);
}

/* 65,536 tasks on a ring, each with 8 neighbours: it is printed how long it
 * takes, for that depends on the machine. */
static void writes_and_reads_large_profiles(void **state)
{
    enum { NTASKS = 65536, NEAR = 8 };
    struct scratch *scratch = *state;
    struct gathered gathered = {.messages = {.n = (size_t)NTASKS * NEAR}};
    struct messages *all = &gathered.messages;
    const struct profile_part part = {scratch->root, &gathered, NTASKS,
                                      PHASES_ALL, false};
    uint16_t stages[NTYPES];
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;
    struct timespec began;

    all->message = calloc(all->n, sizeof(*all->message));
    assert_non_null(all->message);
    for (uint32_t a = 0; a < NTASKS; a++)
        for (uint32_t k = 0; k < NEAR; k++)
            all->message[a * NEAR + k] =
                message(0, a, (a + (k < 4 ? k + 1 : NTASKS - k + 3)) % NTASKS,
                        17, 100, 100 * 65536);
    messages_sort(all);
    clock_gettime(CLOCK_MONOTONIC, &began);
    assert_ok(profile_part_write(stages, &part, &err));
    print_message("# written in %.3f s\n", since(&began));
    clock_gettime(CLOCK_MONOTONIC, &began);
    if (mapcore_graph_read(&graph, at(scratch, "p2p.graph"), NULL, &err) < 0)
        fail_msg("%s", err.text);
    print_message("# read back in %.3f s\n", since(&began));
    assert_int_equal(mapcore_graph_nedges(graph), NTASKS * 4);
    assert_true(mapcore_graph_bytes(graph) ==
                (uint64_t)NTASKS * NEAR * 100 * 65536);
    mapcore_graph_destroy(graph);
    messages_clear(all);
}

/* ---- expansions */

static int expand(struct mapcore_graph **out,
                  const struct scratch *scratch,
                  uint32_t ntasks,
                  char *mpi,
                  const char *text,
                  const char *name,
                  struct mapcore_error *err)
{
    char program[] = "app";
    const struct profile profile = {
        .ntasks = ntasks, .program = program, .mpi = mpi};

    put_text(at(scratch, "collectives"), text);
    return expand_named(out, &profile, scratch->root, name, err);
}

/* edges: "a-b:bytes ..." of the graph, in order. */
static void expect_edges_of(const struct scratch *scratch,
                            uint32_t ntasks,
                            char *mpi,
                            const char *text,
                            const char *name,
                            const char *edges)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err;
    char found[1024] = "";
    size_t n = 0;

    if (expand(&graph, scratch, ntasks, mpi, text, name, &err) < 0)
        fail_msg("%s: %s", name, err.text);
    for (uint32_t a = 0; a < ntasks; a++) {
        const uint32_t *tasks;
        const uint64_t *bytes;
        const size_t degree =
            mapcore_graph_neighbours(graph, a, &tasks, &bytes);
        for (size_t i = 0; i < degree; i++)
            if (tasks[i] > a)
                n += (size_t)snprintf(found + n, sizeof(found) - n,
                                      "%s%u-%u:%llu", n ? " " : "", a, tasks[i],
                                      (unsigned long long)bytes[i]);
    }
    assert_string_equal(found, edges);
    mapcore_graph_destroy(graph);
}

static void expect_edges(const struct scratch *scratch,
                         uint32_t ntasks,
                         const char *text,
                         const char *name,
                         const char *edges)
{
    expect_edges_of(scratch, ntasks, NULL, text, name, edges);
}

static void expands_by_type(void **state)
{
    const struct scratch *scratch = *state;
    static const char some[] = "# collectives 1\n"
                               "communicator 0 5 all\n"
                               "gather 0 3 2 7\n"
                               "scan 0 0 1 2\n"
                               "communicator 1 4 4 2 1 0\n"
                               "bcast 1 1 10 100\n"
                               "allreduce 1 0 1 8\n"
                               "alltoall 1 0 1 3\n"
                               "communicator 2 3 0 1 2\n"
                               "allreduce 2 0 1 1\n";

    expect_edges(scratch, 5, some, "bcast:direct", "0-2:100 1-2:100 2-4:100");
    /* Relative ranks 0 1 2 3 are tasks 2 1 0 4. */
    expect_edges(scratch, 5, some, "bcast:tree", "0-2:100 0-4:100 1-2:100");
    expect_edges(scratch, 5, some, "gather:direct", "0-3:7 1-3:7 2-3:7 3-4:7");
    /* 0 1 2 3 4 are 3 4 0 1 2: 2 brings two blocks, 4 one. */
    expect_edges(scratch, 5, some, "gather:tree", "0-1:7 0-3:14 2-3:7 3-4:7");
    expect_edges(scratch, 5, some, "scan:tree",
                 "0-1:2 0-2:2 0-4:2 1-2:2 1-3:2 2-3:2 2-4:2 3-4:2");
    /* Doubling over 4 (both ways of each pair) and dissemination over 3. */
    expect_edges(scratch, 5, some, "allreduce:direct",
                 "0-1:18 0-2:18 1-2:2 1-4:16 2-4:16");
    expect_edges(scratch, 5, some, "alltoall:direct",
                 "0-1:6 0-2:6 0-4:6 1-2:6 1-4:6 2-4:6");
}

/* Drawn by hand from the papers' figures: a binomial tree, its scatter and the
 * ring behind it, recursive doubling and halving, Bruck's allgather, a
 * pipeline, Open MPI's binary tree. */
static void collectives_as_the_library_runs_them(void **state)
{
    static const struct {
        const char *mpi, *line, *name, *edges;
    } cases[] = {
        /* 1,000 bytes from task 1: relative ranks 0-1 0-2 0-4 2-3 ... */
        {"MPICH Version: 4.0.2", "bcast 0 1 10 10000", "bcast:library",
         "0-7:10000 1-2:10000 1-3:10000 1-5:10000 3-4:10000 "
         "5-6:10000 5-7:10000"},
        /* 80,000 bytes in blocks of 10,000: scattered, then by doubling. */
        {"MPICH Version: 4.0.2", "bcast 0 0 1 80000", "bcast:library",
         "0-1:30000 0-2:60000 0-4:120000 1-3:40000 1-5:80000 2-3:30000 "
         "2-6:80000 3-7:80000 4-5:30000 4-6:60000 5-7:40000 6-7:30000"},
        /* 800,000 bytes: scattered, then 7 blocks around the ring. */
        {NULL, "bcast 0 0 1 800000", "bcast:library",
         "0-1:800000 0-2:200000 0-4:400000 0-7:700000 1-2:700000 2-3:800000 "
         "3-4:700000 4-5:800000 4-6:200000 5-6:700000 6-7:800000"},
        /* A vector both ways at each distance. */
        {NULL, "allreduce 1 0 2 16", "allreduce:library",
         "0-1:32 0-2:32 1-3:32 2-3:32"},
        /* Halves at distance 1, quarters at 2, there and back. */
        {NULL, "allreduce 1 0 1 8000", "allreduce:library",
         "0-1:16000 0-2:8000 1-3:8000 2-3:16000"},
        /* The first leaves its vector with the second, and gets the result. */
        {NULL, "allreduce 2 0 1 8", "allreduce:library", "0-2:16 2-4:16"},
        /* The same halves once, then the parts to the root. */
        {NULL, "reduce 1 0 1 8000", "reduce:library",
         "0-1:12000 0-2:6000 1-3:6000 2-3:8000"},
        /* Bruck's on 3 tasks: a block to the one before, then the third. */
        {NULL, "allgather 2 0 1 100", "allgather:library",
         "0-2:200 0-4:200 2-4:200"},
        {NULL, "allgather 1 0 1 200000", "allgather:library",
         "0-1:600000 0-3:600000 1-2:600000 2-3:600000"},
        {"Open MPI v4.0.7", "bcast 1 0 1 400000", "bcast:library",
         "0-1:400000 1-2:400000 2-3:400000"},
        {"Open MPI v4.0.7", "reduce 0 0 1 1024", "reduce:library",
         "0-1:1024 0-2:1024 1-3:1024 1-5:1024 2-4:1024 2-6:1024 3-7:1024"},
        {"Open MPI v4.0.7", "allreduce 1 0 1 40000", "allreduce:library",
         "0-1:60000 0-3:60000 1-2:60000 2-3:60000"},
        /* Halves down the tree, exchanged beside it. */
        {"Open MPI v4.0.7", "bcast 1 0 1 4000", "bcast:library",
         "0-1:2000 0-2:2000 0-3:2000 1-2:4000 1-3:2000"},
        {"Open MPI v4.0.7", "gather 1 2 1 9000", "gather:library",
         "0-2:9000 1-2:9000 2-3:9000"},
    };
    static const char communicators[] = "communicator 0 8 all\n"
                                        "communicator 1 4 0 1 2 3\n"
                                        "communicator 2 3 0 2 4\n";
    const struct scratch *scratch = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        char text[256], mpi[64] = "";

        snprintf(text, sizeof(text), "%s%s\n", communicators, cases[i].line);
        snprintf(mpi, sizeof(mpi), "%s", cases[i].mpi ? cases[i].mpi : "");
        expect_edges_of(scratch, 8, mpi[0] != '\0' ? mpi : NULL, text,
                        cases[i].name, cases[i].edges);
    }
}

static void refuses_bad_collectives(void **state)
{
    static const struct {
        const char *text, *says;
    } bad[] = {
        {"communicator 1 2 0 1\n", ":1: not the next"},
        {"communicator 0 1000000000 all\n", ":1: not the next"},
        {"communicator 0 2 all\n", ":1: all tasks are 4"},
        {"communicator 0 2 0 4\n", ":1: 2 tasks below 4"},
        {"communicator 0 2 0\n", ":1: 2 tasks below 4"},
        {"communicator 0 2 0 1 2\n", ":1: more than 2"},
        {"communicator 0 2 0 1\nbcast 1 0 1 1\n", ":2: there is no such"},
        {"communicator 0 2 0 1\nbcast 0 2 1 1\n", ":2: the root"},
        {"communicator 0 2 0 1\nbcast 0 0 1 -1\n", ":2: expected"},
        {"communicator 0 2 0 1\nbcast 0 0 1 99999999999999999999\n",
         ":2: expected"},
        {"communicator 0 2 0 1\nbcast 0 0 1\n", ":2: expected"},
        {"communicator 0 2 0 1\nreduce 0 0 1 1\n", "no collectives"},
        {"", "no collectives"},
        {"communicator 0 2 0 1\nbcast 0 0 1 18446744073709551615\n", ""},
    };
    struct scratch *scratch = *state;

    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        struct mapcore_graph *graph = NULL;
        struct mapcore_error err = {0};

        assert_true(expand(&graph, scratch, 4, NULL, bad[i].text, "bcast:tree",
                           &err) < 0);
        assert_null(graph);
        if (!strstr(err.text, bad[i].says))
            fail_msg("%s: %s", bad[i].text, err.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(merges_add_up_what_is_equal),
        ON_DISK(writes_both_directions_as_one_edge),
        ON_DISK(writes_and_reads_large_profiles),
        ON_DISK(expands_by_type),
        ON_DISK(collectives_as_the_library_runs_them),
        ON_DISK(refuses_bad_collectives),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
