/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_main.c - topomap history: what became of the steps that topomap saw,
 * where their ranks were, and what they come to */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/error_set.h"
#include "base/file_read.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/history/history_evaluation.h"
#include "tools/common/command_line.h"
#include "tools/common/script.h"
#include "tools/site/site.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* What accounting knows of a step. */
struct answered {
    double seconds;
    char *state;
};

/* Steps on their way to who shows them. */
struct passing {
    const struct history_options *options;
    struct history *history;
    struct answered *answered; /* [steps], or NULL */
    FILE *file;                /* of questions to sacct, or of the answer */
    struct history *into;      /* in place of it */
    size_t n;                  /* that came so far */
};

/* Lines "INDEX SECONDS STATE", perhaps "! WHY" behind them. */
static int take_answer(struct answered *out,
                       size_t n,
                       char *answer,
                       struct mapcore_error *err)
{
    char *rest = NULL, state[32];
    double seconds;
    size_t i;

    for (char *line = strtok_r(answer, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest))
        if (line[0] == '!')
            return error_set(err, MAPCORE_EIO,
                             "no wall times by --sacct: %s; without slurmdbd "
                             "(AccountingStorageType) Slurm keeps none",
                             line + 2);
        else if (sscanf(line, "%zu %lf %31[A-Z_]", &i, &seconds, state) == 3 &&
                 i < n && !out[i].state && (out[i].state = strdup(state)))
            out[i].seconds = seconds;
    return 0;
}

/* A step is that of its numbers which began not after its launch was noted, and
 * not long before: numbers of jobs come again. */
static int put_question(void *of,
                        struct history_line *step,
                        size_t i,
                        size_t source,
                        uint64_t offset)
{
    struct passing *passing = of;

    (void)source, (void)offset;
    if (step->seconds < 0 && strcmp(step->event, HISTORY_LAUNCH) == 0)
        fprintf(passing->file, "%zu %u %u %.17g\n", i, step->job, step->step,
                step->at_s);
    passing->n = i + 1;
    return 0;
}

/* Seconds and states of the steps that have no seconds: runs sacct, for some
 * hundred jobs at a time. Errors: EIO (no sacct, no accounting; earlier answers
 * stay), ENOTSUP (no python3), ENOMEM. */
static int sacct_ask(struct passing *out, struct history *history)
{
    struct buffer answer = {0};
    int error;

    if (!(out->file = script_memory(history->err)))
        return MAPCORE_ENOMEM;
    error = history_each(history, put_question, out);
    if (error == 0 && !(out->answered = array_alloc(
                            out->n, sizeof(*out->answered), history->err)))
        error = MAPCORE_ENOMEM;
    if (error == 0 && ftell(out->file) > 0)
        error = script_filter(&answer, "sacct.py", (const char *const[]){NULL},
                              out->file, history->err);
    if (error == 0 && answer.n > 0)
        error = take_answer(out->answered, out->n, answer.bytes, history->err);
    buffer_clear(&answer);
    fclose(out->file);
    return error;
}

static const struct option_row operands[] = {
    {OPTION_NAMED("JOB", struct history_options, operand)},
    {.name = NULL},
};

/* "2026-11-01" (its midnight in UTC), or 36h, 7d or 4w before now, in seconds
 * since 1970; an option_take. */
static int take_since(void *at, const char *text, struct mapcore_error *err)
{
    static const char letters[] = "hdw";
    static const double seconds[] = {3600, 86400, 7 * 86400};
    const char *found;
    double *out = at;
    char number[16], letter;
    uint64_t count;

    if (text_parse_date(out, text))
        return 0;
    if (sscanf(text, "%15[0-9]%c", number, &letter) == 2 &&
        strlen(text) == strlen(number) + 1 && text_parse_u64(number, &count) &&
        count <= 1000000 && (found = strchr(letters, letter))) {
        *out = (double)time(NULL) - seconds[found - letters] * (double)count;
        return 0;
    }
    return error_set(err, MAPCORE_EINVAL,
                     "expected a day such as 2026-11-01, or so long ago: 36h, "
                     "7d, 4w");
}

static const struct option_word summaries[] = {
    {"program", SUMMARY_BY_PROGRAM, "a line a program", false},
    {"user", SUMMARY_BY_USER, "a line a user", false},
    {NULL},
};

