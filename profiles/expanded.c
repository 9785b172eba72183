/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* expanded.c - who sends what to whom, and when, in the calls of a type */
#include "config.h"

#include "profiles/expanded.h"

#include "base/array.h"

#include <stdlib.h>

static int add_one_way(struct expanded *flows,
                       const uint32_t *members,
                       uint64_t from,
                       uint64_t to,
                       uint64_t bytes,
                       const struct algorithm_flow *flow,
                       struct mapcore_error *err)
{
    const size_t n = flows->nflows;

    if (array_reserve(&flows->flow, &flows->flows_capacity, n + 1,
                      sizeof(*flows->flow), err) < 0 ||
        array_reserve(&flows->stage, &flows->stages_capacity, n + 1,
                      sizeof(*flows->stage), err) < 0)
        return MAPCORE_ENOMEM;
    flows->flow[n] =
        (struct mapcore_flow){.from = members ? members[from] : (uint32_t)from,
                              .to = members ? members[to] : (uint32_t)to,
                              .bytes = bytes,
                              .messages = flow->messages};
    flows->stage[n] = flow->stage;
    flows->nflows++;
    return 0;
}

int expanded_add_flow(struct expanded *flows,
                      const uint32_t *members,
                      const struct algorithm_flow *flow,
                      struct mapcore_error *err)
{
    const uint64_t back = flow->way == ALGORITHM_BOTH   ? flow->bytes / 2
                          : flow->way == ALGORITHM_BACK ? flow->bytes
                                                        : 0;
    int error = 0;

    if (flow->bytes > back)
        error = add_one_way(flows, members, flow->a, flow->b,
                            flow->bytes - back, flow, err);
    return error == 0 && back > 0
               ? add_one_way(flows, members, flow->b, flow->a, back, flow, err)
               : error;
}

int expanded_add_call(struct expanded *flows,
                      const struct expanded_call *call,
                      struct mapcore_error *err)
{
    if (array_reserve(&flows->call, &flows->calls_capacity, flows->ncalls + 1,
                      sizeof(*flows->call), err) < 0)
        return MAPCORE_ENOMEM;
    flows->call[flows->ncalls++] = *call;
    return 0;
}

void expanded_clear_flows(struct expanded *expanded)
{
    free(expanded->flow);
    free(expanded->stage);
    expanded->flow = NULL;
    expanded->stage = NULL;
    expanded->nflows = 0;
    expanded->flows_capacity = 0;
    expanded->stages_capacity = 0;
}

void expanded_clear(struct expanded *expanded)
{
    expanded_clear_flows(expanded);
    for (size_t i = 0; i < expanded->ncommunicators; i++)
        free(expanded->members[i]);
    free(expanded->members);
    free(expanded->call);
    *expanded = (struct expanded){0};
}
