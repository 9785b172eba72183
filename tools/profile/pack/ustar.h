/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ustar.h - headers of tar archives, POSIX.1-1988 (ustar): the few that a
 * packed profile has. Our own, since that is two functions, and a library that
 * reads every archive there is would read every hostile one, too */
#ifndef TOOLS_USTAR_H
#define TOOLS_USTAR_H

#include "base/error_set.h"

enum {
    USTAR_BLOCK = 512,
    USTAR_PATH = 257, /* 155 + "/" + 100, and the NUL */
};
/* The largest size that a header can say. */
#define USTAR_SIZE_MOST (((uint64_t)1 << 33) - 1)

enum ustar_kind {
    USTAR_FILE,
    USTAR_FOLDER,
    USTAR_END, /* a block of zeros; path and size are empty */
};

struct ustar_header {
    enum ustar_kind kind;
    char path[USTAR_PATH];
    uint64_t size; /* of what follows, without the zeros to its next block */
};

/* The header of FOLDER/NAME, a regular file of mode 644 that belongs to nobody;
 * seconds since 1970. Errors: ERANGE (a size or a name too large for it). */
int ustar_format(unsigned char out[USTAR_BLOCK],
                 const char *folder,
                 const char *name,
                 uint64_t size,
                 uint64_t seconds,
                 struct mapcore_error *err);

/* What a block says; name is for messages. Also GNU's form, as far as it is the
 * same. Errors: EPARSE (no header; a wrong checksum); EINVAL (a link, a device,
 * or whatever is neither file nor folder, by its name). */
int ustar_parse(struct ustar_header *out,
                const unsigned char block[USTAR_BLOCK],
                const char *name,
                struct mapcore_error *err);

/* The bytes from the end of a file to the next header. */
size_t ustar_padding(uint64_t size);

#endif
