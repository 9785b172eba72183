/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_picture.c - nodes as rows of slots, with arcs between them */
#include "config.h"

#include "tools/draw/node_picture.h"

#include "base/array.h"
#include "base/buffer.h"
#include "tools/draw/svg/legend.h"
#include "tools/draw/svg/look.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_ARCS = 250, /* of a node; the heaviest are drawn */
    MOST_FRAMES = 4, /* inside one another */
    LEFT = 30,
    ABOVE = 86,
    WIDTH = 560,
    GAP = 50,
    LEGEND_WIDTH = 120,
    ARCS_HEIGHT = 84,
    SLOT_HEIGHT = 28,
    FRAME = 5,      /* pixels from a frame to the next */
    NAME_STEP = 13, /* from a line of names of frames to the next */
    ROW_HEIGHT = ARCS_HEIGHT + SLOT_HEIGHT + 2 * FRAME * MOST_FRAMES + 40,
    SLOT_MOST = 44,
    LETTER = 6,       /* of a name, in pixels */
    LETTER_SMALL = 7, /* of a rank; where it does not fit it is smaller, or not
                         shown */
    LETTER_TINY = 5,
};

struct node_arc {
    uint32_t a, b; /* slots, a < b */
    uint64_t bytes;
};

/* A node under one mapping. */
struct node_row {
    uint32_t host, nslots;
    uint32_t *task;      /* [nslots], MAPCORE_NONE: free */
    double *left, width; /* [nslots + 1] pixels, and of a slot */
    size_t narcs, capacity;
    struct node_arc *arc;
    uint64_t inside, leaves;
};

static int compare_arcs(const void *a, const void *b)
{
    const struct node_arc *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? -1 : 1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                        : (x->b > y->b) - (x->b < y->b);
}

static int add_task(struct node_row *row,
                    const struct draw_subject *subject,
                    const struct mapcore_mapping *mapping,
                    uint32_t task,
                    struct mapcore_error *err)
{
    const uint32_t *peers;
    const uint64_t *bytes;
    const size_t n =
        mapcore_graph_neighbours(subject->inputs.graph, task, &peers, &bytes);
    int error = 0;

    for (size_t i = 0; error == 0 && i < n; i++) {
        const uint32_t a = mapping->slot[task], b = mapping->slot[peers[i]];

        if (mapping->host[peers[i]] != row->host) {
            row->leaves += bytes[i];
        } else if (a < b) {
            row->inside += bytes[i];
            error = array_reserve(&row->arc, &row->capacity, row->narcs + 1,
                                  sizeof(*row->arc), err);
            if (error == 0)
                row->arc[row->narcs++] =
                    (struct node_arc){.a = a, .b = b, .bytes = bytes[i]};
        }
    }
    return error;
}

/* How far the frame of slots that are nearer than so many steps stands out. */
static double inset_of(uint32_t steps)
{
    const uint32_t depth = steps > 0 ? (steps - 1) / 2 : 0;

    return FRAME * (depth < MOST_FRAMES ? depth : MOST_FRAMES - 1.0);
}

/* Slots side by side, with room for the frames between them. */
static int lay_out(struct node_row *row,
                   const struct mapcore_hwnode *node,
                   struct mapcore_error *err)
{
    double gaps = 0;

    row->left = array_alloc((size_t)row->nslots + 1, sizeof(*row->left), err);
    if (!row->left)
        return MAPCORE_ENOMEM;
    for (uint32_t s = 1; s < row->nslots; s++) {
        if (node)
            gaps += 2 * inset_of(mapcore_hwnode_distance(node, row->nslots,
                                                         s - 1, s));
        row->left[s] = gaps;
    }
    row->width =
        fmax(3, fmin(SLOT_MOST, (WIDTH - 2 * FRAME * MOST_FRAMES - gaps) /
                                    fmax(row->nslots, 1)));
    for (uint32_t s = 0; s < row->nslots; s++)
        row->left[s] += FRAME * MOST_FRAMES + s * row->width;
    row->left[row->nslots] =
        FRAME * MOST_FRAMES + gaps + row->nslots * row->width;
    return 0;
}

