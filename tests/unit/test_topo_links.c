/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_topo_links.c - networks in files: lists of links, ibnetdiscover's
 * output, Slurm's blocks, rings and tori, topology.yaml */
#include "config.h"

#include "unit.h"

#include "topo/topo.h"

#include "scratch.h"

static struct mapcore_topo *opened(const char *path, const char *text)
{
    struct mapcore_error err = {""};
    struct mapcore_topo *topo = NULL;

    put_text(path, text);
    int code = mapcore_topo_open(&topo, path, &err);
    assert_string_equal(err.text, "");
    assert_int_equal(code, 0);
    return topo;
}

static uint32_t between(const struct mapcore_topo *topo,
                        const char *a,
                        const char *b)
{
    uint32_t i, j;

    assert_int_equal(mapcore_topo_find_host(&i, topo, a, NULL), 0);
    assert_int_equal(mapcore_topo_find_host(&j, topo, b, NULL), 0);
    return mapcore_topo_distance(topo, i, j);
}

struct bad {
    const char *text;
    int code;
    const char *why; /* behind the path */
};

static void refused(const char *path, const struct bad *bad, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        struct mapcore_error err = {""};
        struct mapcore_topo *topo = NULL;

        put_text(path, bad[i].text);
        int code = mapcore_topo_open(&topo, path, &err);
        assert_memory_equal(err.text, path, strlen(path));
        assert_string_equal(err.text + strlen(path), bad[i].why);
        assert_int_equal(code, bad[i].code);
        assert_null(topo);
    }
}

static void lists_of_links_are_read(void **state)
{
    struct mapcore_topo *topo =
        opened(at(*state, "x.links"), "# two leaves, two spines\n"
                                      "links\n"
                                      "switch leaf[0-1] spine[0-1]\n"
                                      "host n[0-3]  # on leaf0\n"
                                      "host n[4-7]\n"
                                      "link n[0-3] leaf0 25e9\n"
                                      "link n[4-7] leaf1 25e9\n"
                                      "link leaf[0-1] spine0 100e9 x2\n"
                                      "link leaf[0-1] spine1 100e9\n");
    uint32_t links[8], n, busy = 0;
    char place[40];

    assert_string_equal(mapcore_topo_describe(topo),
                        "network of 12 links, 4 switches, 8 hosts");
    assert_int_equal(between(topo, "n0", "n3"), 2);
    assert_int_equal(between(topo, "n0", "n4"), 4);
    assert_int_equal(mapcore_topo_diameter(topo), 4);
    assert_true(mapcore_topo_has_capacities(topo));
    mapcore_topo_host_place(topo, 5, place, sizeof(place));
    assert_string_equal(place, "leaf1");
    /* Hosts 4 .. 7 take the spines in turn. */
    for (uint32_t b = 4; b < 8; b++) {
        n = mapcore_topo_route(topo, 0, b, links);
        assert_int_equal(n, 4);
        mapcore_topo_link_name(topo, links[1], place, sizeof(place));
        assert_string_equal(place, b % 2 ? "leaf0 - spine1" : "leaf0 - spine0");
        assert_true(mapcore_topo_link_capacity(topo, links[1]) ==
                    (b % 2 ? 100e9 : 200e9));
        busy += b % 2;
    }
    assert_int_equal(busy, 2);
    mapcore_topo_destroy(topo);

    topo = opened(at(*state, "x.links"),
                  "links\nnode r[0-2]\nhost a b at r0\nlink r0 r1\n"
                  "link r1 r2\nlink r2 r0\n");
    assert_int_equal(mapcore_topo_nhosts(topo), 5);
    assert_int_equal(between(topo, "a", "b"), 0);
    assert_int_equal(between(topo, "a", "r0"), 0);
    assert_int_equal(between(topo, "b", "r2"), 1);
    assert_false(mapcore_topo_has_capacities(topo));
    mapcore_topo_destroy(topo);

    /* A tree is found to be one. */
    topo = opened(at(*state, "x.links"),
                  "links\nhost n[0-3]\nswitch top s[0-1]\n"
                  "link n[0-1] s0\nlink n[2-3] s1\nlink s[0-1] top\n");
    assert_string_equal(mapcore_topo_describe(topo),
                        "tree of 3 switches, 4 hosts");
    assert_int_equal(between(topo, "n1", "n2"), 4);
    mapcore_topo_destroy(topo);
}

