/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_ports.c - the port model of Sweeney et al. and their clustering: costs
 * by hand, and the patterns of their paper */
#include "config.h"

#include "metric/ports.h"

#include "mapfixture.h"
#include "topo/file/readers.h"

/* Figure 6: eight machines of two processors, five on one switch and three on
 * another. */
static struct machine figure_6(void)
{
    static const char text[] = "SwitchName=a Nodes=n[0-4]\n"
                               "SwitchName=b Nodes=n[5-7]\n"
                               "SwitchName=top Switches=a,b\n";
    const uint32_t slots[] = {2, 2, 2, 2, 2, 2, 2, 2};
    struct machine machine = {NULL, NULL};
    struct text *lines;

    assert_ok(text_open_memory(&lines, "figure 6", text, strlen(text), NULL));
    assert_ok(topo_read(&machine.topo, lines));
    text_close(lines);
    take_alloc(&machine, 8, NULL, slots);
    return machine;
}

/* A level of one type, the same in each direction. */
struct row {
    size_t n;
    const uint64_t *length;
    const double *rate;
    double most, switch_most;
};

/* host: [ntasks], in slots by number. */
static int try_cost(struct mapcore_estimate *out,
                    const struct machine *machine,
                    const struct mapcore_messages *messages,
                    size_t n,
                    uint32_t ntasks,
                    const uint32_t *host,
                    const struct row *rows,
                    uint32_t nrows)
{
    struct mapcore_port_level level[4];
    struct mapcore_port_type type[4];
    uint32_t slot[16] = {0}, host_of[16];
    const struct mapcore_mapping mapping = {ntasks, host_of, slot};
    const struct mapcore_ports ports = {.level = level, .n = nrows};

    assert_true(ntasks <= 16 && nrows <= 4);
    memcpy(host_of, host, ntasks * sizeof(*host));
    for (uint32_t l = 0; l < nrows; l++) {
        type[l].out = (struct mapcore_port_rates){rows[l].n, rows[l].length,
                                                  rows[l].rate, rows[l].most};
        type[l].in = type[l].out;
        type[l].switch_most = rows[l].switch_most;
        level[l] = (struct mapcore_port_level){.type = &type[l], .ntypes = 1};
    }
    return mapcore_ports_estimate(out, messages, n, &mapping, machine->alloc,
                                  &ports, NULL);
}

/* 100 Mb/s in each direction, memory ten times that. */
static const struct row paper[] = {{.most = 125e6},
                                   {.most = 12.5e6},
                                   {.most = 12.5e6},
                                   {.most = 0}};

/* Messages of half an edge each way. */
static struct mapcore_estimate cost_of(const struct machine *machine,
                                       const struct mapcore_graph *graph,
                                       const uint32_t *host)
{
    size_t n = 0;
    struct mapcore_messages *m = calloc(graph->row[graph->ntasks], sizeof(*m));
    struct mapcore_estimate out;

    assert_non_null(m);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            m[n++] = (struct mapcore_messages){t, graph->task[k],
                                               graph->bytes[k] / 2, 1};
    assert_ok(try_cost(&out, machine, m, n, graph->ntasks, host, paper, 4));
    free(m);
    return out;
}

static struct mapcore_mapping *map_by(const struct machine *machine,
                                      const struct mapcore_graph *graph,
                                      const char *mapper)
{
    const struct mapcore_search search = {.seed = 1, .work = 1};
    struct mapcore_mapping *mapping;
    struct mapcore_result result = search_by(machine, graph, mapper, &search);

    mapping = result.mapping;
    result.mapping = NULL;
    mapcore_result_clear(&result);
    assert_fits(machine->alloc, mapping->host, graph->ntasks);
    return mapping;
}

/* Figure 8b: a ladder, its steps with 75% more than its sides. Clustering puts
 * each step on a machine, and the model calls that faster. */
