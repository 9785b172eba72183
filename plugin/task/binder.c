/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binder.c - the task's side: what srun has sent is checked against the step's
 * own numbers, then done, and taken out of the environment */
#include "config.h"

#include "plugin/task/binder.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "launch/runs.h"
#include "plugin/handoff/handoff.h"
#include "plugin/handoff/handoff_file.h"
#include "plugin/handoff/recorder_file.h"
#include "plugin/say.h"
#include "plugin/task/affinity.h"
#include "plugin/task/hardware.h"
#include "plugin/task/node_report.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What say_user() takes, less a node's name and the last item. */
#define LINE_MOST 1600

static const char mask_type[] = "mask_cpu:";

struct task {
    spank_t spank;
    uint32_t job, step, nhosts, host, nlocal, rank;
    int local;
    struct handoff handoff;
    const char *plan;         /* these are the same for all tasks of a node */
    const char *type, *masks; /* Slurm's, borrowed from the environment; NULL */
    char *cores;              /* its numbers of them, where it gave no masks */
};

static char **get_environment(spank_t spank)
{
    static char *none[] = {NULL};
    char **env = NULL;

    return spank_get_item(spank, S_JOB_ENV, &env) == ESPANK_SUCCESS && env
               ? env
               : none;
}

/* Borrowed until it is set; NULL when it is unset. No copy: with a buffer for
 * the longest each time a task took 0.5 ms of CPU time here instead of 0.2. */
static const char *get_variable(spank_t spank, const char *name)
{
    const char *value;

    handoff_env_read(&value, &name, 1, name, get_environment(spank));
    return value;
}

static void set_variable(spank_t spank, const char *name, const char *value)
{
    if (!handoff_env_write_over(get_environment(spank), name, value))
        spank_setenv(spank, name, value, 1);
}

static bool know_task(struct task *task)
{
    const struct {
        spank_item_t item;
        void *out;
    } items[] = {
        {S_JOB_ID, &task->job},
        {S_JOB_STEPID, &task->step},
        {S_JOB_NNODES, &task->nhosts},
        {S_JOB_NODEID, &task->host},
        {S_TASK_ID, &task->local},
        {S_TASK_GLOBAL_ID, &task->rank},
        {S_JOB_LOCAL_TASK_COUNT, &task->nlocal},
    };

    for (size_t i = 0; i < sizeof(items) / sizeof(items[0]); i++)
        if (spank_get_item(task->spank, items[i].item, items[i].out) !=
            ESPANK_SUCCESS)
            return false;
    return task->local >= 0 && (uint32_t)task->local < task->nlocal;
}

/* What srun promised cannot be kept. Under strict a task ends itself: nothing
 * that this hook returns would end it. */
static void give_up(const struct task *task,
                    bool speaks,
                    enum outcome outcome,
                    const char *reason)
{
    bool strict = task->handoff.strict;

    if (speaks && strict)
        say_user(MESSAGE_NOT_STARTED, reason);
    else if (speaks)
        say_user(outcome, "%s%s",
                 outcome == OUTCOME_NONE ? MESSAGE_BOUND_BY_SLURM : "", reason);
    if (strict)
        _exit(1);
}

/* The recorder learns what this node is inside, so that later plans know it,
 * where hwloc has words for that. */
static void describe_node(const struct task *task)
{
    const struct hardware *hardware = NULL;
    char *levels = NULL;

    if (hardware_open(&hardware, NULL) == 0 &&
        hardware->levels(&levels, NULL) == 0)
        spank_setenv(task->spank, "COMMPROF_NODE", levels, 1);
    free(levels);
}

/* Lines NAME=VALUE. Another tool's variable, which makes NCCL load the
 * recorder, is the user's where the task has one. */
