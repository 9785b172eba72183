/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan.c - the wire form of a plan: written by `topomap plan`, and read in srun
 * by a reader that believes nothing */
#include "config.h"

#include "launch/plan.h"

#include "base/array.h"
#include "base/fnv.h"
#include "base/printable.h"
#include "base/text.h"
#include "launch/runs.h"
#include "launch/step_files.h"
#include "launch/wire.h"

#include <inttypes.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#define PLAN_VERSION  2
#define PLAN_END_WORD "end "
/* "end ", 16 hexadecimal digits, newline */
#define PLAN_END_LENGTH 21

static const char *const decisions[] = {
    [MAPCORE_PLAN_BY_NOTHING] = "nothing",
    [MAPCORE_PLAN_BY_LINK_TIME] = "slowest-link",
    [MAPCORE_PLAN_BY_HOP_BYTES] = "hop-bytes",
    [MAPCORE_PLAN_BY_MAX_HOP_BYTES] = "maximum-hop-bytes",
    [MAPCORE_PLAN_BY_INSIDE] = "inside-hop-bytes",
    [MAPCORE_PLAN_BY_TIME] = "time",
};
static const char *const outcomes[] = {
    [MAPCORE_PLAN_FAILED] = "failed",
    [MAPCORE_PLAN_PLACED] = "placed",
    [MAPCORE_PLAN_UNCHANGED] = "unchanged",
    [MAPCORE_PLAN_UNRECORDED] = "unrecorded",
    [MAPCORE_PLAN_UNCONCERNED] = "unconcerned",
};
#define WORDS(list) (list), sizeof(list) / sizeof(*(list))

/* Lines that may stand there, one at most of each. */
static const struct text_line {
    const char *word;
    size_t offset; /* of a char * */
    size_t most;   /* bytes, with a NUL */
} texts[] = {
    {"tree", offsetof(struct mapcore_plan, tree), NODE_FILE_MOST},
    {"found", offsetof(struct mapcore_plan, found), PLAN_FOUND_MOST},
    {"env", offsetof(struct mapcore_plan, env), sizeof(MAPCORE_PLAN_ENV_NODES)},
    {"network", offsetof(struct mapcore_plan, network), PLAN_NETWORK_MOST},
    {"advice", offsetof(struct mapcore_plan, advice), PLAN_ADVICE_MOST},
};

/* Lines of numbers, all of them in this order. */
static const struct number_line {
    const char *word;
    enum {
        SIZE,
        BYTES,
        REAL,
        DECISION
    } kind; /* uint32_t, uint64_t, double; a
               word before doubles */
    size_t offset;
    size_t n;
} numbers[] = {
    {"ntasks", SIZE, offsetof(struct mapcore_plan, ntasks), 1},
    {"nhosts", SIZE, offsetof(struct mapcore_plan, nhosts), 1},
    {"hops-per-byte", REAL, offsetof(struct mapcore_plan, hops_per_byte), 2},
    {"off-node-bytes", BYTES, offsetof(struct mapcore_plan, off_node_bytes), 2},
    {"max-link-bytes", REAL, offsetof(struct mapcore_plan, max_link_bytes), 2},
    {"decided-by", DECISION, offsetof(struct mapcore_plan, decided), 2},
    {"milliseconds", REAL, offsetof(struct mapcore_plan, milliseconds), 3},
};

const char *mapcore_plan_decision_name(enum mapcore_plan_decision decision)
{
    return (size_t)decision < sizeof(decisions) / sizeof(*decisions)
               ? decisions[decision]
               : NULL;
}

void mapcore_plan_destroy(struct mapcore_plan *plan)
{
    if (!plan)
        return;
    free(plan->reason);
    free(plan->tree);
    free(plan->found);
    free(plan->env);
    free(plan->network);
    free(plan->advice);
    free(plan->host);
    free(plan->slot);
    free(plan);
}

/* Always one line. */
static void write_text(FILE *file, const char *word, const char *text)
{
    fprintf(file, "%s ", word);
    printable_write(file, text ? text : "");
    fputc('\n', file);
}

