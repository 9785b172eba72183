/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binder.c - the task's side: what srun has sent is checked against the step's
 * own numbers, then done, and taken out of the environment */
#include "config.h"

#include "binder.h"

#include "travel.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/cpuset.h"
#include "launch/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The longest environment string that Linux passes on. */
#define VARIABLE_MOST 131072
/* The slots of sixteen million tasks, in no order at all. */
#define SPILL_MOST (256L << 20)

struct task {
    spank_t spank;
    uint32_t job, step, nhosts, host, nlocal, rank;
    int local;
    bool typed, verbose, strict;
};

static void __attribute__((format(printf, 1, 2))) say(const char *format, ...)
{
    char line[1024];
    va_list args;

    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    slurm_spank_log("topomap: %s", line);
}

/* Owned; NULL when it is unset, or too long to have come whole. */
static char *take_variable(spank_t spank, const char *name)
{
    char *value = malloc(VARIABLE_MOST);

    if (value &&
        spank_getenv(spank, name, value, VARIABLE_MOST) != ESPANK_SUCCESS) {
        free(value);
        value = NULL;
    }
    return value;
}

static bool know_task(struct task *task)
{
    spank_t spank = task->spank;

    return spank_get_item(spank, S_JOB_ID, &task->job) == ESPANK_SUCCESS &&
           spank_get_item(spank, S_JOB_STEPID, &task->step) == ESPANK_SUCCESS &&
           spank_get_item(spank, S_JOB_NNODES, &task->nhosts) ==
               ESPANK_SUCCESS &&
           spank_get_item(spank, S_JOB_NODEID, &task->host) == ESPANK_SUCCESS &&
           spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &task->nlocal) ==
               ESPANK_SUCCESS &&
           spank_get_item(spank, S_TASK_ID, &task->local) == ESPANK_SUCCESS &&
           spank_get_item(spank, S_TASK_GLOBAL_ID, &task->rank) ==
               ESPANK_SUCCESS &&
           task->local >= 0 && (uint32_t)task->local < task->nlocal;
}

/* "JOB.STEP WORDS" of this very step: where WORDS begin; else NULL. */
static const char *own_words(const struct task *task, const char *text)
{
    char mine[32];
    int n = snprintf(mine, sizeof(mine), "%" PRIu32 ".%" PRIu32 " ", task->job,
                     task->step);

    return strncmp(text, mine, (size_t)n) == 0 ? text + n : NULL;
}

/* Under strict a task ends itself: nothing that this hook returns would. */
static void leave(const struct task *task, const char *reason)
{
    if (task->rank == 0)
        slurm_error("topomap: strict: %s", reason);
    _exit(1);
}

static void preload(const struct task *task,
                    const char *recorder,
                    const char *catalogue,
                    const char *name,
                    const char *exe)
{
    struct buffer list = {0};
    char *existing;

    if (access(recorder, R_OK) < 0) {
        if (task->strict)
            leave(task, "the recorder cannot be read");
        if (task->local == 0)
            say("node %" PRIu32 ": %s: %s; nothing is recorded", task->host,
                recorder, strerror(errno));
        return;
    }
    existing = take_variable(task->spank, "LD_PRELOAD");
    if (buffer_printf(&list, NULL, "%s%s%s", existing ? existing : "",
                      existing && *existing ? ":" : "", recorder) == 0)
        spank_setenv(task->spank, "LD_PRELOAD", list.bytes, 1);
    if (catalogue)
        spank_setenv(task->spank, "COMMPROF_CATALOGUE", catalogue, 1);
    if (name)
        spank_setenv(task->spank, "COMMPROF_NAME", name, 1);
    if (exe)
        spank_setenv(task->spank, "COMMPROF_PROGRAM", exe, 1);
    if (task->typed)
        spank_setenv(task->spank, "COMMPROF_VERBOSE", "1", 1);
    buffer_clear(&list);
    free(existing);
}

/* The file that "file DIGEST PATH" names: the user's own, and the very one that
 * srun wrote. Errors: EIO, ETRUST, ENOMEM. */
static int read_spill(char **out,
                      const char *reference,
                      struct mapcore_error *err)
{
    const char *path = strchr(reference, ' ');
    size_t ndigest = path ? (size_t)(path - reference) : 0, n = 0;
    struct stat status;
    char *text = NULL;
    int fd, error = 0;

    if (!path || ndigest == 0)
        return error_set(err, MAPCORE_EPARSE, "no file of slots is named");
    fd = open(++path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) < 0)
        error = error_set(err, MAPCORE_EIO, "%s: %s", path, strerror(errno));
    else if (!S_ISREG(status.st_mode) || status.st_uid != getuid() ||
             status.st_size > SPILL_MOST || (size_t)status.st_size < ndigest)
        error =
            error_set(err, MAPCORE_ETRUST, "%s is not what srun wrote", path);
    else if (!(text = array_alloc((size_t)status.st_size + 1, 1, err)))
        error = MAPCORE_ENOMEM;
    while (error == 0 && n < (size_t)status.st_size) {
        ssize_t got = read(fd, text + n, (size_t)status.st_size - n);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            error = error_set(err, MAPCORE_EIO, "%s ends early", path);
        else
            n += (size_t)got;
    }
    if (error == 0 && strncmp(text + n - ndigest, reference, ndigest) != 0)
        error =
            error_set(err, MAPCORE_ETRUST, "%s is not what srun wrote", path);
    if (fd >= 0)
        close(fd);
    if (error < 0) {
        free(text);
        return error;
    }
    *out = text;
    return 0;
}

