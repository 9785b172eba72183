/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* timed_search.c - a search that ends in time, or early on a signal, with the
 * best so far; what is left of the time is shown on a terminal */
#include "config.h"

#include "tools/search/timed_search.h"

#include "base/text.h"
#include "launch/defaults.h"
#include "launch/plan_words.h"
#include "tools/common/held_signals.h"
#include "tools/common/tool.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Progress is shown from the second on, five times a second. */
static const double PROGRESS_AFTER = 1.0, PROGRESS_EVERY = 0.2;

bool timed_search_parse_schedule(struct mapcore_schedule *out,
                                 const char *argument)
{
    uint32_t *part[] = {&out->starts, &out->clusters, &out->tasks, &out->cut};
    char text[64];
    uint64_t number;
    size_t n = strlen(argument);
    char *cursor = text;

    if (n >= sizeof(text))
        return false;
    memcpy(text, argument, n + 1);
    out->cut = 0;
    for (size_t i = 0; i < 4; i++) {
        char *word = strsep(&cursor, "+");

        if (!word && i == 3)
            break;
        if (!word || !text_parse_u64(word, &number) || number > UINT32_MAX)
            return false;
        *part[i] = (uint32_t)number;
    }
    return !cursor && out->starts > 0;
}

static int take_schedule(void *at, const char *text, struct mapcore_error *err)
{
    struct mapcore_schedule schedule;

    if (!timed_search_parse_schedule(&schedule, text))
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not three numbers as a report has them, "
                         "12+60+180, or four",
                         text);
    memcpy(at, &schedule, sizeof(schedule));
    return 0;
}

void timed_search_print_schedule(char *text,
                                 const struct mapcore_schedule *schedule)
{
    text[0] = '\0';
    if (schedule->starts == 0)
        return;
    snprintf(text, SEARCH_SCHEDULE_TEXT, "%u+%u+%u", schedule->starts,
             schedule->clusters, schedule->tasks);
    if (schedule->cut > 0)
        snprintf(text + strlen(text), SEARCH_SCHEDULE_TEXT - strlen(text),
                 "+%u", schedule->cut);
}

int timed_search_take_time(void *at,
                           const char *text,
                           struct mapcore_error *err)
{
    struct timed_search_time time = {.settles = strncmp(text, "auto", 4) == 0};
    const char *number = time.settles ? text + 4 : text;

    if (time.settles && *number == ':')
        number++;
    else if (time.settles && *number == '\0')
        number = NULL;
    if (number && (!text_parse_double(number, &time.s) ||
                   time.s < SEARCH_TIME_LEAST || time.s > SEARCH_TIME_MOST))
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not a number from %g to %g, nor auto", text,
                         SEARCH_TIME_LEAST, SEARCH_TIME_MOST);
    memcpy(at, &time, sizeof(time));
    return 0;
}

double timed_search_auto(double least, double most)
{
    const char *end = getenv("SLURM_JOB_END_TIME");
    uint64_t at;
    double left = 0;

    if (end && text_parse_u64(end, &at))
        left = (double)at - (double)time(NULL);
    return defaults_auto(least, most > 0 ? most : DEFAULTS_AUTO_MOST, left);
}

static int take_unit(void *at, const char *text, struct mapcore_error *err)
{
    if (!unit_word_parse(at, text))
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not rank, node or a number of ranks", text);
    return 0;
}

static int take_pin(void *at, const char *text, struct mapcore_error *err)
{
    if (!pin_words_check(text))
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not off or a list of RANK, RANK-RANK, "
                         "either with @NODE: 0-7+12@n5",
                         text);
    *(const char **)at = text;
    return 0;
}

static const struct option_word choices[] = {
    {"hop-bytes", MAPCORE_CHOOSE_HOP_BYTES, NULL, false},
    {"pareto", MAPCORE_CHOOSE_PARETO, NULL, false},
    {"time", MAPCORE_CHOOSE_TIME, NULL, false},
    {"link", MAPCORE_CHOOSE_TIME, NULL, true},
    {"auto", MAPCORE_CHOOSE_AUTO, NULL, false},
    {NULL, 0, NULL, false},
};

const char *timed_search_choice(enum mapcore_choice choice)
{
    const struct option_word *word = choices;

    while (word->name && word->value != (int)choice)
        word++;
    return word->name;
}

