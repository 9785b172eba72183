/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_topo.c - tori, meshes and trees: distances against breadth-first search
 * over the links, routes against distances */
#include "config.h"

#include "unit.h"

#include "base/rng.h"
#include "topo/create.h"
#include "topo/topo.h"
#include "topo/walk.h"

enum { MAX_DIMS = 5 };

/* Distances by breadth-first search over unit links, built here from the
 * dimensions and not from any formula: the arbitrary graph that models it. */
struct model {
    uint32_t ndims, nrouters;
    uint32_t dims[MAX_DIMS];
    bool wraps[MAX_DIMS];
};

static void place(const struct model *m, uint32_t router, uint32_t *x)
{
    for (uint32_t i = 0; i < m->ndims; i++) {
        x[i] = router % m->dims[i];
        router /= m->dims[i];
    }
}

static uint32_t router_at(const struct model *m, const uint32_t *x)
{
    uint32_t router = 0;

    for (uint32_t i = m->ndims; i-- > 0;)
        router = router * m->dims[i] + x[i];
    return router;
}

/* The router one step from here, or MAPCORE_NONE at the edge of a mesh. */
static uint32_t step(const struct model *m,
                     uint32_t router,
                     uint32_t dimension,
                     bool up)
{
    uint32_t x[MAX_DIMS] = {0}, dim = m->dims[dimension];

    place(m, router, x);
    uint32_t *c = &x[dimension];
    if (up && *c == dim - 1) {
        if (!m->wraps[dimension])
            return MAPCORE_NONE;
        *c = 0;
    } else if (!up && *c == 0) {
        if (!m->wraps[dimension])
            return MAPCORE_NONE;
        *c = dim - 1;
    } else {
        *c = up ? *c + 1 : *c - 1;
    }
    return router_at(m, x);
}

static void search(const struct model *m, uint32_t from, uint32_t *distance)
{
    uint32_t *queue = calloc(m->nrouters, sizeof(*queue)), n = 0;

    memset(distance, 0xff, m->nrouters * sizeof(*distance));
    distance[from] = 0;
    queue[n++] = from;
    for (uint32_t k = 0; k < n; k++) {
        for (uint32_t i = 0; i < 2 * m->ndims; i++) {
            uint32_t next = step(m, queue[k], i / 2, i % 2);

            if (next == MAPCORE_NONE || distance[next] != MAPCORE_NONE)
                continue;
            distance[next] = distance[queue[k]] + 1;
            queue[n++] = next;
        }
    }
    assert_int_equal(n, m->nrouters);
    free(queue);
}

/* Takes "(3,4,5) +x" apart and walks that link. */
static uint32_t walk(const struct model *m,
                     const struct mapcore_topo *topo,
                     uint32_t link,
                     uint32_t router,
                     uint32_t *dimension)
{
    uint32_t x[MAX_DIMS];
    char name[100], *p = name;

    assert_true(link < mapcore_topo_nlinks(topo));
    assert_true(mapcore_topo_link_name(topo, link, name, sizeof(name)) > 0);
    for (uint32_t i = 0; i < m->ndims; i++) {
        assert_int_equal(*p++, i == 0 ? '(' : ',');
        x[i] = (uint32_t)strtoul(p, &p, 10);
    }
    assert_memory_equal(p, ") ", 2);
    assert_int_equal(router_at(m, x), router);
    assert_true(p[2] == '+' || p[2] == '-');
    *dimension = (uint32_t)(p[3] - (m->ndims <= 3 ? 'x' : 'a'));
    assert_true(*dimension < m->ndims);
    assert_int_equal(p[4], '\0');
    return step(m, router, *dimension, p[2] == '+');
}

static void check_route(const struct model *m,
                        const struct mapcore_topo *topo,
                        uint32_t a,
                        uint32_t b,
                        const uint32_t *router,
                        uint32_t distance)
{
    uint32_t longest = 2 * mapcore_topo_diameter(topo);
    uint32_t *links = calloc(longest + 1, sizeof(*links));
    uint32_t *split = calloc(longest + 1, sizeof(*split));
    uint32_t at = router[a], last = 0, nsplit, whole;

    assert_true(distance <= mapcore_topo_diameter(topo));
    assert_int_equal(mapcore_topo_route(topo, a, b, links), distance);
    for (uint32_t i = 0; i < distance; i++) {
        uint32_t dimension;

        at = walk(m, topo, links[i], at, &dimension);
        assert_true(dimension >= last); /* dimension by dimension */
        last = dimension;
    }
    assert_int_equal(at, router[b]);
    /* The route is among the links over which what takes it is split. */
    nsplit = topo_split_route(topo, a, b, split, &whole);
    assert_int_equal(whole + (nsplit - whole) / 2, distance);
    for (uint32_t i = 0; i < distance; i++) {
        uint32_t k = 0;

        while (k < nsplit && split[k] != links[i])
            k++;
        assert_true(k < nsplit);
    }
    free(split);
    free(links);
}

