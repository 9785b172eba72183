/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounded_folder.h - a folder whose newest files stay: what is kept beside a
 * user's catalogue without anybody looking after it */
#ifndef PROFILES_BOUNDED_FOLDER_H
#define PROFILES_BOUNDED_FOLDER_H

#include <stdint.h>

/* What may stay of the regular files whose names begin with prefix. */
struct bounded_folder {
    const char *path;
    const char *prefix; /* "": all; names that begin with a dot never count */
    uint32_t files;     /* at most so many */
    uint64_t bytes;     /* and so many together */
};

/* Removes others, those that were changed longest ago first, and what
 * base/file_replace.h has left there under a name of its own for ten minutes:
 * who writes lives for seconds. Looks at 4,096 files at most. Other processes
 * may do the same meanwhile; what cannot be removed stays, and nothing is said:
 * nobody waits for it. */
void bounded_folder_make_room(const struct bounded_folder *folder);

#endif
