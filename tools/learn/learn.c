/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* learn.c - what production runs say: runs compared with their neighbours in
 * time, by Wilcoxon's signed-rank test; what the next one is for; and task
 * graphs that race each other */
#include "config.h"

#include "tools/learn/learn.h"

#include "base/array.h"
#include "base/error_set.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* What is that much shorter or longer than the median is no run like the
 * others.
 */
#define PLAUSIBLE 3

bool learn_run_take(struct learn_run *out, const struct history_line *step)
{
    if (!step->outcome || !step->program || !(step->seconds > 0))
        return false;
    /* Cut short; how others ended is not known. */
    if (step->state && strcmp(step->state, "COMPLETED") != 0)
        return false;
    out->at_s = step->at_s;
    out->seconds = step->seconds;
    out->placed = strcmp(step->outcome, HISTORY_PLACED) == 0;
    return out->placed || strcmp(step->outcome, HISTORY_CONTROL) == 0;
}

static int by_time(const void *a, const void *b)
{
    const struct learn_run *x = a, *y = b;

    return (x->at_s > y->at_s) - (x->at_s < y->at_s);
}

/* Of sorted numbers. */
static double median(const double *sorted, size_t n)
{
    return (sorted[(n - 1) / 2] + sorted[n / 2]) / 2;
}

/* The runs that count, by time: how many. room: [nruns] */
static size_t choose_runs(struct learn_run *out,
                          double *room,
                          const struct learn_run *runs,
                          size_t nruns)
{
    double middle;
    size_t n = 0;

    for (size_t i = 0; i < nruns; i++)
        room[i] = runs[i].seconds;
    array_sort_double(room, nruns);
    middle = nruns > 0 ? median(room, nruns) : 0;
    for (size_t i = 0; i < nruns; i++)
        if (runs[i].seconds > 0 && runs[i].seconds * PLAUSIBLE > middle &&
            runs[i].seconds < middle * PLAUSIBLE)
            out[n++] = runs[i];
    qsort(out, n, sizeof(*out), by_time);
    return n;
}

/* The neighbours of centre, between the middle of the way to the centre before
 * it and to that behind it: from `first` up to `end`. Returns the mean of the
 * logarithms of those nearest to it, NAN without any. */
static double look_around(const struct learn_run *runs,
                          size_t centre,
                          size_t first,
                          size_t end)
{
    size_t left = centre, right = centre + 1, found = 0;
    double sum = 0;

    while (found < LEARN_NEIGHBOURS && (left > first || right < end)) {
        double before =
            left > first ? runs[centre].at_s - runs[left - 1].at_s : INFINITY;
        double behind =
            right < end ? runs[right].at_s - runs[centre].at_s : INFINITY;
        size_t next = before <= behind ? --left : right++;

        sum += log(runs[next].seconds);
        found++;
    }
    return found > 0 ? sum / (double)found : NAN;
}

/* The first run that is nearer to b than to a; those between are of the other
 * kind. */
static size_t divide(const struct learn_run *runs, size_t a, size_t b)
{
    double middle = (runs[a].at_s + runs[b].at_s) / 2;
    size_t i = a + 1;

    while (i < b && runs[i].at_s <= middle)
        i++;
    return i;
}

static size_t next_of(const struct learn_run *runs,
                      size_t n,
                      size_t from,
                      bool placed)
{
    while (from < n && runs[from].placed != placed)
        from++;
    return from;
}

int learn_pair(double **out,
               size_t *n,
               const struct learn_run *runs,
               size_t nruns,
               struct mapcore_error *err)
{
    struct learn_run *chosen = array_alloc(nruns, sizeof(*chosen), err);
    double *difference = array_alloc(nruns, sizeof(*difference), err);
    size_t count, nplaced = 0, npairs = 0, first = 0;
    bool centre_placed;