/* Everything about a torus whose hosts sit at the routers router[nhosts]. */
static void check_torus(const struct model *m,
                        const struct mapcore_topo *topo,
                        const uint32_t *router)
{
    uint32_t *distance = calloc(m->nrouters, sizeof(*distance)), longest = 0;
    uint32_t nhosts = mapcore_topo_nhosts(topo);
    struct model mesh = *m;

    memset(mesh.wraps, 0, sizeof(mesh.wraps));
    assert_true(mapcore_topo_is_torus(topo));
    assert_int_equal(mapcore_topo_nlinks(topo), m->nrouters * m->ndims * 2);
    for (uint32_t a = 0; a < nhosts; a++) {
        search(m, router[a], distance);
        for (uint32_t r = 0; r < m->nrouters; r++)
            longest = distance[r] > longest ? distance[r] : longest;
        for (uint32_t b = 0; b < nhosts; b++) {
            assert_int_equal(mapcore_topo_distance(topo, a, b),
                             distance[router[b]]);
            check_route(m, topo, a, b, router, distance[router[b]]);
        }
        search(&mesh, router[a], distance);
        for (uint32_t b = 0; b < nhosts; b++)
            assert_int_equal(mapcore_topo_distance_flat(topo, a, b),
                             distance[router[b]]);
    }
    assert_int_equal(mapcore_topo_diameter(topo), longest);
    free(distance);
}

static void check_table(const struct mapcore_topo *topo)
{
    uint32_t n = mapcore_topo_nhosts(topo);
    uint32_t *host = calloc(n, sizeof(*host));
    uint16_t *table = calloc((size_t)n * n, sizeof(*table));

    /* Some order that is not the topology's own. */
    for (uint32_t i = 0; i < n; i++)
        host[i] = n - 1 - i;
    assert_int_equal(topo_distance_block(
                         table, topo, &(struct topo_rows){n, host, 0, n}, NULL),
                     0);
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++)
            assert_int_equal(table[a * n + b],
                             mapcore_topo_distance(topo, host[a], host[b]));
    }
    free(table);
    free(host);
}

static void torus_equals_the_graph_that_models_it(void **state)
{
    static const struct model models[] = {
        {.ndims = 1, .dims = {7}, .wraps = {true}},
        {.ndims = 1, .dims = {8}, .wraps = {true}},
        {.ndims = 1, .dims = {6}},
        {.ndims = 1, .dims = {1}, .wraps = {true}},
        {.ndims = 1, .dims = {2}, .wraps = {true}},
        {.ndims = 2, .dims = {4, 3}, .wraps = {true, true}},
        {.ndims = 2, .dims = {5, 4}},
        {.ndims = 3, .dims = {4, 3, 5}, .wraps = {true, true, true}},
        {.ndims = 3, .dims = {4, 4, 3}, .wraps = {true, false, true}},
        {.ndims = 3, .dims = {1, 2, 6}, .wraps = {true, true, true}},
        {.ndims = 3, .dims = {3, 1, 2}, .wraps = {false, true, false}},
        {.ndims = 5,
         .dims = {2, 3, 2, 4, 2},
         .wraps = {true, true, false, true, true}},
    };

    for (size_t i = 0; i < COUNT(models); i++) {
        struct model m = models[i];
        uint32_t router[500];

        m.nrouters = 1;
        for (uint32_t k = 0; k < m.ndims; k++)
            m.nrouters *= m.dims[k];
        for (uint32_t per = 1; per <= 2; per++) {
            const struct mapcore_torus spec = {.ndims = m.ndims,
                                               .dims = m.dims,
                                               .wraps = m.wraps,
                                               .hosts_per_router = per};
            struct mapcore_topo *topo;

            assert_ok(mapcore_topo_create_torus(&topo, &spec, NULL));
            assert_int_equal(mapcore_topo_nhosts(topo), m.nrouters * per);
            for (uint32_t h = 0; h < m.nrouters * per; h++)
                router[h] = h / per;
            check_torus(&m, topo, router);
            check_table(topo);
            assert_null(mapcore_topo_host_name(topo, 0));
            mapcore_topo_destroy(topo);
        }
    }
}

