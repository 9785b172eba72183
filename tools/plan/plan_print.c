/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_print.c - a plan as text for people, JSON, the wire, or another
 * launcher's file */
#include "config.h"

#include "tools/plan/plan_print.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/wire.h"
#include "profiles/detached.h"
#include "tools/draw/draw_options.h"
#include "tools/draw/scene.h"
#include "tools/map_report.h"
#include "tools/plan/plan_file.h"
#include "tools/table/answer.h"
#include "tools/table/quantity.h"
#include "json/json.h"

#include <stdlib.h>
#include <unistd.h>

/* What a recording says of its tasks is of this run, too: nothing predicts it
 * for another size. */
static bool has_recorded_seconds(const struct planner *planner)
{
    return planner->sources.profile && !planner->graph.prediction;
}

static void put_metrics(struct json_writer *writer,
                        const struct planner *planner)
{
    const struct mapcore_result *result = &planner->result;
    const double *ms = planner->plan.milliseconds;
    char schedule[SEARCH_SCHEDULE_TEXT], mapper[SEARCH_MAPPER_TEXT];

    timed_search_print_schedule(schedule, &result->schedule);
    timed_search_print_mapper(mapper, result);
    json_put_string(writer, "candidate", mapper);
    json_put_u64(writer, "seed", planner->parameters.seed);
    json_put_u64(writer, "work", result->work);
    json_put_string(writer, "schedule", schedule);
    json_put_bool(writer, "interrupted", result->interrupted);
    if (planner->made[0] != '\0')
        json_put_string(writer, "cached", planner->made);
    if (planner->warm_from[0] != '\0')
        json_put_string(writer, "carried_over_from", planner->warm_from);
    json_put_u64(writer, "threads", planner->parameters.threads);
    report_json(writer, &result->metrics, planner->machine.alloc);
    if (planner->machine.hwnode)
        report_inside_json(writer, &result->inside);
    report_max_json(writer, &result->metrics);
    json_begin_object(writer, "baseline");
    report_json(writer, &result->baseline, planner->machine.alloc);
    report_max_json(writer, &result->baseline);
    if (planner->machine.hwnode)
        report_inside_json(writer, &result->baseline_inside);
    json_end_object(writer);
    json_begin_object(writer, "milliseconds");
    json_put_double(writer, "catalogue", ms[0]);
    json_put_double(writer, "topology", ms[1]);
    json_put_double(writer, "mapping", ms[2]);
    json_end_object(writer);
}

/* What the tasks of the recording spent in MPI: on average, and the extremes
 * when they are known. */
static void put_recorded_seconds(struct json_writer *writer,
                                 const struct planner *planner)
{
    const struct profile *profile = planner->sources.profile;

    if (!has_recorded_seconds(planner))
        return;
    json_begin_object(writer, "recorded");
    profile_put_span(writer, &profile->task_seconds);
    json_begin_array(writer, "types");
    for (size_t i = 0; i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];

        json_begin_object(writer, NULL);
        json_put_string(writer, "type", type->name);
        json_put_double(writer, "mean_seconds",
                        type->seconds / profile_tasks_seen(profile));
        profile_put_span(writer, &type->task_seconds);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_end_object(writer);
}

static int put_ranks(struct json_writer *writer, const struct planner *planner)
{
    uint32_t *ranks, *first;
    int error = plan_order(&ranks, &first, &planner->plan, planner->err);

    if (error < 0)
        return error;
    json_begin_array(writer, "nodes");
    for (uint32_t h = 0; h < planner->plan.nhosts; h++) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "node", planner->machine.hosts.name[h]);
        json_begin_array(writer, "ranks");
        for (uint32_t i = first[h]; i < first[h + 1]; i++)
            json_put_u64(writer, NULL, ranks[i]);
        json_end_array(writer);
        json_end_object(writer);
    }
    json_end_array(writer);
    free(ranks);
    free(first);
    return 0;
}

/* In the unit of the slowest link's capacity. */
static void put_unit(struct json_writer *writer,
                     const struct mapcore_metrics *metrics,
                     const struct mapcore_topo *topo)
{
    const uint32_t link = metrics->max_time_link;

    json_put_string(
        writer, NULL,
        quantity_time_name(!mapcore_topo_has_capacities(topo) ? QUANTITY_BYTES
                           : link == MAPCORE_NONE ||
                                   mapcore_topo_link_capacity(topo, link) >=
                                       QUANTITY_RATE_LEAST
                               ? QUANTITY_SECONDS
                               : QUANTITY_BARE));
}

