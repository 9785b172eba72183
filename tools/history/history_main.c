/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_main.c - topomap history: what became of the steps that topomap saw,
 * where their ranks were, and what they come to */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/buffer.h"
#include "base/error_set.h"
#include "base/file_read.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/history/history_evaluation.h"
#include "tools/common/command_line.h"
#include "tools/common/script.h"
#include "tools/site/site_root.h"

#include <inttypes.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

/* Lines "INDEX SECONDS STATE", perhaps "! WHY" behind them. */
static int take_answer(struct history *history,
                       char *answer,
                       struct mapcore_error *err)
{
    char *rest = NULL, state[32];
    double seconds;
    size_t i;

    for (char *line = strtok_r(answer, "\n", &rest); line;
         line = strtok_r(NULL, "\n", &rest)) {
        if (line[0] == '!')
            return error_set(err, MAPCORE_EIO,
                             "no wall times by --sacct: %s; without slurmdbd "
                             "(AccountingStorageType) Slurm keeps none",
                             line + 2);
        if (sscanf(line, "%zu %lf %31[A-Z_]", &i, &seconds, state) == 3 &&
            i < history->n && !history->step[i].state &&
            (history->step[i].state = strdup(state)))
            history->step[i].seconds = seconds;
    }
    return 0;
}

/* Sets seconds and state of the steps in history from at_s on that have no
 * seconds: runs sacct, for some hundred jobs at a time. job: of that one alone;
 * 0: any. A step is that of its numbers which began not after its launch was
 * noted, and not long before: numbers of jobs come again. Errors: EIO (no
 * sacct, no accounting; whatever was answered before stays), ENOTSUP (no
 * python3), ENOMEM. */
static int sacct_ask(struct history *history,
                     double since,
                     uint32_t job,
                     struct mapcore_error *err)
{
    FILE *file = script_memory(err);
    struct buffer answer = {0};
    size_t n = 0;
    int error = file ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < history->n; i++) {
        const struct history_line *step = &history->step[i];

        if (step->at_s >= since && step->seconds < 0 &&
            strcmp(step->event, HISTORY_LAUNCH) == 0 &&
            (job == 0 || step->job == job))
            n += fprintf(file, "%zu %" PRIu32 " %" PRIu32 " %.17g\n", i,
                         step->job, step->step, step->at_s) > 0;
    }
    if (error == 0 && n > 0)
        error = script_filter(&answer, "sacct.py", (const char *const[]){NULL},
                              file, err);
    if (error == 0 && answer.n > 0)
        error = take_answer(history, answer.bytes, err);
    buffer_clear(&answer);
    if (file)
        fclose(file);
    return error;
}

/* A site's, by way of a pipe. */
#define STDIN_MOST ((size_t)1 << 30)

static const struct option_row operands[] = {
    {OPTION_NAMED("JOB", struct history_options, operand),
     .help = "or JOB.STEP: only these (default: all that is kept)"},
    {.name = NULL},
};

/* "2026-11-01" (its midnight in UTC), or 36h, 7d or 4w before now, in seconds
 * since 1970; an option_take. */
