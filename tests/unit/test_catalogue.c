/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_catalogue.c - profiles filed, found, listed; readers beside writers;
 * what is not to be trusted (removed: system/profile.sh, system/trust.sh) */
#include "config.h"

#include "cataloguefixture.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>

static void test_filed_is_found(void **state)
{
    const char *root = at(*state, "new/data/topomap");
    struct catalogue_entry entry = {0};
    struct mapcore_error err;
    struct stat st;
    char *version = file_one(root, "/x/app", BUILD, 16, WHEN, "one");

    assert_string_equal(version, "r20261121T023000Z-12.0");
    assert_ok(find(&entry, root, true, "app", BUILD, 16, &err));
    assert_string_equal(entry.root, root);
    assert_string_equal(entry.program, "app");
    assert_string_equal(entry.identity, BUILD);
    assert_int_equal(entry.ntasks, 16);
    assert_string_equal(entry.version, version);
    assert_true(entry.current);
    assert_false(entry.other_build);
    assert_ok(stat(entry.path, &st));
    catalogue_entry_clear(&entry);
    free(version);
}

static void test_two_in_one_second(void **state)
{
    const char *root = at(*state, "c");
    char *version[12];

    for (int i = 0; i < 12; i++)
        version[i] = file_one(root, "app", BUILD, 16, WHEN, "x");
    assert_string_equal(version[1], "r20261121T023000Z-12.0-2");
    assert_string_equal(version[11], "r20261121T023000Z-12.0-12");
    expect_found(root, true, version[11]);
    for (int i = 0; i < 12; i++)
        free(version[i]);
}

static void test_other_sizes_are_named(void **state)
{
    const char *root = at(*state, "c");
    struct catalogue_entry entry = {0};
    struct mapcore_error err;

    free(file_one(root, "app", BUILD, 1, WHEN, "x"));
    assert_int_equal(find(&entry, root, true, "app", BUILD, 16, &err),
                     MAPCORE_ENOENT);
    assert_non_null(strstr(err.text, "exist for 1 tasks (a rank on its own: "
                                     "was srun's --mpi= missing?): record"));
    free(file_one(root, "app", BUILD, 32, WHEN, "x"));
    free(file_one(root, "app", BUILD, 8, WHEN, "x"));
    expect_refused(
        root, true, MAPCORE_ENOENT,
        "no profile of app (build 01234567) for 16 tasks; profiles "
        "exist for 1, 8, 32 tasks: record one with --topomap=profile");
    assert_int_equal(find(&entry, root, true, "app", OTHER, 16, &err),
                     MAPCORE_ENOENT);
    assert_non_null(
        strstr(err.text, "profiles of other builds exist for 1, 8"));
    assert_int_equal(find(&entry, root, true, "none", OTHER, 16, &err),
                     MAPCORE_ENOENT);
    assert_string_equal(err.text,
                        "no profile of none (build fedcba98) for 16 tasks: "
                        "record one with --topomap=profile");
    assert_int_equal(find(&entry, root, true, "wind", NULL, 16, &err),
                     MAPCORE_ENOENT);
    assert_string_equal(err.text, "no profile named wind for 16 tasks: record "
                                  "one with --topomap=profile,name=wind");
}

static void test_missing_and_strange_roots(void **state)
{
    const char *roots[2] = {at(*state, "absent"), at(*state, "site")};
    const struct catalogue_query query = {roots, 2, true, "app", BUILD};
    struct catalogue_entry entry = {0};
    struct catalogue_entry *list = NULL;
    struct mapcore_error err;
    size_t n = 7;

    assert_int_equal(catalogue_find(&entry, &query, 16, &err), MAPCORE_ENOENT);
    assert_non_null(strstr(err.text, "site does not exist)"));
    assert_null(strstr(err.text, "absent"));
    assert_ok(catalogue_list(&list, &n, roots[0], true, "app", &err));
    assert_int_equal(n, 0);
    free(list);
    put_text(at(*state, "file"), "x");
    expect_refused(at(*state, "file"), true, MAPCORE_EIO, "not a folder");
    list = NULL;
    assert_int_equal(
        catalogue_list(&list, &n, at(*state, "file"), true, "app", &err),
        MAPCORE_EIO);
    assert_ok(symlink("loop", at(*state, "loop")));
    expect_refused(at(*state, "loop"), true, MAPCORE_EIO, "symbolic links");
}

