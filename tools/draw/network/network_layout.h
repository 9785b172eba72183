/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_layout.h - where the nodes, switches and links of a network are
 * drawn, whatever they carry */
#ifndef TOOLS_DRAW_NETWORK_LAYOUT_H
#define TOOLS_DRAW_NETWORK_LAYOUT_H

#include "topo/topo.h"

#include <stddef.h>

/* A line for one link or for several: the two directions of a cable, or what
 * lies so near together that it is one on paper. */
struct layout_stroke {
    float from[2], to[2];
};

/* A node or switch, or several. */
struct layout_dot {
    float at[2], radius;
};

struct layout_label {
    float at[2];
    char text[48];
};

/* Starts as all zero; ended by network_layout_clear. Pixels. */
struct network_layout {
    double width, height;
    size_t nstrokes, ndots, nlabels;
    struct layout_stroke *stroke;
    struct layout_dot *dot;
    struct layout_label *label;
    uint32_t *stroke_of; /* [nlinks], MAPCORE_NONE: not drawn */
    uint32_t *dot_of;    /* [nhosts + nswitches], as topo/walk.h numbers them;
                            MAPCORE_NONE: not drawn */
    const char *legend;  /* what lines are, in a sentence */
};

/* About so wide a network is drawn. */
enum {
    LAYOUT_WIDTH = 600,
};

/* Arrays of so many elements; stroke_of and dot_of say MAPCORE_NONE. Errors:
 * ENOMEM. */
int network_layout_alloc(struct network_layout *out,
                         const struct mapcore_topo *topo,
                         size_t nstrokes,
                         size_t ndots,
                         size_t nlabels,
                         struct mapcore_error *err);
/* A stroke for every two dots that links join, from one to the other; dots and
 * dot_of stand. Links whose ends are one dot get none. Errors: ENOMEM. */
int network_layout_join(struct network_layout *layout,
                        const struct mapcore_topo *topo,
                        struct mapcore_error *err);
void network_layout_clear(struct network_layout *layout);

#endif
