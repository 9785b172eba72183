/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_topo_links.c - networks in files: lists of links */
#include "config.h"

#include "topofixture.h"

static void lists_of_links_are_read(void **state)
{
    struct mapcore_topo *topo =
        opened_text(at(*state, "x.links"), "# two leaves, two spines\n"
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

    topo = opened_text(at(*state, "x.links"),
                       "links\nnode r[0-2]\nhost a b at r0\nlink r0 r1\n"
                       "link r1 r2\nlink r2 r0\n");
    assert_int_equal(mapcore_topo_nhosts(topo), 5);
    assert_int_equal(between(topo, "a", "b"), 0);
    assert_int_equal(between(topo, "a", "r0"), 0);
    assert_int_equal(between(topo, "b", "r2"), 1);
    assert_false(mapcore_topo_has_capacities(topo));
    mapcore_topo_destroy(topo);

    /* What a torus's routers are called, and what the description ends in. */
    topo = opened_text(at(*state, "x.links"),
                       "links\nnote 1 more\nswitch t(0,0) t(0,1) t(1,1)\n"
                       "host a at t(0,0)\nhost b at t(1,1)\n"
                       "link t(0,0) t(0,1)\nlink t(0,1) t(1,1)\n");
    assert_string_equal(mapcore_topo_describe(topo),
                        "network of 2 links, 3 switches, 2 hosts; 1 more");
    assert_int_equal(between(topo, "a", "b"), 2);
    mapcore_topo_destroy(topo);

    /* A tree is found to be one. */
    topo = opened_text(at(*state, "x.links"),
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
         ":2: 'hub' is not host, switch, node, link, rails or note"},
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(lists_of_links_are_read),
        ON_DISK(bad_lists_of_links_are_told),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