static void bad_lists_of_links_are_told(void **state)
{
    static const struct bad bad[] = {
        {"links x\n", MAPCORE_EPARSE,
         ":1: something follows the word links in its line"},
        {"links\nhub a\n", MAPCORE_EPARSE,
         ":2: 'hub' is not host, switch, node or link"},
        {"links\nhost\n", MAPCORE_EPARSE, ":2: a name is missing"},
        {"links\nhost a[0-\n", MAPCORE_EPARSE, NULL},
        {"links\nhost n[0-1] n1\n", MAPCORE_EPARSE,
         ":2: host n1 is there twice"},
        {"links\nswitch s\nhost s\n", MAPCORE_EPARSE,
         ":3: host s is there twice"},
        {"links\nhost s\nnode s\n", MAPCORE_EPARSE,
         ":3: switch s is there twice"},
        {"links\nhost n at s0\n", MAPCORE_EPARSE,
         ":2: s0 is no switch that was declared before"},
        {"links\nhost n at\n", MAPCORE_EPARSE, ":2: at which switch?"},
        {"links\nswitch s\nhost n\nlink n\n", MAPCORE_EPARSE,
         ":4: a link has two ends"},
        {"links\nswitch s\nhost n\nlink n s9\n", MAPCORE_EPARSE,
         ":4: a link to s9, which was not declared before"},
        {"links\nswitch s\nhost n\nlink s s\n", MAPCORE_EPARSE,
         ":4: a link from s to itself"},
        {"links\nhost n m\nlink n m\n", MAPCORE_EPARSE,
         ":3: a link between hosts n and m, which forward nothing: declare "
         "them by `node'"},
        {"links\nswitch s\nhost n\nlink n s 0\n", MAPCORE_EPARSE,
         ":4: capacity '0' is not a number from 1e-30 to 1e30"},
        {"links\nswitch s\nhost n\nlink n s -1\n", MAPCORE_EPARSE,
         ":4: capacity '-1' is not a number from 1e-30 to 1e30"},
        {"links\nswitch s\nhost n\nlink n s nan\n", MAPCORE_EPARSE,
         ":4: capacity 'nan' is not a number from 1e-30 to 1e30"},
        {"links\nswitch s\nhost n\nlink n s 1e999\n", MAPCORE_EPARSE,
         ":4: capacity '1e999' is not a number from 1e-30 to 1e30"},
        {"links\nswitch s\nhost n\nlink n s 1e-31\n", MAPCORE_EPARSE,
         ":4: capacity '1e-31' is not a number from 1e-30 to 1e30"},
        {"links\nswitch s\nhost n\nlink n s 1 x0\n", MAPCORE_EPARSE,
         ":4: 'x0' is not x1 to x1000 cables"},
        {"links\nswitch s\nhost n m\nlink n s 1\nlink m s\n", MAPCORE_EPARSE,
         ":5: capacities stand either with all links or with none"},
        {"links\nswitch s\nhost n\nlink n s 1 x2 y\n", MAPCORE_EPARSE,
         ":4: 'y' is more than two ends, a capacity and a number of cables"},
        {"links\nswitch s\nhost n m\nlink n s\n", MAPCORE_EPARSE,
         ": the network is not connected: host m has no link"},
        {"links\nswitch s t\nhost n m\nlink n s\nlink m t\n", MAPCORE_EPARSE,
         ": the network is not connected: no way leads from host n to host m "
         "(or it is longer than 65,534 links)"},
        /* Host b has a cable to both sides but forwards nothing. */
        {"links\nswitch s t\nhost b n m\nlink n s\nlink m t\nlink b s\n"
         "link b t\n",
         MAPCORE_EPARSE,
         ": the network is not connected: no way leads from host b to host n "
         "(or it is longer than 65,534 links)"},
        {"links\nswitch s\nhost n at s\nlink n s\n", MAPCORE_EPARSE,
         ": host n sits at a switch and has a cable as well"},
        {"links\nswitch s\n", MAPCORE_EPARSE, ": a network without hosts"},
        {"links\nhost n[0-999999999]\n", MAPCORE_ERANGE, NULL},
    };
    const char *path = at(*state, "bad.links");

    for (size_t i = 0; i < COUNT(bad); i++) {
        if (bad[i].why) {
            refused(path, &bad[i], 1);
            continue;
        }
        /* What hosts_expand says of a list, with file and line. */
        struct mapcore_error err = {""};
        struct mapcore_topo *topo = NULL;

        put_text(path, bad[i].text);
        assert_int_equal(mapcore_topo_open(&topo, path, &err), bad[i].code);
        assert_memory_equal(err.text, path, strlen(path));
        assert_memory_equal(err.text + strlen(path), ":2: ", 4);
    }
}

