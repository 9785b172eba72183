/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_fit.c - what the grids of several sizes have in common, as a design for
 * another size */
#include "config.h"

#include "grid/predict/grid_fit.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/grid_measure.h"
#include "grid/grid_thresholds.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The dimension of a group: smaller ones may be lines of neighbours and their
 * neighbours. */
#define LEAST_GROUP 6
/* Weights that are further apart than this (the standard deviation of their
 * logarithms) leave it open that each size ran for another time. */
#define LOOSE 0.05
/* With more dimensions, all shrink or none. */
#define MOST_SUBSETS 6
/* More than this better is needed for one more dimension that shrinks. */
#define BETTER 0.02

double grid_mean_step(const struct mapcore_grid *grid)
{
    double sum = 0, bytes = 0;

    for (size_t o = 0; o < grid->noffsets; o++) {
        double length = 0;

        for (uint32_t i = 0; i < grid->ndims; i++)
            length += abs(grid->offset[o].step[i]);
        sum += length * (double)grid->offset[o].bytes;
        bytes += (double)grid->offset[o].bytes;
    }
    return bytes > 0 ? sum / bytes : 1;
}

/* Bytes between tasks that differ in group dimension i of the grid alone. */
static uint64_t sum_group(const struct mapcore_grid *grid,
                          const struct mapcore_graph *graph,
                          uint32_t i)
{
    uint32_t n = grid->ndims;
    uint64_t sum = 0;

    for (uint32_t a = 0; a < graph->ntasks; a++)
        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++) {
            const uint32_t *x = &grid->coordinates[(size_t)a * n];
            const uint32_t *y = &grid->coordinates[(size_t)graph->task[e] * n];
            bool other = graph->task[e] < a;

            for (uint32_t k = 0; k < n; k++)
                other |= k != i && x[k] != y[k];
            if (!other)
                sum += graph->bytes[e];
        }
    return sum;
}

int grid_view_open(struct grid_view *out,
                   const struct mapcore_graph *graph,
                   uint32_t ndims,
                   const uint32_t *dims,
                   struct mapcore_error *err)
{
    struct mapcore_grid *grid;
    uint64_t bytes = 0;
    size_t n = 0;
    int error = grid_by_rank(&grid, graph, ndims, dims, err);

    if (error < 0)
        return error;
    *out = (struct grid_view){.grid = grid, .length = grid_mean_step(grid)};
    for (uint32_t i = 0; i < ndims; i++)
        if (grid->kind[i] == MAPCORE_GRID_GROUP)
            bytes += out->group_bytes[i] = sum_group(grid, graph, i);
    for (size_t o = 0; o < grid->noffsets; o++)
        if ((double)grid->offset[o].edges >=
            GRID_REGULAR_SHARE * grid_places(grid, grid->offset[o].step, 0)) {
            bytes += grid->offset[o].bytes;
            grid->offset[n++] = grid->offset[o];
        }
    grid->noffsets = n;
    out->share = grid->total > 0 ? (double)bytes / (double)grid->total : 0;
    return 0;
}

void grid_view_clear(struct grid_view *view)
{
    mapcore_grid_destroy(view->grid);
    *view = (struct grid_view){.grid = NULL};
}

/* Periodic or not, and groups, as the largest size of a dimension shows it. */
static int find_kinds(struct grid_fit *fit, struct mapcore_error *err)
{
    uint32_t ndims = fit->view[0]->grid->ndims, yes = 0, no = 0;
    bool known[MAPCORE_GRID_MAX_DIMS] = {false};

    for (uint32_t i = 0; i < ndims; i++) {
        const struct mapcore_grid *largest = fit->view[0]->grid;

        for (size_t k = 1; k < fit->n; k++)
            if (fit->view[k]->grid->dims[i] >= largest->dims[i])
                largest = fit->view[k]->grid;
        fit->group[i] = largest->kind[i] == MAPCORE_GRID_GROUP;
        fit->periodic[i] = largest->periodic[i];
        if (fit->group[i] && largest->dims[i] < LEAST_GROUP)
            return error_set(err, MAPCORE_ENOENT,
                             "groups of %u tasks are too small to tell from "
                             "neighbours",
                             largest->dims[i]);
        known[i] = largest->dims[i] > 2;
        if (known[i] && !fit->group[i])
            fit->periodic[i] ? yes++ : no++;
    }
    for (uint32_t i = 0; i < ndims; i++) {
        if (known[i])
            continue;
        if ((yes > 0) == (no > 0))
            return error_set(err, MAPCORE_ENOENT,
                             "a dimension of the grid is never larger than 2: "
                             "whether it is periodic cannot be seen");
        fit->periodic[i] = yes > 0;
    }
    return 0;
}

/* Into how many the same pair of tasks counts: forwards and backwards, where
 * both ways round lead to it. */
