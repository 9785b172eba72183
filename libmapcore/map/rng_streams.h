/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rng_streams.h - what random streams are for, so that no two share numbers */
#ifndef MAPCORE_MAP_PURPOSE_H
#define MAPCORE_MAP_PURPOSE_H

/* The second argument of rng_init in this room. Values never change: they are
 * part of what a seed means. */
enum {
    PURPOSE_ORDER = 0x100,     /* + order kind; index: pass */
    PURPOSE_PARTITION = 0x180, /* index: first part and the one behind the
                                  last */
    PURPOSE_GREEDYMAP = 0x200, /* index: configuration and pass */
    PURPOSE_DUAL = 0x300,      /* index: number of the cut */
    PURPOSE_REGIONS = 0x280,   /* index: chain, board and pass */
    PURPOSE_RELIEF = 0x3c0,    /* index: turn and run */
    PURPOSE_ANNEAL = 0x380,    /* index: chain, board, epoch and region */
    PURPOSE_LIST = 0x340,      /* index: pass; the four below as well */
    PURPOSE_GROUPS = 0x341,
    PURPOSE_FAQ = 0x342,
    PURPOSE_HS_GREEDY = 0x343,
    PURPOSE_HS_RB = 0x344,
    PURPOSE_SLOTS = 0x345, /* index: first task of the host */
};

#endif
