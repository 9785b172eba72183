/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_search.c - the stage of a plan that searches for a mapping, or finds
 * it where it was kept; and keeps it */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "tools/plan/gain.h"

#include "map/choose.h"
#include "tools/common/bounds.h"
#include "tools/site/site.h"

#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    MAX_THREADS = 8,
};

/* The types of the profile are read once more: only where reading took less
 * than this share of the time, and where the graph is their weighted sum. */
static const double READING_MOST = 0.1;

static const char *types_to_guard(const struct planner *planner)
{
    double reading = planner->plan.milliseconds[0] / 1e3;
    double time = planner->sources.deadline - planner->request.start;

    if (!planner->sources.profile || planner->graph.prediction ||
        strcmp(planner->graph.name, "weighted-sum") != 0 ||
        (planner->sources.deadline > 0 && reading > READING_MOST * time))
        return NULL;
    return planner->sources.entry.path;
}

double planner_least_gain(const struct planner *planner)
{
    return gain_least_on(mapcore_alloc_topo(planner->machine.alloc),
                         planner->sources.site->routing, planner->is_latent);
}

/* guard_begin for the graph and the profile of a planner; guard_end is due in
 * any case. */
static int begin_guard(struct guard *guard, const struct planner *planner)
{
    struct guard_subject subject = {
        .profile = types_to_guard(planner),
        .graph = planner->graph.task_graph,
        .alloc = planner->machine.alloc,
        .rates = site_rates(planner->sources.site),
        .traffic = planner->sources.site->traffic,
        .baseline = planner->facts->baseline,
    };

    (void)site_rates_settle(&subject.rates, mapcore_alloc_topo(subject.alloc));
    return guard_begin(guard, &subject, planner->err);
}

struct found_query planner_found_query(const struct planner *planner)
{
    return (struct found_query){
        .graph = planner->graph.task_graph,
        .alloc = planner->machine.alloc,
        .search = &planner->parameters,
        .ntasks = planner->facts->ntasks,
        .nhosts = planner->facts->nhosts,
        .counts = planner->facts->counts,
    };
}

/* Whether the cache may be looked at; *query is set. */
static bool open_cache(struct planner *planner)
{
    struct plan_sources *sources = &planner->sources;

    if (planner->request.no_cache || planner->request.mapper ||
        !sources->site->plan_cache ||
        (!sources->own_root &&
         catalogue_user_root(&sources->own_root, NULL) < 0))
        return false;
    planner->cache = (struct plan_cache_query){
        .root = sources->own_root,
        .facts = planner->facts,
        .of = planner_found_query(planner),
        .time_s = sources->deadline > 0
                      ? sources->deadline - planner->request.start
                      : 0,
    };
    if (plan_cache_key(&planner->cache, NULL) < 0)
        planner->cache.key[0] = '\0';
    return planner->cache.key[0] != '\0';
}

/* The result, if the same search was made before. Nothing that may be wrong
 * with what is kept is a reason for more than a search. */
static bool recall(struct planner *planner)
{
    if (!open_cache(planner) || plan_cache_find(&planner->result, planner->made,
                                                &planner->cache, NULL) < 0)
        planner->made[0] = '\0';
    return planner->made[0] != '\0';
}

bool planner_is_better(double estimate[2],
                       const struct planner *planner,
                       const struct mapcore_result *other)
{
    const struct mapcore_metrics both[] = {planner->result.metrics,
                                           other->metrics};
    const struct choose_rule rule = {
        .choice = choose_settled(planner->parameters.choose),
        .alpha = planner->parameters.alpha,
    };
    double now[2];

    if (guard_compare(now, planner->guard, &planner->result) < 0 ||
        guard_compare(estimate, planner->guard, other) < 0)
        return false;
    if (rule.choice == MAPCORE_CHOOSE_TIME && planner->parameters.workload)
        return estimate[1] < now[1];
    return both[1].max_link_time <= both[0].max_link_time &&
           choose_best(&rule, both, 2) == 1 && estimate[1] <= now[1];
}

/* The plan for other nodes that was made of this graph last, carried over to
 * these: one more candidate. A bound of work asks for what is the same
 * anywhere, and what holds ranks together or in place does so elsewhere. */
