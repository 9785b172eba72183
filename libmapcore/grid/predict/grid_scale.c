/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_scale.c - from the grids of some sizes to the grid of another: which
 * rule made the dimensions, what the steps are, what becomes of their bytes */
#include "config.h"

#include "grid/predict/grid_scale.h"

#include "base/array.h"
#include "graph/csr.h"
#include "grid/find/grid_find.h"
#include "grid/grid_make.h"
#include "grid/predict/grid_fit.h"
#include "grid/predict/grid_rules.h"

#include <stdlib.h>
#include <string.h>

/* Fewer tasks look like anything. */
#define LEAST_TASKS 8
/* A prediction from less than this share of the bytes is none. */
#define LEAST_SHARE 0.9
/* Steps may be this much longer under a rule than in the grid that was found:
 * other dimensions than the true ones turn neighbours into long steps. */
#define LONGER 1.05

/* A recorded size: its graph, the grid found in it, and the one of the rule. */
struct size {
    const struct mapcore_graph *graph;
    struct mapcore_grid *found;
    double found_length;
    struct grid_view view;
};

struct scale {
    struct mapcore_error *err; /* of the caller */
    size_t n;
    struct size *size; /* [n] ascending */
    uint32_t ntasks;
    struct grid_rule rule;
    double explained; /* share of the bytes that the design gives back */
    double length;
};

static void clear(struct scale *scale)
{
    for (size_t k = 0; k < scale->n; k++) {
        mapcore_grid_destroy(scale->size[k].found);
        grid_view_clear(&scale->size[k].view);
    }
    free(scale->size);
}

/* Where the ranks do not count through the grid, their numbering at another
 * size is anybody's guess. */
static int find_grids(struct scale *scale,
                      const struct mapcore_graph *const *graphs)
{
    for (size_t k = 0; k < scale->n; k++) {
        struct size *size = &scale->size[k];
        int error;

        size->graph = graphs[k];
        if (k > 0 && graphs[k]->ntasks <= graphs[k - 1]->ntasks)
            return error_set(scale->err, MAPCORE_EINVAL,
                             "sizes to predict from do not ascend");
        if ((error = mapcore_grid_find(&size->found, size->graph, scale->err)) <
            0)
            return error;
        if (!size->found->by_rank)
            return error_set(scale->err, MAPCORE_ENOENT,
                             "the ranks of the grid of %u tasks are in an "
                             "order of their own",
                             graphs[k]->ntasks);
        size->found_length = grid_mean_step(size->found);
    }
    return 0;
}

/* Whether the rule makes every size's dimensions, and those are the grid's.
 * Leaves the views of all sizes. */
static int try_rule(bool *fits,
                    struct scale *scale,
                    const struct grid_rule *rule)
{
    uint32_t dims[MAPCORE_GRID_MAX_DIMS];

    *fits = false;
    scale->length = 0;
    for (size_t k = 0; k < scale->n; k++) {
        struct size *size = &scale->size[k];
        int error;

        grid_view_clear(&size->view);
        if (!grid_rule_apply(dims, rule, size->graph->ntasks))
            return 0;
        if ((error = grid_view_open(&size->view, size->graph, rule->ndims, dims,
                                    scale->err)) < 0)
            return error;
        if (size->view.share < LEAST_SHARE ||
            size->view.length > LONGER * size->found_length)
            return 0;
        scale->length += size->view.length;
    }
    *fits = true;
    return 0;
}

/* The first rule that explains all sizes with this number of dimensions. */
static int find_rule_of(bool *found,
                        struct scale *scale,
                        uint32_t ndims,
                        enum mapcore_scale_mpi mpi)
{
    const struct mapcore_grid *last = scale->size[scale->n - 1].found;
    uint32_t most = scale->n == 1          ? GRID_RULES_CREATE
                    : last->ndims == ndims ? GRID_RULES_ALL
                                           : GRID_RULES_BALANCED;
    struct grid_rule rule;
    int error = 0;

    *found = false;
    for (uint32_t i = 0; error == 0 && !*found &&
                         grid_rule_get(&rule, i, most, ndims, last->dims, mpi);
         i++)
        error = try_rule(found, scale, &rule);
    if (error == 0 && *found)
        scale->rule = rule;
    return error;
}

/* With the numbers of dimensions that were found; of several, the one with the
 * shortest steps. */
static int find_rule(struct scale *scale, enum mapcore_scale_mpi mpi)
{
    uint32_t seen = 0;
    struct grid_rule best = {0};
    double length = 0;
    bool found, any = false;
    char text[80];
    int error;

    for (size_t k = scale->n; k-- > 0;) {
        uint32_t ndims = scale->size[k].found->ndims;

        if (seen & UINT32_C(1) << ndims)
            continue;
        seen |= UINT32_C(1) << ndims;
        if ((error = find_rule_of(&found, scale, ndims, mpi)) < 0)
            return error;
        if (found && (!any || scale->length < length * (1 - 1e-9))) {
            any = true;
            best = scale->rule;
            length = scale->length;
        }
    }
    if (!any) {
        mapcore_grid_describe(scale->size[scale->n - 1].found, text,
                              sizeof(text));
        return error_set(scale->err, MAPCORE_ENOENT,
                         "no rule that is known makes the grid %s of %u tasks"
                         "%s",
                         text, scale->size[scale->n - 1].graph->ntasks,
                         scale->n > 1 ? " and those of the other sizes" : "");
    }
    scale->rule = best;
    return try_rule(&found, scale, &best);
}

