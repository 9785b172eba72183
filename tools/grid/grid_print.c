/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_print.c - the orders of a grid's ranks side by side, for people and
 * programs */
#include "config.h"

#include "tools/grid/grid_print.h"

#include "tools/table/quantity.h"
#include "tools/table/told.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdio.h>

enum { BOX = 80 }; /* six numbers of ten digits */

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
static double fewer_off_node(const struct grid_advice *advice)
{
    uint64_t smp = advice->bytes - advice->order[GRID_SMP].on_node;
    uint64_t ours = advice->bytes - advice->order[advice->chosen].on_node;

    return smp > 0 ? 1 - (double)ours / (double)smp : 0;
}

static void print_difference(const struct grid_advice *advice,
                             const struct grid_subject *subject,
                             uint32_t ndims)
{
    double fewer = fewer_off_node(advice), mpi = -1;
    char box[BOX];

    if (advice->chosen == GRID_SMP) {
        puts("No block keeps more bytes on nodes than ranks in a row: leave "
             "the order as it is.");
        return;
    }
    printf("Blocks of %s: %.1f%% %s bytes between nodes than ranks in a row",
           box_text(box, advice->order[advice->chosen].block, ndims),
           100 * (fewer < 0 ? -fewer : fewer), fewer < 0 ? "more" : "fewer");
    if (subject->profile)
        mpi = profile_mpi_share(subject->profile);
    if (mpi >= 0 && fewer > 0)
        printf(";\nMPI takes %.1f%% of the time, so at most %.1f%% of it is to "
               "gain",
               100 * mpi, 100 * mpi * fewer);
    puts(".");
}

void grid_print_advice(const struct grid_advice *advice,
                       const struct grid_subject *subject,
                       const struct mapcore_blocks *layout,
                       uint32_t per)
{
    char box[BOX], bytes[QUANTITY_TEXT];

    tool_print("%s: %" PRIu32 " tasks, grid %s, %" PRIu32 " nodes of %" PRIu32
               "\n",
               subject->profile ? subject->profile->program : subject->words,
               advice->ntasks, box_text(box, layout->grid, layout->ndims),
               advice->nnodes, per);
    if (subject->explained >= 0)
        printf("the grid was found; it explains %.1f%% of the bytes\n",
               100 * subject->explained);
    printf("\n%-12s  %-14s  %8s  %12s\n", "ORDER", "BLOCK", "ON NODE",
           "BETWEEN");
    for (int o = 0; o < GRID_ORDERS; o++) {
        if (!advice->order[o].is_there)
            continue;
        quantity_bytes(bytes,
                       (double)(advice->bytes - advice->order[o].on_node));
        printf("%-12s  %-14s  %7.1f%%  %12s\n",
               grid_order_name((enum grid_rank_order)o),
               o < GRID_GIVEN
                   ? "-"
                   : box_text(box, advice->order[o].block, layout->ndims),
               100 * share_of(advice->order[o].on_node, advice->bytes), bytes);
    }
    putchar('\n');
    print_difference(advice, subject, layout->ndims);
}

static void put_advice(struct json_writer *writer,
                       const struct grid_advice *advice,
                       const struct grid_subject *subject,
                       uint32_t ndims)
{
    double mpi = subject->profile ? profile_mpi_share(subject->profile) : -1;

    if (subject->profile)
        json_put_string(writer, "program", subject->profile->program);
    if (subject->explained >= 0)
        json_put_double(writer, "explained_share", subject->explained);
    json_put_u64(writer, "bytes", advice->bytes);
    json_begin_array(writer, "orders");
    for (int o = 0; o < GRID_ORDERS; o++) {
        if (!advice->order[o].is_there)
            continue;
        json_begin_object(writer, NULL);
        json_put_string(writer, "order",
                        grid_order_name((enum grid_rank_order)o));
        if (o >= GRID_GIVEN)
            json_put_numbers(writer, "block", advice->order[o].block, ndims);
        json_put_u64(writer, "on_node_bytes", advice->order[o].on_node);
        json_put_double(writer, "on_node_share",
                        share_of(advice->order[o].on_node, advice->bytes));
        json_put_bool(writer, "is_chosen", o == (int)advice->chosen);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_string(writer, "chosen", grid_order_name(advice->chosen));
    json_put_double(writer, "fewer_off_node_share", fewer_off_node(advice));
    if (mpi >= 0)
        json_put_double(writer, "mpi_share", mpi);
}

int grid_print_json(const struct grid_answer *answer,
                    bool csv,
                    struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = answer->layout;
    struct told_answer told;
    struct json_writer *writer = told_begin(&told, stdout,
                                            !csv             ? NULL
                                            : answer->advice ? "orders"
                                                             : "ranks",
                                            err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_u64(writer, "ntasks", answer->ntasks);
    json_put_u64(writer, "tasks_per_node", answer->per);
    json_put_u64(writer, "nodes", (answer->ntasks - 1) / answer->per + 1);
    json_put_numbers(writer, "grid", layout->grid, layout->ndims);
    if (answer->advice)
        put_advice(writer, answer->advice, answer->subject, layout->ndims);
    else
        json_put_numbers(writer, "block", layout->block, layout->ndims);
    json_put_numbers(writer, "ranks", answer->rank, answer->ntasks);
    if (answer->output)
        json_put_string(writer, "output", answer->output);
    json_end_object(writer);
    return told_end(&told, 0, err);
}
