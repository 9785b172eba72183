/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* summary_print.c - what steps come to, a row a program or a user */
#include "config.h"

#include "tools/history/summary.h"

#include "tools/table/table.h"
#include "tools/table/told.h"

#include <math.h>

static bool is_by_user(const void *arg)
{
    return ((const struct summary *)arg)->by_user;
}

static bool is_by_program(const void *arg)
{
    return !is_by_user(arg);
}

/* Where there are enough pairs for one. */
static void get_bound(struct table_value *out, const struct table_place *place)
{
    const double bound = *(const double *)place->member;

    if (isfinite(bound))
        table_set_number(out, bound);
}

#define MEMBER(member) TABLE_MEMBER(struct summary_row, member)
static const struct table_column columns[] = {
    {"program", .shown = is_by_program, MEMBER(name)},
    {"user", .shown = is_by_user, MEMBER(name)},
    {"users", MEMBER(users)},
    {"steps", MEMBER(steps)},
    {"node_hours", MEMBER(node_hours)},
    {"placed_node_hours", MEMBER(placed_hours)},
    {"outcomes.placed", MEMBER(count[SUMMARY_PLACED])},
    {"outcomes.kept", MEMBER(count[SUMMARY_KEPT])},
    {"outcomes.nothing", MEMBER(count[SUMMARY_NOTHING])},
    {"outcomes.control", MEMBER(count[SUMMARY_CONTROL])},
    {"outcomes.recorded", MEMBER(count[SUMMARY_RECORDED])},
    {"outcomes.left", MEMBER(count[SUMMARY_LEFT])},
    {"outcomes.failed", MEMBER(count[SUMMARY_FAILED])},
    {"mpi_share", MEMBER(mpi_share)},
    {"links_per_byte_before", MEMBER(links_before)},
    {"links_per_byte_after", MEMBER(links_after)},
    {"pairs", MEMBER(npairs)},
    {"gain", MEMBER(gain)},
    {"gain_low", .get = get_bound, MEMBER(low)},
    {"gain_high", .get = get_bound, MEMBER(high)},
    {"record_first", MEMBER(is_next)},
    {0},
};

int summary_print(const struct summary *summary,
                  enum table_form form,
                  bool is_prometheus,
                  struct mapcore_error *err)
{
    const struct table table = {.columns = columns,
                                .rows = summary->row,
                                .size = sizeof(*summary->row),
                                .n = summary->n,
                                .arg = summary};
    struct told_answer told;

    if (form == TABLE_AS_CSV)
        return table_write(&table, form, NULL, err);
    if (!told_begin_view(&told, stdout,
                         form == TABLE_AS_JSON ? NULL
                         : is_prometheus       ? "prometheus"
                                               : "summary",
                         summary->by_user ? "user" : "program", err))
        return MAPCORE_ENOMEM;
    json_writer_start_lines(&told.writer, told.memory);
    for (size_t i = 0; i < summary->n; i++) {
        json_begin_object(&told.writer, NULL);
        table_put_row(&told.writer, &table, i);
        json_end_object(&told.writer);
        json_end_line(&told.writer);
    }
    return told_end(&told, 0, err);
}
