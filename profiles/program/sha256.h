/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sha256.h - SHA-256 (FIPS 180-4), our own: it is loaded into every recorded
 * program, where another library would be one more that each node must have */
#ifndef PROFILES_SHA256_H
#define PROFILES_SHA256_H

#include <stddef.h>
#include <stdint.h>

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes taken so far */
    unsigned char block[64];
};
void sha256_init(struct sha256 *sha);
void sha256_add(struct sha256 *sha, const void *bytes, size_t n);
void sha256_end(struct sha256 *sha, unsigned char digest[32]);
/* bytes[n] as out[2 * n + 1]; and the digest as out[65]. */
void sha256_put_hex(char *out, const unsigned char *bytes, size_t n);
void sha256_end_hex(struct sha256 *sha, char *out);

#endif
