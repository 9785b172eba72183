/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.h - fields of comma separated values, on stdout */
#ifndef TOOLS_CSV_H
#define TOOLS_CSV_H

#include <stdbool.h>

/* A name in quotation marks, which are doubled in it (RFC 4180); control
 * characters are left out. A spreadsheet takes what begins as a formula for
 * one, so that gets an apostrophe. */
void csv_put_name(const char *name);
/* A comma and the number, six digits of it, or nothing behind the comma where
 * it is not known. */
void csv_put_number(bool known, double number);

/* The same with as many digits as give it back: of counts and bytes. */
void csv_put_exact(bool known, double number);

#endif
