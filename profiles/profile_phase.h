/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_phase.h - the words for a program's phases */
#ifndef PROFILES_PROFILE_PHASE_H
#define PROFILES_PROFILE_PHASE_H

#include "profiles/profile.h"

/* The phase of that name or number, or NULL. */
const struct profile_phase *profile_find_phase(const struct profile *profile,
                                               const char *word);
/* Its name, else its number; out[PROFILE_PHASE_WORD]. Returns out. */
enum { PROFILE_PHASE_WORD = 80 };
const char *profile_phase_word(char *out, const struct profile_phase *phase);
#endif
