/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remembered.c - which program a command line led to, a file of three lines a
 * command line */
#include "config.h"

#include "profiles/catalogue/remembered.h"

#include "profiles/catalogue/catalogue_beside.h"
#include "profiles/catalogue/catalogue_names.h"

#include "base/array.h"
#include "base/buffer.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_LINE "topomap-command 1\n"
#define FILE_MOST  16384

static bool is_key(const char *key, size_t n)
{
    return n == REMEMBERED_KEY - 1 &&
           strspn(key, "0123456789abcdef") >= REMEMBERED_KEY - 1;
}

void remembered_clear(struct remembered *what)
{
    free(what->program);
    free(what->identity);
    *what = (struct remembered){.program = NULL};
}

static bool has_control(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return true;
    return false;
}

static int write_one(const struct own_folder *folder,
                     const char *key,
                     const struct remembered *what,
                     struct mapcore_error *err)
{
    struct file_replace output = {0};
    char name[REMEMBERED_KEY];
    int error;

    snprintf(name, sizeof(name), "%s", key);
    error = own_folder_replace(&output, folder, name, 0644, err);
    if (error == 0) {
        fprintf(output.file, FIRST_LINE "program %s\nidentity %s\n",
                what->program, what->identity);
        error = file_replace_commit(&output, err);
    }
    return error;
}

int remembered_write(const char *root,
                     const char *keys,
                     const struct remembered *what,
                     struct mapcore_error *err)
{
    struct own_folder *folder;
    int error;

    if (has_control(what->program) || !catalogue_is_identity(what->identity))
        return error_set(err, MAPCORE_EINVAL, "'%.300s' cannot be remembered",
                         what->program);
    error = catalogue_make_beside(&folder, root, REMEMBERED_FOLDER, 0755, err);
    if (error < 0)
        return error;
    while (error == 0 && *keys) {
        size_t n = strcspn(keys, " ");

        if (is_key(keys, n))
            error = write_one(folder, keys, what, err);
        keys += n + strspn(keys + n, " ");
    }
    own_folder_close(folder);
    return error;
}

/* The value of line `name VALUE` at *text, which moves behind it. */
static char *take_line(char **text, const char *name)
{
    size_t n = strlen(name), length = strcspn(*text, "\n");
    char *value = NULL;

    if (strncmp(*text, name, n) == 0 && (*text)[n] == ' ' && length > n + 1)
        value = strndup(*text + n + 1, length - n - 1);
    *text += length + ((*text)[length] == '\n');
    return value;
}

static int parse(struct remembered *out,
                 const char *path,
                 char *text,
                 struct mapcore_error *err)
{
    if (strncmp(text, FIRST_LINE, strlen(FIRST_LINE)) == 0) {
        text += strlen(FIRST_LINE);
        out->program = take_line(&text, "program");
        out->identity = take_line(&text, "identity");
    }
    if (out->program && out->identity && out->program[0] == '/' &&
        !has_control(out->program) && catalogue_is_identity(out->identity))
        return 0;
    remembered_clear(out);
    return error_set(err, MAPCORE_EPARSE, "%.400s remembers no program", path);
}

int remembered_read(struct remembered *out,
                    const char *root,
                    const char *key,
                    struct mapcore_error *err)
{
    struct own_folder *folder = NULL;
    struct buffer text = {0};
    int error = 0;

    *out = (struct remembered){.program = NULL};
    if (!is_key(key, strlen(key)))
        error = error_set(err, MAPCORE_ENOENT, "no such command");
    if (error == 0)
        error = catalogue_beside(&folder, root, REMEMBERED_FOLDER, err);
    if (error == 0)
        error = own_folder_read(&text, NULL, folder, key, FILE_MOST, err);
    if (error == 0)
        error = parse(out, key, text.bytes, err);
    buffer_clear(&text);
    own_folder_close(folder);
    return error;
}
