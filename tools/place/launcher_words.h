/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_words.h - the launchers that --launcher may name */
#ifndef TOOLS_LAUNCHER_WORDS_H
#define TOOLS_LAUNCHER_WORDS_H

#include "tools/common/command_line.h"

extern const struct option_word launcher_words[];

#endif
