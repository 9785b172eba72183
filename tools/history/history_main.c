/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_main.c - topomap history: what became of the steps that topomap saw,
 * and where their ranks were */
#include "config.h"

#include "tools/history/history_tool.h"

#include "base/buffer.h"
#include "base/file_read.h"
#include "base/text.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/catalogue/catalogue_beside.h"
#include "tools/common/command_line.h"
#include "tools/history/sacct.h"
#include "tools/history/since.h"
#include "tools/site/site.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A site's, by way of a pipe. */
#define STDIN_MOST ((size_t)1 << 30)

static const struct option_row operands[] = {
    {.name = "JOB",
     OPTION_INTO(struct history_options, operand),
     .help = "or JOB.STEP: only these (default: all that is kept)"},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {.name = "map",
     OPTION_INTO(struct history_options, map),
     .help = "where each rank was: node, place in it, CPUs"},
    {.name = "json",
     OPTION_INTO(struct history_options, json),
     .help = "JSON Lines, an object a step"},
    {.name = "csv",
     OPTION_INTO(struct history_options, csv),
     .help = "comma-separated values, a line a step"},
    {.name = "since",
     .argument = "WHEN",
     OPTION_CALL_INTO(struct history_options, since, since_take),
     .help = "from that day on (2026-11-01), or so long ago: 36h, 7d, 4w"},
    {.name = "program",
     .argument = "NAME",
     OPTION_INTO(struct history_options, program),
     .help = "only of this program"},
    {.name = "log",
     .argument = "WHERE",
     OPTION_INTO(struct history_options, log),
     .help =
         "the site's folder in place of your own history, or a file of lines, "
         "-: stdin; with --ended where to write, too"},
    {.name = "sacct",
     OPTION_INTO(struct history_options, sacct),
     .help = "ask Slurm's accounting for seconds that nobody noted"},
    {.name = "ended",
     .argument = "FILE",
     OPTION_INTO(struct history_options, ended),
     .help =
         "for srun: note the end of the step that FILE tells of (-: stdin)"},
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct history_options, config),
     .help = "with --ended: the site file (default " TOPOMAP_SITEFILE ")"},
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

static int read_stdin(struct history *out, struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = file_read_rest(&text, STDIN_FILENO, "stdin", STDIN_MOST, err);

    if (error == 0)
        error = history_read_text(out, text.bytes ? text.bytes : "", text.n,
                                  NULL, NULL, err);
    buffer_clear(&text);
    return error;
}

/* What somebody has saved. */
static bool is_file(const char *path)
{
    struct stat st;

    return stat(path, &st) == 0 && !S_ISDIR(st.st_mode);
}

static int read_file(struct history *out,
                     const char *path,
                     struct mapcore_error *err)
{
    struct buffer text = {0};
    int error = file_read_all(&text, path, FILE_ANY, STDIN_MOST, err);

    if (error == 0)
        error = history_read_text(out, text.bytes ? text.bytes : "", text.n,
                                  NULL, NULL, err);
    buffer_clear(&text);
    return error;
}

static int read_own(struct history *out,
                    struct own_folder **folder,
                    struct mapcore_error *err)
{
    char *root = NULL;
    int error = catalogue_user_root(&root, err);

    if (error == 0)
        error = catalogue_beside(folder, root, HISTORY_FOLDER, err);
    free(root);
    if (error == 0)
        return history_read_folder(out, *folder, true, NULL, err);
    return error == MAPCORE_ENOENT ? 0 : error; /* nothing has happened yet */
}

int history_open(struct history *out,
                 struct own_folder **folder,
                 const char *log,
                 struct mapcore_error *err)
{
    int error;

    if (!log)
        error = read_own(out, folder, err);
    else if (strcmp(log, "-") == 0)
        error = read_stdin(out, err);
    else if (is_file(log))
        error = read_file(out, log, err);
    else if (access(log, F_OK) != 0)
        error = error_set(err, MAPCORE_EIO, "%.300s: there is no such folder%s",
                          log,
                          strcmp(log, "syslog") == 0
                              ? ": read it by journalctl -o cat -t topomap | "
                                "... --log -"
                              : "");
    else if ((error = own_folder_open(folder, log, OWN_FOLDER_NAMED, err)) == 0)
        error = history_read_folder(out, *folder, false, NULL, err);
    if (error == 0)
        history_join(out);
    return error;
}

int history_complete(struct history *history,
                     double since,
                     uint32_t job,
                     struct mapcore_error *err)
{
    struct mapcore_error why;
    size_t n;
    int error = sacct_ask(&n, history, since, job, &why);

    if (error == MAPCORE_ENOMEM)
        return error_set(err, error, "no memory");
    if (error < 0)
        tool_note("%s", why.text);
    return 0;
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

bool history_wants(const struct history_options *options,
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

static int show(const struct history_options *options)
{
    struct history history = {0};
    struct mapcore_error err;
    struct own_folder *folder = NULL;
    int error = history_open(&history, &folder, options->log, &err), status;

    if (error == 0 && options->sacct)
        error = history_complete(
            &history, options->since,
            options->operand ? (uint32_t)strtoul(options->operand, NULL, 10)
                             : 0,
            &err);
    if (error < 0)
        status = tool_fail("%s", err.text);
    else if (options->map)
        status = history_show_maps(&history, folder, options);
    else
        status = history_show(&history, options);
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

int history_main(int argc, char **argv)
{
    struct history_options options = {0};
    struct mapcore_error err;
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (options.operand && !is_operand(options.operand))
        return tool_usage("history",
                          "'%s': expected JOB or JOB.STEP, such as "
                          "4711.0",
                          options.operand);
    if (options.csv && (options.json || options.map || options.ended))
        return tool_usage("history", "--csv is the table, alone");
    if (options.map && options.log)
        return tool_usage("history",
                          "--map: only your own history has the places of "
                          "ranks, no log of a site");
    if (options.sacct && (options.map || options.ended))
        return tool_usage("history", "--sacct is for steps that are shown");
    if (options.ended && options.log && site_check_log(options.log, &err) < 0)
        return tool_usage("history", "%s", err.text);
    return options.ended ? history_note_end(&options) : show(&options);
}
