/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_words.c - the lines of Slurm's topology.conf and their KEY=VALUE
 * words */
#include "config.h"

#include "topo/file/slurm_words.h"

#include "base/buffer.h"

#include <string.h>
#include <strings.h>

const char *slurm_words_value(const char *word, const char *key)
{
    size_t n = strlen(key);

    return strncasecmp(word, key, n) == 0 && word[n] == '=' ? word + n + 1
                                                            : NULL;
}

int slurm_words_lines(struct text *text,
                      char *first_line,
                      int (*take)(void *arg, char *line),
                      void *arg,
                      struct mapcore_error *err)
{
    struct buffer whole = {0};
    char *line = first_line;
    int error = !line ? text_line(text, &line, err) : 0;

    while (error == 0 && line) {
        size_t n = strcspn(line, "#");
        bool goes_on = n > 0 && line[n] == '\0' && line[n - 1] == '\\';

        error = buffer_append(&whole, err, line, goes_on ? n - 1 : n);
        if (error == 0 && !goes_on) {
            error = take(arg, whole.bytes);
            whole.n = 0;
        }
        if (error == 0)
            error = text_line(text, &line, err);
    }
    if (error == 0 && whole.n > 0)
        error = take(arg, whole.bytes);
    buffer_clear(&whole);
    return error;
}
