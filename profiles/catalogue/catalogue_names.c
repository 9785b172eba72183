/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_names.c - how things in a catalogue are called, and that no such
 * name leads out of it */
#include "config.h"

#include "profiles/catalogue/catalogue_names.h"

#include "profiles/program/identity.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"
#include "base/printable.h"
#include "base/text.h"
#include "launch/plain_name.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The mark, or what is written beside it: the name of no program's folder. */
static bool is_mark(const char *name)
{
    const char *rest = text_after(name, CATALOGUE_MARK);

    return rest && (*rest == '\0' || text_after(rest, ".new-"));
}

int catalogue_check_name(const char *name, struct mapcore_error *err)
{
    if (is_mark(name))
        return error_set(err, MAPCORE_EINVAL,
                         "name '%.80s' is that of a file of the catalogue",
                         name);
    if (plain_name_check(name, PLAIN_NAME_MOST))
        return 0;
    return error_set(err, MAPCORE_EINVAL,
                     "name '%.80s': 1 to %d letters, digits and . _ + - are "
                     "allowed, with no dot in front",
                     name, PLAIN_NAME_MOST);
}

int catalogue_encode(char *out, const char *path, struct mapcore_error *err)
{
    static const char digit[] = "0123456789ABCDEF";
    const char *base = text_last_part(path);
    size_t n = 0;

    if (*base == '\0')
        return error_set(err, MAPCORE_EINVAL, "'%.200s' names no program",
                         path);
    for (const char *p = base; *p; p++) {
        unsigned char c = (unsigned char)*p;

        if (n + 3 > NAME_MAX)
            return error_set(err, MAPCORE_EINVAL,
                             "the program's name '%.200s...' is too long for "
                             "the catalogue",
                             base);
        if (plain_name_has(*p) &&
            !(p == base && (*p == '.' || is_mark(base)))) {
            out[n++] = *p;
            continue;
        }
        out[n++] = '%';
        out[n++] = digit[c >> 4];
        out[n++] = digit[c & 15];
    }
    out[n] = '\0';
    return 0;
}

bool catalogue_is_encoded(const char *folder)
{
    size_t n = 0;

    while (plain_name_has(folder[n]) || folder[n] == '%')
        n++;
    return n >= 1 && n <= NAME_MAX && folder[n] == '\0' && folder[0] != '.';
}

static int hex_value(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'A' && c <= 'F')
        return c - 'A' + 10;
    return -1;
}

int catalogue_decode(char **out, const char *folder, struct mapcore_error *err)
{
    char *text = array_alloc(strlen(folder) + 1, 1, err);
    size_t n = 0;

    if (!text)
        return MAPCORE_ENOMEM;
    for (const char *p = folder; *p; p++) {
        int high, low;

        if (*p != '%') {
            text[n++] = *p;
            continue;
        }
        high = hex_value(p[1]);
        low = high < 0 ? -1 : hex_value(p[2]);
        if (low < 0 || (high == 0 && low == 0)) {
            free(text);
            return error_set(err, MAPCORE_EPARSE,
                             "'%.200s' is no program's folder", folder);
        }
        text[n++] = (char)(high * 16 + low);
        p += 2;
    }
    *out = text;
    return 0;
}

int catalogue_place(char **out,
                    const char *root,
                    const char *program,
                    const char *identity,
                    struct mapcore_error *err)
{
    struct buffer path = {.err = err};
    char name[NAME_MAX + 1];
    int error = identity ? catalogue_encode(name, program, err)
                         : catalogue_check_name(program, err);

    if (error < 0)
        return error;
    if (!text_is_line(root))
        return error_set(err, MAPCORE_EINVAL,
                         "the catalogue's path has a control character");
    if (identity && (!plain_name_check(identity, IDENTITY_MAX) ||
                     strcmp(identity, CATALOGUE_NAMED) == 0))
        return error_set(err, MAPCORE_EINVAL,
                         "'%.80s' is no executable's identity", identity);
    return buffer_finish(out, &path,
                         buffer_printf(&path, "%s/%s/%s", root,
                                       identity ? name : program,
                                       identity ? identity : CATALOGUE_NAMED));
}

int catalogue_fail(struct mapcore_error *err,
                   const char *what,
                   const char *path)
{
    return error_set(err, MAPCORE_EIO, "cannot %s %.300s: %s", what, path,
                     errno == EROFS ? "its file system is mounted read-only"
                                    : strerror(errno));
}

char *catalogue_join(const char *a, const char *b, struct mapcore_error *err)
{
    struct buffer path = {.err = err};
    char *joined = NULL;

    (void)buffer_finish(&joined, &path, buffer_printf(&path, "%s/%s", a, b));
    return joined;
}

int catalogue_open_text(struct text **out,
                        const char *folder,
                        const char *file,
                        struct mapcore_error *err)
{
    char *path = catalogue_join(folder, file, err);
    int error =
        path ? text_open_kind(out, path, FILE_REGULAR | FILE_NO_LINK, err)
             : MAPCORE_ENOMEM;

    free(path);
    return error;
}

bool catalogue_parse_ntasks(const char *name, uint32_t *out)
{
    uint64_t n;

    if (!text_parse_u64(name, &n) || n == 0 || n >= MAPCORE_NONE ||
        name[0] == '0')
        return false;
    *out = (uint32_t)n;
    return true;
}

bool catalogue_is_ntasks(const char *name)
{
    uint32_t n;

    return catalogue_parse_ntasks(name, &n);
}

