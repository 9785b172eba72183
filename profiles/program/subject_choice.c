/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject_choice.c - which of several commands is the one that counts */
#include "config.h"

#include "profiles/program/subject_choice.h"

#include <stdlib.h>
#include <string.h>

static bool is_same(const struct subject_found *a,
                    const struct subject_found *b)
{
    const char *x = a->name ? a->name : a->program;
    const char *y = b->name ? b->name : b->program;

    return x && y && strcmp(x, y) == 0;
}

void subject_choice_weigh(struct subject_choice *choice,
                          struct subject_found *found)
{
    bool mpi = subject_is_mpi(found);

    if (found->certainty == SUBJECT_UNKNOWN) {
        choice->nunknown++;
    } else if (subject_may_use_mpi(found) &&
               !((choice->nmpi > 0 || choice->nscripts > 0) &&
                 is_same(&choice->best, found))) {
        bool better = mpi ? choice->nmpi == 0
                          : choice->nmpi == 0 && choice->nscripts == 0;

        choice->nmpi += mpi;
        choice->nscripts += !mpi;
        if (better) {
            subject_clear(&choice->best);
            choice->best = *found;
            *found = (struct subject_found){.program = NULL};
        }
    }
    subject_clear(found);
}

void subject_choice_adopt(struct subject_found *out,
                          struct subject_found *found)
{
    found->is_container |= out->is_container;
    if (found->certainty == SUBJECT_UNKNOWN && !found->program) {
        out->certainty = SUBJECT_UNKNOWN;
        out->kind = PROGRAM_SCRIPT;
        out->is_container = found->is_container;
        subject_clear(found);
        return;
    }
    /* The outermost is what somebody has typed. */
    if (*out->behind)
        memcpy(found->behind, out->behind, sizeof(found->behind));
    subject_clear(out);
    *out = *found;
    *found = (struct subject_found){.program = NULL};
}

void subject_choice_decide(struct subject_found *out,
                           struct subject_choice *choice)
{
    bool one =
        choice->nmpi == 1 ||
        (choice->nmpi == 0 && choice->nscripts == 1 && choice->nunknown == 0);

    if (one) {
        subject_choice_adopt(out, &choice->best);
        out->certainty = SUBJECT_LIKELY;
    } else if (choice->nmpi > 0 || choice->nscripts > 0 ||
               choice->nunknown > 0) {
        out->certainty = SUBJECT_UNKNOWN;
        out->kind = PROGRAM_SCRIPT;
    } else {
        out->kind = PROGRAM_NO_MPI;
    }
    subject_clear(&choice->best);
}
