/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* divisors.h - the divisors of a number */
#ifndef MAPCORE_CART_DIVISORS_H
#define MAPCORE_CART_DIVISORS_H

#include <stdint.h>

/* What 2,095,133,040 has, and no number below 2^31 more. */
#define DIVISORS_MOST 1600

struct divisors {
    uint32_t n;
    uint32_t divisor[DIVISORS_MOST]; /* [n], ascending */
};

/* 1 <= number < 2^31. O(sqrt(number)). */
void divisors_of(struct divisors *out, uint32_t number);

#endif
