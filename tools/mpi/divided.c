/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* divided.c - one search many times, with other seeds, by several processes */
#include "config.h"

#include "tools/mpi/divided.h"

#include "base/array.h"
#include "base/fnv.h"
#include "map/choose.h"
#include "tools/common/tool.h"

#include <stdlib.h>
#include <string.h>

/* Share of the time that is left for the peers, and its least seconds. */
static const double EXCHANGE_SHARE = 0.02, EXCHANGE_S = 0.01;

/* What a process tells of each of its searches. */
struct told {
    uint64_t problem; /* digest; all processes should have the same */
    uint64_t number;  /* of the search + 1; 0: none */
    struct mapcore_metrics metrics;
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

static int digest(uint64_t *out, const struct planner *planner)
{
    char text[MAPCORE_DIGEST];
    int error = mapcore_search_digest(text, planner->graph.task_graph,
                                      planner->machine.alloc,
                                      &planner->parameters, planner->err);

    if (error == 0)
        *out = fnv1a(text, strlen(text));
    return error;
}

/* The searches of this process, as many as there is time for. */
static int make_own(struct parts *parts,
                    struct planner *planner,
                    const struct timed_search *which)
{
    const struct divided *divided = parts->divided;
    struct timed_search how = *which;
    double margin = EXCHANGE_SHARE * (how.deadline - tool_now());
    uint64_t problem = 0;
    int error;

    if (how.deadline > 0)
        how.deadline -= margin > EXCHANGE_S ? margin : EXCHANGE_S;
    planner->parameters.seed = divided->first;
    error = digest(&problem, planner);
    for (uint32_t i = 0; error == 0 && number_of(divided, i) < divided->n;
         i++) {
        struct mapcore_result *result = &parts->result[i];

        if (i > 0 && how.deadline > 0 && tool_now() >= how.deadline)
            break;
        planner->parameters.seed = divided->first + number_of(divided, i);
        error = timed_search_run(result, NULL, &how, &planner->parameters,
                                 planner->err);
        if (error < 0)
            break;
        parts->told[i] = (struct told){
            .problem = problem,
            .number = (uint64_t)number_of(divided, i) + 1,
            .metrics = result->metrics,
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
    struct arena arena = {.err = err};
    struct mapcore_metrics *metrics =
        arena_alloc(&arena, divided->n, sizeof(*metrics));
    uint32_t *number = arena_alloc(&arena, divided->n, sizeof(*number));
    const struct choose_rule rule = {
        .choice = choose_settled(planner->parameters.choose),
        .alpha = planner->parameters.alpha,
    };
    size_t n = 0;

    for (uint32_t p = 0; p < size && p < divided->n; p++)
        divided->other += all[(size_t)p * most].number == 0 ||
                          all[(size_t)p * most].problem != all[0].problem;
    for (uint32_t k = 0;
         arena.error == 0 && all[0].number != 0 && k < divided->n; k++) {
        const struct told *told = &all[(size_t)(k % size) * most + k / size];

        if (told->number != (uint64_t)k + 1 || told->problem != all[0].problem)
            continue;
        metrics[n] = told->metrics;
        number[n++] = k;
    }
    divided->made = (uint32_t)n;
    if (n > 0) {
        divided->best = number[choose_best(&rule, metrics, n)];
        divided->has_best = true;
    }
    arena_clear(&arena);
    return arena.error;
}

/* Takes result number i of its own for the planner's. */
static void keep(struct parts *parts, struct planner *planner, uint32_t i)
{
    planner->result = parts->result[i];
    parts->result[i] = (struct mapcore_result){0};
    planner->parameters.seed =
        parts->divided->first + number_of(parts->divided, i);
}

/* The owner's result as its text, at process 0; NULL elsewhere, and where it
 * could not be made in want of memory. */
static char *share_text(int *n,
                        const struct peers *peers,
                        int owner,
                        struct planner *planner)
{
    char *text = NULL;

    *n = 0;
    if (peers->rank == owner) {
        const struct found_query query = planner_found_query(planner);

        if (found_format(&text, &query, &planner->result, NULL) == 0)
            *n = (int)strlen(text);
    }
    peers_tell(peers, n, sizeof(*n), owner);
    /* A process without memory for this must not leave the others waiting. */
    if (!text && !(text = malloc((size_t)*n + 1)))
        abort();
    peers_tell(peers, text, *n, owner);
    if (peers->rank == 0 && *n > 0)
        return text;
    free(text);
    return NULL;
}

/* Search `number` has the best: process 0 gets it from whose it is, and all
 * others keep one of their own, as process 0 does where it cannot be had.
 * planner: NULL where there is none. */
static void take_best(struct parts *parts,
                      struct planner *planner,
                      uint32_t number)
{
    struct divided *divided = parts->divided;
    const struct peers *peers = divided->peers;
    const int owner = (int)(number % (uint32_t)peers->size);
    struct mapcore_result result = {0};
    struct mapcore_error why = {.text = "out of memory"};
    char made[FOUND_DATE], *text;
    int n;

    if (parts->n > 0)
        keep(parts, planner,
             peers->rank == owner ? number / (uint32_t)peers->size : 0);
    if (owner == 0)
        return;
    text = share_text(&n, peers, owner, planner);
    if (peers->rank == 0) {
        const struct found_query query = planner_found_query(planner);

        if (text &&
            found_parse(&result, made, &query, text, (size_t)n, &why) == 0) {
            mapcore_result_clear(&planner->result);
            planner->result = result;
            planner->parameters.seed = divided->first + number;
        } else {
            divided->has_best = false;
            tool_note("the best search is not taken from process %d: %s", owner,
                      why.text);
        }
    }
    free(text);
}

/* Process 0 learns what all have found, and all learn whose is taken. */
static int meet(struct parts *parts,
                struct planner *planner,
                struct mapcore_error *err)
{
    struct divided *divided = parts->divided;
    const struct peers *peers = divided->peers;
    struct told *all = NULL;
    uint64_t best; /* its number + 1; 0: none */
    int error = 0;

    if (peers->rank == 0 &&
        !(all = array_alloc((size_t)peers->size * parts->most, sizeof(*all),
                            NULL)))
        abort();
    divided->is_done = true;
    peers_gather(peers, all, parts->told,
                 (int)(parts->most * sizeof(*parts->told)));
    if (all && planner)
        error = choose(divided, all, planner, err);
    free(all);
    best = divided->has_best ? (uint64_t)divided->best + 1 : 0;
    peers_tell(peers, &best, sizeof(best), 0);
    if (best > 0)
        take_best(parts, planner, (uint32_t)(best - 1));
    else if (parts->n > 0)
        keep(parts, planner, 0);
    return error;
}

void divided_pass(struct divided *divided)
{
    struct parts parts = {.divided = divided, .most = most_of(divided)};

    if (!(parts.told = array_alloc(parts.most, sizeof(*parts.told), NULL)))
        abort();
    (void)meet(&parts, NULL, NULL);
    free(parts.told);
}

int divided_search(struct planner *planner, const struct timed_search *which)
{
    struct divided *divided = planner->request.search_arg;
    struct parts parts = {.divided = divided, .most = most_of(divided)};
    struct mapcore_error ignored;
    int error;

    parts.result = array_alloc(parts.most, sizeof(*parts.result), planner->err);
    parts.told = array_alloc(parts.most, sizeof(*parts.told), planner->err);
    error = parts.result && parts.told ? make_own(&parts, planner, which)
                                       : MAPCORE_ENOMEM;
    /* Whose last search failed may have made the best before; without memory
     * divided_pass meets the others. */
    if (parts.told &&
        meet(&parts, planner, error == 0 ? planner->err : &ignored) < 0)
        error = MAPCORE_ENOMEM;
    if (error == 0 && parts.n == 0)
        error = error_set(planner->err, MAPCORE_EINVAL,
                          "more processes than searches: this one has none");
    for (uint32_t i = 0; parts.result && i < parts.n; i++)
        mapcore_result_clear(&parts.result[i]);
    free(parts.result);
    free(parts.told);
    return error;
}
