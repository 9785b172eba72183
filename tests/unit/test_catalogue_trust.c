/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_catalogue_trust.c - what of a catalogue is not to be trusted: links,
 * owners, rights, and what leads out of it */
#include "config.h"

#include "cataloguefixture.h"

#include "profiles/catalogue/catalogue_trust.h"

#include <fcntl.h>
#include <sys/wait.h>

static void test_current_leads_astray(void **state)
{
    static const char *const target[] = {
        "../r1", "/etc", "..", ".", "a", "r/../../x", "r20261121T023000Z-9.0"};
    const char *root = at(*state, "c");
    char folder[4096], current[4200];

    free(file_one(root, "app", BUILD, 16, WHEN, "x"));
    snprintf(folder, sizeof(folder), "%s/app/" BUILD "/16", root);
    snprintf(current, sizeof(current), "%s/current", folder);
    for (size_t i = 0; i < sizeof(target) / sizeof(*target); i++) {
        assert_ok(unlink(current));
        assert_ok(symlink(target[i], current));
        if (i + 1 < sizeof(target) / sizeof(*target))
            expect_refused(root, true, MAPCORE_ETRUST, "current is refused");
        else /* a version that is gone */
            expect_refused(root, true, MAPCORE_ENOENT, "no profile of app");
    }
    assert_ok(unlink(current));
    expect_refused(root, true, MAPCORE_ENOENT, "no profile of app");
    assert_ok(mkdir(current, 0755));
    expect_refused(root, true, MAPCORE_ETRUST, "current is refused");
}

static void test_writable_by_all(void **state)
{
    static const char *const part[] = {
        "",
        "app",
        "app/" BUILD,
        "app/" BUILD "/16",
        "app/" BUILD "/16/r20261121T023000Z-12.0",
        "app/" BUILD "/16/r20261121T023000Z-12.0/profile.json",
        "app/" BUILD "/16/r20261121T023000Z-12.0/p2p.graph"};
    const struct scratch *scratch = *state;
    char *version = file_one(scratch->root, "app", BUILD, 16, WHEN, "x");

    for (size_t i = 0; i < sizeof(part) / sizeof(*part); i++) {
        const char *path = at(scratch, part[i]);
        struct stat st;

        assert_ok(stat(path, &st));
        for (unsigned sticky = 0; sticky <= 01000; sticky += 01000) {
            assert_ok(chmod(path, (st.st_mode & 0755) | 0002 | sticky));
            expect_refused(scratch->root, true, MAPCORE_ETRUST,
                           "everybody may write");
            expect_refused(scratch->root, false, MAPCORE_ETRUST,
                           "everybody may write");
        }
        assert_ok(chmod(path, (st.st_mode & 0755) | 0020));
        expect_found(scratch->root, true, version);
        assert_ok(chmod(path, st.st_mode & 0755));
    }
    free(version);
}

static void test_symlinks_inside(void **state)
{
    const char *root = at(*state, "c");
    char path[4096];

    free(file_one(root, "app", BUILD, 16, WHEN, "x"));
    snprintf(path, sizeof(path),
             "%s/app/" BUILD "/16/r20261121T023000Z-12.0/p2p.graph", root);
    assert_ok(unlink(path));
    assert_ok(symlink("/etc/passwd", path));
    expect_refused(root, true, MAPCORE_ETRUST, "not a regular file");
    assert_ok(rename(at(*state, "c/app"), at(*state, "app")));
    assert_ok(symlink("../app", at(*state, "c/app")));
    expect_refused(root, true, MAPCORE_EIO, "not a folder");
}

/* A user who swaps a folder while a version is written cannot lead it away. */
static void test_filing_follows_no_link(void **state)
{
    const char *root = at(*state, "swapped");
    struct mapcore_error err = {.text = ""};
    char *folder = NULL, *version = NULL;
    char path[4096], aside[4096];

    assert_ok(mkdir(at(*state, "elsewhere"), 0755));
    assert_ok(catalogue_begin(&folder, root, "app", BUILD, 16, &err));
    snprintf(path, sizeof(path), "%s/profile.json", folder);
    put_text(path, "x");
    snprintf(aside, sizeof(aside), "%s.aside", folder);
    assert_ok(rename(folder, aside));
    assert_ok(symlink(at(*state, "elsewhere"), folder));
    put_text(at(*state, "elsewhere/profile.json"), "x");
    assert_true(catalogue_commit(&version, folder, WHEN, "1.0", NULL, &err) <
                0);
    assert_null(version);
    assert_ok(unlink(folder));
    assert_ok(rename(aside, folder));
    assert_ok(rename(at(*state, "swapped/app"), at(*state, "elsewhere/app")));
    assert_ok(symlink("../elsewhere/app", at(*state, "swapped/app")));
    assert_true(catalogue_commit(&version, folder, WHEN, "1.0", NULL, &err) <
                0);
    assert_null(version);
    snprintf(path, sizeof(path), "%s/app/" BUILD "/16/current",
             at(*state, "elsewhere"));
    assert_int_equal(access(path, F_OK), -1);
    free(folder);
}

