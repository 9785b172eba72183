/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message_use.c - the loads of network interfaces and tasks by messages, and
 * what they make of the time of a phase */
#include "config.h"

#include "metric/message_use.h"

#include "base/array.h"
#include "base/error_set.h"

#include <math.h>
#include <stdlib.h>

/* Ports are numbered: the directions of network interfaces, then tasks. */
struct message_use {
    const struct mapcore_alloc *alloc;
    const uint32_t *host;
    const struct mapcore_host_rates *rates;
    size_t task; /* number of the first */
    struct port_count {
        double bytes, messages;
        bool is_used;
    } * port;            /* [task + ntasks] */
    size_t *used, nused; /* [task + ntasks] those of this phase */
    double latency;
};

static int check(const struct mapcore_message_costs *costs,
                 struct mapcore_error *err)
{
    const double all[] = {costs->nic, costs->task, costs->memory_latency,
                          costs->nic_latency, costs->hop_latency};

    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (!(all[i] >= 0 && isfinite(all[i])))
            return error_set(err, MAPCORE_EINVAL,
                             "what a message takes is %g, but must be a number "
                             "from 0 on",
                             all[i]);
    return 0;
}

int message_use_open(struct message_use **out,
                     const struct mapcore_alloc *alloc,
                     uint32_t ntasks,
                     const uint32_t *host,
                     const struct mapcore_host_rates *rates,
                     struct mapcore_error *err)
{
    const size_t task = 2 * (size_t)mapcore_alloc_nhosts(alloc);
    struct message_use *use;
    int error = check(&rates->message, err);

    *out = NULL;
    if (error < 0 || !mapcore_message_costs_known(&rates->message))
        return error;
    use = array_alloc(1, sizeof(*use), err);
    if (!use)
        return MAPCORE_ENOMEM;
    *use = (struct message_use){
        .alloc = alloc, .host = host, .rates = rates, .task = task};
    use->port = array_alloc(task + ntasks, sizeof(*use->port), err);
    use->used = array_alloc(task + ntasks, sizeof(*use->used), err);
    if (!use->port || !use->used) {
        message_use_close(use);
        return MAPCORE_ENOMEM;
    }
    *out = use;
    return 0;
}

void message_use_close(struct message_use *use)
{
    if (!use)
        return;
    free(use->port);
    free(use->used);
    free(use);
}

static void carry(struct message_use *use,
                  size_t number,
                  double bytes,
                  double messages)
{
    struct port_count *port = &use->port[number];

    if (!port->is_used)
        use->used[use->nused++] = number;
    port->is_used = true;
    port->bytes += bytes;
    port->messages += messages;
}

static double latency(const struct message_use *use, uint32_t a, uint32_t b)
{
    const struct mapcore_message_costs *costs = &use->rates->message;

    if (a == b)
        return costs->memory_latency;
    return costs->nic_latency +
           costs->hop_latency * mapcore_alloc_distance(use->alloc, a, b);
}

void message_use_add(struct message_use *use,
                     uint32_t from,
                     uint32_t to,
                     double bytes,
                     uint64_t messages)
{
    const struct mapcore_message_costs *costs = &use->rates->message;
    const uint32_t a = use->host[from], b = use->host[to];
    const double n = (double)messages;

    if (costs->nic > 0 && a != b) {
        carry(use, 2 * (size_t)a, bytes, n);
        carry(use, 2 * (size_t)b + 1, bytes, n);
    }
    if (costs->task > 0 && n > 0) {
        carry(use, use->task + from, 0, n);
        carry(use, use->task + to, 0, n);
    }
    if (n > 0)
        use->latency = fmax(use->latency, n * latency(use, a, b));
}

static struct mapcore_port name(const struct message_use *use, size_t number)
{
    return number < use->task
               ? (struct mapcore_port){.kind = MAPCORE_PORT_NIC,
                                       .number = (uint32_t)(number / 2)}
               : (struct mapcore_port){.kind = MAPCORE_PORT_TASK,
                                       .number =
                                           (uint32_t)(number - use->task)};
}

struct mapcore_message_time message_use_end(struct message_use *use)
{
    const struct mapcore_host_rates *rates = use->rates;
    struct mapcore_message_time out = {.latency = use->latency};
    struct mapcore_estimate *slowest = &out.slowest;
    size_t at = SIZE_MAX;

    for (size_t i = 0; i < use->nused; i++) {
        const size_t number = use->used[i];
        const struct port_count port = use->port[number];
        const bool is_nic = number < use->task;
        const double messages =
            port.messages * (is_nic ? rates->message.nic : rates->message.task);
        const double time =
            messages + (is_nic && rates->nic > 0 ? port.bytes / rates->nic : 0);

        use->port[number] = (struct port_count){0};
        out.messages = fmax(out.messages, messages);
        if (time > slowest->time || (time == slowest->time && number < at)) {
            slowest->next_time = slowest->time;
            slowest->time = time;
            slowest->messages = messages;
            at = number;
        } else if (time > slowest->next_time)
            slowest->next_time = time;
    }
    use->nused = 0;
    use->latency = 0;
    if (at != SIZE_MAX)
        slowest->port = name(use, at);
    return out;
}

/* A network interface with its messages stands for itself without them. */
void message_time_join(struct mapcore_estimate *phase,
                       const struct mapcore_message_time *time)
{
    const struct mapcore_estimate *other = &time->slowest;
    const bool is_same = phase->port.kind == other->port.kind &&
                         phase->port.number == other->port.number;

    if (other->time > phase->time || (is_same && other->time > 0)) {
        phase->next_time =
            fmax(is_same ? phase->next_time : phase->time, other->next_time);
        phase->time = other->time;
        phase->port = other->port;
        phase->messages = other->messages;
    } else
        phase->next_time = fmax(phase->next_time, other->time);
    phase->time += time->latency;
    phase->next_time += time->latency;
    phase->latency = time->latency;
}
