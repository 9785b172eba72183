/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_sentence.c - what a plan does, in one line for those who know neither
 * graphs nor metrics: by what, how far a byte goes, what it can matter, and how
 * to be rid of it */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "tools/plan/gain.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void print_hops(char *text, size_t size, double hops)
{
    if (hops > 0 && hops < 0.01)
        snprintf(text, size, "less than 0.01");
    else
        snprintf(text, size, "%.3g", hops);
}

/* "22 Nov 2026", in English in any locale; as it stands if it is no time. */
static void put_date(char *text, size_t size, const char *recorded)
{
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr",
                                         "May", "Jun", "Jul", "Aug",
                                         "Sep", "Oct", "Nov", "Dec"};
    struct tm tm = {0};

    if (strptime(recorded, "%Y-%m-%dT%H:%M:%SZ", &tm))
        snprintf(text, size, "%d %s %d", tm.tm_mday, months[tm.tm_mon],
                 tm.tm_year + 1900);
    else
        snprintf(text, size, "%.32s", recorded);
}

/* Weighted-sum is the default; another graph is worth a word. */
static void put_graph(FILE *out, const struct planner *planner)
{
    const struct plan_graph *graph = &planner->graph;
    const struct plan_sources *sources = &planner->sources;

    if (graph->is_measured || sources->evaluation_is_bad ||
        (graph->name && strcmp(graph->name, "weighted-sum") != 0))
        fprintf(out, "graph %s%s of ", graph->name,
                graph->is_measured           ? sources->evaluation->is_sure
                                                   ? ", the fastest measured,"
                                                   : " (measured, within noise)"
                : sources->evaluation_is_bad ? " (its evaluation is unreadable)"
                                             : "");
}

static void put_source(FILE *out, const struct planner *planner)
{
    const struct profile *profile = planner->sources.profile;
    char date[48];

    if (planner_graph_is_file(&planner->request)) {
        fputs(planner->request.graph, out);
    } else if (planner->graph.prediction) {
        fprintf(out, "the %s", planner->graph.prediction);
    } else {
        put_date(date, sizeof(date), profile->recorded);
        put_graph(out, planner);
        fprintf(out, "the profile of %s", date);
        /* Else it was recorded without Slurm, or imported. */
        if (profile->job && isdigit((unsigned char)*profile->job))
            fprintf(out, " (job %s)", profile->job);
        if (planner->sources.entry.other_build)
            fputs(", recorded with another build", out);
    }
}

static void put_slowest(FILE *out, const struct planner *planner)
{
    double before = planner->result.baseline.max_link_time;
    double after = planner->result.metrics.max_link_time;
    double percent = before > 0 ? 100 * (after / before - 1) : 0;

    if (before > 0 && fabs(percent) < 0.5)
        fputs(", the slowest link's time as before", out);
    else if (before > 0)
        fprintf(out, ", the slowest link's time %.0f%% %s", fabs(percent),
                percent < 0 ? "less" : "more");
}

/* Why ranks stay: gain.h. */
static void put_kept(FILE *out, const struct planner *planner, const char *hops)
{
    const struct mapcore_metrics *before = &planner->result.baseline;
    const struct mapcore_metrics *after = &planner->result.metrics;
    const double least = planner_least_gain(planner);

    fputs(": ", out);
    if (!planner->goes_by_types && after->max_link_time > before->max_link_time)
        fputs("the layout found would load the slowest link more", out);
    else if (gain_is_longer(planner->estimate[1], planner->estimate[0]))
        fputs("the layout found would take longer, by types of calls, network "
              "interfaces and memories",
              out);
    else if (planner->goes_by_types &&
             planner->estimate[1] < planner->estimate[0] && least > GAIN_LEAST)
        fprintf(out,
                "the layout found gains less than %g%%, about the error of "
                "estimates %s",
                100 * least,
                least > 0.2 ? "where bytes explain little of the time"
                            : "on such a network");
    else if ((planner->goes_by_types &&
              planner->estimate[1] < planner->estimate[0]) ||
             after->max_link_time < before->max_link_time ||
             after->avg_hop_bytes < before->avg_hop_bytes)
        fputs("the layout found gains less than 1%", out);
    else
        fputs("Slurm's layout is already the best found", out);
    fprintf(out, " (%s hops per byte)", hops);
}

/* Who can gain less than this share of a run has little of a network. */
static const double LITTLE = 0.05;

/* The share of the run that placement can save at most; negative: not known. */
static double find_limit(const struct planner *planner)
{
    const struct profile *profile = planner->sources.profile;
    double share = profile ? profile_mpi_share(profile) : -1, least = -1;

    if (profile && !planner->graph.prediction)
        least = profile_least_mpi_share(profile);
    return least >= 0 && least < share ? least : share;
}

