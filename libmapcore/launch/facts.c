/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* facts.c - the facts of one launch, as srun tells them to `topomap plan`, as a
 * file that repeats a launch, and as a command line */
#include "config.h"

#include "launch/facts.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "base/text.h"
#include "launch/runs.h"
#include "launch/wire.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FORMAT_VERSION 1
#define ON_REQUEST     "topology on request"
#define BY_RANK        "slots by rank"
/* "0*4294967294" must not cost 16 GiB; no launch has had as many. */
#define MAX_TASKS 16777216

void mapcore_facts_destroy(struct mapcore_facts *facts)
{
    if (!facts)
        return;
    free(facts->program);
    free(facts->nodelist);
    free(facts->counts);
    free(facts->baseline);
    free(facts->topology);
    for (int i = 0; i < facts->nwords; i++)
        free(facts->words[i]);
    free(facts->words);
    free(facts);
}

/* Slurm's form of counts: 2(x3),1 */
static int add_counts(struct buffer *out, const struct mapcore_facts *facts)
{
    const uint32_t *counts = facts->counts;

    for (uint32_t i = 0, j; i < facts->nhosts; i = j) {
        for (j = i + 1; j < facts->nhosts && counts[j] == counts[i];)
            j++;
        buffer_printf(out, "%s%u", i > 0 ? "," : "", counts[i]);
        if (j - i > 1)
            buffer_printf(out, "(x%u)", j - i);
    }
    return out->error;
}

/* A line a word; as many words as there are lines. */
#define MAX_WORDS 4096

static void add_words(struct buffer *out, const struct mapcore_facts *facts)
{
    for (int i = 0; i < facts->nwords; i++) {
        buffer_append(out, "word ", 5);
        for (const char *p = facts->words[i]; *p; p++)
            buffer_printf(out,
                          *p == '\n'   ? "\\n"
                          : *p == '\\' ? "\\\\"
                                       : "%c",
                          *p);
        buffer_append(out, "\n", 1);
    }
}

static int check_word(const char *word,
                      const char *what,
                      struct mapcore_error *err)
{
    if (!word || *word == '\0')
        return error_set(err, MAPCORE_EINVAL, "facts: no %s", what);
    if (!text_is_line(word))
        return error_set(err, MAPCORE_EINVAL,
                         "the %s '%.300s' has a control character", what, word);
    return 0;
}

int mapcore_facts_format(char **out,
                         const struct mapcore_facts *facts,
                         struct mapcore_error *err)
{
    const char *topology = facts->topology ? facts->topology : "";
    const size_t length = strlen(topology);
    struct buffer text = {.err = err};
    char *baseline = NULL;
    int error;

    if ((error = check_word(facts->program, "program", err)) < 0 ||
        (error = check_word(facts->nodelist, "nodelist", err)) < 0 ||
        (error = runs_format(&baseline, facts->baseline, facts->ntasks, err)) <
            0)
        return error;
    buffer_printf(
        &text,
        "topomap-facts %d\nprogram %s\nntasks %u\nnodelist %s\ntasks-per-node ",
        FORMAT_VERSION, facts->program, facts->ntasks, facts->nodelist);
    add_counts(&text, facts);
    buffer_printf(&text, "\nbaseline %s\n", baseline);
    if (facts->nwords <= MAX_WORDS)
        add_words(&text, facts);
    if (facts->by_rank)
        buffer_printf(&text, BY_RANK "\n");
    if (facts->on_request)
        buffer_printf(&text, ON_REQUEST "\nend\n");
    else
        buffer_printf(&text, "%s%s%send\n", length > 0 ? "topology\n" : "",
                      topology,
                      length > 0 && topology[length - 1] != '\n' ? "\n" : "");
    free(baseline);
    return buffer_finish(out, &text, 0);
}

/* " --name VALUE" */
static void add_option(struct buffer *line, const char *name, const char *value)
{
    buffer_printf(line, " %s%s", name, *name ? " " : "");
    shell_quote(line, value, strlen(value));
}

/* Whether ranks go from host to host in order: what is assumed of a launch that
 * says nothing. */
static bool is_block(const struct mapcore_facts *facts)
{
    for (uint32_t r = 1; r < facts->ntasks; r++)
        if (facts->baseline[r] < facts->baseline[r - 1])
            return false;
    return true;
}

int plan_command(char **out,
                 const struct mapcore_facts *facts,
                 const char *const *words,
                 struct mapcore_error *err)
{
    struct buffer line = {.err = err}, counts = {.err = err};
    char *baseline = NULL;
    int error;