/* A cube-like fabric: two leaves, two spines, a host with two adapters, a
 * switch with an aggregation node inside, a router that is a switch to us. */
static const char fabric[] =
    "#\n"
    "# Topology file: generated on Mon Jan  5 10:00:00 2026\n"
    "#\n"
    "# Initiated from node 0000000000000010 port 0000000000000010\n"
    "\n"
    "vendid=0x2c9\ndevid=0xcb20\nsysimgguid=0xa0\n"
    "switchguid=0xa0(a0)\n"
    "Switch\t36 \"S-00000000000000a0\"\t\t# \"MF0;leaf0:CS7520/U1\" base port 0 "
    "lid 4 lmc 0\n"
    "[1]\t\"H-0000000000000010\"[1](10) \t\t# \"node01 HCA-1\" lid 7 4xEDR\n"
    "[2]\t\"H-0000000000000020\"[1](20) \t\t# \"node02 HCA-1\" lid 8 4xEDR\n"
    "[37]\t\"H-0000000000000aa0\"[1](aa0) \t\t# \"Mellanox Technologies "
    "Aggregation Node\" lid 99 4xEDR\n"
    "[35]\t\"S-00000000000000c0\"[1]\t\t# \"SwitchIB spine\" lid 2 4xHDR\n"
    "[36]\t\"S-00000000000000c0\"[2]\t\t# \"SwitchIB spine\" lid 2 4xHDR\n"
    "\n"
    "switchguid=0xb0(b0)\n"
    "Switch\t36 \"S-00000000000000b0\"\t\t# \"MF0;leaf1:CS7520/U1\" base port 0 "
    "lid 5 lmc 0\n"
    "[1]\t\"H-0000000000000030\"[1](30) \t\t# \"node03 HCA-1\" lid 9 4xEDR\n"
    "[2]\t\"H-0000000000000031\"[1](31) \t\t# \"node03 HCA-2\" lid 10 4xEDR\n"
    "[36]\t\"S-00000000000000c0\"[3]\t\t# \"SwitchIB spine\" lid 2 4xHDR\n"
    "\n"
    "switchguid=0xc0(c0)\n"
    "Switch\t36 \"S-00000000000000c0\"\t\t# \"SwitchIB spine\" base port 0 lid 2 "
    "lmc 0\n"
    "[3]\t\"S-00000000000000b0\"[36]\t\t# \"MF0;leaf1:CS7520/U1\" lid 5 4xHDR\n"
    "[1]\t\"S-00000000000000a0\"[35]\t\t# \"MF0;leaf0:CS7520/U1\" lid 4 4xHDR\n"
    "[2]\t\"S-00000000000000a0\"[36]\t\t# \"MF0;leaf0:CS7520/U1\" lid 4 4xHDR\n"
    "\n"
    "caguid=0x10\n"
    "Ca\t1 \"H-0000000000000010\"\t\t# \"node01 HCA-1\"\n"
    "[1](10) \t\"S-00000000000000a0\"[1]\t\t# lid 7 lmc 0 "
    "\"MF0;leaf0:CS7520/U1\" lid 4 4xEDR\n";

