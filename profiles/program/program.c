/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program.c - which MPI a program will be started with, told by the libraries
 * that it needs; a file of its own because the recorder, which knows its MPI,
 * does without */
#include "config.h"

#include "profiles/program/identity.h"

#include "profiles/program/elffile.h"
#include "profiles/program/mpi_abi.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

/* Bounds on what a file can make us do. */
#define OBJECTS_MAX ((size_t)512)
#define FOLDERS_MAX ((size_t)512)
#define CONF_DEPTH  8

/* Libraries of the dynamic linker that no ld.so.conf names. */
static const char *const default_folders[] = {
    "/lib64",
    "/usr/lib64",
    "/lib",
    "/usr/lib",
};

/* A file that the dynamic linker would load. */
struct object {
    char *origin;  /* its folder, for $ORIGIN */
    size_t loader; /* index of what needs it; of the program, its own */
    struct elffile_dynamic dynamic;
};

struct program_walk {
    uint16_t machine;
    struct object *object;
    size_t nobjects, object_capacity;
    const char **seen; /* names, borrowed from the objects */
    size_t nseen, seen_capacity;
    char **folder; /* of ld.so.conf */
    size_t nfolders, folder_capacity;
    bool conf_read;
};

static void clear_walk(struct program_walk *walk)
{
    for (size_t i = 0; i < walk->nobjects; i++) {
        free(walk->object[i].origin);
        elffile_dynamic_clear(&walk->object[i].dynamic);
    }
    for (size_t i = 0; i < walk->nfolders; i++)
        free(walk->folder[i]);
    free(walk->object);
    free(walk->seen);
    free(walk->folder);
}

static enum program_kind kind_of_abi(enum mpi_abi abi)
{
    return abi == MPI_ABI_MPICH     ? PROGRAM_MPICH_ABI
           : abi == MPI_ABI_OPENMPI ? PROGRAM_OPENMPI_ABI
                                    : PROGRAM_NO_MPI;
}

static int add_folder(struct program_walk *walk,
                      const char *path,
                      struct mapcore_error *err)
{
    char *copy;
    int error;

    if (walk->nfolders == FOLDERS_MAX)
        return 0;
    error = array_reserve(&walk->folder, &walk->folder_capacity,
                          walk->nfolders + 1, sizeof(*walk->folder), err);
    copy = error < 0 ? NULL : array_copy(path, strlen(path) + 1, 1, err);
    if (!copy)
        return MAPCORE_ENOMEM;
    walk->folder[walk->nfolders++] = copy;
    return 0;
}

static int read_conf(struct program_walk *walk,
                     const char *path,
                     unsigned depth,
                     struct mapcore_error *err);

static int include_conf(struct program_walk *walk,
                        const char *from,
                        const char *pattern,
                        unsigned depth,
                        struct mapcore_error *err)
{
    struct buffer full = {0};
    const char *slash = strrchr(from, '/');
    glob_t found;
    int error;

    if (*pattern == '/' || !slash)
        error = buffer_printf(&full, err, "%s", pattern);
    else
        error = buffer_printf(&full, err, "%.*s/%s", (int)(slash - from), from,
                              pattern);
    if (error < 0)
        return error;
    if (glob(full.bytes, 0, NULL, &found) == 0) {
        for (size_t i = 0; error == 0 && i < found.gl_pathc; i++)
            error = read_conf(walk, found.gl_pathv[i], depth + 1, err);
        globfree(&found);
    }
    buffer_clear(&full);
    return error;
}

/* What the system's ld.so.cache was made from. A file that cannot be read
 * adds nothing. Errors: ENOMEM. */
static int read_conf(struct program_walk *walk,
                     const char *path,
                     unsigned depth,
                     struct mapcore_error *err)
{
    struct text *text = NULL;
    char *line, *word;
    int error = 0;

    if (depth > CONF_DEPTH || text_open(&text, path, NULL) < 0)
        return 0;
    while (error == 0 && text_line(text, &line, NULL) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        word = text_take_word(&line);
        if (!word)
            continue;
        if (strcmp(word, "include") == 0) {
            while (error == 0 && (word = text_take_word(&line)))
                error = include_conf(walk, path, word, depth, err);
        } else if (*word == '/') {
            error = add_folder(walk, word, err);
        }
    }
    text_close(text);
    return error;
}

