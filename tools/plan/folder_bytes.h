/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* folder_bytes.h - how much lies in a folder */
#ifndef TOOLS_FOLDER_BYTES_H
#define TOOLS_FOLDER_BYTES_H

#include <stdint.h>

/* The bytes of the regular files in a folder and those below it, no link
 * followed; counting ends above `most`, and when so many seconds are over: then
 * it is what was counted by then. What cannot be read counts 0. */
uint64_t folder_bytes(const char *path, uint64_t most, double seconds);

#endif
