/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_topo_text.c - topologies as Slurm and people write them */
#include "config.h"

#include "topo/file/readers.h"

#include "topofixture.h"

static int parse(struct mapcore_topo **out,
                 const char *text,
                 struct mapcore_error *err)
{
    struct text *lines;
    int error;

    assert_ok(text_open_memory(&lines, "t.conf", text, strlen(text), err));
    error = topo_read(out, lines);
    text_close(lines);
    return error;
}

static struct mapcore_topo *parsed(const char *text)
{
    struct mapcore_error err = {""};
    struct mapcore_topo *topo = NULL;
    int code = parse(&topo, text, &err);

    assert_string_equal(err.text, "");
    assert_int_equal(code, 0);
    return topo;
}

/* Three ways to write the same network. */
static void topology_conf_and_scontrol_agree(void **state)
{
    static const char *const texts[] = {
        /* topology.conf */
        "# two leaves and a root\n"
        "SwitchName=s0 Nodes=n[0-3]\n"
        "SwitchName=s1 Nodes=n[4-7] LinkSpeed=100 # faster\n"
        "\n"
        "SwitchName=s2 Switches=s[0-1]\n",
        /* scontrol show topology: the root lists all nodes */
        "SwitchName=s0 Level=0 LinkSpeed=1 Nodes=n[0-3]\n"
        "SwitchName=s1 Level=0 LinkSpeed=1 Nodes=n[4-7]\n"
        "SwitchName=s2 Level=1 LinkSpeed=1 Nodes=n[0-7] Switches=s[0-1]\n",
        /* the root first; other cases; a line that goes on; no newline */
        "switchname=s2 level=1 NODES=n[0-7] switches=s0,s1\r\n"
        "SWITCHNAME=s0 \\\n  Nodes=n[0-3]\n"
        "SwitchName=s1 SomethingNew=7 Nodes=n[4-7]",
    };

    for (size_t i = 0; i < COUNT(texts); i++) {
        struct mapcore_topo *topo = parsed(texts[i]);
        uint32_t links[4];
        char name[4][50];

        assert_string_equal(mapcore_topo_describe(topo),
                            "tree of 3 switches, 8 hosts");
        for (uint32_t h = 0; h < 8; h++) {
            char expected[8];

            snprintf(expected, sizeof(expected), "n%u", h);
            assert_string_equal(mapcore_topo_host_name(topo, h), expected);
        }
        assert_int_equal(between(topo, "n0", "n0"), 0);
        assert_int_equal(between(topo, "n0", "n3"), 2);
        assert_int_equal(between(topo, "n3", "n4"), 4);
        assert_int_equal(mapcore_topo_diameter(topo), 4);
        assert_int_equal(mapcore_topo_route(topo, 3, 4, links), 4);
        for (int k = 0; k < 4; k++)
            mapcore_topo_link_name(topo, links[k], name[k], sizeof(name[k]));
        assert_string_equal(name[0], "n3 - s0");
        assert_string_equal(name[1], "s0 - s2");
        assert_string_equal(name[2], "s1 - s2");
        assert_string_equal(name[3], "n4 - s1");
        mapcore_topo_destroy(topo);
    }
}

/* Unequal depths, a login node at the root, an empty leaf. */
static void the_deepest_switch_wins(void **state)
{
    struct mapcore_topo *topo = parsed(
        "SwitchName=top Level=2 Nodes=login,a[0-1],b[0-1] Switches=mid,b\n"
        "SwitchName=mid Level=1 Nodes=a[0-1] Switches=a,none\n"
        "SwitchName=a Level=0 Nodes=a[0-1]\n"
        "SwitchName=b Level=0 Nodes=b[0-1]\n"
        "SwitchName=none Level=0 Nodes=(null)\n");

    assert_int_equal(mapcore_topo_nhosts(topo), 5);
    assert_int_equal(between(topo, "a0", "a1"), 2);
    assert_int_equal(between(topo, "b0", "b1"), 2);
    assert_int_equal(between(topo, "a0", "b0"), 5);
    assert_int_equal(between(topo, "a0", "login"), 4);
    assert_int_equal(between(topo, "b0", "login"), 3);
    assert_int_equal(mapcore_topo_diameter(topo), 5);
    assert_string_equal(mapcore_topo_host_name(topo, 0), "login");
    mapcore_topo_destroy(topo);
}

