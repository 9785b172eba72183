/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_words.h - plugstack.conf's arguments that stand in the site file: read
 * by `topomap`, since nothing here reads JSON */
#ifndef PLUGIN_SITE_WORDS_H
#define PLUGIN_SITE_WORDS_H

#include "plugin/options.h"

/* Starts as all zero; lives as long as a plugstack that took it. */
struct site_words {
    char *by_default, *mpi; /* owned; NULL: not said */
    char *wrong;            /* why the file is not read; owned, or NULL */
    double seconds;         /* 0: not said */
    double auto_most;       /* of time=auto; 0: not said */
};

/* Asks for them, if there is a site file that may say any; only_default: if it
 * may say a default, without which nobody needs the others. Without an answer
 * in so many seconds all stay not said, and wrong, too. */
void site_words_ask(struct site_words *out,
                    const struct plugstack *plugstack,
                    _Bool only_default,
                    double seconds);

/* What plugstack.conf itself says counts. */
void site_words_take(struct plugstack *plugstack,
                     const struct site_words *words);
void site_words_clear(struct site_words *words);

#endif
