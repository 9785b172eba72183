/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* divisors.c - the divisors of a number, from its primes */
#include "config.h"

#include "cart/divisors.h"

#include "base/array.h"

/* Multiplies all divisors so far by prime, prime^2, ..., prime^power. */
static void take_prime(struct divisors *out, uint32_t prime, uint32_t power)
{
    uint32_t before = out->n;

    for (uint32_t i = 0; i < before; i++) {
        uint32_t divisor = out->divisor[i];

        for (uint32_t k = 0; k < power; k++) {
            divisor *= prime;
            out->divisor[out->n++] = divisor;
        }
    }
}

void divisors_of(struct divisors *out, uint32_t number)
{
    out->n = 1;
    out->divisor[0] = 1;
    for (uint32_t p = 2; p <= number / p; p += p == 2 ? 1 : 2) {
        uint32_t power = 0;

        for (; number % p == 0; number /= p)
            power++;
        if (power > 0)
            take_prime(out, p, power);
    }
    if (number > 1)
        take_prime(out, number, 1);
    array_sort_u32(out->divisor, out->n);
}
