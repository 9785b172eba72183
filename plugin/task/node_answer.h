/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_answer.h - what is the same for all tasks of a node is worked out by the
 * first of them that comes, and read by the others */
#ifndef PLUGIN_NODE_ANSWER_H
#define PLUGIN_NODE_ANSWER_H

#include "base/error.h"

#include <stddef.h>

/* Answers that are longer are made by each task for itself: the masks of a
 * thousand tasks on a thousand CPUs. */
#define NODE_ANSWER_MOST ((size_t)512 << 10)
/* Who waits longer for the one that makes it does without, and so do all. */
#define NODE_ANSWER_SECONDS 10

/* Memory that a process shares with the children that it forks from now on. */
struct node_answer;

/* NULL where there is no memory; then each asks for itself. */
struct node_answer *node_answer_open(void);
void node_answer_close(struct node_answer *shared);

/* Makes an answer, owned text, or NULL where there is nothing to do. */
typedef int node_answer_make(char **out, void *with, struct mapcore_error *err);

struct node_answer_text {
    const char *text; /* NULL: there is nothing to do */
    char *own;        /* for the caller to free; NULL when text is in shared */
};

/* The answer that the first caller made for this question, a number that says
 * what it depends on, or its failure; the caller makes it when it is the first
 * one, when shared is NULL, and when the question is another one. All callers
 * of one question get the same. out->text lasts as long as shared. Errors: of
 * make, EIO (it did not come within seconds), ENOMEM. */
int node_answer_ask(struct node_answer_text *out,
                    struct node_answer *shared,
                    uint64_t question,
                    double seconds,
                    node_answer_make *make,
                    void *with,
                    struct mapcore_error *err);

#endif
