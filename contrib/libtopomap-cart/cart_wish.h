/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_wish.h - what a program asks of its grid in an MPI_Info, or who starts
 * it in the environment: the words, no MPI in it */
#ifndef TOPOMAP_CART_CART_WISH_H
#define TOPOMAP_CART_CART_WISH_H

#include "libtopomap-cart/levels.h"

/* Reads a list such as node,package,2,4 : words of levels_word, outermost
 * first, and behind them numbers, the parts of each part. Errors: EINVAL (other
 * words, a word behind a number, a number that is not 1 to INT32_MAX, more than
 * LEVELS_GIVEN numbers). */
int cart_wish_levels(struct levels_wish *out, const char *text);

/* Reads n positive numbers with commas between them. Errors: EINVAL. */
int cart_wish_numbers(double *out, int n, const char *text);

#endif