static void the_ladder(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 1, 4000}, {1, 2, 4000}, {2, 3, 4000}, {4, 5, 4000}, {5, 6, 4000},
        {6, 7, 4000}, {0, 4, 7000}, {1, 5, 7000}, {2, 6, 7000}, {3, 7, 7000}};
    struct machine machine = figure_6();
    struct mapcore_graph *graph = graph_of(8, edges, 10);
    struct mapcore_mapping *greedy = map_by(&machine, graph, "bottom-up");
    struct mapcore_mapping *block = map_by(&machine, graph, "block");
    struct mapcore_estimate a = cost_of(&machine, graph, block->host);
    struct mapcore_estimate b = cost_of(&machine, graph, greedy->host);

    for (uint32_t t = 0; t < 4; t++)
        assert_int_equal(greedy->host[t], greedy->host[t + 4]);
    /* All on the switch of five; in the middle of the ladder two sides leave
     * each way, while by default two steps and a side do. */
    assert_true(fabs(a.time - 9000 / 12.5e6) < 1e-12);
    assert_true(fabs(b.time - 8000 / 12.5e6) < 1e-12);
    assert_int_equal(b.port.kind, MAPCORE_PORT_NIC);
    mapcore_mapping_destroy(greedy);
    mapcore_mapping_destroy(block);
    machine_graph_end(&machine, graph);
}

/* Figure 8a: a line of five with almost the same bytes. Clustering joins from
 * right to left, the default from left to right: no difference to speak of. */
static void the_line(void **state)
{
    const struct mapcore_edge edges[] = {
        {0, 1, 100000}, {1, 2, 100010}, {2, 3, 100020}, {3, 4, 100030}};
    struct machine machine = figure_6();
    struct mapcore_graph *graph = graph_of(5, edges, 4);
    struct mapcore_mapping *greedy = map_by(&machine, graph, "bottom-up");
    struct mapcore_mapping *block = map_by(&machine, graph, "block");
    double a = cost_of(&machine, graph, block->host).time;
    double b = cost_of(&machine, graph, greedy->host).time;

    assert_int_equal(greedy->host[3], greedy->host[4]);
    assert_int_equal(greedy->host[1], greedy->host[2]);
    assert_int_not_equal(greedy->host[0], greedy->host[1]);
    assert_true(fabs(a - b) < 0.001 * a && a > 0);
    mapcore_mapping_destroy(greedy);
    mapcore_mapping_destroy(block);
    machine_graph_end(&machine, graph);
}

/* Of pairs with equal bytes the lowest are joined. */
static void a_triangle(void **state)
{
    const struct mapcore_edge edges[] = {{0, 1, 5}, {0, 2, 5}, {1, 2, 5}};
    struct machine machine = machine_of("tree:2", 2);
    struct mapcore_graph *graph = graph_of(3, edges, 3);
    struct mapcore_mapping *greedy = map_by(&machine, graph, "bottom-up");

    assert_int_equal(greedy->host[0], greedy->host[1]);
    mapcore_mapping_destroy(greedy);
    machine_graph_end(&machine, graph);
}

/* Section 7.1's case of 16 tasks: being greedy puts more bytes through the top
 * switch than the default does, and the model says so. Two groups that talk
 * among themselves, as large as the two switches' machines, and six pairs
 * across that talk a little more than any other. */
static void greed_loses(void **state)
{
    struct machine machine = figure_6();
    struct mapcore_edge edges[200];
    struct mapcore_mapping *greedy, *block;
    struct mapcore_graph *graph;
    struct mapcore_estimate a, b;
    size_t n = 0;

    for (uint32_t t = 0; t < 16; t++)
        for (uint32_t u = t + 1; u < 16; u++)
            if ((t < 10) == (u < 10))
                edges[n++] = (struct mapcore_edge){t, u, 10000};
    for (uint32_t t = 0; t < 6; t++)
        edges[n++] = (struct mapcore_edge){t, t + 10, 11000};
    graph = graph_of(16, edges, n);
    greedy = map_by(&machine, graph, "bottom-up");
    block = map_by(&machine, graph, "block");
    for (uint32_t t = 0; t < 6; t++)
        assert_int_equal(greedy->host[t], greedy->host[t + 10]);
    a = cost_of(&machine, graph, block->host);
    b = cost_of(&machine, graph, greedy->host);
    assert_true(b.time > 1.2 * a.time);
    /* On the way to the top switch, from below it. */
    assert_int_equal(b.port.kind, MAPCORE_PORT_LINK);
    assert_int_equal(a.port.kind, MAPCORE_PORT_NIC);
    mapcore_mapping_destroy(greedy);
    mapcore_mapping_destroy(block);
    machine_graph_end(&machine, graph);
}

