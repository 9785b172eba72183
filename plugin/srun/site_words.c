/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_words.c - plugstack.conf's arguments that stand in the site file: read
 * by `topomap`, since nothing here reads JSON, and not even started where the
 * file has no such word */
#include "config.h"

#include "plugin/srun/lookup.h"

#include "base/file_read.h"
#include "base/text.h"
#include "launch/catalogue_root.h"
#include "plugin/say.h"
#include "plugin/srun/child.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A larger file is not looked through: it may say anything. */
#define LOOK_MOST 65536

/* That file is small and local: looking at it takes a moment, or its storage
 * hangs. What then reads it is a process of its own, which a busy machine may
 * take seconds to start; without its answer nothing is placed. */
#define LOOK_SECONDS 1
#define ASK_SECONDS  3

/* More words of a command do not lead to its program. */
#define WORDS_MOST 1000

/* The keys whose values are asked for, as JSON writes them. */
#define DEFAULT_KEY "\"default\""
#define ROOT_KEY    "\"catalogue_root\""

static const char *const keys[] = {
    DEFAULT_KEY, "\"rules\"",    "\"time_s\"", "\"time_auto_most_s\"",
    "\"mpi\"",   "\"disabled\"", ROOT_KEY,     "\"profile_umask\""};

/* Whether a file OPTIONS_SWITCH_FILE, of any content, lies beside it. */
static bool is_switched(const char *path)
{
    char beside[PATH_MAX];

    snprintf(beside, sizeof(beside), "%.*s" OPTIONS_SWITCH_FILE,
             (int)(text_last_part(path) - path), path);
    return access(beside, F_OK) == 0;
}

/* Wrong in one direction only: the word may stand where it says nothing. */
static bool may_say(const char *path, bool only_default)
{
    const size_t nkeys = only_default ? 1 : sizeof(keys) / sizeof(keys[0]);
    struct buffer text = {0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    bool may = fd >= 0 && file_read_rest(&text, fd, path, LOOK_MOST, NULL) < 0;

    if (!may && text.n > 0)
        /* JSON can write any letter as an escape. */
        may = strlen(text.bytes) < text.n || strchr(text.bytes, '\\');
    for (size_t i = 0; !may && text.n > 0 && i < nkeys; i++)
        may = strstr(text.bytes, keys[i]);
    buffer_clear(&text);
    if (fd >= 0)
        close(fd);
    return may;
}

struct look {
    const char *path;
    bool only_default;
};

static int look(FILE *out, const void *subject, struct mapcore_error *err)
{
    const struct look *at = subject;

    (void)err;
    child_asks(at->path);
    if (may_say(at->path, at->only_default) ||
        (!at->only_default && is_switched(at->path)))
        fputs(DEFAULT_KEY, out);
    return 0;
}

/* srun does not wait for the storage of that file, the installed one neither:
 * what was loaded from there before may stand in memory. */
static bool is_worth_asking(const char *config, bool only_default)
{
    const struct look at = {config ? config : TOPOMAP_SITEFILE, only_default};
    const struct child_question question = {
        .answer = look, .subject = &at, .seconds = LOOK_SECONDS};
    char *answer = NULL;
    size_t n = 0;

    child_ask(&answer, &n, &question, NULL);
    free(answer);
    return n > 0;
}

static void take_number(double *out, const char *answer, const char *word)
{
    char *value = text_value(answer, word);

    if (!value || !text_parse_double(value, out))
        *out = 0;
    free(value);
}

/* *wrong: why the file is not read, owned. */
static int ask(char **wrong,
               struct plugstack *plugstack,
               bool only_default,
               const char *const *command,
               struct mapcore_error *err)
{
    const char *argv[WORDS_MOST + 7] = {plugstack->program, "plan", "--site"};
    const char **word = argv + 3;
    const struct child_question question = {.argv = argv,
                                            .seconds = ASK_SECONDS};
    char *answer = NULL, *by_default, *value;
    double limit;
    size_t n = 0;
    int error;

    if (plugstack->config) {
        *word++ = "--config";
        *word++ = plugstack->config;
    }
    *word++ = "--";
    for (int i = 0; command && command[i] && i < WORDS_MOST; i++)
        *word++ = command[i];
    plugstack->not_placed = plugstack->not_recorded = NULL;
    if (!is_worth_asking(plugstack->config, only_default))
        return 0;
    if ((error = child_ask(&answer, &n, &question, err)) < 0)
        return error;
    if (!plugstack->says_default &&
        (by_default = text_value(answer, "default")))
        plugstack_take_default(plugstack, by_default, NULL);
    take_number(&limit, answer, "time");
    if (!plugstack->says_time && limit > 0)
        plugstack->seconds = limit;
    take_number(&plugstack->auto_most, answer, "time-most");
    if (!plugstack->mpi)
        plugstack->mpi = text_value(answer, "mpi");
    plugstack->not_placed = text_value(answer, "not-placed");
    plugstack->not_recorded = text_value(answer, "not-recorded");
    *wrong = text_value(answer, "wrong");
    /* For all that srun starts. */
    if ((value = text_value(answer, "root")))
        setenv("TOPOMAP_CATALOGUE", value, 1);
    free(value);
    if ((value = text_value(answer, "umask")))
        setenv(CATALOGUE_UMASK, value, 1);
    free(value);
    free(answer);
    return 0;
}

int site_words_take(struct options *options,
                    struct plugstack *plugstack,
                    const char *const *command,
                    struct mapcore_error *err)
{
    const bool by_file = !options->typed && !plugstack->says_default;
    const bool wants = options->typed ? options->mode != OPTIONS_OFF
                                      : by_file || plugstack->by_default;
    char *wrong = NULL;
    int error = 0;

    /* Who says off, wherever, waits for nothing. */
    if (wants && !plugstack->disabled)
        error = ask(&wrong, plugstack, by_file, command, err);
    /* Who asked for a plan hears of it instead of one. */
    if (by_file && wrong)
        say_verbose(MESSAGE_SITE_FILE, wrong);
    free(wrong);
    if (!options->typed)
        options_default(options, plugstack, NULL, NULL);
    return error;
}
