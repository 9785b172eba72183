/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_report.c - what srun asks of a node, and when slurmstepd has it written
 */
#include "config.h"

#include "plugin/task/node_report.h"

#include "launch/kept.h"
#include "launch/plain_name.h"
#include "plugin/handoff/handoff.h"
#include "plugin/task/affinity.h"
#include "plugin/task/node_writer.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Slurm waits for the last task's hook, and srun for Slurm: long for counters,
 * of which there is no other copy. */
#define COUNTERS_SECONDS 10
#define WRITE_SECONDS    1
/* every=: milliseconds of it are an int. */
#define EVERY_MOST 1000000
/* More than any shell script's own descriptors, and less than any limit. */
#define HIGH_DESCRIPTOR 100

/* slurmstepd's own; a task is a fork of it. */
static struct node_report topomap_report = {.region.fd = -1, .writer_fd = -1};

/* An absolute path, owned; else NULL. */
static char *take_folder(const char *value)
{
    return value && value[0] == '/' ? strdup(value) : NULL;
}

/* What text begins with is cut off at end; the rest, or NULL. */
static char *cut(char *text, char end)
{
    char *rest = text ? strchr(text, end) : NULL;

    if (rest)
        *rest++ = '\0';
    return rest;
}

/* "ask KIND" or "check KIND LEVELS", a newline, the folder. One node answers
 * for those that no plan knows. */
static void take_tree(struct node_report *out, const char *value)
{
    const size_t ask = strlen(NODE_ASK), check = strlen(NODE_CHECK);
    char *kind = out->tree = value ? strdup(value) : NULL;
    bool is_asked;

    if (!kind)
        return;
    out->tree_folder = cut(kind, '\n');
    is_asked = strncmp(kind, NODE_ASK, ask) == 0;
    if (!is_asked && strncmp(kind, NODE_CHECK, check) != 0)
        return;
    kind += is_asked ? ask : check;
    if (!is_asked)
        out->levels = cut(kind, ' ');
    if (out->tree_folder && out->tree_folder[0] == '/' &&
        (is_asked ? out->node == 0 : out->levels != NULL) &&
        plain_name_check(kind, NODE_NAME - 1))
        out->kind = kind;
    else
        out->levels = NULL;
}

/* False where Slurm does not say who the user is. */
static bool know_user(struct node_report *out, spank_t spank)
{
    gid_t *groups = NULL;
    int n = 0;

    if (spank_get_item(spank, S_JOB_UID, &out->uid) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_GID, &out->gid) != ESPANK_SUCCESS)
        return false;
    if (spank_get_item(spank, S_JOB_SUPPLEMENTARY_GIDS, &groups, &n) ==
            ESPANK_SUCCESS &&
        n > 0 && (out->groups = malloc((size_t)n * sizeof(*groups)))) {
        memcpy(out->groups, groups, (size_t)n * sizeof(*groups));
        out->ngroups = n;
    }
    return true;
}

static void forget(struct node_report *report)
{
    node_region_close(&report->region);
    free(report->groups);
    free(report->spool);
    free(report->cpus);
    free(report->tree);
    *report = (struct node_report){.region.fd = -1, .writer_fd = -1};
}

void node_report_open(spank_t spank, const char *const *handoff)
{
    struct node_report *report = &topomap_report;
    unsigned long every;

    if (report->ntasks > 0 ||
        spank_get_item(spank, S_JOB_NODEID, &report->node) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_LOCAL_TASK_COUNT, &report->ntasks) !=
            ESPANK_SUCCESS)
        return;
    take_tree(report, handoff[HANDOFF_TREE]);
    report->cpus = take_folder(handoff[HANDOFF_CPUS]);
    if (handoff[HANDOFF_RECORDER])
        report->spool = take_folder(handoff[HANDOFF_SPOOL]);
    if ((report->spool || report->cpus || report->kind ||
         handoff[HANDOFF_PLAN]) &&
        know_user(report, spank))
        node_region_open(&report->region, report->ntasks,
                         report->spool != NULL);
    if (!report->region.head) {
        forget(report);
        return;
    }
    every =
        handoff[HANDOFF_EVERY] ? strtoul(handoff[HANDOFF_EVERY], NULL, 10) : 0;
    report->every = every < EVERY_MOST ? (int)every : EVERY_MOST;
    if (report->spool && report->every > 0)
        node_writer_begin(report);
}

