/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* installed.c - finds what was installed with this program, wherever the
 * installation was moved to */
#include "config.h"

#include "tools/common/installed.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

static void find_prefix(char *out, size_t size)
{
    static const char tail[] = TOPOMAP_BINDIR "/topomap";
    ssize_t n = readlink("/proc/self/exe", out, size - 1);
    size_t length = strlen(tail);

    if (n < 0 || (size_t)n < length ||
        memcmp(out + (size_t)n - length, tail, length) != 0)
        out[0] = '\0';
    else
        out[(size_t)n - length] = '\0';
}

int installed_path(struct buffer *out,
                   const char *folder,
                   const char *name,
                   struct mapcore_error *err)
{
    char prefix[PATH_MAX];

    find_prefix(prefix, sizeof(prefix));
    out->err = err;
    return buffer_printf(out, "%s%s/%s", prefix, folder, name);
}
