/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_show.c - the history for people, a line a step, or as JSON; and where
 * the ranks of a step were */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/buffer.h"
#include "base/hosts.h"
#include "base/text.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/runs.h"
#include "profiles/history/history_cpus.h"
#include "tools/common/csv.h"
#include "tools/common/tool.h"
#include "tools/plan/plan_file.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *or_dash(const char *text)
{
    return text && *text ? text : "-";
}

/* "22 Nov 03:12" where it is. */
static void put_when(char *text, size_t size, double at_s)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr",
                                         "May", "Jun", "Jul", "Aug",
                                         "Sep", "Oct", "Nov", "Dec"};
    time_t at = (time_t)at_s;
    struct tm tm;

    if (localtime_r(&at, &tm))
        snprintf(text, size, "%2d %s %02d:%02d", tm.tm_mday, months[tm.tm_mon],
                 tm.tm_hour, tm.tm_min);
    else
        snprintf(text, size, "-");
}

static void put_links(char *text, size_t size, const struct history_line *step)
{
    if (step->links_before < 0 || step->links_after < 0)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.3g -> %.3g", step->links_before,
                 step->links_after);
}

static void show_line(const struct history_line *step)
{
    char job[32], when[32], links[48], seconds[32] = "-", tasks[16] = "-",
                                       nodes[16] = "-";

    snprintf(job, sizeof(job), "%u.%u", step->job, step->step);
    put_when(when, sizeof(when), step->at_s);
    put_links(links, sizeof(links), step);
    if (step->seconds >= 0)
        snprintf(seconds, sizeof(seconds), "%.1f", step->seconds);
    if (step->ntasks > 0)
        snprintf(tasks, sizeof(tasks), "%" PRIu32, step->ntasks);
    if (step->nnodes > 0)
        snprintf(nodes, sizeof(nodes), "%" PRIu32, step->nnodes);
    tool_print("%-11s %-12s  %-12s %7s %6s  %-8s  %-16s %9s  %s\n", job, when,
               or_dash(step->program), tasks, nodes, or_dash(step->outcome),
               links, seconds, or_dash(step->why));
}

static int show_json(const struct history_line *step, struct mapcore_error *err)
{
    char *text = NULL;
    int error = history_line_format(&text, step, err);

    if (error == 0)
        fputs(text, stdout);
    free(text);
    return error;
}

static void csv_head(void)
{
    puts("job,step,time,program,ntasks,nnodes,outcome,"
         "links_per_byte_before,links_per_byte_after,seconds,why");
}

static void csv_line(const struct history_line *step)
{
    printf("%u,%u,", step->job, step->step);
    csv_put_name(step->time ? step->time : "");
    putchar(',');
    csv_put_name(step->program ? step->program : "");
    csv_put_exact(step->ntasks > 0, step->ntasks);
    csv_put_exact(step->nnodes > 0, step->nnodes);
    putchar(',');
    csv_put_name(step->outcome ? step->outcome : "");
    csv_put_number(step->links_before >= 0, step->links_before);
    csv_put_number(step->links_after >= 0, step->links_after);
    csv_put_number(step->seconds >= 0, step->seconds);
    putchar(',');
    csv_put_name(step->why ? step->why : "");
    putchar('\n');
}

/* In one line, as every refusal is: what was passed over may hold the step. */
static int no_such_step(const struct history *history, const char *operand)
{
    size_t lines = history->broken, files = history->refused;

    if (lines == 0 && files == 0)
        return tool_fail("there is no step %s in the history", operand);
    return tool_fail("there is no step %s in the history, of which %zu line%s "
                     "and %zu file%s cannot be read or trusted",
                     operand, lines, text_plural(lines), files,
                     text_plural(files));
}

int history_show(const struct history *history,
                 const struct history_options *options)
{
    struct mapcore_error err;
    bool headed = false;

    if (options->csv)
        csv_head();
    for (size_t i = 0; i < history->n; i++) {
        const struct history_line *step = &history->step[i];

        if (!history_wants(options, step))
            continue;
        if (options->csv) {
            csv_line(step);
            continue;
        }
        if (options->json && show_json(step, &err) < 0)
            return tool_fail("%s", err.text);
        if (options->json)
            continue;
        if (!headed)
            printf("%-11s %-12s  %-12s %7s %6s  %-8s  %-16s %9s  %s\n", "JOB",
                   "WHEN", "PROGRAM", "TASKS", "NODES", "OUTCOME", "LINKS/BYTE",
                   "SECONDS", "WHY");
        headed = true;
        show_line(step);
    }
    if (!headed && !options->json && !options->csv && options->operand)
        return no_such_step(history, options->operand);
    return TOOL_OK;
}

