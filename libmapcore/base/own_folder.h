/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_folder.h - a folder that is this user's alone */
#ifndef MAPCORE_BASE_OWN_FOLDER_H
#define MAPCORE_BASE_OWN_FOLDER_H

#include "base/error.h"

/* Makes it where it is missing (the one above it is there), and makes sure that
 * it is a folder, no symlink, of this user, to which no other may write: for
 * what is later taken as this user's. Errors: EIO. */
int own_folder_make(const char *path, struct mapcore_error *err);

#endif
