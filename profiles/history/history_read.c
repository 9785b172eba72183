/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_read.c - a history read back: an index of the lines of files that are
 * whose name they bear, the two of each step joined in it, and then step after
 * step, so that memory does not grow with what the lines say */
#include "config.h"

#include "profiles/history/history_file.h"

#include "base/array.h"
#include "base/fnv.h"
#include "base/text.h"

#include <dirent.h>
#include <errno.h>
#include <math.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LINES_BETWEEN = 16, HEAD = 80 /* bytes, event and time in them */ };

/* A file, which stays open. */
struct source {
    int fd;
    char *user; /* whose lines they are, owned; NULL: as they say */
    struct history_mark mark;
};

/* A line that was seen, and is read again when its turn has come: of millions
 * not all have room. */
struct entry {
    double at_s;
    uint64_t origin, offset;
    uint32_t job, step, length, source;
    uint32_t user; /* a digest; 0: not said */
    uint32_t end;  /* of a launch: the entry of its end, or MAPCORE_NONE */
    bool is_end, is_taken;
};

struct history_index {
    struct source *source;
    size_t nsources, source_capacity;
    struct entry *entry;
    size_t n, capacity;
    uint32_t *order; /* [nsteps] entries, oldest first; NULL before the join */
    size_t nsteps;
    struct {
        size_t source;
        uint64_t from, n; /* of the file */
        char bytes[1 << 18];
    } window[2]; /* of launches, and of ends, which come later */
};

static uint32_t digest(const char *user)
{
    return user ? (uint32_t)fnv1a(user, strlen(user)) | 1 : 0;
}

/* The time of a line in topomap's own form, as text; NULL: it has another. */
static const char *time_in(const char text[HEAD])
{
    static const char *const begin[] = {
        "{\"format\": 1, \"event\": \"launch\", \"time\": \"",
        "{\"format\": 1, \"event\": \"end\", \"time\": \""};

    for (int i = 0; i < 2; i++)
        if (memcmp(text, begin[i], strlen(begin[i])) == 0)
            return text + strlen(begin[i]);
    return NULL;
}

/* Where a line of a long file begins before which all is older; 0, where some
 * of its lines are in another form, or not in the order of time: files of
 * several hosts stand one behind the other. */
static uint64_t skip_older(int fd, const char *oldest)
{
    enum { SAMPLES = 256, TIME = 19 };
    char text[2 * HISTORY_LINE_MOST], last[TIME] = "";
    const off_t apart = lseek(fd, 0, SEEK_END) / SAMPLES;
    uint64_t start = 0;

    if (!*oldest || apart < 8 * (off_t)sizeof(text))
        return 0;
    for (off_t at = 0; at < SAMPLES * apart; at += apart) {
        const ssize_t n = pread(fd, text, sizeof(text), at);
        const char *line = n > 0 ? memchr(text, '\n', (size_t)n) : NULL,
                   *time = line && text + n > line + HEAD ? time_in(line + 1)
                                                          : NULL;

        if (!time || memcmp(time, last, TIME) < 0)
            return 0;
        memcpy(last, time, TIME);
        if (memcmp(time, oldest, TIME) < 0)
            start = (uint64_t)(at + (line + 1 - text));
    }
    return start;
}

