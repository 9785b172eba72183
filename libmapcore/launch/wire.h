/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* wire.h - what srun and `topomap` say to each other beside facts and plan, and
 * show of these to people */
#ifndef MAPCORE_LAUNCH_WIRE_H
#define MAPCORE_LAUNCH_WIRE_H

#include "base/text.h"

struct mapcore_facts;
struct mapcore_plan;

/* For what launch/facts.h has as `topology on request`. */
#define FACTS_REQUEST "topomap-facts topology\n"

/* The answer to FACTS_REQUEST, n bytes of text: *out (owned) is Slurm's lines,
 * "" where it has none, NULL where there was no answer. Errors: EPARSE, ENOMEM.
 */
int facts_parse_answer(char **out,
                       const char *text,
                       size_t n,
                       struct mapcore_error *err);

/* The options of `topomap plan` that say the same from a shell, quoted where a
 * shell needs it: "--program /x/app --ntasks 16 ...", the baseline only where
 * it is not block; then each of words[] (ended by NULL); then, in place of
 * --program, the command as typed, if the facts have it: "-- bash -c './app
 * 3'". *out owned. Errors: ENOMEM. */
int plan_command(char **out,
                 const struct mapcore_facts *facts,
                 const char *const *words,
                 struct mapcore_error *err);

/* (*out)[ntasks], owned: the slots of Slurm's own layout, on each host in
 * ascending order of ranks. Errors: ENOMEM. */
int plan_own_slots(uint32_t **out,
                   const struct mapcore_facts *facts,
                   struct mapcore_error *err);

/* (*ranks)[ntasks] by host, then by slot; those of host h are
 * (*first)[h] .. (*first)[h + 1] - 1 of it, (*first)[nhosts + 1]. Both owned by
 * the caller. O(ntasks + nhosts). Errors: ENOMEM. */
int plan_order(uint32_t **ranks,
               uint32_t **first,
               const struct mapcore_plan *plan,
               struct mapcore_error *err);

/* The map for people, one line a host: "n0: ranks 0,5", slot by slot; then a
 * line that says where the milliseconds went. nodelist: Slurm's expression.
 * *out is owned. Errors: ENOMEM, EPARSE (another number of hosts). */
int plan_describe(char **out,
                  const struct mapcore_plan *plan,
                  const char *nodelist,
                  struct mapcore_error *err);

/* The next line, which must begin with word and a blank; *rest is what follows.
 * Errors: EPARSE. */
int wire_expect(struct text *text, const char *word, char **rest);

/* Of the lines `found`, `network` and `advice`. */
#define PLAN_FOUND_MOST   320
#define PLAN_NETWORK_MOST 1024
#define PLAN_ADVICE_MOST  1024

/* The answer of `topomap history --ended`: the step's files are removed. */
#define STEP_END_REMOVED "removed\n"

#endif
