/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* text.h - text read line by line, with its name and line number at hand */
#ifndef MAPCORE_BASE_TEXT_H
#define MAPCORE_BASE_TEXT_H

#include "base/error_set.h"

#include <stdbool.h>

struct text;

/* Opens a file, or takes a copy of n bytes under a name for messages. err takes
 * what goes wrong now and later. Errors: EIO (cannot be opened or read; a
 * folder), ENOMEM. */
int text_open(struct text **out, const char *path, struct mapcore_error *err);
/* The same of the kinds of file that are named (base/file_read.h). Errors: also
 * ETRUST. */
int text_open_kind(struct text **out,
                   const char *path,
                   unsigned kind,
                   struct mapcore_error *err);
int text_open_memory(struct text **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err);
void text_close(struct text *text);

const char *text_name(const struct text *text);
/* The err that it was opened with, or one of its own: never NULL. */
struct mapcore_error *text_err(const struct text *text);
/* Number of the line last returned, from 1. */
size_t text_line_number(const struct text *text);
/* text_line will return the line last returned once more; it must not have been
 * changed. Only behind a text_line that gave a line. */
void text_unread(struct text *text);

/* The next line without its newline in *line, which is borrowed until the
 * next call and may be changed by the caller; *line is NULL at the end.
 * Errors: EPARSE (a NUL byte), ERANGE (a line of more than 256 MiB), EIO,
 * ENOMEM. */
int text_line(struct text *text, char **line);
/* The next line that holds a word, without its comment (from # on) and the
 * blanks before it; *line NULL at the end. Errors: as text_line. */
int text_words_line(struct text *text, char **line);

/* Like error_set with "name:line: " in front. */
int text_error(const struct text *text, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of another line; 0: of the whole, "name: ". */
int text_error_line(const struct text *text,
                    size_t line,
                    int code,
                    const char *format,
                    ...) __attribute__((format(printf, 4, 5)));
/* Puts the file and line before the sentence that text_err already has. Returns
 * code; for code 0 it changes nothing. */
int text_error_in(const struct text *text, int code);

/* Skips blanks and reads one unsigned decimal number that ends at a blank or
 * at the end of the string; moves *cursor behind it. False, with nothing
 * moved, when there is no such number or it does not fit: *overflow (may be
 * NULL) tells which. */
bool text_take_u64(char **cursor, uint64_t *out, bool *overflow);
bool text_take_u32(char **cursor, uint32_t *out, bool *overflow);

/* The same, with a sentence for what is refused: `what` is missing, negative,
 * no whole number (EPARSE), or too large (ERANGE). */
int text_read_u64(uint64_t *out,
                  const struct text *text,
                  char **cursor,
                  const char *what);
int text_read_u32(uint32_t *out,
                  const struct text *text,
                  char **cursor,
                  const char *what);

/* What stands behind a noun that is counted: "1 host", "2 hosts". */
static inline const char *text_plural(uint64_t n)
{
    return n == 1 ? "" : "s";
}

/* A copy of a text: *out, owned. Errors: ENOMEM. */
int text_copy(char **out, const char *text, struct mapcore_error *err);

/* What stands behind the last slash of a path: the name of a program. */
const char *text_last_part(const char *path);

/* The name that a mistyped word may be meant for, or NULL: of n rows of that
 * size, each of which begins with a name. */
const char *text_nearest(const char *word,
                         const void *rows,
                         size_t n,
                         size_t size);

/* Whether a string, a path for instance, can stand on a line: no newline and no
 * other control character of ASCII is in it. (Others are bytes of letters in
 * some encodings.) */
bool text_is_line(const char *string);

/* The value of the line `word VALUE` in a text, owned; NULL without one, or
 * without memory. */
char *text_value(const char *text, const char *word);

/* Nothing but blanks is left. */
bool text_at_end(const char *cursor);

/* Skips blanks, ends the next word with NUL, moves *cursor behind it; NULL at
 * the end of the string. */
char *text_take_word(char **cursor);

/* Digits from *cursor on, up to what is none, moving it behind them. False,
 * with nothing moved: none, or more than limit. */
bool text_take_digits(const char **cursor, uint64_t limit, uint64_t *out);
/* What stands behind a prefix that text has, or NULL. */
const char *text_after(const char *text, const char *prefix);
/* The same of a form, in which # is digits, one or more, 0 is one digit, and
 * all else is itself. */
const char *text_after_form(const char *text, const char *form);
/* Whether a text ends in that, and is more than that. */
bool text_ends_in(const char *text, const char *tail);
/* "3" or "3-7": the first number and the last, which is no less. False on other
 * text; *cursor is anywhere then. */
bool text_take_range(const char **cursor,
                     uint64_t limit,
                     uint64_t *first,
                     uint64_t *last);
/* An item of Slurm's short form of counts, "16(x3),8", and the comma before the
 * next: 16, 3 times. False on other text; *cursor is anywhere then. */
bool text_take_count(const char **cursor, uint32_t *count, uint32_t *times);

/* Whole-string numbers, for options: no sign, no blanks, nothing behind.
 * text_parse_double reads in the "C" locale, not that of the process,
 * and refuses NaN and infinities. */
bool text_parse_u64(const char *string, uint64_t *out);
/* "2026-11-28" or "2026-11-28T14:30", in UTC, to seconds since 1970. */
bool text_parse_date(double *out, const char *string);
bool text_parse_double(const char *string, double *out);

/* "2026-11-28T14:30:00Z" of seconds since 1970, or "" where a year has more
 * than four digits; returns out. */
enum { TEXT_TIME = 21 };
const char *text_time(char out[TEXT_TIME], double seconds);

#endif