/* What auto would refuse is known before anything is recorded. */
static void test_place_is_judged(void **state)
{
    const char *root = at(*state, "judged");
    struct mapcore_error err = {.text = ""};
    char path[4096];

    assert_ok(catalogue_check_place(root, true, "app", BUILD, 16, &err));
    free(file_one(root, "app", BUILD, 16, WHEN, "x"));
    assert_ok(catalogue_check_place(root, true, "app", BUILD, 16, &err));
    snprintf(path, sizeof(path), "%s/app/" BUILD "/16", root);
    for (int depth = 4; depth > 0; depth--) {
        struct stat st;

        assert_ok(stat(path, &st));
        assert_ok(chmod(path, 0777));
        assert_int_equal(
            catalogue_check_place(root, true, "app", BUILD, 16, &err),
            MAPCORE_ETRUST);
        assert_non_null(strstr(err.text, "everybody may write to it"));
        assert_int_equal(
            catalogue_check_place(root, true, "app", BUILD, 8, &err),
            depth == 4 ? 0 : MAPCORE_ETRUST);
        assert_ok(chmod(path, 0755));
        *strrchr(path, '/') = '\0';
    }
}

static void test_owners(void **state)
{
    const struct scratch *scratch = *state;
    const char *file =
        at(scratch, "app/" BUILD "/16/r20261121T023000Z-12.0/profile.json");
    char *version;

    if (geteuid() != 0)
        skip();
    version = file_one(scratch->root, "app", BUILD, 16, WHEN, "x");
    assert_ok(chown(file, 65534, 65534));
    expect_refused(scratch->root, true, MAPCORE_ETRUST,
                   "belongs to user 65534");
    expect_found(scratch->root, false, version);
    assert_ok(chmod(file, 0666));
    expect_refused(scratch->root, false, MAPCORE_ETRUST, "everybody may write");
    assert_ok(chown(file, 0, 0));
    assert_ok(chmod(file, 0644));
    assert_ok(chown(scratch->root, 65534, 65534));
    expect_refused(scratch->root, true, MAPCORE_ETRUST,
                   "belongs to user 65534");
    assert_ok(chown(scratch->root, 0, 0));
    free(version);
}

/* As a user who is not root: folders that may not be written or read. */
static void run_without_rights(const struct scratch *scratch)
{
    struct catalogue_entry entry = {0};
    struct mapcore_error err;
    char *folder = NULL;

    if (setgid(65534) != 0 || setuid(65534) != 0)
        _exit(10);
    if (catalogue_begin(&folder, at(scratch, "no/deeper"), "app", BUILD, 16,
                        &err) != MAPCORE_EIO ||
        !strstr(err.text, "Permission denied"))
        _exit(11);
    if (catalogue_begin(&folder, at(scratch, "locked"), "app", BUILD, 16,
                        &err) != MAPCORE_EIO ||
        !strstr(err.text, "Permission denied"))
        _exit(12);
    if (find(&entry, at(scratch, "locked"), false, "app", BUILD, 16, &err) !=
            MAPCORE_EIO ||
        !strstr(err.text, "Permission denied"))
        _exit(13);
    _exit(0);
}

static void test_without_rights(void **state)
{
    int status = -1;
    pid_t child;

    if (geteuid() != 0)
        skip();
    free(file_one(at(*state, "locked"), "app", BUILD, 16, WHEN, "x"));
    assert_ok(chmod(at(*state, "locked"), 0700));
    assert_ok(chmod(at(*state, ""), 0755));
    child = fork();
    assert_true(child >= 0);
    if (child == 0)
        run_without_rights(*state);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(test_current_leads_astray),
        ON_DISK(test_writable_by_all),
        ON_DISK(test_symlinks_inside),
        ON_DISK(test_filing_follows_no_link),
        ON_DISK(test_place_is_judged),
        ON_DISK(test_owners),
        ON_DISK(test_without_rights),
    };

    return cmocka_run_group_tests_name("catalogue_trust", tests, NULL, NULL);
}
