/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* matrix_picture.c - matrices side by side on one scale of colours */
#include "config.h"

#include "tools/draw/matrix/matrix_picture.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "tools/draw/matrix/matrix_cells.h"
#include "tools/draw/svg/legend.h"
#include "tools/draw/svg/look.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_CELLS = 512, /* a side */
    SIDE = 512,       /* pixels of a matrix */
    LEFT = 72,
    ABOVE = 84,
    BELOW = 76,
    GAP = 96,
    LEGEND_WIDTH = 110,
    NODES_RULED = 64, /* more nodes are not parted by lines */
    TICKS = 4,
};

/* One of the matrices. */
struct panel {
    const struct draw_subject *subject;
    const struct eval_mapping *side; /* NULL: as numbered */
    uint32_t *place, *task;          /* [ntasks] and back; NULL: as numbered */
    bool is_numbered;                /* a mapping that has all ranks in order */
    struct matrix_cells cells;
};

static int compare_places(const void *a, const void *b, void *arg)
{
    const struct mapcore_mapping *mapping = arg;
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    if (mapping->host[x] != mapping->host[y])
        return mapping->host[x] < mapping->host[y] ? -1 : 1;
    return (mapping->slot[x] > mapping->slot[y]) -
           (mapping->slot[x] < mapping->slot[y]);
}

static int open_panel(struct panel *out,
                      const struct matrix_picture *picture,
                      const struct eval_mapping *side,
                      struct mapcore_error *err)
{
    const uint32_t n = picture->traffic->ntasks;

    *out = (struct panel){.subject = picture->subject, .side = side};
    if (side) {
        out->place = array_alloc(n, sizeof(*out->place), err);
        out->task = array_alloc(n, sizeof(*out->task), err);
        if (!out->place || !out->task)
            return MAPCORE_ENOMEM;
        for (uint32_t t = 0; t < n; t++)
            out->task[t] = t;
        qsort_r(out->task, n, sizeof(*out->task), compare_places,
                side->mapping);
        for (uint32_t i = 0; i < n; i++)
            out->place[out->task[i]] = i;
    }
    return matrix_cells_make(&out->cells, picture->traffic, out->place,
                             MOST_CELLS, err);
}

static void clear_panel(struct panel *panel)
{
    free(panel->place);
    free(panel->task);
    matrix_cells_clear(&panel->cells);
}

static uint32_t host_at(const struct panel *panel, uint32_t place)
{
    return panel->side->mapping->host[panel->task[place]];
}

/* "rank 5 on n3", "ranks 8-15", "places 8-15, n0 to n3". */
static void label_cell(char text[MATRIX_LABEL], const void *arg, uint32_t i)
{
    const struct panel *panel = arg;
    const struct mapcore_alloc *alloc = panel->subject->inputs.alloc;
    const uint32_t per = panel->cells.per, first = i * per;
    const uint32_t behind = first + per,
                   last = (behind < panel->cells.ntasks ? behind
                                                        : panel->cells.ntasks) -
                          1;
    char from[DRAW_HOST_NAME], to[DRAW_HOST_NAME];

    if (first == last && !panel->side)
        snprintf(text, MATRIX_LABEL, "rank %" PRIu32, first);
    else if (!panel->side)
        snprintf(text, MATRIX_LABEL, "ranks %" PRIu32 "-%" PRIu32, first, last);
    else if (first == last)
        snprintf(text, MATRIX_LABEL, "rank %" PRIu32 " on %s",
                 panel->task[first],
                 draw_host_name(from, alloc, host_at(panel, first)));
    else if (host_at(panel, first) == host_at(panel, last))
        snprintf(text, MATRIX_LABEL, "places %" PRIu32 "-%" PRIu32 " on %s",
                 first, last,
                 draw_host_name(from, alloc, host_at(panel, first)));
    else
        snprintf(text, MATRIX_LABEL, "places %" PRIu32 "-%" PRIu32 ", %s to %s",
                 first, last,
                 draw_host_name(from, alloc, host_at(panel, first)),
                 draw_host_name(to, alloc, host_at(panel, last)));
}

