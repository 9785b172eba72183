/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plugstack_conf.c - reads plugstack.conf as srun does */
#include "config.h"

#include "tools/doctor/plugstack_conf.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/error_set.h"
#include "base/text.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Files that include files that include files. */
#define DEPTH_MOST 16

static char *copy(const char *text, struct mapcore_error *err)
{
    return array_copy(text, strlen(text) + 1, 1, err);
}

static int add_argument(struct plugstack_entry *entry,
                        size_t *capacity,
                        const char *word,
                        struct mapcore_error *err)
{
    int error =
        array_reserve(&entry->argument, capacity, (size_t)entry->narguments + 1,
                      sizeof(*entry->argument), err);

    if (error < 0)
        return error;
    if (!(entry->argument[entry->narguments] = copy(word, err)))
        return MAPCORE_ENOMEM;
    entry->narguments++;
    return 0;
}

static int add(struct plugstack_conf *conf,
               const struct text *text,
               bool required,
               const char *plugin,
               char *cursor,
               struct mapcore_error *err)
{
    struct plugstack_entry *entry;
    size_t capacity = 0;
    int error = array_reserve(&conf->entry, &conf->capacity, conf->n + 1,
                              sizeof(*conf->entry), err);

    if (error < 0)
        return error;
    entry = &conf->entry[conf->n++];
    *entry = (struct plugstack_entry){
        .file = copy(text_name(text), err),
        .line = text_line_number(text),
        .required = required,
        .plugin = copy(plugin, err),
    };
    if (!entry->file || !entry->plugin)
        return MAPCORE_ENOMEM;
    for (char *word; error == 0 && (word = text_take_word(&cursor));)
        error = add_argument(entry, &capacity, word, err);
    return error;
}

static int read_file(struct plugstack_conf *conf,
                     const char *path,
                     unsigned depth,
                     struct mapcore_error *err);

static int include(struct plugstack_conf *conf,
                   const struct text *text,
                   const char *pattern,
                   unsigned depth,
                   struct mapcore_error *err)
{
    const char *file = text_name(text);
    struct buffer path = {0};
    glob_t found = {0};
    int error, status;

    if (depth == DEPTH_MOST)
        return text_error(text, err, MAPCORE_ERANGE,
                          "files that include one another");
    error = *pattern == '/' ? buffer_printf(&path, err, "%s", pattern)
                            : buffer_printf(&path, err, "%.*s%s",
                                            (int)(text_last_part(file) - file),
                                            file, pattern);
    if (error < 0)
        return error;
    status = glob(path.bytes, 0, NULL, &found);
    if (status == GLOB_NOSPACE)
        error = error_set(err, MAPCORE_ENOMEM, "out of memory");
    else if (status == GLOB_ABORTED)
        error = text_error(text, err, MAPCORE_EIO, "cannot read %.300s",
                           path.bytes);
    for (size_t i = 0; error == 0 && status == 0 && i < found.gl_pathc; i++)
        error = read_file(conf, found.gl_pathv[i], depth + 1, err);
    if (status == 0)
        globfree(&found);
    buffer_clear(&path);
    return error;
}

static int take_line(struct plugstack_conf *conf,
                     const struct text *text,
                     char *line,
                     unsigned depth,
                     struct mapcore_error *err)
{
    const char *kind, *what;

    line[strcspn(line, "#")] = '\0';
    if (!(kind = text_take_word(&line)))
        return 0;
    if (!(what = text_take_word(&line)))
        return text_error(text, err, MAPCORE_EPARSE, "nothing behind '%.64s'",
                          kind);
    if (strcmp(kind, "include") == 0)
        return include(conf, text, what, depth, err);
    if (strcmp(kind, "required") == 0 || strcmp(kind, "optional") == 0)
        return add(conf, text, kind[0] == 'r', what, line, err);
    return text_error(text, err, MAPCORE_EPARSE,
                      "'%.64s' is none of required, optional, include", kind);
}

static int read_file(struct plugstack_conf *conf,
                     const char *path,
                     unsigned depth,
                     struct mapcore_error *err)
{
    struct text *text = NULL;
    char *line;
    int error;

    if (access(path, F_OK) != 0 && errno == ENOENT)
        return 0;
    error = text_open(&text, path, err);
    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line)
        error = take_line(conf, text, line, depth, err);
    text_close(text);
    return error;
}

int plugstack_conf_read(struct plugstack_conf *out,
                        const char *path,
                        struct mapcore_error *err)
{
    int error = read_file(out, path, 0, err);

    if (error < 0)
        plugstack_conf_clear(out);
    return error;
}

void plugstack_conf_clear(struct plugstack_conf *conf)
{
    for (size_t i = 0; i < conf->n; i++) {
        free(conf->entry[i].file);
        free(conf->entry[i].plugin);
        for (int k = 0; k < conf->entry[i].narguments; k++)
            free(conf->entry[i].argument[k]);
        free(conf->entry[i].argument);
    }
    free(conf->entry);
    *conf = (struct plugstack_conf){0};
}

const struct plugstack_entry *plugstack_conf_find(
    const struct plugstack_conf *conf,
    const char *file_name)
{
    for (size_t i = 0; i < conf->n; i++)
        if (strcmp(text_last_part(conf->entry[i].plugin), file_name) == 0)
            return &conf->entry[i];
    return NULL;
}
