/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* traffic.h - what pairs of tasks exchange, in bytes, messages or seconds */
#ifndef TOOLS_DRAW_TRAFFIC_H
#define TOOLS_DRAW_TRAFFIC_H

#include "graph/graph.h"

enum amount_unit {
    AMOUNT_BYTES,
    AMOUNT_MESSAGES,
    AMOUNT_SECONDS,
};

struct traffic_pair {
    uint32_t a, b; /* a < b */
    double value;  /* both directions together, > 0 */
};

/* Starts as all zero; ended by traffic_clear. */
struct traffic {
    struct mapcore_error *err; /* of the caller */
    uint32_t ntasks;
    enum amount_unit unit;
    size_t n, capacity;
    struct traffic_pair *pair; /* [n], a pair may stand there several times */
};

/* The bytes of a task graph. Errors: ENOMEM. */
int traffic_from_graph(struct traffic *out, const struct mapcore_graph *graph);
/* The messages that a profile has counted, those of one type of call or, where
 * type is NULL, all. Errors: EIO, EPARSE with the line, ENOENT (none of that
 * type), ENOMEM. */
int traffic_read_messages(struct traffic *out,
                          uint32_t ntasks,
                          const char *folder,
                          const char *type);
/* The seconds that tasks spent in calls of one type (NULL: all that have a
 * graph), shared out among the pairs of a type by their bytes. Errors: as
 * graphs_open_profile_types; ENOENT (no such type). */
int traffic_share_seconds(struct traffic *out,
                          const char *folder,
                          const char *type);
void traffic_clear(struct traffic *traffic);

/* The sizes of a profile's messages: count[i] of 2^(i-1) bytes or more and less
 * than twice that, count[0] of none. Errors: as traffic_read_messages. */
enum {
    TRAFFIC_SIZES = 65,
};
int traffic_read_sizes(double count[TRAFFIC_SIZES],
                       uint32_t ntasks,
                       const char *folder,
                       struct mapcore_error *err);

#endif
