/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_plan.c - what a plan costs, and where it puts each task */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"

#include <math.h>
#include <stdlib.h>

void embed_digits(uint32_t *out, const struct embed_split *split, uint32_t k)
{
    for (uint32_t i = 0; i < split->ndigits; i++) {
        uint32_t radix = split->digit[i].radix;
        uint32_t digit = k % radix, sweep = k / radix;

        if (split->round)
            digit = (digit + radix - sweep % radix) % radix;
        else if (sweep % 2 == 1)
            digit = radix - 1 - digit;
        out[i] = digit;
        k = sweep;
    }
}

uint32_t embed_position(uint32_t digit, uint32_t below, uint32_t low)
{
    return digit * below + (digit % 2 == 1 ? below - 1 - low : low);
}

static double distance(const struct embed_machine *machine,
                       const struct embed_digit *digit,
                       uint32_t a,
                       uint32_t b)
{
    double sum = 0;

    if (a == b)
        return 0;
    if (digit->below == 1)
        return embed_distance(machine, digit->axis, a, b);
    for (uint32_t low = 0; low < digit->below; low++)
        sum += embed_distance(machine, digit->axis,
                              embed_position(a, digit->below, low),
                              embed_position(b, digit->below, low));
    return sum / digit->below;
}

double embed_split_cost(const struct embed_machine *machine,
                        const struct embed_traffic *traffic,
                        const struct embed_split *split)
{
    double cost = 0;

    for (size_t p = 0; p < traffic->n; p++) {
        const struct mapcore_edge *pair = &traffic->pair[p];
        uint32_t a[EMBED_DIGITS], b[EMBED_DIGITS];
        double hops = 0;

        embed_digits(a, split, pair->a);
        embed_digits(b, split, pair->b);
        for (uint32_t i = 0; i < split->ndigits; i++) {
            uint32_t axis = split->digit[i].axis;

            if (!machine->tree)
                hops += machine->weight[axis] *
                        distance(machine, &split->digit[i], a[i], b[i]);
            else if (a[i] != b[i])
                hops = fmax(hops, machine->far[axis]);
        }
        cost += hops * (double)pair->bytes;
    }
    return cost;
}

/* Whether a comes before b. */
static bool before(const struct embed_plans *plans,
                   const struct embed_plan *a,
                   const struct embed_plan *b)
{
    double a_keys[2] = {a->cost, a->time}, b_keys[2] = {b->cost, b->time};
    int first = plans->by_time;

    return a_keys[first] != b_keys[first] ? a_keys[first] < b_keys[first]
                                          : a_keys[!first] < b_keys[!first];
}

void embed_plans_add(struct embed_plans *plans, const struct embed_plan *plan)
{
    size_t i;

    if (plans->n == EMBED_PLANS &&
        !before(plans, plan, &plans->plan[plans->n - 1]))
        return;
    if (plans->n < EMBED_PLANS)
        plans->n++;
    for (i = plans->n - 1; i > 0 && before(plans, plan, &plans->plan[i - 1]);
         i--)
        plans->plan[i] = plans->plan[i - 1];
    plans->plan[i] = *plan;
}

/* Where a digit of a dimension is in the plan's stack on its axis. */
struct axis_digit {
    uint32_t dim, digit; /* of plan->split[dim].digit */
    uint32_t below;
};

/* The digits on an axis, lowest first. */
static uint32_t stack(struct axis_digit *out,
                      const struct embed_plan *plan,
                      uint32_t ndims,
                      uint32_t axis)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < ndims; i++)
        for (uint32_t d = 0; d < plan->split[i].ndigits; d++) {
            uint32_t below = plan->split[i].digit[d].below, k;

            if (plan->split[i].digit[d].axis != axis)
                continue;
            for (k = n; k > 0 && out[k - 1].below > below; k--)
                out[k] = out[k - 1];
            out[k] = (struct axis_digit){i, d, below};
            n++;
        }
    return n;
}

struct axis_stacks {
    uint32_t ndigits[EMBED_AXES];
    struct axis_digit digit[EMBED_AXES][MAPCORE_GRID_MAX_DIMS];
};

static uint32_t cell_of(const struct axis_stacks *stacks,
                        const struct embed_machine *machine,
                        const struct mapcore_grid *grid,
                        const struct embed_plan *plan,
                        uint32_t task)
{
    const uint32_t *x = &grid->coordinates[(size_t)task * grid->ndims];
    uint32_t digit[MAPCORE_GRID_MAX_DIMS][EMBED_DIGITS];
    uint32_t cell = 0, stride = 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        embed_digits(
            digit[i], &plan->split[i],
            (uint32_t)((uint64_t)x[i] * plan->split[i].m / grid->dims[i]));
    for (uint32_t axis = 0; axis < machine->naxes; axis++) {
        uint32_t at = 0;

        for (uint32_t k = 0; k < stacks->ndigits[axis]; k++) {
            const struct axis_digit *here = &stacks->digit[axis][k];
            uint32_t value = digit[here->dim][here->digit];

            at = machine->tree ? at + value * here->below
                               : embed_position(value, here->below, at);
        }
        cell += stride * at;
        stride *= machine->size[axis];
    }
    return cell;
}

int embed_lay(uint32_t *host,
              const struct embed_machine *machine,
              const struct mapcore_grid *grid,
              const struct embed_plan *plan,
              const struct mapcore_alloc *alloc,
              struct mapcore_error *err)
{
    struct axis_stacks stacks;
    uint32_t *at, *used;
    int error = MAPCORE_ENOMEM;

    for (uint32_t axis = 0; axis < machine->naxes; axis++)
        stacks.ndigits[axis] =
            stack(stacks.digit[axis], plan, grid->ndims, axis);
    at = array_copy(machine->first, machine->ncells, sizeof(*at), err);
    used = array_alloc(mapcore_alloc_nhosts(alloc), sizeof(*used), err);
    if (!at || !used)
        goto out;
    error = 0;
    for (uint32_t t = 0; t < grid->ntasks; t++) {
        uint32_t cell = cell_of(&stacks, machine, grid, plan, t), h;

        while (at[cell] < machine->first[cell + 1] &&
               used[machine->host[at[cell]]] ==
                   mapcore_alloc_slots(alloc, machine->host[at[cell]]))
            at[cell]++;
        if (at[cell] == machine->first[cell + 1]) {
            error = error_set(err, MAPCORE_ERANGE, "cell %u is full", cell);
            break;
        }
        h = machine->host[at[cell]];
        used[h]++;
        host[t] = h;
    }
out:
    free(at);
    free(used);
    return error;
}
