/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_picture.c - paints a layout in the colours of link loads */
#include "config.h"

#include "tools/draw/network/network_picture.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "tools/draw/network/busiest_links.h"
#include "tools/draw/network/dragonfly_layout.h"
#include "tools/draw/network/layered_layout.h"
#include "tools/draw/network/network_layout.h"
#include "tools/draw/network/torus_layout.h"
#include "tools/draw/svg/legend.h"
#include "tools/draw/svg/look.h"
#include "topo/shape.h"
#include "topo/walk.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    LEFT = 30,
    ABOVE = 100,
    GAP = 50,
    LEGEND_WIDTH = 120,
    LINE_HEIGHT = 16,
    MOST_STROKES = 2600, /* of one network; the busiest ones are shown */
    MOST_RANKS = 8,      /* told by number */
    MOST_DOTS_TOLD = 1100,
    TOLD = 1400,
};

/* What all links of a stroke come to, under one mapping. */
struct stroke_load {
    double time;
    uint32_t busiest, nlinks;
    uint32_t stroke;
};

/* The tasks at a dot, under one mapping. */
struct dot_load {
    uint32_t ntasks, nhosts, nvertices, vertex;
    uint32_t task[MOST_RANKS];
};

struct network_side {
    const struct eval_mapping *mapping;
    struct stroke_load *stroke; /* [nstrokes of the layout] */
    struct dot_load *dot;       /* [ndots] */
    size_t ncarrying;
};

static int make_layout(struct network_layout *out,
                       const struct mapcore_topo *topo,
                       struct mapcore_error *err)
{
    struct topo_shape shape;

    topo_shape(&shape, topo);
    if (shape.kind == TOPO_TORUS)
        return torus_layout_make(out, topo, &shape, err);
    if (shape.kind == TOPO_DRAGONFLY)
        return dragonfly_layout_make(out, topo, &shape, err);
    return layered_layout_make(out, topo, err);
}

/* The busiest last, so that they are painted over the others. */
static int compare_strokes(const void *a, const void *b)
{
    const struct stroke_load *x = a, *y = b;

    if (x->time != y->time)
        return x->time < y->time ? -1 : 1;
    return (x->stroke > y->stroke) - (x->stroke < y->stroke);
}

static void load_strokes(struct network_side *side,
                         const struct network_layout *layout,
                         const struct mapcore_topo *topo)
{
    const double *load = side->mapping->load;

    for (uint32_t i = 0; i < layout->nstrokes; i++)
        side->stroke[i].stroke = i;
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        const double time = busiest_time(topo, load, l);
        struct stroke_load *stroke;

        if (layout->stroke_of[l] == MAPCORE_NONE)
            continue;
        stroke = &side->stroke[layout->stroke_of[l]];
        if (stroke->nlinks++ == 0 || time > stroke->time) {
            stroke->time = time;
            stroke->busiest = l;
        }
    }
    qsort(side->stroke, layout->nstrokes, sizeof(*side->stroke),
          compare_strokes);
    for (size_t i = 0; i < layout->nstrokes; i++)
        side->ncarrying += side->stroke[i].time > 0;
}

static void load_dots(struct network_side *side,
                      const struct network_layout *layout,
                      const struct mapcore_alloc *alloc)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const struct mapcore_mapping *mapping = side->mapping->mapping;
    const uint32_t nhosts = mapcore_topo_nhosts(topo);

    for (uint32_t v = 0; v < nhosts + topo_nswitches(topo); v++) {
        struct dot_load *dot;

        if (layout->dot_of[v] == MAPCORE_NONE)
            continue;
        dot = &side->dot[layout->dot_of[v]];
        dot->nhosts += v < nhosts;
        if (dot->nvertices++ == 0)
            dot->vertex = v;
    }
    for (uint32_t t = 0; t < mapping->ntasks; t++) {
        struct dot_load *dot = &side->dot[layout->dot_of[mapcore_alloc_host(
            alloc, mapping->host[t])]];

        if (dot->ntasks < MOST_RANKS)
            dot->task[dot->ntasks] = t;
        dot->ntasks++;
    }
}

