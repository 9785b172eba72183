/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_type.c - the types of --mpi that tell a program of its ranks, beside
 * those that tell it nothing */
#include "config.h"

#include "tools/plan/mpi_type.h"

#include <string.h>

/* pmix_v4 is pmix. Others may be a site's own, of which nothing is known. */
static bool tells_ranks(const char *type)
{
    static const char version[] = "pmix_v";
    const size_t n = strlen(version);

    return strcmp(type, "pmi2") == 0 || strcmp(type, "pmix") == 0 ||
           (strncmp(type, version, n) == 0 &&
            type[n + strspn(type + n, "0123456789")] == '\0');
}

/* openmpi is an old name of none. */
static bool tells_nothing(const char *type)
{
    return strcmp(type, "") == 0 || strcmp(type, "none") == 0 ||
           strcmp(type, "openmpi") == 0;
}

bool mpi_type_is_lost(const char *recorded, const char *now)
{
    return recorded && now && tells_ranks(recorded) && tells_nothing(now);
}
