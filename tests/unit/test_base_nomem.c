/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_base_nomem.c - every constructor of base to metric, with its first,
 * second, ... allocation failing; linked with --wrap for malloc, calloc,
 * realloc and free */
#include "config.h"

#include "nomem.h"

#include "alloc/mapping_lines.h"
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
    struct mapcore_graph *graph;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
};

/* What one is given, and has made: nothing, where it failed. */
struct made {
    const struct world *world;
    const char *text;
    struct mapcore_error err;
    struct mapcore_graph *graph;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
    struct mapcore_mapping *mapping;
};

static const struct mapcore_edge edges[] = {{0, 1, 5},
                                            {1, 2, 7},
                                            {3, 0, 1},
                                            {2, 3, 1},
                                            {1, 0, 2}};
static const uint32_t hosts[] = {0, 3, 1, 2};
static const uint32_t slots[] = {1, 1, 1, 1};
static const char *const names[] = {"a", "b", "c", "d"};

static int make_graph(struct made *m)
{
    return mapcore_graph_create(&m->graph, 4, edges, 5, &m->err);
}

static int make_sum(struct made *m)
{
    const struct mapcore_graph *both[] = {m->world->graph, m->world->graph};

    return mapcore_graph_sum(&m->graph, both, NULL, 2, &m->err);
}

static int read_metis(struct made *m)
{
    return mapcore_graph_read(&m->graph, at(m->world->scratch, m->text), &metis,
                              &m->err);
}

static int parse_graph(struct made *m)
{
    return mapcore_graph_parse(&m->graph, "f", m->text, strlen(m->text), NULL,
                               &m->err);
}

static int make_torus(struct made *m)
{
    const struct mapcore_torus spec = {
        .ndims = 2,
        .dims = (const uint32_t[]){2, 3},
        .nabsent = 1,
        .absent = (const uint32_t[]){0, 0},
        .nhosts = 4,
        .coordinates = (const uint32_t[]){1, 2, 1, 0, 1, 1, 0, 1},
        .names = names};

    return mapcore_topo_create_torus(&m->topo, &spec, &m->err);
}

static int make_tree(struct made *m)
{
    return mapcore_topo_create_fat_tree(&m->topo, 2, (const uint32_t[]){2, 2},
                                        NULL, NULL, names, &m->err);
}

static int open_topo(struct made *m)
{
    return mapcore_topo_open(&m->topo, m->text, &m->err);
}

static int read_topo(struct made *m)
{
    return mapcore_topo_open(&m->topo, at(m->world->scratch, m->text), &m->err);
}

static int make_alloc(struct made *m)
{
    return mapcore_alloc_create(&m->alloc, m->world->topo, 4, hosts, slots,
                                &m->err);
}

static int make_mapping(struct made *m)
{
    return mapcore_mapping_create(&m->mapping, m->world->alloc, 4, hosts, NULL,
                                  &m->err);
}

static int make_block(struct made *m)
{
    return mapcore_mapping_block(&m->mapping, m->world->alloc, 4, &m->err);
}

static int make_cyclic(struct made *m)
{
    return mapcore_mapping_cyclic(&m->mapping, m->world->alloc, 4, &m->err);
}

static int read_mapping(struct made *m)
{
    struct text *text;
    int error = text_open(&text, at(m->world->scratch, m->text), &m->err);

    if (error < 0)
        return error;
    error = mapping_lines_read(&m->mapping, m->world->alloc, text);
    text_close(text);
    return error;
}

static int compute_metrics(struct made *m)
{
    struct mapcore_metrics metrics;

    return mapcore_metrics_compute(&metrics, m->world->graph, m->world->alloc,
                                   hosts, &m->err);
}

static int expand_hosts(struct made *m)
{
    struct hosts list = {0};
    int code = hosts_expand_distinct(&list, "a,n[0-40]", &m->err);

    assert_true(code == 0 || list.n == 0);
    hosts_clear(&list);
    return code;
}

static int compress_hosts(struct made *m)
{
    static const char *const name[] = {"login", "n1", "n2", "n4", "x"};
    char *list = NULL;
    int code = hosts_compress(&list, 5, name, &m->err);

    assert_true(code == 0 || !list);
    free(list);
    return code;
}

static int read_text(struct made *m)
{
    struct text *lines = NULL;
    char *line = NULL;
    int code = text_open(&lines, at(m->world->scratch, "x.graph"), &m->err);

    if (code == 0)
        code = text_line(lines, &line);
    text_close(lines);
    return code;
}

static int read_file(struct made *m)
{
    struct buffer bytes = {0};
    int code = file_read_all(&bytes, at(m->world->scratch, "x.graph"),
                             FILE_REGULAR, 1000, &m->err);

    buffer_clear(&bytes);
    return code;
}

static int replace_file(struct made *m)
{
    struct file_replace output = {0};
    int code = file_replace_open(&output, at(m->world->scratch, "x.copy"), 0600,
                                 &m->err);

    assert_true(code == 0 || !output.path);
    file_replace_abandon(&output);
    return code;
}

static int fill_buffer(struct made *m)
{
    struct buffer buffer = {.err = &m->err};
    int code = 0;

    for (size_t i = 0; code == 0 && i < 20; i++) {
        size_t before = buffer.n;

        code = i % 2 ? buffer_printf(&buffer, "%s", "123456789")
                     : buffer_append(&buffer, "123456789", 9);
        assert_int_equal(buffer.n, code == 0 ? before + 9 : before);
    }
    buffer_clear(&buffer);
    return code;
}

