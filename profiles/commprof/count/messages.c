/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* messages.c - sorts, adds up and merges what tasks have counted */
#include "config.h"

#include "commprof/count/messages.h"

#include "base/array.h"

#include <stdlib.h>

#define RECORD_NAME(name, text) text,
const char *const type_names[NTYPES] = {RECORD_TYPES(RECORD_NAME)};

void call_stats_add(struct call_stats *sum, const struct call_stats *part)
{
    sum->communicators = record_sum(sum->communicators, part->communicators);
    sum->calls = record_sum(sum->calls, part->calls);
    sum->bytes = record_sum(sum->bytes, part->bytes);
    sum->paired = record_sum(sum->paired, part->paired);
    sum->large = record_sum(sum->large, part->large);
    sum->ns = record_sum(sum->ns, part->ns);
}

int call_stats_compare(const void *one, const void *other)
{
    const struct call_stats *x = one, *y = other;

    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    return x->phase < y->phase ? -1 : x->phase > y->phase;
}

int message_compare(const void *one, const void *other)
{
    const struct message *x = one, *y = other;

    if (x->type != y->type)
        return x->type < y->type ? -1 : 1;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    if (x->size_class != y->size_class)
        return x->size_class < y->size_class ? -1 : 1;
    return x->phase < y->phase ? -1 : x->phase > y->phase;
}

static void add(struct message *sum, const struct message *part)
{
    sum->count = record_sum(sum->count, part->count);
    sum->bytes = record_sum(sum->bytes, part->bytes);
    /* The earlier one; 0 is not known. */
    if (part->order < sum->order)
        sum->order = part->order;
}

/* Lets message[at] sink in the heap of message[n], greatest on top. */
static void sink(struct message *message, size_t at, size_t n)
{
    const struct message sinking = message[at];

    for (size_t child; (child = 2 * at + 1) < n; at = child) {
        if (child + 1 < n &&
            message_compare(&message[child], &message[child + 1]) < 0)
            child++;
        if (message_compare(&sinking, &message[child]) >= 0)
            break;
        message[at] = message[child];
    }
    message[at] = sinking;
}

/* In place, since a task of the program has no memory to give away: glibc's
 * qsort takes as much again. */
static void heap_sort(struct message *message, size_t n)
{
    for (size_t i = n / 2; i-- > 0;)
        sink(message, i, n);
    while (n-- > 1) {
        const struct message greatest = message[0];
        message[0] = message[n];
        message[n] = greatest;
        sink(message, 0, n);
    }
}

void messages_append(struct messages *messages, struct message message)
{
    struct message *last = &messages->message[messages->n - 1];

    if (messages->n > 0 && message_compare(last, &message) == 0)
        add(last, &message);
    else
        messages->message[messages->n++] = message;
}

void messages_sort(struct messages *messages)
{
    const size_t n = messages->n;

    heap_sort(messages->message, n);
    messages->n = 0;
    for (size_t i = 0; i < n; i++)
        messages_append(messages, messages->message[i]);
}

int messages_merge(struct messages *messages,
                   const struct message *more,
                   size_t nmore)
{
    struct messages merged = {NULL, 0};
    size_t i = 0, j = 0;

    if (nmore > SIZE_MAX - messages->n ||
        !(merged.message =
              array_alloc(messages->n + nmore, sizeof(*merged.message), NULL)))
        return MAPCORE_ENOMEM;
    while (i < messages->n || j < nmore)
        if (j == nmore ||
            (i < messages->n &&
             message_compare(&messages->message[i], &more[j]) <= 0))
            messages_append(&merged, messages->message[i++]);
        else
            messages_append(&merged, more[j++]);
    free(messages->message);
    *messages = merged;
    return 0;
}

void messages_clear(struct messages *messages)
{
    free(messages->message);
    messages->message = NULL;
    messages->n = 0;
}