static struct mapcore_estimate cost(const struct mapcore_messages *m,
                                    size_t n,
                                    const struct row *level)
{
    const uint32_t host[] = {0, 0, 0, 1, 2, 5};
    struct machine machine;
    const uint32_t slots[] = {3, 1, 1, 1, 1, 1, 1, 1};
    struct mapcore_estimate out;

    machine = figure_6();
    mapcore_alloc_destroy(machine.alloc);
    take_alloc(&machine, 8, NULL, slots);
    assert_ok(try_cost(&out, &machine, m, n, 6, host, level, 4));
    machine_end(&machine);
    return out;
}

static void assert_cost(struct mapcore_estimate found,
                        double time,
                        enum mapcore_port_kind kind)
{
    if (!(fabs(found.time - time) <= 1e-9 * time))
        fail_msg("%.17g is not %.17g", found.time, time);
    assert_int_equal(found.port.kind, kind);
}

/* Short messages take half of what an interface can: 1,000 bytes at 50 of 100
 * take 20, and another task's fit beside them. What a third sends makes it
 * full: 3,000 at 100. */
static void tasks_share_a_port(void **state)
{
    const uint64_t length[] = {100};
    const double rate[] = {50};
    const struct row level[4] = {
        [1] = {.n = 1, .length = length, .rate = rate, .most = 100}};
    const struct mapcore_messages all[] = {
        {0, 3, 100, 10}, {1, 4, 100, 10}, {2, 5, 100, 10}};
    const struct mapcore_messages more[] = {{0, 3, 100, 10}, {1, 4, 100, 15}};
    struct mapcore_estimate found = cost(all, 1, level);

    assert_cost(found, 20, MAPCORE_PORT_NIC);
    assert_int_equal(found.port.number, 0);
    assert_cost(cost(all, 2, level), 20, MAPCORE_PORT_NIC);
    assert_cost(cost(all, 3, level), 30, MAPCORE_PORT_NIC);
    /* 1,500 at 50 take longer than 2,500 at 100. */
    assert_cost(cost(more, 2, level), 30, MAPCORE_PORT_NIC);
}

/* A thousand messages of 1 KiB, and a million of 8 B, which take 80: whichever
 * of the two senders is the first. The figure adds nothing for the second where
 * its bytes fit beside the first's. */
static void either_sender_first(void **state)
{
    const uint64_t length[] = {8, 1024, 65536};
    const double rate[] = {1e5, 1e7, 1e8};
    const struct row level[4] = {
        [1] = {.n = 3, .length = length, .rate = rate, .most = 1e8}};
    const struct mapcore_messages long_first[] = {{0, 3, 1024, 1000},
                                                  {1, 3, 8, 1000000}};
    const struct mapcore_messages short_first[] = {{0, 3, 8, 1000000},
                                                   {1, 3, 1024, 1000}};

    assert_cost(cost(long_first, 2, level), 80, MAPCORE_PORT_NIC);
    assert_cost(cost(short_first, 2, level), 80, MAPCORE_PORT_NIC);
}

/* In and out are for themselves; a switch bounds all that passes it, though no
 * port of it is full; a host's does for what stays there. */
static void directions_and_switches(void **state)
{
    const struct mapcore_messages pairs[] = {
        {0, 3, 1000, 1}, {3, 0, 1000, 1}, {4, 3, 500, 1}};
    const struct mapcore_messages inside[] = {{0, 1, 900, 1}, {3, 5, 100, 1}};
    struct row level[4] = {[1] = {.most = 100}};
    struct mapcore_estimate found = cost(pairs, 2, level);

    assert_cost(found, 10, MAPCORE_PORT_NIC);
    /* Into 1 come 1,500, from 0 and 2. */
    found = cost(pairs, 3, level);
    assert_cost(found, 15, MAPCORE_PORT_NIC);
    assert_int_equal(found.port.number, 1);
    level[2].switch_most = 100;
    found = cost(pairs, 3, level);
    assert_cost(found, 25, MAPCORE_PORT_SWITCH);
    level[1].switch_most = 30;
    found = cost(inside, 2, level);
    assert_cost(found, 30, MAPCORE_PORT_MEMORY);
    assert_int_equal(found.port.number, 0);
}

