/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner.c - srun's side: the facts of the launch, the question to `topomap`,
 * and what becomes of the answer */
#include "config.h"

#include "planner.h"

#include "child.h"
#include "layout.h"
#include "steps.h"
#include "topology.h"
#include "travel.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "launch/facts.h"
#include "launch/plan.h"
#include "launch/slots.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Killed this much after the budget, which the child itself keeps. */
#define GRACE          0.1
#define ARGUMENTS_MOST (24 + 2 * SITE_CATALOGUES)
/* TOPOMAP_PROGRAM plan --facts - --format=wire */
#define PLAN_FIRST_OPTION 5

struct launch {
    spank_t spank;
    const struct options *options;
    const struct site *site;
    char **spill;
    uint32_t job, step;
    struct layout layout;
    char *program;
    char *facts;
    const char *argv[ARGUMENTS_MOST];
    char time[32];
    struct mapcore_plan *plan;
    struct timespec begun;
};

/* To whoever typed the option. A site default is silent. */
static void __attribute__((format(printf, 2, 3)))
say(const struct launch *launch, const char *format, ...)
{
    char line[1024];
    va_list args;

    if (!launch->options->typed)
        return;
    va_start(args, format);
    vsnprintf(line, sizeof(line), format, args);
    va_end(args);
    slurm_spank_log("topomap: %s", line);
}

static const char *const travel_names[TRAVEL_COUNT] = TRAVEL_NAMES;

static void send_text(int name, const char *value)
{
    setenv(travel_names[name], value, 1);
}

/* Every task reads this first, and nothing else without it. */
static void send_step(const struct launch *launch, const char *words)
{
    char text[1024];

    snprintf(text, sizeof(text), "%" PRIu32 ".%" PRIu32 " %s", launch->job,
             launch->step, words);
    send_text(TRAVEL_AT_STEP, text);
}

static void send_words(const struct launch *launch)
{
    char words[64];

    snprintf(words, sizeof(words), "%s%s%s",
             launch->options->typed ? "typed " : "",
             launch->options->verbose ? "verbose " : "",
             launch->options->strict ? "strict " : "");
    send_step(launch, words);
}

/* No plan, no recording: the launch goes on as without topomap. With strict it
 * does not: this hook cannot stop it, so the tasks end themselves. */
static void give_up(const struct launch *launch, const char *reason)
{
    char words[640];

    if (!launch->options->strict || launch->options->dry_run) {
        say(launch, "%s", reason);
        return;
    }
    snprintf(words, sizeof(words), "fail %s", reason);
    send_step(launch, words);
}

static double seconds_since(const struct timespec *begun)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)(now.tv_sec - begun->tv_sec) +
           (double)(now.tv_nsec - begun->tv_nsec) / 1e9;
}

static double budget(const struct launch *launch)
{
    return launch->options->seconds > 0 ? launch->options->seconds
                                        : launch->site->seconds;
}

static int gather_facts(struct launch *launch, struct mapcore_error *err)
{
    struct mapcore_facts facts = {
        .program = launch->program,
        .ntasks = launch->layout.ntasks,
        .nhosts = launch->layout.nhosts,
        .counts = launch->layout.counts,
        .baseline = launch->layout.baseline,
    };
    int error = MAPCORE_ENOMEM;

    facts.nodelist = strdup(launch->layout.nodelist);
    facts.topology = topology_text();
    if (facts.nodelist)
        error = mapcore_facts_format(&launch->facts, &facts, err);
    else
        error_set(err, error, "no memory for the facts");
    free(facts.nodelist);
    free(facts.topology);
    return error;
}

/* The options that make `topomap plan` search what the user asked for; the
 * same ones repeat the launch from a shell. */
static int add_plan_options(struct launch *launch, int n)
{
    const struct options *options = launch->options;
    const struct site *site = launch->site;
    const char **argv = launch->argv;
    const struct {
        const char *option, *value;
    } table[] = {
        {"--graph", options->graph}, {"--name", options->name},
        {"--seed", options->seed},   {"--config", site->config},
        {"--time", launch->time},
    };

    for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
        if (table[i].value) {
            argv[n++] = table[i].option;
            argv[n++] = table[i].value;
        }
    for (int i = 0; i < site->ncatalogues; i++) {
        argv[n++] = "--catalogue";
        argv[n++] = site->catalogue[i];
    }
    argv[n] = NULL;
    return n;
}