static void absent_routers_carry_no_hosts_but_forward(void **state)
{
    const struct model m = {
        .ndims = 2, .nrouters = 12, .dims = {4, 3}, .wraps = {true, true}};
    /* (1,0) twice, (0,2), (3,2): routers 1, 8, 11. */
    const uint32_t absent[] = {1, 0, 0, 2, 1, 0, 3, 2};
    const struct mapcore_torus spec = {.ndims = 2,
                                       .dims = m.dims,
                                       .hosts_per_router = 2,
                                       .nabsent = 4,
                                       .absent = absent};
    const uint32_t router[] = {0, 0, 2, 2, 3, 3, 4, 4,  5,
                               5, 6, 6, 7, 7, 9, 9, 10, 10};
    struct mapcore_topo *topo;
    uint32_t host;

    assert_ok(mapcore_topo_create_torus(&topo, &spec, NULL));
    assert_int_equal(mapcore_topo_nhosts(topo), COUNT(router));
    check_torus(&m, topo, router);
    check_table(topo);
    assert_string_equal(mapcore_topo_describe(topo),
                        "torus 4x3, 2 hosts a router, 3 routers without hosts");
    assert_ok(mapcore_topo_find_host(&host, topo, "2 0", NULL));
    assert_int_equal(host, 2);
    assert_int_equal(mapcore_topo_find_host(&host, topo, "1,0", NULL),
                     MAPCORE_ENOENT);
    mapcore_topo_destroy(topo);
}

