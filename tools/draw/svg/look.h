/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* look.h - what all pictures look like: colours by light and by dark, and the
 * few lines of script for large matrices */
#ifndef TOOLS_DRAW_LOOK_H
#define TOOLS_DRAW_LOOK_H

#include <stdio.h>

/* Steps of the scale of colours: class c0 (least) to c15 fills, l0 to l15
 * draws lines. */
enum {
    LOOK_STEPS = 16,
};
extern const char *const look_fill[LOOK_STEPS];
extern const char *const look_stroke[LOOK_STEPS];

/* Writes the style, without its element. */
void look_write(FILE *file);
/* Writes the script, with its element: who points at a matrix whose cells are
 * too many for a title each is told what is there. All else needs none. */
void look_write_script(FILE *file);

/* The step of a value on a scale from least (> 0) to most, by logarithms. */
unsigned look_log_step(double value, double least, double most);
/* The same from 0 to most, evenly. */
unsigned look_even_step(double value, double most);

#endif
