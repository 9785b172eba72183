/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* options.c - what --topomap, TOPOMAP and plugstack.conf say, read by table:
 * the only parser of what a user typed, and it runs in the user's own srun */
#include "config.h"

#include "plugin/options.h"

#include "base/text.h"
#include "launch/defaults.h"
#include "launch/plain_name.h"
#include "launch/plan_words.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#define ALLOWED_MODES                                                          \
    "auto, learn, observe, profile, off, FILE.graph, grid:4x4, "               \
    "llm:tp=8,pp=4,dp=16, ring, "                                              \
    "alltoall:8, plan:FILE or help"
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
    KIND_ENV,
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
    [KIND_ENV] = "nodes or off",
};

/* Who may not say a key. One that stops a job, or suits one program, one file
 * or one MPI, is typed: a site's default holds for the programs of users who
 * did not type it. One that moves, binds or ends something is not for observe.
 */
enum {
    ANY = 0,
    TYPED = 1,
    ACTS = 2,
};

/* A key: its value in help, its option of `topomap plan`. */
struct options_key {
    const char *name, *value;
    enum kind kind;
    unsigned rule;
    size_t offset;
    const char *word; /* NULL: the plan is the same */
    const char *help; /* a line or several */
};

#define INTO(member) offsetof(struct options, member)
static const struct options_key keys[] = {
    {"time", "SECONDS", KIND_SECONDS, ANY, INTO(seconds), NULL,
     "how long planning may take (default " DEFAULTS_TEXT(
         DEFAULTS_SECONDS) ");\nauto: by the job's time, and until it gains no "
                           "more"},
    {"seed", "N", KIND_COUNT, ANY, INTO(seed), "--seed",
     "of the search (default 1)"},
    {"graph", "NAME", KIND_TEXT, TYPED, INTO(graph), "--graph",
     "which graph of the profile: p2p, alltoall, ..."},
    {"name", "NAME", KIND_NAME, TYPED, INTO(name), "--name",
     "file and find the profile under this name"},
    {"exe", "PATH", KIND_TEXT, TYPED, INTO(exe), NULL,
     "the program that a script starts"},
    {"recorder", "MPI", KIND_TEXT, TYPED, INTO(recorder), NULL,
     "mpich, openmpi or a file, where it is not found out"},
    {"seconds", "N", KIND_DURATION, TYPED, INTO(record_seconds), NULL,
     "record the first N seconds"},
    {"every", "N", KIND_DURATION, TYPED, INTO(record_every), NULL,
     "save what is recorded every N seconds"},
    {"catalogue", "DIR", KIND_TEXT, ANY, INTO(catalogue), "--catalogue",
     "look for the profile there, too: a colleague's"},
    {"report", "FILE", KIND_TEXT, TYPED | ACTS, INTO(report), "--report",
     "leave pictures of the plan there, a page of HTML"},
    {"mpi", "TYPE", KIND_TEXT, ANY, INTO(mpi), NULL,
     "move ranks under this --mpi, too: topomap doctor"},
    {"bind", "on|off", KIND_OFF, ACTS, INTO(no_bind), NULL,
     "bind each task to its place in the node (default on)"},
    {"scale", "on|off", KIND_OFF, ANY, INTO(no_scale), NULL,
     "predict the graph of a size that was not recorded\n(default on)"},
    {"unit", "WHAT", KIND_UNIT, ANY, INTO(unit), "--unit",
     "what moves: rank (default), node (what Slurm put together\n"
     "stays together), N consecutive ranks"},
    {"pin", "RANKS", KIND_PIN, ANY, INTO(pin), "--pin",
     "ranks that stay on their node: 0, 0-7, 3@n5, 0+8-11"},
    {"env", "nodes|off", KIND_ENV, ACTS, INTO(env), "--env",
     "nodes: SLURM_NODEID and the lists of nodes are as placed, with\n"
     "unit=node,pin=0 (default for torchrun and its kin)"},
    {"parallel", NULL, KIND_FLAG, ACTS, INTO(parallel), NULL,
     "have the job's nodes search as well, before the program"},
    {"record", NULL, KIND_FLAG, TYPED, INTO(record), NULL,
     "record the run that is placed, too"},
    {"cpus", NULL, KIND_FLAG, ACTS, INTO(cpus), "--cpus",
     "keep which CPUs each rank had: topomap history --ranks"},
    {"verbose", NULL, KIND_FLAG, ANY, INTO(verbose), NULL,
     "print the plan, and the command that repeats it"},
    {"strict", NULL, KIND_FLAG, TYPED | ACTS, INTO(strict), NULL,
     "rather end than run without a plan"},
    {"dry-run", NULL, KIND_FLAG, TYPED | ACTS, INTO(dry_run), NULL,
     "print the plan, start nothing (or plan-only)"},
    {"plan-only", NULL, KIND_FLAG, TYPED | ACTS, INTO(dry_run), NULL, NULL},
    {"help", NULL, KIND_FLAG, TYPED, INTO(help), NULL, NULL},
};
#define NKEYS (sizeof(keys) / sizeof(keys[0]))

