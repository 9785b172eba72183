/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounded_folder.h - a folder whose newest files stay: what is kept beside a
 * user's catalogue without anybody looking after it */
#ifndef PROFILES_BOUNDED_FOLDER_H
#define PROFILES_BOUNDED_FOLDER_H

#include "base/own_folder.h"

#include <stdint.h>

/* What may stay of the regular files whose names begin so. */
struct bounded_folder {
    const char *prefix;
    uint32_t files; /* at most */
    uint64_t bytes; /* together, at most */
};
/* Removes others, those that were changed longest ago first, and what
 * base/file_replace.h has left there of such a name for ten minutes: a writer
 * lives for seconds. Looks at 4,096 files of the user's at most. Other
 * processes may do the same meanwhile; what cannot be removed stays without
 * a message: no process waits for it. */
void bounded_folder_make_room(const struct own_folder *folder,
                              const struct bounded_folder *bounds);

#endif