static int open_row(struct node_row *out,
                    const struct draw_subject *subject,
                    const struct mapcore_mapping *mapping,
                    uint32_t host,
                    struct mapcore_error *err)
{
    int error = 0;

    *out = (struct node_row){
        .host = host,
        .nslots = mapcore_alloc_slots(subject->inputs.alloc, host)};
    out->task = array_alloc(out->nslots, sizeof(*out->task), err);
    if (!out->task)
        return MAPCORE_ENOMEM;
    error = lay_out(out, subject->inputs.hwnode, err);
    for (uint32_t s = 0; s < out->nslots; s++)
        out->task[s] = MAPCORE_NONE;
    for (uint32_t t = 0; error == 0 && t < mapping->ntasks; t++) {
        if (mapping->host[t] != host)
            continue;
        out->task[mapping->slot[t]] = t;
        error = add_task(out, subject, mapping, t, err);
    }
    if (error == 0 && out->narcs > 0)
        qsort(out->arc, out->narcs, sizeof(*out->arc), compare_arcs);
    return error;
}

/* Frames around slots that are nearer than `steps` to their neighbours, and
 * what hwloc calls each where there is room for it below. */
static void draw_frames(struct svg *svg,
                        const struct node_row *row,
                        const struct mapcore_hwnode *node,
                        uint32_t steps,
                        double inset,
                        double name_at)
{
    char name[MAPCORE_HWNODE_TEXT];

    for (uint32_t first = 0, next; first < row->nslots; first = next) {
        next = first + 1;
        while (next < row->nslots &&
               mapcore_hwnode_distance(node, row->nslots, next - 1, next) <
                   steps)
            next++;
        const double width =
            row->left[next - 1] + row->width - row->left[first] + 2 * inset;

        mapcore_hwnode_object(name, node, row->nslots, first, steps);
        svg_rect(svg, row->left[first] - inset, ARCS_HEIGHT - inset, width,
                 SLOT_HEIGHT + 2 * inset, "frame", name);
        if (LETTER * (double)strlen(name) <= width)
            svg_text(svg, row->left[first] - inset + width / 2, name_at,
                     "tick mid", "%s", name);
    }
}

/* The levels that part slots, the outermost first, with a frame for each. */
static void draw_tree(struct svg *svg,
                      const struct node_row *row,
                      const struct mapcore_hwnode *node)
{
    uint32_t limit = UINT32_MAX;

    for (int i = 0; i < MOST_FRAMES; i++) {
        uint32_t farthest = 0;

        for (uint32_t s = 1; node && s < row->nslots; s++) {
            const uint32_t d =
                mapcore_hwnode_distance(node, row->nslots, s - 1, s);

            farthest = d < limit && d > farthest ? d : farthest;
        }
        if (i > 0 && farthest <= 2)
            break; /* cores alone in their frames tell nothing */
        if (i == 0)
            svg_rect(svg, 0, ARCS_HEIGHT - FRAME * MOST_FRAMES,
                     row->left[row->nslots] + FRAME * MOST_FRAMES,
                     SLOT_HEIGHT + 2 * FRAME * MOST_FRAMES, "frame", NULL);
        if (farthest > 2)
            draw_frames(svg, row, node, farthest, inset_of(farthest) - 1.5,
                        ARCS_HEIGHT + SLOT_HEIGHT + FRAME * MOST_FRAMES + 14 +
                            NAME_STEP * i);
        limit = farthest;
    }
}

/* The levels of frames, each a line of names. */
static uint32_t count_levels(const struct node_row *row,
                             const struct mapcore_hwnode *node)
{
    uint32_t limit = UINT32_MAX, n = 0;

    while (node && n < MOST_FRAMES) {
        uint32_t farthest = 0;

        for (uint32_t s = 1; s < row->nslots; s++) {
            const uint32_t d =
                mapcore_hwnode_distance(node, row->nslots, s - 1, s);

            farthest = d < limit && d > farthest ? d : farthest;
        }
        if (farthest <= 2)
            break;
        limit = farthest;
        n++;
    }
    return n;
}