/* What people see of it, too. */
static void put_about(struct json_writer *writer,
                      const struct planner *planner,
                      const struct mapcore_facts *facts)
{
    const struct mapcore_graph *graph = planner->graph.task_graph;
    const struct plan_machine *machine = &planner->machine;

    json_begin_object(writer, "about");
    json_put_string(writer, "name", planner->sources.name);
    json_put_u64(writer, "nhosts", facts->nhosts);
    json_put_string(writer, "nodelist", facts->nodelist);
    json_put_bool(writer, "has_own_root", planner->sources.own_root != NULL);
    json_put_string(writer, "rule", planner->graph.rule);
    json_put_string(writer, "no_prediction", planner->graph.no_prediction.text);
    if (graph) {
        json_put_u64(writer, "pairs", mapcore_graph_nedges(graph));
        json_put_u64(writer, "bytes", mapcore_graph_bytes(graph));
    }
    json_put_bool(writer, "in_order", machine->in_order);
    json_put_string(writer, "inside", machine->inside);
    json_put_string(writer, "inside_from", machine->inside_from);
    json_begin_array(writer, "time_units");
    if (planner->has_result) {
        put_unit(writer, &planner->result.baseline, machine->topo);
        put_unit(writer, &planner->result.metrics, machine->topo);
    }
    json_end_array(writer);
    json_end_object(writer);
}

static int print_view(const struct planner *planner,
                      FILE *file,
                      struct answer_form form,
                      bool says_all)
{
    /* A launch whose facts cannot be read has a plan, too. */
    const struct mapcore_facts none = {.ntasks = 0};
    const struct mapcore_facts *facts = planner->facts ? planner->facts : &none;
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, file, &form, "plan", ANSWER_ONE_ROW);
    int error = 0;

    json_put_string(writer, "outcome",
                    outcome_word(outcome_of_plan(planner->plan.outcome)));
    json_put_string(writer, "reason", planner->plan.reason);
    json_put_string(writer, "what_else", planner->plan.advice);
    json_put_string(writer, "decided_by",
                    planner->plan.outcome == MAPCORE_PLAN_PLACED
                        ? mapcore_plan_decision_name(planner->plan.decided_by)
                        : NULL);
    json_put_string(writer, "program", planner->sources.executable);
    json_put_string(writer, "identity",
                    planner->sources.identity[0] != '\0'
                        ? planner->sources.identity
                        : NULL);
    json_put_u64(writer, "ntasks", facts->ntasks);
    json_begin_array(writer, "catalogues");
    for (size_t i = 0; i < planner->sources.roots.n; i++)
        json_put_string(writer, NULL, planner->sources.roots.item[i]);
    json_end_array(writer);
    json_put_string(writer, "profile", planner->sources.entry.path);
    json_put_bool(writer, "other_build", planner->sources.entry.other_build);
    json_put_string(writer, "graph", planner->graph.name);
    json_put_string(writer, "prediction", planner->graph.prediction);
    json_put_string(writer, "topology",
                    planner->machine.topo
                        ? mapcore_topo_describe(planner->machine.topo)
                        : NULL);
    json_put_string(writer, "topology_source", planner->machine.source);
    put_recorded_seconds(writer, planner);
    if (planner->has_result) {
        put_metrics(writer, planner);
        char key[QUANTITY_TEXT];

        json_begin_object(
            writer, quantity_time_key(key, "estimate", planner->estimate_unit));
        json_put_double(writer, "slurm", planner->estimate[0]);
        json_put_double(writer, "found", planner->estimate[1]);
        json_end_object(writer);
    }
    if (planner->plan.outcome == MAPCORE_PLAN_PLACED)
        error = put_ranks(writer, planner);
    if (says_all)
        put_about(writer, planner, facts);
    return answer_end(&answer, error, planner->err);
}

/* An older plugin would refuse the line. */
static void name_network(char *text, size_t n, const struct planner *planner)
{
    const struct plan_machine *machine = &planner->machine;

    text[0] = '\0';
    if (planner->facts && planner->facts->on_request && machine->topo)
        snprintf(text, n, "%.400s (%.400s)",
                 mapcore_topo_describe(machine->topo), machine->source);
}

static int print_wire(const struct planner *planner)
{
    struct mapcore_plan plan = planner->plan;
    char *text = NULL, network[PLAN_NETWORK_MOST];
    int error;

    name_network(network, sizeof(network), planner);
    plan.network = network[0] != '\0' ? network : NULL;
    if ((error = mapcore_plan_format(&text, &plan, planner->err)) < 0)
        return error;
    fputs(text, stdout);
    free(text);
    return 0;
}

static int print_file(const struct planner *planner)
{
    char *text = NULL;
    int error =
        plan_file_format(&text, planner->facts, &planner->plan, planner->err);

    if (error < 0)
        return error;
    fputs(text, stdout);
    free(text);
    return 0;
}

/* MPICH_RANK_ORDER goes by the ranks of Slurm's own layout: nodes in the order
 * in which it fills them. */
static int number_hosts(uint32_t **out,
                        const struct mapcore_plan *plan,
                        const struct mapcore_facts *facts,
                        struct mapcore_error *err)
{
    uint32_t *number = array_alloc(facts->nhosts, sizeof(*number), err);
    uint32_t *host = array_alloc(facts->ntasks, sizeof(*host), err);
    uint32_t n = 0;