static double folding(const struct grid_fit *fit,
                      const struct mapcore_grid *grid,
                      const int32_t *step)
{
    double times = 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        if (step[i] != 0 && fit->periodic[i] &&
            grid->dims[i] == 2 * (uint32_t)abs(step[i]))
            times *= 2;
    return times;
}

/* Whether a step stays itself at that size: further round it is another. */
static bool step_fits(const struct grid_fit *fit,
                      const struct mapcore_grid *grid,
                      const int32_t *step)
{
    for (uint32_t i = 0; i < grid->ndims; i++) {
        uint32_t s = (uint32_t)abs(step[i]);

        if (grid->dims[i] <= s || (fit->periodic[i] && grid->dims[i] < 2 * s))
            return false;
    }
    return true;
}

static const struct mapcore_grid_offset *find_offset(
    const struct mapcore_grid *grid,
    const int32_t *step)
{
    for (size_t o = 0; o < grid->noffsets; o++)
        if (memcmp(grid->offset[o].step, step, sizeof(grid->offset[o].step)) ==
            0)
            return &grid->offset[o];
    return NULL;
}

static int add_class(struct grid_fit *fit,
                     const struct grid_class *edge_class,
                     struct mapcore_error *err)
{
    int error = array_reserve(&fit->edge_class, &fit->capacity,
                              fit->nclasses + 1, sizeof(*fit->edge_class), err);

    if (error == 0)
        fit->edge_class[fit->nclasses++] = *edge_class;
    return error;
}

/* Steps of the largest size, and those of smaller ones that fit into no larger
 * one. */
static int find_classes(struct grid_fit *fit, struct mapcore_error *err)
{
    int error = 0;

    for (size_t k = fit->n; error == 0 && k-- > 0;)
        for (size_t o = 0; error == 0 && o < fit->view[k]->grid->noffsets;
             o++) {
            struct grid_class edge_class = {.group = MAPCORE_NONE, .at = k};
            bool is_new = true;

            memcpy(edge_class.step, fit->view[k]->grid->offset[o].step,
                   sizeof(edge_class.step));
            for (size_t l = k + 1; l < fit->n; l++)
                is_new = is_new &&
                         !step_fits(fit, fit->view[l]->grid, edge_class.step);
            if (is_new && step_fits(fit, fit->view[k]->grid, edge_class.step))
                error = add_class(fit, &edge_class, err);
        }
    for (uint32_t i = 0; error == 0 && i < fit->view[0]->grid->ndims; i++) {
        struct grid_class edge_class = {.group = i};

        if (!fit->group[i])
            continue;
        for (size_t k = 0; k < fit->n; k++)
            if (fit->view[k]->group_bytes[i] > 0)
                edge_class.at = k;
        error = add_class(fit, &edge_class, err);
    }
    return error;
}

/* Bytes of one edge, or 0: not seen. */
static double weigh(const struct grid_fit *fit,
                    const struct grid_class *edge_class,
                    size_t k)
{
    const struct mapcore_grid *grid = fit->view[k]->grid;
    const struct mapcore_grid_offset *offset;
    double pairs = 1;

    if (edge_class->group == MAPCORE_NONE) {
        offset = find_offset(grid, edge_class->step);
        if (!offset || !step_fits(fit, grid, edge_class->step))
            return 0;
        return (double)offset->bytes / (double)offset->edges /
               folding(fit, grid, edge_class->step);
    }
    if (grid->kind[edge_class->group] != MAPCORE_GRID_GROUP)
        return 0;
    for (uint32_t i = 0; i < grid->ndims; i++)
        pairs *= i == edge_class->group
                     ? grid->dims[i] * (grid->dims[i] - 1.0) / 2
                     : grid->dims[i];
    return (double)fit->view[k]->group_bytes[edge_class->group] / pairs;
}

/* What the bytes of a class are multiplied by, with some dimensions strong, so
 * that they are the same at all sizes. A face has the extents of the dimensions
 * that its step does not go along; a task of a group shares what it sends out
 * among the others. */
static double flatten(const struct grid_class *edge_class,
                      const uint32_t *dims,
                      uint32_t ndims,
                      const bool *strong)
{
    double factor = 1;

    for (uint32_t i = 0; i < ndims; i++) {
        if (edge_class->group == i)
            factor *= dims[i] > 1 ? dims[i] - 1.0 : 1;
        if (strong[i] &&
            (edge_class->group != MAPCORE_NONE || edge_class->step[i] == 0))
            factor *= dims[i];
    }
    return factor;
}

/* The logarithm of class c's bytes at size k as they would be at all. */
static double level(const struct grid_fit *fit,
                    const bool *strong,
                    size_t c,
                    size_t k)
{
    return log(fit->weight[c * fit->n + k] *
               flatten(&fit->edge_class[c], fit->view[k]->grid->dims,
                       fit->view[k]->grid->ndims, strong));
}

