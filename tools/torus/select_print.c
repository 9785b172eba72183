/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_print.c - a selection as lists of nodes and orders of ranks */
#include "config.h"

#include "tools/torus/select_print.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/common/tool.h"
#include "tools/rank_order.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const struct option_word select_outputs[] = {
    {"report", SELECT_REPORT, "what was found, and the nodes", false},
    {"nodelist", SELECT_NODELIST, NULL, false},
    {"nodefile", SELECT_NODEFILE, "one a line", false},
    {"hosts", SELECT_NODEFILE, NULL, true},
    {"srun", SELECT_SRUN, "options for it", false},
    {"json", SELECT_JSON, NULL, false},
    {"mapping", SELECT_MAPPING, "ranks, as the others", false},
    {"hostfile", SELECT_HOSTFILE, "SLURM_HOSTFILE", false},
    {"rankfile", SELECT_RANKFILE, "Open MPI", false},
    {"mpich", SELECT_MPICH, "MPICH_RANK_ORDER", false},
    {NULL, 0, NULL, false},
};

bool select_output_has_ranks(enum select_output output)
{
    return output >= SELECT_MAPPING;
}

static enum mapcore_mapping_form form_of(enum select_output output)
{
    return (enum mapcore_mapping_form)(output - SELECT_MAPPING) +
           MAPCORE_MAPPING_PLAIN;
}

/* A choice as it is listed. */
struct select_listing {
    uint32_t n;
    char **name;     /* [n] */
    uint32_t *place; /* [n], whose block each node has */
    char *nodelist;
};

static void clear_listing(struct select_listing *listing)
{
    routers_free_names(listing->name, listing->n);
    free(listing->place);
    free(listing->nodelist);
}

static int compare_names(const void *a, const void *b, void *arg)
{
    char *const *name = arg;

    return strverscmp(name[*(const uint32_t *)a], name[*(const uint32_t *)b]);
}

static int compare_nodes(const void *a, const void *b, void *arg)
{
    const uint32_t *node = arg;
    uint32_t x = node[*(const uint32_t *)a], y = node[*(const uint32_t *)b];

    return (x > y) - (x < y);
}

static int make_listing(struct select_listing *out,
                        const struct selection *selection,
                        const struct select_choice *choice,
                        bool as_they_were,
                        const struct routers *routers,
                        struct mapcore_error *err)
{
    struct select_listing made = {.n = selection->nplaces};
    char **name = NULL;
    int error = routers_names(&name, routers, choice->node, made.n, err);

    if (error < 0)
        return error;
    made.place = array_alloc(made.n, sizeof(*made.place), err);
    made.name = array_alloc(made.n, sizeof(*made.name), err);
    if (!made.place || !made.name) {
        routers_free_names(name, made.n);
        free(made.name);
        free(made.place);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t i = 0; i < made.n; i++)
        made.place[i] = i;
    if (as_they_were || !mapcore_topo_host_name(routers->topo, 0))
        qsort_r(made.place, made.n, sizeof(*made.place), compare_nodes,
                choice->node);
    else
        qsort_r(made.place, made.n, sizeof(*made.place), compare_names, name);
    for (uint32_t i = 0; i < made.n; i++)
        made.name[i] = name[made.place[i]];
    free(name);
    error = hosts_compress(&made.nodelist, made.n,
                           (const char *const *)made.name, err);
    if (error < 0)
        clear_listing(&made);
    else
        *out = made;
    return error;
}

/* "14x7x21" */
static void put_box(const uint32_t *size, uint32_t n, FILE *file)
{
    for (uint32_t i = 0; i < n; i++)
        fprintf(file, "%s%" PRIu32, i > 0 ? "x" : "", size[i]);
}

/* "xyz-": the axis of each dimension. */
static void name_axes(char text[MAPCORE_BLOCKS_DIMS + 1],
                      const struct select_choice *choice,
                      const struct mapcore_blocks *layout)
{
    for (uint32_t i = 0; i < layout->ndims; i++) {
        uint32_t axis = choice->axis[i];
        bool inside = layout->grid[i] == layout->block[i];

        text[i] = axis > 2 || (inside && !layout->tiled) ? '-' : "xyz"[axis];
    }
    text[layout->ndims] = '\0';
}

