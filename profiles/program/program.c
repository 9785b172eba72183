/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program.c - which MPI a program will be started with, known by the libraries
 * that it needs; a file of its own because the recorder, which knows its MPI,
 * does without */
#include "config.h"

#include "profiles/program/identity.h"

#include "profiles/program/elffile.h"

#include "base/name_set.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Bounds on what a file can make us do. */
#define NAMES_MOST ((size_t)512)
#define DEPTH_MOST 32

/* A file that the dynamic linker would load, and what needs it; NULL: the
 * program. */
struct object {
    const struct object *loader;
    char origin[PATH_MAX]; /* its folder, for $ORIGIN */
    struct elffile_dynamic dynamic;
};

struct program_walk {
    uint16_t machine;
    unsigned depth;
    struct name_set seen;
    Dl_serinfo *system; /* the folders of this process's own dynamic linker */
    enum program_kind kind;
};

static enum program_kind kind_of_abi(enum mpi_abi abi)
{
    return abi == MPI_ABI_MPICH     ? PROGRAM_MPICH_ABI
           : abi == MPI_ABI_OPENMPI ? PROGRAM_OPENMPI_ABI
                                    : PROGRAM_NO_MPI;
}

/* Folders that an administrator has added in ld.so.conf are not among them:
 * they matter for a library of no MPI that alone needs one. */
static Dl_serinfo *system_folders(void)
{
    void *self = dlopen(NULL, RTLD_LAZY);
    Dl_serinfo *folders = NULL, size;

    if (self && dlinfo(self, RTLD_DI_SERINFOSIZE, &size) == 0 &&
        (folders = malloc(size.dls_size))) {
        *folders = size;
        if (dlinfo(self, RTLD_DI_SERINFO, folders) < 0)
            folders->dls_cnt = 0;
    }
    if (self)
        dlclose(self);
    return folders;
}

/* n bytes of a search path's entry with $ORIGIN put in, and name behind them;
 * out[PATH_MAX]. False when the entry has another $ token ($LIB, $PLATFORM):
 * that folder is left out; or when it is too long. */
static bool expand(char *out,
                   const char *entry,
                   size_t n,
                   const char *origin,
                   const char *name)
{
    static const char *const tokens[] = {"$ORIGIN", "${ORIGIN}"};
    const char *end = entry + n;
    size_t at = 0;

    while (entry < end && at < PATH_MAX) {
        size_t t = 0, length;

        while (*entry == '$' && t < 2 &&
               ((size_t)(end - entry) < strlen(tokens[t]) ||
                strncmp(entry, tokens[t], strlen(tokens[t])) != 0))
            t++;
        if (t == 2)
            return false;
        length = *entry == '$' ? strlen(tokens[t]) : 1;
        at += (size_t)snprintf(out + at, PATH_MAX - at, "%.*s",
                               *entry == '$' ? PATH_MAX : 1,
                               *entry == '$' ? origin : entry);
        entry += length;
    }
    return at < PATH_MAX &&
           (size_t)snprintf(out + at, PATH_MAX - at, "%s%s",
                            at > 0 && *name ? "/" : "", name) < PATH_MAX - at;
}

static int visit(bool *is_found,
                 struct program_walk *walk,
                 const char *path,
                 const struct object *loader,
                 struct mapcore_error *err);

/* Tries the folders of one list (':' between them, and ';' in
 * LD_LIBRARY_PATH). An empty entry is the current folder. */
static int search_list(bool *is_found,
                       struct program_walk *walk,
                       const char *name,
                       const char *list,
                       const char *origin,
                       const struct object *loader,
                       struct mapcore_error *err)
{
    char path[PATH_MAX];
    int error = 0;

    while (list && *list && error == 0 && !*is_found) {
        const size_t n = strcspn(list, ":;");

        if (expand(path, list, n, origin, name))
            error = visit(is_found, walk, path, loader, err);
        list += n + (list[n] != '\0');
    }
    return error;
}

/* The order of ld.so(8): DT_RPATH of what needs it and of what that was loaded
 * by, unless it has a DT_RUNPATH; LD_LIBRARY_PATH; DT_RUNPATH; the system's
 * folders. */
