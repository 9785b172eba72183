/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus_layout.c - planes of a torus or mesh */
#include "config.h"

#include "tools/draw/network/torus_layout.h"

#include "topo/shape.h"
#include "topo/walk.h"

#include <math.h>
#include <stdio.h>

enum {
    MOST_DIMS = 26,
    MOST_LINES = 2400, /* of a picture: more are drawn by blocks of routers */
    PLANE_GAP = 26,
    PLANE_TITLE = 18,
    PITCH_MOST = 56, /* pixels between routers */
};

/* Routers as they are drawn: blocks of factor[i] in dimension i. */
struct planes {
    uint32_t ndims;
    uint32_t factor[MOST_DIMS], dims[MOST_DIMS], stride[MOST_DIMS];
    uint32_t ncells, nplanes, columns;
    double pitch, wide, high; /* of a plane, with its gap and title */
};

static uint32_t size_of(const struct planes *planes, uint32_t i)
{
    return i < planes->ndims ? planes->dims[i] : 1;
}

/* Doubles the blocks where there are most of them, until few enough are left.
 */
static void choose_blocks(struct planes *planes, const struct topo_shape *shape)
{
    uint64_t ncells;

    planes->ndims = shape->ndims;
    for (uint32_t i = 0; i < shape->ndims; i++) {
        planes->factor[i] = 1;
        planes->dims[i] = shape->dims[i];
    }
    for (;;) {
        uint32_t widest = 0;

        ncells = 1;
        for (uint32_t i = 0; i < planes->ndims; i++) {
            ncells *= planes->dims[i];
            widest = planes->dims[i] > planes->dims[widest] ? i : widest;
        }
        if (ncells * planes->ndims <= MOST_LINES || planes->dims[widest] == 1)
            break;
        planes->factor[widest] *= 2;
        planes->dims[widest] =
            (shape->dims[widest] + planes->factor[widest] - 1) /
            planes->factor[widest];
    }
    planes->ncells = (uint32_t)ncells;
    for (uint32_t i = 0, stride = 1; i < planes->ndims; i++) {
        planes->stride[i] = stride;
        stride *= planes->dims[i];
    }
}

/* As many planes in a row as make a picture of about LAYOUT_WIDTH squarish. */
static void arrange(struct planes *planes)
{
    const double x = size_of(planes, 0), y = size_of(planes, 1);

    planes->nplanes = planes->ncells / (uint32_t)(x * y);
    planes->columns = (uint32_t)ceil(sqrt(planes->nplanes * (y + 1) / (x + 1)));
    if (planes->columns > planes->nplanes)
        planes->columns = planes->nplanes;
    planes->pitch = (LAYOUT_WIDTH / planes->columns - PLANE_GAP) / (x + 0.5);
    if (planes->pitch > PITCH_MOST)
        planes->pitch = PITCH_MOST;
    if (planes->pitch < 7)
        planes->pitch = 7;
    planes->wide = (x + 0.5) * planes->pitch + PLANE_GAP;
    planes->high = (y + 0.5) * planes->pitch + PLANE_GAP;
    if (planes->nplanes > 1)
        planes->high += PLANE_TITLE;
}

static uint32_t cell_of(const struct planes *planes,
                        const struct topo_shape *shape,
                        uint32_t router)
{
    uint32_t cell = 0;

    for (uint32_t i = 0; i < planes->ndims; i++)
        cell += router / shape->stride[i] % shape->dims[i] / planes->factor[i] *
                planes->stride[i];
    return cell;
}

static void place_cell(float at[2], const struct planes *planes, uint32_t cell)
{
    const uint32_t x = cell % size_of(planes, 0);
    const uint32_t y = cell / size_of(planes, 0) % size_of(planes, 1);
    const uint32_t plane = cell / (size_of(planes, 0) * size_of(planes, 1));

    at[0] = (float)(plane % planes->columns * planes->wide +
                    (x + 0.5) * planes->pitch);
    at[1] = (float)(plane / planes->columns * planes->high +
                    (planes->nplanes > 1 ? PLANE_TITLE : 0) +
                    (y + 0.5) * planes->pitch);
}

