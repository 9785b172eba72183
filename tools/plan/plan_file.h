/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_file.h - a plan in a file of its own, with the launch that it is for:
 * for srun --topomap=plan:FILE */
#ifndef TOOLS_PLAN_FILE_H
#define TOOLS_PLAN_FILE_H

#include "launch/facts.h"
#include "launch/plan.h"

/* Of a file; 16 million ranks, none beside its neighbour, are 200 MB. */
#define PLAN_FILE_MOST ((size_t)256 << 20)

/* The text, *out owned:
 *   topomap-plan-file 1 89abcdef01234567   (FNV-1a 64 of the facts below)
 *   topomap-facts 1 ...                    (launch/facts.h, up to its end)
 *   topomap-plan 2 ...                     (launch/plan.h, up to its end)
 * A plan that keeps Slurm's layout is one, too. Errors: ENOMEM. */
int plan_file_format(char **out,
                     const struct mapcore_facts *facts,
                     const struct mapcore_plan *plan,
                     struct mapcore_error *err);

/* Parses such a text of n bytes; name is for messages. Errors: EPARSE
 * (cut off, changed, or no plan), EVERSION, ERANGE, ENOMEM. */
int plan_file_parse(struct mapcore_plan **plan,
                    struct mapcore_facts **facts,
                    const char *name,
                    const char *text,
                    size_t n,
                    struct mapcore_error *err);

/* The plan that a file has for a launch: the same nodes in the same order with
 * as many tasks each. Errors: EINVAL (it is for others, which the sentence
 * names), EIO, and those of plan_file_parse. */
int plan_file_read(struct mapcore_plan **out,
                   const char *path,
                   const struct mapcore_facts *launch,
                   struct mapcore_error *err);

#endif