static int search(struct program_walk *walk,
                  const char *name,
                  const struct object *loader,
                  struct mapcore_error *err)
{
    const char *runpath = loader->dynamic.runpath;
    const struct object *program = loader;
    char path[PATH_MAX];
    bool is_found = false;
    int error = 0;

    if (strchr(name, '/'))
        return expand(path, name, strlen(name), loader->origin, "")
                   ? visit(&is_found, walk, path, loader, err)
                   : 0;
    for (const struct object *at = loader; error == 0 && at; at = at->loader) {
        if (!runpath && !at->dynamic.runpath)
            error = search_list(&is_found, walk, name, at->dynamic.rpath,
                                at->origin, loader, err);
        program = at;
    }
    if (error == 0)
        error = search_list(&is_found, walk, name, getenv("LD_LIBRARY_PATH"),
                            program->origin, loader, err);
    if (error == 0)
        error = search_list(&is_found, walk, name, runpath, loader->origin,
                            loader, err);
    for (unsigned i = 0;
         error == 0 && walk->system && i < walk->system->dls_cnt; i++)
        error =
            search_list(&is_found, walk, name,
                        walk->system->dls_serpath[i].dls_name, "", loader, err);
    return error;
}

/* Looks at the file at path, unless the dynamic linker would pass over it, and
 * at what it needs, each name once. Errors: ENOMEM. */
static int visit(bool *is_found,
                 struct program_walk *walk,
                 const char *path,
                 const struct object *loader,
                 struct mapcore_error *err)
{
    const char *slash = strrchr(path, '/');
    struct object object = {.loader = loader};
    struct elffile file;
    int error = 0;

    if (walk->depth == DEPTH_MOST || elffile_open(&file, path, err) < 0)
        return 0;
    *is_found = file.is_native && (!loader || file.machine == walk->machine);
    if (*is_found)
        error = elffile_dynamic(&object.dynamic, &file);
    walk->machine = loader ? walk->machine : file.machine;
    elffile_close(&file);
    snprintf(object.origin, sizeof(object.origin), "%.*s",
             slash ? (int)(slash - path) : 1, slash ? path : ".");
    walk->depth++;
    for (size_t i = 0; error == 0 && walk->kind == PROGRAM_NO_MPI &&
                       walk->seen.n < NAMES_MOST && i < object.dynamic.nneeded;
         i++) {
        const char *name = object.dynamic.needed[i];
        const size_t nseen = walk->seen.n;
        uint32_t number;

        walk->kind = kind_of_abi(mpi_abi_of_library(name));
        error = name_set_add(&number, &walk->seen, name, err);
        if (error == 0 && walk->kind == PROGRAM_NO_MPI && walk->seen.n > nseen)
            error = search(walk, name, &object, err);
    }
    walk->depth--;
    elffile_dynamic_clear(&object.dynamic);
    return error;
}

int program_classify(enum program_kind *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct program_walk walk = {.kind = PROGRAM_NO_MPI};
    struct elffile file;
    enum program_kind linked;
    bool is_found, is_dynamic;
    char *real;
    int error = elffile_open(&file, path, err);

    if (error < 0)
        return error;
    is_dynamic =
        elffile_segment(&file, PT_DYNAMIC) && elffile_segment(&file, PT_INTERP);
    linked = kind_of_abi(elffile_linked_recorder(&file));
    *out = !file.is_elf                             ? PROGRAM_SCRIPT
           : !file.is_native                        ? PROGRAM_NO_MPI
           : linked != PROGRAM_NO_MPI || is_dynamic ? linked
                                                    : PROGRAM_STATIC;
    elffile_close(&file);
    if (!is_dynamic)
        return 0;
    /* $ORIGIN is the folder of the file itself, not of a link to it. */
    real = realpath(path, NULL);
    walk.system = system_folders();
    error = visit(&is_found, &walk, real ? real : path, NULL, err);
    if (error == 0 && walk.kind != PROGRAM_NO_MPI)
        *out = walk.kind;
    name_set_clear(&walk.seen);
    free(walk.system);
    free(real);
    return error;
}
