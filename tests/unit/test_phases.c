/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_phases.c - collectives stage by stage: who goes at once, what that
 * takes, and mappings that are chosen by it */
#include "config.h"

#include "mapfixture.h"

#include "metric/workload.h"

#include <unistd.h>

#include "base/array.h"
#include "map/map.h"
#include "map/refine/phase_descent.h"
#include "play/play.h"
#include "profiles/expand.h"
#include "profiles/type_stages.h"

static struct mapcore_estimate time_of(const struct machine *m,
                                       const struct mapcore_flow *flow,
                                       const uint32_t *phase,
                                       size_t n,
                                       struct mapcore_host_rates rates)
{
    const uint32_t host[] = {0, 1, 2, 3, 0};
    struct mapcore_phases *phases = NULL;
    struct mapcore_estimate out;

    assert_ok(mapcore_phases_create(&phases, 5, flow, phase, n, NULL));
    assert_ok(mapcore_work_type_estimate(
        &out, &(struct mapcore_work_type){.phases = phases}, m->alloc, host,
        &rates, NULL));
    mapcore_phases_destroy(phases);
    return out;
}

/* A ring of four. 0 -> 1 and 1 -> 0 use links of their own; half of 0 -> 2
 * shares (0) +x with the former. Phases add up. */
static void phases_on_a_ring(void **state)
{
    const struct mapcore_flow flow[] = {
        {0, 1, 10, 0}, {1, 0, 8, 0}, {0, 2, 6, 0}};
    const struct mapcore_host_rates none = {.nic = 0};
    struct machine m;
    struct mapcore_estimate e;

    m = machine_of("torus:4", 2);
    e = time_of(&m, flow, (const uint32_t[]){0, 0, 0}, 3, none);
    assert_true(e.time == 13);
    assert_true(e.next_time == 8);
    e = time_of(&m, flow, (const uint32_t[]){7, 7, 2}, 3, none);
    assert_true(e.time == 10 + 3);
    assert_true(e.next_time == 3 + 8);
    assert_int_equal(e.port.kind, MAPCORE_PORT_LINK);
    machine_end(&m);
}

/* Out of node 0 go 16 and into it 8; tasks 0 and 4 are both there. */
static void interfaces_have_two_ways(void **state)
{
    const struct mapcore_flow flow[] = {
        {0, 1, 10, 0}, {1, 0, 8, 0}, {0, 2, 6, 0}, {4, 0, 30, 0}};
    struct machine m;
    struct mapcore_estimate e;

    m = machine_of("torus:4", 2);
    e = time_of(&m, flow, (const uint32_t[]){0, 0, 0, 0}, 4,
                (struct mapcore_host_rates){.nic = 0.5});
    assert_true(e.time == 32);
    assert_int_equal(e.port.kind, MAPCORE_PORT_NIC);
    assert_int_equal(e.port.number, 0);
    e = time_of(&m, flow, (const uint32_t[]){0, 0, 0, 0}, 4,
                (struct mapcore_host_rates){.nic = 0.5, .memory = 0.25});
    assert_true(e.time == 120);
    assert_int_equal(e.port.kind, MAPCORE_PORT_MEMORY);
    machine_end(&m);
}

/* Up and down a cable do not disturb each other, but 0 -> 2 and 1 -> 2 do on
 * the way down to 2. */
static void cables_have_two_ways(void **state)
{
    const struct mapcore_flow both[] = {{0, 2, 10, 0}, {2, 0, 10, 0}};
    const struct mapcore_flow join[] = {{0, 2, 10, 0}, {1, 2, 10, 0}};
    const uint32_t at_once[] = {0, 0};
    const struct mapcore_host_rates none = {.nic = 0};
    struct machine m;

    m = machine_of("tree:2,2:capacity=1,1", 2);
    assert_true(time_of(&m, both, at_once, 2, none).time == 10);
    assert_true(time_of(&m, join, at_once, 2, none).time == 20);
    machine_end(&m);
}