static int take_since(void *at, const char *text, struct mapcore_error *err)
{
    static const struct {
        char letter;
        double seconds;
    } units[] = {{'h', 3600}, {'d', 86400}, {'w', 7 * 86400}};
    double *out = at;
    char number[16], letter;
    uint64_t count;

    if (text_parse_date(out, text))
        return 0;
    if (sscanf(text, "%15[0-9]%c", number, &letter) == 2 &&
        strlen(text) == strlen(number) + 1 && text_parse_u64(number, &count))
        for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
            if (letter == units[i].letter && count <= 1000000) {
                *out = (double)time(NULL) - units[i].seconds * (double)count;
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
    {OPTION_NAMED("ranks", struct history_options, map),
     .help = "where each rank was: node, place in it, CPUs"},
    {OPTION("summary", "BY"),
     OPTION_WORD_INTO(struct history_options, summary, summaries),
     .may_stand_alone = true,
     .help = "add the steps up, with what production runs say it gains"},
    {OPTION_NAMED("prometheus", struct history_options, prometheus),
     .help = "with --summary: for node_exporter's textfile collector"},
    {OPTION_NAMED("json", struct history_options, json),
     .help = "JSON Lines, an object a line of the table"},
    {OPTION_NAMED("csv", struct history_options, csv),
     .help = "comma-separated values, with a line of names"},
    {OPTION("since", "WHEN"),
     OPTION_CALL_INTO(struct history_options, since, take_since),
     .help = "from that day on (2026-11-01), or so long ago: 36h, 7d, 4w"},
    {OPTION_TAKES("program", "NAME", struct history_options, program),
     .help = "only of this program"},
    {OPTION_TAKES("log", "WHERE", struct history_options, log),
     .help =
         "the site's folder in place of your own history, or a file of lines, "
         "-: stdin"},
    {OPTION_NAMED("sacct", struct history_options, sacct),
     .help = "ask Slurm's accounting for missing seconds"},
    {OPTION_TAKES("ended", "FILE", struct history_options, ended)},
    {OPTION_TAKES("config", "FILE", struct history_options, config)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "history",
    .forms = (const char *const[]){"[JOB[.STEP]] [OPTION]...", NULL},
    .about = "Shows what became of the steps that topomap saw: which were "
             "placed, which were left as Slurm put them, and why.",
    .operands = operands,
    .groups = {{rows, 0}},
};

/* What somebody has saved. */
static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

/* Lines of a file, or (NULL) of stdin. */
static int read_lines(struct history *out,
                      const char *path,
                      struct mapcore_error *err)
{
    struct buffer text = {0};
    int error =
        path ? file_read_all(&text, path, FILE_ANY, STDIN_MOST, err)
             : file_read_rest(&text, STDIN_FILENO, "stdin", STDIN_MOST, err);

    if (error == 0)
        error = history_read_text(out, text.bytes ? text.bytes : "", text.n,
                                  NULL, NULL, err);
    buffer_clear(&text);
    return error;
}

static int read_own(struct history *out,
                    struct own_folder **folder,
                    const char *config,
                    struct mapcore_error *err)
{
    char *root = NULL;
    int error;

    site_root_export_of(config);
    if ((error = catalogue_user_root(&root, err)) == 0)
        error = catalogue_beside(folder, root, HISTORY_FOLDER, err);
    free(root);
    if (error == 0)
        return history_read_folder(out, *folder, NULL, err);
    return error == MAPCORE_ENOENT ? 0 : error; /* nothing has happened yet */
}

/* The user's own, or what --log names. Errors: EIO, ETRUST, ENOMEM. */
static int open_history(struct history *out,
                        struct own_folder **folder,
                        const char *log,
                        const char *config,
                        struct mapcore_error *err)
{
    int error;

    if (!log)
        error = read_own(out, folder, config, err);
    else if (strcmp(log, "-") == 0)
        error = read_lines(out, NULL, err);
    else if (is_file(log))
        error = read_lines(out, log, err);
    else if (access(log, F_OK) != 0)
        error = error_set(err, MAPCORE_EIO, "%.300s: there is no such folder%s",
                          log,
                          strcmp(log, "syslog") == 0
                              ? ": read it by journalctl -o cat -t topomap | "
                                "... --log -"
                              : "");
    else if ((error = own_folder_open(folder, log, OWN_FOLDER_NAMED, err)) == 0)
        error = history_read_folder(out, *folder, NULL, err);
    if (error == 0)
        history_join(out);
    return error;
}

/* Seconds of steps that have none; what stands against it is a note. Errors:
 * ENOMEM. */
static int ask_sacct(struct history *history,
                     const struct history_options *options,
                     struct mapcore_error *err)
{
    const uint32_t job =
        options->operand ? (uint32_t)strtoul(options->operand, NULL, 10) : 0;
    struct mapcore_error why;
    int error = sacct_ask(history, options->since, job, &why);

    if (error == MAPCORE_ENOMEM)
        return error_set(err, error, "no memory");
    if (error < 0)
        tool_note("%s", why.text);
    return 0;
}

/* Runs that the history has no longer are compared with the others. */
static int add_forgotten(struct history *history,
                         const struct own_folder *folder,
                         struct mapcore_error *err)
{
    struct history_evaluation *evaluation = NULL;
    const struct passwd *user = getpwuid(geteuid());
    size_t n = 0, known = history->n;
    int error = history_evaluations_read(&evaluation, &n, folder, err);

    for (size_t i = 0; error == 0 && i < n; i++)
        error = history_add_forgotten(history, &evaluation[i], err);
    for (size_t i = known; error == 0 && user && i < history->n; i++)
        if (!(history->step[i].user = strdup(user->pw_name)))
            error = error_set(err, MAPCORE_ENOMEM, "no memory");
    history_evaluations_clear(evaluation, n);
    return error;
}

static bool is_operand(const char *text)
{
    char copy[32], *point;
    uint64_t number;

    snprintf(copy, sizeof(copy), "%s", text);
    if ((point = strchr(copy, '.')))
        *point++ = '\0';
    return strlen(text) < sizeof(copy) && text_parse_u64(copy, &number) &&
           (!point || text_parse_u64(point, &number));
}

/* Whether a step is one of those that are asked for. */
static bool is_wanted(const struct history_options *options,
                      const struct history_line *step)
{
    char name[32];
    size_t n;

    if (step->at_s < options->since ||
        (options->program &&
         (!step->program || strcmp(step->program, options->program) != 0)))
        return false;
    if (!options->operand)
        return true;
    n = (size_t)snprintf(name, sizeof(name), "%u.%u", step->job, step->step);
    if (!strchr(options->operand, '.'))
        n = strcspn(name, ".");
    return strlen(options->operand) == n &&
           strncmp(options->operand, name, n) == 0;
}

static void choose_steps(struct history *history,
                         const struct history_options *options)
{
    size_t n = 0;

    for (size_t i = 0; i < history->n; i++) {
        struct history_line step = history->step[i];

        if (is_wanted(options, &step))
            history->step[n++] = step;
        else
            history_line_clear(&step);
    }
    history->n = n;
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

static int show(const struct history_options *options)
{
    struct history history = {0};
    struct mapcore_error err;
    struct own_folder *folder = NULL;
    int error =
        open_history(&history, &folder, options->log, options->config, &err);
    int status = TOOL_OK;

    if (error == 0 && options->summary && !options->log && folder)
        error = add_forgotten(&history, folder, &err);
    if (error == 0 && options->sacct)
        error = ask_sacct(&history, options, &err);
    if (error == 0)
        choose_steps(&history, options);
    if (error == 0 && options->operand && history.n == 0 && !options->json &&
        !options->csv)
        status = no_such_step(&history, options->operand);
    else if (error == 0 && options->map)
        status = history_show_maps(&history, folder);
    else if (error == 0 && options->summary)
        error = history_sum_up(&history, options->summary == SUMMARY_BY_USER,
                               options->json         ? "summary-json"
                               : options->csv        ? "summary-csv"
                               : options->prometheus ? "prometheus"
                                                     : "summary",
                               &err);
    else if (error == 0)
        error = history_show(&history,
                             options->json  ? NULL
                             : options->csv ? "history-csv"
                                            : "history",
                             &err);
    if (error < 0)
        status = tool_fail("%s", err.text);
    if (status == TOOL_OK && history.refused > 0)
        tool_note("%zu file%s of the history %s passed over: not whose name "
                  "they bear, or writable by others",
                  history.refused, text_plural(history.refused),
                  history.refused == 1 ? "is" : "are");
    if (status == TOOL_OK && history.broken > 0)
        tool_note("%zu line%s of the history cannot be read", history.broken,
                  text_plural(history.broken));
    history_clear(&history);
    own_folder_close(folder);
    return status;
}

/* Which options go together. */
static int check(const struct history_options *options)
{
    struct mapcore_error err;

    if (options->operand && !is_operand(options->operand))
        return tool_usage("history",
                          "'%s': expected JOB or JOB.STEP, such as "
                          "4711.0",
                          options->operand);
    if (options->map + (options->summary != 0) + (options->ended != NULL) > 1)
        return tool_usage("history", "one of --ranks, --summary and --ended");
    if (options->json + options->csv + options->prometheus > 1)
        return tool_usage("history", "one of --json, --csv and --prometheus");
    if (options->prometheus && !options->summary)
        return tool_usage("history", "--prometheus belongs to --summary");
    if (options->csv && (options->map || options->ended))
        return tool_usage("history", "--csv is the table, alone");
    if (options->map && options->log)
        return tool_usage("history",
                          "--ranks: only your own history has the places of "
                          "ranks, no log of a site");
    if (options->map && !options->operand)
        return tool_usage("history", "--ranks: of which JOB or JOB.STEP?");
    if (options->sacct && (options->map || options->ended))
        return tool_usage("history", "--sacct is for steps that are shown");
    if (options->ended && options->log &&
        site_check_log(options->log, &err) < 0)
        return tool_usage("history", "%s", err.text);
    return TOOL_OK;
}

int history_main(int argc, char **argv)
{
    struct history_options options = {0};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv) ||
        (status = check(&options)) != TOOL_OK)
        return status;
    return options.ended ? history_note_end(&options) : show(&options);
}