static void ibnetdiscover_is_read(void **state)
{
    struct mapcore_topo *topo = opened(at(*state, "ib.txt"), fabric);
    uint32_t links[8];
    char name[80];

    /* Two adapters at one switch are one link of twice the capacity, so this is
     * a tree. */
    assert_string_equal(mapcore_topo_describe(topo),
                        "tree of 3 switches, 3 hosts");
    assert_int_equal(between(topo, "node01", "node02"), 2);
    assert_int_equal(between(topo, "node01", "node03"), 4);
    assert_true(mapcore_topo_has_capacities(topo));
    assert_int_equal(mapcore_topo_route(topo, 0, 2, links), 4);
    mapcore_topo_link_name(topo, links[0], name, sizeof(name));
    assert_string_equal(name, "node01 - leaf0");
    assert_true(mapcore_topo_link_capacity(topo, links[0]) == 4 * 25e9 / 8);
    assert_true(mapcore_topo_link_capacity(topo, links[3]) == 8 * 25e9 / 8);
    mapcore_topo_link_name(topo, links[1], name, sizeof(name));
    assert_string_equal(name, "leaf0 - S-00000000000000c0");
    assert_true(mapcore_topo_link_capacity(topo, links[1]) == 8 * 50e9 / 8);
    assert_true(mapcore_topo_link_capacity(topo, links[2]) == 4 * 50e9 / 8);
    mapcore_topo_destroy(topo);

    /* Old versions print no rates. */
    topo =
        opened(at(*state, "ib.txt"),
               "vendid=0x8f1\n"
               "Switch  24 \"S-0008f104003f1e29\"  # \"x\" base port 0 lid 7\n"
               "[24]    \"H-0002c90200247010\"[1]  # \"atlas35\" lid 1252\n"
               "[23]    \"H-0002c9020024d5f8\"[1]  # \"atlas34\" lid 3640\n");
    assert_string_equal(mapcore_topo_describe(topo), "flat network of 2 hosts");
    assert_false(mapcore_topo_has_capacities(topo));
    assert_int_equal(between(topo, "atlas35", "atlas34"), 2);
    mapcore_topo_destroy(topo);
}

/* Nodes that were never booted, and names with domains. */
static void unnamed_adapters_are_left_out(void **state)
{
    struct mapcore_topo *topo = opened(
        at(*state, "ib.txt"),
        "vendid=0x1\nSwitch 24 \"S-1\" # \"x\" base port 0 lid 7\n"
        "[1] \"H-1\"[1] # \"node1.a.org mlx5_0\" lid 1 4xEDR\n"
        "[2] \"H-2\"[1] # \"node2 mlx5_0\" lid 2 4xEDR\n"
        "[3] \"H-3\"[1] # \"MT4123 ConnectX6   Mellanox Technologies\" lid 3 "
        "4xEDR\n"
        "[4] \"H-4\"[1] # \"MT4123 ConnectX6   Mellanox Technologies\" lid 4 "
        "4xEDR\n"
        "[5] \"H-5\"[1] # \"\" lid 5 4xEDR\n"
        "[6] \"H-6\"[1] # \"localhost HCA-1\" lid 6 4xEDR\n"
        "[7] \"H-7\"[1] # \"localhost HCA-1\" lid 7 4xEDR\n"
        "[8] \"H-8\"[1] # \"node1.a.org mlx5_1\" lid 8 4xEDR\n"
        "[9] \"H-9\"[1] # \"node2.b.org mlx5_0\" lid 9 4xEDR\n"
        "[10] \"H-a\"[1] # \"10.0.0.1 mlx5_0\" lid 9 4xEDR\n"
        "[11] \"H-b\"[1] # \"node2.b.org mlx5_1\" lid 9 4xEDR\n");

    assert_string_equal(mapcore_topo_describe(topo),
                        "flat network of 4 hosts; 5 adapters without a name of "
                        "their own left out");
    assert_int_equal(between(topo, "node1", "node2"), 2);
    assert_int_equal(between(topo, "node2.b.org", "10.0.0.1"), 2);
    /* Slurm's name may have a domain, too. */
    assert_int_equal(between(topo, "node1.a.org", "node2"), 2);
    mapcore_topo_destroy(topo);
}