static void test_later_roots(void **state)
{
    const char *roots[2] = {at(*state, "own"), at(*state, "site")};
    const struct catalogue_query query = {roots, 2, true, "app", BUILD};
    struct catalogue_entry entry = {0};
    struct mapcore_error err;

    free(file_one(roots[0], "app", OTHER, 16, WHEN, "x"));
    free(file_one(roots[1], "app", BUILD, 16, WHEN, "x"));
    /* The same build of the site before another one of ours. */
    assert_ok(catalogue_find(&entry, &query, 16, &err));
    assert_string_equal(entry.root, roots[1]);
    assert_false(entry.other_build);
    catalogue_entry_clear(&entry);
}

static void test_other_build(void **state)
{
    const char *root = at(*state, "c");
    struct catalogue_entry entry = {0};
    struct mapcore_error err;

    free(file_one(root, "app", OTHER, 16, WHEN + 60, "x"));
    free(file_one(root, "app", "aaaaaaaaaaaaaaaa", 16, WHEN, "x"));
    free(file_one(root, "python3.11", OTHER, 16, WHEN, "x"));
    free(file_one(root, "app", NULL, 16, WHEN + 3600, "x"));
    assert_ok(find(&entry, root, true, "app", BUILD, 16, &err));
    assert_true(entry.other_build);
    assert_string_equal(entry.identity, OTHER);
    catalogue_entry_clear(&entry);
    /* A name that nothing was filed under is the program's of that name. */
    assert_ok(find(&entry, root, true, "app", NULL, 16, &err));
    assert_string_equal(entry.identity, CATALOGUE_NAMED);
    catalogue_entry_clear(&entry);
    free(file_one(root, "lmp", OTHER, 16, WHEN, "x"));
    assert_ok(find(&entry, root, true, "lmp", NULL, 16, &err));
    assert_string_equal(entry.identity, OTHER);
    catalogue_entry_clear(&entry);
    assert_int_equal(find(&entry, root, true, "lmp", NULL, 8, &err),
                     MAPCORE_ENOENT);
    assert_non_null(strstr(err.text, "no profile named lmp for 8 tasks; "
                                     "profiles exist for 16 tasks"));
    /* From the site's as well: it need not be recorded anew with each update of
     * a module. But not of what runs other programs. */
    assert_ok(find(&entry, root, false, "app", BUILD, 16, &err));
    assert_true(entry.other_build);
    catalogue_entry_clear(&entry);
    assert_int_equal(
        find(&entry, root, true, "/usr/bin/python3.11", BUILD, 16, &err),
        MAPCORE_ENOENT);
}

/* Copies of one build: found under any name that it was filed under. */
static void test_copies(void **state)
{
    static const char script[] =
        "sha256-"
        "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef";
    const char *root = at(*state, "c");
    struct catalogue_entry entry = {0};
    struct catalogue_query query = {.roots = &root,
                                    .nroots = 1,
                                    .own_first = true,
                                    .program = "app.156",
                                    .identity = BUILD};
    struct mapcore_error err;
    uint32_t *sizes = NULL;
    size_t n;

    free(file_one(root, "my app", BUILD, 16, WHEN, "x"));
    free(file_one(root, "app.155", BUILD, 8, WHEN, "x"));
    free(file_one(root, "app.156", OTHER, 16, WHEN, "x"));
    free(file_one(root, "run.sh", script, 16, WHEN, "x"));
    assert_ok(find(&entry, root, true, "app.156", BUILD, 16, &err));
    assert_string_equal(entry.program, "my app");
    assert_string_equal(entry.identity, BUILD);
    assert_false(entry.other_build);
    catalogue_entry_clear(&entry);
    assert_ok(find(&entry, root, true, "app.157", BUILD, 8, &err));
    assert_string_equal(entry.program, "app.155");
    catalogue_entry_clear(&entry);
    assert_ok(catalogue_sizes(&sizes, &n, &query, &err));
    assert_int_equal(n, 2);
    free(sizes);
    /* Not in the site's, nor a script, nor another build. */
    assert_int_equal(find(&entry, root, false, "app.157", BUILD, 8, &err),
                     MAPCORE_ENOENT);
    assert_int_equal(find(&entry, root, true, "copy.sh", script, 16, &err),
                     MAPCORE_ENOENT);
    assert_int_equal(
        find(&entry, root, true, "app.157", "bbbbbbbbbbbbbbbb", 16, &err),
        MAPCORE_ENOENT);
}

