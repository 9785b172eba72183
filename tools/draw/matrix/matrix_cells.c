/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* matrix_cells.c - adds pairs up into cells, and draws them in few bytes */
#include "config.h"

#include "tools/draw/matrix/matrix_cells.h"

#include "base/array.h"
#include "tools/draw/svg/look.h"
#include "tools/draw/svg/xml_text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double at(const struct matrix_cells *cells,
                 uint32_t row,
                 uint32_t column)
{
    return cells->value[(size_t)row * cells->n + column];
}

static void measure(struct matrix_cells *cells)
{
    cells->nfilled = 0;
    cells->least = INFINITY;
    cells->most = 0;
    for (size_t i = 0; i < (size_t)cells->n * cells->n; i++) {
        const double value = cells->value[i];

        if (value <= 0)
            continue;
        cells->nfilled++;
        cells->least = value < cells->least ? value : cells->least;
        cells->most = value > cells->most ? value : cells->most;
    }
}

int matrix_cells_make(struct matrix_cells *out,
                      const struct traffic *traffic,
                      const uint32_t *place,
                      uint32_t most,
                      struct mapcore_error *err)
{
    const uint32_t ntasks = traffic->ntasks;
    const uint32_t per = (ntasks + most - 1) / most;

    *out = (struct matrix_cells){
        .ntasks = ntasks, .n = (ntasks + per - 1) / per, .per = per};
    out->value = array_alloc((size_t)out->n * out->n, sizeof(double), err);
    if (!out->value)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < traffic->n; i++) {
        const struct traffic_pair *pair = &traffic->pair[i];
        const uint32_t a = (place ? place[pair->a] : pair->a) / per;
        const uint32_t b = (place ? place[pair->b] : pair->b) / per;

        out->value[(size_t)a * out->n + b] += pair->value;
        if (a != b)
            out->value[(size_t)b * out->n + a] += pair->value;
    }
    measure(out);
    return 0;
}

void matrix_cells_halve(struct matrix_cells *cells)
{
    const uint32_t n = cells->n, half = (n + 1) / 2;
    double *value = cells->value;

    /* A cell off the diagonal that comes onto it stands there on both sides. */
    for (uint32_t row = 0; row < half; row++) {
        for (uint32_t column = 0; column < half; column++) {
            double sum = 0;

            for (uint32_t i = 2 * row; i < 2 * row + 2 && i < n; i++)
                for (uint32_t j = 2 * column; j < 2 * column + 2 && j < n; j++)
                    if (row != column || i <= j)
                        sum += value[(size_t)i * n + j];
            /* Read by nobody any more: it is no further than what is. */
            value[(size_t)row * half + column] = sum;
        }
    }
    cells->n = half;
    cells->per *= 2;
    measure(cells);
}

void matrix_cells_clear(struct matrix_cells *cells)
{
    free(cells->value);
    *cells = (struct matrix_cells){0};
}

/* The step of a cell, LOOK_STEPS for an empty one. */
static unsigned step_of(double value, double least, double most)
{
    return value > 0 ? look_log_step(value, least, most) : LOOK_STEPS;
}

size_t matrix_cells_strokes(const struct matrix_cells *cells,
                            double least,
                            double most)
{
    size_t strokes = 0;

    for (uint32_t row = 0; row < cells->n; row++) {
        unsigned before = LOOK_STEPS;

        for (uint32_t column = 0; column < cells->n; column++) {
            unsigned step = step_of(at(cells, row, column), least, most);

            strokes += step != before && step != LOOK_STEPS;
            before = step;
        }
    }
    return strokes;
}

/* A cell each, with its title. */
static void draw_titled(struct svg *svg,
                        const struct matrix_cells *cells,
                        const struct matrix_style *style)
{
    const double side = style->size / cells->n;
    char row_label[MATRIX_LABEL], column_label[MATRIX_LABEL];
    char tip[2 * MATRIX_LABEL + 3 * AMOUNT_TEXT], amount[AMOUNT_TEXT];

    for (uint32_t row = 0; row < cells->n; row++) {
        style->label(row_label, style->arg, row);
        for (uint32_t column = 0; column < cells->n; column++) {
            const double value = at(cells, row, column);
            int n;

            if (value <= 0)
                continue;
            style->label(column_label, style->arg, column);
            amount_text(amount, value, style->unit);
            n = row == column ? snprintf(tip, sizeof(tip), "%s, inside: %s",
                                         row_label, amount)
                              : snprintf(tip, sizeof(tip), "%s with %s: %s",
                                         row_label, column_label, amount);
            if (style->unit == AMOUNT_BYTES && value >= 1000)
                snprintf(tip + n, sizeof(tip) - (size_t)n, " (%.0f bytes)",
                         value);
            svg_rect(svg, column * side, row * side, side, side,
                     look_fill[look_log_step(value, style->least, style->most)],
                     tip);
        }
    }
}

