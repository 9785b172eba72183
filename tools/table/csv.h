/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.h - fields of comma separated values, on stdout */
#ifndef TOOLS_CSV_H
#define TOOLS_CSV_H

#include <stdbool.h>
#include <stdio.h>

/* A name in quotation marks, which are doubled in it (RFC 4180); a control
 * character becomes a question mark, as in tables. A spreadsheet takes what
 * begins as a formula for one, so that gets an apostrophe. */
void csv_put_name(const char *name);
/* A comma and the number, with as many digits as give it back, or nothing
 * behind the comma where it is not known. */
void csv_put_exact(bool known, double number);

#endif
