/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file_read.h - files opened by one rule and read whole, up to a bound */
#ifndef BASE_FILE_READ_H
#define BASE_FILE_READ_H

#include "base/buffer.h"

#include <stdbool.h>

/* Which files are taken; the kinds add up. */
enum file_kind {
    FILE_ANY = 0,     /* pipes and devices too: what a person has named */
    FILE_REGULAR = 1, /* nothing that opening or reading could wait for */
    FILE_NO_LINK = 2, /* path itself must be no symlink */
};

/* Opens path for reading, relative to folder (a descriptor, or AT_FDCWD); *fd
 * is the caller's to close. A folder is refused. Errors, naming path: EIO;
 * ETRUST (not regular, though it must be). */
int file_open_at(int *fd,
                 int folder,
                 const char *path,
                 unsigned kind,
                 struct mapcore_error *err);

/* Appends what one read() gives, 64 KiB at most; *more is false at the end of
 * the file. name is for messages. Errors: EIO, ERANGE (more than `most` bytes
 * in out), ENOMEM. */
int file_read_some(struct buffer *out,
                   bool *more,
                   int fd,
                   const char *name,
                   size_t most,
                   struct mapcore_error *err);

/* Appends all that is left in fd; a text then, if only "". Errors: as above. */
int file_read_rest(struct buffer *out,
                   int fd,
                   const char *name,
                   size_t most,
                   struct mapcore_error *err);

/* Opens, reads and closes. Errors: those of all the above. */
int file_read_all(struct buffer *out,
                  const char *path,
                  unsigned kind,
                  size_t most,
                  struct mapcore_error *err);

#endif