    if (!chosen || !difference) {
        free(chosen);
        free(difference);
        return MAPCORE_ENOMEM;
    }
    count = choose_runs(chosen, difference, runs, nruns);
    for (size_t i = 0; i < count; i++)
        nplaced += chosen[i].placed;
    centre_placed = nplaced < count - nplaced;
    for (size_t i = next_of(chosen, count, 0, centre_placed), next; i < count;
         i = next) {
        double others, own = log(chosen[i].seconds);
        size_t end;

        next = next_of(chosen, count, i + 1, centre_placed);
        end = next < count ? divide(chosen, i, next) : count;
        others = look_around(chosen, i, first, end);
        if (!isnan(others))
            difference[npairs++] = centre_placed ? own - others : others - own;
        first = end;
    }
    free(chosen);
    *out = difference;
    *n = npairs;
    return 0;
}

/* The largest k for which the sum of the ranks of positive differences is below
 * k with a probability of at most alpha / 2, when there is no shift: each set
 * of ranks 1..n is as likely. */
static size_t critical_rank(size_t n, double alpha)
{
    static const size_t most = LEARN_PAIRS_MOST * (LEARN_PAIRS_MOST + 1) / 2;
    double *chance = calloc(most + 1, sizeof(*chance)), sum = 0;
    size_t k = 0, total = 0;

    if (!chance)
        return 0;
    chance[0] = 1;
    for (size_t rank = 1; rank <= n; rank++) {
        total += rank;
        for (size_t t = total + 1; t-- > 0;)
            chance[t] = (chance[t] + (t >= rank ? chance[t - rank] : 0)) / 2;
    }
    while (k <= total && (sum += chance[k]) <= alpha / 2)
        k++;
    free(chance);
    return k;
}

int learn_shift_find(struct learn_shift *out,
                     const double *difference,
                     size_t n,
                     double alpha,
                     struct mapcore_error *err)
{
    size_t nwalsh = n * (n + 1) / 2, k = 0, rank;
    double *walsh;

    *out = (struct learn_shift){.n = n, .low = -INFINITY, .high = INFINITY};
    if (n > LEARN_PAIRS_MOST)
        return error_set(err, MAPCORE_ERANGE, "%zu pairs, more than %d", n,
                         LEARN_PAIRS_MOST);
    if (n == 0)
        return 0;
    if (!(walsh = array_alloc(nwalsh, sizeof(*walsh), err)))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < n; i++)
        for (size_t j = i; j < n; j++)
            walsh[k++] = (difference[i] + difference[j]) / 2;
    array_sort_double(walsh, nwalsh);
    out->estimate = median(walsh, nwalsh);
    if ((rank = critical_rank(n, alpha)) > 0) {
        out->low = walsh[rank - 1];
        out->high = walsh[nwalsh - rank];
    }
    free(walsh);
    return 0;
}

/* Numbers of pairs at which they are looked at; then each STEP more, of which
 * the newest WINDOW count. */
static const size_t looks[] = {LEARN_LEAST, 12, 16, 24, 32, 48, 64};
#define NLOOKS (sizeof(looks) / sizeof(looks[0]))
#define WINDOW 64
#define STEP   16
/* From that number of pairs on what is open is left so. */
#define OPEN_PAIRS 32

static size_t last_look(size_t npairs)
{
    size_t found = 0;

    if (npairs > WINDOW)
        return npairs - (npairs - WINDOW) % STEP;
    for (size_t i = 0; i < NLOOKS; i++)
        if (looks[i] <= npairs)
            found = looks[i];
    return found;
}

static enum learn_verdict judge(const struct learn_shift *shift)
{
    if (shift->high < 0)
        return LEARN_FASTER;
    return exp(shift->low) > 1 - LEARN_WORTH ? LEARN_NO_GAIN : LEARN_OPEN;
}

/* runs[n]: by time. Before there is a verdict the runs go two by two, one
 * placed and one not, the first of them by lot (permuted blocks of two):
 * neither gets ahead. A lead of several runs, such as those that auto placed
 * before, counts as one: runs that make up for it would have no counterpart
 * near in time. */
static bool takes_turns(const struct learn_run *runs, size_t n, uint64_t lot)
{
    int ahead = 0; /* 1: the placed ones are; -1: the others */

    for (size_t i = 0; i < n; i++)
        if (ahead != (runs[i].placed ? 1 : -1))
            ahead += runs[i].placed ? 1 : -1;
    return ahead == 0 ? lot % 2 == 0 : ahead < 0;
}

