/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remembered.c - which program a command line led to, a file of three lines a
 * command line, and the keys that such files are called by */
#include "config.h"

#include "profiles/catalogue/remembered.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/program/command_file.h"
#include "profiles/program/sha256.h"

#include "base/buffer.h"
#include "base/text.h"
#include "launch/command/program_path.h"
#include "launch/command/wrappers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

static int write_one(const struct own_folder *folder,
                     const char *key,
                     const char *program,
                     const char *identity,
                     struct mapcore_error *err)
{
    struct file_replace output = {0};
    char name[REMEMBERED_KEY];
    int error;

    snprintf(name, sizeof(name), "%s", key);
    error = own_folder_replace(&output, folder, name, 0644, err);
    if (error == 0) {
        fprintf(output.file, FIRST_LINE "program %s\nidentity %s\n", program,
                identity);
        error = file_replace_commit(&output, err);
    }
    return error;
}

int remembered_write(const char *root,
                     const char *keys,
                     const char *program,
                     const char *identity,
                     struct mapcore_error *err)
{
    struct own_folder *folder;
    int error;

    if (!text_is_line(program) || !catalogue_is_identity(identity))
        return error_set(err, MAPCORE_EINVAL, "'%.300s' cannot be remembered",
                         program);
    error = catalogue_make_beside(&folder, root, REMEMBERED_FOLDER, 0755, err);
    if (error < 0)
        return error;
    while (error == 0 && *keys) {
        size_t n = strcspn(keys, " ");

        if (is_key(keys, n))
            error = write_one(folder, keys, program, identity, err);
        keys += n + strspn(keys + n, " ");
    }
    own_folder_close(folder);
    return error;
}

static int parse(struct remembered *out,
                 const char *path,
                 const char *text,
                 struct mapcore_error *err)
{
    if (text_after(text, FIRST_LINE)) {
        out->program = text_value(text, "program");
        out->identity = text_value(text, "identity");
    }
    if (out->program && out->identity && out->program[0] == '/' &&
        text_is_line(out->program) && catalogue_is_identity(out->identity))
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

static void add_text(struct sha256 *sha, const char *text)
{
    sha256_add(sha, text, strlen(text) + 1);
}

/* The first word that names a script, and its text: argv[0], whose file is
 * program, or a word of a wrapper; the words of another program are its own.
 * Owned; NULL: there is none. */
static char *find_script(struct buffer *text,
                         int argc,
                         const char *const *argv,
                         const char *program)
{
    for (int i = 0; i < argc; i++) {
        bool is_wrapper = wrapper_find(argv[i]) != NULL;
        char *file = is_wrapper ? NULL : realpath(i ? argv[i] : program, NULL);

        buffer_clear(text);
        if (file && command_file_read(text, file, NULL) == 0 && text->n > 2 &&
            memcmp(text->bytes, "#!", 2) == 0)
            return file;
        free(file);
        if (i == 0 && !is_wrapper)
            break;
    }
    buffer_clear(text);
    return NULL;
}

bool remembered_make_keys(char keys[REMEMBERED_KEYS][REMEMBERED_KEY],
                          int argc,
                          const char *const *argv,
                          const char *path)
{
    char here[PATH_MAX];
    struct buffer text = {0};
    struct sha256 exact, loose;
    char *program = NULL, *script;

    if (!getcwd(here, sizeof(here)))
        return false;
    if (program_path_find(&program, argv[0], path, NULL) < 0 &&
        !(program = strdup(argv[0])))
        return false;
    script = find_script(&text, argc, argv, program);
    sha256_init(&exact);
    sha256_init(&loose);
    add_text(&exact, here);
    add_text(&exact, program);
    add_text(&loose, script ? "script" : "words");
    add_text(&loose, script ? script : program);
    for (int i = 1; i < argc; i++) {
        add_text(&exact, argv[i]);
        if (!script)
            add_text(&loose, argv[i]);
    }
    if (script)
        sha256_add(&exact, text.bytes, text.n);
    sha256_end_hex(&exact, keys[REMEMBERED_EXACT]);
    sha256_end_hex(&loose, keys[REMEMBERED_LOOSE]);
    buffer_clear(&text);
    free(program);
    free(script);
    return true;
}
