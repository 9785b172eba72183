/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* legend.c - the scale of colours, with its numbers */
#include "config.h"

#include "tools/draw/svg/legend.h"

#include "tools/draw/svg/look.h"

#include <math.h>

enum {
    WIDTH = 16,
    MARKS = 4, /* numbers besides the least */
};

void legend_draw(struct svg *svg, const struct legend *legend)
{
    const double step = (double)LEGEND_HEIGHT / LOOK_STEPS;
    char text[AMOUNT_TEXT];

    svg_text(svg, 0, -9, "sub", "%s", legend->title);
    if (legend->most <= 0 ||
        (legend->is_log && legend->most <= legend->least)) {
        svg_rect(svg, 0, 0, WIDTH, step,
                 legend->most > 0 ? look_fill[LOOK_STEPS - 1] : "free", NULL);
        svg_text(svg, WIDTH + 8, step - 3, "tick", "%s",
                 amount_text(text, legend->most, legend->unit));
        return;
    }
    for (int i = 0; i < LOOK_STEPS; i++)
        svg_rect(svg, 0, LEGEND_HEIGHT - (i + 1) * step, WIDTH, step + 0.2,
                 look_fill[i], NULL);
    for (int i = 0; i <= MARKS; i++) {
        const double share = (double)i / MARKS;
        const double y = LEGEND_HEIGHT * (1 - share);
        const double value =
            legend->is_log
                ? legend->least * pow(legend->most / legend->least, share)
                : legend->most * share;

        svg_line(svg, (const double[]){WIDTH, y},
                 (const double[]){WIDTH + 4, y}, 1, "axis", NULL);
        svg_text(svg, WIDTH + 8, y + 4, "tick", "%s",
                 amount_text(text, value, legend->unit));
    }
    svg_text(svg, 0, LEGEND_HEIGHT + 20, "small", "%s",
             legend->is_log ? "by logarithms" : "");
}