static int read_slots(uint32_t *slot,
                      const struct task *task,
                      const char *plan,
                      struct mapcore_error *err)
{
    char *text = NULL;
    int error = 0;

    if (strncmp(plan, "file ", strlen("file ")) == 0) {
        if ((error = read_spill(&text, plan + strlen("file "), err)) < 0)
            return error;
        plan = text;
    }
    error = slots_parse(slot, task->nlocal, plan, strlen(plan), task->job,
                        task->step, task->nhosts, task->host, err);
    free(text);
    return error;
}

/* Cuts list at its commas into at most most items; returns how many there are.
 */
static uint32_t split(char *list, const char **items, uint32_t most)
{
    uint32_t n = 0;

    for (char *item = list; item;) {
        char *comma = strchr(item, ',');

        if (comma)
            *comma++ = '\0';
        if (n < most)
            items[n] = item;
        n++;
        item = comma;
    }
    return n;
}

static bool all_equal(const char *const *masks, uint32_t n)
{
    for (uint32_t i = 1; i < n; i++)
        if (!cpuset_equal(masks[0], masks[i]))
            return false;
    return true;
}

/* The cores that the step has, if this task may use just those: then Slurm
 * confines the tasks and has bound none of them. */
static char *own_cores(const struct task *task,
                       const struct cpuset_machine *machine)
{
    char *cores = NULL, *allowed = NULL, *current = NULL;

    if (spank_get_item(task->spank, S_STEP_ALLOC_CORES, &cores) !=
            ESPANK_SUCCESS ||
        !cores || cpuset_of_cores(&allowed, machine, cores, NULL) < 0)
        return NULL;
    if (cpuset_current(&current, NULL) < 0 || !cpuset_equal(allowed, current)) {
        free(allowed);
        allowed = NULL;
    }
    free(current);
    return allowed;
}

/* out[nlocal]: masks by slot, in depth-first order; out[0] stays NULL when
 * Slurm has left the tasks unbound and unconfined. */
static int masks_by_slot(char **out,
                         const struct task *task,
                         char *list,
                         const struct cpuset_machine *machine,
                         struct mapcore_error *err)
{
    uint32_t n = task->nlocal;
    const char **masks = array_alloc(n, sizeof(*masks), err);
    uint32_t *order = array_alloc(n, sizeof(*order), err);
    char *common = NULL;
    uint32_t count = 0;
    int error = masks && order ? 0 : MAPCORE_ENOMEM;

    if (error < 0)
        goto out;
    if (list)
        count = split(list, masks, n);
    else
        common = own_cores(task, machine);
    if (list && (count == 1 || (count == n && all_equal(masks, n)))) {
        error = cpuset_divide(out, machine, masks[0], n, err);
    } else if (list && count == n) {
        error = cpuset_order(order, machine, masks, n, err);
        for (uint32_t i = 0; error == 0 && i < n; i++)
            if (!(out[i] = strdup(masks[order[i]])))
                error = error_set(err, MAPCORE_ENOMEM, "no memory for a mask");
    } else if (list) {
        error =
            error_set(err, MAPCORE_EPARSE,
                      "%" PRIu32 " CPU masks for %" PRIu32 " tasks", count, n);
    } else if (common) {
        error = cpuset_divide(out, machine, common, n, err);
    }
out:
    free(common);
    free(masks);
    free(order);
    return error;
}

/* What a nested srun and mpirun's launcher read. */
static void tell_masks(const struct task *task,
                       const char *type,
                       char *const *by_slot,
                       const uint32_t *slot)
{
    struct buffer list = {0}, all = {0};
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < task->nlocal; i++)
        error = buffer_printf(&list, NULL, "%s%s", i > 0 ? "," : "",
                              by_slot[slot[i]]);
    if (error == 0)
        error = buffer_printf(&all, NULL, "%s%s%s",
                              strncmp(type, "quiet,", 6) == 0 ||
                                      strncmp(type, "verbose,", 8) == 0
                                  ? ""
                                  : "quiet,",
                              type, list.bytes);
    if (error == 0) {
        spank_setenv(task->spank, "SLURM_CPU_BIND_TYPE", type, 1);
        spank_setenv(task->spank, "SLURM_CPU_BIND_LIST", list.bytes, 1);
        spank_setenv(task->spank, "SLURM_CPU_BIND", all.bytes, 1);
    }
    buffer_clear(&list);
    buffer_clear(&all);
}