static void no_such_task(void **state)
{
    const struct mapcore_flow flow = {0, 5, 1, 0};
    const uint32_t phase = 0;
    struct mapcore_phases *phases = NULL;
    struct mapcore_error err;

    assert_int_equal(mapcore_phases_create(&phases, 5, &flow, &phase, 1, &err),
                     MAPCORE_EINVAL);
    assert_null(phases);
}

/* The phases of what a file `collectives` says of 16 tasks. */
static struct mapcore_phases *phases_of(const char *text,
                                        const char *type,
                                        const char *mpi)
{
    char program[] = "x", library[64];
    struct profile profile = {
        .ntasks = 16, .large_share = 1, .program = program, .mpi = library};
    char folder[] = "/tmp/test-phases-XXXXXX", path[64], name[64];
    struct mapcore_graph *recorded = NULL;
    struct mapcore_phases *out = NULL;
    struct mapcore_error err = {""};
    FILE *file;

    snprintf(library, sizeof(library), "%s", mpi);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof(path), "%s/collectives", folder);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "# collectives 1\n%s", text);
    assert_ok(fclose(file));
    snprintf(name, sizeof(name), "%s:direct", type);
    assert_ok(expand_named(&recorded, &profile, folder, name, &err));
    assert_ok(type_phases(
        &out, NULL, &profile,
        &(struct expand_subject){folder, NULL, type, recorded, false}, &err));
    mapcore_graph_destroy(recorded);
    unlink(path);
    rmdir(folder);
    return out;
}

#define ROWS                                                                   \
    "communicator 0 4 0 1 2 3\ncommunicator 1 4 0 4 8 12\n"                    \
    "communicator 2 4 4 5 6 7\ncommunicator 3 4 1 5 9 13\n"

/* Rows follow columns, in any order of the file; 8,192 bytes go to three
 * others at once by MPICH, block after block from 32 KiB on, of which half goes
 * at any time. */
static void rows_and_columns(void **state)
{
    struct mapcore_phases *phases;

    phases = phases_of(ROWS "alltoall 0 0 1 8192\nalltoall 1 0 1 8192\n"
                            "alltoall 2 0 1 8192\nalltoall 3 0 1 8192\n",
                       "alltoall", "MPICH Version: 4.0");
    assert_int_equal(phases->n, 2);
    assert_int_equal(phases->first[1], 24);
    assert_int_equal(phases->first[2], 48);
    for (size_t k = 0; k < 24; k++) {
        assert_int_equal(phases->flow[k].from / 4, phases->flow[k].to / 4);
        assert_int_equal(phases->flow[24 + k].from % 4,
                         phases->flow[24 + k].to % 4);
        assert_int_equal(phases->flow[k].bytes, 8192);
    }
    mapcore_phases_destroy(phases);
    phases = phases_of(ROWS "alltoall 0 0 2 131072\nalltoall 2 0 2 131072\n",
                       "alltoall", "MPICH Version: 4.0");
    assert_int_equal(phases->n, 3 + 1);
    mapcore_phases_destroy(phases);
}

/* Communicators of two sizes that share no task are no two phases. */
static void beside_each_other(void **state)
{
    struct mapcore_phases *phases =
        phases_of("communicator 0 4 0 1 2 3\ncommunicator 1 2 8 9\n"
                  "alltoall 0 0 1 1024\nalltoall 1 0 1 1024\n",
                  "alltoall", "Open MPI v4.0.1");

    assert_int_equal(phases->n, 1);
    assert_int_equal(phases->first[1], 12 + 2);
    mapcore_phases_destroy(phases);
}

/* MVAPICH2 has four under way, counting the rank itself. */
static void throttled(void **state)
{
    struct mapcore_phases *phases =
        phases_of("communicator 0 16 all\nalltoall 0 0 1 1024\n", "alltoall",
                  "MVAPICH2 Version: 2.3.7");

    assert_int_equal(phases->n, 4 + 1);
    assert_int_equal(phases->first[1], 16 * 3);
    assert_int_equal(phases->first[2], 16 * 7);
    assert_int_equal(phases->first[5], 2 * 16 * 15);
    for (size_t k = 0; k < 2 * 16 * 15; k++)
        assert_int_equal(phases->flow[k].bytes, 512);
    mapcore_phases_destroy(phases);
}

