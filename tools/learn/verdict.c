/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* verdict.c - what production runs say, and what the next one is for */
#include "config.h"

#include "tools/learn/verdict.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

/* Numbers of pairs at which they are looked at; then each STEP more, of which
 * the newest WINDOW count. */
static const size_t looks[] = {LEARN_LEAST, 12, 16, 24, 32, 48, 64};
#define NLOOKS (sizeof(looks) / sizeof(looks[0]))
#define WINDOW 64
#define STEP   16
/* From so many pairs on what is open is left so. */
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

/* Before there is a verdict the runs go two by two, one placed and one not, the
 * first of them by lot (permuted blocks of two): neither gets ahead. */
static bool takes_turns(const struct learn_run *runs, size_t n, uint64_t lot)
{
    size_t nplaced = 0;

    for (size_t i = 0; i < n; i++)
        nplaced += runs[i].placed;
    if (2 * nplaced != n)
        return 2 * nplaced < n;
    return lot % 2 == 0;
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
