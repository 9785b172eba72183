/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_by_node.c - collectives that go from node to node: what is sent under a
 * mapping, and how long that takes, by hand */
#include "config.h"

#include "mapfixture.h"

#include "base/buffer.h"
#include "map/constrain/units.h"
#include "metric/workload.h"
#include "profiles/collectives/by_node.h"
#include "profiles/expand.h"
#include "profiles/type_stages.h"

#include <unistd.h>

enum { MOST = 32 };

struct sent {
    uint32_t stage;
    uint64_t from, to, bytes;
};

struct told {
    struct sent sent[MOST];
    size_t n;
};

static void add(struct told *told,
                const struct algorithm_flow *flow,
                uint64_t from,
                uint64_t to,
                uint64_t bytes)
{
    assert_true(told->n < MOST);
    told->sent[told->n++] = (struct sent){flow->stage, from, to, bytes};
}

static int keep(void *arg, const struct algorithm_flow *flow)
{
    const bool both = flow->way == ALGORITHM_BOTH;
    const uint64_t bytes = both ? flow->bytes / 2 : flow->bytes;

    if (flow->way != ALGORITHM_BACK)
        add(arg, flow, flow->a, flow->b, bytes);
    if (flow->way != ALGORITHM_FORTH)
        add(arg, flow, flow->b, flow->a, bytes);
    return 0;
}

static int by_stage(const void *a, const void *b)
{
    const struct sent *x = a, *y = b;

    return x->stage != y->stage ? (x->stage > y->stage) - (x->stage < y->stage)
           : x->from != y->from ? (x->from > y->from) - (x->from < y->from)
                                : (x->to > y->to) - (x->to < y->to);
}

static struct told told_of(const struct algorithm_call *call, const char *nodes)
{
    struct told told = {.n = 0};
    struct mapcore_error err = {""};
    uint32_t node[8];

    for (uint32_t r = 0; nodes && r < call->n; r++)
        node[r] = (uint32_t)(nodes[r] - '0');

    assert_int_equal(nodes ? by_node_expand(call, node, 9, keep, &told, &err)
                           : algorithm_expand(call, keep, &told),
                     0);
    qsort(told.sent, told.n, sizeof(*told.sent), by_stage);
    return told;
}

struct row {
    const char *type;
    enum algorithm_library library;
    uint64_t n, root, bytes;
    const char *node; /* of each rank, a digit */
    const char *sent; /* WHERE STAGE FROM>TO:BYTES; by stage, from, to */
};

static struct algorithm_call call_of(const struct row *row)
{
    return (struct algorithm_call){.type = row->type,
                                   .library = row->library,
                                   .n = row->n,
                                   .root = row->root,
                                   .in_stages = true,
                                   .calls = 1,
                                   .bytes = row->bytes};
}

#define AMONG ALGORITHM_MOST_STAGES