/* Lines where one node ends and the next begins. */
static void rule_nodes(struct svg *svg, const struct panel *panel)
{
    const uint32_t n = panel->cells.ntasks;
    const double side = SIDE / ((double)panel->cells.n * panel->cells.per);

    if (!panel->side ||
        mapcore_alloc_nhosts(panel->subject->inputs.alloc) > NODES_RULED)
        return;
    for (uint32_t i = 1; i < n; i++) {
        const double at = i * side, length = n * side;

        if (host_at(panel, i) == host_at(panel, i - 1))
            continue;
        svg_line(svg, (const double[]){at, 0}, (const double[]){at, length}, 1,
                 "grid", NULL);
        svg_line(svg, (const double[]){0, at}, (const double[]){length, at}, 1,
                 "grid", NULL);
    }
}

static void draw_axes(struct svg *svg, const struct panel *panel)
{
    const uint32_t n = panel->cells.ntasks;
    const double side = SIDE / ((double)panel->cells.n * panel->cells.per);
    uint32_t before = UINT32_MAX;

    svg_rect(svg, 0, 0, SIDE, SIDE, "frame", NULL);
    for (uint32_t i = 0; i <= TICKS; i++) {
        const uint32_t tick =
            i < TICKS ? (uint32_t)((uint64_t)n * i / TICKS) : n - 1;
        const double at = (tick + 0.5) * side;

        if (tick == before)
            continue;
        before = tick;
        svg_line(svg, (const double[]){at, SIDE},
                 (const double[]){at, SIDE + 5}, 1, "axis", NULL);
        svg_text(svg, at, SIDE + 18, "tick mid", "%" PRIu32, tick);
        svg_line(svg, (const double[]){-5, at}, (const double[]){0, at}, 1,
                 "axis", NULL);
        svg_text(svg, -8, at + 4, "tick end", "%" PRIu32, tick);
    }
    svg_text(svg, SIDE / 2.0, SIDE + 36, "sub mid", "%s",
             panel->side ? "place, node by node" : "rank");
}

static void draw_panel(struct svg *svg,
                       const struct panel *panel,
                       double least,
                       double most,
                       enum amount_unit unit)
{
    const struct matrix_style style = {.size = SIDE,
                                       .least = least,
                                       .most = most,
                                       .unit = unit,
                                       .label = label_cell,
                                       .arg = panel};
    char hops[64] = "";

    if (panel->side)
        snprintf(hops, sizeof(hops), "a byte crosses %.3g links",
                 panel->side->metrics.hops_per_byte);
    else if (panel->cells.per > 1)
        snprintf(hops, sizeof(hops), "%" PRIu32 " ranks a cell",
                 panel->cells.per);
    svg_text(svg, 0, -26, "head", "%s%s",
             !panel->side         ? "As numbered"
             : panel->is_numbered ? "As numbered, and placed by "
                                  : "As placed by ",
             panel->side ? panel->side->title : "");
    svg_text(svg, 0, -9, "sub", "%s", hops);
    rule_nodes(svg, panel);
    matrix_cells_draw(svg, &panel->cells, &style);
    draw_axes(svg, panel);
}

/* One scale for all, and no more strokes than asked for. */
static void fit_panels(struct panel *panel,
                       size_t n,
                       size_t most_strokes,
                       double *least,
                       double *most)
{
    bool fits;

    do {
        fits = true;
        *least = INFINITY;
        *most = 0;
        for (size_t i = 0; i < n; i++) {
            const struct matrix_cells *cells = &panel[i].cells;

            *least = cells->least < *least ? cells->least : *least;
            *most = cells->most > *most ? cells->most : *most;
        }
        for (size_t i = 0; i < n; i++)
            fits = fits && matrix_cells_strokes(&panel[i].cells, *least,
                                                *most) <= most_strokes;
        for (size_t i = 0; !fits && i < n; i++)
            matrix_cells_halve(&panel[i].cells);
    } while (!fits && panel[0].cells.n > 1);
}