/* Each mask in turn on the first task of a node, so that one line tells of all
 * of them; the own one on each. */
static int apply_masks(const struct task *task,
                       char *const *by_slot,
                       const uint32_t *slot,
                       struct mapcore_error *err)
{
    char *before = NULL;
    int error = cpuset_current(&before, err);

    for (uint32_t i = 0; error == 0 && i < task->nlocal; i++)
        if (task->local == 0 || (uint32_t)task->local == i)
            error = cpuset_apply(by_slot[i], err);
    if (error == 0)
        error = cpuset_apply(by_slot[slot[task->local]], err);
    if (error < 0 && before)
        cpuset_apply(before, NULL);
    free(before);
    return error;
}

static int bind_by(const struct task *task,
                   const uint32_t *slot,
                   const char *type,
                   char *list,
                   struct mapcore_error *err)
{
    struct cpuset_machine *machine = NULL;
    char **by_slot = array_alloc(task->nlocal, sizeof(*by_slot), err);
    int error = by_slot ? 0 : MAPCORE_ENOMEM;

    if (error < 0 || (error = cpuset_machine_open(&machine, NULL, err)) < 0 ||
        (error = masks_by_slot(by_slot, task, list, machine, err)) < 0)
        goto out;
    if (by_slot[0] && (error = apply_masks(task, by_slot, slot, err)) == 0) {
        tell_masks(task, type, by_slot, slot);
        if (task->verbose)
            say("rank %" PRIu32 ": node %" PRIu32 ", slot %" PRIu32 ", CPUs %s",
                task->rank, task->host, slot[task->local],
                by_slot[slot[task->local]]);
    }
out:
    for (uint32_t i = 0; by_slot && i < task->nlocal; i++)
        free(by_slot[i]);
    free(by_slot);
    cpuset_machine_close(machine);
    return error;
}

/* Slurm chose the GPU by the mask, before us. */
static bool has_gpus(spank_t spank)
{
    static const char *const names[] = {"SLURM_STEP_GPUS", "SLURM_GPUS_ON_NODE",
                                        "CUDA_VISIBLE_DEVICES",
                                        "ROCR_VISIBLE_DEVICES"};
    char value[4];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (spank_getenv(spank, names[i], value, sizeof(value)) !=
            ESPANK_ENV_NOEXIST)
            return true;
    return false;
}

static void bind_task(const struct task *task, const char *plan)
{
    static const char mask_type[] = "mask_cpu:";
    struct mapcore_error err;
    char *type = take_variable(task->spank, "SLURM_CPU_BIND_TYPE");
    char *list = take_variable(task->spank, "SLURM_CPU_BIND_LIST");
    size_t n = type ? strlen(type) : 0;
    bool masks = list && *list && n >= strlen(mask_type) &&
                 strcmp(type + n - strlen(mask_type), mask_type) == 0;
    uint32_t *slot = array_alloc(task->nlocal, sizeof(*slot), &err);
    int error = slot ? 0 : MAPCORE_ENOMEM;

    if (error == 0 && (error = read_slots(slot, task, plan, &err)) == 0 &&
        task->nlocal > 1)
        error = bind_by(task, slot, masks ? type : mask_type,
                        masks ? list : NULL, &err);
    free(type);
    free(list);
    free(slot);
    if (error == 0)
        return;
    if (task->strict)
        leave(task, err.text);
    /* One line for the step, not one a task. */
    if (task->local == 0 && (task->host == 0 || task->verbose))
        say("tasks stay where Slurm bound them: %s", err.text);
}

static void follow(struct task *task, const char *words, char *const values[])
{
    if (strncmp(words, "fail ", strlen("fail ")) == 0)
        leave(task, words + strlen("fail "));
    task->typed = strstr(words, "typed ") != NULL;
    task->verbose = strstr(words, "verbose ") != NULL;
    task->strict = strstr(words, "strict ") != NULL;
    if (values[TRAVEL_AT_RECORDER])
        preload(task, values[TRAVEL_AT_RECORDER], values[TRAVEL_AT_CATALOGUE],
                values[TRAVEL_AT_NAME], values[TRAVEL_AT_EXE]);
    if (values[TRAVEL_AT_PLAN] && !has_gpus(task->spank))
        bind_task(task, values[TRAVEL_AT_PLAN]);
}

void binder_run(spank_t spank)
{
    static const char *const names[TRAVEL_COUNT] = TRAVEL_NAMES;
    char *values[TRAVEL_COUNT] = {NULL};
    struct task task = {.spank = spank};
    const char *words = NULL;

    for (int i = 0; i < TRAVEL_COUNT; i++)
        if ((values[i] = take_variable(spank, names[i])))
            spank_unsetenv(spank, names[i]);
    if (values[TRAVEL_AT_STEP] && know_task(&task))
        words = own_words(&task, values[TRAVEL_AT_STEP]);
    if (words)
        follow(&task, words, values);
    for (int i = 0; i < TRAVEL_COUNT; i++)
        free(values[i]);
}