/* Inside nodes, among leaders, inside nodes again. */
static void as_libraries_do(void **state)
{
    static const char *const where[] = {"in", "among", "after"};
    static const struct row rows[] = {
        /* To the leader, among leaders 0, 2 and 5, inside nodes. */
        {"bcast", ALGORITHM_MPICH, 6, 1, 100, "331112",
         "in 0 1>0:100; among 0 0>2:100; among 0 0>5:100; "
         "after 0 0>1:100; after 0 2>3:100; after 0 2>4:100"},
        /* From 12 KiB on: inside the root's node, which is done then. */
        {"bcast", ALGORITHM_MPICH, 8, 1, 16384, "00011111",
         "in 0 1>0:16384; in 0 1>2:16384; among 0 0>3:16384; "
         "after 0 3>4:16384; after 0 3>5:16384; after 0 3>7:16384; "
         "after 1 5>6:16384"},
        /* To leaders, halves among these to the first, and to the root. */
        {"reduce", ALGORITHM_MPICH, 4, 3, 4096, "0101",
         "in 0 2>0:4096; in 0 3>1:4096; among 1 0>1:2048; "
         "among 1 1>0:2048; among 4 1>0:2048; after 0 0>3:4096"},
        /* Up to 2 KiB the root's node comes last. */
        {"reduce", ALGORITHM_MPICH, 4, 3, 1024, "0101",
         "in 0 2>0:1024; among 0 0>1:1024; after 0 1>3:1024"},
        {"allreduce", ALGORITHM_MPICH, 4, 0, 8, "0011",
         "in 0 1>0:8; in 0 3>2:8; among 1 0>2:8; among 1 2>0:8; "
         "after 0 0>1:8; after 0 2>3:8"},
        /* Two a node: by twos, wherever these are. */
        {"bcast", ALGORITHM_SMPI, 8, 0, 300000, "01230123",
         "among 0 0>4:300000; among 1 0>2:300000; among 1 4>6:300000; "
         "after 0 0>1:300000; after 0 2>3:300000; after 0 4>5:300000; "
         "after 0 6>7:300000"},
        /* A node each: a tree, also of what is long. */
        {"bcast", ALGORITHM_SMPI, 4, 2, 600000, "4567",
         "in 0 2>0:600000; among 0 0>2:600000; among 1 0>1:600000; "
         "among 1 2>3:600000"},
        /* Among leaders always by doubling. */
        {"allreduce", ALGORITHM_SMPI, 3, 0, 4096, "021",
         "among 0 0>1:4096; among 1 1>2:4096; among 1 2>1:4096; "
         "among 2 1>0:4096"},
        /* To leaders, among these to the root's, and to the root. */
        {"reduce", ALGORITHM_SMPI, 4, 2, 16, "0110",
         "in 0 2>1:16; in 0 3>0:16; among 0 0>1:16; after 0 1>2:16"},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct algorithm_call call = call_of(&rows[i]);
        const struct told told = told_of(&call, rows[i].node);

        char text[400] = "";

        for (size_t k = 0, at = 0; k < told.n; k++)
            at += (size_t)snprintf(
                text + at, sizeof(text) - at, "%s%s %u %lu>%lu:%lu",
                k > 0 ? "; " : "", where[told.sent[k].stage / AMONG],
                told.sent[k].stage % AMONG, (unsigned long)told.sent[k].from,
                (unsigned long)told.sent[k].to,
                (unsigned long)told.sent[k].bytes);
        assert_string_equal(text, rows[i].sent);
    }
}

/* Where no ranks share a node, or all do; what is long, of no power of two, or
 * on nodes that have not as many each; and other libraries. */
static void as_without_nodes(void **state)
{
    static const struct row rows[] = {
        {"bcast", ALGORITHM_MPICH, 4, 1, 100, "0123", NULL},
        {"reduce", ALGORITHM_MPICH, 4, 1, 4096, "5555", NULL},
        {"bcast", ALGORITHM_MPICH, 8, 3, 600000, "00112233", NULL},
        {"bcast", ALGORITHM_SMPI, 8, 0, 20000, "00011222", NULL},
        {"bcast", ALGORITHM_OPEN_MPI, 8, 0, 99, "00001111", NULL},
        {"allgather", ALGORITHM_MPICH, 4, 0, 100, "0011", NULL},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct algorithm_call call = call_of(&rows[i]);
        const struct told told = told_of(&call, rows[i].node);
        const struct told plain = told_of(&call, NULL);

        const uint32_t first =
            by_node_is(rows[i].type, rows[i].library) ? AMONG : 0;

        assert_int_equal(told.n, plain.n);
        for (size_t k = 0; k < plain.n; k++) {
            assert_int_equal(told.sent[k].stage, first + plain.sent[k].stage);
            assert_int_equal(told.sent[k].from, plain.sent[k].from);
            assert_int_equal(told.sent[k].to, plain.sent[k].to);
            assert_int_equal(told.sent[k].bytes, plain.sent[k].bytes);
        }
    }
}

/* A bcast of 100 bytes among 8 tasks, or what else a profile of n tasks has of
 * bcasts. */
struct recorded {
    struct mapcore_phases *phases;
    struct type_stages *stages;
    struct mapcore_work_type type;
};

static const char one_bcast[] = "communicator 0 8 all\nbcast 0 0 1 100\n";

static struct recorded record(const char *mpi, uint32_t n, const char *text)
{
    char program[] = "x", library[64], folder[] = "/tmp/test-by-node-XXXXXX";
    struct profile profile = {
        .ntasks = n, .large_share = 1, .program = program, .mpi = library};
    struct recorded out = {.phases = NULL};
    struct mapcore_graph *graph = NULL;
    struct mapcore_error err = {""};
    char path[64];
    FILE *file;

