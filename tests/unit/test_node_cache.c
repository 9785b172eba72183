/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_node_cache.c - what nodes have reported of themselves: of the job's own
 * first, of their kind else, and nothing of what is not the user's own */
#include "config.h"

#include "scratch.h"

#include "tools/plan/cluster_cache.h"

#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>

#define TWO  "Package:2 Core:4 PU:1"
#define FOUR "Package:4 Core:2 PU:1"

static char root[PATH_MAX];

static const char *path_of(const char *file)
{
    static char path[PATH_MAX + 64];

    snprintf(path, sizeof(path), "%s/" CACHE_FOLDER "%s%s", root,
             file[0] ? "/" : "", file);
    return path;
}

static void write_text(const char *file, const char *text)
{
    put_text(path_of(file), text);
    assert_ok(chmod(path_of(file), 0600));
}

static void tell(const char *file, const char *node, const char *levels)
{
    char text[NODE_FILE_MOST * 2];

    snprintf(text, sizeof(text), NODE_HEAD "node %s\nlevels %s\n", node,
             levels);
    write_text(file, text);
}

static struct node_tree find(const char *nodes)
{
    struct hosts hosts;
    struct node_tree told;

    assert_ok(hosts_expand(&hosts, nodes, NULL));
    node_cache_find(&told, root, &hosts);
    hosts_clear(&hosts);
    return told;
}

static int set_up(void **state)
{
    if (scratch_setup(state) < 0)
        return -1;
    snprintf(root, sizeof(root), "%s", at(*state, "catalogue"));
    setenv("SLURM_JOB_PARTITION", "batch", 1);
    setenv("SLURM_JOB_CPUS_PER_NODE", "8(x2)", 1);
    assert_ok(node_cache_make(root, NULL));
    return 0;
}

static void who_has_told_nothing_is_asked(void **state)
{
    struct node_tree told = find("n[0-3]");

    assert_true(told.is_due);
    assert_string_equal(told.levels, "");
    assert_string_equal(told.kind, "batch-8");
    setenv("SLURM_JOB_PARTITION", "a partition", 1);
    assert_string_equal(find("n0").kind, NODE_UNKNOWN);
    unsetenv("SLURM_JOB_PARTITION");
    assert_string_equal(find("n0").kind, NODE_UNKNOWN);
}

static void the_node_counts_more_than_its_kind(void **state)
{
    struct node_tree told;

    tell("node-kind:batch-8", "n9", TWO);
    told = find("n[0-3]");
    assert_false(told.is_due);
    assert_string_equal(told.levels, TWO);
    assert_string_equal(told.node, "n9");
    tell("node-n2", "n2", FOUR);
    told = find("n[0-3]");
    assert_string_equal(told.levels, FOUR);
    assert_string_equal(told.node, "n2");
    assert_string_equal(find("n[4-5]").levels, TWO);
}

static void nodes_that_differ_are_one_tree_of_none(void **state)
{
    struct node_tree told;

    tell("node-n0", "n0", TWO);
    tell("node-n1", "n1", TWO);
    assert_string_equal(find("n[0-1]").levels, TWO);
    tell("node-n2", "n2", FOUR);
    told = find("n[0-2]");
    assert_string_equal(told.levels, "");
    assert_false(told.is_due);
    /* For which hwloc has no words. */
    tell("node-n3", "n3", NODE_UNKNOWN);
    told = find("n3");
    assert_string_equal(told.levels, "");
    assert_false(told.is_due);
}

static void after_a_week_they_are_asked_again(void **state)
{
    struct timespec times[2] = {{.tv_sec = time(NULL) - 8 * 24 * 3600}};
    struct node_tree told;

    times[1] = times[0];
    tell("node-n0", "n0", TWO);
    assert_false(find("n0").is_due);
    assert_ok(utimensat(AT_FDCWD, path_of("node-n0"), times, 0));
    told = find("n0");
    assert_true(told.is_due);
    assert_string_equal(told.levels, TWO);
}

