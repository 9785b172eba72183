/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_beside.c - finding and making them */
#include "config.h"

#include "profiles/catalogue/catalogue_beside.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_names.h"
#include "profiles/catalogue/catalogue_trust.h"

#include <stdlib.h>
#include <sys/stat.h>

int catalogue_beside(char **out,
                     const char *root,
                     const char *name,
                     struct mapcore_error *err)
{
    char *folder = catalogue_join(root, name, err);
    int error = folder ? 0 : MAPCORE_ENOMEM;

    if (error == 0)
        error = catalogue_check_folder(root, true, true, err);
    if (error == 0)
        error = catalogue_check_folder(folder, false, true, err);
    if (error == 0)
        *out = folder;
    else
        free(folder);
    return error;
}

int catalogue_make_beside(char **out,
                          const char *root,
                          const char *name,
                          struct mapcore_error *err)
{
    char *folder;
    int error = catalogue_make_root(root, err);

    if (error < 0)
        return error;
    folder = catalogue_join(root, name, err);
    if (!folder)
        return MAPCORE_ENOMEM;
    /* What else may be wrong with it is seen when it is opened. */
    (void)mkdir(folder, 0700);
    free(folder);
    return catalogue_beside(out, root, name, err);
}
