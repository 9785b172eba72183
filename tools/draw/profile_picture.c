/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_picture.c - bars of a profile's seconds, messages and ranks */
#include "config.h"

#include "tools/draw/profile_picture.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

enum {
    WIDTH = 960,
    LEFT = 30,
    SHARE_HEIGHT = 26,
    BAR_LEFT = 170,
    BAR_WIDTH = 420,
    BAR_HEIGHT = 16,
    BAR_STEP = 24,
    MOST_TYPES = 24,
    CHART_WIDTH = 380,
    CHART_HEIGHT = 180,
    CHART_STEP = 490,
    MOST_RANKS = 128, /* bars; more ranks share one */
};

/* How much of the run was spent in MPI: what a placement can matter at most. */
static void draw_share(struct svg *svg, const struct profile *profile)
{
    const double share = profile_mpi_share(profile), width = WIDTH - 2 * LEFT;
    char in[AMOUNT_TEXT], run[AMOUNT_TEXT];

    if (share < 0) {
        svg_text(svg, 0, 16, "sub",
                 "Share of the run in MPI: not known, this is no recording");
        return;
    }
    svg_rect(svg, 0, 0, width, SHARE_HEIGHT, "free", NULL);
    svg_rect(svg, 0, 0, width * (share < 1 ? share : 1), SHARE_HEIGHT, "bar",
             NULL);
    svg_text(svg, 0, SHARE_HEIGHT + 16, "sub",
             "In MPI: %.1f%% of the run, %s of %s a rank on average",
             100 * share,
             amount_text(in, share * profile->seconds, AMOUNT_SECONDS),
             amount_text(run, profile->seconds, AMOUNT_SECONDS));
}

static int compare_types(const void *a, const void *b)
{
    const struct profile_type *x = *(const struct profile_type *const *)a;
    const struct profile_type *y = *(const struct profile_type *const *)b;

    return x->seconds != y->seconds ? (x->seconds < y->seconds ? 1 : -1)
                                    : (x > y) - (x < y);
}

static void draw_type(struct svg *svg,
                      const struct profile_type *type,
                      double most,
                      double total,
                      double y)
{
    char seconds[AMOUNT_TEXT], calls[AMOUNT_TEXT], bytes[AMOUNT_TEXT], tip[256];

    amount_text(seconds, type->seconds, AMOUNT_SECONDS);
    amount_text(calls, (double)type->calls, AMOUNT_MESSAGES);
    amount_text(bytes, (double)type->bytes, AMOUNT_BYTES);
    snprintf(tip, sizeof(tip),
             "%.80s: %s in all ranks, %" PRIu64 " calls, %" PRIu64 " bytes",
             type->name, seconds, type->calls, type->bytes);
    svg_text(svg, BAR_LEFT - 8, y + 13, "end", "%s", type->name);
    svg_rect(svg, BAR_LEFT, y, most > 0 ? BAR_WIDTH * type->seconds / most : 0,
             BAR_HEIGHT, "bar", tip);
    svg_text(svg,
             BAR_LEFT + (most > 0 ? BAR_WIDTH * type->seconds / most : 0) + 8,
             y + 13, "tick", "%s (%.0f%%), %s calls, %s", seconds,
             total > 0 ? 100 * type->seconds / total : 0, calls, bytes);
}

/* How unevenly a type's seconds lie on the ranks: from the shortest to the
 * longest one, beside what all had if they were even. */
static void draw_span(struct svg *svg,
                      const struct profile *profile,
                      const struct profile_type *type,
                      double most,
                      double y)
{
    const struct profile_span *span = &type->task_seconds;
    const double mean = type->seconds / profile->ntasks;
    char least[AMOUNT_TEXT], longest[AMOUNT_TEXT], even[AMOUNT_TEXT], tip[256];

    if (!span->is_known || most <= 0)
        return;
    amount_text(least, span->min, AMOUNT_SECONDS);
    amount_text(longest, span->max, AMOUNT_SECONDS);
    amount_text(even, mean, AMOUNT_SECONDS);
    snprintf(tip, sizeof(tip),
             "%.60s: rank %" PRIu32 " had %s, rank %" PRIu32 " %s, the mean %s",
             type->name, span->max_task, longest, span->min_task, least, even);
    svg_text(svg, BAR_LEFT - 8, y + 13, "end", "%s", type->name);
    svg_rect(svg, BAR_LEFT + BAR_WIDTH * span->min / most, y + 4,
             fmax(2, BAR_WIDTH * (span->max - span->min) / most),
             BAR_HEIGHT - 8, "bar", tip);
    svg_line(
        svg, (const double[]){BAR_LEFT + BAR_WIDTH * mean / most, y},
        (const double[]){BAR_LEFT + BAR_WIDTH * mean / most, y + BAR_HEIGHT}, 2,
        "mark", tip);
    svg_text(svg, BAR_LEFT + BAR_WIDTH * span->max / most + 8, y + 13, "tick",
             "%s in rank %" PRIu32 ", %.3g times the mean", longest,
             span->max_task, mean > 0 ? span->max / mean : 1);
}

