/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_history.c - what a launch leaves in the history: who, where, and what
 * has become of it */
#include "config.h"

#include "tools/plan/plan_history.h"

#include "base/buffer.h"
#include "base/fnv.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/detached.h"
#include "profiles/history/history_file.h"
#include "profiles/history/history_write.h"
#include "tools/common/subprocess.h"
#include "tools/plan/plan_file.h"

#include <inttypes.h>
#include <math.h>
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

int plan_history_parse_step(uint32_t *job,
                            uint32_t *step,
                            const char *text,
                            struct mapcore_error *err)
{
    char copy[32], *point;
    uint64_t numbers[2];

    snprintf(copy, sizeof(copy), "%s", text);
    if ((point = strchr(copy, '.')))
        *point++ = '\0';
    if (strlen(text) >= sizeof(copy) || !point ||
        !text_parse_u64(copy, &numbers[0]) ||
        !text_parse_u64(point, &numbers[1]) || numbers[0] > UINT32_MAX ||
        numbers[1] > UINT32_MAX)
        return error_set(err, MAPCORE_EINVAL,
                         "%.40s: expected JOB.STEP, such as 4711.0", text);
    *job = (uint32_t)numbers[0];
    *step = (uint32_t)numbers[1];
    return 0;
}

static bool take(char **out, const char *text)
{
    return !text || *text == '\0' || (*out = strdup(text));
}

static bool digest_words(char **out, const struct mapcore_facts *facts)
{
    struct buffer words = {0};
    uint64_t digest = 0;
    bool done;

    if (facts->nwords < 2)
        return true;
    for (int i = 0; i < facts->nwords; i++)
        buffer_append(&words, facts->words[i], strlen(facts->words[i]) + 1);
    if ((done = words.error == 0))
        digest = fnv1a(words.bytes, words.n);
    buffer_clear(&words);
    buffer_printf(&words, "%016" PRIx64, digest);
    return done && buffer_finish(out, &words, 0) == 0;
}

/* "batch/64": nodes of one partition with as many CPUs are taken for alike. */
static bool name_nodes(char **out)
{
    const char *partition = getenv("SLURM_JOB_PARTITION");
    const char *cpus = getenv("SLURM_JOB_CPUS_PER_NODE");
    struct buffer text = {0};

    if (partition || cpus)
        buffer_printf(&text, "%s/%.*s", partition ? partition : "",
                      (int)strspn(cpus ? cpus : "", "0123456789"),
                      cpus ? cpus : "");
    return buffer_finish(out, &text, 0) == 0;
}

int plan_history_begin(struct history_line *out,
                       const struct planner *planner,
                       const char *step,
                       struct mapcore_error *err)
{
    const struct mapcore_facts *facts = planner->facts;
    int error;

    history_line_begin(out);
    error = plan_history_parse_step(&out->job, &out->step, step, err);
    if (error == 0 &&
        (!take(&out->event, HISTORY_LAUNCH) || !name_nodes(&out->node_type)))
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    if (error < 0 || !facts)
        return error;
    out->ntasks = facts->ntasks;
    out->nnodes = facts->nhosts;
    if (!take(&out->program, planner_subject(planner)) ||
        !take(&out->nodelist, facts->nodelist) ||
        !take(&out->identity, planner->sources.name
                                  ? CATALOGUE_NAMED
                                  : planner->sources.identity) ||
        !digest_words(&out->arguments, facts))
        error = error_set(err, MAPCORE_ENOMEM, "no memory");
    return error;
}

static const char *name_outcome(const struct planner *planner)
{
    const struct mapcore_plan *plan = &planner->plan;

    if (planner->is_control)
        return HISTORY_CONTROL;
    if (planner->request.answer && (plan->outcome == MAPCORE_PLAN_PLACED ||
                                    plan->outcome == MAPCORE_PLAN_UNCHANGED))
        return HISTORY_OBSERVED;
    if (plan->outcome == MAPCORE_PLAN_PLACED)
        return HISTORY_PLACED;
    if (plan->record_s > 0)
        return HISTORY_RECORDED;
    if (plan->outcome == MAPCORE_PLAN_UNCONCERNED)
        return HISTORY_NO_MPI;
    return plan->outcome == MAPCORE_PLAN_UNCHANGED ? HISTORY_UNCHANGED
                                                   : HISTORY_NO_PROFILE;
}

/* Seconds that a task of the recorded run was in MPI, and would have been: no
 * placement saves more of a run than the task that is least in MPI is. */
static void set_estimate(struct history_line *out,
                         const struct planner *planner,
                         int after)
{
    const struct profile *profile = planner->sources.profile;
    const double *estimate = planner->estimate;
    double least, saved;

    if (!planner->estimates_run || !profile || !(profile->seconds > 0) ||
        !(estimate[0] > 0))
        return;
    least = profile_least_mpi_share(profile);
    saved = fmax(estimate[0] - estimate[after], 0);
    if (least >= 0)
        saved = fmin(saved, least * profile->seconds);
    out->mpi_before_s = estimate[0];
    out->mpi_after_s = estimate[0] - saved;
    out->profile_s = profile->seconds;
}

