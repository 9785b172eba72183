/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* matrix_picture.h - the communication matrix, as numbered and as placed */
#ifndef TOOLS_DRAW_MATRIX_PICTURE_H
#define TOOLS_DRAW_MATRIX_PICTURE_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/matrix/traffic.h"
#include "tools/draw/svg/svg.h"

struct matrix_picture {
    const struct draw_subject *subject;
    const struct traffic *traffic;
    const char *type;    /* of call; NULL: not one alone */
    size_t most_strokes; /* of a matrix; beyond, cells become larger */
};
/* What fits a file of its own, and a page of several pictures below 2 MB. */
enum {
    MATRIX_STROKES = 1 << 18,
    MATRIX_STROKES_PAGE = 24000,
};

/* Writes it: one matrix by rank, then one for each mapping of the subject,
 * whose rows are in the order of its nodes and their slots. At most 512 cells a
 * side. Errors: ENOMEM. */
int matrix_picture_write(struct svg *svg,
                         const struct matrix_picture *picture,
                         struct mapcore_error *err);

#endif
