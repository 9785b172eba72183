/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* csv.c - what a spreadsheet reads */
#include "config.h"

#include "tools/table/csv.h"

#include "base/printable.h"

#include <string.h>

void csv_put_name(const char *name)
{
    putchar('"');
    if (strchr("=+-@", *name) && name[0] != '\0' && name[1] != '\0')
        putchar('\'');
    printable_write_escaped(stdout, name, "\"", '"');
    putchar('"');
}