    if ((error = add_counts(&counts, facts)) < 0 ||
        (!is_block(facts) && (error = runs_format(&baseline, facts->baseline,
                                                  facts->ntasks, err)) < 0))
        goto out;
    if (facts->nwords == 0)
        add_option(&line, "--program", facts->program);
    buffer_printf(&line, " --ntasks %u", facts->ntasks);
    add_option(&line, "--nodelist", facts->nodelist);
    add_option(&line, "--tasks-per-node", counts.bytes);
    if (baseline)
        add_option(&line, "--baseline", baseline);
    for (; *words; words++)
        add_option(&line, "", *words);
    if (facts->nwords > 0)
        buffer_printf(&line, " --");
    for (int i = 0; i < facts->nwords; i++)
        add_option(&line, "", facts->words[i]);
    if (line.error == 0)
        memmove(line.bytes, line.bytes + 1, line.n);
out:
    buffer_clear(&counts);
    free(baseline);
    return buffer_finish(out, &line, error);
}

static int expect_string(struct text *text, const char *word, char **out)
{
    char *rest = NULL;
    int error = wire_expect(text, word, &rest);

    if (error == 0 && check_word(rest, word, text_err(text)) < 0)
        error = text_error_in(text, MAPCORE_EPARSE);
    return error < 0 ? error : text_copy(out, rest, text_err(text));
}

static int expect_u32(struct text *text, const char *word, uint32_t *out)
{
    char *rest = NULL;
    uint64_t value = 0;
    int error = wire_expect(text, word, &rest);

    if (error < 0)
        return error;
    if (!text_parse_u64(rest, &value) || value >= MAPCORE_NONE)
        return text_error(text, MAPCORE_ERANGE,
                          "%s: a number below 2^32 - 1 expected", word);
    *out = (uint32_t)value;
    return 0;
}

/* "2(x3),1" into counts[n]; false on bad text, another number of hosts or
 * another sum. */
static bool parse_counts(uint32_t *counts,
                         uint32_t n,
                         uint32_t sum,
                         const char *form)
{
    uint32_t filled = 0, value, times;
    uint64_t total = 0;

    while (*form) {
        if (!text_take_count(&form, &value, &times) || times > n - filled)
            return false;
        total += (uint64_t)value * times;
        while (times-- > 0)
            counts[filled++] = value;
    }
    return filled == n && total == sum;
}

static int parse_layout(struct text *text, struct mapcore_facts *facts)
{
    struct hosts hosts = {0};
    struct mapcore_error *err = text_err(text);
    char *rest = NULL;
    int error = hosts_expand_distinct(&hosts, facts->nodelist, err);

    if (error < 0)
        return text_error(text, error, "nodelist: %s", err->text);
    facts->nhosts = (uint32_t)hosts.n;
    hosts_clear(&hosts);
    facts->counts = array_alloc(facts->nhosts, sizeof(*facts->counts), err);
    if (!facts->counts)
        return MAPCORE_ENOMEM;
    if ((error = wire_expect(text, "tasks-per-node", &rest)) < 0)
        return error;
    if (!parse_counts(facts->counts, facts->nhosts, facts->ntasks, rest))
        return text_error(text, MAPCORE_EPARSE,
                          "tasks-per-node: not %u tasks on %u nodes",
                          facts->ntasks, facts->nhosts);
    if ((error = wire_expect(text, "baseline", &rest)) < 0)
        return error;
    if (facts->ntasks > MAX_TASKS)
        return text_error(text, MAPCORE_ERANGE, "more than %d tasks",
                          MAX_TASKS);
    facts->baseline = array_alloc(facts->ntasks, sizeof(*facts->baseline), err);
    if (!facts->baseline)
        return MAPCORE_ENOMEM;
    error = runs_parse(facts->baseline, facts->ntasks, rest, err);
    return error < 0 ? text_error(text, error, "baseline: %s", err->text) : 0;
}

/* The baseline puts as many ranks on each host as it has tasks. */
static int check_baseline(struct text *text, const struct mapcore_facts *facts)
{
    uint32_t *left = array_copy(facts->counts, facts->nhosts,
                                sizeof(*facts->counts), text_err(text));
    int error = 0;

    if (!left)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; error == 0 && r < facts->ntasks; r++) {
        uint32_t host = facts->baseline[r];

        if (host >= facts->nhosts || left[host] == 0)
            error =
                text_error(text, MAPCORE_ERANGE,
                           "baseline: rank %u does not fit tasks-per-node", r);
        else
            left[host]--;
    }
    free(left);
    return error;
}

