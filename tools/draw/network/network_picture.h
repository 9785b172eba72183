/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_picture.h - a network and what its links carry, before and after */
#ifndef TOOLS_DRAW_NETWORK_PICTURE_H
#define TOOLS_DRAW_NETWORK_PICTURE_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/svg/svg.h"

/* Writes it once for each mapping of the subject, on one scale, with the names
 * of the busiest links below where it is no page, which has a table of them.
 * Errors: ENOMEM. */
int network_picture_write(struct svg *svg,
                          const struct draw_subject *subject,
                          struct mapcore_error *err);

#endif
