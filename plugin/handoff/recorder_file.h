/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* recorder_file.h - whether a file can be preloaded, and a program be preloaded
 * into */
#ifndef PLUGIN_RECORDER_FILE_H
#define PLUGIN_RECORDER_FILE_H

#include "base/error.h"

/* Whether the dynamic linker can name path in LD_PRELOAD, which it divides at
 * colons and blanks. Looks at no file. Errors: EINVAL. */
int recorder_file_check_path(const char *path, struct mapcore_error *err);

/* Whether path is a shared object for this machine, whole as far as its program
 * headers say: a regular file, ELF of the class, byte order and machine of the
 * process that asks, of type ET_DYN and no program (which names its
 * interpreter). Never waits for a pipe or device. Errors: as above, EINVAL, EIO
 * (cannot be read). */
int recorder_file_check(const char *path, struct mapcore_error *err);

/* Whether the dynamic linker heeds LD_PRELOAD for program: not when it runs as
 * another user or group than the caller, or with capabilities of its own
 * (ld.so(8), secure-execution mode). A file that cannot be looked at passes.
 * Errors: ENOTSUP. */
int recorder_file_check_program(const char *program, struct mapcore_error *err);

#endif
