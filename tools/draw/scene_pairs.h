/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scene_pairs.h - the pairs of tasks that a report names */
#ifndef TOOLS_DRAW_SCENE_PAIRS_H
#define TOOLS_DRAW_SCENE_PAIRS_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/traffic.h"
#include "json/json.h"

/* Puts the array pairs: two tasks, their bytes, and of each mapping both nodes
 * and their distance; and, with a network, slowest: of each mapping the link
 * that takes longest, npairs, and the pairs whose bytes it carries. Work: the
 * route of each pair, by mapping. Errors: ENOMEM. */
int scene_put_pairs(struct json_writer *writer,
                    const struct draw_subject *subject,
                    const struct traffic *traffic);

#endif
