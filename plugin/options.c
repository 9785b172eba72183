/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options.c - what --topomap, TOPOMAP and plugstack.conf say, read by table:
 * the only parser of what a user typed, and it runs in the user's own srun */
#include "config.h"

#include "plugin/options.h"

#include "base/text.h"
#include "launch/constraint_words.h"
#include "launch/defaults.h"
#include "launch/graph_word.h"
#include "launch/plain_name.h"

#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALLOWED_MODES                                                              \
    "auto, learn, profile, off, FILE.graph, grid:4x4, llm:tp=8,pp=4,dp=16, ring, " \
    "alltoall:8, plan:FILE or help"
#define ALLOWED_KEYS                                                                                       \
    "time=SECONDS (up to " DEFAULTS_TEXT(                                                                  \
        DEFAULTS_SECONDS_MOST) ") or auto, seed=N, "                                                       \
                               "graph=NAME, name=NAME, exe=PATH, recorder=mpich|openmpi|FILE, seconds=N, " \
                               "every=N, "                                                                 \
                               "catalogue=DIR, report=FILE, mpi=TYPE, "                                    \
                               "bind=on|off, scale=on|off, unit=rank|node|N, "                             \
                               "pin=RANKS, parallel, record, "                                             \
                               "cpus, verbose, strict, dry-run, plan-only, help"

enum kind {
    KIND_FLAG,
    KIND_TEXT,
    KIND_NAME,
    KIND_COUNT,
    KIND_DURATION,
    KIND_SECONDS,
    KIND_OFF, /* on or off; true means off */
    KIND_UNIT,
    KIND_PIN,
};

/* Of what is recorded: more than any job lasts. */
#define DURATION_MOST 1000000

/* What a key of that kind wants. */
static const char *const wants[] = {
    [KIND_FLAG] = "no value",
    [KIND_TEXT] = "a value",
    [KIND_NAME] = "a name of letters, digits and ._+-",
    [KIND_COUNT] = "a whole number from 1",
    [KIND_DURATION] = "whole seconds from 1 to " DEFAULTS_TEXT(DURATION_MOST),
    [KIND_SECONDS] =
        "seconds up to " DEFAULTS_TEXT(DEFAULTS_SECONDS_MOST) ", or auto",
    [KIND_OFF] = "on or off",
    [KIND_UNIT] = "rank, node or a number of ranks",
    [KIND_PIN] = "ranks, such as 0, 0-7, 3@n5 or off",
};

/* Where a key may stand. A site's default holds for the programs of users who
 * did not type it. */
enum place {
    ANYWHERE,
    TYPED, /* it stops a job, or suits one program, one file or one MPI */
};

struct options_key {
    const char *name;
    enum kind kind;
    enum place place;
    size_t offset;
};

static const struct options_key keys[] = {
    {"time", KIND_SECONDS, ANYWHERE, offsetof(struct options, seconds)},
    {"seed", KIND_COUNT, ANYWHERE, offsetof(struct options, seed)},
    {"graph", KIND_TEXT, TYPED, offsetof(struct options, graph)},
    {"name", KIND_NAME, TYPED, offsetof(struct options, name)},
    {"exe", KIND_TEXT, TYPED, offsetof(struct options, exe)},
    {"recorder", KIND_TEXT, TYPED, offsetof(struct options, recorder)},
    {"seconds", KIND_DURATION, TYPED, offsetof(struct options, record_seconds)},
    {"every", KIND_DURATION, TYPED, offsetof(struct options, record_every)},
    {"catalogue", KIND_TEXT, ANYWHERE, offsetof(struct options, catalogue)},
    {"report", KIND_TEXT, TYPED, offsetof(struct options, report)},
    {"mpi", KIND_TEXT, ANYWHERE, offsetof(struct options, mpi)},
    {"bind", KIND_OFF, ANYWHERE, offsetof(struct options, no_bind)},
    {"scale", KIND_OFF, ANYWHERE, offsetof(struct options, no_scale)},
    {"unit", KIND_UNIT, ANYWHERE, offsetof(struct options, unit)},
    {"pin", KIND_PIN, ANYWHERE, offsetof(struct options, pin)},
    {"parallel", KIND_FLAG, ANYWHERE, offsetof(struct options, parallel)},
    {"record", KIND_FLAG, TYPED, offsetof(struct options, record)},
    {"cpus", KIND_FLAG, ANYWHERE, offsetof(struct options, cpus)},
    {"verbose", KIND_FLAG, ANYWHERE, offsetof(struct options, verbose)},
    {"strict", KIND_FLAG, TYPED, offsetof(struct options, strict)},
    {"dry-run", KIND_FLAG, TYPED, offsetof(struct options, dry_run)},
    {"plan-only", KIND_FLAG, TYPED, offsetof(struct options, dry_run)},
    {"help", KIND_FLAG, TYPED, offsetof(struct options, help)},
};

