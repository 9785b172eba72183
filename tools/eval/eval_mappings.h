/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_mappings.h - the mappings that topomap eval is to compare, by their
 * words, and what each comes to */
#ifndef TOOLS_EVAL_MAPPINGS_H
#define TOOLS_EVAL_MAPPINGS_H

#include "metric/metric.h"
#include "tools/common/inputs.h"

struct eval_mapping {
    const char *title; /* as typed, or a file's last part; borrowed */
    struct mapcore_mapping *mapping;
    struct mapcore_metrics metrics;
    struct mapcore_inside inside; /* only with a node */
    double *load;                 /* [nlinks], bytes; owned */
};

/* Opens the mapping that a word means (tools/common/mapping_word.h) and
 * measures it. After a failure eval_mapping_clear is due all the same. Errors:
 * as mapping_word_open, ENOMEM. */
int eval_mapping_open(struct eval_mapping *out,
                      const char *word,
                      const struct inputs *inputs,
                      enum mapcore_routes routes,
                      struct mapcore_error *err);
/* The same of a mapping that is there, which out owns from now on, whatever is
 * returned; title is borrowed. */
int eval_mapping_take(struct eval_mapping *out,
                      const char *title,
                      struct mapcore_mapping *mapping,
                      const struct inputs *inputs,
                      enum mapcore_routes routes,
                      struct mapcore_error *err);
void eval_mapping_clear(struct eval_mapping *mapping);

#endif
