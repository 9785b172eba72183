/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_print.c - a selection as lists of nodes and orders of ranks */
#include "config.h"

#include "tools/grid/select_print.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/common/tool.h"
#include "tools/rank_order.h"
#include "tools/table/told.h"
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
    {"reservation", SELECT_RESERVATION, "for scontrol create reservation",
     false},
    {"json", SELECT_JSON, NULL, false},
    {"csv", SELECT_CSV, "a line a choice", false},
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
    uint32_t *place; /* [n], whose block each node has; behind those of the
                        choice nodes to spare */
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

/* The nodes of a choice, and in the second case those to spare; owned. */
static uint32_t *join_nodes(uint32_t *n,
                            const struct selection *selection,
                            const struct select_choice *choice,
                            bool with_spare,
                            struct mapcore_error *err)
{
    uint32_t nspare = with_spare ? choice->nspare : 0;
    uint32_t *node;

    *n = selection->nplaces + nspare;
    node = array_alloc(*n, sizeof(*node), err);
    if (!node)
        return NULL;
    memcpy(node, choice->node, selection->nplaces * sizeof(*node));
    if (nspare > 0)
        memcpy(node + selection->nplaces, choice->spare,
               nspare * sizeof(*node));
    return node;
}

static int make_listing(struct select_listing *out,
                        uint32_t n,
                        uint32_t *node,
                        const struct select_result *result,
                        struct mapcore_error *err)
{
    const struct routers *routers = result->routers;
    struct select_listing made = {.n = n};
    char **name = NULL;
    int error = routers_names(&name, routers, node, made.n, err);

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
    if (result->query->keeps_order || !mapcore_topo_host_name(routers->topo, 0))
        qsort_r(made.place, made.n, sizeof(*made.place), compare_nodes, node);
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

static int list_choice(struct select_listing *out,
                       const struct select_result *result,
                       const struct select_choice *choice,
                       bool with_spare,
                       struct mapcore_error *err)
{
    uint32_t n;
    uint32_t *node = join_nodes(&n, result->selection, choice, with_spare, err);
    int error = node ? make_listing(out, n, node, result, err) : MAPCORE_ENOMEM;

    free(node);
    return error;
}

/* The nodes to spare in Slurm's form, owned; NULL: there are none. */
static int list_spare(char **out,
                      const struct select_result *result,
                      const struct select_choice *choice,
                      struct mapcore_error *err)
{
    struct select_listing listing;
    int error;

