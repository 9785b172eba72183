/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_details.c - loads of links, and bytes and distances of ranks */
#include "config.h"

#include "tools/eval/eval_details.h"

#include "base/printable.h"
#include "tools/common/csv.h"
#include "tools/common/quantity.h"

#include <inttypes.h>
#include <string.h>

enum {
    LINK_NAME = 600, /* two host names of 255 bytes */
    COLUMN_WIDTH = 16,
};

static void print_bytes(double bytes)
{
    char text[QUANTITY_TEXT];

    quantity_bytes(text, bytes);
    printf(" %*s", COLUMN_WIDTH, text);
}

static void print_capacity(double capacity)
{
    char text[QUANTITY_TEXT];

    quantity_rate(text, capacity);
    printf(" %*s", COLUMN_WIDTH, text);
}

static size_t name_link(char *out, const struct mapcore_topo *topo, uint32_t l)
{
    mapcore_topo_link_name(topo, l, out, LINK_NAME);
    printable_clean(out);
    return strlen(out);
}

/* Of one direction, where a cable has two. */
static double time_of(const struct mapcore_topo *topo,
                      const struct eval_mapping *mapping,
                      uint32_t l)
{
    return mapping->load[l] / mapcore_topo_link_directions(topo) /
           mapcore_topo_link_capacity(topo, l);
}

void eval_print_links(const struct inputs *inputs,
                      const struct eval_mapping *mapping,
                      size_t n)
{
    const struct mapcore_topo *topo = inputs->topo;
    const bool has_capacities = mapcore_topo_has_capacities(topo);
    const uint32_t nlinks = mapcore_topo_nlinks(topo);
    size_t width = strlen("LINK");
    char name[LINK_NAME];

    for (uint32_t l = 0; l < nlinks; l++) {
        size_t length = name_link(name, topo, l);

        width = length > width ? length : width;
    }
    printf("\n%-*s", (int)width, "LINK");
    if (has_capacities)
        printf(" %*s", COLUMN_WIDTH, "CAPACITY");
    for (size_t i = 0; i < n; i++)
        printf(" %*s", COLUMN_WIDTH, n > 1 ? mapping[i].title : "BYTES");
    putchar('\n');
    for (uint32_t l = 0; l < nlinks; l++) {
        name_link(name, topo, l);
        printf("%-*s", (int)width, name);
        if (has_capacities)
            print_capacity(mapcore_topo_link_capacity(topo, l));
        for (size_t i = 0; i < n; i++)
            print_bytes(mapping[i].load[l]);
        putchar('\n');
    }
}

void eval_put_links(struct json_writer *writer,
                    const struct inputs *inputs,
                    const struct eval_mapping *mapping)
{
    const struct mapcore_topo *topo = inputs->topo;
    const bool has_capacities = mapcore_topo_has_capacities(topo);
    char name[LINK_NAME];

    json_begin_array(writer, "links");
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        const double capacity = mapcore_topo_link_capacity(topo, l);

        mapcore_topo_link_name(topo, l, name, sizeof(name));
        json_begin_object(writer, NULL);
        json_put_string(writer, "link", name);
        if (has_capacities)
            json_put_double(writer, "capacity", capacity);
        else
            json_put_null(writer, "capacity");
        json_put_double(writer, "bytes", mapping->load[l]);
        json_put_double(writer, "time", time_of(topo, mapping, l));
        json_end_object(writer);
    }
    json_end_array(writer);
}

void eval_csv_links(const struct inputs *inputs,
                    const struct eval_mapping *mapping,
                    size_t n)
{
    const struct mapcore_topo *topo = inputs->topo;
    const bool has_capacities = mapcore_topo_has_capacities(topo);
    char name[LINK_NAME];

    printf("mapping,link,capacity,bytes,time\n");
    for (size_t i = 0; i < n; i++)
        for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
            name_link(name, topo, l);
            csv_put_name(mapping[i].title);
            putchar(',');
            csv_put_name(name);
            csv_put_exact(has_capacities, mapcore_topo_link_capacity(topo, l));
            csv_put_exact(true, mapping[i].load[l]);
            csv_put_exact(true, time_of(topo, &mapping[i], l));
            putchar('\n');
        }
}

/* What a rank exchanges, both directions together. */
struct rank_traffic {
    uint64_t bytes, off_node;
    double hop_bytes;
};

