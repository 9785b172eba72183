/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_show.c - a network as topomap topology show prints it: its links
 * counted by capacity, and the places of its hosts */
#include "config.h"

#include "tools/topology_show.h"

#include "base/array.h"
#include "base/table64.h"
#include "topo/walk.h"
#include "json/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    HOSTS_SHOWN = 8,
    PLACE = 300, /* a switch's name has at most 255 bytes */
    LINK_NAME = 600,
};

/* Links of one capacity. */
struct show_group {
    double capacity;
    uint32_t n;
};

/* The links that there are: numbers of links also stand for the cables that
 * the edges of a mesh lack. */
struct link_counts {
    uint32_t n;
    struct show_group *group; /* [ngroups], ascending */
    size_t ngroups, capacity;
};

static int by_capacity(const void *left, const void *right)
{
    const struct show_group *a = left, *b = right;

    return (a->capacity > b->capacity) - (a->capacity < b->capacity);
}

/* groups: each capacity's, by its bits. */
static int count_link(struct link_counts *links,
                      struct table64 *groups,
                      double capacity,
                      struct mapcore_error *err)
{
    uint32_t at, fresh = (uint32_t)links->ngroups;
    uint64_t bits;
    int error;

    memcpy(&bits, &capacity, sizeof(bits));
    if ((error = table64_put(&at, groups, bits, fresh, err)) < 0)
        return error;
    if (at == fresh) {
        if ((error = array_reserve(&links->group, &links->capacity,
                                   links->ngroups + 1, sizeof(*links->group),
                                   err)) < 0)
            return error;
        links->group[links->ngroups++] = (struct show_group){capacity, 0};
    }
    links->group[at].n++;
    links->n++;
    return 0;
}

static int count_links(struct link_counts *out,
                       const struct mapcore_topo *topo,
                       struct mapcore_error *err)
{
    struct table64 groups = {0};
    uint32_t end[2];
    int error = 0;

    *out = (struct link_counts){0};
    for (uint32_t l = 0; error == 0 && l < mapcore_topo_nlinks(topo); l++)
        if (topo_link_ends(topo, l, end))
            error = count_link(out, &groups,
                               mapcore_topo_link_capacity(topo, l), err);
    if (error == 0 && out->ngroups > 1)
        qsort(out->group, out->ngroups, sizeof(*out->group), by_capacity);
    if (error < 0)
        free(out->group);
    table64_clear(&groups);
    return error;
}

static int print(const struct mapcore_topo *topo,
                 const struct link_counts *links,
                 const uint32_t *which,
                 uint32_t shown,
                 const struct answer_form *form,
                 struct mapcore_error *err)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, form, "topology", "hosts");
    char place[PLACE];

    json_put_string(writer, "topology", mapcore_topo_describe(topo));
    json_put_u64(writer, "nhosts", mapcore_topo_nhosts(topo));
    json_put_u64(writer, "nlinks", links->n);
    json_begin_array(writer, "capacities");
    for (size_t i = 0; mapcore_topo_has_capacities(topo) && i < links->ngroups;
         i++) {
        json_begin_object(writer, NULL);
        json_put_double(writer, "capacity", links->group[i].capacity);
        json_put_u64(writer, "nlinks", links->group[i].n);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_u64(writer, "diameter", mapcore_topo_diameter(topo));
    if (!answer_word(form)) {
        json_put_bool(writer, "one_a_direction",
                      mapcore_topo_link_directions(topo) == 1);
        json_put_bool(writer, "has_capacities",
                      mapcore_topo_has_capacities(topo));
        json_put_bool(writer, "is_whole", !which);
    }
    json_begin_array(writer, "hosts");
    for (uint32_t i = 0; i < shown; i++) {
        uint32_t h = which ? which[i] : i;

        mapcore_topo_host_place(topo, h, place, sizeof(place));
        json_begin_object(writer, NULL);
        json_put_u64(writer, "number", h);
        json_put_string(writer, "name", mapcore_topo_host_name(topo, h));
        json_put_string(writer, "place", place);
        json_end_object(writer);
    }
    return answer_end(&answer, 0, err);
}

int topology_show(const struct mapcore_topo *topo,
                  const uint32_t *which,
                  uint32_t nwhich,
                  bool all,
                  const struct answer_form *form,
                  struct mapcore_error *err)
{
    uint32_t shown = mapcore_topo_nhosts(topo);
    struct link_counts links;
    int error = count_links(&links, topo, err);

    if (error < 0)
        return error;
    if (which)
        shown = nwhich;
    else if (!all && !form->csv && shown > HOSTS_SHOWN)
        shown = HOSTS_SHOWN;
    error = print(topo, &links, which, shown, form, err);
    free(links.group);
    return error;
}

int topology_links(const struct mapcore_topo *topo,
                   const struct answer_form *form,
                   struct mapcore_error *err)
{
    static const char *const key[2] = {"from", "to"};
    struct answer answer;
    struct json_writer *writer;
    char name[LINK_NAME];
    uint32_t end[2];

    if (!answer_word(form))
        return mapcore_topo_write_links(topo, stdout, err);
    writer = answer_begin(&answer, stdout, form, NULL, "links");
    json_put_string(writer, "topology", mapcore_topo_describe(topo));
    json_put_bool(writer, "one_a_direction",
                  mapcore_topo_link_directions(topo) == 1);
    json_begin_array(writer, "links");
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        if (!topo_link_ends(topo, l, end))
            continue;
        json_begin_object(writer, NULL);
        mapcore_topo_link_name(topo, l, name, sizeof(name));
        json_put_string(writer, "link", name);
        for (int i = 0; i < 2; i++) {
            topo_vertex_name(topo, end[i], name, sizeof(name));
            json_put_string(writer, key[i], name);
        }
        if (mapcore_topo_has_capacities(topo))
            json_put_double(writer, "capacity",
                            mapcore_topo_link_capacity(topo, l));
        else
            json_put_null(writer, "capacity");
        json_end_object(writer);
    }
    return answer_end(&answer, 0, err);
}