static int ask_for_plan(struct launch *launch, struct mapcore_error *err)
{
    double left = budget(launch) - seconds_since(&launch->begun);
    struct child_question question = {
        .argv = (char *const *)(uintptr_t)launch->argv,
        .input = launch->facts,
        .ninput = strlen(launch->facts),
        .complete = mapcore_plan_complete,
    };
    char *answer = NULL;
    size_t n = 0;
    int argc = 0, ms, error;

    if (left <= 0)
        return error_set(err, MAPCORE_EIO,
                         "no time was left to plan after %.3g s",
                         budget(launch));
    /* Not %f: the user's locale may write a comma. */
    ms = (int)(left * 1000) + 1;
    snprintf(launch->time, sizeof(launch->time), "%d.%03d", ms / 1000,
             ms % 1000);
    question.seconds = left + GRACE;
    launch->argv[argc++] = TOPOMAP_PROGRAM;
    launch->argv[argc++] = "plan";
    launch->argv[argc++] = "--facts";
    launch->argv[argc++] = "-";
    launch->argv[argc++] = "--format=wire";
    add_plan_options(launch, argc);
    if ((error = child_ask(&answer, &n, &question, err)) < 0)
        return error;
    error =
        mapcore_plan_parse(&launch->plan, answer, n, launch->layout.ntasks,
                           launch->layout.nhosts, launch->layout.counts, err);
    free(answer);
    return error;
}

static void add_word(struct buffer *line, const char *word, size_t n)
{
    bool plain = strcspn(word, " \t'\"\\$`*?[]()<>|&;!~#") >= n;

    buffer_printf(line, NULL, plain ? " %.*s" : " '%.*s'", (int)n, word);
}

/* `topomap plan ...` as a shell takes it: the first facts are named like its
 * options. */
static void print_command(const struct launch *launch)
{
    static const char *const options[] = {"program", "ntasks", "nodelist",
                                          "tasks-per-node"};
    struct buffer line = {0};

    buffer_printf(&line, NULL, TOPOMAP_PROGRAM " plan");
    for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
        const char *fact = strstr(launch->facts, options[i]);

        if (!fact)
            continue;
        fact += strlen(options[i]) + 1;
        buffer_printf(&line, NULL, " --%s", options[i]);
        add_word(&line, fact, strcspn(fact, "\n"));
    }
    for (int i = PLAN_FIRST_OPTION; launch->argv[i]; i++)
        add_word(&line, launch->argv[i], strlen(launch->argv[i]));
    say(launch, "%s --format=text", line.bytes ? line.bytes : "");
    buffer_clear(&line);
}

/* One line a host: its ranks, slot by slot. */
static void print_map(const struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;
    const struct layout *layout = &launch->layout;
    struct hosts hosts = {0};
    uint32_t *first =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*first), NULL);
    uint32_t *ranks = array_alloc(plan->ntasks, sizeof(*ranks), NULL);

    if (first && ranks && hosts_expand(&hosts, layout->nodelist, NULL) == 0 &&
        hosts.n == plan->nhosts) {
        for (uint32_t h = 0; h < plan->nhosts; h++)
            first[h + 1] = first[h] + layout->counts[h];
        for (uint32_t r = 0; r < plan->ntasks; r++)
            ranks[first[plan->host[r]] + plan->slot[r]] = r;
        for (uint32_t h = 0; h < plan->nhosts; h++) {
            char *runs = NULL;

            if (plan_runs_format(&runs, ranks + first[h], layout->counts[h],
                                 NULL) == 0)
                say(launch, "%s: ranks %s", hosts.name[h], runs);
            free(runs);
        }
    }
    hosts_clear(&hosts);
    free(first);
    free(ranks);
}

