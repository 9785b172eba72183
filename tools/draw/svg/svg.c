/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* svg.c - elements of SVG */
#include "config.h"

#include "tools/draw/svg/svg.h"

#include "tools/draw/svg/look.h"
#include "tools/draw/svg/xml_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

void svg_number(struct svg *svg, double number)
{
    fprintf(svg->file, "%.7g", round(number * 10) / 10);
}

static void put(struct svg *svg, const char *name, double number)
{
    fprintf(svg->file, " %s=\"", name);
    svg_number(svg, number);
    putc('"', svg->file);
}

static void put_text_element(struct svg *svg,
                             const char *element,
                             char letter,
                             const char *text)
{
    fprintf(svg->file, "<%s id=\"%c%u\">", element, letter, svg->npictures);
    xml_text_write(svg->file, text);
    fprintf(svg->file, "</%s>\n", element);
}

void svg_begin(struct svg *svg,
               double width,
               double height,
               const char *title,
               const char *description)
{
    svg->npictures++;
    svg->has_script = false;
    fprintf(svg->file,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"picture\" "
            "role=\"img\" aria-labelledby=\"t%u d%u\" viewBox=\"0 0 ",
            svg->npictures, svg->npictures);
    svg_number(svg, width);
    putc(' ', svg->file);
    svg_number(svg, height);
    putc('"', svg->file);
    put(svg, "width", width);
    put(svg, "height", height);
    fputs(">\n", svg->file);
    put_text_element(svg, "title", 't', title);
    put_text_element(svg, "desc", 'd', description);
    if (!svg->is_page) {
        fputs("<style>", svg->file);
        look_write(svg->file);
        fputs("</style>\n", svg->file);
        svg_rect(svg, 0, 0, width, height, "ground", NULL);
    }
}

void svg_end(struct svg *svg)
{
    if (svg->has_script && !svg->is_page)
        look_write_script(svg->file);
    fputs("</svg>\n", svg->file);
}

void svg_group_begin(struct svg *svg, double x, double y)
{
    fputs("<g transform=\"translate(", svg->file);
    svg_number(svg, x);
    putc(' ', svg->file);
    svg_number(svg, y);
    fputs(")\">\n", svg->file);
}

void svg_group_end(struct svg *svg)
{
    fputs("</g>\n", svg->file);
}

static void end_shape(struct svg *svg,
                      const char *element,
                      const char *look,
                      const char *tip)
{
    fprintf(svg->file, " class=\"%s\"", look);
    if (!tip) {
        fputs("/>\n", svg->file);
        return;
    }
    fputs("><title>", svg->file);
    xml_text_write(svg->file, tip);
    fprintf(svg->file, "</title></%s>\n", element);
}

void svg_rect(struct svg *svg,
              double x,
              double y,
              double width,
              double height,
              const char *look,
              const char *tip)
{
    fputs("<rect", svg->file);
    put(svg, "x", x);
    put(svg, "y", y);
    put(svg, "width", width);
    put(svg, "height", height);
    end_shape(svg, "rect", look, tip);
}

void svg_circle(struct svg *svg,
                double x,
                double y,
                double radius,
                const char *look,
                const char *tip)
{
    fputs("<circle", svg->file);
    put(svg, "cx", x);
    put(svg, "cy", y);
    put(svg, "r", radius);
    end_shape(svg, "circle", look, tip);
}

void svg_line(struct svg *svg,
              const double from[2],
              const double to[2],
              double width,
              const char *look,
              const char *tip)
{
    fputs("<path d=\"M", svg->file);
    svg_number(svg, from[0]);
    putc(' ', svg->file);
    svg_number(svg, from[1]);
    putc('L', svg->file);
    svg_number(svg, to[0]);
    putc(' ', svg->file);
    svg_number(svg, to[1]);
    putc('"', svg->file);
    put(svg, "stroke-width", width);
    end_shape(svg, "path", look, tip);
}

void svg_curve(struct svg *svg,
               const double from[2],
               const double to[2],
               double rise,
               double width,
               const char *look,
               const char *tip)
{
    const double number[] = {
        from[0], from[1], (from[0] + to[0]) / 2, (from[1] + to[1]) / 2 - rise,
        to[0],   to[1]};

    fputs("<path d=\"", svg->file);
    for (size_t i = 0; i < sizeof(number) / sizeof(*number); i++) {
        putc("M Q   "[i], svg -> file);
        svg_number(svg, number[i]);
    }
    putc('"', svg->file);
    put(svg, "stroke-width", width);
    end_shape(svg, "path", look, tip);
}

void svg_text(struct svg *svg,
              double x,
              double y,
              const char *look,
              const char *format,
              ...)
{
    char *text = NULL;
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (n < 0)
        return;
    fputs("<text", svg->file);
    put(svg, "x", x);
    put(svg, "y", y);
    fprintf(svg->file, " class=\"%s\">", look);
    xml_text_write(svg->file, text);
    fputs("</text>\n", svg->file);
    free(text);
}
