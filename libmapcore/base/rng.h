/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rng.h - random streams named by (seed, purpose, index) */
#ifndef MAPCORE_BASE_RNG_H
#define MAPCORE_BASE_RNG_H

#include <stdint.h>

/* One stream: xoshiro256** (Blackman and Vigna, "Scrambled linear pseudorandom
 * number generators", 2018), seeded by splitmix64. */
struct rng {
    uint64_t state[4];
};

/* One step of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static inline uint64_t rng_split_mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* Streams with different (seed, purpose, index) are independent; the same
 * three give the same numbers on every machine. */
static inline void rng_init(struct rng *rng,
                            uint64_t seed,
                            uint64_t purpose,
                            uint64_t index)
{
    /* Each of the three is mixed in by a full step, so that (1, 2, 3) and
     * (3, 2, 1), or neighbours in one of them, share nothing. */
    uint64_t state = seed;

    state = rng_split_mix(&state) ^ purpose;
    state = rng_split_mix(&state) ^ index;
    for (int i = 0; i < 4; i++)
        rng->state[i] = rng_split_mix(&state);
}

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
static inline uint32_t rng_below(struct rng *rng, uint32_t bound)
{
    /* Lemire, "Fast random integer generation in an interval", 2019: the
     * upper half of a product, refused when the lower half shows a bias. */
    uint64_t product = (rng_next(rng) >> 32) * bound;

    if ((uint32_t)product < bound) {
        uint32_t threshold = -bound % bound;

        while ((uint32_t)product < threshold)
            product = (rng_next(rng) >> 32) * bound;
    }
    return (uint32_t)(product >> 32);
}

#endif