/* A binomial tree of 8: the root sends to 1, 2 and 4 at once, then these; of
 * long messages to 4 first. A reduce is that one backwards. */
static void trees(void **state)
{
    static const struct mapcore_flow down[] = {
        {0, 1, 50, 3}, {0, 2, 50, 3}, {0, 4, 50, 3}, {2, 3, 50, 3},
        {4, 5, 50, 3}, {4, 6, 50, 3}, {6, 7, 50, 3}};
    struct mapcore_phases *phases;

    phases = phases_of("communicator 0 8 0 1 2 3 4 5 6 7\nbcast 0 0 3 100\n",
                       "bcast", "MPICH Version: 4.0");
    assert_int_equal(phases->n, 3 + 1);
    assert_int_equal(phases->first[1], 3);
    assert_int_equal(phases->first[2], 6);
    assert_int_equal(phases->first[4], 2 * 7);
    assert_memory_equal(phases->flow, down, sizeof(down));
    mapcore_phases_destroy(phases);
    phases = phases_of("communicator 0 7 0 1 2 3 4 5 6\nbcast 0 0 1 65536\n",
                       "bcast", "MPICH Version: 4.0");
    assert_int_equal(phases->n, 3 + 1);
    assert_int_equal(phases->first[1], 1);
    assert_int_equal(phases->first[2], 3);
    assert_int_equal(phases->flow[0].to, 4);
    mapcore_phases_destroy(phases);
    phases = phases_of("communicator 0 8 0 1 2 3 4 5 6 7\nreduce 0 0 1 100\n",
                       "reduce", "MPICH Version: 4.0");
    assert_int_equal(phases->n, 3 + 1);
    assert_int_equal(phases->first[1], 4);
    assert_int_equal(phases->flow[0].from, 1);
    assert_int_equal(phases->flow[0].to, 0);
    assert_int_equal(phases->flow[6].from, 4);
    assert_int_equal(phases->flow[6].to, 0);
    mapcore_phases_destroy(phases);
}

/* How many messages a flow is: a turn of a ring each, and where halves are
 * reduced, then gathered, two for a pair. */
static void turns_are_messages(void **state)
{
    static const struct {
        const char *line, *type, *mpi;
        uint64_t messages; /* of the last stage's flows, of 5 calls */
    } rows[] = {
        {"communicator 0 12 0 1 2 3 4 5 6 7 8 9 10 11\n"
         "bcast 0 0 5 5000000\n",
         "bcast", "MPICH Version: 4.0", 5 * 11},
        {"communicator 0 16 all\nallreduce 0 0 5 5000000\n", "allreduce",
         "MPICH Version: 4.0", 5 * 2},
        {"communicator 0 16 all\nallreduce 0 0 5 500\n", "allreduce",
         "MPICH Version: 4.0", 5},
        {"communicator 0 16 all\nallreduce 0 0 5 5000000\n", "allreduce",
         "Open MPI v4.0.1", 5 * 2 * 15},
        {"communicator 0 16 all\nallgather 0 0 5 500000\n", "allgather",
         "Open MPI v4.0.1", 5 * 4},
        {"communicator 0 16 all\nalltoall 0 0 5 5000000\n", "alltoall",
         "MPICH Version: 4.0", 5},
    };

    for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
        struct mapcore_phases *phases =
            phases_of(rows[i].line, rows[i].type, rows[i].mpi);

        /* What goes at any time comes last, as no messages of its own. */
        const size_t last = phases->n - 1 - (phases->n > 1);

        for (size_t k = phases->first[last]; k < phases->first[last + 1]; k++)
            assert_int_equal(phases->flow[k].messages, rows[i].messages);
        mapcore_phases_destroy(phases);
    }
}

/* An 8x8 grid whose rows, then columns, exchange all with all, and light
 * neighbours at once. */
static struct mapcore_workload *make_work(struct mapcore_graph **graph,
                                          struct mapcore_phases **phases)
{
    static struct mapcore_work_type type[2];
    static struct mapcore_workload work;
    struct mapcore_flow flow[2 * 64 * 7];
    struct mapcore_edge edge[64];
    uint32_t phase[2 * 64 * 7];
    size_t n = 0;

