/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_phases.c - times of types, added up by phase */
#include "config.h"

#include "tools/estimate_phases.h"

#include "profiles/profile_phase.h"
#include "tools/common/tool.h"

#include <stdio.h>

/* NULL: what is known of all together. */
static const struct profile_phase *phase_at(const struct graph_types *types,
                                            size_t phase)
{
    return phase < types->profile->nphases ? &types->profile->phases[phase]
                                           : NULL;
}

static size_t count_phases(const struct graph_types *types)
{
    if (!types->has_phases)
        return 0;
    for (size_t i = 0; i < types->n; i++)
        if (!types->type[i].phase)
            return types->profile->nphases + 1;
    return types->profile->nphases;
}

static const char *name_phase(char *word,
                              const struct graph_types *types,
                              size_t phase)
{
    const struct profile_phase *at = phase_at(types, phase);

    if (at)
        return profile_phase_word(word, at);
    snprintf(word, PROFILE_PHASE_WORD, "any");
    return word;
}

static double add_up(const struct graph_types *types,
                     const double *seconds,
                     size_t phase)
{
    const struct profile_phase *at = phase_at(types, phase);
    double sum = 0;

    for (size_t i = 0; i < types->n; i++)
        if (types->type[i].phase == at)
            sum += seconds[i];
    return sum;
}

void estimate_phases_print(const struct graph_types *types,
                           const double *seconds,
                           enum quantity_time unit)
{
    char word[PROFILE_PHASE_WORD], title[PROFILE_PHASE_WORD + 8];
    char time[QUANTITY_TEXT];

    for (size_t i = 0; i < count_phases(types); i++) {
        snprintf(title, sizeof(title), "phase %s", name_phase(word, types, i));
        quantity_put_time(time, add_up(types, seconds, i), unit);
        tool_print("  %-20s %12s\n", title, time);
    }
}

void estimate_phases_put(struct json_writer *writer,
                         const struct graph_types *types,
                         const double *seconds,
                         enum quantity_time unit)
{
    const size_t n = count_phases(types);
    char word[PROFILE_PHASE_WORD];

    if (n == 0)
        return;
    json_begin_array(writer, "phases");
    for (size_t i = 0; i < n; i++) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "phase", name_phase(word, types, i));
        quantity_put_json(writer, "time", add_up(types, seconds, i), unit);
        json_end_object(writer);
    }
    json_end_array(writer);
}
