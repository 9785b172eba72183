/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* evaluation_table.h - what topomap tune measured, for people */
#ifndef TOOLS_EVALUATION_TABLE_H
#define TOOLS_EVALUATION_TABLE_H

#include "profiles/evaluation.h"

/* A row a graph and the verdict, on stdout. */
void evaluation_table_print(const struct evaluation *evaluation);

#endif
