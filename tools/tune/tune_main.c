/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_main.c - topomap tune: its options, with which it becomes tune.py */
#include "config.h"

#include "launch/defaults.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/taskgraphs.h"
#include "tools/common/command_line.h"
#include "tools/common/script.h"
#include "tools/site/site.h"

#include <stdlib.h>
#include <unistd.h>

enum {
    DEFAULT_REPEAT = 3,
    MOST_REPEAT = 1000,
};

/* As typed; tune.py judges what it means. */
struct tune {
    const char *name, *exe, *config, *log, *forget; /* NULL: not said */
    struct tool_list catalogues, given;
    double time_s, share;
    uint32_t repeat;
    bool fresh, json, csv;
    char **words; /* srun and its words, NULL behind them */
};

static int take_name(void *at, const char *text, struct mapcore_error *err)
{
    *(const char **)at = text;
    return catalogue_check_name(text, err);
}

static const struct option_row rows[] = {
    {OPTION_TAKES("repeat", "N", struct tune, repeat), .min = 1,
     .max = MOST_REPEAT, .shows_default = true},
    {OPTION_TAKES("time", "SECONDS", struct tune, time_s), .least = 0.01,
     .most = DEFAULTS_SECONDS_MOST},
    {OPTION_TAKES("share", "S", struct tune, share), .least = 1e-6, .most = 1,
     .shows_default = true},
    {OPTION("name", "NAME"), OPTION_CALL_INTO(struct tune, name, take_name)},
    {OPTION_TAKES("program", "FILE", struct tune, exe)},
    {OPTION_NAMED("record", struct tune, fresh)},
    {OPTION_TAKES("forget", "PROFILE", struct tune, forget)},
    {OPTION_TAKES("log", "FILE", struct tune, log)},
    {OPTION_TAKES("catalogue", "DIR", struct tune, catalogues)},
    {OPTION_TAKES("config", "FILE", struct tune, config)},
    {OPTION_NAMED("json", struct tune, json)},
    {OPTION_NAMED("csv", struct tune, csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "tune",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct tune, words),
    .words = offsetof(struct tune, given),
};

static int become(struct tune *tune, struct mapcore_error *err)
{
    static const char budget[] = DEFAULTS_TEXT(DEFAULTS_SECONDS);
    char share[32], log[16], *own = NULL;
    int fd = -1, error = 0;

    snprintf(share, sizeof(share), "%.17g", tune->share);
    site_root_export_of(tune->config);
    /* The user's catalogue, which all nodes see. */
    if (!tune->forget && tune->words[0] &&
        (error = catalogue_user_root(&own, err)) == 0 &&
        (error = catalogue_make_root(own, err)) == 0)
        error = script_add(&tune->given, "own", own, err);
    /* Said before hours of runs, not after each. */
    if (error == 0 && tune->log &&
        (fd = error = tool_append_open(tune->log, err)) >= 0) {
        snprintf(log, sizeof(log), "%d", fd);
        error = script_add(&tune->given, "log-fd", log, err);
    }
    if (error == 0 &&
        (error = script_add(&tune->given, "share", share, err)) == 0 &&
        (error = script_add(&tune->given, "budget", budget, err)) == 0)
        error =
            script_become("tune.py", "tune", &tune->given, tune->words, err);
    if (fd >= 0)
        close(fd);
    free(own);
    return error;
}

int tune_main(int argc, char **argv, struct mapcore_error *err)
{
    struct tune tune = {
        .repeat = DEFAULT_REPEAT,
        .share = MAPCORE_CRITICAL_SHARE,
    };
    int status;

    if (command_line_parse(&status, &line, &tune, argc, argv))
        status = become(&tune, err);
    free(tune.catalogues.item);
    free(tune.given.item);
    return status;
}
