/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topo_words.h - the lines of our own network files */
#ifndef MAPCORE_TOPO_TOPO_WORDS_H
#define MAPCORE_TOPO_TOPO_WORDS_H

#include "base/text.h"

/* The next line that holds a word, without its comment (from # on) and the
 * blanks before it; *line NULL at the end. Errors: as text_line. */
int topo_words_line(struct text *text, char **line, struct mapcore_error *err);

#endif
