/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_print.c - a selection as lists of nodes and orders of ranks */
#include "config.h"

#include "tools/grid/select_print.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/rank_order.h"
#include "tools/table/answer.h"

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

/* A node as it is listed. */
struct listed_node {
    const char *name;     /* NULL: it has a number */
    uint32_t node, place; /* which of the list it was */
    char number[12];
};

struct select_listing {
    uint32_t n;
    struct listed_node *item; /* [n] */
    const char **name;        /* [n] */
    char *nodelist;
};

static void clear_listing(struct select_listing *listing)
{
    free(listing->item);
    free(listing->name);
    free(listing->nodelist);
}

static int compare_names(const void *a, const void *b)
{
    const struct listed_node *x = a, *y = b;

    return strverscmp(x->name, y->name);
}

static int compare_nodes(const void *a, const void *b)
{
    const struct listed_node *x = a, *y = b;

    return (x->node > y->node) - (x->node < y->node);
}

/* The end of clear_listing is due also after a failure. */
static int list_nodes(struct select_listing *out,
                      const struct selection *selection,
                      const uint32_t *node,
                      uint32_t n)
{
    const struct routers *routers = selection->routers;
    bool named = mapcore_topo_host_name(routers->topo, 0) != NULL;

    *out = (struct select_listing){
        .n = n,
        .item = array_alloc(n, sizeof(*out->item), selection->err),
        .name = array_alloc(n, sizeof(*out->name), selection->err)};
    if (!out->item || !out->name)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t host = routers->host[node[i]];

        out->item[i].name = mapcore_topo_host_name(routers->topo, host);
        out->item[i].node = node[i];
        out->item[i].place = i;
        snprintf(out->item[i].number, sizeof(out->item[i].number), "%u", host);
    }
    qsort(out->item, n, sizeof(*out->item),
          named && !selection->keeps_order ? compare_names : compare_nodes);
    for (uint32_t i = 0; i < n; i++)
        out->name[i] =
            out->item[i].name ? out->item[i].name : out->item[i].number;
    return hosts_compress(&out->nodelist, n, out->name, selection->err);
}

/* "xyz-": the axis of each dimension. */
static void name_axes(char text[MAPCORE_BLOCKS_DIMS + 1],
                      const struct mapcore_blocks *layout)
{
    for (uint32_t i = 0; i < layout->ndims; i++) {
        bool inside = layout->grid[i] == layout->block[i];

        text[i] = layout->axis[i] > 2 || (inside && !layout->tiled)
                      ? '-'
                      : "xyz"[layout->axis[i]];
    }
    text[layout->ndims] = '\0';
}

static uint64_t count_tasks(const struct selection *selection)
{
    return (uint64_t)selection->nplaces * selection->nper;
}

static void json_choice(struct json_writer *writer,
                        const struct selection *selection,
                        size_t c,
                        const char *nodelist,
                        const char *spare)
{
    const struct select_choice *choice = &selection->choice[c];
    const struct mapcore_blocks *layout = &choice->layout;
    char axes[MAPCORE_BLOCKS_DIMS + 1];

    name_axes(axes, layout);
    json_begin_object(writer, NULL);
    if (choice->curve) {
        json_put_string(writer, "curve", choice->curve);
    } else {
        json_put_numbers(writer, "size", choice->prism.size, 3);
        json_put_numbers(writer, "start", choice->prism.start, 3);
        json_put_u64(writer, "skipped_rows", choice->prism.skipped_rows);
        json_put_u64(writer, "skipped_planes", choice->prism.skipped_planes);
    }
    if (!selection->only_nodes) {
        json_put_string(writer, "axes", axes);
        json_put_double(writer, "hops_per_byte", choice->hops_per_byte);
        json_put_double(writer, "slowest_link", choice->slowest);
    }
    if (layout->tiled) {
        json_put_numbers(writer, "tiles", layout->tiles, 2);
        json_put_bool(writer, "staggered", layout->staggers);
    }
    json_put_u64(writer, "longest_path", choice->longest);
    json_put_double(writer, "mean_path", choice->mean);
    json_put_string(writer, "nodelist", nodelist);
    if (spare)
        json_put_string(writer, "spare", spare);
    json_end_object(writer);
}