/* Node and slot of each rank; Slurm's own layout where nothing was moved. */
static int find_places(uint32_t **host,
                       uint32_t **slot,
                       const struct mapcore_plan *plan,
                       const struct mapcore_facts *facts,
                       struct mapcore_error *err)
{
    uint32_t n = facts->ntasks, *taken;

    if (plan->applies) {
        *host = plan->host;
        *slot = plan->slot;
        return 0;
    }
    taken = calloc(facts->nhosts, sizeof(*taken));
    *slot = calloc(n, sizeof(**slot));
    if (!taken || !*slot) {
        free(taken);
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    }
    *host = facts->baseline;
    for (uint32_t t = 0; t < n; t++)
        (*slot)[t] = taken[(*host)[t]]++;
    free(taken);
    return 0;
}

/* Why the CPUs of a step are not known. */
static const char *why_no_cpus(const struct history_line *step)
{
    if (step->nnodes > HISTORY_CPUS_NODES)
        return "its nodes are too many to be asked";
    if (step->seconds < 0)
        return "they are told when the step has ended";
    return step->cpus
               ? "others came after it"
               : "nobody asked (--topomap=...,cpus), or no node has told";
}

/* What is to be shown of each rank. */
struct rank_places {
    uint32_t *host, *slot;
    char **cpus; /* NULL, as each of them: not known */
};

static void print_head(const struct history_line *step,
                       const struct mapcore_plan *plan,
                       const struct rank_places *places)
{
    tool_print("job %u.%u: rank, node%s", step->job, step->step,
               plan->applies ? ", place in the node"
                             : " as Slurm put them, its order of places");
    if (places->cpus)
        puts(" and CPUs");
    else
        tool_print("; its CPUs are not known: %s\n", why_no_cpus(step));
}

static int print_places(const struct history_line *step,
                        const struct mapcore_plan *plan,
                        const struct mapcore_facts *facts,
                        char **cpus,
                        struct mapcore_error *err)
{
    struct hosts hosts = {0};
    struct rank_places places = {.cpus = cpus};
    int error = hosts_expand(&hosts, facts->nodelist, err);

    if (error == 0 && hosts.n != facts->nhosts)
        error = error_set(err, MAPCORE_EPARSE, "%zu nodes, not %u", hosts.n,
                          facts->nhosts);
    if (error == 0)
        error = find_places(&places.host, &places.slot, plan, facts, err);
    if (error == 0)
        print_head(step, plan, &places);
    for (uint32_t t = 0; error == 0 && t < facts->ntasks; t++)
        tool_print("%u %s %u %s\n", t, hosts.name[places.host[t]],
                   places.slot[t], or_dash(cpus ? cpus[t] : NULL));
    if (!plan->applies)
        free(places.slot);
    hosts_clear(&hosts);
    return error;
}

static int show_map(const struct history_line *step,
                    const struct own_folder *folder,
                    struct mapcore_error *err)
{
    struct mapcore_plan *plan = NULL;
    struct mapcore_facts *facts = NULL;
    char *text = NULL, **cpus = NULL;
    size_t n = 0;
    int error;

    if (!step->map)
        return error_set(
            err, MAPCORE_ENOENT, "no map of step %u.%u was kept: %s", step->job,
            step->step,
            step->outcome && strcmp(step->outcome, HISTORY_LEFT) == 0
                ? or_dash(step->why)
                : "nothing was planned, or it was too large");
    error = history_read_map(&text, &n, folder, step->map, err);
    if (error == MAPCORE_ENOENT)
        return error_set(err, error,
                         "the map of step %u.%u is no longer kept: others came "
                         "after it",
                         step->job, step->step);
    if (error == 0)
        error = plan_file_parse(&plan, &facts, step->map, text, n, err);
    if (error == 0 && step->cpus) {
        error =
            history_cpus_read(&cpus, folder, step->cpus, facts->ntasks, err);
        if (error == MAPCORE_ENOENT)
            error = 0;
    }
    if (error == 0)
        error = print_places(step, plan, facts, cpus, err);
    if (facts)
        history_cpus_free(cpus, facts->ntasks);
    mapcore_plan_destroy(plan);
    mapcore_facts_destroy(facts);
    free(text);
    return error;
}

int history_show_maps(const struct history *history,
                      const struct own_folder *folder,
                      const struct history_options *options)
{
    int status = TOOL_OK;
    bool found = false;

    if (!options->operand)
        return tool_usage("history", "--map: of which JOB or JOB.STEP?");
    for (size_t i = 0; i < history->n; i++) {
        struct mapcore_error err;

        if (!history_wants(options, &history->step[i]))
            continue;
        found = true;
        if (show_map(&history->step[i], folder, &err) < 0)
            status = tool_fail("%s", err.text);
    }
    return found ? status : no_such_step(history, options->operand);
}