static const struct option_row rows[] = {
    {OPTION_NAMED("ranks", struct history_options, map)},
    {OPTION_NAMED("plan", struct history_options, plan)},
    {OPTION("summary", "BY"),
     OPTION_WORD_INTO(struct history_options, summary, summaries),
     .may_stand_alone = true},
    {OPTION_TAKES("report", "FILE", struct history_options, report)},
    {OPTION_NAMED("prometheus", struct history_options, prometheus)},
    {OPTION_NAMED("json", struct history_options, json)},
    {OPTION_NAMED("csv", struct history_options, csv)},
    {OPTION_TAKES("fold", "FILE", struct history_options, fold)},
    {OPTION("top", "N"), OPTION_INTO(struct history_options, top)},
    {OPTION("since", "WHEN"),
     OPTION_CALL_INTO(struct history_options, since, take_since)},
    {OPTION_TAKES("program", "NAME", struct history_options, program)},
    {OPTION_TAKES("log", "WHERE", struct history_options, log)},
    {OPTION_NAMED("sacct", struct history_options, sacct)},
    {OPTION_NAMED("gains", struct history_options, gains)},
    {OPTION_TAKES("ended", "FILE", struct history_options, ended)},
    {OPTION_TAKES("config", "FILE", struct history_options, config)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "history",
    .operands = operands,
    .groups = {{rows, 0}},
};

/* Lines of a file, or (NULL) of stdin, which is copied where it is a pipe. */
static int read_lines(struct history *out,
                      const char *path,
                      const struct history_filter *filter)
{
    char bytes[65536];
    FILE *copy = NULL;
    ssize_t n = 0;
    int fd = -1, error = 0;

    if (path)
        error = file_open_at(&fd, AT_FDCWD, path, FILE_ANY, out->err);
    else
        fd = dup(STDIN_FILENO);
    if (error == 0 && lseek(fd, 0, SEEK_END) < 0) {
        if (!(copy = tmpfile()))
            n = -1;
        while (n >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
            if (fwrite(bytes, (size_t)n, 1, copy) != 1)
                n = -1;
        if (n < 0 || fflush(copy) != 0)
            error = error_set(out->err, MAPCORE_EIO, "cannot copy %.300s: %s",
                              path ? path : "stdin", strerror(errno));
        close(fd);
        fd = copy ? dup(fileno(copy)) : -1;
        if (copy)
            fclose(copy);
    }
    if (error == 0)
        return history_add_fd(out, fd, NULL, 0, filter);
    if (fd >= 0)
        close(fd);
    return error;
}

static int read_own(struct history *out,
                    struct own_folder **folder,
                    const char *config,
                    const struct history_filter *filter)
{
    char *root = NULL;
    int error;

    site_root_export_of(config);
    if ((error = catalogue_user_root(&root, out->err)) == 0)
        error = catalogue_beside(folder, root, HISTORY_FOLDER, out->err);
    free(root);
    if (error == 0)
        return history_add_folder(out, *folder, filter);
    return error == MAPCORE_ENOENT ? 0 : error; /* nothing has happened yet */
}

/* The user's own, or what --log names. Errors: EIO, ETRUST, ENOMEM. */
static int open_history(struct history *out,
                        struct own_folder **folder,
                        const struct history_options *options)
{
    struct history_filter filter = {.has_job = options->operand,
                                    .since = options->since};
    const char *log = options->log;
    struct stat st;
    char job[16];
    int error = 0;

    if (options->operand) {
        filter.job = (uint32_t)strtoul(options->operand, NULL, 10);
        snprintf(job, sizeof(job), "%u", filter.job);
        filter.needle = job;
    }

    /* What it has of a step counts, and so it is first. */
    if (options->fold && access(options->fold, F_OK) == 0)
        error = read_lines(out, options->fold, &filter);
    if (error < 0)
        return error;
    if (!log)
        error = read_own(out, folder, options->config, &filter);
    else if (strcmp(log, "-") == 0)
        error = read_lines(out, NULL, &filter);
    else if (stat(log, &st) == 0 && !S_ISDIR(st.st_mode))
        error = read_lines(out, log, &filter);
    else if (access(log, F_OK) != 0)
        error = error_set(out->err, MAPCORE_EIO,
                          "%.300s: there is no such folder%s", log,
                          strcmp(log, "syslog") == 0
                              ? ": read it by journalctl -o cat -t topomap | "
                                "... --log -"
                              : "");
    else if ((error = own_folder_open(folder, log, OWN_FOLDER_NAMED,
                                      out->err)) == 0)
        error = history_add_folder(out, *folder, &filter);
    if (error == 0)
        error = history_order(out, options->since);
    return error;
}

static bool is_operand(const char *text)
{
    static const char digits[] = "0123456789";
    const size_t n = strspn(text, digits),
                 more = text[n] == '.' ? strspn(text + n + 1, digits) : 0;

    return n > 0 && n <= 10 && more <= 10 &&
           text[more > 0 ? n + 1 + more : n] == '\0';
}

/* Whether a step is one of those that are asked for: an end alone is of a step
 * that began before it. */
static bool is_wanted(const struct history_options *options,
                      const struct history_line *step)
{
    const char *job = options->operand, *point = job ? strchr(job, '.') : NULL;
    const bool is_end = strcmp(step->event, HISTORY_END) == 0;

    return step->at_s - (is_end ? fmax(step->seconds, 0) : 0) >=
               options->since &&
           (!options->program ||
            (step->program && strcmp(step->program, options->program) == 0)) &&
           (!job || strtoul(job, NULL, 10) == step->job) &&
           (!point || strtoul(point + 1, NULL, 10) == step->step);
}

/* Passes on those that are asked for, as is_wanted. */
static int pass(void *of,
                struct history_line *step,
                size_t i,
                size_t source,
                uint64_t offset)
{
    struct passing *passing = of;
    const struct history_options *options = passing->options;

    if (passing->answered && passing->answered[i].state) {
        free(step->state);
        step->state = passing->answered[i].state;
        passing->answered[i].state = NULL;
        step->seconds = passing->answered[i].seconds;
    }
    if (!is_wanted(options, step))
        return 0;
    passing->n++;
    if (passing->into)
        return history_keep(passing->into, step);
    if (options->summary)
        return history_put(passing->file, step, source, offset,
                           passing->history->err);
    if (options->json || options->csv)
        return history_show(passing->file, step, &passing->history->broken,
                            passing->history->err);
    history_put_cells(passing->file, step);
    return 0;
}

/* Runs that the history has no longer are compared with the others. */
static int add_forgotten(FILE *file,
                         const struct own_folder *folder,
                         struct mapcore_error *err)
{
    struct history_evaluation *evaluation = NULL;
    const struct passwd *user = getpwuid(geteuid());
    struct history history = {.err = err};
    size_t n = 0;
    int error = history_evaluations_read(&evaluation, &n, folder, err);

    for (size_t i = 0; error == 0 && i < n; i++)
        error = history_add_forgotten(&history, &evaluation[i]);
    for (size_t i = 0; error == 0 && i < history.n; i++) {
        if (user)
            history.step[i].user = strdup(user->pw_name);
        error = history_put(file, &history.step[i], 0, 0, err);
    }
    history_clear(&history);
    history_evaluations_clear(evaluation, n);
    return error;
}

/* In one line, as every refusal is: what was passed over may hold the step. */
static int no_such_step(const struct history *history, const char *operand)
{
    size_t lines = history->broken, files = history->refused;

    if (lines == 0 && files == 0)
        return tool_fail("there is no step %s in the history", operand);
    return tool_fail("there is no step %s in the history, of which %zu line%s "
                     "and %zu file%s cannot be read or trusted",
                     operand, lines, text_plural(lines), files,
                     text_plural(files));
}

/* The steps, as lines of JSON, and what tools/tables makes of them. */
static int show_steps(struct history *history,
                      const struct own_folder *folder,
                      struct passing *passing)
{
    const struct history_options *options = passing->options;
    const char *view = options->report       ? "report"
                       : options->prometheus ? "prometheus"
                       : options->json       ? "summary-json"
                       : options->csv        ? "summary-csv"
                                             : "summary";
    int error;

    if (!options->summary)
        view = options->json ? NULL : options->csv ? "history-csv" : "history";
    if (!(passing->file = view ? tmpfile() : stdout))
        return error_set(history->err, MAPCORE_EIO, "no temporary file: %s",
                         strerror(errno));
    error = options->summary
                ? history_put_marks(passing->file, history, options)
                : 0;
    if (error == 0)
        error = history_each(history, pass, passing);
    if (error == 0 && options->summary && !options->log && folder)
        error = add_forgotten(passing->file, folder, history->err);
    if (error == 0 && view)
        error = script_print("tables",
                             (const char *const[]){view, options->report, NULL},
                             passing->file, history->err);
    if (view)
        fclose(passing->file);
    return error;
}

static int show(const struct history_options *options,
                struct mapcore_error *err)
{
    struct history history = {.err = err}, chosen = {.err = err};
    struct own_folder *folder = NULL;
    struct passing passing = {.options = options, .history = &history};
    int error = open_history(&history, &folder, options);
    int status = TOOL_OK;

    if (error == 0 && options->sacct &&
        (error = sacct_ask(&passing, &history)) < 0 &&
        error != MAPCORE_ENOMEM) {
        /* What stands against it is a note. */
        tool_note("%s", err->text);
        error = 0;
    }
    passing.n = 0;
    if (error == 0 && (options->map || options->plan)) {
        passing.into = &chosen;
        error = history_each(&history, pass, &passing);
        if (error == 0 && chosen.n > 0)
            status = options->plan ? history_show_plan(&chosen, folder)
                                   : history_show_maps(&chosen, folder);
    } else if (error == 0) {
        error = show_steps(&history, folder, &passing);
    }
    if (error < 0)
        status = error;
    else if (options->operand && passing.n == 0 &&
             (options->plan || (!options->json && !options->csv)))
        status = no_such_step(&history, options->operand);
    else if (passing.n == 0 && status == TOOL_OK && !options->json &&
             !options->csv && !options->prometheus && !options->report &&
             !options->fold && (!options->summary || options->log || !folder))
        tool_note("no steps in %.300s",
                  options->log ? options->log : "your history");
    if (status == TOOL_OK && history.refused > 0)
        tool_note("%zu file%s of the history %s passed over: not whose name "
                  "they bear, or writable by others",
                  history.refused, text_plural(history.refused),
                  history.refused == 1 ? "is" : "are");
    if (status == TOOL_OK && history.broken > 0)
        tool_note("%zu line%s of the history cannot be read", history.broken,
                  text_plural(history.broken));
    free(passing.answered);
    history_clear(&history);
    history_clear(&chosen);
    own_folder_close(folder);
    return status;
}

/* Which options go together. */
static int check(const struct history_options *options)
{
    const char *job = options->operand;
    const bool places = options->map || options->plan;
    const struct {
        bool is_wrong;
        const char *why;
    } rules[] = {
        {options->map + options->plan + (options->summary != 0) +
                 (options->ended != NULL) >
             1,
         "one of --ranks, --plan, --summary and --ended"},
        {options->json + options->csv + options->prometheus +
                 (options->report != NULL) >
             1,
         "one of --json, --csv and --prometheus; --report is a page of HTML"},
        {options->prometheus && !options->summary,
         "--prometheus belongs to --summary"},
        {(options->fold || options->top) && !options->summary,
         "--fold and --top belong to --summary"},
        {options->fold && (job || options->since > 0 || options->program),
         "--fold keeps the sums of all steps: no JOB, --since or --program"},
        {options->csv && (places || options->ended),
         "--csv is the table, alone"},
        {places && options->log,
         "--ranks and --plan: only your own history has the places of ranks, "
         "no log of a site"},
        {options->map && !job, "--ranks: of which JOB or JOB.STEP?"},
        {options->plan && (!job || !strchr(job, '.')),
         "--plan: of which JOB.STEP?"},
        {options->sacct && (places || options->ended),
         "--sacct is for steps that are shown"},
    };
    struct mapcore_error err;

    if (job && !is_operand(job))
        return tool_usage(
            "history", "'%s': expected JOB or JOB.STEP, such as 4711.0", job);
    for (size_t i = 0; i < sizeof(rules) / sizeof(*rules); i++)
        if (rules[i].is_wrong)
            return tool_usage("history", "%s", rules[i].why);
    if (options->ended && options->log &&
        site_check_log(options->log, &err) < 0)
        return tool_usage("history", "%s", err.text);
    return TOOL_OK;
}

int history_main(int argc, char **argv, struct mapcore_error *err)
{
    struct history_options options = {0};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (options.report && !options.summary)
        options.summary = SUMMARY_BY_PROGRAM;
    if ((status = check(&options)) != TOOL_OK)
        return status;
    if (options.gains)
        return history_put_gains(err);
    return options.ended ? history_note_end(&options, err)
                         : show(&options, err);
}
