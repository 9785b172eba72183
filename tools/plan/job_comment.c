/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job_comment.c - the comment of a job: two questions to slurmctld for the
 * first step of each outcome, none for all others */
#include "config.h"

#include "tools/plan/job_comment.h"

#include "profiles/catalogue/catalogue.h"
#include "profiles/detached.h"
#include "profiles/history/history_file.h"
#include "tools/common/subprocess.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define OURS "topomap: "
/* Of a comment, which squeue prints in a column. */
#define COMMENT_MOST 200
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

/* What the comment is from now on. False: it stays. */
static bool make_comment(char out[COMMENT_MOST + 1],
                         const char *was,
                         const struct history_line *step)
{
    const bool is_first = *was == '\0';
    const size_t size = COMMENT_MOST + 1;
    size_t n;

    if (!is_first && strncmp(was, OURS, strlen(OURS)) != 0)
        return false;
    n = (size_t)snprintf(out, size, "%s%s%u %s", was, is_first ? OURS : ", ",
                         step->step, step->outcome);
    if (n < size && strcmp(step->outcome, HISTORY_PLACED) == 0 &&
        step->links_before >= 0 && step->links_after >= 0)
        n += (size_t)snprintf(out + n, size - n, " %.3g -> %.3g links/byte",
                              step->links_before, step->links_after);
    return n < size;
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
        error = history_read_folder(out, folder, needle, &ignored);
    if (error == 0)
        history_join(out);
    free(root);
    own_folder_close(folder);
    return error;
}

/* A line `   Comment=TEXT ` of what scontrol prints; ends the text there. */
static const char *find_comment(char *text)
{
    static const char key[] = "\n   Comment=";
    char *found = strstr(text, key), *end;

    if (!found)
        return "";
    found += strlen(key);
    end = found + strcspn(found, "\n");
    while (end > found && end[-1] == ' ')
        end--;
    *end = '\0';
    return found;
}

static int ask_scontrol(char **out, char *a, char *b, char *c)
{
    char scontrol[] = "scontrol";
    size_t n;

    return subprocess_read(out, &n, (char *const[]){scontrol, a, b, c, NULL},
                           SCONTROL_S, &(struct mapcore_error){0});
}

static void leave(const struct history_line *step)
{
    char show[] = "show", update[] = "update", what[] = "job";
    char job[16], id[32],
        comment[sizeof("Comment=") + COMMENT_MOST] = "Comment=";
    struct history history = {0};
    char *was = NULL, *answer = NULL;

    (void)read_job(&history, step->job);
    snprintf(job, sizeof(job), "%u", step->job);
    snprintf(id, sizeof(id), "JobId=%u", step->job);
    if (is_due(&history, step) && ask_scontrol(&was, show, what, job) == 0 &&
        make_comment(comment + strlen(comment), find_comment(was), step))
        (void)ask_scontrol(&answer, update, id, comment);
    free(answer);
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
