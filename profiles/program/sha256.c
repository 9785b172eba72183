/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* sha256.c - SHA-256 as FIPS 180-4 section 6.2 has it */
#include "config.h"

#include "profiles/program/sha256.h"

#include <string.h>

/* FIPS 180-4 section 4.2.2. */
static const uint32_t round_constant[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1,
    0x923f82a4, 0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3,
    0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786,
    0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147,
    0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13,
    0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a,
    0x5b9cca4f, 0x682e6ff3, 0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208,
    0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2,
};

static uint32_t rotate(uint32_t x, unsigned n)
{
    return x >> n | x << (32 - n);
}

static uint32_t read_be32(const unsigned char *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 |
           p[3];
}

/* The names a..h, W and T are the standard's. */
static void take_block(uint32_t state[8], const unsigned char *block)
{
    uint32_t w[64];
    uint32_t v[8];

    for (unsigned t = 0; t < 16; t++)
        w[t] = read_be32(block + 4 * (size_t)t);
    for (unsigned t = 16; t < 64; t++) {
        uint32_t s0 =
            rotate(w[t - 15], 7) ^ rotate(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t s1 =
            rotate(w[t - 2], 17) ^ rotate(w[t - 2], 19) ^ w[t - 2] >> 10;

        w[t] = w[t - 16] + s0 + w[t - 7] + s1;
    }
    memcpy(v, state, sizeof(v));
    for (unsigned t = 0; t < 64; t++) {
        uint32_t s1 = rotate(v[4], 6) ^ rotate(v[4], 11) ^ rotate(v[4], 25);
        uint32_t choice = (v[4] & v[5]) ^ (~v[4] & v[6]);
        uint32_t t1 = v[7] + s1 + choice + round_constant[t] + w[t];
        uint32_t s0 = rotate(v[0], 2) ^ rotate(v[0], 13) ^ rotate(v[0], 22);
        uint32_t majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);

        memmove(v + 1, v, 7 * sizeof(v[0]));
        v[4] += t1;
        v[0] = t1 + s0 + majority;
    }
    for (unsigned i = 0; i < 8; i++)
        state[i] += v[i];
}

void sha256_init(struct sha256 *sha)
{
    /* FIPS 180-4 section 5.3.3. */
    static const uint32_t start[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372,
                                      0xa54ff53a, 0x510e527f, 0x9b05688c,
                                      0x1f83d9ab, 0x5be0cd19};

    memcpy(sha->state, start, sizeof(start));
    sha->length = 0;
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t n)
{
    const unsigned char *p = bytes;
    size_t held = (size_t)(sha->length % 64);

    sha->length += n;
    if (held + n < 64) {
        if (n > 0)
            memcpy(sha->block + held, p, n);
        return;
    }
    if (held > 0) {
        memcpy(sha->block + held, p, 64 - held);
        take_block(sha->state, sha->block);
        p += 64 - held;
        n -= 64 - held;
    }
    for (; n >= 64; p += 64, n -= 64)
        take_block(sha->state, p);
    if (n > 0)
        memcpy(sha->block, p, n);
}

void sha256_end(struct sha256 *sha, unsigned char digest[32])
{
    static const unsigned char padding[64] = {0x80};
    uint64_t bits = sha->length * 8;
    size_t held = (size_t)(sha->length % 64);
    unsigned char length[8];

    for (unsigned i = 0; i < 8; i++)
        length[i] = (unsigned char)(bits >> (56 - 8 * i));
    sha256_add(sha, padding, held < 56 ? 56 - held : 120 - held);
    sha256_add(sha, length, sizeof(length));
    for (size_t i = 0; i < 32; i++)
        digest[i] = (unsigned char)(sha->state[i / 4] >> (24 - 8 * (i % 4)));
}

void sha256_put_hex(char *out, const unsigned char *bytes, size_t n)
{
    static const char digit[] = "0123456789abcdef";

    for (size_t i = 0; i < n; i++) {
        out[2 * i] = digit[bytes[i] >> 4];
        out[2 * i + 1] = digit[bytes[i] & 15];
    }
    out[2 * n] = '\0';
}

void sha256_end_hex(struct sha256 *sha, char *out)
{
    unsigned char digest[32];

    sha256_end(sha, digest);
    sha256_put_hex(out, digest, sizeof(digest));
}