/* The cable of a cell in the positive direction of a dimension. */
static struct layout_stroke stroke_of(const struct planes *planes,
                                      const float at[2],
                                      uint32_t cell,
                                      uint32_t dim)
{
    /* Ways out of the plane, dimension by dimension. */
    static const double turn[] = {-0.25, 0.25, -0.75, 0.75, -0.125, 0.125};
    const uint32_t x = cell / planes->stride[dim] % planes->dims[dim];
    const double length = planes->pitch * (x + 1 < planes->dims[dim] ? 1 : 0.5);
    const double angle = turn[(dim > 1 ? dim - 2 : 0) % 6] * M_PI;
    struct layout_stroke stroke = {.from = {at[0], at[1]},
                                   .to = {at[0], at[1]}};

    if (dim < 2) {
        stroke.to[dim] += (float)length;
    } else {
        stroke.to[0] += (float)(0.55 * planes->pitch * cos(angle));
        stroke.to[1] += (float)(0.55 * planes->pitch * sin(angle));
    }
    return stroke;
}

/* "z = 3", "z = 0-3, w = 1". */
static void name_plane(struct layout_label *label,
                       const struct planes *planes,
                       const struct topo_shape *shape,
                       uint32_t plane)
{
    static const char letters[] = "xyzwabcdefghijklmnopqrstuv";
    size_t n = 0;
    uint32_t stride = 1;

    for (uint32_t i = 2; i < planes->ndims && n + 1 < sizeof(label->text);
         i++) {
        const uint32_t at = plane / stride % planes->dims[i];
        const uint32_t first = at * planes->factor[i];
        uint32_t last = first + planes->factor[i] - 1;

        last = last < shape->dims[i] ? last : shape->dims[i] - 1;
        n +=
            (size_t)snprintf(label->text + n, sizeof(label->text) - n,
                             "%s%c = %u", n > 0 ? ", " : "", letters[i], first);
        if (last > first && n + 1 < sizeof(label->text))
            n += (size_t)snprintf(label->text + n, sizeof(label->text) - n,
                                  "-%u", last);
        stride *= planes->dims[i];
    }
    label->at[0] =
        (float)(plane % planes->columns * planes->wide + 0.3 * planes->pitch);
    label->at[1] = (float)(plane / planes->columns * planes->high + 11);
}

static void join_links(struct network_layout *out,
                       const struct mapcore_topo *topo,
                       const struct planes *planes,
                       const struct topo_shape *shape)
{
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    uint32_t end[2];

    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        if (!topo_link_ends(topo, l, end))
            continue;
        /* Both directions are the cable of the lower end. */
        out->stroke_of[l] =
            cell_of(planes, shape, end[l % 2] - nhosts) * planes->ndims +
            l / 2 % planes->ndims;
    }
}

static const char *describe(const struct planes *planes)
{
    for (uint32_t i = 0; i < planes->ndims; i++)
        if (planes->factor[i] > 1)
            return "Planes of x (to the right) and y (downwards). A dot is a "
                   "block of routers, a line the busiest of its links one "
                   "way.";
    return planes->ndims > 2
               ? "Planes of x (to the right) and y (downwards); slanting lines "
                 "lead to the next plane, those at the edge round."
               : "x to the right, y downwards; lines at the edge lead round.";
}

int torus_layout_make(struct network_layout *out,
                      const struct mapcore_topo *topo,
                      const struct topo_shape *shape,
                      struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_topo_nhosts(topo);
    struct planes planes = {0};
    int error;

    choose_blocks(&planes, shape);
    arrange(&planes);
    error = network_layout_alloc(
        out, topo, (size_t)planes.ncells * planes.ndims, planes.ncells,
        planes.ndims > 2 ? planes.nplanes : 0, err);
    if (error < 0)
        return error;
    for (uint32_t cell = 0; cell < planes.ncells; cell++) {
        struct layout_dot *dot = &out->dot[cell];

        place_cell(dot->at, &planes, cell);
        dot->radius = (float)fmin(0.17 * planes.pitch, 5);
        for (uint32_t i = 0; i < planes.ndims; i++)
            out->stroke[cell * planes.ndims + i] =
                stroke_of(&planes, dot->at, cell, i);
    }
    for (uint32_t i = 0; i < out->nlabels; i++)
        name_plane(&out->label[i], &planes, shape, i);
    for (uint32_t r = 0; r < topo_nswitches(topo); r++)
        out->dot_of[nhosts + r] = cell_of(&planes, shape, r);
    for (uint32_t h = 0; h < nhosts; h++)
        out->dot_of[h] = out->dot_of[topo_host_vertex(topo, h)];
    join_links(out, topo, &planes, shape);
    out->width = planes.columns * planes.wide;
    out->height =
        (planes.nplanes + planes.columns - 1) / planes.columns * planes.high;
    out->legend = describe(&planes);
    return 0;
}
