/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_write.c - a line of the history to the user's own and to the site's,
 * by a process that storage may keep as long as it likes */
#include "config.h"

#include "profiles/history/history_write.h"

#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/detached.h"
#include "profiles/history/history_evaluation.h"
#include "profiles/history/history_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

int history_line_stamp(struct history_line *line, struct mapcore_error *err)
{
    /* No question to a name service, which may hang. */
    const char *user = getenv("USER");
    char text[TEXT_TIME];
    struct timespec now;
    int error;

    clock_gettime(CLOCK_REALTIME, &now);
    if (!(line->at_s > 0))
        line->at_s = (double)now.tv_sec + 1e-6 * (double)(now.tv_nsec / 1000);
    error = text_copy(&line->time, text_time(text, line->at_s), err);
    return error == 0 && user && *user ? text_copy(&line->user, user, err)
                                       : error;
}

static void write_log(const char *log, char *text, size_t n)
{
    if (log[0] == '/') {
        struct own_folder *folder = NULL;

        if (own_folder_open(&folder, log, OWN_FOLDER_LOG, NULL) == 0)
            (void)history_append(folder, text, n, NULL);
        own_folder_close(folder);
        return;
    }
    openlog("topomap", LOG_PID, LOG_USER);
    syslog(LOG_INFO, "%.*s", (int)(n - 1), text);
    closelog();
}

/* The nodes may be asked for CPUs at a launch whose map is kept, and what they
 * have reported is kept when it has ended. */
static void keep_cpus(struct history_line *line,
                      const struct own_folder *folder,
                      bool is_asked,
                      char *name,
                      size_t size)
{
    const struct history_cpus_step step = {
        .folder = folder,
        .name = {line->job, line->step, getenv("SLURM_CLUSTER_NAME")}};

    line->cpus = NULL;
    if (strcmp(line->event, HISTORY_END) == 0) {
        snprintf(name, size, HISTORY_CPUS "%u.%u-%.0f", line->job, line->step,
                 1e3 * line->at_s);
        if (history_cpus_keep(&step, name, NULL) == 0)
            line->cpus = name;
    } else if (is_asked && line->map && line->nnodes <= HISTORY_CPUS_NODES)
        history_cpus_begin(&step);
}

void history_write_here(const struct history_writing *writing)
{
    struct history_line line = *writing->line;
    char *root = NULL, *text = NULL, cpus[64];
    struct own_folder *folder = NULL;

    if (catalogue_user_root(&root, NULL) == 0 &&
        catalogue_make_beside(&folder, root, HISTORY_FOLDER, 0700, NULL) == 0) {
        if (!writing->map || !line.map ||
            history_keep_map(folder, line.map, writing->map, NULL) < 0)
            line.map = NULL;
        keep_cpus(&line, folder, writing->asks_cpus, cpus, sizeof(cpus));
        if (history_line_format(&text, &line, NULL) == 0)
            (void)history_append(folder, text, strlen(text), NULL);
        free(text);
        text = NULL;
        if (writing->evaluation)
            (void)history_evaluation_write(writing->evaluation, folder, NULL);
    }
    /* Others cannot read what is the user's own. */
    line.map = line.cpus = NULL;
    if (writing->log && history_line_format(&text, &line, NULL) == 0)
        write_log(writing->log, text, strlen(text));
    free(text);
    own_folder_close(folder);
    free(root);
}

void history_write(const struct history_writing *writing, double seconds)
{
    pid_t child;

    if (writing->is_alone) {
        alarm(HISTORY_ALONE_S);
        history_write_here(writing);
        return;
    }
    if ((child = detached_fork(HISTORY_ALONE_S)) == 0) {
        history_write_here(writing);
        _exit(0);
    }
    detached_wait(child, seconds);
}
