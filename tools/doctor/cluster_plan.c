/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cluster_plan.c - asks sinfo for a partition's nodes, and topomap for a plan
 * of all of them */
#include "config.h"

#include "tools/doctor/cluster_plan.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/error_set.h"
#include "base/hosts.h"
#include "base/text.h"
#include "launch/defaults.h"
#include "tools/common/subprocess.h"
#include "tools/common/tool.h"
#include "tools/doctor/trial.h"
#include "tools/site/site.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* sinfo marks the default one; without any, the first. */
static int find_partition(char *out, size_t size, struct mapcore_error *err)
{
    struct process_output run;
    int error =
        trial_words(&run, CHILD_SECONDS, err, "sinfo", "-h", "-o", "%P", NULL);
    const char *line;

    if (error < 0)
        return error;
    line = run.out.bytes ? run.out.bytes : "";
    for (const char *at = line; *at != '\0';) {
        size_t n = strcspn(at, "\n");

        if (n > 0 && at[n - 1] == '*')
            line = at;
        at += n + (at[n] != '\0');
    }
    snprintf(out, size, "%.*s", (int)strcspn(line, "*\n"), line);
    if (!trial_is_good(&run) || out[0] == '\0')
        error = error_set(err, MAPCORE_ENOENT, "sinfo lists no partition");
    process_output_clear(&run);
    return error;
}

/* "n0 64" a line: the names, *cpus the fewest. */
static int read_nodes(struct hosts *out,
                      uint32_t *cpus,
                      const char *partition,
                      struct mapcore_error *err)
{
    struct process_output run;
    struct buffer list = {0};
    int error = trial_words(&run, CHILD_SECONDS, err, "sinfo", "-h", "-N", "-p",
                            partition, "-o", "%N %c", NULL);
    char *line;

    if (error < 0)
        return error;
    *cpus = UINT32_MAX;
    line = run.out.bytes;
    while (error == 0 && line && *line != '\0') {
        char *end = line + strcspn(line, "\n"), *name;
        bool last = *end == '\0';
        uint32_t n;

        *end = '\0';
        if ((name = text_take_word(&line)) && text_take_u32(&line, &n, NULL)) {
            *cpus = n < *cpus ? n : *cpus;
            error =
                buffer_printf(&list, err, "%s%s", list.n > 0 ? "," : "", name);
        }
        line = last ? end : end + 1;
    }
    if (error == 0 && list.n == 0)
        error = error_set(err, MAPCORE_ENOENT, "sinfo lists no nodes of %s",
                          partition);
    if (error == 0)
        error = hosts_expand(out, list.bytes, err);
    buffer_clear(&list);
    process_output_clear(&run);
    return error;
}

static int read_plan(struct cluster_plan *plan,
                     const struct process_output *run,
                     double seconds,
                     struct mapcore_error *err)
{
    struct json_node root, parts;
    struct json *json = NULL;
    double mapping;
    size_t n;
    int error;

    if (!trial_is_good(run)) {
        const char *line = trial_last_line(&n, run);

        return error_set(err, MAPCORE_EIO, "%.*s", n < 300 ? (int)n : 300,
                         line);
    }
    error = json_open_memory(&json, "topomap plan", run->out.bytes, run->out.n,
                             err);
    if (error == 0 && (error = json_root(&root, json, err)) == 0 &&
        (error = json_get_object(&parts, &root, "milliseconds", err)) == 0 &&
        (error = json_get_double(&mapping, &parts, "mapping", err)) == 0) {
        plan->search_s = mapping / 1e3;
        plan->other_s = seconds > plan->search_s ? seconds - plan->search_s : 0;
    }
    json_close(json);
    return error;
}

static int plan_all(struct cluster_plan *plan,
                    const char *nodelist,
                    uint32_t per_node,
                    const char *self,
                    const char *config,
                    struct mapcore_error *err)
{
    char ntasks[16], count[16], grid[64];
    struct process_output run;
    double start = tool_now();
    int error;

    plan->ntasks = plan->nnodes * per_node;
    snprintf(ntasks, sizeof(ntasks), "%" PRIu32, plan->ntasks);
    snprintf(count, sizeof(count), "%" PRIu32, per_node);
    snprintf(grid, sizeof(grid), "grid:%" PRIu32 "x%" PRIu32, plan->nnodes,
             per_node);
    error = trial_words(&run, CHILD_SECONDS + plan->budget_s, err, self, "plan",
                        "--ntasks", ntasks, "--nodelist", nodelist,
                        "--tasks-per-node", count, "--graph", grid, "--json",
                        "--no-cache", config ? "--config" : NULL, config, NULL);
    if (error < 0)
        return error;
    error = read_plan(plan, &run, tool_now() - start, err);
    process_output_clear(&run);
    return error;
}

static int read_budget(double *out,
                       const char *config,
                       struct mapcore_error *err)
{
    struct site_file *site = NULL;
    int error = site_read(&site, config, err);

    if (error < 0)
        return error;
    *out = site->time_s > 0 ? site->time_s : DEFAULTS_SECONDS;
    site_close(site);
    return 0;
}

int cluster_plan_try(struct cluster_plan *out,
                     const char *self,
                     const char *config,
                     struct mapcore_error *err)
{
    struct hosts nodes = {0};
    char *nodelist = NULL;
    uint32_t cpus = 1, most;
    int error;

    *out = (struct cluster_plan){0};
    if ((error = read_budget(&out->budget_s, config, err)) < 0 ||
        (error = find_partition(out->partition, sizeof(out->partition), err)) <
            0 ||
        (error = read_nodes(&nodes, &cpus, out->partition, err)) < 0)
        return error;
    out->nnodes = (uint32_t)nodes.n;
    most = CLUSTER_PLAN_TASKS_MOST / out->nnodes;
    cpus = cpus < most ? cpus : most;
    error = hosts_compress(&nodelist, nodes.n, (const char *const *)nodes.name,
                           err);
    if (error == 0)
        error = plan_all(out, nodelist, cpus > 0 ? cpus : 1, self, config, err);
    free(nodelist);
    hosts_clear(&nodes);
    return error;
}
