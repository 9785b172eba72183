/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* divided.c - one search many times, with other seeds, by several processes */
#include "config.h"

#include "tools/mpi/divided.h"

#include "base/array.h"
#include "base/fnv.h"
#include "map/choose.h"

#include <stdlib.h>
#include <string.h>

/* Share of the time that is left for the peers, and at least so much. */
static const double EXCHANGE_SHARE = 0.02, EXCHANGE_S = 0.01;

/* What a process tells of each of its searches. */
struct told {
    uint64_t problem; /* digest; all processes should have the same */
    uint64_t number;  /* of the search + 1; 0: none */
    double link_time, average, most;
};

struct parts {
    struct divided *divided;
    uint32_t most;                 /* searches of a process */
    uint32_t n;                    /* made */
    struct mapcore_result *result; /* [most], [n] of them made */
    struct told *told;             /* [most] */
};

static uint32_t number_of(const struct divided *divided, uint32_t i)
{
    return (uint32_t)divided->peers->rank + i * (uint32_t)divided->peers->size;
}

static uint32_t most_of(const struct divided *divided)
{
    uint32_t size = (uint32_t)divided->peers->size;

    return (divided->n + size - 1) / size;
}

static int digest(uint64_t *out,
                  const struct planner *planner,
                  struct mapcore_error *err)
{
    char text[MAPCORE_DIGEST];
    int error = mapcore_search_digest(text, planner->graph.task_graph,
                                      planner->machine.alloc,
                                      &planner->parameters, err);

    if (error == 0)
        *out = fnv1a(text, strlen(text));
    return error;
}

/* The searches of this process, as many as there is time for. */
static int make_own(struct parts *parts,
                    struct planner *planner,
                    const struct timed_search *which,
                    struct mapcore_error *err)
{
    const struct divided *divided = parts->divided;
    struct timed_search how = *which;
    double margin = EXCHANGE_SHARE * (how.deadline - tool_now());
    uint64_t problem = 0;
    int error;

    if (how.deadline > 0)
        how.deadline -= margin > EXCHANGE_S ? margin : EXCHANGE_S;
    planner->parameters.seed = divided->first;
    error = digest(&problem, planner, err);
    for (uint32_t i = 0; error == 0 && number_of(divided, i) < divided->n;
         i++) {
        struct mapcore_result *result = &parts->result[i];

        if (i > 0 && how.deadline > 0 && tool_now() >= how.deadline)
            break;
        planner->parameters.seed = divided->first + number_of(divided, i);
        error = timed_search_run(result, NULL, &how, &planner->parameters, err);
        if (error < 0)
            break;
        parts->told[i] = (struct told){
            .problem = problem,
            .number = (uint64_t)number_of(divided, i) + 1,
            .link_time = result->metrics.max_link_time,
            .average = result->metrics.avg_hop_bytes,
            .most = result->metrics.max_hop_bytes,
        };
        parts->n++;
    }
    return error;
}

/* At process 0: what counts, by number; choose_best takes the first of equals.
 */
static int choose(struct divided *divided,
                  const struct told *all,
                  const struct planner *planner,
                  struct mapcore_error *err)
{
    uint32_t size = (uint32_t)divided->peers->size;
    uint32_t most = most_of(divided);
    struct mapcore_metrics *metrics =
        array_alloc(divided->n, sizeof(*metrics), err);
    uint32_t *number = array_alloc(divided->n, sizeof(*number), err);
    const struct choose_rule rule = {
        .choice = choose_settled(planner->parameters.choose),
        .alpha = planner->parameters.alpha,
    };
    size_t n = 0;

    if (!metrics || !number) {
        free(metrics);
        free(number);
        return MAPCORE_ENOMEM;
    }
    for (uint32_t p = 0; p < size && p < divided->n; p++)
        divided->other += all[(size_t)p * most].number == 0 ||
                          all[(size_t)p * most].problem != all[0].problem;
    for (uint32_t k = 0; all[0].number != 0 && k < divided->n; k++) {
        const struct told *told = &all[(size_t)(k % size) * most + k / size];

        if (told->number != (uint64_t)k + 1 || told->problem != all[0].problem)
            continue;
        metrics[n] = (struct mapcore_metrics){
            .max_link_time = told->link_time,
            .avg_hop_bytes = told->average,
            .max_hop_bytes = told->most,
        };
        number[n++] = k;
    }
    divided->made = (uint32_t)n;
    if (n > 0) {
        divided->best = number[choose_best(&rule, metrics, n)];
        divided->has_best = true;
    }
    free(metrics);
    free(number);
    return 0;
}

/* Process 0 learns what all have found, and all learn whose is taken: *best is
 * its number + 1, 0: nobody's. */