/* A file beside the user's other caches, for the tasks alone. */
static int write_spill(const struct launch *launch,
                       const char *text,
                       struct mapcore_error *err)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    struct buffer path = {0};
    const char *p = text;
    size_t left = strlen(text);
    int fd = -1, error = 0;

    if (cache && *cache == '/')
        error = buffer_printf(&path, err, "%s", cache);
    else
        error = buffer_printf(&path, err, "%s/.cache", home ? home : "");
    if (error < 0)
        goto out;
    mkdir(path.bytes, 0700);
    if ((error = buffer_printf(&path, err, "/topomap")) < 0)
        goto out;
    mkdir(path.bytes, 0700);
    if ((error = buffer_printf(&path, err, "/slots-%" PRIu32 ".%" PRIu32,
                               launch->job, launch->step)) < 0)
        goto out;
    unlink(path.bytes); /* of a cluster that counts its jobs anew */
    fd = open(path.bytes, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    while (fd >= 0 && left > 0) {
        ssize_t n = write(fd, p, left);

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        p += n;
        left -= (size_t)n;
    }
    if (fd < 0 || left > 0 || close(fd) < 0) {
        error =
            error_set(err, MAPCORE_EIO, "%s: %s", path.bytes, strerror(errno));
        if (fd >= 0)
            unlink(path.bytes);
        goto out;
    }
    free(*launch->spill);
    *launch->spill = buffer_steal(&path);
out:
    buffer_clear(&path);
    return error;
}

/* The slots, to be bound to; the hosts are right whatever becomes of them. */
static int send_slots(const struct launch *launch, struct mapcore_error *err)
{
    struct buffer reference = {0};
    char *text = NULL;
    int error = slots_format(&text, launch->plan, launch->layout.counts,
                             launch->job, launch->step, err);

    if (error == 0 && strlen(text) <= TRAVEL_MOST) {
        send_text(TRAVEL_AT_PLAN, text);
    } else if (error == 0 && (error = write_spill(launch, text, err)) == 0) {
        error = buffer_printf(&reference, err, "file %s %s",
                              strrchr(text, ' ') + 1, *launch->spill);
        if (error == 0)
            send_text(TRAVEL_AT_PLAN, reference.bytes);
    }
    free(text);
    buffer_clear(&reference);
    return error;
}

static void apply(const struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;
    const struct layout *layout = &launch->layout;
    struct mapcore_error err;

    if (memcmp(plan->host, layout->baseline,
               layout->ntasks * sizeof(*plan->host)) != 0)
        layout_permute(layout, plan->host);
    send_words(launch);
    if (launch->options->no_bind)
        return;
    if (steps_bound_by_user())
        say(launch, "the tasks stay bound as --cpu-bind says");
    else if (send_slots(launch, &err) < 0)
        say(launch, "the tasks are not bound: %s", err.text);
}

static void report(const struct launch *launch)
{
    const struct mapcore_plan *plan = launch->plan;

    say(launch, "%s%s; hops per byte %.4g -> %.4g; %.0f ms",
        launch->options->dry_run ? "dry run, nothing is changed: " : "",
        plan->reason, plan->hops_per_byte[0], plan->hops_per_byte[1],
        seconds_since(&launch->begun) * 1000);
    if (launch->options->verbose || launch->options->dry_run)
        print_map(launch);
}

/* Whether a graph was found and tried: keeping Slurm's layout is then an
 * answer, and no failure to strict. */
static bool was_tried(const struct mapcore_plan *plan)
{
    return plan->hops_per_byte[0] > 0 || plan->milliseconds[2] > 0;
}

static void map_step(struct launch *launch)
{
    struct mapcore_error err;
    const char *why;

    if (layout_open(&launch->layout, launch->spank, &err) < 0) {
        give_up(launch, err.text);
        return;
    }
    if ((why = steps_nothing_to_move(&launch->layout))) {
        say(launch, "%s", why);
        return;
    }
    if (!steps_mpi_allows(launch->site->mpi, &err) ||
        gather_facts(launch, &err) < 0 || ask_for_plan(launch, &err) < 0) {
        give_up(launch, err.text);
        return;
    }
    if (launch->options->verbose)
        print_command(launch);
    if (launch->plan->applies) {
        report(launch);
        if (steps_has_gpus(launch->spank))
            say(launch, "the step uses GPUs: its ranks move, their CPUs are "
                        "left as Slurm chose them");
        if (!launch->options->dry_run)
            apply(launch);
    } else if (was_tried(launch->plan)) {
        say(launch, "%s", launch->plan->reason);
    } else {
        give_up(launch, launch->plan->reason);
    }
}

