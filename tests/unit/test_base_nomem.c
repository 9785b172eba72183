/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_base_nomem.c - every constructor of base to metric, with its first,
 * second, ... allocation failing; linked with --wrap for malloc, calloc,
 * realloc and free */
#include "config.h"

#include "unit.h"

#include "nomem.h"

#include "alloc/mapping.h"
#include "base/buffer.h"
#include "base/file_read.h"
#include "base/file_replace.h"
#include "base/hosts.h"
#include "base/name_set.h"
#include "base/text.h"
#include "graph/file/file.h"
#include "grid/tally.h"
#include "metric/metric.h"
#include "topo/topo.h"

#include "scratch.h"

static const struct mapcore_graph_reading metis = {MAPCORE_GRAPH_METIS, 0};

/* What the constructors that stand on others are given; made with memory. */
struct world {
    struct scratch *scratch;
    char metis[300], mapping[300], torus[300], slurm[300], links[300],
        tree[300];
    struct mapcore_graph *graph;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
};

static const struct mapcore_edge edges[] = {{0, 1, 5},
                                            {1, 2, 7},
                                            {3, 0, 1},
                                            {2, 3, 1},
                                            {1, 0, 2}};
static const uint32_t hosts[] = {0, 3, 1, 2};
static const char *const names[] = {"a", "b", "c", "d"};

static int make_graph(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    int code = mapcore_graph_create(&graph, 4, edges, 5, err);

    (void)w;
    assert_true(code == 0 || !graph);
    mapcore_graph_destroy(graph);
    return code;
}

static int make_sum(const struct world *w, struct mapcore_error *err)
{
    const struct mapcore_graph *both[] = {w->graph, w->graph};
    struct mapcore_graph *graph = NULL;
    int code = mapcore_graph_sum(&graph, both, NULL, 2, err);

    assert_true(code == 0 || !graph);
    mapcore_graph_destroy(graph);
    return code;
}

static int read_metis(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    int code = mapcore_graph_read(&graph, w->metis, &metis, err);

    assert_true(code == 0 || !graph);
    mapcore_graph_destroy(graph);
    return code;
}

static int parse_graph(const char *text, struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    int code = mapcore_graph_parse(&graph, "f", text, strlen(text), NULL, err);

    assert_true(code == 0 || !graph);
    mapcore_graph_destroy(graph);
    return code;
}

static int parse_mtx(const struct world *w, struct mapcore_error *err)
{
    (void)w;
    return parse_graph("%%MatrixMarket matrix coordinate pattern general\n"
                       "3 3 2\n1 2\n2 3\n",
                       err);
}

static int parse_edges(const struct world *w, struct mapcore_error *err)
{
    (void)w;
    return parse_graph("# edges\n0 1 5\n1 2\n", err);
}

static int make_torus(const struct world *w, struct mapcore_error *err)
{
    const struct mapcore_torus spec = {
        .ndims = 2,
        .dims = (const uint32_t[]){2, 3},
        .nabsent = 1,
        .absent = (const uint32_t[]){0, 0},
        .nhosts = 4,
        .coordinates = (const uint32_t[]){1, 2, 1, 0, 1, 1, 0, 1},
        .names = names};
    struct mapcore_topo *topo = NULL;
    int code = mapcore_topo_create_torus(&topo, &spec, err);

    (void)w;
    assert_true(code == 0 || !topo);
    mapcore_topo_destroy(topo);
    return code;
}

static int make_tree(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_topo *topo = NULL;
    int code = mapcore_topo_create_tree(&topo, 2, (const uint32_t[]){2, 2},
                                        names, err);

    (void)w;
    assert_true(code == 0 || !topo);
    mapcore_topo_destroy(topo);
    return code;
}

static int open_topo(const char *spec, struct mapcore_error *err)
{
    struct mapcore_topo *topo = NULL;
    int code = mapcore_topo_open(&topo, spec, err);

    assert_true(code == 0 || !topo);
    mapcore_topo_destroy(topo);
    return code;
}

static int open_spec(const struct world *w, struct mapcore_error *err)
{
    (void)w;
    return open_topo("torus:4x4/2:wrap=1x0", err);
}

static int open_torus_file(const struct world *w, struct mapcore_error *err)
{
    return open_topo(w->torus, err);
}

static int open_slurm_file(const struct world *w, struct mapcore_error *err)
{
    return open_topo(w->slurm, err);
}

static int open_dragonfly(const struct world *w, struct mapcore_error *err)
{
    (void)w;
    return open_topo("dragonfly:3,2,2:capacity=1,2,3", err);
}

static int open_links_file(const struct world *w, struct mapcore_error *err)
{
    return open_topo(w->links, err);
}

static int open_tree_of_links(const struct world *w, struct mapcore_error *err)
{
    return open_topo(w->tree, err);
}

static int parse_slurm(const struct world *w, struct mapcore_error *err)
{
    static const char text[] = "SwitchName=s0 Nodes=a,b\n"
                               "SwitchName=s1 Nodes=c[0-40]\n";
    struct mapcore_topo *topo = NULL;
    int code =
        mapcore_topo_parse_slurm(&topo, "t", text, sizeof(text) - 1, err);

    (void)w;
    assert_true(code == 0 || !topo);
    mapcore_topo_destroy(topo);
    return code;
}

