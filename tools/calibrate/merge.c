/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* merge.c - keys of one JSON object in the text of another */
#include "config.h"

#include "tools/calibrate/merge.h"

#include "base/file_read.h"
#include "tools/common/tool.h"
#include "tools/site/site_ports.h"
#include "json/json.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *const keys[] = {
    "ports",          "nic_rate",         "memory_rate",   "nic_message_s",
    "task_message_s", "memory_latency_s", "nic_latency_s", "hop_latency_s"};
enum { NKEYS = 8 };

/* The text from begin to end, of a document that is known to be valid. */
struct span {
    const char *begin, *end;
};

static const char *skip_blanks(const char *s)
{
    return s + strspn(s, " \t\r\n");
}

/* Behind the string that begins here. */
static const char *skip_string(const char *s)
{
    for (s++; *s && *s != '"'; s++)
        if (*s == '\\' && s[1])
            s++;
    return *s ? s + 1 : s;
}

/* Behind the value that begins here. */
static const char *skip_value(const char *s)
{
    int depth = 0;

    for (; *s; s++) {
        if (*s == '"') {
            s = skip_string(s) - 1;
        } else if (strchr("{[", *s)) {
            depth++;
        } else if (strchr("}]", *s)) {
            if (depth == 0)
                return s;
            depth--;
        } else if (depth == 0 && strchr(", \t\r\n", *s)) {
            return s;
        }
        if (depth == 0 && strchr("\"}]", *s))
            return s + 1;
    }
    return s;
}

/* The value of a key of the outermost object. *last: where its last value ends,
 * or behind its brace where it has none. */
static bool find(struct span *out,
                 const char **last,
                 const char *text,
                 const char *key)
{
    const char *s = strchr(text, '{') + 1;
    const size_t n = strlen(key);
    bool found = false;

    *last = s;
    for (s = skip_blanks(s); *s == '"'; s = skip_blanks(s)) {
        const char *name = s + 1, *begin;

        s = skip_string(s);
        begin = skip_blanks(strchr(s, ':') + 1);
        *last = skip_value(begin);
        if ((size_t)(s - 1 - name) == n && memcmp(name, key, n) == 0) {
            *out = (struct span){begin, *last};
            found = true;
        }
        s = skip_blanks(*last);
        if (*s == ',')
            s++;
        s = skip_blanks(s);
    }
    return found;
}

/* One key, into out, which becomes the new text. */
static int put(struct buffer *out,
               const char *text,
               const char *key,
               const struct span *value,
               struct mapcore_error *err)
{
    const char *last;
    struct span old;
    bool is_there = find(&old, &last, text, key);
    const char *end = is_there ? old.end : last;
    bool is_empty = strchr(text, '{') + 1 == last;
    int error = buffer_append(out, err, text,
                              (size_t)((is_there ? old.begin : last) - text));

    if (error == 0 && !is_there)
        error =
            buffer_printf(out, err, "%s\n  \"%s\": ", is_empty ? "" : ",", key);
    if (error == 0)
        error = buffer_append(out, err, value->begin,
                              (size_t)(value->end - value->begin));
    return error == 0 ? buffer_append(out, err, end, strlen(end)) : error;
}

/* Text of a site file, which it is known to be afterwards. */
static int read_site(struct buffer *out,
                     const char *path,
                     unsigned kind,
                     struct mapcore_error *err)
{
    struct site_file *site = NULL;
    struct site_ports ports = {0};
    struct json *json = NULL;
    int error = file_read_all(out, path, kind, JSON_BYTES_MAX, err);

    if (error == 0)
        error = json_open_memory(&json, path, out->bytes ? out->bytes : "",
                                 out->n, err);
    json_close(json);
    if (error == 0)
        error = site_read(&site, path, err);
    if (error == 0)
        error = site_ports_read(&ports, site, err);
    site_ports_clear(&ports);
    site_close(site);
    return error;
}

static int write_text(const char *path,
                      const struct buffer *text,
                      mode_t mode,
                      struct mapcore_error *err)
{
    struct tool_output output = {0};
    int error = tool_output_open(&output, path, err);

    if (error < 0)
        return error;
    /* What cannot be written is seen by the commit. */
    fwrite(text->bytes, 1, text->n, output.file);
    if (fchmod(fileno(output.file), mode) != 0)
        error =
            error_set(err, MAPCORE_EIO, "%s: its mode cannot be kept", path);
    if (error == 0)
        return tool_output_commit(&output, err);
    tool_output_abandon(&output);
    return error;
}

static int write_both(const char *path,
                      const struct buffer *before,
                      const struct buffer *after,
                      struct mapcore_error *err)
{
    struct buffer backup = {0};
    struct stat st;
    int error = 0;

    if (lstat(path, &st) != 0 || !S_ISREG(st.st_mode))
        return error_set(err, MAPCORE_ETRUST, "%s is no regular file any more",
                         path);
    if ((error = buffer_printf(&backup, err, "%s~", path)) == 0 &&
        (error = write_text(backup.bytes, before, st.st_mode & 07777, err)) ==
            0)
        error = write_text(path, after, st.st_mode & 07777, err);
    buffer_clear(&backup);
    return error;
}

int calibrate_merge(const char *path,
                    const char *measured,
                    struct mapcore_error *err)
{
    struct buffer text = {0}, from = {0}, before = {0};
    int error, taken = 0;

    if ((error = read_site(&from, measured, FILE_ANY, err)) < 0 ||
        (error = read_site(&before, path, FILE_REGULAR | FILE_NO_LINK, err)) <
            0 ||
        (error = buffer_append(&text, err, before.bytes, before.n)) < 0)
        goto out;
    for (int i = 0; error == 0 && i < NKEYS; i++) {
        struct buffer next = {0};
        const char *last;
        struct span value;

        if (!find(&value, &last, from.bytes, keys[i]))
            continue;
        error = put(&next, text.bytes, keys[i], &value, err);
        buffer_clear(&text);
        text = next;
        taken++;
    }
    if (error == 0 && taken == 0)
        error = error_set(err, MAPCORE_ENOENT,
                          "%s has no ports, nic_rate or memory_rate", measured);
    if (error == 0)
        error = write_both(path, &before, &text, err);
out:
    buffer_clear(&text);
    buffer_clear(&from);
    buffer_clear(&before);
    return error;
}
