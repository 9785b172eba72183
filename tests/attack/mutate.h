/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mutate.h - inputs that are nearly right: a file or a word of ours with a few
 * changes that know what its grammar is made of */
#ifndef TESTS_ATTACK_MUTATE_H
#define TESTS_ATTACK_MUTATE_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

enum { MUTATE_MOST = 1 << 20 };

/* Bytes of an input: bytes[MUTATE_MOST + 1], owned; bytes[n] is NUL. */
struct specimen {
    char *bytes;
    size_t n;
};

/* An empty one, or ends the program without memory. */
struct specimen specimen_new(void);
/* Reads a file into it; false and errno when that fails or the file is longer
 * than MUTATE_MOST. */
bool specimen_read(struct specimen *out, const char *path);
bool specimen_write(const struct specimen *specimen, const char *path);
void specimen_set(struct specimen *out, const char *bytes, size_t n);

/* Changes specimen in one to six ways, the same ones for the same rng. Words
 * and lines are also taken from others[nothers], of which there must be one. */
void mutate(struct specimen *specimen,
            struct rng *rng,
            const struct specimen *others,
            size_t nothers);

#endif