static void set_variables(spank_t spank, const char *lines)
{
    for (const char *line = lines, *end; line && (end = strchr(line, '\n'));
         line = end + 1) {
        char *name = strndup(line, (size_t)(end - line));
        char *value = name ? strchr(name, '=') : NULL;

        if (value) {
            *value++ = '\0';
            spank_setenv(spank, name, value, strcmp(name, HANDOFF_NCCL) != 0);
        }
        free(name);
    }
}

static void preload(const struct task *task, const char *const values[])
{
    const char *recorder = values[HANDOFF_RECORDER],
               *variables = values[HANDOFF_VARIABLES];
    const bool is_asked =
        !variables || strcmp(variables, HANDOFF_TIME_ALONE) != 0;
    struct buffer list = {0};
    struct mapcore_error err;
    char reason[sizeof(err.text) + 32];
    const char *existing;

    if (recorder_file_check(recorder, &err) < 0) {
        snprintf(reason, sizeof(reason), "node %u: %s", task->host, err.text);
        if (is_asked)
            give_up(task, task->local == 0, OUTCOME_NOT_RECORDED, reason);
        return;
    }
    set_variables(task->spank, variables);
    existing = get_variable(task->spank, "LD_PRELOAD");
    if (buffer_printf(&list, "%s%s%s", existing ? existing : "",
                      existing && *existing ? ":" : "", recorder) == 0)
        spank_setenv(task->spank, "LD_PRELOAD", list.bytes, 1);
    if (task->rank == 0 && is_asked)
        describe_node(task);
    node_report_give(task->spank, (uint32_t)task->local,
                     variables && strstr(variables, "\n" HANDOFF_NCCL "="));
    buffer_clear(&list);
}

/* --cpu-bind=verbose */
static bool slurm_is_verbose(spank_t spank)
{
    const char *value = get_variable(spank, "SLURM_CPU_BIND_VERBOSE");

    return value && strcmp(value, "verbose") == 0;
}

/* What a nested srun and mpirun's launcher read. */
static void put_masks(const struct task *task, const char *list)
{
    const char *type = task->type ? task->type : mask_type;
    bool complete = text_after(type, "quiet,") || text_after(type, "verbose,");
    const char *loud = slurm_is_verbose(task->spank) ? "verbose," : "quiet,";
    struct buffer all = {0};

    if (buffer_printf(&all, "%s%s%s", complete ? "" : loud, type, list) == 0) {
        if (!task->type)
            spank_setenv(task->spank, "SLURM_CPU_BIND_TYPE", type, 1);
        set_variable(task->spank, "SLURM_CPU_BIND_LIST", list);
        set_variable(task->spank, "SLURM_CPU_BIND", all.bytes);
    }
    buffer_clear(&all);
}

/* Memory by numbers belongs to the CPUs that Slurm gave the task of a number:
 * map_mem, mask_mem, rank. */
static bool has_memory(spank_t spank)
{
    const char *type = get_variable(spank, "SLURM_MEM_BIND_TYPE");

    return type && (strstr(type, "map_mem") || strstr(type, "mask_mem") ||
                    strstr(type, "rank"));
}

static void know_masks(struct task *task)
{
    const char *ending;

    task->type = get_variable(task->spank, "SLURM_CPU_BIND_TYPE");
    task->masks = get_variable(task->spank, "SLURM_CPU_BIND_LIST");
    ending = task->type ? strstr(task->type, mask_type) : NULL;
    if (!task->masks || !*task->masks || !ending ||
        strcmp(ending, mask_type) != 0) {
        task->masks = task->type = NULL;
        if (spank_get_item(task->spank, S_STEP_ALLOC_CORES, &task->cores) !=
            ESPANK_SUCCESS)
            task->cores = NULL;
    }
}

static int ask_hardware(char **out,
                        const struct task *task,
                        const struct binding *binding,
                        struct mapcore_error *err)
{
    const struct hardware *hardware = NULL;
    bool is_other = false;
    int error = hardware_open(&hardware, err);

