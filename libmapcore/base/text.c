/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* text.c - text read line by line, and numbers read from it */
#include "config.h"

#include "base/text.h"

#include "base/array.h"
#include "base/file_read.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    /* Four times the longest line of a plan of 2^24 ranks; a file without
     * newlines, /dev/zero among them, would fill the memory. */
    LINE_MOST = 1 << 28,
    NAME_MOST = 64, /* of text_nearest */
};

struct text {
    char *name;
    struct mapcore_error *err, unread; /* the caller's, or that */
    int fd;                            /* -1: all there is has been read */
    size_t line;
    char *again; /* the line that text_unread gave back, or NULL */
    char *last;  /* the line last returned */
    struct buffer read;
    size_t start; /* what is read from there on has not been given out */
};

int text_open_memory(struct text **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err)
{
    struct text *text = array_alloc(1, sizeof(*text), err);

    if (!text)
        return MAPCORE_ENOMEM;
    text->fd = -1;
    text->err = text->read.err = err ? err : &text->unread;
    if (text_copy(&text->name, name, err) < 0 ||
        buffer_append(&text->read, bytes, n) < 0) {
        text_close(text);
        return MAPCORE_ENOMEM;
    }
    *out = text;
    return 0;
}

int text_open_kind(struct text **out,
                   const char *path,
                   unsigned kind,
                   struct mapcore_error *err)
{
    int fd, error = file_open_at(&fd, AT_FDCWD, path, kind, err);

    if (error < 0)
        return error;
    if ((error = text_open_memory(out, path, "", 0, err)) < 0)
        close(fd);
    else
        (*out)->fd = fd;
    return error;
}

int text_open(struct text **out, const char *path, struct mapcore_error *err)
{
    return text_open_kind(out, path, FILE_ANY, err);
}

void text_close(struct text *text)
{
    int saved = errno;

    if (!text)
        return;
    if (text->fd >= 0)
        close(text->fd);
    buffer_clear(&text->read);
    free(text->name);
    free(text);
    errno = saved;
}

const char *text_name(const struct text *text)
{
    return text->name;
}

size_t text_line_number(const struct text *text)
{
    return text->line;
}

struct mapcore_error *text_err(const struct text *text)
{
    return text->err;
}

void text_unread(struct text *text)
{
    text->again = text->last;
    text->line--;
}

/* Reads more behind what is left, moved to the front; false: that was all. */
static int fill(struct text *text, bool *more)
{
    struct buffer *read = &text->read;

    *more = false;
    if (text->fd < 0)
        return 0;
    if (text->start > 0) {
        read->n -= text->start;
        memmove(read->bytes, read->bytes + text->start, read->n);
        text->start = 0;
    }
    return file_read_some(read, more, text->fd, text->name, SIZE_MAX,
                          text->err);
}

/* Looks for the end of the line in what is read of it from byte `seen` on.
 * A NUL before it, or no end in sight: read no further. */
static int find_newline(char **newline, const struct text *text, size_t seen)
{
    char *from = text->read.bytes + text->start + seen;
    size_t n = text->read.n - text->start - seen;

    *newline = n > 0 ? memchr(from, '\n', n) : NULL;
    if (*newline)
        n = (size_t)(*newline - from);
    if (n > 0 && memchr(from, '\0', n))
        return error_set(text->err, MAPCORE_EPARSE,
                         "%s:%zu: a NUL byte: this is not a text file",
                         text->name, text->line + 1);
    if (seen + n > LINE_MOST)
        return error_set(text->err, MAPCORE_ERANGE,
                         "%s:%zu: a line longer than %d MiB", text->name,
                         text->line + 1, LINE_MOST >> 20);
    return 0;
}

int text_line(struct text *text, char **line)
{
    char *newline = NULL;
    size_t seen = 0;
    bool more = true;
    int error;

    if (text->again) {
        *line = text->again;
        text->again = NULL;
        text->line++;
        return 0;
    }
    for (;;) {
        if ((error = find_newline(&newline, text, seen)) < 0) {
            text->line++;
            return error;
        }
        if (newline || !more)
            break;
        seen = text->read.n - text->start;
        if ((error = fill(text, &more)) < 0)
            return error;
    }
    if (!newline && text->start == text->read.n) {
        *line = NULL;
        return 0;
    }

    char *first = text->read.bytes + text->start;
    char *last = newline ? newline : text->read.bytes + text->read.n;

    text->line++;
    text->start = (size_t)(last - text->read.bytes) + (newline != NULL);
    if (last > first && last[-1] == '\r')
        last--;
    *last = '\0';
    *line = text->last = first;
    return 0;
}

