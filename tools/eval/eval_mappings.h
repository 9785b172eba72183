/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_mappings.h - a mapping by its word, and what it comes to */
#ifndef TOOLS_EVAL_MAPPINGS_H
#define TOOLS_EVAL_MAPPINGS_H

#include "metric/metric.h"
#include "tools/inputs/inputs.h"

struct eval_mapping {
    const char *title; /* as typed, or a file's last part; borrowed */
    struct mapcore_mapping *mapping;
    struct mapcore_places at; /* where its tasks are */
    struct mapcore_metrics metrics;
    struct mapcore_inside inside; /* only with a node */
    double *load;                 /* [nlinks], bytes; owned */
};

/* Opens the mapping that a word means and measures it: a mapper, as --mapper of
 * topomap map takes it, run once with seed 1; or a file, for certain when there
 * is a slash in it. After a failure eval_mapping_clear is due all the same.
 * Errors: those of the readers and searches, ENOMEM. */
int eval_mapping_open(struct eval_mapping *out,
                      const char *word,
                      const struct inputs *inputs,
                      struct mapcore_error *err);
/* A file of any form of mapcore-graph(5); *out is owned. Errors: those of the
 * readers; EINVAL (another number of tasks than the graph has). */
int eval_mapping_read(struct mapcore_mapping **out,
                      const char *path,
                      const struct inputs *inputs,
                      struct mapcore_error *err);
/* The same of a mapping that is there, which out owns from now on, in case
 * of an error, too; title is borrowed. */
int eval_mapping_take(struct eval_mapping *out,
                      const char *title,
                      struct mapcore_mapping *mapping,
                      const struct inputs *inputs,
                      enum mapcore_routes routes,
                      struct mapcore_error *err);
void eval_mapping_clear(struct eval_mapping *mapping);

#endif