static void nothing_else_is_believed(void **state)
{
    static const char *const texts[] = {
        "",
        "topomap-node 2\nnode n0\nlevels " TWO "\n",
        NODE_HEAD "levels " TWO "\n",
        NODE_HEAD "node n0\nlevels \n",
        NODE_HEAD "node ../n0\nlevels " TWO "\n",
        NODE_HEAD "node n0\nlevels " TWO,
        NODE_HEAD "node n0\nlevels " TWO "\nmore\n",
        NODE_HEAD "node n0\nlevels \033[2J\n",
    };
    char endless[NODE_FILE_MOST];

    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        write_text("node-n0", texts[i]);
        assert_true(find("n0").is_due);
        assert_string_equal(find("n0").levels, "");
    }
    memset(endless, 'x', sizeof(endless) - 1);
    endless[sizeof(endless) - 1] = '\0';
    tell("node-n0", "n0", endless);
    assert_string_equal(find("n0").levels, "");
    tell("node-n0", "n0", TWO);
    assert_ok(chmod(path_of("node-n0"), 0622));
    assert_string_equal(find("n0").levels, "");
    assert_ok(chmod(path_of("node-n0"), 0600));
    assert_string_equal(find("n0").levels, TWO);
    assert_ok(symlink("node-n0", path_of("node-n1")));
    assert_string_equal(find("n1").levels, "");
    /* Names that are paths are no node's. */
    assert_string_equal(find("../.cache/node-n0").levels, "");
    assert_ok(chmod(path_of(""), 0777));
    assert_string_equal(find("n0").levels, "");
    assert_int_equal(node_cache_make(root, NULL), MAPCORE_ETRUST);
}

/* Exchanges the folder with a link to another one, for ever. */
static void exchange_for_ever(const char *link)
{
    const struct timespec pause = {.tv_nsec = 100000};

    for (;;) {
        (void)renameat2(AT_FDCWD, path_of(""), AT_FDCWD, link, RENAME_EXCHANGE);
        nanosleep(&pause, NULL);
    }
}

/* Nothing goes of what others put in the folder's place. */
static void an_exchanged_folder_is_not_touched(void **state)
{
    enum { FILES = 600, TRIES = 4000 };
    char other[PATH_MAX], link[PATH_MAX + 8], name[PATH_MAX + 32];
    pid_t child;
    size_t n = 0;

    snprintf(other, sizeof(other), "%.4000s/other", root);
    snprintf(link, sizeof(link), "%.4000s/link", root);
    assert_ok(mkdir(other, 0700));
    assert_ok(symlink("other", link));
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "%.4000s/node-%d", other, i);
        assert_ok(close(open(name, O_WRONLY | O_CREAT, 0600)));
    }
    if ((child = fork()) == 0)
        exchange_for_ever(link);
    assert_true(child > 0);
    for (int i = 0; i < TRIES; i++)
        (void)node_cache_make(root, NULL);
    assert_ok(kill(child, SIGKILL));
    assert_int_equal(waitpid(child, NULL, 0), child);
    for (int i = 0; i < FILES; i++) {
        snprintf(name, sizeof(name), "%.4000s/node-%d", other, i);
        n += access(name, F_OK) == 0;
    }
    assert_int_equal(n, FILES);
}

static void the_folder_is_bounded(void **state)
{
    struct node_tree told;
    char name[32];
    size_t n = 0;

    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "node-n%d", i);
        tell(name, name + 5, TWO);
    }
    assert_ok(node_cache_make(root, NULL));
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "node-n%d", i);
        n += access(path_of(name), F_OK) == 0;
    }
    assert_int_equal(n, 510);
    told = find("n[0-7]");
    assert_true(told.levels[0] == '\0' || strcmp(told.levels, TWO) == 0);
}

int main(void)
{
#define WITH_CACHE(test)                                                       \
    cmocka_unit_test_setup_teardown(test, set_up, scratch_teardown)
    const struct CMUnitTest tests[] = {
        WITH_CACHE(who_has_told_nothing_is_asked),
        WITH_CACHE(the_node_counts_more_than_its_kind),
        WITH_CACHE(nodes_that_differ_are_one_tree_of_none),
        WITH_CACHE(after_a_week_they_are_asked_again),
        WITH_CACHE(nothing_else_is_believed),
        WITH_CACHE(an_exchanged_folder_is_not_touched),
        WITH_CACHE(the_folder_is_bounded),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
