/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_print.c - the orders of a grid's ranks side by side, for people and
 * programs */
#include "config.h"

#include "tools/grid/grid_order.h"
#include "tools/table/answer.h"
#include "tools/table/quantity.h"

#include <inttypes.h>
#include <math.h>

enum { BOX = 80 }; /* six numbers of ten digits */

static const char *const names[GRID_ORDERS] = {"smp", "round-robin", "folded",
                                               "block", "best-block"};

static double share_of(uint64_t part, uint64_t whole)
{
    return whole > 0 ? (double)part / (double)whole : 0;
}

static const char *box_text(char text[BOX], const uint32_t *box, uint32_t ndims)
{
    int n = 0;

    for (uint32_t i = 0; i < ndims; i++)
        n += snprintf(text + n, (size_t)(BOX - n), "%s%" PRIu32,
                      i > 0 ? "x" : "", box[i]);
    return text;
}

/* How many fewer bytes leave nodes than with ranks in a row, 0 .. 1; negative
 * when there are more. */
static double fewer_off_node(const struct grid_order *order)
{
    uint64_t bytes = mapcore_graph_bytes(order->graph);
    uint64_t smp = bytes - order->order[GRID_SMP].on_node;
    uint64_t ours = bytes - order->order[order->chosen].on_node;

    return smp > 0 ? 1 - (double)ours / (double)smp : 0;
}

/* Negative where it is not known. */
static double mpi_share(const struct grid_order *order)
{
    return order->profile ? profile_mpi_share(order->profile) : -1;
}

static void print_difference(const struct grid_order *order)
{
    double fewer = fewer_off_node(order), mpi = mpi_share(order);
    char box[BOX];

    if (order->chosen == GRID_SMP) {
        puts("No block keeps more bytes on nodes than ranks in a row: leave "
             "the order as it is.");
        return;
    }
    printf(
        "Blocks of %s: %.1f%% %s bytes between nodes than ranks in a row",
        box_text(box, order->order[order->chosen].block, order->layout.ndims),
        100 * fabs(fewer), fewer < 0 ? "more" : "fewer");
    if (mpi >= 0 && fewer > 0)
        printf(";\nMPI takes %.1f%% of the time, so at most %.1f%% of it is to "
               "gain",
               100 * mpi, 100 * mpi * fewer);
    puts(".");
}

void grid_print_advice(const struct grid_order *order)
{
    uint64_t all = mapcore_graph_bytes(order->graph);
    uint32_t ndims = order->layout.ndims;
    char box[BOX], bytes[QUANTITY_TEXT];

    tool_print("%s: %" PRIu32 " tasks, grid %s, %" PRIu32 " nodes of %" PRIu32
               "\n",
               order->profile ? order->profile->program : order->words,
               order->ntasks, box_text(box, order->layout.grid, ndims),
               (order->ntasks - 1) / order->per + 1, order->per);
    if (order->explained >= 0)
        printf("the grid was found; it explains %.1f%% of the bytes\n",
               100 * order->explained);
    printf("\n%-12s  %-14s  %8s  %12s\n", "ORDER", "BLOCK", "ON NODE",
           "BETWEEN");
    for (int o = 0; o < GRID_ORDERS; o++) {
        uint64_t on_node = order->order[o].on_node;

        if (!order->order[o].is_there)
            continue;
        quantity_bytes(bytes, (double)(all - on_node));
        printf("%-12s  %-14s  %7.1f%%  %12s\n", names[o],
               o < GRID_GIVEN ? "-"
                              : box_text(box, order->order[o].block, ndims),
               100 * share_of(on_node, all), bytes);
    }
    putchar('\n');
    print_difference(order);
}

static void put_advice(struct json_writer *writer,
                       const struct grid_order *order)
{
    uint64_t bytes = mapcore_graph_bytes(order->graph);

    if (order->profile)
        json_put_string(writer, "program", order->profile->program);
    if (order->explained >= 0)
        json_put_double(writer, "explained_share", order->explained);
    json_put_u64(writer, "bytes", bytes);
    json_begin_array(writer, "orders");
    for (int o = 0; o < GRID_ORDERS; o++) {
        if (!order->order[o].is_there)
            continue;
        json_begin_object(writer, NULL);
        json_put_string(writer, "order", names[o]);
        if (o >= GRID_GIVEN)
            json_put_numbers(writer, "block", order->order[o].block,
                             order->layout.ndims);
        json_put_u64(writer, "on_node_bytes", order->order[o].on_node);
        json_put_double(writer, "on_node_share",
                        share_of(order->order[o].on_node, bytes));
        json_put_bool(writer, "is_chosen", o == (int)order->chosen);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_string(writer, "chosen", names[order->chosen]);
    json_put_double(writer, "fewer_off_node_share", fewer_off_node(order));
    if (mpi_share(order) >= 0)
        json_put_double(writer, "mpi_share", mpi_share(order));
}

int grid_print_json(const struct grid_order *order,
                    bool csv,
                    const char *output,
                    struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &order->layout;
    struct answer answer;
    struct json_writer *writer = answer_begin(&answer, stdout,
                                              !csv           ? NULL
                                              : order->graph ? "orders"
                                                             : "ranks",
                                              err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_u64(writer, "ntasks", order->ntasks);
    json_put_u64(writer, "tasks_per_node", order->per);
    json_put_u64(writer, "nodes", (order->ntasks - 1) / order->per + 1);
    json_put_numbers(writer, "grid", layout->grid, layout->ndims);
    if (order->graph)
        put_advice(writer, order);
    else
        json_put_numbers(writer, "block", layout->block, layout->ndims);
    json_put_numbers(writer, "ranks", order->rank, order->ntasks);
    if (output)
        json_put_string(writer, "output", output);
    json_end_object(writer);
    return answer_end(&answer, 0, err);
}
