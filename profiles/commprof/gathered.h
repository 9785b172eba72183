/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gathered.h - what one task or several together have counted */
#ifndef COMMPROF_GATHERED_H
#define COMMPROF_GATHERED_H

#include "commprof/messages.h"

enum gather_status {
    GATHER_OK,
    GATHER_MEMORY, /* some task ran out of memory */
    GATHER_MPI,    /* some message failed */
};

struct gathered {
    struct use *use; /* use[nuses], owned, sorted */
    size_t nuses;
    struct messages messages;
    uint32_t *kept; /* kept[nkept] words of group_pack's, owned */
    size_t nkept;
    uint32_t kept_lost; /* tasks that could not pack theirs: kept is void */
    uint32_t hosts;     /* tasks that are the first on their host */
    uint32_t status;    /* enum gather_status; not OK: the rest is not whole */
};

void gathered_clear(struct gathered *all);
/* Adds more uses. Errors: ENOMEM. */
int gathered_add_uses(struct gathered *all, const struct use *use, size_t n);
/* Adds more words of kept collectives, or drops them all when there would be
 * more than KEPT_MOST. Errors: ENOMEM. */
int gathered_add_kept(struct gathered *all, const uint32_t *kept, size_t n);

/* Words of member lists and collectives that rank 0 is ready to hold: 64 MiB.
 * One task may send a quarter of that. */
enum { KEPT_MOST = 16 << 20 };

#endif
