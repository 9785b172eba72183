/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher.c - tells launchers apart, and reads their words up to the program
 */
#include "config.h"

#include "tools/place/launcher.h"

#include "base/array.h"
#include "base/text.h"
#include "tools/common/subprocess.h"

#include <stdlib.h>
#include <string.h>

/* How long a launcher may take to say its version. */
#define ASK_SECONDS 10.0

const struct option_word launcher_words[] = {
    {"auto", LAUNCHER_UNKNOWN, "by its name and version", false},
    {"openmpi", LAUNCHER_OPENMPI, "4 and before", false},
    {"prrte", LAUNCHER_PRRTE, "Open MPI 5", false},
    {"hydra", LAUNCHER_HYDRA, "MPICH", false},
    {"intel", LAUNCHER_INTEL, NULL, false},
    {"pals", LAUNCHER_PALS, "HPE Cray", false},
    {"flux", LAUNCHER_FLUX, NULL, false},
    {"jsrun", LAUNCHER_JSRUN, NULL, false},
    {NULL, 0, NULL, false},
};

/* "4.1.4" behind a word of the text. */
static const char *version_behind(char version[32],
                                  const char *text,
                                  const char *word)
{
    const char *at = strstr(text, word);
    size_t n = 0;

    version[0] = '\0';
    if (!at)
        return NULL;
    at += strlen(word);
    at += strcspn(at, "0123456789\n");
    n = strspn(at, "0123456789.");
    snprintf(version, 32, "%.*s", (int)(n < 31 ? n : 31), at);
    return version;
}

/* 5.0.3, 10.1 */
static bool is_from_5(const char *version)
{
    return strspn(version, "0123456789") > 1 || *version >= '5';
}

enum launcher_kind launcher_by_version(char *name,
                                       size_t size,
                                       const char *printed)
{
    static const struct {
        const char *mark, *behind, *name;
        enum launcher_kind kind;
    } marks[] = {
        {"HYDRA", "Version:", "MPICH", LAUNCHER_HYDRA},
        {"Intel(R) MPI", "Version", "Intel MPI", LAUNCHER_INTEL},
        {"(Open MPI)", "(Open MPI)", "Open MPI", LAUNCHER_OPENMPI},
        {"Spectrum MPI)", "Spectrum MPI)", "Spectrum MPI", LAUNCHER_OPENMPI},
        {"(OpenRTE)", "(OpenRTE)", "Open MPI", LAUNCHER_OPENMPI},
        {"PRRTE", "PRRTE", "PRRTE", LAUNCHER_PRRTE},
        {"prterun", "prterun", "PRRTE", LAUNCHER_PRRTE},
        {"PALS", "PALS", "PALS", LAUNCHER_PALS},
    };
    char version[32];

    for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
        if (!strstr(printed, marks[i].mark))
            continue;
        if (!version_behind(version, printed, marks[i].behind))
            version[0] = '\0';
        snprintf(name, size, "%s%s%s", marks[i].name, *version ? " " : "",
                 version);
        /* IBM counts otherwise: its 10 is an Open MPI 3 or 4. */
        if (strcmp(marks[i].name, "Open MPI") == 0 && is_from_5(version))
            return LAUNCHER_PRRTE;
        return marks[i].kind;
    }
    return LAUNCHER_UNKNOWN;
}

static int recognise(struct launcher_line *line, struct mapcore_error *err)
{
    static const struct {
        const char *name;
        enum launcher_kind kind;
    } names[] = {{"flux", LAUNCHER_FLUX},
                 {"jsrun", LAUNCHER_JSRUN},
                 {"srun", LAUNCHER_SRUN}};
    const char *name = text_last_part(line->word[0]);
    char option[] = "--version";
    char *argv[] = {line->word[0], option, NULL};
    char *printed = NULL;
    size_t n;
    int error;

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(name, names[i].name) == 0) {
            snprintf(line->name, sizeof(line->name), "%s", name);
            line->kind = names[i].kind;
            return 0;
        }
    error = subprocess_read(&printed, &n, argv, ASK_SECONDS, err);
    if (error == 0)
        line->kind =
            launcher_by_version(line->name, sizeof(line->name), printed);
    free(printed);
    if (error == 0 && line->kind == LAUNCHER_UNKNOWN)
        error = error_set(err, MAPCORE_ENOTSUP,
                          "%.300s is no launcher that is known here",
                          line->word[0]);
    return error;
}

static bool is_plain(const char *list, const char *name, size_t n)
{
    for (const char *at = list; (at = strchr(at, ' ')); at++)
        if (n > 0 && strncmp(at + 1, name, n) == 0 && at[1 + n] == ' ')
            return true;
    return false;
}