    snprintf(library, sizeof(library), "%s", mpi);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/collectives", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# collectives 1\n%s", text);
    assert_ok(fclose(file));
    assert_ok(expand_named(&graph, &profile, folder, "bcast:direct", &err));
    assert_ok(type_phases(
        &out.phases, &out.stages, &profile,
        &(struct expand_subject){folder, NULL, "bcast", graph, false}, &err));
    mapcore_graph_destroy(graph);
    unlink(path);
    rmdir(folder);
    out.type =
        (struct mapcore_work_type){.phases = out.phases,
                                   .scale = 1,
                                   .staging = type_stages_staging(out.stages)};
    return out;
}

static void forget(struct recorded *recorded)
{
    mapcore_phases_destroy(recorded->phases);
    type_stages_destroy(recorded->stages);
}

static double time_of(const struct mapcore_workload *work,
                      const struct machine *m,
                      const uint32_t *host)
{
    double out;

    assert_ok(mapcore_workload_cost(&out, work, m->alloc, host, NULL));
    return out;
}

/* On a ring of four, two tasks a host. By MPICH leader 0 sends 100 bytes half
 * each way round and 100 on one of these ways, and leader 2 then 100 on a way
 * of its own, however tasks are dealt: 150 and 100 in step, 150 at once. Of
 * ranks that do not look at nodes 0 and 4 are dealt to one host, and 2 and 6:
 * what 0 sends is as much as what 4 sends then, and 6 sends 100 at last: 400 in
 * step, 300 at once. */
static void mappings_have_stages(void **state)
{
    const uint32_t block[] = {0, 0, 1, 1, 2, 2, 3, 3};
    const uint32_t cyclic[] = {0, 1, 2, 3, 0, 1, 2, 3};
    const uint32_t place[] = {0, 1, 2, 3};
    const uint32_t nowhere[] = {0, 0, 1, 1, 2, 2, 3, MAPCORE_NONE};
    struct recorded recorded = record("MPICH Version: 4.0", 8, one_bcast);
    struct mapcore_workload work = {.type = &recorded.type, .n = 1};
    struct mapcore_work_type under;
    struct mapcore_phases *phases;
    struct unit_work units;
    double time;
    struct machine m = machine_of("torus:4", 2);

    assert_true(time_of(&work, &m, block) == (150 + 100 + 150) / 2);
    assert_true(time_of(&work, &m, cyclic) == (150 + 100 + 150) / 2);
    assert_int_equal(
        mapcore_workload_cost(&time, &work, m.alloc, nowhere, NULL),
        MAPCORE_EINVAL);
    assert_ok(
        mapcore_work_type_under(&under, &phases, &recorded.type, cyclic, NULL));
    assert_ptr_equal(under.phases, phases);
    assert_int_equal(phases->n, 3 + 2);
    assert_int_equal(phases->first[3], 7);
    assert_int_equal(phases->first[5], 2 * 7);
    assert_int_equal(phases->flow[1].from, 0);
    assert_int_equal(phases->flow[1].to, 2);
    mapcore_phases_destroy(phases);

    /* Units that are the nodes have the same stages wherever they are. */
    assert_ok(unit_work_create(&units, &work, cyclic, 4, NULL));
    assert_true(time_of(&units.work, &m, place) == (150 + 100 + 150) / 2);
    unit_work_clear(&units);

    recorded.type.staging = (struct mapcore_staging){0};
    assert_true(time_of(&work, &m, cyclic) == (400 + 300) / 2);
    assert_ok(
        mapcore_work_type_under(&under, &phases, &recorded.type, cyclic, NULL));
    assert_null(phases);
    assert_ptr_equal(under.phases, recorded.phases);
    forget(&recorded);

    recorded = record("Open MPI v4.0.1", 8, one_bcast);
    assert_null(recorded.stages);
    forget(&recorded);
    machine_end(&m);
}

/* A row of four on the ring: 0 sends 100 bytes to 1 and to 2 on different ways,
 * and 2 then 100 to 3 on another: 200 in step, 100 if all went at once. A row
 * beside it, inside host 0, changes nothing. */
