/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_layout.c - makes the arrays of a layout, and joins its dots */
#include "config.h"

#include "tools/draw/network/network_layout.h"

#include "base/array.h"
#include "topo/walk.h"

#include <stdlib.h>
#include <string.h>

int network_layout_alloc(struct network_layout *out,
                         const struct mapcore_topo *topo,
                         size_t nstrokes,
                         size_t ndots,
                         size_t nlabels,
                         struct mapcore_error *err)
{
    const size_t nlinks = mapcore_topo_nlinks(topo);
    const size_t nvertices =
        (size_t)mapcore_topo_nhosts(topo) + topo_nswitches(topo);

    out->nstrokes = nstrokes;
    out->ndots = ndots;
    out->nlabels = nlabels;
    out->stroke = array_alloc(nstrokes, sizeof(*out->stroke), err);
    out->dot = array_alloc(ndots, sizeof(*out->dot), err);
    out->label = array_alloc(nlabels, sizeof(*out->label), err);
    out->stroke_of = array_alloc(nlinks, sizeof(*out->stroke_of), err);
    out->dot_of = array_alloc(nvertices, sizeof(*out->dot_of), err);
    if (!out->stroke || !out->dot || !out->label || !out->stroke_of ||
        !out->dot_of)
        return MAPCORE_ENOMEM;
    /* MAPCORE_NONE is all ones. */
    memset(out->stroke_of, 0xff, nlinks * sizeof(*out->stroke_of));
    memset(out->dot_of, 0xff, nvertices * sizeof(*out->dot_of));
    return 0;
}

/* The dots at the ends of a link, the lower first; false where it is none. */
static bool key_of(uint64_t *out,
                   const struct network_layout *layout,
                   const struct mapcore_topo *topo,
                   uint32_t link)
{
    uint32_t end[2], a, b;

    if (!topo_link_ends(topo, link, end))
        return false;
    a = layout->dot_of[end[0]];
    b = layout->dot_of[end[1]];
    if (a == b || a == MAPCORE_NONE || b == MAPCORE_NONE)
        return false;
    *out = a < b ? (uint64_t)a << 32 | b : (uint64_t)b << 32 | a;
    return true;
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

int network_layout_join(struct network_layout *layout,
                        const struct mapcore_topo *topo,
                        struct mapcore_error *err)
{
    const uint32_t nlinks = mapcore_topo_nlinks(topo);
    uint64_t *key = array_alloc(nlinks, sizeof(*key), err), one;
    size_t n = 0, unique = 0;

    if (!key)
        return MAPCORE_ENOMEM;
    for (uint32_t l = 0; l < nlinks; l++)
        if (key_of(&key[n], layout, topo, l))
            n++;
    array_sort_u64(key, n);
    for (size_t i = 0; i < n; i++)
        if (i == 0 || key[i] != key[i - 1])
            key[unique++] = key[i];
    free(layout->stroke);
    layout->stroke = array_alloc(unique, sizeof(*layout->stroke), err);
    layout->nstrokes = layout->stroke ? unique : 0;
    for (size_t i = 0; i < layout->nstrokes; i++) {
        const struct layout_dot *a = &layout->dot[key[i] >> 32];
        const struct layout_dot *b = &layout->dot[key[i] & UINT32_MAX];

        layout->stroke[i] = (struct layout_stroke){.from = {a->at[0], a->at[1]},
                                                   .to = {b->at[0], b->at[1]}};
    }
    for (uint32_t l = 0; layout->stroke && l < nlinks; l++)
        if (key_of(&one, layout, topo, l))
            layout->stroke_of[l] =
                (uint32_t)((uint64_t *)bsearch(&one, key, unique, sizeof(*key),
                                               compare_keys) -
                           key);
    free(key);
    return layout->stroke ? 0 : MAPCORE_ENOMEM;
}

void network_layout_clear(struct network_layout *layout)
{
    free(layout->stroke);
    free(layout->dot);
    free(layout->label);
    free(layout->stroke_of);
    free(layout->dot_of);
    *layout = (struct network_layout){0};
}
