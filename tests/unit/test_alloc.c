/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_alloc.c - allocations, slots in Slurm's short form, mappings */
#include "config.h"

#include "alloc/alloc.h"
#include "alloc/mapping.h"
#include "alloc/mapping_lines.h"

#include "scratch.h"

static struct mapcore_topo *topo_of(const char *spec)
{
    struct mapcore_topo *topo;

    assert_ok(mapcore_topo_open(&topo, spec, NULL));
    return topo;
}

static void allocation_knows_its_hosts(void **state)
{
    const uint32_t host[] = {9, 0, 15, 3}, slots[] = {4, 0, 2, 1};
    struct mapcore_topo *topo = topo_of("torus:4x4");
    struct mapcore_alloc *alloc;

    assert_ok(mapcore_alloc_create(&alloc, topo, 4, host, slots, NULL));
    assert_ptr_equal(mapcore_alloc_topo(alloc), topo);
    assert_int_equal(mapcore_alloc_nhosts(alloc), 4);
    assert_int_equal(mapcore_alloc_nslots(alloc), 7);
    for (uint32_t a = 0; a < 4; a++) {
        assert_int_equal(mapcore_alloc_host(alloc, a), host[a]);
        assert_int_equal(mapcore_alloc_slots(alloc, a), slots[a]);
        for (uint32_t b = 0; b < 4; b++) {
            uint32_t d = mapcore_topo_distance(topo, host[a], host[b]);

            assert_int_equal(mapcore_alloc_distance(alloc, a, b), d);
        }
    }
    mapcore_alloc_destroy(alloc);
    mapcore_alloc_destroy(NULL);
    mapcore_topo_destroy(topo);
}

/* Beyond 8,192 hosts, and where a distance needs more than 16 bits, the network
 * is asked. */
static void large_allocations_ask_the_network(void **state)
{
    enum { N = 8193 };
    static uint32_t slots[N];
    const uint32_t ends[] = {0, 99999};
    struct mapcore_topo *topo = topo_of("tree:3,2731");
    struct mapcore_alloc *alloc;

    assert_ok(mapcore_alloc_create(&alloc, topo, N, NULL, slots, NULL));
    assert_int_equal(mapcore_alloc_distance(alloc, 5, 5), 0);
    assert_int_equal(mapcore_alloc_distance(alloc, 0, 2730), 2);
    assert_int_equal(mapcore_alloc_distance(alloc, 0, 2731), 4);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);

    topo = topo_of("mesh:100000");
    assert_ok(mapcore_alloc_create(&alloc, topo, 2, ends, slots, NULL));
    assert_int_equal(mapcore_alloc_distance(alloc, 1, 0), 99999);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
}