/* What two graphs have in common: of each edge the lesser of its shares. */
static double alike(const struct mapcore_graph *x,
                    const struct mapcore_graph *y)
{
    double sum = 0;

    for (uint32_t t = 0; t < x->ntasks; t++)
        for (size_t a = x->row[t], b = y->row[t];
             a < x->row[t + 1] && b < y->row[t + 1];) {
            if (x->task[a] < y->task[b]) {
                a++;
            } else if (x->task[a] > y->task[b]) {
                b++;
            } else {
                double p = (double)x->bytes[a++] / (double)x->total;
                double q = (double)y->bytes[b++] / (double)y->total;

                sum += (p < q ? p : q) / 2;
            }
        }
    return sum;
}

/* The same design must give back the graphs that are known. */
static int confirm(struct scale *scale, struct grid_fit *fit)
{
    scale->explained = 1;
    for (size_t k = 0; k < scale->n; k++) {
        const struct size *size = &scale->size[k];
        struct mapcore_grid_design design = {.ndims = scale->rule.ndims};
        struct mapcore_graph *graph = NULL;
        double share;
        int error;

        memcpy(design.dims, size->view.grid->dims, sizeof(design.dims));
        if ((error = grid_fit_design(&design, fit, scale->err)) < 0 ||
            (error = mapcore_grid_make(&graph, &design, scale->err)) < 0)
            return error;
        share = alike(graph, size->graph);
        mapcore_graph_destroy(graph);
        if (share < LEAST_SHARE)
            return error_set(scale->err, MAPCORE_ENOENT,
                             "the grid of the other sizes gives back %.0f%% of "
                             "the bytes of %u tasks",
                             100 * share, size->graph->ntasks);
        if (share < scale->explained)
            scale->explained = share;
    }
    return 0;
}

static int predict(struct mapcore_scaled *out, struct scale *scale)
{
    const struct grid_view **view =
        array_alloc(scale->n, sizeof(const struct grid_view *), scale->err);
    struct mapcore_grid_design design = {.ndims = scale->rule.ndims};
    struct grid_fit fit = {0};
    int error;

    if (!view)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < scale->n; k++)
        view[k] = &scale->size[k].view;
    if ((error = grid_fit_make(&fit, view, scale->n, scale->err)) < 0 ||
        (error = confirm(scale, &fit)) < 0)
        goto out;
    if (!grid_rule_apply(design.dims, &scale->rule, scale->ntasks)) {
        error =
            error_set(scale->err, MAPCORE_ENOENT,
                      "%s makes no grid of %u tasks", out->rule, scale->ntasks);
        goto out;
    }
    if ((error = grid_fit_design(&design, &fit, scale->err)) < 0 ||
        (error = mapcore_grid_make(&out->graph, &design, scale->err)) < 0)
        goto out;
    out->explained = scale->explained;
    memcpy(out->dims, design.dims, sizeof(out->dims));
    memcpy(out->periodic, design.periodic, sizeof(out->periodic));
    memcpy(out->strong, fit.strong, sizeof(out->strong));
out:
    grid_fit_clear(&fit);
    free(view);
    return error;
}

int mapcore_grid_scale(struct mapcore_scaled *out,
                       const struct mapcore_graph *const *graphs,
                       size_t ngraphs,
                       uint32_t ntasks,
                       enum mapcore_scale_mpi mpi,
                       struct mapcore_error *err)
{
    struct scale scale = {.err = err, .n = ngraphs, .ntasks = ntasks};
    struct mapcore_scaled made = {0};
    int error;

    if (ngraphs == 0 || ntasks == 0)
        return error_set(err, MAPCORE_EINVAL, "nothing to predict from");
    if (graphs[ngraphs - 1]->ntasks < LEAST_TASKS)
        return error_set(err, MAPCORE_ENOENT,
                         "%u tasks are too few to tell a grid",
                         graphs[ngraphs - 1]->ntasks);
    scale.size = array_alloc(ngraphs, sizeof(*scale.size), err);
    if (!scale.size)
        return MAPCORE_ENOMEM;
    if ((error = find_grids(&scale, graphs)) < 0 ||
        (error = find_rule(&scale, mpi)) < 0)
        goto out;
    made.ndims = scale.rule.ndims;
    grid_rule_describe(&scale.rule, made.rule, sizeof(made.rule));
    if ((error = predict(&made, &scale)) == 0)
        *out = made;
out:
    clear(&scale);
    return error;
}