static int open_side(struct network_side *out,
                     const struct draw_subject *subject,
                     const struct eval_mapping *mapping,
                     const struct network_layout *layout,
                     struct mapcore_error *err)
{
    out->mapping = mapping;
    out->stroke = array_alloc(layout->nstrokes, sizeof(*out->stroke), err);
    out->dot = array_alloc(layout->ndots, sizeof(*out->dot), err);
    if (!out->stroke || !out->dot)
        return MAPCORE_ENOMEM;
    load_strokes(out, layout, subject->inputs.topo);
    load_dots(out, layout, subject->inputs.alloc);
    return 0;
}

static void draw_strokes(struct svg *svg,
                         const struct network_side *side,
                         const struct network_layout *layout,
                         const struct mapcore_topo *topo,
                         double most)
{
    const size_t n = layout->nstrokes;
    const size_t first = n > MOST_STROKES ? n - MOST_STROKES : 0;
    char link[BUSIEST_TEXT], tip[BUSIEST_TEXT + 64];

    for (size_t i = first; i < n; i++) {
        const struct stroke_load *load = &side->stroke[i];
        const struct layout_stroke *stroke = &layout->stroke[load->stroke];
        const double from[] = {stroke->from[0], stroke->from[1]};
        const double to[] = {stroke->to[0], stroke->to[1]};

        if (load->nlinks == 0)
            continue;
        busiest_describe(link, topo, side->mapping->load, load->busiest);
        if (load->nlinks > 2)
            snprintf(tip, sizeof(tip), "busiest of %" PRIu32 " links: %s",
                     load->nlinks, link);
        else
            snprintf(tip, sizeof(tip), "%s", link);
        if (load->time <= 0)
            svg_line(svg, from, to, 1, "idle", NULL);
        else
            svg_line(svg, from, to, 2 + 4 * load->time / most,
                     look_stroke[look_even_step(load->time, most)], tip);
    }
}

static void describe_dot(char text[TOLD],
                         const struct dot_load *dot,
                         const struct mapcore_topo *topo)
{
    const uint32_t told = dot->ntasks < MOST_RANKS ? dot->ntasks : MOST_RANKS;
    int n;

    if (dot->nvertices - dot->nhosts > 1 || dot->nhosts > 1)
        n = snprintf(text, TOLD, "%" PRIu32 " %s",
                     dot->nhosts > 0 ? dot->nhosts : dot->nvertices,
                     dot->nhosts > 0 ? "nodes" : "switches");
    else
        n = topo_vertex_name(topo, dot->vertex, text, TOLD / 2);
    if (dot->ntasks > MOST_RANKS) {
        snprintf(text + n, TOLD - (size_t)n, ": %" PRIu32 " ranks",
                 dot->ntasks);
        return;
    }
    for (uint32_t i = 0; i < told; i++)
        n += snprintf(text + n, TOLD - (size_t)n, "%s%" PRIu32,
                      i > 0       ? ", "
                      : told == 1 ? ": rank "
                                  : ": ranks ",
                      dot->task[i]);
}

static void draw_dots(struct svg *svg,
                      const struct network_side *side,
                      const struct network_layout *layout,
                      const struct mapcore_topo *topo)
{
    const bool is_told = layout->ndots <= MOST_DOTS_TOLD;
    char text[TOLD];

    for (size_t i = 0; i < layout->ndots; i++) {
        const struct layout_dot *dot = &layout->dot[i];
        const struct dot_load *load = &side->dot[i];

        describe_dot(text, load, topo);
        svg_circle(svg, dot->at[0], dot->at[1], dot->radius,
                   load->ntasks > 0   ? "host"
                   : load->nhosts > 0 ? "empty"
                                      : "box",
                   is_told ? text : NULL);
    }
    for (size_t i = 0; i < layout->nlabels; i++)
        svg_text(svg, layout->label[i].at[0], layout->label[i].at[1], "tick",
                 "%s", layout->label[i].text);
}

static void draw_list(struct svg *svg,
                      const struct network_side *side,
                      const struct mapcore_topo *topo,
                      double y)
{
    uint32_t link[BUSIEST_LINKS];
    const size_t n =
        busiest_links_find(link, BUSIEST_LINKS, topo, side->mapping->load);
    char text[BUSIEST_TEXT];

    svg_text(svg, 0, y, "sub", "%s",
             n > 0 ? "Busiest links" : "No link carries anything");
    for (size_t i = 0; i < n; i++) {
        busiest_describe(text, topo, side->mapping->load, link[i]);
        svg_text(svg, 0, y + (double)(i + 1) * LINE_HEIGHT, "tick", "%zu.  %s",
                 i + 1, text);
    }
}

