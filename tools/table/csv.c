/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.c - what a spreadsheet reads */
#include "config.h"

#include "tools/table/csv.h"

#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

void csv_write_name(FILE *file, const char *name)
{
    putc('"', file);
    if (strchr("=+-@", *name) && name[0] != '\0' && name[1] != '\0')
        putc('\'', file);
    printable_write_escaped(file, name, "\"", '"');
    putc('"', file);
}

void csv_put_name(const char *name)
{
    csv_write_name(stdout, name);
}

void csv_put_number(bool known, double number)
{
    if (known)
        printf(",%.6g", number);
    else
        putchar(',');
}

void csv_write_exact(FILE *file, double number)
{
    char text[40];

    /* 15 digits do for whole numbers, and for what was written with less. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (digits == 17 || strtod(text, NULL) == number) {
            fputs(text, file);
            break;
        }
    }
}

void csv_put_exact(bool known, double number)
{
    putchar(',');
    if (known)
        csv_write_exact(stdout, number);
}