/* Notes a line, `length` bytes from text on, in the newest source. */
static int add_entry(struct history *history,
                     const struct history_filter *filter,
                     const char *oldest,
                     const char *text,
                     size_t length,
                     uint64_t offset)
{
    struct history_index *index = history->index;
    struct source *source = &index->source[index->nsources - 1];
    const char *begin;
    struct history_line line;
    struct mapcore_error ignored;
    /* Of what is older than what is asked for nothing is parsed. */
    const char *time = length > HEAD ? time_in(text) : NULL;
    int error = MAPCORE_EPARSE;

    if (length == 0 || (time && memcmp(time, oldest, strlen(oldest)) < 0))
        return 0;
    if (filter->needle &&
        !memmem(text, length, filter->needle, strlen(filter->needle))) {
        history->broken += text[length - 1] != '}'; /* it may have been cut */
        return 0;
    }
    /* What comes by way of syslog has words in front. */
    if ((begin = memchr(text, '{', length))) {
        length -= (size_t)(begin - text);
        if (text_after(begin, HISTORY_FOLD))
            return 0;
        error = history_line_head(&line, begin, length, &ignored);
    }
    if (error == MAPCORE_ENOMEM)
        return error_set(history->err, error, "no memory");
    if (error < 0) {
        history->broken++;
        return 0;
    }
    if (!filter->has_job || filter->job == line.job)
        error = array_reserve(&index->entry, &index->capacity, index->n + 1,
                              sizeof(*index->entry), history->err);
    if (error == 0 && (!filter->has_job || filter->job == line.job))
        index->entry[index->n++] = (struct entry){
            .at_s = line.at_s,
            .origin = source->mark.origin ? source->mark.origin : line.origin,
            .offset = offset + (uint64_t)(begin - text),
            .job = line.job,
            .step = line.step,
            .length = (uint32_t)length,
            .source = (uint32_t)index->nsources - 1,
            .user = digest(source->user ? source->user : line.user),
            .end = MAPCORE_NONE,
            .is_end = strcmp(line.event, HISTORY_END) == 0,
        };
    source->mark.newest_s = fmax(source->mark.newest_s, line.at_s);
    history_line_clear(&line);
    return error;
}

/* The descriptor is the index's afterwards, also on failure. */
static int add_source(struct history *history,
                      int fd,
                      const char *user,
                      uint64_t origin)
{
    struct history_index *index = history->index;
    struct source source = {.fd = fd, .mark = {.origin = origin}};
    int error = 0;

    if (!index)
        history->index = index = array_alloc(1, sizeof(*index), history->err);
    if (!index)
        error = MAPCORE_ENOMEM;
    else if (user)
        error = text_copy(&source.user, user, history->err);
    if (error == 0)
        error =
            array_reserve(&index->source, &index->source_capacity,
                          index->nsources + 1, sizeof(source), history->err);
    if (error == 0) {
        index->source[index->nsources++] = source;
        return 0;
    }
    close(fd);
    free(source.user);
    return error;
}

int history_add_fd(struct history *out,
                   int fd,
                   const char *user,
                   uint64_t origin,
                   const struct history_filter *filter)
{
    enum { CHUNK = 1 << 20 };
    char *text = array_alloc(CHUNK, 1, out->err);
    struct history_mark *mark = NULL;
    const double since = filter->since - HISTORY_UNORDERED_S;
    char oldest[TEXT_TIME] = "";
    size_t n = 0;
    ssize_t got = 1;
    int error = add_source(out, fd, user, origin);

    if (since > 0)
        text_time(oldest, since);
    if (error == 0 && !text)
        error = MAPCORE_ENOMEM;
    if (error == 0) {
        mark = &out->index->source[out->index->nsources - 1].mark;
        mark->bytes = skip_older(fd, oldest);
    }
    while (error == 0 && got > 0) {
        size_t used = 0;

        got = pread(fd, text + n, CHUNK - n, (off_t)(mark->bytes + n));
        if (got < 0) {
            error = error_set(out->err, MAPCORE_EIO,
                              "cannot read a history: %s", strerror(errno));
            break;
        }
        n += (size_t)got;
        /* Up to the last whole line; at the end that without a newline, too. */
        while (error == 0 && used < n) {
            const char *line = text + used,
                       *newline = memchr(line, '\n', n - used);
            const size_t length = newline ? (size_t)(newline - line) : n - used;

            if (!newline && got > 0 && (used > 0 || n < CHUNK))
                break;
            if (mark->bytes + used == 0)
                mark->first = fnv1a(line, length) ^ origin;
            error = add_entry(out, filter, oldest, line, length,
                              mark->bytes + used);
            used += length + (newline != NULL);
        }
        mark->bytes += used;
        n -= used;
        memmove(text, text + used, n);
    }
    free(text);
    return error;
}

const struct history_mark *history_marks(const struct history *history,
                                         size_t i)
{
    return history->index && i < history->index->nsources
               ? &history->index->source[i].mark
               : NULL;
}

