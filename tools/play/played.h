/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* played.h - what topomap play found out, and its printing */
#ifndef TOOLS_PLAYED_H
#define TOOLS_PLAYED_H

#include "play/play.h"
#include "tools/common/compared.h"
#include "tools/common/quantity.h"

/* [0] is the block layout. */
struct played {
    const struct inputs *inputs;
    struct graph_types types;
    const char *routing;
    bool is_asked, is_ordered; /* for an order; and there is one of a type */
    size_t n;
    struct compared *compared; /* [n] */
    struct mapcore_play *play; /* [n * types.n], mapping by mapping */
    double *seconds;           /* [n], of all types */
    size_t use;
    enum quantity_time unit; /* of the times */
};

void played_print(const struct played *played);
/* A line a mapping and type of call, and one without a type for their sum. */
void played_print_csv(const struct played *played);
int played_print_json(const struct played *played, struct mapcore_error *err);

/* Type i under a mapping: seconds of its play, or of its bound. */
double played_seconds(const struct played *played, size_t mapping, size_t i);
double played_bound(const struct played *played, size_t mapping, size_t i);

#endif
