/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rng.h - random streams named by (seed, purpose, index) */
#ifndef MAPCORE_BASE_RNG_H
#define MAPCORE_BASE_RNG_H

#include <stdint.h>

/* One stream: xoshiro256** seeded by splitmix64 (Blackman and Vigna, 2018). */
struct rng {
    uint64_t state[4];
};

/* Streams with different (seed, purpose, index) are independent; the same
 * three give the same numbers on every machine. */
void rng_init(struct rng *rng, uint64_t seed, uint64_t purpose, uint64_t index);

static inline uint64_t rng_rotate_left(uint64_t x, unsigned k)
{
    return (x << k) | (x >> (64 - k));
}

/* The next number of the stream; here, since refinement takes most of its time
 * for them. */
static inline uint64_t rng_next(struct rng *rng)
{
    uint64_t *s = rng->state;
    uint64_t result = rng_rotate_left(s[1] * 5, 7) * 9;
    uint64_t t = s[1] << 17;

    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rng_rotate_left(s[3], 45);
    return result;
}

/* Uniform in 0 .. bound-1 without modulo bias; bound > 0. */
uint32_t rng_below(struct rng *rng, uint32_t bound);

#endif
