/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* busiest_links.h - which links of a network have most to carry */
#ifndef TOOLS_DRAW_BUSIEST_LINKS_H
#define TOOLS_DRAW_BUSIEST_LINKS_H

#include "tools/draw/svg/amount.h"
#include "topo/topo.h"

#include <stddef.h>

enum {
    BUSIEST_LINKS = 10,
    BUSIEST_NAME = 600, /* two host names of 255 bytes */
};

/* Bytes of one direction by what that carries, as max_link_time of topomap
 * eval; load: as eval counts it. */
double busiest_time(const struct mapcore_topo *topo,
                    const double *load,
                    uint32_t link);
/* Its unit: what people read as seconds or as bytes only where the description
 * says so. */
enum amount_unit busiest_unit(const struct mapcore_topo *topo);

/* The links of largest time, at most most_links and none that carries nothing,
 * into link[]; of equals the lower number. Returns how many. */
size_t busiest_links_find(uint32_t *link,
                          size_t most_links,
                          const struct mapcore_topo *topo,
                          const double *load);

/* "(0,0) +x: 1.2 GB (1200000000 bytes), time 3.2": as it is pointed at. */
enum {
    BUSIEST_TEXT = 800,
};
void busiest_describe(char text[BUSIEST_TEXT],
                      const struct mapcore_topo *topo,
                      const double *load,
                      uint32_t link);

#endif
