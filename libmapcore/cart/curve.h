/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* curve.h - the cells of a box of any dimension, in the order of a curve */
#ifndef MAPCORE_CART_CURVE_H
#define MAPCORE_CART_CURVE_H

#include "base/error.h"

#define CURVE_DIMS 32

enum curve_kind {
    CURVE_PLANAR,  /* line by line, plane by plane; the first dimension is
                      fastest, and every line begins at 0 */
    CURVE_HILBERT, /* see curve.c */
    CURVE_SNAKE,   /* as planar, but every other line, plane, ... backwards */
};

/* Fills cell[product of dims] with the cells 0 .. product - 1 of the box
 * dims[ndims], each >= 1 and ndims at most CURVE_DIMS, numbered with the first
 * dimension fastest. Two cells in a row are neighbours in the box, on hilbert
 * and snake always. The product must fit 32 bits. O(cells x ndims). */
void curve_cells(uint32_t *cell,
                 uint32_t ndims,
                 const uint32_t *dims,
                 enum curve_kind kind);

#endif
