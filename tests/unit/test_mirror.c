/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mirror.c - a mapping and its mirror images, turned and moved round the
 * torus, are equally good */
#include "config.h"

#include "mapfixture.h"

#include "metric/estimate.h"
#include "metric/workload.h"

enum { DIMS = 4, LONGEST = 8, HOSTS = 24, TASKS = 40, EDGES = 100 };

/* Routers of any number of hosts, also none. */
struct torus {
    uint32_t ndims, dims[DIMS];
    bool wraps[DIMS];
    double capacity[DIMS], along[DIMS][LONGEST];
    uint32_t at[HOSTS][DIMS];
};

struct program {
    struct mapcore_edge edges[EDGES];
    struct mapcore_flow flow[EDGES];
    uint32_t phase[EDGES], n, host[TASKS];
};

struct figures {
    struct mapcore_metrics metrics;
    struct mapcore_estimate estimate, phases;
    struct mapcore_play play;
    double carried; /* bytes by all links */
};

static void draw_torus(struct torus *out, struct rng *rng)
{
    *out = (struct torus){.ndims = 1 + rng_below(rng, DIMS)};
    for (uint32_t i = 0; i < out->ndims; i++) {
        out->dims[i] = 1 + rng_below(rng, out->ndims > 2 ? 4 : LONGEST);
        out->wraps[i] = rng_below(rng, 4) > 0;
        out->capacity[i] = 1 << rng_below(rng, 3);
        for (uint32_t x = 0; x < out->dims[i]; x++)
            out->along[i][x] = 1 << rng_below(rng, 3);
        for (uint32_t h = 0; h < HOSTS; h++)
            out->at[h][i] = rng_below(rng, out->dims[i]);
    }
}

/* In how many dimensions two hosts differ. */
static uint32_t differ(const struct torus *torus, uint32_t a, uint32_t b)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < torus->ndims; i++)
        n += torus->at[a][i] != torus->at[b][i];
    return n;
}

/* Of edges that leave a host along one dimension alone, if so asked. */
static void draw_program(struct program *out,
                         const struct torus *torus,
                         bool is_straight,
                         struct rng *rng)
{
    memset(out, 0, sizeof(*out));
    for (uint32_t t = 0; t < TASKS; t++)
        out->host[t] = rng_below(rng, HOSTS);
    for (uint32_t k = 0; k < EDGES; k++) {
        uint32_t a = rng_below(rng, TASKS), b = rng_below(rng, TASKS), i;

        if (is_straight && differ(torus, out->host[a], out->host[b]) > 1)
            continue;
        i = out->n++;
        out->edges[i] = (struct mapcore_edge){a, b, rng_below(rng, 1000)};
        out->flow[i] = (struct mapcore_flow){a, b, 1 + rng_below(rng, 999), 0};
        out->phase[i] = rng_below(rng, 3);
    }
}

static struct mapcore_topo *topo_of(const struct torus *torus, bool has_along)
{
    const double *along[DIMS];
    uint32_t coordinates[HOSTS * DIMS];
    struct mapcore_torus spec = {.ndims = torus->ndims,
                                 .dims = torus->dims,
                                 .wraps = torus->wraps,
                                 .nhosts = HOSTS,
                                 .coordinates = coordinates,
                                 .capacity = torus->capacity,
                                 .along = has_along ? along : NULL};
    struct mapcore_topo *topo = NULL;

    for (uint32_t i = 0; i < torus->ndims; i++)
        along[i] = torus->along[i];
    for (uint32_t h = 0; h < HOSTS; h++)
        for (uint32_t i = 0; i < torus->ndims; i++)
            coordinates[h * torus->ndims + i] = torus->at[h][i];
    assert_ok(mapcore_topo_create_torus(&topo, &spec, NULL));
    return topo;
}

