/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* quantity.h - numbers as people write them: 1.5 GB, 2.1 ms, 12.3 k */
#ifndef TOOLS_QUANTITY_H
#define TOOLS_QUANTITY_H

/* Three digits and a unit, powers of 1000, into text[QUANTITY_TEXT]; thousands
 * of seconds are whole ones, or hours; 0 has the unit alone, and what is no
 * number is a dash. */
#define QUANTITY_TEXT 24
void quantity_bytes(char *text, double bytes);
void quantity_count(char *text, double n);
void quantity_seconds(char *text, double seconds);

#endif
