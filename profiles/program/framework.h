/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* framework.h - launchers of training frameworks, of which a step starts one
 * task a node: torchrun and its kin start the workers, and number the nodes
 * themselves */
#ifndef PROFILES_FRAMEWORK_H
#define PROFILES_FRAMEWORK_H

#include "base/error.h"

#include <stdbool.h>

enum framework_order {
    FRAMEWORK_GIVEN,   /* by a node rank that the command line gives it, or by
                          Slurm's variables */
    FRAMEWORK_BY_NAME, /* by the sorted names of the nodes (c10d), or in the
                          order in which they arrive (etcd) */
    FRAMEWORK_OWN,     /* the framework puts workers where it likes */
};

struct framework {
    const char *name; /* "torchrun", static; NULL: none was found */
    enum framework_order order;
    const char *instead; /* what to type for an order that is given, static;
                            NULL: nothing helps */
};

/* Looks for such a launcher in a command as typed: behind wrappers, in the text
 * of bash -c, and in scripts, which are read and not run. path: the value of
 * PATH; backend: of PET_RDZV_BACKEND, torchrun's default, or NULL. Errors:
 * ENOMEM. */
int framework_find(struct framework *out,
                   int argc,
                   const char *const *argv,
                   const char *path,
                   const char *backend,
                   struct mapcore_error *err);

#endif