/* The user that a file's name tells, who must own it; NULL: it names none. */
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
    const char *rest = dot ? text_after_form(dot, ".#-#") : NULL;

    if (!rest || *rest != '\0')
        dot = name + strlen(name);
    return fnv1a(name, (size_t)(dot - name)) >> 11;
}

static int read_file(struct history *out,
                     const struct own_folder *folder,
                     const char *name,
                     const struct history_filter *filter)
{
    const char *user;
    char word[64];
    struct stat st;
    int fd = -1, error = own_folder_open_file(&fd, &st, folder, name, NULL);

    if (error == 0 && st.st_nlink <= 1 && !(st.st_mode & S_IWOTH) &&
        (uint64_t)st.st_size <= 2 * HISTORY_FILE_MOST &&
        (user = owner(word, name, &st)))
        return history_add_fd(out, fd, user, origin_of(name), filter);
    /* Somebody has just put it aside: it comes again under another name, or
     * not; in the next run it does. */
    out->refused += error != MAPCORE_ENOENT;
    if (fd >= 0)
        close(fd);
    return 0;
}

int history_add_folder(struct history *out,
                       const struct own_folder *folder,
                       const struct history_filter *filter)
{
    const char *name;
    DIR *dir = NULL;
    size_t n = 0;
    int error = 0;

    for (; error == 0 && (name = own_folder_next(&dir, folder)); n++)
        if (text_after(name, HISTORY_STEPS))
            error = read_file(out, folder, name, filter);
    if (n == 0) /* not even . */
        error = error_set(out->err, MAPCORE_EIO, "%.300s: %s",
                          own_folder_path(folder), strerror(errno));
    if (dir)
        closedir(dir);
    return error;
}

/* A launch comes before an end of the same moment. Users are not compared: of
 * some lines they are not known. */