static bool places(const struct learn_decision *decision,
                   const struct learn_run *runs,
                   size_t n,
                   uint64_t lot)
{
    uint64_t one_in =
        decision->verdict == LEARN_OPEN && decision->npairs < OPEN_PAIRS
            ? LEARN_ONE_IN_OPEN
            : LEARN_ONE_IN;

    if (decision->verdict == LEARN_TOO_FEW)
        return takes_turns(runs, n, lot);
    return (lot % one_in == 0) == (decision->verdict == LEARN_NO_GAIN);
}

int learn_decide(struct learn_decision *out,
                 const struct learn_run *runs,
                 size_t n,
                 const struct learn_next *next,
                 struct mapcore_error *err)
{
    struct learn_run *recent = array_alloc(n, sizeof(*recent), err);
    double *difference = NULL;
    size_t nrecent = 0, look, first;
    int error = recent ? 0 : MAPCORE_ENOMEM;

    *out = (struct learn_decision){.verdict = LEARN_TOO_FEW};
    for (size_t i = 0; error == 0 && i < n; i++)
        if (runs[i].at_s >= next->at_s - 86400.0 * LEARN_DAYS)
            recent[nrecent++] = runs[i];
    if (nrecent > 0)
        qsort(recent, nrecent, sizeof(*recent), by_time);
    if (error == 0)
        error = learn_pair(&difference, &out->npairs, recent, nrecent, err);
    look = error == 0 ? last_look(out->npairs) : 0;
    first = look > WINDOW ? look - WINDOW : 0;
    if (error == 0)
        error = learn_shift_find(&out->shift,
                                 difference ? difference + first : NULL,
                                 look > 0 ? look - first : 0, LEARN_ALPHA, err);
    if (error == 0 && look > 0)
        out->verdict = judge(&out->shift);
    if (error == 0)
        out->places = places(out, recent, nrecent, next->lot);
    free(difference);
    free(recent);
    return error;
}

const char *learn_verdict_name(enum learn_verdict verdict)
{
    static const char *const names[] = {
        [LEARN_TOO_FEW] = "too-few",
        [LEARN_OPEN] = "open",
        [LEARN_FASTER] = "faster",
        [LEARN_NO_GAIN] = "no-gain",
    };

    return names[verdict];
}

/* What the runs of holder and challenger say; those of the challenger count as
 * placed. */
static int compare(struct learn_race *race,
                   struct learn_run *room,
                   const struct learn_graph_run *runs,
                   size_t n,
                   const struct learn_next *next,
                   struct mapcore_error *err)
{
    size_t chosen = 0;

    for (size_t i = 0; i < n; i++)
        if (runs[i].graph == race->holder || runs[i].graph == race->challenger)
            room[chosen++] = (struct learn_run){
                .at_s = runs[i].at_s,
                .seconds = runs[i].seconds,
                .placed = runs[i].graph == race->challenger,
            };
    return learn_decide(&race->open, room, chosen, next, err);
}

static bool is_over(const struct learn_decision *decision)
{
    return decision->verdict == LEARN_FASTER ||
           decision->verdict == LEARN_NO_GAIN ||
           (decision->verdict == LEARN_OPEN &&
            decision->npairs >= LEARN_RACE_PAIRS);
}

int learn_race_decide(struct learn_race *out,
                      const struct learn_graph_run *runs,
                      size_t n,
                      size_t ngraphs,
                      const struct learn_next *next,
                      struct mapcore_error *err)
{
    struct learn_run *room = array_alloc(n, sizeof(*room), err);
    struct learn_race race = {.holder = 0};
    int error = room ? 0 : MAPCORE_ENOMEM;

    for (size_t g = 1; error == 0 && g < ngraphs; g++) {
        race.challenger = g;
        error = compare(&race, room, runs, n, next, err);
        if (error < 0 || !is_over(&race.open))
            break;
        if (race.open.verdict == LEARN_FASTER) {
            race.won = race.open;
            race.beaten = race.holder;
            race.holder = g;
        }
        race.challenger = race.holder;
    }
    free(room);
    if (error < 0)
        return error;
    /* Neither is what a user would have without us: each gets every other run,
     * which makes most pairs of them. */
    race.graph = next->lot % 2 == 0 ? race.challenger : race.holder;
    *out = race;
    return 0;
}
