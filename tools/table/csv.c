/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.c - what a spreadsheet reads */
#include "config.h"

#include "tools/table/csv.h"

#include "base/printable.h"

#include <stdlib.h>
#include <string.h>

void csv_put_name(const char *name)
{
    putchar('"');
    if (strchr("=+-@", *name) && name[0] != '\0' && name[1] != '\0')
        putchar('\'');
    printable_write_escaped(stdout, name, "\"", '"');
    putchar('"');
}

void csv_put_exact(bool known, double number)
{
    char text[40] = "";

    /* 15 digits do for whole numbers, and for what was written with less. */
    for (int digits = 15; known && digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    printf(",%s", text);
}