static int make_alloc(const struct world *w, struct mapcore_error *err)
{
    const uint32_t slots[] = {1, 1, 1, 1};
    struct mapcore_alloc *alloc = NULL;
    int code = mapcore_alloc_create(&alloc, w->topo, 4, hosts, slots, err);

    assert_true(code == 0 || !alloc);
    mapcore_alloc_destroy(alloc);
    return code;
}

static int make_mapping(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    int code = mapcore_mapping_create(&mapping, w->alloc, 4, hosts, NULL, err);

    assert_true(code == 0 || !mapping);
    mapcore_mapping_destroy(mapping);
    return code;
}

static int make_block(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    int code = mapcore_mapping_block(&mapping, w->alloc, 4, err);

    assert_true(code == 0 || !mapping);
    mapcore_mapping_destroy(mapping);
    return code;
}

static int make_cyclic(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    int code = mapcore_mapping_cyclic(&mapping, w->alloc, 4, err);

    assert_true(code == 0 || !mapping);
    mapcore_mapping_destroy(mapping);
    return code;
}

static int read_mapping(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_mapping *mapping = NULL;
    int code = mapcore_mapping_read(&mapping, w->alloc, w->mapping, err);

    assert_true(code == 0 || !mapping);
    mapcore_mapping_destroy(mapping);
    return code;
}

static int compute_metrics(const struct world *w, struct mapcore_error *err)
{
    struct mapcore_metrics metrics;

    return mapcore_metrics_compute(&metrics, w->graph, w->alloc, hosts, err);
}

static int expand_hosts(const struct world *w, struct mapcore_error *err)
{
    struct hosts list = {0};
    int code = hosts_expand_distinct(&list, "a,n[0-40]", err);

    (void)w;
    assert_true(code == 0 || list.n == 0);
    hosts_clear(&list);
    return code;
}

static int compress_hosts(const struct world *w, struct mapcore_error *err)
{
    static const char *const name[] = {"login", "n1", "n2", "n4", "x"};
    char *text = NULL;
    int code = hosts_compress(&text, 5, name, err);

    (void)w;
    assert_true(code == 0 || !text);
    free(text);
    return code;
}

static int read_text(const struct world *w, struct mapcore_error *err)
{
    struct text *text = NULL;
    char *line = NULL;
    int code = text_open(&text, w->metis, err);

    if (code == 0)
        code = text_line(text, &line, err);
    text_close(text);
    return code;
}

static int read_file(const struct world *w, struct mapcore_error *err)
{
    struct buffer bytes = {0};
    int code = file_read_all(&bytes, w->metis, FILE_REGULAR, 1000, err);

    buffer_clear(&bytes);
    return code;
}

static int replace_file(const struct world *w, struct mapcore_error *err)
{
    struct file_replace output = {0};
    char path[320];
    int code;

    snprintf(path, sizeof(path), "%s.copy", w->metis);
    code = file_replace_open(&output, path, 0600, err);
    assert_true(code == 0 || !output.path);
    file_replace_abandon(&output);
    return code;
}

static int fill_buffer(const struct world *w, struct mapcore_error *err)
{
    struct buffer buffer = {0};
    int code = 0;

    (void)w;
    for (size_t i = 0; code == 0 && i < 20; i++) {
        size_t before = buffer.n;

        code = i % 2 ? buffer_printf(&buffer, err, "%s", "123456789")
                     : buffer_append(&buffer, err, "123456789", 9);
        assert_int_equal(buffer.n, code == 0 ? before + 9 : before);
    }
    buffer_clear(&buffer);
    return code;
}

/* What failed may be tried again: the table is as it was. */
static int fill_table(const struct world *w, struct mapcore_error *err)
{
    struct table64 table = {0};
    uint32_t out;
    int code = 0;

    (void)w;
    for (uint32_t i = 0; code == 0 && i < 1000; i++) {
        code = i % 2 ? table64_put(&out, &table, i, i, err)
                     : table64_add(&table, i, i, err);
        assert_int_equal(table64_find(&table, i), code == 0 ? i : MAPCORE_NONE);
        assert_int_equal(table.n, code == 0 ? i + 1 : i);
    }
    table64_clear(&table);
    return code;
}

static int fill_names(const struct world *w, struct mapcore_error *err)
{
    struct name_set set = {0};
    char name[20];
    uint32_t out;
    int code = 0;

    (void)w;
    for (uint32_t i = 0; code == 0 && i < 200; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        code = name_set_add(&out, &set, name, err);
        assert_int_equal(set.n, code == 0 ? i + 1 : i);
        assert_int_equal(name_set_find(&set, name),
                         code == 0 ? i : MAPCORE_NONE);
    }
    name_set_clear(&set);
    return code;
}