/* All cells of one colour as one path of strokes, which begin where the one
 * before ended. */
static void draw_step(struct svg *svg,
                      const struct matrix_cells *cells,
                      double least,
                      double most,
                      unsigned step)
{
    uint32_t x = 0, y = 0;
    bool begun = false;

    for (uint32_t row = 0; row < cells->n; row++) {
        for (uint32_t column = 0, end; column < cells->n; column = end) {
            end = column + 1;
            if (step_of(at(cells, row, column), least, most) != step)
                continue;
            while (end < cells->n &&
                   step_of(at(cells, row, end), least, most) == step)
                end++;
            if (!begun)
                fprintf(svg->file, "<path class=\"%s\" d=\"M0 .5",
                        look_stroke[step]);
            begun = true;
            fprintf(svg->file, "m%d %dh%" PRIu32, (int)column - (int)x,
                    (int)row - (int)y, end - column);
            x = end;
            y = row;
        }
    }
    if (begun)
        fputs("\"/>\n", svg->file);
}

static void put_base36(FILE *file, uint64_t number)
{
    char digits[16];
    size_t at = sizeof(digits);

    do
        digits[--at] = "0123456789abcdefghijklmnopqrstuvwxyz"[number % 36];
    while ((number /= 36) > 0);
    fwrite(digits + at, 1, sizeof(digits) - at, file);
}

/* What the script of look.c reads. */
static void put_data(struct svg *svg,
                     const struct matrix_cells *cells,
                     const struct matrix_style *style)
{
    const double factor = style->unit == AMOUNT_SECONDS ? 1e9 : 1;
    char text[MATRIX_LABEL];

    fputs(" data-cells=\"", svg->file);
    for (uint32_t row = 0; row < cells->n; row++) {
        int64_t before = -1;

        for (uint32_t column = row; column < cells->n; column++) {
            const double value = at(cells, row, column) * factor;

            if (value <= 0)
                continue;
            if (before >= 0)
                putc(',', svg->file);
            put_base36(svg->file, (uint64_t)(column - before));
            putc(' ', svg->file);
            put_base36(svg->file, value < 1 ? 1 : (uint64_t)(value + 0.5));
            before = column;
        }
        putc(';', svg->file);
    }
    fputs("\" data-labels=\"", svg->file);
    for (uint32_t i = 0; i < cells->n; i++) {
        style->label(text, style->arg, i);
        for (char *c = text; *c != '\0'; c++)
            *c = *c == '|' ? '?' : *c;
        if (i > 0)
            putc('|', svg->file);
        xml_text_write(svg->file, text);
    }
    putc('"', svg->file);
}

/* In units of a cell, scaled; what is pointed at is told below. */
static void draw_many(struct svg *svg,
                      const struct matrix_cells *cells,
                      const struct matrix_style *style)
{
    fprintf(svg->file,
            "<g class=\"cells\" data-n=\"%" PRIu32 "\" data-unit=\"%s\"",
            cells->n,
            style->unit == AMOUNT_BYTES     ? "B"
            : style->unit == AMOUNT_SECONDS ? "s"
                                            : "");
    put_data(svg, cells, style);
    fprintf(svg->file, ">\n<g transform=\"scale(%.6g)\">\n",
            style->size / cells->n);
    for (unsigned step = 0; step < LOOK_STEPS; step++)
        draw_step(svg, cells, style->least, style->most, step);
    fprintf(svg->file,
            "<rect class=\"mark\" x=\"-9\" y=\"-9\" width=\"1\" height=\"1\" "
            "vector-effect=\"non-scaling-stroke\" visibility=\"hidden\"/>\n"
            "<rect class=\"hit\" width=\"%" PRIu32 "\" height=\"%" PRIu32 "\" "
            "tabindex=\"0\" vector-effect=\"non-scaling-stroke\"/>\n</g>\n",
            cells->n, cells->n);
    fprintf(svg->file,
            "<text class=\"told sub\" x=\"0\" y=\"%.6g\" "
            "aria-live=\"polite\"></text>\n</g>\n",
            style->size + 58);
    svg->has_script = true;
}

void matrix_cells_draw(struct svg *svg,
                       const struct matrix_cells *cells,
                       const struct matrix_style *style)
{
    if (cells->nfilled <= (svg->is_page ? MATRIX_TITLED_PAGE : MATRIX_TITLED))
        draw_titled(svg, cells, style);
    else
        draw_many(svg, cells, style);
}