/* Straight lines between 64 and 1,024 bytes, the nearest outside; across the
 * top by the ports of the lower switches. */
static void bandwidth_by_length(void **state)
{
    const uint64_t length[] = {64, 1024};
    const double rate[] = {10, 100};
    static const struct {
        uint64_t length;
        double rate;
    } rows[] = {{1, 10}, {64, 10}, {544, 55}, {1024, 100}, {5000, 100}};
    struct row level[4] = {
        [2] = {.n = 2, .length = length, .rate = rate, .most = 100}};

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct mapcore_messages m = {0, 5, rows[i].length, 7};

        assert_cost(cost(&m, 1, level),
                    7 * (double)rows[i].length / rows[i].rate,
                    MAPCORE_PORT_LINK);
    }
}

/* Nodes 1 and 3 have slower interfaces, and one of them takes less than it
 * gives. */
static void types_and_directions(void **state)
{
    static const struct mapcore_port_type none[] = {{.switch_most = 0}};
    static const struct mapcore_port_type nic[] = {
        {.out = {.most = 100}, .in = {.most = 100}},
        {.out = {.most = 50}, .in = {.most = 10}}};
    static const uint32_t type_of[] = {0, 1, 0, 1, 0, 0, 0, 0};
    static const struct {
        uint32_t from, to;
        double time;
    } rows[] = {{0, 2, 10}, {1, 0, 20}, {0, 1, 100}, {3, 1, 100}, {3, 4, 20}};
    const struct mapcore_port_level level[] = {{none, 1, NULL, NULL},
                                               {nic, 2, type_of, NULL},
                                               {none, 1, NULL, NULL},
                                               {none, 1, NULL, NULL}};
    const struct mapcore_ports ports = {.level = level, .n = 4};
    uint32_t host[] = {0, 1, 2, 3, 4}, slot[5] = {0};
    const struct mapcore_mapping mapping = {5, host, slot};
    struct machine machine = figure_6();

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        const struct mapcore_messages m = {rows[i].from, rows[i].to, 1000, 1};
        struct mapcore_estimate out;

        assert_ok(mapcore_ports_estimate(&out, &m, 1, &mapping, machine.alloc,
                                         &ports, NULL));
        assert_cost(out, rows[i].time, MAPCORE_PORT_NIC);
    }
    machine_end(&machine);
}

/* Two packages of two caches of two cores: a message crosses what it leaves
 * and what it comes into, and goes through what both are in. */
static void inside_of_nodes(void **state)
{
    static const struct mapcore_port_type task[] = {
        {.out = {.most = 1000}, .in = {.most = 1000}}};
    static const struct mapcore_port_type cache[] = {
        {.out = {.most = 100}, .in = {.most = 100}, .switch_most = 500}};
    static const struct mapcore_port_type package[] = {
        {.out = {.most = 10}, .in = {.most = 10}}};
    static const struct mapcore_port_type none[] = {{.switch_most = 0}};
    const struct mapcore_port_level level[] = {
        {task, 1, NULL, NULL},         {cache, 1, NULL, "L3"},
        {package, 1, NULL, "Package"}, {none, 1, NULL, NULL},
        {none, 1, NULL, NULL},         {none, 1, NULL, NULL}};
    static const struct {
        uint32_t to;
        double time;
        const char *name;
    } rows[] = {{1, 2, "L3 of task 0"},
                {2, 10, "L3 of task 0"},
                {4, 100, "Package of task 0"},
                {8, 100, "Package of task 0"}};
    struct mapcore_ports ports = {.level = level, .n = 6};
    uint32_t host[] = {0, 0, 0, 0, 0, 0, 0, 0, 1};
    uint32_t slot[] = {0, 1, 2, 3, 4, 5, 6, 7, 0};
    const uint32_t slots[] = {8, 8};
    const struct mapcore_mapping mapping = {9, host, slot};
    struct machine machine = part_of("tree:1,2", 2, NULL, slots);
    struct mapcore_messages m = {0, 1, 1000, 1};
    struct mapcore_hwnode *node;
    struct mapcore_estimate out;
    char name[40];

    assert_int_equal(mapcore_ports_estimate(&out, &m, 1, &mapping,
                                            machine.alloc, &ports, NULL),
                     MAPCORE_EINVAL); /* a node of which nothing is known */
    assert_ok(mapcore_hwnode_create(&node, "package:2 l3:2 core:2", NULL));
    ports.node = node;
    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        m.to = rows[i].to;
        assert_ok(mapcore_ports_estimate(&out, &m, 1, &mapping, machine.alloc,
                                         &ports, NULL));
        assert_cost(out, rows[i].time, MAPCORE_PORT_OBJECT);
        mapcore_port_name(machine.alloc, out.port, name, sizeof(name));
        assert_string_equal(name, rows[i].name);
    }
    mapcore_hwnode_destroy(node);
    machine_end(&machine);
}

