/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_wish.c - the words of a program's MPI_Info */
#include "config.h"

#include "libtopomap-cart/cart_wish.h"

#include "base/text.h"

#include <string.h>

enum { WORD = 64 };

/* The field at *text into word, and *text behind its comma, or NULL at the end.
 * EINVAL: it is empty or too long. */
static int next_field(char word[WORD], const char **text)
{
    size_t n = strcspn(*text, ",");

    if (n == 0 || n >= WORD)
        return MAPCORE_EINVAL;
    memcpy(word, *text, n);
    word[n] = '\0';
    *text = (*text)[n] == ',' ? *text + n + 1 : NULL;
    return 0;
}

int cart_wish_levels(struct levels_wish *out, const char *text)
{
    struct levels_wish wish = {0};

    while (text) {
        char word[WORD];
        uint64_t number;
        int kind = 0;

        if (next_field(word, &text) < 0)
            return MAPCORE_EINVAL;
        while (kind < LEVELS_KINDS && strcmp(word, levels_word(kind)) != 0)
            kind++;
        if (kind < LEVELS_KINDS && wish.ngiven == 0) {
            wish.kinds |= 1u << kind;
            continue;
        }
        if (!text_parse_u64(word, &number) || number == 0 ||
            number > INT32_MAX || wish.ngiven == LEVELS_GIVEN)
            return MAPCORE_EINVAL;
        wish.given[wish.ngiven++] = (uint32_t)number;
    }
    *out = wish;
    return 0;
}

int cart_wish_numbers(double *out, int n, const char *text)
{
    for (int i = 0; i < n; i++) {
        char word[WORD];

        if (!text || next_field(word, &text) < 0 ||
            !text_parse_double(word, &out[i]) || !(out[i] > 0) || out[i] > 1e15)
            return MAPCORE_EINVAL;
    }
    return text ? MAPCORE_EINVAL : 0;
}