const struct option_row timed_search_rows[] = {
    {OPTION("choose", "WHAT"),
     OPTION_WORD_INTO(struct timed_search_options, choose, choices),
     .shows_default = true},
    {OPTION_TAKES("alpha", "A", struct timed_search_options, alpha), .least = 1,
     .most = 1000, .shows_default = true},
    {OPTION("unit", "WHAT"), OPTION_CALL_INTO(struct timed_search_options,
                                              constraints.unit,
                                              take_unit)},
    {OPTION("pin", "RANKS"),
     OPTION_CALL_INTO(struct timed_search_options, constraints.pin, take_pin)},
    {OPTION_TAKES("work", "N", struct timed_search_options, work), .min = 1},
    {OPTION("schedule", "A+B+C[+D]"),
     OPTION_CALL_INTO(struct timed_search_options, schedule, take_schedule)},
    {OPTION_TAKES("threads", "N", struct timed_search_options, threads),
     .min = 1, .max = 1024},
    {OPTION_TAKES("seed", "N", struct timed_search_options, seed), .min = 1,
     .shows_default = true},
    {.name = NULL},
};

/* Asked from any thread: hence atomics, and one write(2) for one picture. */
struct watch {
    double start, deadline, later;
    const char *title; /* or NULL */
    bool progress;
    const struct timed_search *which;
    struct held_signals signals; /* any false: none */
    atomic_bool over;
    atomic_ullong tried;
    _Atomic double best; /* hops per byte of the best so far; below 0: none */
    atomic_uint shown;   /* pictures so far */
};

static void show_progress(struct watch *watch, double now)
{
    double next = watch->start + PROGRESS_AFTER;
    unsigned shown = atomic_load(&watch->shown);
    unsigned long long tried;
    char best[48] = "", line[256];
    const char *title = watch->title ? watch->title : "";
    const char *gap = watch->title ? ": " : "";
    double hops = atomic_load(&watch->best);
    int n;

    if (now < next + PROGRESS_EVERY * shown ||
        !atomic_compare_exchange_strong(&watch->shown, &shown, shown + 1))
        return;
    tried = atomic_load(&watch->tried);
    if (hops >= 0)
        snprintf(best, sizeof(best), ", best %.3g hops per byte", hops);
    if (watch->deadline > 0)
        n = snprintf(
            line, sizeof(line),
            "\r\033[Ktopomap: %.80s%s%llu mappings tried%s, %.0f s left", title,
            gap, tried, best,
            watch->later +
                (watch->deadline > now ? watch->deadline - now : 0.0));
    else
        n = snprintf(line, sizeof(line),
                     "\r\033[Ktopomap: %.80s%s%llu mappings tried%s in %.0f s",
                     title, gap, tried, best, now - watch->start);
    if (n > 0 && write(STDERR_FILENO, line, (size_t)n) < 0)
        watch->progress = false;
}

static bool is_over(void *arg)
{
    struct watch *watch = arg;
    double now;

    if (atomic_load(&watch->over))
        return true;
    now = tool_now();
    if (watch->deadline > 0 && now >= watch->deadline)
        atomic_store(&watch->over, true);
    if (held_signals_came(&watch->signals))
        atomic_store(&watch->over, true);
    if (watch->progress)
        show_progress(watch, now);
    return atomic_load(&watch->over);
}

/* How much of the time is used up. */
static double spent(void *arg)
{
    const struct watch *watch = arg;

    return (tool_now() - watch->start) / (watch->deadline - watch->start);
}

static void came(void *arg,
                 const char *candidate,
                 bool is_refined,
                 const struct mapcore_metrics *metrics)
{
    const struct watch *watch = arg;

    watch->which->came(watch->which->told_arg, candidate, is_refined, metrics);
}

static void count(void *arg, uint64_t work, const struct mapcore_metrics *best)
{
    struct watch *watch = arg;

    if (watch->which->told)
        watch->which->told(watch->which->told_arg, work, best);
    atomic_store(&watch->tried, work);
    if (best)
        atomic_store(&watch->best, best->hops_per_byte);
}

void timed_search_settle_choice(struct timed_search_options *options,
                                const char *mapper)
{
    if (mapper && strcmp(mapper, "parmapper") == 0)
        options->choose = MAPCORE_CHOOSE_PARETO;
}

