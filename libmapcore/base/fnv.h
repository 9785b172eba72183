/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fnv.h - FNV-1a, for hash tables and for telling damaged text from whole */
#ifndef MAPCORE_BASE_FNV_H
#define MAPCORE_BASE_FNV_H

#include <stddef.h>
#include <stdint.h>

/* The 64-bit FNV-1a hash (Fowler, Noll, Vo) of n bytes. No defence against
 * somebody who wants a collision. */
uint64_t fnv1a(const void *bytes, size_t n);

#endif