static void take_warm(struct planner *planner)
{
    const struct mapcore_search *search = &planner->parameters;
    struct mapcore_result warm = {0};
    double estimate[2];

    if (planner->cache.key[0] == '\0' || search->work > 0 || planner->pin ||
        search->unit > 1)
        return;
    planner->cache.for_others = true;
    if (plan_cache_find_warm(&warm, planner->warm_from, &planner->cache, NULL) <
        0) {
        planner->warm_from[0] = '\0';
        return;
    }
    if (planner_is_better(estimate, planner, &warm)) {
        warm.work = planner->result.work;
        warm.interrupted = planner->result.interrupted;
        mapcore_result_clear(&planner->result);
        planner->result = warm;
    } else {
        mapcore_result_clear(&warm);
        planner->warm_from[0] = '\0';
    }
}

/* So long the answer may wait for storage that keeps a plan, which took less
 * than a millisecond here: that of a launch, and one that a person waits for.
 */
static const double REMEMBER_SECONDS[] = {0.1, 2};

/* srun kills us as soon as it has its answer, and storage may hang: so a copy
 * of this process writes, before the answer, and is not waited for for long. */
void planner_remember(const struct planner *planner)
{
    const struct timespec pause = {.tv_nsec = 200000};
    double end =
        tool_now() + REMEMBER_SECONDS[planner->request.bounds_memory ? 0 : 1];
    pid_t child, ended = 0;

    if (!planner->has_result || planner->made[0] != '\0' ||
        planner->cache.key[0] == '\0' || (child = fork()) < 0)
        return;
    if (child == 0) {
        alarm(3);
        (void)plan_cache_store(&planner->cache, &planner->result, NULL);
        _exit(0);
    }
    while ((ended = waitpid(child, NULL, WNOHANG)) == 0 && tool_now() < end)
        nanosleep(&pause, NULL);
    if (ended == 0)
        kill(child, SIGKILL);
}

int planner_search_here(struct planner *planner,
                        const struct timed_search *which)
{
    return timed_search_run(&planner->result, NULL, which, &planner->parameters,
                            planner->err);
}

static int run_search(struct planner *planner, const struct guard *guard)
{
    struct timed_search which = {
        .graph = planner->graph.task_graph,
        .alloc = planner->machine.alloc,
        .mapper = planner->request.mapper,
        .deadline = planner->sources.deadline,
        .settles = planner->request.search.time.settles,
    };
    int error;

    /* What is found is estimated in the same time. */
    if (which.deadline > 0)
        which.deadline -= guard->cost;
    error = constraints_apply(&planner->parameters, &planner->pin,
                              &planner->request.search.constraints,
                              planner->machine.alloc,
                              (const char *const *)planner->machine.hosts.name,
                              planner->facts->ntasks, planner->err);
    if (error == 0 && recall(planner)) {
        planner->has_result = true;
        bounds_end_reading();
        return 0;
    }
    bounds_end_reading();
    if (error == 0)
        error =
            (planner->request.search_by ? planner->request.search_by
                                        : planner_search_here)(planner, &which);
    planner->has_result = error == 0;
    if (error == 0)
        take_warm(planner);
    return error;
}

int planner_search(struct planner *planner)
{
    const struct timed_search_options *options = &planner->request.search;
    double start = tool_now();
    struct guard guard;
    int error;

    planner->parameters = (struct mapcore_search){
        .choose = options->choose,
        .alpha = options->alpha,
        .seed = options->seed != 0 ? options->seed : 1,
        .work = options->work,
        .schedule = options->schedule,
        .threads =
            options->threads != 0 ? options->threads : tool_cpus(MAX_THREADS),
        .baseline = planner->facts->baseline,
        .node = planner->facts->by_rank ? NULL : planner->machine.hwnode,
        .slots_by_rank = planner->facts->by_rank,
        .ends_early = options->time.s <= 0,
    };
    error = begin_guard(&guard, planner);
    planner->guard = &guard;
    planner->parameters.workload = guard.types.n > 0 ? &guard.work : NULL;
    if (error == 0)
        error = run_search(planner, &guard);
    if (error == 0)
        error = guard_compare(planner->estimate, &guard, &planner->result);
    planner->links_share = guard.links_share;
    planner->goes_by_types =
        guard.types.n > 0 &&
        choose_settled(planner->parameters.choose) == MAPCORE_CHOOSE_TIME;
    planner->estimate_unit =
        guard.types.is_profile
            ? QUANTITY_SECONDS
            : site_rates_unit(&guard.rates,
                              mapcore_alloc_topo(planner->machine.alloc));
    planner->estimates_run = guard.types.is_profile;
    planner->is_latent = guard.types.is_latent;
    guard_end(&guard);
    planner->guard = NULL;
    planner->parameters.workload = NULL;
    planner->plan.milliseconds[2] = 1e3 * (tool_now() - start);
    return error;
}
