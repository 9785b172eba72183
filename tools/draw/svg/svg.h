/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* svg.h - pictures written element by element: text is escaped here, and what
 * they look like is said by classes (tools/draw/svg/look.h) */
#ifndef TOOLS_DRAW_SVG_H
#define TOOLS_DRAW_SVG_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct svg {
    FILE *file;      /* borrowed; its errors are told when it is closed */
    bool is_page;    /* pictures stand in a page of HTML, which has the look */
    bool has_script; /* of the picture at hand: something wants to be pointed
                        at */
    unsigned npictures;
};

/* What a picture shows, for those who see it and for those who have it read to
 * them. Lengths are pixels. */
void svg_begin(struct svg *svg,
               double width,
               double height,
               const char *title,
               const char *description);
void svg_end(struct svg *svg);

/* Until svg_group_end all stands that far to the right and down. */
void svg_group_begin(struct svg *svg, double x, double y);
void svg_group_end(struct svg *svg);

/* Classes are words of look.h, never of others; a tip, which may be NULL, is
 * text that is shown to who points there. */
void svg_rect(struct svg *svg,
              double x,
              double y,
              double width,
              double height,
              const char *look,
              const char *tip);
void svg_circle(struct svg *svg,
                double x,
                double y,
                double radius,
                const char *look,
                const char *tip);
void svg_line(struct svg *svg,
              const double from[2],
              const double to[2],
              double width,
              const char *look,
              const char *tip);
/* A bow that rises so high above the straight line (upwards, twice as high as
 * it goes itself). */
void svg_curve(struct svg *svg,
               const double from[2],
               const double to[2],
               double rise,
               double width,
               const char *look,
               const char *tip);
void svg_text(struct svg *svg,
              double x,
              double y,
              const char *look,
              const char *format,
              ...) __attribute__((format(printf, 5, 6)));
/* A number with at most a decimal, as coordinates are written. */
void svg_number(struct svg *svg, double number);

#endif