static void write_numbers(FILE *file,
                          const struct mapcore_plan *plan,
                          const struct number_line *line)
{
    const char *at = (const char *)plan + line->offset;

    fputs(line->word, file);
    if (line->kind == DECISION)
        fprintf(file, " %s", decisions[plan->decided_by]);
    for (size_t i = 0; i < line->n; i++)
        if (line->kind == SIZE)
            fprintf(file, " %u", ((const uint32_t *)(const void *)at)[i]);
        else if (line->kind == BYTES)
            fprintf(file, " %" PRIu64, ((const uint64_t *)(const void *)at)[i]);
        else
            fprintf(file, " %.17g", ((const double *)(const void *)at)[i]);
    fputc('\n', file);
}

static void write_lines(FILE *file, const struct mapcore_plan *plan)
{
    fprintf(file, "topomap-plan %d\noutcome %s", PLAN_VERSION,
            outcomes[plan->outcome]);
    if (plan->record_s > 0)
        fprintf(file, " record %u", plan->record_s);
    else if (plan->times_mpi)
        fputs(" time", file);
    fputc('\n', file);
    write_text(file, "reason", plan->reason);
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
        const void *at = (const char *)plan + texts[i].offset;

        if (*(char *const *)at)
            write_text(file, texts[i].word, *(char *const *)at);
    }
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        write_numbers(file, plan, &numbers[i]);
}

/* Into line[PLAN_END_LENGTH + 1]. */
static void write_end(char *line, const char *text, size_t n)
{
    snprintf(line, PLAN_END_LENGTH + 1, PLAN_END_WORD "%016" PRIx64 "\n",
             fnv1a(text, n));
}

int mapcore_plan_format(char **out,
                        const struct mapcore_plan *plan,
                        struct mapcore_error *err)
{
    const bool is_placed = plan->outcome == MAPCORE_PLAN_PLACED;
    locale_t c_locale = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0), previous;
    char *hosts = NULL, *slots = NULL, *text = NULL, end[PLAN_END_LENGTH + 1];
    size_t n = 0;
    FILE *file = open_memstream(&text, &n);
    int error = 0;

    if (c_locale == (locale_t)0 || !file)
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a plan");
    if (error == 0 && is_placed)
        error = runs_format(&hosts, plan->host, plan->ntasks, err);
    if (error == 0 && is_placed)
        error = runs_format(&slots, plan->slot, plan->ntasks, err);
    if (error == 0) {
        previous = uselocale(c_locale);
        write_lines(file, plan);
        uselocale(previous);
        if (is_placed)
            fprintf(file, "hosts %s\nslots %s\n", hosts, slots);
        if (fflush(file) == 0) {
            write_end(end, text, n);
            fputs(end, file);
        }
    }
    if (file && fclose(file) != 0 && error == 0)
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a plan");
    if (error == 0) {
        *out = text;
        text = NULL;
    }
    if (c_locale != (locale_t)0)
        freelocale(c_locale);
    free(text);
    free(hosts);
    free(slots);
    return error;
}

size_t mapcore_plan_complete(const char *text, size_t n)
{
    const size_t body = n > PLAN_END_LENGTH ? n - PLAN_END_LENGTH : 0;
    char end[PLAN_END_LENGTH + 1];

    if (body == 0 || text[body - 1] != '\n' ||
        memcmp(text + body, PLAN_END_WORD, strlen(PLAN_END_WORD)) != 0)
        return 0;
    write_end(end, text, body);
    return memcmp(text + body, end, PLAN_END_LENGTH) == 0 ? n : 0;
}

/* Its number among words[n], or -1. */
static int find_word(const char *const *words, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(word, words[i]) == 0)
            return (int)i;
    return -1;
}

/* What follows word in a line that begins with it, or NULL. */
static char *after_word(char *line, const char *word)
{
    size_t n = strlen(word);

    return strncmp(line, word, n) == 0 && line[n] == ' ' ? line + n + 1 : NULL;
}

int wire_expect(struct text *text, const char *word, char **rest)
{
    char *line = NULL;
    int error = text_line(text, &line);

    if (error < 0)
        return error;
    if (!line || !(line = after_word(line, word)))
        return text_error(text, MAPCORE_EPARSE, "\"%s\" expected", word);
    *rest = line;
    return 0;
}

