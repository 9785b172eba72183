/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timeline.c - an object a line: first the steps of a type, then its ports */
#include "config.h"

#include "tools/play/timeline.h"

enum { PORT_NAME = 600 /* two host names of 255 bytes */ };

static void put_port(struct timeline *t, const struct mapcore_play_port *port)
{
    bool is_nic = port->port.kind == MAPCORE_PORT_NIC;
    char name[PORT_NAME];

    mapcore_port_name(t->alloc, port->port, name, sizeof(name));
    json_put_string(&t->writer, "port", name);
    if (is_nic)
        json_put_string(&t->writer, "direction", port->back ? "in" : "out");
    else if (port->port.kind == MAPCORE_PORT_LINK &&
             mapcore_topo_link_directions(mapcore_alloc_topo(t->alloc)) == 2)
        json_put_string(&t->writer, "direction", port->back ? "down" : "up");
}

static void begin(struct timeline *t, const char *kind)
{
    json_begin_object(&t->writer, NULL);
    json_put_string(&t->writer, "row", kind);
    json_put_string(&t->writer, "mapping", t->mapping);
    json_put_string(&t->writer, "type", t->type);
    if (t->nphases > 1)
        json_put_u64(&t->writer, "phase", t->phase);
}

static int put_step(void *arg, const struct mapcore_play_step *step)
{
    struct timeline *t = arg;

    begin(t, "step");
    quantity_put_json(&t->writer, "begin", t->began + step->begin, t->unit);
    quantity_put_json(&t->writer, "end", t->began + step->end, t->unit);
    if (t->has_stages) {
        json_put_u64(&t->writer, "first_stage", step->first_stage);
        json_put_u64(&t->writer, "last_stage", step->last_stage);
    }
    json_put_u64(&t->writer, "flows", step->flows);
    json_put_double(&t->writer,
                    t->unit == QUANTITY_SECONDS ? "bytes_per_s" : "rate",
                    step->rate);
    json_put_u64(&t->writer, "full_ports", step->full_ports);
    put_port(t, &step->slowest);
    json_put_double(&t->writer, "share", step->share);
    json_end_object(&t->writer);
    json_end_line(&t->writer);
    return 0;
}

static int put_total(void *arg, const struct mapcore_play_port *port)
{
    struct timeline *t = arg;

    begin(t, "port");
    put_port(t, port);
    json_put_double(&t->writer, "bytes", port->bytes);
    quantity_put_json(&t->writer, "full", port->full, t->unit);
    json_end_object(&t->writer);
    json_end_line(&t->writer);
    return 0;
}

struct mapcore_play_watch timeline_watch(struct timeline *timeline)
{
    return (struct mapcore_play_watch){put_step, put_total, timeline};
}
