/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* batch_job.c - what the variables and files of batch systems say of a job */
#include "config.h"

#include "tools/place/batch_job.h"

#include "alloc/alloc.h"
#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "base/text.h"
#include "tools/common/subprocess.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MOST_SLOTS = 1 << 20, /* of a node */
};

static int add_node(struct batch_job *job,
                    const char *name,
                    uint64_t slots,
                    struct mapcore_error *err)
{
    uint32_t number;
    size_t n = job->node.n;
    int error = name_set_add(&number, &job->node, name, err);

    if (error == 0)
        error = array_reserve(&job->slots, &job->capacity, job->node.n,
                              sizeof(*job->slots), err);
    if (error < 0)
        return error;
    if (job->node.n > n)
        job->slots[number] = 0;
    if (slots > MOST_SLOTS || job->slots[number] + slots > MOST_SLOTS)
        return error_set(err, MAPCORE_ERANGE,
                         "node %.200s: more than %d ranks on it", name,
                         MOST_SLOTS);
    job->slots[number] += (uint32_t)slots;
    return 0;
}

static int take_host_line(struct batch_job *job,
                          const struct text *text,
                          char *line,
                          struct mapcore_error *err)
{
    char *name, *count, *rest = NULL;
    struct mapcore_error why;
    uint64_t slots = 1;

    line[strcspn(line, "#")] = '\0';
    name = strtok_r(line, " \t\r", &rest);
    if (!name)
        return 0;
    count = strchr(name, ':');
    if (count)
        *count++ = '\0';
    for (char *word; !count && (word = strtok_r(NULL, " \t\r", &rest));)
        if (strncmp(word, "slots=", 6) == 0)
            count = word + 6;
        else if (*word >= '0' && *word <= '9')
            count = word;
    if (*name == '\0' ||
        (count && (!text_parse_u64(count, &slots) || slots == 0)))
        return text_error(text, err, MAPCORE_EPARSE,
                          "expected a node and a number of ranks");
    if (add_node(job, name, slots, &why) < 0)
        return text_error(text, err, MAPCORE_ERANGE, "%s", why.text);
    return 0;
}

int batch_job_read_hosts(struct batch_job *job,
                         const char *path,
                         struct mapcore_error *err)
{
    struct text *text = NULL;
    char *line;
    int error = text_open(&text, path, err);

    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line)
        error = take_host_line(job, text, line, err);
    if (error == 0 && job->node.n == 0)
        error = error_set(err, MAPCORE_EPARSE, "%.300s: no node in it", path);
    text_close(text);
    return error;
}

/* "881.server", "881[3].server": 881. */
static uint32_t leading_number(const char *text)
{
    char digits[16];
    uint64_t number;

    if (!text)
        return 0;
    snprintf(digits, sizeof(digits), "%.*s", (int)strspn(text, "0123456789"),
             text);
    return text_parse_u64(digits, &number) && number <= UINT32_MAX
               ? (uint32_t)number
               : 0;
}

static int set_what(struct batch_job *job,
                    const char *system,
                    const char *number,
                    struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = buffer_printf(&text, err, number ? "%s job %s" : "%s job",
                              system, number);

    free(job->what);
    job->what = buffer_steal(&text);
    job->number = leading_number(number);
    return error;
}

/* The tasks that were asked for, else the CPUs of each node by those that a
 * task has. */
static int find_slurm(struct batch_job *job, struct mapcore_error *err)
{
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    const char *tasks = getenv("SLURM_TASKS_PER_NODE");
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
    const char *each = getenv("SLURM_CPUS_PER_TASK");
    uint64_t divisor = 1;
    struct hosts hosts = {0};
    uint32_t *slots = NULL;
    int error = set_what(job, "Slurm", getenv("SLURM_JOB_ID"), err);

    if (error == 0)
        error = hosts_expand(&hosts, nodes, err);
    if (error < 0)
        return error;
    if (!tasks && each && (!text_parse_u64(each, &divisor) || divisor == 0))
        divisor = 1;
    if (!(slots = array_alloc(hosts.n, sizeof(*slots), err)))
        error = MAPCORE_ENOMEM;
    if (error == 0)
        error = mapcore_slots_parse(slots, (uint32_t)hosts.n,
                                    tasks  ? tasks
                                    : cpus ? cpus
                                           : "1",
                                    err);
    for (size_t i = 0; error == 0 && i < hosts.n; i++)
        error = add_node(job, hosts.name[i],
                         slots[i] > divisor ? slots[i] / divisor : 1, err);
    free(slots);
    hosts_clear(&hosts);
    return error;
}

/* "n0 16 n1 16" */
static int take_pairs(struct batch_job *job,
                      const char *pairs,
                      struct mapcore_error *err)
{
    char *copy = array_copy(pairs, strlen(pairs) + 1, 1, err), *rest = NULL;
    int error = copy ? 0 : MAPCORE_ENOMEM;
    char *name = copy ? strtok_r(copy, " ", &rest) : NULL;