/* The version, and what became of the launch. */
static int parse_head(struct text *text, struct mapcore_plan *plan)
{
    char *rest = NULL, *record, *cursor;
    uint64_t version;
    int outcome, error = wire_expect(text, "topomap-plan", &rest);

    if (error < 0)
        return error;
    if (!text_parse_u64(rest, &version))
        return text_error(text, MAPCORE_EPARSE,
                          "topomap-plan: 1 numbers expected");
    if (version != PLAN_VERSION)
        return text_error(text, MAPCORE_EVERSION,
                          "a plan of format %" PRIu64
                          ", and this program reads %d",
                          version, PLAN_VERSION);
    if ((error = wire_expect(text, "outcome", &rest)) < 0)
        return error;
    if ((record = strstr(rest, " record "))) {
        cursor = record + strlen(" record ");
        if (!text_take_u32(&cursor, &plan->record_s, NULL) ||
            !text_at_end(cursor) || plan->record_s == 0)
            return text_error(text, MAPCORE_EPARSE,
                              "outcome: record wants seconds");
        *record = '\0';
    }
    if ((record = strstr(rest, " time")) && record[strlen(" time")] == '\0') {
        plan->times_mpi = true;
        *record = '\0';
    }
    if ((outcome = find_word(WORDS(outcomes), rest)) < 0)
        return text_error(text, MAPCORE_EPARSE,
                          "outcome: no such word is known");
    plan->outcome = (enum mapcore_plan_outcome)outcome;
    if ((error = wire_expect(text, "reason", &rest)) < 0 ||
        (error = text_copy(&plan->reason, rest, text_err(text))) < 0)
        return error;
    printable_clean(plan->reason);
    return 0;
}

/* What may stand before the numbers, as it is, to be shown or handed on. A
 * newer `topomap` has further lines, and nothing that cannot be left out. */
static int parse_texts(struct text *text, struct mapcore_plan *plan)
{
    char *line = NULL, *value;
    int error;

    while ((error = text_line(text, &line)) == 0 && line) {
        if (after_word(line, numbers[0].word)) {
            text_unread(text);
            return 0;
        }
        for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
            void *at = (char *)plan + texts[i].offset;
            char **out = at;

            if (!(value = after_word(line, texts[i].word)))
                continue;
            if (*out || strlen(value) >= texts[i].most)
                return text_error(text, MAPCORE_ERANGE,
                                  *out ? "a line that stands there twice"
                                       : "too long");
            if ((error = text_copy(out, value, text_err(text))) < 0)
                return error;
            printable_clean(*out);
        }
    }
    return error;
}

/* ntasks and nhosts must be what the caller knows, or 0, of a plan that places
 * nothing, since the launch could not be read: its reason is for the user. */
static int parse_numbers(struct text *text,
                         struct mapcore_plan *plan,
                         const struct number_line *line)
{
    void *at = (char *)plan + line->offset;
    char *rest = NULL, *word;
    uint64_t value = 0;
    int decision, error = wire_expect(text, line->word, &rest);

    if (error < 0)
        return error;
    if (line->kind == DECISION) {
        word = text_take_word(&rest);
        if (!word || (decision = find_word(WORDS(decisions), word)) < 0)
            return text_error(text, MAPCORE_EPARSE,
                              "%s: no such number is known", line->word);
        plan->decided_by = (enum mapcore_plan_decision)decision;
    }
    for (size_t i = 0; i < line->n; i++) {
        word = text_take_word(&rest);
        if (!word || !(line->kind == SIZE || line->kind == BYTES
                           ? text_parse_u64(word, &value)
                           : text_parse_double(word, (double *)at + i)))
            return text_error(text, MAPCORE_EPARSE, "%s: %zu numbers expected",
                              line->word, line->n);
        if (line->kind == BYTES)
            ((uint64_t *)at)[i] = value;
        if (line->kind == SIZE && value != *(uint32_t *)at &&
            (value != 0 || plan->outcome == MAPCORE_PLAN_PLACED))
            return text_error(text, MAPCORE_ERANGE,
                              "%s %" PRIu64 ", but it is %u", line->word, value,
                              *(uint32_t *)at);
    }
    if (text_take_word(&rest))
        return text_error(text, MAPCORE_EPARSE, "%s: more than %zu", line->word,
                          line->n);
    return 0;
}