static void bad_ibnetdiscover_is_told(void **state)
{
    static const struct bad bad[] = {
        {"vendid=0x1\nSwitch 8 S-1 # \"x\"\n", MAPCORE_EPARSE,
         ":2: a switch or adapter without an identifier"},
        {"vendid=0x1\n[1] \"H-1\"[1] # \"n\" lid 1 4xEDR\n", MAPCORE_EPARSE,
         ":2: a port of no switch or adapter, or to none"},
        {"vendid=0x1\nSwitch 8 \"S-1\" # \"x\"\n[1] \"H-1\"[1] # \"\" lid 1\n",
         MAPCORE_EPARSE, ": a network without hosts"},
        {"vendid=0x1\nCa 1 \"H-1\" # \"n\"\n[1](1) \"H-2\"[1](2) # lid 1\n",
         MAPCORE_ENOTSUP,
         ":3: adapters H-1 and H-2 are joined without a switch"},
        {"vendid=0x1\n", MAPCORE_EPARSE, ": a network without hosts"},
    };

    refused(at(*state, "bad.ib"), bad, COUNT(bad));
}

static void blocks_are_trees_of_blocks(void **state)
{
    static const char *const texts[] = {
        "BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n[4-7]\n"
        "BlockName=b3 Nodes=n[8-11]\nBlockName=b4 Nodes=n[12-15]\n"
        "BlockName=b5 Nodes=n[16-19]\nBlockSizes=4,8,16\n",
        "BlockName=b1 BlockIndex=0 Nodes=n[0-3] BlockSize=4\n"
        "BlockName=b2 BlockIndex=1 Nodes=n[4-7] BlockSize=4\n"
        "BlockName=b3 BlockIndex=2 Nodes=n[8-11] BlockSize=4\n"
        "BlockName=b4 BlockIndex=3 Nodes=n[12-15] BlockSize=4\n"
        "BlockName=b5 BlockIndex=4 Nodes=n[16-19] BlockSize=4\n"
        "AggregatedBlock=b[1-2] BlockIndex=5 Nodes=n[0-7] BlockSize=8\n"
        "AggregatedBlock=b[3-4] BlockIndex=6 Nodes=n[8-15] BlockSize=8\n"
        "AggregatedBlock=b5 BlockIndex=7 Nodes=n[16-19] BlockSize=8\n"
        "AggregatedBlock=b[1-4] BlockIndex=8 Nodes=n[0-15] BlockSize=16\n",
        "---\n- topology: t\n  block:\n    block_sizes: [4, 8, 16]\n"
        "    blocks:\n"
        "      - {block: b1, nodes: 'n[0-3]'}\n"
        "      - {block: b2, nodes: 'n[4-7]'}\n"
        "      - {block: b3, nodes: 'n[8-11]'}\n"
        "      - {block: b4, nodes: 'n[12-15]'}\n"
        "      - {block: b5, nodes: 'n[16-19]'}\n"};

    for (size_t i = 0; i < COUNT(texts) - !HAVE_YAML; i++) {
        struct mapcore_topo *topo = opened(at(*state, "b.conf"), texts[i]);

        assert_string_equal(mapcore_topo_describe(topo),
                            "tree of 9 switches, 20 hosts");
        assert_int_equal(between(topo, "n0", "n3"), 2);
        assert_int_equal(between(topo, "n0", "n7"), 4);
        assert_int_equal(between(topo, "n0", "n8"), 6);
        assert_int_equal(between(topo, "n0", "n19"), 6);
        mapcore_topo_destroy(topo);
    }
}