static void put_percent(FILE *out, double share)
{
    fprintf(out, "%.*f%%", share < 0.01 ? 1 : 0, 100 * share);
}

/* Where a limit is known: time in MPI, unless most of it is waiting. */
static void put_limit(FILE *out, const struct planner *planner)
{
    const double limit = find_limit(planner);
    const struct profile *profile = planner->sources.profile;
    const bool waits = limit < profile_mpi_share(profile) / 2;

    fputs("; MPI is ", out);
    put_percent(out, profile_mpi_share(profile));
    fputs(" of this program's time", out);
    if (waits) {
        fprintf(out, ", mostly waiting for rank %u, which is in MPI ",
                profile->task_seconds.min_task);
        put_percent(out, limit);
        fputs(" of its time", out);
    }
    if (waits || limit < LITTLE)
        fputs(": no placement saves more", out);
}

/* Where hardly any of the recorded seconds are what bytes need. */
static void put_rest(FILE *out, const struct planner *planner)
{
    const double share = planner->links_share;

    if (share < 0 || share >= LITTLE)
        return;
    fputs(share < 0.001 ? "; links need less than " : "; links need ", out);
    put_percent(out, fmax(share, 0.001));
    fputs(" of that, the rest is waiting or latency", out);
}

static void put_hops(FILE *out, const struct planner *planner, bool keeps)
{
    const struct mapcore_plan *plan = &planner->plan;
    char before[32], after[32];

    print_hops(before, sizeof(before), plan->hops_per_byte[0]);
    print_hops(after, sizeof(after), plan->hops_per_byte[1]);
    if (keeps)
        put_kept(out, planner, before);
    else if (strcmp(before, after) == 0)
        fprintf(out, ": %s hops per byte, as before", after);
    else
        fprintf(out, ": %s hops per byte instead of %s", after, before);
    /* Links' times are no promise to who hardly uses them. */
    if (!keeps && !(find_limit(planner) >= 0 && find_limit(planner) < LITTLE))
        put_slowest(out, planner);
}

/* What else there is to know of the plan, and how to be rid of it. */
static void put_remarks(FILE *out, const struct planner *planner, bool keeps)
{
    /* A typing mistake, maybe, which another catalogue hides. */
    const char *missing = planner_graph_is_file(&planner->request)
                              ? NULL
                              : planner_missing_catalogue(planner);
    const char *day =
        planner->sources.profile ? planner->sources.profile->recorded : "";
    char date[48], today[16];
    const time_t now = time(NULL);
    struct tm tm;

    (void)strftime(today, sizeof(today), "%Y-%m-%d", gmtime_r(&now, &tm));
    if (find_limit(planner) >= 0) {
        put_limit(out, planner);
        put_rest(out, planner);
    }
    if (planner->warm_from[0] != '\0')
        fprintf(out, "; carried over from the plan for %s", planner->warm_from);
    /* Of another day than today and that of the profile, which the line has. */
    if (planner->made[0] != '\0' && strncmp(planner->made, today, 10) != 0 &&
        strncmp(planner->made, day, 10) != 0) {
        put_date(date, sizeof(date), planner->made);
        fprintf(out, "; as planned on %s", date);
    }
    if (missing)
        fprintf(out, "; catalogue %.256s: %s", missing, strerror(errno));
    if (planner->machine.nstray > 0)
        fprintf(out,
                "; Slurm's topology lacks %zu of the nodes, which count as far "
                "from all others",
                planner->machine.nstray);
    if (planner->machine.is_flat)
        fputs("; the network is not described (topomap.json(5)): all nodes "
              "count as equally far apart",
              out);
    planner_put_groups(out, planner);
    if (!keeps && planner->plan.env && planner->sources.framework.name)
        fprintf(out,
                "; %s numbers the nodes by the node rank given to it "
                "($SLURM_NODEID, $TOPOMAP_NODE_RANK)",
                planner->sources.framework.name);
    if (!keeps && !planner->request.answer)
        fputs(planner->request.by_place
                  ? "; without topomap place the launcher's layout stays"
                  : "; --topomap=off undoes it",
              out);
}

int planner_sentence(char **out, const struct planner *planner, bool keeps)
{
    char *text = NULL;
    size_t n;
    FILE *file = open_memstream(&text, &n);

    if (!file)
        return error_set(planner->err, MAPCORE_ENOMEM, "no memory");
    if (planner_graph_is_file(&planner->request))
        fprintf(file, "%u ranks", planner->facts->ntasks);
    else
        fprintf(file, "%s, %u ranks", planner_subject(planner),
                planner->facts->ntasks);
    fputs(", by ", file);
    put_source(file, planner);
    put_hops(file, planner, keeps);
    put_remarks(file, planner, keeps);
    if (fclose(file) != 0) {
        free(text);
        return error_set(planner->err, MAPCORE_ENOMEM, "no memory");
    }
    *out = text;
    return 0;
}
