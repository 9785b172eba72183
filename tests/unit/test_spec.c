/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_spec.c - a network is the same whether a word, lines of a file or the
 * site file's JSON describe it */
#include "config.h"

#include "tools/inputs/foreign.h"
#include "tools/inputs/partitions.h"
#include "tools/site/site.h"
#include "topo/topo.h"
#include "topo/walk.h"
#include "json/json.h"

#include "scratch.h"

/* Instead of those that start scontrol and python3. */
int foreign_network_open(struct mapcore_topo **out,
                         const char *spec,
                         struct mapcore_error *err)
{
    return mapcore_topo_open(out, spec, err);
}

int partitions_open_topology(struct mapcore_topo **out,
                             const char *partition,
                             double seconds,
                             struct mapcore_error *err)
{
    (void)out;
    (void)partition;
    (void)seconds;
    (void)err;
    return MAPCORE_ENOENT;
}

/* Word or file, and the site file's `topology` of the same network. */
static const struct {
    const char *text, *json;
} networks[] = {
    {"torus:4x3x2\nhosts n[0-23]\n",
     "{ 'type': 'torus', 'dims': [4, 3, 2], 'hosts': 'n[0-23]' }"},
    {"torus:4x3:wrap=1x0:capacity=2x1\nhosts n[00-11]\n",
     "{ 'type': 'torus', 'dims': [4, 3], 'wrap': [true, false],\n"
     "  'capacity': [2, 1], 'hosts': 'n[00-11]' }"},
    {"torus:4x6x3:capacity=2x1x5:capacity.y=8,1,2\nhosts n[00-71]\n",
     "{ 'type': 'torus', 'dims': [4, 6, 3],\n"
     "  'capacity': [2, [8, 1, 2], 5], 'hosts': 'n[00-71]' }"},
    {"mesh:4x3:capacity.x=3,4,5:capacity.y=6,7\nhosts n[00-11]\n",
     "{ 'type': 'mesh', 'dims': [4, 3],\n"
     "  'capacity': [[3, 4, 5], [6, 7]], 'hosts': 'n[00-11]' }"},
    {"mesh:3x3/2\nabsent 1 1\nabsent 0 2\nhosts a[0-13]\n",
     "{ 'type': 'mesh', 'dims': [3, 3], 'hosts_per_router': 2,\n"
     "  'absent': [[1, 1], [0, 2]], 'hosts': 'a[0-13]' }"},
    {"torus:5x5\nhost c 4 4\nhost a 0 3\nhost b 4 4\n",
     "{ 'type': 'torus', 'dims': [5, 5], 'hosts': 'c,a,b',\n"
     "  'coordinates': { 'a': [0, 3], 'b': [4, 4], 'c': [4, 4] } }"},
    {"ring:7\nhosts r[1-7]\n",
     "{ 'type': 'torus', 'dims': [7], 'hosts': 'r[1-7]' }"},
    {"tree:2,3,4\nhosts n[0-23]\n",
     "{ 'type': 'tree', 'arity': [2, 3, 4], 'hosts': 'n[0-23]' }"},
    {"tree:2,3:capacity=4,1:uplinks=2,1:rails=4\nhosts n[0-5]\n",
     "{ 'type': 'tree', 'arity': [2, 3], 'capacity': [4, 1],\n"
     "  'uplinks': [2, 1], 'rails': 4, 'hosts': 'n[0-5]' }"},
    {"flat:5\nhosts e,d,c,b,a\n", "{ 'type': 'flat', 'hosts': 'e,d,c,b,a' }"},
    {"dragonfly:5,4,2:global=2\nhosts n[0-39]\n",
     "{ 'type': 'spec', 'spec': 'dragonfly:5,4,2:global=2',\n"
     "  'hosts': 'n[0-39]' }"},
    {"hypercube:4:capacity=3\nhosts n[0-15]\n",
     "{ 'type': 'spec', 'spec': 'hypercube:4:capacity=3',\n"
     "  'hosts': 'n[0-15]' }"},
};

static int open_json(struct mapcore_topo **out,
                     const char *path,
                     const char *text,
                     struct mapcore_error *err)
{
    char whole[1024];
    struct json_node root;
    struct json *json = NULL;
    int error;

    snprintf(whole, sizeof(whole), "%s", text);
    for (char *p = whole; *p != '\0'; p++)
        *p = *p == '\'' ? '"' : *p;
    put_text(path, whole);
    if ((error = json_open(&json, path, err)) == 0 &&
        (error = json_root(&root, json)) == 0)
        error = network_open(out, &root);
    json_close(json);
    return error;
}

static void assert_same(const struct mapcore_topo *a,
                        const struct mapcore_topo *b)
{
    uint32_t n = mapcore_topo_nhosts(a);
    uint32_t end[2], other[2];
    char name[2][300];

    assert_string_equal(mapcore_topo_describe(a), mapcore_topo_describe(b));
    assert_int_equal(n, mapcore_topo_nhosts(b));
    assert_int_equal(mapcore_topo_diameter(a), mapcore_topo_diameter(b));
    for (uint32_t h = 0; h < n; h++) {
        assert_string_equal(mapcore_topo_host_name(a, h),
                            mapcore_topo_host_name(b, h));
        for (uint32_t k = 0; k < n; k++)
            assert_int_equal(mapcore_topo_distance(a, h, k),
                             mapcore_topo_distance(b, h, k));
    }
    assert_int_equal(mapcore_topo_nlinks(a), mapcore_topo_nlinks(b));
    assert_int_equal(mapcore_topo_has_capacities(a),
                     mapcore_topo_has_capacities(b));
    for (uint32_t l = 0; l < mapcore_topo_nlinks(a); l++) {
        double capacity = mapcore_topo_link_capacity(a, l);

        assert_true(!(capacity < mapcore_topo_link_capacity(b, l)) &&
                    !(capacity > mapcore_topo_link_capacity(b, l)));
        assert_int_equal(topo_link_ends(a, l, end),
                         topo_link_ends(b, l, other));
        if (topo_link_ends(a, l, end))
            assert_memory_equal(end, other, sizeof(end));
        mapcore_topo_link_name(a, l, name[0], sizeof(name[0]));
        mapcore_topo_link_name(b, l, name[1], sizeof(name[1]));
        assert_string_equal(name[0], name[1]);
    }
}