static void rings_and_tori_of_slurm(void **state)
{
    struct mapcore_topo *topo =
        opened(at(*state, "r.conf"), "RingName=r0 Nodes=n[0-7] RingSize=8\n");

    assert_string_equal(mapcore_topo_describe(topo), "torus 8, 8 hosts");
    assert_int_equal(between(topo, "n0", "n7"), 1);
    assert_int_equal(between(topo, "n0", "n4"), 4);
    mapcore_topo_destroy(topo);

    topo = opened(at(*state, "r.conf"), "RingName=r0 Nodes=n[0-7]\n"
                                        "RingName=r1 Nodes=m[0-4]\n");
    assert_int_equal(between(topo, "n0", "n7"), 1);
    assert_int_equal(between(topo, "n3", "n6"), 3);
    assert_int_equal(between(topo, "n1", "m4"), 1 + 2 + 1);
    mapcore_topo_destroy(topo);

    topo = opened(at(*state, "t.conf"),
                  "TorusName=pod1 Dims=4x4x2 Nodes=n[00-31]\n"
                  "  TorusName=pod1 PlacementDims=2x2x1(4) Anchors=8\n");
    assert_string_equal(mapcore_topo_describe(topo), "torus 4x4x2, 32 hosts");
    assert_int_equal(between(topo, "n00", "n03"), 1);
    assert_int_equal(between(topo, "n00", "n05"), 2);
    assert_int_equal(between(topo, "n00", "n31"), 3);
    mapcore_topo_destroy(topo);

#if HAVE_YAML
    topo = opened(at(*state, "t.yaml"),
                  "# ours\n---\n- topology: other\n  flat: true\n"
                  "- topology: t\n  cluster_default: true\n  torus3d:\n"
                  "    toruses:\n"
                  "      - name: pod1\n"
                  "        dims: {x: 4, y: 4, z: 2}\n"
                  "        regions:\n"
                  "          - anchor: {x: 2, y: 2, z: 0}\n"
                  "            dims: {x: 2, y: 2, z: 2}\n"
                  "            nodes: n[0-7]\n"
                  "          - anchor: {x: 0, y: 0, z: 0}\n"
                  "            dims: {x: 1, y: 1, z: 1}\n"
                  "            nodes: m\n");
    assert_string_equal(mapcore_topo_describe(topo), "torus 4x4x2, 9 hosts");
    assert_int_equal(between(topo, "n0", "2 2 0"), 0);
    assert_int_equal(between(topo, "n7", "m"), 3);
    mapcore_topo_destroy(topo);

    topo = opened(at(*state, "t.yaml"),
                  "- topology: topo1\n  tree:\n    switches:\n"
                  "      - switch: sw_root\n        children: s[1-2]\n"
                  "      - switch: s1\n        nodes: node[01-02]\n"
                  "      - switch: s2\n        nodes: node[03-04]\n");
    assert_string_equal(mapcore_topo_describe(topo),
                        "tree of 3 switches, 4 hosts");
    assert_int_equal(between(topo, "node01", "node03"), 4);
    mapcore_topo_destroy(topo);
#endif
}

