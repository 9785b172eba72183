/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job_comment.c - the comment of a job: two questions to slurmctld for the
 * first step of each outcome, none for all others */
#include "config.h"

#include "tools/plan/job_comment.h"

#include "base/buffer.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_beside.h"
#include "profiles/detached.h"
#include "profiles/history/history_file.h"
#include "tools/common/subprocess.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OURS "topomap: "
/* Of a comment, which squeue prints in a column. */
#define COMMENT_MOST ((size_t)200)
/* slurmctld that has not answered by then is busy enough. */
enum { ALONE_S = 20 };
static const double SCONTROL_S = 8;

/* What nobody asked topomap for, or nobody can do anything about, is not told.
 */
static bool tells(const char *outcome)
{
    static const char *const told[] = {HISTORY_PLACED,  HISTORY_KEPT,
                                       HISTORY_NOTHING, HISTORY_FAILED,
                                       HISTORY_CONTROL, HISTORY_RECORDED};

    for (size_t i = 0; outcome && i < sizeof(told) / sizeof(told[0]); i++)
        if (strcmp(outcome, told[i]) == 0)
            return true;
    return false;
}

/* What the comment is from now on, *out owned; NULL: it stays. */
static int make_comment(char **out,
                        const char *was,
                        const struct history_line *step,
                        struct mapcore_error *err)
{
    bool is_first = !was || *was == '\0';
    struct buffer text = {0};
    int error;

    *out = NULL;
    if (!tells(step->outcome) ||
        (!is_first && strncmp(was, OURS, strlen(OURS)) != 0))
        return 0;
    error = buffer_printf(&text, err, "%s%u %s", is_first ? OURS : ", ",
                          step->step, step->outcome);
    if (error == 0 && strcmp(step->outcome, HISTORY_PLACED) == 0 &&
        step->links_before >= 0 && step->links_after >= 0)
        error = buffer_printf(&text, err, " %.3g -> %.3g links/byte",
                              step->links_before, step->links_after);
    if (error == 0 && !is_first) {
        struct buffer whole = {0};

        if (strlen(was) + text.n <= COMMENT_MOST)
            error = buffer_printf(&whole, err, "%s%s", was, text.bytes);
        buffer_clear(&text);
        text = whole;
    }
    if (error == 0 && text.n > 0)
        *out = buffer_steal(&text);
    buffer_clear(&text);
    return error;
}

/* Whether a step is the first of its job that came out as it did. history is
 * joined; the step among it or not. */
static bool is_due(const struct history *history,
                   const struct history_line *step)
{
    for (size_t i = 0; i < history->n; i++) {
        const struct history_line *other = &history->step[i];

        /* Numbers of jobs come again, after months. */
        if (other->job == step->job && other->step < step->step &&
            other->outcome && strcmp(other->outcome, step->outcome) == 0 &&
            other->at_s > step->at_s - 86400.0 * 30)
            return false;
    }
    return true;
}

/* The user's own, of that job alone. */
static int read_job(struct history *out, uint32_t job)
{
    struct mapcore_error ignored;
    struct own_folder *folder = NULL;
    char *root = NULL, needle[32];
    int error = catalogue_user_root(&root, &ignored);

    snprintf(needle, sizeof(needle), "\"job\": %u,", job);
    if (error == 0)
        error = catalogue_beside(&folder, root, HISTORY_FOLDER, &ignored);
    if (error == 0)
        error = history_read_folder(out, folder, true, needle, &ignored);
    if (error == 0)
        history_join(out);
    free(root);
    own_folder_close(folder);
    return error;
}

/* scontrol writes a blank behind it. */
static char *copy_line(const char *text)
{
    size_t n = strcspn(text, "\n");

    while (n > 0 && text[n - 1] == ' ')
        n--;
    return strndup(text, n);
}

/* What it is now, *out owned and perhaps empty: a line `   Comment=TEXT`. */
static int read_comment(char **out, const char *job)
{
    char scontrol[] = "scontrol", show[] = "show", what[] = "job", *id;
    struct mapcore_error ignored;
    char *text = NULL, *found = NULL;
    size_t n;
    int error;

    if (!(id = strdup(job)))
        return MAPCORE_ENOMEM;
    error = subprocess_read(&text, &n,
                            (char *const[]){scontrol, show, what, id, NULL},
                            SCONTROL_S, &ignored);
    free(id);
    if (error == 0 && (found = strstr(text, "\n   Comment=")))
        found += strlen("\n   Comment=");
    if (error == 0 && !(*out = copy_line(found ? found : "")))
        error = MAPCORE_ENOMEM;
    free(text);
    return error;
}

static void write_comment(const char *job, const char *comment)
{
    char scontrol[] = "scontrol", update[] = "update";
    struct buffer id = {0}, text = {0};
    struct mapcore_error ignored;
    char *answer = NULL;
    size_t n;

    if (buffer_printf(&id, NULL, "JobId=%s", job) == 0 &&
        buffer_printf(&text, NULL, "Comment=%s", comment) == 0)
        (void)subprocess_read(
            &answer, &n,
            (char *const[]){scontrol, update, id.bytes, text.bytes, NULL},
            SCONTROL_S, &ignored);
    free(answer);
    buffer_clear(&id);
    buffer_clear(&text);
}

static void leave(const struct history_line *step)
{
    struct history history = {0};
    char *was = NULL, *comment = NULL, job[16];

    (void)read_job(&history, step->job);
    snprintf(job, sizeof(job), "%u", step->job);
    if (is_due(&history, step) && read_comment(&was, job) == 0 &&
        make_comment(&comment, was, step, NULL) == 0 && comment)
        write_comment(job, comment);
    free(comment);
    free(was);
    history_clear(&history);
}

void job_comment_leave(const struct history_line *step)
{
    if (tells(step->outcome) && detached_fork(ALONE_S) == 0) {
        leave(step);
        _exit(0);
    }
}
