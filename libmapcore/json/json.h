/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.h - JSON files read with clear errors, and JSON written; json-c stays
 * behind this door */
#ifndef MAPCORE_JSON_JSON_H
#define MAPCORE_JSON_JSON_H

#include "base/error_set.h"

#include <stdbool.h>
#include <stdio.h>

/* A whole document, read into memory. At most JSON_BYTES_MAX bytes and
 * JSON_DEPTH_MAX levels. */
struct json;
#define JSON_BYTES_MAX ((size_t)16 << 20)
#define JSON_DEPTH_MAX 32

/* One value in a document, and where it stands in it, for messages. Plain
 * data: copied freely, nothing to end; valid until json_close. */
struct json_node {
    const struct json *json;
    const void *value;
    char where[128]; /* "types[2].calls"; "" at the root */
};

/* Reads a file, or n bytes under a name for messages. err takes what goes wrong
 * now and later, until json_report_to names another. Strict JSON (as json-c
 * has it), UTF-8, one value and nothing behind it. Errors: EIO (cannot be read;
 * a folder), EPARSE ("name:line: what"), ERANGE (too long), ENOMEM. */
int json_open(struct json **out, const char *path, struct mapcore_error *err);
int json_open_memory(struct json **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err);
void json_report_to(struct json *json, struct mapcore_error *err);
void json_close(struct json *json);
const char *json_name(const struct json *json);

/* The outermost value, which must be an object. Errors: EPARSE. */
int json_root(struct json_node *out, const struct json *json);

/* Members of an object. A null counts as missing. json_has asks; json_get
 * fails with EPARSE ("name:3: key x: missing", the line being that of the
 * object in which it is missing). */
bool json_has(const struct json_node *object, const char *key);
int json_get(struct json_node *out,
             const struct json_node *object,
             const char *key);
/* Fails with EPARSE, naming it, when the object has a key that is not among
 * keys[nkeys]: for files that people write. */
int json_only(const struct json_node *object,
              const char *const *keys,
              size_t nkeys);

/* What a value is. */
bool json_is_object(const struct json_node *node);
bool json_is_array(const struct json_node *node);
/* 0 if it is what is expected ("an object"), else EPARSE with what it is. */
int json_expect(const struct json_node *node, bool is, const char *what);

/* Elements of an array; json_count of anything else is 0. */
size_t json_count(const struct json_node *array);
int json_at(struct json_node *out, const struct json_node *array, size_t i);

/* A value as what it must be. Strings are borrowed until json_close and have no
 * NUL inside. Unsigned numbers are whole (1e3 is not) and at least 0; doubles
 * are finite. Errors: EPARSE ("name: key x: expected ..."), ERANGE. */
int json_as_string(const char **out, const struct json_node *node);
int json_as_u64(uint64_t *out, const struct json_node *node);
int json_as_u32(uint32_t *out, const struct json_node *node);
int json_as_double(double *out, const struct json_node *node);
int json_as_bool(bool *out, const struct json_node *node);

/* What a plain value is in words: a string, or a number, true or false as the
 * document has it; NULL for null, objects and arrays. Borrowed until
 * json_close. */
const char *json_as_text(const struct json_node *node);

/* json_get and json_as_... in one. */
int json_get_string(const char **out,
                    const struct json_node *object,
                    const char *key);
int json_get_u32(uint32_t *out,
                 const struct json_node *object,
                 const char *key);
int json_get_object(struct json_node *out,
                    const struct json_node *object,
                    const char *key);
int json_get_array(struct json_node *out,
                   const struct json_node *object,
                   const char *key);

/* What the document reports to: never NULL. */
struct mapcore_error *json_err(const struct json_node *node);
/* Like error_set, with "name: key where: " in front: for what a caller finds
 * wrong with a value. */
int json_error(const struct json_node *node, int code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Puts file, line and key before the sentence that json_err already has.
 * Returns code; for code 0 it changes nothing. */
int json_error_in(const struct json_node *node, int code);

/* Writes JSON to a stream, indented by two; the same values give the same bytes
 * in every locale. Every put and begin takes the member's key in an object,
 * NULL in an array and at the top. Nothing needs to be freed; json_writer_end
 * returns failures of the stream, also that it is NULL, for want of memory.
 * Example: json_writer_start(&w, stdout);
 *   json_begin_object(&w, NULL);
 *   json_put_u64(&w, "ntasks", 16);
 *   json_end_object(&w);
 *   rc = json_writer_end(&w, &err); */
struct json_writer {
    FILE *file;
    unsigned depth;
    bool behind_value; /* a value stands before in the same object or array */
    uint64_t arrays;   /* bit i: level i is an array */
    bool is_lines;     /* started by json_writer_start_lines */
};
void json_writer_start(struct json_writer *writer, FILE *file);
/* JSON Lines: any number of values at the top, each on a line of its own that
 * json_end_line ends, with the objects and arrays that are open. */
void json_writer_start_lines(struct json_writer *writer, FILE *file);
void json_end_line(struct json_writer *writer);
/* Ends the objects and arrays that are open and the last line, and flushes.
 * Errors: EIO, ENOMEM. */
int json_writer_end(struct json_writer *writer, struct mapcore_error *err);

void json_begin_object(struct json_writer *writer, const char *key);
void json_end_object(struct json_writer *writer);
void json_begin_array(struct json_writer *writer, const char *key);
void json_end_array(struct json_writer *writer);
/* string NULL gives null; bytes that are not UTF-8 become U+FFFD. */
void json_put_string(struct json_writer *writer,
                     const char *key,
                     const char *string);
void json_put_u64(struct json_writer *writer, const char *key, uint64_t number);
/* The fewest digits that give it back; NaN and infinities, which JSON lacks,
 * give null. */
void json_put_double(struct json_writer *writer,
                     const char *key,
                     double number);
void json_put_bool(struct json_writer *writer, const char *key, bool truth);
void json_put_null(struct json_writer *writer, const char *key);
/* An array of number[n]. */
void json_put_numbers(struct json_writer *writer,
                      const char *key,
                      const uint32_t *number,
                      uint32_t n);

#endif
