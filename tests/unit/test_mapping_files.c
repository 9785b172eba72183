/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_mapping_files.c - mappings in the files of launchers: what they say, and
 * what is wrong with them */
#include "config.h"

#include "unit.h"

#include "alloc/file/mapping_lines.h"

#include "scratch.h"

#define ANY      MAPCORE_MAPPING_ANY
#define PLAIN    MAPCORE_MAPPING_PLAIN
#define HOSTFILE MAPCORE_MAPPING_HOSTFILE
#define RANKFILE MAPCORE_MAPPING_RANKFILE
#define MPICH    MAPCORE_MAPPING_MPICH

static const char *const four_names[] = {"n0", "n1", "n2", "n3"};
static const uint32_t four_slots[] = {2, 0, 3, 2};

/* What is known of the hosts in a case. */
enum known { NAMES_AND_SLOTS, NAMES, SLOTS, NOTHING, NAMELESS };

static struct mapping_hosts hosts_of(enum known known)
{
    switch (known) {
    case NAMES_AND_SLOTS:
        return (struct mapping_hosts){4, four_names, four_slots, false};
    case NAMES:
        return (struct mapping_hosts){4, four_names, NULL, false};
    case SLOTS:
        return (struct mapping_hosts){4, NULL, four_slots, true};
    case NAMELESS:
        return (struct mapping_hosts){4, NULL, four_slots, false};
    case NOTHING:
        break;
    }
    return (struct mapping_hosts){.by_appearance = true};
}

static int read_lines(struct mapping_lines *lines,
                      enum mapcore_mapping_form *form,
                      const char *file,
                      enum known known,
                      struct mapcore_error *err)
{
    const struct mapping_hosts hosts = hosts_of(known);
    struct text *text;

    assert_int_equal(text_open_memory(&text, "f", file, strlen(file), err), 0);
    int code = mapping_lines_read(lines, form, text, &hosts, err);
    text_close(text);
    return code;
}

/* "host.slot host.slot ...", slot - where the file says none. */
static const char *describe(const struct mapping_lines *lines)
{
    static char text[300];
    size_t n = 0;

    text[0] = '\0';
    for (uint32_t t = 0; t < lines->n; t++) {
        const char *gap = t > 0 ? " " : "";

        if (lines->slot[t] == MAPCORE_NONE)
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u.-", gap,
                                  lines->host[t]);
        else
            n += (size_t)snprintf(text + n, sizeof(text) - n, "%s%u.%u", gap,
                                  lines->host[t], lines->slot[t]);
    }
    return text;
}