    if (number && host) {
        for (uint32_t r = 0; r < facts->ntasks; r++)
            if (number[facts->baseline[r]] == 0)
                number[facts->baseline[r]] = ++n;
        for (uint32_t r = 0; r < facts->ntasks; r++)
            host[r] = number[plan->host[r]] - 1;
        *out = host;
        host = NULL;
    }
    free(number);
    free(host);
    return *out ? 0 : MAPCORE_ENOMEM;
}

static int print_form(const struct planner *planner,
                      enum mapcore_plan_form form)
{
    const struct mapcore_facts *facts = planner->facts;
    const char *const *names = (const char *const *)planner->machine.hosts.name;
    struct mapcore_plan own = planner->plan;
    uint32_t *slot = NULL, *host = NULL;
    int error = 0;

    if (planner->plan.outcome != MAPCORE_PLAN_PLACED) {
        tool_note("this is Slurm's own layout: %s", planner->plan.reason);
        own.outcome = MAPCORE_PLAN_PLACED;
        own.host = facts->baseline;
        error = plan_own_slots(&slot, facts, planner->err);
        own.slot = slot;
    }
    if (error == 0 && form == MAPCORE_PLAN_MPICH &&
        (error = number_hosts(&host, &own, facts, planner->err)) == 0)
        own.host = host;
    if (error == 0)
        error = mapcore_plan_write(&own, form, names, stdout, planner->err);
    free(slot);
    free(host);
    return error;
}

int plan_print_all(const struct planner *planner, FILE *file)
{
    return print_view(planner, file, (struct answer_form){.json = true}, true);
}

int plan_print(const struct planner *planner, enum plan_format format)
{
    switch (format) {
    case PLAN_TEXT:
    case PLAN_JSON:
    case PLAN_CSV:
        return print_view(
            planner, stdout,
            (struct answer_form){format == PLAN_JSON, format == PLAN_CSV},
            format == PLAN_TEXT);
    case PLAN_WIRE:
        return print_wire(planner);
    case PLAN_HOSTFILE:
        return print_form(planner, MAPCORE_PLAN_HOSTFILE);
    case PLAN_RANKFILE:
        return print_form(planner, MAPCORE_PLAN_RANKFILE);
    case PLAN_MPICH:
        return print_form(planner, MAPCORE_PLAN_MPICH);
    case PLAN_FILE:
        return print_file(planner);
    }
    return error_set(planner->err, MAPCORE_EINVAL, "no such format");
}

/* A page of 65,536 ranks takes some seconds. */
enum { PAGE_S = 300 };

static int add_side(struct draw_subject *subject,
                    const char *title,
                    const struct planner *planner,
                    const uint32_t *host,
                    const uint32_t *slot)
{
    struct mapcore_mapping *mapping;
    int error = mapcore_mapping_create(&mapping, planner->machine.alloc,
                                       planner->facts->ntasks, host, slot,
                                       subject->err);

    return error < 0 ? error
                     : eval_mapping_take(&subject->side[subject->nsides++],
                                         title, mapping, &subject->inputs,
                                         MAPCORE_ROUTES_STATIC, subject->err);
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

static int draw_page(struct buffer *out, const struct planner *planner)
{
    struct eval_mapping side[2] = {{0}, {0}};
    struct draw_options options = {.subject = begin_subject(planner)};
    struct draw_subject *subject = &options.subject;
    struct traffic traffic = {.err = planner->err};
    struct scene scene = {
        .picture = "report", .subject = subject, .traffic = &traffic};
    int error;

    subject->err = planner->err;
    subject->side = side;
    error = add_side(subject, "Slurm", planner, planner->facts->baseline, NULL);
    if (error == 0)
        error =
            add_side(subject, "topomap", planner, planner->result.mapping->host,
                     planner->result.mapping->slot);
    if (error == 0)
        error = draw_options_traffic(&traffic, &scene.type, &options);
    if (error == 0)
        error = scene_draw(out, &scene, planner->err);
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
        (error = draw_page(&page, planner)) == 0)
        fwrite(page.bytes, 1, page.n, output.file);
    buffer_clear(&page);
    return tool_output_end(&output, error, err);
}

void plan_report_leave(struct planner *planner, const char *path)
{
    struct tool_output output = {0};
    struct mapcore_error err;

    if (!planner->has_result)
        return; /* the reason says what there is to say */
    if (tool_output_open(&output, path, &err) < 0) {
        (void)planner_say(planner, MESSAGE_NO_PAGE, planner->plan.reason,
                          err.text);
        return;
    }
    tool_output_abandon(&output);
    if (detached_fork(PAGE_S) == 0) {
        (void)plan_report_write(planner, path, &err);
        _exit(0);
    }
}