static void draw_side(struct svg *svg,
                      const struct network_side *side,
                      const struct network_layout *layout,
                      const struct mapcore_topo *topo,
                      double most)
{
    const struct mapcore_metrics *metrics = &side->mapping->metrics;
    char amount[AMOUNT_TEXT];

    svg_text(svg, 0, -34, "head", "Placed by %s", side->mapping->title);
    svg_text(svg, 0, -17, "sub", "a byte crosses %.3g links; busiest link: %s",
             metrics->hops_per_byte,
             amount_text(amount, metrics->max_link_bytes, AMOUNT_BYTES));
    draw_strokes(svg, side, layout, topo, most);
    draw_dots(svg, side, layout, topo);
    if (!svg->is_page)
        draw_list(svg, side, topo, layout->height + 26);
}

static int describe(struct buffer *title,
                    struct buffer *text,
                    const struct draw_subject *subject,
                    const struct network_layout *layout,
                    const struct network_side *side,
                    struct mapcore_error *err)
{
    const struct mapcore_topo *topo = subject->inputs.topo;
    int error =
        buffer_printf(title, err, "What the network carries of %s: %s",
                      draw_subject_name(subject), mapcore_topo_describe(topo));

    if (error == 0)
        error = buffer_printf(text, err, "%s", layout->legend);
    if (error == 0 && layout->nstrokes > MOST_STROKES)
        error = buffer_printf(
            text, err,
            " The %d busiest of %zu lines are shown; %zu carry something.",
            MOST_STROKES, layout->nstrokes, side->ncarrying);
    return error;
}

static int write_sides(struct svg *svg,
                       const struct draw_subject *subject,
                       const struct network_layout *layout,
                       const struct network_side *side,
                       struct mapcore_error *err)
{
    const struct mapcore_topo *topo = subject->inputs.topo;
    const size_t n = subject->nsides;
    const double list =
        svg->is_page ? 20 : 40 + (BUSIEST_LINKS + 1) * LINE_HEIGHT;
    const double step =
        (layout->width > LAYOUT_WIDTH / 2.0 ? layout->width
                                            : LAYOUT_WIDTH / 2.0) +
        GAP;
    const double width = LEFT + (double)n * step + LEGEND_WIDTH;
    struct buffer title = {0}, text = {0};
    double most = 0;
    int error = describe(&title, &text, subject, layout, &side[0], err);

    for (size_t i = 0; i < n; i++)
        if (layout->nstrokes > 0 &&
            side[i].stroke[layout->nstrokes - 1].time > most)
            most = side[i].stroke[layout->nstrokes - 1].time;
    if (error == 0) {
        svg_begin(svg, width, ABOVE + layout->height + list, title.bytes,
                  text.bytes);
        svg_text(svg, LEFT, 22, "head", "%s", title.bytes);
        svg_text(svg, LEFT, 38, "small", "%s", text.bytes);
        for (size_t i = 0; i < n; i++) {
            svg_group_begin(svg, LEFT + (double)i * step, ABOVE);
            draw_side(svg, &side[i], layout, topo, most);
            svg_group_end(svg);
        }
        svg_group_begin(svg, LEFT + (double)n * step, ABOVE);
        legend_draw(svg,
                    &(struct legend){.title = busiest_unit(topo) == AMOUNT_BYTES
                                                  ? "bytes, one way"
                                                  : "bytes / capacity",
                                     .most = most,
                                     .unit = busiest_unit(topo)});
        svg_group_end(svg);
        svg_end(svg);
    }
    buffer_clear(&title);
    buffer_clear(&text);
    return error;
}

int network_picture_write(struct svg *svg,
                          const struct draw_subject *subject,
                          struct mapcore_error *err)
{
    const size_t n = subject->nsides;
    struct network_layout layout = {0};
    struct network_side *side = array_alloc(n, sizeof(*side), err);
    int error =
        side ? make_layout(&layout, subject->inputs.topo, err) : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n; i++)
        error = open_side(&side[i], subject, &subject->side[i], &layout, err);
    if (error == 0)
        error = write_sides(svg, subject, &layout, side, err);
    for (size_t i = 0; side && i < n; i++) {
        free(side[i].stroke);
        free(side[i].dot);
    }
    free(side);
    network_layout_clear(&layout);
    return error;
}
