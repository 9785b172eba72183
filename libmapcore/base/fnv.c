/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fnv.c - FNV-1a */
#include "config.h"

#include "base/fnv.h"

uint64_t fnv1a(const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV offset basis */

    for (size_t i = 0; i < n; i++) {
        hash ^= p[i];
        hash *= UINT64_C(0x100000001b3); /* FNV prime */
    }
    return hash;
}