const char *options_help(void)
{
    return "--topomap=MODE[,key=value...]\n"
           "  auto        place the ranks by the stored profile of the program\n"
           "  learn       the same; what has no profile is recorded, and some\n"
           "              runs stay unplaced, to see what placing is worth\n"
           "  profile     record the profile of this run\n"
           "  off         leave this launch alone\n"
           "  FILE.graph  place the ranks by this task graph, or .grf,\n"
           "              .mtx, .edges\n"
           "  grid:4x4x8[:periodic][:weights=1/1/2][:order=last|first]\n"
           "              place the ranks by this grid, no profile needed\n"
           "  llm:tp=8,pp=4,dp=16[,cp=N][,ep=N], ring[:N], alltoall[:N]\n"
           "              place the ranks by what such programs send\n"
           "  plan:FILE   place the ranks as this plan says, which topomap plan\n"
           "              --to=file or topomap-mpi made\n"
           "  help        this text\n"
           "keys:\n"
           "  time=SECONDS   how long planning may take (default " DEFAULTS_TEXT(
               DEFAULTS_SECONDS) ");\n"
                                 "                 auto: by the job's time, "
                                 "and until it gains no more\n"
                                 "  seed=N         of the search (default 1)\n"
                                 "  graph=NAME     which graph of the profile: p2p, alltoall, ...\n"
                                 "  name=NAME      file and find the profile under this name\n"
                                 "  exe=PATH       the program that a script starts\n"
                                 "  recorder=mpich|openmpi|FILE\n"
                                 "                 where it is not found out\n"
                                 "  seconds=N      record the first N seconds\n"
                                 "  every=N        save what is recorded every N seconds\n"
                                 "  catalogue=DIR  look for the profile there, too: a colleague's\n"
                                 "  report=FILE    leave pictures of the plan there, a page of HTML\n"
                                 "  mpi=TYPE       move ranks under this --mpi, too: topomap doctor\n"
                                 "  bind=on|off    bind each task to its place in the node "
                                 "(default on)\n"
                                 "  scale=on|off   predict the graph of a size that was not recorded\n"
                                 "                 (default on)\n"
                                 "  unit=WHAT      what moves: rank (default), node (what Slurm put together\n"
                                 "                 stays together), N consecutive ranks\n"
                                 "  pin=RANKS      ranks that stay on their node: 0, 0-7, 3@n5, 0+8-11\n"
                                 "  parallel       have the job's nodes search as well, before the program\n"
                                 "  record         record the run that is placed, too\n"
                                 "  cpus           keep which CPUs each rank had: topomap history --map\n"
                                 "  verbose        print the plan, and the command that repeats it\n"
                                 "  strict         rather end than run without a plan\n"
                                 "  dry-run        print the plan, start nothing (or plan-only)\n"
                                 "TOPOMAP in the environment takes the same text. See "
                                 "spank-topomap(8).\n";
}

static bool take_seconds(double *out, const char *value)
{
    double seconds;

    if (!text_parse_double(value, &seconds) || seconds <= 0 ||
        seconds > DEFAULTS_SECONDS_MOST)
        return false;
    *out = seconds;
    return true;
}

/* Sets one member from its value (NULL: none was given); false when it is not
 * of that kind. */
static bool set_key(struct options *out,
                    const struct options_key *key,
                    const char *value)
{
    void *member = (char *)out + key->offset;
    uint64_t number;
    uint32_t unit;

    if (key->kind == KIND_FLAG) {
        *(bool *)member = true;
        return !value;
    }
    if (!value || *value == '\0')
        return false;
    switch (key->kind) {
    case KIND_NAME:
        if (!plain_name_check(value, PLAIN_NAME_MOST))
            return false;
        break;
    case KIND_COUNT:
    case KIND_DURATION:
        if (!text_parse_u64(value, &number) || number == 0 ||
            (key->kind == KIND_DURATION && number > DURATION_MOST))
            return false;
        break;
    case KIND_SECONDS:
        out->auto_time = strcmp(value, "auto") == 0;
        return out->auto_time || take_seconds(member, value);
    case KIND_UNIT:
        if (!unit_word_parse(&unit, value))
            return false;
        break;
    case KIND_PIN:
        if (!pin_words_check(value))
            return false;
        break;
    case KIND_OFF:
        *(bool *)member = strcmp(value, "off") == 0;
        return *(bool *)member || strcmp(value, "on") == 0;
    case KIND_FLAG:
    case KIND_TEXT:
        break;
    }
    *(const char **)member = value;
    return true;
}