static void several_roots_are_joined(void **state)
{
    struct mapcore_topo *topo = parsed("SwitchName=s0 Nodes=a,b\n"
                                       "SwitchName=s1 Nodes=c\n");
    uint32_t links[4];
    char name[50];

    assert_int_equal(between(topo, "a", "b"), 2);
    assert_int_equal(between(topo, "a", "c"), 4);
    mapcore_topo_route(topo, 0, 2, links);
    mapcore_topo_link_name(topo, links[1], name, sizeof(name));
    assert_string_equal(name, "s0 - root");
    mapcore_topo_destroy(topo);

    topo = parsed("SwitchName=s0 Nodes=a,b,a\n");
    assert_string_equal(mapcore_topo_describe(topo), "flat network of 2 hosts");
    mapcore_topo_destroy(topo);
}

static void bad_slurm_lines_are_told(void **state)
{
    static const struct {
        const char *text;
        int code;
        const char *why;
    } cases[] = {
        {"", MAPCORE_EPARSE, "t.conf: no topology in it"},
        {"# nothing\n", MAPCORE_EPARSE, "t.conf: no topology in it"},
        {"GridName=pod1 Dims=2x2x2 Nodes=n[0-7]\n", MAPCORE_ENOTSUP,
         "t.conf:1: GridName= does not describe a switch: `topomap topology "
         "links' writes other networks as links"},
        {"SwitchName=s0 Nodes=n0\nBlockName=b0 Nodes=n[0-7]\n", MAPCORE_ENOTSUP,
         "t.conf:2: BlockName= does not describe a switch: `topomap topology "
         "links' writes other networks as links"},
        {"SwitchName=s0 Nodes=a\nNo topology\n", MAPCORE_EPARSE,
         "t.conf:2: 'No' is not SwitchName=..."},
        {"SwitchName= Nodes=a\n", MAPCORE_EPARSE,
         "t.conf:1: a switch without a name"},
        {"SwitchName=s0 Nodes=a b\n", MAPCORE_EPARSE,
         "t.conf:1: 'b' is not KEY=VALUE"},
        {"SwitchName=s0 Nodes=a Nodes=b\n", MAPCORE_EPARSE,
         "t.conf:1: Nodes= stands twice in one line"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s0 Nodes=b\n", MAPCORE_EPARSE,
         "t.conf:2: switch s0 is described in line 1 already"},
        {"SwitchName=s0 Nodes=n[0-\n", MAPCORE_EPARSE,
         "t.conf:1: host list 'n[0-': a bracket is not closed"},
        {"SwitchName=s0 Nodes=n[0-9999999]\n", MAPCORE_ERANGE,
         "t.conf:1: host list 'n[0-9999999]': more than 1048576 names"},
        {"SwitchName=s0 Nodes=n[0-3]\nSwitchName=s1 Nodes=n[3-4]\n",
         MAPCORE_EPARSE, "t.conf:2: node n3 is on two switches, s0 and s1"},
        {"SwitchName=s0 Nodes=n0\nSwitchName=s1 Nodes=n0\n"
         "SwitchName=s2 Switches=s[0-1]\n",
         MAPCORE_EPARSE, "t.conf:2: node n0 is on two switches, s0 and s1"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s2 Switches=s0,s1\n",
         MAPCORE_EPARSE,
         "t.conf:2: switch s2 has below it s1, which is not described"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s1 Switches=s0\n"
         "SwitchName=s2 Switches=s0\n",
         MAPCORE_EPARSE,
         "t.conf:3: switch s0 is below two switches, s1 and s2"},
        {"SwitchName=s0 Nodes=a Switches=s0\n", MAPCORE_EPARSE,
         "t.conf:1: switch s0 is below itself"},
        {"SwitchName=x Nodes=x\nSwitchName=s0 Nodes=a Switches=s1\n"
         "SwitchName=s1 Switches=s0\n",
         MAPCORE_EPARSE, "t.conf:2: switch s0 is below itself"},
        {"SwitchName=s0\nSwitchName=s1 Switches=s0\n", MAPCORE_EPARSE,
         "t.conf: switches without nodes"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_topo *topo = NULL;
        struct mapcore_error err = {""};
        int code = parse(&topo, cases[i].text, &err);

        assert_string_equal(err.text, cases[i].why);
        assert_int_equal(code, cases[i].code);
        assert_null(topo);
    }
}

static void a_switch_may_be_listed_twice_in_one_list(void **state)
{
    struct mapcore_topo *topo =
        parsed("SwitchName=r Switches=s0,s1,s0\nSwitchName=s0 Nodes=a\n"
               "SwitchName=s1 Nodes=b\n");

    assert_int_equal(between(topo, "a", "b"), 4);
    mapcore_topo_destroy(topo);
}

static void specs_are_understood(void **state)
{
    static const struct {
        const char *spec, *description;
        uint32_t nhosts, diameter;
    } cases[] = {
        {"torus:16x8x16", "torus 16x8x16", 2048, 20},
        {"torus:23x24x24/2", "torus 23x24x24, 2 hosts a router", 26496, 35},
        {"torus:8x8x4:wrap=1x1x0", "torus 8x8x4, wraps 1x1x0", 256, 11},
        {"torus:4x4/2:wrap=0x1", "torus 4x4, wraps 0x1, 2 hosts a router", 32,
         5},
        {"torus:4x4:wrap=0x0", "mesh 4x4", 16, 6},
        {"torus:5", "torus 5", 5, 2},
        {"mesh:8x8", "mesh 8x8", 64, 14},
        {"mesh:8x8/4", "mesh 8x8, 4 hosts a router", 256, 14},
        {"tree:8,16,8", "tree of 137 switches, 1024 hosts", 1024, 6},
        {"tree:8", "flat network of 8 hosts", 8, 2},
        {"flat:1", "flat network of 1 host", 1, 0},
        {"flat:12", "flat network of 12 hosts", 12, 2},
        {"flat:12:capacity=2.5", "flat network of 12 hosts", 12, 2},
        {"torus:4x4/2:wrap=0x1:capacity=2x0.5",
         "torus 4x4, wraps 0x1, 2 hosts a router, capacity 2x0.5", 32, 5},
        {"torus:4x4:capacity=1x2:wrap=0x1",
         "torus 4x4, wraps 0x1, capacity 1x2", 16, 5},
        {"torus:4x4:capacity=3:wrap=0x1", "torus 4x4, wraps 0x1, capacity 3x3",
         16, 5},
        {"torus:4x4:capacity.y=8,1", "torus 4x4, capacity 1x(8,1)", 16, 4},
        {"torus:4x4x8:capacity.z=4,4,4,2:capacity=2x1x2:capacity.y=8,1,8,1",
         "torus 4x4x8, capacity 2x(8,1)x(4,4,4,2)", 128, 8},
        {"mesh:4x10:capacity.y=1,2,3,4,5,6,7,8,9",
         "mesh 4x10, capacity 1x(1,2,3,4,5,6,7,8,...)", 40, 12},
        {"mesh:3x3x1x3:capacity.d=3,3", "mesh 3x3x1x3, capacity 1x1x1x(3)", 27,
         6},
        {"ring:6/2:capacity.x=8,1", "torus 6, 2 hosts a router, capacity (8,1)",
         12, 3},
        {"mesh:4x4:capacity=1e9x2e9", "mesh 4x4, capacity 1e+09x2e+09", 16, 6},
        {"ring:16", "torus 16", 16, 8},
        {"ring:16/2", "torus 16, 2 hosts a router", 32, 8},
        {"hypercube:10", "hypercube of 10 dimensions", 1024, 10},
        {"hypercube:1/2", "hypercube of 1 dimension, 2 hosts a router", 4, 1},
        {"tree:2,4:capacity=4,1:uplinks=2,1", "tree of 3 switches, 8 hosts", 8,
         4},
        {"dragonfly:9,4,2",
         "dragonfly of 9 groups of 4 routers, 2 hosts a router, 8 global links "
         "a group",
         72, 5},
        {"dragonfly:4,4,2:global=1",
         "dragonfly of 4 groups of 4 routers, 2 hosts a router, 4 global links "
         "a group",
         32, 5},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_error err = {""};
        struct mapcore_topo *topo = NULL;

        int code = mapcore_topo_open(&topo, cases[i].spec, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(code, 0);
        assert_string_equal(mapcore_topo_describe(topo), cases[i].description);
        assert_int_equal(mapcore_topo_nhosts(topo), cases[i].nhosts);
        assert_int_equal(mapcore_topo_diameter(topo), cases[i].diameter);
        mapcore_topo_destroy(topo);
    }
}

static void bad_specs_are_told(void **state)
{
    static const char *const bad[] = {
        "torus:",
        "torus:4x",
        "torus:x4",
        "torus:4x4x",
        "torus:4,4",
        "torus:-4x4",
        "torus:4x4/",
        "torus:4x4/x",
        "torus:4x4:wrap",
        "torus:4x4:",
        "torus:4x4/0",
        "torus:4x4:wrap=1",
        "torus:0x4",
        "torus:4x4:wrap=1x2",
        "torus:4x4:wrap=1x1x1",
        "torus:4 x4",
        "torus:4x4 ",
        "mesh:4x4:wrap=1x1",
        "tree:",
        "tree:4x4",
        "tree:4,",
        "tree:0",
        "flat:",
        "flat:4,4",
        "flat:0",
        "torus:99999999999",
        "torus:4x4x4:capacity=1x1",
        "torus:4x4:capacity=0",
        "torus:4x4:capacity=1x1x1",
        "torus:4x4:capacity=1x0",
        "torus:4x4:capacity=1x-1",
        "torus:4x4:capacity=1xnan",
        "torus:4x4:capacity=1xinf",
        "torus:4x4:capacity=1x1:capacity=1x1",
        "torus:4x4:capacity.y",
        "torus:4x4:capacity.",
        "torus:4x4:capacity.yy=1",
        "hypercube:4:capacity.a=1",
        "tree:4,4:capacity.x=1",
        "torus:4x4:uplinks=1x1",
        "ring:4x4",
        "ring:0",
        "hypercube:0",
        "hypercube:33",
        "hypercube:3x3",
        "tree:4,4,4:capacity=1,2",
        "tree:4,4:uplinks=1,0",
        "tree:4,4:wrap=1,1",
        "tree:4,4/2",
        "dragonfly:4,4",
        "dragonfly:4,4,4,4",
        "dragonfly:4,0,4",
        "dragonfly:4,4,4:global=0",
        "dragonfly:40,4,4",
        "dragonfly:4,4,4:capacity=1,2",
        "dragonfly:4,4,4:capacity=1,2,0",
        "torus:4x4:wrap=1x1:x",
        "torus:1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1"
        "x1x1",
    };
    struct mapcore_topo *topo = NULL;
    struct mapcore_error err;

    for (size_t i = 0; i < COUNT(bad); i++) {
        err.text[0] = '\0';
        assert_int_equal(mapcore_topo_open(&topo, bad[i], &err),
                         MAPCORE_EINVAL);
        assert_true(err.text[0] != '\0');
        assert_null(topo);
    }
    assert_int_equal(mapcore_topo_open(&topo, "torus:4y4", &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "topology 'torus:4y4' is not of the form "
                                  "torus:16x8x16, torus:16x8x16/2, "
                                  "torus:8x8x4:wrap=1x1x0, "
                                  "torus:8x8x4:capacity=2x1x2 or "
                                  "torus:8x8x4:capacity.y=8,1");
    assert_int_equal(mapcore_topo_open(&topo, "torus:65536x65536", &err),
                     MAPCORE_ERANGE);
    static const struct {
        const char *spec, *why;
    } along[] = {
        {"torus:4x4:capacity.y=8,0",
         "capacity.y: '0', number 2, is not a number from 1e-30 to 1e30"},
        {"torus:4x4:capacity.y=-8",
         "capacity.y: '-8', number 1, is not a number from 1e-30 to 1e30"},
        {"torus:4x4:capacity.y=8,1e31",
         "capacity.y: '1e31', number 2, is not a number from 1e-30 to 1e30"},
        {"torus:4x4:capacity.x=8,,1",
         "capacity.x: '', number 2, is not a number from 1e-30 to 1e30"},
        {"torus:4x4:capacity.y=",
         "capacity.y: '', number 1, is not a number from 1e-30 to 1e30"},
        {"torus:4x4:capacity.y=1x2",
         "capacity.y: '1x2', number 1, is not a number from 1e-30 to 1e30"},
        {"torus:4x4:capacity.z=1", "capacity.z, but dimensions are x to y"},
        {"torus:2x2x2x2:capacity.x=1", "capacity.x, but dimensions are a to d"},
        {"torus:4x4:capacity.y=1,2:capacity.y=2", "capacity.y is there twice"},
        {"torus:4x4:capacity.y=1,2,3,4,5",
         "capacity.y: 5 numbers for 4 links in a row of 4 routers"},
        {"torus:4x4:capacity.y=1,2,3,4:wrap=1x0",
         "capacity.y: 4 numbers for 3 links in a row of 4 routers"},
        {"mesh:1x4:capacity.x=1",
         "capacity.x: 1 number for 0 links in a row of 1 router"},
    };
    for (size_t i = 0; i < COUNT(along); i++) {
        char text[200];

        snprintf(text, sizeof(text), "topology '%s': %s", along[i].spec,
                 along[i].why);
        assert_int_equal(mapcore_topo_open(&topo, along[i].spec, &err),
                         MAPCORE_EINVAL);
        assert_string_equal(err.text, text);
    }
    assert_int_equal(
        mapcore_topo_open(&topo, "ring:10000000:capacity.x=8,1", &err),
        MAPCORE_EINVAL);
    static const char *const large[] = {
        "tree:65536,65536",        "flat:1000000000", "torus:1000x1000x1000",
        "ring:1000000000",         "hypercube:26",    "torus:10/1000000000",
        "dragonfly:1000,1000,1000"};
    for (size_t i = 0; i < COUNT(large); i++)
        assert_int_equal(mapcore_topo_open(&topo, large[i], &err),
                         MAPCORE_ERANGE);
    assert_int_equal(mapcore_topo_open(&topo, at(*state, "none"), &err),
                     MAPCORE_EIO);
    assert_int_equal(mapcore_topo_open(&topo, at(*state, ""), &err),
                     MAPCORE_EIO);
    assert_null(topo);
}

static void files_are_understood(void **state)
{
    static const struct {
        const char *text, *description;
    } cases[] = {
        {"torus:4x4x4", "torus 4x4x4"},
        {"# ours\n\n  tree:2,4  # small\n#\n", "tree of 3 switches, 8 hosts"},
        {"torus:2x2x2\nabsent 0 0 0\nabsent 1 1 1\n",
         "torus 2x2x2, 2 routers without hosts"},
        {"torus:2x2x2\nhost a 0 0 0\nabsent 1 1 1\nhost b 1 0 0 # second\n",
         "torus 2x2x2, 2 hosts, 1 router without hosts"},
        {"  SwitchName=s0 Nodes=n[0-3]\n", "flat network of 4 hosts"},
        {"# x\nswitchname=s0 Nodes=n0\nSwitchName=s1 Nodes=n1\n",
         "tree of 3 switches, 2 hosts"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const char *path = at(*state, "site.topo");
        struct mapcore_error err = {""};
        struct mapcore_topo *topo = NULL;

        put_text(path, cases[i].text);
        int code = mapcore_topo_open(&topo, path, &err);
        assert_string_equal(err.text, "");
        assert_int_equal(code, 0);
        assert_string_equal(mapcore_topo_describe(topo), cases[i].description);
        if (i == 3) {
            assert_string_equal(mapcore_topo_host_name(topo, 1), "b");
            assert_int_equal(between(topo, "a", "1 0 0"), 1);
        }
        mapcore_topo_destroy(topo);
    }
}

static void bad_files_are_told(void **state)
{
    static const struct bad cases[] = {
        {"", MAPCORE_EPARSE, ": no topology in it"},
        {"# x\n", MAPCORE_EPARSE, ": no topology in it"},
        {"donut:4x4\n", MAPCORE_EPARSE,
         ":1: 'donut:4x4' begins no topology: torus:, mesh:, ring:, hypercube:, "
         "tree:, flat:, dragonfly:, links, SwitchName= and --- do"},
        {"torus:4,4\n", MAPCORE_EPARSE,
         ":1: topology 'torus:4,4' is not of the form torus:16x8x16, "
         "torus:16x8x16/2, torus:8x8x4:wrap=1x1x0, "
         "torus:8x8x4:capacity=2x1x2 or torus:8x8x4:capacity.y=8,1"},
        {"torus:4x4 host\n", MAPCORE_EPARSE,
         ":1: something follows the topology in its line"},
        {"torus:4x4\nnode a 0 0\n", MAPCORE_EPARSE,
         ":2: 'node' is not host, hosts or absent"},
        {"torus:4x4\nhost\n", MAPCORE_EPARSE, ":2: a host without a name"},
        {"torus:4x4\nhost a 0\n", MAPCORE_EPARSE,
         ":2: 2 coordinates are needed"},
        {"torus:4x4\nhost a 0 x\n", MAPCORE_EPARSE,
         ":2: 2 coordinates are needed"},
        {"torus:4x4\nhost a 0 0 0\n", MAPCORE_EPARSE,
         ":2: more than 2 coordinates"},
        {"torus:4x4\nhost a 0 4\n", MAPCORE_EPARSE,
         ":2: coordinate 4 is not below 4"},
        {"torus:4x4\nhost a 0 0\n\nhost a 1 0\n", MAPCORE_EPARSE,
         ":4: host a is there twice"},
        {"torus:4x4\nabsent 0 0\nhost a 0 0\n", MAPCORE_EINVAL,
         ": host 0 sits at an absent router"},
        {"torus:1x1\nabsent 0 0\n", MAPCORE_EINVAL, ": a torus without hosts"},
        {"tree:4,4\nhost a 0 0\n", MAPCORE_EPARSE, ":2: 'host' is not hosts"},
        {"tree:2,2\nhosts n[0-2]\n", MAPCORE_EINVAL,
         ": 3 names for a network of 4 hosts"},
        {"tree:2,2\nhosts n[0-2]\nhosts n2\n", MAPCORE_EPARSE,
         ":3: host n2 is there twice"},
        {"torus:2x2\nhosts n[0-3]\nhost a 0 0\n", MAPCORE_EPARSE,
         ":3: host and hosts exclude each other"},
        {"torus:2x2\nhost a 0 0\nhosts n[0-3]\n", MAPCORE_EPARSE,
         ":3: host and hosts exclude each other"},
        {"tree:2,2\nhosts\n", MAPCORE_EPARSE,
         ":2: hosts wants one list, such as n[0-7]"},
        {"SwitchName=s0 Nodes=a\nSwitchName=s1 Nodes=a\n", MAPCORE_EPARSE,
         ":2: node a is on two switches, s0 and s1"},
    };

    refused(at(*state, "bad.topo"), cases, COUNT(cases));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(topology_conf_and_scontrol_agree),
        cmocka_unit_test(the_deepest_switch_wins),
        cmocka_unit_test(several_roots_are_joined),
        cmocka_unit_test(bad_slurm_lines_are_told),
        cmocka_unit_test(a_switch_may_be_listed_twice_in_one_list),
        cmocka_unit_test(specs_are_understood),
        ON_DISK(bad_specs_are_told),
        ON_DISK(files_are_understood),
        ON_DISK(bad_files_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