static void nonsense(void **state)
{
    const struct mapcore_messages good = {0, 1, 8, 1}, bad = {0, 9, 8, 1};
    const struct mapcore_messages order[] = {{1, 0, 8, 1}, {0, 1, 8, 1}};
    const uint32_t host[] = {0, 1}, nowhere[] = {0, 8};
    struct machine machine = figure_6(), torus = machine_of("torus:4", 1);
    struct mapcore_estimate out;
    uint32_t nlevels = 0;

    assert_ok(mapcore_ports_levels(&nlevels, machine.alloc, NULL));
    assert_int_equal(nlevels, 4);
    assert_int_equal(try_cost(&out, &machine, &bad, 1, 2, host, paper, 4),
                     MAPCORE_EINVAL);
    assert_int_equal(try_cost(&out, &machine, order, 2, 2, host, paper, 4),
                     MAPCORE_EINVAL);
    assert_int_equal(try_cost(&out, &machine, &good, 1, 2, nowhere, paper, 4),
                     MAPCORE_EINVAL);
    assert_int_equal(try_cost(&out, &machine, &good, 1, 2, host, paper, 3),
                     MAPCORE_EINVAL);
    assert_int_equal(try_cost(&out, &torus, &good, 1, 2, host, paper, 4),
                     MAPCORE_ENOTSUP);
    machine_end(&machine);
    machine_end(&torus);
}

/* Any machine, also where clusters do not divide: everybody has a place, and
 * pairs that fit are together. */
static void clusters_that_do_not_divide(void **state)
{
    static const char *const specs[] = {"tree:3,2,4", "torus:4x4", "flat:9",
                                        "dragonfly:5,4,2", "tree:2,2,2,2"};

    for (uint64_t i = 0; i < 40; i++) {
        struct machine whole = machine_of(specs[i % 5], 1), machine;
        uint32_t n = mapcore_topo_nhosts(whole.topo), ntasks = 0;
        uint32_t host[64], slots[64];
        struct mapcore_graph *graph;
        struct rng rng;

        rng_init(&rng, i, 3, 0);
        assert_true(n <= 64);
        for (uint32_t h = 0; h < n; h++) {
            host[h] = n - 1 - h;
            slots[h] = rng_below(&rng, 5);
            ntasks += slots[h];
        }
        machine_end(&whole);
        ntasks -= ntasks > 3 ? rng_below(&rng, 3) : 0;
        if (ntasks == 0)
            continue;
        machine = part_of(specs[i % 5], n, host, slots);
        graph = random_graph(ntasks, 4, i);
        mapcore_mapping_destroy(map_by(&machine, graph, "bottom-up"));
        machine_graph_end(&machine, graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_ladder),
        cmocka_unit_test(the_line),
        cmocka_unit_test(a_triangle),
        cmocka_unit_test(greed_loses),
        cmocka_unit_test(tasks_share_a_port),
        cmocka_unit_test(either_sender_first),
        cmocka_unit_test(directions_and_switches),
        cmocka_unit_test(bandwidth_by_length),
        cmocka_unit_test(types_and_directions),
        cmocka_unit_test(inside_of_nodes),
        cmocka_unit_test(nonsense),
        cmocka_unit_test(clusters_that_do_not_divide),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
