/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spec_word.h - a network as a person writes it in one word,
 * torus:16x8x16/2:wrap=1x1x0 */
#ifndef MAPCORE_TOPO_SPEC_WORD_H
#define MAPCORE_TOPO_SPEC_WORD_H

#include "topo/spec.h"

/* Whether a word begins as one of the kinds. */
bool spec_word_begins(const char *word);
/* What kinds begin with, "torus:, mesh:, ...", into text[SPEC_WORD_KINDS]. */
enum { SPEC_WORD_KINDS = 128 };
void spec_word_kinds(char *text);
/* Errors: EINVAL. */
int spec_word_parse(struct topo_spec *out,
                    const char *word,
                    struct mapcore_error *err);

#endif
