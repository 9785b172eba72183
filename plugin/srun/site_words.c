/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_words.c - plugstack.conf's arguments that stand in the site file: read
 * by `topomap`, since nothing here reads JSON */
#include "config.h"

#include "plugin/srun/site_words.h"

#include "base/text.h"
#include "plugin/handoff/handoff.h"
#include "plugin/srun/child.h"

#include <stdlib.h>
#include <unistd.h>

void site_words_ask(struct site_words *out,
                    const struct plugstack *plugstack,
                    double seconds)
{
    const char *const argv[] = {
        plugstack->program, "plan",
        "--site",           plugstack->config ? "--config" : NULL,
        plugstack->config,  NULL};
    const struct child_question question = {.argv = argv, .seconds = seconds};
    char *answer = NULL, *value;
    size_t n = 0;

    /* The administrator's, as plugstack.conf is, which srun itself has read. */
    if (!plugstack->config && access(TOPOMAP_SITEFILE, F_OK) != 0)
        return;
    if (child_ask(&answer, &n, &question, NULL, NULL) < 0)
        return;
    out->by_default = handoff_value(answer, "default");
    if ((value = handoff_value(answer, "time")) &&
        !text_parse_double(value, &out->seconds))
        out->seconds = 0;
    free(value);
    if ((value = handoff_value(answer, "time-most")) &&
        !text_parse_double(value, &out->auto_most))
        out->auto_most = 0;
    free(value);
    out->mpi = handoff_value(answer, "mpi");
    value = handoff_value(answer, "topology");
    out->has_topology = value != NULL;
    free(value);
    free(answer);
}

void site_words_take(struct plugstack *plugstack,
                     const struct site_words *words)
{
    if (!plugstack->says_default && words->by_default)
        plugstack_take_default(plugstack, words->by_default);
    if (!plugstack->says_time && words->seconds > 0)
        plugstack->seconds = words->seconds;
    plugstack->auto_most = words->auto_most;
    plugstack->has_topology = words->has_topology;
    if (!plugstack->mpi)
        plugstack->mpi = words->mpi;
}

void site_words_clear(struct site_words *words)
{
    free(words->by_default);
    free(words->mpi);
    *words = (struct site_words){0};
}
