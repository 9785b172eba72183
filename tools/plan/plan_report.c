/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_report.c - what was planned, as topomap report draws it */
#include "config.h"

#include "tools/plan/plan_print.h"

#include "base/buffer.h"
#include "profiles/detached.h"
#include "tools/draw/draw_options.h"
#include "tools/draw/scene.h"

#include <stdlib.h>
#include <unistd.h>

/* A page of 65,536 ranks takes some seconds. */
enum { PAGE_S = 300 };

static int add_side(struct draw_subject *subject,
                    const char *title,
                    const struct planner *planner,
                    const uint32_t *host,
                    const uint32_t *slot,
                    struct mapcore_error *err)
{
    struct mapcore_mapping *mapping;
    int error = mapcore_mapping_create(&mapping, planner->machine.alloc,
                                       planner->facts->ntasks, host, slot, err);

    return error < 0 ? error
                     : eval_mapping_take(&subject->side[subject->nsides++],
                                         title, mapping, &subject->inputs,
                                         MAPCORE_ROUTES_STATIC, err);
}

/* What was recorded is drawn, not the weights that the search went by; but a
 * size that never ran has only these. */
static struct draw_subject begin_subject(const struct planner *planner)
{
    const struct plan_sources *sources = &planner->sources;
    const bool is_recorded = sources->profile && !planner->graph.prediction;

    return (struct draw_subject){
        .inputs = {.source.path = is_recorded ? sources->entry.path
                                              : planner_subject(planner),
                   .graph = planner->graph.task_graph,
                   .topo = planner->machine.topo,
                   .alloc = planner->machine.alloc,
                   .hwnode = planner->machine.hwnode},
        .folder = is_recorded ? sources->entry.path : NULL,
        .profile = is_recorded ? sources->profile : NULL,
    };
}

static int draw_page(struct buffer *out,
                     const struct planner *planner,
                     struct mapcore_error *err)
{
    struct eval_mapping side[2] = {{0}, {0}};
    struct draw_options options = {.subject = begin_subject(planner)};
    struct draw_subject *subject = &options.subject;
    struct traffic traffic = {0};
    struct scene scene = {
        .picture = "report", .subject = subject, .traffic = &traffic};
    int error;

    subject->side = side;
    error = add_side(subject, "Slurm", planner, planner->facts->baseline, NULL,
                     err);
    if (error == 0)
        error =
            add_side(subject, "topomap", planner, planner->result.mapping->host,
                     planner->result.mapping->slot, err);
    if (error == 0)
        error = draw_options_traffic(&traffic, &scene.type, &options, err);
    if (error == 0)
        error = scene_draw(out, &scene, err);
    traffic_clear(&traffic);
    for (size_t i = 0; i < subject->nsides; i++)
        eval_mapping_clear(&side[i]);
    return error;
}

int plan_report_write(const struct planner *planner,
                      const char *path,
                      struct mapcore_error *err)
{
    struct tool_output output = {0};
    struct buffer page = {0};
    int error;

    if (!planner->has_result)
        return error_set(err, MAPCORE_ENOENT,
                         "%.300s: there is nothing to draw: %s", path,
                         planner->plan.reason);
    if ((error = tool_output_open(&output, path, err)) == 0 &&
        (error = draw_page(&page, planner, err)) == 0) {
        fwrite(page.bytes, 1, page.n, output.file);
        error = tool_output_commit(&output, err);
    }
    buffer_clear(&page);
    tool_output_abandon(&output);
    return error;
}

void plan_report_leave(struct planner *planner, const char *path)
{
    struct tool_output output = {0};
    struct mapcore_error err;

    if (!planner->has_result)
        return; /* the reason says what there is to say */
    if (tool_output_open(&output, path, &err) < 0) {
        (void)planner_say(planner, NULL, "%s; no report: %s",
                          planner->plan.reason, err.text);
        return;
    }
    tool_output_abandon(&output);
    if (detached_fork(PAGE_S) == 0) {
        (void)plan_report_write(planner, path, &err);
        _exit(0);
    }
}
