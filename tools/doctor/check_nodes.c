/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_nodes.c - whether every node has the same of topomap as this machine */
#include "config.h"

#include "tools/doctor/checks.h"

#include "base/array.h"
#include "base/hosts.h"
#include "base/text.h"
#include "tools/doctor/doctor_here.h"
#include "tools/doctor/trial.h"

#include <stdlib.h>
#include <string.h>

/* Further nodes of one difference are counted only. */
#define NAMES_MOST 8

static int run_step(struct process_output *out,
                    const struct doctor_options *options,
                    size_t nnodes,
                    struct mapcore_error *err)
{
    char nodes[32], tasks[32], self[PATH_MAX];
    const char **words;
    size_t n = 0, more = 0;
    int error;

    installation_find_self(self);
    while (options->srun && options->srun[more])
        more++;
    if (!(words = array_alloc(more + 16, sizeof(*words), err)))
        return MAPCORE_ENOMEM;
    snprintf(nodes, sizeof(nodes), "-N%zu", nnodes);
    snprintf(tasks, sizeof(tasks), "-n%zu", nnodes);
    words[n++] = "srun";
    words[n++] = nodes;
    words[n++] = tasks;
    words[n++] = "--nodelist";
    words[n++] = options->nodes;
    words[n++] = "--ntasks-per-node=1";
    words[n++] = "--mpi=none";
    words[n++] = "--quit-on-interrupt";
    words[n++] = "--time=5";
    words[n++] = "--topomap=off";
    for (size_t i = 0; i < more; i++)
        words[n++] = options->srun[i];
    words[n++] = self;
    words[n++] = "doctor";
    words[n++] = "--here";
    if (options->config) {
        words[n++] = "--config";
        words[n++] = options->config;
    }
    words[n] = NULL;
    error = trial_run(out, 0, (char *const *)(uintptr_t)words, err);
    free(words);
    return error;
}

/* Takes the mark away from line, and its node; the rest is what it says. */
static char *take_node(char **node, char *line)
{
    if (strncmp(line, DOCTOR_HERE_MARK, sizeof(DOCTOR_HERE_MARK) - 1) != 0)
        return NULL;
    line += sizeof(DOCTOR_HERE_MARK) - 1;
    *node = text_take_word(&line);
    return *node ? line : NULL;
}

/* Whether text has this line as a whole. */
static bool has_line(const char *text, const char *line)
{
    size_t n = strlen(line);

    for (; text && *text != '\0';
         text = strchr(text, '\n'), text = text ? text + 1 : NULL)
        if (strncmp(text, line, n) == 0 && (text[n] == '\n' || text[n] == '\0'))
            return true;
    return false;
}

/* A line that this machine does not have, and who has it. */
struct difference {
    const char *line;
    size_t n;
    struct buffer nodes;
};

struct differences {
    size_t n, capacity;
    struct difference *item;
};

static int note(struct differences *differences,
                const char *node,
                const char *line,
                struct mapcore_error *err)
{
    struct difference *item = NULL;
    int error;

    for (size_t i = 0; i < differences->n && !item; i++)
        if (strcmp(differences->item[i].line, line) == 0)
            item = &differences->item[i];
    if (!item) {
        error = array_reserve(&differences->item, &differences->capacity,
                              differences->n + 1, sizeof(*item), err);
        if (error < 0)
            return error;
        item = &differences->item[differences->n++];
        *item = (struct difference){.line = line};
    }
    if (++item->n > NAMES_MOST)
        return 0;
    return buffer_printf(&item->nodes, err, "%s%s", item->n > 1 ? " " : "",
                         node);
}

/* Reads the step's output, in place. seen: the nodes that said anything. */
static int compare(struct differences *out,
                   struct hosts *seen,
                   struct process_output *run,
                   const char *here,
                   struct mapcore_error *err)
{
    struct buffer names = {0};
    int error = 0;

