/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* scene_pairs.c - the pairs of tasks that a report names: in all, and on the
 * slowest link of each mapping */
#include "config.h"

#include "tools/draw/scene_pairs.h"

#include "base/array.h"
#include "topo/walk.h"

#include <stdlib.h>

enum { MOST_PAIRS = 10 };

static int compare_pairs(const void *a, const void *b)
{
    const struct traffic_pair *x = a, *y = b;

    if (x->value != y->value)
        return x->value < y->value ? 1 : -1;
    return x->a != y->a ? (x->a > y->a) - (x->a < y->a)
                        : (x->b > y->b) - (x->b < y->b);
}

/* Those of the n pairs that exchange most, and where each mapping has them. */
static void put_pairs(struct json_writer *writer,
                      const struct draw_subject *subject,
                      struct traffic_pair *pair,
                      size_t n)
{
    qsort(pair, n, sizeof(*pair), compare_pairs);
    json_begin_array(writer, "pairs");
    for (size_t i = 0; i < n && i < MOST_PAIRS; i++) {
        json_begin_array(writer, NULL);
        json_put_u64(writer, NULL, pair[i].a);
        json_put_u64(writer, NULL, pair[i].b);
        json_put_double(writer, NULL, pair[i].value);
        json_begin_array(writer, NULL);
        for (size_t s = 0; s < subject->nsides; s++) {
            const struct eval_mapping *side = &subject->side[s];
            const uint32_t a = pair[i].a, b = pair[i].b;
            const uint32_t place[] = {
                side->mapping->host[a], side->mapping->host[b],
                mapcore_alloc_distance(side->at.alloc, side->at.host[a],
                                       side->at.host[b])};

            json_put_numbers(writer, NULL, place, 3);
        }
        json_end_array(writer);
        json_end_array(writer);
    }
    json_end_array(writer);
}

/* The share of what two hosts exchange that a link carries. */
static double share_of_link(const struct mapcore_topo *topo,
                            const uint32_t host[2],
                            uint32_t link,
                            uint32_t *route)
{
    double share = 0;
    uint32_t whole;

    for (int way = 0; way < 2; way++) {
        const uint32_t n =
            topo_split_route(topo, host[way], host[1 - way], route, &whole);

        for (uint32_t k = 0; k < n; k++)
            if (route[k] == link)
                share += k < whole ? 0.5 : 0.25;
    }
    return share;
}

/* Of each mapping the link that takes longest, and the pairs that use it. */
static int put_slowest(struct json_writer *writer,
                       const struct draw_subject *subject,
                       const struct traffic *traffic,
                       struct traffic_pair *pair)
{
    const struct mapcore_topo *topo =
        mapcore_alloc_topo(mapcore_alloc_by_rail(subject->inputs.alloc));
    uint32_t *route = array_alloc(mapcore_topo_diameter(topo) + 1,
                                  2 * sizeof(*route), subject->err);

    json_begin_array(writer, "slowest");
    for (size_t s = 0; route && s < subject->nsides; s++) {
        const struct eval_mapping *side = &subject->side[s];
        double most = 0;
        uint32_t link = 0;
        size_t n = 0;

        for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
            const double time =
                side->load[l] / mapcore_topo_link_capacity(topo, l);

            link = time > most ? l : link;
            most = time > most ? time : most;
        }
        for (size_t i = 0; most > 0 && i < traffic->n; i++) {
            const struct mapcore_places *at = &side->at;
            const uint32_t host[] = {
                mapcore_alloc_host(at->alloc, at->host[traffic->pair[i].a]),
                mapcore_alloc_host(at->alloc, at->host[traffic->pair[i].b])};
            const double share = share_of_link(topo, host, link, route);

            pair[n] = traffic->pair[i];
            pair[n].value *= share;
            n += share > 0;
        }
        json_begin_object(writer, NULL);
        json_put_u64(writer, "link", link);
        json_put_u64(writer, "npairs", n);
        put_pairs(writer, subject, pair, n);
        json_end_object(writer);
    }
    json_end_array(writer);
    free(route);
    return route ? 0 : MAPCORE_ENOMEM;
}

int scene_put_pairs(struct json_writer *writer,
                    const struct draw_subject *subject,
                    const struct traffic *traffic)
{
    const size_t n = traffic->n;
    struct traffic_pair *pair =
        array_copy(traffic->pair, n, sizeof(*pair), subject->err);
    int error = 0;

    if (!pair)
        return MAPCORE_ENOMEM;
    put_pairs(writer, subject, pair, n);
    if (subject->inputs.topo)
        error = put_slowest(writer, subject, traffic, pair);
    free(pair);
    return error;
}
