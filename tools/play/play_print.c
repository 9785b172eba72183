/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play_print.c - what was played, as a table and as JSON */
#include "config.h"

#include "tools/play/played.h"

#include "base/printable.h"
#include "tools/common/csv.h"
#include "json/json.h"

#include <inttypes.h>

enum { PORT_NAME = 600 /* two host names of 255 bytes */ };

static const struct mapcore_play *play_of(const struct played *p,
                                          size_t mapping,
                                          size_t type)
{
    return &p->play[mapping * p->types.n + type];
}

double played_seconds(const struct played *p, size_t mapping, size_t i)
{
    return graphs_type_seconds(&p->types, i, play_of(p, mapping, i)->time,
                               play_of(p, 0, i)->time);
}

double played_bound(const struct played *p, size_t mapping, size_t i)
{
    return graphs_type_seconds(&p->types, i, play_of(p, mapping, i)->bound,
                               play_of(p, 0, i)->time);
}

static double gain(const struct played *p, size_t mapping)
{
    return p->seconds[0] > 0 ? 1 - p->seconds[mapping] / p->seconds[0] : 0;
}

static void name_port(char name[PORT_NAME],
                      const struct played *p,
                      const struct mapcore_play *play)
{
    mapcore_port_name(p->inputs->alloc, play->port, name, PORT_NAME);
    printable_clean(name);
}

static void print_mapping(const struct played *p, size_t m)
{
    char time[QUANTITY_TEXT], least[QUANTITY_TEXT];
    double bound = 0;

    tool_print(m > 0 ? "\n%s\n" : "%s\n", p->compared[m].name);
    for (size_t i = 0; i < p->types.n; i++) {
        const char *type = p->types.n > 1 ? p->types.type[i].name : "time";
        char name[PORT_NAME];

        bound += played_bound(p, m, i);
        name_port(name, p, play_of(p, m, i));
        quantity_put_time(time, played_seconds(p, m, i), p->unit);
        quantity_put_time(least, played_bound(p, m, i), p->unit);
        tool_print("  %-20s %12s  slowest port %s, %s\n", type, time, least,
                   name);
    }
    quantity_put_time(time, p->seconds[m], p->unit);
    quantity_put_time(least, bound, p->unit);
    if (p->types.n > 1)
        printf("  %-20s %12s  slowest ports %s\n", "time", time, least);
    if (m > 0)
        printf("  %-20s %+11.1f%%\n", "against block", 0.0 - 100 * gain(p, m));
}

/* Whether any message of a profile waits for another. */
static void print_order(const struct played *p)
{
    const char *separator = "messages in the order that was recorded: ";

    for (size_t i = 0; i < p->types.n; i++) {
        if (!p->types.type[i].order)
            continue;
        tool_print("%s%s in %u stage%s", separator, p->types.type[i].name,
                   play_of(p, 0, i)->stages,
                   play_of(p, 0, i)->stages == 1 ? "" : "s");
        separator = ", ";
    }
    if (p->is_ordered)
        printf("\n\n");
    else if (p->types.is_profile)
        printf("all messages of a type at once%s\n\n",
               p->is_asked ? ": their order is not recorded" : "");
}

void played_print(const struct played *p)
{
    print_order(p);
    for (size_t m = 0; m < p->n; m++)
        print_mapping(p, m);
    if (p->n == 1)
        return;
    tool_print("\nuse %s", p->compared[p->use].name);
    if (p->use > 0)
        printf(": %.1f%% of %s can be gained\n", 100 * gain(p, p->use),
               p->types.is_profile ? "the recorded time in these calls"
                                   : "the time");
    else
        printf(": none is better by 1%%\n");
}

void played_print_csv(const struct played *p)
{
    char name[PORT_NAME], time[QUANTITY_TEXT], bound_key[QUANTITY_TEXT];

    printf("mapping,type,%s,%s,busiest,flows,steps,stages\n",
           quantity_time_key(time, "time", p->unit),
           quantity_time_key(bound_key, "slowest_port", p->unit));
    for (size_t m = 0; m < p->n; m++) {
        double bound = 0;

        for (size_t i = 0; i < p->types.n; i++) {
            const struct mapcore_play *play = play_of(p, m, i);

            bound += played_bound(p, m, i);
            csv_put_name(p->compared[m].name);
            putchar(',');
            csv_put_name(p->types.type[i].name);
            csv_put_exact(true, played_seconds(p, m, i));
            csv_put_exact(true, played_bound(p, m, i));
            putchar(',');
            name_port(name, p, play);
            csv_put_name(name);
            printf(",%" PRIu64 ",%" PRIu64 ",%" PRIu32 "\n",
                   (uint64_t)play->flows, (uint64_t)play->steps, play->stages);
        }
        csv_put_name(p->compared[m].name);
        printf(",\"\"");
        csv_put_exact(true, p->seconds[m]);
        csv_put_exact(true, bound);
        printf(",,,,\n");
    }
}

static void put_type(struct json_writer *writer,
                     const struct played *p,
                     size_t m,
                     size_t i)
{
    const struct mapcore_play *play = play_of(p, m, i);
    char name[PORT_NAME];

    json_begin_object(writer, NULL);
    json_put_string(writer, "type", p->types.type[i].name);
    quantity_put_json(writer, "time", played_seconds(p, m, i), p->unit);
    quantity_put_json(writer, "slowest_port", played_bound(p, m, i), p->unit);
    name_port(name, p, play);
    json_put_string(writer, "busiest", name);
    json_put_double(writer, "played", play->time);
    json_put_u64(writer, "flows", play->flows);
    json_put_u64(writer, "steps", play->steps);
    json_put_u64(writer, "stages", play->stages);
    json_end_object(writer);
}

int played_print_json(const struct played *p, struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "routing", p->routing);
    json_put_string(&writer, "order", p->is_ordered ? "recorded" : "none");
    json_put_string(&writer, "time_unit", quantity_time_name(p->unit));
    json_put_string(&writer, "port_unit",
                    quantity_time_name(inputs_port_unit(p->inputs)));
    json_begin_array(&writer, "mappings");
    for (size_t m = 0; m < p->n; m++) {
        json_begin_object(&writer, NULL);
        json_put_string(&writer, "mapping", p->compared[m].name);
        quantity_put_json(&writer, "time", p->seconds[m], p->unit);
        json_put_double(&writer, "gain", gain(p, m));
        json_begin_array(&writer, "types");
        for (size_t i = 0; i < p->types.n; i++)
            put_type(&writer, p, m, i);
        json_end_array(&writer);
        json_end_object(&writer);
    }
    json_end_array(&writer);
    json_put_string(&writer, "use", p->compared[p->use].name);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}
