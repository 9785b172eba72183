/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric.h - the inside of an arbitrary network (a graph of hosts, switches and
 * links), between its making and its use */
#ifndef MAPCORE_TOPO_FABRIC_H
#define MAPCORE_TOPO_FABRIC_H

#include "topo/ops.h"
#include "topo/walk.h"

#include <stdatomic.h>

/* Switches that a host is at or has cables to. */
enum { FABRIC_MAX_PORTS = 64 };

#define FABRIC_FAR UINT16_MAX /* not reached */

/* Distances from one switch to all, made when first asked for; shared by
 * threads without a lock as far as the budget goes, then one at a time. */
struct fabric_rows {
    atomic_size_t budget;     /* rows that may still be kept */
    _Atomic(uint16_t *) *row; /* [nswitches], elements NULL: not made */
    atomic_flag busy;         /* holds what follows */
    /* A search from one switch that goes on only as far as it is asked: what is
     * reached so far is nearer than, or as near as, all else. */
    struct fabric_scratch {
        uint32_t from, head, tail; /* of queue: reached; from head on: to be
                                      gone on from */
        uint32_t *queue;           /* [nswitches] */
        uint16_t *row;             /* [nswitches], FABRIC_FAR: not reached */
    } * scratch;                   /* [nscratch] */
    uint32_t nscratch;             /* as many as a host has ports */
};

struct fabric {
    struct mapcore_topo base;
    uint32_t *first; /* [nswitches + 1] */
    uint32_t *next;  /* of each switch, the switches beside it, ascending */
    uint32_t *link;  /* to each of them */
    uint32_t *port_first; /* [nhosts + 1] */
    uint32_t *port;       /* of each host, its switches, ascending */
    uint32_t *port_link;  /* to each of them; MAPCORE_NONE: it sits there */
    /* Links come in pairs, one a direction: 2k from end[2k] to end[2k + 1],
     * 2k + 1 back. A host is the vertex of its number and always the first
     * end; switch s is vertex nhosts + s. */
    uint32_t *end; /* [nlinks] */
    struct fabric_rows *rows;
};

extern const struct topo_ops fabric_ops;

/* Distances from a switch to all, row[nswitches], FABRIC_FAR where there is no
 * way. queue: [nswitches]. */
void fabric_search(uint16_t *row,
                   uint32_t *queue,
                   const struct fabric *fabric,
                   uint32_t from);

/* The same as a tree: distances without a search, and mappers see its levels;
 * *out stays as it is where it is none. Errors: ENOMEM. */
int fabric_to_tree(struct mapcore_topo **out,
                   const struct fabric *fabric,
                   struct mapcore_error *err);

/* Gives it the shape of the tree that mappers see in a network whose distances
 * are those of one, as where every leaf switch has cables to every spine
 * switch: TOPO_LAYERS; none where they are not, or it would take too long to
 * see. Errors: ENOMEM. */
int fabric_see_layers(struct fabric *fabric, struct mapcore_error *err);

/* As topo_distance_block, or where has_cables is false between the nearest of
 * their switches. Errors: ENOMEM. */
int fabric_block(uint16_t *out,
                 const struct fabric *fabric,
                 const struct topo_rows *rows,
                 bool has_cables,
                 struct mapcore_error *err);

#endif
