/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_learn.c - a launch that is learnt from: recorded where nothing is
 * known, else placed or left by what its earlier runs came to */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "launch/plan_words.h"
#include "tools/plan/planner/planner_earlier.h"
#include "tools/site/site.h"

#include <dirent.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* A program that leaves no profile in this number of runs, since its users try
 * out how it is called or because it cannot be recorded, is recorded again a
 * day after the last of them, then two days, four, and so on. */
#define RECORDED_MOST 3
#define WAIT_MOST     8
/* Of what is left of the time, for a look at the catalogue's size. */
#define LOOK_SHARE 0.3

/* Earlier recordings of that program and size, which were for nothing. */
struct tried {
    double until; /* none is recorded before that time; 0: now */
    bool no_mpi;  /* the newest called no MPI_Init */
};

static void look_back(struct tried *out, const struct planner_earlier *earlier)
{
    const struct history_line *launch = &earlier->launch;
    double newest = 0;
    size_t n = 0, doubled;

    *out = (struct tried){.until = 0};
    for (size_t i = 0; i < earlier->history.n; i++) {
        const struct history_line *step = &earlier->history.step[i];

        if (!step->recorded || step->ntasks != launch->ntasks ||
            strcmp(step->identity ? step->identity : "",
                   launch->identity ? launch->identity : "") != 0)
            continue;
        out->no_mpi =
            step->outcome && strcmp(step->outcome, HISTORY_NO_MPI) == 0;
        n += out->no_mpi ? RECORDED_MOST : 1;
        /* What a host with another clock says is of no year to come. */
        if (step->at_s <= launch->at_s)
            newest = fmax(newest, step->at_s);
    }
    if (n < RECORDED_MOST)
        return;
    doubled = n - RECORDED_MOST < WAIT_MOST ? n - RECORDED_MOST : WAIT_MOST;
    newest += 86400 * ldexp(1, (int)doubled);
    out->until = newest > launch->at_s ? newest : 0;
}

/* A catalogue has five. */
enum { DEEPEST = 8 };

struct count {
    uint64_t bytes, most;
    double end;
};

/* Takes fd. */
static void count_folder(struct count *count, int fd, int depth)
{
    DIR *dir = fdopendir(fd);
    const struct dirent *entry;

    if (!dir) {
        close(fd);
        return;
    }
    while (count->bytes <= count->most && tool_now() < count->end &&
           (entry = readdir(dir))) {
        struct stat st;
        int below;

        if (strcmp(entry->d_name, ".") == 0 ||
            strcmp(entry->d_name, "..") == 0 ||
            fstatat(dirfd(dir), entry->d_name, &st, AT_SYMLINK_NOFOLLOW) < 0)
            continue;
        if (S_ISREG(st.st_mode))
            count->bytes += (uint64_t)st.st_size;
        if (!S_ISDIR(st.st_mode) || depth == DEEPEST)
            continue;
        below = openat(dirfd(dir), entry->d_name,
                       O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (below >= 0)
            count_folder(count, below, depth + 1);
    }
    closedir(dir);
}

/* The bytes of the regular files in a folder and those below it, no link
 * followed; counting ends above `most`, and when these seconds are over. What
 * cannot be read counts 0. */
static uint64_t folder_bytes(const char *path, uint64_t most, double seconds)
{
    struct count count = {.most = most, .end = tool_now() + seconds};
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd >= 0)
        count_folder(&count, fd, 0);
    return count.bytes;
}

/* Why nothing is recorded, or NULL; it may be written to text[]. */
static const char *speaks_against(char *text,
                                  size_t size,
                                  const struct planner *planner,
                                  const struct tried *tried,
                                  const struct site_learning *site)
{
    time_t until = (time_t)tried->until;
    struct tm day;
    double left = planner->sources.deadline > 0
                      ? planner->sources.deadline - tool_now()
                      : 1;

    if (site->tasks > 0 && planner->facts->ntasks > site->tasks)
        return "the site limits recorded runs to fewer tasks";
    if (until > 0 && gmtime_r(&until, &day) &&
        strftime(text, size,
                 "no whole profile came of the runs that were recorded; the "
                 "next one is from %d %b %H:%M UTC on",
                 &day) > 0)
        return text;
    if (site->catalogue_mb > 0 && planner->sources.own_root &&
        folder_bytes(planner->sources.own_root, site->catalogue_mb << 20,
                     LOOK_SHARE * left) > site->catalogue_mb << 20)
        return "your catalogue is as large as the site allows: topomap profile "
               "prune";
    if (planner->sources.own_root &&
        site_root_is_full(planner->sources.site, planner->sources.own_root))
        return "the catalogues of all users are as large as the site allows: "
               "topomap profile prune";
    return planner_record_cap(text, size, planner);
}