/* The types whose longest rank is known; 0 for older recordings. */
static size_t count_spans(const struct profile *profile)
{
    size_t n = 0;

    for (size_t i = 0; i < profile->ntypes; i++)
        n += profile->types[i].task_seconds.is_known;
    return n < MOST_TYPES ? n : MOST_TYPES;
}

static void draw_spans(struct svg *svg,
                       const struct profile *profile,
                       size_t shown)
{
    double most = 0;
    size_t n = 0;

    svg_text(svg, 0, -10, "head",
             "Imbalance: seconds of the shortest and the longest rank");
    for (size_t i = 0; i < profile->ntypes; i++)
        most = fmax(most, profile->types[i].task_seconds.max);
    for (size_t i = 0; n < shown && i < profile->ntypes; i++)
        if (profile->types[i].task_seconds.is_known)
            draw_span(svg, profile, &profile->types[i], most,
                      (double)n++ * BAR_STEP);
}

static int draw_types(struct svg *svg,
                      const struct profile *profile,
                      size_t shown,
                      struct mapcore_error *err)
{
    const struct profile_type **type =
        array_alloc(profile->ntypes, sizeof(*type), err);
    double total = 0;

    if (!type)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < profile->ntypes; i++) {
        type[i] = &profile->types[i];
        total += type[i]->seconds;
    }
    qsort(type, profile->ntypes, sizeof(*type), compare_types);
    svg_text(svg, 0, -10, "head", "Time by type of call");
    for (size_t i = 0; i < shown; i++)
        draw_type(svg, type[i], type[0]->seconds, total, (double)i * BAR_STEP);
    if (shown < profile->ntypes)
        svg_text(svg, BAR_LEFT, (double)shown * BAR_STEP + 13, "tick",
                 "and %zu types of less time", profile->ntypes - shown);
    free(type);
    return 0;
}

static void draw_axes(struct svg *svg,
                      const char *title,
                      const char *below,
                      const char *most)
{
    svg_text(svg, 0, -26, "head", "%s", title);
    svg_text(svg, 0, -8, "tick", "%s", most);
    svg_line(svg, (const double[]){0, CHART_HEIGHT},
             (const double[]){CHART_WIDTH, CHART_HEIGHT}, 1, "axis", NULL);
    svg_line(svg, (const double[]){0, 0}, (const double[]){CHART_WIDTH, 0}, 1,
             "grid", NULL);
    svg_text(svg, CHART_WIDTH / 2.0, CHART_HEIGHT + 38, "sub mid", "%s", below);
}

/* "1 kB": the least size of a class, in powers of two. */
static const char *size_name(char out[AMOUNT_TEXT], int size)
{
    static const char *const prefixes[] = {"B",   "KiB", "MiB", "GiB",
                                           "TiB", "PiB", "EiB"};

    if (size == 0)
        snprintf(out, AMOUNT_TEXT, "0 B");
    else
        snprintf(out, AMOUNT_TEXT, "%d %s", 1 << (size - 1) % 10,
                 prefixes[(size - 1) / 10]);
    return out;
}

static void draw_sizes(struct svg *svg, const double count[TRAFFIC_SIZES])
{
    int first = TRAFFIC_SIZES, last = 0;
    double most = 0, step;
    char number[AMOUNT_TEXT], size[AMOUNT_TEXT], tip[128];

    for (int i = 0; i < TRAFFIC_SIZES; i++) {
        if (count[i] <= 0)
            continue;
        first = i < first ? i : first;
        last = i;
        most = count[i] > most ? count[i] : most;
    }
    snprintf(tip, sizeof(tip), "%s messages",
             amount_text(number, most, AMOUNT_MESSAGES));
    draw_axes(svg, "Sizes of messages", "bytes a message, from", tip);
    step = CHART_WIDTH / (last - first + 1.0);
    for (int i = first; i <= last; i++) {
        const double x = (i - first) * step;
        const double height = CHART_HEIGHT * count[i] / most;

        snprintf(tip, sizeof(tip), "%s and more: %.0f messages",
                 size_name(size, i), count[i]);
        svg_rect(svg, x + 1, CHART_HEIGHT - height, step > 3 ? step - 2 : step,
                 height, "bar", tip);
        if ((i - first) % (1 + (last - first) / 6) == 0)
            svg_text(svg, x + step / 2, CHART_HEIGHT + 16, "tick mid", "%s",
                     size);
    }
}