static const char *unit_name(enum amount_unit unit)
{
    return unit == AMOUNT_BYTES      ? "bytes"
           : unit == AMOUNT_MESSAGES ? "messages"
                                     : "seconds";
}

static int describe(struct buffer *title,
                    struct buffer *text,
                    const struct matrix_picture *picture,
                    const struct panel *panel,
                    struct mapcore_error *err)
{
    const char *name = draw_subject_name(picture->subject);
    const char *unit = unit_name(picture->traffic->unit);
    char least[AMOUNT_TEXT], most[AMOUNT_TEXT];
    int error = buffer_printf(
        title, err,
        "Who talks with whom: %s, %" PRIu32 " rank%s, "
        "%s%s%s",
        name, picture->traffic->ntasks, text_plural(picture->traffic->ntasks),
        unit, picture->type ? " of " : "", picture->type ? picture->type : "");

    if (error == 0)
        error = buffer_printf(
            text, err,
            "A matrix of %" PRIu32 " by %" PRIu32 " cells, of %" PRIu32
            " rank%s each; %zu of them are filled, with %s to %s%s.",
            panel->cells.n, panel->cells.n, panel->cells.per,
            text_plural(panel->cells.per), panel->cells.nfilled,
            amount_text(least,
                        panel->cells.nfilled > 0 ? panel->cells.least : 0,
                        picture->traffic->unit),
            amount_text(most, panel->cells.most, picture->traffic->unit),
            picture->traffic->unit == AMOUNT_MESSAGES ? " messages" : "");
    return error;
}

static int write_panels(struct svg *svg,
                        const struct matrix_picture *picture,
                        struct panel *panel,
                        size_t n,
                        struct mapcore_error *err)
{
    const enum amount_unit unit = picture->traffic->unit;
    const double width =
        LEFT + (double)n * SIDE + (double)(n - 1) * GAP + LEGEND_WIDTH;
    struct buffer title = {0}, text = {0};
    double least, most;
    int error;

    fit_panels(panel, n, picture->most_strokes, &least, &most);
    error = describe(&title, &text, picture, panel, err);
    if (error == 0) {
        svg_begin(svg, width, ABOVE + SIDE + BELOW, title.bytes, text.bytes);
        svg_text(svg, LEFT, 24, "head", "%s", title.bytes);
        for (size_t i = 0; i < n; i++) {
            svg_group_begin(svg, LEFT + (double)i * (SIDE + GAP), ABOVE);
            draw_panel(svg, &panel[i], least, most, unit);
            svg_group_end(svg);
        }
        svg_group_begin(svg, width - LEGEND_WIDTH + 24, ABOVE);
        legend_draw(svg, &(struct legend){.title = unit_name(unit),
                                          .least = most > 0 ? least : 0,
                                          .most = most,
                                          .is_log = true,
                                          .unit = unit});
        svg_group_end(svg);
        svg_end(svg);
    }
    buffer_clear(&title);
    buffer_clear(&text);
    return error;
}

/* Whether a mapping has all ranks in their own order. */
static bool is_in_order(const struct panel *panel)
{
    for (uint32_t t = 0; t < panel->cells.ntasks; t++)
        if (panel->task[t] != t)
            return false;
    return true;
}

int matrix_picture_write(struct svg *svg,
                         const struct matrix_picture *picture,
                         struct mapcore_error *err)
{
    const struct draw_subject *subject = picture->subject;
    const size_t n = subject->nsides + 1;
    struct panel *panel = array_alloc(n, sizeof(*panel), err);
    size_t first;
    int error =
        panel ? open_panel(&panel[0], picture, NULL, err) : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < subject->nsides; i++)
        error = open_panel(&panel[i + 1], picture, &subject->side[i], err);
    if (error == 0) {
        /* A page is narrow: one matrix need not stand there twice. */
        first = svg->is_page && n > 1 && is_in_order(&panel[1]) ? 1 : 0;
        panel[first].is_numbered = true;
        error = write_panels(svg, picture, panel + first, n - first, err);
    }
    for (size_t i = 0; panel && i < n; i++)
        clear_panel(&panel[i]);
    free(panel);
    return error;
}