static void json_head(struct json_writer *writer,
                      const struct selection *selection)
{
    const struct mapcore_blocks *layout = &selection->layout;

    json_put_string(writer, "topology",
                    mapcore_topo_describe(selection->routers->topo));
    json_put_u64(writer, "usable_nodes", selection->routers->nnodes);
    json_put_u64(writer, "usable_routers", selection->nusable);
    json_put_u64(writer, "nodes_per_router", selection->per_router);
    json_put_u64(writer, "nodes", selection->nplaces);
    if (selection->only_nodes)
        return;
    json_put_u64(writer, "tasks", count_tasks(selection));
    json_put_u64(writer, "tasks_per_node", selection->nper);
    json_put_numbers(writer, "grid", layout->grid, layout->ndims);
    json_put_numbers(writer, "block", layout->block, layout->ndims);
    json_put_numbers(writer, "node_block", selection->node.block,
                     layout->ndims);
}

static int print_all(const struct selection *selection,
                     enum select_output output,
                     FILE *file)
{
    const struct answer_form form = {output == SELECT_JSON,
                                     output == SELECT_CSV};
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, file, &form, "select", "choices");
    int error = 0;

    json_head(writer, selection);
    json_begin_array(writer, "choices");
    for (size_t c = 0; error == 0 && c < selection->n; c++) {
        const struct select_choice *choice = &selection->choice[c];
        struct select_listing listing, spare = {.n = choice->nspare};

        error =
            list_nodes(&listing, selection, choice->node, selection->nplaces);
        if (error == 0 && spare.n > 0)
            error = list_nodes(&spare, selection,
                               choice->node + selection->nplaces, spare.n);
        if (error == 0)
            json_choice(writer, selection, c, listing.nodelist, spare.nodelist);
        clear_listing(&listing);
        clear_listing(&spare);
    }
    return answer_end(&answer, error, selection->err);
}

static int print_ranks(const struct selection *selection,
                       enum mapcore_plan_form form,
                       const struct select_listing *listing,
                       FILE *file)
{
    uint32_t per = selection->nper, n = listing->n * per;
    uint32_t *block = array_alloc(n, sizeof(*block), selection->err);
    uint32_t *rank = array_alloc(n, sizeof(*rank), selection->err);
    bool named = mapcore_topo_host_name(selection->routers->topo, 0) != NULL;
    int error = MAPCORE_ENOMEM;

    if (block && rank) {
        mapcore_blocks_order(block, &selection->node);
        for (uint32_t i = 0; i < n; i++)
            rank[i] = block[listing->item[i / per].place * per + i % per];
        error = !named && form <= MAPCORE_PLAN_RANKFILE
                    ? error_set(selection->err, MAPCORE_EINVAL,
                                "a %s names nodes, and those of the topology "
                                "have no names",
                                form == MAPCORE_PLAN_HOSTFILE ? "hostfile"
                                                              : "rankfile")
                    : rank_order_write(
                          &(struct rank_order){rank, n, per, listing->name},
                          form, file, selection->err);
    }
    free(block);
    free(rank);
    return error;
}

static void print_srun(const struct selection *selection,
                       const struct select_listing *listing,
                       FILE *file)
{
    fprintf(file, "--nodes=%u ", listing->n);
    /* With nodes to spare the step's layout comes from a hostfile. */
    if (!selection->only_nodes)
        fprintf(file, "--ntasks=%" PRIu64 " --ntasks-per-node=%u %s",
                count_tasks(selection), selection->nper,
                selection->spare > 0 ? "" : "--distribution=block ");
    fprintf(file, "--nodelist=%s\n", listing->nodelist);
}

int select_print(const struct selection *selection,
                 enum select_output output,
                 size_t c,
                 FILE *file)
{
    const struct select_choice *choice = &selection->choice[c];
    bool ranks = output >= SELECT_HOSTFILE;
    struct select_listing listing;
    int error;

    if (output == SELECT_REPORT || output == SELECT_JSON ||
        output == SELECT_CSV)
        return print_all(selection, output, file);
    error = list_nodes(&listing, selection, choice->node,
                       selection->nplaces + (ranks ? 0 : choice->nspare));
    if (error == 0 && ranks)
        error = print_ranks(selection,
                            (enum mapcore_plan_form)(output - SELECT_HOSTFILE),
                            &listing, file);
    else if (error == 0 && output == SELECT_SRUN)
        print_srun(selection, &listing, file);
    else if (error == 0 && output == SELECT_RESERVATION)
        fprintf(file, "NodeCnt=%u Nodes=%s\n", listing.n, listing.nodelist);
    else if (error == 0 && output == SELECT_NODELIST)
        fprintf(file, "%s\n", listing.nodelist);
    else
        for (uint32_t i = 0; error == 0 && i < listing.n; i++)
            fprintf(file, "%s\n", listing.name[i]);
    clear_listing(&listing);
    return error;
}
