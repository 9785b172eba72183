/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rng_streams.h - one number for each use of random numbers, so that no two
 * share a stream */
#ifndef MAPCORE_MAP_RNG_STREAMS_H
#define MAPCORE_MAP_RNG_STREAMS_H

/* The second number of rng_init in map. Values never change: they are
 * part of what a seed means. */
enum rng_stream {
    RNG_STREAM_ORDER = 0x100,      /* + order kind; index: pass */
    RNG_STREAM_PARTITION = 0x180,  /* index: first part and the one behind the
                                   last */
    RNG_STREAM_GREEDYMAP = 0x200,  /* index: configuration and pass */
    RNG_STREAM_DUAL = 0x300,       /* index: number of the cut */
    RNG_STREAM_REGIONS = 0x280,    /* index: chain, board and pass */
    RNG_STREAM_BOTTLENECK = 0x3c0, /* index: turn and run */
    RNG_STREAM_ANNEAL = 0x380,     /* index: chain, board, epoch and region */
    RNG_STREAM_LIST = 0x340,       /* index: pass; the four below as well */
    RNG_STREAM_GROUPS = 0x341,
    RNG_STREAM_FAQ = 0x342,
    RNG_STREAM_HS_GREEDY = 0x343,
    RNG_STREAM_HS_RB = 0x344,
    RNG_STREAM_BLOCKS = 0x347,   /* index: pass */
    RNG_STREAM_SLOTS = 0x345,    /* index: first task of the host */
    RNG_STREAM_RANDOM = 0x346,   /* index: 0 */
    RNG_STREAM_PHASES = 0x3e0,   /* index: turn and run */
    RNG_STREAM_SINGLE = 0x3f0,   /* index: population, round and chain */
    RNG_STREAM_ROTATION = 0x360, /* index: round and chain */
};

#endif
