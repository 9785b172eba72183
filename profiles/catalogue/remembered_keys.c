/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* remembered_keys.c - the keys under which a command line is remembered */
#include "config.h"

#include "profiles/catalogue/remembered_keys.h"

#include "profiles/program/command_file.h"
#include "profiles/program/sha256.h"

#include "launch/command/program_path.h"
#include "launch/command/wrappers.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void end_key(char *out, struct sha256 *sha)
{
    static const char digit[] = "0123456789abcdef";
    unsigned char digest[32];

    sha256_end(sha, digest);
    for (size_t i = 0; i < sizeof(digest); i++) {
        out[2 * i] = digit[digest[i] >> 4];
        out[2 * i + 1] = digit[digest[i] & 15];
    }
    out[2 * sizeof(digest)] = '\0';
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
    end_key(keys[REMEMBERED_EXACT], &exact);
    end_key(keys[REMEMBERED_LOOSE], &loose);
    buffer_clear(&text);
    free(program);
    free(script);
    return true;
}
