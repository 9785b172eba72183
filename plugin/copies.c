/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* copies.c - one copy of topomap acts in a process of Slurm's: what a package
 * and a prefix load, or two lines that name one file */
#include "config.h"

#include "plugin/copies.h"

#include "plugin/options.h"

#include <dlfcn.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define OBJECTS_MOST 256

struct objects {
    char *path[OBJECTS_MOST];
    size_t n;
};

static int note_object(struct dl_phdr_info *info, size_t size, void *data)
{
    struct objects *objects = data;

    (void)size;
    if (info->dlpi_name && info->dlpi_name[0] == '/' &&
        objects->n < OBJECTS_MOST &&
        (objects->path[objects->n] = strdup(info->dlpi_name)))
        objects->n++;
    return 0;
}

bool copies_find(bool (*judge)(void *object, const char *path))
{
    struct objects objects = {.n = 0};
    bool found = false;

    dl_iterate_phdr(note_object, &objects);
    for (size_t i = 0; i < objects.n; i++) {
        void *object =
            found ? NULL : dlopen(objects.path[i], RTLD_LAZY | RTLD_NOLOAD);

        if (object) {
            found = judge(object, objects.path[i]);
            dlclose(object);
        }
        free(objects.path[i]);
    }
    return found;
}

/* Copies that were found: the first of each kind by its plugin_name, and the
 * file of a second topomap.so. */
static const char *topomap_first, *topomap_first_stub;
static char topomap_other[512];
/* How many lines name this file, and how often each hook was called. */
static unsigned topomap_lines, topomap_calls[COPIES_HOOKS];
static bool topomap_aside;

static bool note_copy(void *object, const char *path)
{
    const char *name = dlsym(object, "plugin_name");
    const char *type = dlsym(object, "plugin_type");

    if (!name || !type || strcmp(name, "topomap") != 0 ||
        strcmp(type, "spank") != 0)
        return false;
    if (dlsym(object, "topomap_is_stub"))
        topomap_first_stub = topomap_first_stub ? topomap_first_stub : name;
    else if (!topomap_first)
        topomap_first = name;
    else
        snprintf(topomap_other, sizeof(topomap_other), "%s", path);
    return false;
}

void copies_register(spank_t spank,
                     const char *own,
                     char *usage,
                     spank_opt_cb_f take)
{
    static char name[] = "topomap", argument_form[] = OPTIONS_ARGUMENT;
    struct spank_option option = {
        .name = name,
        .arginfo = argument_form,
        .usage = usage,
        .has_arg = 1,
        .cb = take,
    };
    const spank_context_t context = spank_context();

    if (topomap_lines++ > 0)
        return;
    copies_find(note_copy);
    topomap_aside = own != (topomap_first ? topomap_first : topomap_first_stub);
    if (!topomap_aside &&
        (context == S_CTX_LOCAL || context == S_CTX_ALLOCATOR ||
         context == S_CTX_REMOTE))
        spank_option_register(spank, &option);
}

bool copies_acts(enum copies_hook hook)
{
    return !topomap_aside && topomap_lines > 0 &&
           topomap_calls[hook]++ % topomap_lines == 0;
}

const char *copies_other(void)
{
    return topomap_other;
}