static void set_amounts(struct history_line *out, const struct planner *planner)
{
    const struct mapcore_plan *plan = &planner->plan;
    /* Observed ranks that would have stayed gain nothing. */
    const int after =
        !planner->request.answer || plan->outcome == MAPCORE_PLAN_PLACED;

    out->plan_ms = round(1e5 * (tool_now() - planner->request.start)) / 100;
    if (!planner->has_result)
        return;
    out->links_before = plan->hops_per_byte[0];
    out->links_after = plan->hops_per_byte[after];
    out->busiest_before = plan->max_link_bytes[0];
    out->busiest_after = plan->max_link_bytes[after];
    out->offnode_before = (double)plan->off_node_bytes[0];
    out->offnode_after = (double)plan->off_node_bytes[after];
    set_estimate(out, planner, after);
}

/* The launch and its plan as a file has them, without the network. */
static char *format_map(const struct planner *planner)
{
    struct mapcore_plan plan = planner->plan;
    struct mapcore_facts facts;
    char *text = NULL;

    if (!planner->facts)
        return NULL;
    facts = *planner->facts;
    facts.topology = NULL;
    if (planner->request.answer && plan.outcome == MAPCORE_PLAN_PLACED)
        plan.outcome = MAPCORE_PLAN_UNCHANGED;
    if (plan_file_format(&text, &facts, &plan, NULL) < 0)
        return NULL;
    return text;
}

void plan_history_leave(const struct planner *planner,
                        const char *step,
                        const char *log,
                        const struct history_evaluation *evaluation,
                        bool asks_cpus,
                        bool is_alone)
{
    const struct plan_sources *sources = &planner->sources;
    struct history_line line;
    struct history_writing writing = {
        .line = &line,
        .log = log,
        .evaluation = evaluation,
        .asks_cpus = asks_cpus,
        .is_alone = is_alone,
    };
    char *map = NULL, name[64];

    if (plan_history_begin(&line, planner, step, NULL) < 0 ||
        (line.at_s = planner->answered_s, history_line_stamp(&line, NULL) < 0))
        goto out;
    if (!writing.log && sources->site)
        writing.log = sources->site->log;
    set_amounts(&line, planner);
    line.recorded = planner->plan.record_s > 0;
    writing.map = map = format_map(planner);
    snprintf(name, sizeof(name), HISTORY_MAPS "%u.%u-%.0f", line.job, line.step,
             1e3 * line.at_s);
    if (take(&line.outcome, name_outcome(planner)) &&
        take(&line.why, planner->plan.reason) &&
        take(&line.graph, planner->has_result ? planner->graph.name : NULL) &&
        take(&line.profile, sources->entry.version) && take(&line.map, name)) {
        history_write(&writing, 0);
        if (sources->site && sources->site->job_comment)
            job_comment_leave(&line);
    }
out:
    free(map);
    history_line_clear(&line);
}

/* What no user asked for, or can do anything about, is not said. */
static bool tells(const char *outcome)
{
    static const char *const told[] = {
        HISTORY_PLACED,  HISTORY_UNCHANGED, HISTORY_NO_PROFILE, HISTORY_FAILED,
        HISTORY_CONTROL, HISTORY_RECORDED,  HISTORY_OBSERVED};

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

    if (!is_first && !text_after(was, OURS))
        return false;
    n = (size_t)snprintf(out, size, "%s%s%u %s", was, is_first ? OURS : ", ",
                         step->step, step->outcome);
    if (n < size && strcmp(step->outcome, HISTORY_PLACED) == 0 &&
        step->links_before >= 0 && step->links_after >= 0)
        n += (size_t)snprintf(out + n, size - n, " %.3g -> %.3g hops/byte",
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
    const struct history_filter filter = {.has_job = true, .job = job};
    char *root = NULL;
    int error = catalogue_user_root(&root, &ignored);

    if (error == 0)
        error = catalogue_beside(&folder, root, HISTORY_FOLDER, &ignored);
    if (error == 0)
        error = history_add_folder(out, folder, &filter);
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

static int ask_scontrol(char **out, const char *a, const char *b, const char *c)
{
    size_t n;

    return subprocess_read(out, &n,
                           (const char *const[]){"scontrol", a, b, c, NULL},
                           SCONTROL_S, &(struct mapcore_error){0});
}

static void leave(const struct history_line *step)
{
    char job[16], id[32],
        comment[sizeof("Comment=") + COMMENT_MOST] = "Comment=";
    struct history history = {0};
    char *was = NULL, *answer = NULL;

    (void)read_job(&history, step->job);
    snprintf(job, sizeof(job), "%u", step->job);
    snprintf(id, sizeof(id), "JobId=%u", step->job);
    if (is_due(&history, step) && ask_scontrol(&was, "show", "job", job) == 0 &&
        make_comment(comment + strlen(comment), find_comment(was), step))
        (void)ask_scontrol(&answer, "update", id, comment);
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