static int by_step(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;

    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    if (x->step != y->step)
        return x->step < y->step ? -1 : 1;
    if (x->origin != y->origin)
        return x->origin < y->origin ? -1 : 1;
    if (x->at_s < y->at_s || x->at_s > y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    if (x->is_end != y->is_end)
        return x->is_end ? 1 : -1;
    return (x->source > y->source) - (x->source < y->source);
}

static int by_time(const void *a, const void *b, void *all)
{
    const struct entry *entry = all, *x = &entry[*(const uint32_t *)a],
                       *y = &entry[*(const uint32_t *)b];

    if (x->at_s < y->at_s || x->at_s > y->at_s)
        return x->at_s < y->at_s ? -1 : 1;
    return x < y ? -1 : x > y;
}

/* Lines of syslog may lack the user. */
static bool may_be_one_user(const struct entry *x, const struct entry *y)
{
    return x->user == 0 || y->user == 0 || x->user == y->user;
}

/* The launch whose end a line is, the last one of its step before it: numbers
 * of jobs come again when a job is requeued, after years, and where two
 * clusters share a home. One srun writes both, to one host's file. Few lines of
 * other users stand between the two. */
static struct entry *launch_of(const struct entry *end,
                               const struct history_index *index)
{
    for (struct entry *launch = index->entry + (end - index->entry);
         end->is_end && launch > index->entry &&
         end - launch < LINES_BETWEEN;) {
        launch--;
        if (end->job != launch->job || end->step != launch->step ||
            end->origin != launch->origin)
            return NULL;
        if (!launch->is_end && may_be_one_user(end, launch))
            return launch->end == MAPCORE_NONE ? launch : NULL;
    }
    return NULL;
}

static bool is_again(const struct entry *x, const struct entry *y)
{
    return x->job == y->job && x->step == y->step && x->origin == y->origin &&
           x->is_end == y->is_end && !(x->at_s < y->at_s || x->at_s > y->at_s);
}

static void drop_repeated(struct history_index *index)
{
    size_t n = 0;

    for (size_t i = 0; i < index->n; i++) {
        const struct entry *line = &index->entry[i];
        bool is_known = false;

        /* Read under two names, for somebody has put the file aside. */
        for (size_t k = n; k > 0 && !is_known && n - k < LINES_BETWEEN &&
                           is_again(line, &index->entry[k - 1]);
             k--)
            is_known = may_be_one_user(line, &index->entry[k - 1]);
        if (!is_known)
            index->entry[n++] = *line;
    }
    index->n = n;
}

int history_order(struct history *history, double since)
{
    struct history_index *index = history->index;

    if (!index || index->n == 0)
        return 0;
    qsort(index->entry, index->n, sizeof(*index->entry), by_step);
    drop_repeated(index);
    if (!(index->order =
              array_alloc(index->n, sizeof(*index->order), history->err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < index->n; i++) {
        struct entry *launch = launch_of(&index->entry[i], index);

        if (launch) {
            launch->end = (uint32_t)i;
            index->entry[i].is_taken = true;
        }
    }
    for (size_t i = 0; i < index->n; i++)
        if (!index->entry[i].is_taken && index->entry[i].at_s >= since)
            index->order[index->nsteps++] = (uint32_t)i;
    qsort_r(index->order, index->nsteps, sizeof(*index->order), by_time,
            index->entry);
    return 0;
}

/* Reads a line again. False: it is broken, or no longer there. */
static bool read_again(struct history_line *out,
                       struct history_index *index,
                       const struct entry *entry)
{
    const struct source *source = &index->source[entry->source];
    const size_t w = entry->is_end;
    struct mapcore_error ignored;
    ssize_t n;

    if (index->window[w].source != entry->source ||
        entry->offset < index->window[w].from ||
        entry->offset + entry->length >
            index->window[w].from + index->window[w].n) {
        n = pread(source->fd, index->window[w].bytes,
                  sizeof(index->window[w].bytes), (off_t)entry->offset);
        index->window[w].source = entry->source;
        index->window[w].from = entry->offset;
        index->window[w].n = n > 0 ? (uint64_t)n : 0;
        if (index->window[w].n < entry->length)
            return false;
    }
    if (history_line_parse(out,
                           index->window[w].bytes +
                               (entry->offset - index->window[w].from),
                           entry->length, &ignored) < 0)
        return false;
    out->origin = entry->origin;
    if (source->user) {
        free(out->user);
        out->user = strdup(source->user);
    }
    return true;
}

int history_each(struct history *history, history_take take, void *of)
{
    struct history_index *index = history->index;
    int error = 0;

    for (size_t i = 0; error == 0 && index && i < index->nsteps; i++) {
        const struct entry *entry = &index->entry[index->order[i]];
        struct history_line line, end;
        const bool ends = entry->end != MAPCORE_NONE,
                   has_line = read_again(&line, index, entry),
                   has_end = ends &&
                             read_again(&end, index, &index->entry[entry->end]);

        history->broken += (size_t)!has_line + (ends && !has_end);
        if (has_line && has_end)
            history_line_merge(&line, &end);
        else if (has_end)
            line = end;
        if (has_line || has_end) {
            error = take(of, &line, i, entry->source, entry->offset);
            history_line_clear(&line);
        }
    }
    return error;
}

int history_keep(struct history *out, struct history_line *line)
{
    int error = array_reserve(&out->step, &out->capacity, out->n + 1,
                              sizeof(*line), out->err);

    if (error == 0) {
        out->step[out->n++] = *line;
        *line = (struct history_line){.event = NULL};
    }
    return error;
}

static int keep(void *of,
                struct history_line *line,
                size_t i,
                size_t source,
                uint64_t offset)
{
    (void)i;
    (void)source;
    (void)offset;
    return history_keep(of, line);
}

void history_join(struct history *history)
{
    if (history_order(history, 0) == 0)
        (void)history_each(history, keep, history);
}

static void free_index(struct history_index *index)
{
    for (size_t i = 0; index && i < index->nsources; i++) {
        close(index->source[i].fd);
        free(index->source[i].user);
    }
    if (index) {
        free(index->source);
        free(index->entry);
        free(index->order);
    }
    free(index);
}

void history_clear(struct history *history)
{
    for (size_t i = 0; i < history->n; i++)
        history_line_clear(&history->step[i]);
    free(history->step);
    free_index(history->index);
    memset(history, 0, sizeof(*history));
}