static void json_and_text_are_two_spellings(void **state)
{
    for (size_t i = 0; i < sizeof(networks) / sizeof(*networks); i++) {
        struct mapcore_topo *a = NULL, *b = NULL;
        struct mapcore_error err = {""};
        const char *path = at(*state, "network");

        put_text(path, networks[i].text);
        assert_ok(mapcore_topo_open(&a, path, &err));
        open_json(&b, path, networks[i].json, &err);
        assert_string_equal(err.text, "");
        assert_same(a, b);
        mapcore_topo_destroy(a);
        mapcore_topo_destroy(b);
    }
}

/* What is wrong with the whole is said in the same words, behind the place. */
static void errors_are_the_same_but_for_the_place(void **state)
{
    static const struct {
        const char *text, *json, *why;
    } cases[] = {
        {"tree:2,2\nhosts n[0-2]\n",
         "{ 'type': 'tree', 'arity': [2, 2], 'hosts': 'n[0-2]' }",
         ": 3 names for a network of 4 hosts"},
        {"mesh:2x2\nhost a 0 2\n",
         "{ 'type': 'mesh', 'dims': [2, 2], 'hosts': 'a',\n"
         "  'coordinates': { 'a': [0, 2] } }",
         ": coordinate 2 is not below 2"},
        {"mesh:2x2\nabsent 0 0\nhost a 0 0\n",
         "{ 'type': 'mesh', 'dims': [2, 2], 'hosts': 'a',\n"
         "  'absent': [[0, 0]], 'coordinates': { 'a': [0, 0] } }",
         ": host 0 sits at an absent router"},
        {"flat:2\nhosts a,a\n", "{ 'type': 'flat', 'hosts': 'a,a' }",
         ": host a is there twice"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *path = at(*state, "bad");
        size_t n = strlen(cases[i].why);

        for (int json = 0; json < 2; json++) {
            struct mapcore_topo *topo = NULL;
            struct mapcore_error err = {""};

            put_text(path, cases[i].text);
            assert_true((json ? open_json(&topo, path, cases[i].json, &err)
                              : mapcore_topo_open(&topo, path, &err)) < 0);
            assert_null(topo);
            assert_memory_equal(err.text, path, strlen(path));
            assert_true(strlen(err.text) > n);
            assert_string_equal(err.text + strlen(err.text) - n, cases[i].why);
        }
    }
}

/* A site file's capacities by position, refused in the words of a line. */
static void wrong_capacities_are_told_by_place(void **state)
{
    static const struct {
        const char *capacity, *why;
    } cases[] = {
        {"[2,\n[8, 0]]",
         ": topology 'torus:4x3:wrap=1x0:capacity=2x1:capacity.y=8,0': "
         "capacity.y: '0', number 2, is not a number from 1e-30 to 1e30"},
        {"[2,\n[8, 'a']]",
         ": topology 'torus:4x3:wrap=1x0:capacity=2x1:capacity.y=8,a': "
         "capacity.y: 'a', number 2, is not a number from 1e-30 to 1e30"},
        {"[2, [8, null]]",
         ":3: key capacity[1][1]: expected a number, not null"},
        {"[2, []]", ":3: key capacity[1]: expected an array of numbers, not an "
                    "array"},
        {"[2, [1, 2, 3]]",
         ": topology 'torus:4x3:wrap=1x0:capacity=2x1:capacity.y=1,2,3': "
         "capacity.y: 3 numbers for 2 links in a row of 3 routers"},
        {"[[1, 2, 3, 4, 5], 2]",
         ": topology 'torus:4x3:wrap=1x0:capacity=1x2:capacity.x=1,2,3,4,5': "
         "capacity.x: 5 numbers for 4 links in a row of 4 routers"},
        {"[2, 3, 4]",
         ": topology 'torus:4x3:wrap=1x0:capacity=2x3x4' is not "
         "of the form torus:16x8x16, torus:16x8x16/2, torus:8x8x4:wrap=1x1x0, "
         "torus:8x8x4:capacity=2x1x2 or torus:8x8x4:capacity.y=8,1"},
        {"7", ":3: key capacity: expected an array of numbers, not a number"},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
        const char *path = at(*state, "bad");
        struct mapcore_topo *topo = NULL;
        struct mapcore_error err = {""};
        char text[500];

        snprintf(text, sizeof(text),
                 "{ 'type': 'torus',\n'dims': [4, 3], 'wrap': [true, false],\n"
                 "'capacity': %s, 'hosts': 'n[00-11]' }",
                 cases[i].capacity);
        assert_true(open_json(&topo, path, text, &err) < 0);
        assert_null(topo);
        assert_string_equal(err.text + strlen(path), cases[i].why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(json_and_text_are_two_spellings),
        ON_DISK(errors_are_the_same_but_for_the_place),
        ON_DISK(wrong_capacities_are_told_by_place),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
