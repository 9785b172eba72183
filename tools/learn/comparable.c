/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* comparable.c - which steps of a history can be compared with each other */
#include "config.h"

#include "tools/learn/comparable.h"

#include <string.h>

static int order_words(const char *a, const char *b)
{
    return strcmp(a ? a : "", b ? b : "");
}

int comparable_order(const struct history_line *a, const struct history_line *b)
{
    int order = order_words(a->program, b->program);

    if (order == 0)
        order = order_words(a->identity, b->identity);
    if (order == 0)
        order = order_words(a->arguments, b->arguments);
    if (order == 0)
        order = order_words(a->node_type, b->node_type);
    if (order == 0)
        order = (a->ntasks > b->ntasks) - (a->ntasks < b->ntasks);
    if (order == 0)
        order = (a->nnodes > b->nnodes) - (a->nnodes < b->nnodes);
    return order;
}

bool comparable_run(struct learn_run *out, const struct history_line *step)
{
    if (!step->outcome || !step->program || !(step->seconds > 0))
        return false;
    /* Cut short; of others nobody knows how they ended. */
    if (step->state && strcmp(step->state, "COMPLETED") != 0)
        return false;
    out->at_s = step->at_s;
    out->seconds = step->seconds;
    out->placed = strcmp(step->outcome, HISTORY_PLACED) == 0;
    return out->placed || strcmp(step->outcome, HISTORY_CONTROL) == 0;
}
