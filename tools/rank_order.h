/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rank_order.h - ranks listed host by host, as the files of launchers */
#ifndef TOOLS_RANK_ORDER_H
#define TOOLS_RANK_ORDER_H

#include "launch/plan.h"
#include "tools/common/command_line.h"

#include <stdio.h>

/* The words of --order, and the forms of rank_order_write. */
enum rank_direction {
    RANKS_LAST_FASTEST,
    RANKS_FIRST_FASTEST,
};
extern const struct option_word rank_order_directions[];
extern const struct option_word rank_order_forms[];

/* All is borrowed. */
struct rank_order {
    const uint32_t *rank; /* [ntasks]: the ranks of host 0, `per` of them slot
                             by slot, then of host 1, ..., the last of which has
                             what is left; each rank once */
    uint32_t ntasks, per;
    const char *const *names; /* of the hosts, or NULL: then forms that name
                                 hosts are refused */
};
/* Errors: EINVAL, EIO, ENOMEM. */
int rank_order_write(const struct rank_order *order,
                     enum mapcore_plan_form form,
                     FILE *file,
                     struct mapcore_error *err);

/* More than any number needs; the rest of a longer one is cut off, and then it
 * is none. */
enum { RANK_ORDER_ITEM = 40 };
/* Copies the next of "a,b,c" from *rest to item, and moves *rest behind it;
 * NULL behind the last. */
void rank_order_next_item(char item[RANK_ORDER_ITEM], const char **rest);

/* "8x8x4" into number[*n], at most `most` of them, each below 2^31 and at least
 * 1; false if it is anything else. */
bool rank_order_take_box(uint32_t *number,
                         uint32_t *n,
                         uint32_t most,
                         const char *text);
#endif
