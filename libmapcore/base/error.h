/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* error.h - status codes for the machine and a text for the person */
#ifndef MAPCORE_BASE_ERROR_H
#define MAPCORE_BASE_ERROR_H

#include <stddef.h>
#include <stdint.h>

/* Marks what libmapcore.so exports, as C names for C++ programs too; everything
 * else is hidden. */
#ifdef __cplusplus
#define MAPCORE_API extern "C" __attribute__((visibility("default")))
#else
#define MAPCORE_API __attribute__((visibility("default")))
#endif

/* "no task", "no host", "no link". */
#define MAPCORE_NONE UINT32_MAX

/* Every function that can fail returns 0 or one of these. */
enum mapcore_status {
    MAPCORE_OK = 0,
    MAPCORE_EINVAL = -1,   /* an argument or option that makes no sense */
    MAPCORE_EPARSE = -2,   /* text that is not of its format */
    MAPCORE_ERANGE = -3,   /* a number or a sum too large */
    MAPCORE_ENOMEM = -4,   /* no memory */
    MAPCORE_EIO = -5,      /* reading or writing failed */
    MAPCORE_ENOENT = -6,   /* what was looked for is not there */
    MAPCORE_EVERSION = -7, /* a later format than this program knows */
    MAPCORE_ETRUST = -8,   /* a file that somebody else could have written */
    MAPCORE_ENOTSUP = -9,  /* this build cannot do it */
};

/* The sentence for the person, made where the facts are ("t.conf:12: node n7
 * is on two switches"). Owned by the caller; valid only after a failure. */
struct mapcore_error {
    char text[512];
};

#endif
