/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dragonfly_layout.c - groups on a ring */
#include "config.h"

#include "tools/draw/network/dragonfly_layout.h"

#include "base/array.h"
#include "topo/shape.h"
#include "topo/walk.h"

#include <math.h>
#include <stdio.h>

enum {
    MOST_ROUTERS = 160, /* drawn one by one */
    MOST_LABELS = 64,
    RADIUS = 220,
    OUTWARDS = 26, /* length of a line for what is at a router */
    MIDDLE = LAYOUT_WIDTH / 2,
};

/* Where unit i of group g is, at that distance from the middle. */
static void place(float at[2],
                  const struct topo_shape *shape,
                  uint32_t units,
                  uint32_t unit,
                  double distance)
{
    const uint32_t g = unit / units, i = unit % units;
    /* A gap of half a group's width between groups. */
    const double share = units > 1 ? 0.8 * (i + 0.5) / units + 0.1 : 0.5;
    const double angle = 2 * M_PI * (g + share) / shape->ngroups - M_PI / 2;

    at[0] = (float)(MIDDLE + distance * cos(angle));
    at[1] = (float)(MIDDLE + distance * sin(angle));
}

/* Links that lead to no other dot are the line outwards of theirs. */
static int add_outwards(struct network_layout *layout,
                        const struct mapcore_topo *topo,
                        const struct topo_shape *shape,
                        uint32_t units,
                        struct mapcore_error *err)
{
    const size_t n = layout->nstrokes;
    size_t capacity = n;
    uint32_t end[2];
    int error = array_reserve(&layout->stroke, &capacity, n + layout->ndots,
                              sizeof(*layout->stroke), err);

    if (error < 0)
        return error;
    layout->nstrokes = n + layout->ndots;
    for (uint32_t i = 0; i < layout->ndots; i++) {
        place(layout->stroke[n + i].from, shape, units, i, RADIUS);
        place(layout->stroke[n + i].to, shape, units, i, RADIUS + OUTWARDS);
    }
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++)
        if (layout->stroke_of[l] == MAPCORE_NONE &&
            topo_link_ends(topo, l, end))
            layout->stroke_of[l] = (uint32_t)n + layout->dot_of[end[0]];
    return 0;
}

static void label_groups(struct network_layout *out,
                         const struct topo_shape *shape)
{
    for (uint32_t i = 0; i < out->nlabels; i++) {
        place(out->label[i].at, shape, 1, i, RADIUS + OUTWARDS + 22);
        out->label[i].at[0] -= 8;
        out->label[i].at[1] += 4;
        snprintf(out->label[i].text, sizeof(out->label[i].text), "g%u", i);
    }
}

int dragonfly_layout_make(struct network_layout *out,
                          const struct mapcore_topo *topo,
                          const struct topo_shape *shape,
                          struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    const uint32_t nrouters = shape->ngroups * shape->nrouters;
    const bool by_router = nrouters <= MOST_ROUTERS;
    const uint32_t units = by_router ? shape->nrouters : 1;
    const uint32_t per = by_router ? 1 : shape->nrouters;
    int error = network_layout_alloc(
        out, topo, 0, nrouters / per,
        shape->ngroups <= MOST_LABELS ? shape->ngroups : 0, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < nrouters / per; i++) {
        place(out->dot[i].at, shape, units, i, RADIUS);
        out->dot[i].radius = by_router ? 5 : 7;
    }
    for (uint32_t r = 0; r < nrouters; r++)
        out->dot_of[nhosts + r] = r / per;
    for (uint32_t h = 0; h < nhosts; h++)
        out->dot_of[h] = h / shape->nper / per;
    label_groups(out, shape);
    error = network_layout_join(out, topo, err);
    if (error == 0)
        error = add_outwards(out, topo, shape, units, err);
    out->width = LAYOUT_WIDTH;
    out->height = LAYOUT_WIDTH;
    out->legend = by_router
                      ? "Routers on a ring, group by group; lines outwards are "
                        "the links of their nodes."
                      : "Groups on a ring; lines outwards are the links inside "
                        "a group and to its nodes.";
    return error;
}