static struct rank_traffic add_up(const struct inputs *inputs,
                                  const struct mapcore_mapping *mapping,
                                  uint32_t rank)
{
    struct rank_traffic sum = {0};
    const uint32_t *peers;
    const uint64_t *bytes;
    const size_t n =
        mapcore_graph_neighbours(inputs->graph, rank, &peers, &bytes);

    for (size_t i = 0; i < n; i++) {
        const uint32_t a = mapping->host[rank], b = mapping->host[peers[i]];

        sum.bytes += bytes[i];
        if (a == b)
            continue;
        sum.off_node += bytes[i];
        sum.hop_bytes +=
            (double)bytes[i] * mapcore_alloc_distance(inputs->alloc, a, b);
    }
    return sum;
}

static double hops_per_byte(const struct rank_traffic *sum)
{
    return sum->bytes > 0 ? sum->hop_bytes / (double)sum->bytes : 0;
}

/* Its name, or its number in the topology. */
static const char *name_node(char number[16],
                             const struct inputs *inputs,
                             uint32_t host)
{
    const uint32_t node = mapcore_alloc_host(inputs->alloc, host);
    const char *name = mapcore_topo_host_name(inputs->topo, node);

    if (name)
        return name;
    snprintf(number, 16, "%" PRIu32, node);
    return number;
}

static void print_ranks_of(const struct inputs *inputs,
                           const struct eval_mapping *mapping)
{
    const struct mapcore_mapping *placed = mapping->mapping;
    char number[16];

    printf("%8s %12s %6s %*s %*s %*s %14s\n", "RANK", "NODE", "SLOT",
           COLUMN_WIDTH, "BYTES", COLUMN_WIDTH, "OFF-NODE BYTES", COLUMN_WIDTH,
           "HOP-BYTES", "HOPS PER BYTE");
    for (uint32_t t = 0; t < placed->ntasks; t++) {
        const struct rank_traffic sum = add_up(inputs, placed, t);

        printf("%8" PRIu32 " ", t);
        tool_print("%12s", name_node(number, inputs, placed->host[t]));
        printf(" %6" PRIu32, placed->slot[t]);
        print_bytes((double)sum.bytes);
        print_bytes((double)sum.off_node);
        print_bytes(sum.hop_bytes);
        printf(" %14.4g\n", hops_per_byte(&sum));
    }
}

void eval_print_ranks(const struct inputs *inputs,
                      const struct eval_mapping *mapping,
                      size_t n)
{
    for (size_t i = 0; i < n; i++) {
        putchar('\n');
        if (n > 1)
            tool_print("%s\n", mapping[i].title);
        print_ranks_of(inputs, &mapping[i]);
    }
}

void eval_put_ranks(struct json_writer *writer,
                    const struct inputs *inputs,
                    const struct eval_mapping *mapping)
{
    const struct mapcore_mapping *placed = mapping->mapping;
    char number[16];

    json_begin_array(writer, "ranks");
    for (uint32_t t = 0; t < placed->ntasks; t++) {
        const struct rank_traffic sum = add_up(inputs, placed, t);

        json_begin_object(writer, NULL);
        json_put_u64(writer, "rank", t);
        json_put_string(writer, "node",
                        name_node(number, inputs, placed->host[t]));
        json_put_u64(writer, "slot", placed->slot[t]);
        json_put_u64(writer, "bytes", sum.bytes);
        json_put_u64(writer, "off_node_bytes", sum.off_node);
        json_put_double(writer, "hop_bytes", sum.hop_bytes);
        json_put_double(writer, "hops_per_byte", hops_per_byte(&sum));
        json_end_object(writer);
    }
    json_end_array(writer);
}

void eval_csv_ranks(const struct inputs *inputs,
                    const struct eval_mapping *mapping,
                    size_t n)
{
    char number[16];

    printf("mapping,rank,node,slot,bytes,off_node_bytes,hop_bytes,"
           "hops_per_byte\n");
    for (size_t i = 0; i < n; i++)
        for (uint32_t t = 0; t < mapping[i].mapping->ntasks; t++) {
            const struct mapcore_mapping *placed = mapping[i].mapping;
            const struct rank_traffic sum = add_up(inputs, placed, t);

            csv_put_name(mapping[i].title);
            printf(",%" PRIu32 ",", t);
            csv_put_name(name_node(number, inputs, placed->host[t]));
            printf(",%" PRIu32 ",%" PRIu64 ",%" PRIu64, placed->slot[t],
                   sum.bytes, sum.off_node);
            csv_put_exact(true, sum.hop_bytes);
            csv_put_exact(true, hops_per_byte(&sum));
            putchar('\n');
        }
}
