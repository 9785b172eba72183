/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_read.c - a history read back: whole lines of files that are whose
 * name they bear, the two of each step made one */
#include "config.h"

#include "profiles/history/history_file.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/fnv.h"

#include <dirent.h>
#include <errno.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LINES_BETWEEN = 16 };

static int read_line(struct history *history,
                     const char *line,
                     size_t n,
                     const char *user,
                     struct mapcore_error *err)
{
    struct history_line step;
    struct mapcore_error ignored;
    int error = history_line_parse(&step, line, n, &ignored);

    if (error == MAPCORE_ENOMEM)
        return error_set(err, error, "no memory");
    if (error < 0) {
        history->broken++;
        return 0;
    }
    if (user) {
        free(step.user);
        if (!(step.user = strdup(user)))
            error = error_set(err, MAPCORE_ENOMEM, "no memory");
    }
    if (error == 0)
        error = array_reserve(&history->step, &history->capacity,
                              history->n + 1, sizeof(step), err);
    if (error == 0)
        history->step[history->n++] = step;
    else
        history_line_clear(&step);
    return error;
}

int history_read_text(struct history *out,
                      const char *text,
                      size_t n,
                      const char *user,
                      const char *needle,
                      struct mapcore_error *err)
{
    const char *end = text + n;
    int error = 0;

    while (error == 0 && text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        size_t length = (size_t)((newline ? newline : end) - text);

        /* What comes by way of syslog has words in front. */
        if (length > 0 &&
            (!needle || memmem(text, length, needle, strlen(needle)))) {
            const char *begin = memchr(text, '{', length);

            if (begin)
                error = read_line(out, begin, length - (size_t)(begin - text),
                                  user, err);
            else
                out->broken++;
        }
        text += length + 1;
    }
    return error;
}

/* The user that a file's name tells, who must own it; NULL: it is nobody's. */
static const char *owner(char name[64], const char *file, const struct stat *st)
{
    const struct passwd *entry;
    char *end;
    unsigned long uid = strtoul(file + strlen(HISTORY_STEPS), &end, 10);

    if (*end != '-' || uid != (unsigned long)st->st_uid)
        return NULL;
    if ((entry = getpwuid(st->st_uid)))
        snprintf(name, 64, "%s", entry->pw_name);
    else
        snprintf(name, 64, "%lu", uid);
    return name;
}

/* steps-UID-HOST, of which a full one is steps-UID-HOST.DIGITS-DIGITS. */
static uint64_t origin_of(const char *name)
{
    const char *dot = strrchr(name, '.');
    size_t n = dot ? strspn(dot + 1, "0123456789") : 0, more;

    if (n == 0 || dot[1 + n] != '-' ||
        (more = strspn(dot + 2 + n, "0123456789")) == 0 ||
        dot[2 + n + more] != '\0')
        dot = name + strlen(name);
    return fnv1a(name, (size_t)(dot - name));
}

static int read_file(struct history *out,
                     const struct own_folder *folder,
                     const char *name,
                     const char *needle,
                     struct mapcore_error *err)
{
    const size_t before = out->n;
    struct buffer text = {0};
    const char *user;
    char word[64];
    struct stat st;
    int error = own_folder_read(&text, &st, folder, name,
                                (size_t)(2 * HISTORY_FILE_MOST), NULL);

    if (error == 0 && st.st_nlink <= 1 && !(st.st_mode & S_IWOTH) &&
        (user = owner(word, name, &st))) {
        error = history_read_text(out, text.bytes ? text.bytes : "", text.n,
                                  user, needle, err);
        for (size_t i = before; i < out->n; i++)
            out->step[i].origin = origin_of(name);
    } else {
        /* Somebody has just put it aside: it comes again under another name, or
         * not; in the next run it does. */
        out->refused += error != MAPCORE_ENOENT;
        error = 0;
    }
    buffer_clear(&text);
    return error;
}

int history_read_folder(struct history *out,
                        const struct own_folder *folder,
                        const char *needle,
                        struct mapcore_error *err)
{
    const char *name;
    DIR *dir = NULL;
    size_t n = 0;
    int error = 0;

    for (; error == 0 && (name = own_folder_next(&dir, folder)); n++)
        if (strncmp(name, HISTORY_STEPS, strlen(HISTORY_STEPS)) == 0)
            error = read_file(out, folder, name, needle, err);
    if (n == 0) /* not even . */
        error = error_set(err, MAPCORE_EIO, "%.300s: %s",
                          own_folder_path(folder), strerror(errno));
    if (dir)
        closedir(dir);
    return error;
}

/* A launch comes before an end of the same moment. */
static int by_step(const void *a, const void *b)
{
    const struct history_line *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->origin != y->origin)
        return x->origin < y->origin ? -1 : 1;
    if (x->at_s < y->at_s || x->at_s > y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return strcmp(y->event, x->event);
}

static int by_time(const void *a, const void *b)
{
    const struct history_line *x = a, *y = b;

    if (x->at_s < y->at_s || x->at_s > y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return by_step(a, b);
}

/* Lines of syslog may lack the user. */
static bool may_be_one_user(const struct history_line *x,
                            const struct history_line *y)
{
    return !x->user || !y->user || strcmp(x->user, y->user) == 0;
}

/* The launch whose end a line is, the last one of its step before it: numbers
 * of jobs come again when a job is requeued, after years, and where two
 * clusters share a home. One srun writes both, to one host's file. Few lines of
 * other users stand between the two. */
static struct history_line *launch_of(const struct history_line *end,
                                      const struct history *history,
                                      size_t n)
{
    if (strcmp(end->event, HISTORY_END) != 0)
        return NULL;
    for (size_t i = n; i > 0 && n - i < LINES_BETWEEN; i--) {
        struct history_line *launch = &history->step[i - 1];

        if (end->job != launch->job || end->step != launch->step ||
            end->origin != launch->origin)
            return NULL;
        if (strcmp(launch->event, HISTORY_LAUNCH) == 0 &&
            may_be_one_user(end, launch))
            return launch->seconds < 0 ? launch : NULL;
    }
    return NULL;
}

static void drop_repeated(struct history *history)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++) {
        struct history_line *line = &history->step[i];

        /* Read under two names, for somebody has put the file aside. */
        if (n > 0 && by_step(line, &history->step[n - 1]) == 0 &&
            may_be_one_user(line, &history->step[n - 1]))
            history_line_clear(line);
        else if (n++ != i)
            history->step[n - 1] = *line;
    }
    history->n = n;
}

void history_join(struct history *history)
{
    size_t n = 0;

    if (history->n == 0)
        return;
    qsort(history->step, history->n, sizeof(*history->step), by_step);
    drop_repeated(history);
    for (size_t i = 0; i < history->n; i++) {
        struct history_line *line = &history->step[i];
        struct history_line *launch = launch_of(line, history, n);

        if (launch)
            history_line_merge(launch, line);
        else if (n++ != i)
            history->step[n - 1] = *line;
    }
    history->n = n;
    qsort(history->step, n, sizeof(*history->step), by_time);
}

void history_clear(struct history *history)
{
    for (size_t i = 0; i < history->n; i++)
        history_line_clear(&history->step[i]);
    free(history->step);
    memset(history, 0, sizeof(*history));
}