static int take_key(struct options *out, char *item, struct mapcore_error *err)
{
    char *value = strchr(item, '=');

    if (value)
        *value++ = '\0';
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        if (strcmp(keys[i].name, item) != 0)
            continue;
        if (keys[i].place == TYPED)
            out->typed_key = keys[i].name;
        if (set_key(out, &keys[i], value))
            return 0;
        return error_set(err, MAPCORE_EINVAL, "\"%s%s%.64s\": %s wants %s",
                         item, value ? "=" : "", value ? value : "", item,
                         wants[keys[i].kind]);
    }
    return error_set(err, MAPCORE_EINVAL,
                     "\"%.64s\" is not one of " ALLOWED_KEYS, item);
}

static int take_mode(struct options *out,
                     const char *item,
                     struct mapcore_error *err)
{
    out->mode = OPTIONS_AUTO;
    if (strcmp(item, "profile") == 0)
        out->mode = OPTIONS_PROFILE;
    else if (strcmp(item, "off") == 0)
        out->mode = OPTIONS_OFF;
    else if (strcmp(item, "learn") == 0)
        out->learn = true;
    else if (strcmp(item, "help") == 0)
        out->help = true;
    else if (graph_word_is_file(item) || graph_word_is_pattern(item) ||
             graph_word_plan(item))
        out->graph = item;
    else if (strcmp(item, "auto") != 0)
        return error_set(err, MAPCORE_EINVAL,
                         "\"%.64s\" is not one of " ALLOWED_MODES, item);
    return 0;
}

int options_parse(struct options *out,
                  const char *text,
                  struct mapcore_error *err)
{
    char *item, *next;
    int error;

    memset(out, 0, sizeof(*out));
    if (strlen(text) >= sizeof(out->text))
        return error_set(err, MAPCORE_EINVAL, "longer than %zu characters",
                         sizeof(out->text) - 1);
    memcpy(out->text, text, strlen(text));
    next = out->text + graph_word_length(out->text);
    if (*next == ',')
        *next++ = '\0';
    else
        next = NULL;
    error = take_mode(out, out->text, err);
    while (error == 0 && next) {
        item = next;
        next = strchr(item, ',');
        if (next)
            *next++ = '\0';
        error = take_key(out, item, err);
    }
    if (error == 0 && (out->record_seconds || out->record_every) &&
        out->mode != OPTIONS_PROFILE && !out->record)
        error =
            error_set(err, MAPCORE_EINVAL,
                      "seconds= and every= are for profile, or with record");
    if (error < 0)
        out->mode = OPTIONS_OFF;
    return error;
}

static const char *after(const char *text, const char *prefix)
{
    size_t n = strlen(prefix);

    return strncmp(text, prefix, n) == 0 ? text + n : NULL;
}

int options_check_default(const char *text, struct mapcore_error *err)
{
    struct options options;
    const size_t n = strcspn(text, ",");
    int error;

    if (strcmp(text, "off") == 0)
        return 0;
    if ((n != 4 || !after(text, "auto")) && (n != 5 || !after(text, "learn")))
        return error_set(err, MAPCORE_EINVAL,
                         "expected off, auto, learn or one of these with "
                         ",KEY..., not '%.40s'",
                         text);
    error = options_parse(&options, text, err);
    if (error == 0 && options.typed_key)
        error = error_set(err, MAPCORE_EINVAL,
                          "no default takes %s, which is for --topomap and "
                          "TOPOMAP: it would meet users who typed neither",
                          options.typed_key);
    return error;
}

int plugstack_take_default(struct plugstack *out,
                           const char *value,
                           struct mapcore_error *err)
{
    int error = options_check_default(value, err);

    out->says_default = true;
    out->by_default = error < 0 || strcmp(value, "off") == 0 ? NULL : value;
    return error;
}

