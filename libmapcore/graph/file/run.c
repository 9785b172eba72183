/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run.c - the files that the processes of one run have left, read one after
 * the other into one graph */
#include "config.h"

#include "graph/file/run.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FILES_MOST = 1 << 22 };

struct file_names {
    char **name; /* [n], owned */
    size_t n, capacity;
};

static bool is_one(const struct run_format *format, const char *name)
{
    size_t n = strlen(name), last = strlen(format->suffix);

    return *name != '.' && n > last &&
           strncmp(name, format->prefix, strlen(format->prefix)) == 0 &&
           strcmp(name + n - last, format->suffix) == 0;
}

static int add_name(struct file_names *names,
                    const char *name,
                    struct mapcore_error *err)
{
    int error = array_reserve(&names->name, &names->capacity, names->n + 1,
                              sizeof(*names->name), err);

    if (error < 0)
        return error;
    if (names->n == FILES_MOST)
        return error_set(err, MAPCORE_ERANGE, "more than %d files", FILES_MOST);
    names->name[names->n] = array_copy(name, strlen(name) + 1, 1, err);
    return names->name[names->n] ? (names->n++, 0) : MAPCORE_ENOMEM;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int list_files(struct file_names *names,
                      const struct run_format *format,
                      const char *path,
                      struct mapcore_error *err)
{
    DIR *folder = opendir(path);
    struct dirent *entry;
    int error = 0;

    if (!folder)
        return error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    while (error == 0 && (errno = 0, entry = readdir(folder)))
        if (is_one(format, entry->d_name))
            error = add_name(names, entry->d_name, err);
    if (error == 0 && errno != 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    closedir(folder);
    if (error == 0 && names->n == 0)
        error = error_set(err, MAPCORE_ENOENT, "%s: no %s in it", path,
                          format->about);
    if (error == 0)
        qsort(names->name, names->n, sizeof(*names->name), compare_names);
    return error;
}

static int add_file(struct run *run,
                    const struct run_format *format,
                    const char *folder,
                    const char *name,
                    struct mapcore_error *err)
{
    struct buffer path = {0};
    struct text *text = NULL;
    int error = buffer_printf(&path, err, "%s/%s", folder, name);

    if (error == 0)
        error = text_open_kind(&text, path.bytes, FILE_REGULAR, err);
    if (error == 0) {
        error = format->add(run, text, err);
        run->nfiles++;
    }
    text_close(text);
    buffer_clear(&path);
    return error;
}

static int finish(struct mapcore_graph **out,
                  struct run *run,
                  const struct run_format *format,
                  struct mapcore_error *err)
{
    int error = format->finish(run, err);

    if (error == 0 && run->ntasks == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no tasks in it", run->name);
    return error < 0 ? error
                     : edges_to_graph(out, &run->edges, run->ntasks, false,
                                      run->name, err);
}

static void clear(struct run *run, const struct run_format *format)
{
    if (run && format->clear)
        format->clear(run);
    if (run)
        edges_clear(&run->edges);
    free(run);
}

int run_read_text(struct mapcore_graph **out,
                  const struct run_format *format,
                  struct text *text,
                  struct mapcore_error *err)
{
    struct run *run = array_alloc(1, format->size, err);
    int error;

    if (!run)
        return MAPCORE_ENOMEM;
    run->name = text_name(text);
    if ((error = format->add(run, text, err)) == 0) {
        run->nfiles = 1;
        error = finish(out, run, format, err);
    }
    clear(run, format);
    return error;
}

int run_read_folder(struct mapcore_graph **out,
                    const struct run_format *format,
                    const char *path,
                    struct mapcore_error *err)
{
    struct file_names names = {0};
    struct run *run = array_alloc(1, format->size, err);
    int error = run ? list_files(&names, format, path, err) : MAPCORE_ENOMEM;

    if (run)
        run->name = path;
    for (size_t i = 0; error == 0 && i < names.n; i++)
        error = add_file(run, format, path, names.name[i], err);
    if (error == 0)
        error = finish(out, run, format, err);
    clear(run, format);
    for (size_t i = 0; i < names.n; i++)
        free(names.name[i]);
    free(names.name);
    return error;
}