static void report_head(const struct selection *selection,
                        const struct select_query *query,
                        const struct routers *routers,
                        FILE *file)
{
    fprintf(file, "# %s\n", mapcore_topo_describe(routers->topo));
    fprintf(file,
            "# %" PRIu32 " nodes may be used, and %" PRIu32
            " routers have %" PRIu32 " of them\n",
            routers->nnodes, selection->usable, selection->per_router);
    if (query->only_nodes) {
        fprintf(file, "# %" PRIu32 " nodes\n", selection->nplaces);
        return;
    }
    fprintf(file, "# grid ");
    put_box(query->layout.grid, query->layout.ndims, file);
    fprintf(file, ": %" PRIu64 " tasks, %" PRIu32 " nodes with ",
            (uint64_t)selection->nplaces * selection->nper, selection->nplaces);
    put_box(selection->layout.block, query->layout.ndims, file);
    fprintf(file, " each\n");
}

static void report_choice(const struct selection *selection,
                          const struct select_query *query,
                          size_t c,
                          const char *nodelist,
                          FILE *file)
{
    const struct select_choice *choice = &selection->choice[c];
    char axes[MAPCORE_BLOCKS_DIMS + 1];

    name_axes(axes, choice, &query->layout);
    fprintf(file, "# choice %zu: ", c + 1);
    if (choice->curve) {
        fprintf(file, "all nodes in order, curve %s", choice->curve);
    } else {
        put_box(choice->size, 3, file);
        fprintf(file,
                " routers from (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                "), skipped %" PRIu32 " rows and %" PRIu32 " planes",
                choice->start[0], choice->start[1], choice->start[2],
                choice->skipped_rows, choice->skipped_planes);
    }
    if (!query->only_nodes)
        fprintf(file, ", axes %s", axes);
    fprintf(file, "\n# choice %zu: longest path %" PRIu32 ", mean path %.4g",
            c + 1, choice->longest, choice->mean);
    if (!query->only_nodes)
        fprintf(file, ", slowest link %.4g, hops per byte %.4g",
                choice->slowest, choice->hops_per_byte);
    fprintf(file, "\n%s\n", nodelist);
}

static void json_choice(struct json_writer *writer,
                        const struct select_choice *choice,
                        const struct select_query *query,
                        const char *nodelist)
{
    char axes[MAPCORE_BLOCKS_DIMS + 1];

    name_axes(axes, choice, &query->layout);
    json_begin_object(writer, NULL);
    if (choice->curve) {
        json_put_string(writer, "curve", choice->curve);
    } else {
        json_put_numbers(writer, "size", choice->size, 3);
        json_put_numbers(writer, "start", choice->start, 3);
        json_put_u64(writer, "skipped_rows", choice->skipped_rows);
        json_put_u64(writer, "skipped_planes", choice->skipped_planes);
    }
    if (!query->only_nodes) {
        json_put_string(writer, "axes", axes);
        json_put_double(writer, "hops_per_byte", choice->hops_per_byte);
        json_put_double(writer, "slowest_link", choice->slowest);
    }
    json_put_u64(writer, "longest_path", choice->longest);
    json_put_double(writer, "mean_path", choice->mean);
    json_put_string(writer, "nodelist", nodelist);
    json_end_object(writer);
}

static void json_head(struct json_writer *writer,
                      const struct selection *selection,
                      const struct select_query *query,
                      const struct routers *routers)
{
    json_put_string(writer, "topology", mapcore_topo_describe(routers->topo));
    json_put_u64(writer, "usable_nodes", routers->nnodes);
    json_put_u64(writer, "usable_routers", selection->usable);
    json_put_u64(writer, "nodes_per_router", selection->per_router);
    json_put_u64(writer, "nodes", selection->nplaces);
    if (query->only_nodes)
        return;
    json_put_u64(writer, "tasks",
                 (uint64_t)selection->nplaces * selection->nper);
    json_put_u64(writer, "tasks_per_node", selection->nper);
    json_put_numbers(writer, "grid", query->layout.grid, query->layout.ndims);
    json_put_numbers(writer, "block", query->layout.block, query->layout.ndims);
    json_put_numbers(writer, "node_block", selection->layout.block,
                     query->layout.ndims);
}

