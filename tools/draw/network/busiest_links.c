/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* busiest_links.c - links by what they carry */
#include "config.h"

#include "tools/draw/network/busiest_links.h"

#include <stdio.h>

double busiest_time(const struct mapcore_topo *topo,
                    const double *load,
                    uint32_t link)
{
    return load[link] / mapcore_topo_link_directions(topo) /
           mapcore_topo_link_capacity(topo, link);
}

static enum amount_unit unit_of(const struct mapcore_topo *topo, uint32_t link)
{
    const double capacity = mapcore_topo_link_capacity(topo, link);

    if (mapcore_topo_has_capacities(topo))
        return amount_time_unit(capacity);
    /* A dragonfly assumes some where none are stated. */
    return mapcore_topo_link_capacity(topo, 0) != 1 ? AMOUNT_PLAIN
                                                    : AMOUNT_BYTES;
}

enum amount_unit busiest_unit(const struct mapcore_topo *topo)
{
    const uint32_t nlinks = mapcore_topo_nlinks(topo);
    enum amount_unit unit = nlinks > 0 ? unit_of(topo, 0) : AMOUNT_BYTES;

    for (uint32_t l = 1; l < nlinks && unit == AMOUNT_SECONDS; l++)
        unit = unit_of(topo, l);
    return unit;
}

size_t busiest_links_find(uint32_t *link,
                          size_t most_links,
                          const struct mapcore_topo *topo,
                          const double *load)
{
    const uint32_t nlinks = mapcore_topo_nlinks(topo);
    size_t n = 0, i;

    for (uint32_t l = 0; l < nlinks; l++) {
        const double time = busiest_time(topo, load, l);

        if (time <= 0 ||
            (n == most_links && time <= busiest_time(topo, load, link[n - 1])))
            continue;
        n += n < most_links;
        for (i = n - 1; i > 0 && busiest_time(topo, load, link[i - 1]) < time;
             i--)
            link[i] = link[i - 1];
        link[i] = l;
    }
    return n;
}

void busiest_describe(char text[BUSIEST_TEXT],
                      const struct mapcore_topo *topo,
                      const double *load,
                      uint32_t link)
{
    const enum amount_unit unit = unit_of(topo, link);
    char name[BUSIEST_NAME], amount[AMOUNT_TEXT];
    int n;

    mapcore_topo_link_name(topo, link, name, sizeof(name));
    n = snprintf(text, BUSIEST_TEXT, "%s: %s", name,
                 amount_text(amount, load[link], AMOUNT_BYTES));
    if (load[link] >= 1000)
        n += snprintf(text + n, BUSIEST_TEXT - (size_t)n, " (%.10g bytes)",
                      load[link]);
    if (unit == AMOUNT_PLAIN)
        snprintf(text + n, BUSIEST_TEXT - (size_t)n, ", time %.4g",
                 busiest_time(topo, load, link));
    else if (unit == AMOUNT_SECONDS)
        snprintf(text + n, BUSIEST_TEXT - (size_t)n, ", time %s",
                 amount_text(amount, busiest_time(topo, load, link), unit));
}
