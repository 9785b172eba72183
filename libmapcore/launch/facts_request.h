/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* facts_request.h - the question that `topomap plan` may ask back of srun, and
 * what it is told */
#ifndef MAPCORE_LAUNCH_FACTS_REQUEST_H
#define MAPCORE_LAUNCH_FACTS_REQUEST_H

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

#endif
