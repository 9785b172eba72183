/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plain_name.h - the grammar of names that users choose: they become folders of
 * the catalogue and words on command lines */
#ifndef MAPCORE_LAUNCH_PLAIN_NAME_H
#define MAPCORE_LAUNCH_PLAIN_NAME_H

#include <stdbool.h>
#include <stddef.h>

/* The longest name that name= takes, and the longest of a graph. */
#define PLAIN_NAME_MOST 64

/* One of A-Z a-z 0-9 . _ + -, in every locale. */
bool plain_name_has(char byte);

/* 1 to most of those bytes, and no dot in front. */
bool plain_name_check(const char *name, size_t most);

#endif
