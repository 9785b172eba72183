/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject_choice.h - which of several commands is the one that counts */
#ifndef PROFILES_SUBJECT_CHOICE_H
#define PROFILES_SUBJECT_CHOICE_H

#include "profiles/program/subject_found.h"

#include <stddef.h>

/* Starts as all zero. */
struct subject_choice {
    struct subject_found best;
    size_t nmpi, nscripts, nunknown; /* different ones */
};

/* One command more. Takes what found has. */
void subject_choice_weigh(struct subject_choice *choice,
                          struct subject_found *found);
/* The only one for MPI; if none is, the only script, unless there are commands
 * that nobody knows. Otherwise out stays the wrapper that it is. Ends choice.
 */
void subject_choice_decide(struct subject_found *out,
                           struct subject_choice *choice);

/* found is what was behind the wrapper that out is by now; what stays unknown
 * leaves it that. Takes what found has. */
void subject_choice_adopt(struct subject_found *out,
                          struct subject_found *found);

#endif
