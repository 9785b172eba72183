/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_sentence.c - what a plan does, in one line for those who know neither
 * graphs nor metrics: by what, how far a byte goes, what it can matter, and how
 * to be rid of it */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/buffer.h"
#include "tools/plan/gain.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <time.h>

/* Links are counted in whole numbers: more digits mean nothing to anybody. */
static void put_links(char *text, size_t size, double links)
{
    if (links > 0 && links < 0.01)
        snprintf(text, size, "less than 0.01");
    else
        snprintf(text, size, "%.3g", links);
}

static const char *name_links(const char *number)
{
    return strcmp(number, "1") == 0 ? "link" : "links";
}

/* "22 Nov 2026", in English whatever the locale; as it stands if it is no
 * time. */
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

/* Weighted-sum is what nobody asked for; another graph is worth a word. */
static int put_graph(struct buffer *out,
                     const struct planner *planner,
                     struct mapcore_error *err)
{
    if (!planner->graph.is_measured && !planner->sources.evaluation_is_bad &&
        (!planner->graph.name ||
         strcmp(planner->graph.name, "weighted-sum") == 0))
        return 0;
    return buffer_printf(
        out, err, "graph %s%s of ", planner->graph.name,
        planner->graph.is_measured ? planner->sources.evaluation->is_sure
                                         ? ", the fastest measured,"
                                         : " (measured, within noise)"
        : planner->sources.evaluation_is_bad ? " (its evaluation is unreadable)"
                                             : "");
}

static int put_source(struct buffer *out,
                      const struct planner *planner,
                      struct mapcore_error *err)
{
    const struct profile *profile = planner->sources.profile;
    char date[48];
    int error;

    if (planner_graph_is_file(&planner->request))
        return buffer_printf(out, err, "%s", planner->request.graph);
    if (planner->graph.prediction)
        return buffer_printf(out, err, "the %s", planner->graph.prediction);
    put_date(date, sizeof(date), profile->recorded);
    error = put_graph(out, planner, err);
    if (error == 0)
        error = buffer_printf(out, err, "the profile of %s", date);
    /* Else it was recorded without Slurm, or imported. */
    if (error == 0 && profile->job && isdigit((unsigned char)*profile->job))
        error = buffer_printf(out, err, " (job %s)", profile->job);
    if (error == 0 && planner->sources.entry.other_build)
        error = buffer_printf(out, err, ", recorded with another build");
    return error;
}

/* "busiest link -50%": by time, which is what decides. */
static int put_busiest(struct buffer *out,
                       const struct planner *planner,
                       struct mapcore_error *err)
{
    double before = planner->result.baseline.max_link_time;
    double after = planner->result.metrics.max_link_time;
    double percent = before > 0 ? 100 * (after / before - 1) : 0;

    if (before <= 0)
        return 0;
    if (fabs(percent) < 0.5)
        return buffer_printf(out, err, ", the busiest link carries as much");
    return buffer_printf(out, err, ", the busiest link %.0f%% %s",
                         fabs(percent), percent < 0 ? "less" : "more");
}

/* What all of that can matter at most. */
static int put_share(struct buffer *out,
                     const struct planner *planner,
                     struct mapcore_error *err)
{
    double share = planner->sources.profile
                       ? profile_mpi_share(planner->sources.profile)
                       : -1;

    if (share < 0)
        return 0;
    return buffer_printf(out, err, "; MPI is %.*f%% of this program's time",
                         share < 0.01 ? 1 : 0, 100 * share);
}

static int put_subject(struct buffer *out,
                       const struct planner *planner,
                       struct mapcore_error *err)
{
    if (planner_graph_is_file(&planner->request))
        return buffer_printf(out, err, "%" PRIu32 " ranks",
                             planner->facts->ntasks);
    return buffer_printf(out, err, "%s's %" PRIu32 " ranks",
                         planner_subject(planner), planner->facts->ntasks);
}

/* Why ranks stay: gain.h. */
static const char *why_kept(const struct planner *planner)
{
    const struct mapcore_metrics *before = &planner->result.baseline;
    const struct mapcore_metrics *after = &planner->result.metrics;

    if (!planner->counts_messages &&
        after->max_link_time > before->max_link_time)
        return "what was found would load the busiest link more";
    if (gain_is_longer(planner->estimate[1], planner->estimate[0]))
        return "what was found would take longer, by types of calls, network "
               "interfaces and memories";
    return (planner->counts_messages &&
            planner->estimate[1] < planner->estimate[0]) ||
                   after->max_link_time < before->max_link_time ||
                   after->avg_hop_bytes < before->avg_hop_bytes
               ? "less than 1% to gain"
               : "nothing to gain";
}

/* A typing mistake, maybe, which another catalogue hides. */
static int put_missing(struct buffer *out,
                       const struct planner *planner,
                       struct mapcore_error *err)
{
    const char *missing = planner_graph_is_file(&planner->request)
                              ? NULL
                              : planner_missing_catalogue(planner);

    if (!missing)
        return 0;
    return buffer_printf(out, err, "; catalogue %.256s: %s", missing,
                         strerror(errno));
}

int planner_sentence(char **out,
                     const struct planner *planner,
                     bool keeps,
                     struct mapcore_error *err)
{
    const struct mapcore_plan *plan = &planner->plan;
    struct buffer text = {0};
    char before[32], after[32], date[48];
    int error = put_subject(&text, planner, err);

    put_links(before, sizeof(before), plan->hops_per_byte[0]);
    put_links(after, sizeof(after), plan->hops_per_byte[1]);
    if (error == 0)
        error = buffer_printf(&text, err,
                              !keeps ? " placed by "
                              : planner->request.by_place
                                  ? " stay where they are, by "
                                  : " stay as Slurm put them, by ");
    if (error == 0)
        error = put_source(&text, planner, err);
    if (error == 0 && keeps)
        error = buffer_printf(&text, err, ": %s, a byte crosses %s %s",
                              why_kept(planner), before, name_links(before));
    else if (error == 0 && strcmp(before, after) == 0)
        error = buffer_printf(&text, err, ": a byte crosses %s %s, as before",
                              after, name_links(after));
    else if (error == 0)
        error =
            buffer_printf(&text, err, ": a byte crosses %s %s instead of %s",
                          after, name_links(after), before);
    if (error == 0 && !keeps)
        error = put_busiest(&text, planner, err);
    if (error == 0)
        error = put_share(&text, planner, err);
    if (error == 0 && planner->warm_from[0] != '\0')
        error = buffer_printf(&text, err, "; carried over from %s",
                              planner->warm_from);
    if (error == 0 && planner->made[0] != '\0') {
        put_date(date, sizeof(date), planner->made);
        error = buffer_printf(&text, err, "; as planned on %s", date);
    }
    if (error == 0)
        error = put_missing(&text, planner, err);
    if (error == 0)
        error = buffer_printf(&text, err, "%s%s",
                              planner->machine.is_flat
                                  ? "; nobody described the network, flat is "
                                    "assumed"
                                  : "",
                              keeps ? ""
                              : planner->request.by_place
                                  ? "; without topomap place they stay where "
                                    "they were"
                                  : "; --topomap=off undoes it");
    if (error == 0)
        *out = buffer_steal(&text);
    buffer_clear(&text);
    return error;
}
