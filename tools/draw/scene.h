/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scene.h - what a picture shows, as JSON, and the picture that the Python
 * program tools/pictures makes of it */
#ifndef TOOLS_DRAW_SCENE_H
#define TOOLS_DRAW_SCENE_H

#include "base/buffer.h"
#include "tools/draw/draw_subject.h"
#include "tools/draw/traffic.h"

struct scene {
    const char *picture; /* matrix, network, nodes, profile, search, report */
    const struct draw_subject *subject;
    const struct traffic *traffic; /* of a matrix, profile and report */
    const char *type;              /* of call; NULL: not one alone */
    char *const *command; /* the words that repeat a report, up to a NULL; or
                             NULL */
};

/* Appends the picture, SVG or, of a report, a page of HTML. Errors: ENOTSUP (no
 * python3), EPARSE (a bad line of messages), EIO, ENOMEM. */
int scene_draw(struct buffer *out,
               const struct scene *scene,
               struct mapcore_error *err);

#endif