void timed_search_print_mapper(char *text, const struct mapcore_result *result)
{
    snprintf(text, SEARCH_MAPPER_TEXT, "%s%s", result->candidate,
             result->is_refined ? MAPCORE_REFINED : "");
}

bool timed_search_parse_mapper(struct mapcore_result *result, const char *text)
{
    size_t n = strlen(text), suffix = strlen(MAPCORE_REFINED);
    bool refined =
        n > suffix && strcmp(text + n - suffix, MAPCORE_REFINED) == 0;

    n -= refined ? suffix : 0;
    if (n == 0 || n >= sizeof(result->candidate))
        return false;
    memcpy(result->candidate, text, n);
    result->candidate[n] = '\0';
    result->is_refined = refined;
    return true;
}

bool timed_search_is_mapper(const char *word)
{
    const size_t n = strcspn(word, ":+"); /* :parameters, +refine */
    struct mapcore_mapper mapper;

    if (strchr(word, '/'))
        return false;
    for (size_t i = 0; mapcore_mapper_get(&mapper, i); i++)
        if (strlen(mapper.name) == n && strncmp(mapper.name, word, n) == 0)
            return true;
    return false;
}

/* Searches of 0.5, 1, 2, 4, ... seconds, until SEARCH_IDLE of them in a row
 * gain too little, or one is through, or there is no time for the one after the
 * next: it gets what is left. One alone says nothing, for what is tried changes
 * with the time that there is. */
static int run_settling(struct mapcore_result *out,
                        struct watch *watch,
                        const struct timed_search *which,
                        const struct mapcore_search *search,
                        struct mapcore_error *err)
{
    struct mapcore_result best = {0}, result;
    double slice = SEARCH_FIRST_S, before = INFINITY;
    int error = 0, idle = 0;

    for (bool more = true; more && error == 0; slice *= 2) {
        double now, found;

        watch->start = tool_now();
        more = which->deadline - watch->start >=
               (slice > SEARCH_FIRST_S ? 3 * slice : SEARCH_DIVIDED_S);
        watch->deadline = more ? watch->start + slice : which->deadline;
        result = (struct mapcore_result){0};
        error = mapcore_search_run(&result, which->graph, which->alloc,
                                   which->mapper, search, err);
        if (error < 0)
            break;
        found = search->choose == MAPCORE_CHOOSE_TIME ||
                        search->choose == MAPCORE_CHOOSE_AUTO
                    ? result.metrics.max_link_time
                    : result.metrics.avg_hop_bytes;
        now = found < before ? found : before;
        idle = now <= (1 - SEARCH_SETTLED) * before ? 0 : idle + 1;
        /* Time that was up is up no more; a signal stays. */
        more = more && result.interrupted && idle < SEARCH_IDLE &&
               !(atomic_load(&watch->over) && tool_now() < watch->deadline);
        atomic_store(&watch->over, false);
        if (found < before || !best.mapping) {
            mapcore_result_clear(&best);
            best = result;
        } else {
            mapcore_result_clear(&result);
        }
        before = now;
    }
    if (error < 0)
        mapcore_result_clear(&best);
    else
        *out = best;
    return error;
}

int timed_search_run(struct mapcore_result *out,
                     int *signal,
                     const struct timed_search *which,
                     struct mapcore_search *search,
                     struct mapcore_error *err)
{
    struct watch watch = {
        .start = tool_now(),
        .deadline = which->deadline,
        .later = which->later,
        .title = which->title,
        .which = which,
        .best = -1,
        .progress = which->progress && isatty(STDERR_FILENO) == 1,
    };
    int error, caught = 0;

    if (which->signals)
        held_signals_begin(&watch.signals);
    search->expired = is_over;
    search->spent = watch.deadline > watch.start ? spent : NULL;
    search->expired_arg = &watch;
    search->progress = count;
    search->came = which->came ? came : NULL;
    search->progress_arg = &watch;
    error = which->settles && watch.deadline > 0
                ? run_settling(out, &watch, which, search, err)
                : mapcore_search_run(out, which->graph, which->alloc,
                                     which->mapper, search, err);
    if (which->signals)
        caught = held_signals_end(&watch.signals);
    if (atomic_load(&watch.shown) > 0)
        fputs("\r\033[K", stderr);
    if (signal)
        *signal = caught;
    return error;
}