    for (; error == 0 && name; name = strtok_r(NULL, " ", &rest)) {
        const char *count = strtok_r(NULL, " ", &rest);
        uint64_t slots;

        if (!count || !text_parse_u64(count, &slots))
            error = error_set(err, MAPCORE_EPARSE,
                              "LSB_MCPU_HOSTS: no number behind %.200s", name);
        else
            error = add_node(job, name, slots, err);
    }
    free(copy);
    return error;
}

/* "n0 n0 n1 n1" */
static int take_names(struct batch_job *job,
                      const char *names,
                      struct mapcore_error *err)
{
    char *copy = array_copy(names, strlen(names) + 1, 1, err), *rest = NULL;
    int error = copy ? 0 : MAPCORE_ENOMEM;

    for (char *name = copy ? strtok_r(copy, " ", &rest) : NULL;
         error == 0 && name; name = strtok_r(NULL, " ", &rest))
        error = add_node(job, name, 1, err);
    free(copy);
    return error;
}

int batch_job_drop_launch_node(struct batch_job *job, struct mapcore_error *err)
{
    struct batch_job rest = {.what = NULL};
    int error = 0;

    for (size_t i = 0; i < job->node.n; i++)
        if ((job->slots[i] == 1) != (i == 0))
            return 0;
    if (job->node.n < 2)
        return 0;
    for (size_t i = 1; error == 0 && i < job->node.n; i++)
        error = add_node(&rest, job->node.name[i], job->slots[i], err);
    if (error == 0) {
        rest.what = job->what;
        rest.number = job->number;
        job->what = NULL;
        batch_job_clear(job);
        *job = rest;
    } else {
        batch_job_clear(&rest);
    }
    return error;
}

/* A line a group of equal nodes: nodes, cores, names. */
static int find_flux(struct batch_job *job, struct mapcore_error *err)
{
    char flux[] = "flux", resource[] = "resource", list[] = "list";
    char all[] = "--states=all", plain[] = "--no-header";
    char form[] = "--format={nnodes} {ncores} {nodelist}";
    char *argv[] = {flux, resource, list, all, plain, form, NULL};
    char *bytes = NULL, *rest = NULL;
    struct hosts hosts = {0};
    size_t n;
    int error = set_what(job, "Flux", getenv("FLUX_JOB_ID"), err);

    if (error == 0)
        error = subprocess_read(&bytes, &n, argv, CHILD_SECONDS, err);
    for (char *line = bytes ? strtok_r(bytes, "\n", &rest) : NULL;
         error == 0 && line; line = strtok_r(NULL, "\n", &rest)) {
        char names[4096];
        uint64_t nodes, cores;

        if (sscanf(line, "%" SCNu64 " %" SCNu64 " %4095s", &nodes, &cores,
                   names) != 3)
            continue; /* a state that no node is in */
        error = hosts_expand(&hosts, names, err);
        for (size_t i = 0; error == 0 && i < hosts.n; i++)
            error = add_node(job, hosts.name[i], cores / hosts.n, err);
        hosts_clear(&hosts);
    }
    free(bytes);
    return error;
}

static bool is_said(const char *name)
{
    const char *value = getenv(name);

    return value && *value != '\0';
}

int batch_job_find(struct batch_job *out,
                   const char *hosts,
                   struct mapcore_error *err)
{
    static const struct {
        const char *file, *system, *number;
    } by_file[] = {
        {"PBS_NODEFILE", "PBS", "PBS_JOBID"},
        {"LSB_DJOB_HOSTFILE", "LSF", "LSB_JOBID"},
        {"OAR_NODEFILE", "OAR", "OAR_JOB_ID"},
        {"OAR_NODE_FILE", "OAR", "OAR_JOB_ID"},
    };
    static const char *const numbers[] = {"SLURM_JOB_ID", "PBS_JOBID",
                                          "LSB_JOBID", "OAR_JOB_ID"};
    int error;

    *out = (struct batch_job){0};
    if (hosts) {
        for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
            if (out->number == 0)
                out->number = leading_number(getenv(numbers[i]));
        out->what = array_copy(hosts, strlen(hosts) + 1, 1, err);
        return out->what ? batch_job_read_hosts(out, hosts, err)
                         : MAPCORE_ENOMEM;
    }
    if (is_said("FLUX_URI"))
        return find_flux(out, err);
    if (is_said("SLURM_JOB_NODELIST"))
        return find_slurm(out, err);
    for (size_t i = 0; i < sizeof(by_file) / sizeof(*by_file); i++)
        if (is_said(by_file[i].file)) {
            error = set_what(out, by_file[i].system, getenv(by_file[i].number),
                             err);
            return error < 0 ? error
                             : batch_job_read_hosts(
                                   out, getenv(by_file[i].file), err);
        }
    if (!is_said("LSB_MCPU_HOSTS") && !is_said("LSB_HOSTS"))
        return 0;
    error = set_what(out, "LSF", getenv("LSB_JOBID"), err);
    if (error < 0)
        return error;
    return is_said("LSB_MCPU_HOSTS")
               ? take_pairs(out, getenv("LSB_MCPU_HOSTS"), err)
               : take_names(out, getenv("LSB_HOSTS"), err);
}

void batch_job_clear(struct batch_job *job)
{
    name_set_clear(&job->node);
    free(job->slots);
    free(job->what);
    *job = (struct batch_job){0};
}