    for (uint32_t p = 0; p < 2; p++)
        for (uint32_t a = 0; a < 64; a++)
            for (uint32_t i = 0; i < 8; i++) {
                uint32_t b = p ? i * 8 + a % 8 : a / 8 * 8 + i;

                if (a != b) {
                    flow[n] = (struct mapcore_flow){a, b, p ? 100 : 170, 0};
                    phase[n++] = p;
                }
            }
    for (uint32_t a = 0; a < 64; a++)
        edge[a] = (struct mapcore_edge){a, (a + 9) % 64, 300};
    assert_ok(mapcore_graph_create(graph, 64, edge, 64, NULL));
    assert_ok(mapcore_phases_create(phases, 64, flow, phase, n, NULL));
    type[0] = (struct mapcore_work_type){.phases = *phases, .scale = 2};
    type[1] = (struct mapcore_work_type){.graph = *graph, .scale = 1};
    work = (struct mapcore_workload){type, 2, {.nic = 3, .memory = 11}, 0.05};
    return &work;
}

static void free_work(struct mapcore_phases *phases,
                      struct mapcore_graph *graph)
{
    mapcore_phases_destroy(phases);
    mapcore_graph_destroy(graph);
}

static const char *const networks[] = {
    "torus:4x4:capacity=2x1", "tree:4,4:capacity=4,7",
    "dragonfly:3,2,3:global=1:capacity=4,2,1"};

/* A play of a phase takes what its slowest port needs, or longer. */
static void plays_take_as_long(void **state)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_phases *phases = NULL;
    struct mapcore_workload *work = make_work(&graph, &phases);
    const struct mapcore_play_how how = {.rates = work->rates};

    for (size_t i = 0; i < 3; i++) {
        struct machine m;
        struct mapcore_play_source source;
        struct mapcore_estimate estimate;
        double time = 0, bound = 0;
        uint32_t host[64];

        m = machine_of(networks[i], 4);
        spread_64(host, i + 1);
        assert_ok(mapcore_work_type_estimate(
            &estimate, &(struct mapcore_work_type){.phases = phases}, m.alloc,
            host, &work->rates, NULL));
        source = (struct mapcore_play_source){
            .phases = phases, .alloc = m.alloc, .host = host};
        for (size_t p = 0; p < phases->n; p++) {
            struct mapcore_play play;

            source.phase = p;
            assert_ok(mapcore_play_flows(&play, &source, &how, NULL));
            assert_true(play.time >= play.bound * (1 - 1e-9));
            time += play.time;
            bound += play.bound;
        }
        assert_true(bound > estimate.time * (1 - 1e-9) &&
                    bound < estimate.time * (1 + 1e-9));
        assert_true(time < 2 * bound);
        machine_end(&m);
    }
    free_work(phases, graph);
}

/* The norm of the times of its ports, as phase_loads.h says, from nothing. */
static double energy_of(const struct phase_loads *loads)
{
    const struct phase_tables *tables = loads->tables;
    const double power = (double)(1u << loads->doublings);
    double energy = 0;

    for (uint32_t p = 0; p < tables->nphases; p++) {
        const struct phase_load *load =
            loads->load + (size_t)p * tables->nports;
        double sum = 0, busy = 0;

        for (uint32_t i = 0; i < tables->nports; i++)
            sum += pow(load[i].bytes * tables->inverse[i], power);
        for (uint32_t i = 0; i < tables->nlinks; i++)
            busy += load[i].bytes * tables->inverse[i];
        energy +=
            tables->scale[p] * (pow(sum, 1 / power) + tables->traffic * busy);
    }
    return energy;
}

/* After every trial the loads say what an estimate from nothing says, and
 * their energy is that of the loads; what is not kept leaves no trace. */
