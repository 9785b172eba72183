/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* matrix_cells.h - who talks with whom as a matrix of cells, of one task or of
 * several each */
#ifndef TOOLS_DRAW_MATRIX_CELLS_H
#define TOOLS_DRAW_MATRIX_CELLS_H

#include "tools/draw/matrix/traffic.h"
#include "tools/draw/svg/svg.h"

struct matrix_cells {
    uint32_t ntasks;
    uint32_t n;         /* cells a side */
    uint32_t per;       /* places a cell, the last one may have less */
    double *value;      /* [n * n], symmetric; on the diagonal what is exchanged
                           inside */
    size_t nfilled;     /* cells above 0 */
    double least, most; /* of those */
};

/* Adds traffic up: task t at place[t] (NULL: at t), in at most `most` cells a
 * side. Starts as all zero; ended by matrix_cells_clear. Errors: ENOMEM. */
int matrix_cells_make(struct matrix_cells *out,
                      const struct traffic *traffic,
                      const uint32_t *place,
                      uint32_t most,
                      struct mapcore_error *err);
/* The same again in half as many cells a side. */
void matrix_cells_halve(struct matrix_cells *cells);
void matrix_cells_clear(struct matrix_cells *cells);

/* Of how many strokes a drawing consists: neighbours of one colour are one. */
size_t matrix_cells_strokes(const struct matrix_cells *cells,
                            double least,
                            double most);

enum {
    MATRIX_TITLED = 4096,
    MATRIX_TITLED_PAGE = 1200, /* names may be long */
    MATRIX_LABEL = 1400,
};
/* What row and column i are called. */
typedef void matrix_label(char text[MATRIX_LABEL], const void *arg, uint32_t i);

/* How cells are drawn. */
struct matrix_style {
    double size;        /* pixels a side, of all */
    double least, most; /* of the scale */
    enum amount_unit unit;
    matrix_label *label;
    const void *arg; /* of label, borrowed */
};

/* Draws them into a square. Up to MATRIX_TITLED filled cells have a title each;
 * more are told by the script. */
void matrix_cells_draw(struct svg *svg,
                       const struct matrix_cells *cells,
                       const struct matrix_style *style);

#endif
