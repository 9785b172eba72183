/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline.h - a play step by step, and its ports, as JSON Lines */
#ifndef TOOLS_TIMELINE_H
#define TOOLS_TIMELINE_H

#include "play/play.h"
#include "tools/common/quantity.h"
#include "json/json.h"

/* Whose steps these are. mapping and type: borrowed. */
struct timeline {
    struct json_writer writer;
    const struct mapcore_alloc *alloc;
    const char *mapping, *type;
    uint32_t nphases, phase; /* of the type; 1: none are told */
    enum quantity_time unit; /* of times, as the network has them */
    double began;            /* when this one began */
    bool has_stages;         /* its flows have an order */
};

/* What mapcore_play_flows is given to write to writer, which
 * json_writer_start_lines has started. */
struct mapcore_play_watch timeline_watch(struct timeline *timeline);

#endif
