/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sanitizer.h - whether a sanitizer was compiled in that maps terabytes, so
 * that RLIMIT_AS would end the process */
#ifndef MAPCORE_BASE_SANITIZER_H
#define MAPCORE_BASE_SANITIZER_H

#ifdef __has_feature
#define SANITIZER_MAPS_TERABYTES                                               \
    (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZER_MAPS_TERABYTES 1
#else
#define SANITIZER_MAPS_TERABYTES 0
#endif

#endif