    if (error == 0)
        error = hardware->make(out, &is_other, binding, err);
    if (!is_other)
        return error;
    if (node_report_head())
        node_report_head()->differs = 1;
    if (task->handoff.verbose)
        say_user(MESSAGE_OTHER_NODE, task->host);
    return error;
}

/* Runs in the first task of the node. */
static int make_masks(char **out, void *with, struct mapcore_error *err)
{
    const struct task *task = with;
    uint32_t *slot = array_alloc(task->nlocal, sizeof(*slot), err);
    struct binding binding = {
        .nlocal = task->nlocal,
        .slot = slot,
        .list = task->masks,
        .cores = task->cores,
        .tree = node_report_planned(),
    };
    char *text = NULL;
    int error =
        slot ? handoff_file_read(&text, task->plan, err) : MAPCORE_ENOMEM;

    if (error == 0)
        error = slot_text_parse(slot, task->nlocal, text, strlen(text),
                                task->nhosts, task->host, err);
    if (error == 0 && affinity_is_settled(task->masks, slot, task->nlocal))
        error = text_copy(out, task->masks, err);
    else if (error == 0)
        error = ask_hardware(out, task, &binding, err);
    free(text);
    free(slot);
    return error;
}

/* One line a node: which rank has which CPUs. */
static void describe_masks(const struct task *task, const char *masks)
{
    uint32_t *rank = array_alloc(task->nlocal, sizeof(*rank), NULL);
    const struct hardware *hardware = NULL;
    char node[256] = "", *text = NULL;
    bool known = rank != NULL;

    spank_getenv(task->spank, "SLURMD_NODENAME", node, sizeof(node));
    for (uint32_t i = 0; known && i < task->nlocal; i++)
        known = spank_get_item(task->spank, S_JOB_LOCAL_TO_GLOBAL_ID, i,
                               &rank[i]) == ESPANK_SUCCESS;
    if (known && hardware_open(&hardware, NULL) == 0 &&
        hardware->describe(&text, masks, rank, task->nlocal, LINE_MOST, NULL) ==
            0)
        say_user(MESSAGE_NODE_CPUS, node, text);
    free(text);
    free(rank);
}

static int bind_task(struct task *task, struct mapcore_error *err)
{
    char *masks = NULL;
    int error;

    know_masks(task);
    error = node_masks_ask(&masks, node_report_head(), NODE_MASKS_SECONDS,
                           make_masks, task, err);
    if (masks &&
        (error = affinity_take(masks, (uint32_t)task->local, err)) == 0) {
        put_masks(task, masks);
        /* Slurm's own lines were printed before. */
        if (task->local == 0 &&
            (task->handoff.verbose || slurm_is_verbose(task->spank)))
            describe_masks(task, masks);
    }
    free(masks);
    return error;
}

/* All that srun has sent; a plan may have a hundred thousand bytes, which no
 * task copies. */
static void read_handoff(const char *values[HANDOFF_COUNT], spank_t spank)
{
    handoff_env_read(values, handoff_names, HANDOFF_COUNT, HANDOFF_PREFIX,
                     get_environment(spank));
}

/* Which node rank 0 is on, and which one this is: the same for all tasks of the
 * node. */
static void put_ranks(spank_t spank, const char *const values[])
{
    uint32_t nhosts, host, *number = NULL;
    char text[16];

    if (values[HANDOFF_MASTER])
        spank_setenv(spank, "TOPOMAP_MASTER_ADDR", values[HANDOFF_MASTER], 1);
    if (values[HANDOFF_RANKS])
        spank_setenv(spank, "TOPOMAP_RANKS", values[HANDOFF_RANKS], 1);
    else
        spank_unsetenv(spank, "TOPOMAP_RANKS");
    if (values[HANDOFF_NODES] &&
        spank_get_item(spank, S_JOB_NNODES, &nhosts) == ESPANK_SUCCESS &&
        spank_get_item(spank, S_JOB_NODEID, &host) == ESPANK_SUCCESS &&
        host < nhosts &&
        (number = array_alloc(nhosts, sizeof(*number), NULL)) &&
        runs_parse(number, nhosts, values[HANDOFF_NODES], NULL) == 0) {
        snprintf(text, sizeof(text), "%u", number[host]);
        spank_setenv(spank, "TOPOMAP_NODE_RANK", text, 1);
    }
    for (enum handoff_name name = HANDOFF_MASTER; name <= HANDOFF_RANKS; name++)
        spank_unsetenv(spank, handoff_names[name]);
    free(number);
}

