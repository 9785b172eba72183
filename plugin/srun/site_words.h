/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_words.h - plugstack.conf's arguments that stand in the site file: read
 * by `topomap`, since nothing here reads JSON */
#ifndef PLUGIN_SITE_WORDS_H
#define PLUGIN_SITE_WORDS_H

#include "plugin/options.h"

/* Asks for what plugstack does not say, if there is a site file that may say
 * any of it; only_default: if it may say a default, without which nobody needs
 * the others. Texts last as long as srun. Without an answer in so many seconds
 * all stays as it is. Returns why the file is not read, owned, or NULL. */
char *site_words_ask(struct plugstack *plugstack,
                     bool only_default,
                     double seconds);

#endif