static void test_names(void **state)
{
    static const char *const bad[] = {"",    ".",        "..",  ".a",
                                      "a/b", "a b",      "a%b", "\xc3\xa4",
                                      "a\n", "CATALOGUE"};
    const char *root = at(*state, "c");
    struct catalogue_entry entry = {0};
    struct mapcore_error err;
    char longest[80];

    free(file_one(root, "w-1.2_x+y", NULL, 16, WHEN, "x"));
    assert_ok(find(&entry, root, true, "w-1.2_x+y", NULL, 16, &err));
    assert_string_equal(entry.identity, "named");
    catalogue_entry_clear(&entry);
    assert_int_equal(find(&entry, root, true, "other", NULL, 16, &err),
                     MAPCORE_ENOENT);
    assert_non_null(strstr(err.text, "no profile named other for 16 tasks"));
    for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
        assert_int_equal(catalogue_check_name(bad[i], &err), MAPCORE_EINVAL);
        assert_int_equal(find(&entry, root, true, bad[i], NULL, 16, &err),
                         MAPCORE_EINVAL);
    }
    memset(longest, 'a', sizeof(longest));
    longest[65] = '\0';
    assert_int_equal(catalogue_check_name(longest, &err), MAPCORE_EINVAL);
    longest[64] = '\0';
    assert_ok(catalogue_check_name(longest, &err));
}