/* What failed may be tried again: the table is as it was. */
static int fill_table(struct made *m)
{
    struct table64 table = {0};
    uint32_t number;
    int code = 0;

    for (uint32_t i = 0; code == 0 && i < 1000; i++) {
        code = i % 2 ? table64_put(&number, &table, i, i, &m->err)
                     : table64_add(&table, i, i, &m->err);
        assert_int_equal(table64_find(&table, i), code == 0 ? i : MAPCORE_NONE);
        assert_int_equal(table.n, code == 0 ? i + 1 : i);
    }
    table64_clear(&table);
    return code;
}

static int fill_names(struct made *m)
{
    struct name_set set = {0};
    char name[20];
    uint32_t number;
    int code = 0;

    for (uint32_t i = 0; code == 0 && i < 200; i++) {
        snprintf(name, sizeof(name), "n%u", i);
        code = name_set_add(&number, &set, name, &m->err);
        assert_int_equal(set.n, code == 0 ? i + 1 : i);
        assert_int_equal(name_set_find(&set, name),
                         code == 0 ? i : MAPCORE_NONE);
    }
    name_set_clear(&set);
    return code;
}

static int fill_tally(struct made *m)
{
    struct tally tally = {0};
    int code = 0;

    for (uint64_t key = 0; code == 0 && key < 300; key++)
        code = tally_add(&tally, key, 1, &m->err);
    tally_clear(&tally);
    return code;
}

static void every_allocation_may_fail(void **state)
{
    static const struct {
        const char *name;
        int (*run)(struct made *m);
        long at_least;    /* so that a test of nothing is noticed */
        const char *text; /* what is read, or its file in the scratch folder */
    } cases[] = {
        {"graph_create", make_graph, 7, NULL},
        {"graph_sum", make_sum, 10, NULL},
        {"graph_read_metis", read_metis, 9, "x.graph"},
        {"graph_parse, matrix", parse_graph, 10,
         "%%MatrixMarket matrix coordinate pattern general\n3 3 2\n1 2\n2 3\n"},
        {"graph_parse, edges", parse_graph, 10, "# edges\n0 1 5\n1 2\n"},
        {"topo_create_torus", make_torus, 10, NULL},
        {"topo_create_tree", make_tree, 10, NULL},
        {"topo_open", open_topo, 4, "torus:4x4/2:wrap=1x0"},
        {"topo_open, torus file", read_topo, 12, "torus"},
        {"topo_open, Slurm file", read_topo, 20, "slurm"},
        {"topo_open, dragonfly", open_topo, 5,
         "dragonfly:3,2,2:capacity=1,2,3"},
        {"topo_open, links", read_topo, 20, "links"},
        {"topo_open, tree of links", read_topo, 20, "tree"},
        {"alloc_create", make_alloc, 6, NULL},
        {"mapping_create", make_mapping, 6, NULL},
        {"mapping_block", make_block, 3, NULL},
        {"mapping_cyclic", make_cyclic, 3, NULL},
        {"mapping_read", read_mapping, 8, "x.map"},
        {"metrics_compute", compute_metrics, 6, NULL},
        {"hosts_expand", expand_hosts, 41, NULL},
        {"hosts_compress", compress_hosts, 1, NULL},
        {"text", read_text, 3, NULL},
        {"file_read_all", read_file, 1, NULL},
        {"file_replace_open", replace_file, 2, NULL},
        {"buffer", fill_buffer, 3, NULL},
        {"table64", fill_table, 4, NULL},
        {"name_set", fill_names, 205, NULL},
        {"tally", fill_tally, 3, NULL},
    };

    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        for (long n = 0;; n++) {
            struct made made = {.world = *state, .text = cases[i].text};
            long before = live;

            failed = false;
            granted = n;
            int code = cases[i].run(&made);
            assert_true(code == 0 || (!made.graph && !made.topo &&
                                      !made.alloc && !made.mapping));
            mapcore_mapping_destroy(made.mapping);
            mapcore_alloc_destroy(made.alloc);
            mapcore_topo_destroy(made.topo);
            mapcore_graph_destroy(made.graph);
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
            assert_non_null(strstr(made.err.text, "out of memory"));
        }
    }
}

static int world_setup(void **state)
{
    struct world *w = calloc(1, sizeof(*w));
    struct mapcore_metrics metrics;
    void *scratch;

    if (!w || scratch_setup(&scratch) < 0)
        return -1;
    w->scratch = scratch;
    put_text(at(scratch, "x.graph"), "3 2 1\n2 5\n1 5 3 6\n2 6\n");
    put_text(at(scratch, "x.map"), "0 0\n3 0\n1 0\n");
    put_text(at(scratch, "torus"),
             "torus:2x2\nhost a 0 1\nhost b 1 1\nabsent 0 0\n");
    put_text(at(scratch, "slurm"),
             "SwitchName=s0 Nodes=a\nSwitchName=s1 Switches=s0\n");
    put_text(at(scratch, "links"),
             "links\nnode r[0-2]\nlink r0 r1\nlink r1 r2\n"
             "link r2 r0\nhost a b\nlink a r1\nlink b r2\n");
    put_text(at(scratch, "tree"), "links\nswitch s t\nhost a b\nlink a s 2\n"
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