static void draw_slots(struct svg *svg,
                       const struct node_row *row,
                       const struct mapcore_hwnode *node)
{
    const double width = row->width;
    char tip[160], core[MAPCORE_HWNODE_TEXT];

    for (uint32_t s = 0; s < row->nslots; s++) {
        const double x = row->left[s];
        const bool is_free = row->task[s] == MAPCORE_NONE;

        if (is_free)
            snprintf(tip, sizeof(tip), "slot %" PRIu32 ": free", s);
        else
            snprintf(tip, sizeof(tip), "slot %" PRIu32 ": rank %" PRIu32, s,
                     row->task[s]);
        if (node && row->nslots > 1) {
            const size_t n = strlen(tip);

            mapcore_hwnode_object(core, node, row->nslots, s, 2);
            snprintf(tip + n, sizeof(tip) - n, ", %s", core);
        }
        svg_rect(svg, x + (width > 4 ? 1 : 0), ARCS_HEIGHT + 1,
                 width > 4 ? width - 2 : width, SLOT_HEIGHT - 2,
                 is_free ? "empty" : "box", tip);
        snprintf(tip, sizeof(tip), "%" PRIu32, row->task[s]);
        if (!is_free && LETTER_TINY * (double)strlen(tip) + 3 <= width)
            svg_text(svg, x + width / 2, ARCS_HEIGHT + SLOT_HEIGHT / 2.0 + 4,
                     LETTER_SMALL * (double)strlen(tip) + 5 <= width
                         ? "small mid"
                         : "tiny mid",
                     "%s", tip);
    }
}

static void draw_arcs(struct svg *svg, const struct node_row *row, double most)
{
    const double width = row->width;
    char tip[160], amount[AMOUNT_TEXT];
    int n;

    for (size_t i = row->narcs > MOST_ARCS ? row->narcs - MOST_ARCS : 0;
         i < row->narcs; i++) {
        const struct node_arc *arc = &row->arc[i];
        const double from = row->left[arc->a] + width / 2;
        const double to = row->left[arc->b] + width / 2;

        amount_text(amount, (double)arc->bytes, AMOUNT_BYTES);
        n = snprintf(tip, sizeof(tip),
                     "rank %" PRIu32 " with rank %" PRIu32 ": %s",
                     row->task[arc->a], row->task[arc->b], amount);
        if (arc->bytes >= 1000)
            snprintf(tip + n, sizeof(tip) - (size_t)n, " (%" PRIu64 " bytes)",
                     arc->bytes);
        svg_curve(svg, (const double[]){from, ARCS_HEIGHT},
                  (const double[]){to, ARCS_HEIGHT},
                  fmin(2.0 * ARCS_HEIGHT - 20, 16 + 0.7 * (to - from)),
                  1.2 + 2.5 * (double)arc->bytes / most,
                  look_stroke[look_even_step((double)arc->bytes, most)], tip);
    }
}

static void draw_row(struct svg *svg,
                     const struct draw_subject *subject,
                     const struct node_row *row,
                     double most)
{
    char name[DRAW_HOST_NAME], inside[AMOUNT_TEXT], leaves[AMOUNT_TEXT];

    draw_tree(svg, row, subject->inputs.hwnode);
    draw_arcs(svg, row, most);
    draw_slots(svg, row, subject->inputs.hwnode);
    svg_text(svg, 0,
             ARCS_HEIGHT + SLOT_HEIGHT + FRAME * MOST_FRAMES + 16 +
                 NAME_STEP * (double)count_levels(row, subject->inputs.hwnode),
             "tick", "%s: %s inside, %s leave it",
             draw_host_name(name, subject->inputs.alloc, row->host),
             amount_text(inside, (double)row->inside, AMOUNT_BYTES),
             amount_text(leaves, (double)row->leaves, AMOUNT_BYTES));
}