/* The value of a line `word VALUE` in text, cut out of it; NULL without. */
static char *line_value(char *text, const char *word)
{
    size_t n = strlen(word);

    for (char *line = text; line && *line;) {
        char *next = strchr(line, '\n');

        if (strncmp(line, word, n) == 0 && line[n] == ' ') {
            line[strcspn(line, "\n")] = '\0';
            return line + n + 1;
        }
        line = next ? next + 1 : NULL;
    }
    return NULL;
}

static int find_recorder(struct launch *launch,
                         char **recorder,
                         char **catalogue,
                         struct mapcore_error *err)
{
    const char *const argv[] = {TOPOMAP_PROGRAM, "profile", "recorder",
                                launch->program, NULL};
    struct child_question question = {
        .argv = (char *const *)(uintptr_t)argv,
        .seconds = budget(launch) + GRACE,
    };
    char *answer = NULL, *value;
    size_t n;
    int error = child_ask(&answer, &n, &question, err);

    if (error < 0)
        return error;
    value = line_value(answer, "catalogue");
    *catalogue = value ? strdup(value) : NULL;
    /* The lines before the one that was cut are still whole. */
    value = line_value(answer, "recorder");
    *recorder = value ? strdup(value) : NULL;
    free(answer);
    if (!*recorder || !*catalogue)
        return error_set(err, MAPCORE_EIO,
                         "topomap names no recorder and no catalogue");
    return 0;
}

static void record_step(struct launch *launch)
{
    const struct options *options = launch->options;
    const char *own = getenv("TOPOMAP_CATALOGUE");
    struct mapcore_error err;
    char *recorder = NULL, *catalogue = NULL;

    if (options->recorder) {
        recorder = realpath(options->recorder, NULL);
        catalogue = own && *own ? strdup(own) : NULL;
        if (!recorder)
            error_set(&err, MAPCORE_ENOENT, "%s: %s", options->recorder,
                      strerror(errno));
    } else {
        find_recorder(launch, &recorder, &catalogue, &err);
    }
    if (!recorder || (!catalogue && !options->recorder)) {
        give_up(launch, err.text);
    } else {
        say(launch, "%srecording the profile of %s%s%s",
            options->dry_run ? "dry run, not " : "", launch->program,
            catalogue ? " into " : "", catalogue ? catalogue : "");
        if (options->verbose || options->dry_run)
            say(launch, "recorder %s", recorder);
        if (!options->dry_run) {
            send_words(launch);
            send_text(TRAVEL_AT_RECORDER, recorder);
            if (catalogue)
                send_text(TRAVEL_AT_CATALOGUE, catalogue);
            if (options->name)
                send_text(TRAVEL_AT_NAME, options->name);
            if (options->exe)
                send_text(TRAVEL_AT_EXE, launch->program);
        }
    }
    free(recorder);
    free(catalogue);
}

void planner_run(spank_t spank,
                 const struct options *options,
                 const struct site *site,
                 char **spill)
{
    struct launch launch = {
        .spank = spank,
        .options = options,
        .site = site,
        .spill = spill,
    };
    struct mapcore_error err;
    const char *why;

    /* What an outer step has left, so that none of it is taken for ours. */
    for (int i = 0; i < TRAVEL_COUNT; i++)
        unsetenv(travel_names[i]);
    if (options->mode == OPTIONS_OFF ||
        spank_get_item(spank, S_JOB_ID, &launch.job) != ESPANK_SUCCESS ||
        spank_get_item(spank, S_JOB_STEPID, &launch.step) != ESPANK_SUCCESS ||
        steps_is_special(launch.step))
        return;
    clock_gettime(CLOCK_MONOTONIC, &launch.begun);
    if ((why = steps_left_alone(spank, options))) {
        say(&launch, "%s", why);
        return;
    }
    if (steps_program(&launch.program, spank, options->exe, &err) < 0)
        give_up(&launch, err.text);
    else if (options->mode == OPTIONS_PROFILE)
        record_step(&launch);
    else
        map_step(&launch);
    free(launch.program);
    free(launch.facts);
    mapcore_plan_destroy(launch.plan);
    layout_clear(&launch.layout);
}