    *out = NULL;
    if (choice->nspare == 0)
        return 0;
    error = make_listing(&listing, choice->nspare, choice->spare, result, err);
    if (error < 0)
        return error;
    *out = listing.nodelist;
    listing.nodelist = NULL;
    clear_listing(&listing);
    return 0;
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

static void report_head(const struct select_result *result)
{
    const struct selection *selection = result->selection;
    const struct select_query *query = result->query;
    const struct routers *routers = result->routers;
    FILE *file = result->file;

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
    rank_order_print_box(file, query->layout.grid, query->layout.ndims);
    fprintf(file, ": %" PRIu64 " tasks, %" PRIu32 " nodes with ",
            (uint64_t)selection->nplaces * selection->nper, selection->nplaces);
    rank_order_print_box(file, selection->layout.block, query->layout.ndims);
    fprintf(file, " each\n");
}

static void report_choice(const struct select_result *result,
                          size_t c,
                          const char *nodelist,
                          const char *spare)
{
    const struct select_choice *choice = &result->selection->choice[c];
    const struct select_query *query = result->query;
    FILE *file = result->file;
    char axes[MAPCORE_BLOCKS_DIMS + 1];

    name_axes(axes, choice, &query->layout);
    fprintf(file, "# choice %zu: ", c + 1);
    if (choice->curve) {
        fprintf(file, "all nodes in order, curve %s", choice->curve);
    } else {
        rank_order_print_box(file, choice->size, 3);
        fprintf(file,
                " routers from (%" PRIu32 ",%" PRIu32 ",%" PRIu32
                "), skipped %" PRIu32 " rows and %" PRIu32 " planes",
                choice->start[0], choice->start[1], choice->start[2],
                choice->skipped_rows, choice->skipped_planes);
    }
    if (!query->only_nodes)
        fprintf(file, ", axes %s", axes);
    if (query->layout.tiled)
        fprintf(file, ", tiles %" PRIu32 "x%" PRIu32 "%s", choice->tiles[0],
                choice->tiles[1], choice->staggers ? " staggered" : "");
    fprintf(file, "\n# choice %zu: longest path %" PRIu32 ", mean path %.4g",
            c + 1, choice->longest, choice->mean);
    if (!query->only_nodes)
        fprintf(file, ", slowest link %.4g, hops per byte %.4g",
                choice->slowest, choice->hops_per_byte);
    if (spare)
        fprintf(file, "\n# choice %zu: to spare %s", c + 1, spare);
    fprintf(file, "\n%s\n", nodelist);
}

static void json_choice(struct json_writer *writer,
                        const struct select_choice *choice,
                        const struct select_query *query,
                        const char *nodelist,
                        const char *spare)
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
    if (query->layout.tiled) {
        json_put_numbers(writer, "tiles", choice->tiles, 2);
        json_put_bool(writer, "staggered", choice->staggers);
    }
    json_put_u64(writer, "longest_path", choice->longest);
    json_put_double(writer, "mean_path", choice->mean);
    json_put_string(writer, "nodelist", nodelist);
    if (spare)
        json_put_string(writer, "spare", spare);
    json_end_object(writer);
}

static void json_head(struct json_writer *writer,
                      const struct select_result *result)
{
    const struct selection *selection = result->selection;
    const struct select_query *query = result->query;
    const struct routers *routers = result->routers;

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
static int print_all(const struct select_result *result,
                     enum select_output output,
                     struct mapcore_error *err)
{
    const struct selection *selection = result->selection;
    bool json = output != SELECT_REPORT;
    struct json_writer *writer;
    struct told_answer told;
    int error = 0;

    writer = told_begin(&told, result->file,
                        output == SELECT_CSV ? "choices" : NULL, err);
    if (!writer)
        return MAPCORE_ENOMEM;
    if (json) {
        json_begin_object(writer, NULL);
        json_head(writer, result);
        json_begin_array(writer, "choices");
    } else {
        report_head(result);
    }
    for (size_t c = 0; error == 0 && c < selection->n; c++) {
        const struct select_choice *choice = &selection->choice[c];
        struct select_listing listing;
        char *spare = NULL;

        error = list_choice(&listing, result, choice, false, err);
        if (error < 0)
            break;
        error = list_spare(&spare, result, choice, err);
        if (error == 0 && json)
            json_choice(writer, choice, result->query, listing.nodelist, spare);
        else if (error == 0)
            report_choice(result, c, listing.nodelist, spare);
        free(spare);
        clear_listing(&listing);
    }
    if (!json)
        return error;
    json_end_array(writer);
    json_end_object(writer);
    return told_end(&told, error, err);
}

static int print_ranks(const struct select_result *result,
                       enum mapcore_mapping_form form,
                       const struct select_listing *listing,
                       struct mapcore_error *err)
{
    const struct selection *selection = result->selection;
    size_t per = selection->nper, n = (size_t)listing->n * per;
    uint32_t *block = array_alloc(n, sizeof(*block), err);
    uint32_t *rank = array_alloc(n, sizeof(*rank), err);
    bool named = mapcore_topo_host_name(result->routers->topo, 0) != NULL;
    int error = MAPCORE_ENOMEM;

    if (block && rank) {
        mapcore_blocks_order(block, &selection->layout);
        for (uint32_t i = 0; i < listing->n; i++)
            memcpy(rank + i * per, block + listing->place[i] * per,
                   per * sizeof(*rank));
        error =
            !named && (form == MAPCORE_MAPPING_HOSTFILE ||
                       form == MAPCORE_MAPPING_RANKFILE)
                ? error_set(err, MAPCORE_EINVAL,
                            "a %s names nodes, and those of the topology "
                            "have no names",
                            mapcore_mapping_form_name(form))
                : rank_order_write(
                      &(struct rank_order){rank, listing->n * selection->nper,
                                           selection->nper,
                                           (const char *const *)listing->name},
                      form, result->file, err);
    }
    free(block);
    free(rank);
    return error;
}

static void print_srun(const struct select_result *result,
                       const struct select_listing *listing)
{
    const struct selection *selection = result->selection;
    const struct select_query *query = result->query;
    FILE *file = result->file;

    fprintf(file, "--nodes=%" PRIu32 " ", listing->n);
    /* With nodes to spare the step's layout comes from a hostfile. */
    if (!query->only_nodes)
        fprintf(file, "--ntasks=%" PRIu64 " --ntasks-per-node=%" PRIu32 " %s",
                (uint64_t)selection->nplaces * selection->nper, selection->nper,
                query->spare > 0 ? "" : "--distribution=block ");
    fprintf(file, "--nodelist=%s\n", listing->nodelist);
}

int select_print(const struct select_result *result,
                 enum select_output output,
                 size_t choice,
                 struct mapcore_error *err)
{
    FILE *file = result->file;
    struct select_listing listing;
    int error;

    if (output == SELECT_REPORT || output == SELECT_JSON ||
        output == SELECT_CSV)
        return print_all(result, output, err);
    error = list_choice(&listing, result, &result->selection->choice[choice],
                        !select_output_has_ranks(output), err);
    if (error < 0)
        return error;
    if (select_output_has_ranks(output))
        error = print_ranks(result, form_of(output), &listing, err);
    else if (output == SELECT_SRUN)
        print_srun(result, &listing);
    else if (output == SELECT_RESERVATION)
        fprintf(file, "NodeCnt=%" PRIu32 " Nodes=%s\n", listing.n,
                listing.nodelist);
    else if (output == SELECT_NODELIST)
        fprintf(file, "%s\n", listing.nodelist);
    else
        for (uint32_t i = 0; i < listing.n; i++)
            fprintf(file, "%s\n", listing.name[i]);
    clear_listing(&listing);
    return error;
}