bool catalogue_is_identity(const char *name)
{
    const char *digest = text_after(name, "sha256-");
    const char *digits = digest ? digest : name;
    const size_t n = strspn(digits, "0123456789abcdef");

    if (strcmp(name, CATALOGUE_NAMED) == 0)
        return true;
    return digits[n] == '\0' &&
           (digest ? n == 64 : n >= 16 && n <= 128 && n % 2 == 0);
}

bool catalogue_is_version(const char *name)
{
    const char *rest = text_after_form(name, "r00000000T000000Z-");

    return rest && *rest != '\0' && plain_name_check(name, NAME_MAX);
}

int catalogue_current(char *version,
                      const char *folder,
                      struct mapcore_error *err)
{
    char *link = catalogue_join(folder, "current", err);
    ssize_t n;
    int error = 0;

    if (!link)
        return MAPCORE_ENOMEM;
    n = readlink(link, version, NAME_MAX + 1);
    if (n < 0 && errno == ENOENT)
        error =
            error_set(err, MAPCORE_ENOENT, "%.400s: no such profile", folder);
    else if (n < 0 && errno == EINVAL)
        error = error_set(err, MAPCORE_ETRUST, "%.400s is refused: no symlink",
                          link);
    else if (n < 0)
        error =
            error_set(err, MAPCORE_EIO, "%.400s: %s", link, strerror(errno));
    else if (n > NAME_MAX)
        error = MAPCORE_ETRUST;
    else
        version[n] = '\0';
    if (error == MAPCORE_ETRUST ||
        (error == 0 && !catalogue_is_version(version)))
        error =
            error_set(err, MAPCORE_ETRUST,
                      "%.400s is refused: it must be a symlink to a version "
                      "beside it",
                      link);
    free(link);
    return error;
}

static int compare_names(const void *a, const void *b)
{
    return strverscmp(*(char *const *)a, *(char *const *)b);
}

int catalogue_names_at(char ***out,
                       size_t *n,
                       int folder,
                       const char *path,
                       bool (*accept)(const char *name),
                       struct mapcore_error *err)
{
    /* Not a dup(): its place in the folder would be shared. */
    const int fd = openat(folder, folder == AT_FDCWD ? path : ".",
                          O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    size_t capacity = 0, found = 0;
    char **names = NULL;
    struct dirent *entry;
    int error = 0;

    *out = NULL;
    *n = 0;
    if (!dir)
        error = error_set(err, errno == ENOENT ? MAPCORE_ENOENT : MAPCORE_EIO,
                          "%.400s: %s", path, strerror(errno));
    while (error == 0 && (errno = 0, entry = readdir(dir))) {
        const char *name = entry->d_name;

        if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 ||
            (accept && !accept(name)))
            continue;
        error =
            array_reserve(&names, &capacity, found + 1, sizeof(*names), err);
        if (error == 0)
            error = text_copy(&names[found++], name, err);
    }
    if (error == 0 && errno != 0)
        error =
            error_set(err, MAPCORE_EIO, "%.400s: %s", path, strerror(errno));
    if (dir)
        closedir(dir);
    else if (fd >= 0)
        close(fd);
    if (error < 0) {
        catalogue_names_free(names, found);
        return error;
    }
    if (found > 1)
        qsort(names, found, sizeof(*names), compare_names);
    *out = names;
    *n = found;
    return 0;
}

int catalogue_names(char ***out,
                    size_t *n,
                    const char *folder,
                    bool (*accept)(const char *name),
                    struct mapcore_error *err)
{
    return catalogue_names_at(out, n, AT_FDCWD, folder, accept, err);
}

void catalogue_names_free(char **names, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(names[i]);
    free(names);
}

void catalogue_entry_clear(struct catalogue_entry *entry)
{
    free(entry->root);
    free(entry->program);
    free(entry->identity);
    free(entry->version);
    free(entry->path);
    free(entry->refused);
    *entry = (struct catalogue_entry){0};
}

bool catalogue_is_partial(int folder, const char *version)
{
    char path[PATH_MAX];
    struct stat st;

    return (size_t)snprintf(path, sizeof(path), "%s/" CATALOGUE_PARTIAL,
                            version) < sizeof(path) &&
           fstatat(folder, path, &st, AT_SYMLINK_NOFOLLOW) == 0;
}

bool catalogue_why_partial(char *out, size_t size, const char *version)
{
    char path[PATH_MAX];
    ssize_t n = -1;
    int fd;

    out[0] = '\0';
    if (!catalogue_is_partial(AT_FDCWD, version))
        return false;
    snprintf(path, sizeof(path), "%s/" CATALOGUE_PARTIAL, version);
    fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        n = read(fd, out, size - 1);
        close(fd);
    }
    out[n > 0 ? n : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
    printable_clean(out); /* terminals obey what is not */
    return true;
}

int catalogue_fill(struct catalogue_entry *out,
                   const struct catalogue_version *from,
                   struct mapcore_error *err)
{
    struct catalogue_entry entry = {.ntasks = from->ntasks};
    const struct {
        char **to;
        const char *text;
    } copies[] = {{&entry.root, from->root},
                  {&entry.program, from->program},
                  {&entry.identity, from->identity},
                  {&entry.version, from->version}};
    int error = 0;

    for (size_t i = 0; error == 0 && i < sizeof(copies) / sizeof(copies[0]);
         i++)
        error = text_copy(copies[i].to, copies[i].text, err);
    if (error < 0 ||
        !(entry.path = catalogue_join(from->folder, from->version, err))) {
        catalogue_entry_clear(&entry);
        return MAPCORE_ENOMEM;
    }
    entry.partial = catalogue_is_partial(AT_FDCWD, entry.path);
    *out = entry;
    return 0;
}