/* A program that closes what it did not open (Python's subprocess does) counts
 * in its heap. */
void node_report_give(spank_t spank, uint32_t local, bool has_nccl)
{
    const struct node_region *region = &topomap_report.region;
    char place[128];
    struct stat st;
    int fd;

    if (region->ncounters == 0 || local >= region->ntasks)
        return;
    spank_setenv(spank, "COMMPROF_SPOOL", topomap_report.spool, 1);
    if ((fd = fcntl(region->fd, F_DUPFD, HIGH_DESCRIPTOR)) < 0)
        fd = fcntl(region->fd, F_DUPFD, 10);
    if (fd < 0 || fstat(fd, &st) < 0)
        return;
    snprintf(place, sizeof(place), "%d %" PRIu64 " %llu %llu", fd,
             local * KEPT_REGION, (unsigned long long)st.st_dev,
             (unsigned long long)st.st_ino);
    spank_setenv(spank, "COMMPROF_KEEP", place, 1);
    if (!has_nccl)
        return;
    snprintf(place, sizeof(place), "%d %" PRIu64 " %llu %llu %" PRIu64, fd,
             (region->ntasks + (uint64_t)local * KEPT_NCCL_REGIONS) *
                 KEPT_REGION,
             (unsigned long long)st.st_dev, (unsigned long long)st.st_ino,
             local * KEPT_REGION);
    spank_setenv(spank, "COMMPROF_KEEP_NCCL", place, 1);
}

void node_report_cpus(spank_t spank, uint32_t local, uint32_t rank)
{
    struct node_head *head = topomap_report.region.head;
    char *mask = NULL, line[STEP_CPUS_LINE];
    int n;

    if (!head || local >= topomap_report.ntasks)
        return;
    if (local == 0 && spank_getenv(spank, "SLURMD_NODENAME", head->name,
                                   sizeof(head->name)) != ESPANK_SUCCESS)
        head->name[0] = '\0';
    if (!topomap_report.cpus || affinity_current(&mask, NULL) < 0)
        return;
    n = snprintf(line, sizeof(line), "%u %s\n", rank, mask);
    if (n > 0 && (size_t)n < sizeof(line))
        memcpy(head->line[local], line, (size_t)n + 1);
    free(mask);
}

const char *node_report_planned(void)
{
    return topomap_report.levels;
}

struct node_head *node_report_head(void)
{
    return topomap_report.region.head;
}

/* The recorded profile says how its tasks ended. */
static void note_end(spank_t spank)
{
    const struct node_region *region = &topomap_report.region;
    uint32_t ended;
    int task, status;
    off_t at;

    if (spank_get_item(spank, S_TASK_ID, &task) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_TASK_EXIT_STATUS, &status) != ESPANK_SUCCESS ||
        status == 0 || task < 0 || region->ncounters == 0 ||
        (uint32_t)task >= region->ntasks)
        return;
    at = (off_t)((uint64_t)task * KEPT_REGION +
                 offsetof(struct kept_head, ended));
    if (pread(region->fd, &ended, sizeof(ended), at) != sizeof(ended))
        return;
    ended |= (uint32_t)status & 0xffff;
    (void)!pwrite(region->fd, &ended, sizeof(ended), at);
}

void node_report_task_ended(spank_t spank)
{
    note_end(spank);
    /* srun need not wait for a tree alone. */
    if (++topomap_report.nended >= topomap_report.ntasks &&
        (topomap_report.spool || topomap_report.cpus))
        node_report_close();
}

void node_report_close(void)
{
    struct node_report *report = &topomap_report;
    bool has_counters = report->writer_fd >= 0, has_tree;

    if (!report->region.head)
        return;
    for (uint32_t i = 0; i < report->region.ncounters; i++)
        has_counters = has_counters || node_writer_used(&report->region, i) > 0;
    has_tree =
        report->kind && (!report->levels || report->region.head->differs);
    if (report->writer_fd < 0 && (has_counters || report->cpus || has_tree))
        node_writer_begin(report);
    node_writer_end(report, has_tree,
                    has_counters ? COUNTERS_SECONDS : WRITE_SECONDS);
    forget(report);
}
