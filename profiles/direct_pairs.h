/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* direct_pairs.h - the pairs of a collective by rules that ask for no library:
 * the recorder's own, and binomial trees */
#ifndef PROFILES_DIRECT_PAIRS_H
#define PROFILES_DIRECT_PAIRS_H

#include "profiles/algorithm.h"

/* The root with each other rank (is_tree: along a binomial tree), partners at
 * distances that double, each with each: profiles/expand.h. All is one stage,
 * both ways. ERANGE: more bytes than can be counted. */
int direct_expand(const struct algorithm_call *call,
                  bool is_tree,
                  algorithm_pair pair,
                  void *arg);

#endif
