/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_along.c - links that differ along a dimension, against what is counted
 * by hand from coordinates, and against a list of links */
#include "config.h"

#include "mapfixture.h"

#include "topo/walk.h"

#include "scratch.h"

/* A network, and beside its word what each link is to carry: pattern[i], n[i]
 * numbers over and over along dimension i. */
struct network {
    const char *spec;
    uint32_t ndims, dims[3];
    bool wraps[3];
    uint32_t n[3];
    double pattern[3][8];
};

static const struct network networks[] = {
    /* Gemini: two routers a board along y, eight boards a cage along z. */
    {"torus:3x4x16:capacity=2x1x2:capacity.y=8,1:capacity.z=4,4,4,4,4,4,4,2",
     3,
     {3, 4, 16},
     {true, true, true},
     {1, 2, 8},
     {{2}, {8, 1}, {4, 4, 4, 4, 4, 4, 4, 2}}},
    {"torus:5x4:wrap=1x0:capacity.x=1,2:capacity.y=3,4,5",
     2,
     {5, 4, 1},
     {true, false, false},
     {2, 3, 1},
     {{1, 2}, {3, 4, 5}, {1}}},
    {"ring:7/1:capacity.x=8,1,0.5",
     1,
     {7, 1, 1},
     {true, false, false},
     {3, 1, 1},
     {{8, 1, 0.5}, {1}, {1}}},
    {"mesh:9:capacity.x=8,1,3",
     1,
     {9, 1, 1},
     {false, false, false},
     {3, 1, 1},
     {{8, 1, 3}, {1}, {1}}},
};

/* The link from position x of dimension i up. */
static double carries(const struct network *network, uint32_t i, uint32_t x)
{
    return network->pattern[i][x % network->n[i]];
}

/* Each link by its name, "(1,2,3) -y". */
static void links_carry_what_their_place_says(void **state)
{
    for (size_t k = 0; k < COUNT(networks); k++) {
        const struct network *network = &networks[k];
        struct machine machine = machine_of(network->spec, 1);
        uint32_t seen = 0;

        assert_true(mapcore_topo_has_capacities(machine.topo));
        for (uint32_t l = 0; l < mapcore_topo_nlinks(machine.topo); l++) {
            uint32_t x[3] = {0}, end[2], axis;
            char name[64], *p = name + 1;

            if (!topo_link_ends(machine.topo, l, end))
                continue;
            mapcore_topo_link_name(machine.topo, l, name, sizeof(name));
            for (uint32_t i = 0; i < network->ndims; i++, p++)
                x[i] = (uint32_t)strtoul(p, &p, 10);
            axis = (uint32_t)(p[2] - 'x');
            if (p[1] == '-')
                x[axis] =
                    (x[axis] + network->dims[axis] - 1) % network->dims[axis];
            assert_true(mapcore_topo_link_capacity(machine.topo, l) ==
                        carries(network, axis, x[axis]));
            seen++;
        }
        assert_true(seen > 0);
        machine_end(&machine);
    }
}

/* What one edge's half puts on links, step by step: load[((z * ny + y) * nx +
 * x) * 6 + dimension * 2 + down]. ties_up: which way round a ring where both
 * are equally long. */
static void walk(double *load,
                 const struct network *network,
                 const uint32_t *from,
                 const uint32_t *to,
                 bool ties_up,
                 double bytes)
{
    uint32_t x[3] = {from[0], from[1], from[2]};

    for (uint32_t i = 0; i < 3; i++)
        while (x[i] != to[i]) {
            uint32_t n = network->dims[i], ahead = (to[i] + n - x[i]) % n;
            bool up = network->wraps[i] ? ahead + !ties_up <= n - ahead
                                        : to[i] > x[i];
            size_t at = (x[2] * network->dims[1] + x[1]) * network->dims[0];

            load[(at + x[0]) * 6 + i * 2 + !up] += bytes;
            x[i] = (x[i] + (up ? 1 : n - 1)) % n;
        }
}

static void place(uint32_t *x, const struct network *network, uint32_t host)
{
    for (uint32_t i = 0; i < 3; i++) {
        x[i] = host % network->dims[i];
        host /= network->dims[i];
    }
}

