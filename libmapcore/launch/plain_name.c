/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plain_name.c - the grammar of names that users choose */
#include "config.h"

#include "launch/plain_name.h"

bool plain_name_has(char byte)
{
    return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
           (byte >= '0' && byte <= '9') || byte == '.' || byte == '_' ||
           byte == '+' || byte == '-';
}

bool plain_name_check(const char *name, size_t most)
{
    size_t n = 0;

    while (n <= most && plain_name_has(name[n]))
        n++;
    return n >= 1 && n <= most && name[n] == '\0' && name[0] != '.';
}
