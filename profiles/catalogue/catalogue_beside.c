/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_beside.c - finding and making them */
#include "config.h"

#include "profiles/catalogue/catalogue_beside.h"

#include "profiles/catalogue/catalogue.h"

#include "base/error_set.h"

int catalogue_beside(struct own_folder **out,
                     const char *root,
                     const char *name,
                     struct mapcore_error *err)
{
    struct own_folder *above;
    int error = own_folder_open(&above, root, OWN_FOLDER_OWN, err);

    if (error < 0)
        return error;
    error = own_folder_below(out, above, name, OWN_FOLDER_OWN, err);
    own_folder_close(above);
    return error;
}

int catalogue_make_beside(struct own_folder **out,
                          const char *root,
                          const char *name,
                          unsigned mode,
                          struct mapcore_error *err)
{
    struct own_folder *above;
    int error = own_folder_open(&above, root, OWN_FOLDER_OWN, err);

    if (error == MAPCORE_ENOENT &&
        (error = catalogue_make_root(root, err)) == 0)
        error = own_folder_open(&above, root, OWN_FOLDER_OWN, err);
    if (error < 0)
        return error;
    error = own_folder_make(out, above, name, mode, OWN_FOLDER_OWN, err);
    own_folder_close(above);
    return error;
}