static void bad_blocks_rings_and_tori_are_told(void **state)
{
    static const struct bad bad[] = {
        {"BlockName=b1 Nodes=n[0-3]\nBlockName=b1 Nodes=m\n", MAPCORE_EPARSE,
         ":2: b1: a block is there twice"},
        {"BlockName=b1 Nodes=n[0-3]\nBlockName=b2 Nodes=n3\n", MAPCORE_EPARSE,
         ":2: b2: one of its nodes is there twice"},
        {"BlockName=b1 Nodes=n0\nBlockSizes=4,x\n", MAPCORE_EPARSE,
         ":2: BlockSizes= is not a list of numbers above 0"},
        {"BlockName=b1 Nodes=n0\nBlockSizes=4,6\n", MAPCORE_EPARSE,
         ": BlockSizes= are no multiples of the first"},
        {"BlockName=b1 Nodes=n0\nAggregatedBlock=b[1-2] Nodes=n0\n",
         MAPCORE_EPARSE, ":2: b[1-2]: it has a block that is not described"},
        {"BlockName=a Nodes=n0\nBlockName=b Nodes=n1\nBlockName=c Nodes=n2\n"
         "AggregatedBlock=a,b\nAggregatedBlock=b,c\n",
         MAPCORE_EPARSE, ": aggregated blocks overlap"},
        {"BlockSizes=4,8\n", MAPCORE_EPARSE, ": no blocks in it"},
        {"BlockName=b1\n", MAPCORE_EPARSE, ": no nodes in it"},
        {"BlockName=b1 Nodes=n0\nRingName=r Nodes=n1\n", MAPCORE_EPARSE,
         ":2: r: blocks, rings and tori do not stand in one file"},
        {"BlockName=b1 Nodes=n0\nSwitchName=s Nodes=n1\n", MAPCORE_EPARSE,
         ":2: 'SwitchName=s' names no block, ring or torus"},
        {"TorusName=t Nodes=n0\n", MAPCORE_EPARSE, ":1: t: Dims= is missing"},
        {"TorusName=t Dims=4x4 Nodes=n0\n", MAPCORE_EPARSE,
         ":1: Dims=4x4 is not of the form 4x4x2"},
        {"TorusName=t Dims=1x1x1 Nodes=n[0-1]\n", MAPCORE_EPARSE,
         ":1: t: more nodes than places"},
        {"TorusName=t Dims=0x1x1 Nodes=n[0-1]\n", MAPCORE_EPARSE,
         ":1: t: no places, or more than 2^24"},
#if HAVE_YAML
        {"--- x\n", MAPCORE_EPARSE, ":1: no list of topologies"},
        {"---\n- [\n", MAPCORE_EPARSE,
         ":3: did not find expected node content"},
        {"---\n- topology: t\n  flat: true\n", MAPCORE_ENOTSUP,
         ":2: neither tree, block, ring nor torus3d: the nodes of a flat "
         "network are not listed"},
        {"---\n- topology: t\n  tree: 3\n", MAPCORE_EPARSE,
         ":2: a list of switches, blocks, rings or toruses is expected"},
        {"---\n- topology: t\n  tree:\n    switches:\n    - switch: a\n"
         "      nodes: n[0-3]\n    - switch: b\n      nodes: n3\n",
         MAPCORE_EPARSE, ":7: node n3 is on two switches, a and b"},
        {"---\n- topology: t\n  tree:\n    switches:\n    - nodes: n\n",
         MAPCORE_EPARSE, ":5: an entry without a name"},
        {"---\n- topology: t\n  block:\n    blocks:\n"
         "    - {block: 'b c', nodes: n}\n",
         MAPCORE_EPARSE, ":5: an entry without a name"},
        {"---\n- topology: t\n  torus3d:\n    toruses:\n    - name: t\n"
         "      dims: {x: 1, y: 1}\n",
         MAPCORE_EPARSE, ":6: x, y and z are expected"},
#endif
    };

    refused(at(*state, "bad.conf"), bad, COUNT(bad));
}

int main(void)
{
#define IN_SCRATCH(f)                                                          \
    cmocka_unit_test_setup_teardown(f, scratch_setup, scratch_teardown)
    const struct CMUnitTest tests[] = {
        IN_SCRATCH(lists_of_links_are_read),
        IN_SCRATCH(bad_lists_of_links_are_told),
        IN_SCRATCH(ibnetdiscover_is_read),
        IN_SCRATCH(unnamed_adapters_are_left_out),
        IN_SCRATCH(bad_ibnetdiscover_is_told),
        IN_SCRATCH(blocks_are_trees_of_blocks),
        IN_SCRATCH(rings_and_tori_of_slurm),
        IN_SCRATCH(bad_blocks_rings_and_tori_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