static int parse_runs(struct text *text,
                      const char *word,
                      uint32_t *values,
                      uint32_t n)
{
    char *rest = NULL;
    int error = wire_expect(text, word, &rest);

    if (error == 0 && (error = runs_parse(values, n, rest, text_err(text))) < 0)
        text_error(text, error, "%s: %s", word, text_err(text)->text);
    return error;
}

/* Every slot of every host is taken by exactly one rank. */
static int check_placement(const struct mapcore_plan *plan,
                           const uint32_t *counts,
                           struct mapcore_error *err)
{
    uint32_t *first =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*first), err);
    bool *taken = array_alloc(plan->ntasks, sizeof(*taken), err);
    int error = first && taken ? 0 : MAPCORE_ENOMEM;
    uint64_t total = 0;

    for (uint32_t h = 0; error == 0 && h < plan->nhosts; h++) {
        total += counts[h];
        if (total > plan->ntasks)
            break;
        first[h + 1] = (uint32_t)total;
    }
    if (error == 0 && total != plan->ntasks)
        error = error_set(err, MAPCORE_ERANGE,
                          "the nodes hold other than %u tasks", plan->ntasks);
    for (uint32_t r = 0; error == 0 && r < plan->ntasks; r++) {
        uint32_t host = plan->host[r], slot = plan->slot[r];

        if (host >= plan->nhosts || slot >= counts[host])
            error = error_set(err, MAPCORE_ERANGE,
                              "plan: rank %u has no such place", r);
        else if (taken[first[host] + slot])
            error = error_set(err, MAPCORE_EPARSE,
                              "plan: rank %u is on a place that is taken", r);
        else
            taken[first[host] + slot] = true;
    }
    free(first);
    free(taken);
    return error;
}

static int parse_body(struct text *text,
                      struct mapcore_plan *plan,
                      const uint32_t *counts)
{
    struct mapcore_error *err = text_err(text);
    char *line = NULL;
    int error;

    if ((error = parse_head(text, plan)) < 0 ||
        (error = parse_texts(text, plan)) < 0)
        return error;
    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++)
        if ((error = parse_numbers(text, plan, &numbers[i])) < 0)
            return error;
    if (plan->outcome == MAPCORE_PLAN_PLACED) {
        plan->host = array_alloc(plan->ntasks, sizeof(*plan->host), err);
        plan->slot = array_alloc(plan->ntasks, sizeof(*plan->slot), err);
        if (!plan->host || !plan->slot)
            return MAPCORE_ENOMEM;
        if ((error = parse_runs(text, "hosts", plan->host, plan->ntasks)) < 0 ||
            (error = parse_runs(text, "slots", plan->slot, plan->ntasks)) < 0 ||
            (error = check_placement(plan, counts, err)) < 0)
            return error;
    }
    if ((error = text_line(text, &line)) < 0)
        return error;
    if (line)
        return text_error(text, MAPCORE_EPARSE,
                          "nothing expected before \"end\"");
    return 0;
}

int mapcore_plan_parse(struct mapcore_plan **out,
                       const char *bytes,
                       size_t n,
                       uint32_t ntasks,
                       uint32_t nhosts,
                       const uint32_t *counts,
                       struct mapcore_error *err)
{
    struct mapcore_plan *plan = NULL;
    struct text *text = NULL;
    int error;

    if (mapcore_plan_complete(bytes, n) == 0)
        return error_set(err, MAPCORE_EPARSE,
                         "the plan ends before its \"end\" line, or disagrees "
                         "with its checksum");
    if ((error = text_open_memory(&text, "plan", bytes, n - PLAN_END_LENGTH,
                                  err)) < 0)
        return error;
    plan = array_alloc(1, sizeof(*plan), err);
    error = MAPCORE_ENOMEM;
    if (!plan)
        goto out;
    plan->ntasks = ntasks;
    plan->nhosts = nhosts;
    if ((error = parse_body(text, plan, counts)) < 0)
        goto out;
    *out = plan;
    plan = NULL;
out:
    mapcore_plan_destroy(plan);
    text_close(text);
    return error;
}