    for (char *line = run->out.bytes; error == 0 && line && *line != '\0';) {
        char *end = line + strcspn(line, "\n"), *next = end + (*end != '\0');
        char *node;

        *end = '\0';
        if ((line = take_node(&node, line))) {
            line += strspn(line, " ");
            /* Each node says what it says of its plugin once, and first. */
            if (strncmp(line, "plugin ", sizeof("plugin ") - 1) == 0)
                error = buffer_printf(&names, err, "%s%s",
                                      names.n > 0 ? "," : "", node);
            if (error == 0 && !has_line(here, line))
                error = note(out, node, line, err);
        }
        line = next;
    }
    if (error == 0 && names.n > 0)
        error = hosts_expand(seen, names.bytes, err);
    buffer_clear(&names);
    return error;
}

static bool is_among(const struct hosts *hosts, const char *name)
{
    for (size_t i = 0; i < hosts->n; i++)
        if (strcmp(hosts->name[i], name) == 0)
            return true;
    return false;
}

static void say_silent(struct doctor_report *report,
                       const struct hosts *asked,
                       const struct hosts *seen,
                       const struct process_output *run)
{
    struct buffer names = {0};
    struct mapcore_error why;
    size_t n = 0, length;
    const char *line = trial_last_line(&length, run);

    for (size_t i = 0; i < asked->n; i++)
        if (!is_among(seen, asked->name[i]) && n++ < NAMES_MOST)
            buffer_printf(&names, &why, "%s%s", n > 1 ? " " : "",
                          asked->name[i]);
    if (n > 0)
        doctor_say(report, VERDICT_WRONG, "nodes",
                   "topomap must be installed on every node, at the same path",
                   "%zu of %zu do not run it: %s%s\n%.*s", n, asked->n,
                   names.bytes ? names.bytes : "", n > NAMES_MOST ? " ..." : "",
                   run->said.n > 0 ? (int)length : 0, line);
    buffer_clear(&names);
}

static void say_differences(struct doctor_report *report,
                            const struct differences *differences,
                            const struct hosts *asked,
                            const struct hosts *seen)
{
    for (size_t i = 0; i < differences->n; i++) {
        const struct difference *item = &differences->item[i];

        doctor_say(report, VERDICT_WRONG, "nodes",
                   "install one version everywhere",
                   "%zu of %zu have another than this machine: %s%s\n%s",
                   item->n, asked->n, item->nodes.bytes,
                   item->n > NAMES_MOST ? " ..." : "", item->line);
    }
    if (differences->n == 0 && seen->n > 0)
        doctor_say(report, VERDICT_OK, "nodes", NULL,
                   "%zu of %zu have the same plugin, command, recorders and "
                   "site file as this machine",
                   seen->n, asked->n);
}

static int check(struct doctor_report *report,
                 const struct doctor_options *options,
                 struct mapcore_error *err)
{
    struct hosts asked = {0}, seen = {0};
    struct differences differences = {0};
    struct process_output run = {0};
    struct buffer here = {0};
    int error = hosts_expand_distinct(&asked, options->nodes, err);

    if (error == 0)
        error = doctor_here_collect(&here, options->config, err);
    if (error == 0)
        error = run_step(&run, options, asked.n, err);
    if (error == 0)
        error = compare(&differences, &seen, &run, here.bytes, err);
    if (error == 0) {
        say_silent(report, &asked, &seen, &run);
        say_differences(report, &differences, &asked, &seen);
    }
    for (size_t i = 0; i < differences.n; i++)
        buffer_clear(&differences.item[i].nodes);
    free(differences.item);
    hosts_clear(&asked);
    hosts_clear(&seen);
    process_output_clear(&run);
    buffer_clear(&here);
    return error;
}

void check_nodes(struct doctor_report *report,
                 const struct doctor_options *options)
{
    struct mapcore_error why;

    if (check(report, options, &why) < 0)
        doctor_say(report, VERDICT_WRONG, "nodes", NULL, "%s", why.text);
}
