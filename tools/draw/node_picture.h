/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_picture.h - who sits where inside nodes, and what flows between them */
#ifndef TOOLS_DRAW_NODE_PICTURE_H
#define TOOLS_DRAW_NODE_PICTURE_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/svg/svg.h"

/* Nodes that are drawn when nobody says how many. */
enum {
    NODE_PICTURE_NODES = 6,
};

/* Writes the first nodes of the job, as many as the subject says, under each
 * mapping of the subject: slots in the order of the hardware tree, in frames of
 * what that parts, by hwloc's names, where --node tells, and arcs for the bytes
 * between them. Errors: ENOMEM. */
int node_picture_write(struct svg *svg,
                       const struct draw_subject *subject,
                       struct mapcore_error *err);

#endif
