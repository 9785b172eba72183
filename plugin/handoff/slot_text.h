/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_text.h - where in its host each task sits: the text that goes from
 * srun to the tasks in SLURM_TOPOMAP_PLAN */
#ifndef PLUGIN_SLOT_TEXT_H
#define PLUGIN_SLOT_TEXT_H

#include "base/error.h"

#include "launch/plan.h"

/* One line, words divided by blanks:
 *   2 PATTERNS HOSTS CHECKSUM
 * PATTERNS: what occurs on hosts, each once, `RUNS` divided by '/': slot of
 * each local task in ascending rank order; HOSTS: which of them each host has,
 * as RUNS; CHECKSUM: FNV-1a 64 of all that stands before it, 16 digits. RUNS as
 * in launch/runs.h. Real plans repeat few patterns, so this stays short. */

/* Makes it from a plan that applies. *out is owned. Errors: ENOMEM. */
int slot_text_format(char **out,
                     const struct mapcore_plan *plan,
                     struct mapcore_error *err);

/* Reads the slots of one host: slot[nlocal] in local task order, a permutation
 * of 0 .. nlocal-1. Everything but text is what the caller knows of its own
 * step, and the text must agree. Time and memory: linear in n + nhosts.
 * Errors: EPARSE, ERANGE, EVERSION, ENOMEM. */
int slot_text_parse(uint32_t *slot,
                    uint32_t nlocal,
                    const char *text,
                    size_t n,
                    uint32_t nhosts,
                    uint32_t host,
                    struct mapcore_error *err);

#endif
