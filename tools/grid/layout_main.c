/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layout_main.c - topomap grid layout: Adaptive Layout, who owns which part of
 * a lattice */
#include "config.h"

#include "tools/common/command_line.h"

#include "alloc/alloc.h"
#include "base/array.h"
#include "cart/adaptive.h"
#include "tools/grid/routers.h"
#include "tools/rank_order.h"
#include "tools/table/answer.h"

#include <stdlib.h>
#include <string.h>

struct layout_options {
    struct routers_source source;
    uint32_t lattice[4];
    bool periodic[4];
    uint32_t longest; /* hops; 0: not said */
    const char *tasks, *output;
    struct answer_form form;
};

struct work {
    struct routers routers;
    struct mapcore_adaptive_problem problem;
    struct mapcore_adaptive layout;
};

static int take_lattice(void *at, const char *text, struct mapcore_error *err)
{
    uint32_t n, *lattice = at;

    if (!rank_order_take_box(lattice, &n, 4, text) || n != 4)
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not four numbers, such as 84x84x84x144",
                         text);
    return 0;
}

static int take_periodic(void *at, const char *text, struct mapcore_error *err)
{
    if (!routers_take_periodic(at, 4, text))
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not four times 0 or 1, such as 1,1,1,0",
                         text);
    return 0;
}

static const struct option_row rows[] = {
    {OPTION("grid", "XxYxZxT"),
     OPTION_CALL_INTO(struct layout_options, lattice, take_lattice),
     .required = true},
    {OPTION_TAKES("tasks-per-node", "COUNTS", struct layout_options, tasks),
     .required = true},
    {OPTION("periodic", "B,B,B,B"),
     OPTION_CALL_INTO(struct layout_options, periodic, take_periodic)},
    {OPTION_TAKES("longest", "HOPS", struct layout_options, longest), .min = 1,
     .max = INT32_MAX},
    {OPTION_NAMED("json", struct layout_options, form.json)},
    {OPTION_NAMED("csv", struct layout_options, form.csv)},
    {OPTION_TAKES("output", "FILE", struct layout_options, output),
     .letter = 'o'},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid layout",
    .groups = {{routers_rows, offsetof(struct layout_options, source)},
               {rows, 0}},
};

/* Where each node is, and the tasks that it has: both due to be freed. */
static int place_tasks(struct work *work,
                       uint32_t **slots,
                       uint32_t (**at)[3],
                       const struct layout_options *options,
                       struct mapcore_error *err)
{
    const struct routers *routers = &work->routers;
    uint32_t n = routers->nnodes;

    *slots = array_alloc(n, sizeof(**slots), err);
    *at = array_alloc(n, sizeof(**at), err);
    if (!*slots || !*at)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++)
        routers_place((*at)[i], routers, routers->router[i]);
    work->problem = (struct mapcore_adaptive_problem){
        .nnodes = n,
        .at = (const uint32_t(*)[3]) * at,
        .tasks = *slots,
        .most_hops = options->longest,
    };
    memcpy(work->problem.ring, routers->ring, sizeof(routers->ring));
    memcpy(work->problem.lattice, options->lattice, sizeof(options->lattice));
    memcpy(work->problem.periodic, options->periodic,
           sizeof(options->periodic));
    return mapcore_slots_parse(*slots, n, options->tasks, err);
}

static void put_head(struct json_writer *writer, const struct work *work)
{
    const struct mapcore_adaptive *layout = &work->layout;

    json_put_string(writer, "topology",
                    mapcore_topo_describe(work->routers.topo));
    json_put_u64(writer, "nodes", work->routers.nnodes);
    json_put_numbers(writer, "lattice", work->problem.lattice, 4);
    json_put_numbers(writer, "blocks", layout->blocks, 4);
    json_put_u64(writer, "tasks", layout->ntasks);
    json_put_double(writer, "imbalance", layout->imbalance);
    json_put_u64(writer, "longest_path", layout->longest);
    json_put_double(writer, "mean_path", layout->mean_path);
    json_put_u64(writer, "unclaimed", layout->unclaimed);
    json_put_u64(writer, "moved", layout->moved);
}

/* First and last sites of a part of a block, along each dimension, and its
 * rank; the parts that one task owns are one. */
static void put_parts(struct json_writer *writer, const struct work *work)
{
    const struct mapcore_adaptive *layout = &work->layout;

    for (uint32_t p = 0, next; p < layout->nparts; p = next) {
        uint32_t range[4][2], row[9];

        for (next = p + 1; next % MAPCORE_ADAPTIVE_PARTS > 0 &&
                           layout->owner[next] == layout->owner[p];)
            next++;
        if (mapcore_adaptive_sites(range, layout, &work->problem, p,
                                   next - p) == 0)
            continue;
        for (int i = 0; i < 4; i++) {
            row[2 * i] = range[i][0];
            row[2 * i + 1] = range[i][1] - 1;
        }
        row[8] = layout->owner[p];
        json_put_numbers(writer, NULL, row, 9);
    }
}

static int print(const struct work *work,
                 const struct answer_form *form,
                 FILE *file,
                 struct mapcore_error *err)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, file, form, "layout", NULL);

    put_head(writer, work);
    json_begin_array(writer, "parts");
    put_parts(writer, work);
    return answer_end(&answer, 0, err);
}

static int run(const struct layout_options *options, struct mapcore_error *err)
{
    struct work work = {.routers.err = err, .layout = {.owner = NULL}};
    uint32_t *slots = NULL, (*at)[3] = NULL;
    struct tool_output output = {0};
    int error = routers_open(&work.routers, &options->source);

    if (error < 0)
        return error;
    if ((error = place_tasks(&work, &slots, &at, options, err)) < 0 ||
        (error = mapcore_adaptive_layout(&work.layout, &work.problem, err)) <
            0 ||
        (error = tool_output_open(&output, options->output, err)) < 0)
        goto out;
    error = tool_output_end(
        &output, print(&work, &options->form, output.file, err), err);
out:
    mapcore_adaptive_clear(&work.layout);
    free(slots);
    free(at);
    routers_clear(&work.routers);
    return error;
}

int grid_layout_main(int argc, char **argv, struct mapcore_error *err)
{
    struct layout_options options = {.tasks = NULL};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = routers_check_options(&options.source, "grid layout");
    return status != TOOL_OK ? status : run(&options, err);
}
