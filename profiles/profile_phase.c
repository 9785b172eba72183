/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* profile_phase.c - phases of a profile by the words that people have for them
 */
#include "config.h"

#include "profiles/profile_phase.h"

#include "base/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

const struct profile_phase *profile_find_phase(const struct profile *profile,
                                               const char *word)
{
    uint64_t number;
    const bool is_known = text_parse_u64(word, &number);

    for (size_t i = 0; i < profile->nphases; i++) {
        const struct profile_phase *phase = &profile->phases[i];

        if ((is_known && phase->phase == number) ||
            (phase->name && strcmp(phase->name, word) == 0))
            return phase;
    }
    return NULL;
}

const char *profile_phase_word(char *out, const struct profile_phase *phase)
{
    if (phase->name)
        snprintf(out, PROFILE_PHASE_WORD, "%s", phase->name);
    else
        snprintf(out, PROFILE_PHASE_WORD, "%" PRIu32, phase->phase);
    return out;
}