static void measure(struct figures *out,
                    const struct torus *torus,
                    bool has_along,
                    const struct program *program)
{
    const struct mapcore_play_how how = {.rates = {.nic = 4, .memory = 8}};
    const uint32_t *host = program->host;
    uint32_t slots[HOSTS];
    struct mapcore_topo *topo = topo_of(torus, has_along);
    struct mapcore_graph *graph = graph_of(TASKS, program->edges, program->n);
    struct mapcore_phases *phases = NULL;
    struct mapcore_alloc *alloc = NULL;
    double *bytes = calloc(mapcore_topo_nlinks(topo) + 1, sizeof(*bytes));

    assert_non_null(bytes);
    for (uint32_t h = 0; h < HOSTS; h++)
        slots[h] = TASKS;
    memset(out, 0, sizeof(*out));
    assert_ok(mapcore_alloc_create(&alloc, topo, HOSTS, NULL, slots, NULL));
    assert_ok(mapcore_phases_create(&phases, TASKS, program->flow,
                                    program->phase, program->n, NULL));
    assert_ok(mapcore_metrics_compute_routes(
        &out->metrics, graph, alloc, host,
        &(struct mapcore_metrics_how){MAPCORE_ROUTES_STATIC, bytes}, NULL));
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++)
        out->carried += bytes[l];
    assert_ok(mapcore_work_type_estimate(
        &out->estimate, &(struct mapcore_work_type){.graph = graph}, alloc,
        host, &how.rates, NULL));
    assert_ok(mapcore_work_type_estimate(
        &out->phases, &(struct mapcore_work_type){.phases = phases}, alloc,
        host, &how.rates, NULL));
    assert_ok(mapcore_play_flows(&out->play,
                                 &(struct mapcore_play_source){.graph = graph,
                                                               .alloc = alloc,
                                                               .host = host},
                                 &how, NULL));
    free(bytes);
    mapcore_phases_destroy(phases);
    mapcore_graph_destroy(graph);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
}

/* All but which link or port of equals it is. */
static void assert_same(const struct figures *a, const struct figures *b)
{
    assert_true(a->metrics.avg_hop_bytes == b->metrics.avg_hop_bytes);
    assert_true(a->metrics.max_hop_bytes == b->metrics.max_hop_bytes);
    assert_true(a->metrics.hops_per_byte == b->metrics.hops_per_byte);
    assert_true(a->metrics.off_node_bytes == b->metrics.off_node_bytes);
    assert_true(a->metrics.max_link_bytes == b->metrics.max_link_bytes);
    assert_true(a->metrics.max_link_time == b->metrics.max_link_time);
    assert_true(a->estimate.time == b->estimate.time);
    assert_true(a->estimate.next_time == b->estimate.next_time);
    assert_true(a->phases.time == b->phases.time);
    assert_true(a->phases.next_time == b->phases.next_time);
    assert_true(a->play.bound == b->play.bound);
    assert_near(a->play.time, b->play.time);
    /* Each byte of an edge is on as many links as it has hops. */
    assert_near(a->carried, a->metrics.avg_hop_bytes * TASKS / 2);
    assert_near(b->carried, a->carried);
}

static void reflect(struct torus *out, const struct torus *torus, uint32_t i)
{
    uint32_t n = torus->dims[i];

    *out = *torus;
    for (uint32_t h = 0; h < HOSTS; h++)
        out->at[h][i] = n - 1 - torus->at[h][i];
    for (uint32_t x = 0; x < n; x++)
        out->along[i][(2 * n - 2 - x) % n] = torus->along[i][x];
}

static void translate(struct torus *out,
                      const struct torus *torus,
                      uint32_t i,
                      uint32_t by)
{
    uint32_t n = torus->dims[i];

    *out = *torus;
    for (uint32_t h = 0; h < HOSTS; h++)
        out->at[h][i] = (torus->at[h][i] + by) % n;
    for (uint32_t x = 0; x < n; x++)
        out->along[i][(x + by) % n] = torus->along[i][x];
}

static void turn_axes(struct torus *out, const struct torus *torus)
{
    *out = *torus;
    for (uint32_t i = 0; i < torus->ndims; i++) {
        uint32_t to = (i + 1) % torus->ndims;

        out->dims[to] = torus->dims[i];
        out->wraps[to] = torus->wraps[i];
        out->capacity[to] = torus->capacity[i];
        memcpy(out->along[to], torus->along[i], sizeof(torus->along[i]));
        for (uint32_t h = 0; h < HOSTS; h++)
            out->at[h][to] = torus->at[h][i];
    }
}

static void images_are_as_good(void **state)
{
    struct rng rng;

    rng_init(&rng, 28, 0, 0);
    for (int round = 0; round < 200; round++) {
        bool has_along = round % 3 == 0;
        struct figures figures, image;
        struct torus torus, other;
        struct program program;

        draw_torus(&torus, &rng);
        draw_program(&program, &torus, false, &rng);
        measure(&figures, &torus, has_along, &program);
        for (uint32_t i = 0; i < torus.ndims; i++) {
            reflect(&other, &torus, i);
            measure(&image, &other, has_along, &program);
            assert_same(&image, &figures);
            if (!torus.wraps[i])
                continue;
            translate(&other, &torus, i, 1 + rng_below(&rng, LONGEST));
            measure(&image, &other, has_along, &program);
            assert_same(&image, &figures);
        }
        /* Where the order of the dimensions makes no difference. */
        draw_program(&program, &torus, true, &rng);
        turn_axes(&other, &torus);
        measure(&figures, &torus, has_along, &program);
        measure(&image, &other, has_along, &program);
        assert_same(&image, &figures);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(images_are_as_good),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
