/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wire.h - what srun and `topomap` say to each other beside facts and plan */
#ifndef MAPCORE_LAUNCH_WIRE_H
#define MAPCORE_LAUNCH_WIRE_H

#include "base/error.h"

#include <stddef.h>

/* For what launch/facts.h has as `topology on request`. */
#define FACTS_REQUEST "topomap-facts topology\n"

/* The answer to FACTS_REQUEST, n bytes of text: *out (owned) is Slurm's lines,
 * "" where it has none, NULL where there was no answer. Errors: EPARSE, ENOMEM.
 */
int facts_parse_answer(char **out,
                       const char *text,
                       size_t n,
                       struct mapcore_error *err);

#define PLAN_VERSION       2
#define PLAN_FIRST_VERSION 1 /* which is read, too */
#define PLAN_END_WORD      "end "
/* "end ", 16 hexadecimal digits, newline */
#define PLAN_END_LENGTH 21
/* Of the lines `found` and `network`. */
#define PLAN_FOUND_MOST   320
#define PLAN_NETWORK_MOST 1024

/* The step's files that it was told to remove are not there any more. */
#define TOLD_END_REMOVED "removed\n"

#endif