static int share(uint64_t *best,
                 struct divided *divided,
                 const struct told *own,
                 const struct planner *planner,
                 struct mapcore_error *err)
{
    const struct peers *peers = divided->peers;
    uint32_t most = most_of(divided);
    size_t bytes = most * sizeof(*own);
    /* A process without memory for this must not leave the others waiting. */
    struct told *all =
        peers->rank == 0
            ? array_alloc((size_t)peers->size * most, sizeof(*all), err)
            : NULL;
    int error = 0;

    if (peers->rank == 0 && !all)
        abort();
    divided->is_done = true;
    peers_gather(peers, all, own, (int)bytes);
    if (peers->rank == 0 && planner)
        error = choose(divided, all, planner, err);
    *best = divided->has_best ? (uint64_t)divided->best + 1 : 0;
    peers_tell(peers, best, sizeof(*best));
    free(all);
    return error;
}

void divided_pass(struct divided *divided)
{
    struct told *none = array_alloc(most_of(divided), sizeof(*none), NULL);
    uint64_t best;

    if (!none)
        abort();
    (void)share(&best, divided, none, NULL, NULL);
    free(none);
}

/* The best, which is another process's, as its text. */
static int send_text(const struct peers *peers,
                     struct planner *planner,
                     const struct mapcore_result *result,
                     struct mapcore_error *err)
{
    const struct found_query query = planner_found_query(planner);
    char *text = NULL;
    int error = found_format(&text, &query, result, err);
    /* Of nothing, where it could not be made: process 0 has others. */
    int n = error == 0 ? (int)strlen(text) : 0;

    peers->calls->send(&n, sizeof(n));
    peers->calls->send(text ? text : "", n);
    free(text);
    return error;
}

static int receive_text(struct mapcore_result *out,
                        const struct peers *peers,
                        struct planner *planner,
                        int from,
                        struct mapcore_error *err)
{
    const struct found_query query = planner_found_query(planner);
    char made[FOUND_DATE], *text;
    int n = 0, error;

    peers->calls->receive(&n, sizeof(n), from);
    text = malloc((size_t)n + 1);
    if (!text)
        abort();
    peers->calls->receive(text, n, from);
    error = found_parse(out, made, &query, text, (size_t)n, err);
    free(text);
    return error;
}

/* Takes result number i of its own for the planner's. */
static void keep(struct parts *parts, struct planner *planner, uint32_t i)
{
    planner->result = parts->result[i];
    parts->result[i] = (struct mapcore_result){0};
    planner->parameters.seed =
        parts->divided->first + number_of(parts->divided, i);
}

static int take_best(struct parts *parts,
                     struct planner *planner,
                     uint64_t best,
                     struct mapcore_error *err)
{
    const struct peers *peers = parts->divided->peers;
    uint32_t number = (uint32_t)(best - 1);
    uint32_t size = (uint32_t)peers->size;
    int owner = (int)(number % size);
    int error = 0;

    if (best == 0 || (peers->rank != 0 && peers->rank != owner)) {
        keep(parts, planner, 0);
    } else if (peers->rank == owner) {
        if (owner != 0)
            error =
                send_text(peers, planner, &parts->result[number / size], err);
        keep(parts, planner, number / size);
    } else {
        planner->parameters.seed = parts->divided->first + number;
        error = receive_text(&planner->result, peers, planner, owner, err);
        /* What it could not say, in want of memory: then what there is. */
        if (error < 0) {
            parts->divided->has_best = false;
            keep(parts, planner, 0);
            error = 0;
        }
    }
    return error;
}

int divided_search(struct planner *planner,
                   const struct timed_search *which,
                   struct mapcore_error *err)
{
    struct divided *divided = planner->request.search_arg;
    struct parts parts = {.divided = divided, .most = most_of(divided)};
    struct mapcore_error ignored;
    uint64_t best = 0;
    int error;

    parts.result = array_alloc(parts.most, sizeof(*parts.result), err);
    parts.told = array_alloc(parts.most, sizeof(*parts.told), err);
    error = parts.result && parts.told ? make_own(&parts, planner, which, err)
                                       : MAPCORE_ENOMEM;
    if (!parts.told)
        goto out; /* divided_pass does it */
    if (share(&best, divided, parts.told, planner,
              error == 0 ? err : &ignored) < 0 &&
        error == 0)
        error = MAPCORE_ENOMEM;
    /* Whose last search failed may have made the best before. */
    if (parts.n > 0)
        error = take_best(&parts, planner, best, err);
    else if (error == 0)
        error = error_set(err, MAPCORE_EINVAL,
                          "more processes than searches: this one has none");
out:
    for (uint32_t i = 0; parts.result && i < parts.n; i++)
        mapcore_result_clear(&parts.result[i]);
    free(parts.result);
    free(parts.told);
    return error;
}