static void ranks_are_half_in_step(void **state)
{
    static const char *const text[] = {
        "communicator 0 4 0 1 2 3\nbcast 0 0 1 100\n",
        "communicator 0 4 0 1 2 3\nbcast 0 0 1 100\n"
        "communicator 1 4 4 5 6 7\nbcast 1 0 1 100\n",
    };
    const uint32_t host[] = {0, 3, 1, 2, 0, 0, 0, 0};
    struct machine m = machine_of("torus:4", 5);

    for (size_t i = 0; i < 2; i++) {
        struct recorded recorded = record("MPICH Version: 4.0", 8, text[i]);
        struct mapcore_workload work = {.type = &recorded.type, .n = 1};

        assert_true(time_of(&work, &m, host) == (200 + 100) / 2);
        forget(&recorded);
    }
    machine_end(&m);
}

/* A search knows what its mapping comes to, and finds for nodes what takes
 * less: the same again on two threads. */
static void searches_go_by_nodes(void **state)
{
    struct recorded recorded = record("MPICH Version: 4.0", 8, one_bcast);
    struct mapcore_edge edge[8];
    struct mapcore_graph *graph;
    struct mapcore_workload work = {.type = &recorded.type, .n = 1};
    struct mapcore_search search = {
        .choose = MAPCORE_CHOOSE_TIME, .work = 40, .workload = &work};
    struct mapcore_result result, again;
    struct machine m = machine_of("torus:4", 2);

    for (uint32_t t = 0; t < 8; t++)
        edge[t] = (struct mapcore_edge){t, (t + 1) % 8, 100};
    graph = graph_of(8, edge, 8);
    recorded.type.graph = graph;
    result = search_on(&m, graph, &search);
    assert_true(time_of(&work, &m, result.mapping->host) <= 200);
    search.threads = 2;
    again = search_on(&m, graph, &search);
    assert_memory_equal(result.mapping->host, again.mapping->host,
                        8 * sizeof(uint32_t));
    mapcore_result_clear(&result);
    mapcore_result_clear(&again);
    mapcore_graph_destroy(graph);
    forget(&recorded);
    machine_end(&m);
}

/* Each of 32 nodes has four ranks, and four bcasts go by nodes: a search comes
 * to nodes whose ranks are all in one bcast, which no start by the graph has.
 */
static void searches_begin_with_communicators(void **state)
{
    enum { EACH = 4, NODES = 32, N = EACH * NODES };
    struct buffer text = {.err = NULL};
    struct recorded recorded;
    struct mapcore_workload work = {.type = &recorded.type, .n = 1};
    struct mapcore_search search = {
        .choose = MAPCORE_CHOOSE_TIME, .work = 150, .workload = &work};
    struct machine m = machine_of("torus:4x8", EACH);
    struct mapcore_edge edge[N];
    struct mapcore_graph *graph;
    struct mapcore_result result;
    uint32_t packed[N];

    for (uint32_t i = 0; i < EACH; i++) {
        buffer_printf(&text, "communicator %u %u", i, NODES);
        for (uint32_t k = 0; k < NODES; k++)
            buffer_printf(&text, " %u", i + EACH * k);
        buffer_printf(&text, "\nbcast %u 0 1 262144\n", i);
    }
    for (uint32_t t = 0; t < N; t++) {
        packed[t] = t % EACH * (NODES / EACH) + t / EACH / EACH;
        edge[t] = (struct mapcore_edge){t, (t + 1) % N, 100};
    }
    recorded =
        record("MVAPICH2's collectives, by SimGrid's SMPI", N, text.bytes);
    graph = graph_of(N, edge, N);
    recorded.type.graph = graph;
    result = search_on(&m, graph, &search);
    assert_true(time_of(&work, &m, result.mapping->host) <=
                time_of(&work, &m, packed));
    mapcore_result_clear(&result);
    mapcore_graph_destroy(graph);
    forget(&recorded);
    buffer_clear(&text);
    machine_end(&m);
}

/* What each rank gets. */
static int receive(void *arg, const struct algorithm_flow *flow)
{
    uint64_t *got = arg;
    const uint64_t back = flow->way == ALGORITHM_BOTH   ? flow->bytes / 2
                          : flow->way == ALGORITHM_BACK ? flow->bytes
                                                        : 0;

    got[flow->a] += back;
    got[flow->b] += flow->bytes - back;
    return 0;
}

/* Scattered, and then doubled: each rank gets every block but its own, besides
 * what it was sent first for those behind it. SimGrid does so with any even
 * number of ranks that are not as many on each node. */
