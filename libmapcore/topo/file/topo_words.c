/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topo_words.c - the lines of our own network files */
#include "config.h"

#include "topo/file/topo_words.h"

#include <string.h>

int topo_words_line(struct text *text, char **line, struct mapcore_error *err)
{
    int error;

    do {
        error = text_line(text, line, err);
        if (error < 0 || !*line)
            return error;
        (*line)[strcspn(*line, "#")] = '\0';
        *line += strspn(*line, " \t\r\v\f");
    } while (**line == '\0');
    return 0;
}