static double slowest_by_hand(const struct network *network,
                              const struct mapcore_graph *graph,
                              const uint32_t *host)
{
    static double load[6 * 3 * 4 * 16];
    uint32_t n = network->dims[0] * network->dims[1] * network->dims[2];
    double slowest = 0;

    assert_true(n * 6 <= COUNT(load));
    memset(load, 0, sizeof(load));
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t a[3], b[3];

            place(a, network, host[t]);
            place(b, network, host[graph->task[k]]);
            /* Each edge stands there twice, once for each direction. */
            walk(load, network, a, b, true, (double)graph->bytes[k] / 4);
            walk(load, network, a, b, false, (double)graph->bytes[k] / 4);
        }
    for (uint32_t r = 0; r < n; r++)
        for (uint32_t link = 0; link < 6; link++) {
            uint32_t x[3], i = link / 2;

            place(x, network, r);
            if (link % 2 == 1)
                x[i] = (x[i] + network->dims[i] - 1) % network->dims[i];
            slowest = fmax(slowest, load[(size_t)r * 6 + link] /
                                        carries(network, i, x[i]));
        }
    return slowest;
}

static void the_slowest_link_is_found(void **state)
{
    for (size_t k = 0; k < COUNT(networks); k++) {
        struct machine machine = machine_of(networks[k].spec, 1);
        uint32_t n = mapcore_topo_nhosts(machine.topo);
        struct mapcore_graph *graph = random_graph(n, 4, k + 1);
        uint32_t *host = calloc(n, sizeof(*host));
        struct mapcore_metrics m;
        double slowest;

        assert_non_null(host);
        for (uint32_t t = 0; t < n; t++)
            host[t] = (t * 5 + 3) % n; /* 5 divides none of them */
        m = metrics_of(graph, machine.alloc, host);
        slowest = slowest_by_hand(&networks[k], graph, host);
        assert_true(fabs(m.max_link_time - slowest) <= 1e-9 * slowest);
        free(host);
        machine_graph_end(&machine, graph);
    }
}

/* Written as a list of links and read again, cable by cable; and where there is
 * only one way, with the same times. */
static void a_list_of_links_is_the_same(void **state)
{
    for (size_t k = 0; k < COUNT(networks); k++) {
        struct machine machine = machine_of(networks[k].spec, 1), list;
        uint32_t n = mapcore_topo_nhosts(machine.topo), links = 0, same = 0;
        const char *path = at(*state, "links");
        struct mapcore_graph *graph = random_graph(n, 4, k + 1);
        uint32_t *host = calloc(n, sizeof(*host));
        struct mapcore_metrics m, again;
        FILE *file = fopen(path, "w");

        assert_non_null(host);
        assert_non_null(file);
        assert_ok(mapcore_topo_write_links(machine.topo, file, NULL));
        assert_ok(fclose(file));
        list = machine_of(path, 1);
        assert_int_equal(mapcore_topo_nhosts(list.topo), n);
        for (uint32_t l = 0; l < mapcore_topo_nlinks(machine.topo); l++) {
            uint32_t end[2], other[2];

            if (!topo_link_ends(machine.topo, l, end))
                continue;
            links++;
            for (uint32_t j = 0; j < mapcore_topo_nlinks(list.topo); j++)
                same += topo_link_ends(list.topo, j, other) &&
                        other[0] == end[0] && other[1] == end[1] &&
                        mapcore_topo_link_capacity(list.topo, j) ==
                            mapcore_topo_link_capacity(machine.topo, l);
        }
        assert_true(links > 0);
        assert_int_equal(same, links);
        for (uint32_t t = 0; t < n; t++)
            host[t] = t;
        mapcore_metrics_compute(&m, graph, machine.alloc, host, NULL);
        mapcore_metrics_compute(&again, graph, list.alloc, host, NULL);
        assert_true(m.hops_per_byte == again.hops_per_byte);
        if (networks[k].ndims == 1)
            assert_true(fabs(m.max_link_time - again.max_link_time) <=
                        1e-9 * m.max_link_time);
        free(host);
        machine_graph_end(&list, graph);
        machine_end(&machine);
    }
}

static void what_is_no_capacity_is_refused(void **state)
{
    const double bad[] = {0, -1, NAN, INFINITY, 1e31, 1e-31};
    const uint32_t dims[] = {2, 3};

    for (size_t i = 0; i < COUNT(bad); i++) {
        const double y[] = {1, bad[i], 1};
        const double *const along[] = {NULL, y};
        const struct mapcore_torus spec = {
            .ndims = 2, .dims = dims, .hosts_per_router = 1, .along = along};
        struct mapcore_error err = {""};
        struct mapcore_topo *topo = NULL;

        assert_int_equal(mapcore_topo_create_torus(&topo, &spec, &err),
                         MAPCORE_EINVAL);
        assert_string_equal(err.text,
                            "a capacity of dimension 2, behind position 1, is "
                            "not a number from 1e-30 to 1e30");
        assert_null(topo);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_carry_what_their_place_says),
        cmocka_unit_test(the_slowest_link_is_found),
        ON_DISK(a_list_of_links_is_the_same),
        cmocka_unit_test(what_is_no_capacity_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