static void blocks_double_among_any_number(void **state)
{
    for (uint64_t n = 10; n <= 72; n += 2) {
        const struct algorithm_call call = {.type = "bcast",
                                            .library = ALGORITHM_SMPI,
                                            .n = n,
                                            .in_stages = true,
                                            .calls = 1,
                                            .bytes = 6000 * n};
        uint64_t got[72] = {0};

        assert_ok(algorithm_expand(&call, receive, got));
        for (uint64_t r = 0; r < n; r++) {
            const uint64_t below = r & (~r + 1);
            const uint64_t first = r == 0 ? 0 : below < n - r ? below : n - r;

            assert_int_equal(got[r], 6000 * (n - 1 + first));
        }
    }
}

static int digest(void *arg, const struct algorithm_flow *flow)
{
    const uint64_t words[] = {flow->a,        flow->b,   flow->bytes,
                              flow->messages, flow->way, flow->stage};
    uint64_t *sum = arg;

    for (size_t i = 0; i < sizeof(words) / sizeof(*words); i++)
        *sum = (*sum ^ words[i]) * UINT64_C(0x100000001B3);
    return 0;
}

/* All flows of all operations, sizes around each bound of the tables: a row
 * that changes unseen changes a digest. Where one is meant to change, the flows
 * of before and after are compared outside, and the digest is replaced. */
static void all_choices_are_pinned(void **state)
{
    static const char *const types[] = {
        "bcast",          "reduce",  "allreduce", "allgather",
        "alltoall",       "gather",  "scatter",   "reduce_scatter_block",
        "reduce_scatter", "barrier", "scan"};
    static const uint64_t sizes[] = {
        0,      8,      100,    199,    256,    257,   511,   600,
        2047,   2048,   2049,   3000,   6000,   6001,  9999,  12287,
        12288,  20480,  32768,  32769,  50000,  65536, 65537, 81920,
        262144, 262145, 370728, 524288, 5000000};
    static const uint64_t expected[ALGORITHM_LIBRARIES] = {
        UINT64_C(0x9fdd2fdc6b70d5aa), UINT64_C(0x382f8de06cd710cc),
        UINT64_C(0x083248f6d6f92414), UINT64_C(0xbb9f441187f2a726),
        UINT64_C(0xc821cd56f31bfda4), UINT64_C(0x80b7c1c900277c5c),
        UINT64_C(0xcc2c2c643770443a), UINT64_C(0xdf5c9143d4d4f3dc),
        UINT64_C(0x34ff4be9daaf9960), UINT64_C(0x19255473a4aad048),
        UINT64_C(0x19255473a4aad048), UINT64_C(0x2d0e2ec69866ef14),
        UINT64_C(0x2d0e2ec69866ef14), UINT64_C(0x2d0e2ec69866ef14),
        UINT64_C(0x2d0e2ec69866ef14), UINT64_C(0x9402300cb3ff679c)};
    uint64_t found[ALGORITHM_LIBRARIES] = {0};

    for (size_t t = 0; t < sizeof(types) / sizeof(*types); t++)
        for (unsigned l = 0; l < ALGORITHM_LIBRARIES; l++)
            for (uint64_t n = 2; n < 70; n += n < 18 ? 1 : 23)
                for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
                    const struct algorithm_call call = {
                        .type = types[t],
                        .library = l,
                        .n = n,
                        .root = types[t][0] == 'a' ? 0 : n / 2,
                        .in_stages = true,
                        .calls = 2,
                        .bytes = 2 * sizes[i]};
                    uint32_t node[70];
                    struct mapcore_error err;

                    for (uint32_t r = 0; r < n; r++)
                        node[r] = i % 2 ? r / 3 : r * r % 5;
                    assert_ok(algorithm_expand(&call, digest, &found[l]));
                    assert_ok(by_node_expand(&call, node, 70, digest, &found[l],
                                             &err));
                }
    for (unsigned l = 0; l < ALGORITHM_LIBRARIES; l++)
        if (found[l] != expected[l])
            fail_msg("library %u: 0x%llx", l, (unsigned long long)found[l]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_libraries_do),
        cmocka_unit_test(as_without_nodes),
        cmocka_unit_test(mappings_have_stages),
        cmocka_unit_test(ranks_are_half_in_step),
        cmocka_unit_test(searches_go_by_nodes),
        cmocka_unit_test(searches_begin_with_communicators),
        cmocka_unit_test(blocks_double_among_any_number),
        cmocka_unit_test(all_choices_are_pinned),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