static int read_folders(struct program_walk *walk, struct mapcore_error *err)
{
    int error = 0;

    if (walk->conf_read)
        return 0;
    walk->conf_read = true;
    error = read_conf(walk, "/etc/ld.so.conf", 0, err);
    for (size_t i = 0;
         error == 0 && i < sizeof(default_folders) / sizeof(*default_folders);
         i++)
        error = add_folder(walk, default_folders[i], err);
    return error;
}

/* Adds the file at path to the objects. *added tells whether it was what the
 * dynamic linker would take: a library for this machine. Errors: ENOMEM. */
static int add_object(bool *added,
                      struct program_walk *walk,
                      const char *path,
                      size_t loader,
                      struct mapcore_error *err)
{
    const char *slash = strrchr(path, '/');
    struct object object = {.loader = loader};
    struct elffile file;
    int error;

    *added = false;
    if (elffile_open(&file, path, NULL) < 0)
        return 0;
    if (!file.is_native ||
        (loader < walk->nobjects && file.machine != walk->machine)) {
        elffile_close(&file);
        return 0;
    }
    walk->machine = file.machine;
    error = array_reserve(&walk->object, &walk->object_capacity,
                          walk->nobjects + 1, sizeof(*walk->object), err);
    if (error == 0)
        error = elffile_dynamic(&object.dynamic, &file, err);
    elffile_close(&file);
    if (error < 0)
        return error;
    object.origin = array_alloc(slash ? (size_t)(slash - path) + 1 : 2, 1, err);
    if (!object.origin) {
        elffile_dynamic_clear(&object.dynamic);
        return MAPCORE_ENOMEM;
    }
    if (slash)
        memcpy(object.origin, path, (size_t)(slash - path));
    else
        object.origin[0] = '.';
    walk->object[walk->nobjects++] = object;
    *added = true;
    return 0;
}

/* Writes n bytes of a search path's entry with $ORIGIN put in. False when the
 * entry has another $ token ($LIB, $PLATFORM): that folder is left out. */
static bool expand_origin(struct buffer *out,
                          const char *entry,
                          size_t n,
                          const char *origin)
{
    static const char *const token[] = {"$ORIGIN", "${ORIGIN}"};

    for (size_t i = 0; i < n;) {
        size_t t;

        if (entry[i] != '$') {
            if (buffer_append(out, NULL, entry + i, 1) < 0)
                return false;
            i++;
            continue;
        }
        for (t = 0; t < 2; t++)
            if (strlen(token[t]) <= n - i &&
                memcmp(entry + i, token[t], strlen(token[t])) == 0)
                break;
        if (t == 2 || buffer_printf(out, NULL, "%s", origin) < 0)
            return false;
        i += strlen(token[t]);
    }
    return true;
}

/* A name that an object needs. */
struct needed_name {
    struct program_walk *walk;
    const char *name;
    size_t loader;
    bool is_found;
};

/* Tries the folders of one list (':' between them, and ';' in
 * LD_LIBRARY_PATH). An empty entry is the current folder. */
static int search_list(struct needed_name *needed,
                       const char *list,
                       const char *separators,
                       const char *origin,
                       struct mapcore_error *err)
{
    int error = 0;

    while (list && *list && error == 0 && !needed->is_found) {
        size_t n = strcspn(list, separators);
        struct buffer path = {0};

        if (expand_origin(&path, list, n, origin)) {
            error = buffer_printf(&path, err, "%s%s", n > 0 ? "/" : "",
                                  needed->name);
            if (error == 0)
                error = add_object(&needed->is_found, needed->walk, path.bytes,
                                   needed->loader, err);
        }
        buffer_clear(&path);
        list += n;
        if (*list)
            list++;
    }
    return error;
}

/* The order of ld.so(8): DT_RPATH of what needs it and of what that was loaded
 * by, unless it has a DT_RUNPATH; LD_LIBRARY_PATH; DT_RUNPATH; the system's
 * folders. */
