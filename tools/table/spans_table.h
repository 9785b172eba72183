/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spans_table.h - how evenly the tasks of a recording waited, for people */
#ifndef TOOLS_SPANS_TABLE_H
#define TOOLS_SPANS_TABLE_H

#include "profiles/profile.h"

/* A row a type of call and one for all of them on stdout, with a blank line
 * before: a task's seconds on average, of the longest and of the shortest, and
 * which tasks those are (Galvez, Jain and Kale 2017, table 1). Nothing where
 * they are not known. */
void spans_table_print(const struct profile *profile);

#endif