/* The standard deviation of all levels from their classes' means; with free
 * sizes, a level of each size's own is taken off before. */
static double spread(const struct grid_fit *fit,
                     const bool *strong,
                     bool free_sizes)
{
    double squares = 0, count = 0;
    size_t last = fit->n - 1;

    for (size_t c = 0; c < fit->nclasses; c++) {
        double sum = 0, sum2 = 0, n = 0;

        for (size_t k = 0; k < fit->n; k++) {
            double shift = 0, x, both = 0;

            if (fit->weight[c * fit->n + k] <= 0)
                continue;
            x = level(fit, strong, c, k);
            for (size_t b = 0; free_sizes && b < fit->nclasses; b++)
                if (fit->weight[b * fit->n + k] > 0 &&
                    fit->weight[b * fit->n + last] > 0) {
                    shift +=
                        level(fit, strong, b, k) - level(fit, strong, b, last);
                    both++;
                }
            x -= both > 0 ? shift / both : 0;
            sum += x;
            sum2 += x * x;
            n++;
        }
        if (n > 0)
            squares += sum2 - sum * sum / n;
        count += n;
    }
    return count > 0 && squares > 0 ? sqrt(squares / count) : 0;
}

/* Of all sets of dimensions the one that leaves the bytes most alike; a larger
 * set must be better. */
static void choose_strong(struct grid_fit *fit)
{
    uint32_t ndims = fit->view[0]->grid->ndims,
             all = (UINT32_C(1) << ndims) - 1;
    const bool none[MAPCORE_GRID_MAX_DIMS] = {false};
    bool free_sizes = false;
    double best;

    for (int pass = 0; pass < 2; pass++) {
        memset(fit->strong, 0, sizeof(fit->strong));
        best = spread(fit, none, free_sizes);
        for (uint32_t bits = ndims > MOST_SUBSETS ? all : 1;
             fit->n > 1 && bits <= all; bits++) {
            bool strong[MAPCORE_GRID_MAX_DIMS] = {false};
            double now;

            for (uint32_t i = 0; i < ndims; i++)
                strong[i] = (bits >> i & 1) != 0;
            now = spread(fit, strong, free_sizes);
            if (now < best - BETTER) {
                best = now;
                memcpy(fit->strong, strong, sizeof(strong));
            }
        }
        if (best <= LOOSE)
            break;
        free_sizes = true;
    }
}

int grid_fit_make(struct grid_fit *out,
                  const struct grid_view *const *view,
                  size_t n,
                  struct mapcore_error *err)
{
    int error;

    out->view = view;
    out->n = n;
    if ((error = find_kinds(out, err)) < 0 ||
        (error = find_classes(out, err)) < 0)
        return error;
    if (out->nclasses == 0)
        return error_set(err, MAPCORE_ENOENT, "the grid has no edges");
    out->weight = array_alloc(out->nclasses * n, sizeof(*out->weight), err);
    if (!out->weight)
        return MAPCORE_ENOMEM;
    for (size_t c = 0; c < out->nclasses; c++)
        for (size_t k = 0; k < n; k++)
            out->weight[c * n + k] = weigh(out, &out->edge_class[c], k);
    choose_strong(out);
    return 0;
}

int grid_fit_design(struct mapcore_grid_design *design,
                    struct grid_fit *fit,
                    struct mapcore_error *err)
{
    uint32_t ndims = fit->view[0]->grid->ndims;

    free(fit->offset);
    fit->offset = array_alloc(fit->nclasses, sizeof(*fit->offset), err);
    if (!fit->offset)
        return MAPCORE_ENOMEM;
    memcpy(design->periodic, fit->periodic, sizeof(design->periodic));
    design->noffsets = 0;
    for (size_t c = 0; c < fit->nclasses; c++) {
        const struct grid_class *edge_class = &fit->edge_class[c];
        const struct mapcore_grid *from = fit->view[edge_class->at]->grid;
        double bytes = fit->weight[c * fit->n + edge_class->at] *
                       flatten(edge_class, from->dims, ndims, fit->strong) /
                       flatten(edge_class, design->dims, ndims, fit->strong);
        uint64_t whole = bytes < 1        ? 1
                         : bytes < 0x1p62 ? (uint64_t)(bytes + 0.5)
                                          : UINT64_C(1) << 62;

        if (edge_class->group == MAPCORE_NONE) {
            memcpy(fit->offset[design->noffsets].step, edge_class->step,
                   sizeof(edge_class->step));
            fit->offset[design->noffsets++].bytes = whole;
        } else {
            design->group_bytes[edge_class->group] = whole;
        }
    }
    design->offset = fit->offset;
    return 0;
}

void grid_fit_clear(struct grid_fit *fit)
{
    free(fit->edge_class);
    free(fit->weight);
    free(fit->offset);
}