static void impossible_allocations_are_refused(void **state)
{
    const uint32_t twice[] = {1, 2, 1}, outside[] = {0, 16};
    const uint32_t slots[17] = {1}, many[] = {1u << 31, 1};
    struct mapcore_topo *topo = topo_of("torus:4x4");
    struct mapcore_alloc *alloc = NULL;
    struct mapcore_error err;

    assert_int_equal(mapcore_alloc_create(&alloc, topo, 0, NULL, slots, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_alloc_create(&alloc, topo, 17, NULL, slots, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "17 nodes, but the topology has 16");
    assert_int_equal(mapcore_alloc_create(&alloc, topo, 3, twice, slots, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "node 2 of the allocation, number 1 of 16 in "
                                  "the topology, is there twice");
    assert_int_equal(
        mapcore_alloc_create(&alloc, topo, 2, outside, slots, &err),
        MAPCORE_EINVAL);
    assert_int_equal(mapcore_alloc_create(&alloc, topo, 2, NULL, many, &err),
                     MAPCORE_ERANGE);
    assert_null(alloc);
    mapcore_topo_destroy(topo);
}

static void slots_are_read(void **state)
{
    static const struct {
        const char *text;
        uint32_t nhosts;
        uint32_t slots[5];
    } cases[] = {
        {"16", 3, {16, 16, 16}},
        {"16(x3),8", 4, {16, 16, 16, 8}},
        {"2,1,1,4", 4, {2, 1, 1, 4}},
        {"2(x2),0,3(x2)", 5, {2, 2, 0, 3, 3}},
        {"7(x1)", 1, {7}},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        uint32_t slots[5] = {0};

        assert_ok(
            mapcore_slots_parse(slots, cases[i].nhosts, cases[i].text, NULL));
        assert_memory_equal(slots, cases[i].slots, sizeof(slots));
    }
}

static void bad_slots_are_told(void **state)
{
    static const char *const bad[] = {
        "",
        ",",
        "16,",
        ",16",
        "16(x3",
        "16(x)",
        "16(3)",
        "16(x0)",
        "16(x3)8",
        "16(x3),",
        "-1",
        "1.5",
        "16 (x3)",
        "16x3",
        "99999999999",
        "4294967295",
        "1(x4294967294),1",
        "16(x3),,8",
        "(x3)",
    };
    uint32_t slots[4] = {5, 5, 5, 5};
    struct mapcore_error err;

    for (size_t i = 0; i < COUNT(bad); i++)
        assert_int_equal(mapcore_slots_parse(slots, 4, bad[i], &err),
                         MAPCORE_EPARSE);
    assert_int_equal(mapcore_slots_parse(slots, 3, "16(x3),8", &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text,
                        "slots '16(x3),8' speak of 4 nodes, and there are 3");
    assert_int_equal(mapcore_slots_parse(slots, 4, "16(x1)", &err),
                     MAPCORE_EINVAL);
    assert_int_equal(slots[0], 5);
}

struct cluster {
    struct scratch *scratch;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc; /* 4 hosts with 2, 0, 4 and 1 slots */
};

static int cluster_setup(void **state)
{
    const uint32_t slots[] = {2, 0, 4, 1};
    struct cluster *c = calloc(1, sizeof(*c));
    void *scratch;

    if (!c || scratch_setup(&scratch) < 0)
        return -1;
    c->scratch = scratch;
    c->topo = topo_of("flat:4");
    *state = c;
    return mapcore_alloc_create(&c->alloc, c->topo, 4, NULL, slots, NULL);
}

static int cluster_teardown(void **state)
{
    struct cluster *c = *state;
    void *scratch = c->scratch;

    mapcore_alloc_destroy(c->alloc);
    mapcore_topo_destroy(c->topo);
    free(c);
    return scratch_teardown(&scratch);
}

static void expect(struct mapcore_mapping *mapping,
                   uint32_t ntasks,
                   const uint32_t *host,
                   const uint32_t *slot)
{
    assert_int_equal(mapping->ntasks, ntasks);
    assert_memory_equal(mapping->host, host, ntasks * sizeof(*host));
    assert_memory_equal(mapping->slot, slot, ntasks * sizeof(*slot));
    mapcore_mapping_destroy(mapping);
}

static void block_fills_one_host_after_the_other(void **state)
{
    const struct cluster *c = *state;
    struct mapcore_mapping *mapping;

    assert_ok(mapcore_mapping_block(&mapping, c->alloc, 7, NULL));
    expect(mapping, 7, (uint32_t[]){0, 0, 2, 2, 2, 2, 3},
           (uint32_t[]){0, 1, 0, 1, 2, 3, 0});
    assert_ok(mapcore_mapping_block(&mapping, c->alloc, 3, NULL));
    expect(mapping, 3, (uint32_t[]){0, 0, 2}, (uint32_t[]){0, 1, 0});
}

static void cyclic_deals_and_skips_full_hosts(void **state)
{
    const struct cluster *c = *state;
    struct mapcore_mapping *mapping;

    assert_ok(mapcore_mapping_cyclic(&mapping, c->alloc, 7, NULL));
    expect(mapping, 7, (uint32_t[]){0, 2, 3, 0, 2, 2, 2},
           (uint32_t[]){0, 0, 0, 1, 1, 2, 3});
    assert_ok(mapcore_mapping_cyclic(&mapping, c->alloc, 4, NULL));
    expect(mapping, 4, (uint32_t[]){0, 2, 3, 0}, (uint32_t[]){0, 0, 0, 1});
}

static void mappings_are_made_from_arrays(void **state)
{
    const struct cluster *c = *state;
    const uint32_t host[] = {2, 0, 2, 3, 0}, slot[] = {3, 0, 1, 0, 1};
    struct mapcore_mapping *mapping;

    assert_ok(mapcore_mapping_create(&mapping, c->alloc, 5, host, slot, NULL));
    expect(mapping, 5, host, slot);
    assert_ok(mapcore_mapping_create(&mapping, c->alloc, 5, host, NULL, NULL));
    expect(mapping, 5, host, (uint32_t[]){0, 0, 1, 0, 1});
}

static void impossible_mappings_are_refused(void **state)
{
    const struct cluster *c = *state;
    static const struct {
        uint32_t host[3], slot[3];
        bool has_slots;
        const char *why;
    } cases[] = {
        {{0, 4, 0}, {0}, false, "task 1 is on node 4 of an allocation of 4"},
        {{0, 0, 0},
         {0},
         false,
         "task 2 is in slot 2 of node 0, which has 2 slots"},
        {{1, 0, 0},
         {0},
         false,
         "task 0 is in slot 0 of node 1, which has 0 slots"},
        {{0, 2, 0},
         {0, 4, 1},
         true,
         "task 1 is in slot 4 of node 2, which has 4 slots"},
        {{0, 2, 0},
         {0, 1, 0},
         true,
         "task 2 is in slot 0 of node 0, which another task has already"},
        {{0, 2, 0}, {0, UINT32_MAX, 0}, true, "task 1 has no slot"},
    };
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_error err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        assert_int_equal(mapcore_mapping_create(
                             &mapping, c->alloc, 3, cases[i].host,
                             cases[i].has_slots ? cases[i].slot : NULL, &err),
                         MAPCORE_EINVAL);
        assert_string_equal(err.text, cases[i].why);
    }
    const uint32_t host[8] = {0};
    assert_int_equal(
        mapcore_mapping_create(&mapping, c->alloc, 8, host, NULL, &err),
        MAPCORE_EINVAL);
    assert_string_equal(err.text, "8 tasks, but only 7 slots");
    assert_int_equal(mapcore_mapping_block(&mapping, c->alloc, 8, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(mapcore_mapping_cyclic(&mapping, c->alloc, 8, &err),
                     MAPCORE_EINVAL);
    assert_null(mapping);
}

static int read_mapping(struct mapcore_mapping **out,
                        const struct mapcore_alloc *alloc,
                        const char *path,
                        struct mapcore_error *err)
{
    struct text *text;
    int error;

    assert_ok(text_open(&text, path, err));
    error = mapping_lines_read(out, alloc, text);
    text_close(text);
    return error;
}

static void mapping_files_are_read_and_written(void **state)
{
    const struct cluster *c = *state;
    const char *path = at(c->scratch, "m");
    struct mapcore_mapping *mapping;
    struct mapcore_error err;

    put_text(path, "# host slot\n2 3\n\n 0\t1 # the second\r\n3 0");
    assert_ok(read_mapping(&mapping, c->alloc, path, &err));
    FILE *file = fopen(at(c->scratch, "out"), "w");
    assert_ok(mapcore_mapping_write(mapping, file, &err));
    fclose(file);
    expect(mapping, 3, (uint32_t[]){2, 0, 3}, (uint32_t[]){3, 1, 0});
    assert_ok(read_mapping(&mapping, c->alloc, at(c->scratch, "out"), &err));
    file = fopen("/dev/full", "w");
    assert_non_null(file);
    assert_int_equal(mapcore_mapping_write(mapping, file, &err), MAPCORE_EIO);
    fclose(file);
    expect(mapping, 3, (uint32_t[]){2, 0, 3}, (uint32_t[]){3, 1, 0});

    put_text(path, "2\n0\n2\n");
    assert_ok(read_mapping(&mapping, c->alloc, path, &err));
    expect(mapping, 3, (uint32_t[]){2, 0, 2}, (uint32_t[]){0, 0, 1});
}

static void bad_mapping_files_are_told(void **state)
{
    const struct cluster *c = *state;
    static const struct {
        const char *text;
        int code;
        const char *why; /* behind the path */
    } cases[] = {
        {"", MAPCORE_EPARSE, ": no mapping in it"},
        {"# 0 0\n", MAPCORE_EPARSE, ": no mapping in it"},
        {"x\n", MAPCORE_EPARSE, ":1: no node number"},
        {"-1 0\n", MAPCORE_EPARSE, ":1: no node number"},
        {"4294967295 0\n", MAPCORE_EPARSE, ":1: no node number"},
        {"0 0\n99999999999 1\n", MAPCORE_EPARSE, ":2: no node number"},
        {"0 x\n", MAPCORE_EPARSE,
         ":1: what follows the node is no slot number"},
        {"0 0 0\n", MAPCORE_EPARSE, ":1: more than a node and a slot"},
        {"0 0\n0\n", MAPCORE_EPARSE,
         ":2: slots stand either in all lines or in none"},
        {"0\n0 1\n", MAPCORE_EPARSE,
         ":2: slots stand either in all lines or in none"},
        {"# x\n0 0\n4 0\n", MAPCORE_EINVAL,
         ":3: task 1 is on node 4 of an allocation of 4"},
        {"0 2\n", MAPCORE_EINVAL,
         ":1: task 0 is in slot 2 of node 0, which has 2 slots"},
        {"0 1\n\n0 1\n", MAPCORE_EINVAL,
         ":3: task 1 is in slot 1 of node 0, which another task has already"},
        {"0\n0\n0\n", MAPCORE_EINVAL,
         ":3: task 2 is in slot 2 of node 0, which has 2 slots"},
    };
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_error err;

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = at(c->scratch, "bad");

        put_text(path, cases[i].text);
        int code = read_mapping(&mapping, c->alloc, path, &err);
        assert_memory_equal(err.text, path, strlen(path));
        assert_string_equal(err.text + strlen(path), cases[i].why);
        assert_int_equal(code, cases[i].code);
        assert_null(mapping);
    }
}

int main(void)
{
#define WITH_CLUSTER(test)                                                     \
    cmocka_unit_test_setup_teardown(test, cluster_setup, cluster_teardown)
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(allocation_knows_its_hosts),
        cmocka_unit_test(large_allocations_ask_the_network),
        cmocka_unit_test(impossible_allocations_are_refused),
        cmocka_unit_test(slots_are_read),
        cmocka_unit_test(bad_slots_are_told),
        WITH_CLUSTER(block_fills_one_host_after_the_other),
        WITH_CLUSTER(cyclic_deals_and_skips_full_hosts),
        WITH_CLUSTER(mappings_are_made_from_arrays),
        WITH_CLUSTER(impossible_mappings_are_refused),
        WITH_CLUSTER(mapping_files_are_read_and_written),
        WITH_CLUSTER(bad_mapping_files_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
