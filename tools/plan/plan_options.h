/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_options.h - the options of who makes plans: topomap plan and topomap-mpi
 */
#ifndef TOOLS_PLAN_OPTIONS_H
#define TOOLS_PLAN_OPTIONS_H

#include "tools/common/command_line.h"
#include "tools/plan/plan_print.h"

struct plan_options {
    struct planner planner;
    const char *job;                 /* --parallel; of topomap plan alone */
    const char *step, *log, *report; /* of topomap plan alone */
    const char *facts, *nodelist, *tasks_per_node, *baseline, *graph_file,
        *output;
    char **command; /* up to a NULL */
    uint32_t ntasks;
    enum plan_format format;
    bool json, csv, site, learn, observe, cpus, by_place, advise;
};

/* The launch; of a struct plan_request its task graph and network; how a plan
 * is printed. */
extern const struct option_row plan_launch_rows[];
extern const struct option_row plan_graph_rows[];
extern const struct option_word plan_formats[]; /* of enum plan_format */
extern const struct option_word plan_envs[];    /* of enum plan_env */

/* Whether they can be used together; command is for messages. Returns an exit
 * status. */
int plan_options_check(struct plan_options *options, const char *command);

/* The facts of the launch, from options or as --facts says, into the planner's.
 * Errors: those of launch_facts.h. */
int plan_options_facts(struct plan_options *options, struct mapcore_error *err);

#endif