static void launchers_files_are_read(void **state)
{
    static const struct {
        enum mapcore_mapping_form form, found;
        enum known known;
        const char *file, *expected;
    } cases[] = {
        {ANY, HOSTFILE, NAMES, "n1\nn0 # x\n\n# y\nn1\r\nn3\n",
         "1.- 0.- 1.- 3.-"},
        {ANY, HOSTFILE, NAMES_AND_SLOTS, "n[0,2-3]\nn2*2, n0 n3\n",
         "0.- 2.- 3.- 2.- 2.- 0.- 3.-"},
        {ANY, HOSTFILE, NOTHING, "b\na\nb\n", "0.- 1.- 0.-"},
        {ANY, HOSTFILE, SLOTS, "b\na\nb\n", "0.- 1.- 0.-"},
        /* Numbers are slots where all can be; else their order is. */
        {ANY, RANKFILE, NAMES_AND_SLOTS,
         "# Open MPI\nrank 1=n0 slot=1\nrank 0=n2 slot=2\n"
         " rank  2 = n3  slot = 0 # x\n",
         "2.2 0.1 3.0"},
        {ANY, RANKFILE, NAMES_AND_SLOTS,
         "rank 0=n2 slot=8\nrank 1=n0 slot=1\nrank 2=n2 slot=4\n",
         "2.1 0.0 2.0"},
        {ANY, RANKFILE, NAMES,
         "rank 0=n2 slot=1\nrank 1=n0 slot=1\nrank 2=n2 slot=0\n",
         "2.1 0.0 2.0"},
        {ANY, RANKFILE, NAMES_AND_SLOTS,
         "rank 0=n2 slot=1:0-1\nrank 1=n2 slot=0:2,3\nrank 2=n2 slot=0:0-1\n",
         "2.2 2.1 2.0"},
        {ANY, RANKFILE, NAMES,
         "rank 0=+n2 slot=1:*\nrank 1=+n0 slot=*\nrank 2=n2 slot=p0\n",
         "2.1 0.0 2.0"},
        {ANY, RANKFILE, NOTHING,
         "rank 0=slot slot=0\nrank 1=slot-1 slot=0\nrank 2=slot slot=3\n",
         "0.0 1.0 0.1"},
        /* Places in the order of hosts and slots: 0 0 2 2 2 3 3. */
        {ANY, MPICH, NAMES_AND_SLOTS, "3, 1 # x\n# y\n0,2\n",
         "2.0 0.1 2.1 0.0"},
        {ANY, MPICH, SLOTS, "4-6,0-3\n", "2.1 2.2 3.0 3.1 0.0 0.1 2.0"},
        {MPICH, MPICH, SLOTS, "1\n0\n", "0.1 0.0"},
        {ANY, PLAIN, NAMES_AND_SLOTS, "# x\n2 1\n0 0\n", "2.1 0.0"},
        {ANY, PLAIN, NOTHING, "2\n0\n", "2.- 0.-"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapping_lines lines = {0};
        enum mapcore_mapping_form form = cases[i].form;
        struct mapcore_error err = {""};

        if (read_lines(&lines, &form, cases[i].file, cases[i].known, &err) < 0)
            fail_msg("case %zu: %s", i, err.text);
        assert_int_equal(form, cases[i].found);
        assert_string_equal(describe(&lines), cases[i].expected);
        mapping_lines_clear(&lines);
    }
}

static void bad_files_are_told(void **state)
{
    static const struct {
        enum mapcore_mapping_form form;
        enum known known;
        const char *file;
        int code;
        const char *why;
    } cases[] = {
        {ANY, NAMES, "", MAPCORE_EPARSE, "f: no mapping in it"},
        {ANY, NAMES, "# n0\n", MAPCORE_EPARSE, "f: no mapping in it"},
        {HOSTFILE, NAMES, "n0\nn9\n", MAPCORE_EINVAL,
         "f:2: node n9 is not of the allocation"},
        {HOSTFILE, NAMES, "n0*x\n", MAPCORE_EPARSE,
         "f:1: 'x' is no number of tasks"},
        {HOSTFILE, NAMES, "n0*0\n", MAPCORE_EPARSE,
         "f:1: '0' is no number of tasks"},
        {HOSTFILE, NAMES_AND_SLOTS, "n0*7\nn0\n", MAPCORE_ERANGE,
         "f:2: with this line there are more than 7 tasks"},
        {HOSTFILE, NOTHING, "n0*4000000000\n", MAPCORE_ERANGE,
         "f:1: with this line there are more than 16777216 tasks"},
        {HOSTFILE, SLOTS, "a b c d e\n", MAPCORE_EINVAL,
         "f:1: node e is one more than the 4 that there are"},
        {HOSTFILE, NAMELESS, "n0\n", MAPCORE_EINVAL,
         "f names nodes, but those of the allocation have no names"},
        {RANKFILE, NAMES, "rank x=n0 slot=0\n", MAPCORE_EPARSE,
         "f:1: expected 'rank N=HOST slot=PLACES'"},
        {RANKFILE, NAMES, "rank 0 n0 slot=0\n", MAPCORE_EPARSE,
         "f:1: expected 'rank N=HOST slot=PLACES'"},
        {RANKFILE, NAMES, "rank 0=n0\n", MAPCORE_EPARSE,
         "f:1: expected 'rank N=HOST slot=PLACES'"},
        {RANKFILE, NAMES, "rank 0=n0 slot=a\n", MAPCORE_EPARSE,
         "f:1: expected 'rank N=HOST slot=PLACES'"},
        {RANKFILE, NAMES, "rank 4294967295=n0 slot=0\n", MAPCORE_EPARSE,
         "f:1: expected 'rank N=HOST slot=PLACES'"},
        {RANKFILE, NAMES, "rank 0=n0 slot=0\nrank 0=n1 slot=0\n",
         MAPCORE_EPARSE, "f:2: rank 0 stands in line 1 already"},
        {RANKFILE, NAMES, "rank 0=n0 slot=0\nrank 4000000000=n1 slot=0\n",
         MAPCORE_EPARSE, "f: there is no rank 1"},
        {RANKFILE, NAMES, "rank 0=+n4 slot=0\n", MAPCORE_EINVAL,
         "f:1: node +n4: 4 nodes are known"},
        {RANKFILE, NOTHING, "rank 0=+n0 slot=0\n", MAPCORE_EINVAL,
         "f:1: node +n0: 0 nodes are known"},
        {MPICH, SLOTS, "0,x\n", MAPCORE_EPARSE,
         "f:1: expected ranks like 0,4-7 at 'x'"},
        {MPICH, SLOTS, "0-x\n", MAPCORE_EPARSE, "f:1: ranks from 0 to what?"},
        {MPICH, SLOTS, "3-1\n", MAPCORE_EPARSE, "f:1: ranks from 3 to what?"},
        {MPICH, SLOTS, "0-4294967294\n", MAPCORE_ERANGE,
         "f:1: with this line there are more than 7 tasks"},
        {MPICH, SLOTS, "0,1\n1\n", MAPCORE_EPARSE,
         "f:2: rank 1 stands in line 1 already"},
        {MPICH, SLOTS, "0,2\n", MAPCORE_EPARSE, "f:1: rank 2 in an order of 2"},
        {MPICH, NAMES, "0,1\n", MAPCORE_EINVAL,
         "f is an order of ranks, which means nothing without the nodes and "
         "their slots"},
        {PLAIN, NAMES, "0 0\n4 0\n", MAPCORE_EINVAL,
         "f:2: task 1 is on node 4 of an allocation of 4"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct mapping_lines lines = {0};
        enum mapcore_mapping_form form = cases[i].form;
        struct mapcore_error err = {""};
        int code =
            read_lines(&lines, &form, cases[i].file, cases[i].known, &err);

        assert_string_equal(err.text, cases[i].why);
        assert_int_equal(code, cases[i].code);
        mapping_lines_clear(&lines);
    }
}

/* Many names, more than the first table holds, each found again. */
static void many_names_are_found(void **state)
{
    enum { HOSTS = 5000 };
    static char file[HOSTS * 2 * 8];
    struct mapping_lines lines = {0};
    enum mapcore_mapping_form form = HOSTFILE;
    struct mapcore_error err = {""};
    size_t n = 0;

    (void)state;
    for (int h = 0; h < HOSTS; h++)
        n += (size_t)snprintf(file + n, sizeof(file) - n, "h%d\n", h);
    for (int h = 0; h < HOSTS; h++)
        n += (size_t)snprintf(file + n, sizeof(file) - n, "h%d\n",
                              h * 7 % HOSTS);
    assert_int_equal(read_lines(&lines, &form, file, NOTHING, &err), 0);
    assert_int_equal(lines.nnames, HOSTS);
    for (uint32_t h = 0; h < HOSTS; h++) {
        assert_int_equal(lines.host[h], h);
        assert_int_equal(lines.host[HOSTS + h], h * 7 % HOSTS);
    }
    mapping_lines_clear(&lines);
}

/* Through the public entry, on a network whose hosts have names. */
static void an_allocation_is_filled(void **state)
{
    static const uint32_t arity = 4, some[] = {3, 1}, slots[] = {2, 1};
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_topo *topo;
    struct mapcore_alloc *alloc;
    struct mapcore_error err;
    const char *path = at(*state, "h");

    assert_int_equal(
        mapcore_topo_create_tree(&topo, 1, &arity, four_names, &err), 0);
    assert_int_equal(mapcore_alloc_create(&alloc, topo, 2, some, slots, &err),
                     0);
    put_text(path, "n1\nn3\nn3\n");
    assert_int_equal(
        mapcore_mapping_read_form(&mapping, alloc, path, ANY, &err), 0);
    assert_int_equal(mapping->ntasks, 3);
    assert_memory_equal(mapping->host, ((uint32_t[]){1, 0, 0}), 12);
    assert_memory_equal(mapping->slot, ((uint32_t[]){0, 0, 1}), 12);
    mapcore_mapping_destroy(mapping);
    mapping = NULL;
    put_text(path, "n1\nn1\n");
    assert_int_equal(
        mapcore_mapping_read_form(&mapping, alloc, path, ANY, &err),
        MAPCORE_EINVAL);
    assert_string_equal(strrchr(err.text, '/') + 1,
                        "h:2: task 1 is in slot 1 of node 1, which has 1 slot");
    put_text(path, "n0\n");
    assert_int_equal(
        mapcore_mapping_read_form(&mapping, alloc, path, ANY, &err),
        MAPCORE_EINVAL);
    assert_null(mapping);
    assert_int_equal(mapcore_mapping_read_form(&mapping, alloc,
                                               at(*state, "none"), ANY, &err),
                     MAPCORE_EIO);
    mapcore_alloc_destroy(alloc);
    mapcore_topo_destroy(topo);
}

static void forms_have_names(void **state)
{
    enum mapcore_mapping_form form;
    struct mapcore_error err;

    (void)state;
    for (int f = ANY; f <= MPICH; f++) {
        assert_int_equal(
            mapcore_mapping_form_find(
                &form, mapcore_mapping_form_name((enum mapcore_mapping_form)f),
                &err),
            0);
        assert_int_equal(form, f);
    }
    assert_int_equal(mapcore_mapping_form_find(&form, "x", &err),
                     MAPCORE_EINVAL);
    assert_string_equal(err.text, "there is no form of mappings 'x': mapping, "
                                  "hostfile, rankfile, mpich, any");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launchers_files_are_read),
        cmocka_unit_test(bad_files_are_told),
        cmocka_unit_test(many_names_are_found),
        cmocka_unit_test(forms_have_names),
        cmocka_unit_test_setup_teardown(an_allocation_is_filled, scratch_setup,
                                        scratch_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