void options_help(FILE *out)
{
    fputs(
        "--topomap=MODE[,key=value...]\n"
        "  auto        place the ranks by the stored profile of the program\n"
        "  learn       the same; record programs without a profile, and leave\n"
        "              some runs unplaced, to measure what placing gains\n"
        "  observe     leave the ranks; record as learn does, and note what\n"
        "              placing would gain: topomap history --summary\n"
        "  profile     record the profile of this run\n"
        "  off         leave this launch unchanged\n"
        "  FILE.graph  place the ranks by this task graph, or .mtx,\n"
        "              .edges\n"
        "  grid:4x4x8[:periodic][:weights=1/1/2][:order=last|first]\n"
        "              place the ranks by this grid, no profile needed\n"
        "  llm:tp=8,pp=4,dp=16[,cp=N][,ep=N], ring[:N], alltoall[:N]\n"
        "              place the ranks by what such programs send\n"
        "  plan:FILE   place the ranks as this plan says, which topomap plan\n"
        "              --to=file or topomap-mpi made\n"
        "  help        this text\n"
        "keys:\n",
        out);
    for (const struct options_key *key = keys; key < keys + NKEYS; key++) {
        int n = !key->help
                    ? 0
                    : fprintf(out, "  %s%s%s", key->name, key->value ? "=" : "",
                              key->value ? key->value : "");

        for (const char *line = key->help; line; n = 0) {
            fprintf(out, "%*s%.*s\n", n < 17 ? 17 - n : 1, "",
                    (int)strcspn(line, "\n"), line);
            line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL;
        }
    }
    fputs("TOPOMAP in the environment takes the same text. See "
          "spank-topomap(8).\n",
          out);
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
    case KIND_ENV:
        if (strcmp(value, "nodes") != 0 && strcmp(value, "off") != 0)
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

/* tail: further words behind the list. */
static int refuse(const char *item,
                  const char *nearest,
                  const char *list,
                  const char *tail,
                  struct mapcore_error *err)
{
    return nearest ? error_set(err, MAPCORE_EINVAL,
                               "\"%.64s\" is not one of its words, did you "
                               "mean \"%s\"?",
                               item, nearest)
                   : error_set(err, MAPCORE_EINVAL,
                               "\"%.64s\" is not one of %s%s%.64s", item, list,
                               tail, *tail ? item : "");
}

static int refuse_key(const char *item, struct mapcore_error *err)
{
    char list[512] = "";
    size_t n = 0;

    for (size_t i = 0; i < NKEYS && n < sizeof(list); i++)
        n += (size_t)snprintf(list + n, sizeof(list) - n, "%s%s%s%s",
                              i > 0 ? ", " : "", keys[i].name,
                              keys[i].value ? "=" : "",
                              keys[i].value ? keys[i].value : "");
    return refuse(item, text_nearest(item, keys, NKEYS, sizeof(*keys)), list,
                  "", err);
}

static int take_key(struct options *out, char *item, struct mapcore_error *err)
{
    char *value = strchr(item, '=');

    if (value)
        *value++ = '\0';
    for (const struct options_key *key = keys; key < keys + NKEYS; key++) {
        if (strcmp(key->name, item) != 0)
            continue;
        if (key->rule & TYPED)
            out->typed_key = key->name;
        if (key->rule & ACTS)
            out->acting_key = key->name;
        if (set_key(out, key, value))
            return 0;
        return error_set(err, MAPCORE_EINVAL, "\"%s%s%.64s\": %s wants %s",
                         item, value ? "=" : "", value ? value : "", item,
                         wants[key->kind]);
    }
    return refuse_key(item, err);
}

static int take_mode(struct options *out,
                     const char *item,
                     struct mapcore_error *err)
{
    static const char *const modes[] = {"auto",    "learn", "observe",
                                        "profile", "off",   "help"};

    out->mode = OPTIONS_AUTO;
    if (strcmp(item, "profile") == 0)
        out->mode = OPTIONS_PROFILE;
    else if (strcmp(item, "off") == 0)
        out->mode = OPTIONS_OFF;
    else if (strcmp(item, "learn") == 0)
        out->learn = true;
    else if (strcmp(item, "observe") == 0)
        out->observe = out->learn = true;
    else if (strcmp(item, "help") == 0)
        out->help = true;
    else if (graph_word_is_whole(item))
        out->graph = item;
    else if (strcmp(item, "auto") != 0)
        return refuse(item,
                      text_nearest(item, modes, sizeof(modes) / sizeof(*modes),
                                   sizeof(*modes)),
                      ALLOWED_MODES,
                      strchr(item, '.') ? "; a file of another name: ./" : "",
                      err);
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
    while (error == 0 && (item = strsep(&next, ",")))
        error = take_key(out, item, err);
    if (error == 0 && out->observe && out->acting_key)
        error = error_set(err, MAPCORE_EINVAL,
                          "observe takes no %s: it leaves the launch as "
                          "Slurm makes it",
                          out->acting_key);
    if (error == 0 && out->env && strcmp(out->env, "nodes") == 0) {
        if (out->unit && !options_move_nodes(out))
            error = error_set(err, MAPCORE_EINVAL,
                              "env=nodes moves whole nodes, and unit=%.32s "
                              "does not",
                              out->unit);
        out->unit = "node";
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

int options_check_default(const char *text, struct mapcore_error *err)
{
    struct options options;
    static const char *const modes[] = {"auto", "learn", "observe", NULL};
    const size_t n = strcspn(text, ",");
    int error, i = 0;

    if (strcmp(text, "off") == 0)
        return 0;
    while (modes[i] && (strlen(modes[i]) != n || !text_after(text, modes[i])))
        i++;
    if (!modes[i])
        return error_set(err, MAPCORE_EINVAL,
                         "expected off, auto, learn, observe or one of these "
                         "with ,KEY..., not '%.40s'",
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

        if ((value = text_after(argv[i], "catalogue=")) && *value == '/' &&
            out->ncatalogues < PLUGSTACK_CATALOGUES)
            out->catalogue[out->ncatalogues++] = value;
        else if ((value = text_after(argv[i], "config=")) && *value == '/')
            out->config = value;
        else if ((value = text_after(argv[i], "mpi=")))
            out->mpi = value;
        else if ((value = text_after(argv[i], "program=")) && *value == '/')
            out->program = value;
        else if ((value = text_after(argv[i], "log=")))
            out->log = value;
        else if (strcmp(argv[i], "disabled") == 0)
            out->disabled = true;
        else if ((value = text_after(argv[i], "time=")))
            known = out->says_time = take_seconds(&out->seconds, value);
        else if ((value = text_after(argv[i], "default="))) {
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
                "catalogue=/DIR, config=/FILE, default=off|auto|learn|observe[,KEY...], "
                "time=SECONDS, mpi=LIST, log=/DIR|syslog, program=/FILE, "
                "disabled",
                argv[i]);
    }
    if (out->disabled)
        out->not_placed = out->not_recorded = OPTIONS_DISABLED;
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

const char *options_forbidden(const struct options *options,
                              const struct plugstack *plugstack)
{
    return options->mode == OPTIONS_PROFILE ? plugstack->not_recorded
                                            : plugstack->not_placed;
}

/* Where there is a value, its option and it. */
static size_t put_words(const char **words, const char *name, const char *value)
{
    if (value) {
        words[0] = name;
        words[1] = value;
    }
    return value ? 2 : 0;
}

void options_words(const char *words[OPTIONS_WORDS],
                   const struct options *options,
                   const struct plugstack *plugstack,
                   const char *time)
{
    size_t n = 0;

    for (const struct options_key *key = keys; key < keys + NKEYS; key++) {
        const char *member = (const char *)options + key->offset;

        if (key->word && key->kind != KIND_FLAG)
            n += put_words(words + n, key->word, *(char *const *)member);
        else if (key->word && *(const bool *)member)
            words[n++] = key->word;
    }
    /* Who rather ends than runs without the plan does not want a guess. */
    if (options->no_scale || options->strict)
        n += put_words(words + n, "--scale", "off");
    n += put_words(words + n, "--config", plugstack->config);
    n += put_words(words + n, "--log", plugstack->log);
    n += put_words(words + n, "--time", time);
    for (int i = 0; i < plugstack->ncatalogues; i++)
        n += put_words(words + n, "--site-catalogue", plugstack->catalogue[i]);
    if (options->learn)
        words[n++] = "--learn";
    if (options->observe)
        words[n++] = "--observe";
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