int text_words_line(struct text *text, char **line)
{
    int error;

    do {
        error = text_line(text, line);
        if (error < 0 || !*line)
            return error;
        (*line)[strcspn(*line, "#")] = '\0';
        *line += strspn(*line, " \t\r\v\f");
    } while (**line == '\0');
    return 0;
}

int text_error(const struct text *text, int error, const char *format, ...)
{
    va_list ap;

    va_start(ap, format);
    error = error_vset_at(text->err, error, text->name, text->line, format, ap);
    va_end(ap);
    return error;
}

int text_error_line(const struct text *text,
                    size_t line,
                    int error,
                    const char *format,
                    ...)
{
    va_list ap;

    va_start(ap, format);
    error = error_vset_at(text->err, error, text->name, line, format, ap);
    va_end(ap);
    return error;
}

int text_error_in(const struct text *text, int error)
{
    return error < 0 ? text_error(text, error, "%s", text->err->text) : 0;
}

static bool is_blank(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Inline, as is what follows: most of reading a graph. */
static inline bool take_digits(const char **cursor,
                               uint64_t limit,
                               uint64_t *out)
{
    const char *p = *cursor;
    uint64_t value = 0;

    if (!is_digit(*p))
        return false;
    for (; is_digit(*p); p++) {
        uint64_t digit = (uint64_t)(*p - '0');

        if (digit > limit || value > (limit - digit) / 10)
            return false;
        value = value * 10 + digit;
    }
    *cursor = p;
    *out = value;
    return true;
}

bool text_take_digits(const char **cursor, uint64_t limit, uint64_t *out)
{
    return take_digits(cursor, limit, out);
}

const char *text_after(const char *text, const char *prefix)
{
    const size_t n = strlen(prefix);

    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

bool text_ends_in(const char *text, const char *tail)
{
    const size_t n = strlen(text), m = strlen(tail);

    return n > m && strcmp(text + n - m, tail) == 0;
}

const char *text_after_form(const char *text, const char *form)
{
    for (; *form != '\0'; form++) {
        const size_t n = strspn(text, "0123456789");

        if (*form == '#' || *form == '0' ? n == 0 : *text != *form)
            return NULL;
        text += *form == '#' ? n : 1;
    }
    return text;
}

bool text_take_range(const char **cursor,
                     uint64_t limit,
                     uint64_t *first,
                     uint64_t *last)
{
    if (!text_take_digits(cursor, limit, first))
        return false;
    *last = *first;
    if (**cursor != '-')
        return true;
    ++*cursor;
    return text_take_digits(cursor, limit, last) && *first <= *last;
}

bool text_take_count(const char **cursor, uint32_t *count, uint32_t *times)
{
    uint64_t value = 0, repeat = 1;
    bool good = text_take_digits(cursor, UINT32_MAX - 1, &value);

    if (good && **cursor == '(') {
        ++*cursor;
        good = *(*cursor)++ == 'x' &&
               text_take_digits(cursor, UINT32_MAX - 1, &repeat) &&
               *(*cursor)++ == ')' && repeat > 0;
    }
    *count = (uint32_t)value;
    *times = (uint32_t)repeat;
    if (!good || **cursor == '\0')
        return good;
    return *(*cursor)++ == ',' && **cursor != '\0';
}

static inline bool take_number(char **cursor,
                               uint64_t limit,
                               uint64_t *out,
                               bool *overflow)
{
    const char *p = *cursor;
    uint64_t value;

    while (is_blank(*p))
        p++;
    bool found = take_digits(&p, limit, &value);
    if (overflow)
        *overflow = !found && is_digit(*p);
    if (!found || (*p != '\0' && !is_blank(*p)))
        return false;
    *cursor += p - *cursor;
    *out = value;
    return true;
}

bool text_take_u64(char **cursor, uint64_t *out, bool *overflow)
{
    return take_number(cursor, UINT64_MAX, out, overflow);
}

bool text_take_u32(char **cursor, uint32_t *out, bool *overflow)
{
    uint64_t value;

    if (!take_number(cursor, UINT32_MAX, &value, overflow))
        return false;
    *out = (uint32_t)value;
    return true;
}

static int no_number(const struct text *text,
                     char *at,
                     bool overflow,
                     const char *what)
{
    char *word;

    if (!(word = text_take_word(&at)))
        return text_error(text, MAPCORE_EPARSE, "%s is missing", what);
    if (overflow)
        return text_error(text, MAPCORE_ERANGE, "%s %.40s is too large", what,
                          word);
    if (*word == '-')
        return text_error(text, MAPCORE_EPARSE, "%s %.40s is negative", what,
                          word);
    return text_error(text, MAPCORE_EPARSE, "%s '%.40s' is not a whole number",
                      what, word);
}

int text_read_u64(uint64_t *out,
                  const struct text *text,
                  char **cursor,
                  const char *what)
{
    bool overflow;

    return take_number(cursor, UINT64_MAX, out, &overflow)
               ? 0
               : no_number(text, *cursor, overflow, what);
}

int text_read_u32(uint32_t *out,
                  const struct text *text,
                  char **cursor,
                  const char *what)
{
    bool overflow;
    uint64_t value;

    if (!take_number(cursor, UINT32_MAX, &value, &overflow))
        return no_number(text, *cursor, overflow, what);
    *out = (uint32_t)value;
    return 0;
}

bool text_at_end(const char *cursor)
{
    while (is_blank(*cursor))
        cursor++;
    return *cursor == '\0';
}

char *text_take_word(char **cursor)
{
    char *p = *cursor;

    while (is_blank(*p))
        p++;
    if (*p == '\0')
        return NULL;

    char *word = p;
    while (*p != '\0' && !is_blank(*p))
        p++;
    if (*p != '\0')
        *p++ = '\0';
    *cursor = p;
    return word;
}

bool text_parse_u64(const char *string, uint64_t *out)
{
    uint64_t value;

    if (!text_take_digits(&string, UINT64_MAX, &value) || *string != '\0')
        return false;
    *out = value;
    return true;
}

const char *text_time(char out[TEXT_TIME], double seconds)
{
    const time_t whole = (time_t)seconds;
    struct tm tm;

    if (!gmtime_r(&whole, &tm) ||
        strftime(out, TEXT_TIME, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        out[0] = '\0';
    return out;
}

bool text_parse_double(const char *string, double *out)
{
    /* strtod would also take blanks, signs, hexadecimal, "inf" and "nan". */
    if (!is_digit(string[0]) && string[0] != '.')
        return false;
    if (string[strspn(string, "0123456789.eE+-")] != '\0')
        return false;

    locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    if (c == (locale_t)0)
        return false;

    char *end;
    int saved = errno;
    double value = strtod_l(string, &end, c);

    errno = saved;
    freelocale(c);
    if (end == string || *end != '\0' || !isfinite(value))
        return false;
    *out = value;
    return true;
}

int text_copy(char **out, const char *text, struct mapcore_error *err)
{
    char *copy = array_copy(text, strlen(text) + 1, 1, err);

    *out = copy;
    return copy ? 0 : MAPCORE_ENOMEM;
}

const char *text_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* Levenshtein's distance; SIZE_MAX of a word that is longer than any name. */
static size_t distance(const char *a, const char *b)
{
    size_t n = strlen(b), row[NAME_MOST + 1];

    if (n > NAME_MOST)
        return SIZE_MAX;
    for (size_t j = 0; j <= n; j++)
        row[j] = j;
    for (size_t i = 1; a[i - 1] != '\0'; i++) {
        size_t corner = row[0];

        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t change = corner + (a[i - 1] != b[j - 1]);

            corner = row[j];
            row[j] = row[j] < row[j - 1] ? row[j] + 1 : row[j - 1] + 1;
            if (change < row[j])
                row[j] = change;
        }
    }
    return row[n];
}

const char *text_nearest(const char *word,
                         const void *rows,
                         size_t n,
                         size_t size)
{
    const size_t length = strlen(word);
    size_t least = length < 2 ? length : 2 + length / 4, wrong;
    const char *name, *found = NULL;

    for (const char *row = rows; n-- > 0; row += size) {
        memcpy(&name, row, sizeof(name));
        if ((wrong = distance(word, name)) < least) {
            least = wrong;
            found = name;
        }
    }
    return found;
}

char *text_value(const char *text, const char *word)
{
    size_t n = strlen(word);

    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, word, n) == 0 && line[n] == ' ')
            return strndup(line + n + 1, strcspn(line + n + 1, "\n"));
    }
    return NULL;
}

bool text_parse_date(double *out, const char *string)
{
    struct tm tm = {0};
    const char *end = strptime(string, "%Y-%m-%d", &tm);

    if (!end || end != string + strlen("2026-11-28"))
        return false;
    if (*end == 'T' && !(end = strptime(end, "T%H:%M", &tm)))
        return false;
    *out = (double)timegm(&tm);
    return *end == '\0';
}

bool text_is_line(const char *string)
{
    while ((unsigned char)*string >= 0x20 && *string != 0x7f)
        string++;
    return *string == '\0';
}
