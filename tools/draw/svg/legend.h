/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* legend.h - what the colours of a picture stand for */
#ifndef TOOLS_DRAW_LEGEND_H
#define TOOLS_DRAW_LEGEND_H

#include "tools/draw/svg/amount.h"
#include "tools/draw/svg/svg.h"

struct legend {
    const char *title;
    double least, most; /* of the scale; least is not used where it is even */
    bool is_log;
    enum amount_unit unit;
};

enum {
    LEGEND_HEIGHT = 256,
};
/* A column of the steps with the values at their edges, most at the top, from
 * 0 0 downwards. */
void legend_draw(struct svg *svg, const struct legend *legend);

#endif
