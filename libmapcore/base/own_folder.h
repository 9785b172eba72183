/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_folder.h - folders that are judged once they are open: what others rename
 * or link in the place of one meanwhile is neither read nor written */
#ifndef MAPCORE_BASE_OWN_FOLDER_H
#define MAPCORE_BASE_OWN_FOLDER_H

#include "base/buffer.h"
#include "base/file_replace.h"

#include <dirent.h>
#include <stdbool.h>
#include <sys/stat.h>

/* Whose a folder is, and the files in it that are read. */
enum own_folder_rule {
    OWN_FOLDER_NAMED, /* anybody's: what a person has named */
    OWN_FOLDER_ANY,   /* the same, to whom not all may write */
    OWN_FOLDER_LOG,   /* the same, or sticky: each file is its writer's */
    OWN_FOLDER_OWN,   /* this user's or root's, the same */
    OWN_FOLDER_ALONE  /* this user's; no other user may write to it */
};
/* Errors: ETRUST, naming path. */
int own_folder_judge(const struct stat *st,
                     const char *path,
                     enum own_folder_rule rule,
                     struct mapcore_error *err);

struct own_folder;

/* Opens a folder that a person has named: path may be a link, and those above
 * it are not looked at. *out is ended by own_folder_close. Errors: ENOENT,
 * ETRUST, EIO, ENOMEM. */
int own_folder_open(struct own_folder **out,
                    const char *path,
                    enum own_folder_rule rule,
                    struct mapcore_error *err);
/* Opens the folder of that name in it, which must be no link. Errors: as
 * above. */
int own_folder_below(struct own_folder **out,
                     const struct own_folder *above,
                     const char *name,
                     enum own_folder_rule rule,
                     struct mapcore_error *err);
/* The same, made where it is missing with the given mode, less the umask.
 * Errors: as above. */
int own_folder_make(struct own_folder **out,
                    const struct own_folder *above,
                    const char *name,
                    unsigned mode,
                    enum own_folder_rule rule,
                    struct mapcore_error *err);
/* Of ROOT/FOLDER/NAME opens FOLDER, which must be the user's alone, below any
 * ROOT; *name is where path has NAME. Errors: as above, EINVAL. */
int own_folder_open_above(struct own_folder **out,
                          const char **name,
                          const char *path,
                          struct mapcore_error *err);
/* Takes NULL; keeps errno. */
void own_folder_close(struct own_folder *folder);
/* The path by which it was opened, for messages. */
const char *own_folder_path(const struct own_folder *folder);
/* For openat(); stays the folder's. */
int own_folder_fd(const struct own_folder *folder);

/* Its names, one after the other, . and .. among them; *dir begins as NULL, and
 * is so again behind the last; who stops before closes it. NULL at the first
 * call: errno says why. */
const char *own_folder_next(DIR **dir, const struct own_folder *folder);
/* Of the file itself where it is a link. -1 and errno. */
int own_folder_stat(struct stat *out,
                    const struct own_folder *folder,
                    const char *name);
/* Opens a regular file, no link, of those whom the folder's rule believes, to
 * read it. Errors: ENOENT, ETRUST, EIO, ENOMEM. */
int own_folder_open_file(int *out,
                         struct stat *st,
                         const struct own_folder *folder,
                         const char *name,
                         struct mapcore_error *err);
/* Appends such a file of at most `most` bytes; *st (or NULL) is what was read.
 * Errors: as above, ERANGE. */
int own_folder_read(struct buffer *out,
                    struct stat *st,
                    const struct own_folder *folder,
                    const char *name,
                    size_t most,
                    struct mapcore_error *err);
/* Opens a regular file to append to, made where it is missing. One that is
 * there must be the user's, have one name, and get that mode. Errors: ETRUST,
 * EIO. */
int own_folder_append(int *fd,
                      struct stat *st,
                      const struct own_folder *folder,
                      const char *name,
                      unsigned mode,
                      struct mapcore_error *err);
/* Begins a file that replaces the one of that name (base/file_replace.h); the
 * folder stays open until its end. Errors: EIO, ENOMEM. */
int own_folder_replace(struct file_replace *out,
                       const struct own_folder *folder,
                       const char *name,
                       unsigned mode,
                       struct mapcore_error *err);
/* The same for a whole text, mode 0600. */
int own_folder_write(const struct own_folder *folder,
                     const char *name,
                     const char *text,
                     struct mapcore_error *err);
/* The file was used just now; where that cannot be noted it is not. */
void own_folder_touch(const struct own_folder *folder, const char *name);
/* Takes away a file, or an empty folder; -1 and errno. */
int own_folder_remove(const struct own_folder *folder, const char *name);
int own_folder_remove_below(const struct own_folder *folder, const char *name);
int own_folder_rename(const struct own_folder *folder,
                      const char *from,
                      const char *to);

#endif