static void draw_side(struct svg *svg,
                      const struct draw_subject *subject,
                      const struct eval_mapping *side,
                      const struct node_row *row,
                      uint32_t n,
                      double height,
                      double most)
{
    char amount[AMOUNT_TEXT];

    svg_text(svg, 0, -24, "head", "Placed by %s", side->title);
    svg_text(svg, 0, -7, "sub", "%s go between nodes in all",
             amount_text(amount, (double)side->metrics.off_node_bytes,
                         AMOUNT_BYTES));
    for (uint32_t i = 0; i < n; i++) {
        svg_group_begin(svg, 0, (double)i * height);
        draw_row(svg, subject, &row[i], most);
        svg_group_end(svg);
    }
}

static int write_rows(struct svg *svg,
                      const struct draw_subject *subject,
                      const struct node_row *row,
                      uint32_t n,
                      struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(subject->inputs.alloc);
    const double width =
        LEFT + (double)subject->nsides * (WIDTH + GAP) + LEGEND_WIDTH;
    struct buffer title = {0}, text = {0};
    double most = 0, height = ROW_HEIGHT;
    int error = buffer_printf(&title, err, "Who sits where in the nodes: %s",
                              draw_subject_name(subject));

    for (size_t i = 0; i < n * subject->nsides; i++)
        if (row[i].narcs > 0 &&
            (double)row[i].arc[row[i].narcs - 1].bytes > most)
            most = (double)row[i].arc[row[i].narcs - 1].bytes;
    for (size_t i = 0; i < n * subject->nsides; i++)
        height =
            fmax(height,
                 ROW_HEIGHT + NAME_STEP * (double)count_levels(
                                              &row[i], subject->inputs.hwnode));
    if (error == 0)
        error = buffer_printf(
            &text, err,
            "%s%" PRIu32 " of %" PRIu32 " nodes: boxes are slots with their "
            "ranks, arcs bytes between them%s.",
            n < nhosts ? "The first " : "", n, nhosts,
            subject->inputs.hwnode ? ", frames what the hardware tree parts"
                                   : "");
    if (error == 0) {
        svg_begin(svg, width, ABOVE + (double)n * height, title.bytes,
                  text.bytes);
        svg_text(svg, LEFT, 22, "head", "%s", title.bytes);
        svg_text(svg, LEFT, 38, "small", "%s", text.bytes);
        for (size_t i = 0; i < subject->nsides; i++) {
            svg_group_begin(svg, LEFT + (double)i * (WIDTH + GAP), ABOVE);
            draw_side(svg, subject, &subject->side[i], &row[i * n], n, height,
                      most);
            svg_group_end(svg);
        }
        svg_group_begin(svg, width - LEGEND_WIDTH, ABOVE);
        legend_draw(svg, &(struct legend){.title = "bytes",
                                          .most = most,
                                          .unit = AMOUNT_BYTES});
        svg_group_end(svg);
        svg_end(svg);
    }
    buffer_clear(&title);
    buffer_clear(&text);
    return error;
}

int node_picture_write(struct svg *svg,
                       const struct draw_subject *subject,
                       struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(subject->inputs.alloc);
    const uint32_t most =
        subject->nodes > 0 ? subject->nodes : NODE_PICTURE_NODES;
    const uint32_t n = nhosts < most ? nhosts : most;
    struct node_row *row = array_alloc(n * subject->nsides, sizeof(*row), err);
    int error = row ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n * subject->nsides; i++)
        error = open_row(&row[i], subject, subject->side[i / n].mapping,
                         (uint32_t)(i % n), err);
    if (error == 0)
        error = write_rows(svg, subject, row, n, err);
    for (size_t i = 0; row && i < n * subject->nsides; i++) {
        free(row[i].task);
        free(row[i].left);
        free(row[i].arc);
    }
    free(row);
    return error;
}