/* All choices, in words or as JSON. */
static int print_all(const struct selection *selection,
                     enum select_output output,
                     const struct select_query *query,
                     const struct routers *routers,
                     bool as_they_were,
                     FILE *file,
                     struct mapcore_error *err)
{
    struct json_writer writer;
    bool json = output == SELECT_JSON;
    int error = 0;

    json_writer_start(&writer, file);
    if (json) {
        json_begin_object(&writer, NULL);
        json_head(&writer, selection, query, routers);
        json_begin_array(&writer, "choices");
    } else {
        report_head(selection, query, routers, file);
    }
    for (size_t c = 0; error == 0 && c < selection->n; c++) {
        struct select_listing listing;

        error = make_listing(&listing, selection, &selection->choice[c],
                             as_they_were, routers, err);
        if (error < 0)
            break;
        if (json)
            json_choice(&writer, &selection->choice[c], query,
                        listing.nodelist);
        else
            report_choice(selection, query, c, listing.nodelist, file);
        clear_listing(&listing);
    }
    if (!json || error < 0)
        return error;
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static int print_ranks(const struct selection *selection,
                       enum mapcore_mapping_form form,
                       const struct select_listing *listing,
                       const struct routers *routers,
                       FILE *file,
                       struct mapcore_error *err)
{
    size_t per = selection->nper, n = (size_t)listing->n * per;
    uint32_t *block = array_alloc(n, sizeof(*block), err);
    uint32_t *rank = array_alloc(n, sizeof(*rank), err);
    bool named = mapcore_topo_host_name(routers->topo, 0) != NULL;
    int error = MAPCORE_ENOMEM;

    if (block && rank) {
        mapcore_blocks_order(block, &selection->layout);
        for (uint32_t i = 0; i < listing->n; i++)
            memcpy(rank + i * per, block + listing->place[i] * per,
                   per * sizeof(*rank));
        error = !named && (form == MAPCORE_MAPPING_HOSTFILE ||
                           form == MAPCORE_MAPPING_RANKFILE)
                    ? error_set(err, MAPCORE_EINVAL,
                                "a %s names nodes, and those of the topology "
                                "have no names",
                                mapcore_mapping_form_name(form))
                    : rank_order_write(
                          rank, listing->n * selection->nper, selection->nper,
                          (const char *const *)listing->name, form, file, err);
    }
    free(block);
    free(rank);
    return error;
}

static void print_srun(const struct selection *selection,
                       const struct select_query *query,
                       const struct select_listing *listing,
                       FILE *file)
{
    fprintf(file, "--nodes=%" PRIu32 " ", listing->n);
    if (!query->only_nodes)
        fprintf(file,
                "--ntasks=%" PRIu64 " --ntasks-per-node=%" PRIu32
                " --distribution=block ",
                (uint64_t)listing->n * selection->nper, selection->nper);
    fprintf(file, "--nodelist=%s\n", listing->nodelist);
}

int select_print(const struct selection *selection,
                 enum select_output output,
                 size_t choice,
                 const struct select_query *query,
                 const struct routers *routers,
                 FILE *file,
                 struct mapcore_error *err)
{
    bool as_they_were = query->keeps_order;
    struct select_listing listing;
    int error;

    if (output == SELECT_REPORT || output == SELECT_JSON)
        return print_all(selection, output, query, routers, as_they_were, file,
                         err);
    error = make_listing(&listing, selection, &selection->choice[choice],
                         as_they_were, routers, err);
    if (error < 0)
        return error;
    if (select_output_has_ranks(output))
        error = print_ranks(selection, form_of(output), &listing, routers, file,
                            err);
    else if (output == SELECT_SRUN)
        print_srun(selection, query, &listing, file);
    else if (output == SELECT_NODELIST)
        fprintf(file, "%s\n", listing.nodelist);
    else
        for (uint32_t i = 0; i < listing.n; i++)
            fprintf(file, "%s\n", listing.name[i]);
    clear_listing(&listing);
    return error;
}