static void test_strange_programs(void **state)
{
    static const char *const program[] = {
        "..",         ".app", "my app", "50%",       "a\nb",
        "\xc3\xa4pp", "*",    "named",  "CATALOGUE", "CATALOGUE.new-1-1"};
    const char *root = at(*state, "c");
    struct catalogue_entry *list = NULL;
    struct catalogue_entry entry = {0};
    struct mapcore_error err;
    size_t n = 0;
    char longest[300];

    for (size_t i = 0; i < sizeof(program) / sizeof(*program); i++) {
        free(file_one(root, program[i], BUILD, 2, WHEN, "x"));
        assert_ok(find(&entry, root, true, program[i], BUILD, 2, &err));
        assert_string_equal(entry.program, program[i]);
        assert_memory_equal(entry.path, root, strlen(root));
        assert_ok(catalogue_list(&list, &n, root, true, program[i], &err));
        assert_int_equal(n, 1);
        assert_string_equal(list[0].path, entry.path);
        catalogue_entry_clear(&list[0]);
        free(list);
        catalogue_entry_clear(&entry);
    }
    memset(longest, ' ', sizeof(longest));
    longest[255] = '\0';
    assert_int_equal(find(&entry, root, true, longest, BUILD, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(find(&entry, root, true, "app/", BUILD, 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(find(&entry, root, true, "app", "../x", 2, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(find(&entry, root, true, "app", "named", 2, &err),
                     MAPCORE_EINVAL);
}

static unsigned count_files(const char *path)
{
    struct dirent *entry;
    DIR *dir = opendir(path);
    unsigned n = 0;

    assert_non_null(dir);
    while ((entry = readdir(dir)))
        n +=
            strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(dir);
    return n;
}

static void test_failure_leaves_nothing(void **state)
{
    const char *root = at(*state, "c");
    struct mapcore_error err;
    char *folder = NULL, *version;
    char path[4096];

    version = file_one(root, "app", BUILD, 16, WHEN, "x");
    snprintf(path, sizeof(path), "%s/app/" BUILD "/16", root);
    assert_int_equal(count_files(path), 2);
    assert_ok(catalogue_begin(&folder, root, "app", BUILD, 16, &err));
    assert_int_equal(count_files(path), 3);
    catalogue_abandon(folder);
    assert_int_equal(count_files(path), 2);
    free(folder);
    /* No files. */
    assert_ok(catalogue_begin(&folder, root, "app", BUILD, 16, &err));
    assert_int_equal(catalogue_commit(NULL, folder, WHEN, "1.0", NULL, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(count_files(path), 2);
    free(folder);
    /* The first one of a size: no empty folders stay. */
    assert_ok(catalogue_begin(&folder, root, "app2", BUILD, 4, &err));
    /* app, app2, CATALOGUE, .builds */
    assert_int_equal(count_files(root), 4);
    catalogue_abandon(folder);
    assert_int_equal(count_files(root), 3);
    free(folder);
    catalogue_abandon(NULL);
    catalogue_abandon(root);
    assert_int_equal(count_files(root), 3);
    /* `current` cannot be switched. */
    snprintf(path, sizeof(path), "%s/app/" BUILD "/8", root);
    assert_ok(mkdir(path, 0755));
    snprintf(path, sizeof(path), "%s/app/" BUILD "/8/current", root);
    assert_ok(mkdir(path, 0755));
    assert_ok(catalogue_begin(&folder, root, "app", BUILD, 8, &err));
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    put_text(path, "x");
    assert_int_equal(catalogue_commit(NULL, folder, WHEN, "1.0", NULL, &err),
                     MAPCORE_EIO);
    snprintf(path, sizeof(path), "%s/app/" BUILD "/8", root);
    assert_int_equal(count_files(path), 1);
    free(folder);
    assert_int_equal(catalogue_commit(NULL, root, WHEN, "1.0", NULL, &err),
                     MAPCORE_EINVAL);
    assert_int_equal(catalogue_begin(&folder, root, "app", BUILD, 0, &err),
                     MAPCORE_EINVAL);
    put_text(at(*state, "file"), "x");
    assert_int_equal(
        catalogue_begin(&folder, at(*state, "file"), "app", BUILD, 1, &err),
        MAPCORE_EIO);
    assert_non_null(strstr(err.text, "Not a directory"));
    expect_found(root, true, version);
    free(version);
}

static void test_umask(void **state)
{
    const char *root = at(*state, "c");
    mode_t held = umask(0);
    char *version = file_one(root, "app", BUILD, 16, WHEN, "x");

    umask(held);
    expect_found(root, true, version);
    free(version);
}

static void write_many(const char *root)
{
    char what[32];

    for (int i = 0; i < 200; i++) {
        snprintf(what, sizeof(what), "version %d", i);
        free(file_one(root, "app", BUILD, 16, WHEN + i, what));
    }
    _exit(0);
}

static void read_back(char out[64], const char *folder, const char *name)
{
    char path[4096];
    FILE *file;
    size_t n;

    snprintf(path, sizeof(path), "%s/%s", folder, name);
    file = fopen(path, "r");
    assert_non_null(file);
    n = fread(out, 1, 63, file);
    out[n] = '\0';
    fclose(file);
}

/* A version is seen whole or not at all, and never an older one again. */
/* What could not be taken back is not begun. */
static void test_few_descriptors(void **state)
{
    const char *root = at(*state, "few");
    struct rlimit whole, few;
    struct mapcore_error err;
    char *folder = NULL;
    int fd = open("/", O_RDONLY | O_CLOEXEC), error;

    assert_true(fd >= 0);
    assert_ok(getrlimit(RLIMIT_NOFILE, &whole));
    few = whole;
    few.rlim_cur = (rlim_t)fd + 5;
    close(fd);
    assert_ok(setrlimit(RLIMIT_NOFILE, &few));
    error = catalogue_begin(&folder, root, "app", BUILD, 16, &err);
    assert_ok(setrlimit(RLIMIT_NOFILE, &whole));
    assert_int_equal(error, MAPCORE_EIO);
    assert_non_null(strstr(err.text, "Too many open files"));
    assert_null(folder);
    assert_int_not_equal(access(root, F_OK), 0);
}

static void test_readers_beside_a_writer(void **state)
{
    const char *root = at(*state, "c");
    struct mapcore_error err;
    char last[128] = "", a[64], b[64];
    unsigned seen = 0;
    int status;
    pid_t child;

    free(file_one(root, "app", BUILD, 16, WHEN - 1, "version -1"));
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        write_many(root);
    while (waitpid(child, &status, WNOHANG) == 0) {
        struct catalogue_entry entry = {0};

        if (find(&entry, root, true, "app", BUILD, 16, &err) < 0)
            fail_msg("%s", err.text);
        assert_true(strverscmp(last, entry.version) <= 0);
        seen += strcmp(last, entry.version) != 0;
        snprintf(last, sizeof(last), "%s", entry.version);
        read_back(a, entry.path, "profile.json");
        read_back(b, entry.path, "p2p.graph");
        assert_string_equal(a, b);
        assert_memory_equal(a, "version ", 8);
        catalogue_entry_clear(&entry);
    }
    assert_int_equal(status, 0);
    assert_true(seen > 1);
}

/* Several recorders of one second: all survive. */
static void test_writers_beside_each_other(void **state)
{
    const char *root = at(*state, "c");
    int status, bad = 0;

    for (int i = 0; i < 4; i++) {
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            for (int j = 0; j < 10; j++)
                free(file_one(root, "app", BUILD, 16, WHEN, "x"));
            _exit(0);
        }
    }
    for (int i = 0; i < 4; i++)
        if (wait(&status) < 0 || status != 0)
            bad++;
    assert_int_equal(bad, 0);
    /* And `current`. */
    assert_int_equal(count_files(at(*state, "c/app/" BUILD "/16")), 41);
}

static void test_user_root(void **state)
{
    char *root = NULL;
    struct mapcore_error err;

    setenv("TOPOMAP_CATALOGUE", "/a/b", 1);
    assert_ok(catalogue_user_root(&root, &err));
    assert_string_equal(root, "/a/b");
    free(root);
    unsetenv("TOPOMAP_CATALOGUE");
    setenv("XDG_DATA_HOME", "/data", 1);
    assert_ok(catalogue_user_root(&root, &err));
    assert_string_equal(root, "/data/topomap");
    free(root);
    setenv("XDG_DATA_HOME", "relative", 1);
    setenv("HOME", "/home/u", 1);
    assert_ok(catalogue_user_root(&root, &err));
    assert_string_equal(root, "/home/u/.local/share/topomap");
    free(root);
    unsetenv("HOME");
    unsetenv("XDG_DATA_HOME");
    assert_int_equal(catalogue_user_root(&root, &err), MAPCORE_ENOENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(test_filed_is_found),
        ON_DISK(test_two_in_one_second),
        ON_DISK(test_other_sizes_are_named),
        ON_DISK(test_missing_and_strange_roots),
        ON_DISK(test_later_roots),
        ON_DISK(test_other_build),
        ON_DISK(test_copies),
        ON_DISK(test_names),
        ON_DISK(test_strange_programs),
        ON_DISK(test_failure_leaves_nothing),
        ON_DISK(test_umask),
        ON_DISK(test_few_descriptors),
        ON_DISK(test_readers_beside_a_writer),
        ON_DISK(test_writers_beside_each_other),
        cmocka_unit_test(test_user_root),
    };

    return cmocka_run_group_tests_name("catalogue", tests, NULL, NULL);
}
