/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fnv.h - FNV-1a, for hash tables and for telling damaged text from whole */
#ifndef MAPCORE_BASE_FNV_H
#define MAPCORE_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

/* The 64-bit FNV-1a hash (Fowler, Noll, Vo) of n bytes. No defence against
 * somebody who wants a collision. */
static inline uint64_t fnv1a(const void *bytes, size_t n)
{
    const unsigned char *p = (const unsigned char *)bytes;
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV offset basis */

    for (size_t i = 0; i < n; i++) {
        hash ^= p[i];
        hash *= UINT64_C(0x100000001b3); /* FNV prime */
    }
    return hash;
}

#endif