static void hosts_sit_where_the_table_says(void **state)
{
    const struct model m = {.ndims = 3,
                            .nrouters = 24,
                            .dims = {2, 3, 4},
                            .wraps = {true, true, true}};
    const uint32_t coordinates[] = {1, 2, 3, 0, 0, 0, 1, 2,
                                    3, 0, 1, 2, 0, 0, 0};
    const char *const names[] = {"a", "b", "c", "d", "7"};
    const uint32_t router[] = {23, 0, 23, 14, 0};
    struct mapcore_torus spec = {.ndims = 3,
                                 .dims = m.dims,
                                 .nhosts = 5,
                                 .coordinates = coordinates,
                                 .names = names};
    static const struct {
        const char *name;
        uint32_t host;
    } finds[] = {
        {"a", 0},         {"c", 2},       {"7", 4},       {"1 2 3", 0},
        {"1,2,3", 0},     {"1,2,3/0", 0}, {"1,2,3/1", 2}, {"0 0 0", 1},
        {"0, 0, 0/1", 4}, {"0\t1 2", 3},
    };
    static const char *const missing[] = {
        "e",
        "0",
        "1 2 4",
        "2 2 3",
        "1 2",
        "1 2 3 0",
        "1 1 1",
        "1,2,3/2",
        "1,2,3/",
        "1,2,3/x",
        "99999999999999999999 0 0",
        "",
        "-1 0 0",
        "0 0 0 ",
        "0,1,2/4294967296",
    };
    struct mapcore_topo *topo;
    struct mapcore_error err;
    uint32_t host;

    assert_ok(mapcore_topo_create_torus(&topo, &spec, NULL));
    check_torus(&m, topo, router);
    assert_string_equal(mapcore_topo_describe(topo), "torus 2x3x4, 5 hosts");
    assert_string_equal(mapcore_topo_host_name(topo, 3), "d");
    for (size_t i = 0; i < COUNT(finds); i++) {
        assert_ok(mapcore_topo_find_host(&host, topo, finds[i].name, &err));
        assert_int_equal(host, finds[i].host);
    }
    for (size_t i = 0; i < COUNT(missing); i++)
        assert_int_equal(mapcore_topo_find_host(&host, topo, missing[i], &err),
                         MAPCORE_ENOENT);
    mapcore_topo_find_host(&host, topo, "e", &err);
    assert_string_equal(err.text, "host 'e' is not in the topology (torus "
                                  "2x3x4, 5 hosts)");
    mapcore_topo_destroy(topo);

    const char *const twice[] = {"a", "b", "c", "a", "e"};
    spec.names = twice;
    assert_int_equal(mapcore_topo_create_torus(&topo, &spec, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "host a is there twice");
    spec.names = names;
    spec.nabsent = 1;
    spec.absent = coordinates + 9;
    assert_int_equal(mapcore_topo_create_torus(&topo, &spec, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "host 3 sits at an absent router");
}

/* On a ring of an even length, the far side is reached upwards from both ends;
 * a ring of two has two links each way, of which the route takes one. */
static void half_ring_ties_go_by_where_they_end(void **state)
{
    static const struct {
        uint32_t dim, a, b;
        const char *first;
    } cases[] = {
        {4, 0, 2, "(0) +x"}, {4, 2, 0, "(2) +x"}, {4, 3, 1, "(3) -x"},
        {4, 0, 3, "(0) -x"}, {4, 3, 0, "(3) +x"}, {2, 0, 1, "(0) -x"},
        {2, 1, 0, "(1) +x"}, {5, 0, 2, "(0) +x"}, {5, 0, 3, "(0) -x"},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        const struct mapcore_torus spec = {
            .ndims = 1, .dims = &cases[i].dim, .hosts_per_router = 1};
        struct mapcore_topo *topo;
        uint32_t links[4];
        char name[32];

        assert_ok(mapcore_topo_create_torus(&topo, &spec, NULL));
        mapcore_topo_route(topo, cases[i].a, cases[i].b, links);
        mapcore_topo_link_name(topo, links[0], name, sizeof(name));
        assert_string_equal(name, cases[i].first);
        mapcore_topo_destroy(topo);
    }
}

static void impossible_tori_are_refused(void **state)
{
    const uint32_t zero[] = {4, 0}, large[] = {65536, 32768};
    const uint32_t many[27] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
                               1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const uint32_t dims[] = {2, 2}, outside[] = {0, 2};
    const uint32_t all[] = {0, 0, 1, 0, 0, 1, 1, 1};
    const struct {
        struct mapcore_torus spec;
        int code;
    } cases[] = {
        {{.ndims = 0, .dims = dims, .hosts_per_router = 1}, MAPCORE_EINVAL},
        {{.ndims = 27, .dims = many, .hosts_per_router = 1}, MAPCORE_EINVAL},
        {{.ndims = 2, .dims = zero, .hosts_per_router = 1}, MAPCORE_EINVAL},
        {{.ndims = 2, .dims = large, .hosts_per_router = 1}, MAPCORE_ERANGE},
        {{.ndims = 2, .dims = dims, .hosts_per_router = 0}, MAPCORE_EINVAL},
        {{.ndims = 2, .dims = dims, .hosts_per_router = UINT32_MAX},
         MAPCORE_ERANGE},
        {{.ndims = 2,
          .dims = dims,
          .hosts_per_router = 1,
          .nabsent = 1,
          .absent = outside},
         MAPCORE_EINVAL},
        {{.ndims = 2,
          .dims = dims,
          .hosts_per_router = 1,
          .nabsent = 4,
          .absent = all},
         MAPCORE_EINVAL},
        {{.ndims = 2, .dims = dims, .nhosts = 1, .coordinates = outside},
         MAPCORE_EINVAL},
        {{.ndims = 2, .dims = dims, .nhosts = 0, .coordinates = outside},
         MAPCORE_EINVAL},
    };

    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapcore_topo *topo = NULL;
        struct mapcore_error err = {""};

        assert_int_equal(mapcore_topo_create_torus(&topo, &cases[i].spec, &err),
                         cases[i].code);
        assert_true(err.text[0] != '\0');
        assert_null(topo);
    }
}

/* The other end of the cable "X - Y" from the end given. */
static void cross(const struct mapcore_topo *topo,
                  uint32_t link,
                  char *at,
                  size_t size)
{
    char name[200];

    assert_true(mapcore_topo_link_name(topo, link, name, sizeof(name)) > 0);
    char *dash = strstr(name, " - ");
    assert_non_null(dash);
    *dash = '\0';
    if (strcmp(name, at) == 0) {
        snprintf(at, size, "%s", dash + 3);
    } else {
        assert_string_equal(dash + 3, at);
        snprintf(at, size, "%s", name);
    }
}

static void host_vertex(const struct mapcore_topo *topo,
                        uint32_t host,
                        char *name,
                        size_t size)
{
    const char *given = mapcore_topo_host_name(topo, host);

    if (given)
        snprintf(name, size, "%s", given);
    else
        snprintf(name, size, "host %u", host);
}

/* In a tree there is one way without turning back, so a route along real
 * cables that uses none twice is the shortest. */
static void check_tree(const struct mapcore_topo *topo)
{
    uint32_t n = mapcore_topo_nhosts(topo), longest = 0;
    uint32_t *links = calloc(mapcore_topo_diameter(topo) + 1, sizeof(*links));
    char at[200], end[200];

    assert_false(mapcore_topo_is_torus(topo));
    for (uint32_t a = 0; a < n; a++) {
        for (uint32_t b = 0; b < n; b++) {
            uint32_t d = mapcore_topo_distance(topo, a, b);

            assert_int_equal(d, mapcore_topo_distance(topo, b, a));
            assert_int_equal(d, mapcore_topo_distance_flat(topo, a, b));
            assert_int_equal(d == 0, a == b);
            longest = d > longest ? d : longest;
            assert_int_equal(mapcore_topo_route(topo, a, b, links), d);
            host_vertex(topo, a, at, sizeof(at));
            host_vertex(topo, b, end, sizeof(end));
            for (uint32_t i = 0; i < d; i++) {
                assert_true(links[i] < mapcore_topo_nlinks(topo));
                for (uint32_t k = 0; k < i; k++)
                    assert_true(links[k] != links[i]);
                cross(topo, links[i], at, sizeof(at));
            }
            assert_string_equal(at, end);
        }
    }
    assert_int_equal(mapcore_topo_diameter(topo), longest);
    free(links);
}

static void regular_trees_count_levels(void **state)
{
    const uint32_t arity[] = {2, 3, 4};
    struct mapcore_topo *topo;
    uint32_t host;
    char name[50];

    assert_ok(
        mapcore_topo_create_fat_tree(&topo, 3, arity, NULL, NULL, NULL, NULL));
    assert_int_equal(mapcore_topo_nhosts(topo), 24);
    assert_int_equal(mapcore_topo_nlinks(topo), 24 + 2 + 6);
    assert_int_equal(mapcore_topo_diameter(topo), 6);
    for (uint32_t a = 0; a < 24; a++) {
        for (uint32_t b = 0; b < 24; b++) {
            uint32_t expected = a == b             ? 0
                                : a / 4 == b / 4   ? 2
                                : a / 12 == b / 12 ? 4
                                                   : 6;
            assert_int_equal(mapcore_topo_distance(topo, a, b), expected);
        }
    }
    check_tree(topo);
    check_table(topo);
    assert_string_equal(mapcore_topo_describe(topo),
                        "tree of 9 switches, 24 hosts");
    mapcore_topo_link_name(topo, 0, name, sizeof(name));
    assert_string_equal(name, "host 0 - s3");
    mapcore_topo_link_name(topo, 24, name, sizeof(name));
    assert_string_equal(name, "s1 - root");
    assert_int_equal(mapcore_topo_link_name(topo, 24, name, 3), 9);
    assert_string_equal(name, "s1");
    assert_ok(mapcore_topo_find_host(&host, topo, "23", NULL));
    assert_int_equal(host, 23);
    assert_int_equal(mapcore_topo_find_host(&host, topo, "24", NULL),
                     MAPCORE_ENOENT);
    assert_int_equal(mapcore_topo_find_host(&host, topo, "1 2", NULL),
                     MAPCORE_ENOENT);
    mapcore_topo_destroy(topo);
    mapcore_topo_destroy(NULL);
}

static void odd_trees_work_too(void **state)
{
    static const uint32_t arities[][4] = {
        {1}, {5}, {1, 5}, {3, 1, 2}, {2, 1, 1, 3}};
    static const uint32_t levels[] = {1, 1, 2, 3, 4};
    static const uint32_t diameters[] = {0, 2, 2, 6, 8};
    struct mapcore_topo *topo;

    for (size_t i = 0; i < COUNT(levels); i++) {
        assert_ok(mapcore_topo_create_fat_tree(&topo, levels[i], arities[i],
                                               NULL, NULL, NULL, NULL));
        assert_int_equal(mapcore_topo_diameter(topo), diameters[i]);
        check_tree(topo);
        check_table(topo);
        mapcore_topo_destroy(topo);
    }
    const char *const names[] = {"b", "a"};
    uint32_t host;
    assert_ok(mapcore_topo_create_fat_tree(&topo, 1, (uint32_t[]){2}, NULL,
                                           NULL, names, NULL));
    assert_string_equal(mapcore_topo_describe(topo), "flat network of 2 hosts");
    assert_ok(mapcore_topo_find_host(&host, topo, "a", NULL));
    assert_int_equal(host, 1);
    assert_int_equal(mapcore_topo_find_host(&host, topo, "1", NULL),
                     MAPCORE_ENOENT);
    mapcore_topo_destroy(topo);
}

static void impossible_trees_are_refused(void **state)
{
    const uint32_t large[] = {65536, 65536}, zero[] = {4, 0};
    const char *const twice[] = {"a", "a"}, *const empty[] = {"a", ""};
    struct mapcore_topo *topo = NULL;
    struct mapcore_error err;

    assert_int_equal(
        mapcore_topo_create_fat_tree(&topo, 0, large, NULL, NULL, NULL, &err),
        MAPCORE_EINVAL);
    assert_int_equal(
        mapcore_topo_create_fat_tree(&topo, 2, zero, NULL, NULL, NULL, &err),
        MAPCORE_EINVAL);
    assert_int_equal(
        mapcore_topo_create_fat_tree(&topo, 2, large, NULL, NULL, NULL, &err),
        MAPCORE_ERANGE);
    assert_int_equal(mapcore_topo_create_fat_tree(&topo, 1, (uint32_t[]){2},
                                                  NULL, NULL, twice, &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "host a is there twice");
    assert_int_equal(mapcore_topo_create_fat_tree(&topo, 1, (uint32_t[]){2},
                                                  NULL, NULL, empty, &err),
                     MAPCORE_EINVAL);
    assert_null(topo);
}

/* Trees of random shape, hosts also on inner switches. */
static void any_tree_is_a_tree(void **state)
{
    enum { SWITCHES = 12, HOSTS = 20 };
    struct rng rng;

    rng_init(&rng, 3, 0, 0);
    for (int round = 0; round < 20; round++) {
        uint32_t parent[SWITCHES] = {MAPCORE_NONE}, leaf[HOSTS];
        struct mapcore_topo *topo;

        for (uint32_t s = 1; s < SWITCHES; s++)
            parent[s] = rng_below(&rng, s);
        for (uint32_t h = 0; h < HOSTS; h++)
            leaf[h] = rng_below(&rng, SWITCHES);
        const struct topo_tree spec = {.nswitches = SWITCHES,
                                       .parent = parent,
                                       .nhosts = HOSTS,
                                       .leaf = leaf};
        assert_ok(topo_create_tree_of(&topo, &spec, NULL));
        check_tree(topo);
        check_table(topo);
        mapcore_topo_destroy(topo);
    }
}

/* Lookup by name stays fast and right with many names. */
static void many_names_are_found(void **state)
{
    enum { N = 20000 };
    static char text[N][12];
    static const char *names[N];
    const uint32_t arity[] = {100, N / 100};
    struct mapcore_topo *topo;
    uint32_t host;

    for (uint32_t i = 0; i < N; i++) {
        snprintf(text[i], sizeof(text[i]), "n%05u", i);
        names[i] = text[i];
    }
    assert_ok(
        mapcore_topo_create_fat_tree(&topo, 2, arity, NULL, NULL, names, NULL));
    for (uint32_t i = 0; i < N; i++) {
        assert_ok(mapcore_topo_find_host(&host, topo, text[i], NULL));
        assert_int_equal(host, i);
    }
    assert_int_equal(mapcore_topo_find_host(&host, topo, "n20000", NULL),
                     MAPCORE_ENOENT);
    mapcore_topo_destroy(topo);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(torus_equals_the_graph_that_models_it),
        cmocka_unit_test(absent_routers_carry_no_hosts_but_forward),
        cmocka_unit_test(hosts_sit_where_the_table_says),
        cmocka_unit_test(half_ring_ties_go_by_where_they_end),
        cmocka_unit_test(impossible_tori_are_refused),
        cmocka_unit_test(regular_trees_count_levels),
        cmocka_unit_test(odd_trees_work_too),
        cmocka_unit_test(impossible_trees_are_refused),
        cmocka_unit_test(any_tree_is_a_tree),
        cmocka_unit_test(many_names_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
