/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_plugstack_conf.c - plugstack.conf is read as Slurm reads it */
#include "config.h"

#include "unit.h"

#include "tools/doctor/plugstack_conf.h"

#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/test-plugstack.XXXXXX";

static void put(const char *name, const char *text)
{
    FILE *file = fopen(name, "w");

    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int set_up(void **state)
{
    (void)state;
    return mkdtemp(folder) && chdir(folder) == 0 && mkdir("d", 0755) == 0 ? 0
                                                                          : -1;
}

static int tear_down(void **state)
{
    static const char *const files[] = {"a.conf",   "b.conf",    "d/1.conf",
                                        "d/2.conf", "d/3.other", "d"};

    (void)state;
    for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
        remove(files[i]);
    return rmdir(folder);
}

static void read_one(void **state)
{
    const struct plugstack_entry *entry;
    struct plugstack_conf conf = {0};
    struct mapcore_error err;

    (void)state;
    put("a.conf", "# topomap.so\n\n"
                  "\toptional\t/lib/other.so x # y\n"
                  "required /usr/lib/topomap.so  time=3\tdefault=auto\n"
                  "optional topomap-options.so");
    assert_int_equal(plugstack_conf_read(&conf, "a.conf", &err), 0);
    assert_int_equal(conf.n, 3);
    assert_int_equal(conf.entry[0].narguments, 1);
    assert_string_equal(conf.entry[0].argument[0], "x");
    entry = plugstack_conf_find(&conf, "topomap.so");
    assert_ptr_equal(entry, &conf.entry[1]);
    assert_true(entry->required);
    assert_int_equal(entry->line, 4);
    assert_int_equal(entry->narguments, 2);
    assert_string_equal(entry->argument[1], "default=auto");
    assert_false(conf.entry[2].required);
    assert_string_equal(conf.entry[2].plugin, "topomap-options.so");
    assert_null(plugstack_conf_find(&conf, "topo.so"));
    plugstack_conf_clear(&conf);
}

/* In the order of the files' names, relative to the file that says include. */
static void read_included(void **state)
{
    struct plugstack_conf conf = {0};
    struct mapcore_error err;
    char path[64];

    (void)state;
    put("a.conf", "optional first.so\ninclude d/*.conf\noptional last.so\n"
                  "include none/*.conf\n");
    put("d/2.conf", "optional two.so\n");
    put("d/1.conf", "include ../b.conf\noptional one.so\n");
    put("d/3.other", "nothing that makes sense\n");
    put("b.conf", "required b.so\n");
    snprintf(path, sizeof(path), "%s/a.conf", folder);
    assert_int_equal(plugstack_conf_read(&conf, path, &err), 0);
    assert_int_equal(conf.n, 5);
    assert_string_equal(conf.entry[0].plugin, "first.so");
    assert_string_equal(conf.entry[1].plugin, "b.so");
    assert_string_equal(conf.entry[2].plugin, "one.so");
    assert_string_equal(conf.entry[3].plugin, "two.so");
    assert_string_equal(conf.entry[4].plugin, "last.so");
    assert_non_null(strstr(conf.entry[1].file, "b.conf"));
    plugstack_conf_clear(&conf);
}

static void refuse(void **state)
{
    struct plugstack_conf conf = {0};
    struct mapcore_error err;

    (void)state;
    put("a.conf", "optional a.so\noptinal b.so\n");
    assert_int_equal(plugstack_conf_read(&conf, "a.conf", &err),
                     MAPCORE_EPARSE);
    assert_string_equal(err.text, "a.conf:2: 'optinal' is none of required, "
                                  "optional, include");
    assert_int_equal(conf.n, 0);
    put("a.conf", "optional\n");
    assert_int_equal(plugstack_conf_read(&conf, "a.conf", &err),
                     MAPCORE_EPARSE);
    assert_string_equal(err.text, "a.conf:1: nothing behind 'optional'");
    put("a.conf", "include a.conf\n");
    assert_int_equal(plugstack_conf_read(&conf, "a.conf", &err),
                     MAPCORE_ERANGE);
    assert_int_equal(plugstack_conf_read(&conf, "none.conf", &err), 0);
    assert_int_equal(conf.n, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(read_one),
        cmocka_unit_test(read_included),
        cmocka_unit_test(refuse),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
