/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rng.c - xoshiro256** streams (Blackman and Vigna, "Scrambled linear
 * pseudorandom number generators", 2018), seeded by splitmix64 */
#include "config.h"

#include "base/rng.h"

/* One step of splitmix64 (Steele, Lea and Flood, OOPSLA 2014). */
static uint64_t split_mix(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

void rng_init(struct rng *rng, uint64_t seed, uint64_t purpose, uint64_t index)
{
    /* Each of the three is mixed in by a full step, so that (1, 2, 3) and
     * (3, 2, 1), or neighbours in one of them, share nothing. */
    uint64_t state = seed;

    state = split_mix(&state) ^ purpose;
    state = split_mix(&state) ^ index;
    for (int i = 0; i < 4; i++)
        rng->state[i] = split_mix(&state);
}

uint32_t rng_below(struct rng *rng, uint32_t bound)
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