/* Nothing of this build and size is known. */
static bool is_unknown(const struct planner *planner)
{
    const struct plan_sources *sources = &planner->sources;

    return sources->site && !planner->lost_mpi &&
           planner->plan.outcome != MAPCORE_PLAN_UNCONCERNED &&
           (sources->name || sources->subject.kind != PROGRAM_STATIC) &&
           (planner->plan.outcome == MAPCORE_PLAN_UNRECORDED ||
            planner->graph.prediction || sources->entry.other_build ||
            sources->entry.partial);
}

static void record(struct planner *planner,
                   const struct planner_earlier *earlier)
{
    const struct site_learning site = planner->sources.site->learning;
    char text[256], *reason = planner->plan.reason;
    const char *against;
    struct tried tried;

    look_back(&tried, earlier);
    against = speaks_against(text, sizeof(text), planner, &tried, &site);
    if (against && tried.until > 0 && tried.no_mpi &&
        planner->plan.outcome != MAPCORE_PLAN_PLACED) {
        (void)planner_say(planner, MESSAGE_NEVER_MPI, planner_subject(planner));
    } else if (against && planner->plan.outcome != MAPCORE_PLAN_PLACED) {
        (void)planner_say(planner, MESSAGE_NOT_LEARNT, reason ? reason : "",
                          against);
    } else if (!against) {
        planner->plan.record_s = (uint32_t)(60 * site.minutes);
        if (planner->plan.outcome == MAPCORE_PLAN_UNRECORDED)
            (void)planner_say(planner, MESSAGE_FIRST_RUN,
                              planner_subject(planner), planner->facts->ntasks,
                              site.minutes, site.minutes == 1 ? "" : "s",
                              planner->sources.subject.kind == PROGRAM_SCRIPT
                                  ? "; NCCL programs: " GRAPH_WORD_LLM
                                  : "");
    }
}

/* "placed runs took 6.1% less time than others (12 pairs, -7.9 to -4.4% with
 * 99%)" */
static void put_verdict(char *text,
                        size_t size,
                        const struct learn_decision *decision,
                        bool is_new)
{
    const struct learn_shift *shift = &decision->shift;
    double percent = 100 * (exp(shift->estimate) - 1);

    if (is_new)
        snprintf(text, size, "no run had these arguments before");
    else if (decision->verdict == LEARN_TOO_FEW)
        snprintf(text, size, "%zu of %d pairs of runs to compare",
                 decision->npairs, LEARN_LEAST);
    else
        snprintf(
            text, size,
            "placed runs took %.1f%% %s time than others (%zu pairs, %+.1f "
            "to %+.1f%% with 99%%)",
            fabs(percent), percent < 0 ? "less" : "more", shift->n,
            100 * (exp(shift->low) - 1), 100 * (exp(shift->high) - 1));
}

/* The plan is there; whether it is used. */
static void decide(struct planner *planner,
                   const struct planner_earlier *earlier)
{
    struct learn_decision decision;
    struct learn_run *runs = NULL;
    struct mapcore_error ignored;
    char verdict[160];
    const struct learn_next next = {earlier->launch.at_s,
                                    planner_earlier_lot(planner, "")};
    bool is_new;
    size_t n;

    if (planner_earlier_runs(&runs, &n, planner, &ignored) < 0 ||
        learn_decide(&decision, runs, n, &next, &ignored) < 0) {
        free(runs);
        return;
    }
    free(runs);
    is_new = n == 0 && planner_earlier_others(planner) >= LEARN_OTHERS;
    if (is_new)
        decision.places = next.lot % LEARN_ONE_IN != 0;
    planner->earlier->is_decided = true;
    planner->earlier->decision = decision;
    planner->plan.times_mpi = planner->sources.site->learning.mpi_time;
    put_verdict(verdict, sizeof(verdict), &decision, is_new);
    if (decision.places) {
        (void)planner_say(planner, MESSAGE_LEARNT_GAIN, planner->plan.reason,
                          verdict, planner->graph.race[0] != '\0' ? "; " : "",
                          planner->graph.race);
        return;
    }
    if (!planner_keep(planner, ""))
        return;
    planner->plan.outcome = MAPCORE_PLAN_UNCHANGED;
    planner->is_control = true;
    (void)planner_say(planner,
                      decision.verdict == LEARN_NO_GAIN ? MESSAGE_NO_GAIN
                                                        : MESSAGE_CONTROL,
                      planner_subject(planner), verdict);
}

void planner_learn(struct planner *planner)
{
    const struct planner_earlier *earlier;

    if (!planner->facts || (planner->request.answer && !is_unknown(planner)) ||
        !(earlier = planner_earlier_know(planner)))
        return;
    if (is_unknown(planner))
        record(planner, earlier);
    if (planner->plan.outcome == MAPCORE_PLAN_PLACED &&
        earlier->launch.program && planner->plan.record_s == 0)
        decide(planner, earlier);
    /* Its runs are lost but for those that the history has. */
    if (earlier->broken.text[0] != '\0')
        (void)planner_say(planner, MESSAGE_BROKEN,
                          planner->plan.reason ? planner->plan.reason : "",
                          earlier->broken.text);
}
