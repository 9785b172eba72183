/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_moves.c - all that a host holds goes to another one, by a search of its
 * own within a search */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/constrain/units.h"

/* Whether hosts are few enough to be exchanged in a moment. */
static bool can_move_hosts(const struct search *search)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(search->problem.alloc);

    return !search->is_part &&
           search->results.rule.choice == MAPCORE_CHOOSE_TIME && nhosts > 2 &&
           nhosts <= REFINEMENT_MOVED_HOSTS;
}

/* The same, where they hold most bytes: where links carry most of them, single
 * tasks find their way. */
static bool has_host_groups(const struct search *search, size_t from)
{
    return can_move_hosts(search) &&
           search->results.metrics[from].off_node_bytes <
               search->problem.graph->total / 2;
}

/* These units of work are a round or two of the units' phases; by types they
 * end when they have taken this share of the time. */
enum { MOVES_WORK = 40 };
static const double MOVES_SHARE = 0.3;

static bool moves_expired(void *arg)
{
    const struct search *search = arg;

    return map_deadline_passed(&search->problem.deadline) ||
           search_spent(search) > search->moves_end;
}

/* What a host holds goes to another one as a whole: exchanges of single tasks
 * do not come to that where tasks of a host send each other most, so that each
 * of them makes a slower link first. A search of units as by unit=node, from
 * these hosts, which are those of result `from` or what it is named after; one
 * that time has cut short does not count, so that the same work gives the same
 * mapping. */
static int move_from(struct search *search,
                     size_t from,
                     const uint32_t *where,
                     struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    struct results *results = &search->results;
    const double before = results->metrics[from].max_link_time;
    const bool by_types = last_choice_goes_by_types(search);
    const struct mapcore_search inner = {
        .work = by_types ? MOVES_WORK : 0,
        .workload = by_types ? search->workload : NULL,
        .choose = MAPCORE_CHOOSE_TIME,
        .seed = search->seed,
        .threads = search->options->threads,
        .expired = by_types ? moves_expired : search->options->expired,
        .expired_arg = by_types ? search : search->options->expired_arg,
        .baseline = where,
        .pin = problem->pin,
        .unit = MAPCORE_UNIT_HOST,
    };
    const struct units_request request = {
        problem->graph, problem->alloc, &inner, NULL, true, true};
    uint32_t *host;
    struct mapcore_result found = {0};
    bool is_cut;
    int error;

    search->moves_end = search_spent(search) + MOVES_SHARE;
    error = units_search(&found, &request, search->run, err);
    is_cut = found.interrupted && (!by_types || moves_expired(search));
    search->interrupted = search->interrupted || (is_cut && !by_types);
    if (error == 0 && !is_cut &&
        (by_types || found.metrics.max_link_time < before)) {
        host = array_copy(found.mapping->host, problem->graph->ntasks,
                          sizeof(*host), err);
        error = host ? refined_take(search, host,
                                    results->result[from].candidate, false, err)
                     : MAPCORE_ENOMEM;
    }
    mapcore_result_clear(&found);
    return error;
}

/* From the best, and from what the average has come to, which hosts hold what
 * belongs together. */
int host_moves_refine(struct search *search, struct mapcore_error *err)
{
    const size_t least = results_least_average(&search->results);
    const size_t best = search->results.best;
    int error = 0;

    if (least != best && has_host_groups(search, least))
        error =
            move_from(search, least, search->results.result[least].host, err);
    return error == 0 && has_host_groups(search, best)
               ? move_from(search, best, search->results.result[best].host, err)
               : error;
}

/* Slurm's own layout, hosts moved as a whole, is a start: what a program's
 * authors put side by side is often best left so, and refinement of single
 * tasks by hops does not come to where all hosts are well placed. */
int host_moves_start(struct search *search, struct mapcore_error *err)
{
    const struct results *results = &search->results;

    if (!can_move_hosts(search) || !last_choice_goes_by_types(search))
        return 0;
    for (size_t i = 0; i < results->n; i++)
        if (results->result[i].candidate == 0)
            return move_from(search, i, search->baseline, err);
    return 0;
}