/* The node's number, and the lists of nodes, in the order of the ranks: for
 * programs that number nodes by them. A step on some of the job's nodes says
 * nothing of the others. */
static void put_node_lists(spank_t spank, const char *list)
{
    char number[16], job_nodes[16];
    uint32_t nhosts;

    if (spank_getenv(spank, "TOPOMAP_NODE_RANK", number, sizeof(number)) !=
            ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_NNODES, &nhosts) != ESPANK_SUCCESS)
        return;
    spank_setenv(spank, "SLURM_NODEID", number, 1);
    spank_setenv(spank, "SLURM_STEP_NODELIST", list, 1);
    if (spank_getenv(spank, "SLURM_JOB_NUM_NODES", job_nodes,
                     sizeof(job_nodes)) != ESPANK_SUCCESS ||
        strtoul(job_nodes, NULL, 10) != nhosts)
        return;
    spank_setenv(spank, "SLURM_JOB_NODELIST", list, 1);
    spank_setenv(spank, "SLURM_NODELIST", list, 1);
}

/* A step that is started inside a step inherits what was sent to the outer one.
 */
void binder_open(spank_t spank)
{
    const char *values[HANDOFF_COUNT] = {NULL};
    struct handoff handoff;
    uint32_t job, step;

    read_handoff(values, spank);
    if (!values[HANDOFF_STEP] ||
        spank_get_item(spank, S_JOB_ID, &job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &step) != ESPANK_SUCCESS ||
        !handoff_parse(&handoff, values[HANDOFF_STEP], job, step))
        return;
    node_report_open(spank, values);
    put_ranks(spank, values);
}

void binder_run(spank_t spank)
{
    const char *values[HANDOFF_COUNT] = {NULL};
    struct task task = {.spank = spank};
    struct mapcore_error err;

    read_handoff(values, spank);
    task.plan = values[HANDOFF_PLAN];
    if (values[HANDOFF_STEP] && know_task(&task) &&
        handoff_parse(&task.handoff, values[HANDOFF_STEP], task.job,
                      task.step)) {
        bool first = task.local == 0 && task.host == 0;

        if (task.handoff.failure)
            give_up(&task, task.rank == 0, OUTCOME_NOT_PLACED,
                    task.handoff.failure);
        /* Ends the step as one that has run, and the allocation with it. */
        if (task.handoff.dry_run)
            _exit(0);
        if (values[HANDOFF_RECORDER])
            preload(&task, values);
        if (values[HANDOFF_LIST])
            put_node_lists(spank, values[HANDOFF_LIST]);
        /* One line for the step, not one a node; where there are GPUs Slurm
         * chose them by the mask, before us. */
        if (!task.plan || task.nlocal == 1 ||
            get_variable(spank, "SLURM_STEP_GPUS") ||
            get_variable(spank, "SLURM_GPUS_ON_NODE"))
            ;
        else if (has_memory(spank)) {
            if (first && task.handoff.typed)
                say_user(MESSAGE_BOUND_BY_MEMORY);
        } else if (bind_task(&task, &err) < 0)
            give_up(&task, first || (task.handoff.verbose && task.local == 0),
                    OUTCOME_NONE, err.text);
        node_report_cpus(spank, (uint32_t)task.local, task.rank);
    }
    /* The program is not to see them. */
    for (int i = 0; i < HANDOFF_COUNT; i++)
        if (values[i])
            spank_unsetenv(spank, handoff_names[i]);
}