static void loads_are_exact(void **state)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_phases *phases = NULL;
    struct mapcore_workload *work = make_work(&graph, &phases);

    work->rates.ties_are_whole = true;
    for (size_t i = 0; i < 3; i++) {
        struct machine m;
        struct map_problem problem = {.graph = graph};
        struct phase_tables *tables = NULL;
        struct arena arena = {0};
        struct phase_loads loads;
        uint32_t host[64];
        struct rng rng;

        m = machine_of(networks[i], 4);
        problem.alloc = m.alloc;
        spread_64(host, i + 1);
        assert_ok(phase_tables_create(&tables, &problem, work, NULL));
        assert_non_null(tables);
        assert_ok(phase_loads_begin(&loads, tables, host, &arena));
        rng_init(&rng, 5, 5, i);
        for (uint32_t k = 0; k < 300; k++) {
            const uint32_t a = rng_below(&rng, 64), b = rng_below(&rng, 64);
            const uint32_t from = host[a], to = host[b];
            const double now = loads.energy;
            double time;

            /* One, two, or all tasks of two hosts. */
            for (uint32_t t = 0; t < 64; t++)
                if (t == a || (k % 3 > 0 && t == b) ||
                    (k % 3 == 2 && (host[t] == from || host[t] == to)))
                    phase_loads_move(&loads, t, host[t] == from ? to : from);
            phase_loads_settle(&loads);
            assert_true(is_close(loads.energy, energy_of(&loads)));
            if (k == 100)
                loads.doublings++;
            phase_loads_end(&loads, k % 2);
            if (k % 100 == 0)
                phase_loads_refresh(&loads);
            else if (k % 2 == 0)
                assert_true(loads.energy >= now && loads.energy <= now &&
                            host[a] == from && host[b] == to);
            assert_ok(mapcore_workload_cost(&time, work, m.alloc, host, NULL));
            assert_true(is_close(time, phase_loads_time(&loads, INFINITY)));
            assert_true(!isfinite(phase_loads_time(&loads, 0.9 * time)));
            assert_true(loads.energy > time * (1 - 1e-9));
        }
        arena_clear(&arena);
        phase_tables_destroy(tables);
        machine_end(&m);
    }
    free_work(phases, graph);
}

static void descents_gain(void **state)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_phases *phases = NULL;
    struct mapcore_workload *work = make_work(&graph, &phases);

    for (size_t i = 0; i < 3; i++)
        for (uint32_t forgets = 0; forgets < 2; forgets++) {
            struct machine m;
            struct map_problem problem = {.graph = graph};
            struct phase_tables *tables = NULL;
            uint32_t host[64], pin[64], was;
            double before, after, energy;
            bool timed_out;
            struct rng rng;

            m = machine_of(networks[i], 4);
            problem.alloc = m.alloc;
            spread_64(host, i + 1);
            was = host[17];
            for (uint32_t t = 0; t < 64; t++)
                pin[t] = t == 17 ? was : MAPCORE_NONE;
            problem.pin = pin;
            rng_init(&rng, 1, 2, 3);
            assert_ok(
                mapcore_workload_cost(&before, work, m.alloc, host, NULL));
            assert_ok(phase_tables_create(&tables, &problem, work, NULL));
            assert_ok(
                phase_descent_run(host, &energy, &timed_out,
                                  &(struct phase_descent){.problem = &problem,
                                                          .tables = tables,
                                                          .moves_hosts = i == 1,
                                                          .work = 500000,
                                                          .forgets = forgets,
                                                          .slowest = INFINITY,
                                                          .hot = 0.5,
                                                          .cold = 0.0005},
                                  &rng, NULL));
            assert_false(timed_out);
            assert_ok(mapcore_workload_cost(&after, work, m.alloc, host, NULL));
            assert_true(after < 0.9 * before);
            assert_int_equal(host[17], was);
            phase_tables_destroy(tables);
            machine_end(&m);
        }
    free_work(phases, graph);
}

/* A search that knows the workload ends with less of it than one that
 * knows the graph alone, and the same again on two threads. */