int plugstack_parse(struct plugstack *out,
                    int argc,
                    char **argv,
                    struct mapcore_error *err)
{
    struct mapcore_error why;
    int error = 0;

    memset(out, 0, sizeof(*out));
    out->seconds = DEFAULTS_SECONDS;
    for (int i = 0; i < argc; i++) {
        const char *value;
        bool known = true;

        if ((value = after(argv[i], "catalogue=")) && *value &&
            out->ncatalogues < PLUGSTACK_CATALOGUES)
            out->catalogue[out->ncatalogues++] = value;
        else if ((value = after(argv[i], "config=")) && *value)
            out->config = value;
        else if ((value = after(argv[i], "mpi=")))
            out->mpi = value;
        else if ((value = after(argv[i], "program=")) && *value == '/')
            out->program = value;
        else if ((value = after(argv[i], "log=")))
            out->log = value;
        else if ((value = after(argv[i], "time=")))
            known = out->says_time = take_seconds(&out->seconds, value);
        else if ((value = after(argv[i], "default="))) {
            if (plugstack_take_default(out, value, &why) < 0)
                error = error_set(err, MAPCORE_EINVAL,
                                  "plugstack.conf: default=%.64s: %s", value,
                                  why.text);
        } else
            known = false;
        if (!known)
            error = error_set(
                err, MAPCORE_EINVAL,
                "plugstack.conf: \"%.64s\" is not one of "
                "catalogue=DIR, config=FILE, default=off|auto|learn[,KEY...], "
                "time=SECONDS, mpi=LIST, log=DIR|syslog, program=PATH",
                argv[i]);
    }
    return error;
}

int options_default(struct options *out,
                    const struct plugstack *plugstack,
                    const char *variable,
                    struct mapcore_error *err)
{
    int error;

    if (!variable || *variable == '\0') {
        error = options_parse(
            out, plugstack->by_default ? plugstack->by_default : "off", err);
        if (!out->unit)
            out->unit = "node";
        if (!out->pin)
            out->pin = "0";
        out->standing = true;
        return error;
    }
    error = options_parse(out, variable, err);
    if (error == 0 && out->help) {
        options_parse(out, "off", NULL);
        error = error_set(err, MAPCORE_EINVAL,
                          "help is for the command line: --topomap=help");
    }
    out->typed = out->standing = true;
    return error;
}

void options_words(const char *words[OPTIONS_WORDS],
                   const struct options *options,
                   const struct plugstack *plugstack,
                   const char *time)
{
    const char *const pairs[][2] = {
        {"--graph", options->graph},
        {"--name", options->name},
        {"--seed", options->seed},
        {"--unit", options->unit},
        {"--pin", options->pin},
        /* Who rather ends than runs without the plan does not want a guess. */
        {"--scale", options->no_scale || options->strict ? "off" : NULL},
        {"--config", plugstack->config},
        {"--catalogue", options->catalogue},
        {"--log", plugstack->log},
        {"--report", options->report},
        {"--time", time},
    };
    int n = 0;

    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        if (pairs[i][1]) {
            words[n++] = pairs[i][0];
            words[n++] = pairs[i][1];
        }
    for (int i = 0; i < plugstack->ncatalogues; i++) {
        words[n++] = "--site-catalogue";
        words[n++] = plugstack->catalogue[i];
    }
    if (options->learn)
        words[n++] = "--learn";
    if (options->cpus)
        words[n++] = "--cpus";
    words[n] = NULL;
}

const char *options_recorder_word(const struct options *options)
{
    const char *word = options->recorder;

    return word && (strcmp(word, "mpich") == 0 || strcmp(word, "openmpi") == 0)
               ? word
               : NULL;
}

double options_seconds(const struct options *options,
                       const struct plugstack *plugstack,
                       double left)
{
    double seconds =
        options->auto_time
            ? defaults_auto(plugstack->seconds,
                            plugstack->auto_most > 0 ? plugstack->auto_most
                                                     : DEFAULTS_AUTO_MOST,
                            left)
        : options->seconds > 0 ? options->seconds
                               : plugstack->seconds;

    return options->typed || seconds < DEFAULTS_AUTO_MOST ? seconds
                                                          : DEFAULTS_AUTO_MOST;
}

bool options_move_nodes(const struct options *options)
{
    return options->unit && strcmp(options->unit, "node") == 0;
}
