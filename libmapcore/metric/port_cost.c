/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* port_cost.c - figure 4 of Sweeney et al., the same whichever task is first */
#include "config.h"

#include "metric/ports.h"

#include "base/array.h"
#include "metric/port_elements.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* One direction of a port, in the paper's words. */
struct port_cost {
    double longest, bytes;        /* the largest task_cost, all task_bytes */
    double task_cost, task_bytes; /* of the task at hand */
};

struct costs {
    struct port_elements elements;
    struct port_cost *port; /* [2 * elements.n], out and in */
    double *passed;         /* [elements.n], bytes */
    uint32_t *used, nused;  /* ports of the task at hand */
};

/* p.bandwidth(msg.len); 0: no limit */
static double bandwidth(const struct mapcore_port_rates *port, uint64_t length)
{
    size_t i = 0;
    double share;

    if (port->n == 0)
        return port->most;
    while (i < port->n && port->length[i] < length)
        i++;
    if (i == 0 || i == port->n)
        return port->rate[i == 0 ? 0 : i - 1];
    share = (double)(length - port->length[i - 1]) /
            (double)(port->length[i] - port->length[i - 1]);
    return port->rate[i - 1] + share * (port->rate[i] - port->rate[i - 1]);
}

/* Of a message; no less than of a shorter one, whatever was measured. */
static double message_time(const struct mapcore_port_rates *port,
                           uint64_t length)
{
    double rate = bandwidth(port, length);
    double time = rate > 0 ? (double)length / rate : 0;

    for (size_t i = 0; i < port->n && port->length[i] < length; i++)
        time = fmax(time, (double)port->length[i] / port->rate[i]);
    return time;
}

static const struct mapcore_port_rates *rates_of(const struct costs *c,
                                                 uint32_t element,
                                                 bool is_in)
{
    const struct mapcore_port_type *type = c->elements.element[element].type;

    return is_in ? &type->in : &type->out;
}

static void cross(struct costs *c,
                  uint32_t element,
                  bool is_in,
                  const struct mapcore_messages *m)
{
    uint32_t number = 2 * element + is_in;
    struct port_cost *port = &c->port[number];
    double bytes = (double)m->length * (double)m->count;
    double time =
        (double)m->count * message_time(rates_of(c, element, is_in), m->length);

    if (time <= 0)
        return;
    if (port->task_bytes <= 0)
        c->used[c->nused++] = number;
    port->task_cost += time;
    /* The figure adds msg.len alone, however many there are. */
    port->task_bytes += bytes;
}

/* All ports on the path from src to dst, and the elements between. */
static void send(struct costs *c, const struct mapcore_messages *m)
{
    const struct port_element *element = c->elements.element;
    uint32_t a = m->from, b = m->to;
    double bytes = (double)m->length * (double)m->count;

    while (a != b) {
        bool climbs = element[a].level <= element[b].level;

        if (element[b].level <= element[a].level) {
            cross(c, b, true, m);
            c->passed[b] += bytes;
            b = element[b].parent;
        }
        if (climbs) {
            cross(c, a, false, m);
            c->passed[a] += bytes;
            a = element[a].parent;
        }
    }
    c->passed[a] += m->from != m->to ? bytes : 0;
}

/* The second loop of the figure, for the ports that the task has used. */
static void aggregate(struct costs *c)
{
    for (uint32_t i = 0; i < c->nused; i++) {
        struct port_cost *p = &c->port[c->used[i]];

        p->longest = fmax(p->longest, p->task_cost);
        p->bytes += p->task_bytes;
        p->task_cost = p->task_bytes = 0;
    }
    c->nused = 0;
}

/* Ports without a maximum carry nothing that costs (cross). */
static double cost_of(const struct costs *c, uint32_t element, bool is_in)
{
    const struct port_cost *p = &c->port[2 * element + is_in];
    double most = rates_of(c, element, is_in)->most;

    return most > 0 ? fmax(p->longest, p->bytes / most) : 0;
}

static void compare(struct mapcore_estimate *out,
                    const struct costs *c,
                    uint32_t element,
                    bool is_switch,
                    double time)
{
    if (time > out->time) {
        out->next_time = out->time;
        out->time = time;
        out->port = port_elements_port(&c->elements, element, is_switch);
    } else if (time > out->next_time)
        out->next_time = time;
}

/* C = MAX(p.cost), and the maximum of each element above tasks. */
static struct mapcore_estimate find_slowest(const struct costs *c)
{
    struct mapcore_estimate out = {0};

    for (uint32_t i = 0; i < c->elements.n; i++)
        compare(&out, c, i, false,
                fmax(cost_of(c, i, true), cost_of(c, i, false)));
    for (uint32_t i = c->elements.ntasks; i < c->elements.n; i++) {
        double most = c->elements.element[i].type->switch_most;

        if (most > 0)
            compare(&out, c, i, true, c->passed[i] / most);
    }
    return out;
}

static int check_messages(const struct mapcore_messages *messages,
                          size_t n,
                          uint32_t ntasks,
                          struct mapcore_error *err)
{
    for (size_t i = 0; i < n; i++)
        if (messages[i].from >= ntasks || messages[i].to >= ntasks ||
            (i > 0 && messages[i].from < messages[i - 1].from))
            return error_set(err, MAPCORE_EINVAL,
                             "messages from task %u to task %u of %u, behind "
                             "those of task %u",
                             messages[i].from, messages[i].to, ntasks,
                             i > 0 ? messages[i - 1].from : 0);
    return 0;
}

static int open_costs(struct costs *c,
                      const struct mapcore_mapping *mapping,
                      const struct mapcore_alloc *alloc,
                      const struct mapcore_ports *ports,
                      struct mapcore_error *err)
{
    int error = port_elements_make(&c->elements, mapping, alloc, ports, err);
    size_t n = c->elements.n;

    if (error < 0)
        return error;
    c->port = array_alloc(2 * n, sizeof(*c->port), err);
    c->used = array_alloc(2 * n, sizeof(*c->used), err);
    c->passed = array_alloc(n, sizeof(*c->passed), err);
    return c->port && c->used && c->passed ? 0 : MAPCORE_ENOMEM;
}

int mapcore_ports_estimate(struct mapcore_estimate *out,
                           const struct mapcore_messages *messages,
                           size_t n,
                           const struct mapcore_mapping *mapping,
                           const struct mapcore_alloc *alloc,
                           const struct mapcore_ports *ports,
                           struct mapcore_error *err)
{
    struct costs c = {.nused = 0};
    int error = check_messages(messages, n, mapping->ntasks, err);

    if (error == 0)
        error = open_costs(&c, mapping, alloc, ports, err);
    for (size_t i = 0; error == 0 && i < n; i++) {
        send(&c, &messages[i]);
        if (i + 1 == n || messages[i + 1].from != messages[i].from)
            aggregate(&c);
    }
    if (error == 0)
        *out = find_slowest(&c);
    port_elements_clear(&c.elements);
    free(c.port);
    free(c.used);
    free(c.passed);
    return error;
}
