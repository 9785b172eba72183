/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_picture.h - who sits where inside nodes, and what flows between them */
#ifndef TOOLS_DRAW_NODE_PICTURE_H
#define TOOLS_DRAW_NODE_PICTURE_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/svg/svg.h"

/* Writes the first nodes of the job, under each mapping of the subject: slots
 * in the order of the hardware tree, in frames of what that parts where --node
 * tells, and arcs for the bytes between them. Errors: ENOMEM. */
int node_picture_write(struct svg *svg,
                       const struct draw_subject *subject,
                       struct mapcore_error *err);

#endif