static int load_needed(struct program_walk *walk,
                       const char *name,
                       size_t loader,
                       struct mapcore_error *err)
{
    const char *origin = walk->object[loader].origin;
    const char *runpath = walk->object[loader].dynamic.runpath;
    struct needed_name needed = {walk, name, loader, false};
    int error = 0;

    if (strchr(name, '/')) {
        struct buffer path = {0};

        if (expand_origin(&path, name, strlen(name), origin) && path.bytes)
            error = add_object(&needed.is_found, walk, path.bytes, loader, err);
        buffer_clear(&path);
        return error;
    }
    for (size_t i = loader; error == 0 && !runpath;
         i = walk->object[i].loader) {
        const struct object *object = &walk->object[i];

        if (!object->dynamic.runpath)
            error = search_list(&needed, object->dynamic.rpath, ":",
                                object->origin, err);
        if (needed.is_found || i == walk->object[i].loader)
            break;
    }
    if (error == 0)
        error = search_list(&needed, getenv("LD_LIBRARY_PATH"), ":;",
                            walk->object[0].origin, err);
    if (error == 0)
        error = search_list(&needed, runpath, ":", origin, err);
    if (error == 0 && !needed.is_found)
        error = read_folders(walk, err);
    for (size_t i = 0; error == 0 && !needed.is_found && i < walk->nfolders;
         i++)
        error = search_list(&needed, walk->folder[i], "", "", err);
    return error;
}

static int note_name(bool *is_new,
                     struct program_walk *walk,
                     const char *name,
                     struct mapcore_error *err)
{
    int error;

    *is_new = false;
    for (size_t i = 0; i < walk->nseen; i++)
        if (strcmp(walk->seen[i], name) == 0)
            return 0;
    if (walk->nseen == OBJECTS_MAX)
        return 0;
    error = array_reserve(&walk->seen, &walk->seen_capacity, walk->nseen + 1,
                          sizeof(*walk->seen), err);
    if (error == 0) {
        walk->seen[walk->nseen++] = name;
        *is_new = true;
    }
    return error;
}

/* Breadth first, each name once, as the dynamic linker does. */
static int walk_needed(enum program_kind *out,
                       struct program_walk *walk,
                       struct mapcore_error *err)
{
    int error = 0;

    *out = PROGRAM_NO_MPI;
    for (size_t i = 0; i < walk->nobjects; i++)
        for (size_t k = 0; k < walk->object[i].dynamic.nneeded; k++) {
            const char *name = walk->object[i].dynamic.needed[k];
            bool is_new;

            *out = kind_of_abi(mpi_abi_of_library(name));
            if (*out != PROGRAM_NO_MPI)
                return 0;
            error = note_name(&is_new, walk, name, err);
            if (error == 0 && is_new)
                error = load_needed(walk, name, i, err);
            if (error < 0)
                return error;
        }
    return error;
}

int program_classify(enum program_kind *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct program_walk walk = {0};
    struct elffile file;
    enum program_kind kind = PROGRAM_SCRIPT, linked;
    char *real;
    bool added;
    int error = elffile_open(&file, path, err);

    if (error < 0)
        return error;
    if (file.is_elf)
        kind = !file.is_native ? PROGRAM_NO_MPI
               : !elffile_segment(&file, PT_DYNAMIC) ||
                       !elffile_segment(&file, PT_INTERP)
                   ? PROGRAM_STATIC
                   : PROGRAM_MPICH_ABI;
    linked = kind_of_abi(elffile_linked_recorder(&file));
    elffile_close(&file);
    if (kind != PROGRAM_MPICH_ABI) {
        *out =
            kind == PROGRAM_STATIC && linked != PROGRAM_NO_MPI ? linked : kind;
        return 0;
    }
    /* $ORIGIN is the folder of the file itself, not of a link to it. */
    real = realpath(path, NULL);
    error = add_object(&added, &walk, real ? real : path, 0, err);
    if (error == 0)
        error = walk_needed(&kind, &walk, err);
    if (error == 0)
        *out = kind == PROGRAM_NO_MPI ? linked : kind;
    free(real);
    clear_walk(&walk);
    return error;
}
