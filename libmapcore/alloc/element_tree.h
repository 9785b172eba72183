/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* element_tree.h - an allocation as a tree of hosts and switches: the hardware
 * communication topology of Sweeney, Wisniewski, Cascaval and Smith */
#ifndef MAPCORE_ALLOC_ELEMENT_TREE_H
#define MAPCORE_ALLOC_ELEMENT_TREE_H

#include "alloc/alloc.h"
#include "base/array.h"

/* Elements: host h of the allocation is h, switch s is nhosts + s; the root is
 * nhosts. A network that is no tree is one switch; a dragonfly is a tree of its
 * groups and routers. */
struct element_tree {
    uint32_t nhosts, n;
    uint32_t *parent; /* [n], MAPCORE_NONE for the root */
    uint32_t *height; /* [n], 1 for a host, of a switch 1 + that of its highest
                         child; 0: it has no slots below */
    uint32_t *slots;  /* [n], of all hosts below */
    /* [n], the link of the topology that leads up; MAPCORE_NONE: none is
     * known */
    uint32_t *link;
};

/* Its arrays are the arena's. Errors: ENOMEM, ERANGE. */
int element_tree_make(struct element_tree *out,
                      const struct mapcore_alloc *alloc,
                      struct arena *arena);

#endif
