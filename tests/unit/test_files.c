/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_files.c - files read whole, by kind and up to a bound, and files that
 * are replaced whole or not at all */
#include "config.h"

#include "base/file_read.h"
#include "base/file_replace.h"

#include "scratch.h"

#include <dirent.h>

static int read_it(struct buffer *out,
                   const char *path,
                   unsigned kind,
                   size_t most,
                   struct mapcore_error *err)
{
    err->text[0] = '\0';
    return file_read_all(out, path, kind, most, err);
}

static void a_file_is_read_whole(void **state)
{
    const char *path = at(*state, "f");
    struct buffer out = {0};
    struct mapcore_error err;
    char *large = malloc(300000);

    assert_non_null(large);
    memset(large, 'x', 300000);
    put_file(path, large, 300000);
    assert_ok(read_it(&out, path, FILE_REGULAR, 300000, &err));
    assert_int_equal(out.n, 300000);
    assert_memory_equal(out.bytes, large, 300000);
    assert_int_equal(out.bytes[out.n], '\0');
    free(large);
    buffer_clear(&out);
    assert_int_equal(read_it(&out, path, FILE_REGULAR, 299999, &err),
                     MAPCORE_ERANGE);
    assert_non_null(strstr(err.text, "f: longer than 299999 bytes"));
    buffer_clear(&out);
    put_text(path, "");
    assert_ok(read_it(&out, path, FILE_ANY, 1, &err));
    assert_int_equal(out.n, 0);
    assert_non_null(out.bytes);
    buffer_clear(&out);
}

static void kinds_are_kept(void **state)
{
    const char *fifo = at(*state, "fifo"), *link = at(*state, "link");
    struct buffer out = {0};
    struct mapcore_error err;

    assert_ok(mkfifo(fifo, 0600));
    assert_int_equal(read_it(&out, fifo, FILE_REGULAR, 9, &err),
                     MAPCORE_ETRUST);
    assert_non_null(strstr(err.text, "fifo: not a regular file"));
    assert_int_equal(read_it(&out, "/dev/zero", FILE_REGULAR, 9, &err),
                     MAPCORE_ETRUST);
    assert_int_equal(read_it(&out, "/dev/zero", FILE_ANY, 9, &err),
                     MAPCORE_ERANGE);
    buffer_clear(&out);
    assert_int_equal(read_it(&out, at(*state, ""), FILE_ANY, 9, &err),
                     MAPCORE_EIO);
    assert_non_null(strstr(err.text, "is a folder"));
    assert_int_equal(read_it(&out, at(*state, "none"), FILE_ANY, 9, &err),
                     MAPCORE_EIO);
    assert_non_null(strstr(err.text, "none: No such file"));
    put_text(at(*state, "f"), "text");
    assert_ok(symlink("f", link));
    assert_int_equal(read_it(&out, link, FILE_REGULAR | FILE_NO_LINK, 9, &err),
                     MAPCORE_ETRUST);
    assert_ok(read_it(&out, link, FILE_REGULAR, 9, &err));
    assert_string_equal(out.bytes, "text");
    buffer_clear(&out);
}

static size_t count_files(const char *folder)
{
    DIR *dir = opendir(folder);
    size_t n = 0;

    assert_non_null(dir);
    while (readdir(dir))
        n++;
    closedir(dir);
    return n - 2;
}

static void expect_text(const char *path, const char *text)
{
    struct buffer out = {0};

    assert_ok(
        file_read_all(&out, path, FILE_REGULAR | FILE_NO_LINK, 1000, NULL));
    assert_string_equal(out.bytes, text);
    buffer_clear(&out);
}

static void a_file_is_replaced_whole(void **state)
{
    const char *path = at(*state, "f"), *target = at(*state, "target");
    struct file_replace output = {0}, second = {0};
    struct mapcore_error err;

    put_text(target, "of somebody else");
    assert_ok(symlink("target", path));
    assert_ok(file_replace_open(&output, path, 0600, &err));
    assert_ok(file_replace_open(&second, path, 0600, &err));
    fputs("new", output.file);
    fputs("newer", second.file);
    expect_text(target, "of somebody else");
    assert_ok(file_replace_commit(&output, &err));
    expect_text(path, "new");
    assert_ok(file_replace_commit(&second, &err));
    expect_text(path, "newer");
    expect_text(target, "of somebody else");
    file_replace_abandon(&output);
    assert_int_equal(count_files(at(*state, "")), 2);
}

static void failures_leave_nothing(void **state)
{
    const char *folder = at(*state, "d"), *path = at(*state, "d/f");
    struct file_replace output = {0};
    struct mapcore_error err;

    assert_int_equal(file_replace_open(&output, path, 0600, &err), MAPCORE_EIO);
    assert_non_null(strstr(err.text, "d/f: No such file"));
    assert_null(output.path);
    assert_ok(mkdir(folder, 0755));
    assert_ok(file_replace_open(&output, path, 0600, &err));
    fputs("new", output.file);
    file_replace_abandon(&output);
    assert_int_equal(count_files(folder), 0);
    /* The name is taken by a folder. */
    assert_ok(mkdir(path, 0755));
    assert_ok(file_replace_open(&output, path, 0600, &err));
    assert_int_equal(file_replace_commit(&output, &err), MAPCORE_EIO);
    assert_non_null(strstr(err.text, "d/f"));
    assert_int_equal(count_files(folder), 1);
    assert_null(output.path);
}

/* Links are never written through, even if another user guessed the name. */
static void a_link_beside_is_not_followed(void **state)
{
    struct file_replace output = {0};
    struct mapcore_error err;
    char name[64];

    snprintf(name, sizeof(name), "f.new-%ld-0", (long)getpid());
    put_text(at(*state, "victim"), "kept");
    assert_ok(symlink("victim", at(*state, name)));
    assert_ok(file_replace_open(&output, at(*state, "f"), 0600, &err));
    fputs("new", output.file);
    assert_ok(file_replace_commit(&output, &err));
    expect_text(at(*state, "f"), "new");
    expect_text(at(*state, "victim"), "kept");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ON_DISK(a_file_is_read_whole),          ON_DISK(kinds_are_kept),
        ON_DISK(a_file_is_replaced_whole),      ON_DISK(failures_leave_nothing),
        ON_DISK(a_link_beside_is_not_followed),
    };

    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}