static void searches_go_by_it(void **state)
{
    struct mapcore_graph *graph = NULL;
    struct mapcore_phases *phases = NULL;
    struct mapcore_workload *work = make_work(&graph, &phases);

    for (size_t i = 0; i < 3; i++) {
        struct mapcore_search search = {.choose = MAPCORE_CHOOSE_TIME,
                                        .work = 40};
        struct mapcore_result by_graph, by_work, again;
        double graph_time, work_time;
        struct machine m;

        m = machine_of(networks[i], 4);
        by_graph = search_on(&m, graph, &search);
        search.workload = work;
        by_work = search_on(&m, graph, &search);
        search.threads = 2;
        again = search_on(&m, graph, &search);
        assert_ok(mapcore_workload_cost(&graph_time, work, m.alloc,
                                        by_graph.mapping->host, NULL));
        assert_ok(mapcore_workload_cost(&work_time, work, m.alloc,
                                        by_work.mapping->host, NULL));
        assert_true(work_time < graph_time);
        assert_true(by_work.metrics.max_link_time <=
                    by_work.baseline.max_link_time);
        assert_memory_equal(by_work.mapping->host, again.mapping->host,
                            64 * sizeof(uint32_t));
        mapcore_result_clear(&by_graph);
        mapcore_result_clear(&by_work);
        mapcore_result_clear(&again);
        machine_end(&m);
    }
    free_work(phases, graph);
}

struct few {
    const struct mapcore_graph *graph;
    const struct mapcore_workload *work;
    const struct mapcore_alloc *alloc;
    double slowest; /* a link of the baseline */
    uint32_t host[8];
};

/* The least time of 7 tasks on 8 hosts, of all from place `at` on whose slowest
 * link is no slower than the baseline's. */
static double least_of_all(struct few *few, uint32_t at)
{
    struct mapcore_metrics metrics;
    double least = INFINITY, time;

    if (at == 7) {
        assert_ok(mapcore_workload_cost(&time, few->work, few->alloc, few->host,
                                        NULL));
        assert_ok(mapcore_metrics_compute(&metrics, few->graph, few->alloc,
                                          few->host, NULL));
        return metrics.max_link_time > few->slowest ? INFINITY : time;
    }
    for (uint32_t i = at; i < 8; i++) {
        const uint32_t here = few->host[at], there = few->host[i];

        few->host[at] = there;
        few->host[i] = here;
        least = fmin(least, least_of_all(few, at + 1));
        few->host[at] = here;
        few->host[i] = there;
    }
    return least;
}

/* A search of few tasks ends where no other placement takes less. */
static void few_are_optimal(void **state)
{
    static const char *const small[] = {"torus:4x2", "tree:2,4:capacity=2,1",
                                        "dragonfly:2,2,2"};

    for (uint64_t i = 0; i < 6; i++) {
        struct mapcore_graph *light = random_graph(7, 4, i + 1);
        struct mapcore_graph *heavy = random_graph(7, 3, i + 10);
        struct mapcore_work_type type[] = {{.graph = light, .scale = 3},
                                           {.graph = heavy, .scale = 2}};
        struct mapcore_workload work = {
            type, 2, {.nic = i % 2 ? 4 : 0}, i % 3 ? 0.02 : 0};
        struct mapcore_search search = {.choose = MAPCORE_CHOOSE_TIME,
                                        .workload = &work};
        struct machine m = machine_of(small[i / 2 % 3], 1);
        struct mapcore_result found = search_on(&m, light, &search);
        struct few few = {light,
                          &work,
                          m.alloc,
                          found.baseline.max_link_time,
                          {0, 1, 2, 3, 4, 5, 6, 7}};
        double time;

        assert_ok(mapcore_workload_cost(&time, &work, m.alloc,
                                        found.mapping->host, NULL));
        assert_true(is_close(time, least_of_all(&few, 0)));
        mapcore_result_clear(&found);
        mapcore_graph_destroy(light);
        mapcore_graph_destroy(heavy);
        machine_end(&m);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(phases_on_a_ring),
        cmocka_unit_test(interfaces_have_two_ways),
        cmocka_unit_test(cables_have_two_ways),
        cmocka_unit_test(no_such_task),
        cmocka_unit_test(rows_and_columns),
        cmocka_unit_test(beside_each_other),
        cmocka_unit_test(throttled),
        cmocka_unit_test(trees),
        cmocka_unit_test(turns_are_messages),
        cmocka_unit_test(plays_take_as_long),
        cmocka_unit_test(loads_are_exact),
        cmocka_unit_test(descents_gain),
        cmocka_unit_test(searches_go_by_it),
        cmocka_unit_test(few_are_optimal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