/* What each rank exchanged; several ranks that share a bar show their most. */
static void draw_ranks(struct svg *svg, const double *bytes, uint32_t n)
{
    const uint32_t per = (n + MOST_RANKS - 1) / MOST_RANKS;
    const uint32_t nbars = (n + per - 1) / per;
    const double step = (double)CHART_WIDTH / nbars;
    double most = 0, sum = 0, mean;
    char amount[AMOUNT_TEXT], tip[160];

    for (uint32_t t = 0; t < n; t++) {
        most = bytes[t] > most ? bytes[t] : most;
        sum += bytes[t];
    }
    mean = sum / n;
    snprintf(tip, sizeof(tip), "%s at most%s",
             amount_text(amount, most, AMOUNT_BYTES),
             per > 1 ? ", of several ranks the busiest" : "");
    draw_axes(svg, "What each rank exchanges", "rank", tip);
    for (uint32_t i = 0; i < nbars; i++) {
        uint32_t busiest = i * per;
        double height;

        for (uint32_t t = i * per; t < n && t < (i + 1) * per; t++)
            busiest = bytes[t] > bytes[busiest] ? t : busiest;
        height = most > 0 ? CHART_HEIGHT * bytes[busiest] / most : 0;
        snprintf(tip, sizeof(tip), "rank %" PRIu32 ": %s (%.0f bytes)", busiest,
                 amount_text(amount, bytes[busiest], AMOUNT_BYTES),
                 bytes[busiest]);
        svg_rect(svg, i * step, CHART_HEIGHT - height,
                 step > 4 ? step - 1 : step, height, "bar", tip);
    }
    svg_text(svg, 0, CHART_HEIGHT + 16, "tick", "0");
    svg_text(svg, CHART_WIDTH, CHART_HEIGHT + 16, "tick end", "%" PRIu32,
             n - 1);
    if (most > 0) {
        const double y = CHART_HEIGHT * (1 - mean / most);

        svg_line(svg, (const double[]){0, y}, (const double[]){CHART_WIDTH, y},
                 1.5, "mark", NULL);
        svg_text(svg, CHART_WIDTH, y - 4, "tick end",
                 "mean; the busiest has %.3g times as much", most / mean);
    }
}

static int add_up(double **out,
                  const struct traffic *traffic,
                  struct mapcore_error *err)
{
    *out = array_alloc(traffic->ntasks, sizeof(**out), err);
    if (!*out)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < traffic->n; i++) {
        (*out)[traffic->pair[i].a] += traffic->pair[i].value;
        (*out)[traffic->pair[i].b] += traffic->pair[i].value;
    }
    return 0;
}

static int draw_all(struct svg *svg,
                    const struct profile *profile,
                    const double *bytes,
                    uint32_t ntasks,
                    const double *sizes,
                    struct mapcore_error *err)
{
    const size_t shown =
        profile->ntypes < MOST_TYPES ? profile->ntypes : MOST_TYPES;
    const size_t spans = count_spans(profile);
    const double below_types = (double)(shown + 1) * BAR_STEP;
    const double types =
        below_types + (spans > 0 ? (double)(spans + 2) * BAR_STEP : 0);
    struct buffer title = {0};
    int error = buffer_printf(
        &title, err, "What %s did in MPI: %" PRIu32 " rank%s", profile->program,
        profile->ntasks, text_plural(profile->ntasks));

    if (error < 0)
        return error;
    svg_begin(
        svg, WIDTH, 150 + types + 80 + CHART_HEIGHT + 50, title.bytes,
        "The share of the run in MPI, seconds by type of call and of the "
        "longest and shortest rank, sizes of messages, and the bytes that each rank exchanges.");
    svg_text(svg, LEFT, 24, "head", "%s", title.bytes);
    svg_group_begin(svg, LEFT, 44);
    draw_share(svg, profile);
    svg_group_end(svg);
    svg_group_begin(svg, LEFT, 134);
    error = draw_types(svg, profile, shown, err);
    svg_group_end(svg);
    if (spans > 0) {
        svg_group_begin(svg, LEFT, 134 + below_types + BAR_STEP);
        draw_spans(svg, profile, spans);
        svg_group_end(svg);
    }
    svg_group_begin(svg, LEFT, 150 + types + 50);
    draw_ranks(svg, bytes, ntasks);
    svg_group_end(svg);
    if (sizes) {
        svg_group_begin(svg, LEFT + CHART_STEP, 150 + types + 50);
        draw_sizes(svg, sizes);
        svg_group_end(svg);
    }
    svg_end(svg);
    buffer_clear(&title);
    return error;
}

int profile_picture_write(struct svg *svg,
                          const struct profile *profile,
                          const char *folder,
                          const struct traffic *traffic,
                          struct mapcore_error *err)
{
    double sizes[TRAFFIC_SIZES], all = 0, *bytes = NULL;
    int error = traffic_read_sizes(sizes, profile->ntasks, folder, err);
    /* What was imported has none. */
    const bool has_sizes = error == 0;

    if (error == MAPCORE_EIO)
        error = 0;
    for (int i = 0; has_sizes && i < TRAFFIC_SIZES; i++)
        all += sizes[i];
    if (error == 0)
        error = add_up(&bytes, traffic, err);
    if (error == 0)
        error = draw_all(svg, profile, bytes, traffic->ntasks,
                         all > 0 ? sizes : NULL, err);
    free(bytes);
    return error;
}