/* In place. */
static void unescape(char *word)
{
    char *out = word;

    for (; *word; word++)
        if (*word == '\\' && word[1]) {
            word++;
            *out++ = *word == 'n' ? '\n' : *word;
        } else {
            *out++ = *word;
        }
    *out = '\0';
}

/* All `word` lines; *line is the first behind them. */
static int parse_words(char **line,
                       struct text *text,
                       struct mapcore_facts *facts)
{
    const char *word;
    size_t capacity = 0;
    int error;

    while ((error = text_line(text, line)) == 0 && *line &&
           (word = text_after(*line, "word "))) {
        if (facts->nwords == MAX_WORDS)
            return text_error(text, MAPCORE_ERANGE, "more than %d words",
                              MAX_WORDS);
        error =
            array_reserve(&facts->words, &capacity, (size_t)facts->nwords + 2,
                          sizeof(*facts->words), text_err(text));
        if (error == 0)
            error =
                text_copy(&facts->words[facts->nwords], word, text_err(text));
        if (error < 0)
            return error;
        unescape(facts->words[facts->nwords]);
        facts->words[++facts->nwords] = NULL;
    }
    return error;
}

/* `topology` in *line and the lines behind it up to `end`, which is in *line
 * then. */
static int parse_topology(char **out, char **line, struct text *text)
{
    struct buffer lines = {.err = text_err(text)};
    int error;

    buffer_append(&lines, "", 0);
    while ((error = text_line(text, line)) == 0 && *line &&
           strcmp(*line, "end") != 0)
        buffer_printf(&lines, "%s\n", *line);
    return buffer_finish(out, &lines, error);
}

/* The words, how slots are, `topology`, its lines, and `end`; all but the last
 * may be left out. */
static int parse_rest(struct text *text, struct mapcore_facts *facts)
{
    char *line = NULL;
    int error = parse_words(&line, text, facts);

    if (error == 0 && line && strcmp(line, BY_RANK) == 0) {
        facts->by_rank = true;
        error = text_line(text, &line);
    }
    if (error == 0 && line && strcmp(line, "topology") == 0) {
        error = parse_topology(&facts->topology, &line, text);
    } else if (error == 0 && line && strcmp(line, ON_REQUEST) == 0) {
        facts->on_request = true;
        error = text_line(text, &line);
    }
    if (error == 0 && (!line || strcmp(line, "end") != 0))
        error = text_error(text, MAPCORE_EPARSE, "\"end\" expected");
    return error;
}

int facts_parse_answer(char **out,
                       const char *bytes,
                       size_t n,
                       struct mapcore_error *err)
{
    struct text *text = NULL;
    char *line = NULL, *lines = NULL;
    int error = text_open_memory(&text, "srun's answer", bytes, n, err);

    if (error < 0)
        return error;
    error = text_line(text, &line);
    if (error == 0 && line && strcmp(line, "topology") == 0)
        error = parse_topology(&lines, &line, text);
    if (error == 0 && (!line || strcmp(line, "end") != 0))
        error = text_error(text, MAPCORE_EPARSE, "\"end\" expected");
    if (error == 0) {
        *out = lines;
        lines = NULL;
    }
    free(lines);
    text_close(text);
    return error;
}

static int parse_all(struct text *text, struct mapcore_facts *facts)
{
    uint32_t version = 0;
    int error;

    if ((error = expect_u32(text, "topomap-facts", &version)) < 0)
        return error;
    if (version != FORMAT_VERSION)
        return text_error(text, MAPCORE_EVERSION,
                          "facts of format %u, and this program reads %d",
                          version, FORMAT_VERSION);
    if ((error = expect_string(text, "program", &facts->program)) < 0 ||
        (error = expect_u32(text, "ntasks", &facts->ntasks)) < 0 ||
        (error = expect_string(text, "nodelist", &facts->nodelist)) < 0 ||
        (error = parse_layout(text, facts)) < 0 ||
        (error = check_baseline(text, facts)) < 0)
        return error;
    return parse_rest(text, facts);
}

int mapcore_facts_parse(struct mapcore_facts **out,
                        const char *name,
                        const char *bytes,
                        size_t n,
                        struct mapcore_error *err)
{
    struct mapcore_facts *facts = NULL;
    struct text *text = NULL;
    int error;

    if ((error = text_open_memory(&text, name, bytes, n, err)) < 0)
        return error;
    facts = array_alloc(1, sizeof(*facts), err);
    error = facts ? parse_all(text, facts) : MAPCORE_ENOMEM;
    if (error == 0) {
        *out = facts;
        facts = NULL;
    }
    mapcore_facts_destroy(facts);
    text_close(text);
    return error;
}
