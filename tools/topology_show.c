/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_show.c - a network as topomap topology show prints it: its links
 * counted by capacity, and the places of its hosts */
#include "config.h"

#include "tools/topology_show.h"

#include "base/array.h"
#include "topo/ops.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    HOSTS_SHOWN = 8,
    CAPACITIES_SHOWN = 6,
    PLACE = 300, /* a switch's name has at most 255 bytes */
};

/* The links that there are: numbers of links also stand for the cables that
 * the edges of a mesh lack. */
struct links {
    double *capacity; /* [n], ascending; all 1 where none is stated */
    uint32_t n;
    uint32_t ndifferent;
};

static int find_links(struct links *out,
                      const struct mapcore_topo *topo,
                      struct mapcore_error *err)
{
    uint32_t end[2];

    *out = (struct links){0};
    out->capacity = array_alloc(topo->nlinks, sizeof *out->capacity, err);
    if (out->capacity == NULL)
        return MAPCORE_ENOMEM;
    for (uint32_t l = 0; l < topo->nlinks; l++)
        if (topo->ops->ends(topo, l, end))
            out->capacity[out->n++] = mapcore_topo_link_capacity(topo, l);
    array_sort_double(out->capacity, out->n);
    for (uint32_t i = 0; i < out->n; i++)
        out->ndifferent += i == 0 || out->capacity[i] > out->capacity[i - 1];
    return 0;
}

/* How many links from the i-th on are as fast as that. */
static uint32_t count_equals(const struct links *links, uint32_t i)
{
    uint32_t n = 1;

    while (i + n < links->n && links->capacity[i + n] <= links->capacity[i])
        n++;
    return n;
}

static int show_json(const struct mapcore_topo *topo,
                     const struct links *links,
                     uint32_t shown,
                     struct mapcore_error *err)
{
    struct json_writer writer;
    char place[PLACE];

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "topology", mapcore_topo_describe(topo));
    json_put_u64(&writer, "nhosts", mapcore_topo_nhosts(topo));
    json_put_u64(&writer, "nlinks", links->n);
    json_begin_array(&writer, "capacities");
    for (uint32_t i = 0, n; topo->has_capacities && i < links->n; i += n) {
        n = count_equals(links, i);
        json_begin_object(&writer, NULL);
        json_put_double(&writer, "capacity", links->capacity[i]);
        json_put_u64(&writer, "nlinks", n);
        json_end_object(&writer);
    }
    json_end_array(&writer);
    json_put_u64(&writer, "diameter", mapcore_topo_diameter(topo));
    json_begin_array(&writer, "hosts");
    for (uint32_t h = 0; h < shown; h++) {
        mapcore_topo_host_place(topo, h, place, sizeof place);
        json_begin_object(&writer, NULL);
        json_put_u64(&writer, "number", h);
        json_put_string(&writer, "name", mapcore_topo_host_name(topo, h));
        json_put_string(&writer, "place", place);
        json_end_object(&writer);
    }
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static void print_capacities(const struct mapcore_topo *topo,
                             const struct links *links)
{
    if (!topo->has_capacities) {
        printf("not stated\n");
        return;
    }
    if (links->ndifferent > CAPACITIES_SHOWN) {
        printf("%.10g to %.10g, %" PRIu32 " different ones\n",
               links->capacity[0], links->capacity[links->n - 1],
               links->ndifferent);
        return;
    }
    for (uint32_t i = 0, n; i < links->n; i += n) {
        n = count_equals(links, i);
        printf("%s%.10g on %" PRIu32 " link%s", i > 0 ? ", " : "",
               links->capacity[i], n, n == 1 ? "" : "s");
    }
    printf("%s\n", links->n > 0 ? "" : "-");
}

static void show_text(const struct mapcore_topo *topo,
                      const struct links *links,
                      uint32_t shown)
{
    uint32_t nhosts = mapcore_topo_nhosts(topo);
    char place[PLACE];
    const char *name;

    printf("%s\n"
           "hosts     %" PRIu32 "\n"
           "links     %" PRIu32 "%s\n"
           "capacity  ",
           mapcore_topo_describe(topo), nhosts, links->n,
           mapcore_topo_link_directions(topo) == 1 ? ", one a direction" : "");
    print_capacities(topo, links);
    printf("diameter  %" PRIu32 "\n\n", mapcore_topo_diameter(topo));
    for (uint32_t h = 0; h < shown; h++) {
        name = mapcore_topo_host_name(topo, h);
        mapcore_topo_host_place(topo, h, place, sizeof place);
        printf("%8" PRIu32 "  %-16s  %s\n", h, name != NULL ? name : "-",
               place);
    }
    if (shown < nhosts)
        printf("%8s  (%" PRIu32 " more: --all)\n", "...", nhosts - shown);
}

int topology_show(const struct mapcore_topo *topo,
                  bool all,
                  bool as_json,
                  struct mapcore_error *err)
{
    uint32_t shown = mapcore_topo_nhosts(topo);
    struct links links;
    int code = find_links(&links, topo, err);

    if (code < 0)
        return code;
    if (!all && shown > HOSTS_SHOWN)
        shown = HOSTS_SHOWN;
    if (as_json)
        code = show_json(topo, &links, shown, err);
    else
        show_text(topo, &links, shown);
    free(links.capacity);
    return code;
}
