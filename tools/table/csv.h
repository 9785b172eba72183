/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.h - fields of comma separated values, on stdout */
#ifndef TOOLS_CSV_H
#define TOOLS_CSV_H

#include <stdio.h>

/* A name in quotation marks, which are doubled in it (RFC 4180); a control
 * character becomes a question mark, as in tables. A spreadsheet takes what
 * begins as a formula for one, so that gets an apostrophe. */
void csv_put_name(const char *name);

#endif
