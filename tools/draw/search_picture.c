/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* search_picture.c - a line of steps, downwards */
#include "config.h"

#include "tools/draw/search_picture.h"

#include "tools/draw/svg/amount.h"

#include <inttypes.h>
#include <math.h>

enum {
    WIDTH = 760,
    HEIGHT = 200,
    LEFT = 30,
    ABOVE = 70,
    BELOW = 56,
    MARKS = 4,
    LANES_ABOVE = 30, /* between the curve's axis and the first lane */
    LANE_STEP = 20,
    LANE_LEFT = 150, /* names */
    LANE_RIGHT = 90, /* the best of each */
};

static double height_at(double hops, double most)
{
    return most > 0 ? HEIGHT * (1 - hops / most) : HEIGHT;
}

static void draw_axes(struct svg *svg, double most, double seconds)
{
    char text[AMOUNT_TEXT];

    for (int i = 0; i <= MARKS; i++) {
        const double y = HEIGHT - (double)HEIGHT * i / MARKS;
        const double x = (double)WIDTH * i / MARKS;

        svg_line(svg, (const double[]){0, y}, (const double[]){WIDTH, y}, 1,
                 i == 0 ? "axis" : "grid", NULL);
        svg_text(svg, -8, y + 4, "tick end", "%.3g", most * i / MARKS);
        svg_text(svg, x, HEIGHT + 16, "tick mid", "%s",
                 amount_text(text, seconds * i / MARKS, AMOUNT_SECONDS));
    }
    svg_text(svg, -8, -12, "sub", "links a byte crosses");
    svg_text(svg, WIDTH / 2.0, HEIGHT + 36, "sub mid", "time of the search");
}

static void draw_steps(struct svg *svg,
                       const struct search_trace *trace,
                       double most)
{
    char tip[160], text[AMOUNT_TEXT];

    for (size_t i = 0; i < trace->n; i++) {
        const struct search_moment *moment = &trace->moment[i];
        const double end =
            i + 1 < trace->n ? trace->moment[i + 1].seconds : trace->seconds;
        const double x = WIDTH * moment->seconds / trace->seconds;
        const double next = WIDTH * end / trace->seconds;
        const double y = height_at(moment->hops_per_byte, most);

        if (i > 0)
            svg_line(
                svg,
                (const double[]){
                    x, height_at(trace->moment[i - 1].hops_per_byte, most)},
                (const double[]){x, y}, 2, "curve", NULL);
        snprintf(tip, sizeof(tip),
                 "from %s on, %" PRIu64
                 " mappings tried: %.3g links a byte%s%s",
                 amount_text(text, moment->seconds, AMOUNT_SECONDS),
                 moment->work, moment->hops_per_byte,
                 moment->mapper[0] != '\0' ? ", by " : "", moment->mapper);
        svg_line(svg, (const double[]){x, y}, (const double[]){next, y}, 3,
                 "curve", tip);
    }
}

/* When a mapper's mappings came, on the curve's time, and how good its best
 * was. */
static void draw_lane(struct svg *svg,
                      const struct search_lane *lane,
                      double seconds,
                      bool is_best)
{
    char tip[160], text[AMOUNT_TEXT];

    svg_text(svg, -8, 4, "tick end", "%s", lane->mapper);
    svg_line(svg, (const double[]){0, 0}, (const double[]){WIDTH, 0}, 1, "grid",
             NULL);
    for (size_t i = 0; i < lane->nticks; i++) {
        const struct search_tick *tick = &lane->tick[i];

        snprintf(tip, sizeof(tip), "%s after %s: %.3g links a byte",
                 lane->mapper, amount_text(text, tick->seconds, AMOUNT_SECONDS),
                 tick->hops_per_byte);
        svg_circle(svg, WIDTH * fmin(tick->seconds / seconds, 1), 0,
                   tick->hops_per_byte > lane->best ? 2.5 : 4, "bar", tip);
    }
    svg_text(svg, WIDTH + 10, 4, is_best ? "head" : "tick", "%.4g", lane->best);
}

static void draw_lanes(struct svg *svg, const struct search_trace *trace)
{
    double best = HUGE_VAL;

    for (size_t i = 0; i < trace->nlanes; i++)
        best = fmin(best, trace->lane[i].best);
    svg_text(svg, -8, -18, "sub end", "mapper");
    svg_text(svg, WIDTH + 10, -18, "sub", "its best");
    for (size_t i = 0; i < trace->nlanes; i++) {
        svg_group_begin(svg, 0, (double)i * LANE_STEP);
        draw_lane(svg, &trace->lane[i], trace->seconds,
                  !(trace->lane[i].best > best));
        svg_group_end(svg);
    }
}

void search_picture_write(struct svg *svg,
                          const struct search_trace *trace,
                          double before)
{
    double most = before;
    char seconds[AMOUNT_TEXT], text[400];

    if (trace->n > 0 && trace->moment[0].hops_per_byte > most)
        most = trace->moment[0].hops_per_byte;
    snprintf(text, sizeof(text),
             "%" PRIu64 " mappings tried in %s; the best is of %s.",
             trace->work, amount_text(seconds, trace->seconds, AMOUNT_SECONDS),
             trace->mapper);
    svg_begin(svg, LANE_LEFT + WIDTH + LANE_RIGHT,
              ABOVE + HEIGHT + BELOW + LANES_ABOVE +
                  (double)trace->nlanes * LANE_STEP,
              "How the best mapping got better", text);
    svg_text(svg, LEFT, 22, "head", "How the best mapping got better");
    svg_text(svg, LEFT, 38, "small", "%s", text);
    svg_group_begin(svg, LANE_LEFT, ABOVE);
    draw_axes(svg, most, trace->seconds);
    svg_line(svg, (const double[]){0, height_at(before, most)},
             (const double[]){WIDTH, height_at(before, most)}, 1.5, "mark",
             "as Slurm places them (block)");
    svg_text(svg, WIDTH, height_at(before, most) + 14, "tick end",
             "as Slurm places them (block)");
    draw_steps(svg, trace, most);
    svg_group_end(svg);
    if (trace->nlanes > 0) {
        svg_group_begin(svg, LANE_LEFT, ABOVE + HEIGHT + BELOW + LANES_ABOVE);
        draw_lanes(svg, trace);
        svg_group_end(svg);
    }
    svg_end(svg);
}
