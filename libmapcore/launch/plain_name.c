/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plain_name.c - the grammar of names of files */
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

#define CLUSTER_MOST 64

int step_name_add(struct buffer *out, const struct step_name *name)
{
    const char *cluster = name->cluster ? name->cluster : "";

    buffer_printf(out, "%u.%u%s", name->job, name->step, *cluster ? "-" : "");
    for (size_t i = 0; i < CLUSTER_MOST && cluster[i]; i++) {
        const unsigned char c = (unsigned char)cluster[i];
        const bool is_plain = (c >= '0' && c <= '9') || c == '_' ||
                              ((c | 32) >= 'a' && (c | 32) <= 'z');

        buffer_printf(out, is_plain ? "%c" : "%%%02X", c);
    }
    return out->error;
}