/* A word of -, --, with =VALUE or, of one letter, a value behind it. */
static const struct launcher_option *find_option(
    const struct launcher_line *line,
    const char *word,
    const char **value)
{
    static const struct launcher_option plain = {"", 1, ROLE_PLAIN};
    const struct launcher_options *options = launcher_options(line->kind);
    const struct launcher_option *option = options->option;
    const bool may_stick =
        (line->kind == LAUNCHER_FLUX || line->kind == LAUNCHER_JSRUN) &&
        word[1] != '-';
    const char *name = word + 1 + (word[1] == '-');
    const size_t n = strcspn(name, "=");

    *value = name[n] == '=' ? name + n + 1 : NULL;
    for (; option->name; option++) {
        const size_t length = strlen(option->name);

        if (length == n && strncmp(option->name, name, n) == 0)
            return option;
        if (may_stick && length == 1 && option->arguments == 1 &&
            name[0] == option->name[0] && name[1] != '\0') {
            *value = name + 1;
            return option;
        }
    }
    if (is_plain(options->plain, name, n))
        return &plain;
    if (may_stick && is_plain(options->plain, name, 1)) {
        *value = name + 1;
        return &plain;
    }
    return NULL;
}

static int take_number(uint32_t *out,
                       const struct launcher_option *option,
                       const char *text,
                       struct mapcore_error *err)
{
    uint64_t value;

    if (!text || !text_parse_u64(text, &value) || value == 0 ||
        value > INT32_MAX)
        return error_set(err, MAPCORE_EINVAL,
                         "'%.100s' behind -%s is no number", text ? text : "",
                         option->name);
    *out = (uint32_t)value;
    return 0;
}

/* What a placement says itself. */
static bool is_dropped(enum launcher_kind kind, enum launcher_role role)
{
    switch (kind) {
    case LAUNCHER_HYDRA:
    case LAUNCHER_INTEL:
        return role == ROLE_HOSTFILE || role == ROLE_PER_NODE;
    case LAUNCHER_JSRUN:
        return role == ROLE_NTASKS || role == ROLE_PER_NODE ||
               role == ROLE_CPUS || role == ROLE_GPUS;
    case LAUNCHER_OPENMPI:
    case LAUNCHER_PRRTE:
        return role == ROLE_HOSTFILE;
    case LAUNCHER_UNKNOWN:
    case LAUNCHER_PALS:
    case LAUNCHER_FLUX:
    case LAUNCHER_SRUN:
        break;
    }
    return false;
}

static int take_option(struct launcher_line *line,
                       const struct launcher_option *option,
                       const char *value,
                       struct mapcore_error *err)
{
    switch (option->role) {
    case ROLE_NTASKS:
        return take_number(&line->ntasks, option, value, err);
    case ROLE_PER_NODE:
        return take_number(&line->per_node, option, value, err);
    case ROLE_CPUS:
        return take_number(&line->cpus, option, value, err);
    case ROLE_NODES:
        return take_number(&line->nodes, option, value, err);
    case ROLE_HOSTFILE:
        line->hostfile = value;
        return 0;
    case ROLE_PLACES:
        line->own = option->name;
        return 0;
    case ROLE_GPUS:
        if (!value || strcmp(value, "0") != 0)
            line->own = option->name;
        return 0;
    case ROLE_SETS:
        if (value && strncmp(value, "rmaps", 5) == 0)
            line->own = "mca rmaps";
        return 0;
    case ROLE_PLAIN:
        break;
    }
    return 0;
}

/* Word i is an option; *i moves to the next one. */
static int read_option(struct launcher_line *line,
                       size_t *i,
                       struct mapcore_error *err)
{
    const char *value;
    const struct launcher_option *option =
        find_option(line, line->word[*i], &value);
    const size_t begin = (*i)++;
    size_t more;

    if (!option)
        return 0;
    /* The first of them may stand in the same word. */
    more = (size_t)option->arguments;
    if (value && more > 0)
        more--;
    if (more > 0 && *i < line->n && !value)
        value = line->word[*i];
    for (size_t k = 0; k < more && *i < line->n; k++)
        (*i)++;
    for (size_t k = begin; k < *i; k++)
        line->drops[k] = is_dropped(line->kind, option->role);
    return take_option(line, option, value, err);
}

int launcher_line_read(struct launcher_line *out,
                       char **words,
                       enum launcher_kind kind,
                       struct mapcore_error *err)
{
    size_t i;
    int error = 0;

    *out = (struct launcher_line){.kind = kind, .word = words, .first = 1};
    while (words[out->n])
        out->n++;
    out->program = out->n;
    if (kind == LAUNCHER_UNKNOWN)
        error = recognise(out, err);
    else
        snprintf(out->name, sizeof(out->name), "%s", words[0]);
    if (error == 0 && !(out->drops = array_alloc(out->n, 1, err)))
        error = MAPCORE_ENOMEM;
    if (error < 0)
        return error;
    if (out->kind == LAUNCHER_FLUX) {
        if (out->n < 2 ||
            (strcmp(words[1], "run") != 0 && strcmp(words[1], "submit") != 0))
            return error_set(err, MAPCORE_ENOTSUP,
                             "only flux run and flux submit start ranks");
        out->first = 2;
    }
    for (i = out->first;
         error == 0 && i < out->n && words[i][0] == '-' && words[i][1] != '\0';)
        if (strcmp(words[i], "--") == 0) {
            i++;
            break;
        } else {
            error = read_option(out, &i, err);
        }
    out->program = i < out->n ? i : out->n;
    for (; i < out->n; i++)
        out->has_several = out->has_several || strcmp(words[i], ":") == 0;
    return error;
}

void launcher_line_clear(struct launcher_line *line)
{
    free(line->drops);
    *line = (struct launcher_line){0};
}