static int fill_tally(const struct world *w, struct mapcore_error *err)
{
    struct tally tally = {0};
    int code = 0;

    (void)w;
    for (uint64_t key = 0; code == 0 && key < 300; key++)
        code = tally_add(&tally, key, 1, err);
    tally_clear(&tally);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    static const struct {
        const char *name;
        int (*run)(const struct world *w, struct mapcore_error *err);
        long at_least; /* so that a test of nothing is noticed */
    } cases[] = {
        {"graph_create", make_graph, 7},
        {"graph_sum", make_sum, 10},
        {"graph_read_metis", read_metis, 9},
        {"graph_parse, matrix", parse_mtx, 10},
        {"graph_parse, edges", parse_edges, 10},
        {"topo_create_torus", make_torus, 10},
        {"topo_create_tree", make_tree, 10},
        {"topo_open", open_spec, 4},
        {"topo_open, torus file", open_torus_file, 12},
        {"topo_open, Slurm file", open_slurm_file, 20},
        {"topo_parse_slurm", parse_slurm, 60},
        {"topo_open, dragonfly", open_dragonfly, 5},
        {"topo_open, links", open_links_file, 20},
        {"topo_open, tree of links", open_tree_of_links, 20},
        {"alloc_create", make_alloc, 6},
        {"mapping_create", make_mapping, 6},
        {"mapping_block", make_block, 3},
        {"mapping_cyclic", make_cyclic, 3},
        {"mapping_read", read_mapping, 12},
        {"metrics_compute", compute_metrics, 6},
        {"hosts_expand", expand_hosts, 41},
        {"hosts_compress", compress_hosts, 1},
        {"text", read_text, 3},
        {"file_read_all", read_file, 1},
        {"file_replace_open", replace_file, 2},
        {"buffer", fill_buffer, 3},
        {"table64", fill_table, 4},
        {"name_set", fill_names, 205},
        {"tally", fill_tally, 3},
    };
    const struct world *w = *state;

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (long n = 0;; n++) {
            struct mapcore_error err = {""};
            long before = live;

            failed = false;
            granted = n;
            int code = cases[i].run(w, &err);
            granted = -1;
            if (live != before)
                fail_msg("%s leaks when allocation %ld fails", cases[i].name,
                         n + 1);
            if (!failed) {
                assert_int_equal(code, 0);
                if (n < cases[i].at_least)
                    fail_msg("%s makes only %ld allocations", cases[i].name, n);
                break;
            }
            if (code != MAPCORE_ENOMEM)
                fail_msg("%s gives %d when allocation %ld fails", cases[i].name,
                         code, n + 1);
            assert_non_null(strstr(err.text, "out of memory"));
        }
    }
}

static int world_setup(void **state)
{
    const uint32_t slots[] = {1, 1, 1, 1};
    struct world *w = calloc(1, sizeof(*w));
    struct mapcore_metrics metrics;
    void *scratch;

    if (!w || scratch_setup(&scratch) < 0)
        return -1;
    w->scratch = scratch;
    snprintf(w->metis, sizeof(w->metis), "%s", at(scratch, "x.graph"));
    put_text(w->metis, "3 2 1\n2 5\n1 5 3 6\n2 6\n");
    snprintf(w->mapping, sizeof(w->mapping), "%s", at(scratch, "x.map"));
    put_text(w->mapping, "0 0\n3 0\n1 0\n");
    snprintf(w->torus, sizeof(w->torus), "%s", at(scratch, "torus"));
    put_text(w->torus, "torus:2x2\nhost a 0 1\nhost b 1 1\nabsent 0 0\n");
    snprintf(w->slurm, sizeof(w->slurm), "%s", at(scratch, "slurm"));
    put_text(w->slurm, "SwitchName=s0 Nodes=a\nSwitchName=s1 Switches=s0\n");
    snprintf(w->links, sizeof(w->links), "%s", at(scratch, "links"));
    put_text(w->links, "links\nnode r[0-2]\nlink r0 r1\nlink r1 r2\n"
                       "link r2 r0\nhost a b\nlink a r1\nlink b r2\n");
    snprintf(w->tree, sizeof(w->tree), "%s", at(scratch, "tree"));
    put_text(w->tree, "links\nswitch s t\nhost a b\nlink a s 2\n"
                      "link b t 2\nlink s t 1 x2\n");
    *state = w;
    if (mapcore_graph_create(&w->graph, 4, edges, 5, NULL) < 0 ||
        mapcore_topo_open(&w->topo, "tree:2,2", NULL) < 0)
        return -1;
    if (mapcore_alloc_create(&w->alloc, w->topo, 4, NULL, slots, NULL) < 0)
        return -1;
    /* From here on the allocation keeps its distances; without memory for them
     * it would make them anew each time, which is no failure. */
    return mapcore_metrics_compute(&metrics, w->graph, w->alloc, hosts, NULL);
}

static int world_teardown(void **state)
{
    struct world *w = *state;
    void *scratch = w->scratch;

    mapcore_alloc_destroy(w->alloc);
    mapcore_topo_destroy(w->topo);
    mapcore_graph_destroy(w->graph);
    free(w);
    return scratch_teardown(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_allocation_may_fail, world_setup,
                                        world_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
